import type { Page } from 'playwright-core'
import t from 'tap'
import { itemAt } from '../helpers/assertions/items.ts'
import { openMailbox } from '../helpers/peers/mailbox.ts'
import { isSigned, openReceiver } from '../helpers/peers/receiver.ts'
import { openConsole } from '../helpers/programs/console.ts'

t.setTimeout(15 * 60_000)

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })
const card = (page: Page, name: string) => page.getByRole('listitem', { name, exact: true })

t.test('an administrator creates, tests, changes and deletes a webhook, whose secret is shown once', async (t) => {
  const receiver = await openReceiver(t)
  const { open, inspect, organization, project, api, member } = await openConsole(t, 'sqlite', {
    OUTBOUND_ALLOW: '127.0.0.1/32',
  })
  const destination = { type: 'NoOp', config: {} }
  await api('POST', `/api/projects/${project}/batch_exports/`, { name: 'Lake', interval: 'hour', destination })
  await api('POST', `/api/projects/${project}/batch_exports/`, { name: 'Pond', interval: 'hour', destination })
  const page = await open(`/organizations/${organization}/settings`)
  await page.getByRole('link', { name: 'Alerts' }).click()
  await page.getByRole('heading', { name: 'No alerts' }).waitFor()
  // The contrast of the link below the pointer is lower.
  await page.mouse.move(0, 0)
  await inspect(page, 'alerts-empty')

  await page.getByRole('button', { name: 'New alert' }).click()
  await page.waitForURL(/create=true/)
  const form = dialog(page, 'New alert')
  await form.getByText('This server sends no email.').waitFor()
  t.ok(await form.getByRole('radio', { name: 'Email' }).isDisabled())
  await form.getByRole('textbox', { name: 'Name' }).fill('On-call')
  await form.getByRole('checkbox', { name: 'Lag' }).check()
  await form.getByRole('textbox', { name: 'Lag in minutes' }).fill('90')
  await form.getByRole('combobox', { name: 'Export' }).fill('la')
  await page.getByRole('option', { name: 'Lake' }).click()
  await form.getByRole('textbox', { name: 'URL' }).fill('https://10.0.0.1/hook')
  await form.getByRole('button', { name: 'Create alert' }).click()
  await form.getByText('its address is private or reserved').waitFor()
  await inspect(page, 'alert-form')
  await form.getByRole('textbox', { name: 'URL' }).fill(receiver.url)
  await form.getByRole('button', { name: 'Create alert' }).click()

  const shown = dialog(page, 'Secret of "On-call"')
  const secret = (await shown.getByText(/^whsec_/).textContent()) ?? ''
  await inspect(page, 'alert-secret')
  await page.keyboard.press('Escape')
  await shown.getByRole('button', { name: 'I have stored the secret' }).click()
  await shown.waitFor({ state: 'hidden' })
  const item = card(page, 'On-call')
  await item.getByText('Lag over 90 minutes').waitFor()
  await item.getByRole('link', { name: 'Lake' }).waitFor()
  await page.reload()
  await item.waitFor()
  t.notOk((await page.content()).includes(secret), 'a reload does not show the secret')

  await item.getByRole('button', { name: 'Send a test message of On-call' }).click()
  await page.getByText('The test message is sent. The server returned 204.').waitFor()
  t.match(receiver.hooks, [{ body: { type: 'test', alert: { name: 'On-call' } } }])
  t.ok(isSigned(itemAt(receiver.hooks, 0), secret))
  receiver.respondWith((response) => void response.writeHead(500).end())
  await item.getByRole('button', { name: 'Send a test message of On-call' }).click()
  await item.getByText('The server returned 500. Check its log.').waitFor()
  await item.getByText('Failing').waitFor()
  await inspect(page, 'alerts')

  await item.getByRole('button', { name: 'Edit On-call' }).click()
  const editing = dialog(page, 'Edit On-call')
  await editing.getByRole('textbox', { name: 'Name' }).fill('Nights')
  await editing.getByRole('textbox', { name: 'URL' }).fill(`${receiver.url}/2`)
  await editing.getByText('The webhook gets a new secret').waitFor()
  await editing.getByRole('button', { name: 'Save alert' }).click()
  await dialog(page, 'Secret of "Nights"').getByRole('button', { name: 'I have stored the secret' }).click()

  const renamed = card(page, 'Nights')
  await renamed.getByRole('switch', { name: 'Nights is on' }).press('Space')
  await renamed.getByText('Off', { exact: true }).waitFor()
  await page.reload()
  await renamed.getByRole('switch', { name: 'Nights is off' }).waitFor()
  await renamed.getByRole('button', { name: 'Delete Nights' }).click()
  await dialog(page, 'Delete the alert "Nights"?').getByRole('button', { name: 'Delete alert' }).click()
  await page.getByRole('heading', { name: 'No alerts' }).waitFor()

  await page.getByRole('link', { name: 'Activity log' }).click()
  await page.getByText('deleted the alert').waitFor()

  await member('grace@example.com', 1)
  const other = await open(`/organizations/${organization}/alerts?create=true`, { email: 'grace@example.com' })
  await other.getByText('This needs the level administrator.').waitFor()
  t.equal(await other.getByRole('dialog').count(), 0)
})

t.test('an alert sends emails to members', async (t) => {
  const mailbox = await openMailbox(t)
  const { open, inspect, organization, api } = await openConsole(
    t,
    'postgres',
    { SECRET_KEY: '5e'.repeat(32) },
    { mail: mailbox },
  )
  await api('POST', `/api/organizations/${organization}/invites/`, { target_email: 'ada@example.com' })
  const page = await open(`/organizations/${organization}/alerts?create=true`)
  const form = dialog(page, 'New alert')
  await form.getByRole('textbox', { name: 'Name' }).fill('Failures')
  const recipients = form.getByRole('combobox', { name: 'Recipients' })
  await recipients.fill('ada@example.com')
  await recipients.press('Enter')
  await recipients.fill('olivia')
  await page.getByRole('option', { name: 'owner@example.com' }).click()
  await form.getByRole('button', { name: 'Create alert' }).click()
  await form.getByText('ada@example.com: No active member of the organization has this address.').waitFor()
  await inspect(page, 'alert-form-email')
  await recipients.press('Backspace')
  await recipients.press('Backspace')
  await recipients.fill('owner@example.com')
  await recipients.press('Enter')
  await form.getByRole('button', { name: 'Create alert' }).click()
  const item = card(page, 'Failures')
  await item.getByText('Email to owner@example.com').waitFor()
  await item.getByRole('button', { name: 'Send a test message of Failures' }).click()
  await page.getByText('Enqueued an email to owner@example.com.').waitFor()
  while (!mailbox.mails.some(({ raw }) => raw.includes('This is a test of the alert'))) await mailbox.next()
})

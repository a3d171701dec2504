/** The pages of the signed-in user: profile, password, second factor, sessions and API keys. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import t from 'tap'
import { openMailbox, readable } from '../helpers/peers/mailbox.ts'
import { type Console, OWNER, openConsole, PASSWORD } from '../helpers/programs/console.ts'

t.setTimeout(15 * 60_000)

const ENGINES = ['sqlite', 'postgres'] as const
const NEW_PASSWORD = 'another horse battery staple 43'

const clipboard = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()')

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

/** The pages look the same on both engines. */
const onceInspected = (engine: string, opened: Console): Console =>
  engine === 'sqlite' ? opened : { ...opened, inspect: async () => {} }

t.test('changes the name, and the address after its verification', async (t) => {
  const mailbox = await openMailbox(t)
  const SITE_URL = `http://127.0.0.1:${await freePort()}`
  const { open, inspect } = await openConsole(t, 'sqlite', { SMTP_URL: mailbox.url, SITE_URL })
  const page = await open('/account/profile')
  await page.getByLabel('First name').waitFor()
  t.ok(await page.getByRole('button', { name: 'Save name' }).isDisabled(), 'there is nothing to save')
  await page.getByLabel('First name').fill('Ada')
  await page.getByLabel('Last name').fill('Lovelace')
  await page.getByRole('button', { name: 'Save name' }).click()
  await page.getByText('Your name is saved.').waitFor()
  await page.getByRole('button', { name: 'Account of Ada Lovelace' }).waitFor()

  await page.getByLabel('New address').fill('ada@example.com')
  await page.getByRole('button', { name: 'Change address' }).click()
  await page.getByText('We sent a link to ada@example.com.').waitFor()
  await page.getByText('Waiting for verification').waitFor()
  await inspect(page, 'account-profile')
  await page.getByRole('button', { name: 'Resend mail' }).click()
  const link = await eventually(async () => {
    const mails = mailbox.mails.filter(({ to }) => to.includes('ada@example.com'))
    const [, second] = mails
    return second && /verify_email\/([0-9a-f-]{36})\/#(\w+)/.exec(readable(second.raw))
  })
  const verified = await fetch(`${SITE_URL}/api/users/verify_email/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uuid: link[1], token: link[2] }),
  })
  t.equal(verified.status, 200)
  await page.reload()
  await page.getByText('Verified', { exact: true }).waitFor()
  t.equal(await page.getByText('Waiting for verification').count(), 0)
})

/** Polls, because mail is sent in the background. */
async function eventually<Found>(find: () => Promise<Found | null | undefined | ''>): Promise<Found> {
  for (;;) {
    const found = await find()
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

for (const engine of ENGINES)
  t.test(`changes the password and sets up a second factor (${engine})`, async (t) => {
    const { open, inspect } = onceInspected(engine, await openConsole(t, engine, { SECRET_KEY: '5e'.repeat(32) }))
    const page = await open('/account/security')
    await page.getByText('Off', { exact: true }).waitFor()
    await page.getByLabel('Current password').fill('wrong')
    await page.getByLabel('New password').fill('password')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('The current password is wrong.').waitFor()
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('This password is easy to guess.').waitFor()
    t.equal(
      await page.getByLabel('New password').getAttribute('aria-invalid'),
      'true',
      'the error of the server is at its field',
    )
    await page.getByLabel('New password').fill(NEW_PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('The password is changed.').waitFor()
    t.equal(await page.getByLabel('New password').inputValue(), '')

    await page.getByRole('button', { name: 'Set up two-factor authentication' }).click()
    const code = page.getByRole('img', { name: 'QR code' })
    await code.waitFor()
    t.ok(
      await code.evaluate((image) => 'naturalWidth' in image && Number(image.naturalWidth) > 0),
      'the QR code is drawn',
    )
    await inspect(page, 'account-security-setup')
    await page.getByRole('button', { name: 'Copy the secret' }).click()
    const secret = await clipboard(page)
    t.match(secret, /^[A-Z2-7]{32}$/)
    await page.getByLabel('Code', { exact: true }).fill('000000')
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByText('This code is wrong or was used before.').waitFor()
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    await page.getByLabel('Code', { exact: true }).fill(totp.generate())
    await page.getByRole('button', { name: 'Turn on' }).click()

    const dialog = page.getByRole('dialog', { name: 'Your backup codes' })
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Copy codes' }).click()
    await dialog.getByRole('button', { name: 'Copied' }).waitFor()
    const codes = (await clipboard(page)).trim().split('\n')
    t.equal(codes.length, 10)
    t.strictSame(await dialog.getByRole('listitem').allTextContents(), codes)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('link', { name: 'Download codes' }).click(),
    ])
    t.equal(download.suggestedFilename(), 'backup-codes.txt')
    t.strictSame(
      readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\n'),
      codes,
      'the file has the same codes',
    )
    await inspect(page, 'account-backup-codes')
    await dialog.getByRole('button', { name: 'I have stored the codes' }).click()
    await page.getByText('10 backup codes left.').waitFor()
    await inspect(page, 'account-security')

    // A backup code replaces the app at the next sign-in.
    const other = await open('/login', { email: null })
    await other.getByLabel('Email').fill(OWNER)
    await other.getByLabel('Password').first().fill(NEW_PASSWORD)
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.getByLabel('Code').fill(codes[0] ?? '')
    await other.getByRole('button', { name: 'Continue' }).click()
    await other.waitForURL(/\/organizations\//)
    await page.reload()
    await page.getByText('9 backup codes left.').waitFor()

    await page.getByRole('button', { name: 'Create new backup codes' }).click()
    const renewal = page.getByRole('dialog', { name: 'Create new backup codes?' })
    await renewal.getByRole('textbox', { name: 'Password' }).fill(NEW_PASSWORD)
    await renewal.getByRole('button', { name: 'Create codes' }).click()
    await dialog.waitFor()
    t.notOk((await dialog.getByRole('listitem').allTextContents()).includes(codes[1] ?? ''), 'the codes are new')
    await dialog.getByRole('button', { name: 'I have stored the codes' }).click()
    await page.getByText('10 backup codes left.').waitFor()

    await page.getByRole('button', { name: 'Turn off' }).click()
    const off = page.getByRole('dialog', { name: 'Turn off two-factor authentication?' })
    await off.getByRole('textbox', { name: 'Password' }).fill('wrong')
    await off.getByRole('button', { name: 'Turn off' }).click()
    await off.getByText('The password is wrong.').waitFor()
    await inspect(page, 'account-turn-off')
    await off.getByText('Code', { exact: true }).click()
    await off.getByLabel('Code of your authenticator app').fill('111111')
    await off.getByRole('button', { name: 'Turn off' }).click()
    await off.getByText('This code is wrong or was used before.').waitFor()
    await off.getByText('Password', { exact: true }).first().click()
    await off.getByRole('textbox', { name: 'Password' }).fill(NEW_PASSWORD)
    await off.getByRole('button', { name: 'Turn off' }).click()
    await page.getByText('Two-factor authentication is off.').waitFor()
    await page.getByRole('button', { name: 'Set up two-factor authentication' }).waitFor()
  })

t.test('lists sessions, ends one, and ends all others', async (t) => {
  const { open, inspect, server } = await openConsole(t)
  const signIn = (agent: string): Promise<Response> =>
    fetch(`${server.url}/api/login/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.url, 'user-agent': agent },
      body: JSON.stringify({ email: OWNER, password: PASSWORD }),
    })
  await signIn('Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0')
  await signIn(
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  )
  await signIn('curl/8.5.0')
  const page = await open('/account/sessions')
  const list = page.getByRole('list', { name: 'Sessions' })
  await list.getByText('Safari on iPhone').waitFor()
  t.strictSame(await list.getByRole('listitem').count(), 4)
  const own = list.getByRole('listitem').filter({ hasText: 'This browser' })
  t.match(await own.textContent(), /Chrome on Linux.*by password from/)
  t.equal(await own.getByRole('button').count(), 0, 'the own session is ended by signing out')
  await inspect(page, 'account-sessions')

  const phone = list.getByRole('listitem').filter({ hasText: 'Safari on iPhone' })
  await phone.getByRole('button', { name: 'End session' }).click()
  const dialog = page.getByRole('dialog', { name: 'End the session of Safari on iPhone?' })
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  t.equal(await list.getByRole('listitem').count(), 4, 'Escape changes nothing')
  await phone.getByRole('button', { name: 'End session' }).click()
  await dialog.getByRole('button', { name: 'End session' }).click()
  await phone.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'End other sessions' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End other sessions' }).click()
  await page.getByText('1 session', { exact: true }).waitFor()
  t.equal(await list.getByRole('listitem').count(), 1)
  const end = page.getByRole('button', { name: 'End other sessions' })
  t.equal(await end.getAttribute('aria-disabled'), 'true', 'a disabled button explains why')
  t.match(await page.getByText('There is no other session.').first().textContent(), /other session/)
})

for (const engine of ENGINES)
  t.test(`creates, edits, rolls and revokes API keys (${engine})`, async (t) => {
    const { open, inspect, api, server, project } = onceInspected(engine, await openConsole(t, engine))
    const status = async (key: string, path = '/api/personal_api_keys/@current/'): Promise<number> =>
      (await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${key}` } })).status
    const page = await open('/account/keys')
    const list = page.getByRole('list', { name: 'API keys' })
    await list.getByText('All scopes').waitFor()
    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Choose at least one scope.').waitFor()
    t.ok(await dialog.getByRole('button', { name: 'Create key' }).isDisabled())
    await dialog.getByLabel('Label').fill('Nightly report')
    await dialog.getByRole('radiogroup', { name: 'Exports' }).getByText('Write').click()
    await dialog.getByRole('radiogroup', { name: 'Events' }).getByText('Read').click()
    await dialog.getByRole('combobox', { name: 'Works in' }).click()
    await page.getByRole('option', { name: 'Some projects' }).click()
    await dialog.getByRole('combobox', { name: 'Projects' }).click()
    await page.getByRole('option', { name: `(${project})` }).click()
    await page.keyboard.press('Escape')
    await dialog.getByRole('combobox', { name: 'Expires' }).click()
    await page.getByRole('option', { name: 'On a date' }).click()
    await dialog.getByLabel('Last day').fill('2999-12-31')
    await inspect(page, 'account-key-form')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('It is not shown again').waitFor()
    await inspect(page, 'account-key-value')
    await page.getByRole('button', { name: 'Copy value' }).click()
    const value = await clipboard(page)
    t.match(value, /^phx_/)
    t.equal(await status(value), 200)
    t.equal(await status(value, `/api/projects/${project}/batch_exports/`), 200)
    t.equal(await status(value, `/api/projects/${project}/plugin_configs/`), 403, 'a scope that was not chosen')
    await page.getByRole('button', { name: 'I have stored the value' }).click()
    t.notOk((await page.content()).includes(value), 'the value is gone')
    const row = list.getByRole('listitem', { name: 'Nightly report' })
    t.match(await row.textContent(), /Exports: writeEvents: readonly in .*\(\d+\)/)
    t.match(await api('GET', '/api/personal_api_keys/'), [
      { label: 'Nightly report', scopes: ['batch_export:write', 'query:read'], scoped_teams: [project] },
      {},
    ])
    await inspect(page, 'account-keys')

    await row.getByRole('button', { name: 'Edit' }).click()
    await dialog.getByLabel('Label').fill('Weekly report')
    await dialog.getByRole('radiogroup', { name: 'Exports' }).getByText('Read').click()
    await dialog.getByRole('button', { name: 'Save key' }).click()
    await page.getByText('The key "Weekly report" is saved.').waitFor()
    const renamed = list.getByRole('listitem', { name: 'Weekly report' })
    await renamed.getByText('Exports: read').waitFor()

    await renamed.getByRole('button', { name: 'Roll' }).click()
    await dialog.getByRole('button', { name: 'Roll key' }).click()
    await page.getByText('It is not shown again').waitFor()
    await page.getByRole('button', { name: 'Copy value' }).click()
    const rolled = await clipboard(page)
    t.not(rolled, value)
    t.equal(await status(value), 401, 'the old value stops working')
    t.equal(await status(rolled), 200)
    await page.getByRole('button', { name: 'I have stored the value' }).click()

    await renamed.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog', { name: 'Revoke the key "Weekly report"?' }).waitFor()
    await dialog.getByRole('button', { name: 'Revoke key' }).click()
    await renamed.waitFor({ state: 'detached' })
    t.equal(await status(rolled), 401)
  })

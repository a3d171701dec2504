import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Page } from 'playwright-core'
import t from 'tap'
import { ADMINISTRATION } from '../../src/sql/migrate.ts'
import { itemAt, only } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import { openNameserver, type Zone } from '../helpers/peers/nameserver.ts'
import { layoutShift, openConsole } from '../helpers/programs/console.ts'

t.setTimeout(15 * 60_000)

const clipboard = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()')
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

t.test('lists members, searches them and changes their levels', async (t) => {
  const { open, inspect, member, organization } = await openConsole(t)
  await member('ada@example.com', 8)
  await member('grace@example.com', 1)
  const page = await open(`/organizations/${organization}/members`)
  const table = page.getByRole('table', { name: 'Members' })
  await table.getByText('grace@example.com').waitFor()
  await page.getByText('3 members').waitFor()
  await inspect(page, 'members')

  await page.getByRole('searchbox', { name: 'Search members' }).fill('GRACE')
  await page.getByText('1 member', { exact: true }).waitFor()
  await page.waitForURL(/search=GRACE/)
  await page.reload()
  await page.getByText('1 member', { exact: true }).waitFor()
  t.equal(await page.getByRole('searchbox', { name: 'Search members' }).inputValue(), 'GRACE', 'a reload keeps it')
  await page.getByRole('searchbox', { name: 'Search members' }).fill('nobody')
  await page.getByRole('button', { name: 'Show all members' }).click()
  await page.getByText('3 members').waitFor()

  const level = page.getByRole('combobox', { name: 'Level of grace' })
  await level.selectOption('Administrator')
  await dialog(page, 'Make grace an administrator?').waitFor()
  await page.keyboard.press('Escape')
  t.equal(await level.inputValue(), '1', 'Escape changes nothing')
  await level.selectOption('Administrator')
  await page.getByRole('button', { name: 'Change level' }).click()
  await page.getByText('grace is now an administrator.').waitFor()
  t.equal(await level.inputValue(), '8')

  await page.getByRole('button', { name: 'Remove grace' }).click()
  await inspect(page, 'member-removal')
  await page.getByRole('button', { name: 'Remove member' }).click()
  await page.getByText('2 members').waitFor()

  const leave = page.getByRole('button', { name: 'Leave organization' })
  t.equal(await leave.getAttribute('aria-disabled'), 'true', 'an owner cannot leave')
})

t.test('shows tables as cards on a phone', async (t) => {
  const { open, member, organization, api } = await openConsole(t)
  await member('ada@example.com', 8)
  await api('POST', `/api/organizations/${organization}/invites/`, { target_email: 'grace@example.com' })
  await api('POST', `/api/organizations/${organization}/domains/`, { domain: 'example.com' })
  const lists = [
    { path: 'members', name: 'Members', last: /^Remove ada/ },
    { path: 'invites', name: 'Invites', last: /^Revoke invite to grace/ },
    { path: 'projects', name: 'Projects', last: /^Delete / },
    { path: 'domains', name: 'Domains', last: undefined },
  ]
  for (const { path, name, last } of lists) {
    const page = await open(`/organizations/${organization}/${path}`, { width: 'phone' })
    const table = page.getByRole('table', { name })
    await page.getByRole('status').getByText(/^\d/).waitFor()
    const shift = await layoutShift(page)
    t.ok(shift <= 0.05, `${path}: a layout shift of ${shift}`)
    const box = await table.boundingBox()
    t.ok(box && box.width <= 390, `${path}: the table is ${box?.width} px wide`)
    if (last === undefined) continue
    const button = await table.getByRole('button', { name: last }).boundingBox()
    t.ok(button && button.x + button.width <= 390, `${path}: the last button is on the screen`)
  }
})

t.test('explains disabled actions to members, and lets them leave', async (t) => {
  const { open, inspect, member, organization, api } = await openConsole(t)
  await member('grace@example.com', 1)
  const page = await open(`/organizations/${organization}/members`, { email: 'grace@example.com' })
  const remove = page.getByRole('button', { name: 'Remove Olivia Owner' })
  await remove.waitFor()
  t.match(await describedBy(page, remove), /level administrator/)
  t.equal(await page.getByRole('combobox').count(), 0, 'no level can be changed')

  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByText('This needs the level administrator.').first().waitFor()
  await page.mouse.move(0, 0)
  t.ok(await page.getByRole('switch', { name: 'Require two-factor authentication' }).isDisabled())
  t.match(await describedBy(page, page.getByRole('button', { name: 'Delete organization' })), /level owner/)
  await inspect(page, 'settings-member')

  await page.getByRole('link', { name: 'Projects', exact: true }).click()
  t.match(await describedBy(page, page.getByRole('button', { name: 'New project' })), /level administrator/)

  await page.getByRole('link', { name: 'Members' }).click()
  await page.getByRole('button', { name: 'Leave organization' }).click()
  await page.getByText('To come back, you need a new invite.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave organization' }).click()
  await page.getByText('You do not belong to an organization').waitFor()
  const { count } = await api('GET', `/api/organizations/${organization}/members/`)
  t.equal(count, 1)
})

t.test('invites many people, shows their links once, renews and revokes', async (t) => {
  const { open, inspect, member, organization } = await openConsole(t)
  await member('ada@example.com', 1)
  const page = await open(`/organizations/${organization}/invites`)
  await page.getByRole('heading', { name: 'No pending invites' }).waitFor()
  await inspect(page, 'invites-empty')
  await page.getByRole('button', { name: 'Invite people' }).click()
  await page.waitForURL(/create=true/)
  const addresses = page.getByRole('combobox', { name: 'Email addresses' })
  await page.evaluate("navigator.clipboard.writeText('grace@example.com, ada@example.com\\nalan@example.com')")
  await addresses.focus()
  await page.keyboard.press('Control+V')
  await page.getByRole('combobox', { name: 'Level' }).selectOption('Administrator')
  await page.getByRole('button', { name: 'Create 3 invites' }).click()
  await page.getByText('This address already belongs to a member.').waitFor()
  await inspect(page, 'invite-form')
  await page.getByRole('button', { name: 'Remove ada@example.com' }).click()
  await page.getByRole('button', { name: 'Create 2 invites' }).click()

  const links = dialog(page, 'Send these links yourself')
  await links.getByText('The links are shown only once').waitFor()
  await inspect(page, 'invite-links')
  await links.getByRole('button', { name: 'Copy link for grace@example.com' }).click()
  await links.getByText('Copied link for grace@example.com').waitFor({ state: 'attached' })
  t.match(await clipboard(page), /\/signup\/[0-9a-f-]{36}\/\?token=.{20,}/)
  const first = await clipboard(page)
  await links.getByRole('button', { name: 'Copy all links' }).click()
  t.equal((await clipboard(page)).split('\n').length, 2)
  await page.getByRole('button', { name: 'I have copied the links' }).click()

  await page.getByText('2 invites').waitFor()
  await inspect(page, 'invites')
  await page.getByRole('button', { name: 'New link for grace@example.com' }).click()
  await page.getByRole('button', { name: 'Create new link' }).click()
  await links.getByRole('button', { name: 'Copy link for grace@example.com' }).click()
  await links.getByText('Copied link for grace@example.com').waitFor({ state: 'attached' })
  t.not(await clipboard(page), first, 'the link is new')
  await page.getByRole('button', { name: 'I have copied the link' }).click()

  await page.getByRole('button', { name: 'Revoke invite to grace@example.com' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke invite' }).click()
  await page.getByText('1 invite', { exact: true }).waitFor()
})

for (const engine of ['sqlite', 'postgres'] as const)
  t.test(`creates, edits and deletes projects on ${engine}`, async (t) => {
    const { open, inspect, organization, api } = await openConsole(t, engine)
    const page = await open(`/organizations/${organization}/projects`)
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Website')
    await page.getByRole('radio', { name: 'For a number of days' }).check()
    await page.getByRole('textbox', { name: 'Days' }).fill('90')
    if (engine === 'sqlite') await inspect(page, 'project-form')
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.getByText('2 projects').waitFor()
    await page.getByRole('cell', { name: '90 days' }).waitFor()
    if (engine === 'sqlite') await inspect(page, 'projects')

    const tokenOf = async (): Promise<string> => {
      await page.getByRole('button', { name: 'Copy token of Website' }).click()
      await page.getByText('Copied token of Website').waitFor({ state: 'attached' })
      return clipboard(page)
    }
    const { results } = await api('GET', `/api/organizations/${organization}/projects/`)
    t.equal(await tokenOf(), results[1]?.api_token)

    await page.getByRole('button', { name: 'Edit Website' }).click()
    await page.waitForURL(/edit=/)
    await page.reload()
    await page.getByRole('textbox', { name: 'Days' }).fill('30')
    await page.getByRole('alert').getByText('older than 30 days').waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill('Shop')
    await page.getByRole('button', { name: 'Save project' }).click()
    await page.getByRole('cell', { name: '30 days' }).waitFor()

    await page.getByRole('button', { name: 'Reset token of Shop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset token' }).click()
    await page.getByText('Shop has a new token.').waitFor()
    const after = await api('GET', `/api/organizations/${organization}/projects/`)
    t.not(itemAt(after.results, 1).api_token, results[1]?.api_token)

    await page.getByRole('button', { name: 'Delete Shop' }).click()
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete project' })
    t.ok(await confirm.isDisabled(), 'the name must be typed')
    await page.getByRole('textbox', { name: 'Type "Shop" to confirm' }).fill('Shop')
    await confirm.click()
    await page.getByText('1 project', { exact: true }).waitFor()
    await page.getByRole('table', { name: 'Projects' }).getByRole('link').click()
    await page.waitForURL(/\/exports$/)
  })

t.test('changes the settings of an organization and deletes it', async (t) => {
  const { open, inspect, organization, api } = await openConsole(t)
  const page = await open(`/organizations/${organization}/settings`)
  await page.getByRole('textbox', { name: 'Name' }).fill('Hedgerow')
  await page.getByRole('button', { name: 'Save name' }).click()
  await page.getByText('The name is saved.').waitFor()
  await page.getByRole('button', { name: 'Hedgerow' }).waitFor()
  await page.getByRole('button', { name: 'Copy organization id' }).click()
  await page.getByText('Copied organization id').waitFor({ state: 'attached' })
  t.equal(await clipboard(page), organization)
  await page.getByRole('switch', { name: 'Email members when someone joins' }).uncheck()
  await page.getByText('The setting is saved.').waitFor()
  t.equal((await api('GET', `/api/organizations/${organization}/`)).is_member_join_email_enabled, false)
  await inspect(page, 'settings')

  await page.getByRole('switch', { name: 'Require two-factor authentication' }).click()
  await page.getByText('This includes you').waitFor()
  await page.keyboard.press('Escape')
  t.equal((await api('GET', `/api/organizations/${organization}/`)).enforce_2fa, null)

  await page.getByRole('button', { name: 'Delete organization' }).click()
  await page.getByRole('textbox', { name: 'Type "Hedgerow" to confirm' }).fill('Hedgerow')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete organization' }).click()
  await page.getByText('You do not belong to an organization').waitFor()
})

for (const engine of ['sqlite', 'postgres'] as const)
  t.test(`verifies a domain and sets up its sign-in on ${engine}`, async (t) => {
    const zone: Zone = {}
    const DNS_SERVERS = await openNameserver(t, zone)
    const folder = freshFolder(t)
    const { open, inspect, organization, api } = await openConsole(t, engine, {
      ...(engine === 'sqlite' && { DATABASE_URL: `sqlite:${folder}` }),
      DNS_SERVERS,
      DOMAIN_CHALLENGE_LABEL: '_challenge',
      SOCIAL_AUTH_GITHUB_KEY: 'id',
      SOCIAL_AUTH_GITHUB_SECRET: 'secret',
    })
    const page = await open(`/organizations/${organization}/domains`)
    await page.getByText('No domains', { exact: true }).waitFor()
    if (engine === 'sqlite') await inspect(page, 'domains-empty')
    await page.getByRole('button', { name: 'Add domain' }).click()
    await page.getByRole('textbox', { name: 'Domain' }).fill('hedgerow')
    await page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click()
    await page.getByRole('dialog').locator('[aria-invalid="true"]').waitFor()
    await page.getByText('Enter a domain such as example.com').waitFor()
    t.notMatch(await page.getByRole('dialog').innerText(), /pattern|a-z0-9/)
    await page.getByRole('textbox', { name: 'Domain' }).fill('Hedgerow.example')
    await page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click()
    await page.getByRole('heading', { name: 'hedgerow.example' }).waitFor()
    t.ok(await page.getByRole('switch', { name: 'Let people join without an invite' }).isDisabled())
    await page.getByText('This needs a verified domain.').first().waitFor()

    const copied = async (label: string): Promise<string> => {
      await page.getByRole('button', { name: `Copy ${label}` }).click()
      await page.getByText(`Copied ${label}`).waitFor({ state: 'attached' })
      return clipboard(page)
    }
    const name = await copied('record name')
    const value = await copied('record value')
    t.equal(name, '_challenge.hedgerow.example')
    t.match(await copied('ACS URL'), /\/complete\/saml\/$/)

    const verify = page.getByRole('button', { name: 'Verify domain' })
    await verify.click()
    await page.getByText(`No TXT record was found at ${name}.`).waitFor()
    zone[name] = { txt: [['an older value']] }
    await verify.click()
    await page.getByText('an older value').waitFor()
    if (engine === 'sqlite') await inspect(page, 'domain')
    zone[name] = { txt: [[value]] }
    await verify.click()
    await page.getByText('The domain is verified.').waitFor()

    // Not `check`, which needs the new state at once: the switch shows it after the request has started.
    await page.getByRole('switch', { name: 'Let people join without an invite' }).click()
    await page.getByRole('switch', { name: 'Let people join without an invite', checked: true }).waitFor()
    await page.getByText('The sign-in settings are saved.').waitFor()
    const required = page.getByRole('combobox', { name: 'Required way to sign in' })
    t.ok(await required.getByRole('option', { name: /Google/ }).isDisabled(), 'Google is not set up')
    await required.selectOption('GitHub')
    await page.getByRole('button', { name: 'Require GitHub' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    t.equal(await required.inputValue(), 'github')

    await page.getByRole('textbox', { name: 'Entity id of the identity provider' }).fill('https://idp.example')
    await page.getByRole('textbox', { name: 'Certificate of the identity provider' }).fill('nonsense')
    await page.getByRole('button', { name: 'Save SAML settings' }).click()
    await page.getByText('This is not an X.509 certificate.').waitFor()
    await page.getByRole('textbox', { name: 'Certificate of the identity provider' }).fill('')
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH' && response.ok())
    await page.getByRole('button', { name: 'Save SAML settings' }).click()
    await saved
    await page.getByText('This is not an X.509 certificate.').waitFor({ state: 'detached' })
    const { results } = await api('GET', `/api/organizations/${organization}/domains/`)
    t.match(results, [
      { jit_provisioning_enabled: true, sso_enforcement: 'github', saml_entity_id: 'https://idp.example' },
    ])
    if (engine === 'sqlite') {
      await inspect(page, 'domain-verified')
      // As after a restart without the settings of the required provider.
      const db = new Sqlite(join(folder, ADMINISTRATION.file))
      db.exec("update domains set sso_enforcement = 'google-oauth2'")
      db.close()
      await page.reload()
      const warning = page.getByRole('alert').filter({ hasText: 'The required provider signs nobody in' })
      await warning.getByText('owners can sign in with their password').waitFor()
      await inspect(page, 'domain-without-provider')
      await required.selectOption('GitHub')
      await page.getByRole('button', { name: 'Require GitHub' }).click()
      await warning.waitFor({ state: 'detached' })
    }

    await page.getByRole('main').getByRole('link', { name: 'Domains and sign-in' }).click()
    await page.getByText('Only with GitHub').waitFor()
    if (engine === 'sqlite') await inspect(page, 'domains')
    await page.getByRole('link', { name: 'hedgerow.example' }).click()
    await page.getByRole('button', { name: 'Delete domain' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete domain' }).click()
    await page.getByRole('heading', { name: 'No domains' }).waitFor()
  })

t.test('shows the activity as sentences and filters it', async (t) => {
  const { open, inspect, member, organization, api } = await openConsole(t)
  await member('ada@example.com', 8)
  await member('grace@example.com', 1)
  const members = await api('GET', `/api/organizations/${organization}/members/?email=grace@example.com`)
  const { uuid } = only(members.results).user
  await api('PATCH', `/api/organizations/${organization}/members/${uuid}/`, { level: 8 })
  for (let number = 1; number <= 60; number++)
    await api('PATCH', `/api/organizations/${organization}/`, { name: `Name ${number}` })

  const page = await open(`/organizations/${organization}/activity`)
  const list = page.getByRole('list', { name: 'Activity' })
  await list.getByText('changed the settings of').first().waitFor()
  t.equal(await list.getByRole('listitem').count(), 50)
  await page.getByRole('button', { name: 'Older' }).click()
  await page.waitForURL(/cursor=/)
  await list.getByText('invited').first().waitFor()
  await page.goBack()
  await page.getByRole('button', { name: 'Newer' }).isDisabled()

  await page.getByRole('combobox', { name: 'Area' }).selectOption('Members')
  await page.waitForURL(/area=members/)
  const entry = list.getByRole('listitem').filter({ hasText: 'made grace@example.com an administrator' })
  await entry.waitFor()
  await inspect(page, 'activity')
  await entry.getByRole('button', { name: 'Details' }).click()
  await page.waitForURL(/open=/)
  await page.reload()
  const changes = entry.getByRole('table', { name: 'Changed fields' })
  t.match(await changes.textContent(), /Level.*member.*administrator/)
  await inspect(page, 'activity-details')

  await entry.getByRole('button', { name: 'grace@example.com' }).click()
  await page.waitForURL(new RegExp(`item=${uuid}`))
  await page.getByRole('textbox', { name: 'Item id' }).waitFor()
  t.equal(await page.getByRole('textbox', { name: 'Item id' }).inputValue(), uuid)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.waitForURL(/activity$/)

  await page.getByRole('combobox', { name: 'User' }).fill('ada')
  await page.getByRole('option', { name: /ada@example.com/ }).click()
  await page.waitForURL(/user=/)
  await list.getByText('joined as administrator').waitFor()
  await page.getByRole('combobox', { name: 'Time' }).selectOption('Last hour')
  await page.waitForURL(/after=-1h/)
  await page.getByRole('combobox', { name: 'Time' }).selectOption('Between two times')
  await page.getByLabel('From').fill('2090-01-01T00:00')
  await page.getByRole('heading', { name: 'No activity' }).waitFor()

  const sentences = {
    'users sign_in_link_created': 'The operator created a sign-in link for grace@example.com',
    'users deactivated': 'The operator deactivated the account of grace@example.com',
    'users activated': 'The operator activated the account of grace@example.com',
    'plugin_configs job_started': 'The operator started a job of the plugin grace@example.com',
    'plugin_configs deliveries_replayed': 'The operator replayed failed deliveries of the plugin grace@example.com',
    'plugin_configs test_event_deleted': 'The operator deleted a test event of the plugin grace@example.com',
    'users renamed_by_a_newer_server': 'The operator changed grace@example.com (accounts: renamed by a newer server)',
  }
  await page.route('**/activity_log/**', async (route) => {
    const response = await route.fetch()
    const json = await response.json()
    json.results = Object.keys(sentences).map((name, i) => {
      const [area, activity] = name.split(' ')
      const id = `0192b6f0-5a3c-7c1e-9d2a-4b7f1c9e8a1${i}`
      const item = { item_id: uuid, item_name: 'grace@example.com', project_id: null, changes: [] }
      const actor = { actor: 'operator', user: null, api_key_id: null, session_id: null, address: null }
      return { id, created_at: new Date().toISOString(), area, activity, ...actor, ...item }
    })
    await route.fulfill({ response, json })
  })
  await page.goto(`/organizations/${organization}/activity`)
  await list.getByText('a sign-in link').waitFor()
  const texts = (await list.getByRole('listitem').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
  t.match(texts, Object.values(sentences))
  await page.unroute('**/activity_log/**')

  await member('plain@example.com', 1)
  const plain = await open(`/organizations/${organization}/activity`, { email: 'plain@example.com' })
  await plain.getByText('Only administrators and owners read the activity log').waitFor()
})

for (const engine of ['sqlite', 'postgres'] as const)
  t.test(`shows the status of the installation to its owners on ${engine}`, async (t) => {
    const { open, inspect, member } = await openConsole(t, engine)
    const page = await open('/instance')
    const card = (name: string) => page.getByRole('region', { name })
    await card('Database')
      .getByText(engine === 'sqlite' ? 'SQLite' : 'PostgreSQL')
      .waitFor()
    await card('Export lag').getByText('On time').waitFor()
    await card('Last backup')
      .getByText(engine === 'sqlite' ? 'Never' : 'Not recorded')
      .waitFor()
    if (engine === 'sqlite') await inspect(page, 'instance')

    await member('ada@example.com', 8)
    const other = await open('/instance', { email: 'ada@example.com' })
    await other.getByText('Only owners of the first organization').waitFor()
  })

/** The text that explains a control. */
async function describedBy(page: Page, control: ReturnType<Page['getByRole']>): Promise<string> {
  const id = await control.getAttribute('aria-describedby')
  return (await page.locator(`[id="${id}"]`).textContent()) ?? ''
}

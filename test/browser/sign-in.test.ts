import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import t from 'tap'
import { only } from '../helpers/assertions/items.ts'
import { type Mailbox, openMailbox, readable } from '../helpers/peers/mailbox.ts'
import { OWNER, openConsole, PASSWORD } from '../helpers/programs/console.ts'

t.setTimeout(15 * 60_000)

const NEW_PASSWORD = 'four unrelated dictionary nouns 7'

/** Sends a request with the session of a page. */
async function postFrom(page: Page, path: string, data: object = {}) {
  const { origin } = new URL(page.url())
  const token = (await page.context().cookies()).find(({ name }) => name === 'workspace_csrf')?.value ?? ''
  const response = await page.request.post(origin + path, { headers: { origin, 'x-csrf-token': token }, data })
  if (!response.ok()) throw new Error(await response.text())
  return response.json()
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Signs out in another tab of the same browser. */
async function signOutElsewhere(page: Page): Promise<void> {
  const other = await page.context().newPage()
  await other.goto('/account/profile')
  await other.getByRole('button', { name: /^Account of / }).click()
  await other.getByRole('menuitem', { name: 'Sign out' }).click()
  await other.waitForURL(/\/login$/)
  await other.close()
}

/** Waits for the sign-in page. Returns the address that it comes back to. */
async function signInPage(page: Page): Promise<string | null> {
  await page.waitForURL(/\/login\?next=/)
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  return new URL(page.url()).searchParams.get('next')
}

async function signInAgain(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** The path of the link in the next mail that has one. */
async function nextLink(box: Mailbox, pattern: RegExp): Promise<string> {
  for (;;) {
    const mail = box.mails.shift() ?? (await box.next().then(() => box.mails.shift()))
    const [path] = pattern.exec(readable(mail?.raw ?? '')) ?? []
    if (path) return path
  }
}

t.test('signs in with a password and out again', async (t) => {
  const { open, inspect, home } = await openConsole(t)
  const page = await open(`${home}/events?event=click`, { email: null })
  await page.waitForURL(/\/login\?next=/)
  await inspect(page, 'login')
  await signIn(page, OWNER, 'wrong password')
  await page
    .getByRole('alert')
    .getByText(/password/i)
    .waitFor()
  await signIn(page, OWNER, PASSWORD)
  await page.waitForURL(/\/events\?event=.*click/)
  t.ok(true, 'returns to the requested page')
  await page.getByRole('button', { name: 'Account of Olivia Owner' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL(/\/login/)
  await page.goto(`${home}/exports`)
  await page.waitForURL(/\/login\?next=/)
})

t.test('the first owner signs in by the printed link and sets a password', async (t) => {
  const { open, inspect, server, capture, home } = await openConsole(t, 'sqlite', {}, { password: null })
  const page = await open(String(server.login_url), { email: null })
  await page.getByRole('heading', { name: 'Welcome', exact: true }).waitFor()
  t.notMatch(page.url(), /#/, 'the secret is removed from the address')
  await page.reload()
  await page.getByRole('heading', { name: 'Welcome', exact: true }).waitFor()
  t.equal(await page.getByRole('textbox', { name: 'Email' }).inputValue(), OWNER, 'a reload keeps the form')
  await inspect(page, 'first-profile')
  await page.getByLabel('Name').fill('Olivia')
  await page.getByRole('textbox', { name: 'Password' }).fill('password')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('This password is easy to guess.').waitFor()
  t.equal(
    await page.getByRole('textbox', { name: 'Password' }).getAttribute('aria-invalid'),
    'true',
    'the error of the server is at its field',
  )
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: /^Welcome to / }).waitFor()
  await inspect(page, 'welcome')
  await page.getByRole('button', { name: 'Copy the curl snippet' }).click()
  t.match(await page.evaluate('navigator.clipboard.readText()'), server.project_token)
  await capture([{ event: 'first event' }])
  await page.getByRole('heading', { name: 'Events per day' }).waitFor()
  await page.getByRole('link', { name: 'Create export' }).click()
  await page.waitForURL(new RegExp(`${home}/exports/new`))
  await page.goto('/login')
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  const again = await open(String(server.login_url), { email: null, width: 'phone' })
  await again.getByRole('alert').waitFor()
  t.ok(true, 'the link works once')
})

t.test('an invite is accepted with a password, even after a reload', async (t) => {
  const box = await openMailbox(t)
  const { open, inspect, api, organization } = await openConsole(t, 'sqlite', {}, { mail: box })
  await api('POST', `/api/organizations/${organization}/invites/`, {
    target_email: 'mia@example.com',
    first_name: 'Mia',
    message: 'We are glad you are here.',
  })
  const nextInvite = (): Promise<string> => nextLink(box, /\/signup\/[0-9a-f-]{36}\/\?token=\w+/)
  const page = await open(await nextInvite(), { email: null })
  await page.getByText('We are glad you are here.').waitFor()
  t.notMatch(page.url(), /token/, 'the secret is removed from the address')
  await page.reload()
  await page.getByText('Olivia Owner invited mia@example.com.').waitFor()
  await inspect(page, 'signup')
  t.equal(await page.getByLabel('Your name').inputValue(), 'Mia')
  await page.getByRole('textbox', { name: 'Password' }).fill('mia')
  await page.getByRole('button', { name: /^Join/ }).click()
  await page.getByText('The password must have at least 8 characters.').waitFor()
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByRole('button', { name: /^Join/ }).click()
  await page.waitForURL(new RegExp(`/organizations/${organization}/`))
  await page.getByRole('button', { name: 'Account of Mia' }).waitFor()

  const other = await api('POST', '/api/organizations/', { name: 'Second' })
  await api('POST', `/api/organizations/${other.id}/invites/`, { target_email: 'mia@example.com' })
  await page.goto(await nextInvite())
  await page.getByText('You are signed in with this address.').waitFor()
  await page.getByRole('button', { name: 'Join Second' }).click()
  await page.waitForURL(new RegExp(`/organizations/${other.id}/`))

  await api('POST', `/api/organizations/${organization}/invites/`, { target_email: 'noah@example.com' })
  const broken = await open(`${await nextInvite()}x`, { email: null, width: 'phone' })
  await broken.getByRole('heading', { name: 'This invite cannot be used' }).waitFor()
})

t.test('an existing account signs in and joins', async (t) => {
  const { open, api, organization, member } = await openConsole(t, 'sqlite')
  await member('mia@example.com', 1)
  const other = await api('POST', '/api/organizations/', { name: 'Second' })
  const created = await api('POST', `/api/organizations/${other.id}/invites/bulk/`, [
    { target_email: 'mia@example.com' },
  ])
  const invite = only([created].flat())
  const page = await open(`/signup/${invite.id}/?token=${invite.signup_token}`, { email: null })
  await page.getByRole('heading', { name: 'Sign in to join' }).waitFor()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await signIn(page, 'mia@example.com', PASSWORD)
  await page.getByRole('button', { name: 'Join Second' }).click()
  await page.waitForURL(new RegExp(`/organizations/${other.id}/`))
  t.not(other.id, organization)
})

t.test('a password is reset and an address verified by mail', async (t) => {
  const box = await openMailbox(t)
  const { open, inspect, api } = await openConsole(t, 'sqlite', {}, { mail: box })
  const page = await open('/login', { email: null })
  await page.getByLabel('Email').fill(OWNER)
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByRole('heading', { name: 'Reset your password' }).waitFor()
  t.equal(await page.getByLabel('Email').inputValue(), OWNER)
  await inspect(page, 'reset-request')
  await page.getByRole('button', { name: 'Send a link' }).click()
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor()
  await page.goto(await nextLink(box, /\/reset\/[0-9a-f-]{36}\/#\w+/))
  await page.getByRole('heading', { name: 'Set a new password' }).waitFor()
  await page.reload()
  await inspect(page, 'reset')
  await page.getByRole('textbox', { name: 'New password' }).fill(NEW_PASSWORD)
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByRole('link', { name: 'Sign in' }).click()
  t.equal(await page.getByLabel('Email').inputValue(), OWNER)
  await signIn(page, OWNER, NEW_PASSWORD)
  await page.getByRole('button', { name: 'Account of Olivia Owner' }).waitFor()

  await api('PATCH', '/api/users/@me/', { email: 'olivia@example.com' })
  await page.goto(await nextLink(box, /\/verify_email\/[0-9a-f-]{36}\/#\w+/))
  await page.getByRole('heading', { name: 'Your address is verified' }).waitFor()
  await inspect(page, 'verify-email')
  t.match(await api('GET', '/api/users/@me/'), { email: 'olivia@example.com', pending_email: null })
})

t.test('an account with a second factor asks for its code', async (t) => {
  const { open, inspect } = await openConsole(t)
  const signedIn = await open('/')
  const { secret } = await postFrom(signedIn, '/api/users/@me/two_factor_start_setup/')
  const token = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  const { backup_codes } = await postFrom(signedIn, '/api/users/@me/two_factor_validate/', { token })
  const page = await open('/login', { email: null })
  await signIn(page, OWNER, PASSWORD)
  await page.getByRole('heading', { name: 'Second step' }).waitFor()
  await inspect(page, 'second-step')
  await page.getByLabel('Code').fill('000000')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Code').fill(backup_codes[0])
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Account of Olivia Owner' }).waitFor()
  t.equal(new URL(page.url()).pathname.startsWith('/organizations/'), true)
})

t.test('a session that ended leads to the sign-in page once, from a page, a list and a button', async (t) => {
  const { open, inspect, api, home, organization } = await openConsole(t)
  const members = `/organizations/${organization}/members`
  const page = await open(members)
  await page.getByRole('heading', { name: 'Members' }).waitFor()
  const visited: string[] = []
  page.on('framenavigated', (frame) => visited.push(new URL(frame.url()).pathname))
  await signOutElsewhere(page)
  await page.getByRole('link', { name: 'Events' }).click()
  t.equal(await signInPage(page), `${home}/events`)
  t.equal(await page.getByRole('link').count(), 1, 'the page is not reachable below the sign-in page')
  await inspect(page, 'session-ended')
  await signInAgain(page)
  await page.getByRole('heading', { name: 'Events', exact: true }).waitFor()
  t.same(visited, [`${home}/events`, '/login', `${home}/events`], 'there is one way to the sign-in page and one back')
  t.match(await page.title(), /^Events/)
  await page.goBack()
  await page.getByRole('heading', { name: 'Members' }).waitFor()
  t.equal(new URL(page.url()).pathname, members)

  await signOutElsewhere(page)
  await page.getByRole('searchbox', { name: 'Search members' }).fill('olivia')
  t.match(await signInPage(page), `${members}`, 'a list that is filtered')
  await page.reload()
  t.match(await signInPage(page), `${members}`, 'the sign-in page can be reloaded')
  await signIn(page, OWNER, PASSWORD)
  await page.getByRole('heading', { name: 'Members' }).waitFor()

  await page.goto(`/organizations/${organization}/settings`)
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Renamed')
  await page.context().clearCookies({ name: 'workspace_csrf' })
  const [cookie] = (await page.context().cookies()).filter(({ name }) => name === 'workspace_session')
  await page.context().addCookies([{ ...cookie!, value: 'x'.repeat(43) }])
  await page.getByRole('button', { name: 'Save name' }).click()
  t.equal(await signInPage(page), `/organizations/${organization}/settings`)
  t.not((await api('GET', `/api/organizations/${organization}/`)).name, 'Renamed')
  await signInAgain(page)
  await page.getByText('The name is saved.').waitFor()
  t.equal((await api('GET', `/api/organizations/${organization}/`)).name, 'Renamed', 'the click is repeated once')

  await signOutElsewhere(page)
  await page.getByRole('button', { name: 'Account of Olivia Owner' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL(/\/login$/)
  t.ok(true, 'signing out twice does not ask for a sign-in')
})

t.test('a session that ends while the first page loads leads to the sign-in page', async (t) => {
  const { open, home, organization } = await openConsole(t)
  const page = await open('/login')
  const path = `**/api/organizations/${organization}/`
  const ended = { type: 'authentication_error', code: 'not_authenticated', detail: 'Sign in again.', attr: null }
  await page.route(path, (route) => route.fulfill({ status: 401, json: ended }))
  await page.goto(`${home}/events`)
  t.equal(await signInPage(page), `${home}/events`)
  await page.unroute(path)
  await signIn(page, OWNER, PASSWORD)
  await page.getByRole('heading', { name: 'Events', exact: true }).waitFor()
})

t.test('forms keep their values while their user signs in again, and no other user sees them', async (t) => {
  const { open, api, member, organization } = await openConsole(t, 'sqlite', {
    SOCIAL_AUTH_GITHUB_KEY: 'key',
    SOCIAL_AUTH_GITHUB_SECRET: 'secret',
  })
  await member('mia@example.com', 8)
  const invites = `/organizations/${organization}/invites`
  const page = await open(invites)
  const fill = async (address: string): Promise<void> => {
    await page.getByRole('button', { name: 'Invite people' }).click()
    await page.getByRole('combobox', { name: 'Email addresses' }).fill(address)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: `Remove ${address}` }).waitFor()
    await page.getByRole('combobox', { name: 'Level' }).selectOption('Administrator')
  }
  await fill('ada@example.com')
  await signOutElsewhere(page)
  await page.getByRole('button', { name: 'Create invite' }).click()
  t.match(await signInPage(page), invites)
  t.equal(await page.getByRole('dialog').count(), 0, 'the dialog is hidden')
  const provider = page.getByRole('link', { name: 'Continue with GitHub' })
  t.equal(await provider.getAttribute('target'), '_blank', 'a provider opens in a new tab')
  await page.keyboard.press('Escape')
  await signIn(page, OWNER, 'wrong password')
  await page.getByRole('alert').waitFor()
  await signInAgain(page)
  await page.getByRole('heading', { name: 'Send these links yourself' }).waitFor()
  const created = await api('GET', `/api/organizations/${organization}/invites/`)
  t.match(created.results, [{ target_email: 'ada@example.com', level: 8 }], 'the form is sent with its values')
  await page.goto(invites)

  await fill('grace@example.com')
  await signOutElsewhere(page)
  await page.keyboard.press('Control+k')
  t.match(await signInPage(page), invites, 'a search')
  const other = await page.context().newPage()
  await other.goto('/login')
  await signIn(other, OWNER, PASSWORD)
  await other.getByRole('button', { name: 'Account of Olivia Owner' }).waitFor()
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
  await page.getByRole('combobox', { name: 'Search' }).waitFor()
  t.equal(new URL(page.url()).pathname, invites, 'a sign-in in another tab is enough')
  t.equal(await page.getByRole('button', { name: 'Remove grace@example.com' }).count(), 1)
  t.equal(await page.getByRole('combobox', { name: 'Level' }).inputValue(), '8')

  await page.goto(`/organizations/${organization}/settings`)
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Not saved')
  await signOutElsewhere(page)
  await page.keyboard.press('Control+k')
  await signInPage(page)
  await signIn(page, 'mia@example.com', PASSWORD)
  await page.getByRole('button', { name: 'Account of mia' }).waitFor()
  t.not(
    await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue(),
    'Not saved',
    'another user starts with a new page',
  )
})

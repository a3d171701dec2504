/** Links and notices by email, with rate limits on, as on a production server. */
import t from 'tap'
import * as users from '../../src/store/users.ts'
import { nextEngines, onBothEngines, openApp } from '../helpers/app.ts'
import { openBrowser } from '../helpers/browser.ts'
import { type Mailbox, openMailbox, readable } from '../helpers/peers/mailbox.ts'

t.setTimeout(10 * 60_000)

const EMAIL = 'owner@example.com'
const PASSWORD = 'correct horse battery staple'
const OTHER_PASSWORD = 'four unrelated dictionary nouns'
const ME = '/api/users/@me/'

/** The uuid and the token of the link in the next email to this address that has one. */
async function nextLink(mailbox: Mailbox, path: string): Promise<{ uuid: string; token: string }> {
  for (;;) {
    const mail = mailbox.mails.shift() ?? (await mailbox.next().then(() => mailbox.mails.shift()))
    const [, uuid, token] = new RegExp(`/${path}/([0-9a-f-]{36})/#(\\w+)`).exec(readable(mail?.raw ?? '')) ?? []
    if (uuid && token) return { uuid, token }
  }
}

for (const engine of nextEngines())
  t.test(`a password is reset by email (${engine})`, async (t) => {
    const mailbox = await openMailbox(t)
    // The path checks that origins are compared without it.
    const environment = { SMTP_URL: mailbox.url, SITE_URL: 'http://localhost', RATE_LIMITS: 'true' }
    const app = await openApp(t, engine, { environment })
    await app.setPassword(PASSWORD)
    const browser = openBrowser(app)
    await browser.signIn(EMAIL, PASSWORD)
    t.equal((await browser.send('PATCH', ME, { body: { first_name: 'Ada' } })).status, 200)

    const request = (email: string) => browser.send('POST', '/api/reset/', { body: { email } })
    const unknown = await request('unknown@example.com')
    t.match(await request(EMAIL), { status: unknown.status, text: unknown.text }, 'the same response for both')
    t.equal(unknown.status, 204)
    const { uuid, token } = await nextLink(mailbox, 'reset')
    const check = (value: string) => browser.send('GET', `/api/reset/${uuid}/?token=${value}`)
    const complete = (password: string, value = token) =>
      browser.send('POST', `/api/reset/${uuid}/`, { body: { token: value, password } })
    t.equal((await check(token)).status, 204)
    t.match(await check('wrong'), { status: 400, body: { code: 'invalid_token', attr: 'token' } })
    t.match(await complete('password'), { status: 400, body: { code: 'password_too_weak' } })
    t.match(await complete(OTHER_PASSWORD), { status: 200, body: { success: true, email: EMAIL } })
    t.match(await complete(OTHER_PASSWORD), { status: 400, body: { code: 'invalid_token' } }, 'a link works once')
    t.equal((await browser.send('GET', ME)).status, 401, 'all sessions have ended')
    t.equal((await browser.send('POST', '/api/login/', { body: { email: EMAIL, password: PASSWORD } })).status, 401)
    const latest = async () =>
      (await app.call('activity_log.list', { query: { area: 'sessions', limit: 2 } })).body.results
    let log = await latest()
    // Failures are recorded in the background.
    while (log[0]?.activity !== 'sign_in_failed') log = await latest()
    t.match(log, [{ activity: 'sign_in_failed' }, { activity: 'ended', changes: [{ after: 'password_reset' }] }])
    await browser.signIn(EMAIL, OTHER_PASSWORD)
    for (let i = 0; i < 5; i++) t.equal((await request(EMAIL)).status, 204)
    t.match(await request(EMAIL), { status: 429, body: { code: 'throttled' } }, 'six emails a day')
  })

for (const engine of nextEngines())
  t.test(`a new address takes effect when its link is opened (${engine})`, async (t) => {
    const mailbox = await openMailbox(t)
    const environment = { SMTP_URL: mailbox.url, SITE_URL: 'http://localhost', RATE_LIMITS: 'true' }
    const app = await openApp(t, engine, { environment })
    const changed = await app.send('PATCH', ME, { body: { email: 'ada@example.com' } })
    t.match(changed, { status: 200, body: { email: EMAIL, pending_email: 'ada@example.com' } })
    t.equal((await app.send('PATCH', ME, { body: { first_name: 'Ada' } })).status, 200, 'other writes are not blocked')
    const { uuid, token } = await nextLink(mailbox, 'verify_email')
    const verify = () => app.send('POST', '/api/users/verify_email/', { key: null, body: { uuid, token } })
    t.match(await verify(), { status: 200, body: { success: true } })
    t.match(await verify(), { status: 400, body: { code: 'invalid_token' } })
    t.match((await app.send('GET', ME)).body, {
      email: 'ada@example.com',
      pending_email: null,
      is_email_verified: true,
    })
  })

onBothEngines(t, 'without mail, a new address is not verified', async (t, app) => {
  await app.deps.db.tx((tx) => users.verifyEmail(tx, 1))
  const change = (email: string) => app.send('PATCH', ME, { body: { email } })
  t.match((await change('OWNER@example.com')).body, { email: 'OWNER@example.com', is_email_verified: true })
  t.match((await change('ada@example.com')).body, { email: 'ada@example.com', is_email_verified: false })
  await app.stranger('taken@example.com')
  t.match(await change('taken@example.com'), { status: 400, body: { code: 'unique', attr: 'email' } })
})

onBothEngines(t, 'accepting an invite with a password creates a session', async (t, app) => {
  const invites = `/api/organizations/${app.first.organization_id}/invites/` as const
  const { body: invite } = await app.send('POST', invites, { body: { target_email: 'ada@example.com', level: 8 } })
  const browser = openBrowser(app)
  const accept = (password: string) =>
    browser.send('POST', `/api/signup/${invite.id}/`, { body: { token: invite.signup_token, password } })
  t.match(await accept('password'), { status: 400, body: { code: 'password_too_weak', attr: 'password' } })
  t.match(await accept(PASSWORD), { status: 201, body: { user: { email: 'ada@example.com' }, api_key: null } })
  t.match(await browser.send('GET', ME), { status: 200, body: { email: 'ada@example.com', has_password: true } })
  t.match(await accept(PASSWORD), { status: 400, body: { code: 'already_used' } })
})

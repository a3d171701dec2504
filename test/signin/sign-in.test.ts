import { existsSync, readFileSync } from 'node:fs'
import { Secret, TOTP } from 'otpauth'
import t, { type Test } from 'tap'
import { sql } from '../../src/sql/template.ts'
import { nextEngines, onBothEngines, openApp, type Send, type SendOptions, type TestApp } from '../helpers/app.ts'
import { only } from '../helpers/assertions/items.ts'
import { openBrowser } from '../helpers/browser.ts'
import { until } from '../helpers/programs/site.ts'

t.setTimeout(10 * 60_000)

const PASSWORD = 'correct horse battery staple'
const OTHER_PASSWORD = 'four unrelated dictionary nouns'
const EMAIL = 'owner@example.com'
const ME = '/api/users/@me/'

onBothEngines(t, 'a password signs in, and the session works for every operation', async (t, app) => {
  await app.setPassword(PASSWORD)
  const browser = openBrowser(app)
  t.match(await browser.send('GET', ME), { status: 401, body: { code: 'not_authenticated' } })

  const signedIn = await browser.send('POST', '/api/login/', {
    body: { email: 'OWNER@example.com', password: PASSWORD },
  })
  t.match(signedIn, { status: 200, body: { success: true } })
  const [session = '', csrf = ''] = [signedIn.headers['set-cookie']].flat().map(String)
  t.match(session, /^workspace_session=[\w-]{43,}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/)
  t.match(csrf, /^workspace_csrf=[\w-]{43}; Max-Age=1209600; Path=\/; SameSite=Lax$/)
  t.equal(signedIn.headers['cache-control'], 'no-store')

  const me = await browser.send('GET', ME)
  t.match(me, {
    status: 200,
    body: { email: EMAIL, has_password: true, is_2fa_enabled: false, has_social_auth: false, pending_email: null },
  })
  t.equal(me.body.csrf_token, browser.cookies.get('workspace_csrf'))
  t.equal((await browser.send('GET', '/api/organizations/')).status, 200)
  t.equal((await browser.send('PATCH', ME, { body: { first_name: 'Ada' } })).status, 200)

  const sessions = await browser.send('GET', '/api/users/@me/login_sessions/')
  t.match(sessions.body, { count: 1, results: [{ is_current: true, method: 'password', second_factor: false }] })

  t.equal((await browser.send('POST', '/api/logout/')).status, 204)
  t.equal(browser.cookies.size, 0, 'the cookies are cleared')
  t.equal((await browser.send('GET', ME)).status, 401)
})

onBothEngines(t, 'all wrong credentials return the same response', async (t, app) => {
  await app.setPassword(PASSWORD)
  await app.stranger('nopassword@example.com')
  const browser = openBrowser(app)
  const attempt = (email: string, password: string) =>
    browser.send('POST', '/api/login/', { body: { email, password } })
  const wrong = await attempt(EMAIL, 'wrong')
  t.match(wrong, { status: 401, body: { type: 'authentication_error', code: 'invalid_credentials', attr: null } })
  for (const [email, password] of [
    ['unknown@example.com', PASSWORD],
    ['nopassword@example.com', PASSWORD],
    [EMAIL, '😀'],
  ] as const)
    t.same((await attempt(email, password)).body, wrong.body, email)
  t.equal(browser.cookies.size, 0)
  t.match(await attempt('not an address', 'x'), { status: 400, body: { attr: 'email' } })
  t.match(await browser.send('POST', '/api/login/', { body: { email: EMAIL } }), {
    status: 400,
    body: { code: 'required', attr: 'password' },
  })
})

onBothEngines(t, 'unsafe requests of a session need the origin and the CSRF token', async (t, app) => {
  await app.setPassword(PASSWORD)
  const browser = openBrowser(app)
  await browser.signIn(EMAIL, PASSWORD)
  const change = (headers: Record<string, string>) =>
    browser.send('PATCH', ME, { body: { first_name: 'Eve' }, headers })
  for (const [title, headers] of [
    ['no token', { 'x-csrf-token': '' }],
    ['a wrong token', { 'x-csrf-token': 'x'.repeat(43) }],
    ['another origin', { origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
  ] as const)
    t.match(await change({ ...headers }), { status: 403, body: { code: 'permission_denied' } }, title)
  const crossSite = { 'sec-fetch-site': 'cross-site', origin: '' }
  t.equal((await change(crossSite)).status, 403, 'another site')
  t.equal((await browser.send('GET', ME)).body.first_name, 'Owner', 'nothing changed')
  t.equal((await browser.send('GET', ME, { headers: { origin: 'https://evil.example' } })).status, 200, 'reads pass')
  t.equal((await change({})).status, 200)
  const { first } = app
  t.equal(
    (
      await browser.send('PATCH', ME, {
        body: {},
        headers: { authorization: `Bearer ${first.api_key}`, 'x-csrf-token': '' },
      })
    ).status,
    200,
    'a key needs neither',
  )
  t.match(
    await browser.send('GET', ME, { headers: { authorization: 'Bearer phx_wrong' } }),
    { status: 401, body: { code: 'authentication_failed' } },
    'an invalid key with a valid session',
  )
  t.match(
    await browser.send('POST', '/api/login/', {
      body: { email: EMAIL, password: PASSWORD },
      headers: { origin: 'https://evil.example' },
    }),
    {
      status: 403,
    },
  )
})

onBothEngines(t, 'sessions expire, and end at sign-out and on request', async (t, app) => {
  await app.setPassword(PASSWORD)
  const DAY_MS = 24 * 3_600_000
  const [first, second] = [openBrowser(app), openBrowser(app)]
  await first.signIn(EMAIL, PASSWORD)
  await second.signIn(EMAIL, PASSWORD)
  const old = first.cookies.get('workspace_session')
  await first.signIn(EMAIL, PASSWORD)
  t.not(first.cookies.get('workspace_session'), old, 'signing in again replaces the session')
  t.equal((await first.send('GET', '/api/users/@me/login_sessions/')).body.count, 2)

  const sessions = (await first.send('GET', '/api/users/@me/login_sessions/')).body.results
  const other = only(sessions.filter((one) => !one.is_current))
  t.equal((await first.send('DELETE', `/api/users/@me/login_sessions/${other.id}/`)).status, 204)
  t.equal((await second.send('GET', ME)).status, 401)
  t.equal((await first.send('DELETE', `/api/users/@me/login_sessions/${other.id}/`)).status, 404)

  await second.signIn(EMAIL, PASSWORD)
  t.equal((await first.send('POST', '/api/users/@me/login_sessions/end_others/')).status, 204)
  t.equal((await second.send('GET', ME)).status, 401)
  t.equal((await first.send('GET', ME)).status, 200)

  await second.signIn(EMAIL, PASSWORD)
  const changed = await first.send('PATCH', ME, { body: { password: OTHER_PASSWORD, current_password: PASSWORD } })
  t.equal(changed.status, 200, changed.text)
  t.equal((await first.send('GET', ME)).status, 200, 'the session that changes the password stays')
  t.equal((await second.send('GET', ME)).status, 401, 'the others end')

  for (let day = 0; day < 13; day++) {
    app.advance(DAY_MS)
    const now = app.deps.now()
    t.equal((await first.send('GET', ME)).status, 200)
    // The use of a session is recorded after the response.
    await until(() => app.deps.db.get(sql`select id from sessions where last_used_at > ${now}`))
  }
  app.advance(DAY_MS)
  t.equal((await first.send('GET', ME)).status, 401, '14 days after the sign-in')
  await second.signIn(EMAIL, OTHER_PASSWORD)
  app.advance(3 * DAY_MS + 1_000)
  t.equal((await second.send('GET', ME)).status, 401, 'not used for three days')
})

onBothEngines(t, 'passwords are checked when they are set', async (t, app) => {
  const headers = await app.session()
  const send: Send<SendOptions> = (method, path, options = {}) =>
    app.send(method, path, { key: null, headers, ...options })
  const set = (password: string, more = {}) => send('PATCH', ME, { body: { password, ...more } })
  t.match(await set('short1!'), { status: 400, body: { code: 'password_too_short', attr: 'password' } })
  for (const weak of ['password', 'test test test', '12345678', 'owner@example.com'])
    t.match(await set(weak), { status: 400, body: { code: 'password_too_weak', attr: 'password' } }, weak)
  t.match(await set('x'.repeat(257)), { status: 400, body: { code: 'max_length', attr: 'password' } })
  t.equal((await set(PASSWORD)).status, 200)
  t.match(await set(OTHER_PASSWORD), { status: 400, body: { code: 'required', attr: 'current_password' } })
  t.match(await set(OTHER_PASSWORD, { current_password: 'wrong' }), {
    status: 400,
    body: { code: 'incorrect_password', attr: 'current_password' },
  })
  t.match(
    await send('PATCH', ME, { body: { first_name: 'Eve', password: OTHER_PASSWORD, current_password: 'wrong' } }),
    { status: 400 },
  )
  t.equal((await send('GET', ME)).body.first_name, 'Owner', 'changes all fields or none')
  t.equal((await set(OTHER_PASSWORD, { current_password: PASSWORD })).status, 200)
})

/** The bytes of the database: its files on SQLite, the rows of its users on PostgreSQL. */
async function storedBytes({ engine, deps: { db } }: TestApp): Promise<Buffer> {
  if (engine === 'postgres')
    return Buffer.from(
      JSON.stringify([await db.all(sql`select * from users`), await db.all(sql`select * from backup_codes`)]),
    )
  const files = ['', '-wal'].map((suffix) => `${db.location}${suffix}`)
  return Buffer.concat(files.filter((file) => existsSync(file)).map((file) => readFileSync(file)))
}

/** Turns two-factor authentication on and returns its secret and backup codes. */
async function setUpTwoFactor(t: Test, app: TestApp, browser: ReturnType<typeof openBrowser>) {
  const setup = await browser.send('POST', '/api/users/@me/two_factor_start_setup/')
  t.match(setup, { status: 200, body: { secret: /^[A-Z2-7]{32}$/, otpauth_url: /^otpauth:/, qr_code_svg: /^<svg/ } })
  const totp = new TOTP({ secret: Secret.fromBase32(setup.body.secret) })
  const code = (): string => totp.generate({ timestamp: app.deps.milliseconds() })
  const enabled = await browser.send('POST', '/api/users/@me/two_factor_validate/', { body: { token: code() } })
  t.match(enabled, { status: 200, body: { success: true } })
  return { secret: setup.body.secret as string, code, backup_codes: enabled.body.backup_codes as string[] }
}

for (const engine of nextEngines())
  t.test(`a second factor is set up, required and turned off (${engine})`, async (t) => {
    const app = await openApp(t, engine, { environment: { SECRET_KEY: 'ab'.repeat(32) } })
    await app.setPassword(PASSWORD)
    const browser = openBrowser(app)
    await browser.signIn(EMAIL, PASSWORD)
    const post = (path: string, body?: unknown) => browser.send('POST', path, body === undefined ? {} : { body })
    t.match((await browser.send('GET', '/api/users/@me/two_factor_status/')).body, {
      is_enabled: false,
      backup_codes: 0,
      method: null,
    })
    t.match(await post('/api/users/@me/two_factor_validate/', { token: '000000' }), {
      status: 400,
      body: { code: 'setup_expired' },
    })
    t.match(await post('/api/users/@me/two_factor_backup_codes/'), { status: 400, body: { code: '2fa_not_enabled' } })
    await post('/api/users/@me/two_factor_start_setup/')
    t.match(await post('/api/users/@me/two_factor_validate/', { token: '12345' }), {
      status: 400,
      body: { code: 'token_invalid' },
    })
    const { secret, code, backup_codes } = await setUpTwoFactor(t, app, browser)
    const stored = await storedBytes(app)
    t.ok(stored.includes(EMAIL))
    for (const value of [secret, Buffer.from(Secret.fromBase32(secret).bytes), ...backup_codes])
      t.notOk(stored.includes(value), 'encrypted or hashed at rest')
    t.equal(new Set(backup_codes).size, 10)
    t.match((await browser.send('GET', '/api/users/@me/two_factor_status/')).body, {
      is_enabled: true,
      backup_codes: 10,
      method: 'TOTP',
    })
    t.match(await post('/api/users/@me/two_factor_start_setup/'), {
      status: 400,
      body: { code: '2fa_already_enabled' },
    })
    t.equal((await browser.send('GET', ME)).body.is_2fa_enabled, true)

    const other = openBrowser(app)
    const login = () => other.send('POST', '/api/login/', { body: { email: EMAIL, password: PASSWORD } })
    const verify = (token: string) => other.send('POST', '/api/login/token/', { body: { token } })
    t.match(await verify(code()), { status: 400, body: { code: '2fa_expired' } }, 'without a first step')
    t.match(await login(), { status: 401, body: { type: 'authentication_error', code: '2fa_required' } })
    t.equal((await other.send('GET', ME)).status, 401, 'an incomplete sign-in grants no access')
    t.match(await verify(code()), { status: 400, body: { code: '2fa_invalid' } }, 'the step of the setup was used')
    app.advance(30_000)
    const current = code()
    t.equal((await verify(current)).status, 200)
    t.equal((await other.send('GET', ME)).status, 200)
    t.match((await other.send('GET', '/api/users/@me/login_sessions/')).body.results[0], { second_factor: true })

    await login()
    t.match(await verify(current), { status: 400, body: { code: '2fa_invalid' } }, 'a code works once')
    t.equal((await verify(String(backup_codes[0]).toUpperCase().replaceAll('-', ' '))).status, 200, 'a backup code')
    await login()
    t.match(
      await verify(String(backup_codes[0])),
      { status: 400, body: { code: '2fa_invalid', attr: null } },
      'used up',
    )
    app.advance(10 * 60_000 + 1_000)
    t.match(await verify(code()), { status: 400, body: { code: '2fa_expired' } }, 'ten minutes later')

    t.match(await post('/api/users/@me/two_factor_disable/', {}), { status: 400, body: { code: 'required' } })
    t.match(await post('/api/users/@me/two_factor_disable/', { password: 'wrong' }), {
      status: 400,
      body: { code: 'incorrect_password' },
    })
    t.match(await post('/api/users/@me/two_factor_disable/', { token: '000000' }), {
      status: 400,
      body: { code: 'token_invalid' },
    })
    t.equal((await post('/api/users/@me/two_factor_disable/', { token: code() })).status, 200)
    t.equal((await login()).status, 200, 'the second step is gone')
  })

onBothEngines(
  t,
  'throttles repeated failures of one address only',
  async (t, app) => {
    await app.setPassword(PASSWORD)
    const browser = openBrowser(app)
    const attempt = (password: string, address = '203.0.113.1') =>
      browser.send('POST', '/api/login/', { body: { email: EMAIL, password }, headers: { 'x-forwarded-for': address } })
    for (let i = 0; i < 10; i++) t.equal((await attempt('wrong')).status, 401)
    const blocked = await attempt(PASSWORD)
    t.match(blocked, { status: 429, body: { code: 'throttled' } })
    t.ok(Number(blocked.headers['retry-after']) <= 30)
    t.equal((await attempt(PASSWORD, '203.0.113.2')).status, 200, 'the owner at another address')
    app.advance(30_000)
    t.equal((await attempt('wrong')).status, 401)
    t.match(await attempt(PASSWORD), { status: 429 })
    app.advance(60_000)
    t.equal((await attempt(PASSWORD)).status, 200, 'the account is never locked permanently')
  },
  { environment: { RATE_LIMITS: 'true', TRUST_PROXY: 'true', SITE_URL: 'http://localhost' } },
)

for (const engine of nextEngines())
  t.test(`logs failures without an account in one line (${engine})`, async (t) => {
    const lines: string[] = []
    const found = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'failed sign-ins')
    const attempts = async (t: Test) => {
      const app = await openApp(t, engine, {
        environment: { TRUST_PROXY: 'true', SITE_URL: 'http://localhost' },
        log: { write: (line: string) => lines.push(line) } as never,
      })
      await app.setPassword(PASSWORD)
      const browser = openBrowser(app)
      const attempt = (email: string, client: number) =>
        browser.send('POST', '/api/login/', {
          body: { email, password: 'a wrong secret' },
          headers: { 'x-forwarded-for': `203.0.113.${client}` },
        })
      for (const client of [1, 2]) {
        t.equal((await attempt('UNKNOWN@example.com', client)).status, 401)
        t.equal((await attempt('unknown@example.com', client)).status, 401)
      }
      t.equal((await attempt(EMAIL, 3)).status, 401, 'a failure of an existing account, which the activity log records')
      await browser.send('GET', '/login/oidc/', { headers: { 'x-forwarded-for': '203.0.113.2' } })
      return app
    }
    await t.test('on the timer', async (t) => {
      const { signIn } = (await attempts(t)).deps
      t.equal(found().length, 0, 'not one line per failure')
      signIn.failures.flush()
      signIn.failures.flush()
      t.match(found(), [
        {
          failures: { unknown_address: 4, improperly_configured_sso: 1 },
          addresses: 1,
          clients: 2,
          details: { improperly_configured_sso: 'oidc is not configured' },
        },
      ])
      for (let i = 0; i < 20_000; i++)
        signIn.failures.add({ reason: 'unknown_address', client: String(i), email: `${i}@example.com` })
    })
    t.match(found()[1], { failures: { unknown_address: 20_000 }, addresses: 10_000, clients: 10_000 }, 'bounded')
    await t.test('at shutdown', attempts)
    t.equal(found().length, 3)
    for (const text of ['a secret', 'nknown@', 'UNKNOWN@']) t.notOk(lines.join().includes(text), text)
  })

onBothEngines(t, 'sensitive operations require a sign-in within the last hour', async (t, app) => {
  await app.setPassword(PASSWORD)
  const browser = openBrowser(app)
  await browser.signIn(EMAIL, PASSWORD)
  const create = () => browser.send('POST', '/api/personal_api_keys/', { body: { label: 'x', scopes: ['*'] } })
  t.equal((await create()).status, 201)
  app.advance(3_600_000)
  t.match(await create(), { status: 403, body: { code: 'reauthentication_required' } })
  t.match(await browser.send('PATCH', ME, { body: { password: OTHER_PASSWORD, current_password: PASSWORD } }), {
    status: 403,
    body: { code: 'reauthentication_required' },
  })
  t.match(await browser.send('DELETE', `/api/organizations/${app.first.organization_id}/`), {
    status: 403,
    body: { code: 'reauthentication_required' },
  })
  t.equal((await browser.send('PATCH', ME, { body: { first_name: 'Ada' } })).status, 200, 'a name is not sensitive')
  await browser.signIn(EMAIL, PASSWORD)
  t.equal((await create()).status, 201)
})

onBothEngines(t, 'changes of owners and domains require a sign-in within the last hour', async (t, app) => {
  await app.setPassword(PASSWORD)
  const browser = openBrowser(app)
  await browser.signIn(EMAIL, PASSWORD)
  const member = await app.member('member@example.com', 1)
  const organization = `/api/organizations/${app.first.organization_id}` as const
  const domain = await app.send('POST', `${organization}/domains/`, { body: { domain: 'example.com' } })
  const setLevel = (level: number) =>
    browser.send('PATCH', `${organization}/members/${member.uuid}/`, { body: { level } })
  const invite = (level: number) =>
    browser.send('POST', `${organization}/invites/`, { body: { target_email: `${level}@example.com`, level } })
  const inviteMany = (...levels: number[]) =>
    browser.send('POST', `${organization}/invites/bulk/`, {
      body: levels.map((level, i) => ({ target_email: `${i}.${level}@example.com`, level })),
    })
  const onDomain = <const Method extends string, const Path extends string>(
    method: Method,
    path: Path,
    body?: object,
  ) => browser.send(method, `${organization}/domains/${path}` as const, body && { body })

  const refused = { status: 403, body: { code: 'reauthentication_required' } }
  app.advance(3_600_000)
  t.match(await setLevel(15), refused, 'to owner')
  t.equal((await setLevel(8)).status, 200, 'other levels are not sensitive')
  t.match(await invite(15), refused)
  t.match(await inviteMany(1, 15), refused)
  t.equal((await invite(8)).status, 201)
  t.equal((await inviteMany(1, 8)).status, 200)
  t.match(await onDomain('POST', '', { domain: 'example.org', saml_entity_id: 'urn:idp' }), refused)
  t.match(await onDomain('PATCH', `${domain.body.id}/`, { saml_entity_id: 'urn:idp' }), refused)
  t.match(await onDomain('POST', `${domain.body.id}/verify/`), refused)
  t.match(await onDomain('DELETE', `${domain.body.id}/`), refused)
  t.equal((await onDomain('GET', `${domain.body.id}/`)).body.saml_entity_id, null)
  t.equal((await app.send('GET', `${organization}/invites/`)).body.count, 3, 'no invite of the rejected list')
  const raise = { body: { level: 15 } }
  t.equal((await app.send('PATCH', `${organization}/members/${member.uuid}/`, raise)).status, 200, 'keys are exempt')
  t.equal((await setLevel(15)).status, 200, 'the current level changes nothing')
  t.match(await setLevel(8), refused, 'from owner')

  await browser.signIn(EMAIL, PASSWORD)
  t.equal((await setLevel(8)).status, 200)
  t.equal((await setLevel(15)).status, 200)
  t.equal((await invite(15)).status, 201)
  t.equal((await onDomain('PATCH', `${domain.body.id}/`, { saml_entity_id: 'urn:idp' })).status, 200)
  t.equal((await onDomain('DELETE', `${domain.body.id}/`)).status, 204)
})

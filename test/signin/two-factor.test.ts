/** The rule `enforce_2fa`, the proofs that changes of a second factor need, and the limits on guessing. */
import { Secret, TOTP } from 'otpauth'
import t, { type Test } from 'tap'
import { sql } from '../../src/sql/template.ts'
import * as accounts from '../../src/store/accounts.ts'
import type { SignInMethod } from '../../src/store/sessions.ts'
import {
  type ApiResponse,
  nextEngines,
  onBothEngines,
  openApp,
  type Send as SendRequest,
  type TestApp,
} from '../helpers/app.ts'
import { itemAt, only } from '../helpers/assertions/items.ts'
import { type Browser, openBrowser } from '../helpers/browser.ts'

t.setTimeout(10 * 60_000)

const PASSWORD = 'correct horse battery staple'
const OTHER_PASSWORD = 'four unrelated dictionary nouns'
const EMAIL = 'owner@example.com'
const ME = '/api/users/@me/'
const KEYS = '/api/personal_api_keys/'
const HOUR_MS = 3_600_000
const environment = { SECRET_KEY: 'ab'.repeat(32) }

const NEEDS_SECOND_FACTOR = { status: 403, body: { type: 'authentication_error', code: 'two_factor_setup_required' } }
const NEEDS_SIGN_IN = { status: 403, body: { code: 'reauthentication_required' } }
const DENIED = { status: 403, body: { code: 'permission_denied' } }

type Send = SendRequest<unknown>

/** Requests with a session of the first user. */
async function sessionOf(app: TestApp, second_factor: boolean, method: SignInMethod = 'password'): Promise<Send> {
  const headers = await app.session({ second_factor, method })
  return (method, path, body) => app.send(method, path, { key: null, headers, ...(body !== undefined && { body }) })
}

const withKey =
  (app: TestApp, key: string): Send =>
  (method, path, body) =>
    app.send(method, path, { key, ...(body !== undefined && { body }) })

/** The first organization enforces a second factor, another one of the same user does not. */
async function openEnforcing(app: TestApp) {
  const { organization_id: enforcing, project_id } = app.first
  const other = (await app.call('organizations.create', { body: { name: 'Without the rule' } })).body
  await app.call('organizations.update', { params: { id: enforcing }, body: { enforce_2fa: true } })
  return { enforcing, project_id, other: other.id, otherProject: itemAt(other.teams, 0).id }
}

onBothEngines(t, 'new and wider access of keys needs the second factor of the session', async (t, app) => {
  const { enforcing, project_id, other, otherProject } = await openEnforcing(app)
  const [plain, confirmed] = [await sessionOf(app, false), await sessionOf(app, true)]
  // A second factor of the user is not one of the session.
  await app.deps.db.tx((tx) => accounts.enableTwoFactor(tx, 1, 1, app.deps.now()))
  const key = (more: object = {}) => ({ label: 'x', scopes: ['*'], ...more })

  for (const restrictions of [
    {},
    { scoped_organizations: [enforcing] },
    { scoped_teams: [project_id] },
    { scoped_teams: [otherProject, project_id] },
    { scoped_organizations: [enforcing, other], scoped_teams: [project_id] },
  ])
    t.match(
      await plain('POST', KEYS, key(restrictions)),
      NEEDS_SECOND_FACTOR,
      JSON.stringify(Object.keys(restrictions)),
    )
  const narrow = (await plain('POST', KEYS, key({ scopes: ['query:read'], scoped_organizations: [other] }))).body
  const inProject = (await plain('POST', KEYS, key({ scoped_teams: [otherProject] }))).body
  const reaching = (await confirmed('POST', KEYS, key({ scoped_teams: [project_id] }))).body
  t.ok(narrow.value && inProject.value && reaching.value, 'other keys and sessions with a second factor')

  const update = (send: Send, { id }: { id: string }, body: object) => send('PATCH', `${KEYS}${id}/`, body)
  t.match(await update(plain, narrow, { scoped_organizations: [] }), NEEDS_SECOND_FACTOR, 'after the change')
  t.match(await update(plain, inProject, { scoped_teams: [project_id] }), NEEDS_SECOND_FACTOR)
  t.match(await update(plain, inProject, { scoped_teams: [] }), NEEDS_SECOND_FACTOR)
  t.match(await update(plain, reaching, { scoped_teams: [otherProject] }), NEEDS_SECOND_FACTOR, 'before the change')
  t.match(await update(plain, reaching, { scopes: ['query:read'] }), NEEDS_SECOND_FACTOR)
  t.match(await update(plain, reaching, { expires_at: '2030-01-01' }), NEEDS_SECOND_FACTOR)
  t.match(await plain('POST', `${KEYS}${reaching.id}/roll/`), NEEDS_SECOND_FACTOR)
  t.equal((await update(plain, narrow, { scopes: ['*'] })).status, 200, 'a key that reaches no such organization')
  t.equal((await update(plain, reaching, { label: 'Renamed', scopes: ['*'] })).status, 200, 'the label')
  t.equal((await plain('POST', `${KEYS}${inProject.id}/roll/`)).status, 200)
  t.equal((await update(confirmed, reaching, { scopes: ['query:read'] })).status, 200)
  t.equal((await confirmed('POST', `${KEYS}${reaching.id}/roll/`)).status, 200)

  const owner = withKey(app, app.first.api_key)
  const own = (await owner('GET', `${KEYS}@current/`)).body
  t.equal((await owner('GET', `/api/organizations/${enforcing}/`)).status, 200, 'existing keys keep working')
  t.match(await owner('POST', KEYS, key()), NEEDS_SECOND_FACTOR, 'but manage no other keys')
  t.match(await owner('POST', KEYS, key({ scoped_teams: [project_id] })), NEEDS_SECOND_FACTOR)
  t.match(await owner('POST', `${KEYS}${own.id}/roll/`), NEEDS_SECOND_FACTOR)
  t.match(await update(owner, own, { scopes: ['query:read'] }), NEEDS_SECOND_FACTOR)
  t.equal((await update(owner, own, { label: 'First' })).status, 200)
  t.equal((await owner('POST', KEYS, key({ scoped_organizations: [other] }))).status, 201)
  t.match(
    await update(withKey(app, String(narrow.value)), narrow, { scoped_organizations: [] }),
    DENIED,
    'widening itself',
  )
  t.equal((await plain('DELETE', `${KEYS}${reaching.id}/`)).status, 204, 'a key can always be revoked')

  t.equal((await (await sessionOf(app, false, 'google-oauth2'))('POST', KEYS, key())).status, 201, 'trusted provider')
  t.match(await (await sessionOf(app, false, 'saml'))('POST', KEYS, key()), NEEDS_SECOND_FACTOR, 'unknown domain')
})

onBothEngines(t, 'a session without the required second factor gets no token', async (t, app) => {
  const { enforcing, project_id, other, otherProject } = await openEnforcing(app)
  const [plain, confirmed] = [await sessionOf(app, false), await sessionOf(app, true)]
  const tokens = (
    await app.deps.db.all<{ api_token: string }>(
      sql`select api_token from projects where organization_id = ${enforcing}`,
    )
  ).map(({ api_token }) => api_token)

  const list = async (send: Send, area: 'organizations' | 'projects') => {
    const { body, text } = await send('GET', `/api/${area}/`)
    return { count: body.count, ids: body.results.map(({ id }) => id), text }
  }
  const listed = [await list(plain, 'organizations'), await list(plain, 'projects')]
  t.match(listed, [
    { count: 1, ids: [other] },
    { count: 1, ids: [otherProject] },
  ])
  t.match(await list(confirmed, 'organizations'), { count: 2, ids: [enforcing, other] })
  t.match(await list(confirmed, 'projects'), { count: 2, ids: [project_id, otherProject] })
  t.match(await list(withKey(app, app.first.api_key), 'projects'), { count: 2 }, 'keys are exempt')
  t.match(await list(await sessionOf(app, false, 'gitlab'), 'projects'), { count: 2 }, 'as are trusted providers')
  t.match(
    await list(await sessionOf(app, false, 'saml'), 'projects'),
    { count: 1 },
    'SAML of no verified domain is not',
  )

  const me = await plain('GET', ME)
  t.match(me, { status: 200, body: { organization: { id: enforcing }, team: null } }, '@me names the organization only')
  const updated = await plain('PATCH', ME, { set_current_organization: enforcing })
  t.match(updated, { status: 200, body: { team: null } })
  t.equal((await confirmed('GET', ME)).body.team?.id, project_id)
  const created = [
    await plain('POST', '/api/projects/', { name: 'x' }),
    await plain('POST', '/api/projects/', { name: 'x', organization: enforcing }),
  ]
  for (const response of created) t.match(response, NEEDS_SECOND_FACTOR, 'creating a project')
  t.equal((await plain('POST', '/api/projects/', { name: 'x', organization: other })).status, 201)
  t.equal((await confirmed('POST', '/api/projects/', { name: 'x' })).status, 201)
  for (const { text } of [...listed, me, updated, ...created])
    for (const token of tokens) t.notOk(text.includes(token), 'no token of the organization')
})

onBothEngines(t, 'turning the rule on or off needs a fresh sign-in', async (t, app) => {
  const session = await sessionOf(app, true)
  const set = (enforce_2fa: boolean | null) =>
    session('PATCH', `/api/organizations/${app.first.organization_id}/`, { name: 'Renamed', enforce_2fa })
  app.advance(HOUR_MS)
  t.match(await set(true), NEEDS_SIGN_IN)
  t.match(await set(null), { status: 200, body: { enforce_2fa: null, name: 'Renamed' } }, 'its present value')
  const { status } = await app.call('organizations.update', {
    params: { id: app.first.organization_id },
    body: { enforce_2fa: true },
  })
  t.equal(status, 200, 'keys are exempt')
  t.match(await set(false), NEEDS_SIGN_IN)
  t.match(await set(null), NEEDS_SIGN_IN)
  t.equal((await app.call('organizations.retrieve', { params: { id: '@current' } })).body.enforce_2fa, true)
  const fresh = await sessionOf(app, true)
  t.match(await fresh('PATCH', '/api/organizations/@current/', { enforce_2fa: false }), { status: 200 })
})

onBothEngines(t, 'keys cannot reach the password, the second factor, the sessions and other keys', async (t, app) => {
  const owner = withKey(app, app.first.api_key)
  const restricted = await app.key({ restrictions: { organizations: null, projects: [app.first.project_id] } })
  const sessions = await app.send('GET', `${ME}login_sessions/`, { key: null, headers: await app.session() })
  const { id } = only(sessions.body.results)
  for (const [method, path, body] of [
    ['GET', `${ME}two_factor_status/`],
    ['POST', `${ME}two_factor_start_setup/`],
    ['POST', `${ME}two_factor_validate/`, { token: '000000' }],
    ['POST', `${ME}two_factor_backup_codes/`, { password: PASSWORD }],
    ['POST', `${ME}two_factor_disable/`, { password: PASSWORD }],
    ['GET', `${ME}login_sessions/`],
    ['POST', `${ME}login_sessions/end_others/`],
    ['DELETE', `${ME}login_sessions/${id}/`],
    ['PATCH', ME, { password: PASSWORD }],
    ['PATCH', ME, { password: PASSWORD, current_password: PASSWORD }],
  ] as const) {
    t.match(await owner(method, path, body), DENIED, `${method} ${path}`)
    t.match(await withKey(app, restricted)(method, path, body), DENIED, `${method} ${path} with a restricted key`)
  }
  t.equal((await owner('GET', ME)).body.has_password, false)

  const key = { label: 'x', scopes: ['*'], scoped_organizations: [app.first.organization_id] }
  const other = (await owner('POST', KEYS, key)).body
  const update = (send: Send, body: object) => send('PATCH', `${KEYS}${other.id}/`, body)
  t.match(await update(owner, { scoped_organizations: [] }), DENIED, 'restrictions of another key')
  t.match(await update(owner, { scoped_teams: [app.first.project_id] }), DENIED)
  t.equal((await update(owner, { label: 'y', scoped_organizations: key.scoped_organizations })).status, 200)
  t.equal((await update(owner, { scopes: ['query:read'] })).status, 200)
  t.equal((await update(owner, { scopes: ['*'] })).status, 200)
  const itself = withKey(app, String(other.value))
  t.equal((await update(itself, { scoped_teams: [app.first.project_id] })).status, 200, 'its own access, to less')
  t.equal((await update(await sessionOf(app, false), { scoped_organizations: [] })).status, 200)
})

/** Turns two-factor authentication on in a signed-in browser. */
async function setUp(t: Test, app: TestApp, browser: Browser) {
  const setup = await browser.send('POST', `${ME}two_factor_start_setup/`)
  t.equal(setup.status, 200, setup.text)
  const totp = new TOTP({ secret: Secret.fromBase32(setup.body.secret) })
  const code = (): string => totp.generate({ timestamp: app.deps.milliseconds() })
  const enabled = await browser.send('POST', `${ME}two_factor_validate/`, { body: { token: code() } })
  t.equal(enabled.status, 200, enabled.text)
  return { code, backup_codes: enabled.body.backup_codes as string[] }
}

async function openSignedIn(app: TestApp): Promise<Browser> {
  await app.setPassword(PASSWORD)
  const browser = openBrowser(app)
  await browser.signIn(EMAIL, PASSWORD)
  return browser
}

for (const engine of nextEngines())
  t.test(`changes of a second factor need a fresh sign-in and a proof (${engine})`, async (t) => {
    const app = await openApp(t, engine, { environment })
    const browser = await openSignedIn(app)
    const post = <const Path extends string>(path: Path, body?: unknown) =>
      browser.send('POST', `${ME}${path}` as const, body === undefined ? {} : { body })
    app.advance(HOUR_MS)
    for (const path of ['two_factor_start_setup/', 'login_sessions/end_others/'])
      t.match(await post(path), NEEDS_SIGN_IN, path)
    const own = itemAt((await browser.send('GET', `${ME}login_sessions/`)).body.results, 0)
    t.match(await browser.send('DELETE', `${ME}login_sessions/${own.id}/`), NEEDS_SIGN_IN)
    await browser.signIn(EMAIL, PASSWORD)
    const { code, backup_codes } = await setUp(t, app, browser)

    t.match(await post('two_factor_start_setup/', { password: PASSWORD }), { body: { code: '2fa_already_enabled' } })
    for (const path of ['two_factor_backup_codes/', 'two_factor_disable/']) {
      t.match(await post(path), { status: 400, body: { code: 'required', attr: 'password' } }, path)
      t.match(await post(path, {}), { status: 400, body: { code: 'required' } })
      t.match(await post(path, { password: 'wrong' }), { status: 400, body: { code: 'incorrect_password' } })
      t.match(await post(path, { token: '000000' }), { status: 400, body: { code: 'token_invalid' } })
      t.match(await post(path, { token: code() }), { status: 400, body: { code: 'token_invalid' } }, 'used before')
    }
    t.match((await browser.send('GET', `${ME}two_factor_status/`)).body, { is_enabled: true, backup_codes: 10 })
    t.equal((await post('two_factor_backup_codes/', { token: backup_codes[0] })).status, 200, 'a backup code')
    app.advance(30_000)
    t.equal((await post('two_factor_backup_codes/', { token: code() })).status, 200, 'a code of the app')
    const renewed = await post('two_factor_backup_codes/', { password: PASSWORD })
    t.equal(renewed.body.backup_codes.length, 10)
    t.match(await post('two_factor_disable/', { token: backup_codes[1] }), { body: { code: 'token_invalid' } })
    app.advance(HOUR_MS)
    t.match(await post('two_factor_disable/', { password: PASSWORD }), NEEDS_SIGN_IN)
    app.advance(-HOUR_MS)
    t.equal((await post('two_factor_disable/', { token: renewed.body.backup_codes[0] })).status, 200)
  })

for (const engine of nextEngines())
  t.test(`a user without a password signs in again with their provider (${engine})`, async (t) => {
    const app = await openApp(t, engine, { environment })
    const linked = await sessionOf(app, false, 'link')
    const setup = (await linked('POST', `${ME}two_factor_start_setup/`)).body
    const token = new TOTP({ secret: Secret.fromBase32(setup.secret) }).generate({ timestamp: app.deps.milliseconds() })
    t.equal((await linked('POST', `${ME}two_factor_validate/`, { token })).status, 200)
    const refused = { status: 400, body: { code: 'required', attr: 'token' } }
    t.match(await linked('POST', `${ME}two_factor_backup_codes/`), refused, 'a one-time link is no provider')
    const provider = await sessionOf(app, false, 'github')
    app.advance(HOUR_MS)
    t.match(await provider('POST', `${ME}two_factor_disable/`), NEEDS_SIGN_IN)
    const again = await sessionOf(app, false, 'github')
    t.equal((await again('POST', `${ME}two_factor_backup_codes/`)).status, 200)
    await app.setPassword(PASSWORD)
    t.match(await again('POST', `${ME}two_factor_disable/`), { status: 400, body: { code: 'required' } })
    await app.deps.db.run(sql`update users set password_hash = null`)
    t.equal((await again('POST', `${ME}two_factor_disable/`)).status, 200)
  })

const PARALLEL = 50

/** Sends fifty guesses at once and counts the responses by their codes. */
async function guesses(guess: () => Promise<ApiResponse>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { error } of await Promise.all(Array.from({ length: PARALLEL }, guess))) {
    const code = String(error?.code)
    counts[code] = (counts[code] ?? 0) + 1
  }
  return counts
}

for (const engine of nextEngines())
  t.test(`concurrent guesses do not exceed the limits (${engine})`, async (t) => {
    const limits = { ...environment, RATE_LIMITS: 'true', TRUST_PROXY: 'true', SITE_URL: 'http://localhost' }
    const app = await openApp(t, engine, { environment: limits })
    let client = 0
    /** Guesses of one client address. */
    const from = (browser: Browser, path: string, body: object, method = 'POST') => {
      const headers = { 'x-forwarded-for': `203.0.113.${++client}` }
      return () => browser.send(method, path, { body, headers })
    }
    const browser = await openSignedIn(app)
    t.same(
      await guesses(from(openBrowser(app), '/api/login/', { email: EMAIL, password: 'wrong' })),
      { invalid_credentials: 10, throttled: 40 },
      'passwords at sign-in',
    )
    t.same(
      await guesses(from(openBrowser(app), '/api/login/', { email: 'unknown@example.com', password: 'wrong' })),
      { invalid_credentials: 10, throttled: 40 },
      'an unknown address',
    )
    const change = { password: OTHER_PASSWORD, current_password: 'wrong' }
    t.same(
      await guesses(from(browser, ME, change, 'PATCH')),
      { incorrect_password: 10, throttled: 40 },
      'the current password',
    )

    const { code } = await setUp(t, app, browser)
    const waiting = openBrowser(app)
    const first = await waiting.send('POST', '/api/login/', { body: { email: EMAIL, password: PASSWORD } })
    t.equal(first.error?.code, '2fa_required')
    t.same(
      await guesses(from(waiting, '/api/login/token/', { token: '000000' })),
      { '2fa_invalid': 1, '2fa_too_many_attempts': 49 },
      'codes at sign-in',
    )
    for (const path of ['two_factor_backup_codes/', 'two_factor_disable/']) {
      app.advance(HOUR_MS / 4)
      const byCode = await guesses(from(browser, `${ME}${path}`, { token: '000000' }))
      t.same(byCode, { token_invalid: 1, '2fa_too_many_attempts': 49 }, path)
      const byPassword = await guesses(from(browser, `${ME}${path}`, { password: 'wrong' }))
      t.same(byPassword, { incorrect_password: 10, throttled: 40 }, path)
    }

    app.advance(HOUR_MS / 4)
    const disable = from(browser, `${ME}two_factor_disable/`, { token: code() })
    t.equal((await disable()).status, 200, 'the owner is not locked out')
    const address = { 'x-forwarded-for': '203.0.113.200' }
    for (let i = 0; i < 12; i++)
      await openBrowser(app).send('POST', '/api/login/', {
        body: { email: EMAIL, password: PASSWORD },
        headers: address,
      })
    const rows = await app.deps.db.all<{ failures: number }>(sql`
      select failures from sign_in_failures order by failures desc limit 3`)
    t.same(
      rows.map(({ failures }) => failures),
      [10, 10, 10],
      'attempts that succeed do not count',
    )
  })

for (const engine of nextEngines())
  t.test(`concurrent sign-ins with the right password are accepted (${engine})`, async (t) => {
    const app = await openApp(t, engine, { environment: { RATE_LIMITS: 'true' } })
    await app.setPassword(PASSWORD)
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const { status } = await openBrowser(app).send('POST', '/api/login/', {
          body: { email: EMAIL, password: PASSWORD },
        })
        return status
      }),
    )
    t.same(new Set(statuses), new Set([200]))
    t.match(await app.deps.db.get(sql`select max(failures) as failures from sign_in_failures`), { failures: 0 })
  })

import { setImmediate as nextTick } from 'node:timers/promises'
import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { sql } from '../../src/sql/template.ts'
import { verify as verifyDomain } from '../../src/store/domains.ts'
import * as members from '../../src/store/members.ts'
import { type ApiResponse, nextEngines, onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import { openBrowser } from '../helpers/browser.ts'
import { IDENTITY_PROVIDER } from '../helpers/peers/certificate.ts'
import { openNameserver, type Zone } from '../helpers/peers/nameserver.ts'
import type { BodyOf } from '../helpers/response-bodies.ts'

t.setTimeout(10 * 60_000)

const PASSWORD = 'correct horse battery staple'
const OTHER_PASSWORD = 'four unrelated dictionary nouns'
const OWNER = 'owner@example.com'
const ME = '/api/users/@me/'
const SECRET_KEY = 'ab'.repeat(32)
const CERTIFICATE = IDENTITY_PROVIDER.cert

type Entry = BodyOf<'activity_log.list'>['results'][number]
type Parameters = '' | `?${string}`

const path = (organization_id: string, query: Parameters = '') =>
  `/api/organizations/${organization_id}/activity_log/${query}` as const

async function entries(
  app: TestApp,
  query: Parameters = '',
  organization_id = app.first.organization_id,
): Promise<Entry[]> {
  const response = await app.send('GET', path(organization_id, query))
  if (response.status !== 200) throw new Error(response.text)
  return response.body.results
}

/** The entries since the last call, oldest first, as `area activity item`. */
function follow(app: TestApp) {
  let seen = 0
  return async (): Promise<string[]> => {
    const all = (await entries(app, '?limit=1000')).reverse()
    const fresh = all.slice(seen)
    seen = all.length
    return fresh.map(({ area, activity, item_name }) => `${area} ${activity} ${item_name}`)
  }
}

/** Entries of failed passwords are written after the response. */
async function untilRecorded({ deps: { db } }: TestApp, activity: string, count: number): Promise<void> {
  for (;;) {
    const row = await db.get<{ count: number }>(
      sql`select count(*) as count from activity_log where activity = ${activity}`,
    )
    if (row?.count === count) return
    await nextTick()
  }
}

async function ok<Body>(response: Promise<ApiResponse<Body>>): Promise<Body> {
  const { status, text, body } = await response
  if (status >= 300) throw new Error(`${status} ${text}`)
  return body
}

onBothEngines(
  t,
  'records every kind of change',
  async (t, app) => {
    const { first, send } = app
    const organization = `/api/organizations/${first.organization_id}` as const
    const project = `/api/projects/${first.project_id}` as const
    const newEntries = follow(app)
    const post = <const Url extends string>(url: Url, body?: object) => ok(send('POST', url, body && { body }))
    const patch = <const Url extends string>(url: Url, body: object) => ok(send('PATCH', url, { body }))
    const remove = (url: string) => ok(send('DELETE', url))

    t.strictSame(await newEntries(), [
      'organizations created My organization',
      `members joined ${OWNER}`,
      'projects created Default project',
      'api_keys created First key',
    ])
    const [start] = await entries(app)
    t.match(start, { actor: 'system', user: null, api_key_id: null, session_id: null, address: null, project_id: null })

    await patch(`${organization}/`, { name: 'Renamed', enforce_2fa: false })
    await patch(`${organization}/`, { name: 'Renamed' })
    t.strictSame(await newEntries(), ['organizations updated Renamed'])
    const me = await ok(send('GET', ME))
    const [key] = await ok(send('GET', '/api/personal_api_keys/'))
    t.strictSame((await entries(app, '?limit=1'))[0], {
      ...(await entries(app))[0],
      actor: 'user',
      user: { uuid: me.uuid, email: OWNER, first_name: 'Owner' },
      api_key_id: key?.id,
      session_id: null,
      address: '127.0.0.1',
      area: 'organizations',
      activity: 'updated',
      item_id: first.organization_id,
      item_name: 'Renamed',
      project_id: null,
      changes: [
        { field: 'name', before: 'My organization', after: 'Renamed' },
        { field: 'enforce_2fa', before: null, after: false },
      ],
    })
    await patch(`${organization}/`, { enforce_2fa: null })
    t.strictSame((await entries(app))[0]?.changes, [{ field: 'enforce_2fa', before: false, after: null }])
    await newEntries()

    const invite = await post(`${organization}/invites/`, { target_email: 'ada@example.com', level: 8 })
    const gone = await post(`${organization}/invites/`, { target_email: 'eve@example.com' })
    await remove(`${organization}/invites/${gone.id}/`)
    const joined = await ok(
      send('POST', `/api/signup/${invite.id}/`, { key: null, body: { token: invite.signup_token, first_name: 'Ada' } }),
    )
    const ada = `${organization}/members/${joined.user.uuid}/` as const
    await patch(ada, { level: 1 })
    await remove(ada)
    t.strictSame(await newEntries(), [
      'invites created ada@example.com',
      'invites created eve@example.com',
      'invites deleted eve@example.com',
      'invites accepted ada@example.com',
      'members joined ada@example.com',
      'api_keys created First key',
      'members updated ada@example.com',
      'members removed ada@example.com',
    ])
    const ofAda = await entries(app, `?item_id=${joined.user.uuid}`)
    t.match(ofAda, [
      { activity: 'removed', user: { email: OWNER }, changes: [] },
      { activity: 'updated', changes: [{ field: 'level', before: 8, after: 1 }] },
      { activity: 'joined', user: { email: 'ada@example.com', first_name: 'Ada' }, changes: [{ after: 8 }] },
    ])

    const domain = await post(`${organization}/domains/`, { domain: 'example.com' })
    await patch(`${organization}/domains/${domain.id}/`, { saml_entity_id: 'urn:idp', saml_x509_cert: CERTIFICATE })
    await remove(`${organization}/domains/${domain.id}/`)
    t.strictSame(await newEntries(), [
      'domains created example.com',
      'domains updated example.com',
      'domains deleted example.com',
    ])
    t.strictSame((await entries(app, '?area=domains'))[1]?.changes, [
      { field: 'saml_entity_id', before: null, after: 'urn:idp' },
      { field: 'saml_x509_cert', before: 'changed', after: 'changed' },
    ])

    const created = await post('/api/personal_api_keys/', { label: 'Report', scopes: ['query:read'] })
    await patch(`/api/personal_api_keys/${created.id}/`, { label: 'Reports' })
    await patch(`/api/personal_api_keys/${created.id}/`, { label: 'Reports' })
    const rolled = await post(`/api/personal_api_keys/${created.id}/roll/`)
    await remove(`/api/personal_api_keys/${created.id}/`)
    t.strictSame(await newEntries(), [
      'api_keys created Report',
      'api_keys updated Reports',
      'api_keys rolled Reports',
      'api_keys revoked Reports',
    ])

    const second = await post(`${organization}/projects/`, { name: 'Second' })
    await patch(`/api/projects/${second.id}/`, { name: 'Third', event_retention_days: 30 })
    const reset = await patch(`/api/projects/${second.id}/reset_token/`, {})
    await remove(`/api/projects/${second.id}/`)
    t.strictSame(await newEntries(), [
      'projects created Second',
      'projects updated Third',
      'projects token_reset Third',
      'projects deleted Third',
    ])
    t.ok((await entries(app, `?area=projects&item_id=${second.id}`)).every((entry) => entry.project_id === second.id))

    const destination = {
      type: 'S3',
      config: {
        bucket_name: 'bucket',
        region: 'eu-central-1',
        prefix: 'events',
        aws_access_key_id: 'AKIAVISIBLE',
        aws_secret_access_key: 'top secret one',
      },
    }
    const exports = `${project}/batch_exports` as const
    const batch = await post(`${exports}/`, { name: 'Nightly', interval: 'day', destination })
    const item = `${exports}/${batch.id}` as const
    await patch(`${item}/`, { interval: 'hour', destination: { config: { aws_secret_access_key: 'top secret two' } } })
    await patch(`${item}/`, { interval: 'hour' })
    await post(`${item}/pause/`)
    await post(`${item}/pause/`)
    await post(`${item}/unpause/`)
    const range = { start_at: '2025-12-01T00:00:00Z', end_at: '2025-12-01T01:00:00Z' }
    const run = itemAt((await post(`${item}/backfill/`, range)).latest_runs, 0)
    await post(`${item}/runs/${run.id}/cancel/`)
    await post(`${item}/runs/${run.id}/retry/`)
    await remove(`${item}/`)
    t.strictSame(await newEntries(), [
      'batch_exports created Nightly',
      'batch_exports updated Nightly',
      'batch_exports paused Nightly',
      'batch_exports unpaused Nightly',
      'batch_exports backfill_started Nightly',
      'batch_export_runs cancelled Nightly',
      'batch_export_runs retried Nightly',
      'batch_exports deleted Nightly',
    ])
    const changed = (await entries(app, '?area=batch_exports')).find(({ activity }) => activity === 'updated')
    t.match(changed, {
      project_id: first.project_id,
      changes: [
        { field: 'interval', before: 'day', after: 'hour' },
        { field: 'destination__config__aws_secret_access_key', before: 'changed', after: 'changed' },
      ],
    })

    const plugin = await post(`${organization}/pipeline_destinations/`, {
      plugin_type: 'source',
      name: 'Sender',
      config_schema: [{ key: 'token', name: 'Token', type: 'string', secret: true }],
      source: { 'index.ts': 'export const x = 1' },
    })
    await patch(`${organization}/pipeline_destinations/${plugin.id}/`, { description: 'Sends' })
    const config = { plugin: plugin.id, enabled: true, config: { token: 'top secret three' } }
    const configured = await post(`${project}/plugin_configs/`, config)
    await patch(`${project}/plugin_configs/${configured.id}/`, { config: { token: 'top secret four' } })
    await remove(`${project}/plugin_configs/${configured.id}/`)
    await remove(`${organization}/pipeline_destinations/${plugin.id}/`)
    t.strictSame(await newEntries(), [
      'plugins installed Sender',
      'plugins updated Sender',
      'plugin_configs enabled Sender',
      'plugin_configs config_updated Sender',
      'plugin_configs config_deleted Sender',
      'plugins uninstalled Sender',
    ])

    const stored = await app.deps.db.all<object>(sql`select * from activity_log`)
    const text = JSON.stringify(stored)
    for (const secret of [
      'top secret',
      String(CERTIFICATE.split('\n')[1]),
      created.value,
      rolled.value,
      reset.api_token,
      second.api_token,
      invite.signup_token,
      joined.api_key,
    ])
      t.notOk(text.includes(String(secret)), 'no secret is in the log')

    await remove(`${organization}/`)
    t.equal((await send('GET', path(first.organization_id))).status, 404)
    const last = await app.deps.db.get<{ activity: string; item_name: string; count: number }>(sql`
      select activity, item_name, (select count(*) from activity_log where organization_id = ${first.organization_id}) as count
      from activity_log order by created_at desc, id desc limit 1`)
    t.match(
      last,
      { activity: 'deleted', item_name: 'Renamed', count: stored.length + 1 },
      'it outlives the organization',
    )
  },
  { environment: { SECRET_KEY } },
)

onBothEngines(t, 'records sign-ins and changes of accounts', async (t, app) => {
  const elsewhere = await app.stranger('elsewhere@example.com')
  const newEntries = follow(app)
  await newEntries()
  await app.setPassword(PASSWORD)
  const [browser, other] = [openBrowser(app), openBrowser(app)]
  const login = (body: object) => other.send('POST', '/api/login/', { body })
  t.equal((await login({ email: OWNER, password: 'wrong' })).status, 401)
  await untilRecorded(app, 'sign_in_failed', 1)
  t.equal((await login({ email: 'unknown@example.com', password: 'wrong' })).status, 401)
  await browser.signIn(OWNER, PASSWORD)
  await other.signIn(OWNER, PASSWORD)
  const [signedIn, , failed] = await entries(app, '?area=sessions')
  t.match(signedIn, {
    actor: 'user',
    user: { email: OWNER },
    session_id: signedIn?.item_id,
    api_key_id: null,
    address: '127.0.0.1',
    changes: [{ field: 'method', before: null, after: 'password' }],
  })
  t.match(failed, { user: { email: OWNER }, session_id: null, item_id: null, address: '127.0.0.1' })
  t.strictSame(await newEntries(), [
    `sessions sign_in_failed ${OWNER}`,
    `sessions signed_in ${OWNER}`,
    `sessions signed_in ${OWNER}`,
  ])

  await ok(browser.send('POST', '/api/users/@me/login_sessions/end_others/'))
  await other.signIn(OWNER, PASSWORD)
  await ok(other.send('POST', '/api/logout/'))
  await ok(browser.send('PATCH', ME, { body: { email: 'ada@example.com' } }))
  await other.signIn('ada@example.com', PASSWORD)
  await ok(browser.send('PATCH', ME, { body: { password: OTHER_PASSWORD, current_password: PASSWORD } }))
  t.strictSame(await newEntries(), [
    `sessions ended ${OWNER}`,
    `sessions signed_in ${OWNER}`,
    `sessions signed_out ${OWNER}`,
    'users email_changed ada@example.com',
    'sessions signed_in ada@example.com',
    'users password_changed ada@example.com',
    'sessions ended ada@example.com',
  ])
  const [ended, started] = await entries(app, '?area=sessions')
  t.match(ended, {
    actor: 'user',
    item_id: started?.item_id,
    changes: [{ field: 'reason', before: null, after: 'password_changed' }],
  })
  t.not(ended?.session_id, started?.item_id, 'the session that changed the password')
  const [, email] = await entries(app, '?area=users')
  t.match(email, { session_id: /./, changes: [{ field: 'email', before: OWNER, after: 'ada@example.com' }] })

  const theirs = await entriesOf(app, elsewhere)
  t.notOk(
    theirs.some(({ area }) => area === 'sessions'),
    'not in the log of another organization',
  )
})

onBothEngines(
  t,
  'sessions that single sign-on ends are recorded in each organization of their users',
  async (t, app) => {
    const { first, deps, send } = app
    const [ada, eve] = [await app.member('ada@hedge.example', 1), await app.stranger('eve@hedge.example')]
    await deps.db.tx((tx) =>
      members.create(tx, {
        id: deps.ids.uuid(),
        organization_id: eve.organization_id,
        user_id: ada.id,
        level: 1,
        now: deps.now(),
      }),
    )
    for (const { key, email } of [ada, eve]) {
      await app.setPassword(PASSWORD, key)
      await openBrowser(app).signIn(email, PASSWORD)
    }
    const domains = `/api/organizations/${first.organization_id}/domains` as const
    const { id } = await ok(send('POST', `${domains}/`, { body: { domain: 'hedge.example' } }))
    await verifyDomain(deps.db, id, deps.now())
    const enforce = (sso_enforcement: string) => ok(send('PATCH', `${domains}/${id}/`, { body: { sso_enforcement } }))
    await enforce('github')

    const ours = await entries(app)
    t.match(ours, [
      {
        area: 'sessions',
        activity: 'ended',
        item_name: ada.email,
        user: { email: OWNER },
        changes: [{ after: 'sso_enforced' }],
      },
      { area: 'domains', activity: 'updated' },
    ])
    const theirs = await entriesOf(app, eve)
    t.match(theirs, [
      { activity: 'ended', item_name: eve.email, actor: 'system', user: null, address: null },
      { activity: 'ended', item_name: ada.email, actor: 'system', item_id: ours[0]?.item_id },
    ])

    await enforce('')
    for (let i = 0; i < 21; i++) await openBrowser(app).signIn(ada.email, PASSWORD)
    await enforce('github')
    t.match((await entries(app))[0], {
      activity: 'ended',
      item_id: null,
      item_name: ada.email,
      changes: [
        { field: 'reason', after: 'sso_enforced' },
        { field: 'sessions', before: 21, after: 0 },
      ],
    })
  },
  { environment: { SOCIAL_AUTH_GITHUB_KEY: 'id', SOCIAL_AUTH_GITHUB_SECRET: 'secret' } },
)

async function entriesOf(
  { send }: TestApp,
  { key, organization_id }: { key: string; organization_id: string },
): Promise<Entry[]> {
  return (await send('GET', path(organization_id), { key })).body.results
}

for (const engine of nextEngines())
  t.test(`records second factors (${engine})`, async (t) => {
    const app = await openApp(t, engine, { environment: { SECRET_KEY } })
    const newEntries = follow(app)
    await app.setPassword(PASSWORD)
    const [browser, unconfirmed] = [openBrowser(app), openBrowser(app)]
    await browser.signIn(OWNER, PASSWORD)
    await unconfirmed.signIn(OWNER, PASSWORD)
    await newEntries()
    const { secret } = await ok(browser.send('POST', '/api/users/@me/two_factor_start_setup/'))
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    const code = (): string => totp.generate({ timestamp: app.deps.milliseconds() })
    const { backup_codes } = await ok(
      browser.send('POST', '/api/users/@me/two_factor_validate/', { body: { token: code() } }),
    )
    const other = openBrowser(app)
    await other.send('POST', '/api/login/', { body: { email: OWNER, password: PASSWORD } })
    t.equal((await other.send('POST', '/api/login/token/', { body: { token: '000000' } })).status, 400)
    await ok(other.send('POST', '/api/login/token/', { body: { token: backup_codes[0] } }))
    await ok(browser.send('POST', '/api/users/@me/two_factor_backup_codes/', { body: { password: PASSWORD } }))
    await ok(browser.send('POST', '/api/users/@me/two_factor_disable/', { body: { password: PASSWORD } }))
    t.strictSame(await newEntries(), [
      `users two_factor_enabled ${OWNER}`,
      `sessions ended ${OWNER}`,
      `sessions sign_in_failed ${OWNER}`,
      `sessions signed_in ${OWNER}`,
      `users backup_codes_renewed ${OWNER}`,
      `users two_factor_disabled ${OWNER}`,
    ])
    const text = JSON.stringify(await app.deps.db.all(sql`select * from activity_log`))
    for (const value of [secret, ...backup_codes]) t.notOk(text.includes(value))
  })

onBothEngines(t, 'only administrators of the organization can read it', async (t, app) => {
  const { send, first, member, stranger } = app
  const own = path(first.organization_id)
  const [admin, plain, outsider] = [
    await member('admin@example.com', 8),
    await member('plain@example.com', 1),
    await stranger('outsider@example.com'),
  ]
  t.equal((await send('GET', own, { key: admin.key })).status, 200)
  t.match(await send('GET', own, { key: plain.key }), { status: 403, body: { code: 'permission_denied' } })
  t.match(await send('GET', own, { key: outsider.key }), { status: 404, body: { code: 'not_found' } })
  t.equal((await send('GET', own, { key: await app.key({ scopes: ['project:read'] }) })).status, 403)
  const theirs = await entriesOf(app, outsider)
  t.ok(theirs.length > 0)
  const ours = new Set((await entries(app)).map(({ id }) => id))
  t.notOk(theirs.some(({ id }) => ours.has(id)))
  t.match(theirs, [{}, {}, { actor: 'operator', user: null, area: 'organizations' }])
})

onBothEngines(t, 'keys are recorded in the organizations they have access to', async (t, app) => {
  const { send, first } = app
  const second = await ok(send('POST', '/api/organizations/', { body: { name: 'Second' } }))
  const create = (label: string, more: object) =>
    ok(send('POST', '/api/personal_api_keys/', { body: { label, scopes: ['*'], ...more } }))
  await create('everywhere', {})
  await create('organization', { scoped_organizations: [second.id] })
  const moved = await create('project', { scoped_teams: [first.project_id] })
  const body = { scoped_teams: [itemAt(second.teams, 0).id] }
  const headers = await app.session()
  await ok(send('PATCH', `/api/personal_api_keys/${moved.id}/`, { key: null, headers, body }))
  const keysIn = async (organization_id: string) =>
    (await entries(app, '?area=api_keys', organization_id)).map(({ activity, item_name }) => `${activity} ${item_name}`)
  t.strictSame(await keysIn(second.id), ['updated project', 'created organization', 'created everywhere'])
  t.strictSame(await keysIn(first.organization_id), [
    'updated project',
    'created project',
    'created everywhere',
    'created First key',
  ])
})

onBothEngines(t, 'pages neither skip nor repeat entries, in both directions', async (t, app) => {
  const { send, first } = app
  const rename = (name: string) => ok(send('PATCH', `/api/organizations/${first.organization_id}/`, { body: { name } }))
  for (let i = 0; i < 23; i++) await rename(`Name ${i}`)
  const all = (await entries(app)).map(({ id }) => id)
  const walk = async (start: ApiResponse<BodyOf<'activity_log.list'>>, link: 'next' | 'previous') => {
    const ids: string[] = []
    for (let page = start; ; page = await app.follow(page, link)) {
      const found = (await ok(Promise.resolve(page))).results.map(({ id }) => id)
      if (link === 'next') ids.push(...found)
      else ids.unshift(...found)
      if (!page.body[link]) return { ids, last: page }
      // New entries do not shift the pages.
      if (link === 'next') await rename(`While reading ${ids.length}`)
    }
  }
  const forwards = await walk(await send('GET', path(first.organization_id, '?limit=5')), 'next')
  t.strictSame(forwards.ids, all)
  const backwards = await walk(await app.follow(forwards.last, 'previous'), 'previous')
  t.strictSame(
    [...backwards.ids, ...forwards.last.body.results.map(({ id }) => id)],
    (await entries(app)).map(({ id }) => id),
  )
  const nul = Buffer.from(`next 2020(\0) ${first.organization_id}`).toString('base64url')
  for (const cursor of ['nonsense', nul])
    t.match(await send('GET', path(first.organization_id, `?cursor=${cursor}`)), {
      status: 400,
      body: { attr: 'cursor' },
    })
  t.equal((await send('GET', path(first.organization_id, '?limit=0'))).status, 400)
})

onBothEngines(t, 'filters by area, user, item and time', async (t, app) => {
  const { send, first, member } = app
  const admin = await member('admin@example.com', 8)
  const organization = `/api/organizations/${first.organization_id}` as const
  await ok(send('PATCH', `${organization}/`, { body: { name: 'One' } }))
  app.advance(60_000)
  const middle = app.deps.now()
  app.advance(60_000)
  const project = await ok(send('POST', `${organization}/projects/`, { key: admin.key, body: { name: 'Two' } }))
  const names = async (query: Parameters) => (await entries(app, query)).map(({ item_name }) => item_name)
  t.strictSame(await names('?area=projects'), ['Two', 'Default project'])
  t.strictSame(await names(`?user=${admin.uuid.toUpperCase()}`), ['Two'])
  t.strictSame(await names(`?item_id=${project.id}`), ['Two'])
  t.strictSame(await names(`?after=${middle}`), ['Two'])
  t.strictSame(await names(`?before=${middle}&area=organizations`), ['One', 'My organization'])
  t.strictSame(await names('?area=nothing'), [])
  t.match(await send('GET', path(first.organization_id, '?after=nonsense')), { status: 400, body: { attr: 'after' } })
})

onBothEngines(t, 'a failed change leaves no entry, and a failed entry rolls back the change', async (t, app) => {
  const { send, first, deps } = app
  const organization = `/api/organizations/${first.organization_id}` as const
  const count = (await entries(app)).length
  const failing: [method: string, url: string, body: object | undefined][] = [
    ['PATCH', `${organization}/`, { name: '' }],
    ['DELETE', `${organization}/members/@me/`, undefined],
    ['PATCH', `${organization}/members/@me/`, { level: 3 }],
    ['POST', `${organization}/invites/bulk/`, [{ target_email: 'a@example.com' }, { target_email: 'A@example.com' }]],
    ['POST', '/api/personal_api_keys/', { label: 'x', scopes: ['*'], scoped_teams: [999] }],
    [
      'POST',
      `/api/projects/${first.project_id}/batch_exports/`,
      { name: 'x', interval: 'day', destination: { type: 'S3' } },
    ],
  ]
  for (const [method, url, body] of failing)
    t.equal((await send(method, url, body && { body })).status, 400, `${method} ${url}`)
  t.equal((await entries(app)).length, count)

  await deps.db.exec('alter table activity_log rename to hidden')
  const writes: [method: string, url: string, body: object | undefined][] = [
    ['PATCH', `${organization}/`, { name: 'Lost' }],
    ['POST', `${organization}/projects/`, { name: 'Lost' }],
    ['POST', `${organization}/domains/`, { domain: 'lost.example' }],
    ['POST', `${organization}/invites/`, { target_email: 'lost@example.com' }],
    ['POST', '/api/personal_api_keys/', { label: 'Lost', scopes: ['*'] }],
    ['PATCH', ME, { email: 'lost@example.com' }],
    ['PATCH', `/api/projects/${first.project_id}/reset_token/`, undefined],
    ['DELETE', `/api/projects/${first.project_id}/`, undefined],
  ]
  for (const [method, url, body] of writes)
    t.equal((await send(method, url, body && { body })).status, 500, `${method} ${url}`)
  await deps.db.exec('alter table hidden rename to activity_log')
  t.equal((await ok(send('GET', `${organization}/`))).name, 'My organization')
  t.equal((await ok(send('GET', `${organization}/projects/`))).count, 1)
  t.equal((await ok(send('GET', `${organization}/domains/`))).count, 0)
  t.equal((await ok(send('GET', `${organization}/invites/`))).count, 0)
  t.equal((await ok(send('GET', '/api/personal_api_keys/'))).length, 1)
  t.equal((await ok(send('GET', ME))).email, OWNER)
  t.equal((await ok(send('GET', `/api/projects/${first.project_id}/`))).api_token, first.project_token)
  t.equal((await entries(app)).length, count)
})

for (const engine of nextEngines())
  t.test(`records the verification of a domain once it succeeds (${engine})`, async (t) => {
    const zone: Zone = {}
    const app = await openApp(t, engine, { environment: { DNS_SERVERS: await openNameserver(t, zone) } })
    const domains = `/api/organizations/${app.first.organization_id}/domains` as const
    const { id, verification_challenge } = await ok(
      app.send('POST', `${domains}/`, { body: { domain: 'one.example' } }),
    )
    await ok(app.send('POST', `${domains}/${id}/verify/`))
    zone['_workspace-challenge.one.example'] = { txt: [[verification_challenge]] }
    await ok(app.send('POST', `${domains}/${id}/verify/`))
    const found = await entries(app, '?area=domains')
    t.strictSame(
      found.map(({ activity }) => activity),
      ['verified', 'created'],
    )
  })

for (const engine of nextEngines())
  t.test(`old entries and expired sessions are deleted (${engine})`, async (t) => {
    const app = await openApp(t, engine, { environment: { ACTIVITY_RETENTION_DAYS: '30' } })
    await app.setPassword(PASSWORD)
    await openBrowser(app).signIn(OWNER, PASSWORD)
    const rows = async (table: 'activity_log' | 'sessions') =>
      (await app.deps.db.all(table === 'sessions' ? sql`select id from sessions` : sql`select id from activity_log`))
        .length
    const before = await rows('activity_log')
    await app.deps.purger.work()
    t.equal(await rows('activity_log'), before)
    t.equal(await rows('sessions'), 1)
    app.advance(31 * 86_400_000)
    await ok(app.send('PATCH', `/api/organizations/${app.first.organization_id}/`, { body: { name: 'Late' } }))
    await app.deps.purger.work()
    t.equal(await rows('activity_log'), 1)
    t.equal(await rows('sessions'), 0)
  })

for (const engine of nextEngines())
  t.test(`the user gets an email about new addresses and new keys (${engine})`, async (t) => {
    const environment = {
      SMTP_URL: 'smtp://127.0.0.1:9',
      SITE_URL: 'http://localhost',
      ROLE: 'api',
      TRUST_PROXY: 'true',
    }
    const app = await openApp(t, engine, { environment })
    await app.setPassword(PASSWORD)
    const signIn = (address: string) =>
      openBrowser(app).send('POST', '/api/login/', {
        body: { email: OWNER, password: PASSWORD },
        headers: { 'x-forwarded-for': address },
      })
    const notices = async (): Promise<string[]> => {
      const rows = await app.deps.db.all<{ content: string }>(
        sql`select content from letters where kind = 'account_notice' order by id`,
      )
      return rows.map(({ content }) => JSON.parse(content)).map(({ event, detail }) => `${event} ${detail}`)
    }
    for (const address of ['203.0.113.1', '203.0.113.1']) await ok(signIn(address))
    t.strictSame(await notices(), [], 'not for the first address')
    for (const address of ['203.0.113.2', '203.0.113.2', '203.0.113.1']) await ok(signIn(address))
    await ok(app.send('POST', '/api/personal_api_keys/', { body: { label: 'Report', scopes: ['*'] } }))
    t.strictSame(await notices(), ['new_sign_in 203.0.113.2', 'key_created Report'])
  })

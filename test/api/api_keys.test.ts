import t from 'tap'
import { openDatabase } from '../../src/sql/open.ts'
import { sql } from '../../src/sql/template.ts'
import * as store from '../../src/store/api_keys.ts'
import { onBothEngines } from '../helpers/app.ts'
import { itemAt } from '../helpers/assertions/items.ts'

const HOUR = 3_600_000

const KEYS = '/api/personal_api_keys/'

onBothEngines(t, 'creates, uses, rolls and revokes a key', async (t, { call, deps, first }) => {
  const created = await call('api_keys.create', {
    body: { label: ' Report ', scopes: ['organization:read', 'organization:read'] },
  })
  t.match(created, {
    status: 201,
    body: {
      label: 'Report',
      scopes: ['organization:read'],
      scoped_teams: [],
      scoped_organizations: [],
      expires_at: null,
      last_used_at: null,
      user_id: 1,
    },
  })
  const value = String(created.body.value)
  t.match(value, /^phx_/)
  t.equal(created.body.mask_value, `${value.slice(0, 4)}...${value.slice(-4)}`)

  t.equal((await call('organizations.list', { key: value })).status, 200)
  t.equal((await call('organizations.create', { key: value, body: { name: 'x' } })).status, 403)
  t.match((await call('api_keys.current', { key: value })).body, { id: created.body.id, value: null })
  t.equal((await call('api_keys.list', { key: value })).status, 403, 'managing keys requires all scopes')

  const list = await call('api_keys.list')
  t.strictSame(
    list.body.map((key) => key.label),
    ['Report', 'First key'],
    'newest first',
  )
  t.notOk(list.text.includes(value) || list.text.includes(first.api_key), 'no value is shown again')
  const stored = await deps.db.all({ strings: ['select * from api_keys'], parts: [] })
  t.notOk(JSON.stringify(stored).includes(value), 'no value is stored')

  const rolled = await call('api_keys.roll', { params: { id: created.body.id } })
  t.match(rolled, { status: 200, body: { id: created.body.id, label: 'Report', scopes: ['organization:read'] } })
  t.equal((await call('organizations.list', { key: value })).status, 401)
  t.equal((await call('organizations.list', { key: rolled.body.value })).status, 200)

  t.equal((await call('api_keys.revoke', { params: { id: created.body.id } })).status, 204)
  t.equal((await call('api_keys.revoke', { params: { id: created.body.id } })).status, 404)
  t.equal((await call('api_keys.retrieve', { params: { id: created.body.id } })).status, 404)
  t.match(await call('organizations.list', { key: rolled.body.value }), {
    status: 401,
    body: { code: 'authentication_failed' },
  })

  const self = (await call('api_keys.current')).body.id
  t.equal((await call('api_keys.revoke', { params: { id: self } })).status, 204, 'a key may revoke itself')
  t.equal((await call('users.me')).status, 401)
})

onBothEngines(
  t,
  'a key stops working when another process rolls it, revokes it or disables its user',
  async (t, { call, deps }) => {
    const other = await openDatabase(deps.config.DATABASE_URL)
    const status = async (key: string): Promise<number> => (await call('users.me', { key })).status
    for (const end of [
      (id: string) => store.remove(other, id),
      (id: string) => store.roll(other, id, { value_hash: id, mask_value: 'phx_...x' }),
      () => other.run(sql`update users set is_active = ${false}`),
    ]) {
      const { id, ...created } = (await call('api_keys.create', { body: { label: 'Remembered', scopes: ['*'] } })).body
      const value = String(created.value)
      t.same([await status(value), await status(value)], [200, 200])
      await end(id)
      t.equal(await status(value), 401)
    }
    await other.close()
  },
)

onBothEngines(t, 'a key stops working when it expires', async (t, { call, advance }) => {
  for (const [sent, stored] of [
    ['2026-02-01 03:00', '2026-02-01T03:00:00.000Z'],
    ['2026-02-01T03:00:00+0200', '2026-02-01T01:00:00.000Z'],
    ['2026-02-01', '2026-02-01T00:00:00.000Z'],
    ['2026-02-01T03:00:00.123456-05:30', '2026-02-01T08:30:00.123Z'],
  ])
    t.equal(
      (await call('api_keys.create', { body: { label: 'x', scopes: ['*'], expires_at: sent } })).body.expires_at,
      stored,
    )
  for (const expires_at of [
    'tomorrow',
    '2026-02-30',
    '2025-12-31',
    '2026-13-01T00:00:00Z',
    '2026-02-01T25:00',
    '',
    ' ',
    '2026-02-01T00:00:00+99:00',
  ])
    t.match(
      await call('api_keys.create', { body: { label: 'x', scopes: ['*'], expires_at } }),
      { status: 400, body: { code: 'invalid_input', attr: 'expires_at' } },
      expires_at,
    )

  const day = await call('api_keys.create', {
    body: { label: 'day', scopes: ['*'], expires_at: '2026-01-02T00:00:00Z' },
  })
  t.equal((await call('users.me', { key: day.body.value })).status, 200)
  const more = { label: 'more', scopes: ['*'] }
  t.equal(
    (await call('api_keys.create', { key: day.body.value, body: more })).status,
    403,
    'a new key cannot expire later than the key that creates it',
  )
  advance(24 * 3_600_000)
  t.match(await call('users.me', { key: day.body.value }), {
    status: 401,
    body: { code: 'authentication_failed' },
  })
})

onBothEngines(t, 'records the use of a key at most once an hour', async (t, { deps, first, advance, app }) => {
  const lastUse = async (): Promise<string | null> => itemAt(await store.list(deps.db, 1), 0).last_used_at
  const use = () => app.inject({ url: '/api/users/@me/', headers: { authorization: `Bearer ${first.api_key}` } })
  const nextUse = async (before: string | null): Promise<string> => {
    for (;;) {
      const now = await lastUse()
      if (now !== null && now !== before) return now
      await new Promise(setImmediate)
    }
  }
  await use()
  const once = await nextUse(null)
  advance(HOUR / 2)
  await use()
  advance(HOUR)
  await use()
  t.ok(Date.parse(await nextUse(once)) >= Date.parse(once) + HOUR, 'not after half an hour')
})

onBothEngines(
  t,
  'a restricted key only sees its organizations or projects, and creates no key with more access',
  async (t, app) => {
    const { call, first, stranger } = app
    const outsider = await stranger('outsider@example.com')
    const second = (await call('organizations.create', { body: { name: 'Second' } })).body
    const sub = (await call('projects.create', { body: { name: 'Sub', organization: second.id } })).body

    const inOne = (
      await call('api_keys.create', {
        body: { label: 'one', scopes: ['*'], scoped_organizations: [first.organization_id] },
      })
    ).body
    t.strictSame(inOne.scoped_organizations, [first.organization_id])
    const key = inOne.value
    t.match((await call('organizations.list', { key })).body, {
      count: 1,
      results: [{ id: first.organization_id }],
    })
    t.equal((await call('organizations.retrieve', { params: { id: second.id }, key })).status, 404)
    t.equal(
      (await call('organizations.retrieve', { params: { id: '@current' }, key })).body.id,
      first.organization_id,
      '@current respects the restrictions',
    )
    t.match((await call('projects.list', { key })).body, { count: 1, results: [{ id: first.project_id }] })
    t.equal((await call('projects.retrieve', { params: { id: sub.id }, key })).status, 404)
    t.match((await call('users.me', { key })).body, {
      organization: { id: first.organization_id },
      team: { id: first.project_id },
    })
    t.equal((await call('organizations.create', { key, body: { name: 'x' } })).status, 403)
    t.match(await call('projects.create', { key, body: { name: 'x', organization: second.id } }), {
      status: 400,
      body: { code: 'does_not_exist' },
    })

    t.equal(
      (await call('api_keys.create', { key, body: { label: 'all', scopes: ['*'] } })).status,
      403,
      'a restricted key cannot create an unrestricted one',
    )
    const wider = { label: 'w', scopes: ['*'], scoped_organizations: [first.organization_id, second.id] }
    t.match(await call('api_keys.create', { key, body: wider }), {
      status: 400,
      body: { code: 'does_not_exist', attr: 'scoped_organizations__1' },
    })
    t.equal(
      (await call('api_keys.create', { key, body: { ...wider, scoped_organizations: [first.organization_id] } }))
        .status,
      201,
    )
    const all = (await call('api_keys.current')).body.id
    t.equal(
      (await call('api_keys.roll', { params: { id: all }, key })).status,
      403,
      'a restricted key cannot roll an unrestricted one',
    )
    t.equal((await call('api_keys.revoke', { params: { id: all }, key })).status, 403)
    t.equal((await call('api_keys.roll', { params: { id: inOne.id }, key })).status, 200, 'it may roll itself')

    const inProject = (await call('api_keys.create', { body: { label: 'p', scopes: ['*'], scoped_teams: [sub.id] } }))
      .body.value
    t.equal((await call('projects.retrieve', { params: { id: sub.id }, key: inProject })).status, 200)
    t.equal((await call('projects.retrieve', { params: { id: first.project_id }, key: inProject })).status, 404)
    t.equal(
      (await call('organizations.retrieve', { params: { id: second.id }, key: inProject })).status,
      404,
      'access to a project does not include its organization',
    )
    t.equal((await call('organizations.list', { key: inProject })).body.count, 0)
    t.match((await call('users.me', { key: inProject })).body, { organization: null, team: { id: sub.id } })

    for (const [field, ids] of [
      ['scoped_organizations', [outsider.organization_id]],
      ['scoped_organizations', ['x']],
      ['scoped_teams', [outsider.project_id]],
      ['scoped_teams', [-1]],
    ] as const)
      t.match(await call('api_keys.create', { body: { label: 'x', scopes: ['*'], [field]: ids } }), {
        status: 400,
        body: { code: 'does_not_exist', attr: `${field}__0` },
      })
  },
)

onBothEngines(t, 'rejects invalid keys and more than ten active keys of a user', async (t, { call, send, member }) => {
  const cases: [object, object][] = [
    [{ scopes: ['*'] }, { code: 'required', attr: 'label' }],
    [
      { label: '', scopes: ['*'] },
      { code: 'blank', attr: 'label' },
    ],
    [
      { label: 'x'.repeat(41), scopes: ['*'] },
      { code: 'max_length', attr: 'label' },
    ],
    [{ label: 'x' }, { code: 'required', attr: 'scopes' }],
    [
      { label: 'x', scopes: [] },
      { code: 'empty', attr: 'scopes' },
    ],
    [
      { label: 'x', scopes: '*' },
      { code: 'not_a_list', attr: 'scopes' },
    ],
    [
      { label: 'x', scopes: ['*', 'everything'] },
      { code: 'invalid_choice', attr: 'scopes__1' },
    ],
    [
      { label: 'x', scopes: [null] },
      { code: 'null', attr: 'scopes__0' },
    ],
    [
      { label: 'x', scopes: ['*'], scoped_teams: ['1'] },
      { code: 'invalid_input', attr: 'scoped_teams__0' },
    ],
  ]
  for (const [body, error] of cases) t.match(await call('api_keys.create', { body }), { status: 400, body: error })

  const other = await member('other@example.com', 15)
  t.equal(
    (
      await call('api_keys.retrieve', {
        params: { id: (await send('GET', `${KEYS}@current/`, { key: other.key })).body.id },
      })
    ).status,
    404,
    "an owner cannot see another user's keys",
  )

  const many = await Promise.all(
    Array.from({ length: 12 }, () => call('api_keys.create', { body: { label: 'x', scopes: ['query:read'] } })),
  )
  t.equal(
    many.filter((response) => response.status === 201).length,
    9,
    'concurrent requests create at most ten active keys',
  )
  t.match(
    many.find((response) => response.status !== 201),
    { status: 400, body: { code: 'invalid_input', attr: null } },
  )
})

onBothEngines(t, 'reads the key from the Authorization header', async (t, { call, first }) => {
  const request = (authorization: string) => call('users.me', { key: null, headers: { authorization } })
  t.equal((await request(`Bearer   ${first.api_key}  `)).status, 200)
  t.equal((await request(`bearer ${first.api_key}`)).status, 200)
  for (const other of ['', 'Bearer', 'Bearer ', `Token ${first.api_key}`, `Basic ${first.api_key}`, first.api_key])
    t.match(await request(other), { status: 401, body: { code: 'not_authenticated' } }, `"${other.slice(0, 8)}"`)
  for (const bad of ['Bearer x', `Bearer ${first.api_key}x`, `Bearer ${'x'.repeat(5000)}`, 'Bearer é'])
    t.match(await request(bad), { status: 401, body: { code: 'authentication_failed' } })
  const { body } = await request(`Bearer ${first.api_key}`)
  t.match(body, {
    email: 'owner@example.com',
    is_email_verified: null,
    organization: { membership_level: 15 },
    team: { id: first.project_id },
  })
  t.equal((await call('users.me', { key: null })).headers['www-authenticate'], undefined)
})

onBothEngines(t, 'updates a key', async (t, { call, send, session, advance, first }) => {
  const created = (await call('api_keys.create', { body: { label: 'Report', scopes: ['organization:read'] } })).body
  const status = async (path: string): Promise<number> => (await send('GET', path, { key: created.value })).status
  t.same([await status('/api/organizations/'), await status('/api/projects/@current/events/')], [200, 403])
  const changed = await call('api_keys.update', {
    params: { id: created.id },
    body: { label: ' Events ', scopes: ['query:read', 'query:read'] },
  })
  t.match(changed, { status: 200, body: { id: created.id, label: 'Events', scopes: ['query:read'], value: null } })
  t.same([await status('/api/organizations/'), await status('/api/projects/@current/events/')], [403, 200])
  t.equal((await call('api_keys.retrieve', { params: { id: created.id } })).body.label, 'Events')
  t.equal(
    (await call('api_keys.update', { params: { id: created.id } })).body.label,
    'Events',
    'a request without a body changes nothing',
  )
  t.equal(
    (await call('api_keys.update', { params: { id: created.id }, key: created.value, body: { scopes: ['*'] } })).status,
    403,
    'a key without all scopes cannot change itself',
  )

  for (const [body, error] of [
    [{ scopes: ['invalid'] }, { code: 'invalid_choice', attr: 'scopes__0' }],
    [{ scopes: ['query:read', 'organization:all'] }, { code: 'invalid_choice', attr: 'scopes__1' }],
    [{ scopes: [] }, { code: 'empty', attr: 'scopes' }],
    [{ scopes: null }, { code: 'null', attr: 'scopes' }],
    [{ scopes: 'query:read' }, { code: 'not_a_list', attr: 'scopes' }],
    [{ label: ' ' }, { code: 'blank', attr: 'label' }],
    [{ label: 'x'.repeat(41) }, { code: 'max_length', attr: 'label' }],
    [{ scoped_teams: [999_999] }, { code: 'does_not_exist', attr: 'scoped_teams__0' }],
    [
      { label: 'x', expires_at: '2025-01-01' },
      { code: 'invalid_input', attr: 'expires_at' },
    ],
  ] as const) {
    t.match(await call('api_keys.update', { params: { id: created.id }, body }), {
      status: 400,
      body: { type: 'validation_error', ...error },
    })
    if ('scopes' in body)
      t.match(await call('api_keys.create', { body: { label: 'x', ...body } }), { status: 400, body: error })
  }
  // The use of the key above is recorded in the background.
  const { last_used_at: _, ...unchanged } = changed.body
  t.match(
    (await call('api_keys.retrieve', { params: { id: created.id } })).body,
    unchanged,
    'a rejected update changes nothing',
  )

  const limits = { scoped_organizations: [first.organization_id], expires_at: '2026-01-02T00:00:00.000Z' }
  t.match(
    await call('api_keys.update', { params: { id: created.id }, key: null, headers: await session(), body: limits }),
    { status: 200, body: limits },
  )
  t.equal(await status('/api/projects/@current/events/'), 200)
  advance(48 * HOUR)
  t.equal(await status('/api/projects/@current/events/'), 401)
  t.match(await call('api_keys.update', { params: { id: created.id }, body: { expires_at: null } }), {
    status: 400,
    body: { attr: 'expires_at' },
  })
  t.match(await call('api_keys.update', { params: { id: created.id }, body: { ...limits, label: 'Old' } }), {
    status: 200,
    body: { label: 'Old' },
  })
})

onBothEngines(t, 'a key cannot give another key more access or a later expiry than its own', async (t, app) => {
  const { call, first, stranger } = app
  const second = (await call('organizations.create', { body: { name: 'Second' } })).body
  const make = async (body: object) =>
    (await call('api_keys.create', { body: { label: 'x', scopes: ['*'], ...body } })).body as {
      id: string
      value: string
    }
  const open = await make({})
  const within = await make({ scoped_organizations: [first.organization_id] })
  const { value: key, id: self } = await make({
    scoped_organizations: [first.organization_id],
    expires_at: '2027-01-01T00:00:00Z',
  })
  const brief = await make({ scoped_organizations: [first.organization_id], expires_at: '2026-06-01T00:00:00Z' })
  const change = (id: string, body: object) => call('api_keys.update', { params: { id }, key, body })

  t.equal((await change(open.id, { label: 'y' })).status, 403, 'it has more access')
  t.equal((await change(within.id, { label: 'y' })).status, 403, 'it expires later')
  t.equal((await change(brief.id, { label: 'y' })).status, 200)
  t.equal((await change(brief.id, { scoped_organizations: [] })).status, 403)
  t.equal((await change(brief.id, { expires_at: null })).status, 403)
  t.match(await change(brief.id, { scoped_organizations: [second.id] }), {
    status: 400,
    body: { code: 'does_not_exist' },
  })
  const narrower = { scoped_teams: [first.project_id] }
  t.equal((await change(brief.id, narrower)).status, 403, 'the restrictions of other keys are closed to keys')
  const headers = await app.session()
  t.match(await call('api_keys.update', { params: { id: brief.id }, key: null, headers, body: narrower }), {
    status: 200,
    body: { label: 'y', scoped_teams: [first.project_id], scoped_organizations: [first.organization_id] },
  })
  t.equal((await change(self, { expires_at: null })).status, 403, 'a key cannot extend its own expiry')
  t.equal((await change(self, { scopes: ['query:read'] })).status, 200, 'a key can drop its own scopes')
  t.equal((await change(self, { scopes: ['*'] })).status, 403)
  const other = await stranger('other@example.com')
  t.equal(
    (await call('api_keys.update', { params: { id: open.id }, key: other.key, body: { label: 'mine' } })).status,
    404,
  )
})

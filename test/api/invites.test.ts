import { PassThrough } from 'node:stream'
import t from 'tap'
import { composeInvites } from '../../src/organizations/invites.ts'
import { sql } from '../../src/sql/template.ts'
import { nextEngines, onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { cycled } from '../helpers/assertions/items.ts'

const HOUR = 3_600_000
const invitesOf = ({ first }: TestApp) => `/api/organizations/${first.organization_id}/invites/` as const

onBothEngines(t, 'without email, the response contains the token of an invite once', async (t, app) => {
  const { call, send } = app
  const url = invitesOf(app)
  const created = await call('invites.create', {
    body: { target_email: '  Grace@EXAMPLE.com ', first_name: ' Grace ', message: 'Hello', level: 8 },
  })
  t.match(created, {
    status: 201,
    body: {
      target_email: 'Grace@example.com',
      first_name: 'Grace',
      level: 8,
      message: 'Hello',
      emailing_attempt_made: false,
      is_expired: false,
      created_by: { email: 'owner@example.com' },
      signup_token: /^\w{43}$/,
    },
  })
  const list = await call('invites.list')
  t.match(list.body, { count: 1, results: [{ id: created.body.id }] })
  t.notOk(list.text.includes(String(created.body.signup_token)))
  const rows = await app.deps.db.all(sql`select * from invites`)
  t.notOk(JSON.stringify(rows).includes(String(created.body.signup_token)), 'only its hash is stored')

  const again = await call('invites.create', { body: { target_email: 'GRACE@example.com' } })
  t.match(again, { status: 201, body: { level: 1, first_name: '', message: null } })
  t.not(again.body.id, created.body.id)
  t.match(
    (await call('invites.list')).body,
    { count: 1, results: [{ id: again.body.id }] },
    'a new invite replaces an earlier one to the same address',
  )
  t.match(
    await call('signup.retrieve', {
      params: { invite_id: created.body.id },
      query: { token: created.body.signup_token },
      key: null,
    }),
    {
      status: 400,
      body: { code: 'invalid_input' },
    },
  )

  await call('invites.create', { body: { target_email: 'second@example.com' } })
  t.strictSame(
    (await call('invites.list')).body.results.map((i) => i.target_email),
    ['second@example.com', 'GRACE@example.com'],
    'newest first',
  )
  t.equal((await call('invites.delete', { params: { id: again.body.id } })).status, 204)
  t.equal((await call('invites.delete', { params: { id: again.body.id } })).status, 404)
  t.equal((await send('GET', `${url}${again.body.id}/`)).status, 405)
  app.advance(73 * HOUR)
  t.match((await call('invites.list')).body.results, [{ is_expired: true }], 'expired invites stay in the list')
})

onBothEngines(t, 'members invite at most at their own level', async (t, app) => {
  const { call, member } = app
  const people = {
    1: await member('member@example.com', 1),
    8: await member('admin@example.com', 8),
    15: await member('owner2@example.com', 15),
  } as const
  let n = 0
  for (const own of [1, 8, 15] as const)
    for (const level of [1, 8, 15] as const)
      for (const [id, status] of [
        ['invites.create', 201],
        ['invites.bulk', 200],
      ] as const) {
        const input = { target_email: `target${++n}@example.com`, level }
        const body = id === 'invites.bulk' ? [{ target_email: `ok${n}@example.com` }, input] : input
        const response = await call(id, { key: people[own].key, body })
        t.equal(response.status, level > own ? 403 : status, `level ${own} invites at level ${level} with ${id}`)
      }
  t.equal(
    (await call('invites.list')).body.count,
    3 * 3 + 6 + 3,
    'a rejected list creates none of its invites: six single, six pairs',
  )
  const one = (await call('invites.create', { key: people[8].key, body: { target_email: 'x@example.com', level: 8 } }))
    .body.id
  t.equal(
    (await call('invites.delete', { params: { id: one }, key: people[1].key })).status,
    204,
    'any member can delete an invite',
  )

  const high = (
    await call('invites.create', { key: people[8].key, body: { target_email: 'high@example.com', level: 8 } })
  ).body.id
  const low = (
    await call('invites.create', { key: people[8].key, body: { target_email: 'low@example.com', level: 1 } })
  ).body.id
  const ids = async () => (await call('invites.list')).body.results.map((i) => i.id)
  await call('members.update', {
    params: { user__uuid: people[8].uuid },
    body: { level: 1 },
  })
  t.notOk((await ids()).includes(high), 'lowering a level deletes the invites above it')
  t.ok((await ids()).includes(low))
  await call('members.remove', { params: { user__uuid: people[8].uuid } })
  t.notOk((await ids()).includes(low), 'removing a member deletes their invites')
})

onBothEngines(t, 'rejects invalid invites', async (t, app) => {
  const { call } = app
  await app.member('Member@example.com', 1)
  const address = 'x@example.com'
  const cases: [object, { code: string; attr: string | null }][] = [
    [{}, { code: 'required', attr: 'target_email' }],
    [{ target_email: null }, { code: 'null', attr: 'target_email' }],
    [{ target_email: '  ' }, { code: 'blank', attr: 'target_email' }],
    [{ target_email: 'nobody' }, { code: 'invalid_input', attr: 'target_email' }],
    [{ target_email: 'a@b@c' }, { code: 'invalid_input', attr: 'target_email' }],
    [{ target_email: '"a@b"@example.com' }, { code: 'invalid_input', attr: 'target_email' }],
    [{ target_email: 'x\r\nBcc: y@example.com' }, { code: 'invalid_input', attr: 'target_email' }],
    [{ target_email: `${'x'.repeat(250)}@example.com` }, { code: 'max_length', attr: 'target_email' }],
    [
      { target_email: address, first_name: 'x'.repeat(31) },
      { code: 'max_length', attr: 'first_name' },
    ],
    [
      { target_email: address, first_name: null },
      { code: 'null', attr: 'first_name' },
    ],
    [
      { target_email: address, level: 5 },
      { code: 'invalid_choice', attr: 'level' },
    ],
    [
      { target_email: address, level: 0 },
      { code: 'invalid_choice', attr: 'level' },
    ],
    [
      { target_email: address, message: 5 },
      { code: 'invalid_input', attr: 'message' },
    ],
    [
      { target_email: address, message: 'x'.repeat(1001) },
      { code: 'max_length', attr: 'message' },
    ],
    [
      { target_email: address, first_name: 'A\r\nB' },
      { code: 'invalid_input', attr: 'first_name' },
    ],
    [{ target_email: 'member@EXAMPLE.com' }, { code: 'invalid_input', attr: null }],
  ]
  for (const [body, error] of cases) {
    t.match(await call('invites.create', { body }), { status: 400, body: error }, JSON.stringify(body).slice(0, 60))
    const attr = error.attr === null ? '1__target_email' : `1__${error.attr}`
    t.match(
      await call('invites.bulk', { body: [{ target_email: 'fine@example.com' }, body] }),
      { status: 400, body: { code: error.code, attr } },
      'in a list, `attr` has the index',
    )
    t.match(await call('invites.bulk', { body }), { status: 400, body: error }, 'as a single object')
  }
  t.equal((await call('invites.list')).body.count, 0, 'nothing was created')
})

onBothEngines(t, 'creates all invites of a list or none', async (t, app) => {
  const { call } = app
  const people = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ target_email: `p${i}@example.com`, first_name: `P${i}` }))
  const twenty = await call('invites.bulk', { body: people(20) })
  t.equal(twenty.status, 200)
  const created = [twenty.body].flat()
  t.strictSame(
    created.map((i) => i.first_name),
    people(20).map((p) => p.first_name),
    'in the order sent',
  )
  t.ok(created.every((i) => i.signup_token))
  await app.deps.db.run(sql`delete from invites`)
  t.match(await call('invites.bulk', { body: people(21) }), { status: 400, body: { code: 'max_length', attr: null } })
  t.match(await call('invites.bulk', { body: [...people(2), { target_email: 'P1@example.com' }] }), {
    status: 400,
    body: { code: 'unique', attr: '2__target_email' },
  })
  t.same((await call('invites.bulk', { body: [] })).body, [])
  t.match(
    await call('invites.bulk', { body: { target_email: 'one@example.com' } }),
    { status: 200, body: { target_email: 'one@example.com' } },
    'a single object returns a single invite',
  )
  for (const wrong of ['x', 5, [5], ['x'], [[]]]) t.equal((await call('invites.bulk', { body: wrong })).status, 400)
  t.equal((await call('invites.list')).body.count, 1)
})

for (const engine of nextEngines())
  t.test(`a database error in the middle of a list creates no invite (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    await app.deps.db.exec(
      engine === 'sqlite'
        ? `create trigger refuse before insert on invites when new.target_email = 'p3@example.com' begin select raise(abort, 'refused'); end`
        : `create function refuse() returns trigger language plpgsql as $$ begin if new.target_email = 'p3@example.com' then raise exception 'refused'; end if; return new; end $$;
           create trigger refuse before insert on invites for each row execute function refuse()`,
    )
    const body = Array.from({ length: 5 }, (_, i) => ({ target_email: `p${i}@example.com` }))
    t.equal((await app.call('invites.bulk', { body })).status, 500)
    t.equal((await app.call('invites.list')).body.count, 0)
    t.equal((await app.call('invites.bulk', { body: body.slice(0, 3) })).status, 200)
  })

t.test('the log explains how to configure email', async (t) => {
  const log = new PassThrough()
  let lines = ''
  log.on('data', (chunk) => {
    lines += chunk
  })
  const app = await openApp(t, 'sqlite', { log })
  const { body } = await app.call('invites.create', { body: { target_email: 'x@example.com' } })
  t.match(lines, /SMTP_URL/)
  t.notOk(lines.includes(String(body.signup_token)))
})

const LIMITED = { environment: { RATE_LIMITS: 'true' } }

onBothEngines(
  t,
  'an organization can invite an address at most 3 times an hour and 10 times a day',
  async (t, app) => {
    const { call, stranger, advance } = app
    const invite = (target_email = 'grace@example.com') => call('invites.create', { body: { target_email } })
    const created = await invite()
    t.equal(created.status, 201)
    await call('invites.delete', { params: { id: created.body.id } })
    t.equal((await invite('GRACE@example.com')).status, 201)
    const pair = ['other@example.com', 'grace@example.com'].map((target_email) => ({ target_email }))
    t.equal((await call('invites.bulk', { body: pair })).status, 200)

    const refused = await invite()
    t.match(refused, { status: 429, body: { type: 'throttled_error', code: 'throttled', attr: null } })
    const wait = Number(refused.headers['retry-after'])
    t.ok(wait > 3_500 && wait <= 3_600, `${wait} seconds`)
    t.match(await call('invites.bulk', { body: [{ target_email: 'third@example.com' }, pair[1]] }), {
      status: 429,
      headers: { 'retry-after': /^\d+$/ },
      body: { attr: '1__target_email' },
    })
    const listed = (await call('invites.list')).body.results.map((one) => one.target_email).sort()
    t.strictSame(listed, ['grace@example.com', 'other@example.com'], 'a rejected list creates no invite')
    t.equal((await invite('fourth@example.com')).status, 201, 'each address has its own limit')
    const other = await stranger('stranger@example.com')
    const elsewhere = await call('invites.create', {
      params: { organization_id: other.organization_id },
      key: other.key,
      body: { target_email: 'grace@example.com' },
    })
    t.equal(elsewhere.status, 201, 'each organization has its own limit')

    advance(wait * 1_000)
    t.equal((await invite()).status, 201)
    for (let count = 4; count < 10; ) {
      advance(HOUR)
      for (let i = 0; i < 3 && count < 10; i++, count++)
        t.equal((await invite()).status, 201, `${count + 1} of the day`)
    }
    advance(HOUR)
    const daily = await invite()
    t.equal(daily.status, 429)
    t.ok(Number(daily.headers['retry-after']) > 10 * 3_600)
    advance(Number(daily.headers['retry-after']) * 1_000)
    t.equal((await invite()).status, 201)
  },
  LIMITED,
)

onBothEngines(
  t,
  'creating organizations does not lift the limit of the inviter',
  async (t, app) => {
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) {
      const { body } = await app.call('organizations.create', { body: { name: `Throw-away ${i}` } })
      for (let j = 0; j < 2; j++)
        statuses.push(
          (
            await app.call('invites.create', {
              params: { organization_id: body.id },
              body: { target_email: 'grace@example.com' },
            })
          ).status,
        )
      await app.call('organizations.delete', { params: { id: body.id } })
    }
    t.strictSame(statuses, [...Array(10).fill(201), 429, 429])
  },
  LIMITED,
)

for (const engine of nextEngines())
  t.test(`the limit applies to concurrent invites (${engine})`, async (t) => {
    const app = await openApp(t, engine, LIMITED)
    const admins = await Promise.all([1, 2, 3].map((i) => app.member(`admin${i}@example.com`, 8)))
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        app.call('invites.create', { key: cycled(admins, i).key, body: { target_email: 'grace@example.com' } }),
      ),
    )
    t.strictSame(responses.map(({ status }) => status).sort(), [...Array(3).fill(201), ...Array(9).fill(429)])
  })

onBothEngines(
  t,
  'addresses of one mailbox count together',
  async (t, { call }) => {
    const invite = (target_email: string) => call('invites.create', { body: { target_email } })
    for (const address of ['target+1@example.com', 't.arget+2@example.com', 'TARGET@example.com'])
      t.equal((await invite(address)).status, 201, address)
    for (const address of ['target+3@example.com', 't.a.r.g.e.t@Example.com'])
      t.match(await invite(address), { status: 429, headers: { 'retry-after': /^\d+$/ } }, address)
    t.match(
      await call('invites.bulk', {
        body: [{ target_email: 'x@example.com' }, { target_email: 'target+4@example.com' }],
      }),
      {
        status: 429,
        body: { code: 'throttled', attr: '1__target_email', detail: /this mailbox/ },
      },
    )
    t.equal((await invite('target@example.org')).status, 201, 'another mailbox')
    t.equal((await invite('+1@example.com')).status, 201)
  },
  LIMITED,
)

onBothEngines(
  t,
  'an inviter creates at most 100 invites an hour, an organization 200',
  async (t, app) => {
    let made = 0
    const bulk = (key: string, count = 20) =>
      app.call('invites.bulk', {
        key,
        body: Array.from({ length: count }, () => ({ target_email: `person${made++}@example.com` })),
      })
    const other = await app.member('other@example.com', 8)
    const third = await app.member('third@example.com', 8)
    for (let i = 0; i < 5; i++) t.equal((await bulk(app.first.api_key)).status, 200)
    const own = await bulk(app.first.api_key, 1)
    t.match(own, { status: 429, body: { code: 'throttled', attr: null, detail: /You have created/ } })
    t.ok(Number(own.headers['retry-after']) > 3_500)
    for (let i = 0; i < 5; i++) t.equal((await bulk(other.key)).status, 200)
    t.match(await bulk(third.key, 1), { status: 429, body: { detail: /This organization has created/ } })
    app.advance(HOUR)
    t.equal((await bulk(app.first.api_key)).status, 200)
    t.equal((await app.call('invites.list')).body.count, 220, 'a rejected list creates no invite')
  },
  LIMITED,
)

for (const engine of nextEngines())
  t.test(`of two emails to a mailbox that are composed concurrently, one waits (${engine})`, async (t) => {
    const { deps, call } = await openApp(t, engine, {
      environment: { ...LIMITED.environment, SMTP_URL: 'smtp://127.0.0.1:9', SITE_URL: 'https://site.example' },
    })
    await deps.mailer?.stop()
    const body = ['a.da@example.com', 'ada@example.com'].map((target_email) => ({ target_email }))
    const created = [(await call('invites.bulk', { body })).body].flat()
    const composed = await Promise.all(
      created.map(({ id }, i) =>
        composeInvites(deps, 'https://site.example', { id: `mail ${i}`, content: { invite_id: id } }),
      ),
    )
    t.equal(composed.filter((mail) => mail && 'invites' in mail).length, 1)
    t.match(
      composed.find((mail) => mail && 'wait_until' in mail),
      { wait_until: /^2026-01-01T01:00/ },
    )
  })

/** Delivery to a table in PostgreSQL: rows, repeated deliveries and error messages. */
import { once } from 'node:events'
import { type AddressInfo, createServer, connect as dial, Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import pg from 'pg'
import t, { type Test } from 'tap'
import { EVENT_COLUMNS } from '../../src/events/extract.ts'
import type { Column } from '../../src/events/lines.ts'
import { openSource } from '../../src/events/source.ts'
import { type DeliveryJob, deliver, describeFailure } from '../../src/exports/deliver.ts'
import type { Delivery, Tools } from '../../src/exports/destination.ts'
import { createPostgres, postgres } from '../../src/exports/destinations/postgres.ts'
import { createOutbound } from '../../src/outbound/guard.ts'
import { nextEngines, openApp, type TestApp } from '../helpers/app.ts'
import { defined, itemAt, only } from '../helpers/assertions/items.ts'
import { SELF_SIGNED } from '../helpers/peers/certificate.ts'
import { emptyDatabase } from '../helpers/programs/postgres.ts'
import { insertEvents, NEW_YEAR, uuid } from '../helpers/seeds/events.ts'
import {
  FIRST_ATTEMPT,
  failureOf,
  ingest,
  jobFor,
  listener,
  logsOf,
  NEVER_ABORTED,
  plainEvents,
} from '../helpers/seeds/exports.ts'
import {
  assertAllEvents,
  type Cells,
  columnsOf,
  type DeliveredEvent,
  testLedger,
  testVersions,
} from './table-scenarios.ts'

interface Config {
  user: string
  password: string
  host: string
  port: number
  database: string
  schema?: string
  table_name?: string
  has_self_signed_cert?: boolean
}

interface TestDestination {
  config: Config
  query<Row = Record<string, string>>(text: string, values?: unknown[]): Promise<Row[]>
}

/** A separate database as the destination. */
async function openDestination(t: Test): Promise<TestDestination> {
  const { url, drop } = await emptyDatabase()
  const client = new pg.Client(url)
  client.on('error', () => undefined)
  await client.connect()
  t.teardown(async () => {
    await client.end()
    await drop()
  })
  const { username, password, hostname, port, pathname } = new URL(url)
  return {
    config: {
      user: username,
      password: decodeURIComponent(password),
      host: hostname,
      port: Number(port),
      database: pathname.slice(1),
    },
    query: async (text, values) => (await client.query(text, values)).rows,
  }
}

const jobTo = (app: TestApp, config: object, more: Partial<DeliveryJob> = {}): DeliveryJob =>
  jobFor(app, { type: 'Postgres', config: { ...config } }, more)

const toolsWith = (more: Partial<Tools> = {}): Tools => ({
  outbound: createOutbound({ allow: '127.0.0.1' }),
  files_root: '/nowhere',
  scratch: '/nowhere',
  signal: NEVER_ABORTED,
  checkpoint: async () => undefined,
  log: () => undefined,
  ...more,
})

const deliveryOf = ({ destination, ...job }: DeliveryJob, tools: Tools): Delivery<Config> => ({
  ...job,
  config: destination.config as unknown as Config,
  columns: postgres.columns,
  merge: null,
  tools,
})

/** The first page of events, as the destination receives it. */
async function pageOf(app: TestApp, limit: number) {
  const source = await openSource(app.deps.config.DATABASE_URL, false)
  const { project_id, range } = jobTo(app, {})
  const page = await source.page(
    {
      model: 'events',
      project_id,
      range,
      columns: postgres.columns,
      encoding: 'csv',
      include: null,
      exclude: null,
      where: null,
    },
    null,
    limit,
  )
  await source.close()
  return defined(page, 'a page')
}

for (const engine of nextEngines())
  t.test(`a table (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    app.advance(3_600_000)
    await ingest(app, [
      ...plainEvents(450),
      {
        uuid: uuid(0xfffff),
        event: 'odd "name",\n\\.\n\u0001\u2028',
        distinct_id: '',
        properties: {
          distinct_id: 'ü, ""',
          $elements_chain: 'a:text="x"',
          deep: { list: [1, 2.5, null, true] },
          $ip: '1.2.3.4',
          $set_once: { first: '\\N' },
        },
        timestamp: '1969-12-31T23:59:59.999999Z',
      },
    ])

    await t.test('contains every event with all its values', async (t) => {
      const { config, query } = await openDestination(t)
      const { reports, ...reporter } = listener()
      const { records, bytes } = await deliver(jobTo(app, config), reporter, NEVER_ABORTED)
      t.equal(records, 451)
      t.ok(bytes > 10_000)
      t.strictSame(await columnsOf(query), [
        'uuid character varying(200)',
        'event character varying(200)',
        'properties jsonb',
        'elements jsonb',
        'set jsonb',
        'set_once jsonb',
        'distinct_id character varying(200)',
        'team_id integer',
        'ip character varying(200)',
        'site_url character varying(200)',
        'timestamp timestamp with time zone',
      ])
      const rows = await query<DeliveredEvent>('select *, timestamp::text as at from events order by uuid')
      await assertAllEvents(t, app, rows)
      const { project_id } = app.first
      t.match(rows[0], { team_id: project_id, set: { plan: 'free' }, set_once: null, ip: null, site_url: '' })
      t.match(rows[450], { team_id: project_id, set: null, set_once: { first: '\\N' }, ip: '1.2.3.4' })
      t.match(rows[450]?.at, /:59\.999999\+/)
    })

    await t.test('gets no duplicates, and deleted rows are restored', async (t) => {
      const { config, query } = await openDestination(t)
      const job = jobTo(app, config)
      t.strictSame(await logsOf(job), [])
      t.strictSame(await logsOf({ ...job, attempt: 2 }), ['451 of 451 rows were already in the table.'])
      await query("delete from events where event = 'paid'")
      await deliver({ ...job, run_id: uuid(0xabd) }, listener(), NEVER_ABORTED)
      t.strictSame(await query('select count(*)::int as n, count(distinct uuid)::int as uuids from events'), [
        { n: 451, uuids: 451 },
      ])
      t.strictSame(await query("select to_regclass('workspace_admin_ledger') as ledger"), [{ ledger: null }])
    })

    await t.test('is created once by two concurrent deliveries', async (t) => {
      const hogql_query = 'select uuid, event from events'
      for (const selected of [null, hogql_query]) {
        const { config, query } = await openDestination(t)
        const job = jobTo(app, config, { hogql_query: selected })
        await Promise.all([1, 2, 3].map((attempt) => deliver({ ...job, attempt }, listener(), NEVER_ABORTED)))
        t.strictSame(await query('select count(*)::int as n from events'), [{ n: 451 }])
      }
    })

    await t.test('has the columns of a query, and the ledger prevents duplicates', async (t) => {
      const { config, query } = await openDestination(t)
      const long = `${'ä'.repeat(31)}bcd`
      const hogql_query = `select event as name, toInt(properties.number) as n, timestamp, toDate(timestamp) as day, toInt(properties.number) / 2 as half, toInt(properties.number) > 5 as big, [toInt(properties.number), 1] as list, person.properties as who, properties.missing as none, properties, uuid, event as "odd ""name", event as \`${long}\` from events where event = 'paid' and n < 10`
      const job = jobTo(app, { ...config, table_name: 'my "table"' }, { hogql_query })
      await deliver(job, listener(), NEVER_ABORTED)
      const rows = await query('select *, pg_typeof(n)::text as type from "my ""table""" order by n')
      t.strictSame(
        rows.map(({ n }) => Number(n)),
        [1, 4, 7],
      )
      t.match(rows[2], {
        name: 'paid',
        type: 'bigint',
        timestamp: new Date('2026-01-01T00:00:07Z'),
        half: 3.5,
        big: true,
        list: [7, 1],
        who: { plan: 'free' },
        none: null,
        properties: { number: 7 },
        uuid: uuid(8),
        [`${'ä'.repeat(31)}b`]: 'paid',
      })
      const { day } = only(await query<{ day: string }>('select day::text from "my ""table""" where n = 7'))
      t.equal(day, '2026-01-01')

      await testLedger(t, query, job, '"my ""table"""', 3)
    })

    await t.test('created by others, with other types and without a key, is supported', async (t) => {
      const { config, query } = await openDestination(t)
      await query('create schema theirs')
      await query(
        `create table theirs.t (id bigserial primary key, timestamp text, uuid uuid, event varchar(3), properties json,
         elements text, set text, set_once jsonb, distinct_id text, team_id text, ip text, site_url text, more int)`,
      )
      const job = jobTo(app, { ...config, schema: 'theirs', table_name: 't' })
      await deliver(job, listener(), NEVER_ABORTED)
      t.match(await logsOf({ ...job, attempt: 2 }), [/already delivered/])
      const rows = await query('select * from theirs.t order by id')
      t.equal(rows.length, 451)
      t.match(rows[1], { uuid: uuid(2), event: 'pai', properties: { number: 1 }, set: '{"plan":"free"}' })
    })

    await t.test('is unchanged by a run that is killed', async (t) => {
      const { config, query } = await openDestination(t)
      const kill = () =>
        query(
          `select pg_terminate_backend(pid, 10000) from pg_stat_activity
           where datname = current_database() and application_name = 'workspace-admin'`,
        )
      const page = await pageOf(app, 200)
      for (const step of ['write', 'commit'] as const) {
        const receiver = await postgres.open(deliveryOf(jobTo(app, config), toolsWith()))
        await receiver.write(page)
        t.equal((await kill()).length, 1)
        const error = await (step === 'write' ? receiver.write(page) : receiver.commit()).catch((error) => error)
        t.match(
          describeFailure(error),
          { retryable: true, message: /failed or timed out|cancelled the transaction/ },
          step,
        )
        await receiver.abort()
      }
      const stop = new AbortController()
      const receiver = await postgres.open(deliveryOf(jobTo(app, config), toolsWith({ signal: stop.signal })))
      await receiver.write(page)
      stop.abort(new Error('cancelled'))
      await t.rejects(receiver.commit(), { message: 'cancelled' })
      await receiver.abort()
      t.strictSame(await query('select count(*)::int as n from events'), [{ n: 0 }])
    })
  })

t.test('rows that replace earlier ones keep the highest version', async (t) => {
  const { config, query } = await openDestination(t)
  const columns: Column[] = [
    { ...EVENT_COLUMNS.distinct_id, name: 'id' },
    { ...EVENT_COLUMNS.team_id, name: 'team' },
    { ...EVENT_COLUMNS.team_id, name: 'version' },
    { ...EVENT_COLUMNS.event, name: 'name' },
  ]
  const merge = { key: ['id', 'team'], version: 'version' }
  const put = async (rows: Cells[], table_name = 'persons'): Promise<void> => {
    const settings = { ...config, table_name }
    const given = { ...FIRST_ATTEMPT, config: settings, columns, merge, tools: toolsWith() }
    const receiver = await postgres.open(given)
    const text = Buffer.from(rows.map((row) => `${row.map((cell) => `"${cell}"`).join(',')}\n`).join(''))
    await receiver.write({ records: rows.length, text, cursor: [1, 0] })
    await receiver.commit()
  }
  await testVersions(t, put, () => query('select * from persons order by id, team'))
  await query('create table keyless (id text, team int, version int, name text)')
  await t.rejects(put([], 'keyless'), { message: /unique key on "id", "team"/, options: { retryable: false } })
})

t.test('a server that fails', async (t) => {
  const app = await openApp(t, 'sqlite')
  await ingest(app, plainEvents(3))
  const { config, query } = await openDestination(t)
  const to = (more: object, job: Partial<DeliveryJob> = {}) => failureOf(jobTo(app, { ...config, ...more }, job))

  await t.test('produces a message that says what to do', async (t) => {
    t.match(await to({ password: 'wrong' }), { retryable: false, message: /user or the password/ })
    t.match(await to({ database: 'nowhere' }), { retryable: false, message: /database does not exist/ })
    t.match(await to({ schema: 'nowhere' }), { retryable: false, message: /schema does not exist/ })
    await query('create table other (uuid text, event text)')
    t.match(await to({ table_name: 'other' }), {
      retryable: false,
      message: /^The table has no column "properties", "elements", .*"timestamp"\. Add/,
    })
    await query('create table narrow as select null::date as event')
    const selectEvent = { hogql_query: 'select event from events' }
    t.match(await to({ table_name: 'narrow' }, selectEvent), { retryable: false, message: /does not fit/ })
    await query('create table strict (event text, more int not null)')
    t.match(await to({ table_name: 'strict' }, selectEvent), { retryable: false, message: /constraint/ })
    await query("create view seen as select 'x' as event")
    t.match(await to({ table_name: 'seen' }, selectEvent), { retryable: false, message: /accepts rows/ })
    t.match(await to({}, { hogql_query: `select 1 as ${'a'.repeat(64)}, 2 as ${'a'.repeat(65)} from events` }), {
      retryable: false,
      message: /with AS/,
    })
    t.match(await to({ port: 1 }), { retryable: true, message: /failed or timed out/ })
  })

  await t.test('produces a message that names the missing permission', async (t) => {
    const role = `role_${process.pid}`
    await query(`create role ${role} login password 'role'`)
    t.teardown(() => query(`drop owned by ${role}; drop role ${role}`))
    await query(`create schema inner_room; create schema outer_room; grant usage on schema outer_room to ${role}`)
    const as = { user: role, password: 'role' }
    t.match(await to({ ...as, schema: 'inner_room' }), { retryable: false, message: /USAGE/ })
    t.match(await to({ ...as, schema: 'outer_room' }), { retryable: false, message: /CREATE/ })
    await deliver(jobTo(app, { ...config, schema: 'outer_room' }), listener(), NEVER_ABORTED)
    t.match(await to({ ...as, schema: 'outer_room' }), { retryable: false, message: /INSERT/ })
    await query(`delete from outer_room.events; grant insert on outer_room.events to ${role}`)
    t.equal(await to({ ...as, schema: 'outer_room' }), undefined, 'INSERT on an existing table is sufficient')
    t.strictSame(await query('select count(*)::int as n from outer_room.events'), [{ n: 3 }])

    const tested = (more: object) => steps(postgres.test({ ...config, ...as, ...more }, toolsWith()))
    t.match(await tested({ schema: 'inner_room' }), ['Connect', /USAGE/])
    t.match(await tested({ schema: 'outer_room', table_name: 'new' }), ['Connect', 'Use the schema', /CREATE/])
    t.match(await tested({ schema: 'outer_room' }), postgres.steps)
  })

  await t.test('that does not respond makes the attempt retryable', async (t) => {
    const silent = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    t.teardown(() => silent.close())
    const limits = { connect_ms: 20, statement_ms: 20, insert_ms: 20 }
    const { port } = silent.address() as AddressInfo
    const error = await createPostgres(limits)
      .open(deliveryOf(jobTo(app, { ...config, port }), toolsWith()))
      .catch((error) => error)
    t.match(describeFailure(error), { retryable: true, message: /timed out/ })
  })

  await t.test('whose TLS handshake breaks makes the attempt retryable', async (t) => {
    // PostgreSQL answers with "S", and the client starts TLS. No TLS record starts with a space.
    const broken = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.write('S') && socket.once('data', () => socket.write('     ')))
    })
    await once(broken.listen(0, '127.0.0.1'), 'listening')
    t.teardown(() => broken.close())
    const { port } = broken.address() as AddressInfo
    t.match(await to({ port, table_name: 'none' }), { retryable: true, message: /TLS handshake/ })
  })

  await t.test('on loopback is not contacted unless OUTBOUND_ALLOW allows it', async (t) => {
    for (const host of ['127.0.0.1', 'localhost', '/run/postgresql'])
      t.match(await failureOf(jobTo(app, { ...config, host }, { outbound_allow: undefined })), {
        retryable: false,
        message: /OUTBOUND_ALLOW/,
      })
  })

  await t.test('without TLS is rejected unless OUTBOUND_ALLOW allows it', async (t) => {
    const closed = createOutbound()
    // Treats loopback as public.
    const outbound = {
      ...closed,
      socket: (options = {}) => (isAllowedOnly(options) ? closed.socket(options) : new Socket()),
    }
    const error = await postgres.open(deliveryOf(jobTo(app, config), toolsWith({ outbound }))).catch((error) => error)
    t.match(describeFailure(error), { retryable: false, message: /does not support TLS/ })
  })

  await t.test('with TLS needs a trusted certificate', async (t) => {
    const port = await withTls(t, config)
    const table_name = 'over_tls'
    t.match(await to({ port, table_name }), { retryable: false, message: /has_self_signed_cert/ })
    const trusting = { ...config, port, table_name, has_self_signed_cert: true }
    await deliver(jobTo(app, trusting), listener(), NEVER_ABORTED)
    t.strictSame(await query(`select count(*)::int as n from ${table_name}`), [{ n: 3 }])
    const details = []
    for await (const detail of postgres.test(trusting, toolsWith())) details.push(detail)
    t.match(details[0], /over TLS/)
  })
  await t.test('truncates values that are longer than their columns', async (t) => {
    const event = 'é'.repeat(300)
    const include_events = [event]
    await insertEvents(app.deps.events, app.first.project_id, [
      {
        event,
        distinct_id: 'x'.repeat(201),
        timestamp: NEW_YEAR,
        properties: { $ip: { not: 'y'.repeat(500) } },
      },
    ])
    await deliver(jobTo(app, { ...config, table_name: 'long', include_events }), listener(), NEVER_ABORTED)
    const [row] = await query('select event, distinct_id, length(ip) as ip from long')
    t.strictSame(row, { event: 'é'.repeat(200), distinct_id: 'x'.repeat(200), ip: 200 })
  })
})

t.test('tests the destination without writing events', async (t) => {
  const { config, query } = await openDestination(t)
  t.strictSame(await steps(postgres.test(config, toolsWith())), postgres.steps)
  t.strictSame(await query("select to_regclass('events') as made"), [{ made: null }])
  t.match(await steps(postgres.test({ ...config, password: 'wrong' }, toolsWith())), [/user or the password/])
  t.match(await steps(postgres.test({ ...config, schema: 'nowhere' }, toolsWith())), [
    'Connect',
    /schema does not exist/,
  ])

  t.strictSame(postgres.hosts?.({ ...config, port: undefined }), [{ host: config.host, port: 5432 }])
  postgres.validate({ ...config, schema: 'a "b"', table_name: 'ä'.repeat(31) })
  for (const [key, value] of [
    ['user', 'a\0database\0b'],
    ['database', 'a\nb'],
    ['schema', '\u0085'],
    ['table_name', 'ä'.repeat(32)],
    ['table_name', 'workspace_admin_ledger'],
  ] as const)
    t.match(checked({ ...config, [key]: value }), { attr: `destination__config__${key}` })
})

function checked(config: Config): unknown {
  try {
    return postgres.validate(config)
  } catch (error) {
    return error
  }
}

const isAllowedOnly = (options: { allowed_only?: boolean }): boolean => options.allowed_only === true

/** The names of the steps that passed, and the failure of the next one. */
async function steps(test: AsyncGenerator<string>): Promise<string[]> {
  const results: string[] = []
  try {
    for await (const _ of test) results.push(itemAt(postgres.steps, results.length))
  } catch (error) {
    results.push(describeFailure(error).message)
  }
  return results
}

/** A TLS proxy for a server without TLS. */
async function withTls(t: Test, { host, port }: Config): Promise<number> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write('S')
      const inner = new TLSSocket(socket, { isServer: true, ...SELF_SIGNED })
      const behind = dial(port, host)
      for (const side of [inner, behind]) side.on('error', () => undefined)
      inner.pipe(behind).pipe(inner)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

for (const engine of nextEngines())
  t.test(`persons replace their earlier versions (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    const { config, query } = await openDestination(t)
    const job = (more: Partial<DeliveryJob> = {}) => jobTo(app, config, { model: 'persons', ...more })
    const rows = () =>
      query(
        'select distinct_id, person_id, properties, version, created_at, is_deleted from persons order by distinct_id',
      )

    await ingest(app, [
      { distinct_id: 'ada', timestamp: '2026-01-01T00:00:00Z', properties: { $set: { plan: 'free' } } },
      { distinct_id: 'bob', timestamp: '2026-01-01T00:00:00Z', properties: { $set: { note: 'a "quoted"\ntext' } } },
    ])
    await deliver(job(), listener(), NEVER_ABORTED)
    const first = await rows()
    t.match(first, [
      { distinct_id: 'ada', properties: { plan: 'free' }, is_deleted: false },
      { distinct_id: 'bob', properties: { note: 'a "quoted"\ntext' }, is_deleted: false },
    ])
    t.same(first[0]?.created_at, new Date('2026-01-01T00:00:00Z'))

    await ingest(app, [
      { distinct_id: 'ada', properties: { $set: { plan: 'team' } } },
      { event: '$identify', distinct_id: 'bob', properties: { $anon_distinct_id: 'visitor' } },
    ])
    await ingest(app, [{ distinct_id: 'ada', properties: { $set: { plan: 'company' } } }])
    const { person_id } = itemAt(first, 1)
    await app.send('DELETE', `/api/projects/${app.first.project_id}/persons/${person_id}/`)
    const { version: before } = itemAt(first, 0)
    t.match(await logsOf(job()), [], 'every row is new')
    const second = await rows()
    t.match(second, [
      { distinct_id: 'ada', properties: { plan: 'company' }, is_deleted: false },
      { distinct_id: 'bob', person_id, properties: {}, created_at: null, is_deleted: true },
      { distinct_id: 'visitor', person_id, properties: {}, is_deleted: true },
    ])
    t.ok(Number(second[0]?.version) > Number(before))
    t.match(await logsOf(job()), [/3 of 3 rows were already in the table or outdated/])
    t.same(await rows(), second, 'a repeated delivery changes nothing')

    await query("update persons set version = version + 1000000, properties = '{}' where distinct_id = 'ada'")
    await deliver(job(), listener(), NEVER_ABORTED)
    t.match((await rows())[0], { distinct_id: 'ada', properties: {} }, 'a lower version replaces nothing')

    await query(
      'create table plain (team_id bigint, distinct_id text, person_id text, properties jsonb, version bigint, created_at timestamptz, is_deleted boolean)',
    )
    t.match(await failureOf(jobTo(app, { ...config, table_name: 'plain' }, { model: 'persons' })), {
      message: /needs a unique key on "team_id", "distinct_id"/,
      retryable: false,
    })
    const hogql_query = 'select distinct_id, properties.plan as plan from persons where not is_deleted'
    await deliver(
      jobTo(app, { ...config, table_name: 'plans' }, { model: 'persons', hogql_query }),
      listener(),
      NEVER_ABORTED,
    )
    t.same(await query('select * from plans'), [{ distinct_id: 'ada', plan: 'company' }])
  })

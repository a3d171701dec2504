/** Delivery to a table in ClickHouse: rows, repeated deliveries and error messages. */

import type { LookupAddress } from 'node:dns'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { EVENT_COLUMNS } from '../../src/events/extract.ts'
import type { Column } from '../../src/events/lines.ts'
import { type DeliveryJob, deliver, describeFailure } from '../../src/exports/deliver.ts'
import type { Checkpoint } from '../../src/exports/destination.ts'
import { clickhouse, createClickHouse } from '../../src/exports/destinations/clickhouse.ts'
import { createOutbound } from '../../src/outbound/guard.ts'
import { ENGINES, openApp, type TestApp } from '../helpers/app.ts'
import { inTurn } from '../helpers/assertions/figures.ts'
import { defined, itemAt } from '../helpers/assertions/items.ts'
import type { Json } from '../helpers/json.ts'
import { mergedRows, openClickHouse, type StubFault } from '../helpers/peers/clickhouse.ts'
import { send, stepsOf, toolsFor } from '../helpers/peers/stores.ts'
import { recordsOf, uuid } from '../helpers/seeds/events.ts'
import {
  FIRST_ATTEMPT,
  ingest,
  jobFor,
  listener,
  logsOf,
  NEVER_ABORTED,
  plainEvents,
} from '../helpers/seeds/exports.ts'

const SMALL = { events: 100, bytes: 1024 * 1024, connect_ms: 500, idle_ms: 1_000, request_ms: 5_000 }
const small = createClickHouse(SMALL)

const jobTo = (app: TestApp, config: object, more: Partial<DeliveryJob> = {}): DeliveryJob =>
  jobFor(app, { type: 'ClickHouse', config: { ...config } }, more)

for (const engine of inTurn(ENGINES))
  t.test(`a ClickHouse table (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    app.advance(3_600_000)
    await ingest(app, [
      ...plainEvents(450),
      {
        uuid: uuid(0xfffff),
        event: 'odd "name",\n\\.\n\u0001\u2028',
        distinct_id: 'ü, ""',
        properties: { $elements_chain: 'a:text="x"', deep: { list: [1, 2.5, null, true] } },
        timestamp: '1969-12-31T23:59:59.999999Z',
      },
    ])

    await t.test('contains every event with all its values', async (t) => {
      const stub = await openClickHouse(t)
      const { records, bytes } = await deliver(jobTo(app, stub.config()), listener(), NEVER_ABORTED)
      t.equal(records, 451)
      t.ok(bytes > 10_000)
      const table = defined(stub.tables.get('default.events'))
      t.match(table.engine, /^ReplacingMergeTree order by \(`team_id`, `timestamp`, `uuid`\)/)
      t.match(table.engine, /non_replicated_deduplication_window = 1000/)
      const { body } = await app.send('GET', '/api/projects/@current/events/?limit=1000&after=1960-01-01')
      const byId = (a: { uuid: string }, b: { uuid: string }): number => (a.uuid < b.uuid ? -1 : 1)
      t.strictSame(
        table.rows
          .map(({ uuid, event, distinct_id, properties, elements_chain, timestamp, team_id }: Json) => ({
            uuid,
            event,
            distinct_id,
            properties: JSON.parse(properties),
            elements_chain,
            timestamp: Date.parse(timestamp),
            team_id,
          }))
          .toSorted(byId),
        recordsOf({ body })
          .map(({ id, event, distinct_id, properties, elements_chain, timestamp }) => ({
            uuid: id,
            event,
            distinct_id,
            properties: JSON.parse(properties),
            elements_chain,
            timestamp: Date.parse(timestamp),
            team_id: app.first.project_id,
          }))
          .toSorted(byId),
      )
    })

    await t.test('ignores the blocks of a repeated delivery', async (t) => {
      const stub = await openClickHouse(t)
      const job = jobTo(app, stub.config())
      t.strictSame(await logsOf(job), [])
      await deliver({ ...job, attempt: 2 }, listener(), NEVER_ABORTED)
      const table = defined(stub.tables.get('default.events'))
      t.equal(table.rows.length, 451)
      t.equal(table.inserts.length, 2)
      t.equal(new Set(table.inserts).size, 1)
      await deliver({ ...job, range_key: 'another' }, listener(), NEVER_ABORTED)
      t.equal(table.rows.length, 902)
      t.equal(mergedRows(table).length, 451, 'a merge keeps one row per event')
      stub.tables.clear()
      await deliver(job, listener(), NEVER_ABORTED)
      t.equal(stub.tables.get('default.events')?.rows.length, 451, 'a recreated table is empty')
    })

    await t.test('has the columns of a query', async (t) => {
      const stub = await openClickHouse(t)
      const hogql_query =
        "select event as `a \\`name`, toInt(properties.number) as n, [1] as list, properties from events where event = 'paid' and n < 10"
      const job = jobTo(app, stub.config({ table_name: 'paid' }), { hogql_query })
      await deliver(job, listener(), NEVER_ABORTED)
      await deliver({ ...job, attempt: 2 }, listener(), NEVER_ABORTED)
      const table = defined(stub.tables.get('default.paid'))
      t.match(table.engine, /^MergeTree order by tuple\(\)/)
      t.match(
        table.rows.toSorted((a, b) => Number(a.n) - Number(b.n)),
        [{ n: 1, 'a `name': 'paid', list: '[1]' }, { n: 4 }, { n: 7 }],
      )
      t.equal(table.rows.length, 3)
    })
  })

const KEY: Column = { ...EVENT_COLUMNS.distinct_id, name: 'id' }
const VERSION: Column = { ...EVENT_COLUMNS.team_id, name: 'version' }
const NAME: Column = { ...EVENT_COLUMNS.event, name: 'name' }

t.test('rows that replace earlier ones keep the highest version', async (t) => {
  const stub = await openClickHouse(t)
  const columns = [KEY, VERSION, NAME]
  const put = async (range_key: string, rows: object[]): Promise<void> => {
    const merge = { key: ['id'], version: 'version' }
    const config = stub.config({ table_name: 'persons' })
    const receiver = await clickhouse.open({ ...FIRST_ATTEMPT, range_key, config, columns, merge, tools: toolsFor(t) })
    const text = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    await receiver.write({ records: rows.length, text, cursor: [1, 0] })
    await receiver.commit()
  }
  await put('1', [
    { id: 'a', version: 2, name: 'new' },
    { id: 'b', version: 1, name: 'only' },
  ])
  await put('2', [{ id: 'a', version: 1, name: 'old' }])
  const table = defined(stub.tables.get('default.persons'))
  t.match(
    stub.statements.find((text) => text.startsWith('create')),
    /`version` UInt64, `name` Nullable\(String\)/,
  )
  t.match(table.engine, /^ReplacingMergeTree\(`version`\) order by \(`id`\)/)
  t.strictSame(mergedRows(table), [
    { id: 'a', version: 2, name: 'new' },
    { id: 'b', version: 1, name: 'only' },
  ])
})

t.test('blocks are the same in every attempt and continue at a checkpoint', async (t) => {
  const stub = await openClickHouse(t)
  const line = (i: number): string => `${JSON.stringify({ uuid: uuid(i), event: 'x'.repeat(i % 50) })}\n`
  const write = async (sizes: number[], fails?: number, checkpoint: Checkpoint | null = null) => {
    const checkpoints: Checkpoint[] = []
    const tools = toolsFor(t, { checkpoint: async (state) => void checkpoints.push(state) })
    let inserts = 0
    stub.fault = (statement) => (statement.startsWith('insert') && inserts++ === fails ? 'drop' : undefined)
    const config = stub.config()
    const { columns } = small
    const receiver = await small.open({ ...FIRST_ATTEMPT, config, columns, checkpoint, tools })
    let at: number = checkpoint?.records ?? 0
    try {
      for (const size of sizes) {
        const lines = Array.from({ length: size }, (_, i) => line(at + i))
        at += size
        await receiver.write({ records: size, text: Buffer.from(lines.join('')), cursor: [at, 0] })
      }
      await receiver.commit()
    } catch (error) {
      await receiver.abort()
      t.match(describeFailure(error), { retryable: true, message: /failed or timed out/ })
    }
    return checkpoints
  }
  const pages = [30, 170, 1, 99, 150]
  // The block is stored, but the connection breaks before the response.
  const checkpoints = await write(pages, 2)
  const table = defined(stub.tables.get('default.events'))
  t.equal(table.rows.length, 300)
  t.equal(checkpoints.length, 2)
  const last = itemAt(checkpoints, -1)
  t.equal(last.records, 200)
  await write([40, 60, 150], undefined, last)
  t.equal(table.rows.length, 450)
  await write([450])
  t.equal(table.rows.length, 450)
  t.equal(new Set(table.rows.map((row) => row.uuid)).size, 450)
})

t.test('an attempt that fails ends with its last insert', async (t) => {
  const stub = await openClickHouse(t)
  const checkpoints: Checkpoint[] = []
  const tools = toolsFor(t, { checkpoint: async (state) => void checkpoints.push(state) })
  const { columns } = small
  const receiver = await small.open({ ...FIRST_ATTEMPT, config: stub.config(), columns, tools })
  // The block is sent while the next page is read. Reading it fails, for example because the database is down.
  const text = Buffer.from(`${JSON.stringify({ event: 'seen' })}\n`.repeat(SMALL.events))
  await receiver.write({ records: SMALL.events, text, cursor: [SMALL.events, 0] })
  await receiver.abort()
  const { length } = checkpoints
  await pause(300)
  t.equal(checkpoints.length, length, 'no checkpoint comes after the end')
  t.equal(stub.tables.get('default.events')?.rows.length, length * SMALL.events)
})

t.test('a ClickHouse server that fails', async (t) => {
  const stub = await openClickHouse(t)
  const failing = (more: object = {}, tools = toolsFor(t)) =>
    send(small, stub.config(more), tools, JSON.stringify({ event: 'seen' })).catch(describeFailure)
  const fails = (fault: StubFault, part = 'insert'): void => {
    stub.fault = (statement) => (statement.startsWith(part) ? fault : undefined)
  }

  await t.test('produces a message that says what to fix', async (t) => {
    t.match(await failing({ password: 'wrong' }), { retryable: false, message: /user or the password/ })
    t.match(await failing({ database: 'nowhere' }), { retryable: false, message: /database does not exist/ })
    for (const [exception, retryable, words] of [
      [497, false, /lacks a permission/],
      [60, false, /dropped/],
      [27, false, /does not fit/],
      [115, false, /too old/],
      [241, true, /memory/],
      [252, true, /too many parts/],
      [243, true, /disk/],
      [202, true, /overloaded/],
      [9999, true, /exception 9999/],
    ] as const) {
      fails({ exception })
      const failure = await failing()
      t.match(failure, { retryable, message: words }, String(exception))
      t.notMatch(failure!.message, /peer/)
    }
    fails({ exception: 9999, status: 400 })
    t.match(await failing(), { retryable: false, message: /400 with exception 9999/ })
    for (const [status, retryable] of [
      [302, false],
      [404, false],
      [429, true],
      [503, true],
    ] as const) {
      fails({ status })
      t.match(await failing(), { retryable, message: new RegExp(String(status)) })
    }
    fails(undefined)
    stub.tables.set('default.other', { columns: ['event'], engine: 'MergeTree', rows: [], tokens: [], inserts: [] })
    t.match(await failing({ table_name: 'other' }), {
      retryable: false,
      message: /has no column "uuid", "properties"/,
    })
  })

  await t.test('at any step makes the attempt retryable, and the next one completes it', async (t) => {
    stub.tables.clear()
    for (const part of ['select name', 'create', 'insert']) {
      fails('hang', part)
      t.match(await failing(), { retryable: true, message: /failed or timed out/ }, part)
      fails('drop', part)
      t.match(await failing(), { retryable: true, message: /failed or timed out/ }, part)
    }
    fails(undefined)
    t.equal(await failing(), undefined)
    t.equal(stub.tables.get('default.events')?.rows.length, 1)
  })

  await t.test('does not delay an aborted run', async (t) => {
    const run = new AbortController()
    fails('hang')
    stub.fault = (statement) => {
      if (!statement.startsWith('insert')) return undefined
      run.abort(Object.assign(new Error(), { code: 'CANCELLED' }))
      return 'hang'
    }
    t.match(await send(clickhouse, stub.config(), toolsFor(t, { signal: run.signal }), '{}'), { message: /CANCELLED/ })
    stub.fault = () => undefined
  })

  await t.test('without a response, or with another protocol, is described', async (t) => {
    t.match(await failing({ url: 'http://127.0.0.1:1' }), { retryable: true, message: /failed or timed out/ })
    const silent = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1')
    await new Promise((listening) => silent.once('listening', listening))
    t.teardown(() => silent.close())
    const { port } = silent.address() as { port: number }
    t.match(await failing({ url: `http://127.0.0.1:${port}` }), { retryable: true, message: /timed out/ })
    const patient = createClickHouse({ ...SMALL, idle_ms: 60_000, request_ms: 60_000 })
    const handshake = send(patient, stub.config({ url: `https://127.0.0.1:${port}` }), toolsFor(t), '{}')
    t.match(await handshake.catch(describeFailure), { retryable: true, message: /timed out/ }, 'connecting has a limit')
    t.match(await failing({ url: stub.url.replace('http:', 'https:') }), { retryable: true, message: /TLS/ })
    const { createServer: createHttp } = await import('node:http')
    const page = createHttp((_, response) => response.end('<html>')).listen(0, '127.0.0.1')
    await new Promise((listening) => page.once('listening', listening))
    t.teardown(() => page.close())
    const url = `http://127.0.0.1:${(page.address() as { port: number }).port}`
    t.match(await failing({ url }), { retryable: false, message: /HTTP interface/ })
  })

  await t.test('is not contacted when OUTBOUND_ALLOW does not allow it', async (t) => {
    const tools = toolsFor(t, { outbound: createOutbound() })
    t.match(await failing({}, tools), { retryable: false, message: /OUTBOUND_ALLOW/ })
    // Unencrypted connections are allowed only to the addresses of OUTBOUND_ALLOW.
    const resolve = (_: string, __: object, done: (error: null, found: LookupAddress[]) => void): void =>
      done(null, [{ address: '192.0.9.1', family: 4 }])
    const outbound = createOutbound({ resolve })
    t.match(await failing({ url: 'http://public.example' }, toolsFor(t, { outbound })), {
      retryable: false,
      message: /Use https/,
    })
  })

  await t.test('with TLS needs a trusted certificate', async (t) => {
    const secure = await openClickHouse(t, { tls: true })
    const to = (more: object) => send(small, secure.config(more), toolsFor(t), '{}').catch(describeFailure)
    t.match(await to({}), { retryable: false, message: /has_self_signed_cert/ })
    t.equal(await to({ has_self_signed_cert: true }), undefined)
    t.equal(secure.tables.get('default.events')?.rows.length, 1)
  })
})

t.test('warns about a table that does not remember blocks', async (t) => {
  const stub = await openClickHouse(t)
  const messages: string[] = []
  const tools = toolsFor(t, { log: (level, message) => void messages.push(`${level} ${message}`) })
  const columns = small.columns.map(({ name }) => name)
  for (const engine of ['MergeTree ORDER BY tuple()', 'ReplicatedMergeTree ORDER BY uuid']) {
    stub.tables.set('default.events', { columns, engine, rows: [], tokens: [], inserts: [] })
    await send(small, stub.config(), tools, '{}')
  }
  t.match(messages, [/^WARNING .*non_replicated_deduplication_window to 1000/])
  t.equal(messages.length, 1)
})

t.test('tests a ClickHouse destination step by step', async (t) => {
  const stub = await openClickHouse(t)
  const test = (more: object = {}) => stepsOf(small, stub.config(more), toolsFor(t))
  t.same(await test(), { completed: [...small.steps] })
  t.equal(stub.tables.size, 0, 'the test leaves no table')
  await send(small, stub.config(), toolsFor(t), '{}')
  t.same(await test(), { completed: [...small.steps] })
  t.equal(stub.tables.get('default.events')?.rows.length, 1)
  t.match(await test({ password: 'x' }), { completed: [], failure: { message: /password/ } })
  t.match(await test({ database: 'x' }), { completed: ['Connect'], failure: { message: /database/ } })
  stub.fault = (statement) => (/^(create|insert)/.test(statement) ? { exception: 497, status: 403 } : undefined)
  for (const table_name of ['events', 'new'])
    t.match(await test({ table_name }), {
      completed: small.steps.slice(0, 2),
      failure: { message: /lacks a permission/ },
    })

  const check = (more: object) => () => clickhouse.validate(stub.config(more))
  t.doesNotThrow(check({ database: 'a b', table_name: 'ä' }))
  for (const [key, value] of [
    ['url', 'https://user:secret@example.com/'],
    ['url', 'https://example.com/?user=x'],
    ['url', 'https://exa mple.com/'],
    ['user', 'a:b'],
    ['database', 'a`b'],
    ['table_name', 'a"b'],
    ['table_name', 'a\nb'],
    ['table_name', "a'b"],
  ] as const)
    t.throws(check({ [key]: value }), { code: 'invalid_input', attr: `destination__config__${key}` }, `${key} ${value}`)
  t.same(clickhouse.hosts?.(stub.config({ url: 'https://ch.example:8443/path' })), [{ host: 'ch.example', port: 8443 }])
})

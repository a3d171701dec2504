/** Event readers: deadlines, lanes, crashes and streams. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { get as request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getPriority } from 'node:os'
import t, { type Test } from 'tap'
import { createEventReader, type EventReader } from '../../src/events/readers.ts'
import { either } from '../../src/hogql/typed.ts'
import type { Database } from '../../src/sql/db.ts'
import { openDatabase } from '../../src/sql/open.ts'
import { type Engine, type Sql, sql } from '../../src/sql/template.ts'
import { nextEngines, openApp } from '../helpers/app.ts'
import { halfInQuick } from '../helpers/assertions/figures.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import { isSimulated } from '../helpers/programs/citus.ts'
import { emptyDatabase } from '../helpers/programs/postgres.ts'
import { insertEvents, NEW_YEAR, recordsOf, uuid } from '../helpers/seeds/events.ts'

halfInQuick(t)

/** Never finishes. */
const endless = sql`
  with recursive n (i) as (select 1 union all select i + 1 from n where i < 1000000000000)
  select count(*) from n`
const quick = sql`select ${7} + 0, 'x'`
/** Long enough for a reader to start on a busy machine. */
const DEADLINE_MS = 3_000
const slow = { project_id: 1, lane: 'slow' } as const

const open = async (...options: Parameters<typeof openReader>): Promise<EventReader> =>
  (await openReader(...options)).reader

async function openReader(
  t: Test,
  engine: Engine,
  timeout_ms: number,
): Promise<{ reader: EventReader; events: Database }> {
  const postgres = engine === 'postgres' ? await emptyDatabase() : undefined
  const url = postgres?.url ?? `sqlite:${freshFolder(t)}`
  const events = await openDatabase(url, { file: 'events.db' })
  await events.exec('create table marks (id integer)')
  // The priority of the other suites: with the niceness of a server, readers would start too slowly.
  const niceness = getPriority()
  const reader = await createEventReader({
    events,
    url,
    timeout_ms,
    niceness,
  })
  t.teardown(async () => {
    await reader.stop()
    await events.close()
    await postgres?.drop()
  })
  return { reader, events }
}

/** The reader processes that a process has started, from /proc. */
const children = (parent = process.pid): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = itemAt(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') '), 1).split(' ')
        const dead = stat[0] === 'Z'
        return (
          !dead && Number(stat[1]) === parent && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('reader-process')
        )
      } catch {
        return false
      }
    })
    .map(Number)

for (const engine of nextEngines())
  t.test(`a query ends at its deadline (${engine})`, async (t) => {
    const reader = await open(t, engine, DEADLINE_MS)
    t.strictSame(await reader.rows(quick, slow), [[7, 'x']])
    await t.rejects(reader.rows(endless, slow), { code: 'query_timeout' })
    t.strictSame(await reader.rows(quick, slow), [[7, 'x']], 'its slot is free again')
    const controller = new AbortController()
    const disconnected = t.rejects(reader.rows(endless, { ...slow, signal: controller.signal }), {
      code: 'query_timeout',
    })
    await reader.rows(quick, { project_id: 1, lane: 'fast' })
    controller.abort()
    await disconnected
    t.strictSame(await reader.rows(quick, slow), [[7, 'x']], 'a query of a disconnected client frees its slot')
    await t.rejects(reader.rows(quick, { ...slow, signal: AbortSignal.abort() }), { code: 'query_timeout' })
  })

for (const engine of nextEngines())
  t.test(`runs one slow query per project, and quick ones concurrently (${engine})`, async (t) => {
    const reader = await open(t, engine, DEADLINE_MS)
    const both = Promise.allSettled([reader.rows(endless, slow), reader.rows(quick, slow)])
    t.strictSame(await reader.rows(quick, { project_id: 1, lane: 'fast' }), [[7, 'x']])
    t.match(
      await both,
      [
        { status: 'rejected', reason: { code: 'query_timeout' } },
        { status: 'rejected', reason: { code: 'query_timeout' } },
      ],
      'the deadline includes the time in the queue',
    )
  })

for (const engine of nextEngines())
  t.test(`rejects a result that is too large (${engine})`, async (t) => {
    const reader = await open(t, engine, 60_000)
    const text = (length: number): Sql =>
      either(sql`printf('%.*c', cast(${length} as integer), 'x')`, sql`repeat('x', ${length}::int)`)
    const many = (count: number, length: number): Sql =>
      sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count}) select ${text(length)} from n`
    for (const [name, query] of [
      ['many rows', many(150, 1_000_000)],
      ['more rows than fit into memory', many(1_000_000, 1_000_000)],
      ['a string that is too long for the engine', sql`select ${text(2_000_000_000)}`],
      [
        'a string that grows beyond the limit',
        sql`select replace(${text(100_000_000)}, 'x', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx')`,
      ],
    ] as const) {
      await t.rejects(reader.rows(query, slow), { code: 'result_too_large' }, name)
      t.strictSame(await reader.rows(quick, slow), [[7, 'x']], 'the next query succeeds')
    }
    t.equal((await reader.rows(many(100, 1_000_000), slow)).length, 100)
  })

for (const engine of nextEngines())
  t.test(`readers cannot write (${engine})`, async (t) => {
    const reader = await open(t, engine, 60_000)
    await t.rejects(reader.rows(sql`insert into marks (id) values (1) returning id`, slow), {
      message: /readonly|read-only/,
    })
    await t.rejects(reader.rows(sql`select a from nowhere`, slow), { message: /nowhere/ })
    t.strictSame(await reader.rows(quick, slow), [[7, 'x']])
    await reader.stop()
    await t.rejects(reader.rows(quick, slow), { code: 'unavailable' })
  })

t.test('quick statements are prepared once, and only a limited number of them', async (t) => {
  const reader = await open(t, 'postgres', DEADLINE_MS)
  const fast = { project_id: 1, lane: 'fast' } as const
  const isPrepared = sql`select count(*) from pg_prepared_statements where statement like 'select ''once''%'`
  const once = () => reader.rows(sql`select 'once', ${1}::int`, fast)
  for (let i = 0; i < 3; i++) t.same(await once(), [['once', 1]])
  t.same(await reader.rows(isPrepared, fast), [[1]])

  for (let i = 0; i < 500; i++) {
    const text: Sql = { strings: [`select ${i} + `, '::int'], parts: [1] }
    const found = await reader.rows(text, fast)
    if (found[0]?.[0] !== i + 1) t.fail(`statement ${i} returned ${JSON.stringify(found)}`)
  }
  const [prepared] = await reader.rows<[number]>(sql`select count(*) from pg_prepared_statements`, fast)
  t.ok(prepared && prepared[0] > 50 && prepared[0] <= 200, `${prepared} of 500 statements are prepared`)
  t.same(await once(), [['once', 1]])
  await t.rejects(reader.rows(sql`select 1 / ${0}::int`, fast), { code: 'invalid_input' })
  t.same(await once(), [['once', 1]], 'a failed statement leaves its connection usable')
})

t.test('a statement with one plan is planned once per connection, but for each value on a cluster', async (t) => {
  if (!isSimulated(t)) return
  const { reader, events } = await openReader(t, 'postgres', DEADLINE_MS)
  const fast = { project_id: 1, lane: 'fast' } as const
  const plans = sql`select generic_plans, custom_plans from pg_prepared_statements where statement like 'select ''page''%'`
  const page = async (one_plan: boolean): Promise<void> => {
    t.same(await reader.rows(sql`select 'page', ${1}::int`, { ...fast, one_plan }), [['page', 1]])
  }
  for (let i = 0; i < 3; i++) await page(true)
  t.same(await reader.rows(plans, fast), [[3, 0]])

  await events.exec('create table pg_dist_partition (logicalrelid regclass)')
  for (let i = 0; i < 3; i++) await page(true)
  t.same(await reader.rows(plans, fast), [[3, 3]])
})

t.test('a reader that crashes fails its query and is replaced', async (t) => {
  const reader = await open(t, 'sqlite', 60_000)
  await reader.rows(quick, slow)
  const [pid] = children()
  const lost = t.rejects(reader.rows(endless, slow), { code: 'unavailable' })
  process.kill(pid!, 'SIGKILL')
  await lost
  t.strictSame(await reader.rows(quick, slow), [[7, 'x']])
  const [idle] = children()
  t.not(idle, pid)
  process.kill(idle!, 'SIGKILL')
  while (children().length) await new Promise((resolve) => setImmediate(resolve))
  await reader.rows(quick, slow).catch((error) => t.equal(error.code, 'unavailable'))
  t.strictSame(await reader.rows(quick, slow), [[7, 'x']])
  await reader.stop()
  t.strictSame(children(), [], 'no reader process is running')
})

t.test('readers exit with a killed server, even inside a query', async (t) => {
  const folder = freshFolder(t)
  const server = fork(new URL('../helpers/programs/endless-query.ts', import.meta.url), [folder])
  await once(server, 'message')
  const readers = children(server.pid)
  t.equal(readers.length, 1)
  server.kill('SIGKILL')
  await once(server, 'exit')
  const alive = (): boolean => {
    try {
      return process.kill(itemAt(readers, 0), 0) && !/\) Z/.test(readFileSync(`/proc/${readers[0]}/stat`, 'utf8'))
    } catch {
      return false
    }
  }
  while (alive()) await new Promise((resolve) => setTimeout(resolve, 50))
  t.pass('the process has exited')
})

for (const engine of nextEngines())
  t.test(`streams fifty thousand events (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    const { events } = app.deps
    const numbers = {
      sqlite: sql`with recursive n (i) as (select 0 union all select i + 1 from n where i < 50099) select i from n`,
      postgres: sql`select i from generate_series(0, 50099) i`,
    }
    await events.run(sql`
      insert into events (project_id, uuid, event, distinct_id, timestamp, created_at, properties, elements_chain)
      select 1, ${{
        sqlite: sql`printf('0192b71c-0000-7000-8000-%012x', i)`,
        postgres: sql`'0192b71c-0000-7000-8000-' || lpad(to_hex(i), 12, '0')`,
      }}, 'e', 'd', cast(${NEW_YEAR} as bigint) - 1000 * (i / 7), 0, '{"a":"b"}', '' from (${numbers}) n`)
    const response = await app.send('GET', '/api/projects/1/events/?limit=50000')
    t.equal(response.status, 200)
    const results = recordsOf(response)
    t.equal(results.length, 50_000)
    t.equal(new Set(results.map(({ id }) => id)).size, 50_000)
    const ordered = results.every(({ timestamp, id }, i, all) => {
      const before = all[i - 1]
      return !before || timestamp < before.timestamp || (timestamp === before.timestamp && id < before.id)
    })
    t.ok(ordered)
    const rest = await app.follow(response)
    t.equal(rest.body.results.length, 100)
    t.equal(rest.body.next, null)
    const csv = await app.send('GET', '/api/projects/1/events/?limit=2500&format=csv')
    t.equal(csv.text.split('\r\n').length, 2502)
    const defaultPage = await app.send('GET', '/api/projects/1/events/?format=csv')
    t.equal(defaultPage.text.split('\r\n').length, 3502)
    t.equal((await app.send('GET', '/api/projects/1/events/?limit=1001&orderBy=timestamp')).body.results.length, 1001)
  })

t.test('stops reading when the client disconnects during a stream', async (t) => {
  const app = await openApp(t, 'sqlite')
  const { events } = app.deps
  await insertEvents(
    events,
    1,
    Array.from({ length: 12_000 }, (_, i) => ({ uuid: uuid(i), properties: { text: 'x'.repeat(2_000) } })),
  )
  await app.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.app.server.address() as AddressInfo
  let reads = 0
  const rows = app.deps.eventReader.rows
  Object.assign(app.deps.eventReader, {
    rows: (...args: Parameters<typeof rows>) => {
      reads++
      return rows(...args)
    },
  })
  const outgoing = request({
    port,
    path: '/api/projects/1/events/?limit=12000',
    headers: { authorization: `Bearer ${app.first.api_key}` },
  })
  outgoing.on('error', () => undefined)
  const [response] = await once(outgoing, 'response')
  await once(response, 'readable')
  response.destroy()
  await once(response, 'close')
  await app.send('GET', '/api/projects/1/events/?limit=1')
  t.ok(reads < 12, `${reads} batches were read`)
})

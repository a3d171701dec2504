/** Killed processes, clock jumps and outages: each destination gets each event once, and the current state of each person. */
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import t, { type Test } from 'tap'
import { boundaryBefore, inUtc } from '../../src/exports/interval.ts'
import type { Engine } from '../../src/sql/template.ts'
import { ENGINES } from '../helpers/app.ts'
import { bySize, figure, halfInQuick, inTurn } from '../helpers/assertions/figures.ts'
import { itemAt, pick, textAt } from '../helpers/assertions/items.ts'
import { emptyDatabase, serverUrl } from '../helpers/programs/postgres.ts'
import { openSite, type Site, until } from '../helpers/programs/site.ts'
import type { BodyOf } from '../helpers/response-bodies.ts'
import {
  assertCompleted,
  assertOnceEach,
  BEYOND_LEASE_MS,
  base,
  bucket,
  createExport,
  createSender,
  finish,
  INTERVAL,
  isOpen,
  runsOf,
  settle,
  type Target,
  uuidsIn,
  WINDOW_MS,
  waitForHorizon,
  wakeExporters,
} from '../helpers/seeds/deliveries.ts'
import { uuid } from '../helpers/seeds/events.ts'
import { seeded } from '../helpers/seeds/seeded.ts'

const ROUNDS = bySize({ quick: 1, full: 3, prove: 100 })
const PERSON_ROUNDS = bySize({ quick: 1, full: 5, prove: 100 })
const SEED = Number(process.env.SEED ?? 20260801)
t.setTimeout(bySize({ full: 15, prove: 180 }) * 60_000)
const scenario = halfInQuick(t)

/** Rounds between catch-ups: fewer than the attempts after which a run fails. */
const CATCH_UP_EVERY = 5

const isPartial = (path: string): boolean => path.includes('.partial-')

/** Lists the paths of files. Ignores files that are deleted during the listing. */
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))

const folder = async (_: Test, { files }: Site): Promise<Target> => ({
  name: 'files',
  destination: { type: 'File', config: { max_file_size_mb: 1 } },
  uuids: async () =>
    filesBelow(files)
      .filter((name) => name.endsWith('.jsonl') && !isPartial(name))
      .flatMap((path) => uuidsIn(readFileSync(path, 'utf8'))),
})

/** A table created by the export, protected by its key, and a table without a key, protected by the ledger. */
const table =
  (table_name: string, before = 'select 1') =>
  async (t: Test): Promise<Target> => {
    const { url, drop } = await emptyDatabase()
    const client = new pg.Client(url)
    await client.connect()
    t.teardown(async () => {
      await client.end()
      await drop()
    })
    await client.query(before)
    const { username: user, password, hostname: host, port, pathname } = new URL(url)
    return {
      name: `table ${table_name}`,
      destination: {
        type: 'Postgres',
        config: { user, password, host, port: Number(port), database: pathname.slice(1), table_name },
      },
      uuids: async () => (await client.query(`select uuid from ${table_name}`)).rows.map((row) => row.uuid),
    }
  }

const TARGETS = [
  folder,
  bucket,
  table('with_key'),
  table(
    'without_key',
    `create table without_key (uuid text, event text, properties jsonb, elements jsonb, set jsonb, set_once jsonb,
      distinct_id text, team_id integer, ip text, site_url text, timestamp timestamptz)`,
  ),
]

function assertNoPartialFiles(t: Test, { files }: Site): void {
  t.same(filesBelow(files).filter(isPartial), [], 'no partial file is left')
}

/** When to kill a process: at a random time, or shortly after some work has started. */
const KILL_TIMES: { isReached(site: Site, exports: readonly string[]): Promise<boolean>; max_delay_ms: number }[] = [
  { isReached: async () => true, max_delay_ms: 2_000 },
  {
    isReached: async (site, exports) => {
      const runs = (await Promise.all(exports.map((id) => runsOf(site, id)))).flat()
      return runs.some(({ status }) => status === 'Running') || !runs.some(isOpen)
    },
    max_delay_ms: 600,
  },
  {
    isReached: async (site, exports) =>
      filesBelow(site.files).some(isPartial) || !(await runsOf(site, itemAt(exports, 0))).some(isOpen),
    max_delay_ms: 100,
  },
]

interface Processes {
  engine: Engine
  count: number
  seed: number
}

const PROCESSES: Processes[] = [
  { engine: 'sqlite', count: 1, seed: SEED },
  { engine: 'postgres', count: 1, seed: SEED + 1 },
  { engine: 'postgres', count: 2, seed: SEED + 9 },
]

/** Runs a test whose random choices depend on `first_seed`. */
function withKills(
  name: string,
  first_seed: number,
  test: (t: Test, engine: Engine, processes: number, seed: number) => Promise<void>,
): void {
  for (const { engine, count, seed } of inTurn(PROCESSES)) {
    const killed = count === 1 ? 'despite kill -9' : 'when either of two processes is killed'
    scenario(`${name} ${killed} (${engine})`, (t) => test(t, engine, count, first_seed + seed))
  }
}

async function testKills(t: Test, engine: Engine, processes: number, seed: number): Promise<void> {
  t.comment(`SEED=${SEED}`)
  const random = seeded(seed)
  const site = await openSite(t, engine)
  while (site.servers.length < processes) await site.start()
  const targets = await Promise.all(TARGETS.map((open) => open(t, site)))
  const exports: string[] = []
  for (const target of targets) exports.push(await createExport(site, target))
  const sender = createSender(site, random)

  for (let round = 1; round <= ROUNDS; round++) {
    sender.enqueue(2_500)
    await sender.sendSome(Math.floor(random() * 6))
    site.advance(WINDOW_MS)
    const sending = sender.sendSome()
    await wakeExporters(site, itemAt(exports, 0))
    const { isReached, max_delay_ms } = pick(KILL_TIMES, random)
    await until(() => isReached(site, exports))
    // A random delay of the experiment; no assertion depends on it.
    await pause(random() * max_delay_ms)
    await site.kill(pick(site.servers, random))
    await sending
    await site.start()
    if (round % CATCH_UP_EVERY === 0) await settle(site, exports)
  }

  await sender.sendAll()
  const runs = await finish(site, exports)
  assertCompleted(t, runs)
  for (const target of targets) await assertOnceEach(t, target, sender.uuids())
  assertNoPartialFiles(t, site)
  const result = `each of ${sender.uuids().length.toLocaleString('en')} events delivered once to each of ${targets.length} destinations in ${runs.length} runs`
  figure(t, { area: 'Batch exports', count: ROUNDS, of: 'kills', result, seed: SEED })
}

withKills('delivers each event once', 0, testKills)

interface PersonRow {
  distinct_id: string
  person_id: string
  properties: object
  version: number | string
  is_deleted: boolean
}

/** The rows with the highest versions. */
function merged(rows: PersonRow[]): Map<string, PersonRow> {
  const kept = new Map<string, PersonRow>()
  for (const row of rows)
    if (Number(row.version) > Number(kept.get(row.distinct_id)?.version ?? -1)) kept.set(row.distinct_id, row)
  return kept
}

/** The person and properties of each distinct id that is not deleted. */
const currentOf = (rows: PersonRow[]): Record<string, [string, object]> =>
  Object.fromEntries(
    [...merged(rows).values()]
      .filter(({ is_deleted }) => !is_deleted)
      .map(({ distinct_id, person_id, properties }) => [distinct_id, [person_id, properties]]),
  )

async function personsOf(site: Site): Promise<Record<string, [string, object]>> {
  const stored: Record<string, [string, object]> = {}
  for (let path: string | null = `/api/projects/${site.project_id}/persons/?limit=100`; path; ) {
    const { results, next } = (await site.request('GET', path)) as BodyOf<'persons.list'>
    for (const { id, distinct_ids, properties } of results)
      for (const distinct_id of distinct_ids) stored[distinct_id] = [id, properties]
    path = next && new URL(next).pathname + new URL(next).search
  }
  return stored
}

const personsIn = (folder: string): PersonRow[] =>
  filesBelow(folder)
    .filter((name) => name.endsWith('.jsonl') && !isPartial(name))
    .flatMap((path) =>
      readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    )

/** Checks that the merged rows of files and of a table equal the persons of the server, whenever a process dies. */
async function testKillsOfPersons(t: Test, engine: Engine, processes: number, seed: number): Promise<void> {
  t.comment(`SEED=${SEED}`)
  const random = seeded(seed)
  const site = await openSite(t, engine)
  while (site.servers.length < processes) await site.start()
  const { url, drop } = await emptyDatabase()
  const client = new pg.Client(url)
  await client.connect()
  t.teardown(async () => {
    await client.end()
    await drop()
  })
  const { username: user, password, hostname: host, port, pathname } = new URL(url)
  const config = { user, password, host, port: Number(port), database: pathname.slice(1) }
  const exports = [
    await createExport(site, { name: 'files', destination: { type: 'File', config: {} } }, 'persons'),
    await createExport(site, { name: 'table', destination: { type: 'Postgres', config } }, 'persons'),
  ]
  const any = (count: number): string => `person-${Math.floor(random() * count)}`
  let created = 0
  const change = (): object => {
    const other = random() < 0.1 ? { $anon_distinct_id: any(500) } : {}
    return {
      uuid: uuid(++created),
      event: Object.keys(other).length ? '$identify' : 'seen',
      distinct_id: any(500),
      properties: { ...other, $set: { number: created } },
    }
  }
  const pending: object[][] = []
  const sendAll = (): Promise<unknown> =>
    until(async () => {
      for (const batch of [...pending]) {
        const server = site.servers[Math.floor(random() * site.servers.length)]
        await site
          .request('POST', '/batch/', { api_key: site.project_token, batch }, server)
          .then(() => pending.splice(pending.indexOf(batch), 1))
          .catch(() => undefined)
      }
      return pending.length === 0
    })
  const persons = `/api/projects/${site.project_id}/persons/` as const
  let deleted = 0

  for (let round = 1; round <= PERSON_ROUNDS; round++) {
    for (let i = 0; i < 5; i++) pending.push(Array.from({ length: 100 }, change))
    site.advance(WINDOW_MS)
    const sending = sendAll()
    await wakeExporters(site, itemAt(exports, 0))
    const found = await site.request('GET', `${persons}?limit=3`).catch(() => undefined)
    const deleting = (found?.results ?? []).map(({ id }) =>
      site.request('DELETE', `${persons}${id}/?delete_events=true`).then(
        () => deleted++,
        () => undefined,
      ),
    )
    // A random delay of the experiment; no assertion depends on it.
    await pause(random() * 1_000)
    await site.kill(pick(site.servers, random))
    await site.start()
    await Promise.all([sending, ...deleting])
    if (round % CATCH_UP_EVERY === 0) await settle(site, exports)
  }

  // The purger may complete the deletion of a killed process after the last window, so another window follows.
  const { runs, stored, rows } = await until(async () => {
    const runs = await finish(site, exports)
    const stored = await personsOf(site)
    const rows = { files: personsIn(site.files), table: (await client.query('select * from persons')).rows }
    const isCurrent = Object.values(rows).every((list) => isDeepStrictEqual(currentOf(list), stored))
    return isCurrent ? { runs, stored, rows } : undefined
  })
  assertCompleted(t, runs)
  for (const [name, list] of Object.entries(rows))
    t.same(currentOf(list), stored, `${name}: the current rows equal the stored persons`)
  t.equal(rows.table.length, merged(rows.table).size, 'table: one row for each distinct id')
  const result = `the rows of ${Object.keys(stored).length} distinct ids equal the stored persons after ${created.toLocaleString('en')} changes and ${deleted} deletions, in files and in a table`
  figure(t, { area: 'Batch exports', count: PERSON_ROUNDS, of: 'kills during exports of persons', result, seed: SEED })
}

withKills('delivers the current state of each person', 40, testKillsOfPersons)

/** Checks that events of a pause are skipped and all others delivered, whenever a process dies. */
async function testKillsAroundPauses(t: Test, engine: Engine, processes: number, seed: number): Promise<void> {
  t.comment(`SEED=${SEED}`)
  const random = seeded(seed)
  const site = await openSite(t, engine)
  while (site.servers.length < processes) await site.start()
  const target = await folder(t, site)
  const id = await createExport(site, target)
  const path = `${base(site)}/${id}` as const
  const sender = createSender(site, random)
  const expected: string[] = []

  const send = async (count: number): Promise<string[]> => {
    const before = sender.uuids().length
    sender.enqueue(count)
    await sender.sendAll()
    return sender.uuids().slice(before)
  }
  /** Kills a process during a request, then repeats the request until it succeeds. */
  const requestAndKill = async (path: string, body?: unknown): Promise<void> => {
    const request = site.request('POST', path, body).catch(() => undefined)
    await pause(random() * 40)
    await site.kill(pick(site.servers, random))
    await request
    await site.start()
    await until(() => site.request('POST', path, body).catch(() => undefined))
  }
  for (let round = 1; round <= ROUNDS; round++) {
    expected.push(...(await send(300)))
    await requestAndKill(`${path}/pause/`)
    const during = await send(200)
    site.advance(Math.floor(random() * 2 * WINDOW_MS))
    const backfill = random() < 0.3
    if (backfill) expected.push(...during)
    await requestAndKill(`${path}/unpause/`, { backfill })
    expected.push(...(await send(100)))
    if (random() < 0.5) site.advance(WINDOW_MS)
    await wakeExporters(site, id)
    await pause(random() * 500)
    await site.kill(pick(site.servers, random))
    await site.start()
    if (round % CATCH_UP_EVERY !== 0) continue
    site.advance(WINDOW_MS)
    await settle(site, [id])
  }

  // No window ends during a pause, so one has to end after the last pause.
  site.advance(WINDOW_MS)
  const runs = await finish(site, [id])
  assertCompleted(t, runs)
  await assertOnceEach(t, target, expected)
  const skipped = sender.uuids().length - expected.length
  const { results } = await site.request('GET', `${path}/logs/?search=Skipped&limit=1000`)
  const counts = results.map(({ message }) => Number(textAt(/\d+/, message)))
  t.equal(
    counts.reduce((sum, count) => sum + count, 0),
    skipped,
    'the log has the number of skipped events',
  )
  const result = `each of ${expected.length.toLocaleString('en')} events delivered once in ${runs.length} runs, ${skipped.toLocaleString('en')} skipped`
  figure(t, { area: 'Batch exports', count: 3 * ROUNDS, of: 'kills around pauses', result, seed: SEED })
}

withKills('delivers and skips events around pauses', 20, testKillsAroundPauses)

/** Checks that a backfill is created once and completes with exact counts, whenever a process dies. */
async function testKillsOfBackfills(t: Test, engine: Engine, processes: number, seed: number): Promise<void> {
  t.comment(`SEED=${SEED}`)
  const random = seeded(seed)
  const site = await openSite(t, engine)
  while (site.servers.length < processes) await site.start()
  const target = await folder(t, site)
  const id = await createExport(site, target)
  const path = `${base(site)}/${id}` as const
  await site.request('POST', `${path}/pause/`)
  const [windows, each] = [8, 250]
  const start = Date.parse(boundaryBefore(inUtc(INTERVAL), site.now())) - windows * WINDOW_MS
  const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()
  const sender = createSender(site, random)
  sender.enqueue(windows * each, (i) => iso(start + i * (WINDOW_MS / each)))
  await sender.sendAll()
  const range = { start_at: null, end_at: iso(start + windows * WINDOW_MS) }
  const list = async () => (await site.request('GET', `${path}/backfills/`)).results
  const killOne = async (): Promise<void> => {
    await site.kill(pick(site.servers, random))
    // Expires the leases of the killed process.
    site.advance(BEYOND_LEASE_MS)
    await site.start()
  }

  for (let round = 1; round <= ROUNDS; round++) {
    const request = site.request('POST', `${path}/backfills/`, range).catch(() => undefined)
    await pause(random() * 40)
    await killOne()
    await request
    const { id: created } = await until(() => site.request('POST', `${path}/backfills/`, range).catch(() => undefined))
    await pause(random() * 1_500)
    await killOne()
    const backfills = await until(async () => {
      const all = await list()
      return all.every(({ finished_at }) => finished_at !== null) && all
    })
    t.ok(backfills.some((backfill) => backfill.id === created))
  }

  const backfills = await list()
  for (const { id: backfill, ...found } of backfills) {
    t.match(found, {
      status: 'Completed',
      progress: 1,
      windows_completed: windows,
      windows_total: windows,
      records_completed: windows * each,
    })
    const files = filesBelow(site.files).filter((name) => name.endsWith('.jsonl') && name.includes(backfill))
    t.equal(files.length, windows, 'each window has one file')
    const uuids = async () => files.flatMap((name) => uuidsIn(readFileSync(name, 'utf8')))
    await assertOnceEach(t, { ...target, uuids }, sender.uuids())
  }
  assertCompleted(t, await runsOf(site, id))
  assertNoPartialFiles(t, site)
  const result = `${backfills.length} backfills complete, each with every event once`
  figure(t, { area: 'Batch exports', count: 2 * ROUNDS, of: 'kills around backfills', result, seed: SEED })
}

withKills('creates and completes backfills', 30, testKillsOfBackfills)

for (const engine of inTurn(ENGINES))
  scenario(`continues the run of a killed process before its lease expires (${engine})`, async (t) => {
    let requests = 0
    const peer = createServer((request, response) => {
      request.resume()
      // The first request is never answered.
      if (requests++ > 0) response.end()
    }).listen(0, '127.0.0.1')
    t.teardown(() => {
      peer.closeAllConnections()
      peer.close()
    })
    await once(peer, 'listening')
    const site = await openSite(t, engine)
    const url = `http://127.0.0.1:${(peer.address() as AddressInfo).port}/batch/`
    const id = await createExport(site, {
      name: 'slow',
      destination: { type: 'HTTP', config: { url, token: 'phc_x' } },
    })
    const sender = createSender(site, Math.random)
    sender.enqueue(10)
    await sender.sendAll()
    await waitForHorizon(site)
    site.advance(WINDOW_MS)
    await wakeExporters(site, id)
    await until(async () => requests > 0)
    await site.kill()
    site.advance(BEYOND_LEASE_MS / 6)
    await site.start()
    await until(async () => {
      await wakeExporters(site, id)
      const runs = await runsOf(site, id)
      return runs.length > 0 && !runs.some(isOpen)
    })
    assertCompleted(t, await runsOf(site, id))
    t.equal(requests, 2)
    const { results } = await site.request('GET', `${base(site)}/${id}/logs/?limit=1000&search=interrupted`)
    t.match(results, [{ level: 'WARNING', message: /^Attempt 1 was interrupted: its process ended/ }])
  })

for (const engine of inTurn(ENGINES))
  scenario(`resumes a run after SIGTERM (${engine})`, async (t) => {
    const site = await openSite(t, engine)
    const target = await folder(t, site)
    const id = await createExport(site, target)
    const sender = createSender(site, Math.random)
    const finished = (): string[] =>
      filesBelow(site.files).filter((path) => path.endsWith('.jsonl') && !isPartial(path))
    let files: string[] = []
    do {
      if (files.length) await settle(site, [id])
      sender.enqueue(8_000)
      await sender.sendAll()
      await waitForHorizon(site)
      const before = finished().length
      site.advance(WINDOW_MS)
      await wakeExporters(site, id)
      await until(async () => finished().length > before)
      const [server] = site.servers.splice(0)
      const exited = once(server!.child, 'exit')
      server!.child.kill('SIGTERM')
      t.same(await exited, [0, null], 'the process exits cleanly')
      assertNoPartialFiles(t, site)
      files = finished()
      await site.start()
      // Repeat if everything was delivered before the signal.
    } while (!(await runsOf(site, id)).some(({ status }) => status !== 'Completed') && files.length < 100)
    const inodes = files.map((path) => statSync(path).ino)
    assertCompleted(t, await finish(site, [id]))
    await assertOnceEach(t, target, sender.uuids())
    t.same(
      files.slice(0, -1).filter((path, i) => statSync(path).ino !== inodes[i]),
      [],
      'finished files are not written again',
    )
    const { results } = await site.request('GET', `${base(site)}/${id}/logs/?limit=1000&search=shutting`)
    t.match(results, [{ message: 'The server is shutting down. The run continues after the restart.' }])
  })

for (const engine of inTurn(ENGINES))
  scenario(`resumes a backfill after kill -9 (${engine})`, async (t) => {
    const site = await openSite(t, engine)
    const target = await folder(t, site)
    const id = await createExport(site, { ...target, name: 'backfilled' })
    await site.request('POST', `${base(site)}/${id}/pause/`)
    const [windows, each] = [16, 50]
    const start = Date.parse(boundaryBefore(inUtc(INTERVAL), site.now())) - windows * WINDOW_MS
    const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()
    const sender = createSender(site, Math.random)
    sender.enqueue(windows * each, (i) => iso(start + i * (WINDOW_MS / each)))
    await sender.sendAll()
    const range = { start_at: iso(start), end_at: iso(start + windows * WINDOW_MS) }
    const { backfill_id } = await site.request('POST', `${base(site)}/${id}/backfill/`, range)
    for (const many of [2, 8]) {
      const done = ({ status }: { status: string }): boolean => status === 'Completed'
      await until(async () => (await runsOf(site, id)).filter(done).length >= many)
      await site.kill()
      site.advance(BEYOND_LEASE_MS)
      await site.start()
    }
    const runs = await until(async () => {
      const list = await runsOf(site, id)
      return !list.some(isOpen) && list
    })
    assertCompleted(t, runs)
    t.equal(runs.length, windows)
    await assertOnceEach(t, target, sender.uuids())
    const names = filesBelow(site.files)
    t.same(
      names.filter((name) => !name.includes(`-backfill-${backfill_id}`)),
      [],
      'no file has the name of a scheduled file',
    )
    assertNoPartialFiles(t, site)
  })

scenario('recovers from a database outage (postgres)', async (t) => {
  const site = await openSite(t, 'postgres')
  const target = await folder(t, site)
  const id = await createExport(site, target)
  const sender = createSender(site, Math.random)
  const name = new URL(site.database_url).pathname.slice(1)
  const admin = new pg.Client(await serverUrl())
  await admin.connect()
  t.teardown(() => admin.end())
  const allowConnections = (allowed: boolean) => admin.query(`alter database ${name} with allow_connections ${allowed}`)
  const endConnections = () =>
    admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  for (const killTime of KILL_TIMES) {
    sender.enqueue(3_000)
    await sender.sendAll()
    site.advance(WINDOW_MS)
    await wakeExporters(site, id)
    await until(() => killTime.isReached(site, [id]))
    await allowConnections(false)
    await until(async () => {
      // A connection that was just being opened may have passed the check.
      await endConnections()
      return site.request('GET', `${base(site)}/`).then(
        () => false,
        () => true,
      )
    })
    site.advance(WINDOW_MS)
    await allowConnections(true)
    await until(async () => {
      const { exitCode, signalCode } = itemAt(site.servers, 0).child
      if (exitCode !== null || signalCode !== null) throw new Error(`The server ended with ${exitCode ?? signalCode}.`)
      return site.request('GET', `${base(site)}/`).catch(() => null)
    })
  }
  assertCompleted(t, await finish(site, [id]))
  await assertOnceEach(t, target, sender.uuids())
  assertNoPartialFiles(t, site)
  t.equal(itemAt(site.servers, 0).child.exitCode, null, 'the server survives')
})

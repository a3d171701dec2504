/** Killed processes during deliveries to cloud warehouses: each event is in the table once. */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import t, { type Test } from 'tap'
import { boundaryBefore } from '../../src/exports/interval.ts'
import type { Engine } from '../../src/sql/template.ts'
import { ENGINES } from '../helpers/app.ts'
import { openBigQueryStub } from '../helpers/bigquery.ts'
import { uuid } from '../helpers/events.ts'
import { figure, PROVE } from '../helpers/figures.ts'
import { seeded } from '../helpers/seeded.ts'
import { openSite, type Site, until } from '../helpers/site.ts'
import { openSnowflakeStub } from '../helpers/snowflake.ts'

const ROUNDS = PROVE ? 100 : 5
const SEED = Number(process.env.SEED ?? 20261116)
t.setTimeout((PROVE ? 180 : 15) * 60_000)

const INTERVAL = 'every 5 minutes'
const WINDOW_MS = 300_000
/** Longer than a lease and the first retry delays. */
const BEYOND_LEASE_MS = 61_000
const EVENTS = 600
const CATCH_UP_EVERY = 5

interface Target {
  name: string
  destination: { type: string; config: object }
  uuids(): Promise<string[]>
  /** Whether a statement has begun that is not finished. */
  isBusy(): boolean
  /** Objects of killed attempts that should not exist. */
  leftovers(): string[]
}

/** Load jobs into the table itself, or into a staging table and an INSERT. */
const bigquery =
  (use_json_type: boolean) =>
  async (t: Test): Promise<Target> => {
    const stub = await openBigQueryStub(t)
    stub.job_ms = 100
    return {
      name: `BigQuery, ${use_json_type ? 'staged' : 'loaded'}`,
      destination: { type: 'BigQuery', config: { ...stub.config, use_json_type } },
      uuids: async () => (await stub.query('select uuid from analytics.events')).map((row) => row.uuid),
      isBusy: () => [...stub.jobs.values()].some(({ state }) => state !== 'DONE'),
      // Staging tables expire.
      leftovers: () => [],
    }
  }

const snowflake = async (t: Test): Promise<Target> => {
  const stub = await openSnowflakeStub(t)
  stub.statement_ms = 20
  return {
    name: 'Snowflake',
    destination: { type: 'Snowflake', config: stub.config },
    uuids: async () => (await stub.query('select uuid from "PUBLIC".events')).map((row) => row.uuid),
    isBusy: () => stub.active > 0,
    leftovers: () => [...stub.files.keys()],
  }
}

const TARGETS = [bigquery(false), bigquery(true), snowflake]

const base = ({ project_id }: Site): string => `/api/projects/${project_id}/batch_exports`

const runsOf = async (site: Site, id: string): Promise<any[]> =>
  (await site.request('GET', `${base(site)}/${id}/runs/?limit=1000`)).results

const isOpen = ({ status }: { status: string }): boolean => status === 'Starting' || status === 'Running'

const wakeExporters = (site: Site, id: string): Promise<unknown> =>
  Promise.allSettled(
    site.servers.map((server) => site.request('PATCH', `${base(site)}/${id}/`, { name: 'renamed' }, server)),
  )

/** Waits until all ended windows are planned and no run is active. Returns the runs. */
async function settle(site: Site, exports: readonly string[]): Promise<any[]> {
  const planned = boundaryBefore(INTERVAL, site.now())
  site.advance(BEYOND_LEASE_MS)
  return until(async () => {
    await wakeExporters(site, exports[0]!)
    const runs = await Promise.all(exports.map((id) => runsOf(site, id)))
    if (!runs.every((list) => list.some(({ data_interval_end }) => data_interval_end >= planned))) return
    const open = runs.flat().filter(isOpen)
    if (open.length === 0) return runs.flat()
    // Failed runs wait for their next attempt.
    if (open.every(({ status, latest_error }) => status === 'Starting' && latest_error !== null))
      site.advance(BEYOND_LEASE_MS)
    return
  })
}

/** PostgreSQL: waits until the horizon has passed all events. */
async function waitForHorizon({ database_url }: Site): Promise<void> {
  if (!database_url.startsWith('postgres')) return
  const client = new pg.Client(database_url)
  await client.connect()
  const text = `select pg_snapshot_xmin(pg_current_snapshot())::text::bigint > max(position) as over from events`
  await until(async () => (await client.query(text)).rows[0].over)
  await client.end()
}

async function testKills(t: Test, engine: Engine, processes: number, seed: number): Promise<void> {
  t.comment(`SEED=${SEED}`)
  const random = seeded(seed)
  const site = await openSite(t, engine)
  while (site.servers.length < processes) await site.start()
  const targets = await Promise.all(TARGETS.map((open) => open(t)))
  const exports: string[] = []
  for (const { name, destination } of targets)
    exports.push((await site.request('POST', `${base(site)}/`, { name, interval: INTERVAL, destination })).id)
  let created = 0

  for (let round = 1; round <= ROUNDS; round++) {
    const batch = Array.from({ length: EVENTS }, () => ({
      uuid: uuid(++created),
      event: 'seen',
      distinct_id: `person-${created % 7}`,
      properties: { number: created, padding: 'x'.repeat(300) },
    }))
    await until(() => site.request('POST', '/batch/', { api_key: site.project_token, batch }).catch(() => undefined))
    await waitForHorizon(site)
    site.advance(WINDOW_MS)
    await wakeExporters(site, exports[0]!)
    // Kill while a statement runs in a warehouse, or at a random time.
    const victim = targets[Math.floor(random() * targets.length)]!
    const waitsForStatement = random() < 0.7
    await until(async () => {
      if (!waitsForStatement || victim.isBusy()) return true
      return !(await Promise.all(exports.map((id) => runsOf(site, id)))).flat().some(isOpen)
    })
    // A random delay of the experiment; no assertion depends on it.
    await pause(random() * (waitsForStatement ? 150 : 1_500))
    await site.kill(site.servers[Math.floor(random() * processes)]!)
    await site.start()
    if (round % CATCH_UP_EVERY === 0) await settle(site, exports)
  }

  await settle(site, exports)
  await waitForHorizon(site)
  site.advance(WINDOW_MS)
  await settle(site, exports)
  site.advance(WINDOW_MS)
  const runs = await settle(site, exports)
  t.same(
    runs.filter(({ status }) => status !== 'Completed').map(({ status, latest_error }) => [status, latest_error]),
    [],
    `${runs.length} runs are complete`,
  )
  const sent = new Set(Array.from({ length: created }, (_, i) => uuid(i + 1)))
  for (const { name, uuids, leftovers } of targets) {
    const delivered = await uuids()
    const found = new Set(delivered)
    t.equal([...sent].filter((one) => !found.has(one)).length, 0, `${name}: no event is lost`)
    t.equal(delivered.length - found.size, 0, `${name}: no event is delivered twice`)
    t.equal([...found].filter((one) => !sent.has(one)).length, 0, `${name}: no unknown event is delivered`)
    t.strictSame(leftovers(), [], `${name}: nothing of killed attempts is left`)
  }
  const result = `each of ${created.toLocaleString('en')} events delivered once to each of ${targets.length} tables in ${runs.length} runs`
  figure(t, { area: 'Batch exports', count: ROUNDS, of: 'kills (cloud warehouses)', result, seed: SEED })
}

for (const [i, engine] of ENGINES.entries())
  t.test(`cloud warehouses get each event once despite kill -9 (${engine})`, (t) => testKills(t, engine, 1, SEED + i))

t.test('cloud warehouses get each event once when either of two processes is killed (postgres)', (t) =>
  testKills(t, 'postgres', 2, SEED + 9),
)

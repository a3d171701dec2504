/** Killed processes during deliveries to cloud warehouses: each event is in the table once. */
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Engine } from '../../src/sql/template.ts'
import { bySize, figure, inTurn } from '../helpers/assertions/figures.ts'
import { itemAt, pick } from '../helpers/assertions/items.ts'
import { openBigQueryStub } from '../helpers/peers/bigquery.ts'
import { openSnowflakeStub } from '../helpers/peers/snowflake.ts'
import { openSite, until } from '../helpers/programs/site.ts'
import {
  assertCompleted,
  assertOnceEach,
  createExport,
  finish,
  isOpen,
  runsOf,
  settle,
  type Target,
  WINDOW_MS,
  waitForHorizon,
  wakeExporters,
} from '../helpers/seeds/deliveries.ts'
import { uuid } from '../helpers/seeds/events.ts'
import { seeded } from '../helpers/seeds/seeded.ts'

const ROUNDS = bySize({ quick: 1, full: 5, prove: 100 })
const SEED = Number(process.env.SEED ?? 20261116)
t.setTimeout(bySize({ full: 15, prove: 180 }) * 60_000)

const EVENTS = 600
const CATCH_UP_EVERY = 5

interface Warehouse extends Target {
  /** Whether a statement is in progress. */
  isBusy(): boolean
  /** Objects of killed attempts that should not exist. */
  leftovers(): string[]
}

/** Load jobs into the table itself, or into a staging table and an INSERT. */
const bigquery =
  (use_json_type: boolean) =>
  async (t: Test): Promise<Warehouse> => {
    const stub = await openBigQueryStub(t)
    stub.job_ms = 100
    return {
      name: `BigQuery, ${use_json_type ? 'staged' : 'loaded'}`,
      destination: { type: 'BigQuery', config: { ...stub.config, use_json_type } },
      uuids: async () => (await stub.query('select uuid from analytics.events')).map(({ uuid }) => String(uuid)),
      isBusy: () => [...stub.jobs.values()].some(({ state }) => state !== 'DONE'),
      // Staging tables expire.
      leftovers: () => [],
    }
  }

const snowflake = async (t: Test): Promise<Warehouse> => {
  const stub = await openSnowflakeStub(t)
  stub.statement_ms = 20
  return {
    name: 'Snowflake',
    destination: { type: 'Snowflake', config: stub.config },
    uuids: async () => (await stub.query('select uuid from "PUBLIC".events')).map(({ uuid }) => String(uuid)),
    isBusy: () => stub.active > 0,
    leftovers: () => [...stub.files.keys()],
  }
}

const TARGETS = [bigquery(false), bigquery(true), snowflake]

async function testKills(t: Test, engine: Engine, processes: number, seed: number): Promise<void> {
  t.comment(`SEED=${SEED}`)
  const random = seeded(seed)
  const site = await openSite(t, engine)
  while (site.servers.length < processes) await site.start()
  const targets = await Promise.all(TARGETS.map((open) => open(t)))
  const exports: string[] = []
  for (const target of targets) exports.push(await createExport(site, target))
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
    await wakeExporters(site, itemAt(exports, 0))
    // Kill while a statement runs in a warehouse, or at a random time.
    const victim = pick(targets, random)
    const waitsForStatement = random() < 0.7
    await until(async () => {
      if (!waitsForStatement || victim.isBusy()) return true
      return !(await Promise.all(exports.map((id) => runsOf(site, id)))).flat().some(isOpen)
    })
    // A random delay of the experiment; no assertion depends on it.
    await pause(random() * (waitsForStatement ? 150 : 1_500))
    await site.kill(pick(site.servers, random))
    await site.start()
    if (round % CATCH_UP_EVERY === 0) await settle(site, exports)
  }

  const runs = await finish(site, exports)
  assertCompleted(t, runs)
  const sent = Array.from({ length: created }, (_, i) => uuid(i + 1))
  for (const target of targets) {
    await assertOnceEach(t, target, sent)
    t.strictSame(target.leftovers(), [], `${target.name}: nothing of killed attempts is left`)
  }
  const result = `each of ${created.toLocaleString('en')} events delivered once to each of ${targets.length} tables in ${runs.length} runs`
  figure(t, { area: 'Batch exports', count: ROUNDS, of: 'kills (cloud warehouses)', result, seed: SEED })
}

const PROCESSES: { engine: Engine; count: number; seed: number }[] = [
  { engine: 'sqlite', count: 1, seed: SEED },
  { engine: 'postgres', count: 1, seed: SEED + 1 },
  { engine: 'postgres', count: 2, seed: SEED + 9 },
]

for (const { engine, count, seed } of inTurn(PROCESSES)) {
  const killed = count === 1 ? 'despite kill -9' : 'when either of two processes is killed'
  t.test(`cloud warehouses get each event once ${killed} (${engine})`, (t) => testKills(t, engine, count, seed))
}

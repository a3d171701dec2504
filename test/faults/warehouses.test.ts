/** Killed processes: Redshift, ClickHouse and S3Compatible get each event once, and no staged file is left. */
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import t, { type Test } from 'tap'
import type { Engine } from '../../src/sql/template.ts'
import { ENGINES } from '../helpers/app.ts'
import { bySize, figure } from '../helpers/assertions/figures.ts'
import { defined, itemAt, pick } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import { openClickHouse } from '../helpers/peers/clickhouse.ts'
import { KEYS, openRedshift, ROLE } from '../helpers/peers/redshift.ts'
import { openSite, type Site, until } from '../helpers/programs/site.ts'
import {
  assertCompleted,
  assertOnceEach,
  bucket,
  createExport,
  createSender,
  finish,
  isOpen,
  runsOf,
  settle,
  type Target,
  WINDOW_MS,
  wakeExporters,
} from '../helpers/seeds/deliveries.ts'
import { seeded } from '../helpers/seeds/seeded.ts'

const S3rver = createRequire(import.meta.url)('s3rver')

const ROUNDS = bySize({ quick: 1, full: 5, prove: 100 })
const SEED = Number(process.env.SEED ?? 20261116)
t.setTimeout(bySize({ full: 15, prove: 180 }) * 60_000)

/** Rounds between catch-ups: fewer than the attempts after which a run fails. */
const CATCH_UP_EVERY = 5

/** The bucket from which Redshift copies. */
async function openStaging(t: Test): Promise<{ endpoint: string; keys(): Promise<string[]> }> {
  const Bucket = 'staging'
  const options = { address: '127.0.0.1', port: 0, silent: true, configureBuckets: [{ name: Bucket }] }
  const server = new S3rver({ ...options, directory: freshFolder(t) })
  const endpoint = `http://127.0.0.1:${(await server.run()).port}`
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
  const client = new S3Client({ region: 'us-east-1', endpoint, forcePathStyle: true, credentials })
  t.teardown(() => {
    client.destroy()
    return server.close()
  })
  return {
    endpoint,
    keys: async () =>
      ((await client.send(new ListObjectsV2Command({ Bucket }))).Contents ?? []).map(({ Key }) => String(Key)),
  }
}

async function redshift(t: Test, endpoint: string, mode: 'INSERT' | 'COPY'): Promise<Target> {
  const { config, query } = await openRedshift(t, endpoint)
  const access = { authorization: ROLE, bucket_credentials: KEYS }
  const copy_inputs = mode === 'COPY' ? { s3_bucket: 'staging', region_name: 'us-east-1', ...access } : null
  return {
    name: `Redshift with ${mode}`,
    destination: { type: 'Redshift', config: config({ mode, copy_inputs }) },
    uuids: async () => (await query('select uuid from events')).map(({ uuid }) => String(uuid)),
  }
}

async function clickhouse(t: Test): Promise<Target> {
  const stub = await openClickHouse(t)
  return {
    name: 'ClickHouse',
    destination: { type: 'ClickHouse', config: stub.config() },
    uuids: async () => defined(stub.tables.get('default.events')).rows.map(({ uuid }) => String(uuid)),
  }
}

async function compatible(t: Test): Promise<Target> {
  const target = await bucket(t)
  return { ...target, name: 'S3Compatible', destination: { ...target.destination, type: 'S3Compatible' } }
}

/** A random time, or shortly after a delivery has started. */
const KILL_TIMES: { isReached(site: Site, exports: readonly string[]): Promise<boolean>; max_delay_ms: number }[] = [
  { isReached: async () => true, max_delay_ms: 2_000 },
  {
    isReached: async (site, exports) => {
      const runs = (await Promise.all(exports.map((id) => runsOf(site, id)))).flat()
      return runs.some(({ status }) => status === 'Running') || !runs.some(isOpen)
    },
    max_delay_ms: 600,
  },
]

async function testKills(t: Test, engine: Engine, seed: number): Promise<void> {
  t.comment(`SEED=${SEED}`)
  const random = seeded(seed)
  const staging = await openStaging(t)
  const site = await openSite(t, engine, { environment: { S3_ENDPOINT_URL: staging.endpoint } })
  const targets = await Promise.all([
    clickhouse(t),
    compatible(t),
    redshift(t, staging.endpoint, 'INSERT'),
    redshift(t, staging.endpoint, 'COPY'),
  ])
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
    await site.kill()
    await sending
    await site.start()
    if (round % CATCH_UP_EVERY === 0) await settle(site, exports)
  }

  await sender.sendAll()
  const runs = await finish(site, exports)
  assertCompleted(t, runs)
  for (const target of targets) await assertOnceEach(t, target, sender.uuids())
  t.same(await staging.keys(), [], 'no staged file is left in the bucket')
  const result = `each of ${sender.uuids().length.toLocaleString('en')} events delivered once to each of ${targets.length} destinations in ${runs.length} runs`
  figure(t, { area: 'Batch exports', count: ROUNDS, of: 'kills', result, seed: SEED })
}

// The quick size tests the cloud warehouses on SQLite.
for (const engine of bySize<Engine[]>({ quick: ['postgres'], full: ENGINES }))
  t.test(`Redshift, ClickHouse and S3Compatible get each event once despite kill -9 (${engine})`, (t) =>
    testKills(t, engine, SEED + ENGINES.indexOf(engine)),
  )

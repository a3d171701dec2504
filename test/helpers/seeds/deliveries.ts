/** Exports of an installation whose processes are killed: events, runs, and the contents of destinations. */
import { createRequire } from 'node:module'
import { GetObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3'
import pg from 'pg'
import type { Test } from 'tap'
import { boundaryBefore, inUtc } from '../../../src/exports/interval.ts'
import { defined, itemAt } from '../assertions/items.ts'
import { freshFolder } from '../folders.ts'
import { type Site, until } from '../programs/site.ts'
import type { BodyOf } from '../response-bodies.ts'
import { uuid } from './events.ts'

const S3rver = createRequire(import.meta.url)('s3rver')

export const INTERVAL = 'every 5 minutes'
export const WINDOW_MS = 300_000
/** Longer than a lease and the first retry delays. */
export const BEYOND_LEASE_MS = 61_000
const BATCH_SIZE = 500

/** A destination and its contents. */
export interface Target {
  name: string
  destination: { type: string; config: object }
  uuids(): Promise<string[]>
}

export const uuidsIn = (text: string): string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).uuid)

export const bucket = async (t: Test): Promise<Target> => {
  const Bucket = 'events'
  const directory = freshFolder(t)
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: Bucket }],
  })
  const endpoint = `http://127.0.0.1:${(await server.run()).port}`
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
  const client = new S3Client({ region: 'us-east-1', endpoint, forcePathStyle: true, credentials })
  t.teardown(() => {
    client.destroy()
    return server.close()
  })
  return {
    name: 'bucket',
    destination: {
      type: 'S3',
      config: {
        bucket_name: Bucket,
        region: 'us-east-1',
        prefix: 'all',
        endpoint_url: endpoint,
        aws_access_key_id: credentials.accessKeyId,
        aws_secret_access_key: credentials.secretAccessKey,
        max_file_size_mb: 1,
      },
    },
    uuids: async () => {
      const found: string[] = []
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket }))
        for (const { Key } of Contents) {
          if (!Key?.endsWith('.jsonl')) continue
          const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
          found.push(...uuidsIn(await defined(Body).transformToString()))
        }
      return found
    },
  }
}

/** Sends each batch of events until it is acknowledged. */
export function createSender(site: Site, random: () => number) {
  const padding = 'x'.repeat(600)
  const pending: object[][] = []
  let created = 0
  const send = async (batch: object[]): Promise<void> => {
    const server = site.servers[Math.floor(random() * site.servers.length)]
    try {
      await site.request('POST', '/batch/', { api_key: site.project_token, batch }, server)
      pending.splice(pending.indexOf(batch), 1)
    } catch {
      // The server was killed.
    }
  }
  return {
    /** The ids of all created events. */
    uuids: (): string[] => Array.from({ length: created }, (_, i) => uuid(i + 1)),
    enqueue: (count: number, timestamp: (i: number) => string | undefined = () => undefined): void => {
      for (let rest = count; rest > 0; rest -= BATCH_SIZE)
        pending.push(
          Array.from({ length: Math.min(rest, BATCH_SIZE) }, () => ({
            uuid: uuid(++created),
            event: 'seen',
            distinct_id: `person-${created % 7}`,
            timestamp: timestamp(created - 1),
            properties: { number: created, padding },
          })),
        )
    },
    /** Sends at most `limit` batches in sequence, each once. */
    sendSome: async (limit = pending.length): Promise<void> => {
      for (const batch of pending.slice(0, limit)) await send(batch)
    },
    sendAll: (): Promise<unknown> =>
      until(async () => {
        for (const batch of [...pending]) await send(batch)
        return pending.length === 0
      }),
  }
}

export const base = ({ project_id }: Site) => `/api/projects/${project_id}/batch_exports` as const

export const createExport = async (
  site: Site,
  { name, destination }: Pick<Target, 'name' | 'destination'>,
  model = 'events',
): Promise<string> =>
  (await site.request('POST', `${base(site)}/`, { name, interval: INTERVAL, destination, model })).id

type Run = BodyOf<'batch_export_runs.list'>['results'][number]

export const runsOf = async (site: Site, id: string): Promise<Run[]> =>
  (await site.request('GET', `${base(site)}/${id}/runs/?limit=1000`)).results

/** Wakes the exporter of every process. */
export const wakeExporters = (site: Site, id: string): Promise<unknown> =>
  Promise.allSettled(
    site.servers.map((server) => site.request('PATCH', `${base(site)}/${id}/`, { name: 'renamed' }, server)),
  )

export const isOpen = ({ status }: { status: string }): boolean => status === 'Starting' || status === 'Running'

/** Waits until all ended windows are planned and no run is active. Returns the runs. */
export async function settle(site: Site, exports: readonly string[]): Promise<Run[]> {
  const planned = boundaryBefore(inUtc(INTERVAL), site.now())
  // Expires the leases of killed processes.
  site.advance(BEYOND_LEASE_MS)
  return until(async () => {
    await wakeExporters(site, itemAt(exports, 0))
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
export async function waitForHorizon({ database_url }: Site): Promise<void> {
  if (!database_url.startsWith('postgres')) return
  const client = new pg.Client(database_url)
  await client.connect()
  const text = `select pg_snapshot_xmin(pg_current_snapshot())::text::bigint > max(position) as over from events`
  await until(async () => (await client.query(text)).rows[0].over)
  await client.end()
}

/** Advances by two windows, which ends the window of the last events, and checks that everything is delivered. */
export async function finish(site: Site, exports: readonly string[]): Promise<Run[]> {
  await settle(site, exports)
  await waitForHorizon(site)
  site.advance(WINDOW_MS)
  await settle(site, exports)
  site.advance(WINDOW_MS)
  return settle(site, exports)
}

export async function assertOnceEach(t: Test, { name, uuids }: Target, sent: readonly string[]): Promise<void> {
  const delivered = await uuids()
  const [found, expected] = [new Set(delivered), new Set(sent)]
  t.same(sent.filter((uuid) => !found.has(uuid)).length, 0, `${name}: no event is lost`)
  t.equal(delivered.length - found.size, 0, `${name}: no event is delivered twice`)
  t.equal([...found].filter((uuid) => !expected.has(uuid)).length, 0, `${name}: no unknown event is delivered`)
}

export const assertCompleted = (t: Test, runs: readonly Run[]): boolean =>
  t.same(
    runs.filter(({ status }) => status !== 'Completed').map(({ status, latest_error }) => [status, latest_error]),
    [],
    `${runs.length} runs are complete`,
  )

/** Reads the gauges of a scrape: the queues of all nodes from the database, and the state of this process. */
import { stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import type { Config } from './config.ts'
import { oldestTransaction } from './events/positions.ts'
import type { EventReader } from './events/readers.ts'
import type { EventWriter } from './events/writer.ts'
import type { Exporter } from './exports/exporter.ts'
import type { Database } from './sql/db.ts'
import { ADMINISTRATION, EVENTS, SCHEMA_VERSION } from './sql/migrate.ts'
import * as gauges from './store/gauges.ts'
import { backupStatus } from './store/installation.ts'
import type { GaugeReader, Metrics, Samples } from './telemetry/metrics.ts'

/** Several scrapers share one read of the database. */
const QUEUES_MS = 10_000
const SIZES_MS = 60_000
const LATE_MS = 300_000

export interface GaugesOptions {
  config: Config
  metrics: Metrics
  db: Database
  writer: EventWriter
  reader: EventReader
  exporter: Exporter
  files_root: string
  milliseconds: () => number
}

export function addGauges({
  config,
  metrics,
  db,
  writer,
  reader,
  exporter,
  files_root,
  milliseconds,
}: GaugesOptions): void {
  const data_folder = db.engine === 'sqlite' ? dirname(db.location) : null

  metrics.addGauges(async () => {
    const pool = db.pool()
    return {
      workspace_build_info: one(1, {
        version: packageJson.version,
        schema_version: String(SCHEMA_VERSION),
        node_version: process.versions.node,
        role: config.ROLE,
        engine: db.engine,
      }),
      workspace_database_clock_skew_seconds: one(db.skew() / 1000),
      ...(pool && {
        workspace_database_connections: [
          { value: pool.used, labels: { state: 'used' } },
          { value: pool.idle, labels: { state: 'idle' } },
        ],
        workspace_database_connections_max: one(pool.max),
        workspace_database_waiting_requests: one(pool.waiting),
      }),
      workspace_export_slots: one(config.ROLE === 'api' ? 0 : config.EXPORT_SLOTS),
      workspace_export_slots_used: one(exporter.active()),
      workspace_ingest_queue_bytes: one(writer.queued_bytes()),
      workspace_event_queries: reader
        .load()
        .map(({ lane, state, count }) => ({ value: count, labels: { lane, state } })),
    }
  })

  const queues = cached(QUEUES_MS, () => readQueues(db, milliseconds()))
  metrics.addGauges(async () => {
    const found = await queues().catch(() => null)
    return { ...found, workspace_database_up: one(found === null ? 0 : 1) }
  })
  metrics.addGauges(cached(SIZES_MS, async () => ({ workspace_database_size_bytes: await sizes(db, data_folder) })))
  metrics.addGauges(async () => {
    const folders = { ...(data_folder && { data: data_folder }), exports: files_root, temporary: tmpdir() }
    return { workspace_disk_free_bytes: await freeSpace(folders) }
  })
}

const one = (value: number, labels?: Record<string, string>): Samples => [{ value, ...(labels && { labels }) }]

/** Reads at most once in `period_ms`, even for concurrent scrapes. A failure is not cached. */
function cached(period_ms: number, read: GaugeReader): GaugeReader {
  let last: ReturnType<GaugeReader> | undefined
  let read_at = 0
  return () => {
    if (last && performance.now() - read_at < period_ms) return last
    read_at = performance.now()
    last = read()
    last.catch(() => {
      last = undefined
    })
    return last
  }
}

async function readQueues(db: Database, time: number): ReturnType<GaugeReader> {
  const [now, late] = [new Date(time).toISOString(), new Date(time - LATE_MS).toISOString()]
  const runs = await gauges.openRuns(db)
  const due = await gauges.dueExports(db, now)
  const behind = await gauges.exportsBehind(db, late)
  const { mails, oldest_mail, purges, sessions } = await gauges.queueLengths(db, now)
  const backup = await backupStatus(db)
  const oldest = await oldestTransaction(db, 0)
  const secondsSince = (at: string): number => Math.max(0, (time - Date.parse(at)) / 1000)
  const lag = new Map<string, number>()
  for (const { destination, oldest_window } of [...runs, ...due])
    lag.set(destination, Math.max(lag.get(destination) ?? 0, oldest_window === null ? 0 : secondsSince(oldest_window)))
  return {
    workspace_export_runs: runs.map(({ destination, status, count }) => ({
      value: count,
      labels: { destination, state: status === 'Starting' ? 'waiting' : 'running' },
    })),
    workspace_export_lag_seconds: [...lag].map(([destination, value]) => ({ value, labels: { destination } })),
    workspace_exports_behind: [...lag.keys()].map((destination) => ({
      value: behind.find((found) => found.destination === destination)?.count ?? 0,
      labels: { destination },
    })),
    workspace_database_oldest_transaction_seconds: one(oldest?.seconds ?? 0),
    workspace_mail_queue_length: one(mails),
    workspace_mail_queue_oldest_seconds: one(oldest_mail === null ? 0 : secondsSince(oldest_mail)),
    workspace_purge_queue_length: one(purges),
    workspace_sessions: one(sessions),
    workspace_backup_last_success_timestamp_seconds: one(
      backup?.last_backup_at ? Date.parse(backup.last_backup_at) / 1000 : 0,
    ),
    ...(backup?.last_backup_bytes && { workspace_backup_last_size_bytes: one(backup.last_backup_bytes) }),
    workspace_backup_failing: one(backup?.last_backup_failed_at ? 1 : 0),
  }
}

async function sizes(db: Database, folder: string | null): Promise<Samples> {
  if (folder === null) return one(await gauges.databaseBytes(db), { database: 'all' })
  const bytesOf = async (file: string): Promise<number> => {
    const found = await Promise.all(['', '-wal'].map((suffix) => stat(join(folder, file + suffix)).catch(() => null)))
    return found.reduce((sum, status) => sum + (status?.size ?? 0), 0)
  }
  return [
    { value: await bytesOf(ADMINISTRATION.file), labels: { database: 'administration' } },
    { value: await bytesOf(EVENTS.file), labels: { database: 'events' } },
  ]
}

async function freeSpace(folders: Record<string, string>): Promise<Samples> {
  const found = await Promise.all(
    Object.entries(folders).map(async ([folder, path]) => {
      // A folder without a first export does not exist yet.
      const status = await statfs(path).catch(() => null)
      return status === null ? [] : [{ value: status.bavail * status.bsize, labels: { folder } }]
    }),
  )
  return found.flat()
}

/** Scheduled backups of SQLite: one process at a time makes them, by lease, in a child process. */
import type { Logger } from 'pino'
import { type Lease, leaseFor, whileLeased } from '../background/leases.ts'
import { createLoop } from '../background/loop.ts'
import { createProcessPool, ProcessExited } from '../background/process-pool.ts'
import { type Config, durationMs } from '../config.ts'
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import { pickDefined } from '../store/changes.ts'
import * as installation from '../store/installation.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { BackupJob, BackupReply, StoredBackup } from './messages.ts'
import type { TargetSettings } from './target.ts'

const LEASE_MS = 120_000
const RENEW_MS = 30_000
/** The longest delay until a failed backup is repeated. */
const RETRY_MS = 300_000
/** How often to look for a due backup: another process may have released its lease. */
const POLL_MS = 60_000
/** Ends a backup to a store that hangs. */
const TIMEOUT_MS = 6 * 3_600_000

export interface ScheduledBackups {
  start(): void
  /** Checks now whether a backup is due. */
  wake(): void
  /** Ends a backup in progress. It stays due. */
  stop(): Promise<void>
}

export interface ScheduledBackupsOptions {
  config: Config
  db: Db
  ids: Ids
  milliseconds: () => number
  log: Logger
  metrics: Metrics
  /** How often the lease is renewed. */
  renew_ms?: number
}

/** Null unless BACKUP_EVERY is set. */
export function createScheduledBackups({
  config,
  db,
  ids,
  milliseconds,
  log,
  metrics,
  renew_ms = RENEW_MS,
}: ScheduledBackupsOptions): ScheduledBackups | null {
  const { BACKUP_EVERY, BACKUP_TO } = config
  if (!BACKUP_EVERY || !BACKUP_TO || db.engine !== 'sqlite') return null
  const every_ms = durationMs(BACKUP_EVERY)
  const { BACKUP_S3_REGION } = config
  const optional = pickDefined(config, ['BACKUP_S3_ENDPOINT', 'BACKUP_S3_ACCESS_KEY_ID', 'BACKUP_S3_SECRET_ACCESS_KEY'])
  const settings: TargetSettings = { BACKUP_TO, BACKUP_S3_REGION, ...optional }
  const owner = ids.uuid()
  const pool = createProcessPool<BackupJob, BackupReply>({
    program: new URL('./backup-process', import.meta.url),
    idle_ms: 0,
  })
  const at = (time: number): string => new Date(time).toISOString()
  const lease = (): Lease => leaseFor(owner, at(milliseconds()), LEASE_MS)

  const loop = createLoop({
    name: 'scheduled backups',
    round: async () => {
      const now = milliseconds()
      if (await installation.claimBackup(db, lease(), at(now + every_ms))) await backUp(now)
      return Math.min(POLL_MS, every_ms)
    },
    retry_ms: POLL_MS,
    onError: (error) => log.error({ err: error }, 'scheduling a backup failed; retrying'),
  })

  async function backUp(now: number): Promise<void> {
    const started = performance.now()
    const renew = (): Promise<boolean> => installation.renewBackup(db, lease())
    const outcome = await whileLeased({ renew, every_ms: renew_ms }, ({ signal }) => run(now, signal)).catch(
      (error: Error) => error,
    )
    if (outcome === undefined) return log.warn({ to: BACKUP_TO }, 'a scheduled backup was ended: its lease was lost')
    const seconds = (performance.now() - started) / 1000
    if (outcome instanceof Error) {
      if (loop.stopped) return installation.releaseBackup(db, owner)
      metrics.backup('failed', seconds)
      log.error({ err: outcome, to: BACKUP_TO }, 'a scheduled backup failed')
      const failure = { at: at(milliseconds()), message: outcome.message.slice(0, 500) }
      return installation.finishBackup(db, owner, { due_at: at(now + Math.min(every_ms, RETRY_MS)), failure })
    }
    const { name, bytes, manifest, removed, retention_error } = outcome
    await installation.recordBackup(db, manifest.created_at, bytes)
    await installation.finishBackup(db, owner, { due_at: at(now + every_ms), failure: null })
    metrics.backup('succeeded', seconds)
    log.info({ to: BACKUP_TO, name, bytes, seconds, removed: removed.length }, 'backup stored')
    if (retention_error) log.warn({ to: BACKUP_TO, reason: retention_error }, 'deleting old backups failed')
  }

  async function run(now: number, signal: AbortSignal): Promise<StoredBackup> {
    const id = await installation.identity(db)
    if (id === undefined) throw new Error('The database has no installation id.')
    const child = pool.take()
    const kill = (): void => void child.kill()
    const deadline = setTimeout(kill, TIMEOUT_MS).unref()
    signal.addEventListener('abort', kill)
    try {
      const { BACKUP_KEEP: keep, DATABASE_URL: url } = config
      await child.send({ url, installation: id, now: at(now), keep, settings })
      const reply = await child.receive()
      if (reply.kind === 'failed') throw new Error(reply.message)
      return reply.backup
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof ProcessExited ? new Error('The backup process crashed or timed out.') : error
    } finally {
      clearTimeout(deadline)
      kill()
    }
  }

  return {
    start: () => loop.start(),
    wake: loop.wake,
    stop: async () => {
      const stopped = loop.stop()
      await pool.stop()
      await stopped
    },
  }
}

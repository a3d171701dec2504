/** Plans runs, claims them by lease, delivers them and records their result. */
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import type { Logger } from 'pino'
import { type HeldLease, LEASE_LOST, type Lease, leaseFor, whileLeased } from '../background/leases.ts'
import { createLoop } from '../background/loop.ts'
import { hasEnded, processIdentity } from '../background/process-identity.ts'
import type { Config } from '../config.ts'
import type { Model } from '../events/models.ts'
import { pausePosition } from '../events/positions.ts'
import type { EventReader } from '../events/readers.ts'
import type { Ids } from '../ids.ts'
import type { Database, Db } from '../sql/db.ts'
import * as logs from '../store/batch_export_logs.ts'
import * as pauses from '../store/batch_export_pauses.ts'
import type { RunRow } from '../store/batch_export_runs.ts'
import * as runs from '../store/batch_export_runs.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import * as exports from '../store/batch_exports.ts'
import type { IntegrationRow } from '../store/integrations.ts'
import * as integrations from '../store/integrations.ts'
import type { Vault } from '../store/vault.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Span, Tracing } from '../telemetry/tracing.ts'
import type { Alerter } from './alerter.ts'
import { continueBackfill } from './backfills.ts'
import { type DeliveryJob, type DeliveryResult, describeFailure, type Report } from './deliver.ts'
import type { Deliver } from './delivery-processes.ts'
import type { Checkpoint } from './destination.ts'
import { type NotifyInputs, notifyCompletion, notifyFailure } from './notifications.ts'
import { roleBucketsOfProject } from './role-buckets.ts'
import { pauseFailing } from './run-followups.ts'
import { createPlanner, NOTHING_TO_DELIVER, type PlannedSlice } from './schedule.ts'
import { decryptSettings } from './settings.ts'
import { removeOrphanedFiles } from './temporary-files.ts'

const LEASE_MS = 60_000
const RENEW_MS = 15_000
/** How long after its last renewal a lease is kept although its process has ended. Its child processes exit meanwhile. */
const ENDED_LEASE_MS = 5_000
/** The shortest time between two writes of progress. */
const PROGRESS_MS = 1_000
/** How often to look for changes made by other nodes. */
const POLL_MS = 5_000
/** How often to check whether transactions older than the end of a pause have finished. */
const PAUSE_POLL_MS = 500
/** The delay after a slice of planning when more is due. Requests run in between. */
const NEXT_SLICE_MS = 10
const MAX_ATTEMPTS = 15
const FIRST_RETRY_MS = 30_000
const MAX_RETRY_MS = 120_000
/** Limits the `Retry-After` of a destination. */
const MAX_RETRY_AFTER_MS = 3_600_000
const CLEANUP_PERIOD_MS = 3_600_000
/** Rows of each table per statement: a commit of more blocks other writers. */
const CLEANUP_ROWS = 200
const DAY_MS = 86_400_000
const SHUTTING_DOWN = new Error('the server is shutting down')

export interface ExporterOptions {
  config: Pick<
    Config,
    'DATABASE_URL' | 'OUTBOUND_ALLOW' | 'EXPORT_SLOTS' | 'RUN_RETENTION_DAYS' | 'S3_ENDPOINT_URL' | 'S3_ROLE_BUCKETS'
  >
  db: Db
  events: Database
  reader: EventReader
  vault: Vault
  ids: Ids
  now: () => string
  log: Logger
  metrics: Metrics
  files_root: string
  launch: Deliver
  /** Null when traces are off. */
  tracing?: Tracing | null
  /** Sends the messages about runs. */
  alerter: Pick<Alerter, 'wake'>
  /** How often a lease is renewed. Renewing also detects a cancelled run. */
  renew_ms?: number
}

export interface Exporter {
  /** Starts the background loop. */
  start(): void
  /** Looks for due work now. */
  wake(): void
  /** Aborts the attempts of cancelled or deleted runs on this node. Other nodes notice when they renew their lease. */
  abort(run: { batch_export_id: string; id?: string }): void
  /** The number of runs in progress on this node. */
  active(): number
  /** Runs everything that is due now to completion. */
  drain(): Promise<void>
  /** Releases the active runs, so that the next start or another node continues them. */
  stop(): Promise<void>
}

export function createExporter(options: ExporterOptions): Exporter {
  const { config, db, ids, now, log, launch, vault, metrics } = options
  const identity = processIdentity()
  /** Unique to this start of the process. */
  const owner = [ids.uuid(), ...(identity ? [identity] : [])].join('@')
  const active = new Map<string, { batch_export_id: string; abort: AbortController; done: Promise<void> }>()
  const planner = createPlanner(options)
  let cleaned_at = 0

  const at = (milliseconds: number): string => new Date(Date.parse(now()) + milliseconds).toISOString()
  const lease = (): Lease => leaseFor(owner, now(), LEASE_MS)

  const notifyInputs = (): NotifyInputs => ({ ids, now: now() })

  const loop = createLoop({
    name: 'exporter',
    round: async () => {
      const [started] = await Promise.allSettled([startDueRuns()])
      await cleanUp().catch((error) => log.error({ err: error }, 'removing old export runs failed'))
      if (started.status === 'rejected') throw started.reason
      for (const { id, error, delay_ms } of started.value.failures)
        log.error(
          { err: error, batch_export: id },
          `planning an export failed; next attempt in ${delay_ms / 1000} seconds`,
        )
      return started.value.more ? NEXT_SLICE_MS : untilNextRound()
    },
    retry_ms: POLL_MS,
    onError: (error) => log.error({ err: error }, 'planning or claiming export runs failed; retrying'),
  })

  /** Plans a slice of the due windows and fills the free slots. */
  async function startDueRuns(): Promise<PlannedSlice> {
    // A failure to plan does not stop the runs that are already planned.
    const [planned] = await Promise.allSettled([planner.plan(() => loop.stopped)])
    const ended = await endedOwners()
    while (!loop.stopped && active.size < config.EXPORT_SLOTS) {
      const claimed = await runs.claim(db, lease(), [...active.keys()], ended)
      if (!claimed) break
      const { run, interrupted } = claimed
      const abort = new AbortController()
      if (loop.stopped) abort.abort(SHUTTING_DOWN)
      const done = traced(run, (span) => attempt(run, interrupted, abort, span))
        .catch((error) => log.error({ err: error, run: run.id }, 'the result of an export run could not be stored'))
        .finally(() => {
          active.delete(run.id)
          loop.wake()
        })
      active.set(run.id, { batch_export_id: run.batch_export_id, abort, done })
    }
    if (planned.status === 'rejected') throw planned.reason
    return planned.value
  }

  /** The owners of leases whose process on this machine has ended. */
  async function endedOwners(): Promise<runs.EndedOwners> {
    const owners = (await runs.leaseOwners(db)).filter((other) =>
      hasEnded(other.slice(other.indexOf('@') + 1), identity),
    )
    return { owners, before: at(LEASE_MS - ENDED_LEASE_MS) }
  }

  /** Runs an attempt inside its own span. */
  async function traced(run: RunRow, work: (span?: Span) => Promise<void>): Promise<void> {
    const span = options.tracing?.start({
      name: 'export attempt',
      attributes: {
        'workspace.batch_export.id': run.batch_export_id,
        'workspace.run.id': run.id,
        'workspace.run.attempt': run.attempts,
      },
    })
    if (!span) return work()
    return span.run(() => work(span)).finally(span.end)
  }

  const activeDone = (): Promise<unknown> => Promise.all([...active.values()].map(({ done }) => done))

  /** Milliseconds until the next known work is due. */
  async function untilNextRound(): Promise<number> {
    const due = [
      await exports.nextDue(db, planner.setAside()),
      active.size < config.EXPORT_SLOTS ? await nextClaim() : null,
    ]
    const waits = due.flatMap((time) => (time === null ? [] : [Date.parse(time) - Date.parse(now())]))
    if ((await pauses.withEndedPause(db, { after: '', limit: 1 })).length) waits.push(PAUSE_POLL_MS)
    return Math.max(NEXT_SLICE_MS, Math.min(POLL_MS, ...waits))
  }

  const nextClaim = (): Promise<string | null> => runs.nextClaim(db, [...active.keys()])

  async function cleanUp(): Promise<void> {
    if (Date.parse(now()) - cleaned_at < CLEANUP_PERIOD_MS) return
    cleaned_at = Date.parse(now())
    let removed = 1
    while (!loop.stopped && removed > 0)
      removed = await runs.prune(db, at(-config.RUN_RETENTION_DAYS * DAY_MS), CLEANUP_ROWS)
    await removeOrphanedFiles(
      { files_root: options.files_root, scratch_root: tmpdir(), now: Date.parse(now()) },
      (run_ids) => runs.ended(db, run_ids),
    )
  }

  /** Runs one attempt, from the claim to the stored result. */
  async function attempt(run: RunRow, interrupted: boolean, abort: AbortController, span?: Span): Promise<void> {
    const row = await exports.getById(db, run.batch_export_id)
    if (!row) return
    const logRun: LogRun = (level, message, tx = db) =>
      logs.write(tx, { ...run, run_id: run.id, timestamp: now(), level, message })
    if (interrupted)
      await logRun(
        'WARNING',
        `Attempt ${run.attempts - 1} was interrupted: its process ended or lost its connection to the database.`,
      )
    if (run.attempts > MAX_ATTEMPTS) return giveUp(run, row, logRun, 'Every attempt was interrupted.')
    const kind = run.kind === 'scheduled' ? '' : ` (${run.kind})`
    await logRun(
      'INFO',
      `Attempt ${run.attempts} started for ${run.data_interval_start} to ${run.data_interval_end}${kind}.`,
    )
    const started = performance.now()
    // Read for every attempt: rotated credentials take effect at the next one.
    const [integration = null] = row.integration_id === null ? [] : await integrations.withIds(db, [row.integration_id])
    const progress: runs.Progress = {}
    const renew = (checkpoint?: string): Promise<boolean> =>
      runs.renew(db, run.id, lease(), { ...progress, ...(checkpoint && { checkpoint }) })
    let result: DeliveryResult | undefined
    try {
      result = await whileLeased({ renew, every_ms: options.renew_ms ?? RENEW_MS, abort }, async (held) => {
        const store = storeProgress(held, progress)
        const checkpoint = async (state: Checkpoint): Promise<void> => {
          await held.renew(JSON.stringify({ ...state, place: destinationHash(row, integration) }))
          held.signal.throwIfAborted()
        }
        const report = (report: Report): void => {
          if (report.kind === 'log') void logRun(report.level, report.message).catch(() => undefined)
          else store.report(report)
        }
        const job = await jobOf(run, row, integration, span)
        return launch(job, { checkpoint, report }, held.signal).finally(store.stop)
      })
    } catch (error) {
      if (loop.stopped) return release(run, logRun)
      if (abort.signal.aborted) return
      span?.fail()
      return handleFailure(run, row, logRun, error)
    }
    if (!result) return
    const { records, bytes } = result
    const seconds = (performance.now() - started) / 1000
    const completed = await db.tx(async (tx) => {
      const locked = await exports.lock(tx, row.id)
      const ended =
        locked &&
        (await runs.finish(tx, run.id, owner, {
          status: 'Completed',
          now: now(),
          records_completed: records,
          bytes_completed: bytes,
        }))
      if (!ended) return undefined
      await logRun('INFO', summary(row.model, { records, bytes }, seconds), tx)
      await continueBackfill(tx, { ids, now: now() }, locked, ended)
      return notifyCompletion(tx, notifyInputs(), locked, ended)
    })
    if (completed === undefined) return
    if (completed) options.alerter.wake()
    metrics.exportRun(row.destination_type, 'Completed')
    metrics.exported(row.destination_type, { records, bytes, seconds })
  }

  const jobOf = async (
    run: RunRow,
    row: BatchExportRow,
    integration: IntegrationRow | null,
    span: Span | undefined,
  ): Promise<DeliveryJob> => ({
    run_id: run.id,
    attempt: run.attempts,
    batch_export_id: row.id,
    project_id: row.project_id,
    ...rangeOf(run),
    backfill_id: run.backfill_id,
    data_interval_start: run.data_interval_start,
    data_interval_end: run.data_interval_end,
    destination: decryptSettings(vault, row, integration),
    model: row.model,
    filters: row.filters === null ? null : JSON.parse(row.filters),
    hogql_query: row.hogql_query,
    checkpoint: checkpointFor(row, integration, run),
    repeated: run.kind === 'retry' || run.attempts > 1 || run.checkpoint !== null,
    now: Date.parse(run.created_at) * 1000,
    url: config.DATABASE_URL,
    files_root: options.files_root,
    outbound_allow: config.OUTBOUND_ALLOW,
    s3_endpoint: config.S3_ENDPOINT_URL,
    role_buckets: await roleBucketsOfProject(db, config.S3_ROLE_BUCKETS, row.project_id),
    ...(span && options.tracing && { trace: { settings: options.tracing.settings, parent: span.traceparent } }),
  })

  async function handleFailure(run: RunRow, row: BatchExportRow, logRun: LogRun, error: unknown): Promise<void> {
    const { message, retryable, retry_after_seconds } = describeFailure(error)
    log.warn(
      { err: error, run: run.id, batch_export: row.id, attempt: run.attempts, retryable },
      'an export run failed',
    )
    if (!retryable || run.attempts >= MAX_ATTEMPTS) return giveUp(run, row, logRun, message, retryable)
    const delay_ms = Math.max(
      Math.min(FIRST_RETRY_MS * 2 ** (run.attempts - 1), MAX_RETRY_MS),
      Math.min((retry_after_seconds ?? 0) * 1000, MAX_RETRY_AFTER_MS),
    )
    const postponed = await runs.postpone(db, run.id, owner, {
      now: now(),
      next_attempt_at: at(delay_ms),
      latest_error: message,
    })
    if (postponed) await logRun('WARNING', `${message} The next attempt starts in ${delay_ms / 1000} seconds.`)
  }

  async function giveUp(
    run: RunRow,
    row: BatchExportRow,
    logRun: LogRun,
    reason: string,
    retryable = true,
  ): Promise<void> {
    const status = retryable ? 'FailedRetryable' : 'Failed'
    const position = await pausePosition(options.events, row.model)
    const reported = await db.tx(async (tx) => {
      const locked = await exports.lock(tx, row.id)
      const ended = locked && (await runs.finish(tx, run.id, owner, { status, now: now(), latest_error: reason }))
      if (!ended) return undefined
      const outcome = retryable ? `The run failed after ${run.attempts} attempts.` : 'The run is not retried.'
      await logRun('ERROR', `${reason} ${outcome}`, tx)
      await continueBackfill(tx, { ids, now: now() }, locked, ended)
      const failed = await notifyFailure(tx, notifyInputs(), locked, ended)
      const paused = await pauseFailing(tx, notifyInputs(), locked, { position, run: ended })
      return failed || paused
    })
    if (reported === undefined) return
    metrics.exportRun(row.destination_type, status)
    if (reported) options.alerter.wake()
  }

  /** Ends the lease at shutdown. The next attempt continues at the checkpoint. This attempt does not count towards the limit. */
  async function release(run: RunRow, logRun: LogRun): Promise<void> {
    const released = await runs.postpone(db, run.id, owner, {
      now: now(),
      next_attempt_at: now(),
      latest_error: null,
      uncounted: true,
    })
    if (released) await logRun('INFO', 'The server is shutting down. The run continues after the restart.')
  }

  return {
    start: () => loop.start(),
    wake: loop.wake,
    abort: ({ batch_export_id, id }) => {
      for (const [run_id, attempt] of active)
        if (attempt.batch_export_id === batch_export_id && (id ?? run_id) === run_id) attempt.abort.abort(LEASE_LOST)
      loop.wake()
    },
    active: () => active.size,
    drain: async () => {
      let more: boolean
      do {
        await loop.idle()
        const planned = await startDueRuns()
        more = planned.more
        await activeDone()
        if (planned.failures[0]) throw planned.failures[0].error
      } while (more || (await hasDueWork()))
    },
    stop: async () => {
      const stopped = loop.stop()
      for (const { abort } of active.values()) abort.abort(SHUTTING_DOWN)
      // The last round may still claim a run.
      await stopped
      await activeDone()
    },
  }

  async function hasDueWork(): Promise<boolean> {
    const [due, claim] = [await exports.nextDue(db, planner.setAside()), await nextClaim()]
    return [due, claim].some((time) => time !== null && time <= now())
  }
}

type LogRun = (level: logs.LogLevel, message: string, tx?: Db) => Promise<void>

/** Stores the progress with the lease. */
function storeProgress(lease: HeldLease<string>, progress: runs.Progress) {
  let storing: NodeJS.Timeout | undefined
  return {
    report: (report: Exclude<Report, { kind: 'log' }>): void => {
      if (report.kind === 'total') progress.records_total_count = report.records
      else {
        progress.records_completed = report.records
        progress.bytes_completed = report.bytes
      }
      // Later reports are stored together with this one, even if the next one takes long.
      storing ??= setTimeout(() => {
        storing = undefined
        void lease.renew().catch(() => undefined)
      }, PROGRESS_MS)
    },
    stop: (): void => clearTimeout(storing),
  }
}

/** Backfills select events by time, other runs by position. */
function rangeOf(run: RunRow): Pick<DeliveryJob, 'range' | 'range_key'> {
  const { from_position: from, to_position: to, data_interval_start, data_interval_end } = run
  if (from !== null && to !== null) return { range: { by: 'positions', from, to }, range_key: `${from}-${to}` }
  return {
    range: {
      by: 'times',
      start: Date.parse(data_interval_start) * 1000,
      end: Date.parse(data_interval_end) * 1000,
    },
    range_key: `${run.backfill_id}/${data_interval_start}`,
  }
}

/** A hash of the destination, its encrypted secrets, the query and the filters. */
function destinationHash(row: BatchExportRow, integration: IntegrationRow | null): string {
  const { destination_type, destination_config, secrets, hogql_query, filters } = row
  const credentials = integration ? [integration.config, integration.secrets] : []
  const selection = filters === null ? [] : [filters]
  const parts = [destination_type, destination_config, secrets, hogql_query, ...selection, ...credentials]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** A checkpoint is valid only for the destination and query it was created with. */
function checkpointFor(
  row: BatchExportRow,
  integration: IntegrationRow | null,
  { checkpoint }: RunRow,
): Checkpoint | null {
  const { place, ...state } = JSON.parse(checkpoint ?? '{}')
  return place === destinationHash(row, integration) ? state : null
}

function summary(model: Model, { records, bytes }: DeliveryResult, seconds: number): string {
  if (records === 0) return NOTHING_TO_DELIVER[model]
  const rate = Math.round(records / Math.max(seconds, 0.001))
  return `Delivered ${records} ${model} (${bytes} bytes) in ${seconds.toFixed(1)} seconds, ${rate} ${model} per second.`
}

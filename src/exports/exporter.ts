/** Plans runs, claims them by lease, delivers them and records their result. */
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { pausePosition } from '../events/positions.ts'
import type { EventReader } from '../events/readers.ts'
import type { Ids } from '../ids.ts'
import type { Metrics } from '../metrics.ts'
import type { Db } from '../sql/db.ts'
import * as logs from '../store/batch_export_logs.ts'
import * as pauses from '../store/batch_export_pauses.ts'
import type { RunRow } from '../store/batch_export_runs.ts'
import * as runs from '../store/batch_export_runs.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import * as exports from '../store/batch_exports.ts'
import type { Vault } from '../store/vault.ts'
import { type Delivered, failureOf, type Job } from './deliver.ts'
import type { Deliver } from './delivery-processes.ts'
import type { Checkpoint } from './destination.ts'
import { removeLeftovers } from './leftovers.ts'
import { continueBackfill, pauseFailing } from './run-followups.ts'
import { NOTHING_TO_DELIVER, type Planner, plan } from './schedule.ts'
import { opened } from './settings.ts'

const LEASE_MS = 60_000
const RENEW_MS = 15_000
/** The shortest time between two writes of progress. */
const PROGRESS_MS = 1_000
/** How often to look for changes made by other nodes. */
const LOOK_AGAIN_MS = 5_000
/** How often to check whether transactions older than the end of a pause have finished. */
const UNSETTLED_MS = 500
const MOST_ATTEMPTS = 15
const FIRST_PAUSE_MS = 30_000
const LONGEST_PAUSE_MS = 120_000
/** The longest `Retry-After` of a destination that is honoured. */
const LONGEST_ASKED_PAUSE_MS = 3_600_000
const FORGET_EVERY_MS = 3_600_000
const FORGET_AT_ONCE = 1_000
const DAY_MS = 86_400_000
const STOPPING = new Error('the server is stopping')
const TAKEN_AWAY = new Error('the run was taken away')

export interface ExporterOptions {
  config: Pick<Config, 'DATABASE_URL' | 'OUTBOUND_ALLOW' | 'EXPORT_SLOTS' | 'RUN_RETENTION_DAYS'>
  db: Db
  events: Db
  reader: EventReader
  vault: Vault
  ids: Ids
  now: () => string
  log: Logger
  metrics: Metrics
  files_root: string
  launch: Deliver
  /** Null when no mail is configured. */
  wakeMailer: (() => void) | null
  /** How often a lease is renewed. Renewing also detects a cancelled run. */
  renew_ms?: number
}

export interface Exporter {
  /** Starts the background loop. */
  start(): void
  /** Looks for due work now. */
  wake(): void
  /** Aborts attempts at cancelled or deleted runs on this node. Other nodes notice when they renew their lease. */
  drop(run: { batch_export_id: string; id?: string }): void
  /** Runs everything that is due now to completion. */
  drain(): Promise<void>
  /** Releases the active runs, so that the next start or another node continues them. */
  stop(): Promise<void>
}

export function createExporter(options: ExporterOptions): Exporter {
  const { config, db, ids, now, log, launch, vault, metrics } = options
  const planner: Planner = options
  /** Unique to this start of the process. */
  const owner = ids.uuid()
  const active = new Map<string, { batch_export_id: string; abort: AbortController; done: Promise<void> }>()
  let stopped = false
  let started = false
  let working: Promise<void> | undefined
  let again = false
  let next: NodeJS.Timeout | undefined
  let forgotten_at = 0

  const at = (milliseconds: number): string => new Date(Date.parse(now()) + milliseconds).toISOString()
  const lease = (): runs.Lease => ({ owner, now: now(), until: at(LEASE_MS), latest: at(2 * LEASE_MS) })

  /** Plans due windows and fills the free slots. */
  async function look(): Promise<void> {
    // A failure to plan one export does not stop the runs that are already planned.
    const [planned] = await Promise.allSettled([plan(planner)])
    while (!stopped && active.size < config.EXPORT_SLOTS) {
      const run = await runs.claim(db, lease(), [...active.keys()])
      if (!run) break
      const abort = new AbortController()
      if (stopped) abort.abort(STOPPING)
      const done = attempt(run, abort)
        .catch((error) => log.error({ err: error, run: run.id }, 'an export run could not be written down'))
        .finally(() => {
          active.delete(run.id)
          wake()
        })
      active.set(run.id, { batch_export_id: run.batch_export_id, abort, done })
    }
    if (planned.status === 'rejected') throw planned.reason
  }

  function wake(): void {
    if (!started || stopped) return
    again = true
    working ??= rounds()
  }

  /** Never rejects. An unreachable database is retried. */
  async function rounds(): Promise<void> {
    clearTimeout(next)
    let wait = LOOK_AGAIN_MS
    while (again && !stopped) {
      again = false
      await look().catch((error) => log.error({ err: error }, 'looking for export runs failed; it is tried again'))
      await forget().catch((error) => log.error({ err: error }, 'old export runs could not be removed'))
      wait = await untilNext().catch(() => LOOK_AGAIN_MS)
    }
    // No await since the last check of `again`, so no wake-up is lost.
    working = undefined
    if (!stopped) next = setTimeout(wake, wait).unref()
  }

  /** Milliseconds until the next known work is due. */
  async function untilNext(): Promise<number> {
    const due = [await exports.nextDue(db), active.size < config.EXPORT_SLOTS ? await nextClaim() : null]
    const waits = due.flatMap((time) => (time === null ? [] : [Date.parse(time) - Date.parse(now())]))
    if ((await pauses.unsettled(db, { after: '', limit: 1 })).length) waits.push(UNSETTLED_MS)
    return Math.max(10, Math.min(LOOK_AGAIN_MS, ...waits))
  }

  const nextClaim = (): Promise<string | null> => runs.nextClaim(db, [...active.keys()])

  async function forget(): Promise<void> {
    if (Date.parse(now()) - forgotten_at < FORGET_EVERY_MS) return
    forgotten_at = Date.parse(now())
    let removed = 1
    while (!stopped && removed > 0)
      removed = await runs.forget(db, at(-config.RUN_RETENTION_DAYS * DAY_MS), FORGET_AT_ONCE)
    await removeLeftovers(
      { files_root: options.files_root, scratch_root: tmpdir(), now: Date.parse(now()) },
      (run_ids) => runs.ended(db, run_ids),
    )
  }

  /** Runs one attempt, from the claim to the recorded result. */
  async function attempt(run: RunRow, abort: AbortController): Promise<void> {
    const row = await exports.find(db, run.batch_export_id)
    if (!row) return
    const say = (level: logs.LogLevel, message: string, tx = db): Promise<void> =>
      logs.write(tx, { ...run, run_id: run.id, timestamp: now(), level, message })
    if (run.attempts > MOST_ATTEMPTS) return giveUp(run, row, say, 'Every attempt was cut short.')
    await say(
      'INFO',
      `Attempt ${run.attempts} at the events from ${run.data_interval_start} to ${run.data_interval_end}${run.kind === 'scheduled' ? '' : ` (${run.kind})`} began.`,
    )
    const began = performance.now()
    const keeper = keepLease(run, placeOf(row), abort)
    let delivered: Delivered
    try {
      delivered = await launch(
        jobOf(run, row),
        {
          ...keeper,
          tell: (report) => {
            if (report.kind === 'log') void say(report.level, report.message).catch(() => undefined)
            else keeper.tell(report)
          },
        },
        abort.signal,
      )
      await keeper.stop()
    } catch (error) {
      await keeper.stop()
      if (stopped) return void (await letGo(run, say))
      if (abort.signal.aborted) return
      return failed(run, row, say, error)
    }
    const seconds = (performance.now() - began) / 1000
    metrics.exported(row.destination_type, delivered.records, delivered.bytes)
    await db.tx(async (tx) => {
      const held = await exports.hold(tx, row.id)
      const ended =
        held &&
        (await runs.finish(tx, run.id, owner, {
          status: 'Completed',
          now: now(),
          records_completed: delivered.records,
        }))
      if (!ended) return
      await say('INFO', summary(delivered, seconds), tx)
      await continueBackfill(tx, { ids, now: now() }, held, ended)
    })
  }

  const jobOf = (run: RunRow, row: BatchExportRow): Job => ({
    run_id: run.id,
    attempt: run.attempts,
    batch_export_id: row.id,
    project_id: row.project_id,
    range_key:
      run.from_position === null
        ? `${run.backfill_id}/${run.data_interval_start}`
        : `${run.from_position}-${run.to_position}`,
    range:
      run.from_position === null
        ? {
            by: 'times',
            start: Date.parse(run.data_interval_start) * 1000,
            end: Date.parse(run.data_interval_end) * 1000,
          }
        : { by: 'positions', from: run.from_position, to: run.to_position! },
    backfill_id: run.backfill_id,
    data_interval_start: run.data_interval_start,
    data_interval_end: run.data_interval_end,
    destination: opened(vault, row),
    hogql_query: row.hogql_query,
    checkpoint: checkpointFor(row, run),
    now: Date.parse(run.created_at) * 1000,
    url: config.DATABASE_URL,
    files_root: options.files_root,
    outbound_allow: config.OUTBOUND_ALLOW,
  })

  /** Renews the lease and stores progress. Aborts the attempt when the lease is lost. */
  function keepLease(run: RunRow, place: string, abort: AbortController) {
    const progress: { records_completed?: number; records_total_count?: number } = {}
    let tail: Promise<unknown> = Promise.resolve()
    const renew = (checkpoint?: string): Promise<void> => {
      const turn = tail.then(async () => {
        const mine = await runs.renew(db, run.id, lease(), { ...progress, ...(checkpoint && { checkpoint }) })
        if (!mine) abort.abort(TAKEN_AWAY)
      })
      // A short outage of the database does not fail the delivery: the lease outlasts several renewals.
      tail = turn.catch(() => undefined)
      return turn
    }
    // Not unref'ed: losing the lease may be the only thing that ends this attempt.
    const timer = setInterval(() => void renew().catch(() => undefined), options.renew_ms ?? RENEW_MS)
    let noted = performance.now()
    return {
      tell: (report: { kind: string; records: number }): void => {
        if (report.kind === 'total') progress.records_total_count = report.records
        else progress.records_completed = report.records
        if (performance.now() - noted < PROGRESS_MS) return
        noted = performance.now()
        void renew().catch(() => undefined)
      },
      checkpoint: async (state: object): Promise<void> => {
        await renew(JSON.stringify({ ...state, place }))
        abort.signal.throwIfAborted()
      },
      stop: async (): Promise<void> => {
        clearInterval(timer)
        await tail
      },
    }
  }

  type Say = (level: logs.LogLevel, message: string, tx?: Db) => Promise<void>

  async function failed(run: RunRow, row: BatchExportRow, say: Say, error: unknown): Promise<void> {
    const { message, retryable, retry_after_seconds } = failureOf(error)
    log.warn(
      { err: error, run: run.id, batch_export: row.id, attempt: run.attempts, retryable },
      'an export run failed',
    )
    if (!retryable || run.attempts >= MOST_ATTEMPTS) return giveUp(run, row, say, message, retryable)
    const pause = Math.max(
      Math.min(FIRST_PAUSE_MS * 2 ** (run.attempts - 1), LONGEST_PAUSE_MS),
      Math.min((retry_after_seconds ?? 0) * 1000, LONGEST_ASKED_PAUSE_MS),
    )
    const kept = await runs.postpone(db, run.id, owner, {
      now: now(),
      next_attempt_at: at(pause),
      latest_error: message,
    })
    if (kept) await say('WARNING', `${message} The next attempt is in ${pause / 1000} seconds.`)
  }

  async function giveUp(run: RunRow, row: BatchExportRow, say: Say, reason: string, retryable = true): Promise<void> {
    const status = retryable ? 'FailedRetryable' : 'Failed'
    const position = await pausePosition(options.events)
    const mails = await db.tx(async (tx) => {
      const held = await exports.hold(tx, row.id)
      const ended = held && (await runs.finish(tx, run.id, owner, { status, now: now(), latest_error: reason }))
      if (!ended) return undefined
      await say(
        'ERROR',
        retryable
          ? `${reason} After ${run.attempts} attempts the run was given up.`
          : `${reason} Trying again would not help.`,
        tx,
      )
      await continueBackfill(tx, { ids, now: now() }, held, ended)
      return pauseFailing(tx, { ids, now: now() }, held, { position, byMail: options.wakeMailer !== null })
    })
    if (mails === undefined) return
    metrics.exportFailed(row.destination_type, status)
    if (mails > 0) options.wakeMailer?.()
  }

  /** The next start continues after the last finished file. This attempt does not count. */
  async function letGo(run: RunRow, say: Say): Promise<void> {
    const kept = await runs.postpone(db, run.id, owner, {
      now: now(),
      next_attempt_at: now(),
      latest_error: null,
      uncounted: true,
    })
    if (kept) await say('INFO', 'The server is stopping. The run goes on after the next start.')
  }

  return {
    start: () => {
      started = true
      wake()
    },
    wake,
    drop: ({ batch_export_id, id }) => {
      for (const [run_id, one] of active)
        if (one.batch_export_id === batch_export_id && (id ?? run_id) === run_id) one.abort.abort(TAKEN_AWAY)
      wake()
    },
    drain: async () => {
      do {
        await working
        await look()
        await Promise.all([...active.values()].map(({ done }) => done))
      } while (await claimable())
    },
    stop: async () => {
      if (stopped) return
      stopped = true
      clearTimeout(next)
      for (const { abort } of active.values()) abort.abort(STOPPING)
      // First, because it may still claim a run.
      await working
      await Promise.all([...active.values()].map(({ done }) => done))
    },
  }

  async function claimable(): Promise<boolean> {
    const [due, claim] = [await exports.nextDue(db), await nextClaim()]
    return [due, claim].some((time) => time !== null && time <= now())
  }
}

/** A hash of the destination, its encrypted secrets and the query. */
const placeOf = ({ destination_type, destination_config, secrets, hogql_query }: BatchExportRow): string =>
  createHash('sha256')
    .update(JSON.stringify([destination_type, destination_config, secrets, hogql_query]))
    .digest('hex')

/** A checkpoint is valid only for the destination and query it was made with. */
function checkpointFor(row: BatchExportRow, { checkpoint }: RunRow): Checkpoint | null {
  const { place, ...state } = JSON.parse(checkpoint ?? '{}')
  return place === placeOf(row) ? state : null
}

function summary({ records, bytes }: Delivered, seconds: number): string {
  if (records === 0) return NOTHING_TO_DELIVER
  const rate = Math.round(records / Math.max(seconds, 0.001))
  return `Delivered ${records} events, ${bytes} bytes, in ${seconds.toFixed(1)} seconds (${rate} events a second).`
}

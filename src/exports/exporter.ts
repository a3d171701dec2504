/** Plans runs, and claims them by lease. */
import { tmpdir } from 'node:os'
import { LEASE_LOST, type Lease, leaseFor } from '../background/leases.ts'
import { createLoop } from '../background/loop.ts'
import { hasEnded, processIdentity } from '../background/process-identity.ts'
import type { Config } from '../config.ts'
import type { EventReader } from '../events/readers.ts'
import * as pauses from '../store/batch_export_pauses.ts'
import * as runs from '../store/batch_export_runs.ts'
import * as exports from '../store/batch_exports.ts'
import { addMilliseconds } from '../time/stored.ts'
import { type AttemptOptions, LEASE_MS, runAttempt, SHUTTING_DOWN } from './attempt.ts'
import { createPlanner, type PlannedSlice } from './schedule.ts'
import { removeOrphanedFiles } from './temporary-files.ts'

/** How long after its last renewal a lease is kept although its process has ended. Its child processes exit meanwhile. */
const ENDED_LEASE_MS = 5_000
/** How often to look for changes made by other nodes. */
const POLL_MS = 5_000
/** How often to check whether transactions older than the end of a pause have finished. */
const PAUSE_POLL_MS = 500
/** The delay after a slice of planning or cleaning up when more is due. Requests run in between. */
const NEXT_SLICE_MS = 10
const CLEANUP_PERIOD_MS = 3_600_000
const DAY_MS = 86_400_000

export interface ExporterOptions extends AttemptOptions {
  config: AttemptOptions['config'] & Pick<Config, 'EXPORT_SLOTS' | 'RUN_RETENTION_DAYS'>
  eventReader: EventReader
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
  const { config, db, ids, now, log } = options
  const identity = processIdentity()
  /** Unique to this start of the process. */
  const owner = [ids.uuid(), ...(identity ? [identity] : [])].join('@')
  const active = new Map<string, { batch_export_id: string; abort: AbortController; done: Promise<void> }>()
  const planner = createPlanner(options)
  let cleaned_at = 0

  const lease = (): Lease => leaseFor(owner, now(), LEASE_MS)

  const loop = createLoop({
    name: 'exporter',
    round: async () => {
      let started: PlannedSlice
      let cleaning: boolean
      try {
        started = await startDueRuns()
      } finally {
        cleaning = await cleanUp().catch((error) => {
          log.error({ err: error }, 'removing old export runs failed')
          return false
        })
      }
      for (const { id, error, delay_ms } of started.failures)
        log.error(
          { err: error, batch_export: id },
          `planning an export failed; next attempt in ${delay_ms / 1000} seconds`,
        )
      return started.more || cleaning ? NEXT_SLICE_MS : untilNextRound()
    },
    retry_ms: POLL_MS,
    onError: (error) => log.error({ err: error }, 'planning or claiming export runs failed; retrying'),
  })

  /** Plans a slice of the due windows and fills the free slots. */
  async function startDueRuns(): Promise<PlannedSlice> {
    try {
      return await planner.plan(() => loop.stopped)
    } finally {
      // A failure to plan does not stop the runs that are already planned.
      await claimRuns()
    }
  }

  async function claimRuns(): Promise<void> {
    const ended = await endedOwners(options, identity)
    while (!loop.stopped && active.size < config.EXPORT_SLOTS) {
      const claimed = await runs.claim(db, lease(), [...active.keys()], ended)
      if (!claimed) break
      const { run, interrupted } = claimed
      const abort = new AbortController()
      if (loop.stopped) abort.abort(SHUTTING_DOWN)
      const done = runAttempt(options, { run, interrupted, owner, abort })
        .catch((error) => log.error({ err: error, run: run.id }, 'the result of an export run could not be stored'))
        .finally(() => {
          active.delete(run.id)
          loop.wake()
        })
      active.set(run.id, { batch_export_id: run.batch_export_id, abort, done })
    }
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

  /** Removes a slice of the old runs, or the files if no run is left. Returns whether there is more to remove. */
  async function cleanUp(): Promise<boolean> {
    if (Date.parse(now()) - cleaned_at < CLEANUP_PERIOD_MS) return false
    cleaned_at = Date.parse(now())
    if (!(await removeOld(options))) return false
    cleaned_at = 0
    return true
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

/** The owners of leases whose process on this machine has ended. */
async function endedOwners(
  { db, now }: ExporterOptions,
  identity: ReturnType<typeof processIdentity>,
): Promise<runs.EndedOwners> {
  const owners = (await runs.leaseOwners(db)).filter((other) => hasEnded(other.slice(other.indexOf('@') + 1), identity))
  return { owners, before: addMilliseconds(now(), LEASE_MS - ENDED_LEASE_MS) }
}

/** Removes some old runs. If there are none, removes the files of attempts that were killed, and returns false. */
async function removeOld({ db, config, files_root, now }: ExporterOptions): Promise<boolean> {
  const before = addMilliseconds(now(), -config.RUN_RETENTION_DAYS * DAY_MS)
  if ((await runs.prune(db, before)) > 0) return true
  await removeOrphanedFiles({ files_root, scratch_root: tmpdir(), now: Date.parse(now()) }, (run_ids) =>
    runs.ended(db, run_ids),
  )
  return false
}

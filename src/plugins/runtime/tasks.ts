/** Runs the scheduled tasks and the jobs of plugins. A lease in the database decides which node runs one. */
import type { Logger } from 'pino'
import { type Lease, leaseFor, whileLeased } from '../../background/leases.ts'
import { createLoop } from '../../background/loop.ts'
import { storedJson } from '../../json/stored.ts'
import type { Db } from '../../sql/db.ts'
import * as jobs from '../../store/plugin_jobs.ts'
import * as store from '../../store/plugin_runtime.ts'
import * as schedules from '../../store/plugin_schedules.ts'
import { addMilliseconds } from '../../time/stored.ts'
import type { PluginHost } from './answers.ts'
import type { Capabilities } from './capabilities.ts'
import type { Configurations, RunningConfiguration } from './configurations.ts'
import { isLoadError, type Limits, type OnceFunction, type StagedError } from './messages.ts'
import { type Origin, parseOrigin } from './origin.ts'
import type { Recorder } from './recorder.ts'
import { describeLoadError, isFinal, retryDelay } from './retries.ts'
import type { Sandbox } from './sandbox.ts'

export interface Tasks {
  start(): void
  /** Looks for due work now. */
  wake(): void
  /** Runs everything that is due now. */
  drain(): Promise<void>
  stop(): Promise<void>
}

export interface TasksOptions {
  db: Db
  sandbox: Sandbox
  configurations: Configurations
  hostOf: (configuration: RunningConfiguration, origin: Origin) => PluginHost
  recorder: Recorder
  /** Unique to this start of the process. */
  owner: string
  now: () => string
  log: Logger
}

const POLL_MS = 2_000
const RETRY_MS = 5_000
const LEASE_MS = 20_000
const RENEW_MS = 5_000
const MAX_ACTIVE = 4
const LIMITS: Limits = { cpu_ms: 1_000, call_ms: 30_000, request_ms: 60_000 }

const SECOND_MS = 1_000
const PERIODS = new Map([
  ['runEveryMinute', 60 * SECOND_MS],
  ['runEveryHour', 3_600 * SECOND_MS],
  ['runEveryDay', 86_400 * SECOND_MS],
])

/** The next full minute, hour or day in UTC. */
const boundaryAfter = (time: number, period_ms: number): string =>
  new Date((Math.floor(time / period_ms) + 1) * period_ms).toISOString()

const leaseFrom = ({ owner, now }: TasksOptions): Lease => leaseFor(owner, now(), LEASE_MS)

export function createTasks(options: TasksOptions): Tasks {
  const { db, now, log } = options
  /** The work of this process, by the id of the job or the key of the task. */
  const active = new Map<string, Promise<void>>()
  /** The keys of tasks that have a row. */
  const known = new Set<string>()
  const isStopping = (): boolean => loop.stopped

  const loop = createLoop({
    name: 'plugin tasks',
    round: async () => {
      await startDue()
      return untilNextRound()
    },
    retry_ms: RETRY_MS,
    onError: (error) => log.error({ err: error }, 'looking for tasks of plugins failed; retrying'),
  })

  async function untilNextRound(): Promise<number> {
    if (active.size >= MAX_ACTIVE) return POLL_MS
    const running = [...active.keys()]
    const due = [await schedules.nextAt(db, running), await jobs.nextAt(db, running)]
    const waits = due.flatMap((time) => (time === null ? [] : [Date.parse(time) - Date.parse(now())]))
    return Math.max(10, Math.min(POLL_MS, ...waits))
  }

  async function createSchedules(): Promise<void> {
    for (const row of await store.scheduled(db)) {
      const { scheduled_tasks = [] } = storedJson<Partial<Capabilities>>(row.capabilities)
      for (const task of scheduled_tasks) {
        const period_ms = PERIODS.get(task)
        const key = schedules.keyOf({ plugin_config_id: row.id, task })
        if (period_ms === undefined || known.has(key)) continue
        const next_at = boundaryAfter(Date.parse(now()), period_ms)
        await schedules.create(db, { plugin_config_id: row.id, task, next_at })
        known.add(key)
      }
    }
  }

  const hasSlot = (): boolean => !loop.stopped && active.size < MAX_ACTIVE

  /** Returns how many calls were started. */
  async function startDue(): Promise<number> {
    await createSchedules()
    let started = 0
    for (; hasSlot(); started++) {
      const row = await schedules.claim(db, leaseFrom(options), [...active.keys()])
      if (!row) break
      const key = schedules.keyOf(row)
      start(key, async () => {
        if (!(await runTask(options, row, isStopping))) known.delete(key)
      })
    }
    for (; hasSlot(); started++) {
      const row = await jobs.claim(db, leaseFrom(options), [...active.keys()])
      if (!row) break
      start(row.id, () => runJob(options, row, isStopping))
    }
    return started
  }

  function start(key: string, work: () => Promise<void>): void {
    const done = work()
      .catch((error) => {
        if (!loop.stopped) log.error({ err: error }, 'running a task of a plugin failed')
      })
      .finally(() => {
        active.delete(key)
        loop.wake()
      })
    active.set(key, done)
  }

  return {
    start: () => loop.start(),
    wake: loop.wake,
    drain: async () => {
      for (;;) {
        await loop.idle()
        await Promise.all(active.values())
        if (loop.stopped || (await startDue()) === 0) break
      }
      await Promise.all(active.values())
    },
    stop: async () => {
      await loop.stop()
      await Promise.all(active.values())
    },
  }
}

/** Returns false when the configuration does not have the task any more: then its row is removed. */
async function runTask(
  options: TasksOptions,
  row: schedules.PluginScheduleRow,
  isStopping: () => boolean,
): Promise<boolean> {
  const { db, configurations, owner, now } = options
  const { plugin_config_id, task, next_at } = row
  const configuration = await configurations.get(plugin_config_id)
  if (!configuration?.capabilities.scheduled_tasks.includes(task)) {
    await schedules.remove(db, row)
    return false
  }
  const period_ms = PERIODS.get(task) ?? 0
  // After a pause of the server, missed times are not made up.
  const isLate = Date.parse(now()) - Date.parse(next_at) >= period_ms
  const renew = (): Promise<boolean> => schedules.renew(db, row, leaseFrom(options))
  const work = { kind: 'tasks', name: task } as const
  if (!isLate)
    await whileLeased({ renew, every_ms: RENEW_MS }, ({ signal }) => call(options, configuration, work, [], [], signal))
  const after = boundaryAfter(Math.max(Date.parse(now()), Date.parse(next_at)), period_ms)
  await schedules.finish(db, isStopping() ? row : { plugin_config_id, task, next_at: after }, owner)
  return true
}

async function runJob(options: TasksOptions, row: jobs.PluginJobRow, isStopping: () => boolean): Promise<void> {
  const { db, configurations, recorder, owner, now } = options
  const configuration = await configurations.get(row.plugin_config_id)
  if (!configuration) return jobs.finish(db, row.id, owner)
  const renew = (): Promise<boolean> => jobs.renew(db, row.id, leaseFrom(options))
  const work = row.name === jobs.SETUP ? null : ({ kind: 'jobs', name: row.name } as const)
  const called = await whileLeased({ renew, every_ms: RENEW_MS }, ({ signal }) =>
    call(options, configuration, work, [JSON.parse(row.payload)], parseOrigin(row.origin), signal),
  )
  if (isStopping()) return jobs.release(db, row.id, owner, row.run_at)
  // Another node has the job now.
  if (!called) return
  const { error } = called
  if (!work && !error) recorder.note(configuration, 'INFO', 'The plugin was loaded.')
  // On a busy machine the code took too long to load, so the job has not begun.
  if (error?.stage === 'load' && error.stopped) {
    const run_at = addMilliseconds(now(), retryDelay(1))
    return jobs.release(db, row.id, owner, run_at)
  }
  await jobs.finish(db, row.id, owner)
}

async function call(
  { sandbox, hostOf, recorder }: TasksOptions,
  configuration: RunningConfiguration,
  work: OnceFunction | null,
  args: unknown[],
  origin: Origin,
  signal: AbortSignal,
): Promise<{ error: StagedError | undefined }> {
  const start = performance.now()
  const host = { ...hostOf(configuration, origin), signal }
  const { lines, metrics, error } = await sandbox.once(configuration, work, args, LIMITS, host)
  if (isLoadError(error) && isFinal(error, 1)) await recorder.switchOff(configuration, describeLoadError(error))
  recorder.record(configuration, {
    category: work?.kind === 'tasks' ? 'scheduledTask' : 'job',
    calls: work || error ? [{ error: error ?? null }] : [],
    lines,
    metrics,
    milliseconds: performance.now() - start,
  })
  return { error }
}

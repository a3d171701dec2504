/** Keeps the logs, the counts and the failures of plugins. Switches off a configuration that keeps failing. */
import type { Logger } from 'pino'
import type { Ids } from '../../ids.ts'
import * as outbox from '../../mail/outbox.ts'
import type { Db } from '../../sql/db.ts'
import { administrators } from '../../store/members.ts'
import * as logs from '../../store/plugin_logs.ts'
import * as metrics from '../../store/plugin_metrics.ts'
import * as states from '../../store/plugin_states.ts'
import { changeWithin } from '../service.ts'
import { switchOff as switchOffWithin } from '../switch-off.ts'
import type { RunningConfiguration } from './configurations.ts'
import type { LoadError, LogLine, MetricChange, PluginError } from './messages.ts'

export interface Call {
  /** Null for a call that succeeded. */
  error: (PluginError & Partial<LoadError>) | null
  /** The uuid of the event. */
  event?: string
  /** The number of events, if it is not one. */
  events?: number
  /** Whether the events were offered before. */
  repeated?: boolean
  /** Whether the events are offered again. Metrics count the last call only. */
  again?: boolean
}

export interface Batch {
  category: metrics.MetricCategory
  /** In order. */
  calls: readonly Call[]
  counts?: Pick<metrics.MetricCounts, 'dropped' | 'changed'>
  lines: readonly LogLine[]
  /** The metrics that the plugin declares. */
  metrics?: readonly MetricChange[]
  milliseconds: number
  /** A replay only writes to the log. Its results are counted where the failures were. */
  isReplay?: boolean
}

export interface Recorder {
  /** Writes soon: every request of ingestion has results. */
  record(configuration: RunningConfiguration, batch: Batch): void
  /** A line of the server in the log of the configuration. */
  note(configuration: RunningConfiguration, level: logs.LogLevel, message: string): void
  switchOff(configuration: RunningConfiguration, reason: string): Promise<void>
  /** Writes everything that was recorded. Never throws. */
  flush(): Promise<void>
}

export interface RecorderOptions {
  db: Db
  ids: Ids
  now: () => string
  log: Logger
  /** Null when email is not configured. */
  wakeMailer: (() => void) | null
}

const MAX_FAILURES_IN_A_ROW = 50
const MAX_TIMEOUTS_PER_HOUR = 10
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const FLUSH_MS = 1_000
/** Until the next flush. */
const MAX_ERROR_LINES = 50
const LINES_PER_MINUTE = 3_000
const MAX_STORED_ERROR = 5_000

type Entry = Pick<logs.LogEntryRow, 'source' | 'level' | 'message' | 'timestamp'>

/** The logs and counts of a configuration since the last flush. */
interface Pending {
  configuration: RunningConfiguration
  entries: Entry[]
  error_lines: number
  /** The counts by hour and category. */
  counts: Map<string, metrics.MetricRow>
  /** The values by hour, kind and name. */
  values: Map<string, metrics.MetricValueRow>
  results: states.CallResults | undefined
}

export function createRecorder({ db, ids, now, log, wakeMailer }: RecorderOptions): Recorder {
  const written = new Map<number, { minute: number; count: number }>()
  let pending = new Map<number, Pending>()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()

  function pendingOf(configuration: RunningConfiguration): Pending {
    let found = pending.get(configuration.id)
    if (!found) {
      found = { configuration, entries: [], error_lines: 0, counts: new Map(), values: new Map(), results: undefined }
      pending.set(configuration.id, found)
    }
    timer ??= setTimeout(() => void flush(), FLUSH_MS).unref()
    return found
  }

  /** Drops lines above the limit of the minute. */
  function addEntries({ configuration: { id }, entries }: Pending, lines: readonly Omit<Entry, 'timestamp'>[]): void {
    const timestamp = now()
    const minute = Math.floor(Date.parse(timestamp) / MINUTE_MS)
    const before = written.get(id)
    let count = before?.minute === minute ? before.count : 0
    for (const { source, level, message } of lines) {
      count++
      if (count <= LINES_PER_MINUTE) entries.push({ timestamp, source, level, message: logs.storable(message) })
      if (count === LINES_PER_MINUTE + 1)
        entries.push({
          timestamp,
          source: 'SYSTEM',
          level: 'WARN',
          message: `The log has more than ${LINES_PER_MINUTE} lines per minute. Further lines of this minute are dropped.`,
        })
    }
    written.set(id, { minute, count })
  }

  function addValue({ configuration, values }: Pending, hour: string, { name, kind, value }: MetricChange): void {
    const key = `${hour} ${kind} ${name}`
    const before = values.get(key)
    values.set(key, {
      plugin_config_id: configuration.id,
      hour,
      name: logs.storable(name),
      kind,
      value: before ? COMBINE[kind](before.value, value) : value,
    })
  }

  const record: Recorder['record'] = (
    configuration,
    { category, calls, counts, lines, metrics: changes = [], milliseconds, isReplay },
  ) => {
    const own = pendingOf(configuration)
    const failed = calls.filter((call): call is Call & { error: NonNullable<Call['error']> } => call.error !== null)
    const printed = failed.slice(0, Math.max(0, MAX_ERROR_LINES - own.error_lines))
    own.error_lines += printed.length
    addEntries(own, [
      ...lines.map((line) => ({ source: 'CONSOLE' as const, ...line })),
      ...printed.map(({ error, event }) => ({
        source: 'PLUGIN' as const,
        level: 'ERROR' as const,
        message: `${describeStage(error) ?? category} failed${event ? ` for the event ${event}` : ''}: ${describe(error)}`,
      })),
    ])
    const hour = `${now().slice(0, 13)}:00:00.000Z`
    for (const change of changes) addValue(own, hour, change)
    if (calls.length === 0 || isReplay) return
    const sum = own.counts.get(`${hour} ${category}`) ?? {
      plugin_config_id: configuration.id,
      hour,
      category,
      ...NOTHING,
    }
    const { successes, successes_on_retry, failures } = countEvents(calls)
    own.counts.set(`${hour} ${category}`, {
      ...sum,
      successes: sum.successes + successes,
      successes_on_retry: sum.successes_on_retry + successes_on_retry,
      failures: sum.failures + failures,
      dropped: sum.dropped + (counts?.dropped ?? 0),
      changed: sum.changed + (counts?.changed ?? 0),
      milliseconds: sum.milliseconds + Math.round(milliseconds),
    })
    const lastSuccess = calls.findLastIndex(({ error }) => error === null)
    const error = calls.at(-1)?.error
    own.results = {
      succeeded: own.results?.succeeded === true || lastSuccess >= 0,
      failures: calls.length - 1 - lastSuccess + (lastSuccess < 0 ? (own.results?.failures ?? 0) : 0),
      timeouts: (own.results?.timeouts ?? 0) + failed.filter(({ error }) => error.stopped).length,
      error: error ? errorText(error, category, now()) : null,
    }
  }

  async function write({ configuration, entries, counts, values, results }: Pending): Promise<void> {
    const { id, plugin_id, project_id } = configuration
    if (entries.length)
      await logs.write(
        db,
        id,
        entries.map((entry) => ({ ...entry, plugin_id, project_id })),
      )
    for (const row of counts.values()) await metrics.add(db, row)
    for (const row of values.values()) await metrics.addValue(db, row)
    if (!results) return
    const hour_ago = new Date(Date.parse(now()) - HOUR_MS).toISOString()
    const state = await states.recordCalls(db, id, results, { now: now(), hour_ago })
    if (!state) return
    if (state.failures >= MAX_FAILURES_IN_A_ROW)
      await switchOff(configuration, `${state.failures} calls failed in a row.`)
    else if (state.timeouts >= MAX_TIMEOUTS_PER_HOUR)
      await switchOff(configuration, `${state.timeouts} calls within an hour exceeded their time or memory.`)
  }

  /** Waits for a running flush. */
  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const batch = pending
    pending = new Map()
    flushing = flushing.then(async () => {
      for (const own of batch.values())
        await write(own).catch((error) =>
          log.error({ err: error, plugin_config: own.configuration.id }, 'recording the calls of a plugin failed'),
        )
    })
    return flushing
  }

  async function switchOff(configuration: RunningConfiguration, reason: string): Promise<void> {
    const { name, organization_id, project_id } = configuration
    const isChanged = await changeWithin(db, organization_id, async (tx) => {
      if (!(await switchOffWithin(tx, { ids, now: now() }, configuration, reason))) return false
      for (const { email, organization } of wakeMailer ? await administrators(tx, project_id) : [])
        await outbox.enqueue(tx, {
          id: ids.uuid(),
          kind: 'plugin_disabled',
          recipient: email,
          content: { name, organization, reason },
          now: now(),
        })
      return true
    })
    if (isChanged) wakeMailer?.()
  }

  return {
    record,
    note: (configuration, level, message) =>
      addEntries(pendingOf(configuration), [{ source: 'SYSTEM', level, message }]),
    switchOff,
    flush,
  }
}

/** Counts each event once: delivered at once, delivered after retries, or failed for good. */
function countEvents(calls: readonly Call[]) {
  const counts = { successes: 0, successes_on_retry: 0, failures: 0 }
  for (const { error, events = 1, repeated, again } of calls)
    if (!again) counts[error ? 'failures' : repeated ? 'successes_on_retry' : 'successes'] += events
  return counts
}

const NOTHING: metrics.MetricCounts = {
  successes: 0,
  successes_on_retry: 0,
  failures: 0,
  dropped: 0,
  changed: 0,
  milliseconds: 0,
}

const COMBINE: Record<metrics.ValueKind, (a: number, b: number) => number> = {
  sum: (a, b) => a + b,
  max: Math.max,
  min: Math.min,
}

/** What failed instead of the call, because the plugin was not ready. */
const describeStage = ({ stage }: Partial<LoadError>): string | undefined =>
  stage === 'load' ? 'Loading the code' : stage === 'setup' ? 'setupPlugin' : undefined

const describe = ({ name, message, stack }: PluginError): string =>
  `${name}: ${message}${stack ? `\n${stack.trimEnd()}` : ''}`

const errorText = ({ name, message, stack }: PluginError, method: string, time: string): string =>
  JSON.stringify({
    name,
    message: message.slice(0, MAX_STORED_ERROR),
    stack: stack.slice(0, MAX_STORED_ERROR),
    method,
    time,
  })

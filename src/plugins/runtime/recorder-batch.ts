/** Adds up the logs and counts of a plugin configuration until they are written. */
import * as logs from '../../store/plugin_logs.ts'
import type * as metrics from '../../store/plugin_metrics.ts'
import type * as states from '../../store/plugin_states.ts'
import { hourOf } from '../metrics.ts'
import type { RunningConfiguration } from './configurations.ts'
import type { LogLine, MetricChange, PluginError, StagedError } from './messages.ts'

export interface Call {
  /** Null for a call that succeeded. */
  error: (PluginError & Partial<StagedError>) | null
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

const MINUTE_MS = 60_000
/** Until the next flush. */
const MAX_ERROR_LINES = 50
const LINES_PER_MINUTE = 3_000
const MAX_STORED_ERROR = 5_000

export type Entry = Pick<logs.LogEntryRow, 'source' | 'level' | 'message' | 'timestamp'>

/** The logs and counts of a configuration since the last flush. */
export interface Pending {
  configuration: RunningConfiguration
  entries: Entry[]
  error_lines: number
  /** The counts by hour and category. */
  counts: Map<string, metrics.MetricRow>
  /** The values by hour, kind and name. */
  values: Map<string, metrics.MetricValueRow>
  results: states.CallResults | undefined
}

export const newPending = (configuration: RunningConfiguration): Pending => ({
  configuration,
  entries: [],
  error_lines: 0,
  counts: new Map(),
  values: new Map(),
  results: undefined,
})

/** The lines of a configuration in a minute. */
export interface LineCount {
  minute: number
  count: number
}

/** Drops lines above the limit of the minute. Returns the lines of this minute, for the next call. */
export function addEntries(
  { entries }: Pending,
  lines: readonly Omit<Entry, 'timestamp'>[],
  timestamp: string,
  before: LineCount | undefined,
): LineCount {
  const minute = Math.floor(Date.parse(timestamp) / MINUTE_MS)
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
  return { minute, count }
}

type FailedCall = Call & { error: NonNullable<Call['error']> }

const failedOf = (calls: readonly Call[]): FailedCall[] =>
  calls.filter((call): call is FailedCall => call.error !== null)

/** The lines that a plugin printed, and its errors. */
export function linesOf(own: Pending, { category, calls, lines }: Batch): Omit<Entry, 'timestamp'>[] {
  const printed = failedOf(calls).slice(0, Math.max(0, MAX_ERROR_LINES - own.error_lines))
  own.error_lines += printed.length
  return [
    ...lines.map((line) => ({ source: 'CONSOLE' as const, ...line })),
    ...printed.map(({ error, event }) => ({
      source: 'PLUGIN' as const,
      level: 'ERROR' as const,
      message: `${describeStage(error) ?? category} failed${event ? ` for the event ${event}` : ''}: ${describe(error)}`,
    })),
  ]
}

/** Adds the metrics of the plugin, and counts its calls. */
export function addCounts(own: Pending, batch: Batch, now: string): void {
  const { category, calls, counts, metrics: changes = [], milliseconds, isReplay } = batch
  const hour = hourOf(now)
  for (const change of changes) addValue(own, hour, change)
  if (calls.length === 0 || isReplay) return
  const key = `${hour} ${category}`
  const sum = own.counts.get(key) ?? { plugin_config_id: own.configuration.id, hour, category, ...NOTHING }
  const { successes, successes_on_retry, failures } = countEvents(calls)
  own.counts.set(key, {
    ...sum,
    successes: sum.successes + successes,
    successes_on_retry: sum.successes_on_retry + successes_on_retry,
    failures: sum.failures + failures,
    dropped: sum.dropped + (counts?.dropped ?? 0),
    changed: sum.changed + (counts?.changed ?? 0),
    milliseconds: sum.milliseconds + Math.round(milliseconds),
  })
  own.results = resultsOf(own.results, calls, category, now)
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

function resultsOf(
  before: states.CallResults | undefined,
  calls: readonly Call[],
  category: metrics.MetricCategory,
  now: string,
): states.CallResults {
  const lastSuccess = calls.findLastIndex(({ error }) => error === null)
  const error = calls.at(-1)?.error
  return {
    succeeded: before?.succeeded === true || lastSuccess >= 0,
    failures: calls.length - 1 - lastSuccess + (lastSuccess < 0 ? (before?.failures ?? 0) : 0),
    timeouts: (before?.timeouts ?? 0) + failedOf(calls).filter(({ error }) => error.stopped).length,
    error: error ? errorText(error, category, now) : null,
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
const describeStage = ({ stage }: Partial<StagedError>): string | undefined =>
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

import { Counter, collectDefaultMetrics, Gauge, type Metric, type MetricConfiguration, Registry } from 'prom-client'

/** Metrics in the Prometheus format. `docs/metrics.md` lists them. */
export interface Metrics {
  request(operation: string, status: number, seconds: number): void
  query(seconds: number): void
  /** A turn of the event loop that took too much CPU time. */
  stalled(seconds: number): void
  /** A run that ended. */
  exportRun(destination: string, status: string): void
  /** A completed delivery. */
  exported(destination: string, delivered: { records: number; bytes: number; seconds: number }): void
  /** Events of one transaction: new ones, and those with a known uuid. */
  ingested(stored: number, duplicates: number): void
  /** Events that were left out of their batch, or requests that were rejected, by error code. */
  refused(what: 'events' | 'requests', code: string, count: number): void
  throttled(limit: Limit): void
  /** The result of an attempt to send an email. */
  mail(kind: string, result: MailResult): void
  /** The result of an attempt to send the webhook of an alert. */
  webhook(result: 'sent' | 'postponed' | 'failed'): void
  backup(result: 'succeeded' | 'failed', seconds: number): void
  /** Adds gauges that are read at each scrape. A reader that fails leaves its gauges out. */
  addGauges(read: GaugeReader): void
  /** Every metric that a scrape can contain. */
  describe(): Promise<MetricDescription[]>
  text(): Promise<string>
}

export const LIMITS = ['user', 'events', 'sessions', 'plugin', 'address', 'project'] as const
export type Limit = (typeof LIMITS)[number]
export const MAIL_RESULTS = ['sent', 'postponed', 'failed', 'unknown'] as const
export type MailResult = (typeof MAIL_RESULTS)[number]

const COUNTERS = {
  workspace_export_runs_total:
    'Export runs that ended after an attempt on this node, by destination and status. Empty windows and cancelled runs do not count.',
  workspace_export_rows_total: 'Rows delivered by export runs completed on this node, by destination.',
  workspace_export_bytes_total: 'Bytes delivered by export runs completed on this node, by destination.',
  workspace_events_ingested_total: 'Events stored by this node.',
  workspace_events_duplicate_total: 'Events received by this node that were stored before, by their uuid.',
  workspace_events_refused_total: 'Events left out of an accepted batch, by error code.',
  workspace_capture_requests_refused_total: 'Capture requests rejected with all of their events, by error code.',
  workspace_throttled_requests_total:
    'Requests above a rate limit, rejected with 429, by limit: user, events and sessions (per user), plugin (per configuration), address, project. The limits of sign-ins and invites do not count.',
  workspace_mails_total:
    'Attempts to send an email, by kind of email and result: sent, postponed (retried later), failed (given up), unknown (the connection broke).',
  workspace_alert_webhooks_total:
    'Attempts to send the webhook of an alert, by result: sent, postponed (retried later), failed (given up).',
  workspace_backups_total: 'Scheduled backups of this node, by result: succeeded or failed.',
} as const

/** Gauges that `addGauges` may set. */
const GAUGES = {
  workspace_build_info:
    'Always 1. The labels have the versions of the program, its schema and Node, its role and its database.',
  workspace_database_up: 'Whether the database answered the last scrape: 1 or 0.',
  workspace_database_oldest_transaction_seconds:
    'The age of the oldest transaction in the PostgreSQL cluster that has written. Exports deliver no event that arrived after it began. 0 without one, and on SQLite.',
  workspace_database_clock_skew_seconds:
    "How far the clock of the database is ahead of this machine's. Always 0 on SQLite.",
  workspace_database_connections:
    'PostgreSQL connections of this node for requests and background work, by state: used or idle.',
  workspace_database_connections_max:
    'PostgreSQL connections that this node may open for requests and background work.',
  workspace_database_waiting_requests:
    'Statements and transactions that wait for a PostgreSQL connection of this node.',
  workspace_database_size_bytes:
    'Size of the databases: administration and events on SQLite, all on PostgreSQL. Updated every minute.',
  workspace_disk_free_bytes:
    'Free space that this user can write, by use of the folder: data (SQLite), exports, temporary.',
  workspace_export_runs:
    'Export runs of all nodes in progress, by destination and state: waiting or running. Counts up to 10,000.',
  workspace_export_lag_seconds:
    'Time since the end of the oldest window whose scheduled run has not finished, by destination. 0 or left out if there is none.',
  workspace_exports_behind:
    'Batch exports with a window that ended more than five minutes ago and is not exported, by destination. Counts up to 10,000.',
  workspace_export_slots: 'Export runs that this node processes concurrently at most.',
  workspace_export_slots_used: 'Export runs that this node is processing.',
  workspace_ingest_queue_bytes: 'Bytes of events that wait on this node to be stored.',
  workspace_event_queries: 'Event queries of this node, by lane (fast or slow) and state (running or waiting).',
  workspace_mail_queue_length: 'Emails that are not sent yet, of all nodes. Counts up to 10,000.',
  workspace_mail_queue_oldest_seconds: 'Age of the oldest email that is not sent yet.',
  workspace_purge_queue_length: 'Deleted projects whose events are not deleted yet. Counts up to 10,000.',
  workspace_sessions: 'Browser sessions that have not expired. Counts up to 10,000.',
  workspace_backup_last_success_timestamp_seconds: 'Unix time of the last recorded backup; 0 if there is none.',
  workspace_backup_last_size_bytes: 'Size of the last backup that this program made.',
  workspace_backup_failing: 'Whether the last scheduled backup failed: 1 or 0.',
} as const

type CounterName = keyof typeof COUNTERS
export type GaugeName = keyof typeof GAUGES
export type Samples = readonly { value: number; labels?: Record<string, string> }[]
export type GaugeReader = () => Promise<Partial<Record<GaugeName, Samples>>>

/** The labels of the counters and gauges that have some. */
const LABELS: Partial<Record<CounterName | GaugeName, string[]>> = {
  workspace_build_info: ['version', 'schema_version', 'node_version', 'role', 'engine'],
  workspace_database_connections: ['state'],
  workspace_database_size_bytes: ['database'],
  workspace_disk_free_bytes: ['folder'],
  workspace_export_runs: ['destination', 'state'],
  workspace_export_lag_seconds: ['destination'],
  workspace_exports_behind: ['destination'],
  workspace_event_queries: ['lane', 'state'],
  workspace_export_runs_total: ['destination', 'status'],
  workspace_export_rows_total: ['destination'],
  workspace_export_bytes_total: ['destination'],
  workspace_events_refused_total: ['code'],
  workspace_capture_requests_refused_total: ['code'],
  workspace_throttled_requests_total: ['limit'],
  workspace_mails_total: ['kind', 'result'],
  workspace_alert_webhooks_total: ['result'],
  workspace_backups_total: ['result'],
}

const REQUEST_DURATION: HistogramOptions = {
  name: 'workspace_http_request_duration_seconds',
  help: 'Seconds from the end of the headers of a request to the end of its response, by operation.',
  label: 'operation',
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
}
const STATEMENT_DURATION: HistogramOptions = {
  name: 'workspace_database_statement_duration_seconds',
  help: 'Duration of database statements, including the wait for a connection.',
  buckets: [0.00001, 0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
}
const EVENT_LOOP_STALLS: HistogramOptions = {
  name: 'workspace_event_loop_stall_seconds',
  help: 'CPU time of the main thread between two turns of the event loop, if more than 0.12 s. Other requests waited. Not measured before Node 22.19.',
  buckets: [0.2, 0.5, 1, 2, 5, 10, 30],
}
const RUN_DURATION: HistogramOptions = {
  name: 'workspace_export_run_duration_seconds',
  help: 'Duration of the last attempt of completed export runs, by destination.',
  label: 'destination',
  buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600],
}
const BACKUP_DURATION: HistogramOptions = {
  name: 'workspace_backup_duration_seconds',
  help: 'Duration of scheduled backups.',
  buckets: [1, 5, 15, 60, 300, 900, 3_600],
}

const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

export interface MetricDescription {
  name: string
  type: string
  help: string
  labels: string[]
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  // Event-loop lag, memory, garbage collection and open handles of this process.
  collectDefaultMetrics({ register: registry })
  // Gauges with the suffix of counters; the sum of nodejs_active_resources is the same.
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  const countRequest = requestCounter(registry)
  const latency = histogram(registry, REQUEST_DURATION)
  const queries = histogram(registry, STATEMENT_DURATION)
  const stalls = histogram(registry, EVENT_LOOP_STALLS)
  const runDuration = histogram(registry, RUN_DURATION)
  const backupDuration = histogram(registry, BACKUP_DURATION)
  const counters = metricsOf(COUNTERS, Counter, registry)
  const add = (name: CounterName, labels: Record<string, string>, count = 1): void =>
    counters.get(name)?.inc(labels, count)
  // A series that begins at 0 lets rate() see its first increase.
  for (const limit of LIMITS) add('workspace_throttled_requests_total', { limit }, 0)
  for (const result of ['succeeded', 'failed']) add('workspace_backups_total', { result }, 0)
  const gauges = metricsOf(GAUGES, Gauge, registry)
  const readers: GaugeReader[] = []

  return {
    request: (operation, status, seconds) => {
      countRequest(operation, status)
      latency(seconds, operation)
    },
    query: (seconds) => queries(seconds),
    stalled: (seconds) => stalls(seconds),
    exportRun: (destination, status) => add('workspace_export_runs_total', { destination, status }),
    exported: (destination, delivered) => {
      add('workspace_export_rows_total', { destination }, delivered.records)
      add('workspace_export_bytes_total', { destination }, delivered.bytes)
      runDuration(delivered.seconds, destination)
    },
    ingested: (stored, repeated) => {
      add('workspace_events_ingested_total', {}, stored)
      if (repeated) add('workspace_events_duplicate_total', {}, repeated)
    },
    refused: (what, code, count) =>
      add(
        what === 'events' ? 'workspace_events_refused_total' : 'workspace_capture_requests_refused_total',
        { code },
        count,
      ),
    throttled: (limit) => add('workspace_throttled_requests_total', { limit }),
    mail: (kind, result) => add('workspace_mails_total', { kind, result }),
    webhook: (result) => add('workspace_alert_webhooks_total', { result }),
    backup: (result, seconds) => {
      add('workspace_backups_total', { result })
      backupDuration(seconds)
    },
    addGauges: (read) => void readers.push(read),
    describe: async () =>
      (await registry.getMetricsAsJSON()).map(({ name, help, type }) => ({
        name,
        help,
        type: String(type),
        labels: labelsOf(registry.getSingleMetric(name)),
      })),
    text: async () => {
      await readGauges(gauges, readers)
      return registry.metrics()
    },
  }
}

/** Registers the metrics of a table. */
const metricsOf = <M extends Counter | Gauge>(
  texts: Partial<Record<CounterName | GaugeName, string>>,
  Metric: new (options: MetricConfiguration<string>) => M,
  registry: Registry,
): Map<string, M> =>
  new Map(
    Object.entries(texts).map(([name, help]) => {
      const labelNames = LABELS[name as CounterName | GaugeName] ?? []
      return [name, new Metric({ name, help, labelNames, registers: [registry] })]
    }),
  )

/** Counts requests in a map of its own, because prom-client hashes the labels of every value. */
function requestCounter(registry: Registry): (operation: string, status: number) => void {
  const statuses = new Map<string, Map<number, number>>()
  new Counter({
    name: 'workspace_http_requests_total',
    help: 'Requests completed, by operation of the contract and status. The operation of an unknown path is none.',
    labelNames: ['operation', 'status'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [operation, counts] of statuses)
        for (const [status, count] of counts) this.inc({ operation, status }, count)
    },
  })
  return (operation, status) => {
    const counts = statuses.get(operation) ?? new Map<number, number>()
    statuses.set(operation, counts)
    counts.set(status, (counts.get(status) ?? 0) + 1)
  }
}

async function readGauges(gauges: ReadonlyMap<string, Gauge>, readers: readonly GaugeReader[]): Promise<void> {
  const read = await Promise.allSettled(readers.map((reader) => reader()))
  // No await from here on: concurrent scrapes share the gauges.
  for (const gauge of gauges.values()) {
    gauge.reset()
    // Without labels, a reset sets it to 0.
    if (labelsOf(gauge).length === 0) gauge.remove()
  }
  for (const result of read)
    if (result.status === 'fulfilled')
      for (const [name, samples] of Object.entries(result.value))
        for (const { value, labels = {} } of samples) gauges.get(name)?.set(labels, value)
}

/** prom-client does not declare this property. */
const labelsOf = (metric: object | undefined): string[] => {
  const names = metric && 'labelNames' in metric ? metric.labelNames : []
  return Array.isArray(names) ? names.map(String) : []
}

interface HistogramOptions {
  name: string
  help: string
  /** Ascending. */
  buckets: readonly number[]
  label?: string
}

/**
 * A histogram for hot paths. prom-client only prints it: its own histograms hash the labels of every value, which took 7 %
 * of a small request.
 */
export function histogram(registry: Registry, { name, help, buckets, label }: HistogramOptions) {
  const tally = () => ({ counts: new Array<number>(buckets.length + 1).fill(0), sum: 0 })
  const tallies = new Map(label ? [] : [['', tally()]])

  const values = () =>
    [...tallies].flatMap(([of, { counts, sum }]) => {
      const labels = label ? { [label]: of } : {}
      let value = 0
      const rows = counts.map((count, i) => {
        value += count
        return { metricName: `${name}_bucket`, labels: { le: buckets[i] ?? '+Inf', ...labels }, value }
      })
      return [
        ...rows,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value },
      ]
    })
  registry.registerMetric({
    name,
    labelNames: label ? [label] : [],
    get: async () => ({ name, help, type: 'histogram', values: values() }),
  } as unknown as Metric)

  return (value: number, of = ''): void => {
    const found = tallies.get(of) ?? tally()
    tallies.set(of, found)
    let i = 0
    for (const bucket of buckets) {
      if (value <= bucket) break
      i++
    }
    found.counts[i] = (found.counts[i] ?? 0) + 1
    found.sum += value
  }
}

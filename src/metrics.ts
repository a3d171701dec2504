import { Counter, collectDefaultMetrics, type Metric, Registry } from 'prom-client'

/** Metrics in the Prometheus format. */
export interface Metrics {
  request(operation: string, status: number, seconds: number): void
  query(seconds: number): void
  /** A completed run. */
  exported(destination: string, records: number, bytes: number): void
  /** A run that ended `Failed` or `FailedRetryable`. */
  exportFailed(destination: string, status: string): void
  text(): Promise<string>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  // Event-loop lag, memory, garbage collection and open handles of this process.
  collectDefaultMetrics({ register: registry })
  const statuses = new Map<string, Map<number, number>>()
  new Counter({
    name: 'workspace_requests_total',
    help: 'Requests completed, by operation and status.',
    labelNames: ['operation', 'status'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [operation, counts] of statuses)
        for (const [status, count] of counts) this.inc({ operation, status }, count)
    },
  })
  const latency = histogram(registry, {
    name: 'workspace_request_seconds',
    help: 'Seconds from the first byte of a request to the last byte of its response, by operation.',
    label: 'operation',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  })
  const queries = histogram(registry, {
    name: 'workspace_database_seconds',
    help: 'Duration of database statements in seconds.',
    buckets: [0.00001, 0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
  })
  const exports = new Counter({
    name: 'workspace_export_runs_total',
    help: 'Export runs completed, by type of destination.',
    labelNames: ['destination'],
    registers: [registry],
  })
  const failures = new Counter({
    name: 'workspace_export_runs_failed_total',
    help: 'Export runs that failed and are not retried, by type of destination and status.',
    labelNames: ['destination', 'status'],
    registers: [registry],
  })
  const exportedEvents = new Counter({
    name: 'workspace_exported_events_total',
    help: 'Events delivered by completed export runs, by type of destination.',
    labelNames: ['destination'],
    registers: [registry],
  })
  const exportedBytes = new Counter({
    name: 'workspace_exported_bytes_total',
    help: 'Bytes delivered by completed export runs, by type of destination.',
    labelNames: ['destination'],
    registers: [registry],
  })
  return {
    request: (operation, status, seconds) => {
      const counts = statuses.get(operation) ?? new Map<number, number>()
      statuses.set(operation, counts)
      counts.set(status, (counts.get(status) ?? 0) + 1)
      latency(seconds, operation)
    },
    query: (seconds) => queries(seconds),
    exported: (destination, records, bytes) => {
      exports.inc({ destination })
      exportedEvents.inc({ destination }, records)
      exportedBytes.inc({ destination }, bytes)
    },
    exportFailed: (destination, status) => failures.inc({ destination, status }),
    text: () => registry.metrics(),
  }
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

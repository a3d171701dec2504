import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** What an operator watches, in the Prometheus format. */
export interface Metrics {
  request(operation: string, status: number, seconds: number): void
  query(seconds: number): void
  /** A run that was completed. */
  exported(destination: string, records: number, bytes: number): void
  text(): Promise<string>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  // Event-loop lag, memory, garbage collection and open handles of this process.
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'workspace_requests_total',
    help: 'Requests answered, by operation and status.',
    labelNames: ['operation', 'status'],
    registers: [registry],
  })
  const latency = new Histogram({
    name: 'workspace_request_seconds',
    help: 'Seconds from the first byte of a request to the last of its answer, by operation.',
    labelNames: ['operation'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const queries = new Histogram({
    name: 'workspace_database_seconds',
    help: 'Seconds a database statement took.',
    buckets: [0.00001, 0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers: [registry],
  })
  const exports = new Counter({
    name: 'workspace_export_runs_total',
    help: 'Export runs completed, by type of destination.',
    labelNames: ['destination'],
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
      requests.inc({ operation, status })
      latency.observe({ operation }, seconds)
    },
    query: (seconds) => queries.observe(seconds),
    exported: (destination, records, bytes) => {
      exports.inc({ destination })
      exportedEvents.inc({ destination }, records)
      exportedBytes.inc({ destination }, bytes)
    },
    text: () => registry.metrics(),
  }
}

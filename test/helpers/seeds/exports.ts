import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { POSITION } from '../../../src/events/extract.ts'
import { normalizeEvent } from '../../../src/events/normalize-event.ts'
import { eventsOf } from '../../../src/events/payload.ts'
import { horizon } from '../../../src/events/positions.ts'
import { type DeliveryJob, deliver, describeFailure, type Report, type Reporter } from '../../../src/exports/deliver.ts'
import type { Checkpoint } from '../../../src/exports/destination.ts'
import { sql } from '../../../src/sql/template.ts'
import type { TestApp } from '../app.ts'
import { rowOf } from '../assertions/items.ts'
import { uuid } from './events.ts'

export interface SentEvent {
  uuid?: string
  event?: string
  distinct_id?: string
  timestamp?: string
  properties?: Record<string, unknown>
}

/** Ingests events as capture does, and waits until an export may deliver them. */
export async function ingest(
  app: TestApp,
  events: readonly SentEvent[],
  project_id = app.first.project_id,
): Promise<void> {
  await commit(app, events, project_id)
  await passHorizon(app, project_id)
}

/** Waits until an export may deliver all stored events. Open transactions of other suites on the same cluster delay that. */
export async function passHorizon(app: TestApp, project_id = app.first.project_id): Promise<void> {
  const { position } = await rowOf<{ position: number }>(
    app.deps.events,
    sql`select coalesce(max(${POSITION}), 0) as position from events e where e.project_id = ${project_id}`,
  )
  while ((await horizon(app.deps.events)) <= position) await pause(5)
}

/** Ingests events without waiting for the horizon. */
export async function commit(
  app: TestApp,
  events: readonly SentEvent[],
  project_id = app.first.project_id,
): Promise<void> {
  const now = Date.parse(app.deps.now()) * 1000
  const arrival = { project_id, now, sent_at: null, address: null, uuid: app.deps.ids.uuid }
  const sent = events.map((event) => ({ event: 'seen', distinct_id: 'somebody', ...event }))
  await app.deps.writer.add((await eventsOf(sent)).map((event) => normalizeEvent(event, arrival)!))
}

/** Creates numbered events. */
export const plainEvents = (count: number, from = 0): SentEvent[] =>
  Array.from({ length: count }, (_, i) => ({
    uuid: uuid(from + i + 1),
    event: ['seen', 'paid', '$pageview'][i % 3]!,
    distinct_id: `person-${i % 7}`,
    timestamp: new Date(Date.parse('2026-01-01T00:00:00Z') + (from + i) * 1000).toISOString(),
    properties: { number: from + i, text: 'a "quoted", text\nof two lines', $set: { plan: 'free' } },
  }))

/** A job that delivers all events of the first project. */
export const jobFor = (
  app: TestApp,
  destination: DeliveryJob['destination'],
  more: Partial<DeliveryJob> = {},
): DeliveryJob => ({
  // Unique, because suites run concurrently on one machine.
  run_id: randomUUID(),
  attempt: 1,
  batch_export_id: uuid(0xdef),
  project_id: app.first.project_id,
  range_key: 'positions-0-9',
  range: { by: 'positions', from: 0, to: Number.MAX_SAFE_INTEGER },
  backfill_id: null,
  data_interval_start: '2026-01-01T00:00:00.000Z',
  data_interval_end: '2026-01-01T01:00:00.000Z',
  destination,
  model: 'events',
  filters: null,
  hogql_query: null,
  checkpoint: null,
  now: Date.parse('2026-01-01T00:00:00Z') * 1000,
  url: app.deps.config.DATABASE_URL,
  files_root: '/nowhere',
  outbound_allow: '127.0.0.1/32,::1',
  role_buckets: [],
  ...more,
})

/** A first attempt at a run of events, for destinations that are opened without a job. */
export const FIRST_ATTEMPT = {
  run_id: 'r',
  attempt: 1,
  project_id: 1,
  batch_export_id: 'b',
  range_key: 'k',
  backfill_id: null,
  data_interval_start: '2026-01-01T00:00:00.000Z',
  data_interval_end: '2026-01-01T01:00:00.000Z',
  model: 'events' as const,
  merge: null,
  checkpoint: null,
}

export const NEVER_ABORTED = new AbortController().signal

/** Delivers a job. Returns the failure that the owner of the export would see. */
export const failureOf = (job: DeliveryJob): Promise<ReturnType<typeof describeFailure> | undefined> =>
  deliver(job, listener(), NEVER_ABORTED).then(() => undefined, describeFailure)

/** Like the exporter: repeats an attempt from its last checkpoint. Returns the failures. */
export async function deliverRepeatedly(job: DeliveryJob): Promise<string[]> {
  const failures: string[] = []
  let checkpoint: Checkpoint | null = job.checkpoint
  for (let attempt = 1; attempt <= 30; attempt++) {
    const { checkpoints, ...reporter } = listener()
    try {
      await deliver({ ...job, attempt, checkpoint, repeated: attempt > 1 || job.repeated }, reporter, NEVER_ABORTED)
      return failures
    } catch (error) {
      const { message, retryable } = describeFailure(error)
      failures.push(message)
      if (!retryable) return failures
      checkpoint = JSON.parse(JSON.stringify(checkpoints.at(-1) ?? checkpoint))
    }
  }
  return failures
}

/** Delivers a job. Returns the messages in its log. */
export async function logsOf(job: DeliveryJob): Promise<string[]> {
  const { reports, ...reporter } = listener()
  await deliver(job, reporter, NEVER_ABORTED)
  return reports.flatMap((report) => (report.kind === 'log' ? [report.message] : []))
}

/** Collects the reports and checkpoints of an attempt. */
export function listener(): Reporter & { reports: Report[]; checkpoints: Checkpoint[] } {
  const reports: Report[] = []
  const checkpoints: Checkpoint[] = []
  return {
    reports,
    checkpoints,
    report: (report) => void reports.push(report),
    checkpoint: async (state) => void checkpoints.push(state),
  }
}

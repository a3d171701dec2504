/** Runs one attempt at a run, from the claim to the stored result. */

import { createHash } from 'node:crypto'
import { Value } from '@sinclair/typebox/value'
import { type HeldLease, leaseFor, whileLeased } from '../background/leases.ts'
import type { Config } from '../config.ts'
import { storedJson } from '../json/stored.ts'
import * as logs from '../store/batch_export_logs.ts'
import type { RunRow } from '../store/batch_export_runs.ts'
import * as runs from '../store/batch_export_runs.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import * as exports from '../store/batch_exports.ts'
import type { IntegrationRow } from '../store/integrations.ts'
import * as integrations from '../store/integrations.ts'
import type { Vault } from '../store/vault.ts'
import type { Span, Tracing } from '../telemetry/tracing.ts'
import { epochMicroseconds } from '../time/stored.ts'
import type { DeliveryJob, DeliveryResult, Report } from './deliver.ts'
import type { Deliver } from './delivery-processes.ts'
import { Checkpoint } from './destination.ts'
import { roleBucketsOfProject } from './role-buckets.ts'
import { type Attempt, complete, fail, giveUp, MAX_ATTEMPTS, type ResultOptions, release } from './run-results.ts'
import { decryptSettings } from './settings.ts'

export const LEASE_MS = 60_000
const RENEW_MS = 15_000
/** The shortest time between two writes of progress. */
const PROGRESS_MS = 1_000
export const SHUTTING_DOWN = new Error('the server is shutting down')

export interface AttemptOptions extends ResultOptions {
  config: Pick<Config, 'DATABASE_URL' | 'OUTBOUND_ALLOW' | 'S3_ENDPOINT_URL' | 'S3_ROLE_BUCKETS'>
  vault: Vault
  files_root: string
  launch: Deliver
  /** Null when traces are off. */
  tracing?: Tracing | null
  /** How often a lease is renewed. Renewing also detects a cancelled run. */
  renew_ms?: number
}

export interface ClaimedRun {
  run: RunRow
  /** The attempt before has no result. */
  interrupted: boolean
  owner: string
  /** Ends the attempt: at shutdown, and when the run is cancelled, deleted or claimed by another node. */
  abort: AbortController
}

/** Runs an attempt inside its own span. */
export async function runAttempt(options: AttemptOptions, claimed: ClaimedRun): Promise<void> {
  const { run } = claimed
  const span = options.tracing?.start({
    name: 'export attempt',
    attributes: {
      'workspace.batch_export.id': run.batch_export_id,
      'workspace.run.id': run.id,
      'workspace.run.attempt': run.attempts,
    },
  })
  if (!span) return attemptRun(options, claimed)
  return span.run(() => attemptRun(options, claimed, span)).finally(span.end)
}

async function attemptRun(options: AttemptOptions, claimed: ClaimedRun, span?: Span): Promise<void> {
  const { db, now } = options
  const { run, interrupted, owner, abort } = claimed
  const row = await exports.getById(db, run.batch_export_id)
  if (!row) return
  const logRun: Attempt['logRun'] = (level, message, tx = db) =>
    logs.write(tx, { ...run, run_id: run.id, timestamp: now(), level, message })
  const attempt = { run, row, owner, logRun }
  if (interrupted)
    await logRun(
      'WARNING',
      `Attempt ${run.attempts - 1} was interrupted: its process ended or lost its connection to the database.`,
    )
  if (run.attempts > MAX_ATTEMPTS) {
    const known = run.latest_error === null ? '' : `${run.latest_error} `
    return giveUp(options, attempt, `${known}The last attempt was interrupted.`)
  }
  const kind = run.kind === 'scheduled' ? '' : ` (${run.kind})`
  await logRun(
    'INFO',
    `Attempt ${run.attempts} started for ${run.data_interval_start} to ${run.data_interval_end}${kind}.`,
  )
  const started = performance.now()
  let result: DeliveryResult | undefined
  try {
    result = await deliverRun(options, attempt, abort, span)
  } catch (error) {
    if (abort.signal.reason === SHUTTING_DOWN) return release(options, attempt)
    if (abort.signal.aborted) return
    span?.fail()
    return fail(options, attempt, error)
  }
  if (result) await complete(options, attempt, result, (performance.now() - started) / 1000)
}

/** Delivers the run, and stores its progress with the lease. Returns undefined when the lease is lost. */
async function deliverRun(
  options: AttemptOptions,
  { run, row, owner, logRun }: Attempt,
  abort: AbortController,
  span: Span | undefined,
): Promise<DeliveryResult | undefined> {
  const { db, now, renew_ms = RENEW_MS } = options
  // Read for every attempt: rotated credentials take effect at the next one.
  const [integration = null] = row.integration_id === null ? [] : await integrations.withIds(db, [row.integration_id])
  const destination_hash = destinationHash(row, integration)
  const progress: runs.Progress = {}
  const renew = (checkpoint?: string): Promise<boolean> =>
    runs.renew(db, run.id, leaseFor(owner, now(), LEASE_MS), { ...progress, ...(checkpoint && { checkpoint }) })
  return whileLeased({ renew, every_ms: renew_ms, abort }, async (held) => {
    const store = storeProgress(held, progress)
    const checkpoint = async (state: Checkpoint): Promise<void> => {
      await held.renew(JSON.stringify({ ...state, place: destination_hash }))
      held.signal.throwIfAborted()
    }
    const report = (sent: Report): void => {
      if (sent.kind === 'log') void logRun(sent.level, sent.message).catch(() => undefined)
      else store.report(sent)
    }
    const job = await jobOf(options, run, row, integration, span)
    return options.launch(job, { checkpoint, report }, held.signal).finally(store.stop)
  })
}

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

const jobOf = async (
  { db, config, vault, files_root, tracing }: AttemptOptions,
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
  filters: row.filters === null ? null : storedJson(row.filters),
  hogql_query: row.hogql_query,
  checkpoint: checkpointFor(row, integration, run),
  repeated: run.kind === 'retry' || run.attempts > 1 || run.checkpoint !== null,
  now: epochMicroseconds(run.created_at),
  url: config.DATABASE_URL,
  files_root,
  outbound_allow: config.OUTBOUND_ALLOW,
  s3_endpoint: config.S3_ENDPOINT_URL,
  role_buckets: await roleBucketsOfProject(db, config.S3_ROLE_BUCKETS, row.project_id),
  ...(span && tracing && { trace: { settings: tracing.settings, parent: span.traceparent } }),
})

/** Backfills select events by time, other runs by position. */
function rangeOf(run: RunRow): Pick<DeliveryJob, 'range' | 'range_key'> {
  const { from_position: from, to_position: to, data_interval_start, data_interval_end } = run
  if (from !== null && to !== null) return { range: { by: 'positions', from, to }, range_key: `${from}-${to}` }
  return {
    range: {
      by: 'times',
      start: epochMicroseconds(data_interval_start),
      end: epochMicroseconds(data_interval_end),
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
  const { place: destination_hash, ...state } = storedJson<{ place?: string }>(checkpoint ?? '{}')
  return destination_hash === destinationHash(row, integration) && Value.Check(Checkpoint, state) ? state : null
}

/** The actions of callers on exports and runs. Each action locks the export in one transaction, as planning does. */

import type { Config } from '../config.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import type { Model } from '../events/models.ts'
import { countBetween, horizon, pausePosition, resumePosition } from '../events/positions.ts'
import { storedJson } from '../json/stored.ts'
import type { Outbound } from '../outbound/guard.ts'
import { type Db, isForeignKeyViolation } from '../sql/db.ts'
import type { Actor } from '../store/activity_log.ts'
import * as backfills from '../store/batch_export_backfills.ts'
import type { RunRow } from '../store/batch_export_runs.ts'
import * as runs from '../store/batch_export_runs.ts'
import type { BatchExportChanges, BatchExportRow } from '../store/batch_exports.ts'
import * as exports from '../store/batch_exports.ts'
import { changedFields, isEmpty } from '../store/changes.ts'
import { fieldChanges } from '../store/field-changes.ts'
import * as integrations from '../store/integrations.ts'
import * as projects from '../store/projects.ts'
import type { Vault } from '../store/vault.ts'
import { epochMicroseconds } from '../time/stored.ts'
import { findTimeZone } from '../time/zones.ts'
import { exportChanges, recordExport, recordRun } from './activity.ts'
import {
  changedDestination,
  type DestinationInput,
  describeMissingCredential,
  missingIntegration,
  type NewDestination,
  newDestination,
} from './export-destination.ts'
import { logExport } from './export-log.ts'
import { type Cadence, hasOffsetDay, hasOffsetHour, type Interval, inUtc } from './interval.ts'
import { beginPause, endPause, type SkippedRange } from './pauses.ts'
import { filterCondition, querySchema, unsupportedQuery } from './query.ts'
import { roleBucketsOf } from './role-buckets.ts'
import { CADENCE_FIELDS, type PlannerDeps, planNow, type ScheduleState, scheduleFromNow } from './schedule.ts'
import {
  type DestinationSettings,
  type ExportDestination,
  effectiveSettings,
  encryptSettings,
  requireResentSecrets,
  settingsToUpdate,
  validateSettings,
} from './settings.ts'

/** Skipped events are counted up to here. The log has the number of all. */
const MAX_SKIPPED_COUNT = 200_000

export interface ExportService extends PlannerDeps {
  config: Pick<Config, 'S3_ROLE_BUCKETS'>
  vault: Vault
  outbound: Outbound
}

/** The fields a caller may set. Times are in stored form. */
export interface BatchExportInput {
  name?: string
  destination?: DestinationInput
  interval?: Interval
  /** Null is the default. */
  timezone?: string | null
  offset_day?: number | null
  offset_hour?: number | null
  paused?: boolean
  start_at?: string | null
  end_at?: string | null
  model?: Model
  /** Null for no conditions. */
  filters?: readonly unknown[] | null
  hogql_query?: string | null
}

export async function create(
  service: ExportService,
  actor: Actor,
  project_id: number,
  input: BatchExportInput & { name: string; destination: NewDestination; interval: Interval },
): Promise<BatchExportRow> {
  const { db, events, ids, vault, now } = service
  const { name, paused = false, start_at = null, end_at = null, hogql_query = null } = input
  const { model = 'events', filters = null } = input
  const cadence = cadenceOf(inUtc(input.interval), input)
  requireStartBeforeEnd(start_at, end_at)
  const organization_id = await organizationOf(db, project_id)
  const destination = await newDestination(db, organization_id, input.destination)
  await validateDestination(service, organization_id, destination, { model, hogql_query, filters })
  const created_at = now()
  const id = ids.uuid()
  const schedule = await scheduleFromNow(service, { project_id, model, ...cadence, start_at })
  const position = await pausePosition(events, model)
  const row: BatchExportRow = {
    id,
    project_id,
    name,
    ...encryptSettings(vault, id, destination),
    ...cadence,
    paused: false,
    created_at,
    last_updated_at: created_at,
    last_paused_at: null,
    resumed_at: created_at,
    start_at,
    end_at,
    model,
    filters: filters && JSON.stringify(filters),
    hogql_query,
    schema: schemaJson(hogql_query, model, created_at),
    ...schedule,
  }
  const created = db.tx(async (tx) => {
    await exports.create(tx, row)
    const created = paused
      ? await exports.update(tx, id, await beginPause(tx, row, { position, now: created_at }))
      : row
    await recordExport(tx, ids, created_at, actor, 'created', created, exportChanges(vault, null, created))
    return created
  })
  return created.catch((error) => throwMissingReference(db, destination, error))
}

/** Throws `not_found` when the export was deleted. */
export async function update(
  service: ExportService,
  actor: Actor,
  id: string,
  input: BatchExportInput,
): Promise<BatchExportRow> {
  const { db, ids, vault, now } = service
  const found = await requireExport(db, id)
  const organization_id = await organizationOf(db, found.project_id)
  const destination =
    input.destination && (await changedDestination(service, organization_id, found, input.destination))
  const query = input.hogql_query === undefined ? found.hogql_query : input.hogql_query
  const queryChanged = query !== found.hogql_query
  const filters = input.filters === undefined ? found.filters : input.filters && JSON.stringify(input.filters)
  const filtersChanged = filters !== found.filters
  if (input.model !== undefined && input.model !== found.model)
    throw invalid('model', 'The model of an export cannot change. Create another export.')
  if (destination || (queryChanged && query !== null) || (filtersChanged && filters !== null))
    await validateDestination(service, organization_id, destination ?? (await storedDestination(service, found)), {
      model: found.model,
      hogql_query: query,
      filters: filters === null ? null : storedJson(filters),
    })
  if (destination) {
    const sent = input.destination?.config ?? {}
    requireResentSecrets(settingsToUpdate(vault, found, sent), sent, destination)
  }
  const schedule = await scheduleFromNow(service, { ...found, ...boundsOf(found, input) })
  const position = input.paused === undefined ? 0 : await positionFor(service, found, input.paused)
  const updating = db.tx(async (tx) => {
    const locked = await exports.lock(tx, id)
    if (!locked) throw notFound()
    // A concurrent update changed a field that was validated: validate again.
    if (VALIDATED_FIELDS.some((field) => locked[field] !== found[field])) return
    const bounds = boundsOf(locked, input)
    requireStartBeforeEnd(bounds.start_at, bounds.end_at)
    const time = now()
    const changes: BatchExportChanges = changedFields(locked, {
      ...(input.name !== undefined && { name: input.name }),
      ...(destination && encryptSettings(vault, id, destination)),
      ...(queryChanged && { hogql_query: query, schema: schemaJson(query, found.model, time) }),
      ...(filtersChanged && { filters }),
      ...bounds,
      ...reschedule(locked, bounds, schedule, time),
      ...(input.paused === true && !locked.paused && (await pauseLocked(tx, locked, position, time))),
      ...(input.paused === false &&
        locked.paused &&
        (await unpauseLocked(tx, locked, position, time, false, schedule)).changes),
    })
    if (isEmpty(changes)) return locked
    const row = await exports.update(tx, id, { ...changes, last_updated_at: time })
    const recorded = exportChanges(vault, locked, row)
    if (recorded.length) await recordExport(tx, ids, time, actor, 'updated', row, recorded)
    return row
  })
  const updated = await updating.catch((error) => throwMissingReference(db, destination, error))
  return updated ?? update(service, actor, id, input)
}

async function organizationOf(db: Db, project_id: number): Promise<string> {
  const [organization_id] = await projects.organizationsOf(db, [project_id])
  if (organization_id === undefined) throw notFound()
  return organization_id
}

/** A foreign key is violated when the project or the integration was deleted concurrently. */
async function throwMissingReference(
  db: Db,
  destination: ExportDestination | undefined,
  error: unknown,
): Promise<never> {
  if (!isForeignKeyViolation(error)) throw error
  const integration = destination?.integration
  throw integration && !(await integrations.withIds(db, [integration.id])).length ? missingIntegration() : notFound()
}

const BOUND_FIELDS = [...CADENCE_FIELDS, 'start_at', 'end_at'] as const
/** Whether an export is valid depends on all of these together. */
const VALIDATED_FIELDS = [
  'destination_type',
  'destination_config',
  'secrets',
  'integration_id',
  'hogql_query',
  'filters',
  ...BOUND_FIELDS,
] as const
type Bounds = Pick<BatchExportRow, (typeof BOUND_FIELDS)[number]>

const boundsOf = (row: BatchExportRow, input: BatchExportInput): Bounds => ({
  ...cadenceOf(row, input),
  start_at: input.start_at === undefined ? row.start_at : input.start_at,
  end_at: input.end_at === undefined ? row.end_at : input.end_at,
})

/** An interval without an offset resets it. Throws for an offset that the interval does not have. */
function cadenceOf(before: Cadence, { interval = before.interval, ...input }: BatchExportInput): Cadence {
  const { timezone = before.timezone, offset_day, offset_hour } = input
  if (offset_day && !hasOffsetDay(interval))
    throw invalid('offset_day', 'Only weekly exports have an "offset_day". Omit it, or set "interval" to "week".')
  if (offset_hour && !hasOffsetHour(interval))
    throw invalid(
      'offset_hour',
      'Only daily and weekly exports have an "offset_hour". Omit it, or set "interval" to "day" or "week".',
    )
  return {
    interval,
    timezone: timezone === before.timezone ? timezone : requireTimeZone(timezone ?? 'UTC'),
    offset_day: hasOffsetDay(interval) ? ((offset_day === undefined ? before.offset_day : offset_day) ?? 0) : 0,
    offset_hour: hasOffsetHour(interval) ? ((offset_hour === undefined ? before.offset_hour : offset_hour) ?? 0) : 0,
  }
}

function requireTimeZone(name: string): string {
  const zone = findTimeZone(name)
  if (zone === undefined)
    throw invalid('timezone', '"timezone" must be an IANA time zone, such as Europe/Berlin.', 'invalid_choice')
  return zone
}

/**
 * A new interval, time zone, offset or start moves the end of the open window and keeps the watermark, so the next run contains everything
 * ingested since. A schedule that has ended restarts now.
 */
function reschedule(row: BatchExportRow, bounds: Bounds, schedule: ScheduleState, now: string): Partial<ScheduleState> {
  if (BOUND_FIELDS.every((field) => row[field] === bounds[field])) return {}
  if (row.next_at === null) return schedule
  // A window that has already ended is planned with its old bounds.
  const isSameCadence = CADENCE_FIELDS.every((field) => row[field] === bounds[field])
  return row.next_at <= now && isSameCadence ? {} : { next_at: schedule.next_at }
}

function requireStartBeforeEnd(start_at: string | null, end_at: string | null): void {
  if (start_at !== null && end_at !== null && end_at <= start_at)
    throw invalid('end_at', '"end_at" must be later than "start_at".')
}

async function storedDestination({ db, vault }: ExportService, row: BatchExportRow): Promise<ExportDestination> {
  const [integration = null] = row.integration_id === null ? [] : await integrations.withIds(db, [row.integration_id])
  return { ...settingsToUpdate(vault, row, {}), integration }
}

async function validateDestination(
  { config, outbound, vault, now }: ExportService,
  organization_id: string,
  destination: ExportDestination,
  { model, hogql_query, filters }: { model: Model; hogql_query: string | null; filters: readonly unknown[] | null },
): Promise<void> {
  const role_buckets = roleBucketsOf(config.S3_ROLE_BUCKETS, organization_id)
  const settings = effectiveSettings(vault, destination)
  const valid = await validateSettings(settings, outbound, role_buckets).catch((error) => {
    throw describeMissingCredential(error, destination)
  })
  if (model !== 'events') requireUnfiltered(model, settings, valid.eventsOnly ?? false, filters)
  filterCondition(filters, epochMicroseconds(now()))
  if (hogql_query === null) return
  if (!valid.supportsQuery) throw unsupportedQuery(destination.type)
  querySchema(hogql_query, model, epochMicroseconds(now()))
}

/** Rejects what applies to events only. */
function requireUnfiltered(
  model: Model,
  { type, config }: DestinationSettings,
  eventsOnly: boolean,
  filters: readonly unknown[] | null,
): void {
  if (eventsOnly) throw invalid('model', `${type} exports support the model "events" only.`)
  if (filters) throw invalid('filters', `Filters apply to events. Use the WHERE of "hogql_query" to filter ${model}.`)
  for (const key of ['include_events', 'exclude_events']) {
    const names = config[key]
    if (Array.isArray(names) && names.length)
      throw invalid(`destination__config__${key}`, `"${key}" applies to the model "events" only. Remove it.`)
  }
}

const schemaJson = (query: string | null, model: Model, now: string): string | null =>
  query === null ? null : JSON.stringify(querySchema(query, model, epochMicroseconds(now)))

async function requireExport(db: Db, id: string): Promise<BatchExportRow> {
  const row = await exports.getById(db, id)
  if (!row) throw notFound()
  return row
}

/** Throws `not_found` when the export was deleted before. */
export async function remove({ db, ids, now }: ExportService, actor: Actor, row: BatchExportRow): Promise<void> {
  await db.tx(async (tx) => {
    if (!(await exports.remove(tx, row.id))) throw notFound()
    await recordExport(tx, ids, now(), actor, 'deleted', row)
  })
}

/** Active runs continue. Pausing a paused export changes nothing. */
export async function pause(service: ExportService, actor: Actor, id: string): Promise<BatchExportRow> {
  const { db, ids, now } = service
  const position = await positionFor(service, await requireExport(db, id), true)
  return db.tx(async (tx) => {
    const locked = await exports.lock(tx, id)
    if (!locked) throw notFound()
    if (locked.paused) return locked
    const time = now()
    const changes = await pauseLocked(tx, locked, position, time)
    await recordExport(tx, ids, time, actor, 'paused', locked)
    return exports.update(tx, id, { ...changes, last_updated_at: time })
  })
}

/**
 * Events from before the pause are delivered first. Events that arrived during the pause are skipped; with `backfill` they
 * are delivered window by window, as after a downtime.
 */
export async function unpause(
  service: ExportService,
  actor: Actor,
  id: string,
  backfill: boolean,
): Promise<{ row: BatchExportRow; skipped: SkippedEvents | null }> {
  const { db, ids, now } = service
  const found = await requireExport(db, id)
  const schedule = await scheduleFromNow(service, found)
  const position = await positionFor(service, found, false)
  const { row, skipped } = await db.tx(async (tx) => {
    const locked = await exports.lock(tx, id)
    if (!locked) throw notFound()
    if (!locked.paused) return { row: locked, skipped: null }
    const time = now()
    const { changes, skipped } = await unpauseLocked(tx, locked, position, time, backfill, schedule)
    await recordExport(tx, ids, time, actor, 'unpaused', locked, fieldChanges({}, { backfill }))
    return { row: await exports.update(tx, id, { ...changes, last_updated_at: time }), skipped }
  })
  return { row, skipped: skipped && (await countSkipped(service, row, skipped)) }
}

/** The events that arrived during a pause and are not delivered. */
export interface SkippedEvents {
  count: number
  /** False if there may be more. */
  exact: boolean
  start_at: string
  end_at: string
}

/** The export is already unpaused, so a count that fails does not fail the request. */
async function countSkipped(
  { events, eventReader }: ExportService,
  { project_id, model }: BatchExportRow,
  { from, to, paused_at, resumed_at }: SkippedRange,
): Promise<SkippedEvents> {
  const times = { start_at: paused_at, end_at: resumed_at }
  try {
    // A transaction that is still open may add events of the pause.
    const isSettled = (await horizon(events, model)) >= to
    const count = await countBetween(eventReader, { project_id, model, from, to, limit: MAX_SKIPPED_COUNT })
    return { count, exact: isSettled && count < MAX_SKIPPED_COUNT, ...times }
  } catch {
    return { count: 0, exact: false, ...times }
  }
}

const positionFor = ({ events }: ExportService, { model }: BatchExportRow, paused: boolean): Promise<number> =>
  paused ? pausePosition(events, model) : resumePosition(events, model)

async function pauseLocked(tx: Db, row: BatchExportRow, position: number, now: string): Promise<BatchExportChanges> {
  await logExport(tx, row, 'INFO', now, 'The export was paused.')
  return beginPause(tx, row, { position, now })
}

async function unpauseLocked(
  tx: Db,
  row: BatchExportRow,
  position: number,
  now: string,
  backfill: boolean,
  schedule: ScheduleState,
): Promise<{ changes: BatchExportChanges; skipped: SkippedRange | null }> {
  const { changes, skipped } = await endPause(tx, row, { position, now, backfill })
  const events = `Events that arrived during the pause are ${skipped ? 'not delivered' : 'delivered'}.`
  await logExport(tx, row, 'INFO', now, `The export was unpaused. ${events}`)
  // Restart a schedule that had ended.
  return { changes: row.next_at === null ? { ...schedule, ...changes } : changes, skipped }
}

/** Delivers the range of a run again, with the same object names. */
export async function retry({ db, ids, now }: ExportService, actor: Actor, run: RunRow): Promise<RunRow> {
  if (run.finished_at === null)
    throw new AppError({
      code: 'invalid_input',
      detail: 'This run has not ended yet. Wait for it, or cancel it first.',
    })
  const retried = db.tx(async (tx) => {
    const row = await exports.lock(tx, run.batch_export_id)
    if (!row) throw notFound()
    const created = await runs.create(tx, { ...run, id: ids.uuid(), kind: 'retry', now: now() })
    if (!created) throw new Error(`the retry of run ${run.id} was not created`)
    await recordRun(tx, ids, now(), actor, 'retried', row, run)
    return created
  })
  // The backfill of the run may be past its retention.
  return retried.catch((error) => {
    throw isForeignKeyViolation(error) ? notFound() : error
  })
}

/** Plans a run by hand, or returns the one that is open. */
export const run = (service: ExportService, actor: Actor, { id }: BatchExportRow): Promise<RunRow> =>
  planNow(service, id, (tx, row, created) => recordRun(tx, service.ids, service.now(), actor, 'started', row, created))

/** Cancelling a run of a backfill ends the backfill. */
export async function cancel(
  { db, ids, now }: ExportService,
  actor: Actor,
  { id }: BatchExportRow,
  run: RunRow,
): Promise<RunRow> {
  return db.tx(async (tx) => {
    const row = await exports.lock(tx, id)
    if (!row) throw notFound()
    const time = now()
    const cancelled = await runs.cancel(tx, run.id, time)
    if (!cancelled)
      throw new AppError({ code: 'invalid_input', detail: 'This run has already ended and cannot be cancelled.' })
    await logExport(tx, row, 'INFO', time, 'The run was cancelled.', run.id)
    await recordRun(tx, ids, time, actor, 'cancelled', row, run)
    if (
      run.kind === 'backfill' &&
      run.backfill_id !== null &&
      (await backfills.end(tx, run.backfill_id, { status: 'Cancelled', now: time }))
    )
      await logExport(tx, row, 'INFO', time, 'The backfill was cancelled with its run.')
    return cancelled
  })
}

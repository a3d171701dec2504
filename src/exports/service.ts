/** The actions of callers on exports and runs. Each locks the export in one transaction, as planning does. */
import { isDeepStrictEqual } from 'node:util'
import { AppError, invalid, notFound } from '../errors.ts'
import { pausePosition, resumePosition } from '../events/positions.ts'
import type { Outbound } from '../outbound/guard.ts'
import { type Db, isForeignKeyViolation } from '../sql/db.ts'
import * as logs from '../store/batch_export_logs.ts'
import type { RunRow } from '../store/batch_export_runs.ts'
import * as runs from '../store/batch_export_runs.ts'
import type { BatchExportChanges, BatchExportRow } from '../store/batch_exports.ts'
import * as exports from '../store/batch_exports.ts'
import { changedFields, isEmpty } from '../store/changes.ts'
import type { Vault } from '../store/vault.ts'
import type { DestinationType } from './destination.ts'
import { type Interval, windowsBetween } from './interval.ts'
import { beginPause, endPause } from './pauses.ts'
import { schemaOf, unsupportedQuery } from './query.ts'
import { beginWindow } from './run-followups.ts'
import { type Opening, opening, type Planner } from './schedule.ts'
import { checkSettings, demandSecretsAgain, merged, opened, type Settings, sealed } from './settings.ts'

const MOST_WINDOWS = 10_000

export interface ExportService extends Planner {
  vault: Vault
  outbound: Outbound
}

/** The fields a caller may set. Times are in stored form. */
export interface BatchExportInput {
  name?: string
  destination?: { type?: DestinationType; config?: Record<string, unknown> }
  interval?: Interval
  paused?: boolean
  start_at?: string | null
  end_at?: string | null
  hogql_query?: string | null
}

export async function create(
  control: ExportService,
  project_id: number,
  wish: BatchExportInput & { name: string; destination: Settings; interval: Interval },
): Promise<BatchExportRow> {
  const { db, events, ids, vault, now } = control
  const { name, destination, interval, paused = false, start_at = null, end_at = null, hogql_query = null } = wish
  demandOrder(start_at, end_at)
  await checkWhole(control, destination, hogql_query)
  const created_at = now()
  const id = ids.uuid()
  const begin = await opening(control, { project_id, interval, start_at })
  const position = await pausePosition(events)
  const row: BatchExportRow = {
    id,
    project_id,
    name,
    ...sealed(vault, id, destination),
    interval,
    paused: false,
    created_at,
    last_updated_at: created_at,
    last_paused_at: null,
    resumed_at: created_at,
    start_at,
    end_at,
    hogql_query,
    schema: schemaText(hogql_query, created_at),
    ...begin,
  }
  const made = db.tx(async (tx) => {
    await exports.create(tx, row)
    return paused ? exports.update(tx, id, await beginPause(tx, row, { position, now: created_at })) : row
  })
  return made.catch((error) => {
    throw isForeignKeyViolation(error) ? notFound() : error
  })
}

/** Throws `not_found` when the export was deleted. */
export async function update(control: ExportService, id: string, wish: BatchExportInput): Promise<BatchExportRow> {
  const { db, vault, now } = control
  const found = await current(db, id)
  const destination = wish.destination && changedDestination(opened(vault, found), wish.destination)
  const query = wish.hogql_query === undefined ? found.hogql_query : wish.hogql_query
  const requeried = query !== found.hogql_query
  if (destination || (requeried && query !== null))
    await checkWhole(control, destination ?? opened(vault, found), query)
  if (destination) demandSecretsAgain(opened(vault, found), wish.destination?.config ?? {}, destination)
  const begin = await opening(control, { ...found, ...scheduleOf(found, wish) })
  const position = wish.paused === undefined ? 0 : await positionFor(control, wish.paused)
  const changed = await db.tx(async (tx) => {
    const held = await exports.lock(tx, id)
    if (!held) throw notFound()
    // The destination changed during the check, so check again.
    if (destination && (held.destination_config !== found.destination_config || held.secrets !== found.secrets)) return
    const { interval, start_at, end_at } = scheduleOf(held, wish)
    demandOrder(start_at, end_at)
    const time = now()
    const changes: BatchExportChanges = changedFields(held, {
      ...(wish.name !== undefined && { name: wish.name }),
      ...(destination && sealed(vault, id, destination)),
      ...(requeried && { hogql_query: query, schema: schemaText(query, time) }),
      interval,
      start_at,
      end_at,
      ...rescheduled(held, { interval, start_at, end_at }, begin, time),
      ...(wish.paused === true && !held.paused && (await pauseHeld(tx, held, position, time))),
      ...(wish.paused === false && held.paused && (await unpauseHeld(tx, held, position, time, false, begin))),
    })
    return isEmpty(changes) ? held : exports.update(tx, id, { ...changes, last_updated_at: time })
  })
  return changed ?? update(control, id, wish)
}

/** A new type replaces the config; the same type merges it key by key. Undefined when nothing changes. */
function changedDestination(
  stored: Settings,
  { type = stored.type, config = {} }: NonNullable<BatchExportInput['destination']>,
): Settings | undefined {
  const after = { type, config: type === stored.type ? merged(stored.config, config) : config }
  return isDeepStrictEqual(after, stored) ? undefined : after
}

const scheduleOf = (row: BatchExportRow, { interval, start_at, end_at }: BatchExportInput) => ({
  interval: interval ?? (row.interval as Interval),
  start_at: start_at === undefined ? row.start_at : start_at,
  end_at: end_at === undefined ? row.end_at : end_at,
})

/**
 * Another interval or start moves the end of the window that is open, and leaves the watermark: what was ingested since
 * comes with the next run. A schedule that was over begins anew from now.
 */
function rescheduled(
  held: BatchExportRow,
  wish: Pick<BatchExportRow, 'interval' | 'start_at' | 'end_at'>,
  begin: Opening,
  now: string,
): Partial<Opening> {
  if (held.interval === wish.interval && held.start_at === wish.start_at && held.end_at === wish.end_at) return {}
  if (held.next_at === null) return begin
  // A window that has already ended is planned with its old bounds.
  return held.next_at <= now && held.interval === wish.interval ? {} : { next_at: begin.next_at }
}

function demandOrder(start_at: string | null, end_at: string | null): void {
  if (start_at !== null && end_at !== null && end_at <= start_at)
    throw invalid('end_at', '"end_at" must be later than "start_at".')
}

async function checkWhole(control: ExportService, settings: Settings, hogql_query: string | null): Promise<void> {
  const destination = await checkSettings(settings, control.outbound)
  if (hogql_query === null) return
  if (!destination.takesQuery) throw unsupportedQuery(settings.type)
  schemaOf(hogql_query, Date.parse(control.now()) * 1000)
}

const schemaText = (query: string | null, now: string): string | null =>
  query === null ? null : JSON.stringify(schemaOf(query, Date.parse(now) * 1000))

async function current(db: Db, id: string): Promise<BatchExportRow> {
  const row = await exports.getById(db, id)
  if (!row) throw notFound()
  return row
}

/** Active runs continue. Pausing a paused export changes nothing. */
export async function pause(control: ExportService, id: string): Promise<BatchExportRow> {
  const { db, now } = control
  const position = await positionFor(control, true)
  return db.tx(async (tx) => {
    const held = await exports.lock(tx, id)
    if (!held) throw notFound()
    if (held.paused) return held
    const time = now()
    const changes = await pauseHeld(tx, held, position, time)
    return exports.update(tx, id, { ...changes, last_updated_at: time })
  })
}

/**
 * What arrived before the pause is delivered first. What arrived during it is skipped; with `backfill` it is delivered too,
 * window by window, as after any down-time.
 */
export async function unpause(control: ExportService, id: string, backfill: boolean): Promise<BatchExportRow> {
  const { db, now } = control
  const begin = await opening(control, await current(db, id))
  const position = await positionFor(control, false)
  return db.tx(async (tx) => {
    const held = await exports.lock(tx, id)
    if (!held) throw notFound()
    if (!held.paused) return held
    const time = now()
    const changes = await unpauseHeld(tx, held, position, time, backfill, begin)
    return exports.update(tx, id, { ...changes, last_updated_at: time })
  })
}

const positionFor = ({ events }: ExportService, paused: boolean): Promise<number> =>
  paused ? pausePosition(events) : resumePosition(events)

async function pauseHeld(tx: Db, held: BatchExportRow, position: number, now: string): Promise<BatchExportChanges> {
  await say(tx, held, now, 'The export was paused.')
  return beginPause(tx, held, { position, now })
}

async function unpauseHeld(
  tx: Db,
  held: BatchExportRow,
  position: number,
  now: string,
  backfill: boolean,
  begin: Opening,
): Promise<BatchExportChanges> {
  const { changes, skips } = await endPause(tx, held, { position, now, backfill })
  await say(tx, held, now, `The export was unpaused ${skips ? 'without' : 'with'} the events that arrived meanwhile.`)
  // Restart a schedule that had ended.
  return held.next_at === null ? { ...begin, ...changes } : changes
}

/** A request for a range that is being backfilled returns that backfill. */
export async function backfill(
  { db, ids, now }: ExportService,
  id: string,
  { start_at, end_at }: { start_at: string; end_at: string },
): Promise<{ row: BatchExportRow; backfill_id: string }> {
  if (start_at >= end_at) throw invalid('end_at', '"end_at" must be later than "start_at".')
  if (end_at > now()) throw invalid('end_at', '"end_at" lies in the future. A backfill delivers what has happened.')
  return db.tx(async (tx) => {
    const row = await exports.lock(tx, id)
    if (!row) throw notFound()
    const count = windowsBetween(row.interval as Interval, start_at, end_at)
    if (count > MOST_WINDOWS)
      throw invalid(
        'start_at',
        `That range is ${count} intervals long; a backfill takes at most ${MOST_WINDOWS}. Ask for a part of it.`,
      )
    const time = now()
    const made = await runs.createBackfill(tx, { id: ids.uuid(), batch_export_id: id, start_at, end_at, now: time })
    if (made.isNew) {
      await say(tx, row, time, `A backfill from ${start_at} to ${end_at} began: ${count} windows, one after the other.`)
      await beginWindow(tx, { ids, now: time }, row, made.backfill)
    }
    return { row, backfill_id: made.backfill.id }
  })
}

/** Delivers the range of a run again, with the same object names. */
export async function retry({ db, ids, now }: ExportService, run: RunRow): Promise<RunRow> {
  if (run.finished_at === null)
    throw new AppError({
      code: 'invalid_input',
      detail: 'This run has not ended yet. Cancel it first, or wait for its end.',
    })
  return db.tx(async (tx) => {
    if (!(await exports.lock(tx, run.batch_export_id))) throw notFound()
    return (await runs.create(tx, { ...run, id: ids.uuid(), kind: 'retry', now: now() }))!
  })
}

/** Cancelling a run of a backfill ends the backfill. */
export async function cancel({ db, now }: ExportService, { id }: BatchExportRow, run: RunRow): Promise<RunRow> {
  return db.tx(async (tx) => {
    const row = await exports.lock(tx, id)
    if (!row) throw notFound()
    const time = now()
    const cancelled = await runs.cancel(tx, run.id, time)
    if (!cancelled)
      throw new AppError({ code: 'invalid_input', detail: 'This run has ended already. There is nothing to cancel.' })
    await say(tx, row, time, 'The run was cancelled.', run.id)
    if (
      run.kind === 'backfill' &&
      run.backfill_id !== null &&
      (await runs.endBackfill(tx, run.backfill_id, 'Cancelled', time))
    )
      await say(tx, row, time, 'The backfill ended with the run that was cancelled.')
    return cancelled
  })
}

const say = (tx: Db, { id, project_id }: BatchExportRow, now: string, message: string, run_id = ''): Promise<void> =>
  logs.write(tx, { project_id, batch_export_id: id, run_id, timestamp: now, level: 'INFO', message })

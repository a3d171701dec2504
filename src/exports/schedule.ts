/**
 * Plans scheduled runs. A run is a half-open range of positions, fixed when it is planned; its
 * time window is a label. Every event is in exactly one run, even during concurrent ingestion.
 */
import { createSetAside, type SetAside } from '../background/set-aside.ts'
import { AppError, notFound, unavailable } from '../errors.ts'
import type { Model } from '../events/models.ts'
import { countBetween, horizon, positionAt } from '../events/positions.ts'
import type { EventReader } from '../events/readers.ts'
import type { Ids } from '../ids.ts'
import type { Database, Db } from '../sql/db.ts'
import * as logs from '../store/batch_export_logs.ts'
import type { EndedPause } from '../store/batch_export_pauses.ts'
import * as pauses from '../store/batch_export_pauses.ts'
import * as runs from '../store/batch_export_runs.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import * as exports from '../store/batch_exports.ts'
import { addMilliseconds, epochMicroseconds } from '../time/stored.ts'
import { boundaryAfter, boundaryBefore, type Cadence } from './interval.ts'

export interface PlannerDeps {
  db: Db
  events: Database
  eventReader: EventReader
  ids: Ids
  now: () => string
}

export const NOTHING_TO_DELIVER: Record<Model, string> = {
  events: 'The window contains no events.',
  persons: 'The window contains no changes of persons.',
  sessions: 'The window contains no finished sessions.',
}

/** Exports in a slice of planning. */
const EXPORTS_PER_SLICE = 100
/**
 * Windows in a slice, which bounds the time between two claims: 200 take 50 to 180 ms of CPU time. Exports that are due together share
 * them, so a backlog of one export does not delay the first window of another.
 */
const WINDOWS_PER_SLICE = 200
const PAUSES_PER_SLICE = 10
const WINDOWS_PER_PAUSE = 20

/** The longest delay before another attempt to plan an export that could not be planned. */
const MAX_RETRY_MS = 60_000

/** `more`: windows before a pause were planned, and there may be more of them. */
export interface PlannedSlice {
  more: boolean
  failures: { id: string; error: unknown; delay_ms: number }[]
}

export interface Planner {
  /** Plans the oldest windows that have ended, a bounded number of them. The next call continues there. */
  plan(stopped: () => boolean): Promise<PlannedSlice>
  /** The exports whose planning failed a short time ago. They do not slow the planning of the others. */
  setAside(): string[]
}

export function createPlanner(deps: PlannerDeps): Planner {
  let failures: PlannedSlice['failures'] = []
  const { attempt, waiting } = createSetAside<string>({
    milliseconds: () => Date.parse(deps.now()),
    max_ms: MAX_RETRY_MS,
    onFailure: (error, id, delay_ms) => void failures.push({ id, error, delay_ms }),
  })
  return {
    setAside: waiting,
    plan: async (stopped) => {
      failures = []
      const slice: Slice = { except: waiting(), stopped, attempt }
      const more = await planPauses(deps, slice)
      await planWindows(deps, slice)
      return { more, failures }
    },
  }
}

interface Slice {
  except: readonly string[]
  stopped(): boolean
  attempt: SetAside<string>['attempt']
}

async function planWindows(deps: PlannerDeps, { except, stopped, attempt }: Slice): Promise<void> {
  const { db, events, now } = deps
  const due = await exports.due(db, now(), { except, limit: EXPORTS_PER_SLICE })
  const horizons = new Map<Model, number>()
  for (const model of new Set(due.map((row) => row.model))) horizons.set(model, await horizon(events, model))
  const each = Math.ceil(WINDOWS_PER_SLICE / due.length)
  for (const row of due) {
    if (stopped()) return
    const end = Math.max(horizons.get(row.model) ?? 0, row.watermark)
    await attempt(row.id, () => planExport(deps, row, end, each))
  }
}

/** The rows that an export follows. */
const feedOf = ({ project_id, model }: Pick<BatchExportRow, 'project_id' | 'model'>) => ({ project_id, model })

/**
 * Plans the next windows before pauses that have ended. Returns whether there may be more. Pauses that cannot be planned
 * yet do not count.
 */
async function planPauses(deps: PlannerDeps, { except, stopped, attempt }: Slice): Promise<boolean> {
  let [after, planned] = ['', 0]
  for (;;) {
    const ids = await pauses.withEndedPause(deps.db, { after, limit: EXPORTS_PER_SLICE })
    for (const id of ids) {
      if (stopped() || planned === PAUSES_PER_SLICE) return planned > 0
      after = id
      if (except.includes(id)) continue
      if (await attempt(id, () => planPause(deps, id))) planned++
    }
    if (ids.length < EXPORTS_PER_SLICE) return planned > 0
  }
}

/** A window and its half-open range of positions. */
interface PlannedWindow {
  start: string
  end: string
  from: number
  to: number
}

async function planExport(deps: PlannerDeps, row: BatchExportRow, end: number, limit: number): Promise<void> {
  const { db, eventReader, now } = deps
  const { windows, next_at } = await dueWindows(eventReader, row, { end, now: now(), limit })
  await db.tx(async (tx) => {
    if (!(await lockUnchanged(tx, row)) || (await pauses.oldestEnded(tx, row.id))) return
    await createRuns(deps, tx, row, windows)
    await exports.update(tx, row.id, { ...scheduleAfter(windows), next_at })
  })
}

export const CADENCE_FIELDS = ['interval', 'timezone', 'offset_day', 'offset_hour'] as const

/** False when the export changed since it was read. The next round plans it. */
async function lockUnchanged(tx: Db, row: BatchExportRow): Promise<boolean> {
  const locked = await exports.lock(tx, row.id)
  const fields = [...CADENCE_FIELDS, 'next_at', 'watermark', 'window_start', 'start_at', 'end_at'] as const
  return locked !== undefined && !locked.paused && fields.every((field) => locked[field] === row[field])
}

/** Windows before `start_at` have no run. */
async function createRuns(
  { ids, now }: PlannerDeps,
  tx: Db,
  row: BatchExportRow,
  windows: PlannedWindow[],
): Promise<runs.RunRow[]> {
  const created: runs.RunRow[] = []
  for (const { start, end, from, to } of windows) {
    if (row.start_at !== null && end <= row.start_at) continue
    const run = await runs.create(tx, {
      id: ids.uuid(),
      batch_export_id: row.id,
      project_id: row.project_id,
      kind: 'scheduled',
      backfill_id: null,
      data_interval_start: start,
      data_interval_end: end,
      from_position: from,
      to_position: to,
      // After a long downtime most windows are empty.
      empty: from === to,
      now: now(),
    })
    // Skipping it silently would leave its events in no run.
    if (!run) throw new Error(`the window of export ${row.id} that ends at ${end} already has a run`)
    if (from === to)
      await logs.write(tx, {
        ...run,
        run_id: run.id,
        timestamp: now(),
        level: 'INFO',
        message: NOTHING_TO_DELIVER[row.model],
      })
    created.push(run)
  }
  return created
}

const scheduleAfter = (windows: PlannedWindow[]): Partial<ScheduleState> => {
  const last = windows.at(-1)
  return last ? { watermark: last.to, window_start: last.end } : {}
}

/** The oldest windows that have ended, with their positions. The last one before now ends at the horizon. */
async function dueWindows(
  reader: EventReader,
  row: BatchExportRow,
  { end, now, limit }: { end: number; now: string; limit: number },
): Promise<{ windows: PlannedWindow[]; next_at: string | null }> {
  const windows: PlannedWindow[] = []
  let start = row.window_start
  let from = row.watermark
  let next = row.next_at
  const boundaryAt = boundaries(reader, row, end)
  while (next !== null && next <= now && windows.length < limit) {
    if (row.end_at !== null && next > row.end_at) {
      next = null
      break
    }
    const following = boundaryAfter(row, next)
    const to = following > now ? end : await boundaryAt(from, next)
    windows.push({ start, end: next, from, to })
    start = next
    from = to
    next = following
  }
  return { windows, next_at: next }
}

/**
 * Finds the position at the end of a window. Behind the last row no window needs a query, and after a downtime most windows
 * are there.
 */
function boundaries(
  reader: EventReader,
  row: BatchExportRow,
  to: number,
): (from: number, end: string) => Promise<number> {
  let last: number | undefined
  return async (from, end) => {
    if (from >= (last ?? to)) return from
    // If a query times out, the last window includes these rows.
    try {
      last ??= await positionAt(reader, { ...feedOf(row), from, to, time: Number.MAX_SAFE_INTEGER })
      if (from >= last) return from
      return await positionAt(reader, { ...feedOf(row), from, to: last, time: epochMicroseconds(end) })
    } catch {
      return from
    }
  }
}

/** Slices of windows that a run by hand plans first, if they have ended. */
const SLICES_BEFORE = 10

/**
 * Plans a run from the end of the last window up to now, where the next window starts, and returns it. If windows have ended
 * that are not planned yet, plans these; the last one contains everything up to now. While a run by hand is open, returns it.
 */
export async function planNow(deps: PlannerDeps, id: string, onCreated: OnCreated): Promise<runs.RunRow> {
  for (let slice = 0; slice < SLICES_BEFORE; slice++) {
    const run = await planNextUntilNow(deps, id, onCreated)
    if (run) return run
  }
  throw unavailable('The export has windows that are not planned yet. Retry in a few seconds.')
}

/** Called in the transaction that creates a run by hand. */
type OnCreated = (tx: Db, row: BatchExportRow, run: runs.RunRow) => Promise<void>

/** Undefined if it planned earlier windows first, or if the export changed in the meantime. */
async function planNextUntilNow(deps: PlannerDeps, id: string, onCreated: OnCreated): Promise<runs.RunRow | undefined> {
  const { db, events, eventReader, now } = deps
  const row = await exports.getById(db, id)
  if (!row) throw notFound()
  requireActive(row, now())
  if (await planPause(deps, id)) return undefined
  const end = Math.max(await horizon(events, row.model), row.watermark)
  const due = await dueWindows(eventReader, row, { end, now: now(), limit: WINDOWS_PER_SLICE })
  // The clock may have been set back, so the window may start later.
  const time = latest(now(), addMilliseconds(row.window_start, 1))
  const { windows, next_at } = due.windows.length
    ? due
    : {
        windows: [{ start: row.window_start, end: time, from: row.watermark, to: end }],
        next_at: boundaryAfter(row, time),
      }
  return db.tx(async (tx) => {
    if (!(await lockUnchanged(tx, row)) || (await pauses.oldestEnded(tx, id))) return undefined
    const last = await runs.endingAt(tx, id, row.window_start)
    const isByHand = boundaryBefore(row, row.window_start) !== row.window_start
    if (last && last.finished_at === null && isByHand && !due.windows.length) return last
    const created = await createRuns(deps, tx, row, windows)
    await exports.update(tx, id, { ...scheduleAfter(windows), next_at })
    const run = created.at(-1)
    if (!run || run.to_position !== end) return undefined
    await onCreated(tx, row, run)
    return run
  })
}

function requireActive({ paused, start_at, end_at, next_at }: BatchExportRow, now: string): void {
  const refuse = (detail: string): never => {
    throw new AppError({ code: 'invalid_input', detail })
  }
  if (paused) refuse('The export is paused. Unpause it first.')
  if (start_at !== null && now <= start_at)
    refuse(`The export starts at ${start_at}. To run it earlier, change "start_at".`)
  if (next_at === null || (end_at !== null && now > end_at))
    refuse('The export has ended. To run it again, change "end_at".')
}

/**
 * Plans the events before the oldest ended pause and skips the events of the pause. Returns false when there is no ended
 * pause, or when events may still appear before its end.
 */
async function planPause(deps: PlannerDeps, id: string): Promise<boolean> {
  const { db, events, eventReader, now } = deps
  const row = await exports.getById(db, id)
  const pause = await pauses.oldestEnded(db, id)
  if (!row || row.paused || !pause || (await horizon(events, row.model)) < pause.resumed_position) return false
  const { windows, next_at, complete } = await windowsBefore(eventReader, row, pause)
  const skipped = complete
    ? await countBetween(eventReader, {
        ...feedOf(row),
        from: Math.max(row.watermark, pause.position),
        to: pause.resumed_position,
      })
    : 0
  return db.tx(async (tx) => {
    if (!(await lockUnchanged(tx, row)) || (await pauses.oldestEnded(tx, id))?.id !== pause.id) return false
    await createRuns(deps, tx, row, windows)
    const changes = { ...scheduleAfter(windows), next_at }
    await exports.update(tx, id, complete ? scheduleAfterPause({ ...row, ...changes }, pause) : changes)
    if (!complete) return true
    await pauses.remove(tx, pause.id)
    const rows = row.model === 'events' ? 'events' : `changes of ${row.model}`
    const message = `Skipped ${skipped} ${rows} that arrived while the export was paused.`
    await logs.write(tx, { ...pause, project_id: row.project_id, run_id: '', timestamp: now(), level: 'INFO', message })
    return true
  })
}

/** The windows that ended before the pause, and the window it cut short if that one has events. */
async function windowsBefore(
  reader: EventReader,
  row: BatchExportRow,
  { paused_at, position }: EndedPause,
): Promise<{ windows: PlannedWindow[]; next_at: string | null; complete: boolean }> {
  const { end_at } = row
  const windows: PlannedWindow[] = []
  let start = row.window_start
  let from = row.watermark
  const to = Math.max(from, position)
  let next = row.next_at
  const boundaryAt = boundaries(reader, row, to)
  const isOver = (end: string): boolean => end_at !== null && end > end_at
  while (next !== null && next < paused_at && !isOver(next)) {
    if (windows.length === WINDOWS_PER_PAUSE) return { windows, next_at: next, complete: false }
    const boundary = await boundaryAt(from, next)
    windows.push({ start, end: next, from, to: boundary })
    start = next
    from = boundary
    next = boundaryAfter(row, next)
  }
  // The clock may have been set back, so the pause may precede the window.
  const end = latest(paused_at, addMilliseconds(start, 1))
  const last = await positionAt(reader, { ...feedOf(row), from, to, time: Number.MAX_SAFE_INTEGER })
  if (next !== null && last > from && !isOver(end)) windows.push({ start, end, from, to })
  return { windows, next_at: next, complete: true }
}

/** Where the schedule continues after a pause. */
function scheduleAfterPause(row: BatchExportRow, { resumed_at, resumed_position }: EndedPause): ScheduleState {
  const window_start = latest(row.window_start, resumed_at)
  return {
    watermark: Math.max(row.watermark, resumed_position),
    window_start,
    next_at: row.next_at && firstWindowEnd(row, window_start),
  }
}

/** The end of the first window after resuming at a time. */
function firstWindowEnd(row: Cadence & Pick<BatchExportRow, 'start_at'>, moment: string): string {
  const soonest = boundaryAfter(row, moment)
  return row.start_at === null ? soonest : latest(soonest, boundaryBefore(row, row.start_at))
}

/** When the next scheduled run starts. Null for an export that is paused or has ended. */
export function nextRunAt(row: BatchExportRow): string | null {
  const { paused, next_at, start_at, end_at } = row
  if (paused || next_at === null) return null
  // The window before `start_at` has no run.
  const next = start_at !== null && next_at <= start_at ? boundaryAfter(row, next_at) : next_at
  const hasEnded = end_at !== null && next > end_at
  return hasEnded || isAfter9999(next) ? null : next
}

/** Years have four digits or a sign. */
const isAfter9999 = (time: string): boolean => time.startsWith('+')

/** Stored times sort as text. */
const latest = (first: string, second: string): string => (first > second ? first : second)

export type ScheduleState = Pick<BatchExportRow, 'watermark' | 'window_start' | 'next_at'>

/**
 * The state of a schedule that starts now: a new one with the current window, an existing one at the current time.
 * Windows never move back, even if the clock does: two runs with one label would write the same file. The window before a
 * future `start_at` is planned and dropped, which sets the watermark of the first run.
 */
export async function scheduleFromNow(
  { events, eventReader, now }: PlannerDeps,
  before: Cadence & Pick<BatchExportRow, 'project_id' | 'model' | 'start_at'> & { window_start?: string },
): Promise<ScheduleState> {
  const end = await horizon(events, before.model)
  const open = boundaryBefore(before, now())
  const window_start = latest(open, before.window_start ?? open)
  const watermark =
    before.window_start === undefined
      ? await positionAt(eventReader, { ...feedOf(before), from: 0, to: end, time: epochMicroseconds(open) })
      : end
  return { watermark, window_start, next_at: firstWindowEnd(before, latest(window_start, now())) }
}

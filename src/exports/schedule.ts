/**
 * Which run delivers what. A scheduled run is a half-open range of positions that is fixed when the run is planned; its
 * window of time is the label. Every ingested event is in exactly one of them, whoever ingests at that moment.
 */
import { horizon, positionAt } from '../events/positions.ts'
import type { EventReader } from '../events/readers.ts'
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import * as logs from '../store/batch_export_logs.ts'
import * as runs from '../store/batch_export_runs.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import * as exports from '../store/batch_exports.ts'
import { boundaryAfter, boundaryBefore, type Interval, later } from './interval.ts'

export interface Planner {
  db: Db
  events: Db
  reader: EventReader
  ids: Ids
  now: () => string
}

export const NOTHING_TO_DELIVER = 'There was nothing to deliver in this window.'

/** Exports looked at together, and windows of one export planned in one transaction. */
const EXPORTS_AT_ONCE = 100
const WINDOWS_AT_ONCE = 100

/** Plans every window that has ended, oldest first. */
export async function plan(planner: Planner): Promise<void> {
  const { db, events, now } = planner
  for (;;) {
    const due = await exports.due(db, now(), EXPORTS_AT_ONCE)
    if (due.length === 0) return
    const end = await horizon(events)
    const failures: unknown[] = []
    for (const row of due)
      await planOne(planner, row, Math.max(end, row.watermark)).catch((error) => failures.push(error))
    // After the others: one export that cannot be planned holds up nobody else's.
    if (failures.length) throw failures[0]
  }
}

interface Window {
  start: string
  end: string
  from: number
  to: number
}

async function planOne({ db, reader, ids, now }: Planner, row: BatchExportRow, end: number): Promise<void> {
  const { windows, next_at } = await dueWindows(reader, row, end, now())
  await db.tx(async (tx) => {
    const held = await exports.hold(tx, row.id)
    // Changed, paused or planned by somebody else meanwhile: what is due then is found at the next look.
    if (!held || held.paused || held.next_at !== row.next_at || held.watermark !== row.watermark) return
    if (held.interval !== row.interval || held.start_at !== row.start_at || held.end_at !== row.end_at) return
    for (const { start, end: until, from, to } of windows) {
      if (row.start_at !== null && until <= row.start_at) continue
      const made = await runs.create(tx, {
        id: ids.uuid(),
        batch_export_id: row.id,
        project_id: row.project_id,
        kind: 'scheduled',
        backfill_id: null,
        data_interval_start: start,
        data_interval_end: until,
        from_position: from,
        to_position: to,
        // Most of the windows that a long down-time leaves.
        empty: from === to,
        now: now(),
      })
      // Not to be passed over in silence: its events would be in no run.
      if (!made) throw new Error(`the window of ${row.id} that ends at ${until} has a run already`)
      if (from === to)
        await logs.write(tx, { ...made, run_id: made.id, timestamp: now(), level: 'INFO', message: NOTHING_TO_DELIVER })
    }
    const last = windows.at(-1)
    await exports.update(tx, row.id, {
      ...(last && { watermark: last.to, window_start: last.end }),
      next_at,
    })
  })
}

/** The windows of an export that have ended, each with its positions; the last one reaches to the horizon. */
async function dueWindows(
  reader: EventReader,
  row: BatchExportRow,
  end: number,
  now: string,
): Promise<{ windows: Window[]; next_at: string | null }> {
  const interval = row.interval as Interval
  const windows: Window[] = []
  let start = row.window_start
  let from = row.watermark
  let next: string | null = row.next_at!
  while (next !== null && next <= now && windows.length < WINDOWS_AT_ONCE) {
    if (row.end_at !== null && next > row.end_at) {
      next = null
      break
    }
    const following = boundaryAfter(interval, next)
    const time = Date.parse(next) * 1000
    // Where the boundary cannot be found in time, the events come with the last window.
    const to =
      following > now
        ? end
        : await positionAt(reader, { project_id: row.project_id, from, to: end, time }).catch(() => from)
    windows.push({ start, end: next, from, to })
    start = next
    from = to
    next = following
  }
  return { windows, next_at: next }
}

/** Of moments as they are stored, which sort as text. */
const latest = (...moments: string[]): string => moments.toSorted().at(-1)!

export type Opening = Pick<BatchExportRow, 'watermark' | 'window_start' | 'next_at'>

/**
 * Where a schedule begins: a new one with the window that is under way, from its start; one that was there before, with
 * what comes from now on. Windows never go back behind the last one, whatever the clock does: two of one label would be
 * two files of one name. The window before a `start_at` that lies ahead is looked at and passed over: it sets the
 * watermark for the first one.
 */
export async function opening(
  { events, reader, now }: Planner,
  before: Pick<BatchExportRow, 'project_id' | 'interval' | 'start_at'> & { window_start?: string },
): Promise<Opening> {
  const { project_id, start_at } = before
  const interval = before.interval as Interval
  const end = await horizon(events)
  const open = boundaryBefore(interval, now())
  const window_start = latest(open, before.window_start ?? open)
  const watermark =
    before.window_start === undefined
      ? await positionAt(reader, { project_id, from: 0, to: end, time: Date.parse(open) * 1000 })
      : end
  const soonest = boundaryAfter(interval, latest(window_start, now()))
  const ahead = start_at === null ? soonest : boundaryBefore(interval, start_at)
  return { watermark, window_start, next_at: latest(soonest, ahead) }
}

/** The windows of a backfill: whole intervals from where it begins, the last one shorter. Null after the last. */
export function backfillWindow(
  interval: Interval,
  { start_at, end_at }: { start_at: string; end_at: string },
  after: string = start_at,
): { start: string; end: string } | null {
  if (after >= end_at) return null
  const end = later(interval, after)
  return { start: after, end: end < end_at ? end : end_at }
}

/** When an export runs, and the state that follows from its schedule and its latest runs. Times are milliseconds. */
import { boundaryAfter, type Cadence, hasOffsetDay, hasOffsetHour } from '../../../src/exports/interval.ts'
import type { Schemas } from '../api.ts'
import { isActive, isFailed } from './run-status.ts'

type BatchExport = Schemas['BatchExport']
export type Interval = Schemas['BatchExportInterval']
export type { Cadence }

/** A run that starts this much after the end of its window is not late yet. */
const GRACE_MS = 60_000

export const INTERVAL_LABELS: Record<Interval, string> = {
  'every 5 minutes': 'Every 5 minutes',
  'every 15 minutes': 'Every 15 minutes',
  hour: 'Every hour',
  day: 'Every day',
  week: 'Every week',
}

export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

export const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

/** For example "Every week on Monday at 06:00 (Europe/Berlin)". */
export function scheduleText({ interval, timezone, offset_day, offset_hour }: Cadence): string {
  const day = hasOffsetDay(interval) ? ` on ${WEEKDAYS[offset_day]}` : ''
  const hour = hasOffsetHour(interval) ? ` at ${hourText(offset_hour)} (${zoneLabel(timezone)})` : ''
  return `${INTERVAL_LABELS[interval]}${day}${hour}`
}

export const zoneLabel = (zone: string): string => zone.replaceAll('_', ' ')

/** The zone of the times of an export: shorter windows are aligned to UTC. */
export const zoneOf = ({ interval, timezone }: Cadence): string => (hasOffsetHour(interval) ? timezone : 'UTC')

/** The ends of the next windows. */
export function nextBoundaries(cadence: Cadence, now: number, count: number): string[] {
  const found: string[] = []
  let moment = new Date(now).toISOString()
  while (found.length < count) {
    moment = boundaryAfter(cadence, moment)
    found.push(moment)
  }
  return found
}

const timeOf = ({ next_run_at }: BatchExport): number | null => (next_run_at === null ? null : Date.parse(next_run_at))

/** Since when a scheduled run is missing. Null if none is. */
export function lateSince(row: BatchExport, now: number): number | null {
  const planned = timeOf(row)
  return planned !== null && planned + GRACE_MS <= now ? planned : null
}

export type ExportState = 'running' | 'scheduled' | 'paused' | 'failing' | 'late' | 'ended'

export function stateOf(row: BatchExport, now: number): ExportState {
  if (row.latest_runs.some(isActive)) return 'running'
  if (row.paused) return 'paused'
  if (lateSince(row, now) !== null) return 'late'
  if (row.next_run_at === null) return 'ended'
  const [newest] = row.latest_runs
  return newest && isFailed(newest) ? 'failing' : 'scheduled'
}

/** Whether the export does not work as it should. The server pauses an export after many failed runs. */
export function needsAttention(row: BatchExport, now: number): boolean {
  const state = stateOf(row, now)
  const [newest] = row.latest_runs
  return state === 'failing' || state === 'late' || (state === 'paused' && newest !== undefined && isFailed(newest))
}

const ACTIVE_POLL_MS = 1_000
/** A page of exports has up to 250 kB. */
const LIST_POLL_MS = 2_500
const LATE_POLL_MS = 10_000
/** Longer timers overflow. */
const MAX_POLL_MS = 3_600_000

/** When to fetch again: soon while a run is active, else after the next run starts. */
export function pollInterval(rows: readonly BatchExport[] | undefined): number | false {
  if (!rows) return false
  if (rows.some(({ latest_runs }) => latest_runs.some(isActive))) return rows.length > 1 ? LIST_POLL_MS : ACTIVE_POLL_MS
  const now = Date.now()
  if (rows.some((row) => lateSince(row, now) !== null)) return LATE_POLL_MS
  const next = rows.flatMap((row) => timeOf(row) ?? [])
  return next.length ? Math.min(MAX_POLL_MS, Math.max(ACTIVE_POLL_MS, Math.min(...next) - now + 1_500)) : false
}

import type { Schemas } from '../api.ts'
import { count, duration, plural } from '../parts/format.ts'

type Run = Schemas['BatchExportRun']
type Status = Schemas['BatchExportRunStatus']

/** How a status is shown. Each tone has a color and a pattern of its own. */
export type Tone = 'good' | 'bad' | 'active' | 'off'

export const STATUSES: Record<Status, { label: string; tone: Tone }> = {
  Starting: { label: 'Starting', tone: 'active' },
  Running: { label: 'Running', tone: 'active' },
  Completed: { label: 'Completed', tone: 'good' },
  Failed: { label: 'Failed', tone: 'bad' },
  FailedRetryable: { label: 'Failed after retries', tone: 'bad' },
  Cancelled: { label: 'Cancelled', tone: 'off' },
  Terminated: { label: 'Terminated', tone: 'bad' },
  TimedOut: { label: 'Timed out', tone: 'bad' },
  ContinuedAsNew: { label: 'Continued', tone: 'off' },
}

export const TONE_COLORS: Record<Tone, string> = { good: 'green', bad: 'red', active: 'blue', off: 'gray' }

export const isActive = ({ status }: Run): boolean => STATUSES[status].tone === 'active'
export const isFailed = ({ status }: Run): boolean => STATUSES[status].tone === 'bad'

/** A run between two attempts has an error but has not ended. */
export const statusLabel = (run: Run): string =>
  run.status === 'Starting' && run.latest_error !== null ? 'Waiting to retry' : STATUSES[run.status].label

/** Until now for a run that has not ended. */
export const durationOf = ({ created_at, finished_at }: Run, now = Date.now()): number =>
  (finished_at === null ? now : Date.parse(finished_at)) - Date.parse(created_at)

const range = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const utcRange = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

type Window = Pick<Run, 'data_interval_start' | 'data_interval_end'>
const rangeWith = (format: Intl.DateTimeFormat, { data_interval_start, data_interval_end }: Window): string =>
  format.formatRange(new Date(data_interval_start), new Date(data_interval_end))

export const windowText = (window: Window): string => rangeWith(range, window)
export const windowUtc = (window: Window): string => `${rangeWith(utcRange, window)} UTC`

/** The value of a progress bar in percent. Rows that are sent may still fail, so only a completed run has 100 %. */
export const percentOf = (part: number, status: Status | Schemas['BackfillStatus']): number =>
  status === 'Completed' ? 100 : Math.min(99, Math.floor(part * 100))

/** For example "1,200 of 5,000 rows" while it runs, or "1,200 rows". */
export function rowsText({ records_completed, records_total_count, status }: Run): string {
  const done = records_completed ?? 0
  if (status !== 'Completed' && records_total_count !== null && records_total_count > done)
    return `${count(done)} of ${plural(records_total_count, 'row')}`
  return plural(done, 'row')
}

/** The result of a run in one line. */
export const describeRun = (run: Run): string =>
  [statusLabel(run), rowsText(run), duration(durationOf(run)), `window ${windowText(run)}`].join(', ')

export const firstLine = (message: string): string => message.split('\n', 1)[0] ?? ''

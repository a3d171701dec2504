/** Turns a row of a file into the event that is stored. */
import { v5 } from 'uuid'
import { AppError } from '../../errors.ts'
import { describeOversize, EVENT_LIMIT_BYTES, type NewEvent, normalizeEvent } from '../../events/normalize-event.ts'
import { eventsOf, parseUuid } from '../../events/payload.ts'
import { isoOf, parseEventTime } from '../../events/time.ts'
import type { JsonObject } from '../../json/object.ts'
import { TOO_LONG } from './lines.ts'
import type { ReadEvent, Reader } from './reader.ts'
import type { FileRow } from './rows.ts'
import type { Target } from './target.ts'

/** `event`: null for one that is accepted but never stored. */
export type Normalized = { event: NewEvent | null } | Problem

export interface Problem {
  /** The same for all lines with this problem. */
  reason: string
  /** About this line. */
  detail?: string
  isTooLarge?: boolean
}

interface Options {
  target: Target
  /** The zone of times without one. */
  zone: string
  keepsSent: boolean
}

const TOO_LARGE = `The event is larger than ${EVENT_LIMIT_BYTES} bytes, or changes too many person properties.`
const NO_TIME = 'The line has no timestamp.'
const UNREADABLE_TIME = 'The timestamp cannot be read. Write it as ISO 8601.'

export async function normalizeRow(row: FileRow, options: Options): Promise<Normalized> {
  if ('problem' in row) return { reason: row.problem, isTooLarge: row.problem === TOO_LONG }
  const { reader } = row
  const read = reader.read(row.row)
  if ('problem' in read) return { reason: read.problem }
  const { target, zone } = options
  const timestamp = timeOf(read.event, reader, zone, target.now)
  if (typeof timestamp !== 'string') return timestamp
  const uuid = uuidOf(read.event, reader, row.row, target.project.uuid)
  const { event, distinct_id, properties, others } = read.event
  try {
    // `timestamp` takes the offset into account.
    const [sent] = await eventsOf([{ ...others, offset: undefined, event, distinct_id, properties, timestamp, uuid }])
    if (!sent) return { event: null }
    return checkSize(normalizeEvent(sent, arrivalOf(options)))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { reason: error.message }
  }
}

const arrivalOf = ({ target: { project, now }, keepsSent }: Options) => ({
  project_id: project.id,
  now,
  sent_at: null,
  address: null,
  uuid: unusedUuid,
  keepsSent,
})

const unusedUuid = (): string => {
  throw new Error('Every imported event has a uuid.')
}

function checkSize(event: NewEvent | null): Normalized {
  const detail = event && describeOversize(event)
  return detail ? { reason: TOO_LARGE, detail, isTooLarge: true } : { event }
}

/** ISO 8601 with a zone. */
function timeOf(
  { timestamp, others }: ReadEvent,
  { withoutTime }: Reader,
  zone: string,
  now: number,
): string | Problem {
  if (timestamp === undefined || timestamp === null || timestamp === '') {
    if (withoutTime === 'refuse') return { reason: NO_TIME }
    const age_ms = typeof others?.offset === 'number' ? others.offset : 0
    return isoOf(now - age_ms * 1000)
  }
  const time = parseEventTime(timestamp, zone)
  return time === undefined ? { reason: UNREADABLE_TIME } : isoOf(time)
}

/**
 * The id of the source if it is a UUID. Otherwise derived from the id, or from the content of a row without an id: a
 * repeated import finds the same uuid, also in another file.
 */
function uuidOf({ id }: ReadEvent, { name }: Reader, row: JsonObject, project_uuid: string): string {
  const own = parseUuid(id)
  return own ?? v5(id === undefined ? JSON.stringify(row) : `${name}:${id}`, project_uuid)
}

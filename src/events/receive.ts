/** Converts a request with an accepted token to rows: in the server for small bodies, in a parser process for large ones. */
import { AppError } from '../errors.ts'
import { isJsonObject } from '../json/object.ts'
import { describeOversize, EVENT_TOO_LARGE, type NewEvent, normalizeEvent } from './normalize-event.ts'
import { eventsOf, type OpenedPayload, parsePayload, type RawRequest } from './payload.ts'
import { createYielder } from './yield.ts'

/** Events with this many characters together take a millisecond or two. */
const YIELD_CHARACTERS = 16 * 1024

/** The sender of a request with an accepted token. */
export interface Sender {
  project_id: number
  /** The time of arrival in microseconds since 1970. */
  now: number
  address: string
  /** Whether plugins change the events before they are stored. */
  keepsSent: boolean
}

/** An event that is rejected while the other events of its batch are stored. */
export interface RefusedEvent {
  index: number
  /** The id as it was sent; null when it is missing. */
  uuid: string | null
  code: string
  detail: string
}

export interface Received {
  events: NewEvent[]
  refused: RefusedEvent[]
}

export interface ReceiveOptions {
  /** Generates the uuids of events that were sent without one. */
  uuid: () => string
  /** Called with each event, in order. */
  each: (event: NewEvent) => Promise<void> | undefined
}

/** Parses, validates and normalizes the events of a request. Throws invalid_payload, and event_too_large for a single event. */
export async function receive(
  request: RawRequest,
  opened: OpenedPayload,
  sender: Sender,
  { uuid, each }: ReceiveOptions,
): Promise<RefusedEvent[]> {
  const { data, sent_at } = parsePayload(request, opened)
  const sent = await eventsOf(data)
  const arrival = { ...sender, sent_at, address: isHistorical(data) ? null : sender.address, uuid }
  const refused: RefusedEvent[] = []
  const yieldIfDue = createYielder()
  let characters = 0
  for (const [index, one] of sent.entries()) {
    const event = normalizeEvent(one, arrival)
    const detail = event && describeOversize(event)
    if (detail) {
      if (sent.length === 1) throw new AppError({ code: EVENT_TOO_LARGE, detail, attr: fieldOf(data) })
      refused.push({ index, uuid: one.uuid, code: EVENT_TOO_LARGE, detail })
    } else if (event) {
      const flushed = each(event)
      if (flushed) await flushed
    }
    characters += event?.properties.length ?? 0
    if (index % 64 === 63 || characters > YIELD_CHARACTERS) {
      characters = 0
      await yieldIfDue()
    }
  }
  return refused
}

/** The sender of historical events is not the user, so its address is not recorded. */
const isHistorical = (data: unknown): boolean => isJsonObject(data) && data.historical_migration === true

/** The `attr` of a single event. */
const fieldOf = (data: unknown): string | null =>
  Array.isArray(data) ? '0' : isJsonObject(data) && data.batch !== undefined ? 'batch__0' : null

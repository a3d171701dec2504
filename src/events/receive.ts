/** From a request with an accepted token to rows. Runs in the server for small bodies, in a parser process for large ones. */
import { AppError } from '../errors.ts'
import { EVENT_TOO_LARGE, type NewEvent, oversizeOf, shape } from './normalize-event.ts'
import { eventsOf, type Opened, parsePayload, type RawRequest } from './payload.ts'
import { pacer } from './yield.ts'

/** What is known of the sender once its token is accepted. */
export interface Sender {
  project_id: number
  /** When the request arrived, in microseconds since 1970. */
  now: number
  address: string
}

/** An event that was left out of a batch whose other events are stored. */
export interface RefusedEvent {
  index: number
  /** As sent; null when missing. */
  uuid: string | null
  code: string
  detail: string
}

export interface Received {
  events: NewEvent[]
  refused: RefusedEvent[]
}

export interface ReceiveOptions {
  /** Makes the ids of events that were sent without one. */
  uuid: () => string
  /** Takes each event, in order. */
  each: (event: NewEvent) => Promise<void> | undefined
}

/** Parses, checks and shapes the events of a request. Throws as eventsOf does, and event_too_large for a lone event. */
export async function receive(
  request: RawRequest,
  opened: Opened,
  sender: Sender,
  { uuid, each }: ReceiveOptions,
): Promise<RefusedEvent[]> {
  const { data, sent_at } = parsePayload(request, opened)
  const sent = await eventsOf(data)
  const { project_id, now } = sender
  const arrival = { project_id, now, sent_at, address: isHistorical(data) ? null : sender.address, uuid }
  const refused: RefusedEvent[] = []
  const breathe = pacer()
  for (const [index, one] of sent.entries()) {
    const event = shape(one, arrival)
    const detail = event && oversizeOf(event)
    if (detail) {
      if (sent.length === 1) throw new AppError({ code: EVENT_TOO_LARGE, detail, attr: placeOf(data) })
      refused.push({ index, uuid: one.uuid, code: EVENT_TOO_LARGE, detail })
    } else if (event) {
      const taken = each(event)
      if (taken) await taken
    }
    if (index % 64 === 63) await breathe()
  }
  return refused
}

/** The sender of historical events is not the user, so its address is not recorded. */
const isHistorical = (data: unknown): boolean =>
  (data as { historical_migration?: unknown } | null)?.historical_migration === true

/** The `attr` of a single event. */
const placeOf = (data: unknown): string | null =>
  Array.isArray(data) ? '0' : (data as { batch?: unknown }).batch === undefined ? null : 'batch__0'

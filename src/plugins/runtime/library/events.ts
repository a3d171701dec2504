/**
 * Events as lines of JSON. An event for `processEvent` has two: its fields with `"properties":0` at the end, and its properties.
 * They are parsed when the plugin first reads them: parsing is most of the cost of a call, and many plugins decide by the name.
 */
import { parse, stringify } from './host.ts'
import type { PluginEvent } from './webhooks.ts'

const MAX_RESULT_LENGTH = 4 * 1024 * 1024

let lines: string[] = []
let next = 0

/** One text for many events: passing a text to the sandbox takes longer than splitting it there. */
export function queue(text: string): void {
  lines = text.split('\n')
  next = 0
}

export interface OfferedEvent {
  event: PluginEvent
  fields: string
  properties: string
  /** Whether the properties may differ from their line. */
  isRead: boolean
}

/** The next event for the other methods. */
export const nextEvent = (): OfferedEvent => ({
  event: parse(lines[next++] ?? ''),
  fields: '',
  properties: '',
  isRead: true,
})

/** The event that is written without its properties. */
let written: PluginEvent | undefined

/** The next event for `processEvent`. */
export function nextChangingEvent(): OfferedEvent {
  const fields = lines[next++] ?? ''
  const properties = lines[next++] ?? ''
  const event: PluginEvent = parse(fields)
  const offered = { event, fields, properties, isRead: false }
  let value: unknown
  const set = (other: unknown): void => {
    value = other
    offered.isRead = true
  }
  const get = (): unknown => {
    if (written === event) return 0
    if (!offered.isRead) set(parse(properties))
    return value
  }
  Object.defineProperty(event, 'properties', { configurable: true, enumerable: true, get, set })
  return offered
}

/** What `processEvent` returned, in one line or two. True for the event as it was. */
export function returnedText(value: object, { event, fields, properties, isRead }: OfferedEvent): string | true {
  if (isRead || value !== event) {
    const text = resultText(value)
    return text === `${fields.slice(0, -2)}${properties}}` || text
  }
  written = event
  try {
    const text = resultText(value)
    if (text === fields) return true
    return Object.hasOwn(event, 'properties') ? `${text}\n${properties}` : text
  } finally {
    written = undefined
  }
}

export function resultText(value: unknown): string {
  const text = stringify(value) ?? 'null'
  if (text.length > MAX_RESULT_LENGTH)
    throw new RangeError(`The result has ${text.length} characters. At most ${MAX_RESULT_LENGTH} are allowed.`)
  return text
}

/** Events as the console shows them. */
import type { Schemas } from '../api.ts'

export interface Person {
  is_identified?: boolean
  distinct_ids?: string[]
  properties?: Record<string, unknown>
}

export interface PageElement {
  tag_name?: string | null
  text?: string | null
  href?: string | null
  attr_id?: string | null
  attr_class?: string[] | null
  attributes?: Record<string, string>
}

export interface EventItem {
  id: string
  event: string
  distinct_id: string
  timestamp: string
  properties: Record<string, unknown>
  person: Person | null
  elements: PageElement[]
}

export const toEventItem = ({ id, event, distinct_id, timestamp, ...rest }: Schemas['Event']): EventItem => ({
  id,
  event,
  distinct_id,
  timestamp,
  properties: parse(rest.properties) as EventItem['properties'],
  person: parse(rest.person) as EventItem['person'],
  elements: parse(rest.elements) as EventItem['elements'],
})

/** The PostHog dialect of the server sends objects instead of JSON text. */
const parse = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value)

/** The text of a property value. Objects and lists become JSON. */
export const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value)

/** The email address or the name among the properties of a person. */
export const nameIn = ({ email, name, username }: Record<string, unknown> = {}): string | undefined =>
  [email, name, username].find((value): value is string => typeof value === 'string' && value !== '')

export const personName = ({ person, distinct_id }: EventItem): string => nameIn(person?.properties) ?? distinct_id

const PLACES = ['$current_url', '$pathname', '$screen_name', '$host']
const DETAILS = 3

/** The address, or else the first properties that are not of the library. */
export function summaryOf({ properties, elements }: EventItem): string {
  const [element] = elements
  if (element?.text) return `"${element.text}"`
  const place = PLACES.find((key) => typeof properties[key] === 'string')
  if (place !== undefined) return String(properties[place])
  return Object.entries(properties)
    .filter(([key, value]) => !key.startsWith('$') && key !== 'distinct_id' && key !== 'token' && value !== null)
    .slice(0, DETAILS)
    .map(([key, value]) => `${key}: ${valueText(value)}`)
    .join(' · ')
}

export function libraryOf({ properties: { $lib, $lib_version } }: EventItem): string {
  return [$lib, $lib && $lib_version].filter((part) => typeof part === 'string').join(' ')
}

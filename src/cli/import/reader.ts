/** What the readers of all sources share: a row of a file becomes an event in the form capture accepts. */
import type { JsonObject } from '../../json/object.ts'
import { valueAt } from '../columns.ts'

export type ReadRow = { event: ReadEvent } | { problem: string }

export interface ReadEvent {
  event: unknown
  distinct_id: unknown
  /** A text without a zone is a local time of `--timezone`. Undefined if the row has none. */
  timestamp: unknown
  properties: unknown
  /** Identifies the event in its source. Undefined if the row has none. */
  id: string | undefined
  /** The other fields that capture reads, such as `$set`. */
  others?: JsonObject
}

export interface Reader {
  /** Part of the uuids that are derived from ids of the source. */
  name: string
  /** Whether the first row of a file has the form of this source. */
  matches(row: JsonObject): boolean
  read(row: JsonObject): ReadRow
  /** What a row without a timestamp means. */
  withoutTime: 'refuse' | 'now'
}

/** The values at the paths, under our names. Missing and empty values are left out. */
export function renamed(source: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  const values: JsonObject = {}
  for (const [name, path] of Object.entries(names)) {
    const value = valueAt(source, path)
    if (value !== undefined && value !== null && value !== '') values[name] = value
  }
  return values
}

/** The first of the values that is a text or a number and not empty, as text. */
export function firstText(...values: unknown[]): string | undefined {
  const found = values.find((value) => (typeof value === 'string' && value.trim() !== '') || typeof value === 'number')
  return found === undefined ? undefined : String(found)
}

export const isEmpty = (object: JsonObject): boolean => Object.keys(object).length === 0

/** The fields that differ between two states of an item, for the activity log. */
import { isDeepStrictEqual } from 'node:util'

export interface FieldChange {
  field: string
  /** Null for none. */
  before: unknown
  after: unknown
}

/** Replaces the value of a secret. */
export const SECRET = 'changed'

/** Limits of one entry. Values come from users, and a page has up to 1,000 entries. */
const MAX_CHANGES = 30
const MAX_VALUE_CHARACTERS = 200

/** Fields that only one state has are null in the other. An empty object represents an item that does not exist. */
export function fieldChanges(before: object, after: object, secrets: readonly string[] = []): FieldChange[] {
  const [old, current] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  const changes: FieldChange[] = []
  for (const field of new Set([...old.keys(), ...current.keys()])) {
    const [from = null, to = null] = [old.get(field), current.get(field)]
    if (isDeepStrictEqual(from, to)) continue
    if (secrets.includes(field)) changes.push(secretChange(field))
    else changes.push({ field, before: truncated(from), after: truncated(to) })
  }
  return changes.slice(0, MAX_CHANGES)
}

/** The changes of an update, from the stored row and the fields that `changedFields` returned. */
export function updatedFields(row: object, changes: object, secrets: readonly string[] = []): FieldChange[] {
  const stored = Object.entries(row).filter(([name]) => Object.hasOwn(changes, name))
  return fieldChanges(Object.fromEntries(stored), changes, secrets)
}

export const secretChange = (field: string): FieldChange => ({ field, before: SECRET, after: SECRET })

function truncated(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS).toWellFormed()}…` : value
}

/** SQLite stores booleans as 0 and 1. */
export const storedBoolean = (value: boolean | number | null): boolean | null =>
  value === null ? null : Boolean(value)

import type { Value } from '../sql/template.ts'

/** Returns the sent fields that are defined and differ from the stored row. */
export function changedFields<Fields extends object>(row: object, sent: Fields): Partial<Fields> {
  const stored = row as Record<string, unknown>
  const entries = Object.entries(sent).filter(([name, value]) => value !== undefined && !isSame(stored[name], value))
  return Object.fromEntries(entries) as Partial<Fields>
}

/** SQLite stores booleans as 0 and 1. */
const isSame = (stored: unknown, sent: unknown): boolean =>
  stored === sent || (typeof sent === 'boolean' && stored !== null && Boolean(stored) === sent)

/** Drops undefined fields from an update. */
export const definedFields = (changes: object): Record<string, Value> =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))

export const isEmpty = (changes: object): boolean => Object.keys(changes).length === 0

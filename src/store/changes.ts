import type { Value } from '../sql/template.ts'

/** Returns the listed fields that are defined. */
export function pickDefined<Fields extends object, Key extends keyof Fields>(
  fields: Fields,
  keys: readonly Key[],
): Partial<Pick<Fields, Key>> {
  const picked: Partial<Pick<Fields, Key>> = {}
  for (const key of keys) if (fields[key] !== undefined) picked[key] = fields[key]
  return picked
}

/** Returns the sent fields that are defined and differ from the stored row. */
export function changedFields<Fields extends object>(
  row: { [Name in keyof NoInfer<Fields>]?: unknown },
  sent: Fields,
): Partial<Fields> {
  const changes: Partial<Fields> = {}
  for (const name in sent) if (sent[name] !== undefined && !isSame(row[name], sent[name])) changes[name] = sent[name]
  return changes
}

/** SQLite stores booleans as 0 and 1. */
const isSame = (stored: unknown, sent: unknown): boolean =>
  stored === sent || (typeof sent === 'boolean' && stored !== null && Boolean(stored) === sent)

/** Drops undefined fields from an update. */
export const definedFields = (changes: object): Record<string, Value> =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))

export const isEmpty = (changes: object): boolean => Object.keys(changes).length === 0

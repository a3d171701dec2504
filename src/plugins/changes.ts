/** Compares two states of a plugin or configuration for its activity log. */
import type { FieldChange, Scope } from '../store/plugin_activity.ts'

/** Limits of one entry in the activity log. */
const MAX_CHANGES = 30
const MAX_VALUE_CHARACTERS = 200

/** One entry per field that differs. */
export function diffFields(
  type: Scope,
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): FieldChange[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)])
  const changes = [...fields].flatMap((field): FieldChange[] => {
    // A file may be named `constructor`.
    const old = Object.hasOwn(before, field) ? before[field] : undefined
    const current = Object.hasOwn(after, field) ? after[field] : undefined
    if (isSame(old, current)) return []
    const action = old === undefined ? 'created' : current === undefined ? 'deleted' : 'changed'
    return [{ type, action, field, before: truncated(old), after: truncated(current) }]
  })
  return changes.slice(0, MAX_CHANGES)
}

/** Compares strings directly, because files may be megabytes long. */
const isSame = (a: unknown, b: unknown): boolean =>
  typeof a === 'string' && typeof b === 'string' ? a === b : JSON.stringify(a) === JSON.stringify(b)

function truncated(value: unknown): unknown {
  if (value === undefined) return null
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS).toWellFormed()}…` : value
}

/** The files that differ, without their text. */
export const diffFiles = (before: Record<string, string>, after: Record<string, string>): FieldChange[] =>
  diffFields('Plugin', before, after).map((change) => ({ ...change, before: null, after: null }))

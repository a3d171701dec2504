import type { FieldChange } from '../store/plugin_activity.ts'

/** An entry tells what happened; it is no second place to store things in. */
const MAX_CHANGES = 30
const MAX_VALUE_CHARACTERS = 200

/** Field by field, from one state to another; null where both are the same. */
export function diffFields(
  type: FieldChange['type'],
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): FieldChange[] | null {
  const changes = [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((field): FieldChange[] => {
    // A file may be called `constructor`.
    const [was, is] = [before, after].map((state) => (Object.hasOwn(state, field) ? state[field] : undefined))
    if (isSame(was, is)) return []
    const action = was === undefined ? 'created' : is === undefined ? 'deleted' : 'changed'
    return [{ type, action, field, before: brief(was), after: brief(is) }]
  })
  return changes.length ? changes.slice(0, MAX_CHANGES) : null
}

/** Strings are compared directly, because files may have megabytes. */
const isSame = (was: unknown, is: unknown): boolean =>
  typeof was === 'string' && typeof is === 'string' ? was === is : JSON.stringify(was) === JSON.stringify(is)

function brief(value: unknown): unknown {
  if (value === undefined) return null
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS).toWellFormed()}…` : value
}

/** Which files changed. Their text is not repeated. */
export function diffFiles(before: Record<string, string>, after: Record<string, string>): FieldChange[] {
  const changes = diffFields('Plugin', before, after) ?? []
  return changes.map((change) => ({ ...change, before: null, after: null }))
}

import { AppError, invalid } from '../errors.ts'
import { MAX_DEPTH, tooDeep } from './scan.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Throws parse_error for bytes that are no UTF-8. */
export function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new AppError({ code: 'parse_error', detail: 'The body is not valid UTF-8. Send JSON encoded as UTF-8.' })
  }
}

/**
 * Makes a parsed body one that every engine can store: no NUL characters, no half surrogate pairs, no bottomless nesting.
 * NUL and depth are refused; half pairs become U+FFFD, as they would on their way through UTF-8 anyway.
 */
export function sanitizeBody(value: unknown): unknown {
  if (value === null) throw new AppError({ code: 'null', detail: 'The body cannot be null. Send a JSON object.' })
  return clean(value, [], refuseNul)
}

/** The same for what devices send and nobody can send again: NUL becomes U+FFFD too. */
export const replaceInvalidText = (value: unknown): unknown =>
  clean(value, [], (text) => text.replaceAll('\0', '\ufffd'))

type OnNul = (text: string, path: readonly (string | number)[]) => string

const refuseNul: OnNul = (_, path) => {
  throw invalid(path.join('__') || null, 'NUL characters are not allowed. Remove them.', 'null_characters_not_allowed')
}

function clean(value: unknown, path: (string | number)[], onNul: OnNul): unknown {
  if (typeof value === 'string') return storable(value, path, onNul)
  if (typeof value !== 'object' || value === null) return value
  if (path.length >= MAX_DEPTH) throw tooDeep()
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = within(path, i, value[i], onNul)
    return value
  }
  const object = value as Record<string, unknown>
  for (const [key, child] of Object.entries(object)) {
    const name = storable(key, path, onNul)
    const cleaned = within(path, name, child, onNul)
    if (name !== key) delete object[key]
    if (name !== key || cleaned !== child) object[name] = cleaned
  }
  return object
}

/** One path for the whole walk: a body of half a million numbers makes no half a million paths. */
function within(path: (string | number)[], key: string | number, child: unknown, onNul: OnNul): unknown {
  path.push(key)
  const cleaned = clean(child, path, onNul)
  path.pop()
  return cleaned
}

function storable(text: string, path: readonly (string | number)[], onNul: OnNul): string {
  const kept = text.includes('\0') ? onNul(text, path) : text
  return kept.isWellFormed() ? kept : kept.toWellFormed()
}

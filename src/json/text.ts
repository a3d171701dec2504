import { AppError, invalid } from '../errors.ts'
import { isJsonObject } from './object.ts'
import { MAX_DEPTH, tooDeep } from './scan.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Throws parse_error for bytes that are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new AppError({ code: 'parse_error', detail: 'The body is not valid UTF-8. Send JSON encoded as UTF-8.' })
  }
}

/**
 * Makes a parsed body storable on both engines. Rejects NUL characters and deep nesting. Lone surrogates become U+FFFD,
 * as in any conversion to UTF-8.
 */
export function sanitizeBody(value: unknown): unknown {
  if (value === null) throw new AppError({ code: 'null', detail: 'The body cannot be null. Send a JSON object.' })
  return clean(value, [], refuseNul)
}

/** The same for events, which cannot be sent again: NUL also becomes U+FFFD. */
export const replaceInvalidText = (value: unknown): unknown =>
  clean(value, [], (text) => text.replaceAll('\0', '\ufffd'))

type OnNul = (text: string, path: readonly (string | number)[]) => string

const refuseNul: OnNul = (_, path) => {
  throw invalid(path.join('__') || null, 'NUL characters are not allowed. Remove them.', 'null_characters_not_allowed')
}

function clean(value: unknown, path: (string | number)[], onNul: OnNul): unknown {
  if (typeof value === 'string') return storable(value, path, onNul)
  if (!Array.isArray(value) && !isJsonObject(value)) return value
  if (path.length >= MAX_DEPTH) throw tooDeep()
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = within(path, i, value[i], onNul)
    return value
  }
  for (const [key, child] of Object.entries(value)) {
    const name = storable(key, path, onNul)
    const cleaned = within(path, name, child, onNul)
    if (name !== key) delete value[key]
    if (name !== key || cleaned !== child) value[name] = cleaned
  }
  return value
}

/** Reuses one path array, because a body may have half a million values. */
function within(path: (string | number)[], key: string | number, child: unknown, onNul: OnNul): unknown {
  path.push(key)
  const cleaned = clean(child, path, onNul)
  path.pop()
  return cleaned
}

function storable(text: string, path: readonly (string | number)[], onNul: OnNul): string {
  const cleaned = text.includes('\0') ? onNul(text, path) : text
  return cleaned.isWellFormed() ? cleaned : cleaned.toWellFormed()
}

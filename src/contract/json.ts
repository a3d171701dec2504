import { AppError, invalid } from '../errors.ts'

/** Deeper than any resource, shallower than any recursion that reads what was stored. */
const MAX_DEPTH = 64
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Throws parse_error for bytes that are no UTF-8. */
export function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new AppError('parse_error', 'The body is not valid UTF-8. Send JSON encoded as UTF-8.')
  }
}

/**
 * Makes a parsed body one that every engine can store: no NUL characters, no half surrogate pairs, no bottomless nesting.
 * The first and the last are refused; half pairs become U+FFFD, as they would on their way through UTF-8 anyway.
 */
export function normalised(value: unknown): unknown {
  if (value === null) throw new AppError('null', 'The body cannot be null. Send a JSON object.')
  return clean(value, [])
}

function clean(value: unknown, path: (string | number)[]): unknown {
  if (typeof value === 'string') return text(value, path)
  if (typeof value !== 'object' || value === null) return value
  if (path.length >= MAX_DEPTH) throw invalid(null, `The body is nested deeper than ${MAX_DEPTH} levels. Flatten it.`)
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = within(path, i, value[i])
    return value
  }
  const object = value as Record<string, unknown>
  for (const [key, child] of Object.entries(object)) {
    const name = text(key, path)
    const cleaned = within(path, name, child)
    if (name !== key) delete object[key]
    if (name !== key || cleaned !== child) object[name] = cleaned
  }
  return object
}

/** One path for the whole walk: a body of half a million numbers makes no half a million paths. */
function within(path: (string | number)[], key: string | number, child: unknown): unknown {
  path.push(key)
  const cleaned = clean(child, path)
  path.pop()
  return cleaned
}

function text(value: string, path: readonly (string | number)[]): string {
  if (value.includes('\0'))
    throw invalid(
      path.join('__') || null,
      'NUL characters are not allowed. Remove them.',
      'null_characters_not_allowed',
    )
  return value.isWellFormed() ? value : value.toWellFormed()
}

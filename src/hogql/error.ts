import { AppError } from '../errors.ts'

/** A syntax, name, type or limit error in HogQL. `position` counts UTF-16 code units from 1. */
export class HogqlError extends Error {
  constructor(
    message: string,
    readonly position: number,
  ) {
    super(message)
    this.name = 'HogqlError'
  }
}

/** The error for the client. Its message has the position, too: `Unknown field "foo" (line 1, column 8).` */
export function invalidHogql(attr: string, { message, position: at }: HogqlError, text: string): AppError {
  const before = text.slice(0, at - 1).split('\n')
  const position = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
  const detail = `${message.replace(/\.$/, '')} (line ${position.line}, column ${position.column}).`
  return new AppError({ code: 'invalid_input', detail, attr, position })
}

/** The known name closest to `name`: at most a third of the letters differ, or only the case. */
export function closest(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let limit = Math.max(1, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    const edits = editDistance(name.toLowerCase(), candidate.toLowerCase(), limit)
    if (edits < limit) {
      limit = edits
      best = candidate
    }
  }
  return best
}

export const didYouMean = (name: string, known: Iterable<string>): string => {
  const best = closest(name, known)
  return best === undefined ? '' : ` Did you mean "${best}"?`
}

/** A user's text for an error message: quoted, on one line, at most 60 characters. */
export const display = (text: string): string => {
  const line = text.replace(/[\p{C}\s]+/gu, ' ')
  return `"${line.length > 60 ? `${line.slice(0, 60)}…` : line}"`
}

/** Insertions, deletions, substitutions and transpositions between two strings, or `limit` if there are more. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  const cell = (row: readonly number[], j: number): number => row[j] ?? limit
  let previous: number[] = []
  let current = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const transposed = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next.push(
        Math.min(
          cell(current, j) + 1,
          cell(next, j - 1) + 1,
          cell(current, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
          transposed ? cell(previous, j - 2) + 1 : limit,
        ),
      )
    }
    previous = current
    current = next
  }
  return cell(current, b.length)
}

/** A text that is not HogQL, or asks for what is not there. `position` counts characters from 1. */
export class HogqlError extends Error {
  constructor(
    message: string,
    readonly position: number,
  ) {
    super(message)
    this.name = 'HogqlError'
  }
}

/** The name that was probably meant: within a third of its letters, or differing in case only. */
export function closest(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Math.max(1, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    const far =
      candidate.toLowerCase() === name.toLowerCase() ? 0 : distance(name.toLowerCase(), candidate.toLowerCase(), least)
    if (far < least) {
      least = far
      best = candidate
    }
  }
  return best
}

export const didYouMean = (name: string, known: Iterable<string>): string => {
  const best = closest(name, known)
  return best === undefined ? '' : ` Did you mean "${best}"?`
}

/** A name as it may stand in a message: short, and on one line. */
export const shown = (text: string): string => {
  const line = text.replace(/[\p{C}\s]+/gu, ' ')
  return `"${line.length > 60 ? `${line.slice(0, 60)}…` : line}"`
}

/** Letters to insert, drop, change or swap; gives up at `limit`. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before[j - 2]! + 1 : limit
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1), swapped))
    }
    before = row
    row = next
  }
  return row[b.length]!
}

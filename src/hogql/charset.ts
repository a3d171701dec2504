/** Sets of code points as sorted ranges, with both ends in. */
export type Charset = readonly (readonly [number, number])[]

const LAST = 0x10ffff
/** NUL is left out: no stored text holds it, and PostgreSQL cannot. */
export const ANY: Charset = [[1, LAST]]

export function union(...sets: readonly Charset[]): Charset {
  const ranges = sets.flat().sort((a, b) => a[0] - b[0])
  const merged: [number, number][] = []
  for (const [low, high] of ranges) {
    const last = merged.at(-1)
    if (last && low <= last[1] + 1) last[1] = Math.max(last[1], high)
    else merged.push([low, high])
  }
  return merged
}

export function complement(set: Charset): Charset {
  const gaps: [number, number][] = []
  let from = 1
  for (const [low, high] of union(set)) {
    if (low > from) gaps.push([from, low - 1])
    from = high + 1
  }
  if (from <= LAST) gaps.push([from, LAST])
  return gaps
}

export const disjoint = (a: Charset, b: Charset): boolean =>
  !a.some(([low, high]) => b.some(([from, to]) => low <= to && from <= high))

export const has = (set: Charset, point: number): boolean => set.some(([low, high]) => low <= point && point <= high)

/** Every pair of letters that differ in case only, by the first. Made on first use: it takes some milliseconds. */
let pairs: [number, number][] | undefined
function casePairs(): [number, number][] {
  if (pairs) return pairs
  pairs = []
  for (let point = 0x41; point <= 0x1ffff; point++) {
    if (point >= 0xd800 && point <= 0xdfff) continue
    const letter = String.fromCodePoint(point)
    for (const other of [letter.toLowerCase(), letter.toUpperCase()])
      if (other !== letter && other.length === String.fromCodePoint(other.codePointAt(0)!).length)
        pairs.push([point, other.codePointAt(0)!], [other.codePointAt(0)!, point])
  }
  return pairs.sort(([a], [b]) => a - b)
}

/** Where the pairs begin whose first letter is this one or a later one. */
function firstFrom(point: number): number {
  const all = casePairs()
  let [from, to] = [0, all.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (all[middle]![0] < point) from = middle + 1
    else to = middle
  }
  return from
}

/** The set and the other case of each of its letters, so that neither engine is asked to ignore case by its own rules. */
export function anyCase(set: Charset): Charset {
  let grown = set
  for (let round = 0; round < 2; round++) {
    const added: [number, number][] = []
    for (const [low, high] of grown)
      for (const [, other] of casePairs().slice(firstFrom(low), firstFrom(high + 1)))
        if ((other < low || other > high) && !has(grown, other)) added.push([other, other])
    if (!added.length) break
    grown = union(grown, added)
  }
  return grown
}

const range = (from: string, to: string): [number, number] => [from.codePointAt(0)!, to.codePointAt(0)!]
const DIGIT: Charset = [range('0', '9')]
const LOWER: Charset = [range('a', 'z')]
const UPPER: Charset = [range('A', 'Z')]
const SPACE: Charset = [
  [9, 10],
  [12, 13],
  [32, 32],
]
export const WORD: Charset = union(DIGIT, LOWER, UPPER, [range('_', '_')])

export const ESCAPED: Record<string, Charset> = {
  d: DIGIT,
  D: complement(DIGIT),
  w: WORD,
  W: complement(WORD),
  s: SPACE,
  S: complement(SPACE),
}

export const NAMED: Record<string, Charset> = {
  alnum: union(DIGIT, LOWER, UPPER),
  alpha: union(LOWER, UPPER),
  digit: DIGIT,
  lower: LOWER,
  upper: UPPER,
  punct: union([range('!', '/')], [range(':', '@')], [range('[', '`')], [range('{', '~')]),
  space: union(SPACE, [[11, 11]]),
  word: WORD,
  xdigit: union(DIGIT, [range('a', 'f')], [range('A', 'F')]),
}

/** Sets of code points as sorted, inclusive ranges. */
export type Charset = readonly (readonly [number, number])[]

export const LAST = 0x10ffff
/** Without NUL: stored text never contains it, and PostgreSQL does not support it. */
export const ANY: Charset = [[1, LAST]]

/** The code point of a string of one character. */
export function codePoint(char: string): number {
  const point = char.codePointAt(0)
  if (point === undefined) throw new Error('codePoint of an empty string')
  return point
}

export const singleton = (char: string): Charset => [[codePoint(char), codePoint(char)]]

/** The only code point of a set of one. */
export function onlyPoint(set: Charset): number | undefined {
  const [range, ...others] = set
  return range && !others.length && range[0] === range[1] ? range[0] : undefined
}

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

/** All pairs of code points that differ only in case, sorted by the first. Computed on first use: it takes milliseconds. */
let casePairsCache: [number, number][] | undefined
function casePairs(): [number, number][] {
  if (casePairsCache) return casePairsCache
  const pairs: [number, number][] = []
  for (let point = 0x41; point <= 0x1ffff; point++) {
    if (point >= 0xd800 && point <= 0xdfff) continue
    const letter = String.fromCodePoint(point)
    for (const other of [letter.toLowerCase(), letter.toUpperCase()]) {
      if (other === letter) continue
      // Skip letters that become two in the other case: ß in upper case is SS.
      const [single, second] = other
      if (single === undefined || second !== undefined) continue
      pairs.push([point, codePoint(single)], [codePoint(single), point])
    }
  }
  casePairsCache = pairs.sort(([a], [b]) => a - b)
  return casePairsCache
}

/** The index of the first pair whose first code point is at least `point`. */
function firstPairFrom(point: number): number {
  const pairs = casePairs()
  let [from, to] = [0, pairs.length]
  while (from < to) {
    const middle = (from + to) >> 1
    const pair = pairs[middle]
    if (pair && pair[0] < point) from = middle + 1
    else to = middle
  }
  return from
}

/** Adds the other case of every letter. The engines' own case-insensitive modes differ from each other. */
export function anyCase(set: Charset): Charset {
  let folded = set
  for (let round = 0; round < 2; round++) {
    const added: [number, number][] = []
    for (const [low, high] of folded)
      for (const [, other] of casePairs().slice(firstPairFrom(low), firstPairFrom(high + 1)))
        if ((other < low || other > high) && !has(folded, other)) added.push([other, other])
    if (!added.length) break
    folded = union(folded, added)
  }
  return folded
}

const range = (from: string, to: string): [number, number] => [codePoint(from), codePoint(to)]
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

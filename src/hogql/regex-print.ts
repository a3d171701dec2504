/** Prints a parsed regular expression for each engine, and checks that both engines would return the same match. */
import { type Charset, codePoint, disjoint, LAST, onlyPoint, union } from './charset.ts'
import { type Assertion, type Pattern, PatternError, type Regex } from './regex.ts'

/** The string that the pattern matches, if it contains only literal characters. */
export function literalOf({ root }: Pattern): string | undefined {
  const items = root.kind === 'sequence' ? root.items : [root]
  let text = ''
  for (const item of items) {
    const point = item.kind === 'set' ? onlyPoint(item.set) : undefined
    if (point === undefined) return undefined
    text += String.fromCodePoint(point)
  }
  return text
}

const WORD = '[0-9A-Z_a-z]'

const hex = (point: number, width: number): string => point.toString(16).padStart(width, '0')
const plain = (point: number): string | undefined => {
  const c = String.fromCodePoint(point)
  return /[A-Za-z0-9]/.test(c) ? c : undefined
}
const forPostgres = (point: number): string =>
  plain(point) ?? (point > 0xffff ? `\\U${hex(point, 8)}` : `\\u${hex(point, 4)}`)
const forRe2 = (point: number): string => plain(point) ?? `\\x{${hex(point, 1)}}`

/** Patterns that match exactly this string. */
export const postgresLiteral = (text: string): string => [...text].map((c) => forPostgres(codePoint(c))).join('')

export const re2Literal = (text: string): string => [...text].map((c) => forRe2(codePoint(c))).join('')

/** For PostgreSQL's default mode: `.` matches newlines, ^ and $ match only at the ends of the string. */
export const toPostgres = (pattern: Pattern, groups = false): string =>
  print(pattern.root, groups, forPostgres, '.', {
    start: '^',
    end: '$',
    boundary: `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`,
    inside: `(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`,
  })

export const toRe2 = (pattern: Pattern, groups = false): string =>
  print(pattern.root, groups, forRe2, '(?s:.)', { start: '\\A', end: '\\z', boundary: '\\b', inside: '\\B' })

function print(
  regex: Regex,
  groups: boolean,
  point: (point: number) => string,
  any: string,
  assertions: Record<Assertion, string>,
): string {
  const inner = (item: Regex): string => print(item, groups, point, any, assertions)
  switch (regex.kind) {
    case 'set':
      return charset(regex.set, point, any)
    case 'sequence':
      return regex.items.length
        ? regex.items.map((item) => (item.kind === 'choice' ? `(?:${inner(item)})` : inner(item))).join('')
        : '(?:)'
    case 'choice':
      return regex.items.map(inner).join('|')
    case 'group':
      return `(${groups ? '' : '?:'}${inner(regex.item)})`
    case 'repeat': {
      const item =
        regex.item.kind === 'set' || regex.item.kind === 'group' ? inner(regex.item) : `(?:${inner(regex.item)})`
      const { min, max } = regex
      if (max === Number.POSITIVE_INFINITY) return item + (min === 0 ? '*' : min === 1 ? '+' : `{${min},}`)
      return item + (min === 0 && max === 1 ? '?' : min === max ? `{${min}}` : `{${min},${max}}`)
    }
    default:
      return assertions[regex.kind]
  }
}

function charset(set: Charset, point: (point: number) => string, any: string): string {
  const [range, ...others] = set
  if (range && !others.length && range[0] <= 1 && range[1] === LAST) return any
  const single = onlyPoint(set)
  if (single !== undefined) return point(single)
  return `[${set.map(([from, to]) => (from === to ? point(from) : `${point(from)}-${point(to)}`)).join('')}]`
}

export function matchesEmpty(regex: Regex): boolean {
  switch (regex.kind) {
    case 'set':
      return false
    case 'sequence':
      return regex.items.every(matchesEmpty)
    case 'choice':
      return regex.items.some(matchesEmpty)
    case 'group':
      return matchesEmpty(regex.item)
    case 'repeat':
      return regex.min === 0 || matchesEmpty(regex.item)
    default:
      return true
  }
}

/** The part of the pattern after an item. */
interface Continuation {
  /** The characters it can start with. */
  first: Charset
  /** A match that starts later never ends earlier. True for sequences of greedily repeated single characters. */
  monotone: boolean
}

/**
 * Throws unless both engines return the same match. If there are several matches, RE2 prefers the first alternative and
 * PostgreSQL the longest one. They agree if at each choice either the next character decides, or the greedier alternative
 * cannot end earlier.
 */
export function assertUnambiguous({ root }: Pattern): void {
  analyze(root, { first: [], monotone: true })
}

const AMBIGUOUS = 'SQLite and PostgreSQL could return different matches'

/** Checks an item and returns the continuation that starts with it. */
function analyze(regex: Regex, after: Continuation, repeated = false): Continuation {
  switch (regex.kind) {
    case 'set':
      return { first: regex.set, monotone: after.monotone }
    case 'sequence':
      return regex.items.reduceRight((following, item) => analyze(item, following, repeated), after)
    case 'group':
      if (repeated) throw new PatternError(`${AMBIGUOUS}: a capturing group is repeated`)
      return analyze(regex.item, after)
    case 'choice': {
      assertExclusive(regex.items)
      const branches = regex.items.map((item) => analyze(item, after, repeated))
      return { first: union(...branches.map(({ first }) => first)), monotone: false }
    }
    case 'repeat':
      return analyzeRepeat(regex, after, repeated)
    default:
      return after
  }
}

function analyzeRepeat(regex: Regex & { kind: 'repeat' }, after: Continuation, repeated: boolean): Continuation {
  const { item, min, max, lazy } = regex
  if (lazy) throw new PatternError(`${AMBIGUOUS}: it has a lazy quantifier. Use a class such as [^&]* instead`)
  if (max === 0) return after
  if (item.kind === 'set') {
    if (min !== max && !after.monotone && !disjoint(item.set, after.first))
      throw new PatternError(`${AMBIGUOUS}: the next character does not determine where a repetition ends`)
    return { first: min === 0 ? union(item.set, after.first) : item.set, monotone: after.monotone }
  }
  if (matchesEmpty(item)) throw new PatternError(`${AMBIGUOUS}: an item that can be empty is repeated`)
  const first = firstSet(item)
  if (max > 1) analyze(item, { first: union(first, after.first), monotone: false }, true)
  else analyze(item, after, repeated)
  if (min !== max && !(max === 1 && after.monotone) && !disjoint(first, after.first))
    throw new PatternError(`${AMBIGUOUS}: the next character does not determine where a repetition ends`)
  return { first: min === 0 ? union(first, after.first) : first, monotone: false }
}

/** Throws unless at most one branch can match at any position. */
function assertExclusive(items: Regex[]): void {
  if (items.some(matchesEmpty)) throw new PatternError(`${AMBIGUOUS}: a branch of "|" can be empty`)
  const branches = items.map((item) => ({ first: firstSet(item), fixed: fixedSets(item) }))
  for (const [i, a] of branches.entries())
    for (const b of branches.slice(i + 1))
      if (!disjoint(a.first, b.first) && !differAtSomePosition(a.fixed, b.fixed))
        throw new PatternError(`${AMBIGUOUS}: two branches of "|" can start with the same character`)
}

const differAtSomePosition = (a: Charset[] = [], b: Charset[] = []): boolean =>
  a.some((set, i) => {
    const other = b[i]
    return other !== undefined && disjoint(set, other)
  })

/** The characters that a match can start with. */
function firstSet(regex: Regex): Charset {
  switch (regex.kind) {
    case 'set':
      return regex.set
    case 'sequence': {
      const sets: Charset[] = []
      for (const item of regex.items) {
        sets.push(firstSet(item))
        if (!matchesEmpty(item)) break
      }
      return union(...sets)
    }
    case 'choice':
      return union(...regex.items.map(firstSet))
    case 'group':
    case 'repeat':
      return firstSet(regex.item)
    default:
      return []
  }
}

/** The set at each position, if the item matches a fixed number of characters. */
function fixedSets(regex: Regex): Charset[] | undefined {
  if (regex.kind === 'set') return [regex.set]
  if (regex.kind === 'group') return fixedSets(regex.item)
  if (regex.kind !== 'sequence') return undefined
  const parts = regex.items.map(fixedSets)
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined
}

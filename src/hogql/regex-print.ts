/** What a checked regular expression becomes, and whether both engines would cut the same piece out of a text. */
import { ANY, type Charset, disjoint, union } from './charset.ts'
import { type Pattern, PatternError, type Regex } from './regex.ts'

/** The text itself, if the pattern is nothing but text. */
export function literalOf({ root }: Pattern): string | undefined {
  const items = root.kind === 'sequence' ? root.items : [root]
  let text = ''
  for (const item of items) {
    if (item.kind !== 'set' || item.set.length !== 1 || item.set[0]![0] !== item.set[0]![1]) return undefined
    text += String.fromCodePoint(item.set[0]![0])
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

/** A pattern that is the text itself. */
export const postgresLiteral = (text: string): string => [...text].map((c) => forPostgres(c.codePointAt(0)!)).join('')

/** Advanced regular expressions of PostgreSQL, in its default mode: `.` takes newlines, ^ and $ are the text's ends. */
export const toPostgres = (pattern: Pattern, groups = false): string =>
  print(pattern.root, groups, forPostgres, '.', {
    start: '^',
    end: '$',
    boundary: `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`,
    inside: `(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`,
  })

export const toRe2 = (pattern: Pattern, groups = false): string =>
  print(pattern.root, groups, forRe2, '(?s:.)', { start: '\\A', end: '\\z', boundary: '\\b', inside: '\\B' })

type Edge = 'start' | 'end' | 'boundary' | 'inside'

function print(
  regex: Regex,
  groups: boolean,
  point: (point: number) => string,
  any: string,
  edges: Record<Edge, string>,
): string {
  const inner = (item: Regex): string => print(item, groups, point, any, edges)
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
      return edges[regex.kind]
  }
}

function charset(set: Charset, point: (point: number) => string, any: string): string {
  if (set.length === 1 && set[0]![0] <= 1 && set[0]![1] === ANY[0]![1]) return any
  const [low, high] = set[0]!
  if (set.length === 1 && low === high) return point(low)
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

/** What may follow a part of a pattern. */
interface Rest {
  first: Charset
  /** Starting later never ends earlier. It holds for sequences of single characters, each repeated greedily. */
  monotone: boolean
}

/**
 * Of several ways to match, RE2 takes the first by preference and PostgreSQL the longest. Patterns for which the two
 * cannot differ: at each choice either the next character decides, or the more eager way cannot end earlier.
 * Throws for any other.
 */
export function assertUnambiguous({ root }: Pattern): void {
  rest(root, { first: [], monotone: true })
}

const DIFFERENT = 'the engines could cut out different pieces with this regular expression'

function rest(regex: Regex, after: Rest, repeated = false): Rest {
  switch (regex.kind) {
    case 'set':
      return { first: regex.set, monotone: after.monotone }
    case 'sequence':
      return regex.items.reduceRight((following, item) => rest(item, following, repeated), after)
    case 'group':
      if (repeated) throw new PatternError(`${DIFFERENT}: a group that captures is repeated`)
      return rest(regex.item, after)
    case 'choice': {
      assertExclusive(regex.items)
      const branches = regex.items.map((item) => rest(item, after, repeated))
      return { first: union(...branches.map(({ first }) => first)), monotone: false }
    }
    case 'repeat':
      return restOfRepeat(regex, after, repeated)
    default:
      return after
  }
}

function restOfRepeat(regex: Regex & { kind: 'repeat' }, after: Rest, repeated: boolean): Rest {
  const { item, min, max, lazy } = regex
  if (lazy) throw new PatternError(`${DIFFERENT}: it has a lazy quantifier. A class such as [^&]* does as well`)
  if (max === 0) return after
  if (item.kind === 'set') {
    if (min !== max && !after.monotone && !disjoint(item.set, after.first))
      throw new PatternError(`${DIFFERENT}: where a repetition ends is not clear from the next character`)
    return { first: min === 0 ? union(item.set, after.first) : item.set, monotone: after.monotone }
  }
  if (matchesEmpty(item)) throw new PatternError(`${DIFFERENT}: something that may be empty is repeated`)
  const first = safeFirst(item)
  if (max > 1) rest(item, { first: union(first, after.first), monotone: false }, true)
  else rest(item, after, repeated)
  if (min !== max && !(max === 1 && after.monotone) && !disjoint(first, after.first))
    throw new PatternError(`${DIFFERENT}: where a repetition ends is not clear from the next character`)
  return { first: min === 0 ? union(first, after.first) : first, monotone: false }
}

/** At most one branch can match at any place. */
function assertExclusive(items: Regex[]): void {
  if (items.some(matchesEmpty)) throw new PatternError(`${DIFFERENT}: a branch of "|" may be empty`)
  const firsts = items.map((item) => safeFirst(item))
  const fixed = items.map(fixedSets)
  for (let a = 0; a < items.length; a++)
    for (let b = a + 1; b < items.length; b++) {
      const [x, y] = [fixed[a], fixed[b]]
      const apart = x && y && x.some((set, i) => i < y.length && disjoint(set, y[i]!))
      if (!apart && !disjoint(firsts[a]!, firsts[b]!))
        throw new PatternError(`${DIFFERENT}: two branches of "|" may begin alike`)
    }
}

function safeFirst(regex: Regex): Charset {
  switch (regex.kind) {
    case 'set':
      return regex.set
    case 'sequence': {
      const found: Charset[] = []
      for (const item of regex.items) {
        found.push(safeFirst(item))
        if (!matchesEmpty(item)) break
      }
      return union(...found)
    }
    case 'choice':
      return union(...regex.items.map(safeFirst))
    case 'group':
    case 'repeat':
      return safeFirst(regex.item)
    default:
      return []
  }
}

function fixedSets(regex: Regex): Charset[] | undefined {
  if (regex.kind === 'set') return [regex.set]
  if (regex.kind === 'group') return fixedSets(regex.item)
  if (regex.kind !== 'sequence') return undefined
  const parts = regex.items.map(fixedSets)
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined
}

/**
 * The subset of RE2 regular expressions that both engines match alike. A pattern is parsed into sets of code points and
 * printed again for each engine, so an engine never sees the user's text.
 *
 * Supported: literals, `.` (including newlines), classes (`[a-z]`, `[^…]`, `[[:alpha:]]`, \d \w \s and their negations,
 * ASCII as in RE2), escapes (\n \t \r \f \v \a \xHH \x{H…} and punctuation), groups (capturing, named, `(?:…)`), `|`, the
 * quantifiers * + ? {n} {n,} {n,m} up to 255, greedy or lazy, ^ $ \A \z \b \B, and the flags i and s.
 */
import {
  ANY,
  anyCase,
  type Charset,
  codePoint,
  complement,
  ESCAPED,
  LAST,
  NAMED,
  onlyPoint,
  singleton,
  union,
} from './charset.ts'
import { MAX_DEPTH, MAX_PATTERN_LENGTH, MAX_PATTERN_SIZE, MAX_REPEAT } from './limits.ts'

export type Regex =
  | { kind: 'set'; set: Charset }
  | { kind: 'sequence' | 'choice'; items: Regex[] }
  | { kind: 'repeat'; item: Regex; min: number; max: number; lazy: boolean }
  | { kind: 'group'; item: Regex; index: number }
  | { kind: Assertion }

/** `inside` is \B, the opposite of `boundary`. */
export type Assertion = 'start' | 'end' | 'boundary' | 'inside'

export interface Pattern {
  root: Regex
  groups: number
}

/** The caller adds the position of the pattern to the message. */
export class PatternError extends Error {}

const CONTROL_ESCAPES: Record<string, number> = { n: 10, t: 9, r: 13, f: 12, v: 11, a: 7 }
const ASSERTION_ESCAPES: Record<string, Assertion> = { A: 'start', z: 'end', b: 'boundary', B: 'inside' }

interface Parser {
  readonly chars: readonly string[]
  /** The index of the next character. */
  at: number
  groups: number
  depth: number
  /** Whether letters match in any case here. */
  insensitive: boolean
}

export function parsePattern(text: string): Pattern {
  if (text.length > MAX_PATTERN_LENGTH) throw new PatternError(`it is longer than ${MAX_PATTERN_LENGTH} characters`)
  const p: Parser = { chars: [...text], at: 0, groups: 0, depth: 0, insensitive: false }
  const root = choice(p)
  if (p.at < p.chars.length) throw new PatternError('unmatched ")"')
  if (size(root) > MAX_PATTERN_SIZE) throw new PatternError('it is too large after expanding its repetitions')
  return { root, groups: p.groups }
}

function choice(p: Parser): Regex {
  if (++p.depth > MAX_DEPTH) throw new PatternError(`it is nested deeper than ${MAX_DEPTH} levels`)
  const outer = p.insensitive
  const first = sequence(p)
  const items = [first]
  while (p.chars[p.at] === '|') {
    p.at++
    items.push(sequence(p))
  }
  p.insensitive = outer
  p.depth--
  if (items.length === 1) return first
  if (items.every((item) => item.kind === 'set')) return { kind: 'set', set: union(...items.map((item) => item.set)) }
  return { kind: 'choice', items }
}

function sequence(p: Parser): Regex {
  const items: Regex[] = []
  while (p.at < p.chars.length && p.chars[p.at] !== '|' && p.chars[p.at] !== ')') {
    const item = atom(p)
    if (item) items.push(quantified(p, item))
  }
  const [first] = items
  return first && items.length === 1 ? first : { kind: 'sequence', items }
}

function quantified(p: Parser, item: Regex): Regex {
  const sign = p.chars[p.at]
  let min: number
  let max: number
  if (sign === '*' || sign === '+' || sign === '?') {
    p.at++
    min = sign === '+' ? 1 : 0
    max = sign === '?' ? 1 : Number.POSITIVE_INFINITY
  } else {
    const counted = sign === '{' ? /^\{(\d{1,5})(,(\d{1,5})?)?\}/.exec(p.chars.slice(p.at, p.at + 14).join('')) : null
    if (!counted) return item
    p.at += counted[0].length
    min = Number(counted[1])
    max = counted[2] === undefined ? min : counted[3] === undefined ? Number.POSITIVE_INFINITY : Number(counted[3])
    if (min > MAX_REPEAT || (max !== Number.POSITIVE_INFINITY && max > MAX_REPEAT))
      throw new PatternError(`a repetition count is greater than ${MAX_REPEAT}`)
    if (max < min) throw new PatternError(`the repetition {${min},${max}} is out of order`)
  }
  // PostgreSQL unrolls repeated assertions, at unbounded cost.
  if (isAssertion(item) || (max !== 1 && hasAssertion(item)))
    throw new PatternError('^, $, \\A, \\z, \\b and \\B cannot be repeated')
  const lazy = p.chars[p.at] === '?'
  if (lazy) p.at++
  if (p.chars[p.at] === '*' || p.chars[p.at] === '+' || p.chars[p.at] === '?')
    throw new PatternError(`unexpected "${p.chars[p.at]}" after a quantifier`)
  return { kind: 'repeat', item, min, max, lazy }
}

function atom(p: Parser): Regex | undefined {
  const c = p.chars[p.at++]
  switch (c) {
    case undefined:
      return undefined
    case '.':
      return { kind: 'set', set: ANY }
    case '^':
      return { kind: 'start' }
    case '$':
      return { kind: 'end' }
    case '(':
      return group(p)
    case '[':
      return setOf(p, characterClass(p))
    case '\\':
      return afterBackslash(p)
    case '*':
    case '+':
    case '?':
      throw new PatternError(`nothing to repeat before "${c}"`)
    default:
      return setOf(p, singleton(c))
  }
}

function setOf(p: Parser, set: Charset): Regex {
  if (!set.length) throw new PatternError('empty character class')
  return { kind: 'set', set: p.insensitive ? anyCase(set) : set }
}

function group(p: Parser): Regex | undefined {
  let index = 0
  const outer = p.insensitive
  if (p.chars[p.at] === '?') {
    const rest = p.chars.slice(p.at, p.at + 80).join('')
    const named = /^\?P?<([A-Za-z_]\w*)>/.exec(rest)
    const flags = /^\?([a-zA-Z]*)(-[a-zA-Z]*)?([:)])/.exec(rest)
    if (named) {
      p.at += named[0].length
      index = ++p.groups
    } else if (flags) {
      p.at += flags[0].length
      setFlags(p, flags[1] ?? '', flags[2] ?? '')
      if (flags[3] === ')') return undefined
    } else if (/^\?(<?[=!])/.test(rest)) throw new PatternError('lookaround is not supported')
    else throw new PatternError(`"(${rest.slice(0, 3)}" is not supported`)
  } else index = ++p.groups
  const item = choice(p)
  p.insensitive = outer
  if (p.chars[p.at++] !== ')') throw new PatternError('unclosed "("')
  return index ? { kind: 'group', item, index } : item
}

function setFlags(p: Parser, on: string, off: string): void {
  for (const flag of on + off.slice(1))
    if (!'is'.includes(flag) || (flag === 's' && off.includes('s')))
      throw new PatternError(`the flag "${flag}" is not supported, only i is`)
  if (on.includes('i')) p.insensitive = true
  if (off.includes('i')) p.insensitive = false
}

function afterBackslash(p: Parser): Regex {
  const c = p.chars[p.at] ?? ''
  const assertion = ASSERTION_ESCAPES[c]
  if (assertion) {
    p.at++
    return { kind: assertion }
  }
  if (/[1-9]/.test(c)) throw new PatternError('backreferences are not supported')
  return setOf(p, escaped(p))
}

/** The rest of an escape, inside or outside of a class. */
function escaped(p: Parser): Charset {
  const c = p.chars[p.at++]
  if (c === undefined) throw new PatternError('trailing backslash')
  const known = ESCAPED[c]
  if (known) return known
  let point = CONTROL_ESCAPES[c]
  if (c === 'x') {
    const hex = /^(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]{1,6})\})/.exec(p.chars.slice(p.at, p.at + 8).join(''))
    if (!hex) throw new PatternError('"\\x" needs two hexadecimal digits, or digits in braces')
    p.at += hex[0].length
    point = Number.parseInt(hex[1] ?? hex[2] ?? '', 16)
    if (point === 0 || point > LAST || (point >= 0xd800 && point <= 0xdfff))
      throw new PatternError(`"\\${c}${hex[0]}" is not a valid character`)
  }
  if (point === undefined && /[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/.test(c)) point = codePoint(c)
  if (point === undefined) throw new PatternError(`"\\${c}" is not supported`)
  return [[point, point]]
}

function characterClass(p: Parser): Charset {
  const negated = p.chars[p.at] === '^'
  if (negated) p.at++
  const parts: Charset[] = []
  for (let first = true; first || p.chars[p.at] !== ']'; first = false) {
    const [named, caret, name] =
      (p.chars[p.at] === '[' && /^\[:(\^?)([a-z]+):\]/.exec(p.chars.slice(p.at, p.at + 12).join(''))) || []
    if (named !== undefined && name !== undefined) {
      const set = NAMED[name]
      if (!set) throw new PatternError(`"[:${name}:]" is not supported`)
      p.at += named.length
      parts.push(caret ? complement(set) : set)
      continue
    }
    const low = member(p)
    if (p.chars[p.at] === '-' && p.chars[p.at + 1] !== ']' && p.chars[p.at + 1] !== undefined) {
      p.at++
      const [from, to] = [onlyPoint(low), onlyPoint(member(p))]
      if (from === undefined || to === undefined || from > to)
        throw new PatternError('a range in a character class is out of order')
      parts.push([[from, to]])
    } else parts.push(low)
  }
  p.at++
  const set = p.insensitive ? anyCase(union(...parts)) : union(...parts)
  return negated ? complement(set) : set
}

function member(p: Parser): Charset {
  const c = p.chars[p.at++]
  if (c === undefined) throw new PatternError('unclosed "["')
  if (c === '\\') return escaped(p)
  return singleton(c)
}
const isAssertion = ({ kind }: Regex): boolean => ['start', 'end', 'boundary', 'inside'].includes(kind)

const hasAssertion = (regex: Regex): boolean => {
  switch (regex.kind) {
    case 'set':
      return false
    case 'sequence':
    case 'choice':
      return regex.items.some(hasAssertion)
    case 'group':
    case 'repeat':
      return hasAssertion(regex.item)
    default:
      return true
  }
}

/** The size after expanding counted repetitions, as both engines do. */
function size(regex: Regex): number {
  switch (regex.kind) {
    case 'sequence':
    case 'choice':
      return regex.items.reduce((sum, item) => sum + size(item), 1)
    case 'group':
      return size(regex.item) + 1
    case 'repeat':
      return size(regex.item) * Math.max(1, regex.max === Number.POSITIVE_INFINITY ? regex.min : regex.max) + 1
    default:
      return 1
  }
}

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

export function parsePattern(text: string): Pattern {
  if (text.length > MAX_PATTERN_LENGTH) throw new PatternError(`it is longer than ${MAX_PATTERN_LENGTH} characters`)
  const chars = [...text]
  let i = 0
  let groups = 0
  let depth = 0
  let insensitive = false

  const root = choice()
  if (i < chars.length) throw new PatternError('unmatched ")"')
  if (size(root) > MAX_PATTERN_SIZE) throw new PatternError('it is too large after expanding its repetitions')
  return { root, groups }

  function choice(): Regex {
    if (++depth > MAX_DEPTH) throw new PatternError(`it is nested deeper than ${MAX_DEPTH} levels`)
    const outer = insensitive
    const first = sequence()
    const items = [first]
    while (chars[i] === '|') {
      i++
      items.push(sequence())
    }
    insensitive = outer
    depth--
    if (items.length === 1) return first
    if (items.every((item) => item.kind === 'set')) return { kind: 'set', set: union(...items.map((item) => item.set)) }
    return { kind: 'choice', items }
  }

  function sequence(): Regex {
    const items: Regex[] = []
    while (i < chars.length && chars[i] !== '|' && chars[i] !== ')') {
      const item = atom()
      if (item) items.push(quantified(item))
    }
    const [first] = items
    return first && items.length === 1 ? first : { kind: 'sequence', items }
  }

  function quantified(item: Regex): Regex {
    const sign = chars[i]
    let min: number
    let max: number
    if (sign === '*' || sign === '+' || sign === '?') {
      i++
      min = sign === '+' ? 1 : 0
      max = sign === '?' ? 1 : Number.POSITIVE_INFINITY
    } else {
      const counted = sign === '{' ? /^\{(\d{1,5})(,(\d{1,5})?)?\}/.exec(chars.slice(i, i + 14).join('')) : null
      if (!counted) return item
      i += counted[0].length
      min = Number(counted[1])
      max = counted[2] === undefined ? min : counted[3] === undefined ? Number.POSITIVE_INFINITY : Number(counted[3])
      if (min > MAX_REPEAT || (max !== Number.POSITIVE_INFINITY && max > MAX_REPEAT))
        throw new PatternError(`a repetition count is greater than ${MAX_REPEAT}`)
      if (max < min) throw new PatternError(`the repetition {${min},${max}} is out of order`)
    }
    // PostgreSQL unrolls repeated assertions, at unbounded cost.
    if (isAssertion(item) || (max !== 1 && hasAssertion(item)))
      throw new PatternError('^, $, \\A, \\z, \\b and \\B cannot be repeated')
    const lazy = chars[i] === '?'
    if (lazy) i++
    if (chars[i] === '*' || chars[i] === '+' || chars[i] === '?')
      throw new PatternError(`unexpected "${chars[i]}" after a quantifier`)
    return { kind: 'repeat', item, min, max, lazy }
  }

  function atom(): Regex | undefined {
    const c = chars[i++]
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
        return group()
      case '[':
        return setOf(characterClass())
      case '\\':
        return afterBackslash()
      case '*':
      case '+':
      case '?':
        throw new PatternError(`nothing to repeat before "${c}"`)
      default:
        return setOf(singleton(c))
    }
  }

  function setOf(set: Charset): Regex {
    if (!set.length) throw new PatternError('empty character class')
    return { kind: 'set', set: insensitive ? anyCase(set) : set }
  }

  function group(): Regex | undefined {
    let index = 0
    const outer = insensitive
    if (chars[i] === '?') {
      const rest = chars.slice(i, i + 80).join('')
      const named = /^\?P?<([A-Za-z_]\w*)>/.exec(rest)
      const flags = /^\?([a-zA-Z]*)(-[a-zA-Z]*)?([:)])/.exec(rest)
      if (named) {
        i += named[0].length
        index = ++groups
      } else if (flags) {
        i += flags[0].length
        setFlags(flags[1] ?? '', flags[2] ?? '')
        if (flags[3] === ')') return undefined
      } else if (/^\?(<?[=!])/.test(rest)) throw new PatternError('lookaround is not supported')
      else throw new PatternError(`"(${rest.slice(0, 3)}" is not supported`)
    } else index = ++groups
    const item = choice()
    insensitive = outer
    if (chars[i++] !== ')') throw new PatternError('unclosed "("')
    return index ? { kind: 'group', item, index } : item
  }

  function setFlags(on: string, off: string): void {
    for (const flag of on + off.slice(1))
      if (!'is'.includes(flag) || (flag === 's' && off.includes('s')))
        throw new PatternError(`the flag "${flag}" is not supported, only i is`)
    if (on.includes('i')) insensitive = true
    if (off.includes('i')) insensitive = false
  }

  function afterBackslash(): Regex {
    const c = chars[i] ?? ''
    const assertion = ASSERTION_ESCAPES[c]
    if (assertion) {
      i++
      return { kind: assertion }
    }
    if (/[1-9]/.test(c)) throw new PatternError('backreferences are not supported')
    return setOf(escaped())
  }

  /** The rest of an escape, inside or outside of a class. */
  function escaped(): Charset {
    const c = chars[i++]
    if (c === undefined) throw new PatternError('trailing backslash')
    const known = ESCAPED[c]
    if (known) return known
    let point = CONTROL_ESCAPES[c]
    if (c === 'x') {
      const hex = /^(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]{1,6})\})/.exec(chars.slice(i, i + 8).join(''))
      if (!hex) throw new PatternError('"\\x" needs two hexadecimal digits, or digits in braces')
      i += hex[0].length
      point = Number.parseInt(hex[1] ?? hex[2] ?? '', 16)
      if (point === 0 || point > LAST || (point >= 0xd800 && point <= 0xdfff))
        throw new PatternError(`"\\${c}${hex[0]}" is not a valid character`)
    }
    if (point === undefined && /[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/.test(c)) point = codePoint(c)
    if (point === undefined) throw new PatternError(`"\\${c}" is not supported`)
    return [[point, point]]
  }

  function characterClass(): Charset {
    const negated = chars[i] === '^'
    if (negated) i++
    const parts: Charset[] = []
    for (let first = true; first || chars[i] !== ']'; first = false) {
      const [named, caret, name] =
        (chars[i] === '[' && /^\[:(\^?)([a-z]+):\]/.exec(chars.slice(i, i + 12).join(''))) || []
      if (named !== undefined && name !== undefined) {
        const set = NAMED[name]
        if (!set) throw new PatternError(`"[:${name}:]" is not supported`)
        i += named.length
        parts.push(caret ? complement(set) : set)
        continue
      }
      const low = member()
      if (chars[i] === '-' && chars[i + 1] !== ']' && chars[i + 1] !== undefined) {
        i++
        const [from, to] = [onlyPoint(low), onlyPoint(member())]
        if (from === undefined || to === undefined || from > to)
          throw new PatternError('a range in a character class is out of order')
        parts.push([[from, to]])
      } else parts.push(low)
    }
    i++
    const set = insensitive ? anyCase(union(...parts)) : union(...parts)
    return negated ? complement(set) : set
  }

  function member(): Charset {
    const c = chars[i++]
    if (c === undefined) throw new PatternError('unclosed "["')
    if (c === '\\') return escaped()
    return singleton(c)
  }
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

/**
 * Regular expressions: the subset of RE2 that means the same on both engines. A pattern is parsed here into sets of
 * code points and printed again for each engine, so neither sees what the user wrote.
 *
 * In it: literals, `.` (also a newline), classes (`[a-z]`, `[^…]`, `[[:alpha:]]`, \d \w \s and their opposites, ASCII as
 * in RE2), escapes (\n \t \r \f \v \a \xHH \x{H…} and punctuation), groups (capturing, named, `(?:…)`), `|`, the
 * quantifiers * + ? {n} {n,} {n,m} up to 255, greedy or lazy, ^ $ \A \z \b \B, and the flags i and s.
 */
import { ANY, anyCase, type Charset, complement, ESCAPED, NAMED, union } from './charset.ts'
import { MAX_DEPTH, MAX_PATTERN_LENGTH, MAX_PATTERN_SIZE, MAX_REPEAT } from './limits.ts'

export type Regex =
  | { kind: 'set'; set: Charset }
  | { kind: 'sequence' | 'choice'; items: Regex[] }
  | { kind: 'repeat'; item: Regex; min: number; max: number; lazy: boolean }
  | { kind: 'group'; item: Regex; index: number }
  | { kind: 'start' | 'end' | 'boundary' | 'inside' }

export interface Pattern {
  root: Regex
  groups: number
}

/** Its message names what cannot be had; the caller knows where the pattern stood. */
export class PatternError extends Error {}

const LETTERS: Record<string, number> = { n: 10, t: 9, r: 13, f: 12, v: 11, a: 7 }

export function parsePattern(text: string): Pattern {
  if (text.length > MAX_PATTERN_LENGTH)
    throw new PatternError(`the regular expression is longer than ${MAX_PATTERN_LENGTH} characters`)
  const chars = [...text]
  let i = 0
  let groups = 0
  let depth = 0
  let insensitive = false

  const root = choice()
  if (i < chars.length) throw new PatternError('the regular expression has a ")" too many')
  if (size(root) > MAX_PATTERN_SIZE)
    throw new PatternError('the regular expression is too large once its repetitions are written out')
  return { root, groups }

  function choice(): Regex {
    if (++depth > MAX_DEPTH) throw new PatternError(`the regular expression is nested deeper than ${MAX_DEPTH} levels`)
    const outer = insensitive
    const items = [sequence()]
    while (chars[i] === '|') {
      i++
      items.push(sequence())
    }
    insensitive = outer
    depth--
    if (items.length === 1) return items[0]!
    if (items.every((item) => item.kind === 'set'))
      return { kind: 'set', set: union(...items.map((item) => (item as { set: Charset }).set)) }
    return { kind: 'choice', items }
  }

  function sequence(): Regex {
    const items: Regex[] = []
    while (i < chars.length && chars[i] !== '|' && chars[i] !== ')') {
      const item = atom()
      if (item) items.push(quantified(item))
    }
    return items.length === 1 ? items[0]! : { kind: 'sequence', items }
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
        throw new PatternError(`the regular expression repeats more than ${MAX_REPEAT} times`)
      if (max < min) throw new PatternError(`the regular expression repeats from ${min} to ${max} times`)
    }
    // PostgreSQL unrolls loops over such places, at a cost that has no bound.
    if (max !== 1 && hasPlace(item)) throw new PatternError('the regular expression repeats ^, $, \\b or the like')
    if (['start', 'end', 'boundary', 'inside'].includes(item.kind))
      throw new PatternError('the regular expression repeats something that has no width')
    const lazy = chars[i] === '?'
    if (lazy) i++
    if (chars[i] === '*' || chars[i] === '+' || chars[i] === '?')
      throw new PatternError(`the regular expression has a "${chars[i]}" after another quantifier`)
    return { kind: 'repeat', item, min, max, lazy }
  }

  function atom(): Regex | undefined {
    const c = chars[i++]!
    switch (c) {
      case '.':
        return { kind: 'set', set: ANY }
      case '^':
        return { kind: 'start' }
      case '$':
        return { kind: 'end' }
      case '(':
        return group()
      case '[':
        return setOf(classOf())
      case '\\':
        return afterBackslash()
      case '*':
      case '+':
      case '?':
        throw new PatternError(`the regular expression has a "${c}" with nothing before it`)
      default:
        return setOf([[c.codePointAt(0)!, c.codePointAt(0)!]])
    }
  }

  function setOf(set: Charset): Regex {
    if (!set.length) throw new PatternError('the regular expression has a class that no character is in')
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
        setFlags(flags[1]!, flags[2] ?? '')
        if (flags[3] === ')') return undefined
      } else if (/^\?(<?[=!])/.test(rest)) throw new PatternError('look-around is not available in regular expressions')
      else throw new PatternError(`"(${rest.slice(0, 3)}" is not available in regular expressions`)
    } else index = ++groups
    const item = choice()
    insensitive = outer
    if (chars[i++] !== ')') throw new PatternError('the regular expression has a "(" without its ")"')
    return index ? { kind: 'group', item, index } : item
  }

  function setFlags(on: string, off: string): void {
    for (const flag of on + off.slice(1))
      if (!'is'.includes(flag) || (flag === 's' && off.includes('s')))
        throw new PatternError(`the flag "${flag}" is not available in regular expressions: only i is`)
    if (on.includes('i')) insensitive = true
    if (off.includes('i')) insensitive = false
  }

  function afterBackslash(): Regex {
    const c = chars[i]
    if (c === undefined) throw new PatternError('the regular expression ends with a backslash')
    if (c === 'A' || c === 'z' || c === 'b' || c === 'B') {
      i++
      return { kind: ({ A: 'start', z: 'end', b: 'boundary', B: 'inside' } as const)[c] }
    }
    if (/[1-9]/.test(c)) throw new PatternError('back-references are not available in regular expressions')
    return setOf(escaped())
  }

  /** After a backslash, in and outside of classes. */
  function escaped(): Charset {
    const c = chars[i++]
    if (c === undefined) throw new PatternError('the regular expression ends with a backslash')
    const known = ESCAPED[c]
    if (known) return known
    let point = LETTERS[c]
    if (c === 'x') {
      const hex = /^(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]{1,6})\})/.exec(chars.slice(i, i + 8).join(''))
      if (!hex)
        throw new PatternError('"\\x" in the regular expression needs two hexadecimal digits, or some in braces')
      i += hex[0].length
      point = Number.parseInt(hex[1] ?? hex[2]!, 16)
      if (point === 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
        throw new PatternError('the regular expression names a character that does not exist')
    }
    if (point === undefined && /[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/.test(c)) point = c.codePointAt(0)!
    if (point === undefined) throw new PatternError(`"\\${c}" is not available in regular expressions`)
    return [[point, point]]
  }

  function classOf(): Charset {
    const negated = chars[i] === '^'
    if (negated) i++
    const parts: Charset[] = []
    for (let first = true; first || chars[i] !== ']'; first = false) {
      const c = chars[i]
      if (c === undefined) throw new PatternError('the regular expression has a "[" without its "]"')
      const named = c === '[' ? /^\[:(\^?)([a-z]+):\]/.exec(chars.slice(i, i + 12).join('')) : null
      if (named) {
        const set = NAMED[named[2]!]
        if (!set) throw new PatternError(`"[:${named[2]}:]" is not available in regular expressions`)
        i += named[0].length
        parts.push(named[1] ? complement(set) : set)
        continue
      }
      const low = member()
      if (chars[i] === '-' && chars[i + 1] !== ']' && chars[i + 1] !== undefined) {
        i++
        const high = member()
        const from = low.length === 1 && low[0]![0] === low[0]![1] ? low[0]![0] : undefined
        const to = high.length === 1 && high[0]![0] === high[0]![1] ? high[0]![0] : undefined
        if (from === undefined || to === undefined || from > to)
          throw new PatternError('the regular expression has a range whose ends are not in order')
        parts.push([[from, to]])
      } else parts.push(low)
    }
    i++
    const set = insensitive ? anyCase(union(...parts)) : union(...parts)
    return negated ? complement(set) : set
  }

  function member(): Charset {
    const c = chars[i++]
    if (c === undefined) throw new PatternError('the regular expression has a "[" without its "]"')
    if (c === '\\') return escaped()
    return [[c.codePointAt(0)!, c.codePointAt(0)!]]
  }
}

const hasPlace = (regex: Regex): boolean => {
  switch (regex.kind) {
    case 'set':
      return false
    case 'sequence':
    case 'choice':
      return regex.items.some(hasPlace)
    case 'group':
    case 'repeat':
      return hasPlace(regex.item)
    default:
      return true
  }
}

/** How much it is once counted repetitions are copied out, as both engines do. */
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

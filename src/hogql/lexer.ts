import { HogqlError, shown } from './error.ts'
import { MAX_TEXT_LENGTH, MAX_TOKENS } from './limits.ts'

export interface Token {
  /** `name` is a bare word and may be a keyword; `quoted` is a name in backquotes or double quotes and never is. */
  kind: 'name' | 'quoted' | 'string' | 'number' | 'symbol' | 'end'
  text: string
  value: number
  float: boolean
  /** Of its first character, from 1. */
  at: number
  /** Of its last character. */
  end: number
}

/** Longest first. */
const SYMBOLS = [
  '=~*',
  '!~*',
  '?.',
  '??',
  '->',
  '==',
  '!=',
  '<>',
  '<=',
  '>=',
  '=~',
  '!~',
  '~*',
  '||',
  '::',
  ...'=<>~+-*/%(){}[],.?:;',
]
const ESCAPES: Record<string, string> = { b: '\b', f: '\f', r: '\r', n: '\n', t: '\t', a: '\x07', v: '\v' }

const SPACE = /\s+|--[^\n]*|\/\/[^\n]*/y
const WORD = /[A-Za-z_$][A-Za-z0-9_$]*/y
const DIGITS = /\d+/y
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y

export function tokens(source: string): Token[] {
  if (source.length > MAX_TEXT_LENGTH)
    throw new HogqlError(
      `The text is longer than ${MAX_TEXT_LENGTH} characters (it has ${source.length}).`,
      MAX_TEXT_LENGTH + 1,
    )
  const text = source.toWellFormed()
  const found: Token[] = []
  let i = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = i
    const match = pattern.exec(text)?.[0]
    if (match !== undefined) i += match.length
    return match
  }
  const push = (kind: Token['kind'], at: number, word: string, value = 0, float = false): void => {
    if (found.length >= MAX_TOKENS)
      throw new HogqlError(`The text has more than ${MAX_TOKENS} words and signs at position ${at + 1}.`, at + 1)
    found.push({ kind, text: word, value, float, at: at + 1, end: i })
  }

  for (;;) {
    for (let end = endOfSpace(text, i); end > i; end = endOfSpace(text, i)) i = end
    const at = i
    if (at >= text.length) {
      push('end', at, '')
      return found
    }
    const sign = text[at]!
    if (sign === "'" || sign === '"' || sign === '`') {
      push(sign === "'" ? 'string' : 'quoted', at, quoted(sign))
      continue
    }
    const number = isMember(sign) ? undefined : afterDot() && /\d/.test(sign) ? take(DIGITS) : take(NUMBER)
    if (number !== undefined) {
      if (/[A-Za-z_$]/.test(text[i] ?? ''))
        throw new HogqlError(`A name cannot begin with a digit at position ${at + 1}.`, at + 1)
      push('number', at, number, numberIn(number, at), /[.eE]/.test(number) && !/^0[xX]/.test(number))
      continue
    }
    const word = take(WORD)
    if (word !== undefined) {
      push('name', at, word)
      continue
    }
    if (text.startsWith('/*', at)) throw new HogqlError(`The comment at position ${at + 1} has no end.`, at + 1)
    const symbol = SYMBOLS.find((candidate) => text.startsWith(candidate, at))
    if (symbol === undefined)
      throw new HogqlError(
        `Unexpected ${shown(String.fromCodePoint(text.codePointAt(at)!))} at position ${at + 1}.`,
        at + 1,
      )
    i += symbol.length
    push('symbol', at, symbol)
  }

  /** After a dot a number is an index: `list.1.2` is two of them. */
  function afterDot(): boolean {
    const last = found.at(-1)
    return last?.kind === 'symbol' && (last.text === '.' || last.text === '?.')
  }

  /** A dot after something that has members is no decimal point. */
  function isMember(sign: string): boolean {
    const last = found.at(-1)
    if (sign !== '.' || !last) return false
    return last.kind === 'symbol' ? last.text === ')' || last.text === ']' : true
  }

  function quoted(quote: string): string {
    const start = i++
    let out = ''
    for (;;) {
      const c = text[i]
      if (c === undefined)
        throw new HogqlError(
          `The ${quote === "'" ? 'text' : 'name'} that begins at position ${start + 1} has no closing ${quote}.`,
          start + 1,
        )
      i++
      if (c === quote) {
        if (text[i] !== quote) break
        out += quote
        i++
      } else if (c === '\\') {
        const next = text[i] ?? ''
        i++
        if (next === quote || next === '\\') out += next
        else if (next === '0') out += '\0'
        // Any other backslash stays, so that '\d' in a regular expression means what it says.
        else out += ESCAPES[next] ?? `\\${next}`
      } else out += c
    }
    if (out.includes('\0'))
      throw new HogqlError(
        `The text at position ${start + 1} holds a NUL character, which no event can hold.`,
        start + 1,
      )
    if (quote !== "'" && out.includes('%'))
      throw new HogqlError(`A name cannot hold "%" at position ${start + 1}.`, start + 1)
    return out
  }
}

/** A text without the comment at its end, which names a column: `properties.x -- My label`. */
export function splitLabel(source: string): { text: string; label: string | undefined } {
  const last = tokens(source).at(-2)?.end ?? 0
  let label = ''
  for (let at = last, end = endOfSpace(source, at); end > at; at = end, end = endOfSpace(source, at)) {
    const piece = source.slice(at, end).trim()
    if (piece !== '') label = piece.startsWith('--') ? piece.slice('--'.length).trim() : ''
  }
  return { text: source.slice(0, last).trim(), label: label === '' ? undefined : label }
}

/** Where the white space or the comment at a place ends; the place itself where there is neither. */
function endOfSpace(text: string, at: number): number {
  if (text.startsWith('/*', at)) {
    const end = text.indexOf('*/', at + 2)
    return end < 0 ? at : end + 2
  }
  SPACE.lastIndex = at
  return SPACE.test(text) ? SPACE.lastIndex : at
}

/** Hexadecimal, octal with a leading 0, or decimal. */
function numberIn(word: string, at: number): number {
  const value = /^0[0-7]+$/.test(word) ? Number.parseInt(word, 8) : Number(word)
  if (Math.abs(value) > 1e100)
    throw new HogqlError(`The number at position ${at + 1} is out of range: use at most 1e100.`, at + 1)
  return value !== 0 && Math.abs(value) < 1e-100 ? 0 : value
}

/** Splits a text into tokens. */
import { display, HogqlError } from './error.ts'
import { MAX_TEXT_LENGTH, MAX_TOKENS } from './limits.ts'

export interface Token {
  /** `name` is a bare word and may be a keyword. `quoted` is a name in backquotes or double quotes, never a keyword. */
  kind: 'name' | 'quoted' | 'string' | 'number' | 'symbol' | 'end'
  text: string
  value: number
  float: boolean
  /** Position of the first character, counted from 1. */
  at: number
  /** Position of the last character. */
  end: number
}

/** Longer symbols first. */
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

export function tokenize(source: string): { tokens: Token[]; end: Token } {
  if (source.length > MAX_TEXT_LENGTH)
    throw new HogqlError(
      `The expression has ${source.length} characters. The maximum is ${MAX_TEXT_LENGTH}.`,
      MAX_TEXT_LENGTH + 1,
    )
  const text = source.toWellFormed()
  const tokens: Token[] = []
  let i = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = i
    const match = pattern.exec(text)?.[0]
    if (match !== undefined) i += match.length
    return match
  }
  const push = (kind: Token['kind'], at: number, word: string, value = 0, float = false): Token => {
    if (tokens.length >= MAX_TOKENS) throw new HogqlError(`The expression has more than ${MAX_TOKENS} tokens.`, at + 1)
    const token = { kind, text: word, value, float, at: at + 1, end: i }
    tokens.push(token)
    return token
  }

  for (;;) {
    for (let end = endOfSpace(text, i); end > i; end = endOfSpace(text, i)) i = end
    const at = i
    if (at >= text.length) return { tokens, end: push('end', at, '') }
    const first = text.charAt(at)
    if (first === "'" || first === '"' || first === '`') {
      push(first === "'" ? 'string' : 'quoted', at, quoted(first))
      continue
    }
    const number = isMemberDot(first) ? undefined : afterDot() && /\d/.test(first) ? take(DIGITS) : take(NUMBER)
    if (number !== undefined) {
      if (/[A-Za-z_$]/.test(text[i] ?? '')) throw new HogqlError(`Names cannot start with a digit.`, at + 1)
      push('number', at, number, parseNumber(number, at), /[.eE]/.test(number) && !/^0[xX]/.test(number))
      continue
    }
    const word = take(WORD)
    if (word !== undefined) {
      push('name', at, word)
      continue
    }
    if (text.startsWith('/*', at)) throw new HogqlError(`Unclosed comment.`, at + 1)
    const symbol = SYMBOLS.find((candidate) => text.startsWith(candidate, at))
    if (symbol === undefined)
      throw new HogqlError(`Unexpected ${display([...text.slice(at, at + 2)][0] ?? '')}.`, at + 1)
    i += symbol.length
    push('symbol', at, symbol)
  }

  /** After a dot, digits are an index: `list.1.2` has two indexes and no decimal number. */
  function afterDot(): boolean {
    const last = tokens.at(-1)
    return last?.kind === 'symbol' && (last.text === '.' || last.text === '?.')
  }

  /** A dot after an operand accesses a member. Elsewhere it is a decimal point. */
  function isMemberDot(char: string): boolean {
    const last = tokens.at(-1)
    if (char !== '.' || !last) return false
    return last.kind === 'symbol' ? last.text === ')' || last.text === ']' : true
  }

  function quoted(quote: string): string {
    const start = i++
    let value = ''
    for (;;) {
      const c = text[i]
      if (c === undefined)
        throw new HogqlError(`The ${quote === "'" ? 'string' : 'name'} has no closing ${quote}.`, start + 1)
      i++
      if (c === quote) {
        if (text[i] !== quote) break
        value += quote
        i++
      } else if (c === '\\') {
        const next = text[i] ?? ''
        i++
        if (next === quote || next === '\\') value += next
        else if (next === '0') value += '\0'
        // Unknown escapes keep the backslash, so '\d' works in a regular expression.
        else value += ESCAPES[next] ?? `\\${next}`
      } else value += c
    }
    if (value.includes('\0')) throw new HogqlError(`NUL characters are not supported.`, start + 1)
    if (quote !== "'" && value.includes('%')) throw new HogqlError(`Names cannot contain "%".`, start + 1)
    return value
  }
}

/** Splits off a trailing comment, which names a column: `properties.x -- My label`. Positions in the text stay the same. */
export function splitLabel(source: string): { text: string; label: string | undefined } {
  const last = tokenize(source).tokens.at(-2)?.end ?? 0
  let label = ''
  for (let at = last, end = endOfSpace(source, at); end > at; at = end, end = endOfSpace(source, at)) {
    const piece = source.slice(at, end).trim()
    if (piece !== '') label = piece.startsWith('--') ? piece.slice('--'.length).trim() : ''
  }
  return { text: source.slice(0, last), label: label === '' ? undefined : label }
}

/** The end of the white space or comment at a position, or the position itself if there is neither. */
function endOfSpace(text: string, at: number): number {
  if (text.startsWith('/*', at)) {
    const end = text.indexOf('*/', at + 2)
    return end < 0 ? at : end + 2
  }
  SPACE.lastIndex = at
  return SPACE.test(text) ? SPACE.lastIndex : at
}

/** Parses hexadecimal, octal (with a leading 0) and decimal numbers. */
function parseNumber(word: string, at: number): number {
  const value = /^0[0-7]+$/.test(word) ? Number.parseInt(word, 8) : Number(word)
  if (Math.abs(value) > 1e100) throw new HogqlError(`The number is out of range. The maximum is 1e100.`, at + 1)
  return value !== 0 && Math.abs(value) < 1e-100 ? 0 : value
}

/** A read position in the tokens of one text, for the recursive-descent parser. */
import { type Expr, tooDeep } from './ast.ts'
import { display, HogqlError } from './error.ts'
import { type Token, tokenize } from './lexer.ts'
import { MAX_DEPTH, MAX_TEXT_LENGTH } from './limits.ts'

/** `characters`: the length of the value as text. */
export type PlaceholderValues = Readonly<Record<string, { value: Expr; characters: number }>>

export class Cursor {
  readonly #tokens: readonly Token[]
  readonly #end: Token
  #next = 0
  #nesting = 0
  #inserted = 0

  /** `values`: of placeholders, by name. Undefined where there can be none. */
  constructor(
    text: string,
    readonly values?: PlaceholderValues,
  ) {
    const { tokens, end } = tokenize(text)
    this.#tokens = tokens
    this.#end = end
    if (this.peek().kind === 'end') throw new HogqlError('The expression is empty.', 1)
  }

  peek(ahead = 0): Token {
    return this.#tokens[this.#next + ahead] ?? this.#end
  }

  take(): Token {
    const token = this.peek()
    if (token.kind !== 'end') this.#next++
    return token
  }

  /** Keywords are case-insensitive. A quoted name is never a keyword. */
  isWord(word: string, ahead = 0): boolean {
    const token = this.peek(ahead)
    return token.kind === 'name' && token.text.toUpperCase() === word
  }

  isSymbol(symbol: string, ahead = 0): boolean {
    const token = this.peek(ahead)
    return token.kind === 'symbol' && token.text === symbol
  }

  /** Consumes the words if all of them come next. */
  words(...words: string[]): boolean {
    if (!words.every((word, i) => this.isWord(word, i))) return false
    this.#next += words.length
    return true
  }

  symbol(symbol: string): boolean {
    if (!this.isSymbol(symbol)) return false
    this.#next++
    return true
  }

  expectSymbol(symbol: string): void {
    if (!this.symbol(symbol)) throw this.unexpected(`"${symbol}"`)
  }

  expectWord(word: string): void {
    if (!this.words(word)) throw this.unexpected(word)
  }

  expectEnd(): void {
    if (this.peek().kind !== 'end') throw this.unexpected()
  }

  unexpected(expected?: string): HogqlError {
    const { kind, text, at } = this.peek()
    const subject = kind === 'end' ? 'Unexpected end' : `Unexpected ${display(kind === 'string' ? `'${text}'` : text)}`
    return this.error(`${subject}${expected ? `: expected ${expected}` : ''}.`, at)
  }

  error(message: string, at = this.peek().at): HogqlError {
    return new HogqlError(message, at)
  }

  /** Counts the size of a placeholder's value: the limits of the text do not apply to it. */
  insert(value: Expr, characters: number): Expr {
    this.#inserted += characters
    if (this.#inserted > MAX_TEXT_LENGTH)
      throw this.error(`The values of the placeholders have more than ${MAX_TEXT_LENGTH} characters in all.`)
    return value
  }

  /** Limits recursion into brackets and prefixes, which happens before a node with a depth exists. */
  nested<Result>(parse: () => Result): Result {
    if (++this.#nesting > MAX_DEPTH) throw tooDeep(this.peek().at)
    const result = parse()
    this.#nesting--
    return result
  }
}

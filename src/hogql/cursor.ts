/** A walk over the tokens of one text, and what the grammar's functions ask of it. */
import { tooDeep } from './ast.ts'
import { HogqlError, shown } from './error.ts'
import { type Token, tokens } from './lexer.ts'
import { MAX_DEPTH } from './limits.ts'

export class Cursor {
  readonly #tokens: Token[]
  #next = 0
  #nesting = 0

  constructor(text: string) {
    this.#tokens = tokens(text)
    if (this.peek().kind === 'end') throw new HogqlError('The text is empty: write an expression.', 1)
  }

  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)]!
  }

  take(): Token {
    const token = this.peek()
    if (token.kind !== 'end') this.#next++
    return token
  }

  /** Keywords are recognised in any case, and never in quotes. */
  isWord(word: string, ahead = 0): boolean {
    const token = this.peek(ahead)
    return token.kind === 'name' && token.text.toUpperCase() === word
  }

  isSymbol(symbol: string, ahead = 0): boolean {
    const token = this.peek(ahead)
    return token.kind === 'symbol' && token.text === symbol
  }

  /** Takes the words if they come next, all of them. */
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

  unexpected(wanted?: string): HogqlError {
    const { kind, text, at } = this.peek()
    const what = kind === 'end' ? 'The text ends' : `Unexpected ${shown(kind === 'string' ? `'${text}'` : text)}`
    return this.error(`${what} at position ${at}${wanted ? `: expected ${wanted}` : ''}.`, at)
  }

  error(message: string, at = this.peek().at): HogqlError {
    return new HogqlError(message, at)
  }

  /** Brackets and prefixes recurse before there is a node to count. */
  nested<Result>(work: () => Result): Result {
    if (++this.#nesting > MAX_DEPTH) throw tooDeep(this.peek().at)
    const result = work()
    this.#nesting--
    return result
  }
}

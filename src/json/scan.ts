import { AppError, invalid } from '../errors.ts'

/** Deeper than any resource, and far below the stack limit of recursive functions. */
export const MAX_DEPTH = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const ARRAY = 0x5b
const ARRAY_END = 0x5d
const OBJECT = 0x7b
const OBJECT_END = 0x7d

/** Longer strings are searched natively; for shorter ones the call costs more than the loop. */
const SHORT_STRING = 64
/** The longest key in bytes, with quotes and escapes. */
const MAX_KEY_BYTES = 256
/** The scalars of JSON, and NaN and Infinity, which some clients send. */
const SCALAR = /^(?:true|false|null|NaN|-?Infinity|-?\d[\d.eE+-]*)$/

export const tooDeep = (): AppError => invalid(null, `The body is nested deeper than ${MAX_DEPTH} levels. Flatten it.`)

/**
 * Scans JSON text in linear time without building values. Throws `invalid_input` at the first value that
 * is nested too deep or exceeds the number of values. JSON.parse takes up to 50 bytes and a microsecond for a value of two
 * bytes, so this runs first. It leaves the full grammar to the parser.
 */
export class JsonScanner {
  protected at: number
  private depth = 0
  /** The number of values so far. */
  values = 1

  constructor(
    protected readonly bytes: Buffer,
    protected readonly max_values: number,
    private readonly malformed: (position: number) => AppError,
  ) {
    const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    this.at = hasByteOrderMark ? 3 : 0
  }

  /** Skips one value. */
  skip(): void {
    const mark = this.next()
    if (mark === QUOTE) this.at = this.endOfString(this.at + 1)
    else if (mark === ARRAY || mark === OBJECT) this.skipContainer()
    else this.skipScalar()
  }

  /** Scans an object. `member` must skip the value of each key. Returns the number of keys. */
  protected object(member: (key: string) => void): number {
    return this.container(OBJECT_END, () => {
      const key = this.key()
      if (this.next() !== COLON) this.fail()
      this.at++
      member(key)
    })
  }

  /** The same for an array. */
  protected array(item: () => void): number {
    return this.container(ARRAY_END, item)
  }

  protected isObject(): boolean {
    return this.next() === OBJECT
  }

  protected isArray(): boolean {
    return this.next() === ARRAY
  }

  protected isString(): boolean {
    return this.next() === QUOTE
  }

  /** Nothing may follow the outermost value. */
  protected end(): void {
    if (this.next() !== undefined) this.fail()
  }

  protected fail(): never {
    throw this.malformed(Math.min(this.at, this.bytes.length))
  }

  /** The next byte that is not white space; undefined at the end. */
  private next(): number | undefined {
    for (; ; this.at++) {
      const code = this.bytes[this.at]
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code
    }
  }

  private container(closing: number, each: () => void): number {
    if (++this.depth > MAX_DEPTH) throw tooDeep()
    this.at++
    let count = 0
    if (this.next() !== closing)
      for (;;) {
        count++
        if (++this.values > this.max_values) throw this.tooMany()
        each()
        const mark = this.next()
        if (mark === closing) break
        if (mark !== COMMA) this.fail()
        this.at++
      }
    this.at++
    this.depth--
    return count
  }

  private key(): string {
    if (this.next() !== QUOTE) this.fail()
    const start = this.at
    this.at = this.endOfString(start + 1)
    // No relevant key is this long.
    if (this.at - start > MAX_KEY_BYTES) return ''
    const raw = this.slice(start)
    return raw.includes('\\') ? this.parseString(raw) : raw.slice(1, -1)
  }

  protected parseString(raw: string): string {
    try {
      return JSON.parse(raw)
    } catch {
      return this.fail()
    }
  }

  /** The text from `start` to the current position. */
  protected slice(start: number): string {
    return this.bytes.toString('utf8', start, this.at)
  }

  private skipScalar(): void {
    const start = this.at
    for (; ; this.at++) {
      const code = this.bytes[this.at]
      if (code === undefined || code <= 0x20 || code === COMMA || code === ARRAY_END || code === OBJECT_END) break
    }
    if (SCALAR.test(this.slice(start))) return
    this.at = start
    this.fail()
  }

  /** The hot loop: its state is in local variables. */
  private skipContainer(): void {
    const { bytes, max_values, depth: floor } = this
    let { at, depth, values } = this
    // Whether the innermost container is empty so far.
    let empty = false
    do {
      const byte = bytes[at++]
      if (byte === QUOTE) {
        if (empty) values++
        empty = false
        at = this.endOfString(at)
      } else if (byte === COMMA) {
        if (++values > max_values) throw this.tooMany()
      } else if (byte === OBJECT || byte === ARRAY) {
        if (++depth > MAX_DEPTH) throw tooDeep()
        if (empty) values++
        empty = true
      } else if (byte === OBJECT_END || byte === ARRAY_END) {
        depth--
        empty = false
      } else if (byte === undefined) {
        this.at = at
        this.fail()
      } else if (empty && byte > 0x20) {
        values++
        empty = false
      }
    } while (depth > floor)
    // A container with a single value has no comma, so it was not checked above.
    if (values > max_values) throw this.tooMany()
    this.at = at
    this.values = values
  }

  /** The position after the closing quote of the string that contains `at`. */
  private endOfString(at: number): number {
    const { bytes } = this
    for (;;) {
      for (const far = at + SHORT_STRING; at < far; ) {
        const byte = bytes[at++]
        if (byte === QUOTE) return at
        if (byte === BACKSLASH) at++
      }
      const quote = bytes.indexOf(QUOTE, at)
      if (quote < 0) {
        this.at = bytes.length
        return this.fail()
      }
      let escapes = quote
      while (escapes > at && bytes[escapes - 1] === BACKSLASH) escapes--
      at = quote + 1
      if ((quote - escapes) % 2 === 0) return at
    }
  }

  protected tooMany(): Error {
    return invalid(null, `The body has more than ${this.max_values} values. Split it into several requests.`)
  }
}

/**
 * Throws `invalid_input` for JSON that is nested too deep or has too many values, `parse_error` for incomplete JSON. Returns
 * the number of values.
 */
export function requireBounded(bytes: Buffer, max_values: number): number {
  const scanner = new JsonScanner(bytes, max_values, notJson)
  scanner.skip()
  return scanner.values
}

export const notJson = (): AppError =>
  new AppError({ code: 'parse_error', detail: 'The body is not valid JSON. Check its quotes, commas and brackets.' })

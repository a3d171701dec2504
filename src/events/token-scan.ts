import type { AppError } from '../errors.ts'
import { JsonScanner } from '../json/scan.ts'
import { DecompressedTooLong } from './lz64.ts'

/**
 * A 20 MiB batch of ordinary events has about 800,000. JSON.parse needs up to 190 MB and 2 seconds for a million
 * objects with distinct keys.
 */
export const MAX_VALUES = 1_000_000
/** A token of 64 escaped characters, in quotes. */
const MAX_TOKEN_TEXT = 64 * 6 + 2
/** Scalars that are parsed as null. */
const NULLS = new Set(['null', 'NaN', 'Infinity', '-Infinity'])

export interface Scanned {
  /** Null, `{}` or `[]`. */
  empty: boolean
  /** The number of values of the largest event. */
  largest: number
  /** Values found where a token may be, by priority. Null and undefined do not count. */
  candidates: unknown[]
}

/**
 * Finds the token in linear time without parsing: text is only parsed after its token is accepted. Throws TooLong for more than
 * `max_values`, and invalid_input if these are MAX_VALUES.
 */
export const scanPayload = (bytes: Buffer, max_values: number, malformed: (position: number) => AppError): Scanned =>
  new TokenScanner(bytes, max_values, malformed).payload()

/** An object that may contain a token. As in JSON.parse, the last value of a duplicate key counts. */
interface Source {
  $token?: unknown
  token?: unknown
  api_key?: unknown
  properties?: { token?: unknown }
  batch?: Source
}

const candidatesOf = (source: Source | undefined): unknown[] =>
  source ? [source.$token, source.token, source.api_key, source.properties?.token] : []

class TokenScanner extends JsonScanner {
  private largest = 0

  payload(): Scanned {
    if (this.isArray()) {
      const { first, count } = this.firstObject()
      this.end()
      return { empty: count === 0, largest: this.largest, candidates: candidatesOf(first) }
    }
    if (this.isObject()) {
      const { source, count } = this.source(true)
      this.end()
      const candidates = [...candidatesOf(source), ...candidatesOf(source.batch)]
      return { empty: count === 0, largest: this.largest || this.values, candidates }
    }
    const value = this.token()
    this.end()
    return { empty: value === null, largest: 1, candidates: [] }
  }

  protected override tooMany(): Error {
    return this.max_values < MAX_VALUES ? new DecompressedTooLong() : super.tooMany()
  }

  private source(outermost: boolean): { source: Source; count: number } {
    const source: Source = {}
    const count = this.object((key) => {
      if (key === 'token' || key === '$token' || key === 'api_key') source[key] = this.token()
      else if (key === 'properties') source.properties = this.properties()
      else if (key === 'batch' && outermost) source.batch = this.batch()
      else this.skip()
    })
    return { source, count }
  }

  private firstObject(): { first: Source | undefined; count: number } {
    let first: Source | undefined
    const count = this.array(() => {
      const before = this.values
      if (first === undefined && this.isObject()) first = this.source(false).source
      else this.skip()
      this.largest = Math.max(this.largest, this.values - before)
    })
    return { first, count }
  }

  private properties(): { token?: unknown } {
    const properties: { token?: unknown } = {}
    if (!this.isObject()) this.skip()
    else
      this.object((key) => {
        if (key === 'token') properties.token = this.token()
        else this.skip()
      })
    return properties
  }

  private batch(): Source | undefined {
    if (this.isArray()) return this.firstObject().first
    this.skip()
    return undefined
  }

  /** Reads a value that may be a token: a string, null, or `{}` for anything else. */
  private token(): unknown {
    const text = this.isString()
    const start = this.at
    this.skip()
    if (text && this.at - start <= MAX_TOKEN_TEXT) return this.parseString(this.slice(start))
    if (text) return this.slice(start)
    return this.at - start <= 9 && NULLS.has(this.slice(start)) ? null : {}
  }
}

/** Writes the rows of a binary COPY as lines. */
import { CELL, CELL_ESCAPES } from './cells.ts'

/**
 * `plain`: text as it is. `json`, `csv`, `cell`: text with escapes. `time`: microseconds since 1970 as
 * `2026-01-31T23:59:59.123456Z`.
 */
export type Form = 'plain' | 'json' | 'csv' | 'cell' | 'time'

export interface Field {
  /** Written before the value. */
  lead: string
  form: Form
  /** Written around a value, but not around NULL. */
  quote: '' | '"'
  /** Written for NULL. */
  none: string
}

export interface Layout {
  fields: readonly Field[]
  /** Written after the last value. */
  end: string
}

/** Bytes that grow at their end. */
export interface Output {
  bytes: Buffer
  length: number
}

/** `at` is the length of the first value, after the number of columns. Returns the end of the row. */
export type LineWriter = (row: Buffer, at: number, output: Output) => number
type ValueWriter = (row: Buffer, start: number, end: number, output: Output) => void

export function lineWriter({ fields, end }: Layout): LineWriter {
  const steps = fields.map(({ lead, form, quote, none }) => ({
    before: Buffer.from(lead + quote),
    write: valueWriter(form),
    after: Buffer.from(quote),
    absent: Buffer.from(lead + none),
  }))
  const last = Buffer.from(end)
  return (row, start, output) => {
    let at = start
    for (const { before, write, after, absent } of steps) {
      const size = row.readInt32BE(at)
      at += 4
      if (size === -1) {
        append(absent, 0, absent.length, output)
        continue
      }
      append(before, 0, before.length, output)
      write(row, at, at + size, output)
      append(after, 0, after.length, output)
      at += size
    }
    append(last, 0, last.length, output)
    return at
  }
}

function valueWriter(form: Form): ValueWriter {
  if (form === 'plain') return append
  return form === 'time' ? timeWriter() : escapedWriter(ESCAPES[form])
}

/** For fewer bytes a loop takes less time than a call of `copy`. */
const COPIED_BYTES = 32

export function append(source: Buffer, start: number, end: number, output: Output): void {
  let at = grow(output, end - start)
  const { bytes } = output
  if (end - start >= COPIED_BYTES) source.copy(bytes, at, start, end)
  else for (let i = start; i < end; i++) bytes[at++] = source[i] ?? 0
}

/** Makes room for more bytes. Returns where they begin. */
function grow(output: Output, size: number): number {
  const at = output.length
  output.length += size
  if (output.length > output.bytes.length) {
    const larger = Buffer.allocUnsafeSlow(2 * output.length)
    output.bytes.copy(larger, 0, 0, at)
    output.bytes = larger
  }
  return at
}

/** The bytes that replace a byte, by its value. */
type Escapes = readonly (Buffer | undefined)[]

function escapesOf(escapes: Iterable<readonly [character: string, replacement: string]>): Escapes {
  const table: (Buffer | undefined)[] = Array(256).fill(undefined)
  for (const [character, replacement] of escapes) table[character.charCodeAt(0)] = Buffer.from(replacement)
  return table
}

const CONTROL_CHARACTERS = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code))

const ESCAPES = {
  json: escapesOf(['"', '\\', ...CONTROL_CHARACTERS].map((one) => [one, JSON.stringify(one).slice(1, -1)])),
  csv: escapesOf([['"', '""']]),
  cell: escapesOf(CELL_ESCAPES.map(([character, letter]) => [character, CELL.escape + letter])),
}

/** Writes runs of bytes without escapes in one go. */
function escapedWriter(escapes: Escapes): ValueWriter {
  const isEscaped = Uint8Array.from({ length: 256 }, (_, byte) => (escapes[byte] ? 1 : 0))
  return (row, start, end, output) => {
    let from = start
    for (let i = start; i < end; i++) {
      const byte = row[i] ?? 0
      if (isEscaped[byte] === 0) continue
      append(row, from, i, output)
      const replacement = escapes[byte]
      if (replacement) append(replacement, 0, replacement.length, output)
      from = i + 1
    }
    append(row, from, end, output)
  }
}

const SECOND = 1_000_000
const DAY_SECONDS = 86_400

/** Formats each day once, and a time once if it is repeated, as times of ingestion are. */
function timeWriter(): ValueWriter {
  let day = Number.NaN
  let [last_high, last_low] = [Number.NaN, Number.NaN]
  let text = Buffer.alloc(0)
  return (row, start, _end, output) => {
    const high = row.readInt32BE(start)
    const low = row.readUInt32BE(start + 4)
    if (low !== last_low || high !== last_high) {
      last_high = high
      last_low = low
      // 2 ** 32 microseconds are 4,294 seconds and 967,296 microseconds. All steps stay below 2 ** 53.
      const rest = high * 967_296 + low
      const carry = Math.floor(rest / SECOND)
      const seconds = high * 4_294 + carry
      if (Math.floor(seconds / DAY_SECONDS) !== day) {
        day = Math.floor(seconds / DAY_SECONDS)
        text = Buffer.from(new Date(day * DAY_SECONDS * 1000).toISOString().replace('.000Z', '.000000Z'))
      }
      writeTime(seconds - day * DAY_SECONDS, rest - carry * SECOND, text)
    }
    append(text, 0, text.length, output)
  }
}

/** Replaces the digits at the end of `2026-01-31T00:00:00.000000Z`. */
function writeTime(second: number, microsecond: number, text: Buffer): void {
  const minute = Math.trunc(second / 60)
  const { length } = text
  writeDigits(Math.trunc(minute / 60), 2, text, length - 16)
  writeDigits(minute % 60, 2, text, length - 13)
  writeDigits(second % 60, 2, text, length - 10)
  writeDigits(Math.trunc(microsecond / 1000), 3, text, length - 7)
  writeDigits(microsecond % 1000, 3, text, length - 4)
}

/** Three digits for each number below 1,000. */
const DIGITS = Buffer.from(Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, '0')).join(''))

/** Writes the last `count` of three digits. */
function writeDigits(value: number, count: number, text: Buffer, at: number): void {
  const from = value * 3 + 3 - count
  for (let i = 0; i < count; i++) text[at + i] = DIGITS[from + i] ?? 0
}

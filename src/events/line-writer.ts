/**
 * Writes the rows of a binary COPY (`copied-rows.ts`) as lines: JSON, CSV, or the cells of a COPY into a destination.
 *
 * A `Layout` tells what a line consists of: for each field a text before it, the number of a value in the row, and the
 * form in which it is written. `lineWriter` turns the layout into steps once. For each row it first finds where the values
 * start and end, and then runs the steps.
 *
 * Values are copied from bytes to bytes and never become strings. Compared with rows of the driver that are joined as
 * strings, an exported event takes a quarter of the CPU time. This is why the file looks like C: it reads four bytes at
 * once to find the few that need an escape, and it looks up decimal digits in a table.
 *
 * What holds:
 * - `bytes` and `view` of a `Bytes` are always of the same memory. `grow` replaces both together.
 * - `output.length` bytes are written. Everything after them is undefined.
 * - Text is valid UTF-8, and PostgreSQL stores no NUL. All escaped characters are single bytes below 0x80, so they cannot
 *   be part of another character.
 */
import { CELL, CELL_ESCAPES } from './cells.ts'

/**
 * `plain`: text as it is. `json`, `csv`, `cell`: text with escapes. `integer`: a bigint. `time`: microseconds since 1970
 * as `2026-01-31T23:59:59.123456Z`.
 */
export type Form = 'plain' | 'json' | 'csv' | 'cell' | 'integer' | 'time'

export interface Field {
  /** Written before the value. */
  lead: string
  /** The number of the value in the row. */
  value: number
  form: Form
  /** Written around a value, but not around NULL. */
  quote: '' | '"'
  /** Written for NULL. */
  none: string
}

export interface Layout {
  /** The number of values in a row. */
  values: number
  fields: readonly Field[]
  /** Written after the last value. */
  end: string
}

/** `view` is of the same bytes. It reads and writes four of them at once. */
export interface Bytes {
  bytes: Buffer
  view: DataView
}

/** Bytes that grow at their end. */
export interface Output extends Bytes {
  length: number
}

export const viewed = (bytes: Buffer): Bytes => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
})

export const openOutput = (initial_bytes: number): Output => ({
  ...viewed(Buffer.allocUnsafeSlow(initial_bytes)),
  length: 0,
})

/** The values of a row begin at `from`, each after its length. */
export type LineWriter = (row: Bytes, from: number, output: Output) => void
type ValueWriter = (row: Bytes, start: number, end: number, output: Output) => void

export function lineWriter({ values, fields, end }: Layout): LineWriter {
  const steps = fields.map(({ lead, value, form, quote, none }) => ({
    value,
    before: text(lead + quote),
    write: valueWriter(form),
    after: text(quote),
    absent: text(lead + none),
  }))
  const last = text(end)
  /** Where the values of a row start and end. NULL ends before it starts. */
  const starts = new Uint32Array(values)
  const ends = new Uint32Array(values)
  return (row, from, output) => {
    let at = from
    for (let i = 0; i < values; i++) {
      const size = row.view.getInt32(at)
      at += 4
      starts[i] = at
      ends[i] = at + size
      if (size > 0) at += size
    }
    for (const { value, before, write, after, absent } of steps) {
      const start = starts[value] ?? 0
      const end = ends[value] ?? 0
      if (end < start) {
        appendAll(absent, output)
        continue
      }
      appendAll(before, output)
      write(row, start, end, output)
      if (after.bytes.length > 0) appendAll(after, output)
    }
    appendAll(last, output)
  }
}

function valueWriter(form: Form): ValueWriter {
  if (form === 'plain') return append
  if (form === 'integer') return writeInteger
  return form === 'time' ? timeWriter() : escapedWriter(ESCAPES[form])
}

const text = (characters: string): Bytes => viewed(Buffer.from(characters))

const appendAll = (source: Bytes, output: Output): void => append(source, 0, source.bytes.length, output)

/** For fewer bytes a loop takes less time than a call of `copy`. */
const COPIED_BYTES = 128

export function append(source: Bytes, start: number, end: number, output: Output): void {
  let to = grow(output, end - start)
  if (end - start >= COPIED_BYTES) {
    source.bytes.copy(output.bytes, to, start, end)
    return
  }
  let from = start
  for (; from + 4 <= end; from += 4, to += 4) output.view.setInt32(to, source.view.getInt32(from))
  for (; from < end; from++, to++) output.view.setInt8(to, source.view.getInt8(from))
}

/** Makes room for more bytes. Returns where they begin. */
export function grow(output: Output, size: number): number {
  const at = output.length
  output.length += size
  if (output.length > output.bytes.length) {
    const larger = viewed(Buffer.allocUnsafeSlow(2 * output.length))
    output.bytes.copy(larger.bytes, 0, 0, at)
    Object.assign(output, larger)
  }
  return at
}

/** The bytes that replace a byte, by its value. */
type Escapes = readonly (Bytes | undefined)[]

function escapesOf(escapes: Iterable<readonly [character: string, replacement: string]>): Escapes {
  const table: (Bytes | undefined)[] = Array(256).fill(undefined)
  for (const [character, replacement] of escapes) table[character.charCodeAt(0)] = text(replacement)
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
      while (i + 4 <= end && !mayHaveEscapes(row.view.getInt32(i))) i += 4
      if (i === end) break
      const byte = row.bytes[i] ?? 0
      if (isEscaped[byte] === 0) continue
      append(row, from, i, output)
      const replacement = escapes[byte]
      if (replacement) appendAll(replacement, output)
      from = i + 1
    }
    append(row, from, end, output)
  }
}

/** Tests four bytes at once: whether any is below `#` or a backslash. All escaped characters are. */
function mayHaveEscapes(bytes: number): boolean {
  const backslashes = bytes ^ 0x5c5c5c5c
  // The highest bit of a byte is set by subtracting more than its value, unless it was set before.
  return ((((bytes - 0x23232323) & ~bytes) | ((backslashes - 0x01010101) & ~backslashes)) & 0x80808080) !== 0
}

/** The microseconds of the years 2001 to 2255 have 16 digits and are safe integers. */
const FIRST_OF_16_DIGITS = 10 ** 15

function writeInteger(row: Bytes, start: number, _end: number, output: Output): void {
  const value = row.view.getInt32(start) * 2 ** 32 + row.view.getUint32(start + 4)
  if (value < FIRST_OF_16_DIGITS || !Number.isSafeInteger(value)) {
    appendAll(text(String(row.view.getBigInt64(start))), output)
    return
  }
  const high = Math.floor(value / 10 ** 8)
  const at = grow(output, 16)
  writeEight(high, output.view, at)
  writeEight(value - high * 10 ** 8, output.view, at + 8)
}

const SECOND = 1_000_000
const DAY_SECONDS = 86_400

/** Formats each day once, and a time once if it is repeated, as times of ingestion are. */
function timeWriter(): ValueWriter {
  let day = Number.NaN
  let [last_high, last_low] = [Number.NaN, Number.NaN]
  let time = text('')
  return (row, start, _end, output) => {
    const high = row.view.getInt32(start)
    const low = row.view.getUint32(start + 4)
    if (low !== last_low || high !== last_high) {
      last_high = high
      last_low = low
      // 2 ** 32 microseconds are 4,294 seconds and 967,296 microseconds. All steps stay below 2 ** 53.
      const rest = high * 967_296 + low
      const carry = Math.floor(rest / SECOND)
      const seconds = high * 4_294 + carry
      if (Math.floor(seconds / DAY_SECONDS) !== day) {
        day = Math.floor(seconds / DAY_SECONDS)
        time = text(new Date(day * DAY_SECONDS * 1000).toISOString().replace('.000Z', '.000000Z'))
      }
      writeTime(seconds - day * DAY_SECONDS, rest - carry * SECOND, time.view)
    }
    appendAll(time, output)
  }
}

/** Replaces the digits at the end of `2026-01-31T00:00:00.000000Z`. */
function writeTime(second: number, microsecond: number, text: DataView): void {
  const minute = Math.trunc(second / 60)
  const hour = Math.trunc(minute / 60)
  const hundred = Math.trunc(microsecond / 100)
  const end = text.byteLength
  writeTwo(hour, text, end - 16)
  writeTwo(minute - 60 * hour, text, end - 13)
  writeTwo(second - 60 * minute, text, end - 10)
  writeFour(hundred, text, end - 7)
  writeTwo(microsecond - 100 * hundred, text, end - 3)
}

/** The digits of each number below 10,000, as the four bytes of an integer. */
const DIGITS = Int32Array.from({ length: 10_000 }, (_, value) =>
  Buffer.from(String(value).padStart(4, '0')).readInt32BE(),
)

function writeEight(value: number, view: DataView, at: number): void {
  const high = Math.trunc(value / 10_000)
  writeFour(high, view, at)
  writeFour(value - high * 10_000, view, at + 4)
}

function writeFour(value: number, view: DataView, at: number): void {
  view.setInt32(at, DIGITS[value] ?? 0)
}

function writeTwo(value: number, view: DataView, at: number): void {
  view.setInt16(at, DIGITS[value] ?? 0)
}

/** Cuts the bytes of a file into rows: the lines of NDJSON, or the elements of a JSON array. */
import { isUtf8 } from 'node:buffer'
import { EVENT_LIMIT_BYTES } from '../../events/normalize-event.ts'
import { MAX_VALUES } from '../../events/token-scan.ts'
import { isJsonObject, type JsonObject } from '../../json/object.ts'
import { requireBounded } from '../../json/scan.ts'
import { replaceInvalidText } from '../../json/text.ts'

/**
 * A character of two bytes has six in JSON that is written as ASCII, and exports have fields that are not stored. The limit
 * of the stored event follows.
 */
export const MAX_ROW_BYTES = 4 * EVENT_LIMIT_BYTES

export const TOO_LONG = `The line has more than ${MAX_ROW_BYTES} bytes. Shorten the properties of the event.`

/** `number`: of the line, or of the element in an array. `length`: of its text. */
export type Row = { number: number } & ({ row: JsonObject; length: number } | { problem: string })

type Piece = { number: number; bytes: Buffer } | { number: number; problem: string }

type Chunks = AsyncIterable<Buffer>

const LINE_BREAK = 0x0a
const BYTE_ORDER_MARK = /^\ufeff/
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

export async function* readNdjson(chunks: Chunks): AsyncGenerator<Row> {
  for await (const piece of splitLines(chunks)) if (!isBlank(piece)) yield parseRow(piece)
}

export async function* readArray(chunks: Chunks): AsyncGenerator<Row> {
  for await (const piece of splitArray(chunks)) if (!isBlank(piece)) yield parseRow(piece)
}

const isBlank = (piece: Piece): boolean => 'bytes' in piece && firstByte(piece.bytes) === undefined

/** The first byte that is not white space. */
export const firstByte = (bytes: Buffer): number | undefined => bytes.find((byte) => byte > 0x20)

function parseRow(piece: Piece): Row {
  const { number } = piece
  if ('problem' in piece) return piece
  if (!isUtf8(piece.bytes)) return { number, problem: 'The line is not valid UTF-8. Save the file as UTF-8.' }
  try {
    const row = parseObject(piece.bytes)
    return row ? { number, row, length: piece.bytes.length } : { number, problem: NOT_AN_OBJECT }
  } catch (error) {
    const isDeep = Object(error).code === 'invalid_input'
    return { number, problem: isDeep ? 'The line is nested too deep or has too many values.' : NOT_AN_OBJECT }
  }
}

const NOT_AN_OBJECT = 'The line is not a JSON object.'

/** Undefined for JSON of another kind. Throws for other text, and `invalid_input` if it is nested too deep or has too many values. */
export function parseObject(bytes: Buffer): JsonObject | undefined {
  requireBounded(bytes, MAX_VALUES)
  const text = bytes.toString('utf8').replace(BYTE_ORDER_MARK, '')
  const object: unknown = JSON.parse(text)
  if (!isJsonObject(object)) return undefined
  if (text.includes('\\u')) replaceInvalidText(object)
  return object
}

async function* splitLines(chunks: Chunks): AsyncGenerator<Piece> {
  const piece = createPiece()
  let number = 1
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf(LINE_BREAK); end >= 0; end = chunk.indexOf(LINE_BREAK, from)) {
      piece.add(chunk.subarray(from, end))
      yield piece.take(number++)
      from = end + 1
    }
    piece.add(chunk.subarray(from))
  }
  yield piece.take(number)
}

/** Everything between two commas, or before the end, is an element. Text outside of the array is an element, too. */
async function* splitArray(chunks: Chunks): AsyncGenerator<Piece> {
  const piece = createPiece()
  let [number, depth, inString, isEscaped, isComplete] = [1, 0, false, false, false]
  for await (const chunk of chunks) {
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0
      if (isEscaped) isEscaped = false
      else if (inString) {
        if (byte === QUOTE) inString = false
        else if (byte === BACKSLASH) isEscaped = true
      } else if (byte === QUOTE) inString = true
      else if (byte === OPEN_OBJECT || (byte === OPEN_ARRAY && (depth > 0 || isComplete))) depth++
      else if (byte === OPEN_ARRAY) {
        depth = 1
        from = at + 1
      } else if (depth === 1 && (byte === COMMA || byte === CLOSE_ARRAY)) {
        piece.add(chunk.subarray(from, at))
        yield piece.take(number++)
        from = at + 1
        isComplete = byte === CLOSE_ARRAY
        if (isComplete) depth = 0
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--
    }
    piece.add(chunk.subarray(from))
  }
  yield isComplete ? piece.take(number) : { number, problem: 'The file ends inside the array. Download it again.' }
}

/** Collects the bytes of a row, and drops them when they are too many. */
function createPiece(): { add(bytes: Buffer): void; take(number: number): Piece } {
  let parts: Buffer[] = []
  let length = 0
  return {
    add: (bytes) => {
      length += bytes.length
      if (length > MAX_ROW_BYTES) parts = []
      else if (bytes.length) parts.push(bytes)
    },
    take: (number) => {
      const [only, second] = parts
      const bytes = only && !second ? only : Buffer.concat(parts)
      const piece = length > MAX_ROW_BYTES ? { number, problem: TOO_LONG } : { number, bytes }
      parts = []
      length = 0
      return piece
    },
  }
}

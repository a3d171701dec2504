/** The rows of a file, in the format that its content shows. */
import { commandError, EXIT } from '../failure.ts'
import { readCsv } from './csv.ts'
import { type InputFile, PARQUET, peek, ZIP } from './files.ts'
import { detectReader, type Format, readerOf } from './formats.ts'
import { firstByte, type Row, readArray, readNdjson } from './lines.ts'
import { readParquet } from './parquet.ts'
import type { Reader } from './reader.ts'

/** A row of a file, with the reader of its format. */
export type FileRow = Row & { file: string; reader: Reader }

/** Enough for the header of CSV. */
const HEAD_BYTES = 64 * 1024
const [OPEN_ARRAY, OPEN_OBJECT] = [0x5b, 0x7b]

/** The first row that is an object decides on the reader, unless there is a format. */
export async function* rowsOf(file: InputFile, format: Format | undefined): AsyncGenerator<FileRow> {
  let reader = format && readerOf(format)
  for await (const row of await openRows(file, format)) {
    if ('row' in row) reader ??= detectReader(row.row)
    yield { ...row, file: file.name, reader: reader ?? readerOf('ndjson') }
  }
}

async function openRows(file: InputFile, format: Format | undefined): Promise<AsyncIterable<Row>> {
  const { name, parquet } = file
  if (parquet !== null) return readParquet(name, parquet)
  const { head, chunks } = await peek(file.chunks, HEAD_BYTES)
  if (head.subarray(0, 4).equals(PARQUET))
    throw commandError(
      EXIT.refused,
      `${name} is a Parquet file, which can only be read from the disk. Unpack it first.`,
    )
  if (head.subarray(0, 4).equals(ZIP))
    throw commandError(EXIT.refused, `${name} is a zip archive inside of another file. Unpack it first.`)
  const withoutMark = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? head.subarray(3) : head
  const first = firstByte(withoutMark)
  if (format === 'csv' || (format === undefined && isCsv(name, withoutMark, first))) return readCsv(name, chunks)
  return first === OPEN_ARRAY ? readArray(chunks) : readNdjson(chunks)
}

/** By its name, or by a header with the column `event`. */
function isCsv(name: string, head: Buffer, first: number | undefined): boolean {
  if (/\.csv(\.gz)?$/i.test(name)) return true
  if (first === OPEN_ARRAY || first === OPEN_OBJECT) return false
  const [header = ''] = head.toString('latin1').split('\n', 1)
  return header.split(',').some((column) => column.replaceAll('"', '').trim() === 'event')
}

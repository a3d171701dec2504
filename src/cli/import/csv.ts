/** Reads CSV with a header, in our own format. */
import { pipeline, Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { replaceInvalidText } from '../../json/text.ts'
import { commandError, EXIT } from '../failure.ts'
import { MAX_ROW_BYTES, type Row } from './lines.ts'
import { rowOfRecord } from './own.ts'

type CsvRecord = { info: { lines: number }; record: Record<string, string> }

/** Throws a sentence for a file that is not valid CSV. */
export async function* readCsv(name: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  for await (const { info, record } of readRecords(name, chunks)) {
    replaceInvalidText(record)
    const length = Object.values(record).reduce((sum, value) => sum + value.length, 0)
    yield { number: info.lines, row: rowOfRecord(record), length }
  }
}

async function* readRecords(name: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<CsvRecord> {
  const parser = parse({
    columns: true,
    bom: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    // A quote that is not closed makes a record of the rest of the file.
    max_record_size: MAX_ROW_BYTES,
  })
  // Also ends the parser when the source fails.
  pipeline(Readable.from(decode(name, chunks)), parser, () => undefined)
  try {
    yield* parser
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw commandError(
      EXIT.refused,
      `Row ${Number(error.records) + 1} after the header is not valid CSV: a quote is not closed, or stands inside a cell without quotes. Fix the row and import the file again. Events that are already stored are not stored twice.`,
    )
  }
}

async function* decode(name: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (error) {
    if (Object(error).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error
    throw commandError(EXIT.refused, `${name} is not valid UTF-8. Save it as UTF-8 and import it again.`)
  }
}

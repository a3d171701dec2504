import { createInterface } from 'node:readline'
import { pipeline, type Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { isJsonObject, type JsonObject } from '../json/object.ts'
import { commandError, EXIT } from './failure.ts'

export type Format = 'ndjson' | 'csv'

/** One line of a file: an event in the form capture accepts, or the problem of the line. */
export type Line = { number: number; text: string } & ({ event: JsonObject } | { problem: string })

export const formatOf = (file: string): Format => (/\.csv(\.gz)?$/i.test(file) ? 'csv' : 'ndjson')

export const readLines = (source: Readable, format: Format): AsyncGenerator<Line> =>
  format === 'csv' ? readCsv(source) : readNdjson(source)

async function* readNdjson(source: Readable): AsyncGenerator<Line> {
  let number = 0
  for await (const text of createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++
    if (text.trim() === '') continue
    try {
      yield { number, text, event: toEvent(JSON.parse(text)) }
    } catch {
      yield { number, text, problem: 'The line is not a JSON object.' }
    }
  }
}

/** The fields of an event; every other CSV column becomes a property. */
const EVENT_FIELDS = new Set([
  'event',
  'distinct_id',
  'timestamp',
  'uuid',
  'id',
  'properties',
  'person',
  'elements',
  'elements_chain',
])

type CsvRecord = { info: { lines: number }; record: Record<string, string> }

/** A quote that is not closed makes a record of the rest of the file. */
const MAX_RECORD_LENGTH = 20 * 1024 * 1024

/** Throws a sentence for a file that is not valid CSV. */
async function* readRecords(source: Readable): AsyncGenerator<CsvRecord> {
  const parser = parse({
    columns: true,
    bom: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_LENGTH,
  })
  // Also ends the parser when the source fails.
  pipeline(source, parser, () => undefined)
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

async function* readCsv(source: Readable): AsyncGenerator<Line> {
  for await (const { info, record } of readRecords(source)) {
    const number = info.lines
    const text = JSON.stringify(record)
    const others = Object.entries(record).filter(([name, value]) => !EVENT_FIELDS.has(name) && value !== '')
    try {
      const properties = { ...(record.properties ? JSON.parse(record.properties) : {}), ...Object.fromEntries(others) }
      yield { number, text, event: toEvent({ ...record, properties }) }
    } catch {
      yield { number, text, problem: 'The column "properties" is not a JSON object.' }
    }
  }
}

/** Also accepts rows of the events list, which have `id` and properties as JSON text. */
function toEvent(row: unknown): JsonObject {
  if (!isJsonObject(row)) throw new TypeError('The line is not an object.')
  const { event, distinct_id, timestamp, uuid, id, properties, elements_chain, ...rest } = row
  const parsed: unknown = typeof properties === 'string' ? JSON.parse(properties) : (properties ?? {})
  const chain = typeof elements_chain === 'string' && elements_chain && { $elements_chain: elements_chain }
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => name.startsWith('$') || name === 'offset')),
    event,
    distinct_id,
    ...(timestamp !== undefined && timestamp !== '' && { timestamp }),
    uuid: uuid ?? id ?? null,
    properties: chain && typeof parsed === 'object' ? { ...parsed, ...chain } : parsed,
  }
}

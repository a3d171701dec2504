import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { parse } from 'csv-parse'

export type Format = 'ndjson' | 'csv'

/** One line of a file: an event in the form capture accepts, or the problem of the line. */
export type Line = { number: number; text: string } & ({ event: Record<string, unknown> } | { problem: string })

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

async function* readCsv(source: Readable): AsyncGenerator<Line> {
  const records: AsyncIterable<{ info: { lines: number }; record: Record<string, string> }> = source.pipe(
    parse({ columns: true, bom: true, info: true, relax_column_count: true, skip_empty_lines: true }),
  )
  for await (const { info, record } of records) {
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
function toEvent(row: Record<string, unknown>): Record<string, unknown> {
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

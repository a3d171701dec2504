import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { parse } from 'csv-parse'

export type Format = 'ndjson' | 'csv'

/** One line of a file: an event as capture takes it, or what is wrong with the line. */
export type Line = { number: number; text: string } & ({ event: Record<string, unknown> } | { problem: string })

export const formatOf = (file: string): Format => (/\.csv(\.gz)?$/i.test(file) ? 'csv' : 'ndjson')

export const linesOf = (source: Readable, format: Format): AsyncGenerator<Line> =>
  format === 'csv' ? fromCsv(source) : fromNdjson(source)

async function* fromNdjson(source: Readable): AsyncGenerator<Line> {
  let number = 0
  for await (const text of createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++
    if (text.trim() === '') continue
    try {
      yield { number, text, event: eventOf(JSON.parse(text)) }
    } catch {
      yield { number, text, problem: 'This line is no JSON object.' }
    }
  }
}

/** The columns an event has of its own; all others are properties. */
const OWN = new Set([
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

async function* fromCsv(source: Readable): AsyncGenerator<Line> {
  const records = source.pipe(
    parse({ columns: true, bom: true, info: true, relax_column_count: true, skip_empty_lines: true }),
  )
  for await (const { info, record } of records as AsyncIterable<{
    info: { lines: number }
    record: Record<string, string>
  }>) {
    const number = info.lines
    const text = JSON.stringify(record)
    const others = Object.entries(record).filter(([name, value]) => !OWN.has(name) && value !== '')
    try {
      const properties = { ...(record.properties ? JSON.parse(record.properties) : {}), ...Object.fromEntries(others) }
      yield { number, text, event: eventOf({ ...record, properties }) }
    } catch {
      yield { number, text, problem: 'The column "properties" of this line is no JSON object.' }
    }
  }
}

/** What the list of events answers is read too: ids called `id`, properties as JSON text. */
function eventOf(value: unknown): Record<string, unknown> {
  const { event, distinct_id, timestamp, uuid, id, properties, elements_chain, ...rest } = value as Record<
    string,
    unknown
  >
  const own: unknown = typeof properties === 'string' ? JSON.parse(properties) : (properties ?? {})
  const chain = typeof elements_chain === 'string' && elements_chain && { $elements_chain: elements_chain }
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => name.startsWith('$') || name === 'offset')),
    event,
    distinct_id,
    ...(timestamp !== undefined && timestamp !== '' && { timestamp }),
    uuid: uuid ?? id ?? null,
    properties: chain && typeof own === 'object' ? { ...own, ...chain } : own,
  }
}

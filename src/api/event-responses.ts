/** Events as JSON or CSV, in one piece or streamed. */
import { Readable } from 'node:stream'
import { negotiate } from '../contract/accept.ts'
import type { Deps } from '../deps.ts'
import type * as store from '../events/list.ts'
import { csvRow } from './csv.ts'
import { EVENT_FIELDS, serializeEvent } from './event-record.ts'
import { type HandlerContext, RawResponse } from './handler-context.ts'
import { joinOrStream, textChunks } from './text-chunks.ts'

/** The texts of events. Returns the position of the next page. */
export type Batches = AsyncGenerator<string[], store.ListCursor | null>

/** The date of the deprecation, in the format of RFC 9745. */
const DEPRECATION = { deprecation: '@1704067200' }
const OFFERED = ['application/json', 'text/csv'] as const

type NegotiatedCall = Pick<HandlerContext<'events.list' | 'events.retrieve' | 'events.values'>, 'query' | 'headers'>

export const wantsCsv = ({ query, headers }: NegotiatedCall): boolean =>
  query.format === undefined ? negotiate(headers.accept, OFFERED) === 'text/csv' : query.format === 'csv'

const asIs = (text: string): string => text

export async function* jsonChunks(
  batches: Batches,
  urlAfter: (position: store.ListCursor) => string,
): AsyncGenerator<string> {
  yield '{"results":['
  let head = ''
  for (;;) {
    const { done, value } = await batches.next()
    if (done) return yield `],"next":${JSON.stringify(value && urlAfter(value))}}`
    // A concurrent purge may leave a batch empty.
    if (value.length === 0) continue
    yield* textChunks(value, asIs, { head, separator: ',' })
    head = ','
  }
}

export async function* csvChunks(batches: Batches): AsyncGenerator<string> {
  yield csvRow(EVENT_FIELDS)
  for await (const batch of batches) yield* textChunks(batch, asIs)
}

export const eventCsv = (event: store.ListedEvent): string => csvRow(cellsOf(EVENT_FIELDS, serializeEvent(event)))

export function csvFile<Item extends object>(
  name: string,
  fields: readonly (keyof Item & string)[],
  items: Item[],
): RawResponse {
  const text = csvRow(fields) + items.map((item) => csvRow(cellsOf(fields, item))).join('')
  return new RawResponse('text/csv', text, attachment(name))
}

const cellsOf = <Item extends object>(fields: readonly (keyof Item)[], item: Item): string[] =>
  fields.map((field) => String(item[field]))

const attachment = (name: string) => ({ 'content-disposition': `attachment; filename="${name}.csv"` })

export async function respond(
  log: Deps['log'],
  chunks: AsyncGenerator<string>,
  csv: boolean,
  signal: AbortSignal | undefined,
): Promise<RawResponse> {
  const body = await joinOrStream(chunks)
  // An error closes the connection, so a truncated page never looks complete.
  if (body instanceof Readable)
    body.on('error', (error) => {
      if (!signal?.aborted) log.error({ err: error }, 'failed to stream a list of events')
    })
  const headers = { ...DEPRECATION, ...(csv && attachment('events')) }
  return new RawResponse(csv ? 'text/csv' : 'application/json', body, headers)
}

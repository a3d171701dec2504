import type { Readable } from 'node:stream'
import type { RequestUrl } from './handler-context.ts'
import { joinOrStream, textChunks } from './text-chunks.ts'

const PAGE_SIZE = 100

interface PageCall {
  url: RequestUrl
  query: { limit?: number; offset?: number }
}

/** Limit and offset with their defaults. The contract has validated them. */
export const paging = (query: PageCall['query']): { limit: number; offset: number } => ({
  limit: query.limit ?? PAGE_SIZE,
  offset: query.offset ?? 0,
})

interface PageSerializers {
  page(page: { count: number | undefined; next: string | null; previous: string | null; results: [] }): string
  item(item: unknown): string
}

/** A page of a list. Its items are serialized one by one while the response is written. Lists by cursor have no count. */
export class Page<Row, Item, Count extends number | undefined> {
  constructor(
    readonly count: Count,
    readonly next: string | null,
    readonly previous: string | null,
    private readonly rows: readonly Row[],
    private readonly serialize: (row: Row) => Item,
  ) {}

  get results(): Item[] {
    return this.rows.map((row) => this.serialize(row))
  }

  /**
   * Writes the page item by item and yields to other requests. 100 plugin configurations of the largest size have 8 MB,
   * and writing them in one go blocked the event loop for 500 ms.
   */
  write(serializers: PageSerializers): Promise<string | Readable> {
    const { count, next, previous, rows, serialize } = this
    const empty = serializers.page({ count, next, previous, results: [] })
    const tail = ']}'
    if (!empty.endsWith(`[${tail}`)) throw new Error('"results" must be the last property of a page.')
    const head = empty.slice(0, -tail.length)
    return joinOrStream(textChunks(rows, (row) => serializers.item(serialize(row)), { head, separator: ',', tail }))
  }
}

/** A page of a list that is paged by offset. */
export function page<Row, Item>(
  { url, query }: PageCall,
  count: number,
  rows: readonly Row[],
  serialize: (row: Row) => Item,
): Page<Row, Item, number> {
  const { limit, offset } = paging(query)
  const urlAt = (start: number): string => {
    const parameters = new URLSearchParams(url.search)
    parameters.set('limit', String(limit))
    if (start > 0) parameters.set('offset', String(start))
    else parameters.delete('offset')
    parameters.sort()
    return `${url.origin}${url.path}?${parameters}`
  }
  const next = offset + limit < count ? urlAt(offset + limit) : null
  return new Page(count, next, offset > 0 ? urlAt(Math.max(0, offset - limit)) : null, rows, serialize)
}

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

interface PageHead {
  count?: number
  next: string | null
  previous: string | null
}

interface PageSerializers {
  page(page: PageHead & { results: [] }): string
  item(item: unknown): string
}

/**
 * A page of a list that is paged by cursor and has no count. Its items are serialized one by one while the response is
 * written.
 */
export class CursorPage<Row, Item> {
  constructor(
    readonly next: string | null,
    readonly previous: string | null,
    private readonly rows: readonly Row[],
    private readonly serialize: (row: Row) => Item,
  ) {}

  protected get head(): PageHead {
    const { next, previous } = this
    return { next, previous }
  }

  get results(): Item[] {
    return this.rows.map((row) => this.serialize(row))
  }

  /**
   * Writes the page item by item and yields to other requests. 100 plugin configurations of the largest size have 8 MB,
   * and writing them in one go blocked the event loop for 500 ms.
   */
  write(serializers: PageSerializers): Promise<string | Readable> {
    const { rows, serialize } = this
    const empty = serializers.page({ ...this.head, results: [] })
    const tail = ']}'
    if (!empty.endsWith(`[${tail}`)) throw new Error('"results" must be the last property of a page.')
    const head = empty.slice(0, -tail.length)
    return joinOrStream(textChunks(rows, (row) => serializers.item(serialize(row)), { head, separator: ',', tail }))
  }
}

/** A page of a list with a count. */
export class Page<Item> extends CursorPage<unknown, Item> {
  constructor(
    readonly count: number,
    next: string | null,
    previous: string | null,
    rows: readonly unknown[],
    serialize: (row: unknown) => Item,
  ) {
    super(next, previous, rows, serialize)
  }

  protected override get head(): PageHead {
    const { count, next, previous } = this
    return { count, next, previous }
  }
}

export function page<Item>(call: PageCall, count: number, results: readonly Item[]): Page<Item>
/** Serializes rows when the response is written. */
export function page<Row, Item>(
  call: PageCall,
  count: number,
  rows: readonly Row[],
  serialize: (row: Row) => Item,
): Page<Item>
export function page(
  { url, query }: PageCall,
  count: number,
  rows: readonly unknown[],
  serialize: (row: unknown) => unknown = (item) => item,
): Page<unknown> {
  const { limit, offset } = paging(query)
  const urlAt = (start: number): string => {
    const parameters = new URLSearchParams(url.search)
    parameters.set('limit', String(limit))
    if (start > 0) parameters.set('offset', String(start))
    else parameters.delete('offset')
    parameters.sort()
    return `${url.origin}${url.path}?${parameters}`
  }
  return new Page(
    count,
    offset + limit < count ? urlAt(offset + limit) : null,
    offset > 0 ? urlAt(Math.max(0, offset - limit)) : null,
    rows,
    serialize,
  )
}

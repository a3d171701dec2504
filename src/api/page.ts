import type { RequestUrl } from './handler-context.ts'

const PAGE_SIZE = 100

export const paging = (query: { limit?: number; offset?: number }): { limit: number; offset: number } => ({
  limit: query.limit ?? PAGE_SIZE,
  offset: query.offset ?? 0,
})

export interface Page<Item> {
  count: number
  next: string | null
  previous: string | null
  results: Item[]
}

export function page<Item>(
  { url, query }: { url: RequestUrl; query: { limit?: number; offset?: number } },
  count: number,
  results: Item[],
): Page<Item> {
  const { limit, offset } = paging(query)
  const at = (start: number): string => {
    const parameters = new URLSearchParams(url.search)
    parameters.set('limit', String(limit))
    if (start > 0) parameters.set('offset', String(start))
    else parameters.delete('offset')
    parameters.sort()
    return `${url.origin}${url.path}?${parameters}`
  }
  return {
    count,
    next: offset + limit < count ? at(offset + limit) : null,
    previous: offset > 0 ? at(Math.max(0, offset - limit)) : null,
    results,
  }
}

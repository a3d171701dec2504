/** Pages by the boundary row instead of an offset, so new rows do not shift a page. */
import { isUuid } from '../auth/access.ts'
import { invalid } from '../errors.ts'
import type { RequestUrl } from './handler-context.ts'

export interface Cursor {
  direction: 'next' | 'previous'
  at: Position
}

/** The value that a list is sorted by, and the id. */
export type Position = [value: string, id: string]

const formatCursor = ({ direction, at }: Cursor): string =>
  Buffer.from([direction, ...at].join(' ')).toString('base64url')

/** Throws `invalid_input`. */
export function parseCursor(text: string): Cursor {
  const [direction, value, id] = Buffer.from(text, 'base64url').toString().split(' ')
  const isDirection = direction === 'next' || direction === 'previous'
  if (!isDirection || !value || !id || !isUuid(id) || Number.isNaN(Date.parse(value)))
    throw invalid('cursor', '"cursor" is not valid. Take it from "next" or "previous" of a page.')
  return { direction, at: [value, id] }
}

export interface Slice<Row> {
  rows: Row[]
  next: string | null
  previous: string | null
}

/** The page and its links, from up to `limit + 1` rows found in the direction of the cursor. */
export function sliceAt<Row>(
  url: RequestUrl,
  cursor: Cursor | undefined,
  limit: number,
  found: readonly Row[],
  positionOf: (row: Row) => Position,
): Slice<Row> {
  const backwards = cursor?.direction === 'previous'
  const rows = found.slice(0, limit)
  if (backwards) rows.reverse()
  const hasMore = found.length > limit
  const urlAt = (direction: Cursor['direction'], row: Row | undefined): string | null => {
    if (!row) return null
    const parameters = new URLSearchParams(url.search)
    parameters.set('cursor', formatCursor({ direction, at: positionOf(row) }))
    return `${url.origin}${url.path}?${parameters}`
  }
  return {
    rows,
    next: urlAt('next', (backwards ? cursor : hasMore) ? rows.at(-1) : undefined),
    previous: urlAt('previous', (backwards ? hasMore : cursor) ? rows[0] : undefined),
  }
}

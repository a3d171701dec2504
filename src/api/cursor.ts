/** Pages by the boundary row instead of an offset, so new rows do not shift a page. */
import { isUuid } from '../auth/access.ts'
import { invalid } from '../errors.ts'
import { parseIso } from '../time/iso.ts'
import type { RequestUrl } from './handler-context.ts'
import { Page, paging } from './page.ts'
import { urlWith } from './query-parameters.ts'

interface Cursor {
  direction: 'next' | 'previous'
  at: Position
}

/** The value that a list is sorted by, and the id. */
type Position = [value: string, id: string]

const formatCursor = ({ direction, at }: Cursor): string =>
  Buffer.from([direction, ...at].join(' ')).toString('base64url')

/** The times that lists are sorted by. `Date.parse` would accept text in parentheses, with NUL characters. */
const STORED_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(\d{3})?Z$/

/** Throws `invalid_input`. */
function parseCursor(text: string): Cursor {
  const [direction, value, id] = Buffer.from(text, 'base64url').toString().split(' ')
  const isDirection = direction === 'next' || direction === 'previous'
  const isTime = value !== undefined && STORED_TIME.test(value) && parseIso(value)
  if (!isDirection || !isTime || !id || !isUuid(id))
    throw invalid('cursor', '"cursor" is not valid. Take it from "next" or "previous" of a page.')
  return { direction, at: [value, id.toLowerCase()] }
}

interface CursorCall {
  url: RequestUrl
  query: { cursor?: string; limit?: number }
}

interface Slice {
  /** The boundary row, which is not included. */
  at: Position | undefined
  /** Whether the page is before that row. The rows are then found in reverse order. */
  backwards: boolean
  limit: number
}

/** A page of a list that is paged by cursor. `read` finds the rows. */
export async function cursorPage<Row, Item>(
  { url, query }: CursorCall,
  read: (slice: Slice) => Promise<readonly Row[]>,
  positionOf: (row: Row) => Position,
  serialize: (row: Row) => Item,
): Promise<Page<Row, Item, undefined>> {
  const { limit } = paging(query)
  const cursor = query.cursor === undefined ? undefined : parseCursor(query.cursor)
  const backwards = cursor?.direction === 'previous'
  const found = await read({ at: cursor?.at, backwards, limit: limit + 1 })
  const rows = found.slice(0, limit)
  if (backwards) rows.reverse()
  const hasMore = found.length > limit
  const urlAt = (direction: Cursor['direction'], row: Row | undefined): string | null =>
    row ? urlWith(url, { cursor: formatCursor({ direction, at: positionOf(row) }) }) : null
  const next = urlAt('next', (backwards ? cursor : hasMore) ? rows.at(-1) : undefined)
  const previous = urlAt('previous', (backwards ? hasMore : cursor) ? rows[0] : undefined)
  return new Page(undefined, next, previous, rows, serialize)
}

/** The view of the query page as stored in its URL. */

export interface QuerySearch {
  /** The text in the editor. */
  q?: string
  /** Whether the text has changed since it was run. A text that was run is run again when the page is opened. */
  draft?: true
  view?: 'chart'
  /** The number of the column that sorts the rows, from 1. Negative for descending order. */
  sort?: number
  /** The numbers of the columns of the chart, from 1. */
  x?: number
  y?: number
}

export const parseSearch = ({ q, draft, view, sort, x, y }: Record<string, unknown>): QuerySearch => ({
  q: text(q),
  draft: draft === true ? true : undefined,
  view: view === 'chart' ? view : undefined,
  sort: column(sort),
  x: column(x),
  y: column(y),
})

/** The router parses digits and `true` as numbers and booleans. Positions of errors count lines that end with a line feed. */
const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value).replace(/\r\n?/g, '\n') || undefined
    : undefined

const column = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && value !== 0 ? Number(value) : undefined

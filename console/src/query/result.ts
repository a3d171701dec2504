/** The rows of a result: their order, their text, and their form as files and bars. */
import { cellText, csvRow } from '../../../src/api/csv.ts'
import type { ChartData } from '../parts/chart-options.ts'
import { ONLY_COLOR } from '../parts/series-colors.ts'
import type { QueryResult } from './queries.ts'

export type Row = QueryResult['results'][number]

const typeOf = ({ types }: QueryResult, column: number): string =>
  (types[column]?.[1] ?? '').replace(/^Nullable\((.*)\)$/, '$1')

export const isNumeric = (result: QueryResult, column: number): boolean =>
  /^(?:U?Int64|Float64)$/.test(typeOf(result, column))

const isTime = (result: QueryResult, column: number): boolean => /^Date/.test(typeOf(result, column))

/** The text of a cell in the table. Files have nothing for NULL. */
export const shownText = (value: unknown): string => (value === null ? 'NULL' : cellText(value))

const collator = new Intl.Collator(undefined, { numeric: true })

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return collator.compare(cellText(a), cellText(b))
}

/** `sort`: the number of a column from 1, negative for descending order. Rows without a value come last. */
export function sortedRows({ results, columns }: QueryResult, sort: number | undefined): Row[] {
  const column = Math.abs(sort ?? 0) - 1
  if (sort === undefined || column >= columns.length) return results
  const sign = Math.sign(sort)
  return results.toSorted((left, right) => {
    const [a, b] = [left[column], right[column]]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    return sign * compare(a, b)
  })
}

export const csvOf = ({ columns }: QueryResult, rows: Row[]): string =>
  [csvRow(columns), ...rows.map((row) => csvRow(row.map(cellText)))].join('')

/** A list of objects with the columns as keys. */
export const jsonOf = ({ columns }: QueryResult, rows: Row[]): string =>
  `[\n${rows.map((row) => JSON.stringify(Object.fromEntries(columns.map((name, i) => [name, row[i]])))).join(',\n')}\n]\n`

/** More bars than a screen has pixels. */
export const MAX_BARS = 1_000

export interface ChartColumns {
  /** Undefined for the number of the row. */
  x: number | undefined
  y: number
}

/** The chosen columns, else a time or the first other column, and the last number. Undefined without numbers. */
export function chartColumns(result: QueryResult, chosen: { x?: number; y?: number }): ChartColumns | undefined {
  const columns = result.columns.map((_, i) => i)
  const numbers = columns.filter((column) => isNumeric(result, column))
  const y = numbers.find((column) => column === (chosen.y ?? 0) - 1) ?? numbers.at(-1)
  if (y === undefined) return undefined
  const others = columns.filter((column) => column !== y)
  const x =
    others.find((column) => column === (chosen.x ?? 0) - 1) ??
    others.find((column) => isTime(result, column)) ??
    others.find((column) => !isNumeric(result, column)) ??
    others[0]
  return { x, y }
}

/** A bar for each row. They are over time if each row has a time of its own, else in the order of the rows. */
export function chartOf(result: QueryResult, rows: Row[], { x, y }: ChartColumns): { data: ChartData; rows: Row[] } {
  const seriesOf = (rows: Row[]): ChartData['series'] => [
    { name: result.columns[y] ?? '', counts: rows.map(valueAt(y)), color: ONLY_COLOR, shape: 'bars' },
  ]
  const shown = rows.slice(0, MAX_BARS)
  if (x !== undefined && isTime(result, x)) {
    const timed = shown
      .map((row) => ({ row, start: Date.parse(String(row[x])) / 1000 }))
      .sort((a, b) => a.start - b.start)
    const starts = timed.map(({ start }) => start)
    const steps = starts.slice(1).map((start, i) => start - (starts[i] ?? 0))
    if (!starts.some(Number.isNaN) && steps.every((step) => step > 0)) {
      const sorted = timed.map(({ row }) => row)
      return { rows: sorted, data: { starts, length: lengthOf(steps), series: seriesOf(sorted) } }
    }
  }
  const names = shown.map((row, i) => (x === undefined ? String(i + 1) : shownText(row[x])))
  return { rows: shown, data: { starts: names.map((_, i) => i), length: 1, series: seriesOf(shown), names } }
}

const valueAt =
  (column: number) =>
  (row: Row): number =>
    Number(row[column] ?? 0)

const DAY = 86_400

/** The shortest step between bars. */
const lengthOf = (steps: number[]): number => steps.reduce((least, step) => Math.min(least, step), steps[0] ?? DAY)

import { UnstyledButton } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import { count } from '../parts/format.ts'
import { ChevronDownIcon } from '../parts/icons.tsx'
import type { QueryResult } from './queries.ts'
import { isNumeric, type Row, shownText } from './result.ts'

const ROW_HEIGHT = 34
/** The header and 15 rows and a half, so it can be seen that there are more. */
const MAX_HEIGHT = 38 + 15.5 * ROW_HEIGHT
/** Widths in characters. */
const MIN_WIDTH = 6
const MAX_WIDTH = 44
/** The rows that decide the widths of columns. Reading 50,000 would delay the table. */
const MEASURED_ROWS = 1_000

/** Renders the visible rows only. The widths are fixed, so scrolling moves no column. */
export function ResultTable({
  result,
  rows,
  sort,
  onSort,
  onOpen,
}: {
  result: QueryResult
  rows: Row[]
  sort: number | undefined
  onSort: (sort: number | undefined) => void
  /** Shows all of a row. */
  onOpen: (index: number) => void
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const widths = useMemo(() => widthsOf(result), [result])
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  })
  const items = virtualizer.getVirtualItems()
  const above = items[0]?.start ?? 0
  const below = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0)
  const numberWidth = count(rows.length).length + 1
  return (
    <section
      ref={scroller}
      className="result-scroller"
      style={{ maxHeight: MAX_HEIGHT }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the table.
      tabIndex={0}
      aria-label="Rows of the result"
    >
      <table className="result-table" aria-label="Result" aria-rowcount={rows.length + 1}>
        <colgroup>
          <col style={{ width: `calc(${numberWidth}ch + 1rem)` }} />
          {widths.map((width, i) => (
            <col key={result.columns[i]} style={{ width: `calc(${width}ch + 1.5rem)` }} />
          ))}
          <col />
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" className="result-number">
              #
            </th>
            {result.columns.map((name, i) => (
              <Header key={name} name={name} number={i + 1} isNumber={isNumeric(result, i)} {...{ sort, onSort }} />
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          <Filler height={above} columns={widths.length + 2} />
          {items.map(({ index }) => (
            <tr key={index} aria-rowindex={index + 2}>
              <td className="result-number">
                <UnstyledButton
                  className="result-open"
                  onClick={() => onOpen(index)}
                  aria-label={`Show row ${index + 1}`}
                >
                  {count(index + 1)}
                </UnstyledButton>
              </td>
              {rows[index]?.map((value, i) => (
                <Cell key={result.columns[i]} value={value} isNumber={isNumeric(result, i)} />
              ))}
              <td />
            </tr>
          ))}
          <Filler height={below} columns={widths.length + 2} />
        </tbody>
      </table>
    </section>
  )
}

function Header({
  name,
  number,
  isNumber,
  sort,
  onSort,
}: {
  name: string
  number: number
  isNumber: boolean
  sort: number | undefined
  onSort: (sort: number | undefined) => void
}) {
  const order = sort === number ? 'ascending' : sort === -number ? 'descending' : undefined
  // Ascending, descending, then the order of the query.
  const next = order === undefined ? number : order === 'ascending' ? -number : undefined
  return (
    <th scope="col" aria-sort={order ?? 'none'} data-number={isNumber || undefined}>
      <UnstyledButton className="result-sort" onClick={() => onSort(next)} title={name}>
        <span className="result-name">{name}</span>
        <span className="result-order" data-order={order}>
          <ChevronDownIcon size={14} />
        </span>
      </UnstyledButton>
    </th>
  )
}

function Cell({ value, isNumber }: { value: unknown; isNumber: boolean }) {
  const text = shownText(value)
  return (
    <td data-number={isNumber || undefined} data-null={value === null || undefined} title={text.slice(0, 1_000)}>
      {text.slice(0, 200)}
    </td>
  )
}

function Filler({ height, columns }: { height: number; columns: number }) {
  return (
    height > 0 && (
      <tr aria-hidden className="result-filler">
        <td colSpan={columns} style={{ height }} />
      </tr>
    )
  )
}

function widthsOf({ columns, results }: QueryResult): number[] {
  const step = Math.ceil(results.length / MEASURED_ROWS)
  const measured = results.filter((_, i) => i % step === 0 || i === results.length - 1)
  return columns.map((name, i) => {
    const lengths = measured.map((row) => shownText(row[i]).length)
    // The header has room for the sign of the order.
    const longest = lengths.reduce((most, length) => Math.max(most, length), name.length + 3)
    return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, longest + 1))
  })
}

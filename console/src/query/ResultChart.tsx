import { Group, NativeSelect, Skeleton, Text } from '@mantine/core'
import { lazy, Suspense, useMemo } from 'react'
import { plural } from '../parts/format.ts'
import type { QueryResult } from './queries.ts'
import { chartColumns, chartOf, isNumeric, MAX_BARS, type Row, shownText } from './result.ts'
import type { QuerySearch } from './search.ts'

const Chart = lazy(() => import('../parts/Chart.tsx').then(({ Chart }) => ({ default: Chart })))

const HEIGHT = 320

/** The last number of each row as a bar. The table has the same rows as text. */
export function ResultChart({
  result,
  rows,
  search: { x, y },
  onChange,
}: {
  result: QueryResult
  rows: Row[]
  search: QuerySearch
  onChange: (change: Pick<QuerySearch, 'x' | 'y'>) => void
}) {
  const columns = useMemo(() => chartColumns(result, { x, y }), [result, x, y])
  const drawn = useMemo(() => columns && chartOf(result, rows, columns), [result, rows, columns])
  if (!columns || !drawn)
    return (
      <Text c="dimmed" ta="center" py="xl">
        A chart needs a column with numbers, such as count().
      </Text>
    )
  const { data } = drawn
  const nameOf = (column: number | undefined): string =>
    column === undefined ? 'row' : (result.columns[column] ?? 'row')
  const labelOf = (index: number): string => {
    const row = drawn.rows[index] ?? []
    const others = result.columns.flatMap((_, i) => (i === columns.y ? [] : [shownText(row[i]).slice(0, 60)]))
    return `${others.join(' · ') || `Row ${index + 1}`}: ${shownText(row[columns.y])}`
  }
  const all = result.columns.map((label, i) => ({ label, value: String(i + 1) }))
  const numbers = all.filter((_, i) => isNumeric(result, i))
  const others = all.filter((_, i) => i !== columns.y)
  return (
    <>
      {(numbers.length > 1 || others.length > 1) && (
        <Group gap="sm" mb="sm">
          <NativeSelect
            size="xs"
            label="Bars"
            data={numbers}
            value={String(columns.y + 1)}
            disabled={numbers.length < 2}
            onChange={(event) => onChange({ y: Number(event.currentTarget.value), x: undefined })}
          />
          {columns.x !== undefined && (
            <NativeSelect
              size="xs"
              label="Across"
              data={others}
              value={String(columns.x + 1)}
              disabled={others.length < 2}
              onChange={(event) => onChange({ x: Number(event.currentTarget.value) })}
            />
          )}
        </Group>
      )}
      <Suspense fallback={<Skeleton h={HEIGHT} />}>
        <Chart
          data={data}
          height={HEIGHT}
          summary={`Chart of ${nameOf(columns.y)} by ${nameOf(columns.x)}, ${plural(data.starts.length, 'bar')}. The table shows all rows.`}
          labelOf={labelOf}
        />
      </Suspense>
      {rows.length > MAX_BARS && (
        <Text size="xs" c="dimmed">
          The chart shows the first {MAX_BARS.toLocaleString()} rows.
        </Text>
      )}
    </>
  )
}

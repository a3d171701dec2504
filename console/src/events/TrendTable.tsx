import { Anchor, Table } from '@mantine/core'
import type { ChartData } from '../parts/chart-options.ts'
import { count } from '../parts/format.ts'
import { intervalLabel } from './interval-label.ts'
import type { Trend } from './trend.ts'

/** The intervals with events. Each leads to its events, as a click on its bar does. */
export function TrendTable({
  trend,
  data: { starts, length, series },
  select,
}: {
  trend: Trend
  data: ChartData
  select: (from: number, to: number) => void
}) {
  const rows = starts
    .map((start, index) => ({ start, index }))
    .filter(({ index }) => series.some(({ counts }) => counts[index]))
    .reverse()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the table.
    <section className="trend-table" tabIndex={0} aria-label="Numbers of the chart">
      <Table aria-label="Events per interval" verticalSpacing={4} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Interval</Table.Th>
            {series.map(({ name, color }) => (
              <Table.Th key={`${color} ${name}`} ta="end">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ start, index }) => (
            <Table.Tr key={start}>
              <Table.Td>
                <Anchor component="button" type="button" size="sm" onClick={() => select(start, start + length)}>
                  {intervalLabel(trend, index)}
                </Anchor>
              </Table.Td>
              {series.map(({ name, color, counts }) => (
                <Table.Td key={`${color} ${name}`} ta="end">
                  {count(counts[index] ?? 0)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}

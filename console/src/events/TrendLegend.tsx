import { Skeleton, UnstyledButton } from '@mantine/core'
import { count } from '../parts/format.ts'
import { Swatch } from '../parts/Swatch.tsx'
import { seriesColor, seriesFilter, seriesName } from './series.ts'
import type { Trend } from './trend.ts'
import type { View } from './view.ts'

/** The series with their totals. A click shows only the events of one. Its height does not depend on their number. */
export function Legend({ trend, view: { search, filter } }: { trend: Trend | undefined; view: View }) {
  if (!trend) return <Skeleton className="trend-legend" />
  return (
    <ul className="trend-legend" aria-label="Series">
      {trend.series.map(({ value, total }, i) => {
        const name = seriesName(value, search)
        const change = seriesFilter(value, search)
        const content = (
          <>
            <Swatch color={seriesColor(value, i)} />
            <span className="trend-name">{name}</span>
            {total !== null && <span className="trend-total">{count(total)}</span>}
          </>
        )
        return (
          <li key={`${value.kind} ${name}`}>
            {change ? (
              <UnstyledButton
                className="trend-series"
                title={`Show only ${name}`}
                aria-label={`Show only ${name}${total === null ? '' : `, ${count(total)}`}`}
                onClick={() => filter(change)}
              >
                {content}
              </UnstyledButton>
            ) : (
              <span className="trend-series">{content}</span>
            )}
          </li>
        )
      })}
    </ul>
  )
}

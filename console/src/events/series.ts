/** The series of the chart: their names and colors, and the filters that a click on one adds. */
import type { ChartData } from '../parts/chart-options.ts'
import { BEFORE_COLOR, NONE_COLOR, ONLY_COLOR, REST_COLOR, SERIES_COLORS } from '../parts/series-colors.ts'
import { SECONDS } from './range.ts'
import type { Breakdown, EventsSearch } from './search.ts'
import type { SeriesValue, Trend } from './trend.ts'

export const nounOf = ({ measure }: EventsSearch): string => (measure === 'persons' ? 'person' : 'event')

/** For example "event name" or "person property plan". */
export const breakdownText = (breakdown: Breakdown): string =>
  breakdown.type === 'name' ? 'event name' : breakdown.type === 'person' ? `person ${breakdown.key}` : breakdown.key

export function seriesName(value: SeriesValue, { measure }: EventsSearch): string {
  switch (value.kind) {
    case 'value':
      return value.value === '' ? '(empty)' : value.value
    case 'none':
      return 'Not set'
    case 'rest':
      return 'All others'
    default:
      return measure === 'persons' ? 'Persons' : 'Events'
  }
}

export function seriesColor({ kind }: SeriesValue, index: number): string {
  if (kind === 'none') return NONE_COLOR
  if (kind === 'rest') return REST_COLOR
  return kind === 'all' ? ONLY_COLOR : (SERIES_COLORS[index] ?? REST_COLOR)
}

/** The change of the search that keeps the events of a series only. Undefined if no filter can. */
export function seriesFilter(
  value: SeriesValue,
  { breakdown, properties = [] }: EventsSearch,
): EventsSearch | undefined {
  if (!breakdown || value.kind === 'all' || value.kind === 'rest') return undefined
  if (breakdown.type === 'name') return value.kind === 'value' ? { event: [value.value] } : undefined
  const condition =
    value.kind === 'value'
      ? ({ operator: 'exact', value: value.value } as const)
      : ({ operator: 'is_not_set' } as const)
  return { properties: [...properties, { ...breakdown, ...condition }] }
}

/** A person can be in several series, so persons are not stacked. */
export function chartOf(trend: Trend, before: Trend | undefined, search: EventsSearch): ChartData {
  const { interval, starts, series } = trend
  const shape = search.measure === 'persons' && search.breakdown ? 'line' : 'bars'
  return {
    starts,
    length: SECONDS[interval],
    series: [
      ...series.map(({ value, counts }, i) => ({
        name: seriesName(value, search),
        counts,
        color: seriesColor(value, i),
        shape: shape as 'line' | 'bars',
      })),
      ...(before
        ? [
            {
              name: BEFORE,
              counts: starts.map((_, i) => before.series[0]?.counts[i] ?? 0),
              color: BEFORE_COLOR,
              shape: 'dashes' as const,
            },
          ]
        : []),
    ],
  }
}

export const BEFORE = 'Period before'

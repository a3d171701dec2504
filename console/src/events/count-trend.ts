/** Counts events or persons with the query operation. */
import { answer, client } from '../api.ts'
import { conditionsOf, groupText } from './conditions.ts'
import { startsOf, type TimeRange } from './range.ts'
import type { Breakdown, EventsSearch, Interval } from './search.ts'
import { sum, type Trend, type TrendSeries } from './trend.ts'

const STARTS: Record<Interval, string> = {
  minute: 'toStartOfMinute(timestamp)',
  hour: 'toStartOfHour(timestamp)',
  day: 'toStartOfDay(timestamp)',
  week: 'toStartOfWeek(timestamp)',
}
/** The number of values with a series of their own. */
export const LARGEST = 10
/** The largest number of rows of a query. */
const MAX_ROWS = 50_000

type Series = Pick<Trend, 'series' | 'total'>

export async function countTrend(
  project_id: string,
  search: EventsSearch & { interval: Interval },
  range: TimeRange,
  signal: AbortSignal,
): Promise<Omit<Trend, 'counted' | 'took_ms'>> {
  const { interval, breakdown, measure } = search
  const { where, values } = conditionsOf(search)
  const question: Question = {
    start: STARTS[interval],
    starts: startsOf(range, interval),
    counts: measure === 'persons' ? 'uniq(person_id)' : 'count()',
    isAdditive: measure === undefined,
    where,
    run: async (text, more) => {
      const dateRange = { date_from: iso(range.from), date_to: iso(range.to) }
      const query = { kind: 'HogQLQuery' as const, query: text, values: { ...values, ...more }, filters: { dateRange } }
      const { results } = await answer(
        client.POST('/api/projects/{project_id}/query/', { params: { path: { project_id } }, body: { query }, signal }),
      )
      return results
    },
  }
  const { starts } = question
  return { interval, range, starts, ...(await (breakdown ? countByValue(question, breakdown) : countAll(question))) }
}

interface Question {
  /** The start of the interval of an event, in HogQL. */
  start: string
  starts: number[]
  /** The measure in HogQL. */
  counts: string
  /** Whether the counts of intervals add up to that of the range. Persons of several intervals are counted in each. */
  isAdditive: boolean
  where: string
  run: (text: string, values?: Record<string, unknown>) => Promise<unknown[][]>
}

async function countAll({ start, starts, counts, where, run }: Question): Promise<Series> {
  const [totals, rows] = await Promise.all([
    run(`SELECT ${counts} FROM events${where}`),
    run(`SELECT ${start} AS start, ${counts} FROM events${where} GROUP BY start LIMIT ${MAX_ROWS}`),
  ])
  const total = Number(totals[0]?.[0] ?? 0)
  const countsOf = seriesOf(
    rows.map(([start, count]) => [start, REST, count]),
    starts,
  )
  return { total, series: [{ value: { kind: 'all' }, counts: countsOf(REST), total }] }
}

async function countByValue(
  { start, starts, counts, isAdditive, where, run }: Question,
  breakdown: Breakdown,
): Promise<Series> {
  const value = groupText(breakdown)
  // One more for events without the property, and one more to know whether there is a rest.
  const groups = await run(
    `SELECT ${value} AS value, ${counts} AS total FROM events${where} GROUP BY value ORDER BY total DESC LIMIT ${LARGEST + 2}`,
  )
  if (groups.length === 0) return { total: 0, series: [] }
  const named = groups.filter(([value]) => value !== null).slice(0, LARGEST)
  const none = groups.find(([value]) => value === null)
  const branches = [
    ...(breakdown.type === 'name' ? [] : [`isNull(${value}), '${NONE}'`]),
    ...(named.length ? [`${value} IN {largest}, concat('${VALUE}', ${value})`] : []),
  ]
  const rows = await run(
    `SELECT ${start} AS start, multiIf(${branches.join(', ')}, '${REST}') AS series, ${counts}
      FROM events${where} GROUP BY start, series LIMIT ${MAX_ROWS}`,
    { largest: named.map(([value]) => value) },
  )
  const countsOf = seriesOf(rows, starts)
  const series: TrendSeries[] = named.map(([value, total]) => ({
    value: { kind: 'value', value: String(value) },
    counts: countsOf(VALUE + String(value)),
    total: Number(total),
  }))
  for (const kind of [NONE, REST] as const) {
    if (!rows.some(([, name]) => name === kind)) continue
    const counts = countsOf(kind)
    const known = kind === NONE && none ? Number(none[1]) : null
    series.push({ value: { kind }, counts, total: isAdditive ? sum(counts) : known })
  }
  return { series, total: isAdditive ? sum(series.map(({ total }) => total ?? 0)) : null }
}

/** The names of series in the results of a query. Values have a prefix, so none is taken for another series. */
const NONE = 'none'
const REST = 'rest'
const VALUE = '='

/** The rows have a start, the name of a series, and a count. Returns the counts of a series for all intervals. */
function seriesOf(rows: unknown[][], starts: number[]): (name: string) => number[] {
  const found = new Map(rows.map(([start, name, count]) => [`${Date.parse(String(start)) / 1000} ${name}`, count]))
  return (name) => starts.map((start) => Number(found.get(`${start} ${name}`) ?? 0))
}

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()

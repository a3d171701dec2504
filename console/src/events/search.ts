/** The view of the events page as stored in its URL. */

export const OPERATORS = [
  'exact',
  'is_not',
  'icontains',
  'not_icontains',
  'regex',
  'not_regex',
  'gt',
  'gte',
  'lt',
  'lte',
  'is_set',
  'is_not_set',
  'is_date_exact',
  'is_date_before',
  'is_date_after',
] as const
export type Operator = (typeof OPERATORS)[number]

export const takesValue = (operator: Operator): boolean => operator !== 'is_set' && operator !== 'is_not_set'

type Scalar = string | number | boolean

/** A condition as the API takes it in `properties`. */
export interface PropertyFilter {
  key: string
  operator: Operator
  /** Several values mean any of them. Missing if the operator takes none. */
  value?: Scalar | Scalar[]
  type: 'event' | 'person'
}

export const TABS = ['properties', 'person', 'elements', 'json'] as const
export type Tab = (typeof TABS)[number]

export const INTERVALS = ['minute', 'hour', 'day', 'week'] as const
export type Interval = (typeof INTERVALS)[number]

/** The series of the chart: one for each event name, or for each value of a property. */
export type Breakdown = { type: 'name' } | { type: 'event' | 'person'; key: string }

export interface EventsSearch {
  /** A relative time such as `-7d`, an ISO time (inclusive), or ALL. Without it, DEFAULT_AFTER. */
  after?: string
  before?: string
  event?: string[]
  properties?: PropertyFilter[]
  distinct_id?: string
  person_id?: string
  where?: string
  live?: true
  /** The chart counts persons instead of events. */
  measure?: 'persons'
  /** Without it, one that suits the time range. */
  interval?: Interval
  breakdown?: Breakdown
  /** The chart also shows the period before. */
  compare?: true
  /** The numbers of the chart are shown as a table. */
  table?: true
  /** The id of the unfolded event, and which of its parts is shown. */
  open?: string
  tab?: Tab
  /** Part of a property name or value in the unfolded event. */
  find?: string
}

export const ALL = 'all'
export const DEFAULT_AFTER = '-24h'

export const parseSearch = (search: Record<string, unknown>): EventsSearch => ({
  after: text(search.after),
  before: text(search.before),
  event: nonEmpty([search.event].flat().map(text)),
  properties: nonEmpty([search.properties].flat().map(propertyFilter)),
  distinct_id: text(search.distinct_id),
  person_id: text(search.person_id),
  where: text(search.where),
  live: search.live === true ? true : undefined,
  measure: search.measure === 'persons' ? 'persons' : undefined,
  interval: INTERVALS.find((interval) => interval === search.interval),
  breakdown: breakdown(search.breakdown),
  compare: search.compare === true ? true : undefined,
  table: search.table === true ? true : undefined,
  open: text(search.open),
  tab: TABS.find((tab) => tab === search.tab),
  find: text(search.find),
})

/** The router parses digits and `true` as numbers and booleans. */
const text = (value: unknown): string | undefined => (isScalar(value) && value !== '' ? String(value) : undefined)

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

function nonEmpty<Item>(items: (Item | undefined)[]): Item[] | undefined {
  const present = items.filter((item) => item !== undefined)
  return present.length ? present : undefined
}

function propertyFilter(item: unknown): PropertyFilter | undefined {
  if (typeof item !== 'object' || item === null) return undefined
  const { key, operator = 'exact', value, type } = item as Record<string, unknown>
  const known = OPERATORS.find((name) => name === operator)
  if (typeof key !== 'string' || key === '' || !known) return undefined
  const values = [value].flat().filter(isScalar)
  return {
    key,
    operator: known,
    value: Array.isArray(value) ? values : values[0],
    type: type === 'person' ? 'person' : 'event',
  }
}

function breakdown(value: unknown): Breakdown | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { type, key } = value as Record<string, unknown>
  if (type === 'name') return { type }
  return (type === 'event' || type === 'person') && typeof key === 'string' && key !== '' ? { type, key } : undefined
}

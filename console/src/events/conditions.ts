/** The filters of the events page as conditions of a HogQL query. They mean the same as the parameters of the event list. */
import { type Breakdown, type EventsSearch, type Operator, type PropertyFilter, takesValue } from './search.ts'

export interface Conditions {
  /** ` WHERE …`, or nothing. */
  where: string
  /** The values of its placeholders. */
  values: Record<string, unknown>
}

/** Values are placeholders, so they need no escaping. */
export function conditionsOf({ event, properties = [], distinct_id, person_id, where }: EventsSearch): Conditions {
  const values: Record<string, unknown> = {}
  const put: Put = (value) => {
    const name = `value_${Object.keys(values).length}`
    values[name] = value
    return `{${name}}`
  }
  const conditions = [
    ...(event ? [`event IN ${put(event)}`] : []),
    ...(distinct_id === undefined ? [] : [`distinct_id = ${put(distinct_id)}`]),
    ...(person_id === undefined ? [] : [`toString(person_id) = ${put(person_id)}`]),
    ...properties.map((filter) => propertyCondition(filter, put)),
    // A comment at the end of the expression must not hide the parenthesis.
    ...(where === undefined ? [] : [`(${where}\n)`]),
  ]
  return { where: conditions.length ? ` WHERE ${conditions.join(' AND ')}` : '', values }
}

/** The value that a breakdown groups events by. */
export const groupText = (breakdown: Breakdown): string =>
  breakdown.type === 'name' ? 'event' : propertyText(breakdown.type, breakdown.key)

const propertyText = (type: 'event' | 'person', key: string): string =>
  `${type === 'person' ? 'person.' : ''}properties['${key.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`

type Put = (value: unknown) => string

/** For these operators no value of a list may match; for all others one match suffices. */
const NEGATIVE: Operator[] = ['is_not', 'not_icontains', 'not_regex']

function propertyCondition({ type, key, operator, value }: PropertyFilter, put: Put): string {
  const property = propertyText(type, key)
  if (!takesValue(operator)) return `${property} IS ${operator === 'is_set' ? 'NOT ' : ''}NULL`
  const comparisons = [value ?? ''].flat().map((one) => comparison(property, operator, String(one), put))
  return `(${comparisons.join(NEGATIVE.includes(operator) ? ' AND ' : ' OR ') || 'true'})`
}

const SYMBOLS: Partial<Record<Operator, string>> = {
  exact: '=',
  is_not: '!=',
  icontains: 'ILIKE',
  not_icontains: 'NOT ILIKE',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
}

function comparison(property: string, operator: Operator, value: string, put: Put): string {
  if (operator.endsWith('regex')) return `${operator === 'regex' ? '' : 'NOT '}match(${property}, ${put(value)})`
  const symbol = SYMBOLS[operator]
  if (symbol === undefined) return dateComparison(property, operator, value, put)
  if (operator.endsWith('icontains')) return `${property} ${symbol} ${put(`%${value}%`)}`
  const isNumeric = operator.startsWith('gt') || operator.startsWith('lt')
  return isNumeric ? `toFloat(${property}) ${symbol} ${put(Number(value))}` : `${property} ${symbol} ${put(value)}`
}

/** A date means the whole day, a time the whole second. */
function dateComparison(property: string, operator: Operator, value: string, put: Put): string {
  const [stored, wanted] = [`toDateTime(${property})`, `toDateTime(${put(value)})`]
  const isDate = /^\s*\d{4}-\d{1,2}-\d{1,2}\s*$/.test(value)
  if (operator === 'is_date_before') return `${stored} < ${wanted}`
  if (operator === 'is_date_after') return isDate ? `${stored} >= addDays(${wanted}, 1)` : `${stored} > ${wanted}`
  const start = isDate ? 'toStartOfDay' : 'toStartOfSecond'
  return `${start}(${stored}) = ${start}(${wanted})`
}

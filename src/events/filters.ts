/** Parses the `properties` filter. Its three JSON shapes become one HogQL condition. */
import { AppError, invalid } from '../errors.ts'
import { call, constant, type Expr, field, list } from '../hogql/ast.ts'
import { parseDatetime } from '../hogql/datetime.ts'
import { HogqlError } from '../hogql/error.ts'
import { parseExpression } from '../hogql/parser.ts'
import { compileCondition } from '../hogql/print.ts'
import { elementCondition } from './element-filters.ts'

const MAX_DEPTH = 16
const DAY = 86_400_000_000
const SECOND = 1_000_000

/** Property types without data in this server. */
const UNSUPPORTED = new Set([
  'behavioral',
  'cohort',
  'data_warehouse',
  'data_warehouse_person_property',
  'event_metadata',
  'flag',
  'group',
  'log_entry',
  'meta',
  'precalculated-cohort',
  'recording',
  'session',
  'static-cohort',
])
const TYPES = ['event', 'person', 'element', 'feature', 'hogql']

const OPPOSITES: [string, string][] = [
  ['exact', 'is_not'],
  ['icontains', 'not_icontains'],
  ['regex', 'not_regex'],
  ['gt', 'lte'],
  ['lt', 'gte'],
  ['is_set', 'is_not_set'],
  ['is_date_before', 'is_date_after'],
]
const OPERATORS = [...OPPOSITES.flat(), 'is_date_exact']
/** For these operators no value of a list may match; for all others one match suffices. */
const NEGATIVE = new Set(['is_not', 'not_icontains', 'not_regex'])

type Scalar = string | number | boolean
type Json = Record<string, unknown>

/** The condition of a filter; undefined when it matches everything. */
export function parseFilter(texts: readonly string[], now: number): Expr | undefined {
  const parts = texts.filter((text) => text.trim() !== '').map((text) => shape(parsed(text), 'properties', now, 0))
  return all('and', parts)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid('properties', 'Send "properties" as JSON text: a list of {key, value, operator, type}.')
  }
}

function shape(value: unknown, at: string, now: number, depth: number): Expr | undefined {
  if (depth > MAX_DEPTH) throw invalid(at, `Groups are nested deeper than ${MAX_DEPTH} levels. Flatten them.`)
  if (Array.isArray(value)) return listed(value, 'and', at, now, depth)
  if (!isObject(value)) throw invalid(at, 'A filter is a list of items, a group {type, values}, or an object.')
  if (isGroup(value)) return group(value, at, now, depth)
  // A single item, as sent when the parameter is repeated.
  if ('key' in value && ('value' in value || 'operator' in value || 'type' in value)) return item(value, at, now)
  return all(
    'and',
    Object.entries(value).map(([key, wanted]) => legacy(key, wanted, at, now)),
  )
}

function group({ type, values }: Json, at: string, now: number, depth: number): Expr | undefined {
  const word = String(type).toLowerCase()
  if (word !== 'and' && word !== 'or') throw invalid(`${at}__type`, 'The type of a group is "AND" or "OR".')
  return listed(values as unknown[], word, `${at}__values`, now, depth)
}

function listed(values: unknown[], word: 'and' | 'or', at: string, now: number, depth: number): Expr | undefined {
  const groups = values.filter((value) => isObject(value) && isGroup(value)).length
  if (groups > 0 && groups < values.length)
    throw invalid(at, 'A list holds items or groups, not both. Put the items into a group of their own.')
  const parts = values.map((value, i) =>
    groups ? shape(value, `${at}__${i}`, now, depth + 1) : item(value, `${at}__${i}`, now),
  )
  // An alternative that matches everything makes the whole OR match everything.
  return word === 'or' && parts.includes(undefined) ? undefined : all(word, parts)
}

/** `{"$browser": "Chrome", "path__icontains": "blog"}` */
function legacy(key: string, value: unknown, at: string, now: number): Expr | undefined {
  const operator = OPERATORS.find((word) => key.endsWith(`__${word}`) && key.length > word.length + 2)
  return operator
    ? item({ key: key.slice(0, -operator.length - 2), value, operator }, `${at}__${key}`, now)
    : item({ key, value }, `${at}__${key}`, now)
}

function item(value: unknown, at: string, now: number): Expr | undefined {
  if (!isObject(value)) throw invalid(at, 'An item of a filter is an object {key, value, operator, type}.')
  const { key, type = 'event' } = value
  if (typeof type === 'string' && UNSUPPORTED.has(type))
    throw new AppError({
      code: 'unsupported_property_type',
      detail: `There is no data of type "${type}" here. Filter by ${TYPES.join(', ')}.`,
      attr: `${at}__type`,
    })
  if (typeof type !== 'string' || !TYPES.includes(type))
    throw invalid(`${at}__type`, `The type of an item is one of ${TYPES.join(', ')}.`, 'invalid_choice')
  if (typeof key !== 'string' || key === '')
    throw invalid(`${at}__key`, 'An item needs a "key": the property to look at.', 'required')
  try {
    if (type === 'hogql') return written(key, now)
    const operator = operatorOf(value, at)
    const values = valuesOf(value, operator, at)
    if (type === 'element') return elementCondition(key, operator, values.map(String), at)
    if (values.length === 0 && !operator.endsWith('set')) return undefined
    const property = field(1, type === 'person' ? ['person', 'properties', key] : ['properties', key])
    const built = condition(property, operator, values, at)
    // Compiled here to attribute errors to this item.
    compileCondition(built, { now })
    return built
  } catch (error) {
    if (error instanceof HogqlError) throw invalid(`${at}__${type === 'hogql' ? 'key' : 'value'}`, error.message)
    throw error
  }
}

function written(key: string, now: number): Expr {
  const expr = parseExpression(key)
  if (compileCondition(expr, { now }).aggregate)
    throw new HogqlError('A filter looks at one event at a time, so it cannot aggregate.', expr.at)
  return expr
}

function operatorOf({ operator = 'exact', negation }: Json, at: string): string {
  const known = operator ?? 'exact'
  if (typeof known !== 'string' || !OPERATORS.includes(known))
    throw invalid(`${at}__operator`, `The operator is one of ${OPERATORS.join(', ')}.`, 'invalid_choice')
  if (negation !== true && negation !== 'true') return known
  const pair = OPPOSITES.find((both) => both.includes(known))
  if (!pair) throw invalid(`${at}__negation`, `"${known}" has no opposite.`)
  return pair[0] === known ? pair[1] : pair[0]
}

function valuesOf({ value }: Json, operator: string, at: string): Scalar[] {
  if (operator === 'is_set' || operator === 'is_not_set') return []
  if (value === undefined || value === null)
    throw invalid(`${at}__value`, `An item needs a "value" to compare with, or the operator "is_set".`, 'required')
  const values = Array.isArray(value) ? value : [value]
  for (const one of values)
    if (!['string', 'number', 'boolean'].includes(typeof one))
      throw invalid(`${at}__value`, 'A value is a text, a number, true or false, or a list of those.')
  return values as Scalar[]
}

function condition(property: Expr, operator: string, values: Scalar[], at: string): Expr {
  if (operator === 'is_set') return call(1, 'isNotNull', [property])
  if (operator === 'is_not_set') return call(1, 'isNull', [property])
  const texts = values.map(String)
  if (operator === 'exact' && texts.length > 1)
    return call(1, 'in', [
      property,
      list(
        1,
        'tuple',
        texts.map((text) => constant(1, text)),
      ),
    ])
  return all(
    NEGATIVE.has(operator) ? 'and' : 'or',
    values.map((value) => compared(property, operator, value, at)),
  )!
}

function compared(property: Expr, operator: string, value: Scalar, at: string): Expr {
  const text = constant(1, String(value))
  switch (operator) {
    case 'exact':
      return call(1, 'equals', [property, text])
    case 'is_not':
      return call(1, 'notEquals', [property, text])
    case 'icontains':
      return call(1, 'ilike', [property, constant(1, `%${value}%`)])
    case 'not_icontains':
      return call(1, 'notILike', [property, constant(1, `%${value}%`)])
    case 'regex':
      return call(1, 'match', [property, text])
    case 'not_regex':
      return call(1, 'not', [call(1, 'match', [property, text])])
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return call(1, NUMERIC[operator], [call(1, 'toFloat', [property]), constant(1, numberIn(value, at), true)])
    default:
      return dated(property, operator, String(value), at)
  }
}

const NUMERIC = { gt: 'greater', gte: 'greaterOrEquals', lt: 'less', lte: 'lessOrEquals' } as const

function numberIn(value: Scalar, at: string): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number))
    throw invalid(`${at}__value`, 'This operator compares numbers. Send a number.')
  return number
}

/** A date means the whole day, a time the whole second. */
function dated(property: Expr, operator: string, value: string, at: string): Expr {
  const start = parseDatetime(value)
  if (start === null)
    throw invalid(`${at}__value`, 'This operator compares times. Send one such as 2026-11-02 09:15:00.')
  const bare = /^\s*\d{4}-\d{1,2}-\d{1,2}\s*$/.test(value)
  const from = start - (((start % SECOND) + SECOND) % SECOND)
  const stored = call(1, 'toDateTime', [property])
  const to = (name: string, time: number): Expr => call(1, name, [stored, call(1, 'toDateTime', [timeText(time)])])
  if (operator === 'is_date_before') return to('less', start)
  if (operator === 'is_date_after') return bare ? to('greaterOrEquals', start + DAY) : to('greater', start)
  return call(1, 'and', [to('greaterOrEquals', from), to('less', from + (bare ? DAY : SECOND))])
}

const timeText = (microseconds: number): Expr => {
  const milliseconds = Math.floor(microseconds / 1000)
  const rest = String(microseconds - milliseconds * 1000).padStart(3, '0')
  return constant(1, new Date(milliseconds).toISOString().replace('Z', `${rest}Z`))
}

/** Joins conditions as a balanced tree; undefined for none. */
export function all(word: 'and' | 'or', parts: readonly (Expr | undefined)[]): Expr | undefined {
  const present = parts.filter((part) => part !== undefined)
  return present.length > 1 ? call(1, word, present) : present[0]
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const isGroup = (value: Json): boolean =>
  Array.isArray(value.values) && typeof value.type === 'string' && !('key' in value)

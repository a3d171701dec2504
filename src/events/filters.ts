/** Parses property filters. The three JSON shapes of `properties` become one HogQL condition. */
import { AppError, invalid } from '../errors.ts'
import { call, constant, type Expr, field, list } from '../hogql/ast.ts'
import { parseDatetime } from '../hogql/datetime.ts'
import { HogqlError, invalidHogql } from '../hogql/error.ts'
import { parseExpression } from '../hogql/parser.ts'
import { compileCondition } from '../hogql/print.ts'
import { isJsonObject, type JsonObject } from '../json/object.ts'
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

/** Returns undefined for a filter that matches everything. */
export function parseFilter(texts: readonly string[], now: number): Expr | undefined {
  const parts = texts
    .filter((text) => text.trim() !== '')
    .map((text) => parseNode(parseJson(text), 'properties', now, 0))
  return combine('and', parts)
}

/** Events whose property equals one of the texts, in any case. */
export function equalsAnyCase(key: string, texts: readonly string[]): Expr | undefined {
  const property = call(1, 'lower', [field(1, ['properties', key])])
  return combine(
    'or',
    texts.map((text) => call(1, 'equals', [property, call(1, 'lower', [constant(1, text)])])),
  )
}

/** A list of conditions that is already parsed. `attr` names it in errors. Returns undefined if it matches everything. */
export const parseFilterList = (list: readonly unknown[], attr: string, now: number): Expr | undefined =>
  parseNode(list, attr, now, 0)

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid('properties', '"properties" must be JSON: a list of {key, value, operator, type}.')
  }
}

function parseNode(value: unknown, at: string, now: number, depth: number): Expr | undefined {
  if (depth > MAX_DEPTH) throw invalid(at, `Groups are nested deeper than ${MAX_DEPTH} levels. Flatten them.`)
  if (Array.isArray(value)) return parseList(value, 'and', at, now, depth)
  if (!isJsonObject(value)) throw invalid(at, 'A filter must be a list of items, a group {type, values} or an object.')
  if (isGroup(value)) return parseGroup(value, at, now, depth)
  // A single item, as sent when the parameter is repeated.
  if ('key' in value && ('value' in value || 'operator' in value || 'type' in value)) return parseItem(value, at, now)
  return combine(
    'and',
    Object.entries(value).map(([key, wanted]) => parseLegacyItem(key, wanted, at, now)),
  )
}

function parseGroup({ type, values }: Group, at: string, now: number, depth: number): Expr | undefined {
  const operator = type.toLowerCase()
  if (operator !== 'and' && operator !== 'or') throw invalid(`${at}__type`, 'The type of a group must be AND or OR.')
  return parseList(values, operator, `${at}__values`, now, depth)
}

function parseList(
  values: unknown[],
  operator: 'and' | 'or',
  at: string,
  now: number,
  depth: number,
): Expr | undefined {
  const groups = values.filter((value) => isJsonObject(value) && isGroup(value)).length
  if (groups > 0 && groups < values.length)
    throw invalid(at, 'A list must not mix items and groups. Put the items into a group.')
  const parts = values.map((value, i) =>
    groups ? parseNode(value, `${at}__${i}`, now, depth + 1) : parseItem(value, `${at}__${i}`, now),
  )
  // An alternative that matches everything makes the whole OR match everything.
  return operator === 'or' && parts.includes(undefined) ? undefined : combine(operator, parts)
}

/** `{"$browser": "Chrome", "path__icontains": "blog"}` */
function parseLegacyItem(key: string, value: unknown, at: string, now: number): Expr | undefined {
  const operator = OPERATORS.find((word) => key.endsWith(`__${word}`) && key.length > word.length + 2)
  return operator
    ? parseItem({ key: key.slice(0, -operator.length - 2), value, operator }, `${at}__${key}`, now)
    : parseItem({ key, value }, `${at}__${key}`, now)
}

function parseItem(value: unknown, at: string, now: number): Expr | undefined {
  if (!isJsonObject(value)) throw invalid(at, 'A filter item must be an object {key, value, operator, type}.')
  const { key, type = 'event' } = value
  if (typeof type === 'string' && UNSUPPORTED.has(type))
    throw new AppError({
      code: 'unsupported_property_type',
      detail: `Properties of type "${type}" are not supported. Use one of: ${TYPES.join(', ')}.`,
      attr: `${at}__type`,
    })
  if (typeof type !== 'string' || !TYPES.includes(type))
    throw invalid(`${at}__type`, `The type of a filter item must be one of: ${TYPES.join(', ')}.`, 'invalid_choice')
  if (typeof key !== 'string' || key === '')
    throw invalid(`${at}__key`, 'A filter item needs a "key", the name of a property.', 'required')
  try {
    if (type === 'hogql') return parseCondition(key, now)
    const operator = operatorOf(value, at)
    const values = parseValues(value, operator, at)
    if (type === 'element') return elementCondition(key, operator, values.map(String), at)
    if (values.length === 0 && !operator.endsWith('set')) return undefined
    const property = field(1, type === 'person' ? ['person', 'properties', key] : ['properties', key])
    const built = condition(property, operator, values, at)
    // Compiled here to attribute errors to this item.
    compileCondition(built, { now })
    return built
  } catch (error) {
    if (!(error instanceof HogqlError)) throw error
    throw type === 'hogql' ? invalidHogql(`${at}__key`, error, key) : invalid(`${at}__value`, error.message)
  }
}

/** A HogQL condition for single events. Throws HogqlError. */
export function parseCondition(text: string, now: number): Expr {
  const expr = parseExpression(text)
  if (compileCondition(expr, { now }).aggregate)
    throw new HogqlError('A filter applies to single events and cannot aggregate.', expr.at)
  return expr
}

function operatorOf({ operator = 'exact', negation }: JsonObject, at: string): string {
  const known = operator ?? 'exact'
  if (typeof known !== 'string' || !OPERATORS.includes(known))
    throw invalid(`${at}__operator`, `The operator must be one of: ${OPERATORS.join(', ')}.`, 'invalid_choice')
  if (negation !== true && negation !== 'true') return known
  const pair = OPPOSITES.find((both) => both.includes(known))
  if (!pair) throw invalid(`${at}__negation`, `"${known}" cannot be negated.`)
  return pair[0] === known ? pair[1] : pair[0]
}

function parseValues({ value }: JsonObject, operator: string, at: string): Scalar[] {
  if (operator === 'is_set' || operator === 'is_not_set') return []
  if (value === undefined || value === null)
    throw invalid(
      `${at}__value`,
      'A filter item needs a "value", unless its operator is "is_set" or "is_not_set".',
      'required',
    )
  const values: unknown[] = Array.isArray(value) ? value : [value]
  if (!values.every(isScalar))
    throw invalid(`${at}__value`, 'A value must be a string, a number, a boolean or a list of these.')
  return values
}

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** `values` is not empty unless the operator needs none. */
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
  const comparisons = values.map((value) => compare(property, operator, value, at))
  const [first] = comparisons
  if (first && comparisons.length === 1) return first
  return call(1, NEGATIVE.has(operator) ? 'and' : 'or', comparisons)
}

const TEXT_FUNCTIONS: Record<string, string> = {
  exact: 'equals',
  is_not: 'notEquals',
  icontains: 'ilike',
  not_icontains: 'notILike',
  regex: 'match',
  not_regex: 'match',
}
const NUMERIC: Record<string, string> = { gt: 'greater', gte: 'greaterOrEquals', lt: 'less', lte: 'lessOrEquals' }

function compare(property: Expr, operator: string, value: Scalar, at: string): Expr {
  const [numeric, name] = [NUMERIC[operator], TEXT_FUNCTIONS[operator]]
  if (numeric) return call(1, numeric, [call(1, 'toFloat', [property]), constant(1, toNumber(value, at), true)])
  if (!name) return compareDates(property, operator, String(value), at)
  const matches = call(1, name, [property, constant(1, operator.endsWith('icontains') ? `%${value}%` : String(value))])
  return operator === 'not_regex' ? call(1, 'not', [matches]) : matches
}

function toNumber(value: Scalar, at: string): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number))
    throw invalid(`${at}__value`, 'This operator needs a number.')
  return number
}

/** A date means the whole day, a time the whole second. */
function compareDates(property: Expr, operator: string, value: string, at: string): Expr {
  const start = parseDatetime(value)
  if (start === null) throw invalid(`${at}__value`, 'This operator needs a time, such as 2026-11-02 09:15:00.')
  const isDate = /^\s*\d{4}-\d{1,2}-\d{1,2}\s*$/.test(value)
  const from = start - (((start % SECOND) + SECOND) % SECOND)
  const stored = call(1, 'toDateTime', [property])
  const to = (name: string, time: number): Expr => call(1, name, [stored, call(1, 'toDateTime', [timeText(time)])])
  if (operator === 'is_date_before') return to('less', start)
  if (operator === 'is_date_after') return isDate ? to('greaterOrEquals', start + DAY) : to('greater', start)
  return call(1, 'and', [to('greaterOrEquals', from), to('less', from + (isDate ? DAY : SECOND))])
}

const timeText = (microseconds: number): Expr => {
  const milliseconds = Math.floor(microseconds / 1000)
  const rest = String(microseconds - milliseconds * 1000).padStart(3, '0')
  return constant(1, new Date(milliseconds).toISOString().replace('Z', `${rest}Z`))
}

/** Returns undefined without conditions. */
export function combine(operator: 'and' | 'or', parts: readonly (Expr | undefined)[]): Expr | undefined {
  const present = parts.filter((part) => part !== undefined)
  return present.length > 1 ? call(1, operator, present) : present[0]
}

interface Group {
  type: string
  values: unknown[]
}

const isGroup = (value: JsonObject): value is JsonObject & Group =>
  Array.isArray(value.values) && typeof value.type === 'string' && !('key' in value)

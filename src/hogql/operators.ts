/** Comparisons, conditions and arithmetic. A comparison with NULL is true or false, never NULL. */
import { joined, type Sql, sql } from '../sql/template.ts'
import type { Call } from './ast.ts'
import { asText, coerce, integerLiteral, integerWithin, requireType, SECOND, toFloat } from './convert.ts'
import { parseDatetime } from './datetime.ts'
import { boolean, constantString, FALSE, type Fn, type Functions, fn } from './env.ts'
import { display, HogqlError } from './error.ts'
import { jsonEquals, jsonIn } from './json.ts'
import { likeSql } from './like.ts'
import { MAX_LIST } from './limits.ts'
import { matchSql } from './match.ts'
import { shift } from './shift.ts'
import {
  BOOLEAN,
  balanced,
  commonType,
  DIVIDED_BY,
  derive,
  either,
  FLOAT,
  type HogType,
  INEXACT,
  INTEGER,
  integerParam,
  isNumber,
  isText,
  isTime,
  numericType,
  STRING,
  sqliteOr,
  type TypedSql,
  textParam,
  typeName,
} from './typed.ts'

interface Operands {
  readonly left: TypedSql
  readonly right: TypedSql
  /** The type both are compared as. */
  readonly type: HogType
}

/** Converts constants and properties so that both operands have a common type. Throws if there is none. */
export function unifyOperands(a: TypedSql, b: TypedSql): Operands {
  const direct = commonType(a.type, b.type)
  if (direct) return { left: a, right: b, type: direct }
  for (const [left, right] of [
    [adapt(a, b), b],
    [a, adapt(b, a)],
  ] as const) {
    const type = commonType(left.type, right.type)
    if (type) return { left, right, type }
  }
  throw new HogqlError(
    `A value of type ${typeName(a.type)} cannot be compared with a value of type ${typeName(b.type)}.${conversionHint(a, b)}`,
    a.at,
  )
}

function conversionHint(a: TypedSql, b: TypedSql): string {
  if (!isText(a.type) && !isText(b.type)) return ''
  const other = isText(a.type) ? b : a
  if (isNumber(other.type)) return ' Convert the string with toFloat or toInt.'
  return isTime(other.type) ? ' Convert the string with toDateTime.' : ''
}

/**
 * Reads a constant as the type of the other operand: `timestamp > '2026-01-01'`, `properties.paid = true`. A property is
 * compared with a number as a number, and is NULL if it is none: `properties.price > 20`.
 */
function adapt(value: TypedSql, other: TypedSql): TypedSql {
  const { literal, at } = value
  if (value.json?.path.length && isNumber(other.type)) return toFloat(value, at)
  if (typeof literal === 'string' && isTime(other.type)) {
    const time = parseDatetime(literal)
    if (time === null) throw new HogqlError(`${display(literal)} is not a valid date or datetime.`, at)
    return derive(at, other.type, integerParam(time), [])
  }
  if (typeof literal === 'boolean' && other.type.kind === 'string')
    return { ...derive(at, STRING, textParam(String(literal)), []), literal: String(literal) }
  return value
}

const lowerCaseUuid = (value: TypedSql, other: TypedSql): TypedSql =>
  value.type.kind === 'string' && typeof value.literal === 'string' && other.type.kind === 'uuid'
    ? { ...value, literal: value.literal.toLowerCase(), sql: textParam(value.literal.toLowerCase()) }
    : value

export function equal(at: number, a: TypedSql, b: TypedSql): TypedSql {
  if (b.type.kind === 'null') return boolean(at, sql`(${a.sql} is null)`, [a])
  if (a.type.kind === 'null') return boolean(at, sql`(${b.sql} is null)`, [b])
  const { left, right, type } = unifyOperands(lowerCaseUuid(a, b), lowerCaseUuid(b, a))
  if (['json', 'tuple', 'interval', 'array'].includes(type.kind))
    throw new HogqlError(`Values of type ${typeName(type)} cannot be compared.`, left.at)
  for (const [value, other] of [
    [left, right],
    [right, left],
  ] as const)
    if (value.json?.path.length && typeof other.literal === 'string')
      return boolean(at, jsonEquals(value.json, other.literal), [left, right])
  const [x, y] = [coerce(left, type), coerce(right, type)]
  return boolean(
    at,
    left.nullable || right.nullable
      ? sqliteOr(sql`(${x} is ${y})`, sql`(${x} is not distinct from ${y})`)
      : sql`(${x} = ${y})`,
    [left, right],
  )
}

const negated = (value: TypedSql): TypedSql => ({ ...value, sql: sql`(not ${value.sql})` })

function inequality(sign: '<' | '<=' | '>' | '>='): Fn {
  const operator: Sql = { strings: [sign], parts: [] }
  return fn(2, ([a, b], { at }) => {
    if (a.type.kind === 'null' || b.type.kind === 'null') return boolean(at, FALSE, [a, b])
    const { left, right, type } = unifyOperands(lowerCaseUuid(a, b), lowerCaseUuid(b, a))
    if (!isNumber(type) && !isTime(type) && !isText(type))
      throw new HogqlError(`Values of type ${typeName(type)} have no order.`, left.at)
    const collate = isText(type) ? either(sql``, sql` collate "C"`, sql``) : sql``
    const test = sql`(${coerce(left, type)}${collate} ${operator} ${coerce(right, type)})`
    const nullable = left.nullable || right.nullable
    return boolean(at, nullable ? sql`coalesce(${test}, ${FALSE})` : test, [left, right])
  })
}

/** IN and NOT IN with a list literal. Both are false if the left operand is NULL. */
function membership(at: number, subject: TypedSql, right: TypedSql, inverse: boolean): TypedSql {
  const items = right.items ?? [right]
  const number = items.find((item) => isNumber(item.type))
  const left = number ? adapt(subject, number) : subject
  if (!right.items && right.type.kind === 'array')
    throw new HogqlError(`IN needs a list literal. Use has for an array.`, right.at)
  const values = items
    .filter((item) => item.type.kind !== 'null')
    .map((item) => {
      if (item.items) throw new HogqlError(`The list of IN cannot contain lists.`, item.at)
      return unifyOperands(left, lowerCaseUuid(item, left)).right
    })
  const from = [left, ...values]
  if (left.type.kind === 'null' || !values.length)
    return boolean(at, inverse && left.type.kind !== 'null' ? sql`(${asText(left)} is not null)` : FALSE, from)
  if (!isNumber(left.type) && !isTime(left.type) && !isText(left.type) && left.type.kind !== 'boolean')
    throw new HogqlError(`IN does not accept a value of type ${typeName(left.type)}.`, left.at)
  const strings = values.map((item) => item.literal).filter((item) => typeof item === 'string')
  if (left.json?.path.length && strings.length === values.length && !inverse)
    return boolean(at, jsonIn(left.json, strings), from)
  const type = values.reduce((widest, item) => commonType(widest, item.type) ?? widest, left.type)
  const list = joined(
    values.map((item) => coerce(item, type)),
    ', ',
  )
  const value = coerce(left, type)
  const test = inverse ? sql`(${value} not in (${list}))` : sql`(${value} in (${list}))`
  return boolean(at, from.some(({ nullable }) => nullable) ? sql`coalesce(${test}, ${FALSE})` : test, from)
}

const logical = (operator: 'and' | 'or'): Fn =>
  fn([2, MAX_LIST], (args, { at }) => {
    for (const arg of args) requireType(arg, 'boolean', operator.toUpperCase())
    const conditions = args.map((arg) => coerce(arg, BOOLEAN))
    return derive(at, BOOLEAN, balanced(conditions, operator), args)
  })

const not = fn(1, ([value], { at }) => {
  requireType(value, 'boolean', 'NOT')
  return derive(at, BOOLEAN, sql`(not ${coerce(value, BOOLEAN)})`, [value])
})

/** SQLite returns NULL where DuckDB returns NaN. DuckDB fails instead of returning an infinity to begin with. */
const finite = (value: Sql): Sql =>
  either(value, value, sql`(case when not isfinite(${value}) then ${INEXACT} else ${value} end)`)

function arithmetic(name: string, sign: '+' | '-' | '*'): Fn {
  const operator: Sql = { strings: [sign], parts: [] }
  return fn(2, (args, call) => {
    const [a, b] = args
    if (sign !== '*') {
      const time = timeArithmetic(a, b, sign, call)
      if (time) return time
    }
    for (const arg of args) requireType(arg, 'number', name)
    const type = numericType(args)
    const [x, y] = [coerce(a, type), coerce(b, type)]
    if (type.kind === 'float') return derive(call.at, FLOAT, finite(sql`(${x} ${operator} ${y})`), args)
    const exact =
      sign === '*'
        ? either(sql`(${x} * ${y})`, sql`((${x})::numeric * ${y})`, sql`((${x})::hugeint * ${y})`)
        : sql`(${x} ${operator} ${y})`
    return derive(call.at, INTEGER, integerWithin(exact), args, sign === '*' || args.some((arg) => arg.nullable))
  })
}

/** A datetime ± an interval, a datetime ± seconds, a date ± days, or the seconds between two datetimes. */
function timeArithmetic(a: TypedSql, b: TypedSql, sign: '+' | '-', call: Call): TypedSql | undefined {
  const [time, step] = isTime(a.type) ? [a, b] : sign === '+' && isTime(b.type) ? [b, a] : [undefined, a]
  if (!time) return undefined
  if (step.interval) return shift(time, step.interval.unit, step.interval.amount, sign === '-', call.at)
  if (step.type.kind === 'integer')
    return shift(time, time.type.kind === 'date' ? 'day' : 'second', step, sign === '-', call.at)
  if (sign === '-' && isTime(step.type))
    return derive(call.at, INTEGER, sql`((${time.sql} - ${step.sql}) ${DIVIDED_BY} ${integerLiteral(SECOND)})`, [
      time,
      step,
    ])
  throw new HogqlError(
    `Only an interval or an integer can be added to the ${time.type.kind}, for example INTERVAL 1 DAY.`,
    step.at,
  )
}

const divide = fn(2, (args, { at }) => {
  for (const arg of args) requireType(arg, 'number', 'divide')
  const [dividend, divisor] = args
  const quotient = sql`(${coerce(dividend, FLOAT)} / nullif(${coerce(divisor, FLOAT)}, 0))`
  return derive(at, FLOAT, finite(quotient), args, true)
})

function integerDivision(name: string, sign: '%' | '/'): Fn {
  const operator = sign === '/' ? DIVIDED_BY : sql`%`
  return fn(2, (args, { at }) => {
    for (const arg of args) requireType(arg, 'integer', name)
    const [dividend, divisor] = args
    const quotient = sql`(${coerce(dividend, INTEGER)} ${operator} nullif(${coerce(divisor, INTEGER)}, 0))`
    return derive(at, INTEGER, quotient, args, true)
  })
}

const negate = fn(1, ([value], { at }) => {
  requireType(value, 'number', 'negate')
  const type = numericType([value])
  return derive(at, type, sql`(- ${coerce(value, type)})`, [value])
})

function likeTest(value: TypedSql, pattern: TypedSql, call: Call, insensitive: boolean): TypedSql {
  if (pattern.type.kind === 'null') return equal(call.at, value, pattern)
  requireType(value, 'string', call.name)
  return boolean(call.at, likeSql(value, constantString(pattern, 'The pattern', call), insensitive), [value])
}

const like = (insensitive: boolean, inverse: boolean): Fn =>
  fn(2, ([value, pattern], call) => {
    const test = likeTest(value, pattern, call, insensitive)
    return inverse ? negated(test) : test
  })

const match = fn(2, ([value, pattern], call) => {
  if (pattern.type.kind === 'null') return equal(call.at, value, pattern)
  requireType(value, 'string', 'match')
  return boolean(call.at, matchSql(value, constantString(pattern, 'The pattern', call), pattern.at), [value])
})

export const OPERATORS: Functions = {
  equals: fn(2, ([a, b], { at }) => equal(at, a, b)),
  notEquals: fn(2, ([a, b], { at }) => negated(equal(at, a, b))),
  less: inequality('<'),
  lessOrEquals: inequality('<='),
  greater: inequality('>'),
  greaterOrEquals: inequality('>='),
  in: fn(2, ([a, b], { at }) => membership(at, a, b, false)),
  notIn: fn(2, ([a, b], { at }) => membership(at, a, b, true)),
  and: logical('and'),
  or: logical('or'),
  not,
  plus: arithmetic('plus', '+'),
  minus: arithmetic('minus', '-'),
  multiply: arithmetic('multiply', '*'),
  divide,
  modulo: integerDivision('modulo', '%'),
  intDiv: integerDivision('intDiv', '/'),
  negate,
  like: like(false, false),
  notLike: like(false, true),
  ilike: like(true, false),
  notILike: like(true, true),
  match,
}

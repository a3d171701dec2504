/** Comparisons, conditions and arithmetic. A comparison says true or false, also of NULL. */
import { joined, type Sql, sql } from '../sql/template.ts'
import type { Call } from './ast.ts'
import { asText, coerce, integerWithin, mustBe, SECOND, number as written } from './convert.ts'
import { parseDatetime } from './datetime.ts'
import { boolean, FALSE, type Fn, type Functions, literalText } from './env.ts'
import { HogqlError, shown } from './error.ts'
import { jsonEquals, jsonIn } from './json.ts'
import { likeSql } from './like.ts'
import { matchSql } from './match.ts'
import { shift } from './shift.ts'
import {
  BOOLEAN,
  balanced,
  common,
  FLOAT,
  INTEGER,
  integerParam,
  isNumber,
  isText,
  isTime,
  made,
  on,
  STRING,
  type Typed,
  textParam,
  typeName,
} from './typed.ts'

const two = (build: Fn['build']): Fn => ({ min: 2, max: 2, build })

/** Both sides as one type, or an error that says what to do. */
export function matched(a: Typed, b: Typed): [Typed, Typed] {
  if (common(a.type, b.type)) return [a, b]
  const [x, y] = [adapted(a, b), adapted(b, a)]
  if (common(x.type, b.type)) return [x, b]
  if (common(a.type, y.type)) return [a, y]
  const text = isText(a.type) ? a : isText(b.type) ? b : undefined
  const other = text === a ? b : a
  const hint = text
    ? isNumber(other.type)
      ? ' Use toFloat or toInt on the text.'
      : isTime(other.type)
        ? ' Use toDateTime on the text.'
        : ''
    : ''
  throw new HogqlError(
    `A value of type ${typeName(a.type)} at position ${a.at} cannot be compared with one of type ${typeName(b.type)}.${hint}`,
    a.at,
  )
}

/** Constants that are written in one type and meant in another: `timestamp > '2026-01-01'`, `properties.paid = true`. */
function adapted(value: Typed, other: Typed): Typed {
  const { literal, at } = value
  if (typeof literal === 'string' && isTime(other.type)) {
    const time = parseDatetime(literal)
    if (time === null) throw new HogqlError(`${shown(literal)} at position ${at} is not a date or a datetime.`, at)
    return { ...made(at, other.type, integerParam(time), []), literal: undefined }
  }
  if (typeof literal === 'boolean' && other.type.kind === 'string')
    return { ...made(at, STRING, textParam(String(literal)), []), literal: String(literal) }
  return value
}

const uuidText = (value: Typed, other: Typed): Typed =>
  value.type.kind === 'string' && typeof value.literal === 'string' && other.type.kind === 'uuid'
    ? { ...value, literal: value.literal.toLowerCase(), sql: textParam(value.literal.toLowerCase()) }
    : value

function equal(at: number, left: Typed, right: Typed): Typed {
  if (right.type.kind === 'null') return boolean(at, sql`(${left.sql} is null)`, [left])
  if (left.type.kind === 'null') return boolean(at, sql`(${right.sql} is null)`, [right])
  const [a, b] = matched(uuidText(left, right), uuidText(right, left))
  const type = common(a.type, b.type)!
  if (['json', 'tuple', 'interval'].includes(type.kind) || (type.kind === 'array' && a.type.kind === 'array'))
    throw new HogqlError(`Values of type ${typeName(type)} at position ${a.at} cannot be compared.`, a.at)
  for (const [value, other] of [
    [a, b],
    [b, a],
  ] as const)
    if (value.json?.path.length && typeof other.literal === 'string')
      return boolean(at, jsonEquals(value.json, other.literal), [a, b])
  const [x, y] = [coerce(a, type), coerce(b, type)]
  return boolean(
    at,
    a.nullable || b.nullable ? on(sql`(${x} is ${y})`, sql`(${x} is not distinct from ${y})`) : sql`(${x} = ${y})`,
    [a, b],
  )
}

const negated = (value: Typed): Typed => ({ ...value, sql: sql`(not ${value.sql})` })

function ordered(operator: '<' | '<=' | '>' | '>='): Fn {
  const sign: Sql = { strings: [operator], parts: [] }
  return two(([left, right], { at }) => {
    if (left!.type.kind === 'null' || right!.type.kind === 'null') return boolean(at, FALSE, [left!, right!])
    const [a, b] = matched(uuidText(left!, right!), uuidText(right!, left!))
    const type = common(a.type, b.type)!
    if (!isNumber(type) && !isTime(type) && !isText(type))
      throw new HogqlError(`Values of type ${typeName(type)} at position ${a.at} have no order.`, a.at)
    const collate = isText(type) ? on(sql``, sql` collate "C"`) : sql``
    const compared = sql`(${coerce(a, type)}${collate} ${sign} ${coerce(b, type)})`
    return boolean(at, a.nullable || b.nullable ? sql`coalesce(${compared}, ${FALSE})` : compared, [a, b])
  })
}

/** IN a list that is written out. NULL on the left is in nothing, and not in nothing either. */
function isIn(at: number, left: Typed, right: Typed, inverse: boolean): Typed {
  const items = right.items ?? [right]
  if (!right.items && right.type.kind === 'array')
    throw new HogqlError(`The list at position ${right.at} must be written out. Use has for an array.`, right.at)
  const present = items
    .filter((item) => item.type.kind !== 'null')
    .map((item) => {
      if (item.items) throw new HogqlError(`A list at position ${item.at} cannot hold lists.`, item.at)
      return matched(left, uuidText(item, left))[1]
    })
  const from = [left, ...present]
  if (left.type.kind === 'null' || !present.length)
    return boolean(at, inverse && left.type.kind !== 'null' ? sql`(${asText(left)} is not null)` : FALSE, from)
  if (!isNumber(left.type) && !isTime(left.type) && !isText(left.type) && left.type.kind !== 'boolean')
    throw new HogqlError(
      `A value of type ${typeName(left.type)} at position ${left.at} cannot be looked up in a list.`,
      left.at,
    )
  const texts = present.map((item) => item.literal).filter((item): item is string => typeof item === 'string')
  if (left.json?.path.length && texts.length === present.length && !inverse)
    return boolean(at, jsonIn(left.json, texts), from)
  const type = present.reduce((sum, item) => common(sum, item.type) ?? sum, left.type)
  const list = joined(
    present.map((item) => coerce(item, type)),
    ', ',
  )
  const subject = coerce(left, type)
  const test = inverse ? sql`(${subject} not in (${list}))` : sql`(${subject} in (${list}))`
  return boolean(at, from.some((part) => part.nullable) ? sql`coalesce(${test}, ${FALSE})` : test, from)
}

function condition(name: 'and' | 'or'): Fn {
  return {
    min: 2,
    max: 1000,
    anyCase: true,
    build: (args, { at }) => {
      for (const arg of args) mustBe(arg, ({ kind }) => kind === 'boolean', 'a condition', name.toUpperCase())
      return made(
        at,
        BOOLEAN,
        balanced(
          args.map((arg) => coerce(arg, BOOLEAN)),
          name,
        ),
        args,
      )
    },
  }
}

const not: Fn = {
  min: 1,
  max: 1,
  anyCase: true,
  build: (args, { at }) => {
    mustBe(args[0]!, ({ kind }) => kind === 'boolean', 'a condition', 'NOT')
    return made(at, BOOLEAN, sql`(not ${coerce(args[0]!, BOOLEAN)})`, args)
  },
}

function arithmetic(name: string, sign: '+' | '-' | '*'): Fn {
  const operator: Sql = { strings: [sign], parts: [] }
  return two((args, call) => {
    const [a, b] = args as [Typed, Typed]
    if (sign !== '*') {
      const moved = movedTime(a, b, sign, call)
      if (moved) return moved
    }
    for (const arg of args) mustBe(arg, isNumber, 'a number', name)
    const type = common(common(a.type, b.type)!, INTEGER)!
    const [x, y] = [coerce(a, type), coerce(b, type)]
    if (type.kind === 'float') return made(call.at, FLOAT, sql`(${x} ${operator} ${y})`, args)
    const exact = sign === '*' ? on(sql`(${x} * ${y})`, sql`((${x})::numeric * ${y})`) : sql`(${x} ${operator} ${y})`
    return made(call.at, INTEGER, integerWithin(exact), args, sign === '*' || args.some((arg) => arg.nullable))
  })
}

/** A datetime and an interval; a date and a number of days, a datetime and a number of seconds; two datetimes. */
function movedTime(a: Typed, b: Typed, sign: '+' | '-', call: Call): Typed | undefined {
  const [time, step] = isTime(a.type) ? [a, b] : sign === '+' && isTime(b.type) ? [b, a] : [undefined, a]
  if (!time) return undefined
  if (step.interval) return shift(time, step.interval.unit, step.interval.amount, sign === '-', call.at)
  if (step.type.kind === 'integer')
    return shift(time, time.type.kind === 'date' ? 'day' : 'second', step, sign === '-', call.at)
  if (sign === '-' && isTime(step.type))
    return made(call.at, INTEGER, sql`((${time.sql} - ${step.sql}) / ${written(SECOND)})`, [time, step])
  throw new HogqlError(
    `Only an interval or a whole number can be added to the ${time.type.kind} at position ${time.at}. Write INTERVAL 1 DAY.`,
    step.at,
  )
}

const divide = two((args, { at }) => {
  for (const arg of args) mustBe(arg, isNumber, 'a number', 'divide')
  return made(at, FLOAT, sql`(${coerce(args[0]!, FLOAT)} / nullif(${coerce(args[1]!, FLOAT)}, 0))`, args, true)
})

const whole = (name: string, operator: '%' | '/'): Fn => ({
  min: 2,
  max: 2,
  build: (args, { at }) => {
    for (const arg of args) mustBe(arg, ({ kind }) => kind === 'integer', 'a whole number', name)
    const sign: Sql = { strings: [operator], parts: [] }
    return made(
      at,
      INTEGER,
      sql`(${coerce(args[0]!, INTEGER)} ${sign} nullif(${coerce(args[1]!, INTEGER)}, 0))`,
      args,
      true,
    )
  },
})

const negate: Fn = {
  min: 1,
  max: 1,
  build: (args, { at }) => {
    mustBe(args[0]!, isNumber, 'a number', 'negate')
    const type = common(args[0]!.type, INTEGER)!
    return made(at, type, sql`(- ${coerce(args[0]!, type)})`, args)
  },
}

const like = (insensitive: boolean, inverse: boolean): Fn =>
  two(([text, pattern], call) => {
    if (pattern!.type.kind === 'null') {
      const same = equal(call.at, text!, pattern!)
      return inverse ? negated(same) : same
    }
    mustBe(text!, isText, 'a text', call.name)
    const found = boolean(call.at, likeSql(text!, literalText(pattern, 'The pattern', call), insensitive), [text!])
    return inverse ? negated(found) : found
  })

const match: Fn = two(([text, pattern], call) => {
  if (pattern!.type.kind === 'null') return equal(call.at, text!, pattern!)
  mustBe(text!, isText, 'a text', 'match')
  return boolean(call.at, matchSql(text!, literalText(pattern, 'The pattern', call), pattern!.at), [text!])
})

export const OPERATORS: Functions = {
  equals: two(([a, b], { at }) => equal(at, a!, b!)),
  notEquals: two(([a, b], { at }) => negated(equal(at, a!, b!))),
  less: ordered('<'),
  lessOrEquals: ordered('<='),
  greater: ordered('>'),
  greaterOrEquals: ordered('>='),
  in: two(([a, b], { at }) => isIn(at, a!, b!, false)),
  notIn: two(([a, b], { at }) => isIn(at, a!, b!, true)),
  and: condition('and'),
  or: condition('or'),
  not,
  plus: arithmetic('plus', '+'),
  minus: arithmetic('minus', '-'),
  multiply: arithmetic('multiply', '*'),
  divide,
  modulo: whole('modulo', '%'),
  intDiv: whole('intDiv', '/'),
  negate,
  like: like(false, false),
  notLike: like(false, true),
  ilike: like(true, false),
  notILike: like(true, true),
  match,
}

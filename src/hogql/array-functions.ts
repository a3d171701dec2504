/** Arrays: JSON text on SQLite, native arrays on PostgreSQL. An array is never NULL, but its elements may be. */
import { joined, type Sql, sql } from '../sql/template.ts'
import type { Call } from './ast.ts'
import { asText, coerce, requireType } from './convert.ts'
import { boolean, type Env, FALSE, type Fn, type Functions, fn, sqliteInteger } from './env.ts'
import { HogqlError } from './error.ts'
import { unifyOperands } from './operators.ts'
import {
  arrayOf,
  BOOLEAN,
  columnType,
  derive,
  either,
  type HogType,
  INTEGER,
  isText,
  STRING,
  type TypedSql,
  typeName,
} from './typed.ts'
import { requireCommonType } from './value-functions.ts'

export function arrayLiteral(at: number, items: readonly TypedSql[]): TypedSql {
  const type = requireCommonType(items, 'An array')
  const of = type.kind === 'null' ? STRING : type
  if (['array', 'tuple', 'json'].includes(of.kind)) throw unsupportedElement(of, at)
  const values = items.map((item) => coerce(item, of))
  return {
    ...derive(
      at,
      arrayOf(of),
      either(
        sql`json_array(${joined(
          values.map((value) => jsonItem(value, of)),
          ', ',
        )})`,
        sql`array[${joined(values, ', ')}]::${columnType(of)}[]`,
      ),
      items,
      false,
    ),
    items,
  }
}

const unsupportedElement = (type: HogType, at: number): HogqlError =>
  new HogqlError(`The array cannot contain values of type ${typeName(type)}.`, at)

/** SQLite has no boolean type, but JSON does. */
export const jsonItem = (value: Sql, type: HogType): Sql =>
  type.kind === 'boolean' ? sql`(case ${value} when 1 then json('true') when 0 then json('false') end)` : value

function elementType(array: TypedSql, fnName: string): HogType {
  if (array.type.kind === 'array') return array.type.of
  requireType(array, 'array', fnName)
  throw new HogqlError(`${fnName} expects an array, but the value is NULL.`, array.at)
}

/** The value to search for, converted to the element type. */
function needle(array: TypedSql, value: TypedSql, of: HogType): Sql {
  return coerce(unifyOperands({ ...array, type: of, literal: undefined }, value).right, of)
}

const has = fn(2, ([array, value], { at, name }) => {
  const item = needle(array, value, elementType(array, name))
  return boolean(
    at,
    either(
      sql`hogql_has(${array.sql}, ${item})`,
      value.nullable
        ? sql`(array_position(${array.sql}, ${item}) is not null)`
        : sql`coalesce(${item} = any(${array.sql}), false)`,
    ),
    [array, value],
  )
})

const indexOf = fn(2, ([array, value], { at, name }) => {
  const item = needle(array, value, elementType(array, name))
  return derive(
    at,
    INTEGER,
    either(
      sqliteInteger(sql`hogql_index_of(${array.sql}, ${item})`),
      sql`coalesce(array_position(${array.sql}, ${item}), 0)::bigint`,
    ),
    [array, value],
    false,
  )
})

/** NULL if the index is out of range. A negative index counts from the end. */
const arrayElement = fn(2, ([array, index], { at, name }) => {
  const of = elementType(array, name)
  requireType(index, 'integer', name)
  if (index.literal === 0) throw new HogqlError(`Indexes start at 1, not 0.`, index.at)
  const i = coerce(index, INTEGER)
  const position = sql`(case when ${i} < 0 then cardinality(${array.sql}) + ${i} + 1 else ${i} end)`
  const element = sql`hogql_element(${array.sql}, ${i})`
  return derive(
    at,
    of,
    either(
      ['integer', 'datetime', 'date', 'boolean'].includes(of.kind) ? sqliteInteger(element) : element,
      sql`(${array.sql})[least(greatest(${position}, 0), 1000000000)::int]`,
    ),
    [array, index],
    true,
  )
})

const arrayStringConcat = fn([1, 2], (args, { at, name }) => {
  const [array, separator] = args
  const of = elementType(array, name)
  if (separator) requireType(separator, 'string', name)
  const glue = separator ? coerce(separator, STRING) : sql`''`
  if (!isText(of))
    throw new HogqlError(`${name} expects an array of strings. Use arrayMap(x -> toString(x), …).`, array.at)
  const text = either(sql`hogql_join(${array.sql}, ${glue})`, sql`array_to_string(${array.sql}, ${glue})`)
  return derive(at, STRING, text, args)
})

interface Iteration {
  readonly array: TypedSql
  /** The type of the array's elements. */
  readonly of: HogType
  /** The body of the lambda, which sees each element under the lambda's parameter. */
  readonly body: TypedSql
  /** The alias of the row source: `value` and `key` on SQLite, `v` and `n` on PostgreSQL. */
  readonly row: Sql
  readonly sqlite: Sql
  readonly postgres: Sql
}

/** A function of a lambda and an array. */
const lambdaFn = (build: (iteration: Iteration, call: Call) => TypedSql): Fn => ({
  min: 2,
  max: 2,
  build: (_, { name }) => {
    throw new Error(`${name} builds its arguments itself`)
  },
  buildRaw: (call, env) => build(iterate(call, env), call),
})

function iterate(call: Call, env: Env): Iteration {
  const [lambda, list] = call.args
  if (lambda?.kind !== 'lambda' || !list)
    throw new HogqlError(
      `The first argument of ${call.name} must be a lambda such as x -> x > 1.`,
      lambda?.at ?? call.at,
    )
  const array = env.build(list, env)
  const of = elementType(array, call.name)
  const [name, ...others] = lambda.names
  if (name === undefined || others.length)
    throw new HogqlError(`The lambda of ${call.name} must have one parameter.`, lambda.at)
  const row: Sql = { strings: [`l${env.names.size}`], parts: [] }
  const element = derive(lambda.at, of, either(sql`${row}.value`, sql`${row}.v`), [], true)
  const body = env.build(lambda.body, { ...env, names: new Map([...env.names, [name, element]]) })
  if (body.aggregate || array.aggregate)
    throw new HogqlError(`${call.name} cannot be applied to an aggregation.`, call.at)
  return {
    array,
    of,
    body,
    row,
    sqlite: sql`json_each(${array.sql}) ${row}`,
    postgres: sql`unnest(${array.sql}) with ordinality ${row}(v, n)`,
  }
}

/** arrayAll is "no element for which the condition is false or NULL". */
const arrayExists = (all: boolean): Fn =>
  lambdaFn(({ array, body, sqlite, postgres }, { at, name }) => {
    requireType(body, 'boolean', name)
    const test = all ? sql`not coalesce(${body.sql}, ${FALSE})` : body.sql
    const exists = either(
      sql`exists (select 1 from ${sqlite} where ${test})`,
      sql`exists (select 1 from ${postgres} where ${test})`,
    )
    return boolean(at, all ? sql`(not ${exists})` : exists, [array, body])
  })

const arrayMap = lambdaFn(({ array, body, row, sqlite, postgres }, { at }) => {
  const type = body.type.kind === 'null' ? STRING : body.type
  if (['array', 'tuple', 'json', 'interval'].includes(type.kind)) throw unsupportedElement(type, at)
  const value = coerce(body, type)
  return derive(
    at,
    arrayOf(type),
    either(
      sql`(select json_group_array(${jsonItem(value, type)} order by ${row}.key) from ${sqlite})`,
      sql`array(select ${value} from ${postgres} order by ${row}.n)`,
    ),
    [array, body],
    false,
  )
})

const arrayFilter = lambdaFn(({ array, of, body, row, sqlite, postgres }, { at, name }) => {
  requireType(body, 'boolean', name)
  const condition = coerce(body, BOOLEAN)
  return derive(
    at,
    arrayOf(of),
    either(
      sql`(select json_group_array(${jsonItem(sql`${row}.value`, of)} order by ${row}.key) from ${sqlite} where ${condition})`,
      sql`array(select ${row}.v from ${postgres} where ${condition} order by ${row}.n)`,
    ),
    [array, body],
    false,
  )
})

const empty = (inverse: boolean): Fn =>
  fn(1, ([value], { at, name }) => {
    requireType(value, 'string or array', name)
    const test =
      value.type.kind === 'array'
        ? either(sql`(json_array_length(${value.sql}) = 0)`, sql`(cardinality(${value.sql}) = 0)`)
        : sql`(${asText(value)} = '')`
    return boolean(at, inverse ? sql`(not ${test})` : test, [value], value.nullable)
  })

export const ARRAY_FUNCTIONS: Functions = {
  has,
  arrayElement,
  arrayStringConcat,
  arrayExists: arrayExists(false),
  arrayAll: arrayExists(true),
  arrayMap,
  arrayFilter,
  empty: empty(false),
  notEmpty: empty(true),
  indexOf,
}

/** Arrays: JSON text on SQLite, native arrays on PostgreSQL. They are never NULL, though their elements may be. */
import { joined, type Sql, sql } from '../sql/template.ts'
import type { Call, Lambda } from './ast.ts'
import { asText, coerce, mustBe } from './convert.ts'
import { boolean, type Env, type Fn, type Functions, sqliteInteger } from './env.ts'
import { HogqlError } from './error.ts'
import { matched } from './operators.ts'
import {
  arrayOf,
  BOOLEAN,
  columnType,
  type HogType,
  INTEGER,
  isText,
  made,
  on,
  STRING,
  type Typed,
  typeName,
} from './typed.ts'
import { unified } from './value-functions.ts'

/** A list that is written out. */
export function arrayLiteral(at: number, items: readonly Typed[]): Typed {
  const type = unified(items, 'An array')
  const of = type.kind === 'null' ? STRING : type
  if (of.kind === 'array' || of.kind === 'tuple' || of.kind === 'json')
    throw new HogqlError(`An array at position ${at} cannot hold values of type ${typeName(of)}.`, at)
  const values = items.map((item) => coerce(item, of))
  return {
    ...made(
      at,
      arrayOf(of),
      on(
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

/** SQLite knows no boolean, JSON does. */
export const jsonItem = (value: Sql, type: HogType): Sql =>
  type.kind === 'boolean' ? sql`(case ${value} when 1 then json('true') when 0 then json('false') end)` : value

function elements(value: Typed, who: string): HogType {
  mustBe(value, ({ kind }) => kind === 'array', 'an array', who)
  if (value.type.kind !== 'array')
    throw new HogqlError(`${who} needs an array, but position ${value.at} is NULL.`, value.at)
  return value.type.of
}

const typedResult = (value: Sql, type: HogType): Sql =>
  ['integer', 'datetime', 'date', 'boolean'].includes(type.kind) ? sqliteInteger(value) : value

const has: Fn = {
  min: 2,
  max: 2,
  build: ([array, value], { at, name }) => {
    const of = elements(array!, name)
    const [, wanted] = matched({ ...array!, type: of, literal: undefined }, value!)
    const x = coerce(wanted, of)
    return boolean(
      at,
      on(
        sql`hogql_has(${array!.sql}, ${x})`,
        value!.nullable
          ? sql`(array_position(${array!.sql}, ${x}) is not null)`
          : sql`coalesce(${x} = any(${array!.sql}), false)`,
      ),
      [array!, value!],
    )
  },
}

/** NULL where there is none; from the end when negative. */
const arrayElement: Fn = {
  min: 2,
  max: 2,
  build: ([array, index], { at, name }) => {
    const of = elements(array!, name)
    mustBe(index!, ({ kind }) => kind === 'integer', 'a whole number', name)
    if (index!.literal === 0)
      throw new HogqlError(`Indexes begin with 1, not with 0, at position ${index!.at}.`, index!.at)
    const i = coerce(index!, INTEGER)
    const position = sql`(case when ${i} < 0 then cardinality(${array!.sql}) + ${i} + 1 else ${i} end)`
    return made(
      at,
      of,
      on(
        typedResult(sql`hogql_element(${array!.sql}, ${i})`, of),
        sql`(${array!.sql})[least(greatest(${position}, 0), 1000000000)::int]`,
      ),
      [array!, index!],
      true,
    )
  },
}

const arrayStringConcat: Fn = {
  min: 1,
  max: 2,
  build: ([array, separator], { at, name }) => {
    const of = elements(array!, name)
    if (separator) mustBe(separator, isText, 'a text', name)
    const sign = separator ? coerce(separator, STRING) : sql`''`
    if (!isText(of))
      throw new HogqlError(
        `${name} needs an array of texts at position ${array!.at}. Use arrayMap(x -> toString(x), …).`,
        array!.at,
      )
    return made(
      at,
      STRING,
      on(sql`hogql_join(${array!.sql}, ${sign})`, sql`array_to_string(${array!.sql}, ${sign})`),
      separator ? [array!, separator] : [array!],
    )
  },
}

/** Bodies see each element under the lambda's name. */
function overLambda(
  call: Call,
  env: Env,
  build: (body: Typed, array: Typed, item: { sqlite: Sql; postgres: Sql }) => Typed,
): Typed {
  const [fn, list] = call.args
  if (fn?.kind !== 'lambda')
    throw new HogqlError(
      `The first argument of ${call.name} at position ${fn?.at ?? call.at} must be a lambda such as x -> x > 1.`,
      fn?.at ?? call.at,
    )
  const array = env.build(list!, env)
  const of = elements(array, call.name)
  const { names } = fn as Lambda
  if (names.length !== 1)
    throw new HogqlError(`The lambda of ${call.name} at position ${fn.at} must have one name.`, fn.at)
  const row: Sql = { strings: [`l${env.names.size}`], parts: [] }
  const element: Typed = { ...made(fn.at, of, on(sql`${row}.value`, sql`${row}.v`), [], true) }
  const body = env.build(fn.body, { ...env, names: new Map([...env.names, [names[0]!, element]]) })
  if (body.aggregate || array.aggregate)
    throw new HogqlError(`${call.name} at position ${call.at} cannot work on an aggregation.`, call.at)
  return build(body, array, {
    sqlite: sql`json_each(${array.sql}) ${row}`,
    postgres: sql`unnest(${array.sql}) with ordinality ${row}(v, n)`,
  })
}

const lambdaFn = (buildRaw: Fn['buildRaw']): Fn => ({ min: 2, max: 2, build: neverBuilt, buildRaw })
const neverBuilt = (): never => {
  throw new Error('built from its call')
}

const rowName = (env: Env): Sql => ({ strings: [`l${env.names.size}`], parts: [] })

const arrayExists = (inverse: boolean): Fn =>
  lambdaFn((call, env) =>
    overLambda(call, env, (body, array, from) => {
      mustBe(body, ({ kind }) => kind === 'boolean', 'a condition', call.name)
      const test = inverse ? sql`not coalesce(${body.sql}, ${on(sql`0`, sql`false`)})` : body.sql
      const found = on(
        sql`exists (select 1 from ${from.sqlite} where ${test})`,
        sql`exists (select 1 from ${from.postgres} where ${test})`,
      )
      return boolean(call.at, inverse ? sql`(not ${found})` : found, [array, body])
    }),
  )

const arrayMap = lambdaFn((call, env) =>
  overLambda(call, env, (body, array, from) => {
    const type = body.type.kind === 'null' ? STRING : body.type
    if (['array', 'tuple', 'json', 'interval'].includes(type.kind))
      throw new HogqlError(`An array at position ${call.at} cannot hold values of type ${typeName(type)}.`, call.at)
    const row = rowName(env)
    const value = coerce(body, type)
    return made(
      call.at,
      arrayOf(type),
      on(
        sql`(select json_group_array(${jsonItem(value, type)} order by ${row}.key) from ${from.sqlite})`,
        sql`array(select ${value} from ${from.postgres} order by ${row}.n)`,
      ),
      [array, body],
      false,
    )
  }),
)

const arrayFilter = lambdaFn((call, env) =>
  overLambda(call, env, (body, array, from) => {
    mustBe(body, ({ kind }) => kind === 'boolean', 'a condition', call.name)
    const row = rowName(env)
    const of = elements(array, call.name)
    return made(
      call.at,
      arrayOf(of),
      on(
        sql`(select json_group_array(${jsonItem(sql`${row}.value`, of)} order by ${row}.key) from ${from.sqlite} where ${coerce(body, BOOLEAN)})`,
        sql`array(select ${row}.v from ${from.postgres} where ${coerce(body, BOOLEAN)} order by ${row}.n)`,
      ),
      [array, body],
      false,
    )
  }),
)

/** Is there an element, or is there a letter. */
const empty = (inverse: boolean): Fn => ({
  min: 1,
  max: 1,
  build: ([value], { at, name }) => {
    mustBe(value!, (type) => type.kind === 'array' || isText(type), 'a text or an array', name)
    const test =
      value!.type.kind === 'array'
        ? on(sql`(json_array_length(${value!.sql}) = 0)`, sql`(cardinality(${value!.sql}) = 0)`)
        : sql`(${asText(value!)} = '')`
    return boolean(at, inverse ? sql`(not ${test})` : test, [value!], value!.nullable)
  },
})

const indexOf: Fn = {
  min: 2,
  max: 2,
  build: ([array, value], { at, name }) => {
    const of = elements(array!, name)
    const x = coerce(matched({ ...array!, type: of, literal: undefined }, value!)[1], of)
    return made(
      at,
      INTEGER,
      on(
        sqliteInteger(sql`hogql_index_of(${array!.sql}, ${x})`),
        sql`coalesce(array_position(${array!.sql}, ${x}), 0)::bigint`,
      ),
      [array!, value!],
      false,
    )
  },
}

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

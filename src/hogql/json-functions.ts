/** JSON functions. Their first argument is JSON by nature: a text of unknown content cannot be read as JSON safely. */
import { type Sql, sql } from '../sql/template.ts'
import type { Call } from './ast.ts'
import { integerWithin } from './convert.ts'
import { boolean, bound, FALSE, type Fn, type Functions, sqliteInteger } from './env.ts'
import { HogqlError } from './error.ts'
import { jsonKind, jsonRaw, jsonText } from './json.ts'
import { arrayOf, FLOAT, INTEGER, type JsonPath, made, on, STRING, type Typed } from './typed.ts'
import { DECIMAL } from './value-functions.ts'

function sourceOf(args: readonly Typed[], call: Call): JsonPath {
  const [value, ...keys] = args
  const path = keys.map((key) => {
    const { literal, at } = key
    if (literal === 0) throw new HogqlError(`Indexes begin with 1, not with 0, at position ${at}.`, at)
    if (
      typeof literal === 'string' ||
      (typeof literal === 'number' && Number.isInteger(literal) && Math.abs(literal) <= 1_000_000)
    )
      return literal
    throw new HogqlError(`The path of ${call.name} at position ${at} must be constant texts and indexes.`, at)
  })
  const inside = value!.json ?? value!.document
  if (inside) return { root: inside.root, path: [...inside.path, ...path] }
  if (typeof value!.literal === 'string') {
    try {
      const json = JSON.stringify(JSON.parse(value!.literal))
      return { root: on(sql`${json}`, sql`${json}::json`), path }
    } catch {
      throw new HogqlError(`The text at position ${value!.at} is not JSON.`, value!.at)
    }
  }
  throw new HogqlError(
    `${call.name} needs JSON at position ${value!.at}: properties, a property, or a constant text.`,
    value!.at,
  )
}

const fn = (build: (source: JsonPath, args: readonly Typed[], call: Call) => Typed): Fn => ({
  min: 1,
  max: 50,
  build: (args, call) => build(sourceOf(args, call), args, call),
})

const whenKind = (source: JsonPath, kind: 'string' | 'number' | 'array', then: Sql, otherwise: Sql): Sql => {
  const word: Sql = { strings: [`'${kind}'`], parts: [] }
  return sql`(case when ${jsonKind(source)} = ${word} then ${then} else ${otherwise} end)`
}

export const JSON_FUNCTIONS: Functions = {
  JSONExtractString: fn((source, args, { at }) =>
    made(at, STRING, whenKind(source, 'string', jsonText(source), sql`''`), args, false),
  ),
  JSONExtractInt: fn((source, args, { at }) => {
    const text = jsonText(source)
    const postgres = bound(
      { v: text },
      sql`case when t.v ~ ${DECIMAL}::text then case when t.v::numeric = trunc(t.v::numeric) and abs(t.v::numeric) < 1e16 then t.v::numeric end end`,
    )
    const value = on(sqliteInteger(sql`hogql_whole(hogql_float(${text}))`), integerWithin(postgres))
    return made(at, INTEGER, whenKind(source, 'number', sql`coalesce(${value}, 0)`, sql`0`), args, false)
  }),
  JSONExtractFloat: fn((source, args, { at }) => {
    const text = jsonText(source)
    const value = on(
      sql`hogql_float(${text})`,
      bound({ v: text }, sql`case when t.v ~ ${DECIMAL}::text then t.v::float8 end`),
    )
    const zero = on(sql`0.0`, sql`0::float8`)
    return made(at, FLOAT, whenKind(source, 'number', sql`coalesce(${value}, ${zero})`, zero), args, false)
  }),
  JSONExtractBool: fn((source, args, { at }) => {
    const raw = jsonRaw(source)
    return boolean(at, sql`coalesce(${on(sql`${raw} = 'true'`, sql`(${raw})::text = 'true'`)}, ${FALSE})`, args)
  }),
  JSONExtractRaw: fn((source, args, { at }) => {
    const raw = jsonRaw(source)
    return {
      ...made(at, STRING, sql`coalesce(${on(sql`(${raw} || '')`, sql`(${raw})::text`)}, '')`, args, false),
      document: source,
    }
  }),
  /** Each element as its JSON text. */
  JSONExtractArrayRaw: fn((source, args, { at }) => {
    const raw = jsonRaw(source)
    const empty = on(sql`'[]'`, sql`array[]::text[]`)
    const items = on(
      sql`hogql_raw_items(${raw})`,
      sql`array(select i.v::text from json_array_elements(${raw}) with ordinality i(v, n) order by i.n)`,
    )
    return made(at, arrayOf(STRING), whenKind(source, 'array', items, empty), args, false)
  }),
  JSONHas: fn((source, args, { at }) => boolean(at, sql`(${jsonRaw(source)} is not null)`, args)),
  JSONLength: fn((source, args, { at }) => {
    const raw = jsonRaw(source)
    return made(
      at,
      INTEGER,
      on(
        sql`coalesce(hogql_json_length(${raw}), 0)`,
        sql`(case json_typeof(${raw}) when 'array' then json_array_length(${raw}) when 'object' then (select count(*) from json_object_keys(${raw})) else 0 end)::bigint`,
      ),
      args,
      false,
    )
  }),
}

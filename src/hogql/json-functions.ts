/** JSON functions. Their first argument must be known to be JSON: parsing an arbitrary string fails the whole query. */
import { parseJson } from '../json/parse.ts'
import { type Sql, sql } from '../sql/template.ts'
import type { Call } from './ast.ts'
import { integerWithin, isNumberText } from './convert.ts'
import { type Args, bindOnce, boolean, FALSE, type Fn, type Functions, fn, sqliteInteger } from './env.ts'
import { HogqlError } from './error.ts'
import { jsonKind, jsonRaw, jsonText } from './json.ts'
import { MAX_DEPTH } from './limits.ts'
import { arrayOf, derive, either, FLOAT, INTEGER, type JsonPath, STRING, type TypedSql } from './typed.ts'

function sourceOf([value, ...keys]: Args<1>, call: Call): JsonPath {
  const path = keys.map((key) => {
    const { literal, at } = key
    if (literal === 0) throw new HogqlError(`Indexes start at 1, not 0.`, at)
    if (
      typeof literal === 'string' ||
      (typeof literal === 'number' && Number.isInteger(literal) && Math.abs(literal) <= 1_000_000)
    )
      return literal
    throw new HogqlError(`The path of ${call.name} must consist of constant strings and indexes.`, at)
  })
  const parent = value.json ?? value.document
  if (parent) return { root: parent.root, path: [...parent.path, ...path] }
  if (typeof value.literal === 'string') {
    const json = parseJson(value.literal)
    if (json === undefined) throw new HogqlError(`The string is not valid JSON.`, value.at)
    // SQLite cannot read JSON of more than 1,000 levels.
    if (isDeeperThan(MAX_DEPTH, json))
      throw new HogqlError(`The JSON is nested deeper than ${MAX_DEPTH} levels. Flatten it.`, value.at)
    const text = JSON.stringify(json)
    if (UNSTORABLE.test(text))
      throw new HogqlError(`The JSON contains a NUL character or half of a surrogate pair. Remove it.`, value.at)
    return { root: either(sql`${text}`, sql`${text}::json`), path }
  }
  throw new HogqlError(`${call.name} expects JSON: properties, a property or a constant string.`, value.at)
}

/** The escapes of characters that PostgreSQL rejects. JSON.stringify does not escape whole surrogate pairs. */
const UNSTORABLE = /(?:^|[^\\])(?:\\\\)*\\u(?:0000|d[89a-f])/

const isDeeperThan = (levels: number, json: unknown): boolean =>
  typeof json === 'object' &&
  json !== null &&
  (levels === 0 || Object.values(json).some((inner) => isDeeperThan(levels - 1, inner)))

/** A function of a JSON value and the keys of a path inside it. */
const jsonFn = (build: (source: JsonPath, args: readonly TypedSql[], call: Call) => TypedSql): Fn =>
  fn([1, 50], (args, call) => build(sourceOf(args, call), args, call))

const whenKind = (source: JsonPath, kind: 'string' | 'number' | 'array', then: Sql, otherwise: Sql): Sql => {
  const literal: Sql = { strings: [`'${kind}'`], parts: [] }
  return sql`(case when ${jsonKind(source)} = ${literal} then ${then} else ${otherwise} end)`
}

export const JSON_FUNCTIONS: Functions = {
  JSONExtractString: jsonFn((source, args, { at }) =>
    derive(at, STRING, whenKind(source, 'string', jsonText(source), sql`''`), args, false),
  ),
  JSONExtractInt: jsonFn((source, args, { at }) => {
    const text = jsonText(source)
    const postgres = bindOnce(
      { v: text },
      sql`case when ${isNumberText(sql`t.v`)} then case when t.v::numeric = trunc(t.v::numeric) and abs(t.v::numeric) < 1e16 then t.v::numeric end end`,
    )
    const value = either(sqliteInteger(sql`hogql_whole(hogql_float(${text}))`), integerWithin(postgres))
    return derive(at, INTEGER, whenKind(source, 'number', sql`coalesce(${value}, 0)`, sql`0`), args, false)
  }),
  JSONExtractFloat: jsonFn((source, args, { at }) => {
    const text = jsonText(source)
    const value = either(
      sql`hogql_float(${text})`,
      bindOnce({ v: text }, sql`case when ${isNumberText(sql`t.v`)} then t.v::float8 end`),
    )
    const zero = either(sql`0.0`, sql`0::float8`)
    return derive(at, FLOAT, whenKind(source, 'number', sql`coalesce(${value}, ${zero})`, zero), args, false)
  }),
  JSONExtractBool: jsonFn((source, args, { at }) => {
    const raw = jsonRaw(source)
    return boolean(at, sql`coalesce(${either(sql`${raw} = 'true'`, sql`(${raw})::text = 'true'`)}, ${FALSE})`, args)
  }),
  JSONExtractRaw: jsonFn((source, args, { at }) => {
    const raw = jsonRaw(source)
    return {
      ...derive(at, STRING, sql`coalesce(${either(sql`(${raw} || '')`, sql`(${raw})::text`)}, '')`, args, false),
      document: source,
    }
  }),
  /** The JSON text of each element. */
  JSONExtractArrayRaw: jsonFn((source, args, { at }) => {
    const raw = jsonRaw(source)
    const empty = either(sql`'[]'`, sql`array[]::text[]`)
    const items = either(
      sql`hogql_raw_items(${raw})`,
      sql`array(select i.v::text from json_array_elements(${raw}) with ordinality i(v, n) order by i.n)`,
    )
    return derive(at, arrayOf(STRING), whenKind(source, 'array', items, empty), args, false)
  }),
  JSONHas: jsonFn((source, args, { at }) => boolean(at, sql`(${jsonRaw(source)} is not null)`, args)),
  JSONLength: jsonFn((source, args, { at }) => {
    const raw = jsonRaw(source)
    return derive(
      at,
      INTEGER,
      either(
        sql`coalesce(hogql_json_length(${raw}), 0)`,
        sql`(case json_typeof(${raw}) when 'array' then json_array_length(${raw}) when 'object' then (select count(*) from json_object_keys(${raw})) else 0 end)::bigint`,
      ),
      args,
      false,
    )
  }),
}

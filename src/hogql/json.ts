/** Reads values inside JSON columns, with the same text on both engines. */
import { joined, name, type Sql, sql } from '../sql/template.ts'
import { MAX_INTEGER } from './limits.ts'
import { textColumn } from './mirror-columns.ts'
import { booleanParam, either, type JsonPath, textParam } from './typed.ts'

/** SQLite's JSON paths cannot express keys with these characters. A user-defined function looks them up. */
const UNSUPPORTED_CHARACTER = /["\\\p{Cc}]/u

const isUnsupported = (path: JsonPath['path']): boolean =>
  path.some((key) => typeof key === 'string' && UNSUPPORTED_CHARACTER.test(key))

/** `$."key"[0]`, always bound as a parameter. */
const sqlitePath = (path: JsonPath['path']): string =>
  `$${path.map((key) => (typeof key === 'string' ? `."${key}"` : `[${key > 0 ? key - 1 : `#${key}`}]`)).join('')}`

const steps = (root: Sql, path: JsonPath['path']): Sql =>
  path.reduce<Sql>(
    (inner, key) =>
      typeof key === 'string' ? sql`${inner} -> ${key}::text` : sql`${inner} -> ${key > 0 ? key - 1 : key}::int`,
    root,
  )

/** The value at the path as text; the whole column if the path is empty. */
const postgresText = ({ root, path }: JsonPath): Sql => {
  const last = path.at(-1)
  if (last === undefined) return sql`${root}::text`
  const inner = steps(root, path.slice(0, -1))
  return typeof last === 'string'
    ? sql`(${inner} ->> ${last}::text)`
    : sql`(${inner} ->> ${last > 0 ? last - 1 : last}::int)`
}

/** The value as text, in the mirror. */
const mirroredText = ({ mirrored }: JsonPath): Sql | undefined =>
  mirrored && sql`${name(mirrored.of)}.${name(textColumn(mirrored.key))}`

/**
 * The value as text, or NULL: a string without quotes, anything else as JSON. `|| ''` drops SQLite's JSON subtype, which
 * would nest the text as JSON.
 */
export function jsonText(source: JsonPath): Sql {
  const { root, path } = source
  if (!path.length) return either(root, sql`${root}::text`)
  const where = sqlitePath(path)
  return either(
    isUnsupported(path)
      ? sql`hogql_json_text(${root}, ${JSON.stringify(path)})`
      : sql`(case json_type(${root}, ${where}) when 'text' then ${root} ->> ${where} when 'null' then null else (${root} -> ${where}) || '' end)`,
    postgresText(source),
    mirroredText(source),
  )
}

/** The value as JSON, including JSON null: text on SQLite, `json` on PostgreSQL. */
export function jsonRaw({ root, path }: JsonPath): Sql {
  if (!path.length) return root
  return either(
    isUnsupported(path) ? sql`hogql_json_raw(${root}, ${JSON.stringify(path)})` : sql`(${root} -> ${sqlitePath(path)})`,
    sql`(${steps(root, path)})`,
  )
}

/** `object`, `array`, `string`, `number`, `boolean`, `null`, or NULL if the path does not exist. */
export function jsonKind(source: JsonPath): Sql {
  const { root, path } = source
  const kind = isUnsupported(path)
    ? sql`json_type(hogql_json_raw(${root}, ${JSON.stringify(path)}))`
    : sql`json_type(${root}, ${sqlitePath(path)})`
  return either(
    sql`(case ${kind} when 'text' then 'string' when 'integer' then 'number' when 'real' then 'number' when 'true' then 'boolean' when 'false' then 'boolean' else ${kind} end)`,
    sql`json_typeof(${jsonRaw(source)})`,
  )
}

/** Matches strings that may also be the JSON text of a number, a boolean, an object or an array. */
const JSON_LIKE = /^(?:[-\d[{]|true$|false$)/

/**
 * `properties.x = 'y'` without computing the text of x first: on SQLite, `->>` returns that text if x is a string and a
 * number if x is a number or a boolean.
 */
export function jsonEquals(source: JsonPath, value: string): Sql {
  const { root, path } = source
  const postgres = sql`(${postgresText(source)} is not distinct from ${value}::text)`
  if (!path.length || isUnsupported(path)) return either(sql`(${jsonText(source)} is ${value})`, postgres)
  const text = mirroredText(source)
  // By this comparison DuckDB skips blocks of rows that it reads for `is not distinct from`.
  const duckdb = text && sql`coalesce(${text} = ${value}::text, ${booleanParam(false)})`
  const where = sqlitePath(path)
  return either(
    JSON_LIKE.test(value)
      ? sql`((${root} ->> ${where}) is ${value} or (${root} -> ${where}) is ${value})`
      : sql`((${root} ->> ${where}) is ${value})`,
    postgres,
    duckdb,
  )
}

/** `properties.x in ('y', 'z')`, likewise. */
export function jsonIn(source: JsonPath, values: readonly string[]): Sql {
  const { root, path } = source
  const list = joined(values.map(textParam), ', ')
  const text =
    !path.length || isUnsupported(path) || values.some((value) => JSON_LIKE.test(value))
      ? jsonText(source)
      : either(sql`(${root} ->> ${sqlitePath(path)})`, postgresText(source), mirroredText(source))
  return sql`coalesce(${text} in (${list}), ${booleanParam(false)})`
}

/**
 * toFloat and toInt of a property. SQLite has already parsed JSON numbers; only strings go through a function. Numbers
 * that `NUMBER_PATTERN` and `INTEGER_PATTERN` do not match are NULL here too.
 */
export function sqliteJsonFloat({ root, path }: JsonPath): Sql | undefined {
  if (!path.length || isUnsupported(path)) return undefined
  const where = sqlitePath(path)
  return sql`(case json_type(${root}, ${where}) when 'integer' then cast(${root} ->> ${where} as real) when 'real' then case when (${root} -> ${where}) not glob '*e[+-][0-9][0-9][0-9]' then ${root} ->> ${where} end when 'text' then hogql_float(${root} ->> ${where}) end)`
}

export function sqliteJsonInteger({ root, path }: JsonPath): Sql | undefined {
  if (!path.length || isUnsupported(path)) return undefined
  const where = sqlitePath(path)
  const over: Sql = { strings: [`${MAX_INTEGER}`], parts: [] }
  const under: Sql = { strings: [`${-MAX_INTEGER}`], parts: [] }
  return sql`(case json_type(${root}, ${where}) when 'integer' then nullif(nullif(max(min(${root} ->> ${where}, ${over}), ${under}), ${over}), ${under}) when 'text' then cast(hogql_integer(${root} ->> ${where}) as integer) end)`
}

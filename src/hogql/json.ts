/** Values inside JSON columns, as the same text on both engines. */
import { joined, type Sql, sql } from '../sql/template.ts'
import { MAX_INTEGER } from './limits.ts'
import { type JsonPath, on, textParam } from './typed.ts'

/** SQLite's path language cannot name these keys; a function of ours looks them up. */
const ODD_KEY = /["\\\p{Cc}]/u

const isOdd = (path: JsonPath['path']): boolean => path.some((key) => typeof key === 'string' && ODD_KEY.test(key))

/** `$."key"[0]`, always bound as a parameter. */
const sqlitePath = (path: JsonPath['path']): string =>
  `$${path.map((key) => (typeof key === 'string' ? `."${key}"` : `[${key > 0 ? key - 1 : `#${key}`}]`)).join('')}`

const steps = (root: Sql, path: JsonPath['path']): Sql =>
  path.reduce<Sql>(
    (inner, key) =>
      typeof key === 'string' ? sql`${inner} -> ${key}::text` : sql`${inner} -> ${key > 0 ? key - 1 : key}::int`,
    root,
  )

/** On PostgreSQL, the last step as text; on a bare column, all of it. */
const postgresText = ({ root, path }: JsonPath): Sql => {
  const last = path.at(-1)
  if (last === undefined) return sql`${root}::text`
  const inner = steps(root, path.slice(0, -1))
  return typeof last === 'string'
    ? sql`(${inner} ->> ${last}::text)`
    : sql`(${inner} ->> ${last > 0 ? last - 1 : last}::int)`
}

/** Text or NULL (and no longer JSON for SQLite, which would nest it as such): what a string says, the spelling of a number, true or false, the JSON of an object or an array. */
export function jsonText(source: JsonPath): Sql {
  const { root, path } = source
  if (!path.length) return on(root, sql`${root}::text`)
  const where = sqlitePath(path)
  return on(
    isOdd(path)
      ? sql`hogql_json_text(${root}, ${JSON.stringify(path)})`
      : sql`(case json_type(${root}, ${where}) when 'text' then ${root} ->> ${where} when 'null' then null else (${root} -> ${where}) || '' end)`,
    postgresText(source),
  )
}

/** The JSON itself, JSON null included: text on SQLite, `json` on PostgreSQL. */
export function jsonRaw({ root, path }: JsonPath): Sql {
  if (!path.length) return root
  return on(
    isOdd(path) ? sql`hogql_json_raw(${root}, ${JSON.stringify(path)})` : sql`(${root} -> ${sqlitePath(path)})`,
    sql`(${steps(root, path)})`,
  )
}

/** `object`, `array`, `string`, `number`, `boolean`, `null`, or NULL where there is nothing. */
export function jsonKind(source: JsonPath): Sql {
  const { root, path } = source
  const kind = isOdd(path)
    ? sql`json_type(hogql_json_raw(${root}, ${JSON.stringify(path)}))`
    : sql`json_type(${root}, ${sqlitePath(path)})`
  return on(
    sql`(case ${kind} when 'text' then 'string' when 'integer' then 'number' when 'real' then 'number' when 'true' then 'boolean' when 'false' then 'boolean' else ${kind} end)`,
    sql`json_typeof(${jsonRaw(source)})`,
  )
}

/** Texts that a number, a boolean, an object or an array could print as, besides the string that says the same. */
const JSON_LIKE = /^(?:[-\d[{]|true$|false$)/

/**
 * `properties.x = 'y'` without working out the text of x first: on SQLite `->>` is that text whenever x is a string,
 * and is no text at all when x is a number or a boolean.
 */
export function jsonEquals(source: JsonPath, value: string): Sql {
  const { root, path } = source
  const postgres = sql`(${postgresText(source)} is not distinct from ${value}::text)`
  if (!path.length || isOdd(path)) return on(sql`(${jsonText(source)} is ${value})`, postgres)
  const where = sqlitePath(path)
  return on(
    JSON_LIKE.test(value)
      ? sql`((${root} ->> ${where}) is ${value} or (${root} -> ${where}) is ${value})`
      : sql`((${root} ->> ${where}) is ${value})`,
    postgres,
  )
}

/** `properties.x in ('y', 'z')`, by the same rule. */
export function jsonIn(source: JsonPath, values: readonly string[]): Sql {
  const { root, path } = source
  const list = joined(values.map(textParam), ', ')
  const text =
    !path.length || isOdd(path) || values.some((value) => JSON_LIKE.test(value))
      ? jsonText(source)
      : on(sql`(${root} ->> ${sqlitePath(path)})`, postgresText(source))
  return sql`coalesce(${text} in (${list}), ${on(sql`0`, sql`false`)})`
}

/**
 * toFloat and toInt of a property. SQLite has parsed the number already, exactly; only texts go through a function.
 * What `DECIMAL` and `WHOLE` refuse to read is NULL here too.
 */
export function sqliteFloat({ root, path }: JsonPath): Sql | undefined {
  if (!path.length || isOdd(path)) return undefined
  const where = sqlitePath(path)
  return sql`(case json_type(${root}, ${where}) when 'integer' then cast(${root} ->> ${where} as real) when 'real' then case when (${root} -> ${where}) not glob '*e[+-][0-9][0-9][0-9]' then ${root} ->> ${where} end when 'text' then hogql_float(${root} ->> ${where}) end)`
}

export function sqliteWhole({ root, path }: JsonPath): Sql | undefined {
  if (!path.length || isOdd(path)) return undefined
  const where = sqlitePath(path)
  const [over, under]: Sql[] = [`${MAX_INTEGER}`, `${-MAX_INTEGER}`].map((digits) => ({ strings: [digits], parts: [] }))
  return sql`(case json_type(${root}, ${where}) when 'integer' then nullif(nullif(max(min(${root} ->> ${where}, ${over!}), ${under!}), ${over!}), ${under!}) when 'text' then cast(hogql_integer(${root} ->> ${where}) as integer) end)`
}

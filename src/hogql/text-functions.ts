/** String functions. They count characters as code points, except for `length`, which counts bytes. */
import { type Sql, sql } from '../sql/template.ts'
import { asText, coerce, int4, requireType } from './convert.ts'
import { duckdbLower, duckdbUpper } from './duckdb-case.ts'
import { bindOnce, boolean, constantString, FALSE, type Fn, type Functions, fn } from './env.ts'
import { HogqlError } from './error.ts'
import { MAX_LIST } from './limits.ts'
import { extractSql, replaceSql } from './match.ts'
import { postgresLiteral, re2Literal } from './regex-print.ts'
import { arrayOf, BOOLEAN, balanced, derive, either, INTEGER, STRING, sqliteOr, type TypedSql } from './typed.ts'

function stringArgument(value: TypedSql, fnName: string): Sql {
  requireType(value, 'string', fnName)
  return coerce(value, STRING)
}

function integerArgument(value: TypedSql, fnName: string): Sql {
  requireType(value, 'integer', fnName)
  return coerce(value, INTEGER)
}

/** A function of one string. */
const unary = (build: (text: Sql) => Sql, type = STRING): Fn =>
  fn(1, ([value], { at, name }) => derive(at, type, build(stringArgument(value, name)), [value]))

/** A function of two strings. */
const binary = (build: (text: Sql, other: Sql) => Sql, type = STRING): Fn =>
  fn(2, (args, { at, name }) => {
    const [text, other] = args
    return derive(at, type, build(stringArgument(text, name), stringArgument(other, name)), args)
  })

const length = fn(1, ([value], { at }) => {
  requireType(value, 'string or array', 'length')
  const size =
    value.type.kind === 'array'
      ? either(sql`json_array_length(${value.sql})`, sql`cardinality(${value.sql})::bigint`)
      : either(
          sql`octet_length(${value.sql})`,
          sql`octet_length(${coerce(value, STRING)})::bigint`,
          sql`strlen(${coerce(value, STRING)})`,
        )
  return derive(at, INTEGER, size, [value])
})

function trimmed(sqlite: 'trim' | 'ltrim' | 'rtrim', postgres: 'btrim' | 'ltrim' | 'rtrim'): Fn {
  const sqliteName: Sql = { strings: [sqlite], parts: [] }
  const postgresName: Sql = { strings: [postgres], parts: [] }
  return fn([1, 2], (args, { at, name }) => {
    const [value, characters] = args
    const text = stringArgument(value, name)
    const list = characters ? sql`${text}, ${stringArgument(characters, name)}` : text
    // DuckDB removes all kinds of spaces by default.
    const duckdb = sql`${sqliteName}(${list}${characters ? sql`` : sql`, ' '`})`
    return derive(at, STRING, either(sql`${sqliteName}(${list})`, sql`${postgresName}(${list})`, duckdb), args)
  })
}

/** Converts every argument to a string. NULL becomes the empty string. */
const concat = fn([1, MAX_LIST], (args, { at }) => {
  const strings = args.map((arg) => (arg.nullable ? sql`coalesce(${asText(arg)}, '')` : asText(arg)))
  return derive(at, STRING, balanced(strings, '||'), args, false)
})

/** DuckDB means something else by negative numbers. */
const isCount = ({ literal }: TypedSql): boolean => typeof literal === 'number' && literal >= 0 && literal <= MAX_COUNT
const MAX_COUNT = 1_000_000

const substring = fn(3, (args, { at, name }) => {
  const [value, offset, length] = args
  const text = stringArgument(value, name)
  const [from, count] = [integerArgument(offset, name), integerArgument(length, name)]
  return derive(
    at,
    STRING,
    either(
      sql`hogql_substring(${text}, ${from}, ${count})`,
      bindOnce(
        { s: text, o: from, l: count },
        sql`case when t.s is null or t.o is null or t.l is null then null when t.o = 0 or t.l <= 0 then '' when t.o > 0 then substr(t.s, ${int4(sql`t.o`)}, ${int4(sql`t.l`)}) else substr(t.s, ${int4(sql`char_length(t.s) + t.o + 1`)}, ${int4(sql`t.l`)}) end`,
      ),
      isCount(offset) && offset.literal !== 0 && isCount(length) ? sql`substr(${text}, ${from}, ${count})` : undefined,
    ),
    args,
  )
})

const side = (name: 'left' | 'right'): Fn =>
  fn(2, (args, { at }) => {
    const [value, length] = args
    const text = stringArgument(value, name)
    const count = integerArgument(length, name)
    const postgres = bindOnce(
      { s: text, n: count },
      name === 'left'
        ? sql`case when t.n is not null then left(t.s, ${int4(sql`t.n`)}) end`
        : sql`case when t.n is not null then right(t.s, ${int4(sql`t.n`)}) end`,
    )
    const sqlite = name === 'left' ? sql`hogql_left(${text}, ${count})` : sql`hogql_right(${text}, ${count})`
    const sideName: Sql = { strings: [name], parts: [] }
    const duckdb = isCount(length) ? sql`${sideName}(${text}, ${count})` : undefined
    return derive(at, STRING, either(sqlite, postgres, duckdb), args)
  })

const replaceAll = fn(3, (args, { at, name }) => {
  const [value, search, replacement] = args
  const text = stringArgument(value, name)
  const from = stringArgument(search, name)
  const to = stringArgument(replacement, name)
  const plain = sql`replace(${text}, ${from}, ${to})`
  // SQLite's replace() returns the text for an empty search string, even if the replacement is NULL.
  const nullSafe = sqliteOr(sql`hogql_replace_all(${text}, ${from}, ${to})`, plain)
  return derive(at, STRING, replacement.nullable ? nullSafe : plain, args)
})

const replaceOne = fn(3, (args, { at, name }) => {
  const [value, search, replacement] = args
  const s = stringArgument(value, name)
  const a = stringArgument(search, name)
  const b = stringArgument(replacement, name)
  return derive(
    at,
    STRING,
    either(
      sql`hogql_replace_one(${s}, ${a}, ${b})`,
      bindOnce(
        { s, a, b },
        sql`case when t.a = '' or strpos(t.s, t.a) = 0 then t.s || left(t.a || t.b, 0) else left(t.s, strpos(t.s, t.a) - 1) || t.b || substr(t.s, strpos(t.s, t.a) + char_length(t.a)) end`,
      ),
    ),
    args,
  )
})

const split = fn(2, ([separator, value], call) => {
  const glue = constantString(separator, 'The separator', call)
  if (call.name === 'splitByChar' && [...glue].length !== 1)
    throw new HogqlError(`The separator of splitByChar must be one character.`, separator.at)
  const text = stringArgument(value, call.name)
  // PostgreSQL splits an empty string into no pieces. A separator in front adds one, and [2:] drops it.
  const postgres =
    glue === ''
      ? sql`string_to_array(${text}, null)`
      : sql`(string_to_array(${glue}::text || ${text}, ${glue}::text))[2:]`
  return derive(
    call.at,
    arrayOf(STRING),
    either(sql`hogql_split(${text}, ${glue})`, sql`coalesce(${postgres}, array[]::text[])`),
    [value],
    false,
  )
})

const multiSearchAny = fn(2, ([value, needles], call) => {
  const text = stringArgument(value, call.name)
  if (!needles.items) throw new HogqlError(`The second argument of ${call.name} must be a list.`, needles.at)
  const tests = needles.items
    .map((item) => stringArgument(item, call.name))
    .map((needle) => sqliteOr(sql`(instr(${text}, ${needle}) > 0)`, sql`(strpos(${text}, ${needle}) > 0)`))
  if (!tests.length) return boolean(call.at, FALSE, [value])
  return derive(call.at, BOOLEAN, balanced(tests, 'or'), [value, ...needles.items])
})

const extract = fn(2, ([value, pattern], call) => {
  requireType(value, 'string', 'extract')
  return derive(call.at, STRING, extractSql(value, constantString(pattern, 'The pattern', call), pattern.at), [value])
})

const replaceRegexp = (all: boolean): Fn =>
  fn(3, ([value, pattern, replacement], call) => {
    requireType(value, 'string', call.name)
    const regex = constantString(pattern, 'The pattern', call)
    const by = constantString(replacement, 'The replacement', call)
    return derive(call.at, STRING, replaceSql(value, regex, by, pattern.at, all), [value])
  })

/** URL patterns, for both engines. */
export const DOMAIN = '^(?:(?:[A-Za-z][A-Za-z0-9+.-]*:)?//(?:[^/?#@]*@)?)?([^/?#:@ ]+)'
export const PATH = '^(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#]*(/[^?#]*)'

/** The first group of a match on DuckDB, or the empty string. */
const duckdbGroup = (s: Sql, pattern: string): Sql => sql`regexp_extract(${s}, ${pattern}, 1)`

/** The first group of a match on PostgreSQL, or the empty string. */
const firstGroup = (s: Sql, pattern: string): Sql =>
  bindOnce({ s }, sql`case when t.s is not null then coalesce((regexp_match(t.s, ${pattern}::text))[1], '') end`)

const extractURLParameter = fn(2, ([value, parameter], call) => {
  const text = stringArgument(value, call.name)
  const name = constantString(parameter, 'The parameter', call)
  const patternOf = (literal: string): string => `[?&#]${literal}=([^&#]*)`
  const found = either(
    sql`hogql_parameter(${text}, ${name})`,
    firstGroup(text, patternOf(postgresLiteral(name))),
    duckdbGroup(text, patternOf(re2Literal(name))),
  )
  return derive(call.at, STRING, found, [value])
})

export const TEXT_FUNCTIONS: Functions = {
  length,
  lengthUTF8: unary((s) => either(sql`length(${s})`, sql`char_length(${s})::bigint`, sql`length(${s})`), INTEGER),
  lower: unary((s) =>
    either(sql`hogql_lower(${s})`, sql`(lower(${s} collate "und-x-icu") collate "C")`, duckdbLower(s)),
  ),
  upper: unary((s) =>
    either(sql`hogql_upper(${s})`, sql`(upper(${s} collate "und-x-icu") collate "C")`, duckdbUpper(s)),
  ),
  trim: trimmed('trim', 'btrim'),
  trimLeft: trimmed('ltrim', 'ltrim'),
  trimRight: trimmed('rtrim', 'rtrim'),
  concat,
  substring,
  left: side('left'),
  right: side('right'),
  startsWith: binary(
    (s, p) => sqliteOr(sql`(substr(${s}, 1, length(${p})) = ${p})`, sql`starts_with(${s}, ${p})`),
    BOOLEAN,
  ),
  endsWith: binary(
    (s, p) =>
      either(
        sql`(substr(${s}, length(${s}) + 1 - length(${p})) = ${p} and length(${s}) >= length(${p}))`,
        sql`(right(${s}, char_length(${p})) = ${p})`,
        sql`ends_with(${s}, ${p})`,
      ),
    BOOLEAN,
  ),
  position: binary((s, p) => sqliteOr(sql`instr(${s}, ${p})`, sql`strpos(${s}, ${p})::bigint`), INTEGER),
  replaceAll,
  replace: replaceAll,
  replaceOne,
  splitByString: split,
  splitByChar: split,
  reverse: unary((s) => either(sql`hogql_reverse(${s})`, sql`reverse(${s})`)),
  multiSearchAny,
  extract,
  replaceRegexpAll: replaceRegexp(true),
  replaceRegexpOne: replaceRegexp(false),
  domain: unary((s) => either(sql`hogql_domain(${s})`, firstGroup(s, DOMAIN), duckdbGroup(s, DOMAIN))),
  path: unary((s) => either(sql`hogql_path(${s})`, firstGroup(s, PATH), duckdbGroup(s, PATH))),
  extractURLParameter,
}

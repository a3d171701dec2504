/** Texts, patterns in them, and addresses. Characters are code points, except for `length`, which counts bytes. */
import { type Sql, sql } from '../sql/template.ts'
import { asText, coerce, int4, mustBe } from './convert.ts'
import { boolean, bound, FALSE, type Fn, type Functions, literalText } from './env.ts'
import { HogqlError } from './error.ts'
import { extractSql, replaceSql } from './match.ts'
import { postgresLiteral } from './regex-print.ts'
import { arrayOf, BOOLEAN, balanced, type HogType, INTEGER, isText, made, on, STRING, type Typed } from './typed.ts'

/** Texts in, a value of this type out. */
const ofTexts = (type: HogType, count: number, build: (...args: Sql[]) => Sql, anyCase = false): Fn => ({
  min: count,
  max: count,
  anyCase,
  build: (args, { at, name }) => made(at, type, build(...texts(args, name)), args),
})

const text = (count: number, build: (...args: Sql[]) => Sql, anyCase = false): Fn =>
  ofTexts(STRING, count, build, anyCase)

function texts(args: readonly Typed[], name: string): Sql[] {
  for (const arg of args) mustBe(arg, isText, 'a text', name)
  return args.map((arg) => coerce(arg, STRING))
}

function whole(value: Typed, name: string): Sql {
  mustBe(value, ({ kind }) => kind === 'integer', 'a whole number', name)
  return coerce(value, INTEGER)
}

const length: Fn = {
  min: 1,
  max: 1,
  anyCase: true,
  build: ([value], { at }) => {
    if (value!.type.kind === 'array')
      return made(at, INTEGER, on(sql`json_array_length(${value!.sql})`, sql`cardinality(${value!.sql})::bigint`), [
        value!,
      ])
    mustBe(value!, isText, 'a text or an array', 'length')
    return made(
      at,
      INTEGER,
      on(sql`octet_length(${value!.sql})`, sql`octet_length(${coerce(value!, STRING)})::bigint`),
      [value!],
    )
  },
}

function trimmed(sqlite: 'trim' | 'ltrim' | 'rtrim', postgres: 'btrim' | 'ltrim' | 'rtrim'): Fn {
  const [lite, big]: [Sql, Sql] = [
    { strings: [sqlite], parts: [] },
    { strings: [postgres], parts: [] },
  ]
  return {
    min: 1,
    max: 2,
    anyCase: sqlite === 'trim',
    build: (args, { at, name }) => {
      const [inner, chars] = texts(args, name)
      return made(
        at,
        STRING,
        chars
          ? on(sql`${lite}(${inner!}, ${chars})`, sql`${big}(${inner!}, ${chars})`)
          : on(sql`${lite}(${inner!})`, sql`${big}(${inner!})`),
        args,
      )
    },
  }
}

/** Anything is made text, and NULL is no text at all. */
const concat: Fn = {
  min: 1,
  max: 1000,
  anyCase: true,
  build: (args, { at }) =>
    made(
      at,
      STRING,
      balanced(
        args.map((arg) => (arg.nullable ? sql`coalesce(${asText(arg)}, '')` : asText(arg))),
        '||',
      ),
      args,
      false,
    ),
}

const substring: Fn = {
  min: 3,
  max: 3,
  anyCase: true,
  build: ([value, offset, count], { at, name }) => {
    const [inner] = texts([value!], name)
    const [from, size] = [whole(offset!, name), whole(count!, name)]
    return made(
      at,
      STRING,
      on(
        sql`hogql_substring(${inner!}, ${from}, ${size})`,
        bound(
          { s: inner!, o: from, l: size },
          sql`case when t.s is null or t.o is null or t.l is null then null when t.o = 0 or t.l <= 0 then '' when t.o > 0 then substr(t.s, ${int4(sql`t.o`)}, ${int4(sql`t.l`)}) else substr(t.s, ${int4(sql`char_length(t.s) + t.o + 1`)}, ${int4(sql`t.l`)}) end`,
        ),
      ),
      [value!, offset!, count!],
    )
  },
}

const side = (name: 'left' | 'right'): Fn => ({
  min: 2,
  max: 2,
  anyCase: true,
  build: (args, { at }) => {
    const [inner] = texts([args[0]!], name)
    const count = whole(args[1]!, name)
    const postgres = bound(
      { s: inner!, n: count },
      name === 'left'
        ? sql`case when t.n is not null then left(t.s, ${int4(sql`t.n`)}) end`
        : sql`case when t.n is not null then right(t.s, ${int4(sql`t.n`)}) end`,
    )
    const sqlite = name === 'left' ? sql`hogql_left(${inner!}, ${count})` : sql`hogql_right(${inner!}, ${count})`
    return made(at, STRING, on(sqlite, postgres), args)
  },
})

const replaceAll = (anyCase: boolean): Fn => ({
  min: 3,
  max: 3,
  anyCase,
  build: (args, { at, name }) => {
    const [inner, from, to] = texts(args, name) as [Sql, Sql, Sql]
    const plain = sql`replace(${inner}, ${from}, ${to})`
    // SQLite's own replaces nothing where it looks for nothing, even if the replacement is NULL.
    return made(
      at,
      STRING,
      args[2]!.nullable ? on(sql`hogql_replace_all(${inner}, ${from}, ${to})`, plain) : plain,
      args,
    )
  },
})

const split: Fn = {
  min: 2,
  max: 2,
  build: ([separator, value], call) => {
    const sign = literalText(separator, 'The separator', call)
    if (call.name === 'splitByChar' && [...sign].length !== 1)
      throw new HogqlError(
        `The separator of splitByChar at position ${separator!.at} must be one character.`,
        separator!.at,
      )
    const [inner] = texts([value!], call.name) as [Sql]
    // A separator in front and the first piece dropped: PostgreSQL would make no pieces of an empty text.
    const postgres =
      sign === ''
        ? sql`string_to_array(${inner}, null)`
        : sql`(string_to_array(${sign}::text || ${inner}, ${sign}::text))[2:]`
    return made(
      call.at,
      arrayOf(STRING),
      on(sql`hogql_split(${inner}, ${sign})`, sql`coalesce(${postgres}, array[]::text[])`),
      [value!],
      false,
    )
  },
}

const multiSearchAny: Fn = {
  min: 2,
  max: 2,
  build: ([value, needles], call) => {
    const [inner] = texts([value!], call.name) as [Sql]
    if (!needles!.items)
      throw new HogqlError(`The needles at position ${needles!.at} must be a written list.`, needles!.at)
    const tests = texts(needles!.items, call.name).map((needle) =>
      on(sql`(instr(${inner}, ${needle}) > 0)`, sql`(strpos(${inner}, ${needle}) > 0)`),
    )
    if (!tests.length) return boolean(call.at, FALSE, [value!])
    return made(call.at, BOOLEAN, balanced(tests, 'or'), [value!, ...needles!.items])
  },
}

const extract: Fn = {
  min: 2,
  max: 2,
  anyCase: true,
  build: ([value, pattern], call) => {
    mustBe(value!, isText, 'a text', 'extract')
    return made(call.at, STRING, extractSql(value!, literalText(pattern, 'The pattern', call), pattern!.at), [value!])
  },
}

const replaceRegexp = (all: boolean): Fn => ({
  min: 3,
  max: 3,
  build: ([value, pattern, replacement], call) => {
    mustBe(value!, isText, 'a text', call.name)
    const re = literalText(pattern, 'The pattern', call)
    const by = literalText(replacement, 'The replacement', call)
    return made(call.at, STRING, replaceSql(value!, re, by, pattern!.at, all), [value!])
  },
})

/** Patterns of addresses, for both engines. */
export const DOMAIN = '^(?:(?:[A-Za-z][A-Za-z0-9+.-]*:)?//(?:[^/?#@]*@)?)?([^/?#:@ ]+)'
export const PATH = '^(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#]*(/[^?#]*)'

const address = (pattern: string, sqlite: (address: Sql) => Sql): Fn =>
  text(1, (s) =>
    on(
      sqlite(s),
      bound({ s }, sql`case when t.s is not null then coalesce((regexp_match(t.s, ${pattern}::text))[1], '') end`),
    ),
  )

const extractURLParameter: Fn = {
  min: 2,
  max: 2,
  build: ([value, parameter], call) => {
    const [inner] = texts([value!], call.name) as [Sql]
    const name = literalText(parameter, 'The parameter', call)
    const pattern = `[?&#]${postgresLiteral(name)}=([^&#]*)`
    return made(
      call.at,
      STRING,
      on(
        sql`hogql_parameter(${inner}, ${name})`,
        bound(
          { s: inner },
          sql`case when t.s is not null then coalesce((regexp_match(t.s, ${pattern}::text))[1], '') end`,
        ),
      ),
      [value!],
    )
  },
}

export const TEXT_FUNCTIONS: Functions = {
  length,
  lengthUTF8: ofTexts(INTEGER, 1, (s) => on(sql`length(${s})`, sql`char_length(${s})::bigint`)),
  lower: text(1, (s) => on(sql`hogql_lower(${s})`, sql`(lower(${s} collate "und-x-icu") collate "C")`), true),
  upper: text(1, (s) => on(sql`hogql_upper(${s})`, sql`(upper(${s} collate "und-x-icu") collate "C")`), true),
  trim: trimmed('trim', 'btrim'),
  trimLeft: trimmed('ltrim', 'ltrim'),
  trimRight: trimmed('rtrim', 'rtrim'),
  concat,
  substring,
  left: side('left'),
  right: side('right'),
  startsWith: ofTexts(BOOLEAN, 2, (s, p) =>
    on(sql`(substr(${s}, 1, length(${p})) = ${p})`, sql`starts_with(${s}, ${p})`),
  ),
  endsWith: ofTexts(BOOLEAN, 2, (s, p) =>
    on(
      sql`(substr(${s}, length(${s}) + 1 - length(${p})) = ${p} and length(${s}) >= length(${p}))`,
      sql`(right(${s}, char_length(${p})) = ${p})`,
    ),
  ),
  position: ofTexts(INTEGER, 2, (s, p) => on(sql`instr(${s}, ${p})`, sql`strpos(${s}, ${p})::bigint`), true),
  replaceAll: replaceAll(false),
  replace: replaceAll(true),
  replaceOne: text(3, (s, a, b) =>
    on(
      sql`hogql_replace_one(${s}, ${a}, ${b})`,
      bound(
        { s, a, b },
        sql`case when t.a = '' or strpos(t.s, t.a) = 0 then t.s || left(t.a || t.b, 0) else left(t.s, strpos(t.s, t.a) - 1) || t.b || substr(t.s, strpos(t.s, t.a) + char_length(t.a)) end`,
      ),
    ),
  ),
  splitByString: split,
  splitByChar: split,
  reverse: text(1, (s) => on(sql`hogql_reverse(${s})`, sql`reverse(${s})`), true),
  multiSearchAny,
  extract,
  replaceRegexpAll: replaceRegexp(true),
  replaceRegexpOne: replaceRegexp(false),
  domain: address(DOMAIN, (s) => sql`hogql_domain(${s})`),
  path: address(PATH, (s) => sql`hogql_path(${s})`),
  extractURLParameter,
}

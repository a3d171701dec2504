/** Regular expressions in SQL: re2js in a user-defined function on SQLite, the built-in engine on PostgreSQL. */
import { type Sql, sql } from '../sql/template.ts'
import { coerce } from './convert.ts'
import { bindOnce, FALSE } from './env.ts'
import { HogqlError } from './error.ts'
import { type Pattern, PatternError, parsePattern } from './regex.ts'
import { assertUnambiguous, literalOf, matchesEmpty, toPostgres, toRe2 } from './regex-print.ts'
import { either, STRING, sqliteOr, type TypedSql } from './typed.ts'

function parseChecked(text: string, at: number, check?: (pattern: Pattern) => void): Pattern {
  try {
    const pattern = parsePattern(text)
    check?.(pattern)
    return pattern
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    throw new HogqlError(`Invalid pattern: ${error.message}.`, at)
  }
}

export function matchSql(value: TypedSql, text: string, at: number): Sql {
  const pattern = parseChecked(text, at)
  const subject = coerce(value, STRING)
  const literal = literalOf(pattern)
  const test =
    literal !== undefined
      ? sqliteOr(sql`(instr(${subject}, ${literal}) > 0)`, sql`(strpos(${subject}, ${literal}::text) > 0)`)
      : either(
          sql`hogql_match(${subject}, ${toRe2(pattern)})`,
          sql`(${subject} ~ ${toPostgres(pattern)}::text)`,
          sql`regexp_matches(${subject}, ${toRe2(pattern)})`,
        )
  return value.nullable ? sql`coalesce(${test}, ${FALSE})` : test
}

/** The first group, or the whole match if there are no groups; empty if nothing matches. */
export function extractSql(value: TypedSql, text: string, at: number): Sql {
  const pattern = parseChecked(text, at, assertUnambiguous)
  const subject = coerce(value, STRING)
  return either(
    sql`hogql_extract(${subject}, ${toRe2(pattern, true)})`,
    bindOnce(
      { s: subject },
      sql`case when t.s is not null then coalesce((regexp_match(t.s, ${toPostgres(pattern, true)}::text))[1], '') end`,
    ),
    sql`regexp_extract(${subject}, ${toRe2(pattern, true)}, ${pattern.groups ? sql`1` : sql`0`})`,
  )
}

/** In the replacement, `\0` is the whole match and `\1` to `\9` are its groups. */
export function replaceSql(value: TypedSql, text: string, replacement: string, at: number, all: boolean): Sql {
  const pattern = parseChecked(text, at, (parsed) => {
    assertUnambiguous(parsed)
    if (all && matchesEmpty(parsed.root)) throw new PatternError('it matches the empty string')
  })
  const parts = [...replacement.matchAll(/\\([0-9\\])|[^\\]+|\\/g)].map(([whole, escaped]) =>
    escaped === undefined || escaped === '\\' ? (escaped ?? whole) : Number(escaped),
  )
  const missing = parts.find((part) => typeof part === 'number' && part > pattern.groups)
  if (missing !== undefined)
    throw new HogqlError(
      `The replacement refers to group ${missing}, but the pattern has ${pattern.groups} ${pattern.groups === 1 ? 'group' : 'groups'}.`,
      at,
    )
  const postgres = parts
    .map((part) => (typeof part === 'number' ? (part ? `\\${part}` : '\\&') : part.replaceAll('\\', '\\\\')))
    .join('')
  const duckdb = parts.map((part) => (typeof part === 'number' ? `\\${part}` : part.replaceAll('\\', '\\\\'))).join('')
  const subject = coerce(value, STRING)
  return either(
    sql`hogql_replace(${subject}, ${toRe2(pattern, true)}, ${JSON.stringify(parts)}, ${all ? 1 : 0})`,
    sql`regexp_replace(${subject}, ${toPostgres(pattern, true)}::text, ${postgres}::text, ${all ? 'g' : ''}::text)`,
    sql`regexp_replace(${subject}, ${toRe2(pattern, true)}, ${duckdb}, ${all ? 'g' : ''})`,
  )
}

/** Regular expressions in SQL: re2js behind a function of ours on SQLite, PostgreSQL's own engine there. */
import { type Sql, sql } from '../sql/template.ts'
import { coerce } from './convert.ts'
import { bound, FALSE } from './env.ts'
import { HogqlError } from './error.ts'
import { type Pattern, PatternError, parsePattern } from './regex.ts'
import { assertUnambiguous, literalOf, matchesEmpty, toPostgres, toRe2 } from './regex-print.ts'
import { on, STRING, type Typed } from './typed.ts'

function checked(text: string, at: number, check?: (pattern: Pattern) => void): Pattern {
  try {
    const pattern = parsePattern(text)
    check?.(pattern)
    return pattern
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    throw new HogqlError(`The pattern at position ${at} cannot be used: ${error.message}.`, at)
  }
}

export function matchSql(value: Typed, text: string, at: number): Sql {
  const pattern = checked(text, at)
  const subject = coerce(value, STRING)
  const literal = literalOf(pattern)
  const test =
    literal !== undefined
      ? on(sql`(instr(${subject}, ${literal}) > 0)`, sql`(strpos(${subject}, ${literal}::text) > 0)`)
      : on(sql`hogql_match(${subject}, ${toRe2(pattern)})`, sql`(${subject} ~ ${toPostgres(pattern)}::text)`)
  return value.nullable ? sql`coalesce(${test}, ${FALSE})` : test
}

/** The first group, or all of it where there is none; empty where nothing matches. */
export function extractSql(value: Typed, text: string, at: number): Sql {
  const pattern = checked(text, at, assertUnambiguous)
  const subject = coerce(value, STRING)
  return on(
    sql`hogql_extract(${subject}, ${toRe2(pattern, true)})`,
    bound(
      { s: subject },
      sql`case when t.s is not null then coalesce((regexp_match(t.s, ${toPostgres(pattern, true)}::text))[1], '') end`,
    ),
  )
}

/** `\0` to `\9` in the replacement are the whole match and its groups. */
export function replaceSql(value: Typed, text: string, replacement: string, at: number, all: boolean): Sql {
  const pattern = checked(text, at, (parsed) => {
    assertUnambiguous(parsed)
    if (all && matchesEmpty(parsed.root)) throw new PatternError('it matches the empty text')
  })
  const parts = [...replacement.matchAll(/\\([0-9\\])|[^\\]+|\\/g)].map(([whole, escaped]) =>
    escaped === undefined || escaped === '\\' ? (escaped ?? whole) : Number(escaped),
  )
  const missing = parts.find((part) => typeof part === 'number' && part > pattern.groups)
  if (missing !== undefined)
    throw new HogqlError(
      `The replacement names group ${missing}, but the pattern at position ${at} has ${pattern.groups}.`,
      at,
    )
  const postgres = parts
    .map((part) => (typeof part === 'number' ? (part ? `\\${part}` : '\\&') : part.replaceAll('\\', '\\\\')))
    .join('')
  const subject = coerce(value, STRING)
  return on(
    sql`hogql_replace(${subject}, ${toRe2(pattern, true)}, ${JSON.stringify(parts)}, ${all ? 1 : 0})`,
    sql`regexp_replace(${subject}, ${toPostgres(pattern, true)}::text, ${postgres}::text, ${all ? 'g' : ''}::text)`,
  )
}

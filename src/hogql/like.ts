/** LIKE and ILIKE: `%` matches any string, `_` one character; a backslash escapes the next character. */
import { type Sql, sql } from '../sql/template.ts'
import { coerce } from './convert.ts'
import { duckdbFold } from './duckdb-case.ts'
import { FALSE } from './env.ts'
import { either, STRING, sqliteOr, type TypedSql } from './typed.ts'

type Piece = { text: string } | { wildcard: '%' | '_' }

function parseLike(pattern: string): Piece[] {
  const pieces: Piece[] = []
  for (const [match, escaped] of pattern.matchAll(/\\([\s\S])|[\s\S]/gu)) {
    if (match === '%' || match === '_') {
      pieces.push({ wildcard: match })
      continue
    }
    const char = escaped ?? match
    const last = pieces.at(-1)
    if (last && 'text' in last) last.text += char
    else pieces.push({ text: char })
  }
  return pieces
}

/** Case folding for comparisons. The final sigma counts as a sigma. */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')
const foldCaseSql = (text: Sql, pattern: string): Sql =>
  either(
    sql`hogql_fold(${text})`,
    sql`(translate(lower(${text} collate "und-x-icu"), chr(962), chr(963)) collate "C")`,
    duckdbFold(text, pattern),
  )

export function likeSql(value: TypedSql, pattern: string, insensitive: boolean): Sql {
  const text = insensitive ? foldCaseSql(coerce(value, STRING), pattern) : coerce(value, STRING)
  const test = likeTest(text, parseLike(insensitive ? foldCase(pattern) : pattern))
  return value.nullable ? sql`coalesce(${test}, ${FALSE})` : test
}

/** `%text%` becomes a substring search. SQLite uses GLOB for the rest, since its LIKE ignores case. */
function likeTest(text: Sql, pieces: Piece[]): Sql {
  const [first, second, third] = pieces
  const isPercent = (piece?: Piece): boolean => piece !== undefined && 'wildcard' in piece && piece.wildcard === '%'
  if (pieces.length === 3 && isPercent(first) && isPercent(third) && second && 'text' in second)
    return sqliteOr(sql`(instr(${text}, ${second.text}) > 0)`, sql`(strpos(${text}, ${second.text}::text) > 0)`)
  if (pieces.length === 1 && first && 'text' in first)
    return sqliteOr(sql`(${text} = ${first.text})`, sql`(${text} = ${first.text}::text)`)
  const glob = pieces
    .map((piece) => ('text' in piece ? piece.text.replace(/[*?[]/g, '[$&]') : piece.wildcard === '%' ? '*' : '?'))
    .join('')
  const like = pieces
    .map((piece) => ('text' in piece ? piece.text.replace(/[%_\\]/g, '\\$&') : piece.wildcard))
    .join('')
  return either(
    sql`(${text} glob ${glob})`,
    sql`(${text} like ${like}::text)`,
    sql`(${text} like ${like}::text escape '\\')`,
  )
}

/** LIKE and ILIKE: `%` any run, `_` one character, a backslash takes the next literally. */
import { type Sql, sql } from '../sql/template.ts'
import { coerce } from './convert.ts'
import { FALSE } from './env.ts'
import { on, STRING, type Typed } from './typed.ts'

type Piece = { text: string } | { wildcard: '%' | '_' }

function pieces(pattern: string): Piece[] {
  const found: Piece[] = []
  const chars = [...pattern]
  for (let i = 0; i < chars.length; i++) {
    const c = chars[i]!
    if (c === '%' || c === '_') {
      found.push({ wildcard: c })
      continue
    }
    const literal = c === '\\' && i + 1 < chars.length ? chars[++i]! : c
    const last = found.at(-1)
    if (last && 'text' in last) last.text += literal
    else found.push({ text: literal })
  }
  return found
}

/** Lower case for comparing: the two lower-case sigmas are one letter, whatever stands beside them. */
export const folded = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')
export const foldedSql = (text: Sql): Sql =>
  on(sql`hogql_fold(${text})`, sql`(translate(lower(${text} collate "und-x-icu"), chr(962), chr(963)) collate "C")`)

export function likeSql(value: Typed, pattern: string, insensitive: boolean): Sql {
  const text = insensitive ? foldedSql(coerce(value, STRING)) : coerce(value, STRING)
  const parts = pieces(insensitive ? folded(pattern) : pattern)
  const test = tested(text, parts)
  return value.nullable ? sql`coalesce(${test}, ${FALSE})` : test
}

/** A plain piece of text is searched for as such; the rest goes through GLOB, which minds case, and LIKE. */
function tested(text: Sql, parts: Piece[]): Sql {
  const [first, second, third] = parts
  const any = (piece?: Piece): boolean => piece !== undefined && 'wildcard' in piece && piece.wildcard === '%'
  if (parts.length === 3 && any(first) && any(third) && second && 'text' in second)
    return on(sql`(instr(${text}, ${second.text}) > 0)`, sql`(strpos(${text}, ${second.text}::text) > 0)`)
  if (parts.length === 1 && first && 'text' in first)
    return on(sql`(${text} = ${first.text})`, sql`(${text} = ${first.text}::text)`)
  const glob = parts
    .map((piece) => ('text' in piece ? piece.text.replace(/[*?[]/g, '[$&]') : piece.wildcard === '%' ? '*' : '?'))
    .join('')
  const like = parts.map((piece) => ('text' in piece ? piece.text.replace(/[%_\\]/g, '\\$&') : piece.wildcard)).join('')
  return on(sql`(${text} glob ${glob})`, sql`(${text} like ${like}::text)`)
}

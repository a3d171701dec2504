/** Upper and lower case on DuckDB, whose functions map each character alone and know fewer characters. */
import { type Sql, sql } from '../sql/template.ts'
import { INEXACT } from './typed.ts'

const ASCII = /^[\0-\x7f]*$/

/**
 * Folds the case of a text for a pattern in ASCII. The engines agree which characters have an ASCII letter in their lower
 * case, except that DuckDB drops the dot of this I.
 */
export const duckdbFold = (text: Sql, pattern: string): Sql | undefined =>
  ASCII.test(pattern) ? sql`lower(replace(${text}, chr(304), 'i' || chr(775)))` : undefined

/** Latin, Cyrillic, Chinese, Japanese and Korean letters, punctuation and emoji whose case DuckDB changes in the same way. */
const COMMON =
  '\\x{0}-\\x{de}\\x{e0}-\\x{12f}\\x{131}-\\x{148}\\x{14a}-\\x{17f}\\x{400}-\\x{481}\\x{2010}-\\x{2027}\\x{20ac}\\x{3000}-\\x{9fff}\\x{ac00}-\\x{d7a3}\\x{fe0f}\\x{1f300}-\\x{1faff}'

/** The characters that `duckdbLower` and `duckdbUpper` know. They fail for others. */
export const LOWERED = `[${COMMON}\\x{df}\\x{149}]*`
export const UPPERED = `[${COMMON}]*`

export const duckdbLower = (text: Sql): Sql => changed(text, LOWERED, sql`lower(${text})`)
export const duckdbUpper = (text: Sql): Sql => changed(text, UPPERED, sql`upper(${text})`)

const changed = (text: Sql, known: string, result: Sql): Sql =>
  sql`(case when ${text} is null or regexp_full_match(${text}, ${known}) then ${result} else ${INEXACT} end)`

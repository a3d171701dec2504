/** Rounds doubles to 15 significant digits on DuckDB, as the other engines do before they round to decimal places. */
import { type Sql, sql } from '../sql/template.ts'
import { INEXACT } from './typed.ts'

/** The digits of a double halfway between two numbers of 15 digits, which the engines round in different directions. */
const HALFWAY: Sql = { strings: [`'${'_'.repeat(16)}5${'0'.repeat(15)}e%'`], parts: [] }

const fifteenDigits = (value: Sql): Sql =>
  sql`(case when format('{:.30e}', abs(${value})) like ${HALFWAY} then ${INEXACT} else format('{:.14e}', ${value}) end)`

/** The nearest number of 15 digits. */
export const duckdbDigits = (value: Sql): Sql => sql`${fifteenDigits(value)}::float8`

/** Smaller numbers than the decimal can hold, below 1e-8, round to zero at these places. */
const MAX_PLACES = 7

/** Rounds half away from zero. The cast to a decimal fails from 1e16 on. */
export function duckdbRound(value: Sql, places: number): Sql | undefined {
  if (Math.abs(places) > MAX_PLACES) return undefined
  const count: Sql = { strings: [String(places)], parts: [] }
  return sql`round(${fifteenDigits(value)}::decimal(38, 22), ${count})::varchar::float8`
}

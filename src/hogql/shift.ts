/** Adds an interval to a datetime. The result is NULL outside the supported years. */
import { type Sql, sql } from '../sql/template.ts'
import {
  coerce,
  DAY,
  datetimeWithin,
  duckdbTimestamp,
  floorTo,
  int4,
  integerLiteral,
  remainder,
  requireType,
  SECOND,
} from './convert.ts'
import { bindOnce, sqliteInteger } from './env.ts'
import { DATETIME, derive, either, INTEGER, sqliteOr, type TypedSql } from './typed.ts'
import type { IntervalUnit } from './units.ts'

type MonthUnit = 'month' | 'quarter' | 'year'
export type FixedUnit = Exclude<IntervalUnit, MonthUnit>

export const MICROSECONDS: Record<FixedUnit, number> = {
  second: SECOND,
  minute: 60 * SECOND,
  hour: 3600 * SECOND,
  day: DAY,
  week: 7 * DAY,
}
const MONTHS: Record<MonthUnit, number> = { month: 1, quarter: 3, year: 12 }

/** True for units of constant length, as opposed to months. */
export const isFixedUnit = (unit: IntervalUnit): unit is FixedUnit => unit in MICROSECONDS

/** Limits an amount so that it still leaves the supported years but does not overflow when multiplied. */
const clamp = (amount: Sql, most: number): Sql =>
  sqliteOr(
    sql`max(min(${amount}, ${integerLiteral(most)}), ${integerLiteral(-most)})`,
    sql`greatest(least(${amount}, ${integerLiteral(most)}), ${integerLiteral(-most)})`,
  )

export function shift(time: TypedSql, unit: IntervalUnit, amount: TypedSql, back: boolean, at: number): TypedSql {
  requireType(amount, 'integer', 'An interval')
  const keepsDate = time.type.kind === 'date' && !['second', 'minute', 'hour'].includes(unit)
  const type = keepsDate ? time.type : DATETIME
  const steps = coerce(amount, INTEGER)
  const from = [time, amount]
  if (isFixedUnit(unit)) {
    const length = MICROSECONDS[unit]
    const most = Math.ceil((1000 * 366 * DAY) / length)
    const product = sql`${clamp(steps, most)} * ${integerLiteral(length)}`
    // PostgreSQL's `greatest` and `least` ignore NULL. A NULL amount must stay NULL.
    const distance = amount.nullable ? sql`(case when ${steps} is not null then ${product} end)` : product
    return derive(
      at,
      type,
      datetimeWithin(back ? sql`(${time.sql} - ${distance})` : sql`(${time.sql} + ${distance})`),
      from,
      true,
    )
  }
  const months = sql`(${clamp(steps, 12_000)} * ${integerLiteral(MONTHS[unit] * (back ? -1 : 1))})`
  const knownMonths = sql`(case when ${steps} is not null then ${int4(months)} end)`
  return derive(
    at,
    type,
    either(
      sqliteInteger(sql`hogql_add_months(${time.sql}, ${months})`),
      bindOnce(
        { v: time.sql, n: knownMonths },
        datetimeWithin(
          sql`(((date '1970-01-01' + (${floorTo(sql`t.v`, DAY)})::int) + make_interval(months => t.n))::date - date '1970-01-01')::bigint * ${integerLiteral(DAY)} + ${remainder(sql`t.v`, DAY)}`,
        ),
      ),
      datetimeWithin(sql`epoch_us(${duckdbTimestamp(time.sql)} + to_months(${knownMonths}))`),
    ),
    from,
    true,
  )
}

/** A datetime moved by so many units of the calendar. NULL when it leaves the years that there are. */
import { type Sql, sql } from '../sql/template.ts'
import { coerce, DAY, datetimeWithin, floorTo, int4, mustBe, number, remainder, SECOND } from './convert.ts'
import { bound, sqliteInteger } from './env.ts'
import { DATETIME, INTEGER, type IntervalUnit, made, on, type Typed } from './typed.ts'

export const MICROSECONDS: Partial<Record<IntervalUnit, number>> = {
  second: SECOND,
  minute: 60 * SECOND,
  hour: 3600 * SECOND,
  day: DAY,
  week: 7 * DAY,
}
const MONTHS: Partial<Record<IntervalUnit, number>> = { month: 1, quarter: 3, year: 12 }

/** More than the years that there are, and small enough to multiply with. */
const clamped = (amount: Sql, most: number): Sql =>
  on(
    sql`max(min(${amount}, ${number(most)}), ${number(-most)})`,
    sql`greatest(least(${amount}, ${number(most)}), ${number(-most)})`,
  )

export function shift(time: Typed, unit: IntervalUnit, amount: Typed, back: boolean, at: number): Typed {
  mustBe(amount, ({ kind }) => kind === 'integer', 'a whole number', 'An interval')
  const date = time.type.kind === 'date'
  const type = date && !['second', 'minute', 'hour'].includes(unit) ? time.type : DATETIME
  const steps = coerce(amount, INTEGER)
  const from = [time, amount]
  const fixed = MICROSECONDS[unit]
  if (fixed) {
    const most = Math.ceil((1000 * 366 * DAY) / fixed)
    const distance = sql`${clamped(steps, most)} * ${number(fixed)}`
    // `greatest` and `least` skip NULL on PostgreSQL, which must stay NULL here.
    const whole = amount.nullable ? sql`(case when ${steps} is not null then ${distance} end)` : distance
    return made(
      at,
      type,
      datetimeWithin(back ? sql`(${time.sql} - ${whole})` : sql`(${time.sql} + ${whole})`),
      from,
      true,
    )
  }
  const months = sql`(${clamped(steps, 12_000)} * ${number((MONTHS[unit] ?? 1) * (back ? -1 : 1))})`
  return made(
    at,
    type,
    on(
      sqliteInteger(sql`hogql_add_months(${time.sql}, ${months})`),
      bound(
        { v: time.sql, n: sql`(case when ${steps} is not null then ${int4(months)} end)` },
        datetimeWithin(
          sql`(((date '1970-01-01' + (${floorTo(sql`t.v`, DAY)})::int) + make_interval(months => t.n))::date - date '1970-01-01')::bigint * ${number(DAY)} + ${remainder(sql`t.v`, DAY)}`,
        ),
      ),
    ),
    from,
    true,
  )
}

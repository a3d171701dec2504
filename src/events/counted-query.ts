/**
 * Queries that the hourly counts can answer: they read only the names of events and the hours of their times, and only count. Such a
 * query runs over a table with one row for each hour and name, and one for each event of the incomplete hours at both ends of the
 * time range.
 */
import { alias, type Call, call, constant, type Expr, field, type Order, withoutAlias } from '../hogql/ast.ts'
import { columnName } from '../hogql/canonical.ts'
import { inRange, parseDatetime } from '../hogql/datetime.ts'
import type { Table } from '../hogql/env.ts'
import { HogqlError } from '../hogql/error.ts'
import { FIELD_NAMES } from '../hogql/fields.ts'
import { isAggregation } from '../hogql/functions.ts'
import { columnAliases, compileQuery, type Parts, type Query } from '../hogql/query.ts'
import { DATETIME, INTEGER, STRING } from '../hogql/typed.ts'
import { type Sql, sql } from '../sql/template.ts'
import { ALL_EVENTS, HOUR, hourOf, integer } from './counts.ts'
import type { TimeRange } from './time.ts'

export interface CountedQuery {
  isCounted: true
  range: TimeRange
  compiled: Query
}

/** Functions of a time that are the same for all times of an hour. */
const HOURLY = [
  'toStartOfHour',
  'toStartOfDay',
  'toStartOfWeek',
  'toStartOfMonth',
  'toStartOfQuarter',
  'toStartOfYear',
  'toMonday',
  'toDate',
  'toYear',
  'toQuarter',
  'toMonth',
  'toDayOfMonth',
  'toDayOfWeek',
  'toDayOfYear',
  'toHour',
  'toYYYYMM',
  'toYYYYMMDD',
]

/** `n`: the number of events of the row. */
const TABLE: Table = {
  name: 'events',
  fields: {
    event: { type: STRING, sql: sql`e.event`, nullable: false, person: false },
    timestamp: { type: DATETIME, sql: sql`e.timestamp`, nullable: false, person: false },
    n: { type: INTEGER, sql: sql`e.n`, nullable: false, person: false },
  },
}

export function countedQuery(
  parts: Parts,
  range: TimeRange,
  now: number,
): CountedQuery | { isCounted: false; reason: string } {
  try {
    const aliases = columnAliases(parts.columns)
    const rewrite = (expr: Expr): Expr => counted(expr, aliases)
    const noAliases = new Map<string, Expr>()
    const conditions = (parts.where ?? []).flatMap(conjuncts)
    const rest = conditions.filter((condition) => boundOf(condition, now) === undefined)
    const columns = parts.columns.map((column) =>
      alias(column.at, columnName(column), counted(withoutAlias(column), noAliases)),
    )
    const compiled = compileQuery(
      {
        columns,
        where: rest.map(rewrite),
        having: (parts.having ?? []).map(rewrite),
        group_by: (parts.group_by ?? []).map(rewrite),
        order_by: (parts.order_by ?? []).map(({ expr, descending }): Order => ({ expr: rewrite(expr), descending })),
        ...(parts.distinct !== undefined && { distinct: parts.distinct }),
      },
      { now, table: TABLE },
    )
    if (!compiled.aggregate) throw new Uncounted('The query returns single events.')
    return { isCounted: true, range: rangeOf(conditions, range, now), compiled }
  } catch (error) {
    if (error instanceof Uncounted) return { isCounted: false, reason: error.message }
    // The query itself is valid: only its form over the counts has duplicate names or too many parts.
    if (error instanceof HogqlError)
      return { isCounted: false, reason: 'The query is too complex for the hourly counts.' }
    throw error
  }
}

/** Why the counts cannot answer a query. */
class Uncounted extends Error {}

const conjuncts = (expr: Expr): Expr[] =>
  expr.kind === 'call' && expr.name === 'and' ? expr.args.flatMap(conjuncts) : [expr]

/** The expression over the counts. `count()` is the sum of `n`. */
function counted(expr: Expr, aliases: ReadonlyMap<string, Expr>): Expr {
  switch (expr.kind) {
    case 'constant':
      return expr
    case 'field': {
      const name = expr.chain.join('.')
      if (name === 'event') return expr
      // The fields of events come before aliases.
      const isField = expr.chain.length > 1 || FIELD_NAMES.includes(name)
      const aliased = isField ? undefined : aliases.get(name)
      if (aliased) return counted(aliased, new Map())
      throw new Uncounted(
        name === 'timestamp'
          ? 'The query uses the exact time of events. Counts are by hour: use toStartOfHour(timestamp) or toStartOfDay(timestamp).'
          : `The query uses ${name.slice(0, 100)}, which the hourly counts do not have.`,
      )
    }
    case 'call':
      return countedCall(expr, aliases)
    case 'alias':
      return counted(expr.expr, aliases)
    case 'array':
    case 'tuple':
      return Object.freeze({ ...expr, items: expr.items.map((item) => counted(item, aliases)) })
    default:
      throw new Uncounted('The query has an expression that the hourly counts do not support.')
  }
}

function countedCall(expr: Call, aliases: ReadonlyMap<string, Expr>): Expr {
  const { at, name, args, params, distinct } = expr
  const [first] = args
  if (name.toLowerCase() === 'count' && args.length === 0 && !params && !distinct)
    return call(at, 'ifNull', [call(at, 'sum', [field(at, ['n'])]), constant(at, 0)])
  if (isAggregation(name)) throw new Uncounted(`The hourly counts cannot compute ${name.slice(0, 100)}.`)
  const isHour = HOURLY.includes(name) && args.length === 1 && first?.kind === 'field'
  if (isHour && first.chain.join('.') === 'timestamp') return expr
  return call(
    at,
    name,
    args.map((arg) => counted(arg, aliases)),
    params?.map((param) => counted(param, aliases)) ?? null,
    distinct,
  )
}

/** The time range, narrowed by the conditions on the time of events. */
export const rangeOf = (conditions: readonly Expr[], range: TimeRange, now: number): TimeRange =>
  conditions
    .flatMap(conjuncts)
    .map((condition) => boundOf(condition, now))
    .reduce<TimeRange>(narrowed, range)

const FLIPPED: Record<string, string> = {
  less: 'greater',
  lessOrEquals: 'greaterOrEquals',
  greater: 'less',
  greaterOrEquals: 'lessOrEquals',
}

/** The range of a condition that compares the time of events with a constant. Undefined for other conditions. */
function boundOf(expr: Expr, now: number): TimeRange | undefined {
  if (expr.kind !== 'call' || !Object.hasOwn(FLIPPED, expr.name)) return undefined
  const [left, right] = expr.args
  if (!left || !right) return undefined
  const isLeft = left.kind === 'field' && left.chain.join('.') === 'timestamp'
  const isRight = right.kind === 'field' && right.chain.join('.') === 'timestamp'
  if (isLeft === isRight) return undefined
  const time = timeOf(isLeft ? right : left, now)
  if (time === undefined) return undefined
  switch (isLeft ? expr.name : FLIPPED[expr.name]) {
    case 'less':
      return { to: time }
    case 'lessOrEquals':
      return { to: time + 1 }
    case 'greater':
      return { from: time + 1 }
    default:
      return { from: time }
  }
}

const SECONDS: Record<string, number> = { second: 1, minute: 60, hour: 3_600, day: 86_400, week: 604_800 }

/** The microseconds of a constant time: a text, `toDateTime` of a text, `now()`, and `now() - INTERVAL 7 DAY`. */
function timeOf(expr: Expr, now: number): number | undefined {
  if (expr.kind === 'constant' && typeof expr.value === 'string') return parseDatetime(expr.value) ?? undefined
  if (expr.kind !== 'call') return undefined
  const [first, second] = expr.args
  if (expr.name === 'now' && expr.args.length === 0) return now
  if (expr.name === 'toDateTime' && expr.args.length === 1 && first?.kind === 'constant') return timeOf(first, now)
  if (expr.name !== 'minus' || !first || second?.kind !== 'call') return undefined
  const base = timeOf(first, now)
  const unit = SECONDS[second.name.replace(/^toInterval/, '').toLowerCase()]
  const [count] = second.args
  const isInterval = second.name.startsWith('toInterval') && count?.kind === 'constant' && Number.isInteger(count.value)
  return base === undefined || unit === undefined || !isInterval
    ? undefined
    : (inRange(base - Number(count.value) * unit * 1_000_000) ?? undefined)
}

const narrowed = (range: TimeRange, bound: TimeRange | undefined): TimeRange => ({
  from: latest(range.from, bound?.from),
  to: earliest(range.to, bound?.to),
})
const latest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.max(a, b)
const earliest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.min(a, b)

/** Whole hours from the counts, and the events of the incomplete hours at both ends, in one table. */
export function countsTable(project_id: number, { range: { from, to } }: CountedQuery): Sql {
  const first = from === undefined ? undefined : hourOf(from - 1) + 1
  const end = to === undefined ? undefined : hourOf(to)
  const events = (lower: number, upper: number): Sql => sql`
    union all select e.project_id, e.event, e.timestamp, 1 as n from events e
    where e.project_id = ${project_id} and e.timestamp >= ${integer(lower)} and e.timestamp < ${integer(upper)}`
  const isWithinHour = first !== undefined && end !== undefined && first > end
  const hours = isWithinHour
    ? sql`and 1 = 0`
    : sql`${first === undefined ? sql`` : sql`and c.hour >= ${integer(first)}`} ${end === undefined ? sql`` : sql`and c.hour < ${integer(end)}`}`
  const edges =
    isWithinHour && from !== undefined && to !== undefined
      ? events(from, to)
      : sql`${from === undefined || first === undefined ? sql`` : events(from, first * HOUR)}
        ${to === undefined || end === undefined ? sql`` : events(end * HOUR, to)}`
  return sql`(
    select c.project_id, c.event, c.hour * ${integer(HOUR)} as timestamp, c.count as n from event_counts c
    where c.project_id = ${project_id} and c.event <> ${ALL_EVENTS} and c.count > 0 ${hours} ${edges})`
}

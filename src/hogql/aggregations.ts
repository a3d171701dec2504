/** Aggregations. They skip NULL. Each also exists with the suffix If, which takes a condition as its last argument. */
import { type Sql, sql } from '../sql/template.ts'
import { jsonItem } from './array-functions.ts'
import type { Call } from './ast.ts'
import { coerce, decimalOf, integerWithin, requireType } from './convert.ts'
import { duckdbDigits } from './duckdb-digits.ts'
import { type Aggregation, type Args, type Arity, assertArgs, bounds, sqliteInteger } from './env.ts'
import { HogqlError } from './error.ts'
import { AVERAGE_PLACES } from './exact-sum.ts'
import {
  arrayOf,
  BOOLEAN,
  derive,
  either,
  FLOAT,
  type HogType,
  INEXACT,
  INTEGER,
  isText,
  STRING,
  sqliteOr,
  type TypedSql,
} from './typed.ts'

/** An aggregation whose `build` receives its required arguments as a tuple. */
function aggregation<Min extends number>(
  arity: Arity<Min>,
  build: (args: Args<Min>, filter: Sql | null, call: Call, params: readonly TypedSql[]) => TypedSql,
): Aggregation {
  const { min, max } = bounds(arity)
  return {
    min,
    max,
    build: (args, filter, call, params) => {
      assertArgs(args, min, call)
      return build(args, filter, call, params)
    },
  }
}

function aggregated(at: number, type: HogType, fragment: Sql, args: readonly TypedSql[], nullable: boolean): TypedSql {
  return { ...derive(at, type, fragment, args, nullable), aggregate: true, row: false }
}

const filterClause = (...conditions: (Sql | null)[]): Sql => {
  const present = conditions.filter((condition) => condition !== null)
  if (!present.length) return sql``
  const list: Sql = { strings: ['', ...present.slice(1).map(() => ' and '), ''], parts: present }
  return sql` filter (where ${list})`
}

/** An aggregation of constants must refer to a column of `e`, or SQL attaches it to an enclosing sub-query. */
const rowReference = (args: readonly TypedSql[]): Sql | null =>
  args.some((arg) => arg.row) ? null : sql`e.project_id is not null`

const collated = (value: TypedSql): Sql =>
  isText(value.type) ? either(value.sql, sql`${value.sql} collate "C"`, value.sql) : value.sql

/** The NULL constant has no type. Aggregate it as a string. */
const nullAsString = (value: TypedSql): TypedSql =>
  value.type.kind === 'null' ? { ...value, type: STRING, sql: coerce(value, STRING) } : value

/** The engines interpolate floats differently, which changes digits after the fifteenth. */
const fifteenDigits = (value: Sql): Sql =>
  either(sql`hogql_digits(${value})`, sql`(${value})::numeric::float8`, duckdbDigits(value))

/** A float as its shortest decimal. The direct cast to numeric rounds to 15 digits. */
const shortestDecimal = (value: TypedSql): Sql => sql`(${coerce(value, FLOAT)})::text::numeric`

/** PostgreSQL divides to as many decimal places as its operands have. */
const ZERO_WITH_PLACES: Sql = { strings: [`0e-${AVERAGE_PLACES}`], parts: [] }

/** A numeric as a float; NULL from the first number on that rounds to infinity. Works like `integerWithin`. */
function floatWithin(value: Sql): Sql {
  const over: Sql = { strings: [String(2n ** 1024n - 2n ** 970n)], parts: [] }
  return sql`nullif(nullif(greatest(least(${value}, ${over}), -${over}), ${over}), -${over})::float8`
}

/** An exact sum as text, such as -12.50, on DuckDB. The cast from text to a double rounds correctly. */
const decimalSum = (decimal: Sql, rows: Sql): Sql => sql`cast(sum(${decimal})${rows} as varchar)`

/** Doubles represent all integers below. */
const EXACT_INTEGERS: Sql = { strings: [String(2 ** 53)], parts: [] }

/** The quotient of two integers on DuckDB. The division of two exact doubles rounds once. */
const exactQuotient = (dividend: Sql, divisor: Sql): Sql =>
  sql`(case when ${dividend} is null then null when abs(${dividend}) <= ${EXACT_INTEGERS} and ${divisor} <= ${EXACT_INTEGERS} then (${dividend})::float8 / (${divisor})::float8 else ${INEXACT} end)`

/** An average on DuckDB. */
function duckdbMean(decimal: Sql, rows: Sql): Sql {
  const count = sql`count(${decimal})${rows}`
  const sum = decimalSum(decimal, rows)
  // -12.50 is -1250 / 100.
  const digits = sql`replace(${sum}, '.', '')::hugeint`
  const scale = sql`rpad('1', (case when contains(${sum}, '.') then length(${sum}) - strpos(${sum}, '.') else 0 end)::int + 1, '0')::hugeint`
  return exactQuotient(digits, sql`(${count} * ${scale})`)
}

function countSql(value: TypedSql | undefined, distinct: boolean, filter: Sql | null, { at, name }: Call): TypedSql {
  if (!value) return aggregated(at, INTEGER, sql`count(e.project_id)${filterClause(filter)}`, [], false)
  if (distinct) requireType(value, 'scalar', name)
  const inner = nullAsString(value).sql
  const rows = filterClause(filter, rowReference([value]))
  const fragment = distinct ? sql`count(distinct ${inner})${rows}` : sql`count(${inner})${rows}`
  return aggregated(at, INTEGER, fragment, [value], false)
}

const count = aggregation([0, 1], ([value], filter, call) => countSql(value, call.distinct, filter, call))

const uniq = aggregation(1, ([value], filter, call) => countSql(value, true, filter, call))

const sum = aggregation(1, ([value], filter, { at }) => {
  requireType(value, 'number', 'sum')
  const rows = filterClause(filter, rowReference([value]))
  if (value.type.kind === 'float') {
    const sums = either(
      sql`hogql_sum(${value.sql})${rows}`,
      floatWithin(sql`sum(${shortestDecimal(value)})${rows}`),
      value.decimal && sql`(${decimalSum(value.decimal, rows)})::float8`,
    )
    return aggregated(at, FLOAT, sums, [value], true)
  }
  const inner = coerce(value, INTEGER)
  // SQLite fails if a sum overflows 64 bits. Adding the high and the low bits separately does not overflow.
  const halves = sql`(sum(${inner} >> 24)${rows} * 16777216 + sum(${inner} & 16777215)${rows})`
  return aggregated(at, INTEGER, integerWithin(sqliteOr(halves, sql`sum(${inner})${rows}`)), [value], true)
})

const avg = aggregation(1, ([value], filter, { at }) => {
  requireType(value, 'number', 'avg')
  const decimal = value.type.kind === 'null' ? undefined : decimalOf(value)
  const rows = filterClause(filter, rowReference([value]))
  const mean = either(
    sql`hogql_avg(${coerce(value, FLOAT)})${rows}`,
    sql`(avg(${shortestDecimal(value)} + ${ZERO_WITH_PLACES})${rows})::float8`,
    decimal && duckdbMean(decimal, rows),
  )
  return aggregated(at, FLOAT, mean, [value], true)
})

const extreme = (name: 'min' | 'max' | 'any'): Aggregation =>
  aggregation(1, ([arg], filter, { at }) => {
    const value = nullAsString(arg)
    requireType(value, name === 'any' ? 'scalar' : 'sortable', name)
    const rows = filterClause(filter, rowReference([value]))
    const fnName: Sql = { strings: [name === 'max' ? 'max' : 'min'], parts: [] }
    const inner =
      value.type.kind === 'boolean'
        ? sqliteOr(sql`min(${value.sql})${rows}`, sql`(min((${value.sql})::int)${rows})::boolean`)
        : sql`${fnName}(${collated(value)})${rows}`
    return aggregated(at, value.type, inner, [value], true)
  })

/** On ties, the event ingested first wins. */
const argExtreme = (name: 'argMin' | 'argMax'): Aggregation =>
  aggregation(2, ([arg, by], filter, { at }) => {
    const value = nullAsString(arg)
    requireType(value, 'scalar', name)
    requireType(by, 'sortable', name)
    const key = nullAsString(by)
    const rows = filterClause(sql`${key.sql} is not null`, filter)
    const sqlite =
      name === 'argMax'
        ? sql`hogql_arg_max(${value.sql}, ${key.sql}, e.seq)${rows}`
        : sql`hogql_arg_min(${value.sql}, ${key.sql}, e.seq)${rows}`
    const order: Sql = { strings: [name === 'argMax' ? 'desc' : 'asc'], parts: [] }
    return aggregated(
      at,
      value.type,
      either(
        ['string', 'uuid', 'float'].includes(value.type.kind) ? sqlite : sqliteInteger(sqlite),
        sql`(array_agg(${value.sql} order by ${collated(key)} ${order}, e.seq)${rows})[1]`,
        sql`first(${value.sql} order by ${key.sql} ${order}, e.seq)${rows}`,
      ),
      [value, key],
      true,
    )
  })

/** Interpolates as the other engines do. DuckDB's function of this name adds two products instead, which rounds twice. */
function duckdbQuantile(value: Sql, fraction: number, rows: Sql): Sql {
  const list = sql`list_sort(list(${value})${rows})`
  const position = sql`(${String(fraction)}::float8 * (len(${list}) - 1))`
  const low = sql`${list}[floor(${position})::bigint + 1]`
  const high = sql`${list}[ceil(${position})::bigint + 1]`
  return sql`(${low} + (${high} - ${low}) * (${position} - floor(${position})))`
}

function quantileSql(value: TypedSql, fraction: number, filter: Sql | null, at: number): TypedSql {
  requireType(value, 'number', 'quantile')
  const rows = filterClause(filter, rowReference([value]))
  const inner = coerce(value, FLOAT)
  return aggregated(
    at,
    FLOAT,
    fifteenDigits(
      either(
        sql`percentile_cont(${inner}, ${fraction})${rows}`,
        sql`percentile_cont(${fraction}::float8) within group (order by ${inner})${rows}`,
        duckdbQuantile(inner, fraction, filterClause(filter, sql`${inner} is not null`)),
      ),
    ),
    [value],
    true,
  )
}

const quantile: Aggregation = {
  ...aggregation(1, ([value], filter, { at }, [fraction]) => {
    if (typeof fraction?.literal !== 'number' || fraction.literal < 0 || fraction.literal > 1)
      throw new HogqlError(`The parameter of quantile must be a constant from 0 to 1.`, fraction?.at ?? at)
    return quantileSql(value, fraction.literal, filter, at)
  }),
  params: 1,
}

const median = aggregation(1, ([value], filter, { at }) => quantileSql(value, 0.5, filter, at))

/** In ingestion order; distinct values are sorted. */
const groupArray = (distinct: boolean): Aggregation =>
  aggregation(1, ([arg], filter, { at, name }) => {
    const value = nullAsString(arg)
    requireType(value, 'scalar', name)
    const rows = filterClause(sql`${value.sql} is not null`, filter, rowReference([value]))
    const item = jsonItem(value.sql, value.type)
    return aggregated(
      at,
      arrayOf(value.type),
      distinct
        ? either(
            sql`hogql_sorted(json_group_array(distinct ${item})${rows})`,
            sql`coalesce(array_agg(distinct ${collated(value)})${rows}, '{}')`,
          )
        : either(
            sql`json_group_array(${item} order by e.seq)${rows}`,
            sql`coalesce(array_agg(${value.sql} order by e.seq)${rows}, '{}')`,
          ),
      [value],
      false,
    )
  })

const PLAIN: Record<string, Aggregation> = {
  count,
  uniq,
  uniqExact: uniq,
  sum,
  avg,
  min: extreme('min'),
  max: extreme('max'),
  any: extreme('any'),
  argMin: argExtreme('argMin'),
  argMax: argExtreme('argMax'),
  median,
  quantile,
  groupArray: groupArray(false),
  groupUniqArray: groupArray(true),
}

const withCondition = (plain: Aggregation): Aggregation => ({
  ...plain,
  min: plain.min + 1,
  max: plain.max + 1,
  build: (args, _, call, params) => {
    const condition = args.at(-1)
    if (!condition) throw new Error(`${call.name} built without its condition`)
    requireType(condition, 'boolean', call.name)
    const built = plain.build(args.slice(0, -1), coerce(condition, BOOLEAN), call, params)
    return { ...built, person: built.person || condition.person }
  },
})

export const AGGREGATIONS: Readonly<Record<string, Aggregation>> = {
  ...PLAIN,
  ...Object.fromEntries(Object.entries(PLAIN).map(([name, plain]) => [`${name}If`, withCondition(plain)])),
}

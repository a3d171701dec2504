/** Aggregations. They skip NULL; each also exists with If at the end of its name, and a condition as its last argument. */
import { type Sql, sql } from '../sql/template.ts'
import { jsonItem } from './array-functions.ts'
import { coerce, integerWithin, mustBe } from './convert.ts'
import { type Aggregation, sqliteInteger } from './env.ts'
import { HogqlError } from './error.ts'
import {
  arrayOf,
  FLOAT,
  type HogType,
  INTEGER,
  isNumber,
  isText,
  made,
  on,
  STRING,
  type Typed,
  typeName,
} from './typed.ts'

const ordered = (type: HogType): boolean => !['json', 'array', 'tuple', 'interval', 'boolean'].includes(type.kind)
const simple = (type: HogType): boolean => ordered(type) || type.kind === 'boolean'

/** A value of the group. It must name the row, or it would belong to the sub-query it may end up in. */
function grouped(at: number, type: HogType, fragment: Sql, args: readonly Typed[], nullable: boolean): Typed {
  return { ...made(at, type, fragment, args, nullable), aggregate: true, row: false }
}

const where = (...conditions: (Sql | null)[]): Sql => {
  const present = conditions.filter((condition) => condition !== null)
  if (!present.length) return sql``
  const list: Sql = { strings: ['', ...present.slice(1).map(() => ' and '), ''], parts: present }
  return sql` filter (where ${list})`
}

const inRow = (args: readonly Typed[]): Sql | null =>
  args.some((arg) => arg.row) ? null : sql`e.project_id is not null`

const collated = (value: Typed): Sql => (isText(value.type) ? on(value.sql, sql`${value.sql} collate "C"`) : value.sql)

/** NULL alone is a text that is not there. */
const solid = (value: Typed): Typed =>
  value.type.kind === 'null' ? { ...value, type: STRING, sql: coerce(value, STRING) } : value

/** The order of additions is the engine's own affair: fifteen digits do not depend on it. */
const fifteenDigits = (value: Sql): Sql => on(sql`hogql_digits(${value})`, sql`(${value})::numeric::float8`)

const count: Aggregation = {
  min: 0,
  max: 1,
  anyCase: true,
  build: ([value], filter, { at, distinct }) => {
    if (!value) return grouped(at, INTEGER, sql`count(e.project_id)${where(filter)}`, [], false)
    mustBe(value, (type) => !distinct || simple(type), 'a plain value', 'count')
    const inner = solid(value).sql
    return grouped(
      at,
      INTEGER,
      distinct
        ? sql`count(distinct ${inner})${where(filter, inRow([value]))}`
        : sql`count(${inner})${where(filter, inRow([value]))}`,
      [value],
      false,
    )
  },
}

const uniq: Aggregation = {
  min: 1,
  max: 1,
  build: (args, filter, call, params) => count.build(args, filter, { ...call, distinct: true }, params),
}

const sum: Aggregation = {
  min: 1,
  max: 1,
  anyCase: true,
  build: ([value], filter, { at }) => {
    mustBe(value!, isNumber, 'a number', 'sum')
    const rows = where(filter, inRow([value!]))
    if (value!.type.kind === 'float')
      return grouped(at, FLOAT, fifteenDigits(sql`sum(${value!.sql})${rows}`), [value!], true)
    const inner = coerce(value!, INTEGER)
    // SQLite fails when a sum leaves 64 bits. In two halves it cannot.
    const halves = sql`(sum(${inner} >> 24)${rows} * 16777216 + sum(${inner} & 16777215)${rows})`
    return grouped(at, INTEGER, integerWithin(on(halves, sql`sum(${inner})${rows}`)), [value!], true)
  },
}

const avg: Aggregation = {
  min: 1,
  max: 1,
  anyCase: true,
  build: ([value], filter, { at }) => {
    mustBe(value!, isNumber, 'a number', 'avg')
    return grouped(
      at,
      FLOAT,
      fifteenDigits(sql`avg(${coerce(value!, FLOAT)})${where(filter, inRow([value!]))}`),
      [value!],
      true,
    )
  },
}

const extreme = (name: 'min' | 'max' | 'any'): Aggregation => ({
  min: 1,
  max: 1,
  anyCase: name !== 'any',
  build: ([given], filter, { at }) => {
    const value = solid(given!)
    mustBe(value, name === 'any' ? simple : ordered, 'a value with an order', name)
    const rows = where(filter, inRow([value]))
    const fn: Sql = { strings: [name === 'max' ? 'max' : 'min'], parts: [] }
    const inner =
      value.type.kind === 'boolean'
        ? on(sql`min(${value.sql})${rows}`, sql`(min((${value.sql})::int)${rows})::boolean`)
        : sql`${fn}(${collated(value)})${rows}`
    return grouped(at, value.type, inner, [value], true)
  },
})

/** Of several equal ones, the row that came first. */
const arg = (name: 'argMin' | 'argMax'): Aggregation => ({
  min: 2,
  max: 2,
  build: ([given, by], filter, { at }) => {
    const value = solid(given!)
    mustBe(value, simple, 'a plain value', name)
    mustBe(by!, ordered, 'a value with an order', name)
    const key = solid(by!)
    const present = where(sql`${key.sql} is not null`, filter)
    const sqlite =
      name === 'argMax'
        ? sql`hogql_arg_max(${value.sql}, ${key.sql}, e.seq)${present}`
        : sql`hogql_arg_min(${value.sql}, ${key.sql}, e.seq)${present}`
    const order: Sql = { strings: [name === 'argMax' ? 'desc' : 'asc'], parts: [] }
    return grouped(
      at,
      value.type,
      on(
        ['string', 'uuid', 'float'].includes(value.type.kind) ? sqlite : sqliteInteger(sqlite),
        sql`(array_agg(${value.sql} order by ${collated(key)} ${order}, e.seq)${present})[1]`,
      ),
      [value, key],
      true,
    )
  },
})

function quantileSql(value: Typed, fraction: number, filter: Sql | null, at: number): Typed {
  mustBe(value, isNumber, 'a number', 'quantile')
  const rows = where(filter, inRow([value]))
  const inner = coerce(value, FLOAT)
  return grouped(
    at,
    FLOAT,
    fifteenDigits(
      on(
        sql`percentile_cont(${inner}, ${fraction})${rows}`,
        sql`percentile_cont(${fraction}::float8) within group (order by ${inner})${rows}`,
      ),
    ),
    [value],
    true,
  )
}

const quantile: Aggregation = {
  min: 1,
  max: 1,
  params: 1,
  build: ([value], filter, { at }, [fraction]) => {
    if (typeof fraction?.literal !== 'number' || fraction.literal < 0 || fraction.literal > 1)
      throw new HogqlError(
        `The parameter of quantile at position ${fraction?.at ?? at} must be a number from 0 to 1.`,
        fraction?.at ?? at,
      )
    return quantileSql(value!, fraction.literal, filter, at)
  },
}

const median: Aggregation = { min: 1, max: 1, build: ([value], filter, { at }) => quantileSql(value!, 0.5, filter, at) }

/** In the order the events came in, or sorted where each is there once. */
const groupArray = (distinct: boolean): Aggregation => ({
  min: 1,
  max: 1,
  build: ([given], filter, { at, name }) => {
    const value = solid(given!)
    if (!simple(value.type))
      throw new HogqlError(
        `${name} at position ${value.at} cannot collect values of type ${typeName(value.type)}.`,
        value.at,
      )
    const rows = where(sql`${value.sql} is not null`, filter, inRow([value]))
    const item = jsonItem(value.sql, value.type)
    return grouped(
      at,
      arrayOf(value.type),
      distinct
        ? on(
            sql`hogql_sorted(json_group_array(distinct ${item})${rows})`,
            sql`coalesce(array_agg(distinct ${collated(value)})${rows}, '{}')`,
          )
        : on(
            sql`json_group_array(${item} order by e.seq)${rows}`,
            sql`coalesce(array_agg(${value.sql} order by e.seq)${rows}, '{}')`,
          ),
      [value],
      false,
    )
  },
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
  argMin: arg('argMin'),
  argMax: arg('argMax'),
  median,
  quantile,
  groupArray: groupArray(false),
  groupUniqArray: groupArray(true),
}

const conditional = (plain: Aggregation): Aggregation => ({
  ...plain,
  min: plain.min + 1,
  max: plain.max + 1,
  anyCase: false,
  build: (args, _, call, params) => {
    const condition = args.at(-1)!
    mustBe(condition, ({ kind }) => kind === 'boolean', 'a condition', call.name)
    const built = plain.build(args.slice(0, -1), coerce(condition, { kind: 'boolean' }), call, params)
    return { ...built, person: built.person || condition.person }
  },
})

export const AGGREGATIONS: Readonly<Record<string, Aggregation>> = {
  ...PLAIN,
  ...Object.fromEntries(Object.entries(PLAIN).map(([name, plain]) => [`${name}If`, conditional(plain)])),
}

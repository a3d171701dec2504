/**
 * Finds out whether the mirror of the events can answer a query with the same rows. Only the expressions below can pass.
 * A fragment without a form for DuckDB stops a query as well: not all functions in the list have one for every type.
 */
import { type CompiledStatement, compile, NoDuckdbFormError, type Sql, sql } from '../sql/template.ts'
import type { Call, Expr, Field } from './ast.ts'
import { FIELD_NAMES, PROPERTY_FIELDS } from './fields.ts'
import { tableName } from './functions.ts'
import { isMirroredKey } from './mirror-columns.ts'
import type { Parts } from './query.ts'
import { INEXACT } from './typed.ts'

const COLUMNS = new Set(['event', 'distinct_id', 'timestamp', 'team_id', 'person_id'])

const AGGREGATIONS = 'count uniq uniqExact sum avg min max any argMin argMax median quantile'.split(' ')

const FUNCTIONS = new Set([
  ...AGGREGATIONS,
  ...AGGREGATIONS.map((name) => `${name}If`),
  ...`equals notEquals less lessOrEquals greater greaterOrEquals in notIn and or not like notLike ilike notILike match
    plus minus multiply divide modulo intDiv negate abs floor ceil round
    toString toInt toFloat toDecimal toDate toDateTime parseDateTimeBestEffort toTimeZone
    coalesce ifNull nullIf isNull isNotNull if multiIf transform
    length lengthUTF8 lower upper trim trimLeft trimRight concat startsWith endsWith position replaceAll replace
    multiSearchAny empty notEmpty substring left right extract replaceRegexpAll replaceRegexpOne domain path
    extractURLParameter formatDateTime
    now today yesterday toYear toQuarter toMonth toDayOfMonth toDayOfWeek toDayOfYear toHour toMinute toSecond toYYYYMM
    toYYYYMMDD toUnixTimestamp dateDiff dateTrunc toMonday toStartOfSecond toStartOfMinute toStartOfHour toStartOfDay
    toStartOfWeek toStartOfMonth toStartOfQuarter toStartOfYear
    addSeconds addMinutes addHours addDays addWeeks addMonths addQuarters addYears
    subtractSeconds subtractMinutes subtractHours subtractDays subtractWeeks subtractMonths subtractQuarters subtractYears
    toIntervalSecond toIntervalMinute toIntervalHour toIntervalDay toIntervalWeek toIntervalMonth toIntervalQuarter
    toIntervalYear`.split(/\s+/),
])

/** The functions whose arguments may be lists. */
const WITH_LISTS = new Set(['in', 'notIn', 'transform', 'multiSearchAny'])

/** Whether every expression of a query over events can pass. */
export function isMirrored({ columns, where = [], having = [], group_by = [], order_by = [] }: Parts): boolean {
  const aliases = new Set(columns.flatMap((column) => (column.kind === 'alias' ? [column.name] : [])))
  const exprs = [...columns, ...where, ...having, ...group_by, ...order_by.map(({ expr }) => expr)]
  return exprs.every((expr) => passes(expr, aliases))
}

/**
 * DuckDB's driver drops a byte order mark at the start of a text, so a result with one fails. `columns(*)` is each column
 * in turn.
 */
const checked = (rows: Sql): Sql => sql`
  select case when typeof(columns(*)) = 'VARCHAR' and starts_with(columns(*)::varchar, chr(65279))
    then ${INEXACT} else columns(*) end from (${rows}) r`

/** The statement for DuckDB, unless a fragment of it has no form there. */
export function mirroredStatement(statement: Sql): CompiledStatement | undefined {
  try {
    return compile(checked(statement), 'duckdb')
  } catch (error) {
    if (error instanceof NoDuckdbFormError) return undefined
    throw error
  }
}

type Names = ReadonlySet<string>

function passes(expr: Expr, aliases: Names): boolean {
  switch (expr.kind) {
    case 'constant':
      return typeof expr.value !== 'string' || expr.value.isWellFormed()
    case 'field':
      return fieldPasses(expr.chain, aliases)
    case 'alias':
      return passes(expr.expr, aliases)
    case 'call':
      return callPasses(expr, aliases)
    default:
      return false
  }
}

function callPasses({ name, args, params }: Call, aliases: Names): boolean {
  const known = tableName(name)
  if (!FUNCTIONS.has(known)) return false
  const exprs = [...(params ?? []), ...(WITH_LISTS.has(known) ? args.flatMap(itemsOf) : args)]
  return exprs.every((expr) => passes(expr, aliases))
}

const itemsOf = (expr: Expr): readonly Expr[] => (expr.kind === 'array' || expr.kind === 'tuple' ? expr.items : [expr])

/** Fields take precedence over aliases, as in `resolve`. The expression of an alias is a column, and is checked there. */
function fieldPasses([name, ...path]: Field['chain'], aliases: Names): boolean {
  const [key, ...inner] = path
  if (name === 'events' && key !== undefined) return fieldPasses([String(key), ...inner], NO_ALIASES)
  if (name === 'properties') return isMirroredPath(path)
  if (name === 'person' && key === 'properties') return isMirroredPath(inner)
  if (name === 'person') return (key === 'id' || key === 'created_at') && !inner.length
  if (path.length) return false
  return COLUMNS.has(name) || PROPERTY_FIELDS.includes(name) || (aliases.has(name) && !FIELD_NAMES.includes(name))
}

const isMirroredPath = ([key, ...inner]: (string | number)[]): boolean =>
  typeof key === 'string' && !inner.length && isMirroredKey(key)

const NO_ALIASES: Names = new Set()

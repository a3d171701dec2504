/** Finds the index that has all fields of a query, so that no event has to be read. */
import type { Expr } from '../hogql/ast.ts'
import type { Parts } from '../hogql/query.ts'
import { type Either, type Sql, sql } from '../sql/template.ts'
import type { TimeRange } from './time.ts'

const INDEXES: { name: string; fields: string[]; hint: Either }[] = [
  index('events_by_time', ['timestamp', 'uuid'], sql`indexed by events_by_time`),
  index('events_by_name', ['event', 'timestamp', 'uuid'], sql`indexed by events_by_name`),
  index('events_by_distinct_id', ['distinct_id', 'timestamp', 'uuid'], sql`indexed by events_by_distinct_id`),
]

function index(name: string, fields: string[], hint: Sql): (typeof INDEXES)[number] {
  return { name, fields: [...fields, 'team_id'], hint: { sqlite: hint, postgres: sql`` } }
}

/** SQLite would use the index by time for a range, and read each event in it. PostgreSQL chooses the index by its statistics. */
export function coveringIndex({ columns, where = [], having = [], order_by = [] }: Parts, { from }: TimeRange) {
  const exprs = [...columns, ...where, ...having, ...order_by.map(({ expr }) => expr)]
  const aliases = columns.flatMap((column) => (column.kind === 'alias' ? [column.name] : []))
  const names = new Set(exprs.flatMap(fieldsOf).filter((name) => !aliases.includes(name)))
  const found = INDEXES.find(({ fields }) => [...names].every((name) => fields.includes(name)))
  // A range may be a small part of the events.
  return found && (found.name === 'events_by_time' || from === undefined) ? found : undefined
}

/** The names of the fields and aliases that an expression reads. */
export function fieldsOf(expr: Expr): string[] {
  switch (expr.kind) {
    case 'field':
      return [expr.chain.join('.')]
    case 'call':
      return [...expr.args, ...(expr.params ?? [])].flatMap(fieldsOf)
    case 'array':
    case 'tuple':
      return expr.items.flatMap(fieldsOf)
    case 'lambda':
      return fieldsOf(expr.body).filter((name) => !expr.names.includes(name))
    case 'alias':
      return fieldsOf(expr.expr)
    default:
      return []
  }
}

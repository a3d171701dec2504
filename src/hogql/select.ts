/** Parses one SELECT on one table. Other statements get specific error messages. */
import { alias, type Expr, type Order, type Select } from './ast.ts'
import { Cursor, type PlaceholderValues } from './cursor.ts'
import { display, type HogqlError } from './error.ts'
import { MAX_INTEGER, MAX_LIST } from './limits.ts'
import { aliasName, expression, isReserved } from './parser.ts'

const JOINS = [
  'JOIN',
  'INNER',
  'LEFT',
  'RIGHT',
  'FULL',
  'CROSS',
  'GLOBAL',
  'ANY',
  'ALL',
  'ASOF',
  'SEMI',
  'ANTI',
  'ARRAY',
]
const UNIONS = ['UNION', 'EXCEPT', 'INTERSECT']
const UNSUPPORTED = ['PREWHERE', 'SAMPLE', 'FINAL', 'QUALIFY', 'WINDOW', 'SETTINGS', 'FORMAT', 'TOP']

/** `tables`: the tables that the query can read. `values`: of its placeholders. */
export function parseSelect(text: string, tables: readonly string[] = ['events'], values?: PlaceholderValues): Select {
  const c = new Cursor(text, values)
  const from = tables.join(' or ')
  const { at } = c.peek()
  if (c.isWord('WITH'))
    throw c.error(`Common table expressions (WITH) are not supported. Write a single SELECT FROM ${from}.`)
  if (c.isSymbol('(')) throw c.error(`Write a single SELECT FROM ${from} without parentheses around it.`)
  c.expectWord('SELECT')
  const clauses: { name: string; at: number }[] = []
  const takes = (...words: string[]): boolean => {
    const { at } = c.peek()
    const found = c.words(...words)
    if (found) clauses.push({ name: words.join(' '), at })
    return found
  }
  const distinct = takes('DISTINCT')
  const columns = commaSeparated(c, () => column(c))
  if (!c.words('FROM')) {
    rejectUnsupported(c, from)
    if (c.peek().kind === 'end') throw c.error(`The query has no FROM clause. Add FROM ${from}.`)
    throw c.unexpected(`FROM ${from}`)
  }
  const table = readTable(c, tables)
  const where = c.words('WHERE') ? expression(c) : null
  rejectUnsupported(c, from)
  const group_by = takes('GROUP', 'BY') ? commaSeparated(c, () => expression(c)) : []
  const having = takes('HAVING') ? expression(c) : null
  const order_by = takes('ORDER', 'BY') ? commaSeparated(c, () => order(c)) : []
  const limit = takes('LIMIT') ? integer(c) : null
  const offset = takes('OFFSET') ? integer(c) : null
  rejectUnsupported(c, from)
  c.symbol(';')
  c.expectEnd()
  return Object.freeze({
    kind: 'select',
    at,
    distinct,
    columns: Object.freeze(columns),
    from: table,
    where,
    group_by: Object.freeze(group_by),
    having,
    order_by: Object.freeze(order_by),
    limit,
    offset,
    clauses: Object.freeze(clauses),
  })
}

/** `-count()` means `count() DESC`. */
export function parseOrder(text: string): Order {
  const minus = /^\s*-/.exec(text)?.[0] ?? ''
  const c = new Cursor(' '.repeat(minus.length) + text.slice(minus.length))
  const parsed = order(c)
  c.expectEnd()
  return minus ? Object.freeze({ expr: parsed.expr, descending: !parsed.descending }) : parsed
}

/** AS is optional before the alias of a column. */
function column(c: Cursor): Expr {
  const expr = expression(c)
  const { kind, text } = c.peek()
  if (kind === 'quoted' || (kind === 'name' && !isReserved(text))) return alias(expr.at, aliasName(c), expr)
  return expr
}

function readTable(c: Cursor, tables: readonly string[]): string {
  const from = tables.join(' or ')
  const { kind, text } = c.peek()
  if (c.isSymbol('(')) throw c.error(`Subqueries are not supported. The query must SELECT FROM ${from}.`)
  if ((kind !== 'name' && kind !== 'quoted') || !tables.includes(text))
    throw kind === 'end' || kind === 'symbol'
      ? c.unexpected(`the table ${from}`)
      : c.error(`Unknown table ${display(text)}. The query must SELECT FROM ${from}.`)
  c.take()
  if (c.isSymbol('.')) throw c.error(`${display(text)} has no members here. The query must SELECT FROM ${from}.`)
  if (c.isSymbol(',')) throw joinError(c, from)
  rejectUnsupported(c, from)
  const next = c.peek()
  if (
    c.isWord('AS') ||
    next.kind === 'quoted' ||
    (next.kind === 'name' &&
      !isReserved(next.text) &&
      !['WHERE', 'GROUP', 'HAVING', 'ORDER', 'LIMIT'].includes(next.text.toUpperCase()))
  )
    throw c.error(`Table aliases are not supported.`)
  return text
}

const joinError = (c: Cursor, from: string): HogqlError =>
  c.error(`JOIN is not supported. The query can only read ${from}.`)

function rejectUnsupported(c: Cursor, from: string): void {
  if (JOINS.some((word) => c.isWord(word))) throw joinError(c, from)
  if (UNIONS.some((word) => c.isWord(word)))
    throw c.error(`UNION, EXCEPT and INTERSECT are not supported. Write a single SELECT.`)
  const clause = UNSUPPORTED.find((word) => c.isWord(word))
  if (clause) throw c.error(`${clause} is not supported.`)
}

function order(c: Cursor): Order {
  const expr = expression(c)
  const descending = c.words('DESC') || c.words('DESCENDING')
  if (!descending && !c.words('ASC')) c.words('ASCENDING')
  return Object.freeze({ expr, descending })
}

function integer(c: Cursor): number {
  const token = c.peek()
  if (token.kind !== 'number' || token.float || token.value > MAX_INTEGER) throw c.unexpected('an integer')
  return c.take().value
}

function commaSeparated<Item>(c: Cursor, parse: () => Item): Item[] {
  const items: Item[] = []
  do {
    if (items.length && (c.isWord('FROM') || c.peek().kind === 'end')) break
    if (items.length >= MAX_LIST) throw c.error(`The list has more than ${MAX_LIST} items.`)
    items.push(parse())
  } while (c.symbol(','))
  return items
}

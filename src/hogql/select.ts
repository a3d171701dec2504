/** One SELECT … FROM events, for exports. What it cannot be is said in a sentence each. */
import { alias, type Expr, type Order, type Select } from './ast.ts'
import { Cursor } from './cursor.ts'
import { shown } from './error.ts'
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
const UNAVAILABLE = ['PREWHERE', 'SAMPLE', 'FINAL', 'QUALIFY', 'WINDOW', 'SETTINGS', 'FORMAT', 'TOP']

export function parseSelect(text: string): Select {
  const c = new Cursor(text)
  const { at } = c.peek()
  if (c.isWord('WITH'))
    throw c.error('Common table expressions (WITH) are not available: write one SELECT FROM events.')
  if (c.isSymbol('(')) throw c.error('Write one SELECT FROM events, without brackets around it.')
  c.expectWord('SELECT')
  const distinct = c.words('DISTINCT')
  const columns = listOf(c, () => column(c))
  if (!c.words('FROM')) {
    refuseOthers(c)
    if (c.peek().kind === 'end') throw c.error('The query reads nothing: it must SELECT FROM events.')
    throw c.unexpected('FROM events')
  }
  table(c)
  const where = c.words('WHERE') ? expression(c) : null
  refuseOthers(c)
  const group_by = c.words('GROUP', 'BY') ? listOf(c, () => expression(c)) : []
  const having = c.words('HAVING') ? expression(c) : null
  const order_by = c.words('ORDER', 'BY') ? listOf(c, () => order(c)) : []
  const limit = c.words('LIMIT') ? whole(c) : null
  const offset = c.words('OFFSET') ? whole(c) : null
  refuseOthers(c)
  c.symbol(';')
  c.expectEnd()
  return Object.freeze({
    kind: 'select',
    at,
    distinct,
    columns: Object.freeze(columns),
    where,
    group_by: Object.freeze(group_by),
    having,
    order_by: Object.freeze(order_by),
    limit,
    offset,
  })
}

/** `-count()` and `count() DESC` are the same. */
export function parseOrder(text: string): Order {
  const minus = /^\s*-/.exec(text)?.[0] ?? ''
  const c = new Cursor(' '.repeat(minus.length) + text.slice(minus.length))
  const parsed = order(c)
  c.expectEnd()
  return minus ? Object.freeze({ expr: parsed.expr, descending: !parsed.descending }) : parsed
}

/** A name may follow a column without AS. */
function column(c: Cursor): Expr {
  const expr = expression(c)
  const { kind, text } = c.peek()
  if (kind === 'quoted' || (kind === 'name' && !isReserved(text))) return alias(expr.at, aliasName(c), expr)
  return expr
}

function table(c: Cursor): void {
  const { kind, text, at } = c.peek()
  if (c.isSymbol('('))
    throw c.error(`Sub-queries are not available, at position ${at}: the query must SELECT FROM events.`)
  if ((kind !== 'name' && kind !== 'quoted') || text !== 'events')
    throw kind === 'end' || kind === 'symbol'
      ? c.unexpected('the table events')
      : c.error(`There is no table ${shown(text)} at position ${at}: the query must only SELECT FROM events.`)
  c.take()
  if (c.isSymbol('.')) throw c.error(`There is only the table events, at position ${at}.`)
  if (c.isSymbol(','))
    throw c.error(`JOINs are not available, at position ${c.peek().at}: the query reads events only.`)
  refuseOthers(c)
  const next = c.peek()
  if (
    c.isWord('AS') ||
    next.kind === 'quoted' ||
    (next.kind === 'name' &&
      !isReserved(next.text) &&
      !['WHERE', 'GROUP', 'HAVING', 'ORDER', 'LIMIT'].includes(next.text.toUpperCase()))
  )
    throw c.error(`The table events at position ${next.at} takes no other name.`)
}

function refuseOthers(c: Cursor): void {
  const { at } = c.peek()
  if (JOINS.some((word) => c.isWord(word)))
    throw c.error(`JOINs are not available, at position ${at}: the query reads events only.`)
  if (UNIONS.some((word) => c.isWord(word)))
    throw c.error(`UNIONs are not available, at position ${at}: write one SELECT.`)
  const word = UNAVAILABLE.find((candidate) => c.isWord(candidate))
  if (word) throw c.error(`${word} is not available, at position ${at}.`)
}

function order(c: Cursor): Order {
  const expr = expression(c)
  const descending = c.words('DESC') || c.words('DESCENDING')
  if (!descending && !c.words('ASC')) c.words('ASCENDING')
  return Object.freeze({ expr, descending })
}

function whole(c: Cursor): number {
  const token = c.peek()
  if (token.kind !== 'number' || token.float || token.value > MAX_INTEGER) throw c.unexpected('a whole number')
  return c.take().value
}

function listOf<Item>(c: Cursor, item: () => Item): Item[] {
  const found: Item[] = []
  do {
    if (found.length && (c.isWord('FROM') || c.peek().kind === 'end')) break
    if (found.length >= MAX_LIST) throw c.error(`A list has more than ${MAX_LIST} items at position ${c.peek().at}.`)
    found.push(item())
  } while (c.symbol(','))
  return found
}

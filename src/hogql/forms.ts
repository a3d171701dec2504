/** The forms that read like English instead of like a call: CAST, TRIM and INTERVAL, after their first word. */
import { call, constant, type Expr } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { didYouMean, shown } from './error.ts'

const UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year']
const CASTS: Record<string, string> = {
  string: 'toString',
  varchar: 'toString',
  text: 'toString',
  int: 'toInt',
  integer: 'toInt',
  bigint: 'toInt',
  int32: 'toInt',
  int64: 'toInt',
  float: 'toFloat',
  double: 'toFloat',
  float64: 'toFloat',
  decimal: 'toDecimal',
  date: 'toDate',
  datetime: 'toDateTime',
  timestamp: 'toDateTime',
  uuid: 'toUUID',
}

export function castOf(c: Cursor, at: number, inside: () => Expr): Expr {
  const inner = c.nested(inside)
  c.expectWord('AS')
  const type = c.take()
  const name = CASTS[type.text.toLowerCase()]
  if (type.kind !== 'name' || !name)
    throw c.error(
      `Unknown type ${shown(type.text)} at position ${type.at}.${didYouMean(type.text, ['String', 'Int', 'Float', 'Date', 'DateTime', 'UUID', 'Decimal'])}`,
      type.at,
    )
  c.expectSymbol(')')
  return call(at, name, [inner])
}

export function trim(c: Cursor, at: number, side: string, inside: () => Expr): Expr {
  const chars = c.isWord('FROM') ? undefined : c.nested(inside)
  c.expectWord('FROM')
  const inner = c.nested(inside)
  c.expectSymbol(')')
  const name = side === 'BOTH' ? 'trim' : side === 'LEADING' ? 'trimLeft' : 'trimRight'
  return call(at, name, chars ? [inner, chars] : [inner])
}

export function interval(c: Cursor): Expr {
  const { at } = c.take()
  const token = c.take()
  const parts = token.kind === 'string' ? /^\s*(-?\d{1,9})\s+([A-Za-z]+)\s*$/.exec(token.text) : undefined
  if (token.kind === 'string' && !parts)
    throw c.error(`The interval at position ${token.at} should look like INTERVAL 3 DAY or INTERVAL '3 day'.`, token.at)
  const unit = parts ? { text: parts[2]!, at: token.at } : c.take()
  const word = unit.text.toLowerCase().replace(/s$/, '')
  if (!UNITS.includes(word))
    throw c.error(`Unknown unit ${shown(unit.text)} at position ${unit.at}: use one of ${UNITS.join(', ')}.`, unit.at)
  const amount = parts ? Number(parts[1]) : token.value
  return call(at, `toInterval${word[0]!.toUpperCase()}${word.slice(1)}`, [constant(token.at, amount, token.float)])
}

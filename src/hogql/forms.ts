/** Special forms that are not plain calls: CAST, TRIM and INTERVAL. */
import { call, constant, type Expr } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { didYouMean, display } from './error.ts'
import type { Token } from './lexer.ts'
import { capitalized, INTERVAL_UNITS, parseUnit } from './units.ts'

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

export function parseCast(c: Cursor, at: number, operand: () => Expr): Expr {
  const inner = c.nested(operand)
  c.expectWord('AS')
  const type = c.take()
  const name = CASTS[type.text.toLowerCase()]
  if (type.kind !== 'name' || !name)
    throw c.error(
      `Unknown type ${display(type.text)}.${didYouMean(type.text, ['String', 'Int', 'Float', 'Date', 'DateTime', 'UUID', 'Decimal'])}`,
      type.at,
    )
  c.expectSymbol(')')
  return call(at, name, [inner])
}

export function parseTrim(c: Cursor, at: number, side: string, operand: () => Expr): Expr {
  const chars = c.isWord('FROM') ? undefined : c.nested(operand)
  c.expectWord('FROM')
  const inner = c.nested(operand)
  c.expectSymbol(')')
  const name = side === 'BOTH' ? 'trim' : side === 'LEADING' ? 'trimLeft' : 'trimRight'
  return call(at, name, chars ? [inner, chars] : [inner])
}

export function parseInterval(c: Cursor): Expr {
  const { at } = c.take()
  const token = c.take()
  const { amount, unit } = token.kind === 'string' ? quotedInterval(c, token) : { amount: token.value, unit: c.take() }
  const known = parseUnit(unit.text)
  if (!known) throw c.error(`Unknown unit ${display(unit.text)}. Use one of: ${INTERVAL_UNITS.join(', ')}.`, unit.at)
  return call(at, `toInterval${capitalized(known)}`, [constant(token.at, amount, token.float)])
}

/** The amount and unit of `INTERVAL '3 day'`. */
function quotedInterval(c: Cursor, { text, at }: Token): { amount: number; unit: Pick<Token, 'text' | 'at'> } {
  const [, amount, unit] = /^\s*(-?\d{1,9})\s+([A-Za-z]+)\s*$/.exec(text) ?? []
  if (amount === undefined || unit === undefined)
    throw c.error(`Invalid interval. Write INTERVAL 3 DAY or INTERVAL '3 day'.`, at)
  return { amount: Number(amount), unit: { text: unit, at } }
}

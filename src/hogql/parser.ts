/** Text to tree, by recursive descent; each level of precedence is a function that calls the next tighter one. */
import { alias, call, constant, type Expr, field, lambda, list, star } from './ast.ts'
import { Cursor } from './cursor.ts'
import { HogqlError, shown } from './error.ts'
import { castOf, interval, trim } from './forms.ts'
import { MAX_INTEGER, MAX_LIST } from './limits.ts'

export function parseExpression(text: string): Expr {
  const cursor = new Cursor(text)
  const parsed = expression(cursor)
  cursor.expectEnd()
  return parsed
}

/** Words that end an expression or join two, so that none of them is a field unless quoted. */
const RESERVED = new Set(
  `AND OR NOT IN LIKE ILIKE IS BETWEEN CASE WHEN THEN ELSE END AS FROM WHERE GROUP HAVING ORDER LIMIT OFFSET SELECT UNION
   EXCEPT INTERSECT JOIN WITH BY ASC DESC DISTINCT OVER`.split(/\s+/),
)
const NOT_A_NAME = new Set(['team_id', 'true', 'false', 'null'])
const COMPARISONS: Record<string, string> = {
  '=': 'equals',
  '==': 'equals',
  '!=': 'notEquals',
  '<>': 'notEquals',
  '<': 'less',
  '<=': 'lessOrEquals',
  '>': 'greater',
  '>=': 'greaterOrEquals',
}

export function expression(c: Cursor): Expr {
  return c.nested(() => {
    let inner = ternary(c)
    while (c.words('AS')) inner = alias(inner.at, aliasName(c), inner)
    return inner
  })
}

export function aliasName(c: Cursor): string {
  const token = c.peek()
  if (!['name', 'quoted', 'string'].includes(token.kind)) throw c.unexpected('a name')
  if (NOT_A_NAME.has(token.text.toLowerCase()) || (token.kind === 'name' && isReserved(token.text)))
    throw c.error(`${shown(token.text)} cannot be a name at position ${token.at}: it is a reserved word.`)
  if (token.text === '') throw c.error(`The name at position ${token.at} is empty.`)
  return c.take().text
}

export const isReserved = (word: string): boolean => RESERVED.has(word.toUpperCase())

function ternary(c: Cursor): Expr {
  const condition = or(c)
  if (!c.symbol('?')) return condition
  const yes = c.nested(() => ternary(c))
  c.expectSymbol(':')
  return call(condition.at, 'if', [condition, yes, c.nested(() => ternary(c))])
}

/** One flat call for a run of the same word: as long as the list limit allows, however many there are. */
function joined(at: number, name: 'and' | 'or', parts: Expr[]): Expr {
  if (parts.length === 1) return parts[0]!
  if (parts.length > MAX_LIST)
    throw new HogqlError(`More than ${MAX_LIST} conditions are joined at position ${at}.`, at)
  return call(at, name, parts)
}

function or(c: Cursor): Expr {
  const parts = [and(c)]
  while (c.words('OR')) parts.push(and(c))
  return joined(parts[0]!.at, 'or', parts)
}

function and(c: Cursor): Expr {
  const parts = [not(c)]
  while (c.words('AND')) parts.push(not(c))
  return joined(parts[0]!.at, 'and', parts)
}

function not(c: Cursor): Expr {
  const { at } = c.peek()
  if (c.isWord('NOT') && !c.isSymbol('(', 1) && c.words('NOT')) return c.nested(() => call(at, 'not', [not(c)]))
  return nullish(c)
}

function nullish(c: Cursor): Expr {
  let left = nullTest(c)
  while (c.symbol('??')) left = call(left.at, 'ifNull', [left, nullTest(c)])
  return left
}

function nullTest(c: Cursor): Expr {
  let left = comparison(c)
  while (c.words('IS')) {
    const name = c.words('NOT') ? 'isNotNull' : 'isNull'
    c.expectWord('NULL')
    left = call(left.at, name, [left])
  }
  return left
}

function comparison(c: Cursor): Expr {
  let left = additive(c)
  for (;;) {
    const token = c.peek()
    const name = token.kind === 'symbol' ? COMPARISONS[token.text] : undefined
    if (name) {
      c.take()
      left = call(left.at, name, [left, additive(c)])
      continue
    }
    if (token.kind === 'symbol' && /^[=!]?~\*?$/.test(token.text)) {
      c.take()
      left = regex(c, left, token.text)
      continue
    }
    const negated = c.isWord('NOT') ? 1 : 0
    if (c.isWord('IN', negated)) {
      if (negated) c.take()
      c.take()
      if (c.isWord('COHORT'))
        throw c.error(`There are no cohorts here, so IN COHORT at position ${c.peek().at} cannot be answered.`)
      left = call(left.at, negated ? 'notIn' : 'in', [left, additive(c)])
    } else if (c.isWord('LIKE', negated) || c.isWord('ILIKE', negated)) {
      if (negated) c.take()
      const insensitive = c.take().text.toUpperCase() === 'ILIKE'
      left = call(left.at, negated ? (insensitive ? 'notILike' : 'notLike') : insensitive ? 'ilike' : 'like', [
        left,
        additive(c),
      ])
    } else if (c.isWord('BETWEEN', negated)) {
      if (negated) c.take()
      c.take()
      const low = additive(c)
      c.expectWord('AND')
      const ends = [call(left.at, 'greaterOrEquals', [left, low]), call(left.at, 'lessOrEquals', [left, additive(c)])]
      left = call(left.at, 'and', ends)
      if (negated) left = call(left.at, 'not', [left])
    } else return left
  }
}

function regex(c: Cursor, left: Expr, operator: string): Expr {
  let pattern = additive(c)
  if (operator.endsWith('*'))
    pattern =
      pattern.kind === 'constant' && typeof pattern.value === 'string'
        ? constant(pattern.at, `(?i)${pattern.value}`)
        : call(pattern.at, 'concat', [constant(pattern.at, '(?i)'), pattern])
  const match = call(left.at, 'match', [left, pattern])
  return operator.startsWith('!') ? call(left.at, 'not', [match]) : match
}

function additive(c: Cursor): Expr {
  let left = multiplicative(c)
  for (;;) {
    if (c.isSymbol('||')) {
      const parts = [left]
      while (c.symbol('||')) parts.push(multiplicative(c))
      left = call(left.at, 'concat', parts)
    } else if (c.isSymbol('+') || c.isSymbol('-'))
      left = call(left.at, c.take().text === '+' ? 'plus' : 'minus', [left, multiplicative(c)])
    else return left
  }
}

const PRODUCTS: Record<string, string> = { '*': 'multiply', '/': 'divide', '%': 'modulo' }

function multiplicative(c: Cursor): Expr {
  let left = unary(c)
  for (;;) {
    const name = c.peek().kind === 'symbol' ? PRODUCTS[c.peek().text] : undefined
    if (!name) return left
    c.take()
    left = call(left.at, name, [left, unary(c)])
  }
}

function unary(c: Cursor): Expr {
  const { at } = c.peek()
  if (!c.symbol('-')) return access(c)
  const operand = c.nested(() => unary(c))
  if (operand.kind === 'constant' && typeof operand.value === 'number')
    return constant(at, operand.value === 0 ? 0 : -operand.value, operand.float)
  return call(at, 'negate', [operand])
}

function access(c: Cursor): Expr {
  let base = primary(c)
  for (;;) {
    const { at } = c.peek()
    if (c.symbol('.') || c.symbol('?.')) {
      const token = c.peek()
      if (c.isSymbol('[')) continue
      if (token.kind === 'number') base = member(c, base, indexOf(c, c.take().value, token.at), token.at)
      else if (token.kind === 'name' || token.kind === 'quoted') base = member(c, base, c.take().text, token.at)
      else throw c.unexpected('a name or an index')
    } else if (c.symbol('[')) {
      const index = expression(c)
      c.expectSymbol(']')
      if (index.kind === 'constant' && typeof index.value === 'number')
        base = member(c, base, indexOf(c, index.value, index.at), at)
      else if (index.kind === 'constant' && typeof index.value === 'string')
        base = member(c, base, index.value, index.at)
      else base = call(base.at, 'arrayElement', [base, index])
    } else return base
  }
}

function indexOf(c: Cursor, value: number, at: number): number {
  if (value === 0) throw c.error(`Indexes begin with 1, not with 0, at position ${at}.`, at)
  if (!Number.isInteger(value) || Math.abs(value) > 1_000_000)
    throw c.error(`The index at position ${at} is not a whole number within a million.`, at)
  return value
}

function member(c: Cursor, base: Expr, key: string | number, at: number): Expr {
  if (base.kind === 'field') return field(base.at, [...base.chain, key])
  if (typeof key === 'number') return call(base.at, 'arrayElement', [base, constant(at, key)])
  throw c.error(
    `Only a field has members, so ${shown(key)} cannot be taken at position ${at}. Use JSONExtractString.`,
    at,
  )
}

function primary(c: Cursor): Expr {
  const token = c.peek()
  const { at } = token
  switch (token.kind) {
    case 'string':
      c.take()
      return constant(at, token.text)
    case 'number':
      c.take()
      return constant(at, token.value, token.float || Math.abs(token.value) > MAX_INTEGER)
    case 'quoted':
      c.take()
      if (c.isSymbol('->')) return lambdaOf(c, at, [token.text])
      return field(at, [token.text])
    case 'symbol':
      return bracketed(c)
    case 'name':
      return word(c)
    default:
      throw c.unexpected('an expression')
  }
}

function bracketed(c: Cursor): Expr {
  const { at } = c.peek()
  if (c.symbol('[')) return list(at, 'array', items(c, ']'))
  if (c.symbol('*')) return star(at)
  if (c.isSymbol('{'))
    throw c.error(
      `Braces at position ${at} are a placeholder or a dictionary, and neither is available: write the value itself.`,
    )
  if (!c.isSymbol('(')) throw c.unexpected('an expression')
  const names = lambdaNames(c)
  if (names) return lambdaOf(c, at, names)
  c.take()
  if (c.isWord('SELECT') || c.isWord('WITH')) throw c.error(`Sub-queries are not available, at position ${at}.`, at)
  const parts = items(c, ')', true)
  return parts.single ?? list(at, 'tuple', parts)
}

/** `(x, y) ->`, if that is what comes next; nothing is taken unless it is. */
function lambdaNames(c: Cursor): string[] | undefined {
  const names: string[] = []
  let i = 1
  for (; ; i += 2) {
    if (!['name', 'quoted'].includes(c.peek(i).kind)) return undefined
    names.push(c.peek(i).text)
    if (c.isSymbol(')', i + 1)) break
    if (!c.isSymbol(',', i + 1)) return undefined
  }
  if (!c.isSymbol('->', i + 2)) return undefined
  for (let taken = 0; taken < i + 2; taken++) c.take()
  return names
}

function lambdaOf(c: Cursor, at: number, names: string[]): Expr {
  c.expectSymbol('->')
  for (const name of names)
    if (isReserved(name) || NOT_A_NAME.has(name.toLowerCase()))
      throw c.error(`${shown(name)} cannot be a name at position ${at}: it is a reserved word.`, at)
  return lambda(at, names, expression(c))
}

/** Expressions up to the closing bracket; a comma may follow the last. `(x)` is x itself, `(x,)` a tuple of one. */
function items(c: Cursor, close: string, single = false): Expr[] & { single?: Expr } {
  const found: Expr[] & { single?: Expr } = []
  let comma = true
  while (!c.symbol(close)) {
    if (!comma) throw c.unexpected(`"," or "${close}"`)
    if (found.length >= MAX_LIST) throw c.error(`A list has more than ${MAX_LIST} items at position ${c.peek().at}.`)
    found.push(expression(c))
    comma = c.symbol(',')
  }
  if (single && found.length === 1 && !comma) found.single = found[0]!
  return found
}

function word(c: Cursor): Expr {
  const { text, at } = c.peek()
  const upper = text.toUpperCase()
  const calls = c.isSymbol('(', 1)
  if (!calls) {
    if (upper === 'TRUE' || upper === 'FALSE' || upper === 'NULL') {
      c.take()
      return constant(at, upper === 'NULL' ? null : upper === 'TRUE')
    }
    if (upper === 'CASE') return caseOf(c)
    if (upper === 'INTERVAL' && (c.peek(1).kind === 'number' || c.peek(1).kind === 'string')) return interval(c)
    if ((upper === 'DATE' || upper === 'TIMESTAMP') && c.peek(1).kind === 'string') {
      c.take()
      const value = c.take()
      return call(at, upper === 'DATE' ? 'toDate' : 'toDateTime', [constant(value.at, value.text)])
    }
    if (text === 'f' && c.peek(1).kind === 'string' && c.peek(1).at === at + 1)
      throw c.error(`Template strings are not available, at position ${at}: use concat.`)
    if (upper === 'INF' || upper === 'NAN')
      throw c.error(`The number ${text} at position ${at} is not available: use a finite one.`)
    if (upper === 'SELECT') throw c.error(`An expression is expected at position ${at}, not a SELECT statement.`)
    if (isReserved(text)) throw c.unexpected('an expression')
    c.take()
    if (c.isSymbol('->')) return lambdaOf(c, at, [text])
    return field(at, [text])
  }
  c.take()
  c.take()
  if (upper === 'CAST') return castOf(c, at, () => ternary(c))
  if (upper === 'TRIM') {
    const side = ['BOTH', 'LEADING', 'TRAILING'].find((word) => c.words(word))
    if (side) return trim(c, at, side, () => ternary(c))
  }
  if (upper === 'SELECT') throw c.error(`Sub-queries are not available, at position ${at}.`, at)
  return callOf(c, at, text)
}

function callOf(c: Cursor, at: number, name: string): Expr {
  const distinct = c.words('DISTINCT')
  if (c.isWord('SELECT')) throw c.error(`Sub-queries are not available, at position ${c.peek().at}.`)
  let args: Expr[] = items(c, ')')
  if (name.toUpperCase() === 'COUNT' && args.length === 1 && args[0]!.kind === 'star') args = []
  let params: Expr[] | null = null
  if (c.symbol('(')) {
    params = args
    args = items(c, ')')
  }
  if (c.isWord('OVER')) throw c.error(`Window functions are not available, at position ${c.peek().at}.`)
  return call(at, name, args, params, distinct)
}

function caseOf(c: Cursor): Expr {
  const { at } = c.take()
  return c.nested(() => {
    const subject = c.isWord('WHEN') ? undefined : ternary(c)
    const whens: Expr[] = []
    const thens: Expr[] = []
    while (c.words('WHEN')) {
      whens.push(ternary(c))
      c.expectWord('THEN')
      thens.push(ternary(c))
    }
    if (!whens.length) throw c.unexpected('WHEN')
    const otherwise = c.words('ELSE') ? ternary(c) : constant(c.peek().at, null)
    c.expectWord('END')
    if (subject) return call(at, 'transform', [subject, list(at, 'array', whens), list(at, 'array', thens), otherwise])
    if (whens.length === 1) return call(at, 'if', [whens[0]!, thens[0]!, otherwise])
    return call(at, 'multiIf', [...whens.flatMap((when, i) => [when, thens[i]!]), otherwise])
  })
}

/** Recursive-descent parser. Each precedence level is a function that calls the next tighter one. */
import { alias, call, constant, type Expr, field, lambda, list, star } from './ast.ts'
import { Cursor } from './cursor.ts'
import { display, HogqlError } from './error.ts'
import { parseCast, parseInterval, parseTrim } from './forms.ts'
import { MAX_INTEGER, MAX_LIST } from './limits.ts'

export function parseExpression(text: string): Expr {
  const cursor = new Cursor(text)
  const parsed = expression(cursor)
  cursor.expectEnd()
  return parsed
}

/** Keywords that end or join expressions. They are field names only in quotes. */
const RESERVED = new Set(
  `AND OR NOT IN LIKE ILIKE IS BETWEEN CASE WHEN THEN ELSE END AS FROM WHERE GROUP HAVING ORDER LIMIT OFFSET SELECT UNION
   EXCEPT INTERSECT JOIN WITH BY ASC DESC DISTINCT OVER`.split(/\s+/),
)
const RESERVED_NAMES = new Set(['team_id', 'true', 'false', 'null'])
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
    let result = ternary(c)
    while (c.words('AS')) result = alias(result.at, aliasName(c), result)
    return result
  })
}

export function aliasName(c: Cursor): string {
  const token = c.peek()
  if (!['name', 'quoted', 'string'].includes(token.kind)) throw c.unexpected('a name')
  if (RESERVED_NAMES.has(token.text.toLowerCase()) || (token.kind === 'name' && isReserved(token.text)))
    throw c.error(`${display(token.text)} is reserved. Use another name.`)
  if (token.text === '') throw c.error(`The name is empty.`)
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

/** One flat call for a chain of the same operator. Nested calls would exceed the depth limit. */
function chain(c: Cursor, name: 'and' | 'or', operand: (c: Cursor) => Expr): Expr {
  const first = operand(c)
  const operands = [first]
  while (c.words(name.toUpperCase())) operands.push(operand(c))
  if (operands.length === 1) return first
  if (operands.length > MAX_LIST) throw new HogqlError(`The condition has more than ${MAX_LIST} operands.`, first.at)
  return call(first.at, name, operands)
}

const or = (c: Cursor): Expr => chain(c, 'or', and)
const and = (c: Cursor): Expr => chain(c, 'and', not)

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
      if (c.isWord('COHORT')) throw c.error(`Cohorts are not supported.`)
      left = call(left.at, negated ? 'notIn' : 'in', [left, additive(c)])
    } else if (c.isWord('LIKE', negated) || c.isWord('ILIKE', negated)) {
      if (negated) c.take()
      const insensitive = c.take().text.toUpperCase() === 'ILIKE'
      const positive = insensitive ? 'ilike' : 'like'
      const negative = insensitive ? 'notILike' : 'notLike'
      left = call(left.at, negated ? negative : positive, [left, additive(c)])
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
  if (value === 0) throw c.error(`Indexes start at 1, not 0.`, at)
  if (!Number.isInteger(value) || Math.abs(value) > 1_000_000)
    throw c.error(`The index must be an integer of at most 1,000,000.`, at)
  return value
}

function member(c: Cursor, base: Expr, key: string | number, at: number): Expr {
  if (base.kind === 'field') return field(base.at, [...base.chain, key])
  if (typeof key === 'number') return call(base.at, 'arrayElement', [base, constant(at, key)])
  throw c.error(`Cannot access ${display(key)}: only fields have members. Use JSONExtractString.`, at)
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
      if (c.isSymbol('->')) return lambdaBody(c, at, [token.text])
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
  if (c.symbol('[')) return list(at, 'array', listItems(c, ']').items)
  if (c.symbol('*')) return star(at)
  if (c.isSymbol('{')) return placeholder(c)
  if (!c.isSymbol('(')) throw c.unexpected('an expression')
  const names = lambdaNames(c)
  if (names) return lambdaBody(c, at, names)
  c.take()
  if (c.isWord('SELECT') || c.isWord('WITH')) throw subquery(c, at)
  const { items, trailingComma } = listItems(c, ')')
  const [first] = items
  return first && items.length === 1 && !trailingComma ? first : list(at, 'tuple', items)
}

/** `{name}`: a value that is sent beside the query. */
function placeholder(c: Cursor): Expr {
  const { values } = c
  if (!values) throw c.error(`Placeholders and dictionaries in braces are not supported.`)
  c.take()
  const { kind, text } = c.peek()
  if (kind !== 'name' && kind !== 'quoted') throw c.unexpected('the name of a placeholder')
  const found = Object.hasOwn(values, text) ? values[text] : undefined
  if (!found) throw c.error(`The placeholder ${display(text)} has no value. Send it in "values".`)
  c.take()
  c.expectSymbol('}')
  return c.insert(found.value, found.characters)
}

/** Consumes `(x, y)` if an arrow follows it. Otherwise consumes nothing. */
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
  for (let count = 0; count < i + 2; count++) c.take()
  return names
}

function lambdaBody(c: Cursor, at: number, names: string[]): Expr {
  c.expectSymbol('->')
  for (const name of names)
    if (isReserved(name) || RESERVED_NAMES.has(name.toLowerCase()))
      throw c.error(`${display(name)} is reserved. Use another name.`, at)
  return lambda(at, names, expression(c))
}

/** Parses expressions up to the closing bracket. `(x)` is x itself, but `(x,)` is a tuple. */
function listItems(c: Cursor, close: string): { items: Expr[]; trailingComma: boolean } {
  const items: Expr[] = []
  let comma = true
  while (!c.symbol(close)) {
    if (!comma) throw c.unexpected(`"," or "${close}"`)
    if (items.length >= MAX_LIST) throw c.error(`The list has more than ${MAX_LIST} items.`)
    items.push(expression(c))
    comma = c.symbol(',')
  }
  return { items, trailingComma: comma }
}

const subquery = (c: Cursor, at: number): HogqlError => c.error(`Subqueries are not supported.`, at)

function word(c: Cursor): Expr {
  const { text, at } = c.peek()
  const upper = text.toUpperCase()
  const isCall = c.isSymbol('(', 1)
  if (!isCall) {
    if (upper === 'TRUE' || upper === 'FALSE' || upper === 'NULL') {
      c.take()
      return constant(at, upper === 'NULL' ? null : upper === 'TRUE')
    }
    if (upper === 'CASE') return caseExpression(c)
    if (upper === 'INTERVAL' && (c.peek(1).kind === 'number' || c.peek(1).kind === 'string')) return parseInterval(c)
    if ((upper === 'DATE' || upper === 'TIMESTAMP') && c.peek(1).kind === 'string') {
      c.take()
      const value = c.take()
      return call(at, upper === 'DATE' ? 'toDate' : 'toDateTime', [constant(value.at, value.text)])
    }
    if (text === 'f' && c.peek(1).kind === 'string' && c.peek(1).at === at + 1)
      throw c.error(`Template strings are not supported. Use concat.`)
    if (upper === 'INF' || upper === 'NAN') throw c.error(`${text} is not supported. Numbers must be finite.`)
    if (upper === 'SELECT') throw c.error(`Expected an expression, not a SELECT statement.`)
    if (isReserved(text)) throw c.unexpected('an expression')
    c.take()
    if (c.isSymbol('->')) return lambdaBody(c, at, [text])
    return field(at, [text])
  }
  c.take()
  c.take()
  if (upper === 'CAST') return parseCast(c, at, () => ternary(c))
  if (upper === 'TRIM') {
    const side = ['BOTH', 'LEADING', 'TRAILING'].find((keyword) => c.words(keyword))
    if (side) return parseTrim(c, at, side, () => ternary(c))
  }
  if (upper === 'SELECT') throw subquery(c, at)
  return callArguments(c, at, text)
}

function callArguments(c: Cursor, at: number, name: string): Expr {
  const distinct = c.words('DISTINCT')
  if (c.isWord('SELECT')) throw subquery(c, c.peek().at)
  let args = listItems(c, ')').items
  if (name.toUpperCase() === 'COUNT' && args.length === 1 && args[0]?.kind === 'star') args = []
  let params: Expr[] | null = null
  if (c.symbol('(')) {
    params = args
    args = listItems(c, ')').items
  }
  if (c.isWord('OVER')) throw c.error(`Window functions are not supported.`)
  return call(at, name, args, params, distinct)
}

function caseExpression(c: Cursor): Expr {
  const { at } = c.take()
  return c.nested(() => {
    const subject = c.isWord('WHEN') ? undefined : ternary(c)
    const branches: [when: Expr, then: Expr][] = []
    while (c.words('WHEN')) {
      const when = ternary(c)
      c.expectWord('THEN')
      branches.push([when, ternary(c)])
    }
    if (!branches.length) throw c.unexpected('WHEN')
    const otherwise = c.words('ELSE') ? ternary(c) : constant(c.peek().at, null)
    c.expectWord('END')
    if (!subject) return call(at, branches.length === 1 ? 'if' : 'multiIf', [...branches.flat(), otherwise])
    const from = branches.map(([when]) => when)
    const to = branches.map(([, then]) => then)
    return call(at, 'transform', [subject, list(at, 'array', from), list(at, 'array', to), otherwise])
  })
}

/** Prints a tree in canonical form: operators as calls, upper-case keywords, explicit AS, one line. */
import type { Expr, Select } from './ast.ts'
import { isReserved } from './parser.ts'

export function canonical(node: Expr | Select): string {
  switch (node.kind) {
    case 'constant':
      return constant(node.value, node.float)
    case 'field':
      return node.chain
        .map((key, i) => {
          if (typeof key === 'number') return key < 0 ? `[${key}]` : `.${key}`
          if (i === 0) return quoted(key, 0)
          return key === '' || key.includes('%') ? `[${constant(key, false)}]` : `.${quoted(key, i)}`
        })
        .join('')
    case 'call': {
      const list = `(${node.distinct ? 'DISTINCT ' : ''}${node.args.map(canonical).join(', ')})`
      return `${node.name}${node.params ? `(${node.params.map(canonical).join(', ')})` : ''}${list}`
    }
    case 'array':
      return `[${node.items.map(canonical).join(', ')}]`
    case 'tuple':
      return `(${node.items.map(canonical).join(', ')}${node.items.length === 1 ? ',' : ''})`
    case 'lambda': {
      const names = node.names.map((name) => quoted(name, 0))
      return `${names.length === 1 ? names[0] : `(${names.join(', ')})`} -> ${canonical(node.body)}`
    }
    case 'alias':
      return `${canonical(node.expr)} AS ${node.name.includes('%') ? constant(node.name, false) : quoted(node.name, 0)}`
    case 'star':
      return '*'
    case 'select':
      return select(node)
  }
}

/** The alias of a column, or its canonical text. */
export const columnName = (expr: Expr): string => (expr.kind === 'alias' ? expr.name : canonical(expr))

function select(node: Select): string {
  const clauses = [
    `SELECT ${node.distinct ? 'DISTINCT ' : ''}${node.columns.map(canonical).join(', ')} FROM ${node.from}`,
    node.where && `WHERE ${canonical(node.where)}`,
    node.group_by.length && `GROUP BY ${node.group_by.map(canonical).join(', ')}`,
    node.having && `HAVING ${canonical(node.having)}`,
    node.order_by.length &&
      `ORDER BY ${node.order_by.map(({ expr, descending }) => `${canonical(expr)} ${descending ? 'DESC' : 'ASC'}`).join(', ')}`,
    node.limit !== null && `LIMIT ${node.limit}`,
    node.offset !== null && `OFFSET ${node.offset}`,
  ]
  return clauses.filter(Boolean).join(' ')
}

function constant(value: string | number | boolean | null, float: boolean): string {
  if (value === null) return 'NULL'
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number')
    return float && Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : String(value)
  return `'${escaped(value).replaceAll("'", "\\'")}'`
}

const ESCAPES: Record<string, string> = {
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\r': '\\r',
  '\n': '\\n',
  '\t': '\\t',
  '\x07': '\\a',
  '\v': '\\v',
}
const escaped = (text: string): string => [...text].map((c) => ESCAPES[c] ?? c).join('')

const WORDS = /^(true|false|null|case|interval|inf|nan|date|timestamp|f)$/i

/** Puts a name in backquotes, unless it is a plain identifier. Keywords need no quotes after a dot. */
function quoted(name: string, position: number): string {
  if (/^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) && (position > 0 || !(isReserved(name) || WORDS.test(name)))) return name
  return `\`${escaped(name).replaceAll('`', '\\`')}\``
}

/**
 * The syntax tree. The parser turns operators, CASE, BETWEEN, CAST and INTERVAL into calls, so there are few node kinds
 * and the canonical text shows exactly how an expression was parsed. Nodes are frozen.
 */
import { HogqlError } from './error.ts'
import { MAX_DEPTH, MAX_NODES } from './limits.ts'

interface Node {
  /** Position of the node's first character, counted from 1. */
  readonly at: number
  readonly depth: number
  /** Number of nodes in the subtree. A shared node counts once per reference: BETWEEN uses its operand twice. */
  readonly size: number
}

export interface Constant extends Node {
  readonly kind: 'constant'
  readonly value: string | number | boolean | null
  /** `1.0` and `1e3` are floats although their values are integers. */
  readonly float: boolean
}

/** `event`, `properties.$browser`, `properties.list.1`: a name, then keys (strings) and 1-based indexes (numbers). */
export interface Field extends Node {
  readonly kind: 'field'
  readonly chain: readonly [string, ...(string | number)[]]
}

export interface Call extends Node {
  readonly kind: 'call'
  readonly name: string
  readonly params: readonly Expr[] | null
  readonly distinct: boolean
  readonly args: readonly Expr[]
}

export interface List extends Node {
  readonly kind: 'array' | 'tuple'
  readonly items: readonly Expr[]
}

export interface Lambda extends Node {
  readonly kind: 'lambda'
  readonly names: readonly string[]
  readonly body: Expr
}

export interface Alias extends Node {
  readonly kind: 'alias'
  readonly name: string
  readonly expr: Expr
}

/** The column `*`. */
export interface Star extends Node {
  readonly kind: 'star'
}

export type Expr = Constant | Field | Call | List | Lambda | Alias | Star

export interface Order {
  readonly expr: Expr
  readonly descending: boolean
}

export interface Select {
  readonly kind: 'select'
  readonly at: number
  readonly distinct: boolean
  readonly columns: readonly Expr[]
  /** The name of the table. */
  readonly from: string
  readonly where: Expr | null
  readonly group_by: readonly Expr[]
  readonly having: Expr | null
  readonly order_by: readonly Order[]
  readonly limit: number | null
  readonly offset: number | null
  /** The clauses other than FROM and WHERE in their order, with their positions. */
  readonly clauses: readonly { name: string; at: number }[]
}

function extent(at: number, children: readonly Expr[]): { at: number; depth: number; size: number } {
  let depth = 1
  let size = 1
  for (const child of children) {
    depth = Math.max(depth, child.depth + 1)
    size += child.size
  }
  if (depth > MAX_DEPTH) throw tooDeep(at)
  if (size > MAX_NODES) throw new HogqlError(`The expression has more than ${MAX_NODES} nodes.`, at)
  return { at, depth, size }
}

export const tooDeep = (at: number): HogqlError =>
  new HogqlError(`The expression is nested deeper than ${MAX_DEPTH} levels.`, at)

export const constant = (at: number, value: Constant['value'], float = false): Constant =>
  Object.freeze({ kind: 'constant', ...extent(at, []), value, float })

export const field = (at: number, chain: readonly [string, ...(string | number)[]]): Field =>
  Object.freeze({ kind: 'field', ...extent(at, []), chain: Object.freeze(chain) })

export const call = (
  at: number,
  name: string,
  args: readonly Expr[],
  params: readonly Expr[] | null = null,
  distinct = false,
): Call =>
  Object.freeze({
    kind: 'call',
    ...extent(at, params ? [...args, ...params] : args),
    name,
    params: params && Object.freeze(params),
    distinct,
    args: Object.freeze(args),
  })

export const list = (at: number, kind: List['kind'], items: readonly Expr[]): List =>
  Object.freeze({ kind, ...extent(at, items), items: Object.freeze(items) })

export const lambda = (at: number, names: readonly string[], body: Expr): Lambda =>
  Object.freeze({ kind: 'lambda', ...extent(at, [body]), names: Object.freeze(names), body })

export const alias = (at: number, name: string, expr: Expr): Alias =>
  Object.freeze({ kind: 'alias', ...extent(at, [expr]), name, expr })

export const star = (at: number): Star => Object.freeze({ kind: 'star', ...extent(at, []) })

export const withoutAlias = (expr: Expr): Expr => (expr.kind === 'alias' ? withoutAlias(expr.expr) : expr)

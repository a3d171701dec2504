/** All functions and aggregations, by name. */
import { AGGREGATIONS } from './aggregations.ts'
import { ARRAY_FUNCTIONS } from './array-functions.ts'
import type { Call, Expr } from './ast.ts'
import type { Aggregation, Env, Functions } from './env.ts'
import { didYouMean, display, HogqlError } from './error.ts'
import { JSON_FUNCTIONS } from './json-functions.ts'
import { OPERATORS } from './operators.ts'
import { TEXT_FUNCTIONS } from './text-functions.ts'
import { TIME_FUNCTIONS } from './time-functions.ts'
import type { TypedSql } from './typed.ts'
import { VALUE_FUNCTIONS } from './value-functions.ts'

export const FUNCTIONS: Functions = {
  ...OPERATORS,
  ...VALUE_FUNCTIONS,
  ...TEXT_FUNCTIONS,
  ...TIME_FUNCTIONS,
  ...JSON_FUNCTIONS,
  ...ARRAY_FUNCTIONS,
}
export const FUNCTION_NAMES: readonly string[] = [...Object.keys(FUNCTIONS), ...Object.keys(AGGREGATIONS)]

/** The names that are case-insensitive, by their lower case. */
const ANY_CASE = new Map(
  `and or not coalesce ifNull nullIf isNull if round floor ceil length lower upper trim concat substring left right position
   replace reverse extract now count sum avg min max`
    .split(/\s+/)
    .map((name) => [name.toLowerCase(), name]),
)
const functions = new Map(Object.entries(FUNCTIONS))
const aggregations = new Map(Object.entries(AGGREGATIONS))

const find = <Entry>(table: ReadonlyMap<string, Entry>, name: string): Entry | undefined =>
  table.get(name) ?? table.get(ANY_CASE.get(name.toLowerCase()) ?? '')

/** The name of a function or aggregation in the tables, which ignore the case of some. */
export const tableName = (name: string): string => (isKnown(name) ? name : (ANY_CASE.get(name.toLowerCase()) ?? name))
const isKnown = (name: string): boolean => functions.has(name) || aggregations.has(name)

export const isAggregation = (name: string): boolean => find(aggregations, name) !== undefined

export function buildCall(call: Call, env: Env): TypedSql {
  const aggregation = find(aggregations, call.name)
  if (aggregation) return buildAggregation(call, aggregation, env)
  const fn = find(functions, call.name)
  if (!fn)
    throw new HogqlError(`Unknown function ${display(call.name)}.${didYouMean(call.name, FUNCTION_NAMES)}`, call.at)
  if (call.params) throw new HogqlError(`The function ${call.name} takes no parameters before its arguments.`, call.at)
  if (call.distinct) throw new HogqlError(`DISTINCT is only allowed in count.`, call.at)
  checkArity(call, fn, 'function')
  if (fn.buildRaw) return fn.buildRaw(call, env)
  const args = call.args.map((arg) => env.build(arg, env))
  return fn.build(args, call, env)
}

function buildAggregation(call: Call, aggregation: Aggregation, env: Env): TypedSql {
  const { at, name } = call
  if (env.aggregation)
    throw new HogqlError(`The aggregation ${name} cannot be used inside the aggregation ${env.aggregation}.`, at)
  if (env.names.size) throw new HogqlError(`The aggregation ${name} cannot be used inside a lambda.`, at)
  if (call.distinct && name.toLowerCase() !== 'count')
    throw new HogqlError(`DISTINCT is only allowed in count. Use uniq or groupUniqArray.`, at)
  checkArity(call, aggregation, 'aggregation')
  if (call.distinct && !call.args.length) throw new HogqlError(`count(DISTINCT …) needs an argument.`, at)
  const expected = aggregation.params ?? 0
  if ((call.params?.length ?? 0) !== expected)
    throw new HogqlError(
      expected
        ? `The aggregation ${name} needs a parameter before its arguments: ${name}(0.9)(x).`
        : `The aggregation ${name} takes no parameters before its arguments.`,
      at,
    )
  const inner = { ...env, aggregation: name }
  const build = (exprs: readonly Expr[]): TypedSql[] => exprs.map((expr) => env.build(expr, inner))
  return aggregation.build(build(call.args), null, call, build(call.params ?? []))
}

function checkArity({ name, at, args }: Call, { min, max }: { min: number; max: number }, kind: string): void {
  const count = args.length
  if (count >= min && count <= max) return
  const limit = count < min ? min : max
  const expected = min === max ? `${min}` : count < min ? `at least ${min}` : `at most ${max}`
  const noun = limit === 1 ? 'argument' : 'arguments'
  throw new HogqlError(`The ${kind} ${name} takes ${expected} ${noun}, but got ${count}.`, at)
}

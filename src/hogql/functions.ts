/** Every function there is, by name. */

import { AGGREGATIONS } from './aggregations.ts'
import { ARRAY_FUNCTIONS } from './array-functions.ts'
import type { Call } from './ast.ts'
import type { Aggregation, Env, Fn, Functions } from './env.ts'
import { didYouMean, HogqlError, shown } from './error.ts'
import { JSON_FUNCTIONS } from './json-functions.ts'
import { OPERATORS } from './operators.ts'
import { TEXT_FUNCTIONS } from './text-functions.ts'
import { TIME_FUNCTIONS } from './time-functions.ts'
import type { Typed } from './typed.ts'
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

const lookup = <Entry extends { anyCase?: boolean }>(
  table: Readonly<Record<string, Entry>>,
): ((name: string) => Entry | undefined) => {
  const exact = new Map(Object.entries(table))
  const loose = new Map(
    Object.entries(table)
      .filter(([, entry]) => entry.anyCase)
      .map(([name, entry]) => [name.toLowerCase(), entry]),
  )
  return (name) => exact.get(name) ?? loose.get(name.toLowerCase())
}
const findFunction = lookup<Fn>(FUNCTIONS)
const findAggregation = lookup<Aggregation>(AGGREGATIONS)

export function buildCall(call: Call, env: Env): Typed {
  const aggregation = findAggregation(call.name)
  if (aggregation) return aggregate(call, aggregation, env)
  const fn = findFunction(call.name)
  if (!fn)
    throw new HogqlError(
      `Unknown function ${shown(call.name)} at position ${call.at}.${didYouMean(call.name, FUNCTION_NAMES)}`,
      call.at,
    )
  if (call.params)
    throw new HogqlError(
      `The function ${call.name} at position ${call.at} takes no parameters before its arguments.`,
      call.at,
    )
  if (call.distinct) throw new HogqlError(`DISTINCT at position ${call.at} is only for count.`, call.at)
  counted(call, fn, 'function')
  return fn.buildRaw
    ? fn.buildRaw(call, env)
    : fn.build(
        call.args.map((arg) => env.build(arg, env)),
        call,
        env,
      )
}

function aggregate(call: Call, aggregation: Aggregation, env: Env): Typed {
  const { at, name } = call
  if (env.aggregation)
    throw new HogqlError(
      `The aggregation ${name} at position ${at} cannot stand inside the aggregation ${env.aggregation}.`,
      at,
    )
  if (env.names.size)
    throw new HogqlError(`The aggregation ${name} at position ${at} cannot stand inside a lambda.`, at)
  if (call.distinct && name.toLowerCase() !== 'count')
    throw new HogqlError(`DISTINCT at position ${at} is only for count. Use uniq or groupUniqArray.`, at)
  counted(call, aggregation, 'aggregation')
  if (call.distinct && !call.args.length)
    throw new HogqlError(`count(DISTINCT …) at position ${at} needs an argument.`, at)
  const wanted = aggregation.params ?? 0
  if ((call.params?.length ?? 0) !== wanted)
    throw new HogqlError(
      wanted
        ? `The aggregation ${name} at position ${at} needs a parameter before its arguments: ${name}(0.9)(x).`
        : `The aggregation ${name} at position ${at} takes no parameters before its arguments.`,
      at,
    )
  const inside = { ...env, aggregation: name }
  const build = (list: readonly Call['args'][number][]): Typed[] => list.map((arg) => env.build(arg, inside))
  return aggregation.build(build(call.args), null, call, build(call.params ?? []))
}

function counted({ name, at, args }: Call, { min, max }: { min: number; max: number }, kind: string): void {
  const found = args.length
  if (found >= min && found <= max) return
  const wanted = min === max ? `${min}` : found < min ? `at least ${min}` : `at most ${max}`
  const noun = (min === max || found < min ? min : max) === 1 ? 'argument' : 'arguments'
  throw new HogqlError(`The ${kind} ${name} at position ${at} needs ${wanted} ${noun}, but has ${found}.`, at)
}

/**
 * `npm run bench [-- name…]` runs the benchmarks, prints the medians and checks the limits. Limits compare variants of the
 * same run, since absolute times depend on the machine. Writes docs/performance.md, which keeps the results of benchmarks
 * that did not run.
 */

import type { Benchmark, Limit } from './benchmark.ts'
import { answers } from './benchmarks/answers.ts'
import { columnar } from './benchmarks/columnar.ts'
import { consolePages } from './benchmarks/console.ts'
import { firstPage, propertyFilter } from './benchmarks/event-queries.ts'
import { ingestion } from './benchmarks/events-in.ts'
import { memory } from './benchmarks/events-memory.ts'
import { exports } from './benchmarks/export.ts'
import { cloudWarehouses } from './benchmarks/export-cloud.ts'
import { warehouses } from './benchmarks/export-warehouses.ts'
import { growth } from './benchmarks/growth.ts'
import { isolation } from './benchmarks/isolation.ts'
import { mirror } from './benchmarks/mirror.ts'
import { plugins } from './benchmarks/plugins.ts'
import { postgres } from './benchmarks/postgres.ts'
import { questions } from './benchmarks/questions.ts'
import { signin } from './benchmarks/signin.ts'
import { idleMemory, processes } from './benchmarks/size.ts'
import { start } from './benchmarks/start.ts'
import { writes } from './benchmarks/writes.ts'
import { type LimitResult, type Outcome, record } from './report.ts'
import { percentile } from './workspace.ts'

const BENCHMARKS: Benchmark[] = [
  ...answers,
  ...writes,
  start,
  idleMemory,
  processes,
  ...growth,
  ingestion,
  firstPage,
  propertyFilter,
  questions,
  columnar,
  ...mirror,
  ...memory,
  ...isolation,
  ...signin,
  ...consolePages,
  ...plugins,
  ...exports,
  ...warehouses,
  ...cloudWarehouses,
  ...postgres,
]

const selected = process.argv.slice(2)
const names = [...new Set(BENCHMARKS.map(({ name }) => name))]
/** `events` selects `events.in` and the rest of its group. */
const selects = (argument: string, name: string): boolean => name === argument || name.startsWith(`${argument}.`)
const unknown = selected.filter((argument) => !names.some((name) => selects(argument, name)))
if (unknown.length) {
  console.error(`Unknown benchmark: ${unknown.join(', ')}. Use one of: ${names.join(', ')}.`)
  process.exit(2)
}

const median = (values: number[]): number => percentile(values, 0.5)

const outcomes: Outcome[] = []
const isSelected = (name: string): boolean =>
  selected.length === 0 || selected.some((argument) => selects(argument, name))

for (const benchmark of BENCHMARKS.filter(({ name }) => isSelected(name))) {
  const { name, description, unit = 'ms', missing } = benchmark
  console.log(`\n${name}: ${description}`)
  const results = await measure(benchmark)
  const width = Math.max(...[...results.keys()].map((variant) => variant.length))
  for (const [variant, list] of results)
    console.log(
      `  ${variant.padEnd(width)} ${median(list).toFixed(1).padStart(9)} ${unit}  (${Math.min(...list).toFixed(1)} to ${Math.max(...list).toFixed(1)}, ${list.length} rounds)`,
    )
  if (missing) console.log(`  not measured: ${missing}`)
  const medians = new Map([...results].map(([variant, list]) => [variant, median(list)]))
  const limits = benchmark.limits.map((limit) => check(limit, medians, unit))
  for (const { passed, text } of limits) console.log(`  ${passed ? 'ok  ' : 'FAIL'} ${text}`)
  outcomes.push({ name, description, unit, medians: Object.fromEntries(medians), limits, missing: missing ?? null })
}
const limits = outcomes.flatMap(({ name, limits }) => limits.map((limit) => ({ name, ...limit })))
const width = Math.max(...limits.map(({ name }) => name.length))
const failed = limits.filter(({ passed }) => !passed).length
console.log(`\n${limits.length - failed} passed, ${failed} failed`)
for (const { name, passed, text } of limits) console.log(`  ${passed ? 'ok  ' : 'FAIL'} ${name.padEnd(width)}  ${text}`)
record(outcomes, names)
// Exit explicitly: servers and connections shared by the benchmarks are still open.
process.exit(failed ? 1 : 0)

async function measure({ variants, rounds, setup }: Benchmark): Promise<Map<string, number[]>> {
  const teardown = await setup?.()
  const entries = Object.entries(variants).map(([name, run]) => ({ name, run, results: [] as number[] }))
  // The first round warms up caches and the JIT compiler. Its results are discarded.
  for (let round = 0; round <= rounds; round++)
    for (const { run, results } of entries) {
      const result = await run(round === 0)
      if (round > 0) results.push(result)
    }
  teardown?.()
  return new Map(entries.map(({ name, results }) => [name, results]))
}

function check(limit: Limit, medians: ReadonlyMap<string, number>, unit: string): LimitResult {
  const subject = medianOf(limit.subject)
  if ('most' in limit)
    return result(subject / limit.most, `${limit.subject} = ${subject.toFixed(1)} ${unit} (maximum ${limit.most})`)
  const against = medianOf(limit.against)
  if ('atMost' in limit) {
    const text = `${limit.subject} / ${limit.against} = ${(subject / against).toFixed(2)} (maximum ${limit.atMost})`
    return result(subject / against / limit.atMost, text)
  }
  if ('atLeast' in limit) {
    const speed = against / subject
    const text = `${limit.subject} is ${speed.toFixed(2)} times as fast as ${limit.against} (minimum ${limit.atLeast})`
    return result(limit.atLeast / speed, text)
  }
  const difference = subject - against
  const text = `${limit.subject} - ${limit.against} = ${difference.toFixed(1)} ${unit} (maximum difference ${limit.within})`
  return result(Math.abs(difference) / limit.within, text)

  function medianOf(variant: string): number {
    const value = medians.get(variant)
    if (value === undefined) throw new Error(`no variant is named ${variant}`)
    return value
  }
}

function result(used: number, text: string): LimitResult {
  return { passed: used <= 1, used, text }
}

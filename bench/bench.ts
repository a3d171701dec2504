/**
 * `npm run bench [-- trial…]`: runs the trials and prints what each took part with and which bars held. Bars are between
 * contestants of one run: a figure by itself tells about the machine. What was measured goes into docs/performance.md,
 * where the figures of trials that were not asked for stay.
 */
import { type Outcome, record } from './report.ts'
import type { Bar, Trial } from './trial.ts'
import { answers } from './trials/answers.ts'
import { firstPage, propertyFilter } from './trials/events-asked.ts'
import { ingestion } from './trials/events-in.ts'
import { memory } from './trials/events-memory.ts'
import { exports } from './trials/export.ts'
import { growth } from './trials/growth.ts'
import { isolation } from './trials/isolation.ts'
import { atRest, processes } from './trials/size.ts'
import { start } from './trials/start.ts'
import { writes } from './trials/writes.ts'
import { percentile } from './workspace.ts'

const TRIALS: Trial[] = [
  ...answers,
  ...writes,
  start,
  atRest,
  processes,
  ...growth,
  ingestion,
  firstPage,
  propertyFilter,
  ...memory,
  isolation,
  ...exports,
]

const asked = process.argv.slice(2)
const names = [...new Set(TRIALS.map(({ name }) => name))]
/** `events` asks for `events.in` and everything else of its group. */
const asksFor = (word: string, name: string): boolean => name === word || name.startsWith(`${word}.`)
const unknown = asked.filter((word) => !names.some((name) => asksFor(word, name)))
if (unknown.length) {
  console.error(`There is no trial ${unknown.join(', ')}. There are: ${names.join(', ')}.`)
  process.exit(2)
}

const median = (figures: number[]): number => percentile(figures, 0.5)

const outcomes: Outcome[] = []
for (const trial of TRIALS.filter(({ name }) => asked.length === 0 || asked.some((word) => asksFor(word, name)))) {
  const { name, why, unit = 'ms', absent } = trial
  console.log(`\n${name}: ${why}`)
  const figures = await figuresOf(trial)
  const width = Math.max(...[...figures.keys()].map((who) => who.length))
  for (const [who, list] of figures)
    console.log(
      `  ${who.padEnd(width)} ${median(list).toFixed(1).padStart(9)} ${unit}  (${Math.min(...list).toFixed(1)} to ${Math.max(...list).toFixed(1)}, ${list.length} rounds)`,
    )
  if (absent) console.log(`  not measured: ${absent}`)
  const medians = Object.fromEntries([...figures].map(([who, list]) => [who, median(list)]))
  const bars = trial.bars.map((bar) => judged(bar, medians, unit))
  for (const { held, text } of bars) console.log(`  ${held ? 'ok  ' : 'MISS'} ${text}`)
  outcomes.push({ name, why, unit, medians, bars, absent: absent ?? null })
}
const bars = outcomes.flatMap(({ name, bars }) => bars.map((bar) => ({ name, ...bar })))
const width = Math.max(...bars.map(({ name }) => name.length))
console.log(`\n${bars.filter(({ held }) => held).length} of ${bars.length} bars held`)
for (const { name, held, text } of bars) console.log(`  ${held ? 'ok  ' : 'MISS'} ${name.padEnd(width)}  ${text}`)
record(outcomes, names)
// Servers and connections that trials share stay open until here.
process.exit(outcomes.some(({ bars }) => bars.some(({ held }) => !held)) ? 1 : 0)

async function figuresOf({ contestants, rounds, setup }: Trial): Promise<Map<string, number[]>> {
  const teardown = await setup?.()
  const figures = new Map(Object.keys(contestants).map((name) => [name, [] as number[]]))
  // The first round warms caches and compilers, and is not counted.
  for (let round = 0; round <= rounds; round++)
    for (const [name, run] of Object.entries(contestants)) {
      const figure = await run(round === 0)
      if (round > 0) figures.get(name)!.push(figure)
    }
  teardown?.()
  return figures
}

/** `used` is how much of what is allowed was needed: 1 is the bar. */
function judged(bar: Bar, medians: Record<string, number>, unit: string): Outcome['bars'][number] {
  const subject = medians[bar.subject]!
  if ('most' in bar)
    return verdict(subject / bar.most, `${bar.subject} = ${subject.toFixed(1)} ${unit}, at most ${bar.most}`)
  const against = medians[bar.against]!
  if ('atMost' in bar) {
    const text = `${bar.subject} / ${bar.against} = ${(subject / against).toFixed(2)}, at most ${bar.atMost}`
    return verdict(subject / against / bar.atMost, text)
  }
  if ('atLeast' in bar) {
    const speed = against / subject
    const text = `${bar.subject} is ${speed.toFixed(2)} times as fast as ${bar.against}, at least ${bar.atLeast}`
    return verdict(bar.atLeast / speed, text)
  }
  const difference = subject - against
  const text = `${bar.subject} - ${bar.against} = ${difference.toFixed(1)} ${unit}, within ${bar.within}`
  return verdict(Math.abs(difference) / bar.within, text)
}

function verdict(used: number, text: string): Outcome['bars'][number] {
  return { held: used <= 1, used, text }
}

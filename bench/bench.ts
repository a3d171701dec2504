/**
 * `npm run bench [-- trial…]`: runs the trials and prints what each took part with and which bars held. Bars are between
 * contestants of one run: a figure by itself tells about the machine.
 */
import type { Bar, Trial } from './trial.ts'
import { firstPage, propertyFilter } from './trials/events-asked.ts'
import { ingestion } from './trials/events-in.ts'
import { memory } from './trials/events-memory.ts'
import { exports } from './trials/export.ts'
import { isolation } from './trials/isolation.ts'
import { start } from './trials/start.ts'
import { percentile } from './workspace.ts'

const TRIALS: Trial[] = [start, ingestion, firstPage, propertyFilter, ...memory, isolation, ...exports]

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

let missed = false
for (const trial of TRIALS.filter(({ name }) => asked.length === 0 || asked.some((word) => asksFor(word, name)))) {
  console.log(`\n${trial.name}: ${trial.why}`)
  const figures = await figuresOf(trial)
  const width = Math.max(...[...figures.keys()].map((name) => name.length))
  for (const [name, list] of figures)
    console.log(
      `  ${name.padEnd(width)} ${median(list).toFixed(1).padStart(9)} ${trial.unit ?? 'ms'}  (${Math.min(...list).toFixed(1)} to ${Math.max(...list).toFixed(1)}, ${list.length} rounds)`,
    )
  for (const bar of trial.bars) {
    const { held, text } = judged(bar, median(figures.get(bar.subject)!), median(figures.get(bar.against)!), trial)
    console.log(`  ${held ? 'ok  ' : 'MISS'} ${text}`)
    if (!held) missed = true
  }
}
// Servers and connections that trials share stay open until here.
process.exit(missed ? 1 : 0)

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

function judged(bar: Bar, subject: number, against: number, { unit = 'ms' }: Trial): { held: boolean; text: string } {
  if ('atMost' in bar) {
    const ratio = subject / against
    const text = `${bar.subject} / ${bar.against} = ${ratio.toFixed(2)}, at most ${bar.atMost}`
    return { held: ratio <= bar.atMost, text }
  }
  const difference = subject - against
  const text = `${bar.subject} - ${bar.against} = ${difference.toFixed(1)} ${unit}, within ${bar.within}`
  return { held: Math.abs(difference) <= bar.within, text }
}

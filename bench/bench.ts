/** `npm run bench [-- trial…]`: runs the trials and prints one table of ratios. Ratios are judged, milliseconds are not. */
import type { Trial } from './trial.ts'
import { events } from './trials/events.ts'
import { start } from './trials/start.ts'

const TRIALS: Trial[] = [start, events]

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !TRIALS.some((trial) => trial.name === name))
if (unknown.length) {
  console.error(`There is no trial ${unknown.join(', ')}. There are: ${TRIALS.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!

for (const trial of TRIALS.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
  console.log(`\n${trial.name}: ${trial.why}`)
  const teardown = await trial.setup?.()
  const times = new Map(Object.keys(trial.contestants).map((name) => [name, [] as number[]]))
  // The first round warms the disk cache and is not counted.
  for (let round = 0; round <= trial.rounds; round++)
    for (const [name, run] of Object.entries(trial.contestants)) {
      const milliseconds = await run()
      if (round > 0) times.get(name)!.push(milliseconds)
    }
  await teardown?.()
  for (const [name, list] of times)
    console.log(
      `  ${name.padEnd(24)} ${median(list).toFixed(1).padStart(9)} ms  (${Math.min(...list).toFixed(1)} to ${Math.max(...list).toFixed(1)}, ${list.length} rounds)`,
    )
  for (const { subject, against, atMost } of trial.bars) {
    const ratio = median(times.get(subject)!) / median(times.get(against)!)
    const held = ratio <= atMost
    console.log(`  ${held ? 'ok  ' : 'MISS'} ${subject} / ${against} = ${ratio.toFixed(2)}, at most ${atMost}`)
    if (!held) process.exitCode = 1
  }
}

/** A server whose clock is ahead of the machine's by the milliseconds in a file: a test moves the time as it runs. */
import { readFileSync } from 'node:fs'
import { readConfig } from '../../src/config.ts'
import { startServer, stopOnSignals } from '../../src/main.ts'

const READ_EVERY_MS = 50

let ahead = 0
let read_at = Number.NEGATIVE_INFINITY
const clock = (): number => {
  const machine = Date.now()
  if (machine - read_at >= READ_EVERY_MS) {
    ahead = Number(readFileSync(process.env.CLOCK_FILE!, 'utf8'))
    read_at = machine
  }
  return machine + ahead
}

const config = { ...readConfig(process.env), PORT: 0 }
const running = await startServer({ config, clock })
stopOnSignals(running, config.SHUTDOWN_SECONDS)
console.log(JSON.stringify({ url: running.url, ...running.first }))

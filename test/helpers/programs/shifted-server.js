/**
 * Starts the server of the module named by the first argument. Its clock is ahead by the milliseconds in CLOCK_FILE, which
 * a test changes while the server runs.
 */
import { readFileSync } from 'node:fs'

const { readConfig, startServer, stopOnSignals } = await import(process.argv[2])

const READ_EVERY_MS = 50

let ahead = 0
let read_at = Number.NEGATIVE_INFINITY
const clock = () => {
  const machine = Date.now()
  if (machine - read_at >= READ_EVERY_MS) {
    ahead = Number(readFileSync(process.env.CLOCK_FILE, 'utf8'))
    read_at = machine
  }
  return machine + ahead
}

const config = { ...readConfig(process.env), PORT: 0 }
const running = await startServer({ config, clock })
stopOnSignals(running, config)
console.log(JSON.stringify({ url: running.url, ...running.first }))

/**
 * A server whose clock is ahead of the machine's by the milliseconds in a file: a test moves the time as it runs. The
 * program that is named, as it is shipped, and so written for Node as it is.
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

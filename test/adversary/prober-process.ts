/** Asks a server's `/health/live` without end and reports how long the slowest probe took. */
import { Agent, get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

/** What the parent sends: begin with another server, or report what was slowest since the last report. */
export type ProberMessage = { url: string } | { report: number }
export interface ProberReport {
  report: number
  slowest_ms: number
  /** Of a probe that was refused or reset. */
  failure: string | null
}

const PAUSE_MS = 2
/** A probe that takes longer is reported while it is still under way. */
const HOPELESS_MS = 15_000

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let url: string | undefined
let began: number | undefined
let finished = 0
let slowest_ms = 0
let failure: string | null = null

const probe = (at: string): Promise<void> =>
  new Promise((resolve, reject) => {
    get(`${at}/health/live`, { agent }, (response) => {
      response.resume()
      response.on('error', reject)
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`/health/live answered ${response.statusCode}`)),
      )
    }).on('error', reject)
  })

process.on('message', async (message: ProberMessage) => {
  if ('url' in message) {
    url = message.url
    return
  }
  // The probe under way may wait for the answer, the one after it for what the answer left behind.
  const wanted = finished + 2
  while (finished < wanted && !failure && !(began !== undefined && performance.now() - began > HOPELESS_MS))
    await pause(1)
  if (began !== undefined) slowest_ms = Math.max(slowest_ms, performance.now() - began)
  const reply: ProberReport = { report: message.report, slowest_ms, failure }
  slowest_ms = 0
  failure = null
  process.send!(reply)
})

for (;;) {
  await pause(PAUSE_MS)
  if (url === undefined) continue
  const asked = url
  began = performance.now()
  try {
    await probe(asked)
    slowest_ms = Math.max(slowest_ms, performance.now() - began)
  } catch (error) {
    if (asked === url) failure = (error as Error).message
    url = undefined
  }
  began = undefined
  finished++
}

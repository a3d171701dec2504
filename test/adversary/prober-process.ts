/** Calls `/health/live` continuously and reports the slowest response. */
import { Agent, get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

/** Sent by the parent: the URL of another server, or a request for a report. */
export type ProberMessage = { url: string } | { report: number }
export interface ProberReport {
  report: number
  slowest_ms: number
  /** The error of a failed probe. */
  failure: string | null
}

const PAUSE_MS = 2
/** A slower probe is reported while it is still in progress. */
const GIVE_UP_MS = 15_000

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let url: string | undefined
let startedAt: number | undefined
let finished = 0
let slowest_ms = 0
let failure: string | null = null

const probe = (at: string): Promise<void> =>
  new Promise((resolve, reject) => {
    get(`${at}/health/live`, { agent }, (response) => {
      response.resume()
      response.on('error', reject)
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`/health/live returned ${response.statusCode}`)),
      )
    }).on('error', reject)
  })

process.on('message', async (message: ProberMessage) => {
  if ('url' in message) {
    url = message.url
    return
  }
  // Waits for two probes: the current one may be delayed by the attack, the next one by its aftermath.
  const target = finished + 2
  while (finished < target && !failure && !(startedAt !== undefined && performance.now() - startedAt > GIVE_UP_MS))
    await pause(1)
  if (startedAt !== undefined) slowest_ms = Math.max(slowest_ms, performance.now() - startedAt)
  const reply: ProberReport = { report: message.report, slowest_ms, failure }
  slowest_ms = 0
  failure = null
  process.send?.(reply)
})

for (;;) {
  await pause(PAUSE_MS)
  if (url === undefined) continue
  const probed = url
  startedAt = performance.now()
  try {
    await probe(probed)
    slowest_ms = Math.max(slowest_ms, performance.now() - startedAt)
  } catch (error) {
    if (probed === url) failure = (error as Error).message
    url = undefined
  }
  startedAt = undefined
  finished++
}

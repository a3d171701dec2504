/** Exports of a real server with destinations on loopback, for the tests of the console. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import type { Console } from '../programs/console.ts'

export const ENVIRONMENT = { OUTBOUND_ALLOW: '127.0.0.1/32' }
export const HOUR_MS = 3_600_000

/** Fixed, so that an hour that ends during a test changes no window. */
const NOW = Date.now()

export const hoursAgo = (hours: number): string => new Date(NOW - hours * HOUR_MS).toISOString()

/** The start of the current hour, or of an hour before it. */
export const hourStart = (hours = 0): string =>
  new Date(Math.floor(NOW / HOUR_MS) * HOUR_MS - hours * HOUR_MS).toISOString()

/** No scheduled run disturbs a test before this time. */
export const LATER = hoursAgo(-23)

export const exportsPath = ({ project }: Console) => `/api/projects/${project}/batch_exports/` as const

export const createExport = (
  console: Console,
  name: string,
  more: object = {},
): Promise<{ id: string; name: string }> =>
  console.api('POST', exportsPath(console), {
    name,
    interval: 'hour',
    destination: { type: 'NoOp' },
    start_at: LATER,
    ...more,
  })

/** Starts a backfill that ends with the last hour, one run per hour. */
export const backfill = (console: Console, { id }: { id: string }, hours = 1): Promise<unknown> =>
  console.api('POST', `${exportsPath(console)}${id}/backfill/`, { start_at: hourStart(hours), end_at: hourStart() })

/** Waits until this many runs have ended. */
export async function runsOf(console: Console, { id }: { id: string }, ended: number) {
  for (;;) {
    const { results } = await console.api('GET', `${exportsPath(console)}${id}/runs/`)
    if (results.filter((run) => run.finished_at !== null).length >= ended) return results
    await pause(50)
  }
}

/** A server that answers a request only when the test allows it. */
export interface Peer {
  url: string
  /** The status of the next responses. */
  status: number
  /** Answers this many requests, waiting or future ones. */
  release(requests: number): void
}

export async function openPeer(t: Test): Promise<Peer> {
  const waiting: ServerResponse[] = []
  let allowed = 0
  const respond = (): void => {
    for (; allowed > 0 && waiting.length; allowed--) waiting.shift()?.writeHead(peer.status).end()
  }
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      waiting.push(response)
      respond()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const peer: Peer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/batch/`,
    status: 200,
    release: (requests) => {
      allowed += requests
      respond()
    },
  }
  return peer
}

export const httpExport = ({ url }: Peer): object => ({
  destination: { type: 'HTTP', config: { url, token: 'phc_token' } },
})

export const dialog = (page: Page): Locator => page.getByRole('dialog')

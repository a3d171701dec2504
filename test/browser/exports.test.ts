/** Exports in the console: list, one export, its runs and log, and the form, against real destinations on loopback. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { type Console, openConsole } from '../helpers/console.ts'

const ENVIRONMENT = { OUTBOUND_ALLOW: '127.0.0.1/32' }
const HOUR_MS = 3_600_000

const hoursAgo = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString()

/** The start of the current hour, and an hour before it. */
const hourStart = (hours = 0): string =>
  new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - hours * HOUR_MS).toISOString()

const exportsPath = ({ project }: Console): string => `/api/projects/${project}/batch_exports/`

const createExport = ({ api, ...console }: Console, name: string, more: object = {}): Promise<{ id: string }> =>
  api('POST', exportsPath(console as Console), { name, interval: 'hour', destination: { type: 'NoOp' }, ...more })

/** A server that answers a request only when the test says so. */
interface Peer {
  url: string
  /** Answers this many requests, also future ones. */
  release(requests: number): void
}

async function openPeer(t: Test, status = 200): Promise<Peer> {
  const waiting: ServerResponse[] = []
  let allowed = 0
  const answer = (): void => {
    while (allowed > 0 && waiting.length) {
      allowed--
      waiting.shift()?.writeHead(status).end()
    }
  }
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      waiting.push(response)
      answer()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/batch/`,
    release: (requests) => {
      allowed += requests
      answer()
    },
  }
}

const httpExport = ({ url }: Peer) => ({ destination: { type: 'HTTP', config: { url, token: 'phc_token' } } })

/** Starts a backfill of the hour before the current one: one run. */
const runOnce = ({ api, ...console }: Console, { id }: { id: string }, hours = 1): Promise<unknown> =>
  api('POST', `${exportsPath(console as Console)}${id}/backfill/`, { start_at: hourStart(hours), end_at: hourStart() })

async function untilEnded({ api, ...console }: Console, { id }: { id: string }): Promise<any[]> {
  for (;;) {
    const { results } = await api('GET', `${exportsPath(console as Console)}${id}/runs/`)
    if (results.length && results.every((run: any) => run.finished_at !== null)) return results
    await once(new EventTarget() as never, 'never', { signal: AbortSignal.timeout(100) }).catch(() => undefined)
  }
}

const dialog = (page: Page) => page.getByRole('dialog')

for (const engine of ['sqlite', 'postgres'] as const)
  t.test(`creates an export, backfills it and shows the rows of its runs (${engine})`, async (t) => {
    const console = await openConsole(t, engine, ENVIRONMENT)
    const { open, capture, inspect, home } = console
    await capture([1, 1, 2, 5].map((hours, i) => ({ event: `seen ${i}`, timestamp: hoursAgo(hours + 0.5) })))
    const page = await open(`${home}/exports`)
    await page.getByRole('heading', { name: 'No exports yet' }).waitFor()
    if (engine === 'sqlite') await inspect(page, 'exports-empty')
    await page.getByRole('link', { name: 'Create export' }).click()
    await page.waitForURL(/\/exports\/new/)
    if (engine === 'sqlite') await inspect(page, 'exports-new-type')
    await page.getByRole('link', { name: /Files on the server/ }).click()
    await page.waitForURL(/type=File/)
    await page.getByLabel('Name', { exact: true }).fill('Nightly files')
    await page.getByRole('button', { name: 'Test connection' }).click()
    const steps = page.getByRole('list', { name: 'Steps of the connection test' })
    await steps.getByRole('listitem').first().waitFor()
    t.match(await steps.innerText(), /Passed/)
    if (engine === 'sqlite') await inspect(page, 'exports-new-form')
    await page.getByRole('button', { name: 'Create export' }).click()
    await page.getByRole('heading', { level: 1, name: 'Nightly files' }).waitFor()

    await page.getByRole('button', { name: 'Backfill' }).click()
    await dialog(page).getByText('This creates 24 runs').waitFor()
    if (engine === 'sqlite') await inspect(page, 'exports-backfill')
    await dialog(page).getByRole('button', { name: 'Start backfill' }).click()
    await page.getByRole('region', { name: 'Backfill' }).getByText('24 of 24 runs').waitFor({ timeout: 60_000 })
    await page.getByRole('img', { name: /24 ended runs: 4 rows delivered, 0 failed/ }).waitFor()
    if (engine === 'sqlite') await inspect(page, 'exports-overview')

    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByText('24 windows, 24 runs').waitFor()
    const rows = await page.getByRole('cell', { name: /^\d+ rows?$/ }).allInnerTexts()
    t.equal(
      rows.reduce((sum, text) => sum + Number.parseInt(text, 10), 0),
      4,
      'each event is in one run',
    )
  })

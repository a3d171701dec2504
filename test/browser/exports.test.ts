/** Exports in the console: list, one export, its runs and log, and the form, against real destinations on loopback. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { type Console, openConsole } from '../helpers/console.ts'

const ENVIRONMENT = { OUTBOUND_ALLOW: '127.0.0.1/32' }
const HOUR_MS = 3_600_000

const hoursAgo = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString()

/** The start of the current hour, and an hour before it. */
const hourStart = (hours = 0): string =>
  new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - hours * HOUR_MS).toISOString()

const exportsPath = ({ project }: Console): string => `/api/projects/${project}/batch_exports/`

const createExport = (console: Console, name: string, more: object = {}): Promise<{ id: string; name: string }> =>
  console.api('POST', exportsPath(console), { name, interval: 'hour', destination: { type: 'NoOp' }, ...more })

/** Starts a backfill that ends with the last hour, one run per hour. */
const backfill = (console: Console, { id }: { id: string }, hours = 1): Promise<unknown> =>
  console.api('POST', `${exportsPath(console)}${id}/backfill/`, { start_at: hourStart(hours), end_at: hourStart() })

/** Waits until this many runs have ended. */
async function runsOf(console: Console, { id }: { id: string }, ended: number): Promise<any[]> {
  for (;;) {
    const { results } = await console.api('GET', `${exportsPath(console)}${id}/runs/`)
    if (results.filter((run: any) => run.finished_at !== null).length >= ended) return results
    await pause(50)
  }
}

/** A server that answers a request only when the test allows it. */
interface Peer {
  url: string
  /** The status of the next responses. */
  status: number
  /** Answers this many requests, waiting or future ones. */
  release(requests: number): void
}

async function openPeer(t: Test): Promise<Peer> {
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

const httpExport = ({ url }: Peer): object => ({ destination: { type: 'HTTP', config: { url, token: 'phc_token' } } })

const dialog = (page: Page): Locator => page.getByRole('dialog')

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
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Nightly files')
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
    await dialog(page).getByRole('button', { name: 'Start (UTC)' }).click()
    await page.getByRole('button', { name: 'Apply start' }).waitFor()
    if (engine === 'sqlite') await inspect(page, 'exports-calendar')
    await page.getByRole('button', { name: 'Apply start' }).click()
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

t.test('lists exports with state, next run, bars and errors, and finds them by name', async (t) => {
  const console = await openConsole(t, 'sqlite', ENVIRONMENT)
  const { open, capture, api, inspect, home } = console
  await capture(Array.from({ length: 12 }, (_, i) => ({ event: 'seen', timestamp: hoursAgo((i % 3) + 1.2) })))
  const peer = await openPeer(t)
  peer.status = 401
  peer.release(1_000)
  const failing = await createExport(console, 'To the warehouse', httpExport(peer))
  const healthy = await createExport(console, 'Five minutes', { interval: 'every 5 minutes' })
  const paused = await createExport(console, 'Paused files', {
    destination: { type: 'File', config: { prefix: 'events/{year}' } },
  })
  const ended = await createExport(console, 'Ended last year', { start_at: hoursAgo(48), end_at: hoursAgo(24) })
  await api('POST', `${exportsPath(console)}${paused.id}/pause/`, {})
  await backfill(console, failing)
  await api('POST', `${exportsPath(console)}${healthy.id}/backfill/`, { start_at: hourStart(1), end_at: hourStart() })
  await runsOf(console, failing, 1)
  const [run] = await runsOf(console, healthy, 12)

  const page = await open(`${home}/exports`)
  const rowOf = (name: string): Locator =>
    page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })
  await rowOf('To the warehouse').getByText('Failing').waitFor()
  t.match(await rowOf('To the warehouse').innerText(), /The server answered 401/)
  t.match(await rowOf('Five minutes').innerText(), /Scheduled[\s\S]*Every 5 minutes[\s\S]*Next run in/)
  t.match(await rowOf('Paused files').innerText(), /events\/\{year\}[\s\S]*Paused[\s\S]*No next run while paused/)
  t.match(await rowOf(ended.name).innerText(), /Ended[\s\S]*No further runs/)
  const bars = rowOf('Five minutes').getByRole('link', { name: /^Completed, \d+ rows?, .*, window / })
  t.equal(await bars.count(), 10)
  await inspect(page, 'exports-list')

  await t.test('opens the run of a bar by keyboard', async (t) => {
    await bars.last().focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`tab=runs&run=${run.id}`))
    await page.getByRole('button', { name: 'Copy run id' }).waitFor()
    await page.goBack()
    await rowOf('Five minutes').waitFor()
    t.match(page.url(), /\/exports$/)
  })

  await t.test('says how late an export is', async () => {
    await page.clock.setFixedTime(Date.now() + 2 * HOUR_MS)
    await page.reload()
    await rowOf('Five minutes').getByText('Late').waitFor()
    await rowOf('Five minutes')
      .getByText(/by 1 h 5\d min|by 2 h/)
      .waitFor()
    await rowOf('Paused files').getByText('Paused', { exact: true }).waitFor()
  })

  await t.test('keeps search and page in the URL', async (t) => {
    for (let i = 0; i < 60; i++) await createExport(console, `Export ${i}`)
    await page.reload()
    await page.getByText('64 exports').waitFor()
    await page.getByRole('button', { name: 'Page 2' }).click()
    await page.waitForURL(/page=2/)
    await rowOf('To the warehouse').waitFor()
    await page.reload()
    await rowOf('To the warehouse').waitFor()
    await page.getByRole('searchbox', { name: 'Search exports by name' }).fill('export 59')
    await page.waitForURL(/search=export/)
    await page.getByText('1 export', { exact: true }).waitFor()
    t.equal(await page.getByRole('row').count(), 2, 'the heading and one export')
    await page.reload()
    await page.getByText('1 export', { exact: true }).waitFor()
    await page.getByRole('searchbox').fill('nothing like this')
    await page.getByRole('button', { name: 'Clear search' }).click()
    await page.getByText('64 exports').waitFor()
  })
})

t.test('shows live progress, cancels, retries and groups the attempts of a window', async (t) => {
  const console = await openConsole(t, 'sqlite', ENVIRONMENT)
  const { open, capture, api, inspect, home } = console
  for (let batch = 0; batch < 4; batch++)
    await capture(Array.from({ length: 5_000 }, () => ({ event: 'seen', timestamp: hourStart(1) })))
  const peer = await openPeer(t)
  const row = await createExport(console, 'Slow server', httpExport(peer))
  await backfill(console, row)
  const page = await open(`${home}/exports/${row.id}`)
  const progress = page.getByRole('region', { name: 'Run in progress' })
  await progress.getByText(/of 20,000 rows|counting/).waitFor()

  await t.test('the rows grow while the run works', async (t) => {
    const seen: number[] = []
    for (let i = 0; i < 2; i++) {
      peer.release(1)
      const before = seen.at(-1) ?? 0
      await page.waitForFunction(
        (rows) => {
          const text = document.querySelector('[aria-label="Run in progress"]')?.textContent ?? ''
          return Number(/([\d,]+) of 20,000 rows/.exec(text)?.[1]?.replaceAll(',', '') ?? 0) > rows
        },
        before,
        { polling: 100 },
      )
      const text = await progress.innerText()
      seen.push(Number(/([\d,]+) of/.exec(text)?.[1]?.replaceAll(',', '')))
    }
    t.ok(seen[1]! > seen[0]!)
    await inspect(page, 'exports-progress')
  })

  await t.test('a cancelled run is "cancelling" until the server has cancelled it', async (t) => {
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await dialog(page)
      .getByText(/The export of the window .* stops/)
      .waitFor()
    await inspect(page, 'exports-cancel')
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    const { results } = await api('GET', `${exportsPath(console)}${row.id}/runs/`)
    t.equal(results[0].status, 'Running', 'Escape changes nothing')

    const requested = Promise.withResolvers<void>()
    await page.route('**/cancel/', async (route) => {
      await requested.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await dialog(page).getByRole('button', { name: 'Cancel run' }).click()
    await page.getByText('Cancelling').waitFor()
    requested.resolve()
    await page.getByRole('cell', { name: /Cancelled/ }).waitFor()
    t.equal(await page.getByText('Cancelling').count(), 0)
  })

  await t.test('requests stop when no run is active', async (t) => {
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('Last run').waitFor()
    let requests = 0
    page.on('request', (request) => {
      if (request.url().endsWith(`/${row.id}/`)) requests++
    })
    await pause(2_500)
    t.equal(requests, 0)
  })

  await t.test('a retry is another attempt of the same window', async (t) => {
    peer.release(100)
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByRole('button', { name: 'Retry' }).click()
    await dialog(page)
      .getByText(/The events of the window .* are exported again/)
      .waitFor()
    await dialog(page).getByRole('button', { name: 'Retry run' }).click()
    await page.getByText('1 window, 2 runs').waitFor()
    await page.getByText('2 attempts').waitFor()
    await page.getByRole('cell', { name: /^Completed/ }).waitFor()
    await page.getByRole('cell', { name: '20,000 rows' }).waitFor()
    await page.getByRole('button', { name: /^Details of the window/ }).click()
    await page.getByText(/Delivered 20000 events/).waitFor()
    await inspect(page, 'exports-runs')
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Failed' }).click()
    await page.getByText('No run on this page has this status.').waitFor()
    t.match(page.url(), /status=failed/)
    await page.goBack()
    t.equal(await page.getByRole('button', { name: /^Attempt/ }).count(), 2)
  })

  await t.test('a copied link opens the run in another browser', async () => {
    await page.getByRole('button', { name: /^Attempt 1: Cancelled/ }).click()
    await page.getByText('The run was cancelled.').waitFor()
    await page.getByRole('button', { name: 'Copy link to the run' }).click()
    const link = await page.evaluate<string>('navigator.clipboard.readText()')
    const other = await open(link, { width: 'phone' })
    await other.getByText('The run was cancelled.').waitFor()
    await page.goBack()
    await page.getByText(/Delivered 20000 events/).waitFor()
  })
})

t.test('pauses and unpauses, and turns back if the server fails', async (t) => {
  const console = await openConsole(t, 'sqlite', ENVIRONMENT)
  const { open, api, inspect, member, home } = console
  const row = await createExport(console, 'Hourly')
  const page = await open(`${home}/exports/${row.id}`)
  const state = page.getByRole('status').filter({ hasText: /Scheduled|Paused/ })

  await t.test('a failed pause turns back and says so', async () => {
    const answered = Promise.withResolvers<void>()
    await page.route('**/pause/', async (route) => {
      await answered.promise
      await route.fulfill({
        status: 503,
        json: { type: 'server_error', code: 'error', detail: 'Retry later.', attr: null },
      })
    })
    await page.getByRole('button', { name: 'Pause' }).click()
    await dialog(page).getByText('A run in progress continues').waitFor()
    await dialog(page).getByRole('button', { name: 'Pause export' }).click()
    // The server has not answered yet.
    await page.getByRole('region', { name: 'Pause' }).waitFor()
    answered.resolve()
    await page.getByText('The export was not paused').waitFor()
    await state.getByText('Scheduled').waitFor()
    await page.unroute('**/pause/')
  })

  await t.test('the banner says who paused and when', async () => {
    await page.getByRole('button', { name: 'Pause' }).click()
    await dialog(page).getByRole('button', { name: 'Pause export' }).click()
    await page
      .getByRole('region', { name: 'Pause' })
      .getByText(/Paused just now by Olivia/)
      .waitFor()
    await page.getByText('No next run while paused').waitFor()
    await inspect(page, 'exports-paused')
  })

  await t.test('a member sees the banner without a name', async (t) => {
    await member('mia@example.com', 1)
    const other = await open(`${home}/exports/${row.id}`, { email: 'mia@example.com' })
    const banner = other.getByRole('region', { name: 'Pause' })
    await banner.waitFor()
    t.notMatch(await banner.innerText(), /Olivia/)
    t.match(await banner.innerText(), /No runs are scheduled/)
  })

  await t.test('unpausing asks what happens to the events of the pause', async () => {
    await page.getByRole('button', { name: 'Unpause' }).click()
    await dialog(page).getByRole('radio', { name: 'Export them too' }).waitFor()
    await inspect(page, 'exports-unpause')
    await dialog(page).getByRole('radio', { name: 'Skip them' }).check()
    await dialog(page).getByRole('button', { name: 'Unpause export' }).click()
    await state.getByText('Scheduled').waitFor()
    await page.getByText(/Next run in/).waitFor()
    await page.getByRole('link', { name: 'Log', exact: true }).click()
    await page.getByText('Events that arrived during the pause are not delivered.').waitFor()
  })

  await t.test('deleting needs the name', async (t) => {
    await page.getByRole('button', { name: 'Delete' }).click()
    const confirm = dialog(page).getByRole('button', { name: 'Delete export' })
    t.ok(await confirm.isDisabled())
    await dialog(page).getByLabel('Type "Hourly" to confirm').fill('Hourly')
    await confirm.click()
    await page.getByRole('heading', { name: 'No exports yet' }).waitFor()
    t.equal((await api('GET', exportsPath(console))).count, 0)
  })
})

t.test('follows a log, filters it and downloads it', async (t) => {
  const console = await openConsole(t, 'sqlite', ENVIRONMENT)
  const { open, inspect, home } = console
  const row = await createExport(console, 'Many lines', { interval: 'every 5 minutes' })
  await backfill(console, row, 3)
  await runsOf(console, row, 36)
  const page = await open(`${home}/exports/${row.id}?tab=logs`)
  const log = page.getByRole('log')
  const end = (): Promise<number> => log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight)
  await log.getByText(/The backfill .* is complete/).waitFor()
  t.ok((await end()) < 2, 'the end is in view')
  await inspect(page, 'exports-log')

  await log.evaluate((box) => {
    box.scrollTop = 0
  })
  await page.getByRole('button', { name: 'Jump to end' }).waitFor()
  await backfill(console, row, 4)
  await page.getByRole('button', { name: 'Jump to end' }).waitFor()
  await log
    .getByText(/The backfill .* is complete/)
    .nth(1)
    .waitFor({ timeout: 30_000 })
  t.equal(await log.evaluate((box) => box.scrollTop), 0, 'new lines do not move a reader')
  await page.getByRole('button', { name: 'Jump to end' }).click()
  t.ok((await end()) < 2)

  await page.getByRole('searchbox', { name: 'Text' }).fill('the backfill')
  await page.waitForURL(/text=the/)
  await page.getByText('4 lines').waitFor()
  await page.reload()
  await page.getByText('4 lines').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download lines' }).click(),
  ])
  const lines = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\n')
  t.equal(lines.length, 4)
  t.ok(lines.every((line) => line.includes('INFO The backfill from')))
  await page.getByRole('combobox', { name: 'Level' }).click()
  await page.getByRole('option', { name: 'Errors only' }).click()
  await page.getByText('No log lines match.').waitFor()
  t.match(page.url(), /level=ERROR/)
})

t.test('the form shows errors at their field, tests the connection and keeps secrets', async (t) => {
  const console = await openConsole(t, 'sqlite', ENVIRONMENT)
  const { open, api, capture, inspect, organization, home } = console
  await capture([{ event: 'signed up', timestamp: hoursAgo(0.1) }])
  const peer = await openPeer(t)
  peer.release(1_000)
  const page = await open(`${home}/exports/new?type=HTTP`)
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('To a server')
  await page.getByRole('textbox', { name: 'URL' }).fill('http://10.1.2.3/batch/')
  await page.getByLabel('Token').fill('phc_secret_token')
  await page.getByRole('button', { name: 'Create export' }).click()
  const url = page.getByRole('textbox', { name: 'URL' })
  await page.locator('[aria-invalid="true"]').waitFor()
  t.equal(await url.getAttribute('aria-invalid'), 'true', 'a private address is refused at its field')
  t.ok(await url.evaluate((input) => input === document.activeElement), 'the field has the focus')

  peer.status = 401
  await url.fill(peer.url)
  await page.getByRole('button', { name: 'Test connection' }).click()
  const steps = page.getByRole('list', { name: 'Steps of the connection test' })
  await steps.getByText('Check the token: Failed.').waitFor()
  t.match(await steps.innerText(), /Reach the server: Passed/)
  t.equal(await page.getByLabel('Token').getAttribute('aria-invalid'), 'true', 'the failed step names its field')
  await inspect(page, 'exports-test-failed')
  peer.status = 200
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText('The connection works').waitFor()
  await page.getByRole('button', { name: 'Create export' }).click()
  await page.getByRole('heading', { level: 1, name: 'To a server' }).waitFor()

  await t.test('a secret is set, never shown, and stays when another field is saved', async (t) => {
    await page.getByRole('link', { name: 'Settings', exact: true }).first().waitFor()
    await page
      .getByRole('navigation', { name: 'Sections of the export' })
      .getByRole('link', { name: 'Settings' })
      .click()
    await page.getByText('Set, never shown').waitFor()
    await inspect(page, 'exports-settings')
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await page.getByText('Set. Type a new value to replace it.').waitFor()
    await inspect(page, 'exports-edit')
    t.notMatch(await page.content(), /phc_secret_token/)
    const test = page.getByRole('button', { name: 'Test connection' })
    t.equal(await test.getAttribute('aria-disabled'), 'true', 'stored secrets cannot be tested')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Renamed')
    await page.getByRole('button', { name: 'Save export' }).click()
    await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor()
    const row = (await api('GET', exportsPath(console))).results[0]
    const { results } = await api('GET', `/api/organizations/${organization}/activity_log/?item_id=${row.id}`)
    t.strictSame(
      results[0].changes.map(({ field }: any) => field),
      ['name'],
      'only the name was changed',
    )
    await backfill(console, row)
    const [run] = await runsOf(console, row, 1)
    t.equal(run.status, 'Completed', 'the stored token still works')
  })

  await t.test('an invalid query is marked at its place, and a valid one shows rows', async (t) => {
    await page.goto(`${home}/exports/new?type=NoOp`)
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('With a query')
    await page.getByRole('switch', { name: 'Choose columns and rows with a query' }).click()
    const editor = page.getByRole('textbox', { name: 'HogQL query' })
    await editor.fill('SELECT event, nonsense FROM events')
    await page.getByRole('button', { name: 'Create export' }).click()
    await page.locator('.cm-lintRange-error', { hasText: 'nonsense' }).waitFor()
    await inspect(page, 'exports-query')
    await editor.fill('SELECT event, timestamp FROM events')
    await page.getByRole('button', { name: 'Preview ten rows' }).click()
    await page.getByRole('cell', { name: 'signed up' }).waitFor()
    t.strictSame(await page.getByRole('columnheader').allInnerTexts(), ['event', 'timestamp'])
    await inspect(page, 'exports-preview')
    await page.getByRole('button', { name: 'Create export' }).click()
    await page.getByRole('heading', { level: 1, name: 'With a query' }).waitFor()
  })
})

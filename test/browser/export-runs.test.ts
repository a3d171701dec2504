/** One export: its progress, runs, pauses and log. */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { layoutShift, openConsole } from '../helpers/programs/console.ts'
import {
  backfill,
  createExport,
  dialog,
  ENVIRONMENT,
  exportsPath,
  hourStart,
  httpExport,
  openPeer,
  runsOf,
} from '../helpers/seeds/console-exports.ts'

t.setTimeout(15 * 60_000)

/** A promise that the test resolves. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

t.test('shows live progress, cancels, retries and groups the runs of a window', async (t) => {
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

  await t.test('the number of rows grows during the run', async (t) => {
    let rows = 0
    for (let growth = 0; growth < 2; growth++) {
      peer.release(1)
      const before = rows
      while (rows <= before) {
        const [, shown = '0'] = /([\d,]+) of 20,000 rows/.exec(await progress.innerText()) ?? []
        rows = Number(shown.replaceAll(',', ''))
      }
    }
    t.ok(rows < 20_000, 'the run has not ended')
    await inspect(page, 'exports-progress')
  })

  await t.test('the bar is not full before the run has completed', async (t) => {
    const path = `**/batch_exports/${row.id}/`
    await page.route(path, async (route) => {
      const response = await route.fetch()
      const json = await response.json()
      Object.assign(json.latest_runs[0], { records_completed: 19_999, records_total_count: 19_999 })
      await route.fulfill({ response, json })
    })
    await progress.getByText('19,999 of 19,999 rows').waitFor()
    t.equal(await progress.getByRole('progressbar').getAttribute('aria-valuenow'), '99')
    await page.unroute(path)
    await progress.getByText(/of 20,000 rows/).waitFor()
  })

  await t.test('the tab of backfills shows the progress, and filters by status', async () => {
    await page.getByRole('link', { name: 'Backfills', exact: true }).click()
    await page
      .getByRole('region', { name: /^Backfill/ })
      .getByText(/^0 of 1 run · [\d,]+ rows · /)
      .waitFor()
    await inspect(page, 'exports-backfills')
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Failed' }).click()
    await page.waitForURL(/status=Failed/)
    await page.getByText('No backfill has this status.').waitFor()
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
    t.equal(results[0]?.status, 'Running', 'Escape changes nothing')

    const requested = gate()
    await page.route('**/cancel/', async (route) => {
      await requested.opened
      await route.continue()
    })
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await dialog(page).getByRole('button', { name: 'Cancel run' }).click()
    await page.getByText('Cancelling').waitFor()
    requested.open()
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

  await t.test('a retry is another run of the same window', async (t) => {
    peer.release(100)
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByRole('button', { name: 'Retry' }).click()
    await dialog(page)
      .getByText(/The events of the window .* are exported again/)
      .waitFor()
    await dialog(page).getByRole('button', { name: 'Retry run' }).click()
    await page.getByText('1 window, 2 runs').waitFor()
    await page.getByText('2 runs', { exact: true }).waitFor()
    await page.getByRole('cell', { name: /^Completed/ }).waitFor()
    await page.getByRole('cell', { name: '20,000 rows' }).waitFor()
    await page.getByRole('button', { name: /^Details of the window/ }).click()
    await page.getByText(/Delivered 20000 events/).waitFor()
    await page.getByText(/^Attempt 1 started/).waitFor()
    t.equal(await page.getByRole('button', { name: /ttempt/ }).count(), 0, 'only the log counts attempts')
    await inspect(page, 'exports-runs')
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Failed' }).click()
    await page.getByText('No run on this page has this status.').waitFor()
    t.match(page.url(), /status=failed/)
    await page.goBack()
    t.equal(await page.getByRole('button', { name: /^Run \d: / }).count(), 2)
  })

  await t.test('a copied link opens the run in another browser', async () => {
    await page.getByRole('button', { name: /^Run 1: Cancelled/ }).click()
    await page.getByText('The run was cancelled.').waitFor()
    await page.getByRole('button', { name: 'Copy link to the run' }).click()
    const link = await page.evaluate<string>('navigator.clipboard.readText()')
    const other = await open(link, { width: 'phone' })
    await other.getByText('The run was cancelled.').waitFor()
    await page.goBack()
    await page.getByText(/Delivered 20000 events/).waitFor()
  })
})

t.test('shows that a backfill is failing', async (t) => {
  const console = await openConsole(t, 'sqlite', ENVIRONMENT)
  const { open, capture, inspect, home } = console
  await capture([{ event: 'seen', timestamp: hourStart(1) }])
  const config = { host: '127.0.0.1', port: 1, database: 'analytics', user: 'exporter', password: 'hush' }
  const row = await createExport(console, 'Unreachable', { destination: { type: 'Postgres', config } })
  await backfill(console, row)
  const page = await open(`${home}/exports/${row.id}`)
  const card = page.getByRole('region', { name: /^Backfill/ })
  await card.getByText('Failing', { exact: true }).waitFor()
  await card.getByText(/^The last attempt failed and is repeated: The connection to the database failed/).waitFor()
  await inspect(page, 'exports-backfill-failing')
})

t.test('nothing moves while an export with a finished backfill loads on a phone', async (t) => {
  const console = await openConsole(t, 'sqlite', ENVIRONMENT)
  const { open, capture, home } = console
  await capture([{ event: 'seen', timestamp: hourStart(1) }])
  const row = await createExport(console, 'Two hours')
  await backfill(console, row, 2)
  await runsOf(console, row, 2)
  const page = await open(`${home}/exports`, { width: 'phone' })
  await page.route('**/backfills/**', async (route) => {
    await pause(1_000)
    await route.continue()
  })
  await page.goto(`${home}/exports/${row.id}`)
  await page.getByRole('region', { name: /^Backfill/ }).waitFor()
  await page.getByRole('img', { name: /2 ended runs/ }).waitFor()
  const shift = await layoutShift(page)
  t.ok(shift <= 0.05, `a layout shift of ${shift}`)
})

t.test('nothing moves while the runs and backfills load on a phone', async (t) => {
  const console = await openConsole(t, 'sqlite', ENVIRONMENT)
  const { open, capture, inspect, home } = console
  await capture([{ event: 'seen', timestamp: hourStart(1) }])
  const row = await createExport(console, 'Three hours')
  await backfill(console, row, 3)
  await runsOf(console, row, 3)
  const page = await open(`${home}/exports`, { width: 'phone' })
  await page.route(/\/(runs|backfills)\//, async (route) => {
    await pause(500)
    await route.continue()
  })
  for (const [tab, shown] of [
    ['runs', page.getByText('3 windows, 3 runs')],
    ['backfills', page.getByText(/^3 of 3 runs/)],
  ] as const) {
    await page.goto(`${home}/exports/${row.id}?tab=${tab}`)
    await shown.waitFor()
    const shift = await layoutShift(page)
    t.ok(shift <= 0.05, `a layout shift of ${shift} in the tab ${tab}`)
    if (tab === 'runs') await inspect(page, 'exports-runs-cards')
  }
})

t.test('cancels a backfill', async (t) => {
  const console = await openConsole(t, 'sqlite', ENVIRONMENT)
  const { open, capture, inspect, home } = console
  await capture([{ event: 'seen', timestamp: hourStart(2) }])
  const row = await createExport(console, 'Slow server', httpExport(await openPeer(t)))
  await backfill(console, row, 3)
  const page = await open(`${home}/exports/${row.id}?tab=backfills`)
  const card = page.getByRole('region', { name: /^Backfill/ })
  await card.getByText(/^1 of 3 runs/).waitFor()
  await card.getByRole('button', { name: 'Cancel backfill' }).click()
  await dialog(page)
    .getByText(/The backfill of .* and its current run stop/)
    .waitFor()
  await inspect(page, 'exports-cancel-backfill')
  await dialog(page).getByRole('button', { name: 'Cancel backfill' }).click()
  await card.getByText('Cancelled').waitFor()
  t.equal(await card.getByRole('button').count(), 0)
  await page.getByText('The backfill was cancelled.').waitFor()
})

t.test('a run by hand delivers the events up to now', async (t) => {
  const console = await openConsole(t, 'sqlite', ENVIRONMENT)
  const { open, capture, inspect, home } = console
  const row = await createExport(console, 'Now', { start_at: null })
  await capture(Array.from({ length: 2 }, () => ({ event: 'seen' })))
  const page = await open(`${home}/exports/${row.id}`)
  await page.getByRole('button', { name: 'Run now' }).click()
  await page.getByText('The run delivers everything up to now.').waitFor()
  await page.getByText('Completed', { exact: true }).first().waitFor()
  await inspect(page, 'exports-run-now')
})

t.test('pauses and unpauses, and reverts if the server fails', async (t) => {
  const console = await openConsole(t, 'sqlite', ENVIRONMENT)
  const { open, api, capture, inspect, member, home } = console
  const row = await createExport(console, 'Hourly')
  const page = await open(`${home}/exports/${row.id}`)
  const state = page.getByRole('status').filter({ hasText: /Scheduled|Paused/ })

  await t.test('a failed pause is reverted and reported', async () => {
    const answered = gate()
    await page.route('**/pause/', async (route) => {
      await answered.opened
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
    answered.open()
    await page.getByText('The export was not paused').waitFor()
    await state.getByText('Scheduled').waitFor()
    await page.unroute('**/pause/')
  })

  await t.test('the banner shows the user and the time of the pause', async () => {
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

  await t.test(
    'unpausing offers to export or skip the events of the pause, and shows how many are skipped',
    async () => {
      await capture(Array.from({ length: 3 }, () => ({ event: 'seen' })))
      await page.getByRole('button', { name: 'Unpause' }).click()
      await dialog(page).getByRole('radio', { name: 'Export them too' }).waitFor()
      await inspect(page, 'exports-unpause')
      await dialog(page).getByRole('radio', { name: 'Skip them' }).check()
      await dialog(page).getByRole('button', { name: 'Unpause export' }).click()
      await page.getByText(/^The export continues\. 3 events that arrived in the pause \(.*\) are skipped\.$/).waitFor()
      await state.getByText('Scheduled').waitFor()
      await page.getByText(/Next run in/).waitFor()
      await page.getByRole('link', { name: 'Log', exact: true }).click()
      await page.getByText('Events that arrived during the pause are not delivered.').waitFor()
    },
  )

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
  const measure = (expression: string): Promise<number> =>
    page.evaluate<number>(`((box) => ${expression})(document.querySelector('[role="log"]'))`)
  const end = (): Promise<number> => measure('box.scrollHeight - box.scrollTop - box.clientHeight')
  await log.getByText(/The backfill .* is complete/).waitFor()
  t.ok((await end()) < 2, 'the end is in view')
  await inspect(page, 'exports-log')

  await measure('box.scrollTop = 0')
  await page.getByRole('button', { name: 'Jump to end' }).waitFor()
  await backfill(console, row, 4)
  await page.getByRole('button', { name: 'Jump to end' }).waitFor()
  await log
    .getByText(/The backfill .* is complete/)
    .nth(1)
    .waitFor({ timeout: 30_000 })
  t.equal(await measure('box.scrollTop'), 0, 'new lines do not move a reader')
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

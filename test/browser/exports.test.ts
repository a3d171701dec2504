/** The list of exports, and the form that creates and edits them. */
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { itemAt } from '../helpers/assertions/items.ts'
import { layoutShift, openConsole } from '../helpers/programs/console.ts'
import {
  backfill,
  createExport,
  dialog,
  ENVIRONMENT,
  exportsPath,
  HOUR_MS,
  hourStart,
  hoursAgo,
  httpExport,
  LATER,
  openPeer,
  runsOf,
} from '../helpers/seeds/console-exports.ts'

t.setTimeout(15 * 60_000)

/** Replaces the text of the editor as a user does. Chrome's own replacement copies styles, which the policy reports. */
async function write(editor: Locator, text: string): Promise<void> {
  await editor.press('ControlOrMeta+a')
  await editor.press('Backspace')
  await editor.page().keyboard.insertText(text)
}

/** Goes to a step of a new export. */
async function goOn(page: Page, step: 'what' | 'when'): Promise<void> {
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.waitForURL(new RegExp(`step=${step}`))
}

const nameField = (page: Page): Locator => page.getByRole('textbox', { name: 'Name', exact: true })

const preview = (page: Page): Locator => page.getByRole('table', { name: 'Preview' })

for (const engine of ['sqlite', 'postgres'] as const)
  t.test(`creates an export, backfills it and shows the rows of its runs (${engine})`, async (t) => {
    const console = await openConsole(t, engine, ENVIRONMENT)
    const { open, capture, inspect, home } = console
    await capture([1, 1, 2, 5].map((hours, i) => ({ event: `seen ${i}`, timestamp: hoursAgo(hours + 0.5) })))
    const page = await open(`${home}/exports`)
    await page.getByRole('heading', { name: 'No exports yet' }).waitFor()
    if (engine === 'sqlite') await inspect(page, 'exports-empty')
    await page.getByRole('link', { name: 'Create export' }).click()
    await page.getByRole('heading', { name: 'Databases and warehouses' }).waitFor()
    if (engine === 'sqlite') await inspect(page, 'exports-new-type')
    await page.getByRole('link', { name: /Files on the server/ }).click()
    await page.waitForURL(/type=File/)
    await page.getByRole('button', { name: 'Test connection' }).click()
    const steps = page.getByRole('list', { name: 'Steps of the connection test' })
    await steps.getByRole('listitem').first().waitFor()
    t.match(await steps.innerText(), /Passed/)
    if (engine === 'sqlite') await inspect(page, 'exports-new-where')
    await goOn(page, 'what')
    await preview(page).getByRole('cell', { name: 'seen 3' }).waitFor()
    if (engine === 'sqlite') await inspect(page, 'exports-new-what')
    await goOn(page, 'when')
    t.equal(await nameField(page).getAttribute('placeholder'), 'Events to Files on the server', 'a name is suggested')
    await nameField(page).fill('Nightly files')
    await page.getByRole('button', { name: 'More settings' }).click()
    await page.getByLabel('No run before (UTC)').fill(LATER.slice(0, 16))
    if (engine === 'sqlite') await inspect(page, 'exports-new-when')
    await page.getByRole('button', { name: 'Create export' }).click()
    await page.getByRole('heading', { level: 1, name: 'Nightly files' }).waitFor()

    await page.getByRole('button', { name: 'Backfill' }).click()
    await dialog(page)
      .getByText(/^This creates 24 runs, one for every hour, with 4 rows and about/)
      .waitFor()
    if (engine === 'sqlite') await inspect(page, 'exports-backfill')
    await dialog(page).getByRole('button', { name: 'Start (UTC)' }).click()
    await page.getByRole('button', { name: 'Previous month' }).waitFor()
    if (engine === 'sqlite') await inspect(page, 'exports-calendar')
    await page.getByRole('button', { name: 'Apply time' }).click()
    await dialog(page).getByRole('button', { name: 'Start backfill' }).click()
    await page.getByRole('region', { name: 'Backfill' }).getByText('24 of 24 runs').waitFor({ timeout: 60_000 })
    await page.getByRole('img', { name: /24 ended runs: 4 rows delivered, 0 failed/ }).waitFor()
    if (engine === 'sqlite') await inspect(page, 'exports-overview')
    await page.getByRole('link', { name: 'Backfills', exact: true }).click()
    const listed = page.getByRole('region', { name: /^Backfill/ })
    await listed.getByText(/^24 of 24 runs · 4 rows/).waitFor()
    await listed.getByText('Completed').waitFor()
    await page.getByRole('button', { name: 'Backfill' }).click()
    await dialog(page).getByRole('button', { name: 'All events' }).click()
    await dialog(page)
      .getByText(/^This creates [567] runs, .* with 4 rows/)
      .waitFor()
    await page.keyboard.press('Escape')

    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByText('24 windows, 24 runs').waitFor()
    const rows = await page.getByRole('cell', { name: /^\d+ rows?$/ }).allInnerTexts()
    t.equal(
      rows.reduce((sum, text) => sum + Number.parseInt(text, 10), 0),
      4,
      'each event is in one run',
    )
  })

t.test('schedules days and weeks in a time zone', async (t) => {
  const console = await openConsole(t, 'sqlite', ENVIRONMENT)
  const { open, api, inspect, home } = console
  const page = await open(`${home}/exports/new?type=NoOp`)
  const choose = async (label: string, option: string, typed?: string): Promise<void> => {
    const field = page.getByRole('combobox', { name: label })
    await field.click()
    if (typed) await field.fill(typed)
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  await goOn(page, 'what')
  await goOn(page, 'when')
  await nameField(page).fill('Zoned')
  t.equal(await page.getByRole('combobox', { name: 'Time zone' }).count(), 0, 'hours have no local time')
  await choose('Interval', 'Every day')
  const next = page.getByRole('list', { name: 'Next runs' }).getByRole('listitem')
  t.equal(await page.getByRole('combobox', { name: 'Time zone' }).inputValue(), 'Europe/Berlin', 'the own zone')
  t.notMatch(await next.first().innerText(), /your time/)
  await choose('Time zone', 'Asia/Kolkata', 'kolk')
  await choose('Hour', '02:00')
  t.match(await next.allInnerTexts(), [/02:00.*\(Asia\/Kolkata\) · .*(21|22):30.* your time/, /your time/, /your time/])
  await inspect(page, 'exports-schedule')
  await page.getByRole('button', { name: 'Create export' }).click()
  await page.getByRole('heading', { level: 1, name: 'Zoned' }).waitFor()
  await page.getByText('Every day at 02:00 (Asia/Kolkata)').waitFor()
  await page.getByText(/Next run in .*02:00.*\(Asia\/Kolkata\).*your time/).waitFor()
  await page.getByRole('button', { name: 'Backfill' }).click()
  await dialog(page).getByRole('button', { name: 'Start (Asia/Kolkata)' }).waitFor()
  await dialog(page)
    .getByText(/^This creates 1 run, one for every day, with 0 rows/)
    .waitFor()
  await inspect(page, 'exports-backfill-zone')
  await page.keyboard.press('Escape')

  await page.getByRole('link', { name: 'Edit', exact: true }).click()
  await choose('Interval', 'Every week')
  await choose('Day of the week', 'Monday')
  await page.getByRole('button', { name: 'Save export' }).click()
  await page.getByText('Every week on Monday at 02:00 (Asia/Kolkata)').waitFor()
  const [row] = (await api('GET', exportsPath(console))).results
  t.match(row, { interval: 'week', timezone: 'Asia/Kolkata', offset_day: 1, offset_hour: 2 })
  await page.getByRole('link', { name: 'Edit', exact: true }).click()
  await choose('Interval', 'Every hour')
  await page.getByRole('button', { name: 'Save export' }).click()
  await page.getByText('Every hour', { exact: true }).waitFor()
})

t.test('lists exports with state, next run, bars and errors, and finds them by name', async (t) => {
  const console = await openConsole(t, 'sqlite', ENVIRONMENT)
  const { open, capture, api, inspect, home } = console
  await capture(Array.from({ length: 12 }, (_, i) => ({ event: 'seen', timestamp: hourStart((i % 3) + 1) })))
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
  t.match(await rowOf('To the warehouse').innerText(), /The server returned 401/)
  t.match(await rowOf('Five minutes').innerText(), /Scheduled[\s\S]*Every 5 minutes[\s\S]*Next run in/)
  t.match(await rowOf('Paused files').innerText(), /events\/\{year\}[\s\S]*Paused[\s\S]*No next run while paused/)
  t.match(await rowOf(ended.name).innerText(), /Ended[\s\S]*No further runs/)
  const bars = rowOf('Five minutes').getByRole('link', { name: /^Completed, \d+ rows?, .*, window / })
  t.equal(await bars.count(), 10)
  await inspect(page, 'exports-list')
  const phone = await open(`${home}/exports`, { width: 'phone' })
  await phone.getByText('Paused files').waitFor()
  const shift = await layoutShift(phone)
  t.ok(shift <= 0.05, `a layout shift of ${shift}`)
  await phone.close()

  await t.test('states are not truncated', async (t) => {
    const original = page.viewportSize()
    for (const width of [390, 800, 1_000, 1_280]) {
      await page.setViewportSize({ width, height: 800 })
      const truncated = await page.evaluate<string[]>(`[...document.querySelectorAll('.mantine-Badge-label')]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ textContent }) => textContent)`)
      t.strictSame(truncated, [], `${width} pixels`)
    }
    if (original) await page.setViewportSize(original)
  })

  await t.test('opens the run of a bar by keyboard', async (t) => {
    await bars.last().focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`tab=runs&run=${run?.id}`))
    await page.getByRole('button', { name: 'Copy run id' }).waitFor()
    await page.goBack()
    await rowOf('Five minutes').waitFor()
    t.match(page.url(), /\/exports$/)
  })

  await t.test('shows how late an export is', async () => {
    await page.clock.setFixedTime(Date.parse(LATER) + 2 * HOUR_MS)
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

t.test('the form shows errors at their field, tests the connection and keeps secrets', async (t) => {
  const console = await openConsole(t, 'sqlite', ENVIRONMENT)
  const { open, api, capture, inspect, organization, home } = console
  await capture([{ event: 'signed up', timestamp: hourStart(1) }])
  const peer = await openPeer(t)
  peer.release(1_000)
  const page = await open(`${home}/exports/new?type=Postgres`)
  const tested = page.getByRole('button', { name: 'Test connection' })
  await page.getByRole('textbox', { name: 'Host' }).fill('db.example.com')
  await page.getByRole('textbox', { name: 'Database' }).fill('analytics')
  await page.getByLabel('User').fill('exporter')
  t.equal(await page.getByRole('textbox', { name: 'Port' }).count(), 0, 'rare settings are folded')
  await inspect(page, 'exports-new-postgres')
  await tested.click()
  await page.getByText('Enter the password.').waitFor()
  t.equal(await page.locator('input:focus').getAttribute('name'), 'password', 'the sentence is at its field')
  t.notMatch(await page.locator('main').innerText(), /destination\.config/)
  await page.goto(`${home}/exports/new?type=HTTP`)
  const url = page.getByRole('textbox', { name: 'URL' })
  await url.fill('example.com/batch')
  await page.getByLabel('Token').fill('phc_token')
  await tested.click()
  await page.getByText('Enter an address that starts with https:// or http://.').waitFor()
  await url.fill('http://10.1.2.3/batch/')
  await page.getByLabel('Token').fill('phc_secret_token')
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.locator('[aria-invalid="true"]').waitFor()
  t.equal(await url.getAttribute('aria-invalid'), 'true', 'a private address is refused at its field')
  t.equal(await page.locator('input:focus').getAttribute('name'), 'url', 'the field has the focus')

  peer.status = 401
  await url.fill(peer.url)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  const steps = page.getByRole('list', { name: 'Steps of the connection test' })
  await steps.getByText('Check the token: Failed.').waitFor()
  t.match(await steps.innerText(), /Reach the server: Passed/)
  t.equal(await page.getByLabel('Token').getAttribute('aria-invalid'), 'true', 'the failed step names its field')
  t.notMatch(page.url(), /step=/, 'the step does not change')
  await page.getByRole('button', { name: 'Continue without a working connection' }).waitFor()
  await inspect(page, 'exports-test-failed')
  peer.status = 200
  await tested.click()
  await page.getByText('The connection works').waitFor()
  await goOn(page, 'what')
  t.match(page.url(), /new\?type=HTTP&step=what$/, 'nothing that was typed is in the URL')
  await page.goBack()
  t.equal(await url.inputValue(), peer.url, 'the way back keeps the form')
  await page.getByRole('navigation', { name: 'Steps' }).getByRole('link', { name: /What/ }).click()
  await page.getByRole('radio', { name: 'Persons' }).waitFor()
  t.ok(await page.getByRole('radio', { name: 'Persons' }).isDisabled(), 'an HTTP endpoint takes events only')
  await goOn(page, 'when')
  await nameField(page).fill('To a server')
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
    const row = itemAt((await api('GET', exportsPath(console))).results, 0)
    const { results } = await api('GET', `/api/organizations/${organization}/activity_log/?item_id=${row.id}`)
    t.strictSame(
      results[0]?.changes.map(({ field }) => field),
      ['name'],
      'only the name was changed',
    )
    await backfill(console, row)
    const [run] = await runsOf(console, row, 1)
    t.equal(run?.status, 'Completed', 'the stored token still works')
  })

  await t.test('the error in an invalid query is marked, and a valid query shows rows', async (t) => {
    await page.goto(`${home}/exports/new?type=NoOp&step=what`)
    await page.waitForURL(/type=NoOp$/)
    await page.getByText('This destination has no settings.').waitFor()
    await goOn(page, 'what')
    await page.getByRole('switch', { name: 'Choose columns and rows with a query' }).click()
    const editor = page.getByRole('textbox', { name: 'HogQL query' })
    await write(editor, 'SELECT event, nonsense FROM events')
    await page.locator('.query-error', { hasText: 'nonsense' }).waitFor()
    await inspect(page, 'exports-query')
    await write(editor, 'SELECT event,\n  timestamp FROM events')
    await page.locator('.query-error').waitFor({ state: 'detached' })
    const json = { type: 'validation_error', code: 'invalid_input', detail: 'Not this column.', attr: 'hogql_query' }
    await page.route('**/batch_exports/', (route) =>
      route.fulfill({ status: 400, json: { ...json, position: { line: 2, column: 3 } } }),
    )
    await goOn(page, 'when')
    await nameField(page).fill('With a query')
    await page.getByRole('button', { name: 'Create export' }).click()
    await page.waitForURL(/step=what/)
    await page.locator('.query-error', { hasText: 'timestamp' }).waitFor()
    await page.unroute('**/batch_exports/')
    await write(editor, 'SELECT event, timestamp FROM events')
    await preview(page).getByRole('cell', { name: 'signed up' }).waitFor()
    t.strictSame(await preview(page).getByRole('columnheader').allInnerTexts(), ['event', 'timestamp'])
    await inspect(page, 'exports-preview')
    await goOn(page, 'when')
    await page.getByRole('button', { name: 'Create export' }).click()
    await page.getByRole('heading', { level: 1, name: 'With a query' }).waitFor()
  })
})

t.test('destinations are found by name, and stores like Amazon S3 share one tile', async (t) => {
  const { open, inspect, home } = await openConsole(t)
  const page = await open(`${home}/exports/new`, { width: 'phone' })
  const tiles = page.locator('a.choice')
  await tiles.first().waitFor()
  const shift = await layoutShift(page)
  t.ok(shift <= 0.05, `a layout shift of ${shift}`)
  t.equal(await tiles.filter({ hasText: 'S3' }).count(), 1)
  const search = page.getByRole('searchbox', { name: 'Search destinations' })
  await search.fill('cloudflare')
  await page.waitForURL(/search=cloudflare/)
  t.strictSame(await tiles.count(), 1)
  await search.fill('floppy disk')
  await page.getByRole('heading', { name: 'No destination found' }).waitFor()
  await inspect(page, 'exports-no-destination')
  await page.getByRole('button', { name: 'Clear search' }).click()
  await tiles.filter({ hasText: 'Amazon S3' }).click()
  await page.waitForURL(/type=AwsS3/)
  await page.getByRole('textbox', { name: 'Bucket' }).fill('acme')
  await page.getByRole('combobox', { name: 'Provider' }).click()
  await page.getByRole('option', { name: 'Cloudflare R2' }).click()
  await page.waitForURL(/type=S3Compatible&provider=cloudflare/)
  const endpoint = page.getByRole('textbox', { name: 'Endpoint URL' })
  t.match(await endpoint.getAttribute('placeholder'), /r2\.cloudflarestorage\.com/)
  t.equal(await page.getByRole('textbox', { name: 'Bucket' }).inputValue(), 'acme', 'what was typed stays')
  await page.getByRole('button', { name: 'More settings' }).click()
  await inspect(page, 'exports-new-s3')
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.getByText('Enter the endpoint URL.').waitFor()
  await page.getByText('Enter the secret access key.').waitFor()
  t.equal(await page.locator('input:focus').getAttribute('name'), 'endpoint_url', 'the first missing setting')
})

t.test('filters choose the events of an export, and the preview follows them', async (t) => {
  const console = await openConsole(t)
  const { open, api, capture, inspect, home } = console
  const at = hoursAgo(0.1)
  await capture([
    { event: 'paid', timestamp: at, properties: { plan: 'team' } },
    { event: 'paid', timestamp: at, properties: { plan: 'free' } },
    { event: 'noise', timestamp: at, properties: { plan: 'team' } },
  ])
  const page = await open(`${home}/exports/new?type=NoOp`)
  await goOn(page, 'what')
  const rows = preview(page).getByRole('row')
  await rows.nth(3).waitFor()
  await page.getByRole('button', { name: 'Add filter: Event', exact: true }).click()
  await page.getByRole('checkbox', { name: /^paid/ }).check()
  await page.keyboard.press('Escape')
  await rows.nth(3).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Add filter: Property' }).click()
  const form = dialog(page)
  const field = (name: string): Locator =>
    form.getByRole('combobox', { name }).or(form.getByRole('textbox', { name })).first()
  await field('Property').fill('plan')
  await field('Value').fill('team')
  // Completions may cover the button.
  await page.keyboard.press('Enter')
  await rows.nth(2).waitFor({ state: 'detached' })
  t.match(page.url(), /step=what/, 'the form around the filter is not submitted')
  t.equal(await rows.count(), 2, 'the heading and one event')
  await page.getByRole('button', { name: 'Change filter: plan equals team' }).waitFor()
  await inspect(page, 'exports-filters')
  await goOn(page, 'when')
  await page.getByRole('button', { name: 'Create export' }).click()
  await page.getByRole('heading', { level: 1, name: 'Events to Dry run' }).waitFor()
  const row = itemAt((await api('GET', exportsPath(console))).results, 0)
  t.match(row, {
    filters: [{ key: 'plan', operator: 'exact', value: 'team', type: 'event' }],
    destination: { config: { include_events: ['paid'] } },
  })
  await page.getByRole('link', { name: 'Edit', exact: true }).click()
  await page.getByRole('button', { name: 'Remove filter: plan equals team' }).click()
  await preview(page).getByRole('row').nth(2).waitFor()
  await inspect(page, 'exports-edit-filters')
  await page.getByRole('button', { name: 'Save export' }).click()
  await page.getByRole('heading', { level: 1, name: 'Events to Dry run', exact: true }).waitFor()
  t.match(itemAt((await api('GET', exportsPath(console))).results, 0), {
    filters: null,
    destination: { config: { include_events: ['paid'] } },
  })
})

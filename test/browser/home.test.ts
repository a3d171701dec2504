/** The home of a project: the first page after the sign-in. */
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { ENGINES } from '../helpers/app.ts'
import { type Console, layoutShift, openConsole } from '../helpers/programs/console.ts'
import {
  backfill,
  createExport,
  ENVIRONMENT,
  exportsPath,
  hourStart,
  httpExport,
  openPeer,
  runsOf,
} from '../helpers/seeds/console-exports.ts'

t.setTimeout(15 * 60_000)

const DAY = 24 * 3_600_000
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY).toISOString()

/** Twelve names over 30 days: "name 1" has the most events, "name 12" the fewest. Two further events are older. */
async function captureMonth({ capture }: Console): Promise<number> {
  const events = Array.from({ length: 12 }, (_, i) =>
    Array.from({ length: 40 - 3 * i }, (_, n) => ({
      event: `name ${i + 1}`,
      distinct_id: `person ${n % 7}`,
      timestamp: daysAgo(((n * 7 + i) % 28) + 0.5),
    })),
  ).flat()
  await capture([...events, { event: 'old', timestamp: daysAgo(40) }, { event: 'old', timestamp: daysAgo(41) }])
  return events.length
}

async function staysStill(t: Test, page: Page, name: string): Promise<void> {
  const shift = await layoutShift(page)
  t.ok(shift <= 0.05, `${name}: a layout shift of ${shift}`)
}

const BROKEN = {
  'plugin.json': JSON.stringify({ name: 'Greeter', description: 'Greets.' }),
  'index.ts': 'export function onEvent(event) { throw new TypeError("no greeting for " + event.event) }',
}

for (const engine of ENGINES)
  t.test(`shows the events, what needs attention and what changed (${engine})`, async (t) => {
    const console = await openConsole(t, engine, { ...ENVIRONMENT, SECRET_KEY: '5e'.repeat(32) })
    const { open, api, capture, inspect, home, organization, project } = console
    const total = await captureMonth(console)
    const page = await open('/')
    await page.waitForURL(`**${home}/home`)
    t.equal(await page.getByRole('link', { name: 'Home' }).getAttribute('aria-current'), 'page')
    const side = page.getByRole('region', { name: 'Needs attention' })
    await side.getByText('No exports yet.').waitFor()

    const peer = await openPeer(t)
    peer.status = 401
    peer.release(1_000)
    await capture([{ event: 'name 1', timestamp: hourStart(1) }])
    const failing = await createExport(console, 'To the warehouse', httpExport(peer))
    const paused = await createExport(console, 'Stopped by failures', httpExport(peer))
    await createExport(console, 'Healthy')
    for (const row of [failing, paused]) {
      await backfill(console, row)
      await runsOf(console, row, 1)
    }
    await api('POST', `${exportsPath(console)}${paused.id}/pause/`, {})
    const base = `/api/organizations/${organization}/pipeline_destinations/` as const
    const plugin = await api('POST', base, { plugin_type: 'source', source: BROKEN })
    const configs = `/api/projects/${project}/plugin_configs/` as const
    await api('POST', configs, { plugin: plugin.id, enabled: true, config: {} })
    await capture([{ event: 'name 2', timestamp: hourStart(1) }])
    for (let found = false; !found; ) {
      const { results } = await api('GET', configs)
      found = results.some(({ error }) => error !== null)
    }

    await page.reload()
    await page.getByRole('img', { name: /^Chart of events per day in the last 30 days\. Total: / }).waitFor()
    await page.getByText(`${total + 2} events in 30 days`).waitFor()
    const frequent = page.getByRole('table', { name: 'Most frequent events' })
    const names = await frequent.getByRole('row').locator('td:first-child').allTextContents()
    t.strictSame(names, [...Array.from({ length: 10 }, (_, i) => `name ${i + 1}`), 'All others'])
    const numbers = await frequent.getByRole('row').locator('td:last-child').allTextContents()
    t.equal(numbers[0], '41')
    t.equal(numbers.at(-1), String(40 - 30 + (40 - 33)), 'the two smallest names')
    const items = side.getByRole('listitem')
    await items.filter({ hasText: 'To the warehouse' }).getByText('Failing', { exact: true }).waitFor()
    t.match(await items.filter({ hasText: 'To the warehouse' }).innerText(), /The server returned 401/)
    await items.filter({ hasText: 'Stopped by failures' }).getByText('Paused', { exact: true }).waitFor()
    await items.filter({ hasText: 'Greeter' }).getByText('TypeError: no greeting for name 2').waitFor()
    t.equal(await items.count(), 3, 'a healthy export needs no attention')
    const changes = page.getByRole('region', { name: 'Latest changes' }).getByRole('listitem')
    t.equal(await changes.count(), 5)
    t.match(await changes.first().innerText(), /configured the plugin Greeter|enabled the plugin Greeter/)
    t.match((await changes.allInnerTexts()).join('\n'), /Olivia paused the export Stopped by failures/)
    await staysStill(t, page, 'desktop')
    if (engine === 'sqlite') await inspect(page, 'home')

    // Every item leads to its page.
    await side.getByRole('link', { name: 'To the warehouse' }).click()
    await page.getByRole('heading', { level: 1, name: 'To the warehouse' }).waitFor()
    await page.goBack()
    await side.getByRole('link', { name: 'Greeter' }).click()
    await page.getByRole('heading', { level: 1, name: 'Greeter' }).waitFor()
    await page.goBack()
    await frequent.getByRole('link', { name: 'name 3', exact: true }).click()
    await page.waitForURL(/\/events\?after=-30d&event=/)
    await page.getByText('34 events', { exact: true }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Compare them' }).click()
    await page.getByRole('button', { name: 'Change the breakdown: By event name' }).waitFor()
    await page.goBack()
    const chart = page.getByRole('img', { name: /^Chart of events per day/ })
    const box = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    await page.mouse.click(box.x + box.width / 2, box.y + 60)
    await page.waitForURL(/\/events\?after=.*before=/)

    const phone = await open(`${home}/home`, { width: 'phone' })
    await phone.getByRole('img', { name: /^Chart of events per day/ }).waitFor()
    await phone.getByRole('region', { name: 'Latest changes' }).waitFor()
    await staysStill(t, phone, 'phone')
  })

t.test('an empty project leads to the first event, and its arrival shows the project', async (t) => {
  const { open, capture, inspect, home } = await openConsole(t)
  const page = await open('/')
  await page.waitForURL(`**${home}/home`)
  await page.getByRole('heading', { name: /^Welcome to / }).waitFor()
  await page.getByRole('link', { name: 'Create export' }).waitFor()
  await staysStill(t, page, 'empty')
  await inspect(page, 'home-empty')
  await capture([{ event: 'first event' }])
  await page.getByText('1 event in 30 days').waitFor()
  await page.getByRole('link', { name: 'first event' }).waitFor()
  t.equal(await page.getByRole('heading', { name: /^Welcome to / }).count(), 0)
})

t.test('members see no activity, and failures offer a retry', async (t) => {
  const console = await openConsole(t)
  const { open, member, home, inspect } = console
  await captureMonth(console)
  await member('mia@example.com', 1)
  const page = await open(`${home}/home`, { email: 'mia@example.com' })
  await page.getByText(/^Administrators see the activity log here\./).waitFor()
  t.equal(await page.getByRole('region', { name: 'Latest changes' }).getByRole('link').count(), 0)

  const unavailable = { type: 'server_error', code: 'unavailable', detail: 'The database is busy.', attr: null }
  await page.route(/\/(batch_exports|query|histogram)\//, (route) => route.fulfill({ status: 503, json: unavailable }))
  await page.reload()
  await page.getByText('The states could not be loaded').waitFor()
  t.equal(await page.getByText('The events could not be counted').count(), 2)
  await inspect(page, 'home-failed')
  await page.unrouteAll({ behavior: 'wait' })
  for (const name of ['Events per day', 'Most frequent events', 'Needs attention'])
    await page.getByRole('region', { name }).getByRole('button', { name: 'Retry' }).click()
  await page.getByText(/events in 30 days/).waitFor()
  await page.getByRole('link', { name: 'name 1', exact: true }).waitFor()
  await page.getByText('No exports yet.').waitFor()
})

/** The events page: filters, histogram, live view, one event, CSV and curl. */
import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { ENGINES } from '../helpers/app.ts'
import { type Console, layoutShift, openConsole } from '../helpers/programs/console.ts'

t.setTimeout(15 * 60_000)

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const ago = (milliseconds: number): string => new Date(Date.now() - milliseconds).toISOString()

const ORDER = '0192b71c-8e40-7d35-9a6b-3f2e1d0c9b8a'
const LIBRARY = { $lib: 'web', $lib_version: '1.200.0' }

/** Eight events of the last day and one of last week. */
async function captureDay({ capture }: Console): Promise<void> {
  const pageview = (minutes: number, distinct_id: string, browser: string, path: string) => ({
    event: '$pageview',
    distinct_id,
    timestamp: ago(minutes * MINUTE),
    properties: { ...LIBRARY, $browser: browser, $current_url: `https://hedgerow.example${path}` },
  })
  await capture([
    {
      event: '$identify',
      distinct_id: 'ada',
      timestamp: ago(21 * HOUR),
      properties: { ...LIBRARY, $set: { email: 'ada@example.com', name: 'Ada' } },
    },
    { event: 'report created', distinct_id: 'grace', timestamp: ago(20 * HOUR), properties: { pages: 3 } },
    pageview(190, 'ada', 'Firefox', '/'),
    pageview(185, 'grace', 'Safari', '/pricing'),
    pageview(130, 'ada', 'Firefox', '/docs'),
    pageview(
      70,
      'linus',
      'Chrome',
      '/a/very/long/address/that/does/not/fit/into/the/column?with=many&parameters=in_it',
    ),
    {
      event: 'order placed',
      uuid: ORDER,
      distinct_id: 'ada',
      timestamp: ago(12 * MINUTE),
      properties: {
        $lib: 'posthog-node',
        $lib_version: '5.1.0',
        amount: 129.5,
        currency: 'EUR',
        items: ['desk', 'lamp'],
        gift: false,
      },
    },
    {
      event: '$autocapture',
      distinct_id: 'ada',
      timestamp: ago(11 * MINUTE),
      properties: {
        ...LIBRARY,
        $current_url: 'https://hedgerow.example/checkout',
        $elements: [
          { tag_name: 'button', $el_text: 'Buy now', attr__class: 'primary', attr__id: 'buy' },
          { tag_name: 'form', attr__action: '/orders' },
        ],
      },
    },
    { event: 'signed up', distinct_id: 'grace', timestamp: ago(5 * 24 * HOUR), properties: { plan: 'team' } },
  ])
}

const table = (page: Page) => page.getByRole('table', { name: 'Events', exact: true })
const unfoldButtons = (page: Page) => table(page).getByRole('button', { name: /^(Unfold|Fold) / })

/** Waits until the list has these events, from the newest to the oldest. */
async function shows(page: Page, names: string[]): Promise<void> {
  // `waitForFunction` evaluates text, which the content security policy forbids.
  await page.evaluate(`new Promise((resolve, reject) => {
    const wanted = ${JSON.stringify(JSON.stringify(names))}
    const shown = () => JSON.stringify(
      [...document.querySelectorAll('table[aria-label="Events"] .event-row td:nth-child(3)')].map(
        (cell) => cell.firstChild.textContent,
      ),
    )
    const check = () => {
      if (shown() !== wanted) return
      observer.disconnect()
      clearTimeout(timer)
      resolve()
    }
    const observer = new MutationObserver(check)
    const timer = setTimeout(() => reject(new Error('The list shows ' + shown() + ', not ' + wanted)), 20_000)
    observer.observe(document, { subtree: true, childList: true, characterData: true })
    check()
  })`)
}

const DAY = [
  '$autocapture',
  'order placed',
  '$pageview',
  '$pageview',
  '$pageview',
  '$pageview',
  'report created',
  '$identify',
]

for (const engine of ENGINES)
  t.test(`finds events by name, property, time and expression on ${engine}`, async (t) => {
    const console = await openConsole(t, engine)
    const { open, home, inspect } = console
    await captureDay(console)
    const page = await open(`${home}/events`)
    await shows(page, DAY)
    await page.getByText('8 events', { exact: true }).waitFor()
    await page.getByRole('img', { name: /^Chart of events per hour\. Total: 8 events/ }).waitFor()
    if (engine === 'sqlite') await inspect(page, 'events')

    // The name of the event, completed and with counts.
    await page.getByRole('button', { name: 'Add filter: Event' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('checkbox', { name: '$pageview 4' }).waitFor()
    await dialog.getByRole('textbox', { name: 'Search event names' }).fill('ORDER')
    await dialog.getByRole('checkbox', { name: '$pageview 4' }).waitFor({ state: 'detached' })
    await dialog.getByRole('checkbox', { name: 'order placed 1' }).check()
    await shows(page, ['order placed'])
    await dialog.getByRole('textbox', { name: 'Search event names' }).fill('page')
    await dialog.getByRole('checkbox', { name: '$pageview 4' }).check()
    await shows(page, ['order placed', '$pageview', '$pageview', '$pageview', '$pageview'])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Change filter: Event is order placed or $pageview' }).waitFor()

    // A property, with its name and value completed.
    await page.getByRole('button', { name: 'Add filter: Property' }).click()
    if (engine === 'sqlite') await inspect(page, 'events-property-filter')
    await page
      .getByRole('combobox', { name: 'Property' })
      .or(page.getByRole('textbox', { name: 'Property' }))
      .fill('brow')
    await page.getByRole('option', { name: /^\$browser/ }).click()
    await page
      .getByRole('textbox', { name: 'Value' })
      .or(page.getByRole('combobox', { name: 'Value' }))
      .click()
    await page.getByRole('option', { name: 'Firefox 2' }).click()
    await page.getByRole('button', { name: 'Add filter', exact: true }).click()
    await shows(page, ['$pageview', '$pageview'])
    await page.getByText('2 events', { exact: true }).waitFor()
    t.match(
      decodeURIComponent(page.url()),
      /properties=\[\{"key":"\$browser","operator":"exact","value":"Firefox","type":"event"\}\]/,
    )
    await page.reload()
    await shows(page, ['$pageview', '$pageview'])
    await page.goBack()
    await shows(page, ['order placed', '$pageview', '$pageview', '$pageview', '$pageview'])
    await page.goForward()
    await shows(page, ['$pageview', '$pageview'])
    await page.getByRole('button', { name: 'Change filter: $browser equals Firefox' }).click()
    await page.getByRole('combobox', { name: 'Operator' }).selectOption('does not equal')
    await page.getByRole('button', { name: 'Change filter', exact: true }).click()
    await shows(page, ['order placed', '$pageview', '$pageview'])
    await page.getByRole('button', { name: 'Remove filter: $browser does not equal Firefox' }).click()
    await page.getByRole('button', { name: 'Add filter: Distinct id' }).click()
    await page.getByRole('textbox', { name: 'Distinct id' }).fill('grace')
    await page.keyboard.press('Enter')
    await shows(page, ['$pageview'])
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await shows(page, DAY)

    // Enter applies each filter.
    await page.getByRole('button', { name: 'Add filter: Event' }).click()
    await dialog.getByRole('textbox', { name: 'Search event names' }).fill('order')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await shows(page, ['order placed'])
    await page.getByRole('button', { name: 'Change filter: Event is order placed' }).click()
    await dialog.getByRole('textbox', { name: 'Search event names' }).fill('no such event')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Change filter: Event is order placed or no such event' }).waitFor()
    await shows(page, ['order placed'])
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await shows(page, DAY)
    await page.getByRole('button', { name: 'Add filter: Property' }).click()
    const field = (name: string): Locator =>
      dialog.getByRole('combobox', { name }).or(dialog.getByRole('textbox', { name }))
    await field('Property').fill('$browser')
    await field('Value').fill('Firefox')
    await page.keyboard.press('Enter')
    await shows(page, ['$pageview', '$pageview'])
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await shows(page, DAY)

    // An expression. Its error is shown with its place.
    await page.getByRole('button', { name: 'Add filter: HogQL expression' }).click()
    const expression = page.getByRole('textbox', { name: 'HogQL expression' })
    await expression.fill('foo > 1')
    await expression.press('Enter')
    await page.getByText(/foo.*\(line 1, column 1\)/).waitFor()
    await page.getByRole('button', { name: 'Go to the error' }).waitFor()
    if (engine === 'sqlite') await inspect(page, 'events-error')
    await expression.fill('toFloat(properties.amount) > 100')
    await page.getByRole('button', { name: 'Apply', exact: true }).click()
    await shows(page, ['order placed'])
    await expression.fill('toFloat(properties.amount) > 1000')
    await expression.press('Enter')
    await page.getByRole('heading', { name: 'No matching events' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).last().click()
    await shows(page, DAY)

    // A range of the chart.
    const chart = page.getByRole('img', { name: /^Chart of events/ })
    const box = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    await page.mouse.move(box.x + 60, box.y + 60)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.2, box.y + 70)
    await page.mouse.move(box.x + box.width * 0.4, box.y + 70)
    await page.mouse.up()
    await page.waitForURL(/after=.*before=/)
    await shows(page, ['report created', '$identify'])
    t.ok(await page.getByRole('radio', { name: 'Custom' }).isChecked())
    t.not(await page.getByLabel('From').inputValue(), '')
    await page.reload()
    await shows(page, ['report created', '$identify'])
    await page.getByRole('button', { name: 'Show as table' }).click()
    const intervals = page.getByRole('table', { name: 'Events per interval' })
    t.equal(await intervals.getByRole('row').count(), 3, 'a header and two intervals with events')
    await intervals.getByRole('button').last().click()
    await shows(page, ['$identify'])
    await page.goBack()
    await page.goBack()
    await shows(page, DAY)
    await page.getByText('7 d', { exact: true }).click()
    await shows(page, [...DAY, 'signed up'])
    t.match(page.url(), /after=-7d/)
    await page.getByText('All', { exact: true }).click()
    await page.getByText('9 events', { exact: true }).waitFor()
  })

/** The names and totals of the legend. */
const seriesOf = (page: Page): Promise<string[]> =>
  page.getByRole('list', { name: 'Series' }).getByRole('listitem').allInnerTexts()

for (const engine of ENGINES)
  t.test(`counts events and persons by interval and value, and compares periods (${engine})`, async (t) => {
    const console = await openConsole(t, engine)
    const { open, home, capture, inspect } = console
    await captureDay(console)
    await capture([30, 31].map((hours) => ({ event: 'earlier', distinct_id: 'barbara', timestamp: ago(hours * HOUR) })))
    const page = await open(`${home}/events`)
    await page.getByText('8 events', { exact: true }).waitFor()
    t.ok((await layoutShift(page)) <= 0.05, 'the page does not move while it loads')

    // Everything is in the URL.
    await page.getByText('Unique persons', { exact: true }).click()
    await page.getByText('3 persons', { exact: true }).waitFor()
    await page.getByRole('img', { name: /^Chart of persons per hour\. Total: 3 persons/ }).waitFor()
    await page.getByRole('combobox', { name: 'Interval' }).selectOption('By day')
    await page.getByRole('img', { name: /^Chart of persons per day/ }).waitFor()
    t.ok(await page.getByRole('option', { name: 'By minute' }).isDisabled(), 'a day has too many minutes')
    await page.getByRole('switch', { name: 'Compare with the period before' }).press('Space')
    await page.getByText(/Period before: 1 \(\+200 %\)/).waitFor()
    t.match(page.url(), /measure=persons&interval=day&compare=true/)
    await page.reload()
    await page.getByText(/Period before: 1 \(\+200 %\)/).waitFor()
    await page.getByText('Events', { exact: true }).last().click()
    await page.getByText(/Period before: 2 \(\+300 %\)/).waitFor()
    await page.getByRole('combobox', { name: 'Interval' }).selectOption('Interval: auto')

    // By event name. A click on a series filters the list.
    await page.getByRole('button', { name: 'Break down the chart' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Break down' }).click()
    await page.getByRole('button', { name: 'Show only $pageview, 4' }).waitFor()
    t.strictSame(
      (await seriesOf(page)).map((text) => text.replace(/\s+/g, ' ')),
      ['$pageview 4', '$autocapture 1', '$identify 1', 'order placed 1', 'report created 1'],
    )
    await page.getByText('8 events', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Show as table' }).click()
    const numbers = page.getByRole('table', { name: 'Events per interval' })
    t.match(await numbers.getByRole('columnheader').allInnerTexts(), [
      'Interval',
      '$pageview',
      '$autocapture',
      '$identify',
      'order placed',
      'report created',
      'Period before',
    ])
    if (engine === 'sqlite') await inspect(page, 'events-trends')
    await page.getByRole('button', { name: 'Show only $pageview, 4' }).click()
    await shows(page, ['$pageview', '$pageview', '$pageview', '$pageview'])
    await page.getByRole('button', { name: 'Clear filters' }).click()

    // By a property.
    await page.getByRole('button', { name: 'Change the breakdown: By event name' }).click()
    await page.getByRole('dialog').getByText('Property', { exact: true }).click()
    await page.getByRole('button', { name: 'Break down', exact: true }).click()
    await page.getByText('Enter the name of a property.').waitFor()
    const field = page
      .getByRole('combobox', { name: 'Event property' })
      .or(page.getByRole('textbox', { name: 'Event property' }))
    await field.fill('brow')
    await page.getByRole('option', { name: /^\$browser/ }).click()
    await page.getByRole('button', { name: 'Break down', exact: true }).click()
    await page.getByRole('button', { name: 'Show only Not set, 4' }).waitFor()
    t.strictSame(
      (await seriesOf(page)).map((text) => text.replace(/\s+/g, ' ')),
      ['Firefox 2', 'Chrome 1', 'Safari 1', 'Not set 4'],
    )
    await page.getByText('Unique persons', { exact: true }).click()
    await page.getByRole('button', { name: 'Show only Firefox, 1' }).waitFor()
    await page.getByRole('img', { name: /^Chart of persons per hour/ }).waitFor()
    if (engine === 'sqlite') await inspect(page, 'events-trends-persons')
    await page.goBack()
    await page.getByRole('button', { name: 'Show only Not set, 4' }).click()
    await shows(
      page,
      DAY.filter((name) => name !== '$pageview'),
    )
    await page.getByRole('button', { name: 'Remove filter: $browser is not set' }).waitFor()

    // The filters mean the same in the list, the histogram and queries.
    const filter = (key: string, operator: string, value?: unknown, type = 'event') => ({ key, operator, value, type })
    for (const [filters, total] of [
      [[filter('$browser', 'exact', 'Firefox')], 2],
      [[filter('$browser', 'exact', ['Firefox', 'Safari'])], 3],
      [[filter('$browser', 'is_not', ['Firefox', 'Safari'])], 5],
      [[filter('$current_url', 'icontains', 'PRICING')], 1],
      [[filter('$current_url', 'not_icontains', 'pricing')], 7],
      [[filter('$current_url', 'regex', '/(docs|pricing)$')], 2],
      [[filter('$current_url', 'not_regex', '/(docs|pricing)$')], 6],
      [[filter('amount', 'gt', '100')], 1],
      [[filter('amount', 'lte', 129.5), filter('currency', 'is_set')], 1],
      [[filter('email', 'exact', 'ada@example.com', 'person')], 5],
      [[filter("it's \\ odd", 'is_not_set')], 8],
    ] as const) {
      const query = new URLSearchParams({ properties: JSON.stringify(filters), breakdown: '{"type":"name"}' })
      await page.goto(`${home}/events?${query}`)
      const text = total === 1 ? '1 event' : `${total} events`
      await page.getByText(text, { exact: true }).waitFor()
      await page.getByText(`${text} loaded`).waitFor()
    }
    const where = new URLSearchParams({
      where: 'toFloat(properties.amount) > 100 -- large',
      distinct_id: 'ada',
      breakdown: '{"type":"person","key":"email"}',
    })
    await page.goto(`${home}/events?${where}`)
    await page.getByRole('button', { name: 'Show only ada@example.com, 1' }).waitFor()
  })

t.test('the largest values have a series, the chart follows live, and says what it has counted', async (t) => {
  const { open, home, capture, inspect } = await openConsole(t)
  await capture(
    Array.from({ length: 13 }, (_, i) =>
      Array.from({ length: 14 - i }, (_, n) => ({
        event: 'visit',
        distinct_id: `person ${n}`,
        timestamp: ago((n * 1.5 + 0.2) * HOUR),
        properties: { plan: `plan ${String.fromCharCode(65 + i)}` },
      })),
    ).flat(),
  )
  const page = await open(
    `${home}/events?${new URLSearchParams({ breakdown: '{"type":"event","key":"plan"}', live: 'true' })}`,
  )
  await page.getByRole('button', { name: 'Show only plan A, 14' }).waitFor()
  const series = await seriesOf(page)
  t.equal(series.length, 11, 'ten series and the rest')
  t.match(series.at(-1), /^All others\s+9$/, '4, 3 and 2 events')
  await page.getByText(/^Live: /).waitFor()
  const chart = page.getByRole('img', { name: /^Chart of events/ })
  const box = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  const label = page.locator('.chart-label').getByText('plan A')
  // Every third hour has no events.
  for (let x = 60; x < 300 && !(await label.isVisible()); x += 20)
    await page.mouse.move(box.x + box.width - x, box.y + 60)
  await label.waitFor()
  await inspect(page, 'events-trends-many')
  await capture([{ event: 'visit', properties: { plan: 'plan A' } }])
  await page.getByRole('button', { name: 'Show only plan A, 15' }).waitFor()
  t.ok(true, 'the chart follows')

  const phone = await open(`${home}/events?${new URLSearchParams({ breakdown: '{"type":"event","key":"plan"}' })}`, {
    width: 'phone',
  })
  await phone.getByRole('button', { name: 'Show only plan A, 15' }).waitFor()
  await phone.getByText(/events loaded/).waitFor()
  t.ok((await layoutShift(phone)) <= 0.05, 'nothing moves on a phone')

  // A query over the whole range times out, one over its newest quarter does not.
  await page.route('**/query/', async (route) => {
    const { date_from, date_to } = route.request().postDataJSON().query.filters.dateRange
    if (Date.parse(date_to) - Date.parse(date_from) < 12 * HOUR) return route.continue()
    const json = { type: 'validation_error', code: 'query_timeout', detail: 'The query took too long.', attr: null }
    return route.fulfill({ status: 400, json })
  })
  await page.goto(`${home}/events?${new URLSearchParams({ breakdown: '{"type":"event","key":"plan"}' })}`)
  await page.getByText(/^Only the newest part of the time range is counted/).waitFor()
  await page.getByRole('button', { name: /^Show only plan A, [45]$/ }).waitFor()
  await inspect(page, 'events-trends-part')
})

t.test('rows are dense, and a column without values is not shown', async (t) => {
  const { open, home, capture } = await openConsole(t)
  await capture([
    { event: 'a', timestamp: ago(2 * MINUTE) },
    { event: 'b', timestamp: ago(MINUTE), properties: { amount: 3 } },
  ])
  const page = await open(`${home}/events`)
  await shows(page, ['b', 'a'])
  t.equal(await page.getByRole('columnheader', { name: 'Library' }).count(), 0)
  await capture([{ event: 'c', properties: LIBRARY }])
  await page.reload()
  await shows(page, ['c', 'b', 'a'])
  await page.getByRole('columnheader', { name: 'Library' }).waitFor()
  for (const row of await table(page).locator('.event-row').all()) {
    const { height } = (await row.boundingBox()) ?? { height: 100 }
    t.ok(height <= 36, `a row of ${height} pixels`)
  }
  await page.getByText(/Times are in Europe\/Berlin\./).waitFor()
})

t.test('unfolds an event and filters by its values', async (t) => {
  const console = await openConsole(t)
  const { open, home, inspect, server } = console
  await captureDay(console)
  const page = await open(`${home}/events`)
  await shows(page, DAY)
  await table(page).locator('time').first().focus()
  t.match(await page.getByRole('tooltip').textContent(), /GMT\+\d.* UTC$/, 'the zone and UTC')
  await page.getByRole('button', { name: /^Unfold order placed of / }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`open=${ORDER}`))
  const detail = page.getByRole('group', { name: 'Event order placed' })
  const properties = detail.getByRole('table', { name: 'Properties of the event' })
  const names = await properties.getByRole('row').locator('td:first-child').allTextContents()
  t.strictSame(
    names,
    [...names].sort((a, b) => a.localeCompare(b)),
    'sorted by name',
  )
  await inspect(page, 'events-unfolded')
  await detail.getByRole('textbox', { name: 'Search properties' }).pressSequentially('lamp')
  await properties.getByRole('cell', { name: '["desk","lamp"]' }).waitFor()
  t.equal(await properties.getByRole('row').count(), 2)
  await properties.getByRole('button', { name: 'Copy the value of items' }).click()
  t.equal(await page.evaluate('navigator.clipboard.readText()'), '["desk","lamp"]')
  await page.reload()
  t.equal(
    await detail.getByRole('textbox', { name: 'Search properties' }).inputValue(),
    'lamp',
    'reload keeps the search',
  )
  await detail.getByRole('tab', { name: 'Person' }).click()
  await detail.getByText('identified').waitFor()
  await detail.getByRole('cell', { name: 'ada@example.com' }).or(detail.getByText('No property contains')).waitFor()
  await detail.getByRole('tab', { name: 'JSON' }).click()
  await detail.getByText('"currency": "EUR"').waitFor()
  await detail.getByRole('button', { name: 'Copy link' }).click()
  const link = String(await page.evaluate('navigator.clipboard.readText()'))
  t.equal(link, `${server.url}${home}/events?open=${ORDER}`)
  await page.goBack()
  await detail.waitFor({ state: 'detached' })

  // A link to an event outside of the shown list.
  const linked = await open(`${home}/events?open=${ORDER}&where=${encodeURIComponent("event = '$autocapture'")}`)
  await linked
    .getByRole('region', { name: 'Linked event' })
    .getByRole('cell', { name: 'currency', exact: true })
    .waitFor()
  await linked.getByRole('button', { name: 'Close the event' }).click()
  await linked.getByRole('button', { name: /^Unfold \$autocapture/ }).click()
  await linked.getByRole('tab', { name: 'Elements (2)' }).click()
  await linked.getByRole('cell', { name: 'button#buy.primary' }).waitFor()
  await linked.close()

  // Values become filters.
  await page.getByRole('button', { name: /^Unfold order placed of / }).click()
  await properties.getByRole('button', { name: 'Filter for amount: this value' }).click()
  await shows(page, ['order placed'])
  await page.getByRole('button', { name: 'Remove filter: amount equals 129.5' }).click()
  await shows(page, DAY)
  await page.getByRole('button', { name: /^Unfold order placed of / }).click()
  await properties.getByRole('button', { name: 'Exclude $lib: this value' }).click()
  await shows(
    page,
    DAY.filter((name) => name !== 'order placed'),
  )
})

t.test('downloads the list as CSV and copies it as a curl command', async (t) => {
  const console = await openConsole(t)
  const { open, home, server, project } = console
  await captureDay(console)
  const page = await open(`${home}/events?${new URLSearchParams({ event: '["order placed","it\'s"]' })}`)
  await shows(page, ['order placed'])
  await page.getByRole('button', { name: 'More' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /^Download CSV/ }).click(),
  ])
  const [head, ...rows] = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
  t.equal(head, 'id,distinct_id,properties,event,timestamp,person,elements,elements_chain')
  t.equal(rows.length, 1)
  t.match(rows[0], new RegExp(`^${ORDER},ada,.*order placed`))
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Copy as curl' }).click()
  await page.getByText('Copied the curl command.').waitFor()
  t.equal(
    await page.evaluate('navigator.clipboard.readText()'),
    [
      `curl -G '${server.url}/api/projects/${project}/events/'`,
      '-H "Authorization: Bearer $WORKSPACE_KEY"',
      "--data-urlencode 'after=-24h'",
      `--data-urlencode 'event=["order placed","it'\\''s"]'`,
    ].join(' \\\n  '),
  )
})

t.test('follows new events without a reload', async (t) => {
  const console = await openConsole(t)
  const { open, home, capture } = console
  await captureDay(console)
  const page = await open(
    `${home}/events?${new URLSearchParams({ properties: '[{"key":"kind","operator":"is_set"}]' })}`,
  )
  await page.clock.install()
  await page.reload()
  await page.getByRole('heading', { name: 'No matching events' }).waitFor()
  await page.getByRole('switch', { name: 'Live' }).press('Space')
  await page.waitForURL(/live=true/)
  await page.waitForResponse(/\/events\/tail\/\?.*cursor=/)
  await capture([{ event: 'other' }, { event: 'arrived', properties: { kind: 'a' } }])
  await shows(page, ['arrived'])
  t.ok(true, 'an event that matches the filter appears, others do not')

  // Rows that are being read stay where they are.
  await unfoldButtons(page).first().click()
  await capture([{ event: 'later', properties: { kind: 'b' } }])
  await page.getByRole('button', { name: '1 new event' }).click()
  await page.getByRole('button', { name: /^Fold arrived/ }).click()
  await shows(page, ['later', 'arrived'])

  // A hidden tab sends no requests.
  let requests = 0
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })
    document.dispatchEvent(new Event('visibilitychange'))`)
  page.on('request', (request) => {
    if (request.url().includes('/events/tail/')) requests++
  })
  await capture([{ event: 'unseen', properties: { kind: 'c' } }])
  await page.clock.fastForward(10_000)
  await page.clock.fastForward(10_000)
  t.equal(requests, 0)
  await page.evaluate(`
    delete document.hidden
    document.dispatchEvent(new Event('visibilitychange'))`)
  await shows(page, ['unseen', 'later', 'arrived'])
})

t.test('shows many events, and counts filtered ones in parts', async (t) => {
  const { open, home, capture } = await openConsole(t)
  await capture(
    Array.from({ length: 1_000 }, (_, i) => ({
      event: `tick ${i % 3}`,
      timestamp: ago(HOUR + i * MINUTE),
      properties: { number: i },
    })),
  )
  const page = await open(`${home}/events?after=-7d`)
  await page.getByText('1,000 events', { exact: true }).waitFor()
  await page.getByText('100 events loaded').waitFor()
  // By keyboard: rows are measured when they appear, which moves the button.
  await page.getByRole('button', { name: 'Load more' }).press('Enter')
  await page.getByText('200 events loaded').waitFor()
  t.equal(await table(page).getAttribute('aria-rowcount'), '201')
  t.ok((await unfoldButtons(page).count()) < 80, 'only rows near the visible part exist')
  await page.getByRole('button', { name: 'Load more' }).press('Enter')
  await page.getByText('300 events loaded').waitFor()
  await page.getByRole('button', { name: 'Load more' }).scrollIntoViewIfNeeded()
  const last = table(page).locator('tbody[data-index="299"]').getByRole('button')
  await last.click()
  await page.getByRole('cell', { name: '299', exact: true }).waitFor()
  t.ok(true, 'the last row unfolds')

  // The server counts these events in one part. The test divides it.
  const held: (() => void)[] = []
  await page.route('**/events/histogram/**', async (route) => {
    const isSecond = route.request().url().includes('cursor=')
    if (isSecond) await new Promise<void>((resolve) => held.push(resolve))
    const response = await route.fetch({
      url: route
        .request()
        .url()
        .replace(/&cursor=\w+/, ''),
    })
    const body = await response.json()
    if (isSecond) for (const interval of body.results) interval.count = 1
    else Object.assign(body, { exact: false, progress: 0.4, next: `${route.request().url()}&cursor=second` })
    await route.fulfill({ response, json: body }).catch(() => undefined)
  })
  const second = page.waitForRequest(/cursor=second/)
  await page.goto(`${home}/events?after=-7d&where=${encodeURIComponent('toInt(properties.number) < 10')}`)
  await page.getByText('10 events so far').waitFor()
  await page.getByText('40 % counted').waitFor()
  await second
  const cancelled = page.waitForEvent('requestfailed', (request) => request.url().includes('cursor=second'))
  await page.getByRole('link', { name: 'Exports' }).click()
  await cancelled
  t.ok(true, 'leaving the page ends the scan')
  await page.goBack()
  await page.getByText('10 events so far').waitFor()
  await page.getByRole('button', { name: 'Stop counting' }).click()
  await page.getByRole('button', { name: 'Continue counting' }).click()
  while (held.length) held.shift()?.()
  await page.getByText(/^1[78] events$/).waitFor()
  t.equal(await page.getByText('% counted').count(), 0)
})

t.test('a project without events leads to the first one', async (t) => {
  const { open, home, capture, inspect } = await openConsole(t)
  const page = await open(`${home}/events`)
  await page.getByRole('heading', { name: 'No events yet' }).waitFor()
  await inspect(page, 'events-empty')
  t.match(await page.getByRole('link', { name: 'Send the first event' }).getAttribute('href'), `${home}/home`)
  await capture([{ event: 'first event', timestamp: ago(3 * 24 * HOUR) }])
  await page.getByRole('heading', { name: 'No matching events' }).waitFor()
  await page.getByRole('button', { name: 'Search all time' }).click()
  await shows(page, ['first event'])
})

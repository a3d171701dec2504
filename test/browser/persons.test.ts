/** The persons page: search, conditions, one person with its events and sessions, deletion, and the links of events. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { ENGINES } from '../helpers/app.ts'
import { type Console, layoutShift, openConsole } from '../helpers/programs/console.ts'

t.setTimeout(15 * 60_000)

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const ago = (milliseconds: number): string => new Date(Date.now() - milliseconds).toISOString()

const SESSION = '0192b71c-5a10-7c44-8d2f-6e1b0a9c8d7e'

/** Ada with two distinct ids and a session, Grace, and visitors without properties. */
async function capturePersons({ capture }: Pick<Console, 'capture'>, visitors = 3): Promise<void> {
  const pageview = (minutes: number, path: string) => ({
    event: '$pageview',
    distinct_id: 'ada',
    timestamp: ago(minutes * MINUTE),
    properties: { $session_id: SESSION, $current_url: `https://hedgerow.example${path}` },
  })
  await capture([
    {
      event: '$identify',
      distinct_id: 'ada',
      timestamp: ago(5 * HOUR),
      properties: {
        $anon_distinct_id: '0192b71c-0000-7000-8000-00000000ada0',
        $set: { email: 'ada@example.com', name: 'Ada', plan: 'team', seats: 12, tags: ['beta', 'early'] },
      },
    },
    pageview(190, '/'),
    pageview(185, '/pricing'),
    {
      event: 'order placed',
      distinct_id: 'ada',
      timestamp: ago(180 * MINUTE),
      properties: { $session_id: SESSION, amount: 129.5, currency: 'EUR' },
    },
    {
      event: '$identify',
      distinct_id: 'user-2',
      timestamp: ago(6 * HOUR),
      properties: { $set: { email: 'grace@hedgerow.example', plan: "grace's plan" } },
    },
    ...Array.from({ length: visitors }, (_, i) => ({
      event: '$pageview',
      distinct_id: `visitor-${i}`,
      timestamp: ago(10 * HOUR + i * MINUTE),
    })),
  ])
}

const table = (page: Page) => page.getByRole('table', { name: 'Persons' })
const names = (page: Page): Promise<string[]> => table(page).locator('tbody .row-link').allInnerTexts()
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search persons' })

/** Waits until the list has exactly these persons. */
async function shows(page: Page, wanted: string[]): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const shown = await names(page)
    if (JSON.stringify(shown) === JSON.stringify(wanted)) return
    await page.waitForTimeout(50)
  }
  throw new Error(`The list shows ${JSON.stringify(await names(page))}, not ${JSON.stringify(wanted)}.`)
}

const EVERYBODY = ['ada@example.com', 'grace@hedgerow.example', 'visitor-0', 'visitor-1', 'visitor-2']

for (const engine of ENGINES)
  t.test(`finds persons by id, email and condition on ${engine}`, async (t) => {
    const console = await openConsole(t, engine)
    const { open, api, home, project, inspect } = console
    await capturePersons(console)
    const page = await open(`${home}/events`)
    await page.getByRole('navigation').getByRole('link', { name: 'Persons' }).click()
    await shows(page, EVERYBODY)
    const row = await table(page).getByRole('row').nth(1).boundingBox()
    t.ok((row?.height ?? 99) <= 37, 'a row has one line')
    await page.reload()
    await shows(page, EVERYBODY)
    t.ok((await layoutShift(page)) <= 0.05, 'nothing moves')
    if (engine === 'sqlite') await inspect(page, 'persons')

    await t.test('the search is in the URL and finds the start of ids and emails', async (t) => {
      await search(page).fill('grace@')
      await shows(page, ['grace@hedgerow.example'])
      await page.waitForURL(/search=grace/)
      await page.reload()
      await shows(page, ['grace@hedgerow.example'])
      t.equal(await search(page).inputValue(), 'grace@')
      await search(page).fill('visitor-1')
      await shows(page, ['visitor-1'])
      const { results } = await api('GET', `/api/projects/${project}/persons/?distinct_id=ada`)
      await search(page).fill(results[0]?.id ?? '')
      await shows(page, ['ada@example.com'])
      await search(page).fill('nobody')
      await page.getByRole('heading', { name: 'No person found' }).waitFor()
      if (engine === 'sqlite') await inspect(page, 'persons-none')
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await shows(page, EVERYBODY)
      t.equal(await search(page).inputValue(), '')
    })

    await t.test('a form writes conditions on properties as HogQL', async (t) => {
      await page.getByRole('button', { name: 'Add filter: Property' }).click()
      const form = page.getByRole('dialog', { name: 'Add filter: Property' })
      const property = form.getByRole('combobox', { name: 'Property' })
      await property.press('Enter')
      await form.getByText('Enter the name of a property.').waitFor()
      await property.fill('pla')
      await form.getByRole('option', { name: 'plan' }).click()
      await form.getByRole('textbox', { name: 'Value' }).fill("grace's plan")
      if (engine === 'sqlite') await inspect(page, 'persons-property')
      await page.keyboard.press('Enter')
      await shows(page, ['grace@hedgerow.example'])
      const condition = page.getByRole('textbox', { name: 'HogQL condition' })
      t.equal(await condition.inputValue(), "properties.plan = 'grace\\'s plan'")
      if (engine === 'sqlite') await inspect(page, 'persons-condition')

      await page.getByRole('button', { name: 'Remove' }).click()
      await shows(page, EVERYBODY)
      await page.getByRole('button', { name: 'Add filter: Property' }).click()
      await property.fill('seats')
      await form.getByRole('combobox', { name: 'Operator' }).selectOption('is greater than')
      await form.getByRole('textbox', { name: 'Value' }).fill('many')
      await form.getByRole('button', { name: 'Add condition' }).click()
      await form.getByText('Enter a number.').waitFor()
      await form.getByRole('textbox', { name: 'Value' }).fill('5')
      await form.getByRole('button', { name: 'Add condition' }).click()
      await shows(page, ['ada@example.com'])
      await page.goBack()
      await shows(page, EVERYBODY)
      await page.goForward()
      await shows(page, ['ada@example.com'])
    })

    await t.test('an error in the condition is shown at its place', async (t) => {
      const condition = page.getByRole('textbox', { name: 'HogQL condition' })
      await condition.fill("properties.plan != 'x'\nand nonsense")
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.getByText('Unknown field "nonsense" (line 3, column 5). Line 1 is "SELECT').waitFor()
      t.equal(await page.locator('mark').innerText(), 'n')
      await page.getByText('Correct the condition to see persons.').waitFor()
      if (engine === 'sqlite') await inspect(page, 'persons-error')
      await condition.fill("properties.plan = 'team' or distinct_id = 'visitor-0'")
      await condition.press('Enter')
      await shows(page, ['ada@example.com', 'visitor-0'])
      await search(page).fill('visitor')
      await shows(page, ['visitor-0'])
      await page.getByRole('button', { name: 'Remove' }).click()
      await shows(page, ['visitor-0', 'visitor-1', 'visitor-2'])
    })

    await t.test('a query that takes too long can be repeated', async (t) => {
      await page.route('**/query/', (route) =>
        route.fulfill({
          status: 400,
          json: { type: 'validation_error', code: 'query_timeout', detail: 'The query took too long.', attr: null },
        }),
      )
      await page.goto(`${home}/persons?where=${encodeURIComponent("properties.plan = 'team'")}`)
      await page.getByRole('alert').getByText('The query took too long.').waitFor()
      await page.unroute('**/query/')
      await page.getByRole('button', { name: 'Retry' }).click()
      await shows(page, ['ada@example.com'])
      t.ok(true)
    })
  })

for (const engine of ENGINES)
  t.test(`shows one person on ${engine}`, async (t) => {
    const console = await openConsole(t, engine)
    const { open, home, inspect, member } = console
    await capturePersons(console)
    const page = await open(`${home}/persons`)
    await table(page).getByRole('link', { name: 'ada@example.com' }).click()
    await page.getByRole('heading', { level: 1, name: 'ada@example.com' }).waitFor()
    const events = page.getByRole('table', { name: 'Latest events' })

    await t.test('with properties, distinct ids and the latest events', async (t) => {
      t.strictSame(await events.locator('tbody .row-link').allInnerTexts(), [
        'order placed',
        '$pageview',
        '$pageview',
        '$identify',
      ])
      const ids = page.getByRole('region', { name: 'Distinct ids' })
      await ids.getByRole('heading', { name: 'Distinct ids (2)' }).waitFor()
      await ids.getByText('0192b71c-0000-7000-8000-00000000ada0', { exact: true }).waitFor()
      const properties = page.getByRole('table', { name: 'Properties of the person' })
      await properties.getByRole('cell', { name: '["beta","early"]' }).waitFor()
      await page.getByText('identified', { exact: true }).waitFor()
      await page.reload()
      await events.waitFor()
      t.ok((await layoutShift(page)) <= 0.05, 'nothing moves')
      if (engine === 'sqlite') await inspect(page, 'person')
      await page.getByRole('textbox', { name: 'Search properties' }).fill('team')
      await properties.getByRole('cell', { name: 'email' }).waitFor({ state: 'detached' })
      await page.waitForURL(/find=team/)
      await page.getByRole('button', { name: 'Find persons with plan: this value' }).click()
      await shows(page, ['ada@example.com'])
      await page.goBack()
      t.equal(await page.getByRole('textbox', { name: 'Search properties' }).inputValue(), 'team')
    })

    await t.test('with its sessions, which lead to their events', async (t) => {
      await page
        .getByRole('navigation', { name: 'Activity of the person' })
        .getByRole('link', { name: 'Sessions' })
        .click()
      const sessions = page.getByRole('table', { name: 'Sessions' })
      const row = sessions.getByRole('row').nth(1)
      await row.waitFor()
      t.match((await row.getByRole('cell').allInnerTexts()).slice(1), [
        '10 min',
        /^3\b/,
        /^2\b/,
        'https://hedgerow.example/',
      ])
      if (engine === 'sqlite') await inspect(page, 'person-sessions')
      await row.getByRole('link').click()
      await page.getByText('3 events loaded, newest first.').waitFor()
      await page.goBack()
      await sessions.waitFor()
    })

    await t.test('and its events open on the events page', async (t) => {
      await page
        .getByRole('navigation', { name: 'Activity of the person' })
        .getByRole('link', { name: 'Events' })
        .click()
      await events.getByRole('link', { name: 'order placed' }).click()
      await page.getByRole('group', { name: 'Event order placed' }).waitFor()
      await page.getByText('4 events loaded, newest first.').waitFor()
      await page.goBack()
      await page.getByRole('link', { name: 'All events of this person' }).click()
      await page.getByText('4 events loaded, newest first.').waitFor()
      t.ok(true)
    })

    await t.test('events link to their person', async (t) => {
      await page.goto(`${home}/events`)
      const list = page.getByRole('table', { name: 'Events', exact: true })
      await list.getByRole('link', { name: 'ada@example.com' }).first().click()
      await page.getByRole('heading', { level: 1, name: 'ada@example.com' }).waitFor()
      await page.goBack()
      await list.getByRole('button', { name: /^Unfold order placed/ }).click()
      await page.getByRole('tab', { name: 'Person' }).click()
      await page.getByRole('link', { name: 'Open the person' }).click()
      await page.getByRole('heading', { level: 1, name: 'ada@example.com' }).waitFor()
      await page.goto(`${home}/persons/find?distinct_id=nobody`)
      await page.getByRole('heading', { name: 'No person has this distinct id' }).waitFor()
      await page.goto(`${home}/persons/0192b71c-0000-7000-8000-000000000000`)
      await page.getByRole('heading', { name: 'This person does not exist' }).waitFor()
      if (engine === 'sqlite') await inspect(page, 'person-missing')
      t.ok(true)
    })

    await t.test('a member cannot delete a person, and the button says why', async (t) => {
      await member('mia@example.com', 1)
      const other = await open(`${home}/persons?search=visitor-0`, { email: 'mia@example.com' })
      await table(other).getByRole('link', { name: 'visitor-0' }).click()
      const button = other.getByRole('button', { name: 'Delete' })
      await button.waitFor()
      t.equal(await button.getAttribute('aria-disabled'), 'true')
      await button.click({ force: true })
      t.equal(await other.getByRole('dialog').count(), 0)
    })

    await t.test('an administrator deletes a person, and its events on request', async (t) => {
      await page.goto(`${home}/persons?search=visitor-0`)
      await table(page).getByRole('link', { name: 'visitor-0' }).click()
      await page.getByRole('button', { name: 'Delete' }).click()
      const dialog = page.getByRole('dialog', { name: 'Delete visitor-0?' })
      await dialog.getByText(/A later event with one of the distinct ids creates a person again/).waitFor()
      if (engine === 'sqlite') await inspect(page, 'person-delete')
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Delete' }).click()
      await dialog.getByRole('button', { name: 'Delete person' }).click()
      await page.getByText('The person is deleted. Its events stay.').waitFor()
      await shows(
        page,
        EVERYBODY.filter((name) => name !== 'visitor-0'),
      )

      await table(page).getByRole('link', { name: 'visitor-1' }).click()
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('checkbox', { name: 'Also delete the events that arrived so far' }).check()
      await page.getByRole('button', { name: 'Delete person' }).click()
      await page.getByText('Its events are deleted in the background.').waitFor()
      await page.goto(`${home}/events?distinct_id=visitor-1`)
      await page.getByRole('heading', { name: 'No matching events' }).waitFor()
      await page.goto(`${home}/events?distinct_id=visitor-0`)
      await page.getByText('1 event loaded, newest first.').waitFor()
      t.ok(true)
    })
  })

t.test('a long list has pages, and a phone shows cards that do not move', async (t) => {
  const console = await openConsole(t)
  const { open, home } = console
  await capturePersons(console, 60)
  const page = await open(`${home}/persons`)
  await page.getByText('50 persons on this page').waitFor()
  t.ok(await page.getByRole('button', { name: 'Newer' }).isDisabled())
  await page.getByRole('button', { name: 'Older' }).click()
  await page.getByText('12 persons on this page').waitFor()
  await page.reload()
  await page.getByText('12 persons on this page').waitFor()
  await page.getByRole('button', { name: 'Newer' }).click()
  await page.getByText('50 persons on this page').waitFor()

  await page.goto(`${home}/persons?where=${encodeURIComponent("distinct_id LIKE 'visitor%'")}`)
  await page.getByText('50 persons on this page').waitFor()
  await page.getByRole('button', { name: 'Older' }).click()
  await page.getByText('10 persons on this page').waitFor()
  t.match(page.url(), /page=2/)
  await page.getByRole('button', { name: 'Newer' }).click()
  await page.getByText('50 persons on this page').waitFor()
  t.notMatch(page.url(), /page=/)

  const phone = await open(`${home}/persons`, { width: 'phone' })
  await phone.getByText('50 persons on this page').waitFor()
  t.ok((await layoutShift(phone)) <= 0.05, 'the list does not move')
  t.ok(await phone.evaluate('document.documentElement.scrollWidth <= innerWidth'))
  await table(phone).getByRole('link', { name: 'ada@example.com' }).click()
  await phone.getByRole('table', { name: 'Latest events' }).waitFor()
  await phone.reload()
  await phone.getByRole('table', { name: 'Latest events' }).waitFor()
  t.ok((await layoutShift(phone)) <= 0.05, 'the person does not move')
})

t.test('a project without events leads to the first one, and a failed list can be repeated', async (t) => {
  const { open, home, inspect } = await openConsole(t)
  const page = await open(`${home}/persons`)
  await page.getByRole('heading', { name: 'No events yet' }).waitFor()
  await inspect(page, 'persons-empty')
  await page.route('**/persons/?*', (route) =>
    route.fulfill({ status: 400, json: { type: 'validation_error', code: 'invalid', detail: 'Broken.', attr: null } }),
  )
  await page.reload()
  await page.getByRole('alert').getByText('Broken.').waitFor()
  await page.unroute('**/persons/?*')
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('heading', { name: 'No events yet' }).waitFor()
  t.ok(true)
})

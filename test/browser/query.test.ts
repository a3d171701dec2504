/** The query page: editor, completion, errors, table, chart, files, recent queries and cancelling. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import t from 'tap'
import { ENGINES } from '../helpers/app.ts'
import { type Console, openConsole } from '../helpers/programs/console.ts'

t.setTimeout(15 * 60_000)

const HOUR = 3_600_000
const ago = (milliseconds: number): string => new Date(Date.now() - milliseconds).toISOString()

const captureOrders = ({ capture }: Console): Promise<void> =>
  capture([
    { event: 'order placed', timestamp: ago(3 * HOUR), properties: { amount: 12, currency: 'EUR', 'gift card': 'no' } },
    { event: 'order placed', timestamp: ago(2 * HOUR), properties: { amount: 130.5, currency: 'USD' } },
    { event: 'order placed', timestamp: ago(1 * HOUR), properties: { amount: 7, currency: 'EUR' } },
    {
      event: '=1+1, "quoted"',
      distinct_id: 'grace',
      timestamp: ago(4 * HOUR),
      properties: { $set: { plan: 'team' }, note: 'a long text '.repeat(40) },
    },
  ])

const editorOf = (page: Page) => page.getByRole('textbox', { name: 'HogQL query' })

async function write(page: Page, text: string): Promise<void> {
  const editor = editorOf(page)
  await editor.press('ControlOrMeta+a')
  await editor.press('Backspace')
  await page.keyboard.insertText(text)
}

/** `innerText` of the editor has all its lines. */
async function textOf(page: Page): Promise<string> {
  // The editor may be loaded after the rows.
  await editorOf(page).waitFor()
  return (await page.locator('.cm-line').allInnerTexts()).map((line) => line.replace(/\n$/, '')).join('\n')
}

async function run(page: Page, text: string): Promise<void> {
  await write(page, text)
  const answered = page.waitForResponse((response) => response.url().endsWith('/query/'))
  await page.keyboard.press('ControlOrMeta+Enter')
  await answered
}

const table = (page: Page) => page.getByRole('table', { name: 'Result' })

const SCROLLER = `document.querySelector('[aria-label="Rows of the result"]')`

/** The rows without their numbers. */
const rowsOf = async (page: Page): Promise<string[][]> => {
  const rows = await table(page).getByRole('row').all()
  const texts = await Promise.all(rows.slice(1).map((row) => row.getByRole('cell').allInnerTexts()))
  return texts.map((cells) => cells.slice(1, -1))
}

async function downloaded(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ])
  return readFile(await download.path(), 'utf8')
}

const BY_NAME = 'SELECT event, count() AS events\nFROM events\nGROUP BY event\nORDER BY events DESC'

for (const engine of ENGINES)
  t.test(`runs a query and shows its rows on ${engine}`, async (t) => {
    const console = await openConsole(t, engine)
    const { open, home, inspect } = console
    await captureOrders(console)
    const page = await open(`${home}/events`)
    await page.getByRole('link', { name: 'Query' }).click()
    await page.getByRole('heading', { name: 'Ask about your data' }).waitFor()
    await editorOf(page).waitFor()
    t.ok(await page.getByRole('button', { name: 'Run' }).isDisabled())
    if (engine === 'sqlite') await inspect(page, 'query-start')
    await page.getByRole('button', { name: 'Events by name' }).click()
    await table(page).waitFor()
    t.match(await textOf(page), /^SELECT event, count\(\) AS events\nFROM events/)

    await run(page, BY_NAME)
    await page.getByText('2 rows', { exact: true }).waitFor()
    await page.getByText(/^in \d+ (ms|s), \d+ rows read$/).waitFor()
    await page.getByText('Answered from hourly counts. The query only counts events by name and time.').waitFor()
    t.strictSame(await rowsOf(page), [
      ['order placed', '3'],
      ['=1+1, "quoted"', '1'],
    ])
    const style = await page.evaluate(`(() => {
      const { textAlign, fontVariantNumeric } = getComputedStyle(document.querySelector('td[data-number]'))
      return [textAlign, fontVariantNumeric]
    })()`)
    t.strictSame(style, ['end', 'tabular-nums'])
    if (engine === 'sqlite') await inspect(page, 'query-table')

    await t.test('sorts the rows, and keeps the view in the URL', async (t) => {
      const header = page.getByRole('columnheader', { name: 'events' })
      const clickUntil = async (order: string): Promise<void> => {
        await header.getByRole('button').click()
        await header.and(page.locator(`[aria-sort="${order}"]`)).waitFor()
      }
      await clickUntil('ascending')
      t.strictSame((await rowsOf(page)).flat(), ['=1+1, "quoted"', '1', 'order placed', '3'])
      await clickUntil('descending')
      await clickUntil('none')
      await page.getByRole('columnheader', { name: 'event', exact: true }).getByRole('button').click()
      await page.waitForURL(/sort=1/)
      await page.reload()
      await table(page).waitFor()
      t.equal(await textOf(page), BY_NAME)
      t.strictSame((await rowsOf(page)).flat(), ['=1+1, "quoted"', '1', 'order placed', '3'])
    })

    await t.test('downloads the rows as CSV and JSON', async (t) => {
      t.equal(
        await downloaded(page, 'Download CSV'),
        'event,events\r\n"\'=1+1, ""quoted""",1\r\norder placed,3\r\n',
        'formulas are escaped',
      )
      t.strictSame(JSON.parse(await downloaded(page, 'Download JSON')), [
        { event: '=1+1, "quoted"', events: 1 },
        { event: 'order placed', events: 3 },
      ])
    })

    await t.test('draws a chart by name and over time', async () => {
      await page.getByText('Chart', { exact: true }).click()
      await page.getByRole('img', { name: 'Chart of events by event, 2 bars. The table shows all rows.' }).waitFor()
      await page.waitForURL(/view=chart/)
      if (engine === 'sqlite') await inspect(page, 'query-chart')
      await run(
        page,
        'SELECT toStartOfHour(timestamp) AS hour, count(), avg(toFloat(properties.amount)) AS average FROM events GROUP BY hour',
      )
      await page.getByRole('img', { name: 'Chart of average by hour, 4 bars. The table shows all rows.' }).waitFor()
      await page.getByRole('combobox', { name: 'Bars' }).selectOption('count()')
      await page.getByRole('img', { name: 'Chart of count() by hour, 4 bars. The table shows all rows.' }).waitFor()
      await page.reload()
      await page.getByRole('img', { name: 'Chart of count() by hour, 4 bars. The table shows all rows.' }).waitFor()
      if (engine === 'sqlite') await inspect(page, 'query-chart-time')
      await run(page, 'SELECT event FROM events')
      await page.getByText('A chart needs a column with numbers, such as count().').waitFor()
      await page.getByText('Table', { exact: true }).click()
    })

    await t.test('shows all of a row', async (t) => {
      await run(
        page,
        'SELECT event, properties.note AS note, properties.nothing AS nothing FROM events ORDER BY timestamp LIMIT 2',
      )
      await page.getByText('First 2 rows', { exact: true }).waitFor()
      await page.getByText(/^More rows match\. The limit of this query is 2 rows/).waitFor()
      await page.getByText(/^Answered from rows\./).waitFor()
      await page.getByRole('button', { name: 'Show row 1' }).click()
      const dialog = page.getByRole('dialog', { name: 'Row 1' })
      await dialog.getByText('a long text '.repeat(40).trim()).waitFor()
      await dialog.getByText('NULL').waitFor()
      if (engine === 'sqlite') await inspect(page, 'query-row')
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      t.ok(true)
    })

    await t.test('a query without rows says what to do', async () => {
      await run(page, "SELECT event FROM events WHERE event = 'nothing'")
      await page.getByRole('heading', { name: 'No rows' }).waitFor()
    })
  })

for (const engine of ENGINES)
  t.test(`marks errors and completes names on ${engine}`, async (t) => {
    const console = await openConsole(t, engine)
    const { open, home, inspect } = console
    await captureOrders(console)
    const page = await open(`${home}/query`)
    const mark = page.locator('.query-error')

    await t.test('the word at the position of an error is underlined', async (t) => {
      await run(page, "SELECT event,\n  'größe' AS size, nonsense\nFROM events")
      await page.getByRole('alert').getByText('Unknown field').waitFor()
      await mark.waitFor()
      t.equal(await mark.innerText(), 'nonsense')
      if (engine === 'sqlite') await inspect(page, 'query-error')
      await run(page, 'SELECT event,\n  nonsense\nFROM events')
      t.equal(await mark.innerText(), 'nonsense')
      t.equal(await page.locator('.cm-line', { has: mark }).innerText(), '  nonsense')
      await run(page, 'SELECT event FROM')
      t.equal(await mark.innerText(), 'M', 'at the end of the text it is the last character')
      await run(page, 'SELECT event FROM events')
      await table(page).waitFor()
      t.equal(await mark.count(), 0)
    })

    await t.test('the position does not come from the message', async (t) => {
      await page.route('**/query/', (route) =>
        route.fulfill({
          status: 400,
          json: {
            type: 'validation_error',
            code: 'invalid_input',
            detail: 'Otro idioma (line 1, column 1).',
            attr: 'query__query',
            position: { line: 2, column: 6 },
          },
        }),
      )
      await run(page, 'SELECT wrong\nFROM events')
      await page.getByRole('alert').getByText('Otro idioma').waitFor()
      t.equal(await mark.innerText(), 'events')
      await page.unroute('**/query/')
    })

    await t.test('another error has a button that tries again', async () => {
      await page.route('**/query/', (route) =>
        route.fulfill({
          status: 400,
          json: { type: 'validation_error', code: 'query_timeout', detail: 'The query took too long.', attr: null },
        }),
      )
      await run(page, 'SELECT event FROM events LIMIT 3')
      await page.getByRole('alert').getByText('The query took too long.').waitFor()
      if (engine === 'sqlite') await inspect(page, 'query-failed')
      await page.unroute('**/query/')
      await page.getByRole('button', { name: 'Retry' }).click()
      await page.getByText('First 3 rows', { exact: true }).waitFor()
    })

    await t.test('completes functions, fields, tables and the names of the project', async (t) => {
      const options = page.getByRole('listbox', { name: 'Completions' })
      const accept = async (name: RegExp): Promise<void> => {
        await options.getByRole('option', { name }).first().waitFor()
        // Keys are ignored for a moment after the list appears.
        await page.waitForTimeout(150)
        await page.keyboard.press('Enter')
        await options.waitFor({ state: 'detached' })
      }
      await write(page, '')
      await page.keyboard.type('SELECT uni')
      await accept(/^uniq ?aggregation/)
      await page.keyboard.type('disti')
      if (engine === 'sqlite') {
        await options.waitFor()
        await inspect(page, 'query-completion')
        await editorOf(page).press('End')
        await page.keyboard.press('ArrowLeft')
        await page.keyboard.press('Control+Space')
      }
      await accept(/^distinct_id ?field/)
      await page.keyboard.press('End')
      await page.keyboard.type(', sum(toFloat(properties.amo')
      await accept(/^amount ?property/)
      await page.keyboard.type(')), any(properties.gif')
      await accept(/^gift card ?property/)
      await page.keyboard.type(') FROM ev')
      await accept(/^events ?table/)
      await page.keyboard.type(" WHERE event = 'ord")
      await accept(/^order placed ?event/)
      t.equal(
        await textOf(page),
        "SELECT uniq(distinct_id), sum(toFloat(properties.amount)), any(properties['gift card']) FROM events WHERE event = 'order placed'",
      )
      await page.keyboard.press('ControlOrMeta+Enter')
      await table(page).getByRole('cell', { name: '149.5' }).waitFor()
      await write(page, '')
      await page.keyboard.type('SELECT person.properties.pl')
      await accept(/^plan ?property/)
      t.equal(await textOf(page), 'SELECT person.properties.plan')
    })
  })

for (const engine of ENGINES)
  t.test(`keeps the text and the recent queries on ${engine}`, async (t) => {
    const console = await openConsole(t, engine)
    const { open, home, inspect, member, project } = console
    await captureOrders(console)
    const page = await open(`${home}/query`)

    await t.test('the text is in the URL, and so are the queries before', async (t) => {
      await run(page, 'SELECT 1 AS first FROM events')
      await table(page).getByRole('columnheader', { name: 'first' }).waitFor()
      await run(page, "SELECT 2 AS second\nFROM events WHERE event != 'a & b'")
      await table(page).getByRole('columnheader', { name: 'second' }).waitFor()
      await page.goBack()
      await table(page).getByRole('columnheader', { name: 'first' }).waitFor()
      t.equal(await textOf(page), 'SELECT 1 AS first FROM events')
      await page.goForward()
      await table(page).getByRole('columnheader', { name: 'second' }).waitFor()
      t.equal(new URL(page.url()).searchParams.get('q'), "SELECT 2 AS second\nFROM events WHERE event != 'a & b'")
      await write(page, 'SELECT unfinished')
      await page.waitForURL(/unfinished/)
      await page.reload()
      await editorOf(page).waitFor()
      t.equal(await textOf(page), 'SELECT unfinished')
      await page.getByRole('heading', { name: 'Ask about your data' }).waitFor()
      await page.goBack()
      await table(page).getByRole('columnheader', { name: 'second' }).waitFor()
    })

    const list = page.getByRole('list', { name: 'Recent queries' })
    const openList = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Recent queries' }).click()
      await page.getByRole('dialog', { name: 'Recent queries' }).waitFor()
    }

    await t.test('lists recent queries, newest first and each once', async (t) => {
      await run(page, 'SELECT 1 AS first FROM events')
      await page.reload()
      await openList()
      await list.waitFor()
      const texts = await list.getByRole('button').allInnerTexts()
      t.equal(texts.length, 2)
      t.match(texts[0], /^SELECT 1 AS first FROM events\s+just now$/)
      if (engine === 'sqlite') await inspect(page, 'query-recent')
      await list.getByRole('button').nth(1).click()
      await page.locator('.cm-line', { hasText: 'SELECT 2 AS second' }).waitFor()
    })

    await t.test('stores at most 50 and reads any content', async (t) => {
      const keys: string[] = await page.evaluate(
        "Object.keys(localStorage).filter((key) => key.startsWith('queries/'))",
      )
      t.equal(keys.length, 1)
      const key = JSON.stringify(keys[0])
      t.match(keys[0], new RegExp(`^queries/[\\w-]+/${project}$`))
      const many = Array.from({ length: 80 }, (_, i) => ({ text: `SELECT ${i} FROM events`, at: ago(i * HOUR) }))
      for (const [stored, expected] of [
        ['{', 0],
        ['null', 0],
        [JSON.stringify([null, 7, { text: 5 }, { text: 'SELECT 1 FROM events', at: 'never' }, many[0]]), 1],
        [JSON.stringify(many), 50],
        [JSON.stringify([{ text: 'x'.repeat(20_000), at: ago(0) }]), 0],
      ] as const) {
        await page.evaluate(`localStorage.setItem(${key}, ${JSON.stringify(stored)})`)
        await openList()
        if (expected === 0) await page.getByText('No queries yet.').waitFor()
        t.equal(await list.getByRole('button').count(), expected, stored.slice(0, 20))
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
      }
      await page.evaluate(`localStorage.setItem(${key}, ${JSON.stringify(JSON.stringify(many))})`)
      await run(page, 'SELECT 51 AS newest FROM events')
      const stored: string = await page.evaluate(`localStorage.getItem(${key})`)
      t.equal(JSON.parse(stored).length, 50)
      await openList()
      await page.getByRole('button', { name: 'Clear the list' }).click()
      await page.getByText('No queries yet.').waitFor()
      t.equal(await page.evaluate(`localStorage.getItem(${key})`), null)
    })

    await t.test('a long query runs without being in the URL', async (t) => {
      await page.keyboard.press('Escape')
      await run(page, `SELECT event FROM events WHERE event != '${'ä'.repeat(3_000)}'`)
      await page.getByText('4 rows', { exact: true }).waitFor()
      await page.getByText('This query is too long for the address of the page.').waitFor()
      t.equal(new URL(page.url()).searchParams.get('q'), null)
    })

    await t.test('a member has the page, and finds it by search', async () => {
      await member('member@example.com', 1)
      const other = await open(`${home}/events`, { email: 'member@example.com' })
      await other.getByRole('table', { name: 'Events', exact: true }).waitFor()
      await other.keyboard.press('ControlOrMeta+k')
      await other.getByRole('combobox', { name: 'Search' }).fill('quer')
      await other.getByRole('option', { name: /^Query/ }).waitFor()
      await other.keyboard.press('Enter')
      await other.getByRole('heading', { level: 1, name: 'Query' }).waitFor()
      await run(other, 'SELECT event FROM events')
      await other.getByText('4 rows', { exact: true }).waitFor()
    })
  })

/** Compares each number of a long list with all others. */
const SLOW = `SELECT sum(length(arrayFilter(
  x -> length(arrayFilter(y -> y = x, JSONExtractArrayRaw(properties, 'numbers'))) > 1,
  JSONExtractArrayRaw(properties, 'numbers')))) FROM events`

for (const engine of ENGINES)
  t.test(`cancels a query, and scrolls through many rows on ${engine}`, async (t) => {
    const { open, home, capture, inspect } = await openConsole(t, engine, { EVENTS_QUERY_TIMEOUT_MS: '120000' })
    const numbers = Array.from({ length: 2_000 }, (_, i) => i)
    await capture(Array.from({ length: 40 }, (_, i) => ({ event: `long ${i}`, properties: { numbers } })))
    for (const part of [0, 1, 2])
      await capture(
        Array.from({ length: 500 }, (_, i) => ({
          event: `number ${part * 500 + i}`,
          timestamp: ago(HOUR + i),
          properties: { plan: 'a'.repeat(i % 60), n: part * 500 + i },
        })),
      )
    const page = await open(`${home}/query`)

    await t.test('cancels on the server too', async (t) => {
      await write(page, SLOW)
      const started = page.waitForRequest((request) => request.url().endsWith('/query/'))
      await page.getByRole('button', { name: 'Run' }).click()
      await started
      await page.getByText(/^Running for \d+ s$/).waitFor()
      if (engine === 'sqlite') await inspect(page, 'query-running')
      const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/query/'))
      await page.getByRole('button', { name: 'Cancel' }).click()
      await failed
      await page.getByText('The query was cancelled.').waitFor()
      t.equal(await page.getByRole('button', { name: 'Cancel' }).count(), 0)
      // A project runs one slow query at a time, so this one would wait for the other.
      const start = Date.now()
      await run(
        page,
        "SELECT toInt(properties.n) AS n, event, properties.plan AS plan, uuid, timestamp FROM events WHERE event LIKE 'number%' ORDER BY n LIMIT 2000",
      )
      await page.getByText('1,500 rows', { exact: true }).waitFor()
      t.ok(Date.now() - start < 30_000, 'the server has cancelled the query')
    })

    await t.test('renders only the visible rows', async (t) => {
      t.ok((await table(page).getByRole('row').count()) < 60)
      t.equal(await table(page).getAttribute('aria-rowcount'), '1501')
      const header = page.getByRole('columnheader', { name: 'uuid' })
      const before = await header.boundingBox()
      await page.evaluate(`${SCROLLER}.scrollTop = 1e9`)
      await table(page).getByRole('cell', { name: 'number 1499' }).waitFor()
      t.strictSame(await header.boundingBox(), before, 'the columns and the header do not move')
      if (engine === 'sqlite') await inspect(page, 'query-rows')
      await page.getByRole('columnheader', { name: 'n', exact: true }).getByRole('button').click()
      await page.getByRole('columnheader', { name: 'n', exact: true }).getByRole('button').click()
      await page.waitForURL(/sort=-1/)
      await page.evaluate(`${SCROLLER}.scrollTop = 0`)
      await table(page).getByRole('cell', { name: 'number 1499' }).waitFor()
      t.strictSame((await rowsOf(page))[0]?.slice(0, 2), ['1499', 'number 1499'])
    })

    await t.test('on a phone the table scrolls inside itself', async (t) => {
      const phone = await open(`${home}/query?${new URLSearchParams({ q: 'SELECT * FROM events LIMIT 20' })}`, {
        width: 'phone',
      })
      await table(phone).waitFor()
      t.ok(await phone.evaluate('document.documentElement.scrollWidth <= innerWidth'))
      t.ok(await phone.evaluate(`${SCROLLER}.scrollWidth > ${SCROLLER}.clientWidth`))
      await phone.evaluate(`${SCROLLER}.scrollLeft = 1e9`)
      t.ok(await phone.getByRole('columnheader', { name: 'created_at' }).isVisible())
    })
  })

t.test('a project without events leads to the first one', async (t) => {
  const { open, home, inspect } = await openConsole(t)
  const page = await open(`${home}/query`)
  await page.getByRole('button', { name: 'Events per day' }).click()
  await page.getByRole('heading', { name: 'No events yet' }).waitFor()
  await inspect(page, 'query-empty')
  t.match(await page.getByRole('link', { name: 'Send the first event' }).getAttribute('href'), `${home}/home`)
})

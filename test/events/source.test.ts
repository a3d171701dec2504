/** Pages of events as deliveries read them. */
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { CELL, CELL_ESCAPES } from '../../src/events/cells.ts'
import { recount } from '../../src/events/counts.ts'
import { type Cursor, EVENT_COLUMNS, type Extract, type Page } from '../../src/events/extract.ts'
import { lineWriter, openOutput, viewed } from '../../src/events/line-writer.ts'
import type { Encoding } from '../../src/events/lines.ts'
import { openSource, type Source } from '../../src/events/source.ts'
import { sql } from '../../src/sql/template.ts'
import { ENGINES, nextEngines, onBothEngines, openApp } from '../helpers/app.ts'
import { bySize } from '../helpers/assertions/figures.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import { ingest, plainEvents } from '../helpers/seeds/exports.ts'

const COUNT = 95
const { uuid, event, distinct_id, person_id, properties, timestamp, elements_chain, set, ip } = EVENT_COLUMNS

const extractOf = (project_id: number, encoding: Encoding): Extract => ({
  model: 'events',
  project_id,
  range: { by: 'times', start: 0, end: 9e15 },
  columns: [uuid, event, distinct_id, person_id, properties, timestamp, elements_chain, set, ip],
  encoding,
  include: ["it's", 'back\\slash "quoted"', 'seen'],
  exclude: [],
  where: null,
})

async function pagesOf(source: Source, extract: Extract, limit: number, after: Cursor | null = null): Promise<Page[]> {
  const pages: Page[] = []
  for (let cursor = after; ; cursor = itemAt(pages, -1).cursor) {
    const page = await source.page(extract, cursor, limit)
    if (!page) return pages
    pages.push(page)
  }
}

const textOf = (pages: Page[]): string => pages.map(({ text }) => text.toString()).join('')

const texts: string[] = []
for (const engine of ENGINES)
  t.test(`reads pages (${engine})`, async (t: Test) => {
    const app = await openApp(t, engine)
    await ingest(
      app,
      plainEvents(COUNT).map((one, i) => ({
        ...one,
        event: ["it's", 'back\\slash "quoted"', 'seen'][i % 3],
        distinct_id: `person "${i}" with ${String.fromCharCode(1 + (i % 0x20))}, \x7f and \u{1f600}`,
        properties: {
          text: 'line\nbreak, "quotes" and \\ \u00e9 \u{1f600}',
          ...(i % 2 && { $ip: '1.2.3.4', $set: { a: '"' }, $elements_chain: `a:text="${'long '.repeat(i)}"` }),
        },
      })),
    )
    const url = app.deps.config.DATABASE_URL
    const extract = extractOf(app.first.project_id, 'json')
    const open = async (copy_rows?: number): Promise<Source> => {
      const source = await openSource(url, false, undefined, copy_rows)
      t.teardown(() => source.close().catch(() => undefined))
      return source
    }
    const source = await open()
    const whole = textOf(await pagesOf(source, extract, 1_000))
    t.equal(whole.split('\n').length, COUNT + 1, 'each line ends with a line break')
    const rows = whole
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    t.match(rows[8], { distinct_id: 'person "8" with \t, \x7f and \u{1f600}', ip: null, set: null, elements_chain: '' })
    t.match(rows[9], { ip: '1.2.3.4', set: { a: '"' }, elements_chain: `a:text="${'long '.repeat(9)}"` })
    for (const [limit, copy_rows] of [
      [10, 1_000],
      [10, 19],
      [7, 5],
      [95, 95],
    ] as const) {
      const other = await open(copy_rows)
      const pages = await pagesOf(other, extract, limit)
      t.ok(pages.every(({ records }) => records <= limit))
      t.equal(textOf(pages), whole, `pages of ${limit} rows, statements of ${copy_rows}`)
    }
    for (const encoding of ['csv', 'cells'] as const)
      texts.push(textOf(await pagesOf(source, extractOf(app.first.project_id, encoding), 20)))
    texts.push(whole)

    const [first, second] = await pagesOf(source, extract, 10)
    t.same(await source.page(extract, null, 10), first, 'starts again')
    t.same(await source.page(extract, first!.cursor, 10), second)
    t.equal(await source.count(extract), COUNT, 'counts between two pages')
    t.same(await source.page(extract, first!.cursor, 10, second!.cursor), second)
    t.equal(await source.page(extract, second!.cursor, 10, second!.cursor), null)
    const failing = { sql: sql`no_function(e.uuid)`, usesPerson: false }
    await t.rejects(source.page({ ...extract, where: failing }, null, 10), /no_function/)
    t.same(await source.page(extract, null, 10), first, 'continues after a failed statement')

    const closing = await open()
    await closing.page(extract, null, 1)
    await closing.close()
  })

onBothEngines(t, 'counts whole hours without reading their events', async (t, app) => {
  await app.deps.counter.stop()
  const HOUR = 3_600_000_000
  const start = Date.parse('2026-01-01T00:00:00Z') * 1_000
  const names = ['seen', 'bought', 'left']
  const events = Array.from({ length: 90 }, (_, i) => ({
    event: names[i % 3],
    // The first and the last microsecond of an hour, and one between them.
    timestamp: start + Math.floor(i / 9) * HOUR + [0, 1_234_567, HOUR - 1][Math.floor(i / 3) % 3]!,
  }))
  const iso = (time: number): string =>
    `${new Date(Math.floor(time / 1_000)).toISOString().slice(0, -1)}${String(time % 1_000).padStart(3, '0')}Z`
  await ingest(
    app,
    plainEvents(events.length).map((one, i) => ({
      ...one,
      event: itemAt(events, i).event,
      timestamp: iso(itemAt(events, i).timestamp),
    })),
  )
  const source = await openSource(app.deps.config.DATABASE_URL, false)
  t.teardown(() => source.close())
  const extract: Extract = { ...extractOf(app.first.project_id, 'json'), include: null, exclude: null }
  const bound = fc.integer({ min: -2 * HOUR, max: 12 * HOUR })
  const bounds = fc.oneof(
    bound,
    fc.constantFrom(...events.flatMap(({ timestamp }) => [-1, 0, 1].map((by) => timestamp - start + by))),
  )
  const some = fc.option(fc.subarray([...names, 'unknown', '']))
  const checkCounts = (): Promise<void> =>
    fc.assert(
      fc.asyncProperty(bounds, bounds, some, some, async (one, other, include, exclude) => {
        const range = { by: 'times', start: start + Math.min(one, other), end: start + Math.max(one, other) } as const
        const expected = events.filter(
          ({ event, timestamp }) =>
            timestamp >= range.start &&
            timestamp < range.end &&
            (!include?.length || include.includes(event!)) &&
            !exclude?.includes(event!),
        )
        const count = await source.count({ ...extract, range, include, exclude })
        if (count !== expected.length) throw new Error(`counted ${count} events, not ${expected.length}`)
      }),
      { numRuns: bySize({ quick: 25, full: 100, prove: 1_000 }) },
    )
  await checkCounts()
  const day = { ...extract, range: { by: 'times', start: start + 1, end: start + 24 * HOUR } } as const
  t.equal(await source.count(day), 87)
  await app.deps.events.run(sql`update event_counts set count = count + 100 where event = ''`)
  t.equal(await source.count(day), 987, 'adds up the counts of the nine other hours')
  await recount(app.deps.events)
  t.equal(await source.count(day), 87, 'reads the events if the counts are incomplete')
  await checkCounts()
})

t.test('reads messages between rows, and the end of a statement while the socket is paused (postgres)', async (t) => {
  const app = await openApp(t, 'postgres')
  await ingest(app, plainEvents(6))
  const url = app.deps.config.DATABASE_URL
  await app.deps.events.exec(`
    create function noticed(text) returns boolean language plpgsql as
      $$ begin raise notice 'saw %', $1; perform set_config('application_name', $1, false); return true; end $$;
    create function failing(bigint) returns boolean language plpgsql as
      $$ begin if $1 % 6 = 5 then raise 'failed on purpose'; end if; return true; end $$`)
  const extract: Extract = { ...extractOf(app.first.project_id, 'json'), columns: [uuid], include: null }
  const open = async (): Promise<Source> => {
    const source = await openSource(url, false)
    t.teardown(() => source.close().catch(() => undefined))
    return source
  }
  const source = await open()
  const whole = textOf(await pagesOf(source, extract, 6))
  t.equal(whole.split('\n').length, 7)
  const noticed = { ...extract, where: { sql: sql`noticed(e.uuid)`, usesPerson: false } }
  t.equal(textOf(await pagesOf(source, noticed, 2)), whole, 'with a notice and a parameter before each row')

  await source.page(extract, null, 6)
  t.equal(await source.count(extract), 6, 'counts when the end has arrived, but was not read')
  const failing = { ...extract, where: { sql: sql`failing(e.seq)`, usesPerson: false } }
  await t.rejects(pagesOf(source, failing, 1), /failed on purpose/, 'fails after rows')
  t.equal(textOf(await pagesOf(source, extract, 6)), whole, 'continues after a failure')
  const ending = await open()
  await t.rejects(pagesOf(ending, failing, 1), /failed on purpose/)
  await ending.close()
})

t.test('escapes every text', async (t) => {
  const encodings = {
    json: (text: string) => JSON.stringify(text).slice(1, -1),
    csv: (text: string) => text.replaceAll('"', '""'),
    cell: (text: string) =>
      CELL_ESCAPES.reduce((escaped, [one, letter]) => escaped.replaceAll(one, CELL.escape + letter), text),
    plain: (text: string) => text,
  }
  const character = fc.oneof(
    fc.constantFrom(...'"\\\n\r\t\x02\x03\x05 !#[]\x7f'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  )
  const texts = fc.array(fc.option(fc.string({ unit: character, maxLength: 300 })), { minLength: 1, maxLength: 4 })
  const property = fc.property(
    texts,
    fc.constantFrom(...(Object.keys(encodings) as (keyof typeof encodings)[])),
    (texts, form) => {
      const values = texts.map((text) => {
        const bytes = Buffer.from(text ?? '')
        const length = Buffer.alloc(4)
        length.writeInt32BE(text === null ? -1 : bytes.length)
        return Buffer.concat([length, bytes])
      })
      const fields = texts.map((_, value) => ({ lead: ',', value, form, quote: '"', none: 'none' }) as const)
      const output = openOutput(16)
      lineWriter({ values: texts.length, fields, end: ';' })(viewed(Buffer.concat(values)), 0, output)
      const written = output.bytes.toString('utf8', 0, output.length)
      const expected = texts.map((text) => (text === null ? ',none' : `,"${encodings[form](text)}"`)).join('')
      if (written !== `${expected};`) throw new Error(`wrote ${written}`)
    },
  )
  t.doesNotThrow(() => fc.assert(property, { numRuns: bySize({ quick: 500, full: 2_000, prove: 20_000 }) }))
})

t.test('builds the same text on both engines', async (t) => {
  const half = texts.length / 2
  // Times of ingestion and ids differ.
  const comparable = (list: string[]): string[] =>
    list.map((text) =>
      text.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, 'id').replace(/\d{16}|20\d\d-[\d:.TZ-]+/g, 'time'),
    )
  t.strictSame(comparable(texts.slice(0, half)), comparable(texts.slice(half)))
})

for (const engine of nextEngines())
  t.test(`writes times with all digits (${engine})`, async (t: Test) => {
    const app = await openApp(t, engine)
    const starts = ['1700-01-01T00:00:00.00000', '1969-12-31T23:59:59.99999', '1970-01-01T00:00:00.00000']
    const digits = [...starts, '2025-02-28T23:59:59.12300', '2026-01-01T00:00:00.00010']
    const times = [
      '0001-01-01T00:00:00.000000Z',
      ...digits.flatMap((start) => Array.from({ length: 10 }, (_, digit) => `${start}${digit}Z`)),
    ]
    await ingest(
      app,
      plainEvents(times.length).map((one, i) => ({ ...one, timestamp: times[i] })),
    )
    const source = await openSource(app.deps.config.DATABASE_URL, false)
    t.teardown(() => source.close())
    const extract = {
      ...extractOf(app.first.project_id, 'json'),
      range: { by: 'times', start: -7e16, end: 9e15 },
    } as const
    const linesAs = async (encoding: Encoding): Promise<string[]> =>
      textOf(await pagesOf(source, { ...extract, include: null, columns: [timestamp], encoding }, 1_000))
        .trim()
        .split('\n')
    t.same(
      (await linesAs('json')).map((line) => JSON.parse(line).timestamp),
      times,
    )
    t.same(
      (await linesAs('cells')).map((line) => line.replace(CELL.delimiter, '')),
      times.map((time) => `${BigInt(Date.parse(time)) * 1000n + BigInt(time.slice(-4, -1))}`),
    )
  })

/** Sums and averages are exact, so both engines return the same digits in any order of events. */
import t, { type Test } from 'tap'
import type { Db } from '../../src/sql/db.ts'
import { sql } from '../../src/sql/template.ts'
import { onBothEngines, type TestApp } from '../helpers/app.ts'
import { bySize, figure } from '../helpers/assertions/figures.ts'
import { cycled } from '../helpers/assertions/items.ts'
import { insertEvents, NEW_YEAR, uuid } from '../helpers/seeds/events.ts'
import { seeded } from '../helpers/seeds/seeded.ts'

const VALUES = bySize({ quick: 5_000, full: 500_000 })
const SEED = 20260401
const CHUNK = 20_000

t.setTimeout(10 * 60_000)

async function select(app: TestApp, ...columns: string[]): Promise<unknown> {
  const { body, error } = await app.call('events.list', { query: { select: JSON.stringify(columns) } })
  return error ?? body.results
}

/** Decimal places of the reference: more than a double has. */
const PLACES = 400

/** The shortest decimal of the number, times 10 ** PLACES. */
function scaled(value: number): bigint {
  const [mantissa = '', exponent] = value.toExponential().split('e')
  const [whole, fraction = ''] = mantissa.split('.')
  return BigInt(`${whole}${fraction}`) * 10n ** BigInt(PLACES + Number(exponent) - fraction.length)
}

const sumOf = (values: readonly number[]): bigint => values.reduce((sum, value) => sum + scaled(value), 0n)
const toNumber = (digits: bigint): number => Number(`${digits}e-${PLACES}`)
const average = (values: readonly number[]): number => toNumber(sumOf(values) / BigInt(values.length))

onBothEngines(t, 'adds decimals exactly', async (t, app) => {
  const values = [0.1, 0.2, 0.3, 1e16, -1e16, '0.7', 'x', null]
  for (const [event, list] of Object.entries({ forwards: values, backwards: values.toReversed() }))
    await insertEvents(
      app.deps.events,
      1,
      list.map((n) => ({ event, properties: { n } })),
    )
  const n = 'toFloat(properties.n)'
  t.strictSame(await select(app, 'event', `sum(${n})`, `avg(${n})`), [
    ['backwards', 1.3, 0.21666666666666667],
    ['forwards', 1.3, 0.21666666666666667],
  ])
  t.strictSame(await select(app, `sumIf(${n}, ${n} > 0 and ${n} < 0.7)`, `avgIf(${n}, ${n} < 0.5)`), [
    [1.2, average([0.1, 0.2, 0.3, -1e16])],
  ])
  t.strictSame(await select(app, `avgIf(0.1, ${n} > 0)`, `sumIf(${n}, false)`, `avgIf(${n}, false)`), [
    [0.1, null, null],
  ])
  // The sum exceeds the largest double, the average does not.
  const large = `${n} * 1e100 * 1e100 * 1e92`
  const [most, least] = [1e16, 0.7].map((value) => value * 1e100 * 1e100 * 1e92) as [number, number]
  t.strictSame(await select(app, `sumIf(${large}, ${n} > 0.5)`, `avgIf(${large}, ${n} > 0.5)`), [
    [null, average([most, most, least, least])],
  ])
})

const addsValues = async (t: Test, app: TestApp): Promise<void> => {
  const coarse = seeded(SEED)
  /** A number from 0 to 1 with all bits of a double. */
  const random = (): number => coarse() + coarse() / 2 ** 31
  const kinds: (() => number)[] = [
    () => Math.round(random() * 40_000) / 100,
    () => random() * 1e6,
    () => (random() - 0.5) * 10 ** Math.round((random() - 0.5) * 190),
    () => Math.round((random() - 0.5) * 1e15),
  ]
  const values = Array.from({ length: VALUES }, (_, i) => cycled(kinds, i)())
  for (let from = 0; from < VALUES; from += CHUNK)
    await insertMany(app.deps.events, from, values.slice(from, from + CHUNK))

  const value = 'toFloat(properties.value)'
  const expected = (list: readonly number[]): number[] => [toNumber(sumOf(list)), average(list)]
  t.strictSame(await select(app, `sum(${value})`, `avg(${value})`), [expected(values)])
  for (const kind of kinds.keys()) {
    const own = values.filter((_, i) => i % kinds.length === kind)
    t.strictSame(
      await select(app, `sumIf(${value}, event = 'kind ${kind}')`, `avgIf(${value}, event = 'kind ${kind}')`),
      [expected(own)],
    )
  }

  async function insertMany(db: Db, from: number, some: readonly number[]): Promise<void> {
    const rows = some.map((value, i) => [
      uuid(from + i),
      `kind ${(from + i) % kinds.length}`,
      // Some values are texts.
      JSON.stringify({ value: i % 7 ? value : String(value) }),
    ])
    const json = JSON.stringify(rows)
    const cells = {
      sqlite: sql`select r.value ->> 0, r.value ->> 1, r.value ->> 2 from json_each(${json}) r`,
      postgres: sql`select r ->> 0, r ->> 1, (r ->> 2)::json from json_array_elements(${json}::json) r`,
    }
    await db.run(sql`
      insert into events (project_id, uuid, event, properties, distinct_id, timestamp, created_at, elements_chain)
      select 1, c.*, 'somebody', ${NEW_YEAR - 1}, ${NEW_YEAR}, '' from (${cells}) c`)
  }
  figure(t, { area: 'HogQL', count: VALUES, of: 'values', result: 'both engines return the exact sum', seed: SEED })
}
// A loaded machine may need more than the ten seconds of the default.
onBothEngines(t, `adds ${VALUES} values exactly`, addsValues, {
  environment: { EVENTS_QUERY_TIMEOUT_MS: '120000' },
})

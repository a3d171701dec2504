/** What PostgreSQL and Redshift have in common: the types of columns, all values of an event, the ledger and versions. */
import type { Test } from 'tap'
import { type DeliveryJob, deliver } from '../../src/exports/deliver.ts'
import type { TestApp } from '../helpers/app.ts'
import { recordsOf } from '../helpers/seeds/events.ts'
import { listener, logsOf, NEVER_ABORTED } from '../helpers/seeds/exports.ts'

export type Query = <Row extends object = Record<string, unknown>>(text: string) => Promise<Row[]>

/** The columns of the table `events`, each as its name and type. */
export const columnsOf = async (query: Query): Promise<string[]> =>
  (
    await query<{ name: string; type: string }>(
      `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
       where attrelid = 'public.events'::regclass and attnum > 0 order by attnum`,
    )
  ).map(({ name, type }) => `${name} ${type}`)

export interface DeliveredEvent {
  uuid: string
  event: string
  distinct_id: string
  properties: unknown
  elements: unknown
  timestamp: Date
  at: string
}

/** Compares rows, ordered by uuid, with all events of the project. */
export async function assertAllEvents(t: Test, app: TestApp, rows: readonly DeliveredEvent[]): Promise<void> {
  const { body } = await app.send('GET', '/api/projects/@current/events/?limit=1000&after=1960-01-01')
  const known = recordsOf({ body }).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  t.strictSame(
    rows.map(({ uuid, event, distinct_id, properties, elements, timestamp }) => ({
      uuid,
      event,
      distinct_id,
      properties,
      elements,
      timestamp: timestamp.toISOString(),
    })),
    known.map(({ id, event, distinct_id, properties, elements_chain, timestamp }) => ({
      uuid: id,
      event,
      distinct_id,
      properties: JSON.parse(properties),
      elements: elements_chain,
      timestamp: new Date(timestamp).toISOString(),
    })),
  )
}

/** The job has been delivered to the table with this many rows. */
export async function testLedger(
  t: Test,
  query: Query,
  job: DeliveryJob,
  table: string,
  records: number,
): Promise<void> {
  const count = () => query(`select count(*)::int as n from ${table}`)
  t.match(await logsOf({ ...job, attempt: 4 }), [/already delivered/])
  t.strictSame(await count(), [{ n: records }])
  t.match(await query('select batch_export_id, range_key, records::int from workspace_admin_ledger'), [
    { batch_export_id: job.batch_export_id, range_key: job.range_key, records },
  ])
  await deliver({ ...job, range_key: 'another' }, listener(), NEVER_ABORTED)
  t.strictSame(await count(), [{ n: 2 * records }])
  await query(`drop table ${table}`)
  await deliver(job, listener(), NEVER_ABORTED)
  t.strictSame(await count(), [{ n: records }], 'a recreated table is empty')
}

export type Cells = (string | number)[]

/** Puts rows with a key of two columns, a version and a name, and reads them in the order of the key. */
export async function testVersions(
  t: Test,
  put: (rows: Cells[]) => Promise<void>,
  stored: () => Promise<object[]>,
): Promise<void> {
  const rows = async () => (await stored()).map((row) => Object.values(row).join(' '))
  await put([
    ['a', 1, 2, 'second'],
    ['a', 1, 3, 'third'],
    ['a', 2, 1, 'other'],
    ['b', 1, 5, 'fifth'],
  ])
  t.same(await rows(), ['a 1 3 third', 'a 2 1 other', 'b 1 5 fifth'])
  await put([
    ['a', 1, 2, 'second'],
    ['b', 1, 5, 'again'],
    ['a', 2, 4, 'fourth'],
    ['a', 2, 3, 'third'],
    ['c', 1, 1, 'first'],
  ])
  t.same(await rows(), ['a 1 3 third', 'a 2 4 fourth', 'b 1 5 fifth', 'c 1 1 first'])
}

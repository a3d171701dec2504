import type { Db } from '../sql/db.ts'
import { assignments, insertion, sql } from '../sql/template.ts'
import { definedFields } from './changes.ts'
import { type Counted, listPage, type Paging, returnedRow } from './rows.ts'

export interface TestEventRow {
  id: string
  plugin_config_id: number
  name: string
  /** JSON. */
  event: string
  /** JSON; null if the functions only have to succeed. */
  expected: string | null
  created_at: string
  updated_at: string
}

/** Test events of one configuration. */
export const MAX_TEST_EVENTS = 20

/** By name. */
export const list = (db: Db, plugin_config_id: number, paging: Paging): Promise<Counted<TestEventRow>> =>
  listPage(db, paging, sql`*`, sql`from plugin_test_events where plugin_config_id = ${plugin_config_id}`, sql`name`)

export function get(db: Db, plugin_config_id: number, id: string): Promise<TestEventRow | undefined> {
  return db.get<TestEventRow>(
    sql`select * from plugin_test_events where id = ${id} and plugin_config_id = ${plugin_config_id}`,
  )
}

/** Whether another test event of the configuration has the name. */
export async function isTaken(
  tx: Db,
  { id, plugin_config_id, name }: Pick<TestEventRow, 'id' | 'plugin_config_id' | 'name'>,
): Promise<boolean> {
  const found = await tx.get(sql`
    select 1 from plugin_test_events where plugin_config_id = ${plugin_config_id} and name = ${name} and id <> ${id}`)
  return found !== undefined
}

export async function create(tx: Db, row: TestEventRow): Promise<void> {
  await tx.run(sql`insert into plugin_test_events ${insertion({ ...row })}`)
}

export async function update(
  tx: Db,
  id: string,
  changes: Partial<Pick<TestEventRow, 'name' | 'event' | 'expected'>>,
  updated_at: string,
): Promise<TestEventRow> {
  const updated = await tx.get<TestEventRow>(sql`
    update plugin_test_events set ${assignments(definedFields({ ...changes, updated_at }))} where id = ${id} returning *`)
  return returnedRow(updated)
}

export async function remove(tx: Db, id: string): Promise<void> {
  await tx.run(sql`delete from plugin_test_events where id = ${id}`)
}

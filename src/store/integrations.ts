/** Stored credentials that several batch exports of an organization can use. */
import type { components } from '../contract/openapi.ts'
import type { Db } from '../sql/db.ts'
import { assignments, forUpdate, insertion, lookup, oneOf, sql } from '../sql/template.ts'
import { definedFields } from './changes.ts'
import { type Counted, listPage, type Paging, returnedRow } from './rows.ts'

export type IntegrationKind = components['schemas']['IntegrationKind']

export interface IntegrationRow {
  id: string
  organization_id: string
  name: string
  kind: IntegrationKind
  /** JSON without the secrets. */
  config: string
  /** Encrypted JSON of the secrets; null without secrets. */
  secrets: string | null
  created_at: string
  last_updated_at: string
  secrets_changed_at: string
}

/** An integration with its number and the number of batch exports that use it. */
export interface CountedIntegrationRow extends IntegrationRow {
  number: number
  batch_exports_count: number
}

export type IntegrationChanges = Partial<Omit<IntegrationRow, 'id' | 'organization_id' | 'kind' | 'created_at'>>

const counted = sql`i.*, (select n.number from integration_numbers n where n.integration_id = i.id) as number,
  (select count(*) from batch_exports x where x.integration_id = i.id) as batch_exports_count`

export function list(
  db: Db,
  organization_id: string,
  { kind, ...paging }: Paging & { kind?: IntegrationKind },
): Promise<Counted<CountedIntegrationRow>> {
  const ofKind = kind ? sql`and i.kind = ${kind}` : sql``
  const found = sql`from integrations i where i.organization_id = ${organization_id} ${ofKind}`
  return listPage(db, paging, counted, found, sql`i.created_at desc, i.id desc`)
}

export function get(db: Db, organization_id: string, id: string): Promise<CountedIntegrationRow | undefined> {
  return db.get<CountedIntegrationRow>(
    lookup`select ${counted} from integrations i where i.organization_id = ${organization_id} and i.id = ${id}`,
  )
}

/** The integration with this number. */
export function numbered(db: Db, organization_id: string, number: number): Promise<CountedIntegrationRow | undefined> {
  return db.get<CountedIntegrationRow>(
    lookup`select ${counted} from integrations i where i.organization_id = ${organization_id}
      and i.id = (select n.integration_id from integration_numbers n where n.number = ${number})`,
  )
}

/** The integrations with these ids. */
export function withIds(db: Db, ids: readonly string[]): Promise<IntegrationRow[]> {
  return db.all<IntegrationRow>(sql`select * from integrations where id in ${oneOf(ids)}`)
}

/** Locks the integration until the transaction ends. Undefined when it was deleted. */
export function lock(tx: Db, id: string): Promise<IntegrationRow | undefined> {
  return tx.get<IntegrationRow>(sql`select * from integrations where id = ${id} ${forUpdate}`)
}

export async function create(tx: Db, row: IntegrationRow): Promise<CountedIntegrationRow> {
  await tx.run(sql`insert into integrations ${insertion({ ...row })}`)
  const numbered = await tx.get<{ number: number }>(
    sql`insert into integration_numbers (integration_id) values (${row.id}) returning number`,
  )
  return { ...row, number: returnedRow(numbered).number, batch_exports_count: 0 }
}

export async function update(tx: Db, id: string, changes: IntegrationChanges): Promise<void> {
  await tx.run(sql`update integrations set ${assignments(definedFields(changes))} where id = ${id}`)
}

export async function remove(tx: Db, id: string): Promise<void> {
  await tx.run(sql`delete from integrations where id = ${id}`)
}

/** The number of batch exports that use the integration. */
export const countExports = (db: Db, id: string): Promise<number> =>
  db.count(sql`from batch_exports where integration_id = ${id}`)

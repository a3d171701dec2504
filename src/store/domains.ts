import type { components } from '../contract/openapi.ts'
import type { Db } from '../sql/db.ts'
import { assignments, forUpdate, lookup, sql } from '../sql/template.ts'
import { changedFields, isEmpty, pickDefined } from './changes.ts'
import { type Counted, listPage, type Paging } from './rows.ts'

export type SsoEnforcement = components['schemas']['Domain']['sso_enforcement']

export interface DomainRow {
  id: string
  organization_id: string
  domain: string
  verified_at: string | null
  verification_challenge: string
  last_verification_retry: string | null
  jit_provisioning_enabled: boolean | number
  sso_enforcement: SsoEnforcement
  saml_entity_id: string | null
  saml_acs_url: string | null
  saml_x509_cert: string | null
}

export interface DomainInput {
  jit_provisioning_enabled?: boolean
  sso_enforcement?: SsoEnforcement
  saml_entity_id?: string | null
  saml_acs_url?: string | null
  saml_x509_cert?: string | null
}

const FIELDS = [
  'jit_provisioning_enabled',
  'sso_enforcement',
  'saml_entity_id',
  'saml_acs_url',
  'saml_x509_cert',
] as const satisfies (keyof DomainInput)[]

/** Returns the fields of the domain that the input changes. */
export const changesOf = (row: DomainRow, input: DomainInput): DomainInput =>
  changedFields(row, pickDefined(input, FIELDS))

export const list = (db: Db, organization_id: string, paging: Paging): Promise<Counted<DomainRow>> =>
  listPage(db, paging, sql`*`, sql`from domains where organization_id = ${organization_id}`, sql`domain`)

export function get(db: Db, organization_id: string, id: string): Promise<DomainRow | undefined> {
  return db.get<DomainRow>(lookup`select * from domains where organization_id = ${organization_id} and id = ${id}`)
}

/** Locks the domain until the transaction ends. Undefined when it was deleted. */
export function lockDomain(tx: Db, id: string): Promise<DomainRow | undefined> {
  return tx.get<DomainRow>(sql`select * from domains where id = ${id} ${forUpdate}`)
}

/** Undefined when the organization already has the domain. */
export function create(
  db: Db,
  domain: Pick<DomainInput, 'saml_entity_id' | 'saml_acs_url' | 'saml_x509_cert'> & {
    id: string
    organization_id: string
    domain: string
    verification_challenge: string
  },
): Promise<DomainRow | undefined> {
  return db.get<DomainRow>(sql`
    insert into domains (id, organization_id, domain, verified_at, verification_challenge, last_verification_retry,
      jit_provisioning_enabled, sso_enforcement, saml_entity_id, saml_acs_url, saml_x509_cert)
    values (${domain.id}, ${domain.organization_id}, ${domain.domain}, null, ${domain.verification_challenge}, null,
      ${false}, '', ${domain.saml_entity_id ?? null}, ${domain.saml_acs_url ?? null}, ${domain.saml_x509_cert ?? null})
    on conflict (organization_id, domain) do nothing returning *`)
}

/** Undefined when the domain was deleted. */
export async function update(db: Db, row: DomainRow, changes: DomainInput): Promise<DomainRow | undefined> {
  if (isEmpty(changes)) return row
  return db.get<DomainRow>(sql`update domains set ${assignments({ ...changes })} where id = ${row.id} returning *`)
}

/**
 * Marks the domain as verified. A unique index allows one verified row per name: a second organization gets a unique
 * violation. Undefined when the domain is already verified or was deleted.
 */
export function verify(db: Db, id: string, now: string): Promise<DomainRow | undefined> {
  return db.get<DomainRow>(sql`
    update domains set verified_at = ${now}, last_verification_retry = null
    where id = ${id} and verified_at is null returning *`)
}

export function recordFailedVerification(db: Db, id: string, now: string): Promise<DomainRow | undefined> {
  return db.get<DomainRow>(sql`update domains set last_verification_retry = ${now} where id = ${id} returning *`)
}

export async function remove(db: Db, id: string): Promise<boolean> {
  return (await db.run(sql`delete from domains where id = ${id}`)) > 0
}

/** The verified domain of an address. */
export function verifiedOf(db: Db, email: string): Promise<DomainRow | undefined> {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return db.get<DomainRow>(sql`select * from domains where domain = ${domain} and verified_at is not null`)
}

export const hasSaml = ({ saml_entity_id, saml_acs_url, saml_x509_cert }: DomainRow): boolean =>
  Boolean(saml_entity_id && saml_acs_url && saml_x509_cert)

export function getVerified(db: Db, id: string): Promise<DomainRow | undefined> {
  return db.get<DomainRow>(sql`select * from domains where id = ${id} and verified_at is not null`)
}

export async function isVerifiedBy(db: Db, id: string, organization_id: string): Promise<boolean> {
  return (await getVerified(db, id))?.organization_id === organization_id
}

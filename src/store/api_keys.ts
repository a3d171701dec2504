import type { components } from '../contract/openapi.ts'
import { storedJson } from '../json/stored.ts'
import type { Db } from '../sql/db.ts'
import { forUpdate, lookup, sql } from '../sql/template.ts'
import type { KeyRestrictions } from './key-restrictions.ts'
import { returnedRow } from './rows.ts'
import { emailKey, type UserRow, userColumns } from './users.ts'

export type Scope = components['schemas']['Scope']

export interface ApiKeyRow {
  id: string
  user_id: number
  label: string
  mask_value: string
  /** JSON arrays. An empty list of organizations or projects means no restriction. */
  scopes: string
  scoped_organizations: string
  scoped_teams: string
  created_at: string
  last_used_at: string | null
  expires_at: string | null
}

export interface ApiKey extends Omit<ApiKeyRow, 'scopes' | 'scoped_organizations' | 'scoped_teams'> {
  scopes: Scope[]
  restrictions: KeyRestrictions
}

const row = sql`k.id, k.user_id, k.label, k.mask_value, k.scopes, k.scoped_organizations, k.scoped_teams, k.created_at,
  k.last_used_at, k.expires_at`

const toApiKey = (found: ApiKeyRow): ApiKey => ({
  id: found.id,
  user_id: found.user_id,
  label: found.label,
  mask_value: found.mask_value,
  scopes: storedJson(found.scopes),
  restrictions: { organizations: restriction(found.scoped_organizations), projects: restriction(found.scoped_teams) },
  created_at: found.created_at,
  last_used_at: found.last_used_at,
  expires_at: found.expires_at,
})

const restriction = <Id>(list: string): Id[] | null => (list === '[]' ? null : storedJson(list))

/** Returns the key with this hash, expired or not, and its user. Undefined when the user is disabled. */
export async function getByHash(db: Db, value_hash: string): Promise<{ key: ApiKey; user: UserRow } | undefined> {
  const found = await db.get<ApiKeyRow & UserRow & { key_id: string }>(lookup`
    select ${row}, k.id as key_id, ${userColumns}
    from api_keys k join users u on u.id = k.user_id where k.value_hash = ${value_hash} and u.is_active`)
  return found && { key: toApiKey({ ...found, id: found.key_id }), user: found }
}

export async function list(db: Db, user_id: number): Promise<ApiKey[]> {
  const rows = await db.all<ApiKeyRow>(
    sql`select ${row} from api_keys k where k.user_id = ${user_id} order by k.created_at desc, k.id desc`,
  )
  return rows.map(toApiKey)
}

/** Lists the keys of all users, or of the user with this address. */
export async function listWithOwners(db: Db, email: string | null): Promise<(ApiKey & { user_email: string })[]> {
  const rows = await db.all<ApiKeyRow & { user_email: string }>(sql`
    select ${row}, u.email as user_email from api_keys k join users u on u.id = k.user_id
    ${email === null ? sql`` : sql`where u.email_key = ${emailKey(email)}`} order by k.user_id, k.created_at, k.id`)
  return rows.map((found) => ({ ...toApiKey(found), user_email: found.user_email }))
}

export async function get(db: Db, user_id: number, id: string): Promise<ApiKey | undefined> {
  const found = await db.get<ApiKeyRow>(
    lookup`select ${row} from api_keys k where k.id = ${id} and k.user_id = ${user_id}`,
  )
  return found && toApiKey(found)
}

/** Counts the keys that have not expired. Locks the user, so concurrent creations cannot exceed a maximum. */
export async function countActive(tx: Db, user_id: number, now: string): Promise<number> {
  await tx.get(sql`select id from users where id = ${user_id} ${forUpdate}`)
  return tx.count(sql`from api_keys where user_id = ${user_id} and (expires_at is null or expires_at > ${now})`)
}

export async function create(
  db: Db,
  key: Omit<ApiKey, 'scopes' | 'created_at' | 'last_used_at'> & {
    scopes: readonly string[]
    value_hash: string
    now: string
  },
): Promise<ApiKey> {
  const row = await db.get<ApiKeyRow>(sql`
    insert into api_keys (id, user_id, label, value_hash, mask_value, scopes, scoped_organizations, scoped_teams,
      created_at, last_used_at, expires_at)
    values (${key.id}, ${key.user_id}, ${key.label}, ${key.value_hash}, ${key.mask_value}, ${JSON.stringify(key.scopes)},
      ${JSON.stringify(key.restrictions.organizations ?? [])}, ${JSON.stringify(key.restrictions.projects ?? [])}, ${key.now}, null,
      ${key.expires_at})
    returning *`)
  return toApiKey(returnedRow(row))
}

/** Locks the key until the transaction ends. Undefined when it was revoked. */
export async function lockApiKey(tx: Db, id: string): Promise<ApiKey | undefined> {
  const found = await tx.get<ApiKeyRow>(sql`select ${row} from api_keys k where k.id = ${id} ${forUpdate}`)
  return found && toApiKey(found)
}

/** Updates the fields that a caller may set. Requires the lock. */
export async function update(tx: Db, key: ApiKey): Promise<ApiKey> {
  await tx.run(sql`
    update api_keys set label = ${key.label}, scopes = ${JSON.stringify(key.scopes)},
      scoped_organizations = ${JSON.stringify(key.restrictions.organizations ?? [])},
      scoped_teams = ${JSON.stringify(key.restrictions.projects ?? [])}, expires_at = ${key.expires_at}
    where id = ${key.id}`)
  return key
}

/** The old value stops working with this statement. */
export async function roll(
  db: Db,
  id: string,
  value: { value_hash: string; mask_value: string },
): Promise<ApiKey | undefined> {
  const rolled = await db.get<ApiKeyRow>(sql`
    update api_keys set value_hash = ${value.value_hash}, mask_value = ${value.mask_value}, last_used_at = null
    where id = ${id} returning *`)
  return rolled && toApiKey(rolled)
}

export async function remove(db: Db, id: string): Promise<boolean> {
  return (await db.run(sql`delete from api_keys where id = ${id}`)) > 0
}

/** Returns the number of deleted keys. */
export function removeAll(tx: Db, user_id: number): Promise<number> {
  return tx.run(sql`delete from api_keys where user_id = ${user_id}`)
}

/** Records the use of a key unless one was recorded after `not_since`, so concurrent requests write once. */
export async function touch(db: Db, id: string, now: string, not_since: string): Promise<void> {
  await db.run(sql`
    update api_keys set last_used_at = ${now}
    where id = ${id} and (last_used_at is null or last_used_at < ${not_since})`)
}

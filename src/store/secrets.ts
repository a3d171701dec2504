/** The columns with encrypted secrets. A start checks them, and re-encrypts them after a key rotation. */
import { dirname } from 'node:path'
import type { Database, Db } from '../sql/db.ts'
import { hasColumn } from '../sql/migrate.ts'
import { name, sql } from '../sql/template.ts'
import { createVault, existingKeys, hasKey, type KeySettings, readKeys, type Vault } from './vault.ts'

const COLUMNS = [
  { table: 'batch_exports', column: 'secrets' },
  { table: 'integrations', column: 'secrets' },
  { table: 'plugins', column: 'private_token' },
  { table: 'plugin_configs', column: 'secrets' },
  { table: 'users', column: 'totp_secret' },
  { table: 'alerts', column: 'secret' },
] as const

/** The row that a secret is bound to. The secret cannot be decrypted for another row. */
export const ownerOf = (table: (typeof COLUMNS)[number]['table'], id: string | number): string => `${table}/${id}`

const BATCH_ROWS = 500

/** The names of the keys that encrypted the stored secrets, also for an older schema. */
export async function usedKeys(db: Db): Promise<string[]> {
  const keys = new Set<string>()
  for (const { table, column } of COLUMNS)
    if (await hasColumn(db, table, column)) for (const key of await keysIn(db, table, column)) keys.add(key)
  return [...keys].sort()
}

async function keysIn(db: Db, table: string, column: string): Promise<string[]> {
  const found = await db.all<{ key: string }>(
    sql`select distinct substr(${name(column)}, 1, 8) as key from ${name(table)} where ${name(column)} is not null`,
  )
  return found.map(({ key }) => key)
}

/** Creates a key file only if no stored secret needs another key: a new key would not decrypt it. */
export async function openVault(db: Database, settings: KeySettings): Promise<Vault> {
  const folder = db.engine === 'sqlite' ? dirname(db.location) : null
  if (!hasKey(settings, folder)) {
    const configured = existingKeys(settings, folder)
    if ((await usedKeys(db)).some((key) => !configured.includes(key))) throw missingKey()
  }
  return createVault(readKeys(settings, folder))
}

/**
 * Re-encrypts secrets of the previous key with the current one and returns their number. Throws when a secret was encrypted with an unknown key.
 */
export async function reencryptSecrets(db: Db, vault: Vault): Promise<number> {
  let count = 0
  for (const { table, column } of COLUMNS) {
    for (const key of await keysIn(db, table, column)) {
      if (!vault.keys.includes(key)) throw missingKey()
      if (key !== vault.keys[0]) count += await reencrypt(db, vault, table, column, key)
    }
  }
  return count
}

async function reencrypt(db: Db, vault: Vault, table: string, column: string, key: string): Promise<number> {
  let count = 0
  for (;;) {
    const rows = await db.all<{ id: string | number; encrypted: string }>(sql`
      select id, ${name(column)} as encrypted from ${name(table)} where substr(${name(column)}, 1, 8) = ${key}
      limit ${BATCH_ROWS}`)
    for (const { id, encrypted } of rows) {
      const owner = `${table}/${id}`
      const reencrypted = vault.encrypt(vault.decrypt(encrypted, owner), owner)
      count += await db.run(
        sql`update ${name(table)} set ${name(column)} = ${reencrypted} where id = ${id} and ${name(column)} = ${encrypted}`,
      )
    }
    if (rows.length < BATCH_ROWS) return count
  }
}

const missingKey = (): Error =>
  new Error(
    'The database contains secrets that were encrypted with another key. Restore secret.key in the data folder, or set SECRET_KEY (after a key rotation: SECRET_KEY_PREVIOUS) to that key.',
  )

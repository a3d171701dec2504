/** The places where sealed texts are stored: what checks the key at a start, and what seals them anew under another. */
import type { Db } from '../sql/db.ts'
import { name, sql } from '../sql/template.ts'
import type { Vault } from './vault.ts'

const PLACES = [
  { table: 'batch_exports', column: 'secrets' },
  { table: 'plugins', column: 'private_token' },
  { table: 'plugin_configs', column: 'secrets' },
  { table: 'users', column: 'totp_secret' },
] as const

/** Where a row's secrets are: sealed for one place, they open in no other. */
export const placeOf = (table: (typeof PLACES)[number]['table'], id: string | number): string => `${table}/${id}`

const ROWS = 500

/**
 * Throws, with the remedy, where something was sealed under a key that is not there. What the previous key sealed is
 * sealed under the first one now; answers how many that were.
 */
export async function settleKeys(db: Db, vault: Vault): Promise<number> {
  let count = 0
  for (const { table, column } of PLACES) {
    const used = await db.all<{ key: string }>(
      sql`select distinct substr(${name(column)}, 1, 8) as key from ${name(table)} where ${name(column)} is not null`,
    )
    for (const { key } of used) {
      if (!vault.keys.includes(key)) throw missingKey()
      if (key !== vault.keys[0]) count += await reseal(db, vault, table, column, key)
    }
  }
  return count
}

async function reseal(db: Db, vault: Vault, table: string, column: string, key: string): Promise<number> {
  let count = 0
  for (;;) {
    const rows = await db.all<{ id: string | number; sealed: string }>(sql`
      select id, ${name(column)} as sealed from ${name(table)} where substr(${name(column)}, 1, 8) = ${key}
      limit ${ROWS}`)
    for (const { id, sealed } of rows) {
      const place = `${table}/${id}`
      const anew = vault.seal(vault.open(sealed, place), place)
      count += await db.run(
        sql`update ${name(table)} set ${name(column)} = ${anew} where id = ${id} and ${name(column)} = ${sealed}`,
      )
    }
    if (rows.length < ROWS) return count
  }
}

const missingKey = (): Error =>
  new Error(
    'Secrets are stored here under a key that this start does not have. Put back secret.key beside the data, or set SECRET_KEY (or, after a change of keys, SECRET_KEY_PREVIOUS) to it.',
  )

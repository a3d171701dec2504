import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { AppError } from '../errors.ts'
import { SQLITE_FILE } from './sqlite.ts'

/** More pages than any database has: the copy is made in one step, so a busy writer cannot make it start over. */
const ALL_PAGES = 0x7fffffff
const BUSY_WAIT_MS = 10_000

/**
 * Copies the database as it is at one moment, while others go on writing to it. The copy is one file that needs no
 * other beside it. Throws `damaged` when what was copied is not sound.
 */
export async function copySqlite(folder: string, to: string): Promise<void> {
  const source = new Sqlite(join(folder, SQLITE_FILE), { readonly: true, timeout: BUSY_WAIT_MS })
  try {
    await source.backup(to, { progress: () => ALL_PAGES })
  } finally {
    source.close()
  }
  const copy = new Sqlite(to)
  try {
    copy.pragma('journal_mode = delete')
    const found = copy.pragma('quick_check(1)', { simple: true })
    if (found !== 'ok')
      throw new AppError(
        'damaged',
        'The database is damaged, so no backup was made of it. Run `workspace-admin doctor` to see what is wrong.',
      )
  } finally {
    copy.close()
  }
}

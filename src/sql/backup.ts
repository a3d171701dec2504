import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'

/** Copies all pages in one step. In smaller steps a concurrent write would restart the copy. */
const ALL_PAGES = 0x7fffffff
const BUSY_WAIT_MS = 10_000

/**
 * Copies the files of a folder as of one moment, while other processes keep writing, and returns the names it found.
 * Each copy is a single file without a WAL. Throws `damaged` when a copy fails the integrity check.
 */
export async function copySqlite(folder: string, names: readonly string[], to: string): Promise<string[]> {
  const existing = names.filter((name) => existsSync(join(folder, name)))
  const snapshots = openSnapshots(folder, existing)
  try {
    for (const { name, reader } of snapshots) {
      await reader.backup(join(to, name), { progress: () => ALL_PAGES })
      requireIntact(join(to, name))
    }
    return existing
  } finally {
    for (const { reader } of snapshots) reader.close()
  }
}

/** Opens read transactions that see the same moment: they begin while the write locks of all files are held. */
function openSnapshots(folder: string, names: string[]): { name: string; reader: Sqlite.Database }[] {
  const locks = names.map((name) => new Sqlite(join(folder, name), { timeout: BUSY_WAIT_MS }))
  try {
    for (const lock of locks) lock.exec('begin immediate')
    return names.map((name) => {
      const reader = new Sqlite(join(folder, name), { readonly: true, timeout: BUSY_WAIT_MS })
      reader.exec('begin')
      // The snapshot is taken by the first read.
      reader.prepare('select count(*) from sqlite_master').get()
      return { name, reader }
    })
  } finally {
    for (const lock of locks) lock.close()
  }
}

function requireIntact(file: string): void {
  const copy = new Sqlite(file)
  try {
    copy.pragma('journal_mode = delete')
    const found = copy.pragma('quick_check(1)', { simple: true })
    if (found !== 'ok')
      throw new Error('The database is damaged, so no backup was written. Run `workspace-admin doctor` for details.')
  } finally {
    copy.close()
  }
}

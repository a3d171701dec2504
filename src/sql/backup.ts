import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { AppError } from '../errors.ts'

/** More pages than any database has: the copy is made in one step, so a busy writer cannot make it start over. */
const ALL_PAGES = 0x7fffffff
const BUSY_WAIT_MS = 10_000

/**
 * Copies the files of a folder as they are at one moment, while others go on writing to them, and answers which there
 * were. Each copy is one file that needs no other beside it. Throws `damaged` when what was copied is not sound.
 */
export async function copySqlite(folder: string, names: readonly string[], to: string): Promise<string[]> {
  const there = names.filter((name) => existsSync(join(folder, name)))
  const snapshots = oneMoment(there.map((name) => join(folder, name)))
  try {
    for (const [i, name] of there.entries()) {
      await snapshots[i]!.backup(join(to, name), { progress: () => ALL_PAGES })
      demandSound(join(to, name))
    }
    return there
  } finally {
    for (const snapshot of snapshots) snapshot.close()
  }
}

/** Readers that all see one moment: they begin while the write locks of all files are held together. */
function oneMoment(files: string[]): Sqlite.Database[] {
  const locks = files.map((file) => new Sqlite(file, { timeout: BUSY_WAIT_MS }))
  try {
    for (const lock of locks) lock.exec('begin immediate')
    return files.map((file) => {
      const reader = new Sqlite(file, { readonly: true, timeout: BUSY_WAIT_MS })
      reader.exec('begin')
      // A reader's moment is that of its first look.
      reader.prepare('select count(*) from sqlite_master').get()
      return reader
    })
  } finally {
    for (const lock of locks) lock.close()
  }
}

function demandSound(file: string): void {
  const copy = new Sqlite(file)
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

/** The data is its owner's alone, whatever the umask was and whoever made the folder. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'

const PRIVATE_FOLDER = 0o700
const PRIVATE_FILE = 0o600
const OTHERS = 0o077
const STICKY = 0o1000

/**
 * Makes the folder. One that was there and is empty becomes private as well. One that holds something keeps its mode: it
 * may be shared on purpose, and its files are private in any case.
 */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER })
  if (!(statSync(folder).mode & STICKY) && readdirSync(folder).length === 0) restrict(folder, PRIVATE_FOLDER)
}

/** Makes the database file before SQLite would with the umask's mode. SQLite gives -wal and -shm the mode of this file. */
export function makePrivateDatabase(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', PRIVATE_FILE))
}

/** Takes the files of a database from everybody but their owner. */
export function keepPrivate(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) restrict(`${file}${suffix}`, PRIVATE_FILE)
}

/** A file that is missing is none's business, and the mode of another user's file is theirs. */
function restrict(path: string, mode: number): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found || !(found.mode & OTHERS) || found.uid !== process.getuid?.()) return
  chmodSync(path, mode)
}

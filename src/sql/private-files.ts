/** Makes data files private, regardless of the umask and of the creator of the folder. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'

const PRIVATE_FOLDER = 0o700
const PRIVATE_FILE = 0o600
const OTHERS = 0o077
const STICKY = 0o1000

/**
 * Creates the folder. An existing empty folder becomes private. A folder with content keeps its mode: it
 * may be shared on purpose, and its files are private in any case.
 */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER })
  if (!(statSync(folder).mode & STICKY) && readdirSync(folder).length === 0) restrict(folder, PRIVATE_FOLDER)
}

/** Creates the database file, because SQLite would apply the umask. SQLite gives -wal and -shm the same mode. */
export function makePrivateDatabase(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', PRIVATE_FILE))
}

/** Restricts the files of a database to their owner. */
export function keepPrivate(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) restrict(`${file}${suffix}`, PRIVATE_FILE)
}

/** Ignores missing files and files of other users. */
function restrict(path: string, mode: number): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found || !(found.mode & OTHERS) || found.uid !== process.getuid?.()) return
  chmodSync(path, found.mode & mode)
}

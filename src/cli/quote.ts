import { withoutPassword } from '../sql/db.ts'

/** A word as a POSIX shell takes it, so that what we print can be pasted. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** The flag that names the same database again, for a line that is to be pasted; nothing where none was given. */
export const databaseFlag = (url: string | undefined): string =>
  url === undefined ? '' : ` --database ${quoted(withoutPassword(url))}`

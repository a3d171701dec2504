import { withoutPassword } from '../sql/db.ts'

/** A word quoted for a POSIX shell, so printed commands can be pasted. */
export const shellQuote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** Repeats --database in a printed command; empty when the flag was not used. */
export const databaseFlag = (url: string | undefined): string =>
  url === undefined ? '' : ` --database ${shellQuote(withoutPassword(url))}`

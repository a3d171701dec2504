/**
 * The columns of the mirror that hold properties. DuckDB ignores case in names and properties do not, so a name has the
 * key in hexadecimal.
 */

/** Longer keys would make names that no client sends. */
const MAX_KEY_BYTES = 200
/** SQLite's JSON paths cannot express these keys, as in `json.ts`. */
const UNSUPPORTED_CHARACTER = /["\\\p{Cc}]/u

/** Whether the mirror has columns for a property of this name. */
export const isMirroredKey = (key: string): boolean =>
  key.isWellFormed() && Buffer.byteLength(key) <= MAX_KEY_BYTES && !UNSUPPORTED_CHARACTER.test(key)

/** VARCHAR: the text of the property. */
export const textColumn = (key: string): string => `p_${hexOf(key)}`
/** DOUBLE: toFloat of the property. */
export const floatColumn = (key: string): string => `f_${hexOf(key)}`
/** DECIMAL: the shortest decimal of that float. */
export const decimalColumn = (key: string): string => `d_${hexOf(key)}`

/** The property that a column holds. */
export const keyOfColumn = (column: string): string => Buffer.from(column.slice(2), 'hex').toString()

const hexOf = (key: string): string => Buffer.from(key).toString('hex')

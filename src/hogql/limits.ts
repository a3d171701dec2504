/** Limits of one expression or statement. They bound parsing time and the size of the generated SQL. */

/** Characters of an expression or statement. */
export const MAX_TEXT_LENGTH = 10_000
export const MAX_TOKENS = 4_000
/** Depth of the syntax tree and of every recursion over it, and of JSON constants. */
export const MAX_DEPTH = 64
export const MAX_NODES = 4_000
/** Items of an array, a tuple or an IN list, and operands of AND and OR. */
export const MAX_LIST = 1_000
/** Parts of the generated SQL: some functions repeat an argument. */
export const MAX_SQL_PARTS = 60_000
/** Length of a regular expression, and its size after expanding counted repetitions. */
export const MAX_PATTERN_LENGTH = 1_000
export const MAX_PATTERN_SIZE = 2_000
/** PostgreSQL's own limit on `{n,m}`. */
export const MAX_REPEAT = 255
/** Size of the cache of compiled regular expressions. */
export const MAX_CACHED_PATTERNS = 200

/** Integers that JSON represents exactly. Results outside this range are NULL. */
export const MAX_INTEGER = Number.MAX_SAFE_INTEGER

/** Datetimes are microseconds since 1970. Results outside these years are NULL. */
export const MIN_YEAR = 1900
export const MAX_YEAR = 2299
export const MIN_DATETIME = Date.UTC(MIN_YEAR, 0, 1) * 1000
export const MAX_DATETIME = Date.UTC(MAX_YEAR + 1, 0, 1) * 1000 - 1

/** What one expression or statement may ask for. Generous for people, small for programs that probe. */

/** Characters of one text. */
export const MAX_TEXT_LENGTH = 10_000
export const MAX_TOKENS = 4_000
/** Levels of nesting of the syntax tree. Also bounds every recursion over it. */
export const MAX_DEPTH = 64
export const MAX_NODES = 4_000
/** Items of an array, a tuple, an IN list, an AND or an OR. */
export const MAX_LIST = 1_000
/** Parts of the SQL that come out: some functions mention an argument more than once. */
export const MAX_SQL_PARTS = 60_000
/** Length of a regular expression, and of it once its counted repetitions are written out. */
export const MAX_PATTERN_LENGTH = 1_000
export const MAX_PATTERN_SIZE = 2_000
/** PostgreSQL's own limit on `{n,m}`. */
export const MAX_REPEAT = 255
/** Compiled regular expressions kept by a SQLite connection. */
export const MAX_CACHED_PATTERNS = 200

/** Integers are those that JSON carries exactly; a result outside is NULL. */
export const MAX_INTEGER = Number.MAX_SAFE_INTEGER

/** Datetimes are microseconds since 1970 within these years; a result outside is NULL. */
export const MIN_YEAR = 1900
export const MAX_YEAR = 2299
export const MIN_DATETIME = Date.UTC(MIN_YEAR, 0, 1) * 1000
export const MAX_DATETIME = Date.UTC(MAX_YEAR + 1, 0, 1) * 1000 - 1

import { oneOf, type Sql, sql } from '../sql/template.ts'

export interface LogEntryFilter {
  levels?: readonly string[]
  /** A part of the message; case is ignored. */
  search?: string
  /** Both exclusive. */
  after?: string
  before?: string
}

/** The conditions of a filter on a table of log entries. */
export const matchingEntries = ({ levels, search, after, before }: LogEntryFilter): Sql => sql`
  ${levels?.length ? sql`and level in ${oneOf(levels)}` : sql``}
  ${search ? sql`and ${contains(sql`message`, search)}` : sql``}
  ${after === undefined ? sql`` : sql`and timestamp > ${after}`}
  ${before === undefined ? sql`` : sql`and timestamp < ${before}`}`

/** Ignores the case of ASCII letters only, because the engines lower-case other letters differently. */
export function contains(column: Sql, search: string): Sql {
  const wanted = search.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return sql`${{
    sqlite: sql`instr(lower(${column}), ${wanted}) > 0`,
    postgres: sql`strpos(lower(${column} collate "C"), ${wanted}) > 0`,
  }}`
}

import type { Db } from '../sql/db.ts'
import { oneOf, type Sql, sql } from '../sql/template.ts'
import { type Counted, listPage, type Paging } from './rows.ts'

export interface LogEntryFilter {
  levels?: readonly string[]
  /** A part of the message; case is ignored. */
  search?: string
  /** Both exclusive. */
  after?: string
  before?: string
}

/** A search of 10,000 entries takes 10 ms. On SQLite, it blocks the event loop. */
const SEARCHED_ENTRIES = 10_000

/** The newest `SEARCHED_ENTRIES` of these entries in the range of the filter that match it, the newest first. */
export function listEntries<Row>(
  db: Db,
  entries: Sql,
  { levels, search, after, before }: LogEntryFilter,
  paging: Paging,
): Promise<Counted<Row>> {
  const newest = sql`
    select * from ${entries} ${after === undefined ? sql`` : sql`and timestamp > ${after}`}
      ${before === undefined ? sql`` : sql`and timestamp < ${before}`}
    order by timestamp desc, id desc limit ${SEARCHED_ENTRIES}`
  const found = sql`
    from (${newest}) newest where 1 = 1 ${levels?.length ? sql`and level in ${oneOf(levels)}` : sql``}
      ${search ? sql`and ${contains(sql`message`, search)}` : sql``}`
  return listPage<Row>(db, paging, sql`*`, found, sql`timestamp desc, id desc`)
}

/** Ignores the case of ASCII letters only, because the engines lower-case other letters differently. */
export function contains(column: Sql, search: string): Sql {
  const wanted = search.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return sql`${{
    sqlite: sql`instr(lower(${column}), ${wanted}) > 0`,
    postgres: sql`strpos(lower(${column} collate "C"), ${wanted}) > 0`,
  }}`
}

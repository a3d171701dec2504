import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../sql/db.ts'
import { among, type Either, joined, name, type Sql, sql } from '../sql/template.ts'

/** The row of a statement that always returns one, such as `insert … returning *` or `select count(*)`. */
export function returnedRow<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('The statement returned no row.')
  return row
}

export interface Paging {
  limit: number
  offset: number
}

export interface Counted<Row> {
  /** The number of all rows. */
  count: number
  rows: Row[]
}

/** Reads one page of the rows of `found`, and counts all rows of `counted`. PostgreSQL gets both statements together. */
export async function listPage<Row>(
  db: Db,
  { limit, offset }: Paging,
  columns: Sql,
  found: Sql,
  order: Sql,
  counted = found,
): Promise<Counted<Row>> {
  const [rows, count] = await Promise.all([
    db.all<Row>(sql`select ${columns} ${found} order by ${order} limit ${limit} offset ${offset}`),
    db.count(counted),
  ])
  return { count, rows }
}

/** The condition for rows beyond a boundary row, in the order of `key`: a column and the id. */
export const beyond = (key: Sql, at: readonly [string, string] | undefined, descending: boolean): Sql =>
  at ? sql`and (${key}) ${descending ? sql`<` : sql`>`} (${at[0]}, ${at[1]})` : sql``

/** Rows per delete. Other writes wait for one of them at most. */
export const DELETED_ROWS = 200

/** Background work that a shutdown stops. */
export interface Stoppable {
  readonly stopped: boolean
}

/**
 * Deletes all rows whose `column` is below a value, in bounded statements until the work is stopped. The column needs an
 * index. Pauses after each statement for as long as it took, which leaves half of the time to other writes.
 */
export async function deleteBefore(
  db: Db,
  work: Stoppable,
  table: string,
  /** The primary key. */
  key: readonly string[],
  column: string,
  before: string | number,
  /** A condition on the columns before it in the index. Ends with `and`. */
  condition = sql``,
): Promise<void> {
  const columns: Either = { sqlite: joined(key.map(name), ', '), postgres: sql`ctid` }
  while (!work.stopped) {
    const start = performance.now()
    const removed = await db.run(sql`
      delete from ${name(table)} where (${columns}) ${among(sql`
        select ${columns} from ${name(table)} where ${condition} ${name(column)} < ${before}
        order by ${name(column)} limit ${DELETED_ROWS}`)}`)
    if (removed < DELETED_ROWS) return
    await sleep(performance.now() - start)
  }
}

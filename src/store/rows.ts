import type { Db } from '../sql/db.ts'
import { among, type Either, joined, type Sql, sql } from '../sql/template.ts'

/** The row of a statement that always returns one, such as `insert … returning *` or `select count(*)`. */
export function returnedRow<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('The statement returned no row.')
  return row
}

/** Runs `selected`, and counts all rows of `found`. PostgreSQL gets both statements together. */
export async function listPage<Row>(db: Db, selected: Sql, found: Sql): Promise<{ count: number; rows: Row[] }> {
  const [rows, count] = await Promise.all([db.all<Row>(selected), db.count(found)])
  return { count, rows }
}

/** Rows per delete. Other writes wait for one of them at most. */
export const DELETED_ROWS = 200

/**
 * Deletes all rows of a table that match a condition, in bounded statements. `key` is the primary key, and `order` names the
 * index to read.
 */
export async function deleteAll(
  db: Db,
  { table, key, where, order }: { table: Sql; key: readonly Sql[]; where: Sql; order: Sql },
): Promise<void> {
  const columns: Either = { sqlite: joined(key, ', '), postgres: sql`ctid` }
  for (let removed = DELETED_ROWS; removed === DELETED_ROWS; )
    removed = await db.run(sql`
      delete from ${table} where (${columns}) ${among(sql`
        select ${columns} from ${table} where ${where}
        order by ${order} limit ${DELETED_ROWS}`)}`)
}

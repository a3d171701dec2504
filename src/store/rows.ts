import type { Db } from '../sql/db.ts'
import type { Sql } from '../sql/template.ts'

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

import type { Db } from '../sql/db.ts'
import { chunks, type Sql } from '../sql/template.ts'
import { createYielder } from './yield.ts'

/** Inserts a list in chunks and returns their rows. PostgreSQL receives all statements before the first response. */
export async function insertReturning<Row, Item>(
  tx: Db,
  list: readonly Item[],
  statementFor: (some: readonly Item[]) => Sql,
): Promise<Row[]> {
  const yieldIfDue = createYielder()
  const inserts: Promise<Row[]>[] = []
  for (const some of chunks(list)) {
    const inserted = tx.all<Row>(statementFor(some))
    inserts.push(inserted)
    if (tx.engine === 'sqlite') await inserted
    // Handled below, also if a statement fails before all are sent.
    else inserted.catch(() => undefined)
    await yieldIfDue()
  }
  return (await Promise.all(inserts)).flat()
}

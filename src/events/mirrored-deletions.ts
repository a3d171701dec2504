/** Deleted events that may be in the files of the mirror. */
import type { Db } from '../sql/db.ts'
import { chunks, rows, sql } from '../sql/template.ts'

/**
 * Records deleted events for each node that mirrors the project. In the transaction of the deletion, so that no question
 * finds the events again.
 */
export async function recordDeletions(
  tx: Db,
  project_id: number,
  deleted: readonly { seq: number; position: number }[],
): Promise<void> {
  for (const some of chunks(deleted.map(({ seq, position }) => [seq, position])))
    await tx.send(sql`
      insert into mirror_deletions (project_id, node, seq, position)
      select m.project_id, m.node, cast(d.column1 as bigint), cast(d.column2 as bigint)
      from mirrors m cross join (values ${rows(some)}) d where m.project_id = ${project_id}`)
}

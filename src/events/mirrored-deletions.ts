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
  if (deleted.length === 0) return
  const nodes = await tx.all<{ node: string }>(sql`select node from mirrors where project_id = ${project_id}`)
  const list = nodes.flatMap(({ node }) => deleted.map(({ seq, position }) => [project_id, node, position, seq]))
  for (const some of chunks(list))
    await tx.send(sql`insert into mirror_deletions (project_id, node, position, seq) values ${rows(some)}`)
}

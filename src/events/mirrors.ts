/** What deletions of events change in the catalog of the mirror. `mirror/catalog.ts` has the rest. */
import type { Db } from '../sql/db.ts'
import { chunks, rows, type Sql, sql } from '../sql/template.ts'

/** A project on a node. */
export interface Owner {
  project_id: number
  node: string
}

export const ownedBy = ({ project_id, node }: Owner): Sql => sql`project_id = ${project_id} and node = ${node}`

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

/** The mirror begins again, and no segment has its files. Its deletions stay: a segment that is being written may need them. */
export const resetMirror = (db: Db, owner: Owner): Promise<void> =>
  db.tx(async (tx) => {
    // First, because it waits for a segment that is being replaced, and the next statement then finds the new one.
    await tx.send(sql`update mirrors set mirrored_to = 0, deletions_since = null where ${ownedBy(owner)}`)
    await tx.send(sql`delete from mirror_segments where ${ownedBy(owner)}`)
  })

/** The last position that a mirror has used. Later events need higher ones. */
export async function highestMirrored(db: Db): Promise<number> {
  const last = await db.get<Record<'mirrored_to' | 'ready_position', number | null>>(sql`
    select max(mirrored_to) as mirrored_to, max(ready_position) as ready_position from mirrors`)
  return Math.max(last?.mirrored_to ?? 0, last?.ready_position ?? 0)
}

/** The mirrors of nodes that have not run since a time. */
export const unusedMirrors = (db: Db, before: string): Promise<Owner[]> =>
  db.all<Owner>(sql`select project_id, node from mirrors where seen_at < ${before}`)

/** Forgets some deletions of a mirror without segments, unless its node is back. Returns their number. */
export const forgetDeletions = (db: Db, owner: Owner, before: string, limit: number): Promise<number> =>
  db.run(sql`
    delete from mirror_deletions
    where ${ownedBy(owner)} and exists (select 1 from mirrors where ${ownedBy(owner)} and seen_at < ${before})
      and (position, seq) in (select position, seq from mirror_deletions where ${ownedBy(owner)} limit ${limit})`)

/** Removes a mirror, unless its node is back. */
export async function removeMirror(db: Db, owner: Owner, before: string): Promise<void> {
  await db.run(sql`delete from mirrors where ${ownedBy(owner)} and seen_at < ${before}`)
}

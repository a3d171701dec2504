import type { Db } from '../sql/db.ts'
import { insertion, sql } from '../sql/template.ts'

/** A pause of an export. The row is deleted once planning has created the runs up to the pause. */
export interface PauseRow {
  id: number
  batch_export_id: string
  paused_at: string
  /** The first position after the pause began. */
  position: number
  /** When the export was unpaused, and the first position after that; null during the pause. */
  resumed_at: string | null
  resumed_position: number | null
}

export type EndedPause = PauseRow & { resumed_at: string; resumed_position: number }

type NewPause = Pick<PauseRow, 'batch_export_id' | 'paused_at' | 'position'>

export async function create(tx: Db, pause: NewPause): Promise<void> {
  await tx.run(sql`insert into batch_export_pauses ${insertion({ ...pause })}`)
}

/** The pauses of an export, oldest first. */
export function list(tx: Db, batch_export_id: string): Promise<PauseRow[]> {
  return tx.all<PauseRow>(sql`
    select * from batch_export_pauses where batch_export_id = ${batch_export_id} order by id`)
}

/** The oldest pause of an export that has ended. */
export function oldestEnded(tx: Db, batch_export_id: string): Promise<EndedPause | undefined> {
  return tx.get<EndedPause>(sql`
    select * from batch_export_pauses where batch_export_id = ${batch_export_id} and resumed_at is not null
    order by id limit 1`)
}

export async function end(
  tx: Db,
  { id, resumed_at, resumed_position }: Pick<EndedPause, 'id' | 'resumed_at' | 'resumed_position'>,
): Promise<void> {
  await tx.run(sql`
    update batch_export_pauses set resumed_at = ${resumed_at}, resumed_position = ${resumed_position} where id = ${id}`)
}

export async function remove(tx: Db, id: number): Promise<void> {
  await tx.run(sql`delete from batch_export_pauses where id = ${id}`)
}

/** Ids of active exports with an ended pause that is not planned yet, in order. */
export async function withEndedPause(db: Db, { after, limit }: { after: string; limit: number }): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    select distinct p.batch_export_id as id from batch_export_pauses p
    join batch_exports x on x.id = p.batch_export_id and not x.paused
    where p.resumed_at is not null and p.batch_export_id > ${after} order by p.batch_export_id limit ${limit}`)
  return rows.map(({ id }) => id)
}

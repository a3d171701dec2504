/** The projects that nodes mirror, their segments, and deleted events that may be in them. */
import { type Owner, ownedBy } from '../events/mirrors.ts'
import type { Db } from '../sql/db.ts'
import { forUpdate, oneOf, type Sql, sql } from '../sql/template.ts'
import type { Segment, SegmentFile } from './messages.ts'

export interface Mirror {
  /** Null until it is known. */
  ready_position: number | null
  /** All events below are in the segments. */
  mirrored_to: number
  /** When the first of its deletions was noticed. */
  deletions_since: string | null
}

/** The mirrors of a node. */
export const listMirrors = (db: Db, node: string): Promise<(Mirror & { project_id: number })[]> =>
  db.all(sql`
    select project_id, ready_position, mirrored_to, deletions_since from mirrors where node = ${node}`)

export const mirroredToQuery = (owner: Owner): Sql => sql`select mirrored_to from mirrors where ${ownedBy(owner)}`

export async function createMirror(db: Db, { project_id, node }: Owner, now: string): Promise<void> {
  await db.run(sql`
    insert into mirrors (project_id, node, seen_at) values (${project_id}, ${node}, ${now}) on conflict do nothing`)
}

export async function updateMirror(
  db: Db,
  owner: Owner,
  { ready_position, deletions_since }: Pick<Mirror, 'ready_position' | 'deletions_since'>,
): Promise<void> {
  await db.run(sql`
    update mirrors set ready_position = ${ready_position}, deletions_since = ${deletions_since} where ${ownedBy(owner)}`)
}

/** In the order of their positions. */
export const listSegments = (db: Db, owner: Owner): Promise<SegmentFile[]> =>
  db.all<SegmentFile>(sql`
    select from_position, to_position, file, events from mirror_segments where ${ownedBy(owner)} order by from_position`)

/** The properties of some segments as JSON. */
export async function listProperties(db: Db, owner: Owner, files: readonly SegmentFile[]): Promise<string[]> {
  const positions = files.map(({ from_position }) => from_position)
  const names = files.map(({ file }) => file)
  const found = await db.all<{ properties: string }>(sql`
    select properties from mirror_segments
    where ${ownedBy(owner)} and from_position in ${oneOf(positions)} and file in ${oneOf(names)}`)
  return found.map(({ properties }) => properties)
}

/** For the reader. */
export const segmentsQuery = (owner: Owner): Sql => sql`
  select from_position, to_position, file, events, properties from mirror_segments where ${ownedBy(owner)}
  order by from_position`

/** The names of all files of a node. */
export async function listFiles(db: Db, node: string): Promise<string[]> {
  const found = await db.all<{ file: string }>(sql`select file from mirror_segments where node = ${node}`)
  return found.map(({ file }) => file)
}

/** Adds the next segment. Returns false if another process has added one. A segment without events only moves the end. */
export const addSegment = (db: Db, owner: Owner, segment: Segment): Promise<boolean> =>
  db.tx(async (tx) => {
    const { from_position, to_position } = segment
    const moved = await tx.run(sql`
      update mirrors set mirrored_to = ${to_position} where ${ownedBy(owner)} and mirrored_to = ${from_position}`)
    if (moved && segment.events) await insertSegment(tx, owner, segment)
    return moved > 0
  })

async function insertSegment(tx: Db, { project_id, node }: Owner, segment: Segment): Promise<void> {
  const { from_position, to_position, file, events, properties } = segment
  await tx.send(sql`
    insert into mirror_segments (project_id, node, from_position, to_position, file, events, properties)
    values (${project_id}, ${node}, ${from_position}, ${to_position}, ${file}, ${events}, ${properties})`)
}

/**
 * Replaces adjacent segments by one that lacks the deleted events, and forgets these. Throws if another process has replaced
 * one of them.
 */
export const replaceSegments = (
  db: Db,
  owner: Owner,
  old: readonly SegmentFile[],
  segment: Segment,
  deleted: readonly DeletedEvent[],
): Promise<void> =>
  db.tx(async (tx) => {
    // Waits for a mirror that begins again. On PostgreSQL, its statements would not find the new segment.
    const found = await tx.get(sql`select 1 from mirrors where ${ownedBy(owner)} ${forUpdate}`)
    if (!found) throw new Error('The mirror of the project begins again.')
    let removed = 0
    for (const { from_position, file } of old)
      removed += await tx.run(sql`
        delete from mirror_segments
        where ${ownedBy(owner)} and from_position = ${from_position} and file = ${file}`)
    if (removed < old.length) throw new Error('Another process has replaced a segment.')
    if (segment.events) await insertSegment(tx, owner, segment)
    await removeDeletions(tx, owner, deleted)
  })

export interface DeletedEvent {
  seq: number
  position: number
}

/** Deleted events in a range of positions, in the order of their positions. */
export const listDeletions = (
  db: Db,
  owner: Owner,
  range: Pick<Segment, 'from_position' | 'to_position'>,
  limit: number,
): Promise<DeletedEvent[]> =>
  db.all<DeletedEvent>(sql`select seq, position ${deletedIn(owner, range)} order by position, seq limit ${limit}`)

const deletedIn = (
  owner: Owner,
  { from_position, to_position }: Pick<Segment, 'from_position' | 'to_position'>,
): Sql => sql`
  from mirror_deletions where ${ownedBy(owner)} and position >= ${from_position} and position < ${to_position}`

/** Whether a range has at least this number of deletions. */
export async function hasDeletions(
  db: Db,
  owner: Owner,
  range: Pick<Segment, 'from_position' | 'to_position'>,
  count = 1,
): Promise<boolean> {
  const found = await db.get(sql`
    select 1 ${deletedIn(owner, range)} order by position, seq limit 1 offset ${count - 1}`)
  return found !== undefined
}

/** For the reader: also events above the segments, which it ignores. */
export const deletionsQuery = (owner: Owner, limit: number): Sql => sql`
  select seq from mirror_deletions where ${ownedBy(owner)} limit ${limit}`

/** `+` keeps SQLite from looking up each `seq` at each position, which takes minutes for 10,000 events. */
export async function removeDeletions(db: Db, owner: Owner, deleted: readonly DeletedEvent[]): Promise<void> {
  if (deleted.length)
    await db.run(sql`
      delete from mirror_deletions where ${ownedBy(owner)} and position in ${oneOf(deleted.map(({ position }) => position))}
        and +seq in ${oneOf(deleted.map(({ seq }) => seq))}`)
}

/**
 * Removes some deletions that are in no segment: their segments were left without events. Returns their number. Another process
 * may have begun the mirror again, and may write a segment with these events. Then they are above `mirrored_to`.
 */
export const removeLeftDeletions = (db: Db, owner: Owner, limit: number): Promise<number> =>
  db.tx(async (tx) => {
    // On PostgreSQL it waits for a segment that is being added, and the next statement finds it.
    const mirror = await tx.get<{ mirrored_to: number }>(sql`${mirroredToQuery(owner)} ${forUpdate}`)
    return tx.run(sql`
      delete from mirror_deletions where ${ownedBy(owner)} and (position, seq) in (
        select position, seq from mirror_deletions d
        where ${ownedBy(owner)} and position < ${mirror?.mirrored_to ?? 0} and not exists (
          select 1 from mirror_segments s
          where ${ownedBy(owner)} and s.from_position <= d.position and s.to_position > d.position)
        limit ${limit})`)
  })

/** Marks the mirrors of a node as used. The purger removes others. */
export async function touchMirrors(db: Db, node: string, now: string): Promise<void> {
  await db.run(sql`update mirrors set seen_at = ${now} where node = ${node}`)
}

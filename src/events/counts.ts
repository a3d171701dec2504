/** The number of events per project, hour and name. It is updated in the same transaction as the events. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createLoop, type Loop, type LoopLog } from '../background/loop.ts'
import { createSetAside } from '../background/set-aside.ts'
import { either } from '../hogql/typed.ts'
import type { Db } from '../sql/db.ts'
import { chunks, type Either, forUpdate, joined, oneOf, rows, type Sql, sql } from '../sql/template.ts'
import { type Extract, POSITION, scanQuery } from './extract.ts'
import { recordDeletions } from './mirrors.ts'
import type { EventReader } from './readers.ts'
import { rowKey, rowKeyOf } from './tail.ts'

export const HOUR = 3_600_000_000
/** The name of the row with all events of an hour. No event has an empty name. */
export const ALL_EVENTS = ''

/** Hours since 1970. `Math.floor(timestamp / HOUR)` is inexact after the year 2112 and could return the next hour. */
export const hourOf = (timestamp: number): number => {
  const rest = timestamp % HOUR
  return (timestamp - (rest < 0 ? rest + HOUR : rest)) / HOUR
}

/** Added before the division to make times before 1970 positive: both engines round towards zero. */
const SHIFT_HOURS = 20_000_000

/** The same in SQL, for the event `e`. */
const hourSql: Sql = sql`((e.timestamp + ${integer(SHIFT_HOURS * HOUR)}) / ${integer(HOUR)} - ${integer(SHIFT_HOURS)})`

/** The cast is needed because SQLite binds large numbers as floating point. */
export function integer(value: number): Sql {
  return sql`cast(${value} as bigint)`
}

export interface CountedEvent {
  project_id: number
  event: string
  timestamp: number
}

type CountRow = [project_id: number, hour: number, event: string, count: number]

/** Adds up counts by project, hour and name, and those of all events of an hour. */
function addUp(counts: Map<string, CountRow>, [project_id, hour, event, count]: CountRow): void {
  for (const name of [ALL_EVENTS, event]) {
    const key = `${project_id} ${hour} ${name}`
    const before = counts.get(key)?.[3] ?? 0
    counts.set(key, [project_id, hour, name, before + count])
  }
}

/** Adds the events to the counts, or subtracts them. Call it last in a transaction: on PostgreSQL it locks the rows. */
export async function countEvents(tx: Db, events: readonly CountedEvent[], sign: 1 | -1 = 1): Promise<void> {
  const counts = new Map<string, CountRow>()
  for (const { project_id, event, timestamp } of events) addUp(counts, [project_id, hourOf(timestamp), event, sign])
  await addCounts(tx, counts)
}

/** Sorted by key: all transactions lock the rows in the same order, so they cannot deadlock. */
async function addCounts(tx: Db, counts: ReadonlyMap<string, CountRow>): Promise<void> {
  const sorted = [...counts.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1))
  for (const some of chunks(sorted))
    await tx.send(sql`
      insert into event_counts (project_id, hour, event, count) values ${rows(some)}
      on conflict (project_id, hour, event) do update set count = event_counts.count + excluded.count`)
}

interface Uncounted {
  project_id: number
  after_position: number
  after_seq: number
  last_seq: number
  deletions: number
}

/**
 * Deletes the events of the project that match `found`, a condition on the columns of `events`, and subtracts them from
 * the counts. Returns their number.
 */
export async function deleteEvents(
  db: Db,
  project_id: number,
  found: Sql,
  /** Called with the deleted events, after the commit. */
  onDeleted?: (positions: readonly { position: number; seq: number }[]) => Promise<void>,
): Promise<number> {
  const positions = await db.tx(async (tx) => {
    const uncounted = await tx.get<Uncounted>(
      sql`select * from uncounted_events where project_id = ${project_id} ${forUpdate}`,
    )
    const deleted = await tx.all<{ event: string; timestamp: number; seq: number; position: number }>(sql`
      delete from events where project_id = ${project_id} and ${found}
      returning event, timestamp, seq, ${either(sql`seq`, sql`position`)} as position`)
    await recordDeletions(tx, project_id, deleted)
    const counted = uncounted ? deleted.filter((event) => isCounted(event, uncounted)) : deleted
    await countEvents(
      tx,
      counted.map(({ event, timestamp }) => ({ project_id, event, timestamp })),
      -1,
    )
    const hours = [...new Set(counted.map(({ timestamp }) => hourOf(timestamp)))]
    if (hours.length)
      await tx.send(sql`
        delete from event_counts where project_id = ${project_id} and hour in ${oneOf(hours)} and count <= 0`)
    if (counted.length < deleted.length)
      await tx.send(sql`update uncounted_events set deletions = deletions + 1 where project_id = ${project_id}`)
    return deleted
  })
  if (positions.length) await onDeleted?.(positions)
  return positions.length
}

const isCounted = (
  { seq, position }: { seq: number; position: number },
  { after_position, after_seq, last_seq }: Uncounted,
): boolean => seq > last_seq || position < after_position || (position === after_position && seq <= after_seq)

/** Whether the counts of the project include all its events. */
export async function hasCounts(reader: EventReader, project_id: number): Promise<boolean> {
  const uncounted = await reader.rows(uncountedQuery(project_id), { project_id, lane: 'fast' })
  return uncounted.length === 0
}

/** Returns a row if the counts of the project do not include all its events. */
export const uncountedQuery = (project_id: number): Sql =>
  sql`select 1 from uncounted_events where project_id = ${project_id}`

/** Counts the rows to deliver. Reads only the events of incomplete hours if the hourly counts allow it. */
export async function countRows(
  queryRow: (query: Sql) => Promise<readonly unknown[]>,
  extract: Extract,
): Promise<number> {
  const hourly = hourlyQuery(extract)
  const isComplete = hourly && (await queryRow(uncountedQuery(extract.project_id))).length === 0
  const [count] = await queryRow(isComplete ? hourly : scanQuery(extract))
  return Number(count)
}

/** Adds up the counts of whole hours. Undefined if they cannot be used. */
function hourlyQuery(extract: Extract): Sql | undefined {
  const { model, project_id, range, include, exclude, where } = extract
  if (model !== 'events' || range.by !== 'times' || where) return undefined
  const [first_hour, end_hour] = [hourOf(range.start - 1) + 1, hourOf(range.end)]
  if (first_hour >= end_hour) return undefined
  const isSelected = [
    include?.length || exclude?.length ? sql`event <> ${ALL_EVENTS}` : sql`event = ${ALL_EVENTS}`,
    ...(include?.length ? [sql`event in ${oneOf(include)}`] : []),
    ...(exclude?.length ? [sql`event not in ${oneOf(exclude)}`] : []),
  ]
  const scan = (start: number, end: number): Sql => scanQuery({ ...extract, range: { by: 'times', start, end } })
  return sql`
    select cast(sum(count) as bigint) from (
      select cast(coalesce(sum(count), 0) as bigint) as count from event_counts
        where project_id = ${project_id} and hour >= ${first_hour} and hour < ${end_hour} and ${joined(isSelected, ' and ')}
      union all ${scan(range.start, first_hour * HOUR)}
      union all ${scan(end_hour * HOUR, range.end)}) parts`
}

const CHUNK = 20_000
const FIRST_ROUND_MS = 1_000
const ROUND_MS = 600_000

interface EventCounterOptions {
  events: Db
  reader: EventReader
  log: LoopLog
}

/** Counts the events that are older than the table of counts, in the background. It continues after a restart. */
export function createEventCounter({ events, reader, log }: EventCounterOptions): Loop {
  const loop = createLoop({
    name: 'event counter',
    round: () => work().then(() => ROUND_MS),
    first_ms: FIRST_ROUND_MS,
    retry_ms: ROUND_MS,
    onError: (error) => log.error({ err: error }, 'counting events failed; the next round continues'),
  })

  const projects = createSetAside<number>({
    onFailure: (error, project) =>
      log.error({ err: error, project }, 'counting the events of a project failed; retrying'),
  })

  async function work(): Promise<void> {
    let total = 0
    const uncounted = await events.all<{ project_id: number }>(
      sql`select project_id from uncounted_events order by project_id`,
    )
    for (const { project_id } of projects.due(uncounted, (row) => row.project_id))
      total += (await projects.attempt(project_id, () => countProject(project_id))) ?? 0
    if (total) log.info({ events: total }, 'counted the existing events by hour and name')
  }

  async function countProject(project_id: number): Promise<number> {
    let total = 0
    while (!loop.stopped) {
      const start = performance.now()
      const counted = await countNext(events, reader, project_id, CHUNK)
      if (counted === 0) break
      total += counted
      // Leaves half of the time to other queries.
      await sleep(performance.now() - start)
    }
    return total
  }

  return loop
}

/** Counts the next events of a project that are not counted yet, up to `limit`. Returns 0 when all are counted. */
async function countNext(db: Db, reader: EventReader, project_id: number, limit: number): Promise<number> {
  const uncounted = await db.get<Uncounted>(sql`select * from uncounted_events where project_id = ${project_id}`)
  if (!uncounted) return 0
  const { after_position, after_seq, last_seq, deletions } = uncounted
  const rest = sql`e.project_id = ${project_id} and ${rowKey} > ${rowKeyOf({ position: after_position, seq: after_seq })}
    and e.seq <= ${last_seq}`
  const read = <Row extends unknown[]>(query: Sql): Promise<Row[]> =>
    reader.rows<Row>(query, { project_id, lane: 'slow' })
  const [end] = await read<[position: number, seq: number]>(
    sql`select ${POSITION}, e.seq from events e where ${rest}
      order by ${either(sql`e.seq`, sql`e.position, e.seq`)} limit 1 offset ${limit - 1}`,
  )
  const until = end ? sql`and ${rowKey} <= ${rowKeyOf({ position: Number(end[0]), seq: Number(end[1]) })}` : sql``
  const found = await read<[event: string, hour: number, count: number]>(
    sql`select e.event, ${hourSql}, count(*) from events e where ${rest} ${until} group by 1, 2`,
  )
  const counts = new Map<string, CountRow>()
  for (const [event, hour, count] of found) addUp(counts, [project_id, Number(hour), event, Number(count)])
  await db.tx(async (tx) => {
    // Another node may have counted these events, or a deletion may have changed their number.
    const same = sql`project_id = ${project_id} and after_position = ${after_position} and after_seq = ${after_seq}
      and deletions = ${deletions}`
    const moved = await tx.run(
      end
        ? sql`update uncounted_events set after_position = ${Number(end[0])}, after_seq = ${Number(end[1])} where ${same}`
        : sql`delete from uncounted_events where ${same}`,
    )
    if (moved) await addCounts(tx, counts)
  })
  return Math.max(
    1,
    found.reduce((sum, row) => sum + Number(row[2]), 0),
  )
}

/** Discards all counts, and counts all events again in the background. */
export async function recount(db: Db): Promise<void> {
  const projects = await db.all<{ project_id: number }>(sql`${PROJECTS}`)
  for (const { project_id } of projects)
    await db.tx(async (tx) => {
      // No insert may run between the statements.
      if (tx.engine === 'postgres')
        await tx.exec('set local lock_timeout = 0; lock table events in share row exclusive mode')
      const last = await tx.get<{ seq: number | null }>(sql`select ${LAST_SEQ} as seq`)
      await tx.run(sql`delete from event_counts where project_id = ${project_id}`)
      // A counter that has read the row finds other `deletions`.
      await tx.run(sql`
        insert into uncounted_events (project_id, after_position, after_seq, last_seq, deletions)
        values (${project_id}, -1, -1, ${last?.seq ?? 0}, 0)
        on conflict (project_id) do update set after_position = -1, after_seq = -1, last_seq = excluded.last_seq,
          deletions = uncounted_events.deletions + 1`)
    })
}

/** Every project in a table with the project as the first part of its key, by one index lookup each. */
const projectsIn = (table: Sql): Sql => sql`
  select project_id from (
    with recursive found (project_id) as (
      select min(project_id) from ${table}
      union all
      select (select min(project_id) from ${table} where project_id > found.project_id) from found
        where found.project_id is not null)
    select project_id from found where project_id is not null)`

/** Every project that may have events. On a cluster, Citus refuses recursive queries of distributed tables. */
const PROJECTS: Either = {
  sqlite: sql`${projectsIn(sql`events`)} union ${projectsIn(sql`event_counts`)}`,
  postgres: sql`select id as project_id from projects union select project_id from purges`,
}

const LAST_SEQ: Either = {
  sqlite: sql`(select seq from sqlite_sequence where name = 'events')`,
  postgres: sql`pg_sequence_last_value(pg_get_serial_sequence('events', 'seq')::regclass)`,
}

/** Returns a sentence if the counts differ from the events. Reads all events. */
export async function findWrongCounts(db: Db): Promise<string | undefined> {
  const row = await db.get<{ uncounted: number; events: number; total: number; named: number }>(sql`
    select (select count(*) from uncounted_events) as uncounted, (select count(*) from events) as events,
      (select cast(coalesce(sum(count), 0) as bigint) from event_counts where event = ${ALL_EVENTS}) as total,
      (select cast(coalesce(sum(count), 0) as bigint) from event_counts where event <> ${ALL_EVENTS}) as named`)
  if (!row || row.uncounted > 0 || (row.events === row.total && row.events === row.named)) return undefined
  return `The hourly counts contain ${row.total} events (${row.named} by name); the database contains ${row.events}.`
}

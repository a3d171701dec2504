/**
 * Positions in the order of ingestion, which exports use as watermarks. On SQLite each model has positions of its own, the
 * `seq` of its table. On PostgreSQL all are ids of transactions.
 */
import { createLoop, type Loop } from '../background/loop.ts'
import type { Database, Db } from '../sql/db.ts'
import { name, type Sql, sql } from '../sql/template.ts'
import { POSITION } from './extract.ts'
import { FEEDS, MODELS, type Model } from './models.ts'
import type { EventReader } from './readers.ts'

/**
 * The position below which all rows of a model are visible and no new row can appear. On PostgreSQL it is the oldest
 * running transaction, because later transactions may commit first.
 */
export async function horizon(events: Database, model: Model = 'events'): Promise<number> {
  const position = await readPosition(
    events,
    events.engine === 'sqlite'
      ? sql`select coalesce((select seq from sqlite_sequence where name = ${FEEDS[model].table}), 0) + 1 as position`
      : sql`select position_base + pg_snapshot_xmin(pg_current_snapshot())::text::bigint as position from event_store`,
  )
  // Without it, the events below a planned position could be lost in a power failure, and their positions assigned again.
  await events.sync()
  return position
}

async function readPosition(events: Db, query: Sql): Promise<number> {
  const row = await events.get<{ position: number }>(query)
  if (!row) throw new Error('The table event_store is empty. Restart the server to initialize it.')
  return row.position
}

/**
 * The first position after a pause that begins now: above every acknowledged event, and on PostgreSQL above every
 * transaction that has inserted but not committed. Its events count as before the pause.
 */
export async function pausePosition(events: Database, model: Model): Promise<number> {
  if (events.engine === 'sqlite') return horizon(events, model)
  return readPosition(
    events,
    sql`select position_base + pg_current_xact_id()::text::bigint as position from event_store`,
  )
}

/**
 * The first position after a pause that ends now: above every acknowledged event, and not above any later event. A
 * transaction that commits later may be on either side.
 */
export async function resumePosition(events: Database, model: Model): Promise<number> {
  return events.engine === 'sqlite' ? horizon(events, model) : nextPosition(events)
}

/** Above the positions of every model. */
export async function lastHorizon(events: Database): Promise<number> {
  let last = 0
  for (const model of MODELS) last = Math.max(last, await horizon(events, model))
  return last
}

/** PostgreSQL: above every position that is assigned. */
const nextPosition = (events: Db): Promise<number> =>
  readPosition(
    events,
    sql`select position_base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint as position from event_store`,
  )

/** More positions than are assigned between a backup and its restore. */
const RESTORE_GAP = 1_000_000_000

const rowsBetween = (project_id: number, model: Model, start: number, end: number): Sql =>
  sql`from ${name(FEEDS[model].table)} e where e.project_id = ${project_id} and ${POSITION} >= ${start} and ${POSITION} < ${end}`

/** Events per counting query. */
const COUNT_STEP = 10_000

/** Counts the rows of a model in a range, in steps to keep each query fast. Stops when it has counted `limit` or more. */
export async function countBetween(
  reader: EventReader,
  {
    project_id,
    model,
    from,
    to,
    limit = Number.POSITIVE_INFINITY,
  }: { project_id: number; model: Model; from: number; to: number; limit?: number },
): Promise<number> {
  const within = (start: number, end: number): Sql => rowsBetween(project_id, model, start, end)
  const read = async (query: Sql): Promise<number | undefined> => {
    const [row] = await reader.rows<[number]>(query, { project_id, lane: 'fast' })
    return row && Number(row[0])
  }
  let count = 0
  for (let start = from; ; ) {
    const next = await read(
      sql`select ${POSITION} ${within(start, to)} order by ${POSITION} limit 1 offset ${COUNT_STEP}`,
    )
    // All events of a PostgreSQL transaction have one position.
    const end = next === undefined ? to : Math.max(next, start + 1)
    count += (await read(sql`select count(*) ${within(start, end)}`)) ?? 0
    if (next === undefined || count >= limit) return count
    start = end
  }
}

/** Rows that are read backwards at once. */
const SCAN_ROWS = 5_000
/** How much the order of arrival may differ from the order of positions: the length of a transaction, the skew of clocks. */
const DISORDER = 300_000_000

/**
 * The position after the last row of the model in the range that was ingested before `time` (microseconds), or the start
 * of the range. Usually that row is one of the last ones. After a down-time it is not, and a bisection finds its
 * neighborhood: reading 500,000 rows backwards takes 48 ms for each window.
 */
export async function positionAt(
  reader: EventReader,
  { project_id, model, from, to, time }: { project_id: number; model: Model; from: number; to: number; time: number },
): Promise<number> {
  const { ingested_at } = FEEDS[model]
  const within = (start: number, end: number): Sql => rowsBetween(project_id, model, start, end)
  const read = async (query: Sql): Promise<[position: number, ingested_at: number] | undefined> => {
    const [row] = await reader.rows<[number, number]>(query, { project_id, lane: 'fast' })
    return row && [Number(row[0]), Number(row[1])]
  }
  const lastBefore = async (end: number): Promise<number> => {
    const found = await read(sql`
      select ${POSITION}, ${ingested_at} ${within(from, end)} and ${ingested_at} < ${time} order by ${POSITION} desc limit 1`)
    return found ? found[0] + 1 : from
  }
  const boundary = await read(sql`
    select ${POSITION}, ${ingested_at} ${within(from, to)} order by ${POSITION} desc limit 1 offset ${SCAN_ROWS}`)
  if (!boundary || boundary[1] < time) return lastBefore(to)
  let [start, end] = [from, boundary[0] + 1]
  while (end - start > SCAN_ROWS) {
    const middle = Math.floor((start + end) / 2)
    const found = await read(sql`
      select ${POSITION}, ${ingested_at} ${within(middle, end)} order by ${POSITION} limit 1`)
    if (found && found[1] < time + DISORDER) start = found[0] + 1
    else end = middle
  }
  return lastBefore(end)
}

/** A transaction that keeps the horizon back, and with it the exports of all projects. */
export interface OldTransaction {
  /** Null for a prepared transaction. */
  pid: number | null
  application: string | null
  seconds: number
}

/** The oldest transaction of the cluster that has written, if it is older than `min_seconds`. PostgreSQL only. */
export async function oldestTransaction(events: Db, min_seconds: number): Promise<OldTransaction | undefined> {
  if (events.engine === 'sqlite') return undefined
  return events.get<OldTransaction>(sql`
    select pid, application, seconds from (
      select pid, application_name as application, extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
      from pg_stat_activity where backend_xid is not null
      union all
      select null as pid, gid as application, extract(epoch from clock_timestamp() - prepared)::float8 as seconds
      from pg_prepared_xacts) writers
    where seconds > ${min_seconds} order by seconds desc limit 1`)
}

/** Longer than `idle_in_transaction_session_timeout` of the connections of this program. */
const OLD_SECONDS = 90
const WATCH_MS = 60_000

/**
 * Warns about transactions that keep the horizon back. The program does not end those of other programs: they may still
 * insert events, and a horizon above them would lose these for exports.
 */
export function createTransactionWatch(events: Db, log: { warn(fields: object, text: string): void }): Loop {
  const work = async (): Promise<number> => {
    const found = await oldestTransaction(events, OLD_SECONDS)
    if (found)
      log.warn(
        { ...found, seconds: Math.round(found.seconds) },
        'an old transaction in the PostgreSQL cluster delays all exports; end it, or its session with pg_terminate_backend(pid)',
      )
    return WATCH_MS
  }
  return createLoop({
    name: 'horizon',
    round: work,
    first_ms: WATCH_MS,
    retry_ms: WATCH_MS,
    // The loops that need the database report that it is unreachable.
    onError: () => undefined,
  })
}

/**
 * Columns that only PostgreSQL has, and their sources in a copy from SQLite. With `seq` as the position, watermarks,
 * ranges and cursors stay valid.
 */
export const MOVED_COLUMNS: Record<string, Record<string, string>> = Object.fromEntries(
  MODELS.map((model) => [FEEDS[model].table, { position: 'seq' }]),
)

/**
 * For a database that was restored into another cluster with smaller transaction ids: raises the base of new positions
 * above all existing ones and above `reached`, the last position of any export or mirror. Returns whether that was necessary.
 */
export async function advancePositions(events: Db, reached: number): Promise<boolean> {
  // Not the horizon: a long transaction keeps it below positions that this cluster has already assigned.
  if (events.engine === 'sqlite' || reached <= (await nextPosition(events))) return false
  return events.tx(async (tx) => {
    const tables = MODELS.map((model) => FEEDS[model].table)
    // No insert may run while the defaults change.
    await tx.exec(`set local lock_timeout = 0; lock table ${tables.join(', ')} in access exclusive mode`)
    if (reached <= (await nextPosition(tx))) return false
    let base = reached
    const projects = await tx.all<{ id: number }>(sql`select id from projects`)
    for (const table of tables) {
      // Citus can only route a statement that has the project as a value.
      const lasts = await Promise.all(
        projects.map(({ id }) =>
          tx.get<{ position: number | null }>(
            sql`select max(position) as position from ${name(table)} where project_id = ${id}`,
          ),
        ),
      )
      for (const last of lasts) base = Math.max(base, last?.position ?? 0)
    }
    await tx.run(sql`update event_store set position_base = ${base}`)
    for (const table of tables) {
      await tx.exec(
        `alter table ${table} alter column position set default ${base} + pg_current_xact_id()::text::bigint`,
      )
      // The `seq` of a change is a version, and destinations ignore versions below those of lost changes.
      if (table !== 'events')
        await tx.exec(`select setval(pg_get_serial_sequence('${table}', 'seq'),
          nextval(pg_get_serial_sequence('${table}', 'seq')) + ${RESTORE_GAP})`)
    }
    return true
  })
}

/**
 * For a SQLite event store restored from a backup: moves new positions far beyond those that were assigned after the backup
 * and are lost, so that no file, cursor or receiver takes a new event for a lost one. `reached` is the highest position that
 * any export or the replaced database is known to have used.
 */
export async function skipLostPositions(events: Database, reached: number): Promise<number> {
  const next = Math.max(await lastHorizon(events), reached) + RESTORE_GAP
  await events.tx(async (tx) => {
    for (const { table } of Object.values(FEEDS)) {
      const changed = await tx.run(sql`update sqlite_sequence set seq = ${next} where name = ${table}`)
      if (changed === 0) await tx.run(sql`insert into sqlite_sequence (name, seq) values (${table}, ${next})`)
    }
  })
  return next + 1
}

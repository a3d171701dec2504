/**
 * A workspace on its way from SQLite to PostgreSQL. Rows go over in the order of each table's key, so what is there
 * already says where to go on, whatever happened in between; a table of its own says that not all of it is there yet.
 */
import type { Db } from '../sql/db.ts'
import { ADMINISTRATION, EVENTS, hasTable, migrate, requireCurrent, UNFINISHED_COPY, version } from '../sql/migrate.ts'
import { describeTables, type Table } from '../sql/tables.ts'
import { joined, name, type Sql, sql, type Value } from '../sql/template.ts'
import { identity } from './installation.ts'

export interface Ends {
  administration: Db
  events: Db
  target: Db
}

/** A table, the file it is in, and what each of its columns is made of. */
export interface Route extends Table {
  from: Db
  columns: (Table['columns'][number] & { source: string })[]
}

export type Row = Record<string, Value>

export interface Difference {
  table: string
  key: Row
  /** `missing`: not in the target. `extra`: only in the target. */
  kind: 'missing' | 'extra' | 'different'
  /** The columns that differ. */
  columns: string[]
}

/** Rows that name the place itself: a target that was only prepared has them too. */
const NAMES_OF_PLACES = ['installation', 'event_store']
const TRACKS = [ADMINISTRATION, EVENTS]
/** Rows of one statement: few enough where rows are large. */
const FEWEST_ROWS = 1
const FIRST_ROWS = 100
const MOST_ROWS = 2_000
const BATCH_CHARACTERS = 4 * 1024 * 1024

/** Gives an empty target its tables. Throws, with the remedy, for one of another version. */
export async function prepare(target: Db, now: string): Promise<void> {
  for (const track of TRACKS) {
    const found = await version(target, track)
    if (found === 0) await migrate(target, now, track)
    else if (found !== track.migrations.length) await requireCurrent(target, track)
  }
}

/**
 * Every table of the source, each after those that it points to. `moved` says what the columns are made of that only the
 * target has; those that it does not name are left to the target.
 */
export async function routes(
  { administration, events, target }: Ends,
  moved: Record<string, Record<string, string>>,
): Promise<Route[]> {
  const homes = new Map<string, Db>()
  for (const from of [administration, events]) for (const table of await tableNames(from)) homes.set(table, from)
  const all: Route[] = []
  for (const table of await describeTables(target)) {
    const from = homes.get(table.name)
    if (!from) continue
    homes.delete(table.name)
    const there = await from.all<{ name: string }>(sql`select name from pragma_table_info(${table.name})`)
    const left = new Set(there.map((column) => column.name))
    const columns = table.columns.flatMap((column) => {
      const source = left.delete(column.name) ? column.name : moved[table.name]?.[column.name]
      return source ? [{ ...column, source }] : []
    })
    for (const column of left) throw unknown(`column ${column} of ${table.name}`)
    all.push({ ...table, columns, from })
  }
  for (const table of homes.keys()) throw unknown(`table ${table}`)
  return all
}

const unknown = (what: string): Error =>
  new Error(`The target does not have the ${what}. Name another one with --to, which may be empty.`)

/** But those that count versions. */
async function tableNames(db: Db): Promise<string[]> {
  const tables = await db.all<{ name: string }>(
    sql`select name from sqlite_master where type = 'table' and name not like 'sqlite%'`,
  )
  return tables.map((table) => table.name).filter((table) => !TRACKS.some((track) => track.table === table))
}

/** `complete`: all of it came here once. `unfinished`: some of it. `foreign`: what is there is not from this source. */
export type State = 'empty' | 'unfinished' | 'complete' | 'foreign'

export async function stateOf(target: Db, tables: readonly Route[], installation: string): Promise<State> {
  if (await hasTable(target, UNFINISHED_COPY)) {
    const marker = await target.get<{ installation: string }>(sql`select installation from ${name(UNFINISHED_COPY)}`)
    return marker?.installation === installation ? 'unfinished' : 'foreign'
  }
  if ((await identity(target)) === installation) return 'complete'
  for (const table of tables)
    if (!NAMES_OF_PLACES.includes(table.name) && (await lastKey(target, table))) return 'foreign'
  return 'empty'
}

/** From now on no server starts on the target until `finish`. */
export async function begin(target: Db, installation: string, now: string): Promise<void> {
  await target.tx(async (tx) => {
    await tx.exec(`create table ${UNFINISHED_COPY} (installation text not null, started_at text not null)`)
    await tx.run(sql`insert into ${name(UNFINISHED_COPY)} (installation, started_at) values (${installation}, ${now})`)
    for (const table of NAMES_OF_PLACES) await tx.run(sql`delete from ${name(table)}`)
  })
}

export async function count(db: Db, table: Table): Promise<number> {
  return (await db.get<{ count: number }>(sql`select count(*) as count from ${name(table.name)}`))!.count
}

/** Copies what the target does not have yet, and tells how many rows each statement brought. */
export async function fill(target: Db, table: Route, tell: (rows: number) => void): Promise<void> {
  for await (const rows of batches(table, await lastKey(target, table))) {
    tell(await insert(target, table, rows))
  }
}

/** Compares row by row, and tells how many rows of the source each step has looked at. */
export async function* compare(
  target: Db,
  table: Route,
  tell: (rows: number) => void,
): AsyncGenerator<Difference, void, undefined> {
  let after: Row | null = null
  for await (const rows of batches(table, null)) {
    const until = rows.at(-1)!
    yield* differences(table, rows, await range(target, table, after, until))
    after = until
    tell(rows.length)
  }
  for (;;) {
    const beyond: Row[] = await range(target, table, after, null)
    if (beyond.length === 0) return
    yield* differences(table, [], beyond)
    after = beyond.at(-1)!
  }
}

/** Numbers that were given are not given again, and servers may start. */
export async function finish(target: Db, tables: readonly Route[]): Promise<void> {
  const given = new Map<Route, number>()
  for (const table of tables)
    if (table.identity)
      given.set(
        table,
        (await table.from.get<{ seq: number }>(sql`select seq from sqlite_sequence where name = ${table.name}`))?.seq ??
          0,
      )
  // What was just filled has no statistics yet, and the first questions would be answered by reading all of it.
  for (const table of tables) await target.exec(`analyze ${table.name}`)
  await target.tx(async (tx) => {
    for (const [table, last] of given)
      if (last > 0) await tx.get(sql`select setval(pg_get_serial_sequence(${table.name}, ${table.identity}), ${last})`)
    await tx.exec(`drop table ${UNFINISHED_COPY}`)
  })
}

async function* batches(table: Route, from: Row | null): AsyncGenerator<Row[], void, undefined> {
  let limit = FIRST_ROWS
  for (let after = from; ; ) {
    const rows: Row[] = await table.from.all<Row>(sql`
      select ${list(table.columns.map(({ name: column, source }) => sql`t.${name(source)} as ${name(column)}`))}
      from ${name(table.name)} t ${within(table, after)}
      order by ${keyOf(table)} limit ${limit}`)
    if (rows.length === 0) return
    yield rows
    after = rows.at(-1)!
    const characters = rows.reduce((sum, row) => sum + size(row), 0)
    limit = Math.round(Math.min(MOST_ROWS, Math.max(FEWEST_ROWS, (rows.length * BATCH_CHARACTERS) / (characters + 1))))
  }
}

const size = (row: Row): number =>
  Object.values(row).reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0)

/** What the target has after one row of the source, up to another. */
function range(target: Db, table: Route, after: Row | null, until: Row | null): Promise<Row[]> {
  return target.all<Row>(sql`
    select ${list(table.columns.map(readable))} from ${name(table.name)} t ${within(table, after, until)}
    order by ${keyOf(table)} ${until ? sql`` : sql`limit ${FIRST_ROWS}`}`)
}

async function lastKey(target: Db, table: Route): Promise<Row | null> {
  const row = await target.get<Row>(sql`
    select ${keyOf(table)} from ${name(table.name)} t
    order by ${list(table.key.map((column) => sql`t.${name(column)} desc`))} limit 1`)
  return row ?? null
}

/**
 * One parameter and one statement, however many rows; JSON stays the text that it was. The statement of a process that
 * was killed may still be at work on the same rows: whoever comes second leaves them.
 */
function insert(target: Db, table: Route, rows: readonly Row[]): Promise<number> {
  const names = table.columns.map((column) => name(column.name))
  const values = table.columns.map(({ name: column, type }) =>
    type === 'json' ? sql`r.${name(column)}::json` : sql`r.${name(column)}`,
  )
  const types = table.columns.map(
    ({ name: column, type }) => sql`${name(column)} ${name(type === 'json' ? 'text' : type)}`,
  )
  return target.run(sql`
    insert into ${name(table.name)} (${list(names)}) overriding system value
    select ${list(values)} from json_to_recordset(${JSON.stringify(rows)}::json) as r (${list(types)})
    on conflict do nothing`)
}

/** JSON would arrive as what it means, and two texts may mean the same. */
const readable = ({ name: column, type }: { name: string; type: string }): Sql =>
  type === 'json' ? sql`t.${name(column)}::text as ${name(column)}` : sql`t.${name(column)}`

function* differences({ name: table, key, columns }: Route, source: Row[], target: Row[]): Generator<Difference> {
  const idOf = (row: Row): string => JSON.stringify(key.map((column) => row[column]!))
  const there = new Map(target.map((row) => [idOf(row), row]))
  const keyIn = (row: Row): Row => Object.fromEntries(key.map((column) => [column, row[column]!]))
  for (const row of source) {
    const other = there.get(idOf(row))
    there.delete(idOf(row))
    const differing = other
      ? columns.filter(({ name: column, type }) => canonical(row[column]!, type) !== other[column])
      : []
    if (!other || differing.length)
      yield {
        table,
        key: keyIn(row),
        kind: other ? 'different' : 'missing',
        columns: differing.map((column) => column.name),
      }
  }
  for (const row of there.values()) yield { table, key: keyIn(row), kind: 'extra', columns: [] }
}

/** A value of SQLite as PostgreSQL answers it. */
const canonical = (value: Value, type: string): Value => (type === 'boolean' && value !== null ? value === 1 : value)

const list = (parts: readonly Sql[]): Sql => joined(parts, ', ')

const keyOf = ({ key }: Table): Sql => list(key.map((column) => sql`t.${name(column)}`))

/** The rows after one, and not after another. */
function within(table: Table, after: Row | null, until: Row | null = null): Sql {
  const valuesOf = (row: Row): Sql => list(table.key.map((column) => sql`${row[column]!}`))
  const conditions = [
    ...(after ? [sql`(${keyOf(table)}) > (${valuesOf(after)})`] : []),
    ...(until ? [sql`(${keyOf(table)}) <= (${valuesOf(until)})`] : []),
  ]
  return conditions.length ? sql`where ${joined(conditions, ' and ')}` : sql``
}

/**
 * Copies a workspace from SQLite to PostgreSQL. Rows are copied in the order of each table's key, so an interrupted copy
 * continues after the last key in the target. A marker table exists until the copy is complete.
 */
import type { Db } from '../sql/db.ts'
import { DISTRIBUTION_COLUMN, isDistributed } from '../sql/distribution.ts'
import { ADMINISTRATION, EVENTS, hasTable, migrate, requireCurrent, UNFINISHED_COPY, version } from '../sql/migrate.ts'
import { describeTables, type Table } from '../sql/tables.ts'
import { joined, name, type Sql, sql, type Value } from '../sql/template.ts'
import { identity } from './installation.ts'

export interface Ends {
  administration: Db
  events: Db
  target: Db
}

/** A table, its source database, and the source column of each target column. */
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

/** Tables that identify a database. A target that was only migrated has rows in them too. */
const IDENTITY_TABLES = ['installation', 'event_store']
const TRACKS = [ADMINISTRATION, EVENTS]
/** Rows per statement. Batches of large rows are smaller. */
const MIN_ROWS = 1
const FIRST_ROWS = 100
/** Also written in `targetRows`. */
const MAX_ROWS = 2_000
const BATCH_CHARACTERS = 4 * 1024 * 1024

/** Creates the tables in an empty target. Throws when the target has another version. */
export async function prepare(target: Db, now: string): Promise<void> {
  for (const track of TRACKS) {
    const found = await version(target, track)
    if (found === 0) await migrate(target, now, track)
    else if (found !== track.migrations.length) await requireCurrent(target, track)
  }
}

/**
 * All tables of the source, each after the tables it references. `moved` names the source column of columns that only the
 * target has; the target computes the others.
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
    const sources = await from.all<{ name: string }>(sql`select name from pragma_table_info(${table.name})`)
    const left = new Set(sources.map((column) => column.name))
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
  new Error(`The target has no ${what}. Choose another target with --to; it may be empty.`)

/** All tables except those that record migrations. */
async function tableNames(db: Db): Promise<string[]> {
  const tables = await db.all<{ name: string }>(
    sql`select name from sqlite_master where type = 'table' and name not like 'sqlite%'`,
  )
  return tables.map((table) => table.name).filter((table) => !TRACKS.some((track) => track.table === table))
}

/** `complete`: a copy has finished. `unfinished`: a copy was interrupted. `foreign`: the rows are from another source. */
export type State = 'empty' | 'unfinished' | 'complete' | 'foreign'

export async function stateOf(target: Db, tables: readonly Route[], installation: string): Promise<State> {
  if (await hasTable(target, UNFINISHED_COPY)) {
    const marker = await target.get<{ installation: string }>(sql`select installation from ${name(UNFINISHED_COPY)}`)
    return marker?.installation === installation ? 'unfinished' : 'foreign'
  }
  if ((await identity(target)) === installation) return 'complete'
  for (const table of tables)
    if (!IDENTITY_TABLES.includes(table.name) && (await lastKey(target, table))) return 'foreign'
  return 'empty'
}

/** Marks the target as unfinished: no server starts on it before `finish`. */
export async function begin(target: Db, installation: string, now: string): Promise<void> {
  await target.tx(async (tx) => {
    await tx.exec(`create table ${UNFINISHED_COPY} (installation text not null, started_at text not null)`)
    await tx.run(sql`insert into ${name(UNFINISHED_COPY)} (installation, started_at) values (${installation}, ${now})`)
    for (const table of IDENTITY_TABLES) await tx.run(sql`delete from ${name(table)}`)
  })
}

export const count = (db: Db, table: Table): Promise<number> => db.count(sql`from ${name(table.name)}`)

/** Copies the rows that the target lacks. Reports the number of rows of each statement. */
export async function fill(target: Db, table: Route, onProgress: (rows: number) => void): Promise<void> {
  for await (const { rows } of batches(table, null, await lastKey(target, table)))
    onProgress(await insert(target, table, rows))
  // Without statistics, the comparison and the first queries of a server would scan the whole table for each range.
  await target.exec(`analyze ${table.name}`)
}

/** Compares all rows. Reports the number of source rows of each step. */
export async function* compare(
  target: Db,
  table: Route,
  onProgress: (rows: number) => void,
): AsyncGenerator<Difference, void, undefined> {
  if (!isDistributed(table)) return yield* compareWithin(target, table, null, onProgress)
  for (const project_id of await projectsIn(target, table)) yield* compareWithin(target, table, project_id, onProgress)
}

/** The projects with rows in the source or the target. */
async function projectsIn(target: Db, table: Route): Promise<number[]> {
  const column = name(DISTRIBUTION_COLUMN)
  const query = sql`select distinct ${column} as id from ${name(table.name)}`
  const found = [...(await table.from.all<{ id: number }>(query)), ...(await target.all<{ id: number }>(query))]
  return [...new Set(found.map(({ id }) => id))].sort((a, b) => a - b)
}

/** The rows of one project: Citus can route such statements, and PostgreSQL estimates their number from the next column. */
type Part = number | null

async function* compareWithin(
  target: Db,
  table: Route,
  part: Part,
  onProgress: (rows: number) => void,
): AsyncGenerator<Difference, void, undefined> {
  let after: Row | null = null
  for await (const { rows, last } of batches(table, part, null)) {
    yield* differences(table, rows, await range(target, table, part, after, last))
    after = last
    onProgress(rows.length)
  }
  for (;;) {
    const beyond: Row[] = await targetRows(target, table, within(table, part, after))
    const last = beyond.at(-1)
    if (!last) return
    yield* differences(table, [], beyond)
    after = last
  }
}

/** Advances the id sequences past the copied ids and lets servers start. */
export async function finish(target: Db, tables: readonly Route[]): Promise<void> {
  const sequences = new Map<Route, number>()
  for (const table of tables)
    if (table.identity) {
      const found = await table.from.get<{ seq: number }>(
        sql`select seq from sqlite_sequence where name = ${table.name}`,
      )
      sequences.set(table, found?.seq ?? 0)
    }
  await target.tx(async (tx) => {
    for (const [table, last] of sequences)
      if (last > 0) await tx.get(sql`select setval(pg_get_serial_sequence(${table.name}, ${table.identity}), ${last})`)
    await tx.exec(`drop table ${UNFINISHED_COPY}`)
  })
}

async function* batches(
  table: Route,
  part: Part,
  from: Row | null,
): AsyncGenerator<{ rows: Row[]; last: Row }, void, undefined> {
  let limit = FIRST_ROWS
  for (let after = from; ; ) {
    const rows: Row[] = await table.from.all<Row>(sql`
      select ${list(table.columns.map(({ name: column, source }) => sql`t.${name(source)} as ${name(column)}`))}
      from ${name(table.name)} t ${within(table, part, after)}
      order by ${keyOf(table)} limit ${limit}`)
    const last = rows.at(-1)
    if (!last) return
    yield { rows, last }
    after = last
    const characters = rows.reduce((sum, row) => sum + size(row), 0)
    limit = Math.round(Math.min(MAX_ROWS, Math.max(MIN_ROWS, (rows.length * BATCH_CHARACTERS) / (characters + 1))))
  }
}

const size = (row: Row): number =>
  Object.values(row).reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0)

/** The rows of the target after one key, up to another. */
async function range(target: Db, table: Route, part: Part, after: Row | null, until: Row): Promise<Row[]> {
  const rows: Row[] = []
  for (let page: Row[] | undefined; page === undefined || page.length === MAX_ROWS; ) {
    page = await targetRows(target, table, within(table, part, rows.at(-1) ?? after, until))
    rows.push(...page)
  }
  return rows
}

/**
 * At most `MAX_ROWS` rows of the target. PostgreSQL estimates a range of several columns by the first of them: with its
 * values, it would expect one row and scan the whole table. Without them, and with a constant limit, it uses the key's
 * index. Citus needs the value of a project, and then the range begins with the second column.
 */
function targetRows(target: Db, table: Route, condition: Sql): Promise<Row[]> {
  const query = sql`
    select ${list(table.columns.map(readable))} from ${name(table.name)} t ${condition}
    order by ${keyOf(table)} limit 2000`
  if (isDistributed(table)) return target.all<Row>(query)
  return target.tx(async (tx) => {
    await tx.exec('set local plan_cache_mode = force_generic_plan')
    return tx.all<Row>(query)
  })
}

async function lastKey(target: Db, table: Route): Promise<Row | null> {
  const row = await target.get<Row>(sql`
    select ${keyOf(table)} from ${name(table.name)} t
    order by ${list(table.key.map((column) => sql`t.${name(column)} desc`))} limit 1`)
  return row ?? null
}

/** Types that are sent as another, or whose usual name is no identifier. */
const SENT_TYPES: Record<string, string> = { json: 'text', 'double precision': 'float8' }

/**
 * Inserts any number of rows with one parameter. JSON columns keep their text. The statement of a killed process may
 * still be running, so rows that exist are skipped.
 */
function insert(target: Db, table: Route, rows: readonly Row[]): Promise<number> {
  const names = table.columns.map((column) => name(column.name))
  const values = table.columns.map(({ name: column, type }) =>
    type === 'json' ? sql`r.${name(column)}::json` : sql`r.${name(column)}`,
  )
  const types = table.columns.map(({ name: column, type }) => sql`${name(column)} ${name(SENT_TYPES[type] ?? type)}`)
  return target.run(sql`
    insert into ${name(table.name)} (${list(names)}) overriding system value
    select ${list(values)} from json_to_recordset(${JSON.stringify(rows)}::json) as r (${list(types)})
    on conflict do nothing`)
}

/** JSON is read as text: the driver would parse it, and different texts can have the same value. */
const readable = ({ name: column, type }: { name: string; type: string }): Sql =>
  type === 'json' ? sql`t.${name(column)}::text as ${name(column)}` : sql`t.${name(column)}`

function* differences({ name: table, key, columns }: Route, source: Row[], target: Row[]): Generator<Difference> {
  const idOf = (row: Row): string => JSON.stringify(key.map((column) => cell(row, column)))
  const unmatched = new Map(target.map((row) => [idOf(row), row]))
  const keyIn = (row: Row): Row => Object.fromEntries(key.map((column) => [column, cell(row, column)]))
  for (const row of source) {
    const other = unmatched.get(idOf(row))
    unmatched.delete(idOf(row))
    const differing = other
      ? columns.filter(({ name: column, type }) => canonical(cell(row, column), type) !== other[column])
      : []
    if (!other || differing.length)
      yield {
        table,
        key: keyIn(row),
        kind: other ? 'different' : 'missing',
        columns: differing.map((column) => column.name),
      }
  }
  for (const row of unmatched.values()) yield { table, key: keyIn(row), kind: 'extra', columns: [] }
}

const cell = (row: Row, column: string): Value => row[column] ?? null

/** A value of SQLite in the form that PostgreSQL returns. */
const canonical = (value: Value, type: string): Value => (type === 'boolean' && value !== null ? value === 1 : value)

const list = (parts: readonly Sql[]): Sql => joined(parts, ', ')

const keyOf = ({ key }: Table): Sql => list(key.map((column) => sql`t.${name(column)}`))

/** A condition on the key: in one project, after one row, up to another. */
function within(table: Table, part: Part, after: Row | null, until: Row | null = null): Sql {
  const key = part === null ? table.key : table.key.slice(1)
  const columns = list(key.map((column) => sql`t.${name(column)}`))
  const valuesOf = (row: Row): Sql => list(key.map((column) => sql`${cell(row, column)}`))
  const conditions = [
    ...(part === null ? [] : [sql`t.${name(DISTRIBUTION_COLUMN)} = ${part}`]),
    ...(after ? [sql`(${columns}) > (${valuesOf(after)})`] : []),
    ...(until ? [sql`(${columns}) <= (${valuesOf(until)})`] : []),
  ]
  return conditions.length ? sql`where ${joined(conditions, ' and ')}` : sql``
}

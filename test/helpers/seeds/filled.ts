/** Fills every table of a database as after a year: by its columns, without the rules of the program. */
import type { Database, Db } from '../../../src/sql/db.ts'
import { describeTables } from '../../../src/sql/tables.ts'
import { type Engine, sql } from '../../../src/sql/template.ts'

/** The number of rows by table. Tables that are not named have `others`. */
export interface Sizes {
  others: number
  [table: string]: number
}

/** One row or none, as in every installation. */
const CONSTANT = ['installation', 'event_store', 'migrations', 'event_migrations', 'uncounted_events']
/** 2025-01-01, in seconds. */
const START = 1_735_689_600

interface Column {
  name: string
  type: string
}

interface Described {
  name: string
  columns: Column[]
  unique: string[][]
  /** PostgreSQL: the identity column. */
  identity?: string | null
}

/** Values that a constraint or a partial index requires, as SQL over the number `i` of the row. */
const VALUES: Record<string, string> = {
  'members.level': '1',
  'invites.level': '1',
  'letters.state': "'waiting'",
  'activity_log.actor': "'user'",
  'alerts.channel': "'email'",
  'alert_incidents.kind': "'lag'",
  'one_time_tokens.kind': "'sign_in'",
  'plugins.deleted_at': 'null',
  'plugins.is_global': 'i % 1000 = 0',
  'plugins.organization_id': "'organizations-' || (i % 1700 + 1)",
  'batch_export_runs.kind': "'scheduled'",
  'batch_export_runs.backfill_id': 'null',
  'batch_export_runs.status':
    "case when i % 40 = 0 then 'Starting' when i % 4001 = 0 then 'Running' else 'Completed' end",
  'batch_export_runs.lease_owner': "case when i % 4001 = 0 then 'node' end",
  'batch_exports.integration_id': 'null',
  'batch_exports.model': "'events'",
  'person_changes.distinct_id': 'null',
  'projects.event_retention_days': 'case when i % 10 = 0 then 30 end',
}

/** Tables with the events and persons of few projects. */
const LARGE = /^(event|person|session_changes)/

/** Columns that refer to another table, with about three rows for each value. */
const REFERENCES: Record<string, string> = {
  project_id: 'i % 1700 + 1',
  organization_id: "'organizations-' || (i % 1700 + 1)",
  user_id: 'i % 1700 + 1',
  created_by_id: 'i % 1700 + 1',
  inviter_id: 'i % 1700 + 1',
  batch_export_id: "'batch_exports-' || (i % 1700 + 1)",
  plugin_id: 'i % 1700 + 1',
  plugin_config_id: 'i % 1700 + 1',
  alert_id: "'alerts-' || (i % 1700 + 1)",
  member_id: "'members-' || i",
  person_id: "'persons-' || i",
  session_id: "'event_sessions-' || i",
  event: "'event-' || (i % 20)",
  distinct_id: "'person-' || (i % 5000)",
}

const isTime = ({ name, type }: Column): boolean =>
  type === 'text' &&
  (/_(at|until|start|end)$/.test(name) || name === 'hour' || name === 'timestamp' || name === 'late_since')

const isoTime: Record<Engine, string> = {
  sqlite: `strftime('%Y-%m-%dT%H:%M:%fZ', ${START} + i * 60, 'unixepoch')`,
  postgres: `to_char(to_timestamp(${START} + i * 60) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
}

function columnValue(engine: Engine, { name: table, unique }: Described, column: Column): string {
  const { name, type } = column
  const fixed = VALUES[`${table}.${name}`]
  if (fixed) return fixed
  if (table === 'batch_export_runs' && ['finished_at', 'lease_until'].includes(name))
    return `case when ${name === 'lease_until' ? 'i % 4001 = 0' : 'i % 40 > 0 and i % 4001 > 0'} then ${isoTime[engine]} end`
  if (name === 'replay_requested_at') return `case when i % 100 = 0 then ${isoTime[engine]} end`
  if (isTime(column)) return isoTime[engine]
  if (name === 'project_id' && LARGE.test(table) && table !== 'person_deletions') return 'i % 50 + 1'
  const isLast = unique.some((columns) => columns.at(-1) === name)
  if (type === 'boolean' || /^(is|has)_/.test(name)) return 'i % 3 = 0'
  if (type === 'json') return `('{"a": ' || i || '}')::json`
  if (/int|double|real/.test(type)) {
    if (isLast) return 'i'
    if (/^(timestamp|created_at|changed_at|.*_timestamp|last_event_at|before|start)$/.test(name))
      return `${START}000000 + i * 1000000`
    return REFERENCES[name] ?? 'i % 100'
  }
  return isLast ? `'${name === 'id' ? table : name}-' || i` : (REFERENCES[name] ?? `'${name}-' || (i % 50)`)
}

async function tablesOf(db: Db): Promise<Described[]> {
  if (db.engine === 'postgres') return describeTables(db)
  const found = await db.all<{ name: string }>(
    sql`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`,
  )
  return Promise.all(
    found.map(async ({ name }) => ({
      name,
      columns: (await db.all<Column>(sql`select name, type from pragma_table_info(${name})`)).map(({ name, type }) => ({
        name,
        type: type.toLowerCase(),
      })),
      unique: (
        await db.all<{ columns: string }>(sql`
          select (select json_group_array(name) from pragma_index_info(l.name)) as columns
          from pragma_index_list(${name}) l where "unique" = 1
          union all select json_array(max(name)) from pragma_table_info(${name}) where pk > 0 having count(*) = 1`)
      ).map(({ columns }) => JSON.parse(columns)),
    })),
  )
}

/** A table with the numbers `i` from 1. */
export const seriesOf = (engine: Engine, count: number): string =>
  engine === 'postgres'
    ? `generate_series(1::bigint, ${count}) s (i)`
    : `(with recursive s (i) as (select 1 union all select i + 1 from s where i < ${count}) select i from s)`

/**
 * Returns the names of the tables that grow. PostgreSQL then plans as with 100 times as many rows: for a small table, a scan
 * is the best plan. SQLite plans without statistics.
 */
export async function fillDatabase(db: Database, sizes: Sizes): Promise<string[]> {
  const { engine } = db
  const tables = (await tablesOf(db)).filter(({ name }) => !CONSTANT.includes(name))
  const inserts = tables.map((table) => {
    const count = sizes[table.name] ?? sizes.others
    const names = table.columns.map(({ name }) => name)
    const values = table.columns.map((column) => columnValue(engine, table, column))
    return `delete from ${table.name};
      insert into ${table.name} (${names.join(', ')}) ${engine === 'postgres' ? 'overriding system value' : ''}
      select ${values.join(', ')} from ${seriesOf(engine, count)};
      ${table.identity ? `select setval(pg_get_serial_sequence('${table.name}', '${table.identity}'), ${count});` : ''}`
  })
  // Without the checks of foreign keys.
  await db.exec(
    engine === 'postgres'
      ? `begin; set local session_replication_role = replica; ${inserts.join('\n')} commit; analyze;
        update pg_class set reltuples = reltuples * 100 where relnamespace = current_schema()::regnamespace;`
      : `pragma foreign_keys = off; begin; ${inserts.join('\n')} commit; pragma foreign_keys = on;`,
  )
  return tables.map(({ name }) => name)
}

/**
 * The models of batch exports. Events never change, so an export follows the table of events. An export of persons or
 * sessions follows a table of changes and delivers the state at the time of reading, which may be newer than the change.
 */
import type { FieldColumn } from '../hogql/env.ts'
import { BOOLEAN, DATETIME, either, FLOAT, INTEGER, JSON_TYPE, STRING, UUID } from '../hogql/typed.ts'
import { type Sql, sql } from '../sql/template.ts'

export const MODELS = ['events', 'persons', 'sessions'] as const
export type Model = (typeof MODELS)[number]
export type ChangingModel = Exclude<Model, 'events'>

/** The table that a model follows in the order of ingestion. */
export interface Feed {
  table: 'events' | 'person_changes' | 'session_changes'
  /** The time of arrival of a row `e`, in microseconds. */
  ingested_at: Sql
}

/** The current rows of a model, for queries. */
export interface CurrentTable {
  /** The table `e`, and what it joins. */
  from: Sql
  /** The time of a row, in microseconds. */
  time: Sql
  /** Orders the rows. No two are equal. */
  unique: Sql
  fields: Record<string, FieldColumn>
}

/** A model whose rows replace earlier ones with the same key. */
export interface ChangingFeed extends Feed {
  /** Joins the current state of an entry `e`. */
  joins(project_id: number): Sql
  /**
   * Whether to deliver an entry: the latest of its row in the range, and earlier ones of which the latest is outside.
   * `isInRange` is a condition on another entry.
   */
  condition(project_id: number, isInRange: (alias: 'n') => Sql): Sql
  /** Selects rows of backfills, in microseconds. */
  time: Record<'e' | 'n', Sql>
  /** Distinguishes the rows of one entry. */
  key: Sql
  fields: Record<string, FieldColumn>
  current: CurrentTable
  /** Names of fields: a row with a higher version replaces the one with the same key. */
  merge: { key: readonly string[]; version: string }
}

const field = (type: FieldColumn['type'], value: Sql, nullable = false): FieldColumn => ({
  type,
  sql: value,
  nullable,
  person: false,
})

/** The rows of a table with `seq`, by which aggregations order them. */
const ordered = (table: Sql, key: Sql): Sql =>
  either(
    sql`(select t.*, t.${key} as seq from ${table} t)`,
    sql`(select t.*, t.${key} collate "C" as seq from ${table} t)`,
  )

const DISTINCT_ID = sql`coalesce(e.distinct_id, d.distinct_id)`

/** An entry with a distinct id is the deletion of that id. Other entries stand for all distinct ids of a person. */
const PERSONS: ChangingFeed = {
  table: 'person_changes',
  ingested_at: sql`e.changed_at`,
  joins: (project_id) => sql`
    left join persons p on p.project_id = ${project_id} and p.id = e.person_id and e.distinct_id is null
    left join person_distinct_ids d on d.project_id = ${project_id} and d.person_id = p.id`,
  condition: (project_id, isInRange) => sql`
    case when e.distinct_id is not null
      then not exists (
        select 1 from person_distinct_ids x where x.project_id = ${project_id} and x.distinct_id = e.distinct_id)
      else d.distinct_id is not null and (e.seq = p.last_change or not exists (
        select 1 from person_changes n
        where n.project_id = ${project_id} and n.seq = p.last_change and ${isInRange('n')})) end`,
  time: { e: sql`e.changed_at`, n: sql`n.changed_at` },
  key: DISTINCT_ID,
  fields: {
    team_id: field(INTEGER, sql`e.project_id`),
    distinct_id: field(STRING, DISTINCT_ID),
    person_id: field(UUID, sql`e.person_id`),
    properties: field(JSON_TYPE, either(sql`coalesce(p.properties, '{}')`, sql`coalesce(p.properties, '{}'::json)`)),
    version: field(INTEGER, sql`coalesce(p.last_change, e.seq)`),
    created_at: field(DATETIME, sql`p.created_at`, true),
    is_deleted: field(BOOLEAN, sql`(e.distinct_id is not null)`),
  },
  current: {
    from: sql`${ordered(sql`person_distinct_ids`, sql`distinct_id`)} e
      join persons p on p.project_id = e.project_id and p.id = e.person_id`,
    time: sql`p.created_at`,
    unique: sql`e.distinct_id`,
    fields: {
      team_id: field(INTEGER, sql`e.project_id`),
      distinct_id: field(STRING, sql`e.distinct_id`),
      person_id: field(UUID, sql`e.person_id`),
      properties: field(JSON_TYPE, sql`p.properties`),
      version: field(INTEGER, sql`p.last_change`, true),
      created_at: field(DATETIME, sql`p.created_at`),
      is_deleted: field(BOOLEAN, either(sql`0`, sql`false`)),
    },
  },
  merge: { key: ['team_id', 'distinct_id'], version: 'version' },
}

/** The fields of a session, for statements with event_sessions as `s`. */
const sessionFields = (s: Sql): ChangingFeed['fields'] => ({
  distinct_id: field(STRING, sql`${s}.distinct_id`),
  start_timestamp: field(DATETIME, sql`${s}.start_timestamp`),
  end_timestamp: field(DATETIME, sql`${s}.end_timestamp`),
  duration: field(
    FLOAT,
    either(
      sql`((${s}.end_timestamp - ${s}.start_timestamp) / 1000000.0)`,
      sql`((${s}.end_timestamp - ${s}.start_timestamp)::double precision / 1000000)`,
    ),
  ),
  event_count: field(INTEGER, sql`${s}.event_count`),
  pageview_count: field(INTEGER, sql`${s}.pageview_count`),
  entry_url: field(STRING, sql`${s}.entry_url`, true),
  exit_url: field(STRING, sql`${s}.exit_url`, true),
})

/** An entry is added when a session has been quiet for a while. */
const SESSIONS: ChangingFeed = {
  table: 'session_changes',
  ingested_at: sql`e.changed_at`,
  joins: (project_id) => sql`
    join event_sessions s on s.project_id = ${project_id} and s.session_id = e.session_id`,
  condition: (project_id, isInRange) => sql`(e.seq = s.last_change or not exists (
    select 1 from session_changes n
    where n.project_id = ${project_id} and n.seq = s.last_change and ${isInRange('n')}))`,
  time: { e: sql`e.start_timestamp`, n: sql`n.start_timestamp` },
  key: either(sql`''`, sql`''::text`),
  fields: {
    team_id: field(INTEGER, sql`e.project_id`),
    session_id: field(STRING, sql`e.session_id`),
    ...sessionFields(sql`s`),
    version: field(INTEGER, sql`s.last_change`),
  },
  current: {
    from: sql`${ordered(sql`event_sessions`, sql`session_id`)} e`,
    time: sql`e.start_timestamp`,
    unique: sql`e.session_id`,
    fields: {
      team_id: field(INTEGER, sql`e.project_id`),
      session_id: field(STRING, sql`e.session_id`),
      ...sessionFields(sql`e`),
      version: field(INTEGER, sql`e.last_change`, true),
    },
  },
  merge: { key: ['team_id', 'session_id'], version: 'version' },
}

export const CHANGING_FEEDS: Record<ChangingModel, ChangingFeed> = { persons: PERSONS, sessions: SESSIONS }

export const FEEDS: Record<Model, Feed> = {
  events: { table: 'events', ingested_at: sql`e.created_at` },
  ...CHANGING_FEEDS,
}

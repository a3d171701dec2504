import type { ColumnTypes } from '../column-types.ts'

/**
 * The position of an event in the order of ingestion. SQLite commits in the order of `seq`. PostgreSQL does not, so there
 * the position is the id of the inserting transaction: nothing can appear below the oldest running one. Older events have
 * position 0. `position_base` is added when the database was restored from a cluster with higher transaction ids.
 */
export default ({ engine }: ColumnTypes): string =>
  engine === 'sqlite'
    ? 'create index events_by_position on events (project_id, seq, created_at);'
    : `
alter table event_store add column position_base bigint not null default 0;
alter table events add column position bigint not null default 0;
alter table events alter column position set default pg_current_xact_id()::text::bigint;
create index events_by_position on events (project_id, position, seq, created_at);
`

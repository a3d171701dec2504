import type { Dialect } from '../dialect.ts'

/**
 * The order of ingestion, for whoever delivers each event once. SQLite commits in the order of `seq`, so that is the
 * position. PostgreSQL commits out of that order: there the position is the inserting transaction's id, and nothing can
 * still appear below the oldest transaction that runs. What was there before has the position 0. `position_base` is added
 * to those ids where the database came from a cluster that had counted further.
 */
export default ({ engine }: Dialect): string =>
  engine === 'sqlite'
    ? 'create index events_by_position on events (project_id, seq, created_at);'
    : `
alter table event_store add column position_base bigint not null default 0;
alter table events add column position bigint not null default 0;
alter table events alter column position set default pg_current_xact_id()::text::bigint;
create index events_by_position on events (project_id, position, seq, created_at);
`

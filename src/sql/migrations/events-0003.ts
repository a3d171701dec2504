import type { ColumnTypes } from '../column-types.ts'

/**
 * The number of events per project, hour (since 1970) and name. The row with the empty name has the total of the hour.
 * Events that existed before are counted in the background: those of `uncounted_events.project_id` up to `last_seq` and
 * after the position (`after_position`, `after_seq`) are not counted yet. `deletions` changes when such an event is deleted.
 */
export default (d: ColumnTypes): string => `
create table event_counts (
  project_id ${d.integer} not null,
  hour ${d.integer} not null,
  event ${d.text} not null,
  count ${d.integer} not null,
  primary key (project_id, hour, event)
) ${d.engine === 'postgres' ? 'with (fillfactor = 70)' : d.keyed};

create table uncounted_events (
  project_id ${d.integer} primary key,
  after_position ${d.integer} not null,
  after_seq ${d.integer} not null,
  last_seq ${d.integer} not null,
  deletions ${d.integer} not null
) ${d.strict};

${d.engine === 'postgres' ? 'set local lock_timeout = 0; lock table events in share row exclusive mode;' : ''}
insert into uncounted_events (project_id, after_position, after_seq, last_seq, deletions)
with recursive projects_with_events (id) as (
  select min(project_id) from events
  union all
  select (select min(project_id) from events where project_id > projects_with_events.id) from projects_with_events
    where projects_with_events.id is not null
)
select id, -1, -1, ${
  d.engine === 'sqlite'
    ? "(select seq from sqlite_sequence where name = 'events')"
    : "pg_sequence_last_value(pg_get_serial_sequence('events', 'seq')::regclass)"
}, 0
from projects_with_events where id is not null;
`

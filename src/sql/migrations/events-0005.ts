import type { ColumnTypes } from '../column-types.ts'
import { positions } from './events-0004.ts'

/**
 * Sessions, kept by ingestion from the events with a `$session_id`. Times are microseconds. `entry_at` and `exit_at` are
 * the times of the events with the URLs. A session is open until no event has arrived for a while; then an entry is added to
 * `session_changes`, and `last_change` is its `seq`, 0 before the first one.
 */
export default (d: ColumnTypes): string => `
create table event_sessions (
  project_id ${d.integer} not null,
  session_id ${d.text} not null,
  distinct_id ${d.text} not null,
  start_timestamp ${d.integer} not null,
  end_timestamp ${d.integer} not null,
  event_count ${d.integer} not null,
  pageview_count ${d.integer} not null,
  entry_url ${d.text},
  entry_at ${d.integer},
  exit_url ${d.text},
  exit_at ${d.integer},
  last_event_at ${d.integer} not null,
  is_open ${d.boolean} not null,
  last_change ${d.integer} not null default 0,
  primary key (project_id, session_id)
) ${d.keyed};
create index open_event_sessions on event_sessions (project_id, last_event_at) where is_open;

create table session_changes (
  seq ${d.sequence},
  project_id ${d.integer} not null,
  session_id ${d.text} not null,
  start_timestamp ${d.integer} not null,
  changed_at ${d.integer} not null
  ${d.engine === 'postgres' ? ', position bigint not null default 0, primary key (project_id, seq)' : ''}
) ${d.strict};
${positions(d, 'session_changes')}
`

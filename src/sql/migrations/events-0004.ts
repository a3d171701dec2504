import type { ColumnTypes } from '../column-types.ts'

/**
 * Changes of persons in the order of ingestion, for exports. An entry without a distinct id is a change of the person;
 * `persons.last_change` is the `seq` of the latest one, 0 for persons that have not changed since this migration. An entry
 * with a distinct id marks its deletion. `event_deletions` are distinct ids whose events from before a time are still to
 * be deleted.
 */
export default (d: ColumnTypes): string => `
alter table persons add column last_change ${d.integer} not null default 0;
create index persons_by_time on persons (project_id, created_at, id);

create table person_changes (
  seq ${d.sequence},
  project_id ${d.integer} not null,
  person_id ${d.text} not null,
  distinct_id ${d.text},
  changed_at ${d.integer} not null
  ${d.engine === 'postgres' ? ', position bigint not null default 0, primary key (project_id, seq)' : ''}
) ${d.strict};
${positions(d, 'person_changes')}

create table event_deletions (
  project_id ${d.integer} not null,
  distinct_id ${d.text} not null,
  before ${d.integer} not null,
  primary key (project_id, distinct_id)
) ${d.keyed};

${d.engine === 'postgres' ? 'set local lock_timeout = 0; lock table persons in share row exclusive mode;' : ''}
insert into person_changes (project_id, person_id, changed_at)
select project_id, id, created_at from persons order by project_id, created_at, id;
`

/** The default and the index of the positions of a table of changes, as of `events`. */
export const positions = ({ engine }: ColumnTypes, table: 'person_changes' | 'session_changes'): string =>
  engine === 'sqlite'
    ? `create index ${table}_by_position on ${table} (project_id, seq, changed_at);`
    : `
do $$ begin
  execute format('alter table ${table} alter column position set default %s + pg_current_xact_id()::text::bigint',
    (select coalesce(max(position_base), 0) from event_store));
end $$;
create index ${table}_by_position on ${table} (project_id, position, seq, changed_at);
`

import type { ColumnTypes } from '../column-types.ts'

/** Times are microseconds since the Unix epoch. `seq` is the order of ingestion. */
export default (d: ColumnTypes): string => `
create table event_store (
  id integer primary key check (id = 1),
  installation ${d.text} not null
) ${d.strict};

create table events (
  seq ${d.sequence},
  project_id ${d.integer} not null,
  uuid ${d.text} not null,
  event ${d.text} not null,
  distinct_id ${d.text} not null,
  timestamp ${d.integer} not null,
  created_at ${d.integer} not null,
  properties ${d.json} not null,
  elements_chain ${d.text} not null,
  unique (project_id, uuid)
) ${d.strict};
create index events_by_time on events (project_id, timestamp, uuid);
create index events_by_name on events (project_id, event, timestamp, uuid);
create index events_by_distinct_id on events (project_id, distinct_id, timestamp, uuid);

create table persons (
  project_id ${d.integer} not null,
  id ${d.text} not null,
  properties ${d.json} not null,
  is_identified ${d.boolean} not null,
  first_distinct_id ${d.text} not null,
  created_at ${d.integer} not null,
  primary key (project_id, id)
) ${d.keyed};

create table person_distinct_ids (
  project_id ${d.integer} not null,
  distinct_id ${d.text} not null,
  person_id ${d.text} not null,
  primary key (project_id, distinct_id)
) ${d.keyed};
create index distinct_ids_of_person on person_distinct_ids (project_id, person_id);
`

import type { ColumnTypes } from '../column-types.ts'

/**
 * The model and filters of batch exports, and persons whose deletion has begun. `filters` is JSON, in the form of the
 * `properties` of a list of events.
 */
export default (d: ColumnTypes): string => `
alter table batch_exports add column model ${d.text} not null default 'events';
alter table batch_exports add column filters ${d.text};

create table person_deletions (
  id ${d.text} primary key,
  project_id ${d.integer} not null references projects (id) on delete cascade,
  person_id ${d.text} not null,
  delete_events ${d.boolean} not null,
  deleted_at ${d.text} not null
) ${d.strict};
`

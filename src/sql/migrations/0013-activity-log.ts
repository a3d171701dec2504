import type { ColumnTypes } from '../column-types.ts'

/** No foreign keys: entries outlive organizations, projects and users. */
export default (d: ColumnTypes): string => `
create table activity_log (
  id ${d.text} primary key,
  organization_id ${d.text},
  project_id ${d.integer},
  actor ${d.text} not null check (actor in ('user', 'operator', 'system')),
  user_id ${d.integer},
  user_uuid ${d.text},
  user_email ${d.text},
  user_first_name ${d.text},
  key_id ${d.text},
  session_id ${d.text},
  address ${d.text},
  area ${d.text} not null,
  item_id ${d.text},
  item_name ${d.text},
  activity ${d.text} not null,
  changes ${d.text} not null,
  created_at ${d.text} not null
) ${d.strict};
create index activity_log_of_organization on activity_log (organization_id, created_at, id);
create index activity_log_by_age on activity_log (created_at);
create index activity_log_of_user on activity_log (user_id, activity, address);
`

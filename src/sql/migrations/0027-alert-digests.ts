import type { ColumnTypes } from '../column-types.ts'

/**
 * `alert_messages` are waiting for the next digest of their organization. `alert_digests` has a row for each organization
 * that had one: the earliest time of the next, and whether messages wait for it. Urgent emails are sent before others.
 */
export default (d: ColumnTypes): string => `
create table alert_messages (
  id ${d.text} primary key,
  organization_id ${d.text} not null references organizations (id) on delete cascade,
  alert_id ${d.text} references alerts (id) on delete cascade,
  body ${d.text} not null,
  created_at ${d.text} not null
) ${d.strict};
create index messages_of_organization on alert_messages (organization_id, created_at, id);
create index messages_of_alert on alert_messages (alert_id);

create table alert_digests (
  organization_id ${d.text} primary key references organizations (id) on delete cascade,
  next_at ${d.text} not null,
  waiting ${d.boolean} not null
) ${d.strict};
create index due_digests on alert_digests (next_at) where waiting;

alter table letters add column urgent ${d.boolean} not null default ${d.engine === 'sqlite' ? '0' : 'false'};
drop index letters_due;
create index letters_due on letters (state, urgent, next_attempt_at, id);
`

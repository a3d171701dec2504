import type { ColumnTypes } from '../column-types.ts'

/**
 * `alert_incidents` has a row from the message about a problem until the problem ends, so one problem sends one message.
 * `alert_deliveries` is the queue of webhook requests. Emails of alerts are in the outbox of all emails.
 */
export default (d: ColumnTypes): string => `
create table alerts (
  id ${d.text} primary key,
  organization_id ${d.text} not null references organizations (id) on delete cascade,
  name ${d.text} not null,
  enabled ${d.boolean} not null,
  on_failure ${d.boolean} not null,
  on_recovery ${d.boolean} not null,
  on_pause ${d.boolean} not null,
  on_lag ${d.boolean} not null,
  lag_minutes ${d.integer} not null,
  project_id ${d.integer} references projects (id) on delete cascade,
  batch_export_id ${d.text} references batch_exports (id) on delete cascade,
  channel ${d.text} not null check (channel in ('email', 'webhook')),
  url ${d.text},
  secret ${d.text},
  last_triggered_at ${d.text},
  latest_error ${d.text},
  created_at ${d.text} not null,
  updated_at ${d.text} not null
) ${d.strict};
create index alerts_of_organization on alerts (organization_id, created_at, id);
create index alerts_of_project on alerts (project_id) where project_id is not null;
create index alerts_of_export on alerts (batch_export_id) where batch_export_id is not null;
create index alerts_about_lag on alerts (lag_minutes) where on_lag;

create table alert_recipients (
  alert_id ${d.text} not null references alerts (id) on delete cascade,
  member_id ${d.text} not null references members (id) on delete cascade,
  primary key (alert_id, member_id)
) ${d.strict};
create index alerts_of_member on alert_recipients (member_id);

create table alert_incidents (
  batch_export_id ${d.text} not null references batch_exports (id) on delete cascade,
  kind ${d.text} not null check (kind in ('runs', 'backfills', 'lag')),
  alert_id ${d.text} not null references alerts (id) on delete cascade,
  late_since ${d.text},
  created_at ${d.text} not null,
  primary key (batch_export_id, kind, alert_id)
) ${d.strict};
create index incidents_of_alert on alert_incidents (alert_id, kind);

create table alert_deliveries (
  id ${d.text} primary key,
  alert_id ${d.text} not null references alerts (id) on delete cascade,
  body ${d.text} not null,
  attempts ${d.integer} not null,
  next_attempt_at ${d.text} not null,
  created_at ${d.text} not null
) ${d.strict};
create index deliveries_of_alert on alert_deliveries (alert_id);
create index due_deliveries on alert_deliveries (next_attempt_at, id);
`

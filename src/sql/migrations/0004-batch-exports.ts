import type { ColumnTypes } from '../column-types.ts'

/**
 * `watermark` is the first ingestion position that no scheduled run covers. `window_start` and `next_at` bound the window
 * that contains it; `next_at` is null when nothing more will be scheduled.
 */
export default (d: ColumnTypes): string => `
create table batch_exports (
  id ${d.text} primary key,
  project_id ${d.integer} not null references projects (id) on delete cascade,
  name ${d.text} not null,
  destination_type ${d.text} not null,
  destination_config ${d.text} not null,
  secrets ${d.text},
  interval ${d.text} not null,
  paused ${d.boolean} not null,
  created_at ${d.text} not null,
  last_updated_at ${d.text} not null,
  last_paused_at ${d.text},
  resumed_at ${d.text} not null,
  start_at ${d.text},
  end_at ${d.text},
  hogql_query ${d.text},
  schema ${d.text},
  watermark ${d.integer} not null,
  window_start ${d.text} not null,
  next_at ${d.text}
) ${d.strict};
create index batch_exports_of_project on batch_exports (project_id, created_at, id);
create index batch_exports_due on batch_exports (next_at) where not paused;

create table batch_export_backfills (
  id ${d.text} primary key,
  batch_export_id ${d.text} not null references batch_exports (id) on delete cascade,
  start_at ${d.text} not null,
  end_at ${d.text} not null,
  status ${d.text} not null,
  created_at ${d.text} not null,
  finished_at ${d.text}
) ${d.strict};
create unique index active_backfills on batch_export_backfills (batch_export_id, start_at, end_at)
  where status = 'Running';

create table batch_export_runs (
  id ${d.text} primary key,
  batch_export_id ${d.text} not null references batch_exports (id) on delete cascade,
  project_id ${d.integer} not null,
  kind ${d.text} not null check (kind in ('scheduled', 'retry', 'backfill')),
  backfill_id ${d.text} references batch_export_backfills (id) on delete cascade,
  status ${d.text} not null,
  data_interval_start ${d.text} not null,
  data_interval_end ${d.text} not null,
  from_position ${d.integer},
  to_position ${d.integer},
  records_completed ${d.integer},
  records_total_count ${d.integer},
  latest_error ${d.text},
  checkpoint ${d.text},
  attempts ${d.integer} not null,
  next_attempt_at ${d.text} not null,
  lease_owner ${d.text},
  lease_until ${d.text},
  created_at ${d.text} not null,
  finished_at ${d.text},
  last_updated_at ${d.text} not null
) ${d.strict};
create unique index scheduled_runs on batch_export_runs (batch_export_id, data_interval_end) where kind = 'scheduled';
create index runs_by_creation on batch_export_runs (batch_export_id, created_at, id);
create index runs_by_window on batch_export_runs (batch_export_id, data_interval_start, id);
create index runs_by_change on batch_export_runs (batch_export_id, last_updated_at);
create index runs_of_backfill on batch_export_runs (backfill_id) where backfill_id is not null;
create index open_runs on batch_export_runs (next_attempt_at, project_id) where status in ('Starting', 'Running');
create index finished_runs on batch_export_runs (finished_at) where finished_at is not null;

create table batch_export_log_entries (
  id ${d.serial},
  project_id ${d.integer} not null,
  batch_export_id ${d.text} not null references batch_exports (id) on delete cascade,
  run_id ${d.text} not null,
  timestamp ${d.text} not null,
  level ${d.text} not null,
  message ${d.text} not null
) ${d.strict};
create index log_entries_of_export on batch_export_log_entries (batch_export_id, timestamp, id);
create index log_entries_of_run on batch_export_log_entries (run_id, timestamp, id);
create index log_entries_by_time on batch_export_log_entries (timestamp);
`

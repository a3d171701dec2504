import type { ColumnTypes } from '../column-types.ts'

/**
 * When the days and weeks of an export begin, and the progress of backfills, which keep the windows they started with.
 * `window_end` is the end of the last completed window.
 */
export default (d: ColumnTypes): string => `
alter table batch_exports add column timezone ${d.text} not null default 'UTC';
alter table batch_exports add column offset_day ${d.integer} not null default 0;
alter table batch_exports add column offset_hour ${d.integer} not null default 0;

alter table batch_export_backfills add column interval ${d.text};
alter table batch_export_backfills add column timezone ${d.text};
alter table batch_export_backfills add column window_end ${d.text};
alter table batch_export_backfills add column windows_completed ${d.integer} not null default 0;
alter table batch_export_backfills add column records_completed ${d.integer} not null default 0;
alter table batch_export_backfills add column bytes_completed ${d.integer} not null default 0;
alter table batch_export_backfills add column latest_error ${d.text};
alter table batch_export_backfills add column last_updated_at ${d.text};
create index backfills_by_creation on batch_export_backfills (batch_export_id, created_at, id);
create index finished_backfills on batch_export_backfills (finished_at) where finished_at is not null;
${(['interval', 'timezone'] as const)
  .map(
    (column) => `
update batch_export_backfills set ${column} = (
  select x.${column} from batch_exports x where x.id = batch_export_backfills.batch_export_id);`,
  )
  .join('')}
update batch_export_backfills set last_updated_at = coalesce(finished_at, created_at);
${Object.entries({
  window_end: 'max(r.data_interval_end)',
  windows_completed: 'count(*)',
  records_completed: 'coalesce(sum(r.records_completed), 0)',
  bytes_completed: 'coalesce(sum(r.bytes_completed), 0)',
})
  .map(
    ([column, value]) => `
update batch_export_backfills set ${column} = (
  select ${value} from batch_export_runs r
  where r.backfill_id = batch_export_backfills.id and r.kind = 'backfill' and r.status = 'Completed');`,
  )
  .join('')}
update batch_export_backfills set latest_error = (
  select max(r.latest_error) from batch_export_runs r
  where r.backfill_id = batch_export_backfills.id and r.kind = 'backfill' and r.status in ('Failed', 'FailedRetryable'))
where status = 'Failed';
`

import type { ColumnTypes } from '../column-types.ts'

/**
 * The index of open runs has all that the choice of the next run needs, so the claim of a run reads no finished run and, on
 * SQLite, only the rows of runs in progress. The other indexes find expired rows. `request_counts` exists only on PostgreSQL.
 */
export default (d: ColumnTypes): string => `
drop index open_runs;
create index open_runs on batch_export_runs
  (status, next_attempt_at, project_id, data_interval_end, created_at, id) where status in ('Starting', 'Running');
create index sessions_by_use on sessions (last_used_at);
${d.engine === 'postgres' ? 'create index request_counts_by_start on request_counts (seconds, start);' : ''}
`

import type { ColumnTypes } from '../column-types.ts'

/**
 * The index of open runs has all that the choice of the next run needs, so the claim of a run reads no finished run and, on
 * SQLite, only the rows of runs in progress. The other indexes find expired rows and the rows of a deleted user, organization
 * or project. `request_counts` exists only on PostgreSQL.
 */
export default (d: ColumnTypes): string => `
drop index open_runs;
create index open_runs on batch_export_runs
  (status, next_attempt_at, project_id, data_interval_end, created_at, id) where status in ('Starting', 'Running');
create index projects_with_retention on projects (id) where event_retention_days is not null;
create index person_deletions_by_age on person_deletions (deleted_at, id);
create index sessions_by_use on sessions (last_used_at);
${d.engine === 'postgres' ? 'create index request_counts_by_start on request_counts (seconds, start);' : ''}

create index invites_of_creator on invites (created_by_id);
create index used_invites_of_organization on used_invites (organization_id);
create index pending_sign_ins_of_user on pending_sign_ins (user_id);
create index pending_identities_of_user on pending_identities (user_id);
create index removed_members_of_user on removed_members (user_id);
create index person_deletions_of_project on person_deletions (project_id);
create index waiting_plugin_jobs on plugin_jobs (run_at) where lease_until is null;
create index leased_plugin_jobs on plugin_jobs (lease_until) where lease_until is not null;
`

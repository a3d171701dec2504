import type { ColumnTypes } from '../column-types.ts'

/**
 * The state, storage, logs, counts, jobs and schedules of plugins. The place (`position`, `seq`) of a configuration is the last event that was offered to
 * it, as in the order of ingestion. `origin` is the list of configurations whose events led to a job.
 */
export default (d: ColumnTypes): string => `
create table plugin_states (
  plugin_config_id ${d.integer} primary key references plugin_configs (id) on delete cascade,
  position ${d.integer} not null,
  seq ${d.integer} not null,
  attempts ${d.integer} not null,
  retry_at ${d.text},
  failures ${d.integer} not null,
  timeouts ${d.integer} not null,
  timeouts_since ${d.text},
  error ${d.text},
  lease_owner ${d.text},
  lease_until ${d.text}
) ${d.strict};

create table plugin_storage (
  plugin_config_id ${d.integer} not null references plugin_configs (id) on delete cascade,
  key ${d.text} not null,
  value ${d.text} not null,
  primary key (plugin_config_id, key)
) ${d.keyed};

create table plugin_log_entries (
  id ${d.serial},
  project_id ${d.integer} not null,
  plugin_id ${d.integer} not null,
  plugin_config_id ${d.integer} not null references plugin_configs (id) on delete cascade,
  timestamp ${d.text} not null,
  source ${d.text} not null,
  level ${d.text} not null,
  message ${d.text} not null
) ${d.strict};
create index plugin_log_entries_of_config on plugin_log_entries (plugin_config_id, timestamp, id);
create index plugin_log_entries_by_time on plugin_log_entries (timestamp);

create table plugin_metrics (
  plugin_config_id ${d.integer} not null references plugin_configs (id) on delete cascade,
  hour ${d.text} not null,
  category ${d.text} not null,
  successes ${d.integer} not null,
  successes_on_retry ${d.integer} not null,
  failures ${d.integer} not null,
  dropped ${d.integer} not null,
  changed ${d.integer} not null,
  milliseconds ${d.integer} not null,
  primary key (plugin_config_id, hour, category)
) ${d.keyed};
create index plugin_metrics_by_hour on plugin_metrics (hour);

create table plugin_jobs (
  id ${d.text} primary key,
  plugin_config_id ${d.integer} not null references plugin_configs (id) on delete cascade,
  name ${d.text} not null,
  payload ${d.text} not null,
  origin ${d.text},
  run_at ${d.text} not null,
  created_at ${d.text} not null,
  lease_owner ${d.text},
  lease_until ${d.text}
) ${d.strict};
create index plugin_jobs_of_config on plugin_jobs (plugin_config_id);
create index due_plugin_jobs on plugin_jobs (run_at, id);

create table plugin_schedules (
  plugin_config_id ${d.integer} not null references plugin_configs (id) on delete cascade,
  task ${d.text} not null,
  next_at ${d.text} not null,
  lease_owner ${d.text},
  lease_until ${d.text},
  primary key (plugin_config_id, task)
) ${d.keyed};
create index due_plugin_schedules on plugin_schedules (next_at);
`

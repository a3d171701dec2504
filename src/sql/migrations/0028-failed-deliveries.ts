import type { ColumnTypes } from '../column-types.ts'

/**
 * The events for which a function of a plugin configuration failed for good. `replay_requested_at` is set while a delivery waits
 * for its replay.
 */
export default (d: ColumnTypes): string => `
create table plugin_failed_deliveries (
  id ${d.text} primary key,
  plugin_config_id ${d.integer} not null references plugin_configs (id) on delete cascade,
  function ${d.text} not null,
  event_uuid ${d.text} not null,
  event ${d.text} not null,
  error ${d.text} not null,
  attempts ${d.integer} not null,
  failed_at ${d.text} not null,
  replay_requested_at ${d.text}
) ${d.strict};
create unique index failed_deliveries_of_event on plugin_failed_deliveries (plugin_config_id, event_uuid, function);
create index failed_deliveries_of_config on plugin_failed_deliveries (plugin_config_id, failed_at, id);
create index failed_deliveries_by_time on plugin_failed_deliveries (failed_at);
create index requested_replays on plugin_failed_deliveries (plugin_config_id, replay_requested_at, id)
  where replay_requested_at is not null;
`

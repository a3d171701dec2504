import type { ColumnTypes } from '../column-types.ts'

/** Saved events with the results that are expected of a plugin configuration. `event` and `expected` are JSON. */
export default (d: ColumnTypes): string => `
create table plugin_test_events (
  id ${d.text} primary key,
  plugin_config_id ${d.integer} not null references plugin_configs (id) on delete cascade,
  name ${d.text} not null,
  event ${d.text} not null,
  expected ${d.text},
  created_at ${d.text} not null,
  updated_at ${d.text} not null
) ${d.strict};
create unique index test_events_of_config on plugin_test_events (plugin_config_id, name);
`

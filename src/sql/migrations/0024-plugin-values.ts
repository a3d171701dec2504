import type { ColumnTypes } from '../column-types.ts'

/** When a configuration was disabled, which events its webhooks get, and the values of the metrics that plugins declare. */
export default (d: ColumnTypes): string => `
alter table plugin_configs add column disabled_at ${d.text};
update plugin_configs set disabled_at = updated_at
  where not ${d.engine === 'sqlite' ? 'enabled = 1' : 'enabled'} and id in (select plugin_config_id from plugin_states);
alter table plugin_configs add column filters ${d.text};

create table plugin_metric_values (
  plugin_config_id ${d.integer} not null references plugin_configs (id) on delete cascade,
  hour ${d.text} not null,
  name ${d.text} not null,
  kind ${d.text} not null,
  value ${d.engine === 'sqlite' ? 'real' : 'double precision'} not null,
  primary key (plugin_config_id, hour, name, kind)
) ${d.keyed};
create index plugin_metric_values_by_hour on plugin_metric_values (hour);
`

import type { ColumnTypes } from '../column-types.ts'

/** `url_key` is the normalized URL. The row of an uninstalled plugin is kept for its activity. */
export default (d: ColumnTypes): string => `
create table plugins (
  id ${d.serial},
  organization_id ${d.text} not null references organizations (id) on delete cascade,
  family ${d.text} not null,
  plugin_type ${d.text},
  name ${d.text},
  description ${d.text},
  url ${d.text},
  url_key ${d.text},
  private_token ${d.text},
  icon ${d.text},
  config_schema ${d.text} not null,
  tag ${d.text},
  latest_tag ${d.text},
  latest_tag_checked_at ${d.text},
  is_global ${d.boolean} not null,
  capabilities ${d.text} not null,
  sends_events ${d.boolean} not null,
  metrics ${d.text},
  public_jobs ${d.text},
  revision ${d.integer} not null,
  created_at ${d.text} not null,
  updated_at ${d.text} not null,
  deleted_at ${d.text}
) ${d.strict};
create unique index plugins_by_url on plugins (organization_id, url_key) where deleted_at is null;
create index plugins_of_organization on plugins (organization_id, family, id);
create index global_plugins on plugins (family, id) where is_global;

create table plugin_files (
  plugin_id ${d.integer} not null references plugins (id) on delete cascade,
  name ${d.text} not null,
  text ${d.text} not null,
  error ${d.text},
  primary key (plugin_id, name)
) ${d.strict};

create table plugin_configs (
  id ${d.serial},
  plugin_id ${d.integer} not null references plugins (id) on delete cascade,
  project_id ${d.integer} not null references projects (id) on delete cascade,
  enabled ${d.boolean} not null,
  sort_order ${d.integer} not null,
  config ${d.text} not null,
  secret_keys ${d.text} not null,
  secrets ${d.text},
  name ${d.text},
  description ${d.text},
  created_at ${d.text} not null,
  updated_at ${d.text} not null
) ${d.strict};
create index plugin_configs_of_project on plugin_configs (project_id, sort_order, id);
create index plugin_configs_of_plugin on plugin_configs (plugin_id);

create table plugin_activity (
  id ${d.serial},
  organization_id ${d.text} not null references organizations (id) on delete cascade,
  plugin_id ${d.integer} not null references plugins (id) on delete cascade,
  scope ${d.text} not null,
  item_id ${d.text} not null,
  activity ${d.text} not null,
  first_name ${d.text} not null,
  email ${d.text} not null,
  name ${d.text} not null,
  changes ${d.text},
  created_at ${d.text} not null
) ${d.strict};
create index plugin_activity_of_organization on plugin_activity (organization_id, plugin_id, id);
create index plugin_activity_of_plugin on plugin_activity (plugin_id);
`

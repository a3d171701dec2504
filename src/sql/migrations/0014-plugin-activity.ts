import type { ColumnTypes } from '../column-types.ts'

/**
 * The activity of plugins moves into the activity log. `plugin_changes` has the values of settings, which `changes` leaves
 * out. Entries that are in both tables are joined; the others are copied with ids in the order of the old ones.
 *
 * The old table stays, empty: nodes of an older version write to it until they are restarted.
 */
export default (d: ColumnTypes): string => `
alter table activity_log add column plugin_id ${d.integer};
alter table activity_log add column plugin_changes ${d.text};

update activity_log set
  plugin_id = (select a.plugin_id from plugin_activity a where ${SAME_ENTRY} order by a.id limit 1),
  plugin_changes = (select a.changes from plugin_activity a where ${SAME_ENTRY} order by a.id limit 1)
where area in ('plugins', 'plugin_configs');

insert into activity_log (id, organization_id, actor, user_id, user_uuid, user_email, user_first_name, area, item_id,
  item_name, activity, changes, created_at, plugin_id, plugin_changes)
select '00000000-0000-8000-8000-' || substr('000000000000', 1, 12 - length(cast(a.id as text))) || cast(a.id as text),
  a.organization_id, 'user', u.id, u.uuid, a.email, a.first_name,
  case a.scope when 'Plugin' then 'plugins' else 'plugin_configs' end,
  a.item_id, nullif(a.name, ''), a.activity, '[]', a.created_at, a.plugin_id, a.changes
from plugin_activity a left join users u on u.email = a.email
where not exists (select 1 from activity_log where ${SAME_ENTRY});

delete from plugin_activity;
create index activity_log_of_plugins on activity_log (organization_id, plugin_id, created_at, id)
  where plugin_id is not null;
`

const SAME_ENTRY = `a.organization_id = activity_log.organization_id and a.item_id = activity_log.item_id
    and a.activity = activity_log.activity and a.created_at = activity_log.created_at
    and activity_log.area = case a.scope when 'Plugin' then 'plugins' else 'plugin_configs' end`

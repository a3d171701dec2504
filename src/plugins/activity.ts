/** Records changes of plugins in the activity log. */
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import * as activityLog from '../store/activity_log.ts'
import type { FieldChange as LoggedChange } from '../store/field-changes.ts'
import type { Activity, FieldChange } from '../store/plugin_activity.ts'
import type { PluginRow } from '../store/plugins.ts'
import { diffFields } from './changes.ts'

interface PluginActivity {
  plugin: PluginRow
  actor: activityLog.UserActor
  activity: Activity
  changes?: FieldChange[]
  ids: Ids
  now: string
}

export async function recordPluginActivity(
  tx: Db,
  { plugin: { organization_id, id, name }, actor, activity, changes = [], ids, now }: PluginActivity,
): Promise<void> {
  await activityLog.record(tx, ids, now, actor, {
    organization_id,
    area: 'plugins',
    activity,
    item_id: id,
    item_name: name,
    changes: loggedChanges(changes),
    plugin: { id, changes },
  })
}

export const loggedChanges = (changes: readonly FieldChange[]): LoggedChange[] =>
  changes.map(({ field, before, after }) => ({ field, before, after }))

export const diffPlugins = (before: PluginRow, after: PluginRow): FieldChange[] =>
  diffFields('Plugin', comparableFields(before), comparableFields(after))

const comparableFields = (row: PluginRow): Record<string, unknown> => ({
  plugin_type: row.plugin_type,
  name: row.name,
  description: row.description,
  icon: row.icon,
  config_schema: parseJson(row.config_schema),
  tag: row.tag,
  latest_tag: row.latest_tag,
  is_global: Boolean(row.is_global),
  capabilities: parseJson(row.capabilities),
  metrics: parseJson(row.metrics),
  public_jobs: parseJson(row.public_jobs),
})

const parseJson = (text: string | null): unknown => (text === null ? null : JSON.parse(text))

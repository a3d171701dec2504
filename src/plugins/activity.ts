/** Records changes of plugins in the activity log. */
import type { Db } from '../sql/db.ts'
import { type Activity, type FieldChange, record } from '../store/plugin_activity.ts'
import type { PluginRow } from '../store/plugins.ts'
import { diffFields } from './changes.ts'

/** The acting user. */
export interface Author {
  first_name: string
  email: string
}

interface PluginActivity {
  plugin: PluginRow
  author: Author
  activity: Activity
  changes?: FieldChange[]
  now: string
}

export function recordPluginActivity(
  tx: Db,
  { plugin: { organization_id, id, name }, author: { first_name, email }, activity, changes = [], now }: PluginActivity,
): Promise<void> {
  const user = { first_name, email }
  return record(
    tx,
    {
      organization_id,
      plugin_id: id,
      scope: 'Plugin',
      item_id: id,
      activity,
      user,
      name,
      changes: changes.length ? changes : null,
    },
    now,
  )
}

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

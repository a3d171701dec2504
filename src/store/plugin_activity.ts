/** The activity of plugins, from the activity log. */
import type { Db } from '../sql/db.ts'
import { oneOf, sql } from '../sql/template.ts'
import { byIds, type Family, type PluginRow, visibleTo } from './plugins.ts'
import type { Counted, Paging } from './rows.ts'

export interface FieldChange {
  type: Scope
  action: 'created' | 'changed' | 'deleted'
  field: string
  before: unknown
  after: unknown
}

export type Scope = 'Plugin' | 'PluginConfig'

export type Activity =
  | 'installed'
  | 'updated'
  | 'source_updated'
  | 'upgraded'
  | 'uninstalled'
  | 'config_created'
  | 'enabled'
  | 'disabled'
  | 'order_changed'
  | 'config_updated'
  | 'config_deleted'
  | 'job_started'
  | 'deliveries_replayed'
  | 'test_event_created'
  | 'test_event_updated'
  | 'test_event_deleted'

export interface ActivityRow {
  plugin_id: number
  area: 'plugins' | 'plugin_configs'
  item_id: string
  activity: Activity
  /** The user's name and address at the time. */
  user_first_name: string | null
  user_email: string | null
  /** The name of the plugin or configuration at the time. */
  item_name: string | null
  /** JSON. */
  plugin_changes: string | null
  created_at: string
}

export interface PluginActivity {
  plugin: PluginRow
  entries: ActivityRow[]
}

/** Entries contain values that users wrote, so both the list of each plugin and the page are bounded. */
const MAX_ENTRIES_PER_PLUGIN = 100
const MAX_ENTRIES_PER_PAGE = 10_000

/**
 * The plugins with activity in the organization, the most recently changed first, with their latest entries. Includes
 * uninstalled plugins of the organization; plugins of other organizations only while they are visible.
 */
export async function list(
  db: Db,
  organization_id: string,
  family: Family,
  { limit, offset }: Paging,
): Promise<Counted<PluginActivity>> {
  const touched = sql`from activity_log a join plugins p on p.id = a.plugin_id
    where a.organization_id = ${organization_id} and a.plugin_id is not null and p.family = ${family}
      and (p.organization_id = ${organization_id} or (${visibleTo(organization_id)}))`
  const [total, page] = await Promise.all([
    db.get<{ count: number }>(sql`select count(distinct a.plugin_id) as count ${touched}`),
    db.all<{ plugin_id: number }>(sql`
      select a.plugin_id ${touched} group by a.plugin_id order by max(a.created_at) desc, max(a.id) desc
      limit ${limit} offset ${offset}`),
  ])
  const ids = page.map(({ plugin_id }) => plugin_id)
  if (ids.length === 0) return { count: total?.count ?? 0, rows: [] }
  const [plugins, entries] = await Promise.all([
    byIds(db, ids),
    db.all<ActivityRow>(sql`
      select plugin_id, area, item_id, activity, user_first_name, user_email, item_name, plugin_changes, created_at
      from (select a.*, row_number() over (partition by a.plugin_id order by a.created_at desc, a.id desc) as nth
        from activity_log a
        where a.organization_id = ${organization_id} and a.plugin_id is not null and a.plugin_id in ${oneOf(ids)}) latest
      where nth <= ${MAX_ENTRIES_PER_PLUGIN} order by created_at desc, id desc limit ${MAX_ENTRIES_PER_PAGE}`),
  ])
  const entriesOf = new Map<number, ActivityRow[]>(ids.map((id) => [id, []]))
  for (const entry of entries) entriesOf.get(entry.plugin_id)?.push(entry)
  return {
    count: total?.count ?? 0,
    rows: ids.flatMap((id) => {
      const plugin = plugins.get(id)
      return plugin ? [{ plugin, entries: entriesOf.get(id) ?? [] }] : []
    }),
  }
}

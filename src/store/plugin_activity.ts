import type { Db } from '../sql/db.ts'
import { oneOf, sql } from '../sql/template.ts'
import { byIds, type Family, type PluginRow, visibleTo } from './plugins.ts'

export interface FieldChange {
  type: 'Plugin' | 'PluginConfig'
  action: 'created' | 'changed' | 'deleted'
  field: string
  before: unknown
  after: unknown
}

export interface NewActivity {
  organization_id: string
  plugin_id: number
  scope: 'Plugin' | 'PluginConfig'
  item_id: number
  activity: string
  /** Who did it, as they were called then. */
  user: { first_name: string; email: string }
  /** The name it had then. */
  name: string | null
  changes: FieldChange[] | null
}

export interface ActivityRow {
  plugin_id: number
  scope: 'Plugin' | 'PluginConfig'
  item_id: string
  activity: string
  first_name: string
  email: string
  name: string
  /** JSON text. */
  changes: string | null
  created_at: string
}

/** Of each plugin, and of a whole page: entries hold values that people wrote. */
const ENTRIES_SHOWN = 100
const ENTRIES_AT_ONCE = 10_000

export async function record(tx: Db, entry: NewActivity, now: string): Promise<void> {
  await tx.run(sql`
    insert into plugin_activity (organization_id, plugin_id, scope, item_id, activity, first_name, email, name, changes,
      created_at)
    values (${entry.organization_id}, ${entry.plugin_id}, ${entry.scope}, ${String(entry.item_id)}, ${entry.activity},
      ${entry.user.first_name}, ${entry.user.email}, ${entry.name ?? ''},
      ${entry.changes && JSON.stringify(entry.changes)}, ${now})`)
}

/**
 * The plugins that the organization's people did something to, the one touched last first, with the latest entries. Of
 * its own, also those that are gone; of others', only what it still sees.
 */
export async function list(
  db: Db,
  organization_id: string,
  family: Family,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ count: number; plugins: { plugin: PluginRow; entries: ActivityRow[] }[] }> {
  const touched = sql`from plugin_activity a join plugins p on p.id = a.plugin_id
    where a.organization_id = ${organization_id} and p.family = ${family}
      and (p.organization_id = ${organization_id} or (${visibleTo(organization_id)}))`
  const total = await db.get<{ count: number }>(sql`select count(distinct a.plugin_id) as count ${touched}`)
  const page = await db.all<{ plugin_id: number }>(sql`
    select a.plugin_id ${touched} group by a.plugin_id order by max(a.id) desc limit ${limit} offset ${offset}`)
  const ids = page.map(({ plugin_id }) => plugin_id)
  if (ids.length === 0) return { count: total?.count ?? 0, plugins: [] }
  const plugins = await byIds(db, ids)
  const entries = await db.all<ActivityRow>(sql`
    select plugin_id, scope, item_id, activity, first_name, email, name, changes, created_at
    from (select a.*, row_number() over (partition by a.plugin_id order by a.id desc) as place from plugin_activity a
      where a.organization_id = ${organization_id} and a.plugin_id in ${oneOf(ids)}) as latest
    where place <= ${ENTRIES_SHOWN} order by id desc limit ${ENTRIES_AT_ONCE}`)
  const entriesOf = new Map<number, ActivityRow[]>(ids.map((id) => [id, []]))
  for (const entry of entries) entriesOf.get(entry.plugin_id)!.push(entry)
  return {
    count: total?.count ?? 0,
    plugins: ids.flatMap((id) => {
      const plugin = plugins.get(id)
      return plugin ? [{ plugin, entries: entriesOf.get(id)! }] : []
    }),
  }
}

/** Switches off configurations whose plugin cannot run. */
import { invalid } from '../errors.ts'
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import * as activityLog from '../store/activity_log.ts'
import * as configs from '../store/plugin_configs.ts'
import * as logs from '../store/plugin_logs.ts'
import * as states from '../store/plugin_states.ts'
import { MAIN_FILE } from '../store/plugin-main-file.ts'
import * as plugins from '../store/plugins.ts'

/** False when the configuration is off already. */
export async function switchOff(
  tx: Db,
  { ids, now }: { ids: Ids; now: string },
  { id, name, organization_id, project_id, plugin_id }: configs.EnabledConfigRow,
  reason: string,
): Promise<boolean> {
  const row = await configs.lock(tx, id)
  if (!row?.enabled) return false
  await configs.update(tx, id, { enabled: false }, now)
  const change = { field: 'enabled', before: true, after: false }
  await activityLog.record(tx, ids, now, activityLog.SYSTEM, {
    organization_id,
    project_id,
    area: 'plugin_configs',
    activity: 'disabled',
    item_id: id,
    item_name: name,
    changes: [change],
    plugin: { id: plugin_id, changes: [{ type: 'PluginConfig', action: 'changed', ...change }] },
  })
  const message = `The configuration was switched off. ${reason} Fix the cause, then enable it.`
  await logs.write(tx, id, [
    { plugin_id, project_id, timestamp: now, source: 'SYSTEM', level: 'ERROR', message: logs.storable(message) },
  ])
  return true
}

/** Throws if the code of the plugin does not load. */
export async function requireLoads(tx: Db, plugin_id: number): Promise<void> {
  const error = mainError(await plugins.files(tx, plugin_id))
  if (error !== null) throw invalid('enabled', `The code of the plugin does not load. ${error}`)
}

/** Why the main file does not load. Null if it loads, or if there is none. */
export const mainError = (files: readonly { name: string; error: string | null }[]): string | null =>
  files.find(({ name }) => name === MAIN_FILE)?.error ?? null

/**
 * Handles code that does not load and that replaces the code of a plugin. Enabled configurations would look healthy and do
 * nothing, so they are switched off, or the code is refused.
 */
export async function replaceBroken(
  tx: Db,
  context: { ids: Ids; now: string },
  plugin_id: number,
  { error, attr, isAllowed }: { error: string; attr: string | null; isAllowed: boolean },
): Promise<void> {
  const enabled = await configs.enabledOf(tx, plugin_id)
  if (enabled.length && !isAllowed) throw invalid(attr, `The code does not load, and the plugin is enabled. ${error}`)
  for (const configuration of enabled) {
    await switchOff(tx, context, configuration, `The code does not load. ${error}`)
    await states.setError(tx, configuration.id, {
      name: 'Error',
      message: error,
      stack: '',
      method: 'load',
      time: context.now,
    })
  }
}

import type { Schemas } from '../api.ts'

/** The plugin access levels of an organization. */
export const CONFIGURE = 3
export const INSTALL = 6
export const SHARE = 9

const NAMES: Record<number, string> = {
  0: 'no plugins',
  3: 'configure plugins',
  6: 'install plugins',
  9: 'share plugins',
}

/** Why the organization may not do this; undefined if it may. */
export const needsPluginAccess = (
  { plugins_access_level: level }: Schemas['Organization'],
  needed: number,
): string | undefined =>
  level >= needed
    ? undefined
    : `The organization has plugin access level ${level} (${NAMES[level]}); this needs ${needed} (${NAMES[needed]}). Ask the operator of this server.`

/** Also requires that the organization owns the plugin. */
export function needsOwnPlugin(
  organization: Schemas['Organization'],
  plugin: Schemas['Plugin'],
  needed = INSTALL,
): string | undefined {
  if (plugin.organization_id !== organization.id)
    return `This plugin is managed by another organization, ${plugin.organization_name}. Ask its members.`
  return needsPluginAccess(organization, needed)
}

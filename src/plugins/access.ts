import { PLUGIN_ACCESS, requireLevel, requirePluginAccess } from '../auth/access.ts'
import { forbidden, notFound } from '../errors.ts'
import { ADMIN } from '../store/members.ts'
import type { OrganizationRow } from '../store/organizations.ts'
import type { PluginRow } from '../store/plugins.ts'

/** Operations that reveal or replace code. They return 404 to other organizations. */
const CODE_OPERATIONS = ['check_for_updates', 'source', 'update_source', 'upgrade']
/** Operations on a visible plugin that return 403 to other organizations. */
const CHANGE_OPERATIONS = ['update', 'delete']

/** Throws unless the organization may run this operation on a plugin that it can see. */
export function requireOwner(plugin: PluginRow, organization_id: string, operation: string): void {
  if (plugin.organization_id === organization_id) return
  if (CODE_OPERATIONS.includes(operation)) throw notFound()
  if (CHANGE_OPERATIONS.includes(operation))
    throw forbidden(`This plugin is managed by another organization, ${plugin.organization_name}. Ask its members.`)
}

/** A global plugin is visible to every organization, so sharing it also requires an administrator. */
export function requireMayShare({ membership_level, plugins_access_level }: OrganizationRow): void {
  requireLevel(membership_level, ADMIN)
  requirePluginAccess(plugins_access_level, PLUGIN_ACCESS.share)
}

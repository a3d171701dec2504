import { forbidden, notFound } from '../errors.ts'
import type { Db } from '../sql/db.ts'
import * as organizations from '../store/organizations.ts'
import * as projects from '../store/projects.ts'
import type { Caller } from './caller.ts'

export const CURRENT = '@current'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** Only what can be an id is looked up: the engines need not agree on anything else. */
export const isUuid = (id: string): boolean => UUID.test(id)
const INTEGER = /^[1-9][0-9]{0,14}$/

/** The organization an id names for this caller. Throws not_found for what they may not see, however it is spelt. */
export async function organizationFor(
  db: Db,
  { user, key }: Caller,
  id: string,
): Promise<organizations.OrganizationRow> {
  const found =
    id === CURRENT
      ? await organizations.current(db, user, key.reach)
      : isUuid(id)
        ? await organizations.get(db, user.id, key.reach, id.toLowerCase())
        : undefined
  if (!found) throw notFound()
  return found
}

/** The project an id names for this caller. Throws not_found for what they may not see, however it is spelt. */
export async function projectFor(db: Db, { user, key }: Caller, id: string): Promise<projects.MembersProjectRow> {
  const found =
    id === CURRENT
      ? await projects.current(db, user, key.reach)
      : INTEGER.test(id)
        ? await projects.get(db, user.id, key.reach, Number(id))
        : undefined
  if (!found) throw notFound()
  return found
}

const LEVEL_NAMES: Record<number, string> = { 8: 'an administrator', 15: 'an owner' }

export function requireLevel(held: number, needed: number): void {
  if (held < needed)
    throw forbidden(`This needs level ${needed}; yours is ${held}. Ask ${LEVEL_NAMES[needed]} of the organization.`)
}

/** What an organization may do with plugins: look and configure, install, share with all others. */
export const PLUGIN_ACCESS = { look: 3, install: 6, share: 9 } as const

export function demandPluginAccess(held: number, needed: number): void {
  if (held < needed)
    throw forbidden(
      `This needs plugin access level ${needed}; the organization has ${held}. The operator raises it with \`workspace-admin organizations set-plugin-access\`.`,
    )
}

import { AppError, forbidden, invalid, notFound } from '../errors.ts'
import type { Db } from '../sql/db.ts'
import { ADMIN } from '../store/members.ts'
import * as organizations from '../store/organizations.ts'
import * as projects from '../store/projects.ts'
import type { Caller } from './caller.ts'

export const CURRENT = '@current'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const INTEGER_ID = /^[1-9][0-9]{0,14}$/

/** Only valid ids are looked up, because the engines treat other text differently. */
export const isUuid = (id: string): boolean => UUID.test(id)

export const isIntegerId = (id: string): boolean => INTEGER_ID.test(id)

/** The organization with this id or `@current`. Throws not_found when the caller has no access to it. */
export async function organizationFor(
  db: Db,
  { user, restrictions }: Caller,
  id: string,
): Promise<organizations.OrganizationRow> {
  const found =
    id === CURRENT
      ? await organizations.current(db, user, restrictions)
      : isUuid(id)
        ? await organizations.get(db, user.id, restrictions, id.toLowerCase())
        : undefined
  if (!found) throw notFound()
  return found
}

/** The project with this id or `@current`. Throws not_found when the caller has no access to it. */
export async function projectFor(
  db: Db,
  { user, restrictions }: Caller,
  id: string,
): Promise<projects.MembersProjectRow> {
  const found =
    id === CURRENT
      ? await projects.current(db, user, restrictions)
      : isIntegerId(id)
        ? await projects.get(db, user.id, restrictions, Number(id))
        : undefined
  if (!found) throw notFound()
  return found
}

/** Turns not_found into an error about `attr`, the body field that contains the id. */
export function requireExisting<Found>(attr: string, found: Promise<Found>): Promise<Found> {
  return found.catch((error) => {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
    throw invalid(attr, 'This id does not exist, or this key has no access to it. Send another id.', 'does_not_exist')
  })
}

export function requireLevel(actual: number, needed: number): void {
  if (actual < needed) {
    const role = needed > ADMIN ? 'an owner' : 'an administrator'
    throw forbidden(`This requires level ${needed}; yours is ${actual}. Ask ${role} of the organization.`)
  }
}

/** The plugin access levels of an organization: view and configure, install, share with all other organizations. */
export const PLUGIN_ACCESS = { view: 3, install: 6, share: 9 } as const

export function requirePluginAccess(actual: number, needed: number): void {
  if (actual < needed)
    throw forbidden(
      `This requires plugin access level ${needed}; the organization has ${actual}. The operator can raise it with \`workspace-admin organizations set-plugin-access\`.`,
    )
}

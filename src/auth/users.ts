import { forbidden, invalid } from '../errors.ts'
import type { Db } from '../sql/db.ts'
import { isUnrestricted } from '../store/key-restrictions.ts'
import * as organizations from '../store/organizations.ts'
import * as projects from '../store/projects.ts'
import * as store from '../store/users.ts'
import { organizationFor, projectFor, requireExisting } from './access.ts'
import type { Caller } from './caller.ts'
import { hasRequiredSecondFactor } from './session-rules.ts'

/** A user with the organization and project that `@current` refers to. */
export interface Profile {
  user: store.UserRow
  organization: organizations.OrganizationRow | undefined
  /** Undefined where the organization requires a second factor that the session does not have. */
  project: projects.MembersProjectRow | undefined
}

export interface ProfileInput {
  first_name?: string
  last_name?: string
  set_current_organization?: string
  set_current_team?: number
}

export async function get({ db }: { db: Db }, caller: Caller): Promise<Profile> {
  const { user, restrictions } = caller
  const [organization, project] = await Promise.all([
    organizations.current(db, user, restrictions),
    projects.current(db, user, restrictions),
  ])
  const isOpen = project && (await hasRequiredSecondFactor(db, caller, project))
  return { user, organization, project: isOpen ? project : undefined }
}

/** Throws permission_denied for a restricted key. */
export function requireMayUpdate({ restrictions }: Caller): void {
  if (!isUnrestricted(restrictions))
    throw forbidden('This key is restricted to some organizations or projects. Use an unrestricted key.')
}

/** Updates the names and the current workspace. Needs the lock on the user. */
export async function updateLocked(tx: Db, caller: Caller, input: ProfileInput): Promise<void> {
  const { first_name, last_name } = input
  const workspace = await requestedWorkspace(tx, caller, input)
  await store.update(tx, caller.user, { first_name, last_name, ...workspace })
}

/** A new current project sets its organization. A new current organization makes its oldest project current. */
async function requestedWorkspace(
  tx: Db,
  caller: Caller,
  { set_current_organization: organization_id, set_current_team: project_id }: ProfileInput,
): Promise<Pick<store.UserInput, 'current_organization_id' | 'current_project_id'>> {
  const organization =
    organization_id === undefined
      ? undefined
      : await requireExisting('set_current_organization', organizationFor(tx, caller, organization_id))
  if (project_id !== undefined) {
    const project = await requireExisting('set_current_team', projectFor(tx, caller, String(project_id)))
    if (organization && organization.id !== project.organization_id)
      throw invalid('set_current_team', 'This project is not in `set_current_organization`. Send one that is.')
    return { current_organization_id: project.organization_id, current_project_id: project.id }
  }
  const present = organization && (await organizations.current(tx, caller.user, caller.restrictions))
  if (!organization || organization.id === present?.id) return {}
  return { current_organization_id: organization.id, current_project_id: null }
}

import { CURRENT, organizationFor, projectFor, requireExisting, requireLevel } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import { requireSecondFactor } from '../auth/session-rules.ts'
import { notFound } from '../errors.ts'
import type { Purger } from '../events/purge.ts'
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import { type Actor, record, type UserActor } from '../store/activity_log.ts'
import { type FieldChange, fieldChanges, secretChange } from '../store/field-changes.ts'
import { ADMIN } from '../store/members.ts'
import { lockOrganization, type OrganizationRow } from '../store/organizations.ts'
import * as store from '../store/projects.ts'

interface ProjectDeps {
  db: Db
  ids: Ids
  now: () => string
}

type NewProject = store.ProjectInput & { name: string }

/** Throws not_found for a project of another organization. */
export async function getIn(
  { db }: { db: Db },
  caller: Caller,
  organization: OrganizationRow,
  id: string,
): Promise<store.ProjectRow> {
  const project = await projectFor(db, caller, id)
  if (project.organization_id !== organization.id) throw notFound()
  return project
}

export async function createIn(
  { db, ids, now }: ProjectDeps,
  actor: UserActor,
  { id: organization_id }: OrganizationRow,
  { name, event_retention_days }: NewProject,
): Promise<store.ProjectRow> {
  return db.tx(async (tx) => {
    if (!(await lockOrganization(tx, organization_id))) throw notFound()
    return createProject(tx, ids, now(), actor, { organization_id, name, event_retention_days })
  })
}

export async function createProject(
  tx: Db,
  ids: Ids,
  now: string,
  actor: Actor,
  input: NewProject & { organization_id: string },
): Promise<store.ProjectRow> {
  const project = await store.create(tx, ids, now, input)
  await recordProject(tx, ids, now, actor, 'created', project, fieldChanges({}, settingsOf(project)))
  return project
}

const settingsOf = ({ name, event_retention_days }: store.ProjectRow): object => ({ name, event_retention_days })

function recordProject(
  tx: Db,
  ids: Ids,
  now: string,
  actor: Actor,
  activity: 'created' | 'updated' | 'token_reset' | 'deleted',
  { id, organization_id, name }: store.ProjectRow,
  changes: FieldChange[] = [],
): Promise<void> {
  const item = { item_id: id, item_name: name, project_id: id }
  return record(tx, ids, now, actor, { organization_id, area: 'projects', activity, ...item, changes })
}

/** Creates a project in the organization that the input names, or else in the current one. */
export async function create(
  deps: ProjectDeps,
  caller: Caller,
  actor: UserActor,
  { organization: id = CURRENT, ...input }: NewProject & { organization?: string },
): Promise<store.ProjectRow> {
  const organization = await requireExisting('organization', organizationFor(deps.db, caller, id))
  requireLevel(organization.membership_level, ADMIN)
  await requireSecondFactor(deps.db, caller, organization)
  return requireExisting('organization', createIn(deps, actor, organization, input))
}

export async function update(
  { db, ids, now }: ProjectDeps,
  actor: UserActor,
  { id }: store.ProjectRow,
  input: store.ProjectInput,
): Promise<store.ProjectRow> {
  return db.tx(async (tx) => {
    const locked = await store.lockProject(tx, id)
    const updated = locked && (await store.update(tx, locked, input, now()))
    if (!updated) throw notFound()
    const changes = fieldChanges(settingsOf(locked), settingsOf(updated))
    if (changes.length) await recordProject(tx, ids, now(), actor, 'updated', updated, changes)
    return updated
  })
}

export async function resetToken(
  { db, ids, now }: ProjectDeps,
  actor: UserActor,
  { id }: store.ProjectRow,
): Promise<store.ProjectRow> {
  return db.tx(async (tx) => {
    const updated = await store.resetToken(tx, id, ids.projectToken(), now())
    if (!updated) throw notFound()
    await recordProject(tx, ids, now(), actor, 'token_reset', updated, [secretChange('api_token')])
    return updated
  })
}

export async function remove(
  { db, ids, now, purger }: ProjectDeps & { purger: Pick<Purger, 'wake'> },
  actor: UserActor,
  project: store.ProjectRow,
): Promise<void> {
  await db.tx(async (tx) => {
    if (await store.remove(tx, project.id, now())) await recordProject(tx, ids, now(), actor, 'deleted', project)
  })
  purger.wake()
}

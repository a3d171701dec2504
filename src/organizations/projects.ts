import { CURRENT, organizationFor, projectFor, requireExisting, requireLevel } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import { notFound } from '../errors.ts'
import type { Purger } from '../events/purge.ts'
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import { ADMIN } from '../store/members.ts'
import { lockOrganization, type OrganizationRow } from '../store/organizations.ts'
import * as store from '../store/projects.ts'

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
  { db, ids, now }: { db: Db; ids: Ids; now: () => string },
  { id: organization_id }: OrganizationRow,
  { name, event_retention_days }: NewProject,
): Promise<store.ProjectRow> {
  return db.tx(async (tx) => {
    if (!(await lockOrganization(tx, organization_id))) throw notFound()
    return store.create(tx, ids, now(), { organization_id, name, event_retention_days })
  })
}

/** Creates a project in the organization that the input names, or else in the current one. */
export async function create(
  deps: { db: Db; ids: Ids; now: () => string },
  caller: Caller,
  { organization: id = CURRENT, ...input }: NewProject & { organization?: string },
): Promise<store.ProjectRow> {
  const organization = await requireExisting('organization', organizationFor(deps.db, caller, id))
  requireLevel(organization.membership_level, ADMIN)
  return requireExisting('organization', createIn(deps, organization, input))
}

export async function update(
  { db, now }: { db: Db; now: () => string },
  project: store.ProjectRow,
  input: store.ProjectInput,
): Promise<store.ProjectRow> {
  const updated = await store.update(db, project, input, now())
  if (!updated) throw notFound()
  return updated
}

export async function resetToken(
  { db, ids, now }: { db: Db; ids: Ids; now: () => string },
  { id }: store.ProjectRow,
): Promise<store.ProjectRow> {
  const updated = await store.resetToken(db, id, ids.projectToken(), now())
  if (!updated) throw notFound()
  return updated
}

export async function remove(
  { db, now, purger }: { db: Db; now: () => string; purger: Pick<Purger, 'wake'> },
  { id }: store.ProjectRow,
): Promise<void> {
  await db.tx((tx) => store.remove(tx, id, now()))
  purger.wake()
}

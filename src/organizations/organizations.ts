import type { Caller } from '../auth/caller.ts'
import { forbidden, notFound } from '../errors.ts'
import type { Purger } from '../events/purge.ts'
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import { isUnrestricted } from '../store/key-restrictions.ts'
import * as members from '../store/members.ts'
import * as store from '../store/organizations.ts'
import * as projects from '../store/projects.ts'
import { MAX_SLUG_LENGTH, slugOf } from './slug.ts'

const MAX_SLUG_ATTEMPTS = 10
/** The first organization of an installation may share plugins with all others. */
const FIRST_PLUGINS_ACCESS_LEVEL = 9
const PLUGINS_ACCESS_LEVEL = 6

export interface OrganizationWithTeams {
  organization: store.OrganizationRow
  teams: projects.TeamRow[]
}

export async function list(
  { db }: { db: Db },
  { user, restrictions }: Caller,
  page: { limit: number; offset: number },
): Promise<{ count: number; results: OrganizationWithTeams[] }> {
  const { count, rows } = await store.list(db, user.id, restrictions, page)
  const results = new Map<string, OrganizationWithTeams>(
    rows.map((organization) => [organization.id, { organization, teams: [] }]),
  )
  for (const team of await projects.ofOrganizations(db, [...results.keys()]))
    results.get(team.organization_id)?.teams.push(team)
  return { count, results: [...results.values()] }
}

export async function withTeams(
  { db }: { db: Db },
  organization: store.OrganizationRow,
): Promise<OrganizationWithTeams> {
  return { organization, teams: await projects.ofOrganizations(db, [organization.id]) }
}

async function get(db: Db, { user, restrictions }: Caller, id: string): Promise<OrganizationWithTeams> {
  const organization = await store.get(db, user.id, restrictions, id)
  if (!organization) throw notFound()
  return withTeams({ db }, organization)
}

export async function create(
  { db, ids, now }: { db: Db; ids: Ids; now: () => string },
  caller: Caller,
  input: store.OrganizationInput & { name: string },
): Promise<OrganizationWithTeams> {
  if (!isUnrestricted(caller.restrictions))
    throw forbidden('This key is restricted to existing organizations or projects. Use an unrestricted key.')
  const owner_id = caller.user.id
  const { organization_id } = await db.tx((tx) => createWithOwner(tx, ids, now(), { ...input, owner_id }))
  return get(db, caller, organization_id)
}

/** Creates an organization with its owner and its first project. */
export async function createWithOwner(
  tx: Db,
  ids: Ids,
  now: string,
  { owner_id, ...input }: store.OrganizationInput & { owner_id: number; name: string },
): Promise<{ organization_id: string; project: projects.ProjectRow }> {
  const id = ids.uuid()
  const isFirst = await store.claimFirst(tx, id)
  const plugins_access_level = isFirst ? FIRST_PLUGINS_ACCESS_LEVEL : PLUGINS_ACCESS_LEVEL
  const base = slugOf(input.name)
  let slug = base
  for (let attempt = 1; !(await store.create(tx, { ...input, id, slug, plugins_access_level, now })); attempt++) {
    if (attempt === MAX_SLUG_ATTEMPTS) throw new Error(`No free slug for "${base}" after ${attempt} attempts.`)
    slug = `${base.slice(0, MAX_SLUG_LENGTH - 5)}-${ids.letters()}`
  }
  await members.create(tx, { id: ids.uuid(), organization_id: id, user_id: owner_id, level: members.OWNER, now })
  const project = await projects.create(tx, ids, now, { organization_id: id, name: projects.DEFAULT_PROJECT_NAME })
  return { organization_id: id, project }
}

export async function update(
  { db, now }: { db: Db; now: () => string },
  caller: Caller,
  organization: store.OrganizationRow,
  input: store.OrganizationInput,
): Promise<OrganizationWithTeams> {
  await store.update(db, organization, input, now())
  return get(db, caller, organization.id)
}

export async function remove(
  { db, now, purger }: { db: Db; now: () => string; purger: Pick<Purger, 'wake'> },
  { id }: store.OrganizationRow,
): Promise<void> {
  await db.tx((tx) => store.remove(tx, id, now()))
  purger.wake()
}

import type { Caller } from '../auth/caller.ts'
import { exemptionOf, requireFresh } from '../auth/session-rules.ts'
import { forbidden, notFound } from '../errors.ts'
import type { Purger } from '../events/purge.ts'
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import { type Actor, record, removePluginChanges, type UserActor } from '../store/activity_log.ts'
import { isEmpty, pickDefined } from '../store/changes.ts'
import { fieldChanges, storedBoolean, updatedFields } from '../store/field-changes.ts'
import { isUnrestricted } from '../store/key-restrictions.ts'
import * as members from '../store/members.ts'
import * as store from '../store/organizations.ts'
import * as projects from '../store/projects.ts'
import { returnedRow } from '../store/rows.ts'
import * as users from '../store/users.ts'
import { addMember } from './members.ts'
import { createProject } from './projects.ts'
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
  caller: Caller,
  page: { limit: number; offset: number },
): Promise<{ count: number; results: OrganizationWithTeams[] }> {
  const { user, restrictions } = caller
  const { count, rows } = await store.list(db, user.id, restrictions, exemptionOf(caller), page)
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
  actor: UserActor,
  input: store.OrganizationInput & { name: string },
): Promise<OrganizationWithTeams> {
  if (!isUnrestricted(caller.restrictions))
    throw forbidden('This key is restricted to existing organizations or projects. Use an unrestricted key.')
  const owner_id = caller.user.id
  const { organization_id } = await db.tx((tx) => createWithOwner(tx, ids, now(), actor, { ...input, owner_id }))
  return get(db, caller, organization_id)
}

/** Creates an organization with its owner and its first project. */
export async function createWithOwner(
  tx: Db,
  ids: Ids,
  now: string,
  actor: Actor,
  { owner_id, ...input }: store.OrganizationInput & { owner_id: number; name: string },
): Promise<{ organization_id: string; project: projects.ProjectRow }> {
  const id = ids.uuid()
  const isFirst = await store.claimFirst(tx, id)
  const plugins_access_level = isFirst ? FIRST_PLUGINS_ACCESS_LEVEL : PLUGINS_ACCESS_LEVEL
  const base = slugOf(input.name)
  let slug = base
  for (let attempt = 1; !(await store.create(tx, { ...input, id, slug, plugins_access_level, now })); attempt++) {
    if (attempt === MAX_SLUG_ATTEMPTS) throw new Error(`No free slug for "${base}" after ${attempt} attempts.`)
    slug = `${base.slice(0, MAX_SLUG_LENGTH - 5)}-${ids.slugSuffix()}`
  }
  await record(tx, ids, now, actor, {
    organization_id: id,
    area: 'organizations',
    activity: 'created',
    item_id: id,
    item_name: input.name,
    changes: fieldChanges({}, pickDefined(input, ['name', 'is_member_join_email_enabled', 'enforce_2fa'])),
  })
  const owner = returnedRow(await users.lockUser(tx, owner_id))
  await addMember(tx, ids, now, actor, { organization_id: id, user: owner, level: members.OWNER })
  const name = projects.DEFAULT_PROJECT_NAME
  const project = await createProject(tx, ids, now, actor, { organization_id: id, name })
  return { organization_id: id, project }
}

/** Turning `enforce_2fa` on or off needs a fresh sign-in. */
export async function update(
  { db, ids, now, milliseconds }: { db: Db; ids: Ids; now: () => string; milliseconds: () => number },
  caller: Caller,
  actor: UserActor,
  organization: store.OrganizationRow,
  input: store.OrganizationInput,
): Promise<OrganizationWithTeams> {
  await db.tx(async (tx) => {
    await store.lockOrganization(tx, organization.id)
    const locked = await store.get(tx, caller.user.id, caller.restrictions, organization.id)
    if (!locked) throw notFound()
    if (input.enforce_2fa !== undefined && Boolean(input.enforce_2fa) !== Boolean(locked.enforce_2fa))
      requireFresh(caller, milliseconds())
    const changes = await store.update(tx, locked, input, now())
    if (isEmpty(changes)) return
    const { is_member_join_email_enabled, enforce_2fa } = locked
    const before = {
      ...locked,
      is_member_join_email_enabled: storedBoolean(is_member_join_email_enabled),
      enforce_2fa: storedBoolean(enforce_2fa),
    }
    await record(tx, ids, now(), actor, {
      organization_id: locked.id,
      area: 'organizations',
      activity: 'updated',
      item_id: locked.id,
      item_name: changes.name ?? locked.name,
      changes: updatedFields(before, changes),
    })
  })
  return get(db, caller, organization.id)
}

export async function remove(
  { db, ids, now, purger }: { db: Db; ids: Ids; now: () => string; purger: Pick<Purger, 'wake'> },
  actor: UserActor,
  { id, name }: store.OrganizationRow,
): Promise<void> {
  await db.tx(async (tx) => {
    const entry = { area: 'organizations', activity: 'deleted', item_id: id, item_name: name } as const
    if (!(await store.remove(tx, id, now()))) return
    await removePluginChanges(tx, id)
    await record(tx, ids, now(), actor, { ...entry, organization_id: id })
  })
  purger.wake()
}

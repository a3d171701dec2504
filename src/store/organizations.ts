import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import { assignments, forUpdate, sql } from '../sql/template.ts'
import { changedFields, isEmpty } from './changes.ts'
import { organizationsWithin, type Reach, reachesOrganization } from './key-restrictions.ts'
import * as members from './members.ts'
import * as projects from './projects.ts'
import * as purges from './purges.ts'

/** An organization as one of its members sees it. */
export interface OrganizationRow {
  id: string
  name: string
  slug: string
  created_at: string
  updated_at: string
  membership_level: number
  plugins_access_level: number
  is_member_join_email_enabled: boolean | number
  customer_id: string | null
  enforce_2fa: boolean | number | null
  member_count: number
}

export interface OrganizationWrite {
  name?: string
  is_member_join_email_enabled?: boolean
  enforce_2fa?: boolean | null
}

const SLUG_LENGTH = 48
const SLUG_TRIES = 10
const FIRST_PLUGINS_ACCESS_LEVEL = 9
const PLUGINS_ACCESS_LEVEL = 6

const row = sql`o.id, o.name, o.slug, o.created_at, o.updated_at, m.level as membership_level, o.plugins_access_level,
  o.is_member_join_email_enabled, o.customer_id, o.enforce_2fa, o.member_count`

const seen = sql`from members m join organizations o on o.id = m.organization_id`

export async function list(
  db: Db,
  user_id: number,
  reach: Reach,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ count: number; rows: OrganizationRow[] }> {
  const visible = sql`where m.user_id = ${user_id} ${organizationsWithin(reach)}`
  const rows = await db.all<OrganizationRow>(sql`
    select ${row} ${seen} ${visible} order by m.organization_created_at, m.organization_id
    limit ${limit} offset ${offset}`)
  return { count: await db.count(sql`from members m ${visible}`), rows }
}

/** Undefined for what the user is not in, what the key does not reach, and what never was: nobody can tell which. */
export async function get(db: Db, user_id: number, reach: Reach, id: string): Promise<OrganizationRow | undefined> {
  if (!reachesOrganization(reach, id)) return undefined
  return db.get<OrganizationRow>(sql`select ${row} ${seen} where m.user_id = ${user_id} and o.id = ${id}`)
}

/** The one the user works in, or else the first one joined. */
export function current(
  db: Db,
  user: { id: number; current_organization_id: string | null },
  reach: Reach,
): Promise<OrganizationRow | undefined> {
  return db.get<OrganizationRow>(sql`
    select ${row} ${seen} where m.user_id = ${user.id} ${organizationsWithin(reach)}
    order by case when o.id = ${user.current_organization_id} then 0 else 1 end, m.joined_at, o.id limit 1`)
}

/**
 * Makes the organization with its owner and its first project.
 * The first organization of an installation may share plugins with all others.
 */
export async function create(
  tx: Db,
  ids: Ids,
  now: string,
  { owner_id, ...write }: OrganizationWrite & { owner_id: number; name: string },
): Promise<{ organization_id: string; project: projects.ProjectRow }> {
  const id = ids.uuid()
  const first = await tx.run(
    sql`update installation set first_organization_id = ${id} where first_organization_id is null`,
  )
  const access_level = first ? FIRST_PLUGINS_ACCESS_LEVEL : PLUGINS_ACCESS_LEVEL
  const insert = (slug: string): Promise<number> =>
    tx.run(sql`
      insert into organizations (id, name, slug, created_at, updated_at, plugins_access_level,
        is_member_join_email_enabled, enforce_2fa, customer_id, member_count)
      values (${id}, ${write.name}, ${slug}, ${now}, ${now}, ${access_level},
        ${write.is_member_join_email_enabled ?? true}, ${write.enforce_2fa ?? null}, null, 0)
      on conflict (slug) do nothing`)

  const base = slugOf(write.name)
  let made = await insert(base)
  for (let attempt = 1; !made && attempt < SLUG_TRIES; attempt++)
    made = await insert(`${base.slice(0, SLUG_LENGTH - 5)}-${ids.letters()}`)
  if (!made) throw new Error(`no free slug for "${base}" after ${SLUG_TRIES} tries`)

  await members.create(tx, { id: ids.uuid(), organization_id: id, user_id: owner_id, level: members.OWNER, now })
  const project = await projects.create(tx, ids, now, { organization_id: id, name: projects.DEFAULT_PROJECT_NAME })
  return { organization_id: id, project }
}

export async function update(db: Db, row: OrganizationRow, sent: OrganizationWrite, now: string): Promise<void> {
  const { name, is_member_join_email_enabled, enforce_2fa } = sent
  const changes = changedFields(row, { name, is_member_join_email_enabled, enforce_2fa })
  if (isEmpty(changes)) return
  await db.run(sql`update organizations set ${assignments({ ...changes, updated_at: now })} where id = ${row.id}`)
}

/** Takes members, projects and all that hangs on them along; the people stay, and the events go in the background. */
export async function remove(tx: Db, id: string, now: string): Promise<void> {
  await purges.queue(tx, sql`p.organization_id = ${id}`, now)
  await tx.run(sql`delete from organizations where id = ${id}`)
}

/** The operator's own change: no member can make it. False when there is no such organization. */
export async function setPluginsAccess(db: Db, id: string, level: number, now: string): Promise<boolean> {
  const changed = await db.run(
    sql`update organizations set plugins_access_level = ${level}, updated_at = ${now} where id = ${id}`,
  )
  return changed > 0
}

/** What it may do with plugins, whoever asks; nothing when it is gone. */
export async function pluginsAccess(db: Db, id: string): Promise<number> {
  const found = await db.get<{ level: number }>(
    sql`select plugins_access_level as level from organizations where id = ${id}`,
  )
  return found?.level ?? 0
}

export interface Oldest {
  organization_id: string | null
  owner_email: string | null
  project_id: number | null
  project_token: string | null
}

/** The installation's first organization that is left, its first owner and its first project; nulls where none is. */
export async function oldest(db: Db): Promise<Oldest> {
  const found = await db.get<Oldest>(sql`
    select o.id as organization_id, u.email as owner_email, p.id as project_id, p.api_token as project_token
    from organizations o
    left join projects p on p.organization_id = o.id
    left join members m on m.organization_id = o.id and m.level = ${members.OWNER}
    left join users u on u.id = m.user_id and u.is_active
    order by o.created_at, o.id, p.id, case when u.id is null then 1 else 0 end, m.joined_at limit 1`)
  return found ?? { organization_id: null, owner_email: null, project_id: null, project_token: null }
}

/** Holds the organization until the transaction ends; answers its name, whoever asks. */
export async function nameOf(tx: Db, id: string): Promise<string | undefined> {
  const found = await tx.get<{ name: string }>(sql`select name from organizations where id = ${id} ${forUpdate}`)
  return found?.name
}

/** What `name` looks like in a URL: ASCII letters, digits, hyphens and underscores; possibly nothing at all. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[^\x20-\x7e\s]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9_\s-]/g, '')
    .replace(/[\s-]+/g, '-')
    .replace(/^[-_]+|(?<![-_])[-_]+$/g, '')
    .slice(0, SLUG_LENGTH)
}

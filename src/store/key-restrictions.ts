import { oneOf, type Sql, sql } from '../sql/template.ts'

/** What a key is limited to; null for no limit. */
export interface Reach {
  readonly organizations: readonly string[] | null
  readonly projects: readonly number[] | null
}

export const EVERYTHING: Reach = { organizations: null, projects: null }

export const reachesEverything = (reach: Reach): boolean => reach.organizations === null && reach.projects === null

/** A key limited to projects sees those, and no organization as a whole. */
export const reachesOrganization = (reach: Reach, organization_id: string): boolean =>
  reach.projects === null && (reach.organizations === null || reach.organizations.includes(organization_id))

export const reachesProject = (reach: Reach, project_id: number, organization_id: string): boolean =>
  (reach.organizations === null || reach.organizations.includes(organization_id)) &&
  (reach.projects === null || reach.projects.includes(project_id))

/** Whether everything that `inner` opens is open to `outer` too. */
export const encloses = (outer: Reach, inner: Reach): boolean =>
  within(outer.organizations, inner.organizations) && within(outer.projects, inner.projects)

const within = <Id>(outer: readonly Id[] | null, inner: readonly Id[] | null): boolean =>
  outer === null || inner?.every((id) => outer.includes(id)) === true

/** Narrows the restrictions to one organization. */
export const onlyOrganization = (reach: Reach, organization_id: string): Reach => ({
  ...reach,
  organizations: [organization_id],
})

/** For a statement with members as `m`. */
export function organizationsWithin(reach: Reach): Sql {
  if (reach.projects) return sql`and 1 = 0`
  return reach.organizations ? sql`and m.organization_id in ${oneOf(reach.organizations)}` : sql``
}

/** For a statement with projects as `p`. */
export function projectsWithin(reach: Reach): Sql {
  const organizations = reach.organizations ? sql`and p.organization_id in ${oneOf(reach.organizations)}` : sql``
  return reach.projects ? sql`${organizations} and p.id in ${oneOf(reach.projects)}` : organizations
}

import { oneOf, type Sql, sql } from '../sql/template.ts'

/** The organizations and projects that a key may access; null for no restriction. */
export interface KeyRestrictions {
  readonly organizations: readonly string[] | null
  readonly projects: readonly number[] | null
}

export const UNRESTRICTED: KeyRestrictions = { organizations: null, projects: null }

export const isUnrestricted = ({ organizations, projects }: KeyRestrictions): boolean =>
  organizations === null && projects === null

/** A key restricted to projects cannot access their organization. */
export const allowsOrganization = ({ organizations, projects }: KeyRestrictions, organization_id: string): boolean =>
  projects === null && (organizations === null || organizations.includes(organization_id))

export const allowsProject = (
  { organizations, projects }: KeyRestrictions,
  project_id: number,
  organization_id: string,
): boolean =>
  (organizations === null || organizations.includes(organization_id)) &&
  (projects === null || projects.includes(project_id))

/** Whether `outer` allows everything that `inner` allows. */
export const encloses = (outer: KeyRestrictions, inner: KeyRestrictions): boolean =>
  includesAll(outer.organizations, inner.organizations) && includesAll(outer.projects, inner.projects)

const includesAll = <Id>(outer: readonly Id[] | null, inner: readonly Id[] | null): boolean =>
  outer === null || inner?.every((id) => outer.includes(id)) === true

export const narrowToOrganization = (restrictions: KeyRestrictions, organization_id: string): KeyRestrictions => ({
  ...restrictions,
  organizations: [organization_id],
})

/** A condition for statements with members as `m`. */
export function organizationFilter({ organizations, projects }: KeyRestrictions): Sql {
  if (projects) return sql`and 1 = 0`
  return organizations ? sql`and m.organization_id in ${oneOf(organizations)}` : sql``
}

/** A condition for statements with projects as `p`. */
export function projectFilter({ organizations, projects }: KeyRestrictions): Sql {
  const inOrganizations = organizations ? sql`and p.organization_id in ${oneOf(organizations)}` : sql``
  return projects ? sql`${inOrganizations} and p.id in ${oneOf(projects)}` : inOrganizations
}

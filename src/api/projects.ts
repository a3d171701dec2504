/** `projects` (all organizations of the caller) and `organization_projects` share these handlers. */
import { organizationFor, projectFor, requireLevel } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import type { Deps } from '../deps.ts'
import { invalid, notFound } from '../errors.ts'
import { onlyOrganization, type Reach } from '../store/key-restrictions.ts'
import { ADMIN, hold } from '../store/members.ts'
import * as store from '../store/projects.ts'
import type { Area, HandlerContext } from './handler-context.ts'
import { page, paging } from './page.ts'
import * as wire from './wire.ts'

type Write = NonNullable<HandlerContext<'projects.update'>['body']>

/** Shared by the handlers of both areas. */
const shared = ({ db, ids, now, purger }: Deps) => {
  const answer = (row: store.ProjectRow | undefined) => {
    if (!row) throw notFound()
    return wire.project(row)
  }

  return {
    list: async (
      reach: Reach,
      { caller, query, url }: Pick<HandlerContext<'projects.list'>, 'caller' | 'query' | 'url'>,
    ) => {
      const { count, rows } = await store.list(db, caller.user.id, reach, paging(query))
      return page({ url, query }, count, rows.map(wire.project))
    },

    /** Undefined when the organization was deleted meanwhile. */
    create: (organization_id: string, { name, event_retention_days }: Write & { name: string }) =>
      db.tx(async (tx) => {
        if (!(await hold(tx, organization_id))) return undefined
        return wire.project(await store.create(tx, ids, now(), { organization_id, name, event_retention_days }))
      }),

    update: async (project: store.ProjectRow, body: Write = {}) => answer(await store.update(db, project, body, now())),

    reset_token: async ({ id }: store.ProjectRow) => answer(await store.resetToken(db, id, ids.projectToken(), now())),

    delete: async ({ id }: store.ProjectRow) => {
      await db.tx((tx) => store.remove(tx, id, now()))
      purger.wake()
    },
  }
}

export const projects = (deps: Deps): Area<'projects'> => {
  const on = shared(deps)
  const organizationOf = (caller: Caller, id: string) =>
    organizationFor(deps.db, caller, id).catch((error) => {
      throw error.code === 'not_found' ? noSuchOrganization() : error
    })

  return {
    operations: {
      'projects.list': (call) => on.list(call.caller.key.reach, call),
      'projects.create': async ({ caller, body }) => {
        const organization = await organizationOf(caller, body.organization ?? '@current')
        requireLevel(organization.membership_level, ADMIN)
        const made = await on.create(organization.id, body)
        if (!made) throw noSuchOrganization()
        return made
      },
      'projects.retrieve': async ({ project }) => wire.project(project),
      'projects.update': ({ project, body }) => on.update(project, body),
      'projects.reset_token': ({ project }) => on.reset_token(project),
      'projects.delete': ({ project }) => on.delete(project),
    },
  }
}

export const organization_projects = (deps: Deps): Area<'organization_projects', store.ProjectRow> => {
  const on = shared(deps)
  return {
    subject: async ({ params, caller, organization }) => {
      const project = await projectFor(deps.db, caller, params.id!)
      if (project.organization_id !== organization!.id) throw notFound()
      return project
    },
    operations: {
      'organization_projects.list': (call) =>
        on.list(onlyOrganization(call.caller.key.reach, call.organization.id), call),
      'organization_projects.create': async ({ organization, body }) => {
        const made = await on.create(organization.id, body)
        if (!made) throw notFound()
        return made
      },
      'organization_projects.retrieve': async ({ subject }) => wire.project(subject),
      'organization_projects.update': ({ subject, body }) => on.update(subject, body),
      'organization_projects.reset_token': ({ subject }) => on.reset_token(subject),
      'organization_projects.delete': ({ subject }) => on.delete(subject),
    },
  }
}

const noSuchOrganization = () =>
  invalid('organization', 'There is no such organization. Send the id of one you belong to.', 'does_not_exist')

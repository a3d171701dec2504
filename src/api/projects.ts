import { demandLevel, organizationFor } from '../auth/access.ts'
import type { Deps } from '../deps.ts'
import { invalid, notFound } from '../errors.ts'
import { ADMIN, hold } from '../store/members.ts'
import * as store from '../store/projects.ts'
import * as users from '../store/users.ts'
import type { Area } from './call.ts'
import { page, paging } from './page.ts'
import * as wire from './wire.ts'

export const projects = ({ db, ids, now, purger }: Deps): Area<'projects'> => {
  const answer = (row: store.ProjectRow | undefined) => {
    if (!row) throw notFound()
    return wire.project(row)
  }

  return {
    operations: {
      'projects.list': async ({ caller: { user, key }, query, url }) => {
        const { count, rows } = await store.list(db, user.id, key.reach, paging(query))
        return page({ url, query }, count, rows.map(wire.project))
      },

      'projects.create': async ({ caller, body }) => {
        const organization = await organizationFor(db, caller, body.organization ?? '@current').catch((error) => {
          throw error.code === 'not_found' ? noSuchOrganization() : error
        })
        demandLevel(organization.membership_level, ADMIN)
        const { name, event_retention_days } = body
        return db.tx(async (tx) => {
          if (!(await hold(tx, organization.id))) throw noSuchOrganization()
          const made = await store.create(tx, ids, now(), {
            organization_id: organization.id,
            name,
            event_retention_days,
          })
          await users.workIn(tx, caller.user.id, organization.id, made.id)
          return wire.project(made)
        })
      },

      'projects.retrieve': async ({ project }) => wire.project(project),

      'projects.update': async ({ project, body = {} }) => answer(await store.update(db, project.id, body, now())),

      'projects.reset_token': async ({ project }) =>
        answer(await store.resetToken(db, project.id, ids.projectToken(), now())),

      'projects.delete': async ({ project }) => {
        await db.tx((tx) => store.remove(tx, project.id, now()))
        purger.wake()
      },
    },
  }
}

const noSuchOrganization = () =>
  invalid('organization', 'There is no such organization. Send the id of one you belong to.', 'does_not_exist')

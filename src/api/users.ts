import { organizationFor, projectFor } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import type { Body } from '../contract/operations.ts'
import type { Deps } from '../deps.ts'
import { forbidden, invalid, notFound } from '../errors.ts'
import type { Db } from '../sql/db.ts'
import { reachesEverything } from '../store/key-restrictions.ts'
import * as organizations from '../store/organizations.ts'
import * as projects from '../store/projects.ts'
import * as store from '../store/users.ts'
import type { Area } from './handler-context.ts'
import * as wire from './wire.ts'

export const users = ({ db }: Deps): Area<'users'> => {
  const answer = async (user: store.UserRow, { key: { reach } }: Caller) =>
    wire.me(user, await organizations.current(db, user, reach), await projects.current(db, user, reach))

  return {
    operations: {
      'users.me': ({ caller }) => answer(caller.user, caller),

      'users.update': async ({ caller, body = {} }) => {
        if (!reachesEverything(caller.key.reach))
          throw forbidden('This key is limited to some organizations or projects. Use a key without limits.')
        const { first_name, last_name } = body
        const changed = await db.tx(async (tx) => {
          const user = await store.hold(tx, caller.user.id)
          if (!user) throw notFound()
          const current = await currentAfter(tx, { ...caller, user }, body)
          return store.update(tx, user, { first_name, last_name, ...current })
        })
        return answer(changed, caller)
      },
    },
  }
}

/** The current organization and project after a change. A project implies its organization, an organization its oldest project. */
async function currentAfter(
  tx: Db,
  caller: Caller,
  { set_current_organization, set_current_team }: NonNullable<Body<'users.update'>>,
): Promise<Pick<store.UserWrite, 'current_organization_id' | 'current_project_id'>> {
  const organization =
    set_current_organization === undefined
      ? undefined
      : await organizationFor(tx, caller, set_current_organization).catch(missing('set_current_organization'))
  if (set_current_team !== undefined) {
    const project = await projectFor(tx, caller, String(set_current_team)).catch(missing('set_current_team'))
    if (organization && organization.id !== project.organization_id)
      throw invalid('set_current_team', 'This project is not in "set_current_organization". Send one that is.')
    return { current_organization_id: project.organization_id, current_project_id: project.id }
  }
  const present = organization && (await organizations.current(tx, caller.user, caller.key.reach))
  if (!organization || organization.id === present?.id) return {}
  return { current_organization_id: organization.id, current_project_id: null }
}

const missing =
  (attr: string) =>
  (error: { code?: string }): never => {
    if (error.code !== 'not_found') throw error
    throw invalid(attr, 'There is no such id among those you can see. Check it.', 'does_not_exist')
  }

import type { Deps } from '../deps.ts'
import { forbidden, notFound } from '../errors.ts'
import { reachesEverything } from '../store/key-restrictions.ts'
import * as store from '../store/organizations.ts'
import * as projects from '../store/projects.ts'
import type { Area } from './handler-context.ts'
import { page, paging } from './page.ts'
import * as wire from './wire.ts'

export const organizations = ({ db, ids, now, purger, config: { DIALECT } }: Deps): Area<'organizations'> => {
  const answer = async (row: store.OrganizationRow) =>
    wire.organization(row, await projects.ofOrganizations(db, [row.id]), DIALECT)

  return {
    operations: {
      'organizations.list': async ({ caller: { user, key }, query, url }) => {
        const { count, rows } = await store.list(db, user.id, key.reach, paging(query))
        const teams = await projects.ofOrganizations(
          db,
          rows.map((row) => row.id),
        )
        const teamsOf = new Map<string, projects.TeamRow[]>(rows.map((row) => [row.id, []]))
        for (const team of teams) teamsOf.get(team.organization_id)!.push(team)
        const results = rows.map((row) => wire.organization(row, teamsOf.get(row.id)!, DIALECT))
        return page({ url, query }, count, results)
      },

      'organizations.create': async ({ caller: { user, key }, body }) => {
        if (!reachesEverything(key.reach))
          throw forbidden('This key is limited to what exists already. Create organizations with a key without limits.')
        const { organization_id } = await db.tx((tx) => store.create(tx, ids, now(), { ...body, owner_id: user.id }))
        return answer((await store.get(db, user.id, key.reach, organization_id))!)
      },

      'organizations.retrieve': ({ organization }) => answer(organization),

      'organizations.update': async ({ caller: { user, key }, organization, body }) => {
        if (body) await store.update(db, organization, body, now())
        const changed = await store.get(db, user.id, key.reach, organization.id)
        if (!changed) throw notFound()
        return answer(changed)
      },

      'organizations.delete': async ({ organization }) => {
        await db.tx((tx) => store.remove(tx, organization.id, now()))
        purger.wake()
      },
    },
  }
}

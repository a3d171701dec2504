import { isUuid } from '../auth/access.ts'
import { demandMayGrant, demandMayHandle, type Standing } from '../auth/levels.ts'
import type { Deps } from '../deps.ts'
import { invalid, notFound } from '../errors.ts'
import type { Db } from '../sql/db.ts'
import * as invites from '../store/invites.ts'
import * as store from '../store/members.ts'
import type { Area } from './handler-context.ts'
import { page, paging } from './page.ts'
import { parseTime } from './time.ts'
import * as wire from './wire.ts'

export const members = ({ db, now }: Deps): Area<'members', store.MemberRow> => {
  /** Works on a member while every level of the organization stands still, seen afresh. */
  const holding = <Result>(
    organization_id: string,
    caller_id: number,
    target_uuid: string,
    work: (tx: Db, own: Standing, target: store.MemberRow) => Promise<Result>,
  ): Promise<Result> =>
    db.tx(async (tx) => {
      await store.hold(tx, organization_id)
      const level = await store.levelOf(tx, organization_id, caller_id)
      const target = await store.get(tx, organization_id, target_uuid)
      if (level === undefined || !target) throw notFound()
      const own = { id: caller_id, level }
      demandMayHandle(own, target)
      return work(tx, own, target)
    })

  return {
    subject: async ({ params, caller, organization }) => {
      const uuid = params.user__uuid === '@me' ? caller.user.uuid : params.user__uuid!.toLowerCase()
      const target = isUuid(uuid) ? await store.get(db, organization!.id, uuid) : undefined
      if (!target) throw notFound()
      demandMayHandle({ id: caller.user.id, level: organization!.membership_level }, target)
      return target
    },

    operations: {
      'members.list': async ({ organization, query, url }) => {
        const { order, email, search, updated_after: after } = query
        const updated_after = after === undefined ? undefined : parseTime(after, 'updated_after')
        const filter = { order, email, search, updated_after }
        const { count, rows } = await store.list(db, organization.id, filter, paging(query))
        return page({ url, query }, count, rows.map(wire.member))
      },

      'members.update': async ({ caller, organization, subject, body }) => {
        const level = body?.level
        if (level === undefined) return wire.member(subject)
        return holding(organization.id, caller.user.id, subject.uuid, async (tx, own, target) => {
          if (level === target.level) return wire.member(target)
          demandMayGrant(own, target, level)
          const updated_at = now()
          await store.setLevel(tx, target.membership_id, level, updated_at)
          await invites.removeAbove(tx, organization.id, target.id, level)
          return wire.member({ ...target, level, updated_at })
        })
      },

      'members.remove': ({ caller, organization, subject }) =>
        holding(organization.id, caller.user.id, subject.uuid, async (tx, _, target) => {
          if (target.level === store.OWNER)
            throw invalid(null, 'An owner cannot leave or be removed. Let another owner lower their level first.')
          await store.remove(tx, organization.id, target.membership_id)
          await invites.removeAbove(tx, organization.id, target.id, 0)
        }),
    },
  }
}

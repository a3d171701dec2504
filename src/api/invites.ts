import { isUuid } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import { type MadeInvite, makeInvites } from '../auth/invites.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import * as store from '../store/invites.ts'
import type { OrganizationRow } from '../store/organizations.ts'
import type { Area } from './handler-context.ts'
import { page, paging } from './page.ts'
import * as wire from './wire.ts'

export const invites = ({ db, ids, now, mailer, log, config }: Deps): Area<'invites', store.Invite> => {
  const make = async (
    { user }: Caller,
    organization: OrganizationRow,
    writes: store.InviteWrite[],
    attr: (index: number) => string | null,
  ): Promise<MadeInvite[]> => {
    const made = await makeInvites(db, ids, now(), {
      organization,
      inviter: user,
      writes,
      attr,
      mailed: mailer !== null,
      limited: config.RATE_LIMITS,
    })
    if (mailer) mailer.wake()
    else log.warn('no mail is configured, so the answer carries the secret of the invite; set SMTP_URL and SITE_URL')
    return made
  }

  return {
    subject: async ({ params, organization }) => {
      const invite = isUuid(params.id!) ? await store.get(db, organization!.id, params.id!.toLowerCase()) : undefined
      if (!invite) throw notFound()
      return invite
    },

    operations: {
      'invites.list': async ({ organization, query, url }) => {
        const { count, rows } = await store.list(db, organization.id, paging(query))
        const time = now()
        return page(
          { url, query },
          count,
          rows.map((row) => wire.invite(row, time)),
        )
      },

      'invites.create': async ({ caller, organization, body }) => {
        const [made] = await make(caller, organization, [body], () => null)
        return wire.invite(made!, now())
      },

      'invites.bulk': async ({ caller, organization, body }) => {
        const many = Array.isArray(body)
        const made = await make(caller, organization, many ? body : [body], (index) =>
          many ? `${index}__target_email` : null,
        )
        const answers = made.map((invite) => wire.invite(invite, now()))
        return many ? answers : answers[0]!
      },

      'invites.delete': async ({ subject }) => {
        if (!(await store.remove(db, subject.id))) throw notFound()
      },
    },
  }
}

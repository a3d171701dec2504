import { isUuid } from '../auth/access.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import { isUniqueViolation } from '../sql/db.ts'
import * as store from '../store/domains.ts'
import { hold } from '../store/members.ts'
import type { Area } from './handler-context.ts'
import { page, paging } from './page.ts'
import * as wire from './wire.ts'

export const domains = ({ db, ids, now, resolveTxt, config }: Deps): Area<'domains', store.DomainRow> => {
  const answer = (row: store.DomainRow | undefined) => {
    if (!row) throw notFound()
    return wire.domain(row)
  }

  return {
    subject: async ({ params, organization }) => {
      const domain = isUuid(params.id!) ? await store.get(db, organization!.id, params.id!.toLowerCase()) : undefined
      if (!domain) throw notFound()
      return domain
    },

    operations: {
      'domains.list': async ({ organization, query, url }) => {
        const { count, rows } = await store.list(db, organization.id, paging(query))
        return page({ url, query }, count, rows.map(wire.domain))
      },

      'domains.create': async ({ organization, body }) => {
        const { domain, saml_entity_id, saml_acs_url, saml_x509_cert } = body
        const made = await db.tx(async (tx) => {
          if (!(await hold(tx, organization.id))) throw notFound()
          return store.create(tx, {
            id: ids.uuid(),
            organization_id: organization.id,
            domain: domain!,
            verification_challenge: ids.challenge(),
            saml_entity_id,
            saml_acs_url,
            saml_x509_cert,
          })
        })
        if (!made)
          throw invalid('domain', 'This organization has that domain already. Use the one that is there.', 'unique')
        return wire.domain(made)
      },

      'domains.retrieve': async ({ subject }) => wire.domain(subject),

      'domains.update': async ({ subject, body = {} }) => {
        const changes = store.changesOf(subject, body)
        for (const field of ['jit_provisioning_enabled', 'sso_enforcement'] as const)
          if (changes[field] !== undefined && subject.verified_at === null)
            throw invalid(field, `"${field}" needs a verified domain. Verify it first.`, 'verification_required')
        return answer(await store.update(db, subject, changes))
      },

      'domains.delete': async ({ subject }) => {
        if (!(await store.remove(db, subject.id))) throw notFound()
      },

      'domains.verify': async ({ subject }) => {
        if (subject.verified_at !== null)
          throw new AppError({
            code: 'already_verified',
            detail: 'This domain is verified already. There is nothing to do.',
          })
        const records = await resolveTxt(`${config.DOMAIN_CHALLENGE_LABEL}.${subject.domain}`)
        if (!records.includes(subject.verification_challenge))
          return answer(await store.noteRetry(db, subject.id, now()))
        const verified = await store.verify(db, subject.id, now()).catch((error) => {
          if (!isUniqueViolation(error)) throw error
          throw new AppError({
            code: 'already_claimed',
            detail: 'Another organization has verified this domain. Ask its owners.',
          })
        })
        return answer(verified)
      },
    },
  }
}

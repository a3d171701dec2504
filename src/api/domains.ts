import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import * as rules from '../organizations/domains.ts'
import * as store from '../store/domains.ts'
import type { Area, AreaAccess } from './handler-context.ts'
import { page, paging } from './page.ts'

export const domains = (deps: Deps): Area<'domains', store.DomainRow> => {
  const serialize = (row: store.DomainRow) => ({
    ...serializeDomain(row, rules.recordName(deps, row)),
    sso_enforcement_problem: rules.enforcementProblem(deps, row),
  })

  return {
    subject: ({ params, organization }: AreaAccess<'domains'>) => rules.get(deps, organization, params.id),

    operations: {
      'domains.list': async ({ organization, query, url }) => {
        const { count, rows } = await store.list(deps.db, organization.id, paging(query))
        return page({ url, query }, count, rows, serialize)
      },

      'domains.create': async ({ actor, organization, body }) =>
        serialize(await rules.create(deps, actor, organization, body)),

      'domains.retrieve': async ({ subject }) => serialize(subject),

      'domains.update': async ({ actor, subject, body = {} }) =>
        serialize(await rules.update(deps, actor, subject, body)),

      'domains.delete': ({ actor, subject }) => rules.remove(deps, actor, subject),

      'domains.verify': async ({ actor, subject }) => {
        const { domain, found_records } = await rules.verify(deps, actor, subject)
        return { ...serialize(domain), found_records }
      },
    },
  }
}

function serializeDomain(
  row: store.DomainRow,
  verification_record_name: string,
): Omit<components['schemas']['Domain'], 'sso_enforcement_problem'> {
  return {
    id: row.id,
    domain: row.domain,
    is_verified: row.verified_at !== null,
    verified_at: row.verified_at,
    verification_record_name,
    verification_challenge: row.verification_challenge,
    jit_provisioning_enabled: Boolean(row.jit_provisioning_enabled),
    sso_enforcement: row.sso_enforcement,
    has_saml: store.hasSaml(row),
    saml_entity_id: row.saml_entity_id,
    saml_acs_url: row.saml_acs_url,
    saml_x509_cert: row.saml_x509_cert,
  }
}

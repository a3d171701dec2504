import { isUuid } from '../auth/access.ts'
import type { ResolveTxt } from '../dns/txt.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import type { Ids } from '../ids.ts'
import { type Db, isUniqueViolation } from '../sql/db.ts'
import * as store from '../store/domains.ts'
import { lockOrganization, type OrganizationRow } from '../store/organizations.ts'

export async function get({ db }: { db: Db }, organization: OrganizationRow, id: string): Promise<store.DomainRow> {
  return requireRow(isUuid(id) ? await store.get(db, organization.id, id.toLowerCase()) : undefined)
}

export async function create(
  { db, ids }: { db: Db; ids: Ids },
  organization: OrganizationRow,
  { domain, saml_entity_id, saml_acs_url, saml_x509_cert }: store.DomainInput & { domain: string },
): Promise<store.DomainRow> {
  const created = await db.tx(async (tx) => {
    if (!(await lockOrganization(tx, organization.id))) throw notFound()
    return store.create(tx, {
      id: ids.uuid(),
      organization_id: organization.id,
      domain,
      verification_challenge: ids.challenge(),
      saml_entity_id,
      saml_acs_url,
      saml_x509_cert,
    })
  })
  if (!created) throw invalid('domain', 'The organization already has this domain. Use the existing one.', 'unique')
  return created
}

export async function update(
  { db }: { db: Db },
  domain: store.DomainRow,
  input: store.DomainInput,
): Promise<store.DomainRow> {
  const changes = store.changesOf(domain, input)
  for (const field of ['jit_provisioning_enabled', 'sso_enforcement'] as const)
    if (changes[field] !== undefined && domain.verified_at === null)
      throw invalid(field, `\`${field}\` requires a verified domain. Verify it first.`, 'verification_required')
  return requireRow(await store.update(db, domain, changes))
}

export async function remove({ db }: { db: Db }, { id }: store.DomainRow): Promise<void> {
  if (!(await store.remove(db, id))) throw notFound()
}

/** Verifies the domain if its challenge is published in DNS. */
export async function verify(
  {
    db,
    now,
    resolveTxt,
    config,
  }: { db: Db; now: () => string; resolveTxt: ResolveTxt; config: { DOMAIN_CHALLENGE_LABEL: string } },
  domain: store.DomainRow,
): Promise<store.DomainRow> {
  if (domain.verified_at !== null)
    throw new AppError({ code: 'already_verified', detail: 'This domain is already verified.' })
  const records = await resolveTxt(`${config.DOMAIN_CHALLENGE_LABEL}.${domain.domain}`)
  if (!records.includes(domain.verification_challenge))
    return requireRow(await store.recordFailedVerification(db, domain.id, now()))
  const verified = store.verify(db, domain.id, now()).catch((error) => {
    if (!isUniqueViolation(error)) throw error
    throw new AppError({
      code: 'already_claimed',
      detail: 'Another organization has verified this domain. Ask its owners to delete it there.',
    })
  })
  return requireRow(await verified)
}

function requireRow(row: store.DomainRow | undefined): store.DomainRow {
  if (!row) throw notFound()
  return row
}

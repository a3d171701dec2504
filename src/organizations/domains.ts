import { isUuid } from '../auth/access.ts'
import type { ResolveTxt } from '../dns/txt.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import type { Ids } from '../ids.ts'
import { type Db, isUniqueViolation } from '../sql/db.ts'
import { record, type UserActor } from '../store/activity_log.ts'
import * as store from '../store/domains.ts'
import { type FieldChange, fieldChanges, storedBoolean } from '../store/field-changes.ts'
import { lockOrganization, type OrganizationRow } from '../store/organizations.ts'

interface DomainDeps {
  db: Db
  ids: Ids
  now: () => string
}

export async function get({ db }: { db: Db }, organization: OrganizationRow, id: string): Promise<store.DomainRow> {
  return requireRow(isUuid(id) ? await store.get(db, organization.id, id.toLowerCase()) : undefined)
}

export async function create(
  { db, ids, now }: DomainDeps,
  actor: UserActor,
  organization: OrganizationRow,
  { domain, saml_entity_id, saml_acs_url, saml_x509_cert }: store.DomainInput & { domain: string },
): Promise<store.DomainRow> {
  const created = await db.tx(async (tx) => {
    if (!(await lockOrganization(tx, organization.id))) throw notFound()
    const row = await store.create(tx, {
      id: ids.uuid(),
      organization_id: organization.id,
      domain,
      verification_challenge: ids.challenge(),
      saml_entity_id,
      saml_acs_url,
      saml_x509_cert,
    })
    if (row) await recordDomain(tx, ids, now(), actor, 'created', row, domainChanges({}, settingsOf(row)))
    return row
  })
  if (!created) throw invalid('domain', 'The organization already has this domain. Use the existing one.', 'unique')
  return created
}

export async function update(
  { db, ids, now }: DomainDeps,
  actor: UserActor,
  { id }: store.DomainRow,
  input: store.DomainInput,
): Promise<store.DomainRow> {
  return db.tx(async (tx) => {
    const domain = requireRow(await store.lockDomain(tx, id))
    const changes = store.changesOf(domain, input)
    for (const field of ['jit_provisioning_enabled', 'sso_enforcement'] as const)
      if (changes[field] !== undefined && domain.verified_at === null)
        throw invalid(field, `\`${field}\` requires a verified domain. Verify it first.`, 'verification_required')
    const updated = requireRow(await store.update(tx, domain, changes))
    const recorded = domainChanges(settingsOf(domain), settingsOf(updated))
    if (recorded.length) await recordDomain(tx, ids, now(), actor, 'updated', updated, recorded)
    return updated
  })
}

export async function remove({ db, ids, now }: DomainDeps, actor: UserActor, domain: store.DomainRow): Promise<void> {
  await db.tx(async (tx) => {
    if (!(await store.remove(tx, domain.id))) throw notFound()
    await recordDomain(tx, ids, now(), actor, 'deleted', domain)
  })
}

const settingsOf = (row: store.DomainRow): object => ({
  jit_provisioning_enabled: storedBoolean(row.jit_provisioning_enabled),
  sso_enforcement: row.sso_enforcement || null,
  saml_entity_id: row.saml_entity_id,
  saml_acs_url: row.saml_acs_url,
  saml_x509_cert: row.saml_x509_cert,
})

const domainChanges = (before: object, after: object): FieldChange[] => fieldChanges(before, after, ['saml_x509_cert'])

function recordDomain(
  tx: Db,
  ids: Ids,
  now: string,
  actor: UserActor,
  activity: 'created' | 'updated' | 'verified' | 'deleted',
  { id, organization_id, domain }: store.DomainRow,
  changes: FieldChange[] = [],
): Promise<void> {
  const item = { item_id: id, item_name: domain }
  return record(tx, ids, now, actor, { organization_id, area: 'domains', activity, ...item, changes })
}

/** Verifies the domain if its challenge is published in DNS. */
export async function verify(
  {
    db,
    ids,
    now,
    resolveTxt,
    config,
  }: DomainDeps & { resolveTxt: ResolveTxt; config: { DOMAIN_CHALLENGE_LABEL: string } },
  actor: UserActor,
  domain: store.DomainRow,
): Promise<store.DomainRow> {
  if (domain.verified_at !== null)
    throw new AppError({ code: 'already_verified', detail: 'This domain is already verified.' })
  const records = await resolveTxt(`${config.DOMAIN_CHALLENGE_LABEL}.${domain.domain}`)
  if (!records.includes(domain.verification_challenge))
    return requireRow(await store.recordFailedVerification(db, domain.id, now()))
  const verified = db.tx(async (tx) => {
    const row = requireRow(await store.verify(tx, domain.id, now()))
    await recordDomain(tx, ids, now(), actor, 'verified', row)
    return row
  })
  return verified.catch((error) => {
    if (!isUniqueViolation(error)) throw error
    throw new AppError({
      code: 'already_claimed',
      detail: 'Another organization has verified this domain. Ask its owners to delete it there.',
    })
  })
}

function requireRow(row: store.DomainRow | undefined): store.DomainRow {
  if (!row) throw notFound()
  return row
}

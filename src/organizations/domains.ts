import { isUuid } from '../auth/access.ts'
import { recordEndedSessions } from '../auth/ended-sessions.ts'
import type { ResolveTxt } from '../dns/txt.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import type { Ids } from '../ids.ts'
import { type Db, isUniqueViolation } from '../sql/db.ts'
import { record, type UserActor } from '../store/activity_log.ts'
import * as store from '../store/domains.ts'
import { type FieldChange, fieldChanges, storedBoolean } from '../store/field-changes.ts'
import { lockOrganization, type OrganizationRow } from '../store/organizations.ts'
import * as sessions from '../store/sessions.ts'
import { isRsa, parseCertificate } from './certificate.ts'

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
  requireCertificate(saml_x509_cert)
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

export interface SsoSettings {
  /** The single sign-on providers of the operator. */
  providers: Partial<Record<string, unknown>>
  config: { SITE_URL?: string }
}

/** Enforcing a provider ends the password sessions of all users of the domain. */
export async function update(
  deps: DomainDeps & SsoSettings,
  actor: UserActor,
  { id, organization_id }: store.DomainRow,
  input: store.DomainInput,
): Promise<store.DomainRow> {
  return deps.db.tx(async (tx) => {
    // Concurrent updates wait: one must not remove the certificate that another one relies on.
    await lockOrganization(tx, organization_id)
    const domain = requireRow(await store.lockDomain(tx, id))
    const changes = store.changesOf(domain, input)
    for (const field of ['jit_provisioning_enabled', 'sso_enforcement'] as const)
      if (changes[field] !== undefined && domain.verified_at === null)
        throw invalid(field, `\`${field}\` requires a verified domain. Verify it first.`, 'verification_required')
    requireCertificate(changes.saml_x509_cert)
    const updated = requireRow(await store.update(tx, domain, changes))
    if (SSO_FIELDS.some((field) => changes[field] !== undefined)) requireProvider(deps, updated)
    const recorded = domainChanges(settingsOf(domain), settingsOf(updated))
    if (recorded.length) await recordDomain(tx, deps.ids, deps.now(), actor, 'updated', updated, recorded)
    if (changes.sso_enforcement) {
      const ending = { ids: deps.ids, now: deps.now(), actor, reason: 'sso_enforced', organization_id } as const
      await recordEndedSessions(tx, ending, await sessions.removeOfDomain(tx, domain.domain))
    }
    return updated
  })
}

const SSO_FIELDS = ['sso_enforcement', 'saml_entity_id', 'saml_acs_url', 'saml_x509_cert'] as const

function requireCertificate(text: string | null | undefined): void {
  if (!text) return
  const certificate = parseCertificate(text)
  if (!certificate)
    throw invalid('saml_x509_cert', 'This is not an X.509 certificate. Send it as PEM or as base64 of DER.')
  if (!isRsa(certificate))
    throw invalid('saml_x509_cert', 'The key of this certificate is not RSA. Send a certificate with an RSA key.')
}

function requireProvider(settings: SsoSettings, domain: store.DomainRow): void {
  const problem = enforcementProblem(settings, domain)
  if (problem !== null) throw invalid('sso_enforcement', problem)
}

/** Says why the enforced provider cannot sign anyone in, and what to do. Null if it can, or if none is enforced. */
export function enforcementProblem({ providers, config }: SsoSettings, domain: store.DomainRow): string | null {
  const { sso_enforcement } = domain
  if (sso_enforcement === '') return null
  if (sso_enforcement !== 'saml')
    return providers[sso_enforcement]
      ? null
      : `${sso_enforcement} is not configured on this server. Choose another provider.`
  if (config.SITE_URL === undefined) return 'SAML requires SITE_URL. Ask the operator of this server to set it.'
  return hasValidSaml(domain)
    ? null
    : 'SAML requires `saml_entity_id`, the http(s) URL `saml_acs_url` and `saml_x509_cert`. Set all three.'
}

function hasValidSaml({ saml_entity_id, saml_acs_url, saml_x509_cert }: store.DomainRow): boolean {
  const certificate = parseCertificate(saml_x509_cert ?? '')
  return Boolean(saml_entity_id) && isHttpUrl(saml_acs_url ?? '') && certificate !== undefined && isRsa(certificate)
}

export const isHttpUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)

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

interface ChallengeSettings {
  config: { DOMAIN_CHALLENGE_LABEL: string }
}

/** The name of the TXT record that verifies a domain. */
export const recordName = ({ config }: ChallengeSettings, { domain }: Pick<store.DomainRow, 'domain'>): string =>
  `${config.DOMAIN_CHALLENGE_LABEL}.${domain}`

/** Of the records in a response. Another zone may hold many long ones. */
const MAX_RECORDS = 10
const MAX_RECORD_CHARACTERS = 255

/** Verifies the domain if its challenge is published in DNS. Also returns the records that were found. */
export async function verify(
  { db, ids, now, resolveTxt, config }: DomainDeps & ChallengeSettings & { resolveTxt: ResolveTxt },
  actor: UserActor,
  domain: store.DomainRow,
): Promise<{ domain: store.DomainRow; found_records: string[] }> {
  if (domain.verified_at !== null)
    throw new AppError({ code: 'already_verified', detail: 'This domain is already verified.' })
  const records = await resolveTxt(recordName({ config }, domain))
  const found_records = records.slice(0, MAX_RECORDS).map((record) => record.slice(0, MAX_RECORD_CHARACTERS))
  if (!records.includes(domain.verification_challenge))
    return { domain: requireRow(await store.recordFailedVerification(db, domain.id, now())), found_records }
  const verified = db.tx(async (tx) => {
    const row = await store.verify(tx, domain.id, now())
    if (row) await recordDomain(tx, ids, now(), actor, 'verified', row)
    // A concurrent request may have verified the domain.
    return { domain: row ?? requireRow(await store.lockDomain(tx, domain.id)), found_records }
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

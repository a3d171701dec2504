import { isUuid } from '../auth/access.ts'
import type { ResolveTxt } from '../dns/txt.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import type { Ids } from '../ids.ts'
import { type Db, isUniqueViolation } from '../sql/db.ts'
import * as store from '../store/domains.ts'
import { lockOrganization, type OrganizationRow } from '../store/organizations.ts'
import * as sessions from '../store/sessions.ts'
import { isRsa, parseCertificate } from './certificate.ts'

export async function get({ db }: { db: Db }, organization: OrganizationRow, id: string): Promise<store.DomainRow> {
  return requireRow(isUuid(id) ? await store.get(db, organization.id, id.toLowerCase()) : undefined)
}

export async function create(
  { db, ids }: { db: Db; ids: Ids },
  organization: OrganizationRow,
  { domain, saml_entity_id, saml_acs_url, saml_x509_cert }: store.DomainInput & { domain: string },
): Promise<store.DomainRow> {
  requireCertificate(saml_x509_cert)
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

export interface SsoSettings {
  /** The single sign-on providers of the operator. */
  providers: Partial<Record<string, unknown>>
  config: { SITE_URL?: string }
}

/** Enforcing a provider ends the password sessions of all users of the domain. */
export async function update(
  deps: { db: Db } & SsoSettings,
  { id, organization_id }: store.DomainRow,
  input: store.DomainInput,
): Promise<store.DomainRow> {
  return deps.db.tx(async (tx) => {
    // Concurrent updates wait: one must not remove the certificate that another one relies on.
    await lockOrganization(tx, organization_id)
    const domain = requireRow(await store.get(tx, organization_id, id))
    const changes = store.changesOf(domain, input)
    for (const field of ['jit_provisioning_enabled', 'sso_enforcement'] as const)
      if (changes[field] !== undefined && domain.verified_at === null)
        throw invalid(field, `\`${field}\` requires a verified domain. Verify it first.`, 'verification_required')
    requireCertificate(changes.saml_x509_cert)
    const changed = requireRow(await store.update(tx, domain, changes))
    if (SSO_FIELDS.some((field) => changes[field] !== undefined)) requireProvider(deps, changed)
    if (changes.sso_enforcement) await sessions.removeOfDomain(tx, domain.domain)
    return changed
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

/** Throws invalid_input when the enforced provider cannot sign anyone in. */
function requireProvider({ providers, config }: SsoSettings, domain: store.DomainRow): void {
  const { sso_enforcement } = domain
  if (sso_enforcement === '') return
  if (sso_enforcement !== 'saml') {
    if (providers[sso_enforcement]) return
    throw invalid('sso_enforcement', `${sso_enforcement} is not configured on this server. Choose another provider.`)
  }
  if (config.SITE_URL === undefined)
    throw invalid('sso_enforcement', 'SAML requires SITE_URL. Ask the operator of this server to set it.')
  if (!hasValidSaml(domain))
    throw invalid(
      'sso_enforcement',
      'SAML requires `saml_entity_id`, the http(s) URL `saml_acs_url` and `saml_x509_cert`. Set all three.',
    )
}

function hasValidSaml({ saml_entity_id, saml_acs_url, saml_x509_cert }: store.DomainRow): boolean {
  const certificate = parseCertificate(saml_x509_cert ?? '')
  return Boolean(saml_entity_id) && isHttpUrl(saml_acs_url ?? '') && certificate !== undefined && isRsa(certificate)
}

export const isHttpUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)

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

/** SAML 2.0 per login domain: requests by redirect, responses by form post. */
import { isUuid } from '../auth/access.ts'
import { sha256 } from '../auth/hash.ts'
import { parseCertificate } from '../organizations/certificate.ts'
import { isHttpUrl } from '../organizations/domains.ts'
import * as domains from '../store/domains.ts'
import * as requests from '../store/sso_requests.ts'
import type { BeginInput, Completed, Sso } from './oidc.ts'
import type { VerifiedResponse } from './saml-messages.ts'
import type { SamlProcesses } from './saml-processes.ts'
import { findExcess } from './saml-scan.ts'
import { SsoError } from './sso.ts'
import { safePath, saveRequest, useRequest } from './sso-requests.ts'

const MAX_RESPONSE_BYTES = 256 * 1024
const CLOCK_SKEW_MS = 60_000

const acsUrl = (site_url: string): string => `${site_url}/complete/saml/`

const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'

const STRONG = [
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
]

interface SamlClient {
  getAuthorizeUrlAsync(relay_state: string, host: string | undefined, options: object): Promise<string>
}

interface SamlPackage {
  SAML: new (options: object) => SamlClient
  generateServiceProviderMetadata(options: object): string
}

/** Loaded by name: its types declare the DOM for the whole program. */
const SAML_PACKAGE: string = '@node-saml/node-saml'

export interface SamlSso extends Sso {
  /** Whether `site_url` is a setting. */
  has_site_url: boolean
  saml: SamlProcesses
}

async function domainOf({ db }: Sso, email: string | undefined): Promise<domains.DomainRow> {
  const domain = email === undefined ? undefined : await domains.verifiedOf(db, email)
  if (!domain || !domains.hasSaml(domain) || !isHttpUrl(domain.saml_acs_url ?? ''))
    throw new SsoError('improperly_configured_sso', 'the domain of the address has no SAML')
  return domain
}

const certificateOf = ({ saml_x509_cert }: domains.DomainRow): string =>
  parseCertificate(saml_x509_cert ?? '')?.toString() ?? ''

/** Returns the identity provider's URL with the encoded request. */
export async function beginSaml(sso: SamlSso, { browser, email, next, invite_id }: BeginInput): Promise<string> {
  requireSiteUrl(sso)
  const domain = await domainOf(sso, email)
  // An XML id starts with a letter or an underscore.
  const id = `_${sso.ids.sessionToken()}`
  await saveRequest(sso, { id, provider: 'saml', domain_id: domain.id, browser, next, invite_id })
  const { SAML }: SamlPackage = await import(SAML_PACKAGE)
  const { site_url } = sso
  const saml = new SAML({
    idpCert: certificateOf(domain),
    issuer: site_url,
    audience: site_url,
    callbackUrl: acsUrl(site_url),
    entryPoint: domain.saml_acs_url ?? '',
    disableRequestedAuthnContext: true,
    generateUniqueId: () => id,
  })
  return saml.getAuthorizeUrlAsync(domain.id, undefined, {})
}

/** The identity provider names its audience. If the audience came from the request, anyone could choose it. */
function requireSiteUrl({ has_site_url }: SamlSso): void {
  if (!has_site_url) throw new SsoError('improperly_configured_sso', 'SAML requires SITE_URL')
}

export interface SamlPost {
  response: string
  relay_state: string
  browser: string | undefined
  /** Whether identity providers may start a sign-on. */
  idp_initiated: boolean
}

/** Verifies a response. Every failure throws an SsoError; the reason is only logged. */
export async function completeSaml(sso: SamlSso, post: SamlPost): Promise<Completed> {
  requireSiteUrl(sso)
  const { relay_state } = post
  const domain = isUuid(relay_state) ? await domains.getVerified(sso.db, relay_state.toLowerCase()) : undefined
  if (!domain || !domains.hasSaml(domain)) throw new SsoError('sso_failed', 'unknown RelayState')
  try {
    return await verify(sso, domain, post)
  } catch (error) {
    const failure = error instanceof SsoError ? error : new SsoError('sso_failed', String(error))
    if (failure.error_code !== 'sso_unavailable') failure.domain = domain
    throw failure
  }
}

async function verify(
  sso: SamlSso,
  domain: domains.DomainRow,
  { response, browser, idp_initiated }: SamlPost,
): Promise<Completed> {
  const { site_url } = sso
  const fields = await sso.saml.verify(
    { xml: decode(response), certificate: certificateOf(domain), audience: site_url, acs_url: acsUrl(site_url) },
    domain.id,
  )
  requireFor(sso, domain, fields)
  const valid_until_ms = requireTimes(fields, sso.milliseconds())
  const assertion = assertionOf(domain, fields)
  const expires_at = new Date(valid_until_ms + CLOCK_SKEW_MS).toISOString()
  if (!(await requests.useAssertion(sso.db, sha256(`${domain.id} ${fields.assertion_id}`), expires_at)))
    throw new SsoError('sso_failed', 'the assertion was used before')
  const { next, invite_id } = await originalRequest(sso, domain, fields, browser, idp_initiated)
  return { assertion, next, invite_id }
}

function decode(response: string): string {
  if (response.length > (MAX_RESPONSE_BYTES * 4) / 3 + 4) throw new SsoError('sso_failed', 'the response is too large')
  const xml = Buffer.from(response, 'base64').toString('utf8')
  if (/<!DOCTYPE/i.test(xml)) throw new SsoError('sso_failed', 'the response has a DOCTYPE')
  // Signatures ignore comments, so anyone can add them. Parsers that stop reading a text at a comment see another name.
  if (xml.includes('<!--')) throw new SsoError('sso_failed', 'the response has a comment')
  const excess = findExcess(xml)
  if (excess !== undefined) throw new SsoError('sso_failed', excess)
  return xml
}

/** Checks what the library does not. */
function requireFor({ site_url }: Sso, domain: domains.DomainRow, fields: VerifiedResponse): void {
  const acs = acsUrl(site_url)
  const { issuer, envelope, confirmations, conditions, algorithms } = fields
  const refuse = (reason: string): never => {
    throw new SsoError('sso_failed', reason)
  }
  if (envelope.status !== SUCCESS) refuse('the status is not Success')
  if (issuer !== domain.saml_entity_id) refuse('wrong Issuer')
  if (envelope.destination !== acs) refuse('wrong Destination')
  if (confirmations.length === 0 || confirmations.some(({ method }) => method !== BEARER)) refuse('not a bearer')
  if (confirmations.some(({ recipient }) => recipient !== acs)) refuse('wrong Recipient')
  if (conditions.length !== 1) refuse('no Conditions')
  if (algorithms.length === 0 || algorithms.some((algorithm) => !STRONG.includes(algorithm)))
    refuse('weak signature algorithm')
}

/** Returns the end of the validity. A bearer assertion must have one. */
function requireTimes({ confirmations, conditions }: VerifiedResponse, now_ms: number): number {
  const periods = [...confirmations, ...conditions]
  for (const { not_before } of periods)
    if (not_before !== '' && !(Date.parse(not_before) <= now_ms + CLOCK_SKEW_MS))
      throw new SsoError('sso_failed', 'the assertion is not valid yet')
  if (confirmations.some(({ not_on_or_after }) => not_on_or_after === ''))
    throw new SsoError('sso_failed', 'the assertion does not expire')
  const ends = periods.filter(({ not_on_or_after }) => not_on_or_after !== '')
  const end_ms = Math.min(...ends.map(({ not_on_or_after }) => Date.parse(not_on_or_after)))
  if (!(end_ms > now_ms - CLOCK_SKEW_MS)) throw new SsoError('sso_failed', 'the assertion has expired')
  return end_ms
}

/** The request that this response belongs to. Without one, the identity provider started the sign-on. */
async function originalRequest(
  sso: Sso,
  domain: domains.DomainRow,
  { envelope, confirmations }: VerifiedResponse,
  browser: string | undefined,
  idp_initiated: boolean,
): Promise<{ next: string; invite_id: string | null }> {
  // Only the assertion is trusted: anyone can add the attribute to an unsigned envelope.
  const [id = '', ...others] = new Set(confirmations.map(({ in_response_to }) => in_response_to))
  if (others.length || (envelope.in_response_to !== '' && envelope.in_response_to !== id))
    throw new SsoError('sso_failed', 'conflicting InResponseTo')
  if (id === '') {
    if (!idp_initiated) throw new SsoError('sso_failed', 'sign-on started by the identity provider is disabled')
    return { next: safePath(undefined), invite_id: null }
  }
  const request = await useRequest(sso, id, browser)
  if (request.domain_id !== domain.id) throw new SsoError('state_mismatch', 'the request was for another domain')
  return request
}

function assertionOf(domain: domains.DomainRow, response: VerifiedResponse): Completed['assertion'] {
  const { name_id, email, first_name, last_name } = response
  if (email.slice(email.lastIndexOf('@') + 1).toLowerCase() !== domain.domain)
    throw new SsoError('sso_failed', 'the address is outside the domain')
  if (!name_id) throw new SsoError('sso_failed', 'no NameID')
  return {
    provider: 'saml',
    issuer: `saml:${domain.id}`,
    subject: name_id,
    email,
    // The organization proved that it owns the domain, and the address is inside it.
    email_verified: true,
    first_name,
    last_name,
    domain_id: domain.id,
  }
}

/** The metadata of this server as a service provider. */
export async function metadata({ site_url }: Pick<Sso, 'site_url'>): Promise<string> {
  const { generateServiceProviderMetadata }: SamlPackage = await import(SAML_PACKAGE)
  return generateServiceProviderMetadata({
    issuer: site_url,
    callbackUrl: acsUrl(site_url),
    wantAssertionsSigned: true,
  })
}

/** SAML 2.0 per login domain: requests by redirect, responses by form post. */
import { isUuid } from '../auth/access.ts'
import { sha256 } from '../auth/hash.ts'
import * as domains from '../store/domains.ts'
import * as requests from '../store/sso_requests.ts'
import type { BeginInput, Completed, Sso } from './oidc.ts'
import { SsoError } from './sso.ts'
import { safePath, saveRequest, useRequest } from './sso-requests.ts'

const MAX_RESPONSE_BYTES = 256 * 1024
const CLOCK_SKEW_MS = 60_000
/** Longer than any assertion is valid. */
const ASSERTION_MEMORY_MS = 24 * 3_600_000

const acsUrl = (site_url: string): string => `${site_url}/complete/saml/`

const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion'
const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#'

const EMAIL = [
  'email',
  'EMAIL',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
]
const FIRST_NAME = [
  'first_name',
  'FIRST_NAME',
  'firstName',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname',
  'urn:oid:2.5.4.42',
]
const LAST_NAME = [
  'last_name',
  'LAST_NAME',
  'lastName',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname',
  'urn:oid:2.5.4.4',
]
const FULL_NAME = ['full_name', 'FULL_NAME', 'fullName', 'urn:oid:2.5.4.3']

/** The part of a verified response that is read here. Attributes are further members. */
interface Profile {
  issuer: string
  nameID: string
  getAssertionXml?: () => string
  [attribute: string]: unknown
}

interface SamlClient {
  getAuthorizeUrlAsync(relay_state: string, host: string | undefined, options: object): Promise<string>
  validatePostResponseAsync(body: { SAMLResponse: string }): Promise<{ profile: Profile | null }>
}

interface SamlPackage {
  SAML: new (options: object) => SamlClient
  generateServiceProviderMetadata(options: object): string
}

interface XmlElement {
  getAttribute(name: string): string | null
  hasAttribute(name: string): boolean
  getElementsByTagNameNS(namespace: string, name: string): ArrayLike<XmlElement>
}

interface XmlPackage {
  DOMParser: new () => {
    parseFromString(text: string, type: string): XmlElement & { documentElement: XmlElement | null }
  }
}

/** Loaded by name: the types of both packages declare the DOM for the whole program. */
const SAML_PACKAGE: string = '@node-saml/node-saml'
const XML_PACKAGE: string = '@xmldom/xmldom'

/** The library's view of one domain. */
async function samlOf(
  { site_url }: Pick<Sso, 'site_url'>,
  domain: domains.DomainRow,
  id?: string,
): Promise<SamlClient> {
  const { SAML }: SamlPackage = await import(SAML_PACKAGE)
  return new SAML({
    idpCert: domain.saml_x509_cert ?? '',
    issuer: site_url,
    audience: site_url,
    callbackUrl: acsUrl(site_url),
    entryPoint: domain.saml_acs_url ?? '',
    // Providers sign the response or the assertion. The library demands the one when the other is missing.
    wantAuthnResponseSigned: false,
    wantAssertionsSigned: false,
    acceptedClockSkewMs: CLOCK_SKEW_MS,
    disableRequestedAuthnContext: true,
    ...(id !== undefined && { generateUniqueId: () => id }),
  })
}

async function domainOf({ db }: Sso, email: string | undefined): Promise<domains.DomainRow> {
  const domain = email === undefined ? undefined : await domains.verifiedOf(db, email)
  if (!domain || !domains.hasSaml(domain))
    throw new SsoError('improperly_configured_sso', 'the domain of the address has no SAML')
  return domain
}

/** Returns the address of the identity provider with the request in it. */
export async function beginSaml(sso: Sso, { browser, email, next, invite_id }: BeginInput): Promise<string> {
  const domain = await domainOf(sso, email)
  // An XML id starts with a letter or an underscore.
  const id = `_${sso.ids.sessionToken()}`
  await saveRequest(sso, { id, provider: 'saml', domain_id: domain.id, browser, next, invite_id })
  const saml = await samlOf(sso, domain, id)
  return saml.getAuthorizeUrlAsync(domain.id, undefined, {})
}

export interface SamlPost {
  response: string
  relay_state: string
  browser: string | undefined
  /** Whether identity providers may start a sign-on. */
  idp_initiated: boolean
}

/** Verifies a response. Every failure is one SsoError; the reason goes to the log only. */
export async function completeSaml(sso: Sso, post: SamlPost): Promise<Completed> {
  try {
    return await verify(sso, post)
  } catch (error) {
    if (error instanceof SsoError) throw error
    throw new SsoError('sso_failed', String(error))
  }
}

async function verify(sso: Sso, { response, relay_state, browser, idp_initiated }: SamlPost): Promise<Completed> {
  const domain = isUuid(relay_state) ? await domains.getVerified(sso.db, relay_state.toLowerCase()) : undefined
  if (!domain || !domains.hasSaml(domain)) throw new SsoError('sso_failed', 'unknown RelayState')
  const xml = decode(response)
  const saml = await samlOf(sso, domain)
  const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: response })
  if (!profile) throw new SsoError('sso_failed', 'no profile')
  const facts = await factsOf(xml, profile)
  requireFor(sso, domain, profile, facts)
  const expires_at = new Date(sso.milliseconds() + ASSERTION_MEMORY_MS).toISOString()
  if (!(await requests.useAssertion(sso.db, sha256(`${domain.id} ${facts.assertion_id}`), expires_at)))
    throw new SsoError('sso_failed', 'the assertion was used before')
  const { next, invite_id } = await answered(sso, domain, facts, browser, idp_initiated)
  return { assertion: assertionOf(domain, profile), next, invite_id }
}

function decode(response: string): string {
  if (response.length > (MAX_RESPONSE_BYTES * 4) / 3 + 4) throw new SsoError('sso_failed', 'the response is too large')
  const xml = Buffer.from(response, 'base64').toString('utf8')
  if (/<!DOCTYPE/i.test(xml)) throw new SsoError('sso_failed', 'the response has a DOCTYPE')
  return xml
}

/** The parts of a response that the library does not check. */
interface Facts {
  assertion_id: string
  destination: string | null
  recipients: string[]
  /** Of the response and of the subject confirmations. */
  in_response_to: string[]
  algorithms: string[]
}

/** Reads the assertion from the verified bytes, and the envelope from the response. */
async function factsOf(xml: string, profile: Profile): Promise<Facts> {
  const { DOMParser }: XmlPackage = await import(XML_PACKAGE)
  const parse = (text: string) => new DOMParser().parseFromString(text, 'text/xml')
  const verified = parse(profile.getAssertionXml?.() ?? '')
  const envelope = parse(xml)
  const root = envelope.documentElement
  const [assertion] = Array.from(verified.getElementsByTagNameNS(ASSERTION, 'Assertion'))
  const assertion_id = assertion?.getAttribute('ID') ?? ''
  if (!root || !assertion || assertion_id === '') throw new SsoError('sso_failed', 'no assertion')
  const confirmations = Array.from(assertion.getElementsByTagNameNS(ASSERTION, 'SubjectConfirmationData'))
  const algorithms = ['SignatureMethod', 'DigestMethod'].flatMap((name) =>
    Array.from(envelope.getElementsByTagNameNS(SIGNATURE, name)).map((node) => node.getAttribute('Algorithm') ?? ''),
  )
  return {
    assertion_id,
    destination: root.hasAttribute('Destination') ? root.getAttribute('Destination') : null,
    recipients: confirmations.map((node) => node.getAttribute('Recipient') ?? ''),
    in_response_to: [root, ...confirmations]
      .map((node) => node.getAttribute('InResponseTo') ?? '')
      .filter((id) => id !== ''),
    algorithms,
  }
}

function requireFor({ site_url }: Sso, domain: domains.DomainRow, profile: Profile, facts: Facts): void {
  const acs = acsUrl(site_url)
  if (profile.issuer !== domain.saml_entity_id) throw new SsoError('sso_failed', 'wrong Issuer')
  if (facts.destination !== null && facts.destination !== acs) throw new SsoError('sso_failed', 'wrong Destination')
  if (facts.recipients.length === 0 || facts.recipients.some((recipient) => recipient !== acs))
    throw new SsoError('sso_failed', 'wrong Recipient')
  if (facts.algorithms.length === 0 || facts.algorithms.some((algorithm) => /(sha1|md5)\b/i.test(algorithm)))
    throw new SsoError('sso_failed', 'weak signature algorithm')
}

/** The request that this response answers. Without one the identity provider started the sign-on. */
async function answered(
  sso: Sso,
  domain: domains.DomainRow,
  { in_response_to }: Facts,
  browser: string | undefined,
  idp_initiated: boolean,
): Promise<{ next: string; invite_id: string | null }> {
  const [id, ...others] = [...new Set(in_response_to)]
  if (others.length) throw new SsoError('sso_failed', 'contradicting InResponseTo')
  if (id === undefined) {
    if (!idp_initiated) throw new SsoError('sso_failed', 'sign-on started by the identity provider is off')
    return { next: safePath(undefined), invite_id: null }
  }
  const request = await useRequest(sso, id, browser)
  if (request.domain_id !== domain.id) throw new SsoError('state_mismatch', 'the request was for another domain')
  return request
}

function assertionOf(domain: domains.DomainRow, profile: Profile): Completed['assertion'] {
  const value = (names: readonly string[]): string => {
    for (const name of names) {
      const found = [profile[name]].flat()[0]
      if (typeof found === 'string' && found !== '') return found
    }
    return ''
  }
  const email = value(EMAIL)
  if (email.slice(email.lastIndexOf('@') + 1).toLowerCase() !== domain.domain)
    throw new SsoError('sso_failed', 'the address is outside the domain')
  if (!profile.nameID) throw new SsoError('sso_failed', 'no NameID')
  return {
    provider: 'saml',
    issuer: `saml:${domain.id}`,
    subject: profile.nameID,
    email,
    // The organization proved that it owns the domain, and the address is inside it.
    email_verified: true,
    first_name: value(FIRST_NAME) || value(FULL_NAME),
    last_name: value(LAST_NAME),
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

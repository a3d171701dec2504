/** SAML 2.0 per login domain: requests by redirect, responses by form post. */
import { isUuid } from '../auth/access.ts'
import { sha256 } from '../auth/hash.ts'
import { parseCertificate } from '../organizations/certificate.ts'
import { isHttpUrl } from '../organizations/domains.ts'
import * as domains from '../store/domains.ts'
import * as requests from '../store/sso_requests.ts'
import type { BeginInput, Completed, Sso } from './oidc.ts'
import { SsoError } from './sso.ts'
import { safePath, saveRequest, useRequest } from './sso-requests.ts'

const MAX_RESPONSE_BYTES = 256 * 1024
const CLOCK_SKEW_MS = 60_000

const acsUrl = (site_url: string): string => `${site_url}/complete/saml/`

const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion'
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#'

const STRONG = [
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
]

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

/** The fields of a verified response that this module reads. */
interface Profile {
  issuer: string
  nameID: string
  attributes?: Record<string, unknown>
  getAssertionXml?: () => string
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
  localName: string
  namespaceURI: string | null
  getAttribute(name: string): string | null
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

export interface SamlSso extends Sso {
  /** Whether `site_url` is a setting. */
  has_site_url: boolean
}

/** The library's configuration for one domain. */
async function samlOf(
  { site_url }: Pick<Sso, 'site_url'>,
  domain: domains.DomainRow,
  id?: string,
): Promise<SamlClient> {
  const { SAML }: SamlPackage = await import(SAML_PACKAGE)
  return new SAML({
    idpCert: parseCertificate(domain.saml_x509_cert ?? '')?.toString() ?? '',
    issuer: site_url,
    audience: site_url,
    callbackUrl: acsUrl(site_url),
    entryPoint: domain.saml_acs_url ?? '',
    // Providers sign the response or the assertion. The library requires one if the other is missing.
    wantAuthnResponseSigned: false,
    wantAssertionsSigned: false,
    // Times are checked here, by the clock of this server.
    acceptedClockSkewMs: -1,
    disableRequestedAuthnContext: true,
    ...(id !== undefined && { generateUniqueId: () => id }),
  })
}

async function domainOf({ db }: Sso, email: string | undefined): Promise<domains.DomainRow> {
  const domain = email === undefined ? undefined : await domains.verifiedOf(db, email)
  if (!domain || !domains.hasSaml(domain) || !isHttpUrl(domain.saml_acs_url ?? ''))
    throw new SsoError('improperly_configured_sso', 'the domain of the address has no SAML')
  return domain
}

/** Returns the identity provider's URL with the encoded request. */
export async function beginSaml(sso: SamlSso, { browser, email, next, invite_id }: BeginInput): Promise<string> {
  requireSiteUrl(sso)
  const domain = await domainOf(sso, email)
  // An XML id starts with a letter or an underscore.
  const id = `_${sso.ids.sessionToken()}`
  await saveRequest(sso, { id, provider: 'saml', domain_id: domain.id, browser, next, invite_id })
  const saml = await samlOf(sso, domain, id)
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
    failure.domain = domain
    throw failure
  }
}

async function verify(
  sso: SamlSso,
  domain: domains.DomainRow,
  { response, browser, idp_initiated }: SamlPost,
): Promise<Completed> {
  const xml = decode(response)
  const saml = await samlOf(sso, domain)
  // Encoded again: the library must read the same bytes that were checked above.
  const SAMLResponse = Buffer.from(xml).toString('base64')
  const { profile } = await saml.validatePostResponseAsync({ SAMLResponse })
  if (!profile) throw new SsoError('sso_failed', 'no profile')
  const fields = await responseFields(xml, profile)
  requireFor(sso, domain, profile, fields)
  const valid_until_ms = requireTimes(fields, sso.milliseconds())
  const assertion = assertionOf(domain, profile)
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
  return xml
}

/** The parts of a response that the library does not check. */
interface ResponseFields {
  assertion_id: string
  /** Of the response, which may be unsigned. */
  envelope: { destination: string; in_response_to: string; status: string }
  /** Of the signed assertion. */
  confirmations: Confirmation[]
  conditions: Period[]
  algorithms: string[]
}

interface Period {
  not_before: string
  not_on_or_after: string
}

interface Confirmation extends Period {
  method: string
  recipient: string
  in_response_to: string
}

/** Reads the assertion from the verified bytes, and the envelope from the response. */
async function responseFields(xml: string, profile: Profile): Promise<ResponseFields> {
  const { DOMParser }: XmlPackage = await import(XML_PACKAGE)
  const parse = (text: string) => new DOMParser().parseFromString(text, 'text/xml')
  const all = (node: Pick<XmlElement, 'getElementsByTagNameNS'>, namespace: string, name: string) =>
    Array.from(node.getElementsByTagNameNS(namespace, name))
  const value = (node: XmlElement | undefined, name: string): string => node?.getAttribute(name) ?? ''
  const period = (node: XmlElement | undefined): Period => ({
    not_before: value(node, 'NotBefore'),
    not_on_or_after: value(node, 'NotOnOrAfter'),
  })

  const envelope = parse(xml)
  const { documentElement: root } = envelope
  if (root?.localName !== 'Response' || root.namespaceURI !== PROTOCOL) throw new SsoError('sso_failed', 'no response')
  // A second assertion anywhere is an attempt to have one assertion verified and the other one read.
  if (all(envelope, '*', 'Assertion').length !== 1) throw new SsoError('sso_failed', 'not exactly one assertion')
  const [assertion] = all(parse(profile.getAssertionXml?.() ?? ''), ASSERTION, 'Assertion')
  const assertion_id = value(assertion, 'ID')
  if (!assertion || assertion_id === '') throw new SsoError('sso_failed', 'no assertion')
  return {
    assertion_id,
    envelope: {
      destination: value(root, 'Destination'),
      in_response_to: value(root, 'InResponseTo'),
      status: value(all(root, PROTOCOL, 'StatusCode')[0], 'Value'),
    },
    confirmations: all(assertion, ASSERTION, 'SubjectConfirmation').map((node) => {
      const [data] = all(node, ASSERTION, 'SubjectConfirmationData')
      return {
        ...period(data),
        method: value(node, 'Method'),
        recipient: value(data, 'Recipient'),
        in_response_to: value(data, 'InResponseTo'),
      }
    }),
    conditions: all(assertion, ASSERTION, 'Conditions').map(period),
    algorithms: ['SignatureMethod', 'DigestMethod'].flatMap((name) =>
      all(envelope, SIGNATURE, name).map((node) => value(node, 'Algorithm')),
    ),
  }
}

function requireFor({ site_url }: Sso, domain: domains.DomainRow, profile: Profile, fields: ResponseFields): void {
  const acs = acsUrl(site_url)
  const { envelope, confirmations, conditions, algorithms } = fields
  const refuse = (reason: string): never => {
    throw new SsoError('sso_failed', reason)
  }
  if (envelope.status !== SUCCESS) refuse('the status is not Success')
  if (profile.issuer !== domain.saml_entity_id) refuse('wrong Issuer')
  if (envelope.destination !== acs) refuse('wrong Destination')
  if (confirmations.length === 0 || confirmations.some(({ method }) => method !== BEARER)) refuse('not a bearer')
  if (confirmations.some(({ recipient }) => recipient !== acs)) refuse('wrong Recipient')
  if (conditions.length !== 1) refuse('no Conditions')
  if (algorithms.length === 0 || algorithms.some((algorithm) => !STRONG.includes(algorithm)))
    refuse('weak signature algorithm')
}

/** Returns the end of the validity. A bearer assertion must have one. */
function requireTimes({ confirmations, conditions }: ResponseFields, now_ms: number): number {
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
  { envelope, confirmations }: ResponseFields,
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

function assertionOf(domain: domains.DomainRow, { nameID, attributes = {} }: Profile): Completed['assertion'] {
  const value = (names: readonly string[]): string => {
    for (const name of names) {
      const found = [attributes[name]].flat()[0]
      if (typeof found === 'string' && found !== '') return found
    }
    return ''
  }
  const email = value(EMAIL)
  if (email.slice(email.lastIndexOf('@') + 1).toLowerCase() !== domain.domain)
    throw new SsoError('sso_failed', 'the address is outside the domain')
  if (!nameID) throw new SsoError('sso_failed', 'no NameID')
  return {
    provider: 'saml',
    issuer: `saml:${domain.id}`,
    subject: nameID,
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

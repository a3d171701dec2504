/** A SAML identity provider. */
import { inflateRawSync } from 'node:zlib'
import { IDENTITY_PROVIDER } from './certificate.ts'

const XML_CRYPTO: string = 'xml-crypto'

export const ENTITY_ID = 'https://idp.example/entity'
export const SIGN_ON_URL = 'https://idp.example/sso?tenant=1'

const SHA256 = {
  signature: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  digest: 'http://www.w3.org/2001/04/xmlenc#sha256',
}
export const SHA1 = {
  signature: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
  digest: 'http://www.w3.org/2000/09/xmldsig#sha1',
}
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'

export interface ResponseOptions {
  site: string
  now_ms: number
  /** Null omits an attribute or element. */
  in_response_to: string | null
  envelope_in_response_to?: string | null
  assertion_id: string
  email: string | null
  name_id?: string | null
  attributes?: string
  issuer?: string
  destination?: string | null
  recipient?: string
  audience?: string | null
  method?: string
  status?: string
  /** In seconds from now. */
  not_before?: number
  not_on_or_after?: number
  confirmed_until?: number | null
  conditions?: boolean
  /** The elements that are signed. */
  signed?: ('assertion' | 'response')[]
  signer?: { key: string; cert: string }
  algorithms?: typeof SHA256
  /** Changes the text before it is signed. */
  prepare?: (xml: string) => string
  /** Changes the text after it was signed. */
  tamper?: (xml: string) => string
}

const attribute = (name: string, value: string | null): string => (value === null ? '' : ` ${name}="${value}"`)

/** A response in base64, as the form field `SAMLResponse`. */
export async function samlResponse(options: ResponseOptions): Promise<string> {
  const { site, now_ms, in_response_to, assertion_id, email, issuer = ENTITY_ID } = options
  const { name_id = email, audience = site, recipient = `${site}/complete/saml/`, destination = recipient } = options
  const { not_before = -10, not_on_or_after = 300, confirmed_until = 300, conditions = true } = options
  const { method = 'urn:oasis:names:tc:SAML:2.0:cm:bearer', attributes = '' } = options
  const { status = 'urn:oasis:names:tc:SAML:2.0:status:Success', signed = ['assertion'] } = options
  const { envelope_in_response_to = in_response_to } = options
  const time = (seconds: number): string => new Date(now_ms + seconds * 1_000).toISOString()
  const restriction =
    audience === null
      ? ''
      : `<saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction>`
  const period = `NotBefore="${time(not_before)}" NotOnOrAfter="${time(not_on_or_after)}"`
  const until = confirmed_until === null ? '' : ` NotOnOrAfter="${time(confirmed_until)}"`
  const value = (name: string, text: string): string =>
    `<saml:Attribute Name="${name}"><saml:AttributeValue>${text}</saml:AttributeValue></saml:Attribute>`

  const assertion = `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${assertion_id}" IssueInstant="${time(0)}" Version="2.0"><saml:Issuer>${issuer}</saml:Issuer><saml:Subject>${
    name_id === null ? '' : `<saml:NameID>${name_id}</saml:NameID>`
  }<saml:SubjectConfirmation Method="${method}"><saml:SubjectConfirmationData${attribute('InResponseTo', in_response_to)}${until} Recipient="${recipient}"/></saml:SubjectConfirmation></saml:Subject>${
    conditions ? `<saml:Conditions ${period}>${restriction}</saml:Conditions>` : ''
  }<saml:AuthnStatement AuthnInstant="${time(0)}" SessionIndex="1"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${
    email === null ? '' : value('email', email)
  }${value('firstName', 'Ada')}${value('lastName', 'Lovelace')}${attributes}</saml:AttributeStatement></saml:Assertion>`
  let xml = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_response${assertion_id}" IssueInstant="${time(0)}" Version="2.0"${attribute('Destination', destination)}${attribute('InResponseTo', envelope_in_response_to)}><saml:Issuer>${issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="${status}"/></samlp:Status>${assertion}</samlp:Response>`
  xml = options.prepare?.(xml) ?? xml
  const { SignedXml } = await import(XML_CRYPTO)
  const { signer = IDENTITY_PROVIDER, algorithms = SHA256 } = options
  for (const part of signed) {
    const path = `/*[local-name(.)='Response']${part === 'assertion' ? "/*[local-name(.)='Assertion']" : ''}`
    const signature = new SignedXml({
      privateKey: signer.key,
      publicCert: signer.cert,
      signatureAlgorithm: algorithms.signature,
      canonicalizationAlgorithm: EXCLUSIVE,
    })
    signature.addReference({
      xpath: path,
      digestAlgorithm: algorithms.digest,
      transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', EXCLUSIVE],
    })
    const location = { reference: `${path}/*[local-name(.)='Issuer']`, action: 'after' }
    signature.computeSignature(xml, { prefix: 'ds', location })
    xml = signature.getSignedXml()
  }
  return Buffer.from(options.tamper?.(xml) ?? xml).toString('base64')
}

/** The request in the redirect to the identity provider. */
export function readSamlRequest(location: string): { id: string; relay_state: string; xml: string } {
  const { searchParams } = new URL(location)
  const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString()
  return { id: / ID="([^"]+)"/.exec(xml)?.[1] ?? '', relay_state: searchParams.get('RelayState') ?? '', xml }
}

/** The child process that parses and verifies SAML responses. */
import { connectToParent } from '../background/parent.ts'
import type { SamlReply, SamlRequest, VerifiedResponse } from './saml-messages.ts'

const MAX_REASON = 500

const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion'
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
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

/** The fields of a verified response that this module reads. */
interface Profile {
  issuer?: string
  nameID?: string
  attributes?: Record<string, unknown>
  getAssertionXml?: () => string
}

interface SamlPackage {
  SAML: new (
    options: object,
  ) => { validatePostResponseAsync(body: { SAMLResponse: string }): Promise<{ profile: Profile | null }> }
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

const parent = connectToParent<SamlRequest, SamlReply>()
const { SAML }: SamlPackage = await import(SAML_PACKAGE)
const { DOMParser }: XmlPackage = await import(XML_PACKAGE)

parent.onMessage(async (request) => {
  await parent.send({ kind: 'started' })
  await parent.send(await verify(request).catch((error) => refusal(error)))
})

function refusal(error: unknown): SamlReply {
  const reason = error instanceof Error ? error.message : String(error)
  return { kind: 'refused', reason: reason.slice(0, MAX_REASON) }
}

async function verify({ xml, certificate, audience, acs_url }: SamlRequest): Promise<VerifiedResponse> {
  const saml = new SAML({
    idpCert: certificate,
    issuer: audience,
    audience,
    callbackUrl: acs_url,
    // Providers sign the response or the assertion. The library requires one if the other is missing.
    wantAuthnResponseSigned: false,
    wantAssertionsSigned: false,
    // Times are checked by the clock of the server.
    acceptedClockSkewMs: -1,
  })
  const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: Buffer.from(xml).toString('base64') })
  if (!profile) throw new Error('no profile')
  return { kind: 'verified', ...readProfile(profile), ...readFields(xml, profile) }
}

function readProfile({ issuer, nameID, attributes = {} }: Profile) {
  const value = (names: readonly string[]): string => {
    for (const name of names) {
      const found = [attributes[name]].flat()[0]
      if (typeof found === 'string' && found !== '') return found
    }
    return ''
  }
  return {
    issuer: issuer ?? '',
    name_id: nameID ?? '',
    email: value(EMAIL),
    first_name: value(FIRST_NAME) || value(FULL_NAME),
    last_name: value(LAST_NAME),
  }
}

/** Reads the assertion from the verified bytes, and the envelope from the response. */
function readFields(xml: string, profile: Profile) {
  const parse = (text: string) => new DOMParser().parseFromString(text, 'text/xml')
  const all = (node: Pick<XmlElement, 'getElementsByTagNameNS'>, namespace: string, name: string) =>
    Array.from(node.getElementsByTagNameNS(namespace, name))
  const value = (node: XmlElement | undefined, name: string): string => node?.getAttribute(name) ?? ''
  const period = (node: XmlElement | undefined) => ({
    not_before: value(node, 'NotBefore'),
    not_on_or_after: value(node, 'NotOnOrAfter'),
  })

  const envelope = parse(xml)
  const { documentElement: root } = envelope
  if (root?.localName !== 'Response' || root.namespaceURI !== PROTOCOL) throw new Error('no response')
  // A second assertion anywhere is an attempt to have one assertion verified and the other one read.
  if (all(envelope, '*', 'Assertion').length !== 1) throw new Error('not exactly one assertion')
  const [assertion] = all(parse(profile.getAssertionXml?.() ?? ''), ASSERTION, 'Assertion')
  const assertion_id = value(assertion, 'ID')
  if (!assertion || assertion_id === '') throw new Error('no assertion')
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

/** Messages between the server and the processes that verify SAML responses. */
import { type Static, Type } from '@sinclair/typebox'

export interface SamlRequest {
  xml: string
  /** The certificate of the identity provider, as PEM. */
  certificate: string
  /** The entity id of this server. */
  audience: string
  /** The address that the response is posted to. */
  acs_url: string
}

const PERIOD = { not_before: Type.String(), not_on_or_after: Type.String() }

/** A response with a valid signature. */
const Verified = Type.Object({
  kind: Type.Literal('verified'),
  assertion_id: Type.String(),
  issuer: Type.String(),
  name_id: Type.String(),
  email: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  /** Of the response, which may be unsigned. */
  envelope: Type.Object({ destination: Type.String(), in_response_to: Type.String(), status: Type.String() }),
  /** Of the signed assertion. */
  confirmations: Type.Array(
    Type.Object({ ...PERIOD, method: Type.String(), recipient: Type.String(), in_response_to: Type.String() }),
  ),
  conditions: Type.Array(Type.Object(PERIOD)),
  algorithms: Type.Array(Type.String()),
})

// A process that has parsed text from outside is not trusted: the server checks its messages.
/** The first message: the libraries are loaded, and the response is being verified. */
export const Started = Type.Object({ kind: Type.Literal('started') })
/** The second message. */
export const SamlResult = Type.Union([
  Type.Object({ kind: Type.Literal('refused'), reason: Type.String({ maxLength: 500 }) }),
  Verified,
])

export type SamlReply = Static<typeof Started> | Static<typeof SamlResult>
export type VerifiedResponse = Static<typeof Verified>

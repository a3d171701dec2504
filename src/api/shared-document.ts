/** Documents that are the same for every client: compressed once per encoding, with a tag for conditional requests. */
import { createHash } from 'node:crypto'
import { acceptedEncoding } from '../contract/accept.ts'
import { RawResponse } from './handler-context.ts'

/** In order of preference. */
const ENCODINGS = ['br', 'gzip'] as const
export type Encoding = (typeof ENCODINGS)[number]

export interface SharedDocument {
  type: 'application/json' | 'text/javascript'
  /** Names the version in every encoding. */
  tag: string
  /** Resolves to the same buffer for all responses. */
  encode(encoding: Encoding | undefined): Promise<Buffer>
}

/** Keeps the bytes of each encoding. `version` is any of them. */
export function sharedDocument(
  type: SharedDocument['type'],
  version: Buffer,
  bytesOf: (encoding: Encoding | undefined) => Promise<Buffer>,
): SharedDocument {
  const encoded = new Map<Encoding | undefined, Promise<Buffer>>()
  return {
    type,
    tag: createHash('sha256').update(version).digest('base64url').slice(0, 22),
    encode: (encoding) => {
      const bytes = encoded.get(encoding) ?? bytesOf(encoding)
      encoded.set(encoding, bytes)
      return bytes
    },
  }
}

interface ConditionalHeaders {
  'accept-encoding'?: string | undefined
  'if-none-match'?: string | undefined
}

/** The document in an encoding that the client accepts, or 304 if the client has this version. */
export async function sharedResponse(
  { type, tag, encode }: SharedDocument,
  { 'accept-encoding': accept, 'if-none-match': known }: ConditionalHeaders,
  headers: Record<string, string>,
): Promise<RawResponse<string | Buffer>> {
  const encoding = acceptedEncoding(accept, ENCODINGS)
  const described = { ...headers, vary: 'Accept-Encoding', etag: `"${tag}${encoding ? `-${encoding}` : ''}"` }
  // The tag of any encoding names this version.
  if (known?.includes(tag) || known === '*') return new RawResponse(type, '', described, 304)
  return new RawResponse(type, await encode(encoding), {
    ...described,
    ...(encoding && { 'content-encoding': encoding }),
  })
}

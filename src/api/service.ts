import { createHash, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { bearer } from '../auth/caller.ts'
import { acceptedEncoding } from '../contract/accept.ts'
import { contractOf, type Dialect } from '../contract/table.ts'
import type { Deps } from '../deps.ts'
import { forbidden, unavailable } from '../errors.ts'
import { ping, requireWrites } from '../store/installation.ts'
import { type Area, RawResponse } from './handler-context.ts'
import { htmlPage } from './html.ts'

/** The build puts the script next to the program. From the sources, the last build is used. */
const BUILT_SCRIPT = new URL('./reference.js', import.meta.url)
const SOURCE_SCRIPT = new URL('../../dist/reference.js', import.meta.url)

const REFERENCE_SCRIPT = `Scalar.createApiReference('#reference', { url: '/openapi.json', servers: [{ url: location.origin }], withDefaultFonts: false, telemetry: false, agent: { disabled: true }, mcp: { disabled: true }, showDeveloperTools: 'never', hideClientButton: true })`

/** The library adds inline styles and data: images. */
const REFERENCE_DIRECTIVES = { 'style-src': "'unsafe-inline'", 'img-src': "'self' data:", 'font-src': 'data:' }

const referencePage = (nonce: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Workspace administration</title></head>
<body><div id="reference"></div><script nonce="${nonce}" src="/docs/reference.js"></script>
<script nonce="${nonce}">${REFERENCE_SCRIPT}</script>
</body>
</html>
`

/** The encodings in order of preference. The compression runs in a thread. */
const COMPRESSIONS = { br: promisify(brotliCompress), gzip: promisify(gzip) }
const ENCODINGS = ['br', 'gzip'] as const
type Encoding = (typeof ENCODINGS)[number]

export const service = ({ db, events, config, metrics, lifecycle, providers, mailer }: Deps): Area<'service'> => ({
  operations: {
    'service.live': async () => ({ status: 'ok' }),

    'service.ready': async () => {
      if (lifecycle.draining) throw unavailable('This server is shutting down. Retry on another one.')
      await ping(db)
      await requireWrites(db, 'installation')
      await requireWrites(events, 'event_store')
      return { status: 'ok' }
    },

    'service.preflight': async () => ({
      available_social_auth_providers: {
        'google-oauth2': 'google-oauth2' in providers,
        github: 'github' in providers,
        gitlab: 'gitlab' in providers,
        oidc: 'oidc' in providers,
      },
      email_service_available: mailer !== null,
    }),

    'service.metrics': async ({ peer, headers }) => {
      if (!peer.local && !hasToken(headers.authorization, config.METRICS_TOKEN))
        throw forbidden('Request metrics from loopback, or send the token that the operator set as METRICS_TOKEN.')
      return metrics.text()
    },

    'service.openapi': async ({ headers: { 'accept-encoding': accept, 'if-none-match': if_none_match } }) => {
      const { tag, encode } = documentOf(config.DIALECT)
      const encoding = acceptedEncoding(accept, ENCODINGS)
      const headers = {
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': 'public, max-age=300',
        vary: 'Accept-Encoding',
        etag: `"${tag}${encoding ? `-${encoding}` : ''}"`,
      }
      // The tag of any encoding names this version.
      if (if_none_match?.includes(tag) || if_none_match === '*')
        return new RawResponse('application/json', '', headers, 304)
      return new RawResponse('application/json', await encode(encoding), {
        ...headers,
        ...(encoding && { 'content-encoding': encoding }),
      })
    },

    'service.docs': async () => htmlPage((nonce) => ({ html: referencePage(nonce), directives: REFERENCE_DIRECTIVES })),

    'service.docs_script': async () =>
      new RawResponse('text/javascript', await referenceScript(), { 'cache-control': 'public, max-age=3600' }),
  },
})

interface ServedDocument {
  tag: string
  /** All responses share one buffer per encoding. */
  encode(encoding: Encoding | undefined): Buffer | Promise<Buffer>
}

const documents: Partial<Record<Dialect, ServedDocument>> = {}

function documentOf(dialect: Dialect): ServedDocument {
  documents[dialect] ??= createDocument(contractOf(dialect).text)
  return documents[dialect]
}

function createDocument(text: string): ServedDocument {
  const plain = Buffer.from(text)
  const encoded: Partial<Record<Encoding, Promise<Buffer>>> = {}
  return {
    tag: createHash('sha256').update(plain).digest('base64url').slice(0, 22),
    encode: (encoding) => {
      if (!encoding) return plain
      encoded[encoding] ??= COMPRESSIONS[encoding](plain)
      return encoded[encoding]
    },
  }
}

let script: Buffer | undefined

/** Cached, so all responses share one buffer. */
async function referenceScript(): Promise<Buffer> {
  script ??= await readFile(BUILT_SCRIPT).catch(() => readFile(SOURCE_SCRIPT))
  return script
}

function hasToken(authorization: string | undefined, token: string | undefined): boolean {
  const sent = Buffer.from(bearer(authorization) ?? '')
  const expected = Buffer.from(token ?? '')
  return expected.length > 0 && sent.length === expected.length && timingSafeEqual(sent, expected)
}

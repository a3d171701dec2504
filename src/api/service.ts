import { timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { bearer } from '../auth/caller.ts'
import { contractOf } from '../contract/table.ts'
import type { Deps } from '../deps.ts'
import { forbidden, unavailable } from '../errors.ts'
import { ping } from '../store/installation.ts'
import { type Area, RawResponse } from './handler-context.ts'
import { htmlPage } from './html.ts'

/** Laid beside the program by the build. */
const REFERENCE_SCRIPTS = ['./reference.js', '../../dist/reference.js'].map((path) => new URL(path, import.meta.url))

const REFERENCE_SCRIPT = `Scalar.createApiReference('#reference', { url: '/openapi.json', servers: [{ url: location.origin }], withDefaultFonts: false, telemetry: false, agent: { disabled: true }, mcp: { disabled: true }, showDeveloperTools: 'never', hideClientButton: true })`

const REFERENCE_PAGE = htmlPage({
  html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Workspace administration</title></head>
<body><div id="reference"></div><script src="/docs/reference.js"></script>
<script>${REFERENCE_SCRIPT}</script>
</body>
</html>
`,
  script: REFERENCE_SCRIPT,
  // The library inserts its styles, and pictures as data.
  sources: { 'script-src': "'self'", 'style-src': "'unsafe-inline'", 'img-src': "'self' data:", 'font-src': 'data:' },
})

export const service = ({ db, config, metrics, lifecycle }: Deps): Area<'service'> => ({
  operations: {
    'service.live': async () => ({ status: 'ok' }),

    'service.ready': async () => {
      if (lifecycle.draining) throw unavailable('This server is shutting down. Ask another one.')
      await ping(db)
      return { status: 'ok' }
    },

    'service.metrics': async ({ peer, authorization }) => {
      if (!peer.local && !holdsToken(authorization, config.METRICS_TOKEN))
        throw forbidden('Metrics answer on loopback, or to the token that the operator set as METRICS_TOKEN.')
      return metrics.text()
    },

    'service.openapi': async () => contractOf(config.DIALECT).text as never,

    'service.docs': async () => REFERENCE_PAGE,

    'service.docs_script': async () =>
      new RawResponse('text/javascript', await referenceScript(), { 'cache-control': 'public, max-age=3600' }),
  },
})

let script: Promise<Buffer> | undefined

/** Read once: thousands who ask for it share its bytes. */
function referenceScript(): Promise<Buffer> {
  script ??= readFile(REFERENCE_SCRIPTS[0]!).catch(() => readFile(REFERENCE_SCRIPTS[1]!))
  // Where the build comes later, the next to ask finds it.
  script.catch(() => {
    script = undefined
  })
  return script
}

function holdsToken(authorization: string | undefined, token: string | undefined): boolean {
  const sent = Buffer.from(bearer(authorization) ?? '')
  const wanted = Buffer.from(token ?? '')
  return wanted.length > 0 && sent.length === wanted.length && timingSafeEqual(sent, wanted)
}

/** The reference page: an overview that needs no script, the script that takes its place, and the contract that the script reads. */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { METHODS, type OpenApiDocument, type OpenApiOperation } from '../contract/document.ts'
import { contractOf, type Dialect } from '../contract/table.ts'
import type { RawResponse } from './handler-context.ts'
import { escapeHtml, htmlPage } from './html.ts'
import { type Encoding, type SharedDocument, sharedDocument } from './shared-document.ts'

/** The library adds inline styles and data: images. */
const DIRECTIVES = { 'style-src': "'unsafe-inline'", 'img-src': "'self' data:", 'font-src': 'data:' }

interface ReferenceOptions {
  dialect: Dialect
  /** Whether the server that sends the page also answers the requests of the contract, so that the page can send them. */
  sendsRequests: boolean
}

export function referencePage({ dialect, sendsRequests }: ReferenceOptions): RawResponse<string> {
  const setup = `Scalar.createApiReference('#reference', { url: '/openapi.json', servers: [{ url: location.origin }], withDefaultFonts: false, telemetry: false, agent: { disabled: true }, mcp: { disabled: true }, showDeveloperTools: 'never', hideClientButton: true, hideTestRequestButton: ${!sendsRequests} })`
  const html = (nonce: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(contractOf(dialect).contract.info.title)}</title>
<link rel="preload" as="fetch" crossorigin href="/openapi.json">
<style nonce="${nonce}">${STYLE}</style></head>
<body>${overviewOf(dialect)}<div id="reference"></div>
<script nonce="${nonce}" src="/docs/reference.js"></script>
<script nonce="${nonce}">${setup}</script>
</body>
</html>
`
  return htmlPage((nonce) => ({ html: html(nonce), directives: DIRECTIVES }))
}

/** The library has its own styles for the rest. Once it shows the contract, the overview is not needed. */
const STYLE = `:root{color-scheme:light dark}body:has(#reference h1) #overview{display:none}#overview{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}#overview code{font-size:.9em}#overview ul{list-style:none;padding:0}`

const overviews: Partial<Record<Dialect, string>> = {}

/** Rendered once. Seen until the script has arrived and rendered the contract. */
function overviewOf(dialect: Dialect): string {
  overviews[dialect] ??= renderOverview(contractOf(dialect).contract)
  return overviews[dialect]
}

function renderOverview({ info, tags, paths }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      return operation ? [{ path, method, operation }] : []
    }),
  )
  const areas = tags.map(({ name, description }) => {
    const lines = operations
      .filter(({ operation }) => operation.tags.includes(name))
      .map(({ path, method, operation }) => operationLine(method, path, operation))
    return `<h2>${escapeHtml(name)}</h2><p>${formatted(description)}</p><ul>${lines.join('')}</ul>`
  })
  const paragraphs = info.description.trim().split('\n\n')
  return `<main id="overview"><h1>${escapeHtml(info.title)}</h1>${paragraphs.map((text) => `<p>${formatted(text)}</p>`).join('')}${areas.join('')}</main>`
}

const operationLine = (method: string, path: string, { summary }: OpenApiOperation): string =>
  `<li><code>${method.toUpperCase()} ${escapeHtml(path)}</code> ${escapeHtml(summary)}</li>`

/** The descriptions of the contract use two marks of Markdown. */
const formatted = (text: string): string =>
  escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')

/** The build puts the script next to the program, with a compressed copy per encoding. From the sources, the last build is used. */
const BUILT_SCRIPT = './reference.js'
const SOURCE_SCRIPT = '../../dist/reference.js'
const SUFFIXES = { br: '.br', gzip: '.gz' }

const scriptBytes = (encoding: Encoding | undefined): Promise<Buffer> => {
  const suffix = encoding ? SUFFIXES[encoding] : ''
  return readFile(new URL(BUILT_SCRIPT + suffix, import.meta.url)).catch(() =>
    readFile(new URL(SOURCE_SCRIPT + suffix, import.meta.url)),
  )
}

let script: Promise<SharedDocument> | undefined

/** The smallest copy names the version: the script itself has 4 MB, and most clients never need it uncompressed. */
export function referenceScript(): Promise<SharedDocument> {
  script ??= scriptBytes('br').then((version) => sharedDocument('text/javascript', version, scriptBytes))
  // A later request reads the files again, for example after a build.
  script.catch(() => {
    script = undefined
  })
  return script
}

/** Both run in a thread. */
const COMPRESSIONS = { br: promisify(brotliCompress), gzip: promisify(gzip) }

const documents: Partial<Record<Dialect, SharedDocument>> = {}

export function contractDocument(dialect: Dialect): SharedDocument {
  documents[dialect] ??= textDocument(contractOf(dialect).text)
  return documents[dialect]
}

function textDocument(text: string): SharedDocument {
  const plain = Buffer.from(text)
  return sharedDocument('application/json', plain, async (encoding) =>
    encoding ? COMPRESSIONS[encoding](plain) : plain,
  )
}

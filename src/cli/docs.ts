/** Serves the pages of the documentation and the API reference on loopback. */
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, posix } from 'node:path'
import { Command, Option } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { contractDocument, referencePage, referenceScript } from '../api/reference.ts'
import { sharedResponse } from '../api/shared-document.ts'
import { linksOf, type PageTitle, renderPage, STYLE, titleOf } from './docs-page.ts'
import { commandError, describeFailure, EXIT, usageError } from './failure.ts'
import { print } from './streams.ts'

const HOST = '127.0.0.1'
const MAX_PORT = 65_535
const INDEX = '/docs/README.md'

/** The root of the package: above `dist/`, two folders above the sources, or up to four above a build of the tests. */
const ROOTS = [1, 2, 3, 4].map((levels) => new URL('../'.repeat(levels), import.meta.url))

/** Only these pages and the files of these folders are served. */
const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'client/README.md', 'openapi/README.md']
const FOLDERS = ['docs', 'deploy']

const MEDIA_TYPES: Record<string, string> = { '.png': 'image/png', '.svg': 'image/svg+xml' }

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export const docsCommand = (): Command =>
  new Command('docs')
    .description(
      `Serves the documentation and the API reference of version ${packageJson.version} to this machine until Ctrl-C. Needs no network, no server and no database.`,
    )
    .addOption(new Option('--port <number>', 'the port').default('0', 'a free one'))
    .addHelpText(
      'after',
      `
Examples:
  $ workspace-admin docs
  $ workspace-admin docs --port 8080`,
    )
    .action(async ({ port }: { port: string }) => {
      const server = await serveDocs(parsePort(port))
      const { port: chosen } = server.address() as AddressInfo
      print(`The documentation is at http://${HOST}:${chosen}/ until you press Ctrl-C.`)
    })

function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= MAX_PORT) return port
  throw usageError(`--port must be a number from 0 to ${MAX_PORT}; 0 picks a free port.`)
}

/** The documentation of an installation. The URL of a file is its path in the repository, so the links between pages work unchanged. */
interface Site {
  root: URL
  /** The URLs of all served files. */
  paths: Set<string>
  /** In the order of the index, then the others. */
  pages: PageTitle[]
}

async function serveDocs(port: number): Promise<Server> {
  const site = openSite()
  const server = createServer((request, response) => {
    respond(request, site).then(
      (reply) => send(response, reply),
      (error: unknown) => send(response, { status: 500, type: 'text/plain', body: describeFailure(error).message }),
    )
  })
  server.listen(port, HOST)
  await once(server, 'listening')
  return server
}

function openSite(): Site {
  const root = ROOTS.find((url) => existsSync(new URL(`.${INDEX}`, url)))
  if (!root)
    throw commandError(
      EXIT.not_found,
      'This installation has no documentation. Run `npx workspace-admin docs` on another machine, or clone the repository.',
    )
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  const names = [...PAGES, ...inFolders].filter((name) => extname(name) !== '' && existsSync(new URL(name, root)))
  const paths = new Set(names.map((name) => `/${name}`))

  const textOf = (path: string): string => readFileSync(new URL(`.${path}`, root), 'utf8')
  const linked = linksOf(textOf(INDEX)).map((link) => posix.join('/docs', link.split('#', 1)[0] ?? ''))
  const pages = [...new Set([INDEX, ...linked, ...paths])]
    .filter((path) => paths.has(path) && extname(path) === '.md')
    .map((path) => ({ path, title: titleOf(textOf(path)) }))
  return { root, paths, pages }
}

interface Reply {
  status?: number | undefined
  type: string
  headers?: Record<string, string>
  body: string | Buffer
}

async function respond({ method, url = '', headers }: IncomingMessage, site: Site): Promise<Reply> {
  const [path = ''] = url.split('?', 1)
  if (method !== 'GET' && method !== 'HEAD')
    return { status: 405, type: 'text/plain', body: 'Use GET.', headers: { allow: 'GET, HEAD' } }
  switch (path) {
    case '/':
      return { status: 302, type: 'text/plain', body: INDEX, headers: { location: INDEX } }
    case '/style.css':
      return { type: 'text/css', body: STYLE }
    case '/docs':
      return referencePage({ dialect: 'standard', sendsRequests: false })
    case '/docs/reference.js':
      return sharedResponse(await referenceScript(), headers, {})
    case '/openapi.json':
      return sharedResponse(contractDocument('standard'), headers, {})
    default:
      return fileReply(path, site)
  }
}

async function fileReply(path: string, { root, paths, pages }: Site): Promise<Reply> {
  if (!paths.has(path))
    return { status: 404, type: 'text/plain', body: `There is no page ${path}. The index is ${INDEX}.` }
  const bytes = await readFile(new URL(`.${path}`, root))
  const page = pages.find((one) => one.path === path)
  return page
    ? { type: 'text/html', body: renderPage(page, bytes.toString(), pages) }
    : { type: MEDIA_TYPES[extname(path)] ?? 'text/plain', body: bytes }
}

function send(response: ServerResponse, { status = 200, type, headers, body }: Reply): void {
  response.writeHead(status, {
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'content-type': type.startsWith('image/') ? type : `${type}; charset=utf-8`,
    ...headers,
  })
  response.end(body)
}

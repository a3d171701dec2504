/** Fetches plugins from GitHub, GitLab, npm and local folders. */
import { readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, posix, resolve, sep } from 'node:path'
import type { Config } from '../config.ts'
import { unavailable } from '../errors.ts'
import type { Outbound } from '../outbound/guard.ts'
import { MAIN_FILE } from '../store/plugin-main-file.ts'
import { isOutside, MAX_ARCHIVE_BYTES, requireFileSize, unpack } from './archive.ts'
import { download } from './download.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { candidatesOf, relativeImports } from './relative-imports.ts'
import { MAX_CHARACTERS, MAX_FILES, type SourceFiles } from './source-files.ts'
import { type Hosts, invalidUrl, type Origin, type PluginUrl, parseUrl } from './url.ts'

const MANIFEST = 'plugin.json'
const MAX_LOOKUP_BYTES = 4 * 1024 * 1024
/** Each fetch keeps an archive in memory. */
const MAX_CONCURRENT = 4

export interface FetchedPlugin {
  tag: string | null
  manifest: Manifest & { name: string }
  files: SourceFiles
}

export interface PluginSources {
  parse(url: string): PluginUrl
  /** The newest revision; null for folders. */
  latest(origin: Origin, token: string | null): Promise<string | null>
  fetch(origin: Origin, token: string | null): Promise<FetchedPlugin>
}

type SourceConfig = Pick<
  Config,
  | 'PLUGIN_GITHUB_URL'
  | 'PLUGIN_GITHUB_API_URL'
  | 'PLUGIN_GITLAB_URL'
  | 'PLUGIN_NPM_REGISTRY_URL'
  | 'PLUGIN_GITHUB_TOKEN'
  | 'PLUGIN_GITLAB_TOKEN'
  | 'PLUGIN_NPM_TOKEN'
  | 'PLUGIN_FOLDER'
  | 'PLUGIN_FETCH_TIMEOUT_MS'
>

/** Fetches of all families. */
let running = 0

const NAMES = { github: 'GitHub', gitlab: 'GitLab', npm: 'npm', file: 'The folder' } as const

export function createSources(config: SourceConfig, outbound: Outbound): PluginSources {
  const hosts: Hosts = {
    github: withoutTrailingSlash(config.PLUGIN_GITHUB_URL),
    github_api: withoutTrailingSlash(config.PLUGIN_GITHUB_API_URL),
    gitlab: withoutTrailingSlash(config.PLUGIN_GITLAB_URL),
    npm_registry: withoutTrailingSlash(config.PLUGIN_NPM_REGISTRY_URL),
  }
  const tokens = {
    github: config.PLUGIN_GITHUB_TOKEN ?? null,
    gitlab: config.PLUGIN_GITLAB_TOKEN ?? null,
    npm: config.PLUGIN_NPM_TOKEN ?? null,
  }

  /** All requests of one installation share a deadline. */
  async function within<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    if (running >= MAX_CONCURRENT) throw unavailable('Too many plugins are being fetched. Try again in a moment.')
    running++
    try {
      return await work(AbortSignal.timeout(config.PLUGIN_FETCH_TIMEOUT_MS))
    } finally {
      running--
    }
  }

  async function newestTag(origin: RemoteOrigin, token: string | null, signal: AbortSignal): Promise<string> {
    if (origin.tag !== null) return origin.tag
    const host = NAMES[origin.host]
    const url = lookupUrl(origin, hosts)
    const response = await download(outbound, { url, host, token, max_bytes: MAX_LOOKUP_BYTES, signal })
    const tag = revisionIn(origin, response)
    if (tag === undefined) throw invalidUrl(`${host} returned no revision. Check the URL, its branch and its folder.`)
    return tag
  }

  return {
    parse: (url) => parseUrl(url, hosts),
    latest: (origin, token) =>
      within(async (signal) =>
        origin.host === 'file' ? null : newestTag(origin, token ?? tokens[origin.host], signal),
      ),
    fetch: (origin, pluginToken) =>
      within(async (signal) => {
        if (origin.host === 'file') return fromFolder(config.PLUGIN_FOLDER, origin.folder)
        const token = pluginToken ?? tokens[origin.host]
        const tag = await newestTag(origin, token, signal)
        const url = archiveUrl(origin, tag, hosts, token !== null)
        const host = NAMES[origin.host]
        const bytes = await download(outbound, { url, host, token, max_bytes: MAX_ARCHIVE_BYTES, signal })
        return { tag, ...(await fromArchive(bytes, 'folder' in origin ? origin.folder : null)) }
      }),
  }
}

const withoutTrailingSlash = (url: string): string => url.replace(/(?<!\/)\/+$/, '')

type RemoteOrigin = Exclude<Origin, { host: 'file' }>

function lookupUrl(origin: RemoteOrigin, hosts: Hosts): string {
  if (origin.host === 'npm') return `${hosts.npm_registry}/${origin.name}/latest`
  if (origin.host === 'gitlab') return `${gitlabApi(origin.project, hosts)}/commits?per_page=1`
  const query = new URLSearchParams({ per_page: '1' })
  if (origin.branch) query.set('sha', origin.branch)
  if (origin.folder) query.set('path', origin.folder)
  return `${hosts.github_api}/repos/${origin.user}/${origin.repo}/commits?${query}`
}

/** GitHub's API serves private repositories with a token; its site has no rate limit without one. */
function archiveUrl(origin: RemoteOrigin, tag: string, hosts: Hosts, hasToken: boolean): string {
  if (origin.host === 'npm') {
    const file = origin.name.slice(origin.name.indexOf('/') + 1)
    return `${hosts.npm_registry}/${origin.name}/-/${file}-${tag}.tgz`
  }
  if (origin.host === 'gitlab')
    return `${gitlabApi(origin.project, hosts)}/archive.zip?${new URLSearchParams({ sha: tag })}`
  const repository = `${origin.user}/${origin.repo}`
  return hasToken
    ? `${hosts.github_api}/repos/${repository}/zipball/${tag}`
    : `${hosts.github}/${repository}/archive/${tag}.zip`
}

const gitlabApi = (project: string, hosts: Hosts): string =>
  `${hosts.gitlab}/api/v4/projects/${encodeURIComponent(project)}/repository`

/** Undefined when the response has an unexpected shape. */
function revisionIn(origin: RemoteOrigin, response: Buffer): string | undefined {
  try {
    const found = JSON.parse(response.toString())
    const revision = origin.host === 'npm' ? found.version : origin.host === 'gitlab' ? found[0].id : found[0].sha
    return typeof revision === 'string' && /^[\w.+-]{1,200}$/.test(revision) ? revision : undefined
  } catch {
    return undefined
  }
}

/** Reads the files that exist. */
type ReadFiles = (names: readonly string[]) => Promise<Map<string, Buffer>>

async function fromArchive(bytes: Buffer, folder: string | null): Promise<Omit<FetchedPlugin, 'tag'>> {
  const manifest = folder === null ? MANIFEST : `${folder}/${MANIFEST}`
  // Hosts wrap all files in one folder.
  const manifests = await unpack(
    bytes,
    (path) => path === manifest || (path.indexOf('/') > 0 && path.slice(path.indexOf('/') + 1) === manifest),
  )
  const root = [...manifests.keys()].sort((a, b) => a.length - b.length)[0]?.slice(0, -MANIFEST.length)
  if (root === undefined) throw invalidUrl(`There is no plugin.json in ${folder ?? 'the archive'}. Add one.`)
  return assemble(async (names) => {
    const paths = new Set(names.map((name) => `${root}${name}`))
    const found = await unpack(bytes, (path) => paths.has(path))
    return new Map([...found].map(([path, content]) => [path.slice(root.length), content]))
  })
}

export async function fromFolder(allowed: string | undefined, folder: string): Promise<FetchedPlugin> {
  if (!allowed)
    throw invalidUrl('This server does not install plugins from folders. The operator allows one with PLUGIN_FOLDER.')
  const outside = invalidUrl('This folder does not exist in PLUGIN_FOLDER, which the operator allows. Check its name.')
  const root = await real(allowed)
  const home = await real(resolve(allowed, folder))
  if (root === undefined || home === undefined || !home.startsWith(root.endsWith(sep) ? root : root + sep))
    throw outside
  return { tag: null, ...(await assemble(readingFrom(home), basename(home))) }
}

const real = async (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined)

/** Reads files of a folder, and none outside of it. */
const readingFrom =
  (home: string): ReadFiles =>
  async (names) => {
    const found = new Map<string, Buffer>()
    for (const name of names) {
      const path = await real(join(home, name))
      if (path === undefined || !path.startsWith(home + sep)) continue
      const about = await stat(path)
      if (!about.isFile()) continue
      requireFileSize(name, about.size)
      found.set(name, await readFile(path))
    }
    return found
  }

/** A main file and the files of its folder that it imports. */
export async function fromFile(path: string): Promise<SourceFiles> {
  const files: SourceFiles = { [MAIN_FILE]: textOf(basename(path), await readFile(path)) }
  await addImported(readingFrom(await realpath(dirname(path))), basename(path), files)
  return files
}

/** Reads plugin.json and the code files of a plugin. Other files are ignored. */
async function assemble(read: ReadFiles, fallback?: string): Promise<Omit<FetchedPlugin, 'tag'>> {
  const manifestBytes = (await read([MANIFEST])).get(MANIFEST)
  if (!manifestBytes) throw invalidUrl('There is no plugin.json. Add one.')
  const manifest = readManifest(textOf(MANIFEST, manifestBytes), invalidUrl)
  const name = manifest.name ?? fallback
  if (name === undefined) throw invalidUrl('plugin.json has no "name". Add one.')
  const mains = manifest.main === undefined ? ['index.js', MAIN_FILE] : [relativePath(manifest.main)]
  const found = await read([...mains, 'frontend.tsx', 'site.ts'])
  const files: Record<string, string> = { [MANIFEST]: JSON.stringify(manifest) }
  const add = (path: string, name: string): void => {
    const bytes = found.get(path)
    if (bytes) files[name] = textOf(path, bytes)
  }
  const main = mains.find((name) => found.has(name))
  if (main !== undefined) add(main, MAIN_FILE)
  add('frontend.tsx', 'frontend.tsx')
  add('site.ts', 'site.ts')
  if (Object.keys(files).length === 1)
    throw invalidUrl(`There is no ${mains.join(', ')}, frontend.tsx or site.ts. Add one of them.`)
  if (main !== undefined) await addImported(read, main, files)
  return { manifest: { ...manifest, name }, files }
}

/** Adds the files that the main file imports, directly or not, by their paths relative to it. Missing ones fail when the code loads. */
async function addImported(read: ReadFiles, main: string, files: Record<string, string>): Promise<void> {
  const known = new Set([main])
  let characters = 0
  let texts = new Map([[main, files[MAIN_FILE] ?? '']])
  while (texts.size > 0) {
    const imports = [...texts].flatMap(([path, text]) =>
      path.endsWith('.json') ? [] : relativeImports(text).map((specifier) => candidatesOf(path, specifier)),
    )
    const found = await read(imports.flat().filter((path) => !isOutside(path)))
    const next = imports.flatMap((candidates) => candidates.find((path) => found.has(path)) ?? [])
    texts = new Map()
    for (const path of new Set(next)) {
      if (known.has(path)) continue
      known.add(path)
      const text = textOf(path, found.get(path) ?? Buffer.from(''))
      characters += text.length
      if (Object.keys(files).length >= MAX_FILES || characters > MAX_CHARACTERS)
        throw invalidUrl(
          `The plugin has more than ${MAX_FILES} files or ${MAX_CHARACTERS} characters. Bundle it into one file.`,
        )
      texts.set(path, text)
      files[posix.relative(posix.dirname(main), path)] = text
    }
  }
}

/** Turns `./dist/index.js` into `dist/index.js`. */
function relativePath(main: string): string {
  const parts = main.split('/').filter((part) => part !== '' && part !== '.')
  if (main.startsWith('/') || main.includes('\\') || parts.length === 0 || parts.includes('..'))
    throw invalidUrl('"main" in plugin.json must be the path of a file in the plugin.')
  return parts.join('/')
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function textOf(name: string, bytes: Buffer): string {
  try {
    const text = utf8.decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Reported below.
  }
  throw invalidUrl(`"${name}" is not UTF-8 text. Convert it and publish it again.`)
}

/** Plugins from where they are published: which revision is the newest, and what is in it. */
import { readFile, realpath, stat } from 'node:fs/promises'
import { basename, join, resolve, sep } from 'node:path'
import type { Config } from '../config.ts'
import { unavailable } from '../errors.ts'
import type { Outbound } from '../outbound/guard.ts'
import { requireFileSize, MAX_ARCHIVE_BYTES, unpack } from './archive.ts'
import { download } from './download.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { type Hosts, type Origin, type PluginUrl, parseUrl, invalidUrl } from './url.ts'

const MANIFEST = 'plugin.json'
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
/** Each may hold an archive in memory. */
const MAX_AT_ONCE = 4

export interface FetchedPlugin {
  tag: string | null
  manifest: Manifest & { name: string }
  /** The files that are kept, from name to text. The main one is always `index.ts`. */
  files: Record<string, string>
}

export interface PluginSources {
  parse(url: string): PluginUrl
  /** The newest revision; null where there are none. */
  latest(origin: Origin, token: string | null): Promise<string | null>
  fetch(origin: Origin, token: string | null): Promise<FetchedPlugin>
}

type Settings = Pick<
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

/** Of all families together. */
let running = 0

const NAMES = { github: 'GitHub', gitlab: 'GitLab', npm: 'npm', file: 'The folder' } as const

export function createSources(config: Settings, outbound: Outbound): PluginSources {
  const hosts: Hosts = {
    github: bare(config.PLUGIN_GITHUB_URL),
    github_api: bare(config.PLUGIN_GITHUB_API_URL),
    gitlab: bare(config.PLUGIN_GITLAB_URL),
    npm_registry: bare(config.PLUGIN_NPM_REGISTRY_URL),
  }
  const tokens = {
    github: config.PLUGIN_GITHUB_TOKEN ?? null,
    gitlab: config.PLUGIN_GITLAB_TOKEN ?? null,
    npm: config.PLUGIN_NPM_TOKEN ?? null,
    file: null,
  }

  /** One deadline for all that an install asks for. */
  async function within<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    if (running >= MAX_AT_ONCE) throw unavailable('Too many plugins are being fetched just now. Try again in a moment.')
    running++
    try {
      return await work(AbortSignal.timeout(config.PLUGIN_FETCH_TIMEOUT_MS))
    } finally {
      running--
    }
  }

  async function newest(origin: Origin, token: string | null, signal: AbortSignal): Promise<string | null> {
    if (origin.tag !== null || origin.host === 'file') return origin.tag
    const host = NAMES[origin.host]
    const url = lookupUrl(origin, hosts)
    const answer = await download(outbound, { url, host, token, max_bytes: MAX_ANSWER_BYTES, signal })
    const tag = revisionIn(origin, answer)
    if (tag === undefined) throw invalidUrl(`${host} names no revision for this. Check the URL, its branch and its folder.`)
    return tag
  }

  return {
    parse: (url) => parseUrl(url, hosts),
    latest: (origin, token) => within((signal) => newest(origin, token ?? tokens[origin.host], signal)),
    fetch: (origin, given) =>
      within(async (signal) => {
        if (origin.host === 'file') return fromFolder(config.PLUGIN_FOLDER, origin.folder)
        const token = given ?? tokens[origin.host]
        const tag = (await newest(origin, token, signal))!
        const url = archiveUrl(origin, tag, hosts, token !== null)
        const host = NAMES[origin.host]
        const bytes = await download(outbound, { url, host, token, max_bytes: MAX_ARCHIVE_BYTES, signal })
        return { tag, ...(await fromArchive(bytes, 'folder' in origin ? origin.folder : null)) }
      }),
  }
}

const bare = (url: string): string => url.replace(/(?<!\/)\/+$/, '')

type Remote = Exclude<Origin, { host: 'file' }>

function lookupUrl(origin: Remote, hosts: Hosts): string {
  if (origin.host === 'npm') return `${hosts.npm_registry}/${origin.name}/latest`
  if (origin.host === 'gitlab') return `${gitlabApi(origin.project, hosts)}/commits?per_page=1`
  const query = new URLSearchParams({ per_page: '1' })
  if (origin.branch) query.set('sha', origin.branch)
  if (origin.folder) query.set('path', origin.folder)
  return `${hosts.github_api}/repos/${origin.user}/${origin.repo}/commits?${query}`
}

/** With a token GitHub's API hands out what is private; without one, its site does not count how often it is asked. */
function archiveUrl(origin: Remote, tag: string, hosts: Hosts, hasToken: boolean): string {
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

/** Undefined where the answer is not what the host is known to send. */
function revisionIn(origin: Remote, answer: Buffer): string | undefined {
  try {
    const found = JSON.parse(answer.toString())
    const revision = origin.host === 'npm' ? found.version : origin.host === 'gitlab' ? found[0].id : found[0].sha
    return typeof revision === 'string' && /^[\w.+-]{1,200}$/.test(revision) ? revision : undefined
  } catch {
    return undefined
  }
}

/** The files of these names that are there. */
type Read = (names: readonly string[]) => Promise<Map<string, Buffer>>

async function fromArchive(bytes: Buffer, folder: string | null): Promise<Omit<FetchedPlugin, 'tag'>> {
  const manifest = folder === null ? MANIFEST : `${folder}/${MANIFEST}`
  // Hosts put everything into one folder of their own naming.
  const manifests = await unpack(
    bytes,
    (path) => path === manifest || (path.indexOf('/') > 0 && path.slice(path.indexOf('/') + 1) === manifest),
  )
  const root = [...manifests.keys()].sort((a, b) => a.length - b.length)[0]?.slice(0, -MANIFEST.length)
  if (root === undefined)
    throw invalidUrl(`There is no plugin.json in ${folder ?? 'what the URL names'}. A plugin needs one.`)
  return assemble(async (names) => {
    const paths = new Map(names.map((name) => [`${root}${name}`, name]))
    const found = await unpack(bytes, (path) => paths.has(path))
    return new Map([...found].map(([path, content]) => [paths.get(path)!, content]))
  })
}

async function fromFolder(allowed: string | undefined, folder: string): Promise<FetchedPlugin> {
  if (!allowed)
    throw invalidUrl('Folders of the server are not installed from here. Its operator allows one with PLUGIN_FOLDER.')
  const outside = invalidUrl(
    `There is no such folder in the one that the operator allows with PLUGIN_FOLDER. Check its name.`,
  )
  const real = async (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined)
  const root = await real(allowed)
  const home = await real(resolve(allowed, folder))
  if (root === undefined || home === undefined || !home.startsWith(root + sep)) throw outside
  const read: Read = async (names) => {
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
  return { tag: null, ...(await assemble(read, basename(home))) }
}

/** Keeps of a plugin what belongs to it. */
async function assemble(read: Read, fallback?: string): Promise<Omit<FetchedPlugin, 'tag'>> {
  const described = (await read([MANIFEST])).get(MANIFEST)
  if (!described) throw invalidUrl('There is no plugin.json. A plugin needs one.')
  const manifest = readManifest(textOf(MANIFEST, described), invalidUrl)
  const name = manifest.name ?? fallback
  if (name === undefined) throw invalidUrl('plugin.json has no "name". A plugin needs one.')
  const mains = manifest.main === undefined ? ['index.js', 'index.ts'] : [inside(manifest.main)]
  const found = await read([...mains, 'frontend.tsx', 'site.ts'])
  const files: Record<string, string> = { [MANIFEST]: JSON.stringify(manifest) }
  const keep = (path: string | undefined, as: string): void => {
    const bytes = path === undefined ? undefined : found.get(path)
    if (bytes) files[as] = textOf(path!, bytes)
  }
  keep(
    mains.find((main) => found.has(main)),
    'index.ts',
  )
  keep('frontend.tsx', 'frontend.tsx')
  keep('site.ts', 'site.ts')
  if (Object.keys(files).length === 1)
    throw invalidUrl(`There is no ${mains.join(', ')}, frontend.tsx or site.ts. A plugin needs one of them.`)
  return { manifest: { ...manifest, name }, files }
}

/** `./dist/index.js` is `dist/index.js`. */
function inside(main: string): string {
  const parts = main.split('/').filter((part) => part !== '' && part !== '.')
  if (main.startsWith('/') || main.includes('\\') || parts.length === 0 || parts.includes('..'))
    throw invalidUrl('"main" in plugin.json must name a file of the plugin.')
  return parts.join('/')
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function textOf(name: string, bytes: Buffer): string {
  try {
    const text = utf8.decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Told below.
  }
  throw invalidUrl(`"${name}" is not text in UTF-8. Publish it as such.`)
}

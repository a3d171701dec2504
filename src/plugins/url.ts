/** Parses the URLs that plugins are installed from. */
import { type AppError, invalid } from '../errors.ts'

/** Base URLs of the hosts. The operator can replace the public ones. */
export interface Hosts {
  github: string
  github_api: string
  gitlab: string
  npm_registry: string
}

/** `tag` is the revision in the URL; null means the newest one. */
export type Origin =
  | { host: 'github'; user: string; repo: string; branch: string | null; folder: string | null; tag: string | null }
  | { host: 'gitlab'; project: string; tag: string | null }
  | { host: 'npm'; name: string; tag: string | null }
  | { host: 'file'; folder: string; tag: null }

export interface PluginUrl {
  origin: Origin
  /** As sent, without the query. */
  url: string
  /** Equal for all spellings of the same origin. */
  key: string
  token: string | null
}

/** The error for a URL, or for the plugin that it leads to. */
export const invalidUrl = (detail: string): AppError => invalid('url', detail)

const WORD = '[A-Za-z0-9_.-]+'
const FOLDER = `${WORD}(?:/${WORD})*`
const COMMIT = /^[0-9a-f]{40}$/

const GITHUB: [form: RegExp, ...parts: ('commit' | 'tree' | 'release' | 'archive')[]][] = [
  [new RegExp(`^/(${WORD})/(${WORD})$`)],
  [new RegExp(`^/(${WORD})/(${WORD})/tree/(${WORD})(?:/(${FOLDER}))?$`), 'tree'],
  [new RegExp(`^/(${WORD})/(${WORD})/commit/(${WORD})$`), 'commit'],
  [new RegExp(`^/(${WORD})/(${WORD})/releases/tag/(${WORD})$`), 'release'],
  [new RegExp(`^/(${WORD})/(${WORD})/archive/((?:refs/(?:heads|tags)/)?${WORD})\\.(?:zip|tar\\.gz)$`), 'archive'],
]
const GITLAB_PROJECT = new RegExp(`^/(${WORD}(?:/${WORD})+)$`)
const GITLAB_REF = new RegExp(`^(?:tree|commit)/(${WORD})$`)
const GITLAB_ARCHIVE = new RegExp(`^archive/(${WORD})/${WORD}$`)
const NPM = new RegExp(`^/package/(${WORD}|@${WORD}/${WORD})(?:/v/(${WORD}))?$`)
const NPM_SITE = 'npmjs.com'

const FORMS =
  'Send the URL of a repository on GitHub or GitLab (https://github.com/user/repository) or of a package on npm (https://www.npmjs.com/package/name).'

export function parseUrl(text: string, hosts: Hosts): PluginUrl {
  if (/^file:/i.test(text)) {
    const folder = text.slice('file:'.length).replace(/^\/\/(?=\/)/, '')
    return { origin: { host: 'file', folder, tag: null }, url: text, key: `file:${folder}`, token: null }
  }
  if (!URL.canParse(text)) throw invalidUrl(`This is not a URL. ${FORMS}`)
  const parsed = new URL(text)
  if (!/^https?:$/.test(parsed.protocol)) throw invalidUrl(`The URL must begin with https. ${FORMS}`)
  if (parsed.username || parsed.password)
    throw invalidUrl('Remove the user name and password from the URL. Send a token as ?private_token=….')
  const path = decodePath(parsed.pathname).replace(/(?<!\/)\/+$/, '')
  const origin = originOf(siteOf(parsed), path, hosts)
  if (!origin || path.split('/').some((part) => part === '.' || part === '..'))
    throw invalidUrl(`Plugins cannot be installed from this URL. ${FORMS}`)
  const token = parsed.searchParams.get('private_token') || null
  if (token && !/^[\x21-\x7e]+$/.test(token))
    throw invalidUrl('The private_token in the URL contains invalid characters. Check it.')
  return {
    origin,
    url: text.replace(/[?#].*$/s, '').replace(/(?<!\/)\/+$/, ''),
    key: `${siteOf(parsed)}${path}`,
    token,
  }
}

const decodePath = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Host and port without `www.`. */
const siteOf = (url: URL): string => url.host.replace(/^www\./, '')

function originOf(site: string, path: string, hosts: Hosts): Origin | undefined {
  if (site === siteOf(new URL(hosts.github))) return githubOrigin(path)
  if (site === NPM_SITE) {
    const [, name, version] = NPM.exec(path) ?? []
    return name === undefined ? undefined : { host: 'npm', name, tag: version ?? null }
  }
  if (site !== siteOf(new URL(hosts.gitlab))) return undefined
  return gitlabOrigin(path)
}

/** `/-/` ends the path of a project: `/group/project/-/tree/main`. */
function gitlabOrigin(path: string): Origin | undefined {
  const hyphen = path.indexOf('/-/')
  const [, project] = GITLAB_PROJECT.exec(hyphen < 0 ? path : path.slice(0, hyphen)) ?? []
  const rest = path.slice(hyphen + '/-/'.length)
  const [, tag = null] = hyphen < 0 ? [] : (GITLAB_REF.exec(rest) ?? GITLAB_ARCHIVE.exec(rest) ?? [])
  if (project === undefined || project.endsWith('/-') || (hyphen >= 0 && tag === null)) return undefined
  return { host: 'gitlab', project, tag }
}

function githubOrigin(path: string): Origin | undefined {
  for (const [form, kind] of GITHUB) {
    const [, user, repo, ref = null, folder = null] = form.exec(path) ?? []
    if (user === undefined || repo === undefined) continue
    const isBranch = kind === 'tree' && ref !== null && !COMMIT.test(ref)
    return {
      host: 'github',
      user,
      repo: kind ? repo : repo.replace(/\.git$/, ''),
      branch: isBranch ? ref : null,
      folder,
      tag: isBranch ? null : kind === 'release' ? `refs/tags/${ref}` : ref,
    }
  }
  return undefined
}

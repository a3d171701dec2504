import type { Schemas } from '../api.ts'

/** A commit in short form, other revisions as they are. */
export const shortTag = (tag: string | null): string =>
  tag === null ? '–' : /^[0-9a-f]{40}$/.test(tag) ? tag.slice(0, 7) : tag

export const hasUpdate = ({ tag, latest_tag }: Schemas['Plugin']): boolean => latest_tag !== null && latest_tag !== tag

/** The page that shows the changes between the installed and the latest revision. Only GitHub and GitLab have one. */
export function changesUrl({ url, tag, latest_tag }: Schemas['Plugin']): string | null {
  const [, site, path] = /^https:\/\/(github\.com|gitlab\.com)\/([\w.-]+\/[\w.-]+)/.exec(url ?? '') ?? []
  if (!site || !tag || !latest_tag) return null
  return `https://${site}/${path}/${site === 'gitlab.com' ? '-/' : ''}compare/${tag}...${latest_tag}`
}

const ORIGINS: Record<string, string> = {
  custom: 'from a URL',
  repository: 'from the catalog',
  local: 'from a folder of the server',
  source: 'from source',
}

export const originOf = ({ plugin_type }: Schemas['Plugin']): string =>
  ORIGINS[plugin_type ?? ''] ?? 'of unknown origin'

export const nameOf = ({ id, name }: Schemas['Plugin']): string => name || `Plugin ${id}`

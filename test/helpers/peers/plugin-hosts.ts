/** The parts of GitHub, GitLab and npm that plugins use, on loopback, with responses of the real shape. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { defined } from '../assertions/items.ts'
import { type Files, tarOf, within, zipOf } from './archives.ts'

type HostName = 'github' | 'github_api' | 'codeload' | 'gitlab' | 'npm_registry'

export interface RecordedRequest {
  host: HostName
  url: string
  authorization: string | undefined
}

interface Published {
  /** The newest commit by branch or branch:folder; `''` is the default branch. For npm, `latest`. */
  newest: Record<string, string>
  /** The files of each revision; a Buffer is sent unchanged. */
  revisions: Record<string, Files | Buffer>
  /** Requests without this token get 404. */
  token?: string
}

type HostHandler = (request: IncomingMessage, response: ServerResponse) => void

export interface PluginHosts {
  /** Published plugins by `github user/repo`, `gitlab group/project` or `npm name`. */
  published: Record<string, Published>
  /** All requests so far. */
  requests: RecordedRequest[]
  /** Handlers that replace a host. */
  instead: Partial<Record<HostName, HostHandler>>
  urls: Record<HostName, string>
  /** The variables that point a server to these hosts. */
  environment: Record<string, string>
  reset(): void
}

export async function openPluginHosts(t: Test): Promise<PluginHosts> {
  const hosts: PluginHosts = {
    published: {},
    requests: [],
    instead: {},
    urls: {} as PluginHosts['urls'],
    environment: {},
    reset: () => {
      hosts.published = {}
      hosts.requests = []
      hosts.instead = {}
    },
  }
  const found = (name: string, authorization: string | undefined): Published | undefined => {
    const entry = hosts.published[name]
    return entry && (!entry.token || authorization === `Bearer ${entry.token}`) ? entry : undefined
  }

  const responses: Record<HostName, (url: URL, response: ServerResponse, authorization?: string) => unknown> = {
    github: (url, response) => {
      const [, user, repo, ref] = /^\/([^/]+)\/([^/]+)\/archive\/(.+)\.zip$/.exec(url.pathname) ?? []
      // GitHub redirects without checking that the repository exists; codeload checks.
      return user ? redirect(response, `${hosts.urls.codeload}/${user}/${repo}/zip/${ref}`) : missing(response)
    },
    github_api: (url, response, authorization) => {
      const [, name, rest] = /^\/repos\/([^/]+\/[^/]+)\/(.+)$/.exec(url.pathname) ?? []
      const entry = found(`github ${name}`, authorization)
      if (!entry || !rest) return missing(response)
      const [, ref] = /^zipball\/(.+)$/.exec(rest) ?? []
      if (ref) return redirect(response, `${hosts.urls.codeload}/${name}/legacy.zip/${ref}?token=${entry.token}`)
      const [branch, folder] = [url.searchParams.get('sha') ?? '', url.searchParams.get('path')]
      const sha = entry.newest[folder ? `${branch}:${folder}` : branch]
      json(response, sha ? [{ sha, node_id: 'C_1', commit: { message: 'one' }, html_url: 'https://x/' }] : [])
    },
    codeload: (url, response) => {
      const [, name, ref] = /^\/([^/]+\/[^/]+)\/(?:legacy\.)?zip\/(.+)$/.exec(url.pathname) ?? []
      const entry = hosts.published[`github ${name}`]
      const files = entry?.revisions[ref!]
      if (!files || (entry.token && url.searchParams.get('token') !== entry.token)) return missing(response)
      send(
        response,
        'application/zip',
        Buffer.isBuffer(files) ? files : zipOf(within(`repo-${ref!.replaceAll('/', '-')}`, files)),
      )
    },
    gitlab: (url, response, authorization) => {
      const [, project, rest] = /^\/api\/v4\/projects\/([^/]+)\/repository\/(.+)$/.exec(url.pathname) ?? []
      const entry = found(`gitlab ${decodeURIComponent(project ?? '')}`, authorization)
      if (!entry) return missing(response)
      if (rest === 'commits') return json(response, [{ id: entry.newest[''], short_id: 'abc', title: 'one' }])
      const files = entry.revisions[defined(url.searchParams.get('sha'))]
      if (!files) return missing(response)
      send(response, 'application/octet-stream', Buffer.isBuffer(files) ? files : zipOf(within('project-sha', files)))
    },
    npm_registry: async (url, response, authorization) => {
      const [, name, rest] = /^\/((?:@[^/]+\/)?[^/]+)\/(.+)$/.exec(url.pathname) ?? []
      const entry = found(`npm ${name}`, authorization)
      if (!entry || !rest) return missing(response)
      if (rest === 'latest') return json(response, { name, version: entry.newest.latest, dist: { shasum: 'x' } })
      const files = entry.revisions[/-(\d.*)\.tgz$/.exec(rest)?.[1] ?? '']
      if (!files) return missing(response)
      send(response, 'application/octet-stream', Buffer.isBuffer(files) ? files : await tarOf(within('package', files)))
    },
  }

  for (const host of Object.keys(responses) as HostName[]) {
    const server = createServer((request, response) => {
      const { authorization } = request.headers
      hosts.requests.push({ host, url: String(request.url), authorization })
      const instead = hosts.instead[host]
      if (instead) instead(request, response)
      else void responses[host](new URL(String(request.url), 'http://host'), response, authorization)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    hosts.urls[host] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  hosts.environment = {
    OUTBOUND_ALLOW: '127.0.0.1',
    SECRET_KEY: '5e'.repeat(32),
    PLUGIN_GITHUB_URL: hosts.urls.github,
    PLUGIN_GITHUB_API_URL: hosts.urls.github_api,
    PLUGIN_GITLAB_URL: hosts.urls.gitlab,
    PLUGIN_NPM_REGISTRY_URL: hosts.urls.npm_registry,
  }
  return hosts
}

const redirect = (response: ServerResponse, location: string): unknown => response.writeHead(302, { location }).end()

const missing = (response: ServerResponse): unknown =>
  response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"Not Found, secret words"}')

const json = (response: ServerResponse, body: unknown): unknown =>
  send(response, 'application/json', JSON.stringify(body))

const send = (response: ServerResponse, type: string, body: string | Buffer): unknown =>
  response.writeHead(200, { 'content-type': type }).end(body)

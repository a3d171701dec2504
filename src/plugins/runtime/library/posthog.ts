import { fetch, Response } from './fetch.ts'
import { ask, stringify } from './host.ts'
import { watchAll, watched } from './promises.ts'
import { URLSearchParams } from './url.ts'

interface ApiOptions {
  data?: Record<string, unknown>
  headers?: Record<string, string>
  host?: string
  personalApiKey?: string
  projectApiKey?: string
}

/** Reads the project of the plugin. With a host and keys of its settings, a plugin sends the request there. */
const api =
  (method: string) =>
  async (path: unknown, options: ApiOptions = {}) => {
    const { data, host, personalApiKey, projectApiKey } = options
    const isRead = method === 'GET'
    const url = isRead && data ? withQuery(String(path), data) : String(path)
    const body = isRead ? null : stringify(data ?? {})
    if (Boolean(personalApiKey) !== Boolean(projectApiKey))
      throw new Error('You must specify a personalApiKey if you specify a projectApiKey and vice-versa!')
    if (personalApiKey || host) return elsewhere(method, url, body, options)
    const { body: received, ...response } = await ask<{ status: number; body?: ArrayBuffer }>('api', [
      method,
      url,
      body,
    ])
    return new Response(received, response)
  }

function elsewhere(method: string, path: string, body: string | null, options: ApiOptions): Promise<Response> {
  const { host, personalApiKey, projectApiKey } = options
  if (!host || !personalApiKey)
    throw new Error('posthog.api needs a host and both keys, or none of them for the project of the plugin.')
  const url = `${host.replace(/[/]$/, '')}/${path.replace(/^[/]/, '')}`
  const headers = { 'content-type': 'application/json', ...options.headers, authorization: `Bearer ${personalApiKey}` }
  return fetch(withQuery(url, { token: projectApiKey }), { method, headers, body })
}

const withQuery = (path: string, data: Record<string, unknown>): string =>
  `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(data)}`

export const posthog = {
  capture: watched((event: unknown, properties: unknown = {}) => ask('capture', [{ event, properties }])),
  api: watchAll({
    get: api('GET'),
    post: api('POST'),
    put: api('PUT'),
    patch: api('PATCH'),
    delete: api('DELETE'),
  }),
}

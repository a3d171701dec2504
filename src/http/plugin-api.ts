/** Serves `posthog.api`. Requests of plugins run in this process through the normal request pipeline, without a socket and a key. */
import { randomBytes } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { CURRENT } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import { JSON_TYPE, operations } from '../contract/table.ts'
import { AppError, forbidden } from '../errors.ts'
import type { ApiAccess, ApiRequest, ServeApi } from '../plugins/runtime/api.ts'
import { type FetchResponse, MAX_URL_LENGTH, readBytes } from '../plugins/runtime/fetch.ts'
import type { Db } from '../sql/db.ts'
import { userOfProject } from '../store/members.ts'
import { errorResponse } from './errors.ts'

/** The callers of the plugin requests that run, by the token of each request. No token leaves the process. */
export type PluginCallers = Map<string, { caller: Caller; signal: AbortSignal }>

const READ_SCOPES = [...new Set(operations.map(({ scope }) => scope))].filter((scope) => scope?.endsWith(':read'))

const OFF =
  'posthog.api is off for this plugin. An administrator can turn it on: set "api_access" of the configuration to true.'
const LEFT =
  'posthog.api is off: the administrator who allowed it has left the organization. Another administrator can set "api_access" again.'

export function createPluginCalls(app: FastifyInstance, db: Db, callers: PluginCallers): ServeApi {
  return async (access, request, signal) => {
    try {
      const url = allowedUrl(access, request)
      const caller = await callerOf(db, access)
      return await send(app, callers, caller, { ...request, path: url }, signal)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { status, body } = errorResponse(error)
      return responseOf(status, { 'content-type': JSON_TYPE }, Buffer.from(body))
    }
  }
}

/** The path and query of a request that plugins may send. */
function allowedUrl({ project_id }: ApiAccess, { method, path }: ApiRequest): string {
  // A path of slashes would name another host.
  const text = `http://localhost/${path.slice(0, MAX_URL_LENGTH + 1).replace(/^\/{1,10}/, '')}`
  const { pathname, search } = new URL(path.length <= MAX_URL_LENGTH && URL.canParse(text) ? text : 'http://localhost')
  const [, own, rest] = /^\/api\/projects\/([^/]+)(\/.*)$/.exec(pathname) ?? []
  if (rest === undefined || (own !== String(project_id) && own !== CURRENT))
    throw forbidden(
      `posthog.api reads only the project of the plugin. Use a path that begins with /api/projects/${CURRENT}/.`,
    )
  if (method !== 'GET' && !(method === 'POST' && /^\/query\/?$/.test(rest)))
    throw forbidden('posthog.api only reads: get, and post for a query. Use fetch with an API key for changes.')
  return `/api/projects/${project_id}${rest}${search}`
}

async function callerOf(db: Db, { plugin_config_id, project_id, user_id }: ApiAccess): Promise<Caller> {
  if (user_id === null) throw forbidden(OFF)
  const user = await userOfProject(db, user_id, project_id)
  if (!user) throw forbidden(LEFT)
  return {
    user,
    key: null,
    session: null,
    plugin_config_id,
    scopes: READ_SCOPES.filter((scope) => scope !== undefined),
    restrictions: { organizations: null, projects: [project_id] },
    expires_at: null,
  }
}

async function send(
  app: FastifyInstance,
  callers: PluginCallers,
  caller: Caller,
  { method, path, body }: ApiRequest,
  signal: AbortSignal,
): Promise<FetchResponse> {
  const token = randomBytes(32).toString('hex')
  callers.set(token, { caller, signal })
  try {
    const response = await app.inject({
      method: method === 'POST' ? 'POST' : 'GET',
      url: path,
      headers: { authorization: `Bearer ${token}`, accept: JSON_TYPE, ...(body && { 'content-type': JSON_TYPE }) },
      ...(body && { payload: body }),
      payloadAsStream: true,
      signal,
    })
    const bytes = await readBytes(response.stream()).catch((error) => {
      // Otherwise the handler waits for a reader of the rest, which never comes.
      response.raw.res.destroy()
      throw error
    })
    return responseOf(response.statusCode, response.headers, bytes)
  } finally {
    callers.delete(token)
  }
}

const responseOf = (status: number, headers: object, body: Uint8Array): FetchResponse => ({
  status,
  statusText: STATUS_CODES[status] ?? '',
  headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
  url: '',
  redirected: false,
  body,
})

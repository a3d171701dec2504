/** `posthog.api` of plugins. The HTTP server is created after the plugins, so it connects itself. */
import type { FetchResponse } from './fetch.ts'

/** The plugin configuration that sends a request. `user_id`: the administrator who set `api_access`, or null. */
export interface ApiAccess {
  plugin_config_id: number
  project_id: number
  user_id: number | null
}

export interface ApiRequest {
  method: string
  path: string
  /** JSON. */
  body?: string
}

export type ServeApi = (access: ApiAccess, request: ApiRequest, signal: AbortSignal) => Promise<FetchResponse>

export interface PluginApi {
  connect(serve: ServeApi): void
  /** Errors of the API are responses, as for other clients. */
  call: ServeApi
}

/** The API of plugins that run without a server, in an import or a test of a file. */
export const apiWithoutServer = async (): Promise<never> => {
  throw new TypeError('posthog.api works only in plugins that run in a server.')
}

export function createPluginApi(): PluginApi {
  let serve: ServeApi = apiWithoutServer
  return {
    connect: (server) => {
      serve = server
    },
    call: (access, request, signal) => serve(access, request, signal),
  }
}

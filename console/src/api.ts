/** The API as the console uses it: the typed client with the session of the browser. */
import { QueryClient, queryOptions } from '@tanstack/react-query'
import { answer, createClient, type Schemas, WorkspaceError } from 'workspace-admin-client'
import { type Reason, signInAgain } from './signin/sign-in-again.ts'

export type { Schemas }
export { answer, WorkspaceError }

/** The cookie has the prefix on https. */
const CSRF_COOKIE = /(?:^|; )(?:__Host-)?workspace_csrf=([^;]*)/

/**
 * Adds the CSRF token. If the session has ended, or the operation needs a fresh sign-in, asks for it and repeats the request.
 * Pages, lists and buttons need no code of their own for this.
 */
async function send(request: Request): Promise<Response> {
  const again = request.clone()
  const response = await fetch(withCsrfToken(request))
  const reason = await reasonToSignIn(response)
  return reason !== undefined && (await signInAgain(reason)) ? send(again) : response
}

/** By code, because a wrong password is a 401 too. */
const REASONS: Record<string, Reason> = {
  not_authenticated: 'session_ended',
  reauthentication_required: 'reauthentication_required',
}

async function reasonToSignIn(response: Response): Promise<Reason | undefined> {
  if (response.status !== 401 && response.status !== 403) return undefined
  const body = await response
    .clone()
    .json()
    .catch(() => null)
  return REASONS[body?.code]
}

/** Whether the browser has a session, which may have ended. */
export const hasSession = (): boolean => CSRF_COOKIE.test(document.cookie)

/** Ends the session. Without `send`, because a session that has already ended needs no sign-in. */
export const signOut = (): Promise<unknown> =>
  fetch(withCsrfToken(new Request('/api/logout/', { method: 'POST' }))).catch(() => undefined)

function withCsrfToken(request: Request): Request {
  const token = CSRF_COOKIE.exec(document.cookie)?.[1]
  if (token !== undefined && request.method !== 'GET') request.headers.set('x-csrf-token', token)
  return request
}

export const client = createClient({ baseUrl: location.origin, retries: 0, fetch: send })

const hasStatus = (error: unknown, ...statuses: number[]): boolean =>
  error instanceof WorkspaceError && statuses.includes(error.status)

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A server that restarts answers 503 or not at all. Other errors stay the same.
      retry: (count, error) => count < 2 && (!(error instanceof WorkspaceError) || hasStatus(error, 502, 503)),
    },
  },
})

/** Whether the error means that the browser is not signed in. */
export const isSignedOut = (error: unknown): boolean => hasStatus(error, 401)

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => answer(client.GET('/api/users/@me/')),
  staleTime: 60_000,
})

export const organizationsQuery = queryOptions({
  queryKey: ['organizations'],
  queryFn: () => answer(client.GET('/api/organizations/', { params: { query: { limit: 200 } } })),
  staleTime: 60_000,
})

export const organizationQuery = (id: string) =>
  queryOptions({
    queryKey: ['organization', id],
    queryFn: () => answer(client.GET('/api/organizations/{id}/', { params: { path: { id } } })),
    staleTime: 30_000,
  })

export const projectQuery = (id: string) =>
  queryOptions({
    queryKey: ['project', id],
    queryFn: () => answer(client.GET('/api/projects/{id}/', { params: { path: { id } } })),
    staleTime: 30_000,
  })

/** The state of a sign-on between the redirect to the provider and its response. */
import { createHash } from 'node:crypto'
import { sha256 } from '../auth/hash.ts'
import * as requests from '../store/sso_requests.ts'
import type { SignInService } from './service.ts'
import { SsoError } from './sso.ts'

const REQUEST_MS = 10 * 60_000
const MAX_NEXT = 1_000

/** Only paths of this server. `//host` and `/\\host` are addresses of other hosts to a browser. */
export const safePath = (next: string | undefined): string =>
  next !== undefined && next.length <= MAX_NEXT && /^\/(?![/\\])[\x21-\x7e]*$/.test(next) ? next : '/'

export interface NewRequest extends Pick<requests.SsoRequestRow, 'provider' | 'domain_id' | 'invite_id'> {
  id: string
  /** The value of the browser's cookie. */
  browser: string
  next: string | undefined
}

export function saveRequest(
  { db, milliseconds }: SignInService,
  { id, browser, next, provider, domain_id, invite_id }: NewRequest,
): Promise<void> {
  return requests.create(db, {
    id_hash: sha256(id),
    provider,
    domain_id,
    browser_hash: sha256(browser),
    next: safePath(next),
    invite_id,
    expires_at: new Date(milliseconds() + REQUEST_MS).toISOString(),
  })
}

/** Throws `state_mismatch` unless this browser started the request and it is unused. */
export async function useRequest(
  { db, now }: SignInService,
  id: string,
  browser: string | undefined,
): Promise<requests.SsoRequestRow> {
  const request = await requests.use(db, sha256(id), now())
  if (!request) throw new SsoError('state_mismatch', 'the request is unknown, expired or already used')
  if (browser === undefined || request.browser_hash !== sha256(browser))
    throw new SsoError('state_mismatch', 'another browser started the request')
  return request
}

/** Secrets of a request. They are derived from the browser's cookie, so they are not stored. */
export const derived = (purpose: 'pkce' | 'nonce', browser: string): string =>
  createHash('sha256').update(`workspace-admin ${purpose}`).update(browser).digest('base64url')

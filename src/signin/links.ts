/** One-time sign-in links, printed by the first start and by the command. */
import { sha256 } from '../auth/hash.ts'
import { isLoopback, isSecureUrl } from '../config.ts'
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import * as tokens from '../store/one_time_tokens.ts'
import { addMilliseconds } from '../time/stored.ts'

const LINK_MS = 3_600_000

/** Voids earlier links of the user. The token is in the fragment, which browsers do not send to servers. */
export async function createSignInLink(
  tx: Db,
  { ids, now, site_url }: { ids: Pick<Ids, 'sessionToken'>; now: string; site_url: string },
  { id, email }: { id: number; email: string },
): Promise<string> {
  const token = ids.sessionToken()
  const times = { created_at: now, expires_at: addMilliseconds(now, LINK_MS) }
  await tokens.create(tx, { token_hash: sha256(token), kind: 'sign_in', user_id: id, email, ...times })
  return `${site_url}/login#link=${token}`
}

/** A link with plain http is only printed if the server listens on loopback. */
export const mayPrintLink = ({ HOST, SITE_URL }: { HOST: string; SITE_URL?: string }): boolean =>
  SITE_URL === undefined ? isLoopback(HOST) : isSecureUrl(new URL(SITE_URL))

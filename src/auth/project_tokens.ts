import { Unauthenticated } from '../errors.ts'
import type { Db } from '../sql/db.ts'
import { byToken, type ProjectRow } from '../store/projects.ts'

/** A token that was reset works at most this much longer. */
const CACHE_MS = 1_000
/** The cache is cleared at this size. It also contains unknown tokens. */
const MAX_CACHED_TOKENS = 10_000

export type TokensProject = Pick<ProjectRow, 'id' | 'ingested_event'>

/** Finds projects by token, with a short cache. Throws Unauthenticated for an unknown token. */
export function projectTokens(db: Db, now: () => string): (token: string) => Promise<TokensProject> {
  const cache = new Map<string, { at: number; project: TokensProject | undefined }>()

  return async (token) => {
    const at = Date.parse(now())
    let found = cache.get(token)
    if (!found || at - found.at >= CACHE_MS || at < found.at) {
      found = { at, project: await byToken(db, token) }
      if (cache.size >= MAX_CACHED_TOKENS) cache.clear()
      cache.set(token, found)
    }
    if (!found.project)
      throw new Unauthenticated({
        code: 'authentication_failed',
        detail: 'No project has this token. Use the token from the project settings.',
      })
    return found.project
  }
}

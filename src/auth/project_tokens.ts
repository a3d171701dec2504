import { Unauthenticated } from '../errors.ts'
import type { Db } from '../sql/db.ts'
import { byToken, type ProjectRow } from '../store/projects.ts'

/** A token that was reset works this much longer at most. */
const FRESH_MS = 1_000
/** How many tokens are remembered before all are forgotten; those of nobody count too. */
const REMEMBERED = 10_000

export type TokensProject = Pick<ProjectRow, 'id' | 'ingested_event'>

/** Finds projects by their tokens, from memory that is at most a second old. Throws Unauthenticated for an unknown one. */
export function projectTokens(db: Db, now: () => string): (token: string) => Promise<TokensProject> {
  const remembered = new Map<string, { at: number; project: TokensProject | undefined }>()

  return async (token) => {
    const at = Date.parse(now())
    let found = remembered.get(token)
    if (!found || at - found.at >= FRESH_MS || at < found.at) {
      found = { at, project: await byToken(db, token) }
      if (remembered.size >= REMEMBERED) remembered.clear()
      remembered.set(token, found)
    }
    if (!found.project)
      throw new Unauthenticated({
        code: 'authentication_failed',
        detail: "No project has this token. The project's settings show the one that works.",
      })
    return found.project
  }
}

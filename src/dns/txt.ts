import { Resolver } from 'node:dns/promises'
import { errorCode } from '../errors.ts'

export type ResolveTxt = (name: string) => Promise<string[]>

/**
 * Resolves the TXT records of a name, each joined from its chunks. Every failure, including a timeout, returns an empty
 * list: the record does not exist yet.
 */
export function txtResolver(servers: readonly string[], deadline_ms: number): ResolveTxt {
  return async (name) => {
    const resolver = new Resolver({ timeout: Math.max(1, Math.floor(deadline_ms / 3)), tries: 2 })
    if (servers.length) resolver.setServers(servers)
    const timer = setTimeout(() => resolver.cancel(), deadline_ms)
    try {
      return (await resolver.resolveTxt(name)).map((chunks) => chunks.join(''))
    } catch {
      return []
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Errors of a name server that answers. */
const ANSWERS = new Set(['ENODATA', 'ENOTFOUND', 'ESERVFAIL', 'EREFUSED', 'ENOTIMP', 'EFORMERR'])

/** Whether a name server answers at all, even with an error. Returns the code of the failure. */
export async function verifyNameServers(
  servers: readonly string[],
  name: string,
  timeout_ms: number,
): Promise<string | null> {
  const resolver = new Resolver({ timeout: Math.max(1, Math.floor(timeout_ms / 3)), tries: 2 })
  if (servers.length) resolver.setServers(servers)
  try {
    await resolver.resolveTxt(name)
    return null
  } catch (error) {
    const code = errorCode(error)
    return ANSWERS.has(code) ? null : code || 'failed'
  }
}

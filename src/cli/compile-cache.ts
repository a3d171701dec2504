import * as module from 'node:module'
import { join } from 'node:path'
import type { Variables } from '../config.ts'

/**
 * Caches compiled code between starts, in a folder of the user: other users could plant code in Node's default, which is
 * in the temporary folder. Node ignores a folder that it cannot write, and checks NODE_DISABLE_COMPILE_CACHE itself.
 */
export function enableCompileCache({ NODE_COMPILE_CACHE, XDG_CACHE_HOME, HOME }: Variables): void {
  const userCache = XDG_CACHE_HOME || (HOME && join(HOME, '.cache'))
  const folder = NODE_COMPILE_CACHE || (userCache && join(userCache, 'workspace-admin'))
  // Node 22.0 lacks this function.
  if (folder) module.enableCompileCache?.(folder)
}

/** Writes the cache now. Node would write it at exit, which a server that is killed never reaches. */
export function saveCompileCache(): void {
  module.flushCompileCache?.()
}

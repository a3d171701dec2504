/**
 * The server as the build left it: one script, and beside it the code V8 had made of it when it had answered a request.
 * A start that finds it compiles next to nothing, which is a fifth of its time. Another version of Node refuses that code
 * and compiles the script.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'

type Server = typeof import('../main.ts') & typeof import('./serve.ts')

const file = fileURLToPath(new URL('./server.cjs', import.meta.url))
const cache = fileURLToPath(new URL('./server.cache', import.meta.url))

export const script = new Script(readFileSync(file, 'latin1'), {
  filename: file,
  cachedData: existsSync(cache) ? readFileSync(cache) : undefined,
  importModuleDynamically: (specifier) => import(specifier),
})

const module = { exports: {} as Server }
script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file))
export const server = module.exports

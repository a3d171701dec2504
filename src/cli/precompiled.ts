/**
 * The server as the build left it: one script, and beside it the code V8 had made of it when it had answered a request.
 * A start that finds it compiles next to nothing, which is a fifth of its time. Another version of Node refuses that code
 * and compiles the script.
 */
import './node-version.ts'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'

type Server = typeof import('../main.ts') & typeof import('./serve.ts')

const file = fileURLToPath(new URL('./server.cjs', import.meta.url))
const cache = fileURLToPath(new URL('./server.cache', import.meta.url))
const source = readFileSync(file)

/**
 * What the code was made from, and for. V8 compares its own version and flags and the length of the script: it would run
 * the code of another script that is as long, and crash on a damaged byte, or on code from another kind of machine.
 */
const origin = createHash('sha256').update(`${process.platform} ${process.arch}\n`).update(source)
const seal = (code: Buffer): Buffer => origin.copy().update(code).digest()
const SEAL_BYTES = 32

export const sealed = (code: Buffer): Buffer => Buffer.concat([seal(code), code])

/** Nobody needs it to start: what cannot be read, or is not right, is made anew. */
function kept(): Buffer | undefined {
  try {
    const bytes = readFileSync(cache)
    const code = bytes.subarray(SEAL_BYTES)
    return seal(code).equals(bytes.subarray(0, SEAL_BYTES)) ? code : undefined
  } catch {
    return undefined
  }
}

export const script = new Script(source.toString('latin1'), {
  // The code remembers the name it was made under: a path would be that of the machine that built it.
  filename: 'workspace-admin/dist/server.cjs',
  cachedData: kept(),
  importModuleDynamically: (specifier) => import(specifier),
})

const module = { exports: {} as Server }
script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file))
export const server = module.exports

/** The modules that a plugin can import. */
import { AbortController, AbortSignal } from './abort.ts'
import { Buffer } from './buffer.ts'
import { crypto } from './crypto.ts'
import { createBuffer } from './event-buffer.ts'
import { nodeFetch } from './fetch.ts'
import { querystring, url } from './url.ts'
import { zlib } from './zlib.ts'

export class RetryError extends Error {
  override get name(): string {
    return 'RetryError'
  }
}

const MODULES = new Map<string, object>(
  Object.entries({
    '@posthog/plugin-contrib': { createBuffer },
    '@posthog/plugin-scaffold': { RetryError },
    'abort-controller': Object.assign(AbortController, { AbortController, AbortSignal }),
    buffer: { Buffer },
    crypto,
    'node-fetch': nodeFetch,
    querystring,
    url,
    zlib,
  }),
)
// A default import and a namespace import both mean the module itself.
for (const module of MODULES.values()) {
  Object.defineProperty(module, '__esModule', { value: true })
  Object.defineProperty(module, 'default', { value: module })
}

export function requireModule(name: unknown): object {
  const module = MODULES.get(String(name).replace(/^node:/, ''))
  if (module) return module
  throw new Error(
    `Cannot import "${name}". Plugins can import ${[...MODULES.keys()].join(', ')}. Bundle other modules into the file.`,
  )
}

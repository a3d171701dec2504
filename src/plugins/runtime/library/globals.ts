/** Defines the globals that QuickJS does not have. */
import { AbortController, AbortSignal } from './abort.ts'
import { Buffer } from './buffer.ts'
import { console } from './console.ts'
import { crypto } from './crypto.ts'
import { fetch, Headers, Request, Response } from './fetch.ts'
import { intl } from './intl.ts'
import { RetryError } from './modules.ts'
import { posthog } from './posthog.ts'
import { queueMicrotask } from './promises.ts'
import { structuredClone } from './structured-clone.ts'
import { atob, btoa, TextDecoder, TextEncoder } from './text.ts'
import { clearTimeout, setImmediate, setInterval, setTimeout } from './timers.ts'
import { URL, URLSearchParams } from './url.ts'

const loaded_at = Date.now()

const CLASSES = {
  AbortController,
  AbortSignal,
  Buffer,
  Headers,
  Request,
  Response,
  RetryError,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
}
// The bundler renames classes that refer to themselves.
for (const [name, type] of Object.entries(CLASSES)) Object.defineProperty(type, 'name', { value: name })

for (const [name, value] of Object.entries({
  ...CLASSES,
  Intl: intl,
  atob,
  btoa,
  clearImmediate: clearTimeout,
  clearInterval: clearTimeout,
  clearTimeout,
  console,
  crypto,
  fetch,
  global: globalThis,
  performance: { timeOrigin: loaded_at, now: () => Date.now() - loaded_at },
  posthog,
  queueMicrotask,
  setImmediate,
  setInterval,
  setTimeout,
  structuredClone: (value: unknown) => structuredClone(value),
}))
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: false })

// Bundled libraries call it in the constructors of their errors.
if (!('captureStackTrace' in Error))
  Object.assign(Error, {
    captureStackTrace: (target: object) =>
      void Object.defineProperty(target, 'stack', { value: new Error().stack, configurable: true, writable: true }),
  })

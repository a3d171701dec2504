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

/** The batch export destinations that deliver to where these modules connect. */
const DESTINATIONS: [RegExp, string][] = [
  [/^(pg|pg-native|postgres)$/, 'Postgres or Redshift'],
  [/^(aws-sdk|@aws-sdk\/[\w-]{1,50})$/, 'S3 or Redshift'],
  [/^@google-cloud\/bigquery$/, 'BigQuery'],
  [/^@google-cloud\/storage$/, 'S3Compatible'],
  [/^snowflake-sdk$/, 'Snowflake'],
  [/^@azure\/storage-blob$/, 'AzureBlob'],
  [/^(@clickhouse\/client|clickhouse)$/, 'ClickHouse'],
]

export function requireModule(name: unknown): object {
  const text = String(name)
  const module = MODULES.get(text.replace(/^node:/, ''))
  if (module) return module
  const destination = DESTINATIONS.find(([pattern]) => pattern.test(text))?.[1]
  throw new Error(
    destination
      ? `Cannot import "${text}". Create a batch export to ${destination} instead: it delivers the events without a plugin.`
      : `Cannot import "${text}". Plugins can import ${[...MODULES.keys()].join(', ')}. Bundle other modules into the file.`,
  )
}

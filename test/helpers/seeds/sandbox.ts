/** Plugins that run in the sandbox without a server: what they ask for is kept in memory. */

import { readFileSync } from 'node:fs'
import type { Test } from 'tap'
import { parseIncoming } from '../../../src/events/plugin-event.ts'
import { createOutbound, type ResolveHost } from '../../../src/outbound/guard.ts'
import type { PluginHost } from '../../../src/plugins/runtime/answers.ts'
import { apiWithoutServer } from '../../../src/plugins/runtime/api.ts'
import { createPluginCache } from '../../../src/plugins/runtime/cache.ts'
import { fetchForPlugin } from '../../../src/plugins/runtime/fetch.ts'
import type { Attachment } from '../../../src/plugins/runtime/messages.ts'
import { type Configuration, createSandbox, type Sandbox } from '../../../src/plugins/runtime/sandbox.ts'
import type { SandboxOptions } from '../../../src/plugins/runtime/sandbox-children.ts'

/** For tests of behaviour on a busy machine. */
export const GENEROUS_LIMITS = { cpu_ms: 5_000, call_ms: 20_000, request_ms: 60_000 }
export const LIMITS = { cpu_ms: 300, call_ms: 20_000, request_ms: 60_000 }

export function openSandbox(t: Test, options: Partial<SandboxOptions> = {}): Sandbox {
  const sandbox = createSandbox({ max_processes: 1, ...options })
  t.teardown(() => sandbox.stop())
  return sandbox
}

export interface MemoryHost extends PluginHost {
  storage: Map<string, string>
  captured: { event: string; properties: Record<string, unknown> }[]
  jobs: { name: string; payload: unknown; delay_ms: number }[]
}

export function createMemoryHost({
  allow,
  resolve,
  milliseconds = () => Number(process.hrtime.bigint() / 1_000_000n),
}: {
  allow?: string
  resolve?: ResolveHost
  milliseconds?: () => number
} = {}): MemoryHost {
  const outbound = createOutbound({ allow, ...(resolve && { resolve }) })
  const caches = createPluginCache(milliseconds)
  const storage = new Map<string, string>()
  const captured: MemoryHost['captured'] = []
  const jobs: MemoryHost['jobs'] = []
  return {
    storage,
    captured,
    jobs,
    fetch: (request, body, signal) => fetchForPlugin(outbound, request, body, signal),
    storageGet: async (key) => storage.get(key) ?? null,
    storageSet: async (key, value) => void (value === null ? storage.delete(key) : storage.set(key, value)),
    cursorInit: async (key, start) => void (storage.has(key) || storage.set(key, String(start))),
    cursorIncrement: async (key, by) => {
      const next = Number(storage.get(key) ?? 0) + by
      storage.set(key, String(next))
      return next
    },
    cache: async (operation, key, args) => caches.run(0, operation, key, args),
    locate: async () => null,
    api: apiWithoutServer,
    job: async (name, payload, delay_ms) => void jobs.push({ name, payload, delay_ms }),
    capture: async (event, properties) => void captured.push({ event, properties }),
  }
}

let last_id = 0

export const configurationOf = (
  source: string,
  {
    config = {},
    attachments = [],
    secrets = [],
  }: { config?: object; attachments?: Attachment[]; secrets?: string[] } = {},
): Configuration => ({
  id: ++last_id,
  project_id: 1,
  version: '1',
  files: { 'index.ts': source },
  settings: JSON.stringify({ config, attachments }),
  secrets,
})

/** The source of a plugin in test/fixtures/plugins. */
export const fixturePlugin = (name: string): string => readFileSync(`test/fixtures/plugins/${name}.ts`, 'utf8')

const event = {
  uuid: '018f0000-0000-7000-8000-000000000001',
  event: 'page',
  distinct_id: 'ada',
  team_id: 1,
  ip: null,
  timestamp: '2024-06-01T10:20:30.000Z',
}

/** A stored event, as a plugin gets it. */
export const eventOf = (properties: object = {}, changes: object = {}): string =>
  JSON.stringify({ ...event, properties, ...changes })

/** An event for `processEvent`. */
export const incomingEventOf = (properties: object = {}, changes: object = {}): string =>
  `${JSON.stringify({ ...event, ...changes, properties: 0 })}\n${JSON.stringify(properties)}`

/** What `processEvent` returned, which has two lines if the plugin did not read the properties. */
export const returnedEventOf = (text: string) => (text.includes('\n') ? parseIncoming(text) : JSON.parse(text))

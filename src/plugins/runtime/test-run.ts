/** Runs a plugin against sample events. Nothing is stored: storage, cache, jobs and captured events exist only during the run. */
import type { Outbound } from '../../outbound/guard.ts'
import { createPluginCache } from './cache.ts'
import { fetchForPlugin } from './fetch.ts'
import type { CapturedEvent } from './host.ts'
import type { Configuration, EachResult, LogLine, PluginError, PluginHost, Sandbox } from './sandbox.ts'

export interface TestedEvent {
  method: 'processEvent' | 'onEvent' | 'composeWebhook'
  /** JSON of the event as the plugin got it. */
  input: string
  /** JSON; null for a dropped event, for nothing to send, and with an error. */
  output: string | null
  error: PluginError | null
}

export interface TestRun {
  events: TestedEvent[]
  lines: LogLine[]
  captured: CapturedEvent[]
  jobs: { name: string; payload: unknown; delay_ms: number }[]
  /** The code or `setupPlugin` failed. */
  error: PluginError | null
  milliseconds: number
}

const LIMITS = { cpu_ms: 1_000, call_ms: 10_000, request_ms: 20_000 }
const METHODS = ['processEvent', 'onEvent', 'composeWebhook'] as const

/** Calls each of the plugin's event methods with each event. Dropped events are not sent on. */
export async function testRun(
  sandbox: Sandbox,
  outbound: Outbound,
  configuration: Configuration,
  methods: readonly string[],
  events: readonly string[],
): Promise<TestRun> {
  const captured: TestRun['captured'] = []
  const jobs: TestRun['jobs'] = []
  const run: TestRun = { events: [], lines: [], captured, jobs, error: null, milliseconds: 0 }
  const host = createTestHost(outbound, captured, jobs)
  const start = performance.now()
  let current = [...events]
  for (const method of METHODS) {
    if (!methods.includes(method)) continue
    const result = await sandbox.each(configuration, method, current, LIMITS, host)
    run.lines.push(...result.lines)
    const tested = current.map((input, i) => testedEvent(method, input, result, i))
    run.events.push(...tested)
    if (result.error) {
      run.error = result.error
      break
    }
    if (method === 'processEvent')
      current = tested.flatMap(({ input, output, error }) => (error ? [input] : output === null ? [] : [output]))
  }
  run.milliseconds = performance.now() - start
  return run
}

function testedEvent(
  method: TestedEvent['method'],
  input: string,
  { outcomes, error }: EachResult,
  i: number,
): TestedEvent {
  const outcome = outcomes[i]
  if (outcome === undefined) return { method, input, output: null, error: error ?? NOT_REACHED }
  if (typeof outcome === 'object' && outcome !== null) return { method, input, output: null, error: outcome.error }
  return { method, input, output: outcome === true ? input : outcome, error: null }
}

const NOT_REACHED: PluginError = {
  name: 'TimeoutError',
  message: `The test took more than ${LIMITS.request_ms / 1000} seconds, or an earlier event has to be retried.`,
  stack: '',
  retry: false,
}

function createTestHost(outbound: Outbound, captured: TestRun['captured'], jobs: TestRun['jobs']): PluginHost {
  const storage = new Map<string, string>()
  const cache = createPluginCache(() => performance.now())
  return {
    fetch: (request, body, signal) => fetchForPlugin(outbound, request, body, signal),
    storageGet: async (key) => storage.get(key) ?? null,
    storageSet: async (key, value) => {
      if (value === null) storage.delete(key)
      else storage.set(key, value)
    },
    cursorInit: async (key, start) => {
      if (!storage.has(key)) storage.set(key, String(start))
    },
    cursorIncrement: async (key, by) => {
      const next = Number(storage.get(key) ?? 0) + by
      storage.set(key, String(next))
      return next
    },
    cache: async (operation, key, args) => cache.run('', operation, key, args),
    job: async (name, payload, delay_ms) => {
      jobs.push({ name, payload, delay_ms })
    },
    capture: async (event, properties) => {
      captured.push({ event, properties })
    },
  }
}

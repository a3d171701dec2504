/** Runs `processEvent` of the plugins of a project on events before they are stored. */
import { AppError, unavailable } from '../../errors.ts'
import type { NewEvent } from '../../events/normalize-event.ts'
import { changedEvent, InvalidEvent, incomingEvent, withPluginNames } from '../../events/plugin-event.ts'
import { createYielder } from '../../events/yield.ts'
import type { PluginHost } from './answers.ts'
import { capturedRow } from './capture.ts'
import type { Configurations, RunningConfiguration } from './configurations.ts'
import type { CreateHost } from './host.ts'
import type { Limits, LoadError, Outcome, PluginError } from './messages.ts'
import { mayBeOffered, type Origin, parseOrigin } from './origin.ts'
import type { Call, Recorder } from './recorder.ts'
import { describeLoadError, isFinal, retryDelay } from './retries.ts'
import type { Sandbox } from './sandbox.ts'

export interface Transformer {
  /**
   * The events of one project to store, without those that a plugin dropped. All have the same origin. An event for which the
   * code of a plugin fails stays as it was. Throws `unavailable` if a plugin cannot be read or run, or cannot reach its storage:
   * it may remove personal data.
   */
  apply(project_id: number, events: readonly NewEvent[]): Promise<readonly NewEvent[]>
}

export interface TransformerOptions {
  sandbox: Sandbox
  configurations: Configurations
  createHost: CreateHost
  recorder: Recorder
  storedUuids: (project_id: number, uuids: readonly string[]) => Promise<Set<string>>
  /** Stores events that the plugins captured. */
  store: (project_id: number, events: readonly NewEvent[]) => Promise<void>
  milliseconds: () => number
  uuid: () => string
  site_url: string
  request_ms?: number
  /** Called when captured events cannot be stored, or a plugin cannot be switched off. */
  onError: (error: unknown) => void
}

const CPU_MS = 1_000
const REQUEST_MS = 10_000
/** One message to the sandbox. */
const CHUNK_EVENTS = 500
const CHUNK_CHARACTERS = 1024 * 1024

export function createTransformer(options: TransformerOptions): Transformer {
  const { sandbox, configurations, createHost, recorder, milliseconds, request_ms: limit_ms = REQUEST_MS } = options
  /** Configurations whose code or `setupPlugin` failed. Until `retry_at` they are skipped. */
  const broken = new Map<number, { version: string; attempts: number; retry_at: number }>()

  const isBroken = ({ id, version }: RunningConfiguration): boolean => {
    const found = broken.get(id)
    return found?.version === version && found.retry_at > milliseconds()
  }

  function handleLoadError(configuration: RunningConfiguration, error: LoadError): void {
    const { id, version } = configuration
    const before = broken.get(id)
    const attempts = (before?.version === version ? before.attempts : 0) + 1
    broken.set(id, { version, attempts, retry_at: milliseconds() + retryDelay(attempts) })
    if (isFinal(error, attempts)) recorder.switchOff(configuration, describeLoadError(error)).catch(options.onError)
  }

  async function run(
    configuration: RunningConfiguration,
    events: (NewEvent | null)[],
    origin: Origin,
    limits: Limits,
    captured: NewEvent[],
    ran: Ran[],
  ): Promise<void> {
    const offered = events.flatMap((event, index) => (event ? [{ event, index }] : []))
    if (offered.length === 0) return
    const now = new Date(milliseconds()).toISOString()
    const texts = offered.map(({ event }) => incomingEvent(event, { now, site_url: options.site_url }))
    const { host, failure } = watchFailures(
      createHost(configuration, origin, async (event) => {
        const row = await capturedRow(configuration, origin, event, { now: milliseconds() * 1000, uuid: options.uuid })
        if (row) captured.push(row)
      }),
    )
    const start = performance.now()
    const { outcomes, lines, metrics, error } = await sandbox.each(configuration, 'processEvent', texts, limits, host)
    // The plugin may have failed because the database did.
    if (failure() && (error || outcomes.some(isError))) throw failure()
    const counts = { dropped: 0, changed: 0 }
    const calls: Call[] = []
    const yieldIfDue = createYielder()
    for (const [i, outcome] of outcomes.entries()) {
      const item = offered[i]
      if (!item) break
      const { call, event } = resultOf(item.event, outcome)
      if (call.error === null && event === null) counts.dropped++
      else if (call.error === null && event !== item.event) counts.changed++
      events[item.index] = event
      noteRun(ran, item.index, configuration, call.error === null)
      calls.push(call)
      if (i % 64 === 63) await yieldIfDue()
    }
    const left = offered.length - outcomes.length
    for (const { index } of offered.slice(outcomes.length)) noteRun(ran, index, configuration, false)
    if (error) {
      calls.push({ error })
      handleLoadError(configuration, error)
    } else {
      broken.delete(configuration.id)
      if (left > 0) calls.push({ error: outOfTime(left, limit_ms) })
    }
    recorder.record(configuration, {
      category: 'processEvent',
      calls,
      counts,
      lines,
      metrics,
      milliseconds: performance.now() - start,
    })
  }

  async function transform(
    chain: readonly RunningConfiguration[],
    sent: readonly NewEvent[],
    origin: Origin,
  ): Promise<NewEvent[]> {
    const until = performance.now() + limit_ms
    const captured: NewEvent[] = []
    const result: NewEvent[] = []
    for (const chunk of chunksOf(sent)) {
      const events: (NewEvent | null)[] = [...chunk]
      const ran: Ran[] = []
      for (const configuration of chain) {
        const request_ms = until - performance.now()
        if (isBroken(configuration)) continue
        if (request_ms <= 0)
          recorder.record(configuration, {
            category: 'processEvent',
            calls: [{ error: outOfTime(events.length, limit_ms) }],
            lines: [],
            milliseconds: 0,
          })
        else
          await run(
            configuration,
            events,
            origin,
            { cpu_ms: CPU_MS, call_ms: request_ms, request_ms },
            captured,
            ran,
          ).catch(refuse)
      }
      const yieldIfDue = createYielder()
      for (const [i, event] of events.entries()) {
        const names = ran[i]
        if (event) result.push(names ? withPluginNames(event, names) : event)
        if (i % 64 === 63) await yieldIfDue()
      }
    }
    const [first] = captured
    if (first) await options.store(first.project_id, captured).catch(options.onError)
    return result
  }

  return {
    apply: async (project_id, events) => {
      const all = await configurations.transformations(project_id).catch(refuse)
      if (all.length === 0 || events.length === 0) return events
      const origin = parseOrigin(events[0]?.origin)
      const chain = all.filter(({ id }) => mayBeOffered(origin, id))
      if (chain.length === 0) return events
      const seen = await options.storedUuids(
        project_id,
        events.map(({ uuid }) => uuid),
      )
      // A second event with the same uuid has no effect.
      const fresh = events.filter(({ uuid }) => !seen.has(uuid) && seen.add(uuid))
      return transform(chain, fresh, origin)
    },
  }
}

function refuse(error: unknown): never {
  if (error instanceof AppError) throw error
  throw unavailable('The plugins of this project cannot run now. Retry the request.', error)
}

const isError = (outcome: Outcome): boolean => typeof outcome === 'object' && outcome !== null

/** Notes the first call that failed for a reason that is not in the code of the plugin. */
function watchFailures(host: PluginHost): { host: PluginHost; failure: () => unknown } {
  let failure: unknown
  const watch =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> =>
      call(...args).catch((error) => {
        if (!(error instanceof TypeError || error instanceof RangeError)) failure ??= error
        throw error
      })
  return {
    host: {
      ...host,
      storageGet: watch(host.storageGet),
      storageSet: watch(host.storageSet),
      cursorInit: watch(host.cursorInit),
      cursorIncrement: watch(host.cursorIncrement),
      job: watch(host.job),
    },
    failure: () => failure,
  }
}

/** The plugins that ran for an event. */
interface Ran {
  succeeded: string[]
  failed: string[]
}

function noteRun(ran: Ran[], index: number, { name, id }: RunningConfiguration, succeeded: boolean): void {
  const own = ran[index] ?? { succeeded: [], failed: [] }
  ran[index] = own
  own[succeeded ? 'succeeded' : 'failed'].push(`${name} (${id})`)
}

function* chunksOf(events: readonly NewEvent[]): Generator<NewEvent[]> {
  let chunk: NewEvent[] = []
  let characters = 0
  for (const event of events) {
    if (chunk.length && (chunk.length >= CHUNK_EVENTS || characters + event.properties.length > CHUNK_CHARACTERS)) {
      yield chunk
      chunk = []
      characters = 0
    }
    chunk.push(event)
    characters += event.properties.length
  }
  if (chunk.length) yield chunk
}

/** The event to go on with: null when it is dropped, the same when the call failed. */
function resultOf(before: NewEvent, outcome: Outcome): { call: Call; event: NewEvent | null } {
  const { uuid } = before
  if (outcome === null) return { call: { error: null }, event: null }
  if (outcome === true) return { call: { error: null }, event: before }
  if (typeof outcome === 'object') return { call: { error: outcome.error, event: uuid }, event: before }
  try {
    return { call: { error: null }, event: changedEvent(before, outcome) }
  } catch (error) {
    if (!(error instanceof InvalidEvent)) throw error
    const { name, message } = error
    return { call: { error: { name, message, stack: '', retry: false }, event: uuid }, event: before }
  }
}

const outOfTime = (count: number, limit_ms: number): PluginError => ({
  name: 'TimeoutError',
  message: `The plugins took more than ${limit_ms / 1000} seconds for one request. ${count} events were stored unchanged.`,
  stack: '',
  retry: false,
  stopped: 'timeout',
})

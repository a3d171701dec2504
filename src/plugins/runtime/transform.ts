/** Runs `processEvent` of the plugins of a project on events before they are stored. */
import { AppError, unavailable } from '../../errors.ts'
import type { NewEvent } from '../../events/normalize-event.ts'
import {
  type ChangingEvent,
  InvalidEvent,
  incomingEvent,
  MAX_PARTS,
  returnedEvents,
  withPluginNames,
} from '../../events/plugin-event.ts'
import { createYielder } from '../../events/yield.ts'
import type { PluginHost } from './answers.ts'
import { capturedRow } from './capture.ts'
import type { Configurations, RunningConfiguration } from './configurations.ts'
import type { CreateHost } from './host.ts'
import { isLoadError, type LoadError, type Outcome, type PluginError } from './messages.ts'
import { mayBeOffered, type Origin, parseOrigin } from './origin.ts'
import type { Recorder } from './recorder.ts'
import type { Call } from './recorder-batch.ts'
import { describeLoadError, isFinal, retryDelay } from './retries.ts'
import type { Sandbox } from './sandbox.ts'

export interface Transformer {
  /** Undefined for a project without plugins that change events. Throws `unavailable` if its plugins cannot be read. */
  of(project_id: number): Promise<Transformation | undefined>
}

/**
 * Runs the plugins on events of one project, which have the fields that the client sent. All have the same origin. An event for
 * which the code of a plugin fails stays as it was. Throws `unavailable` if a plugin cannot run or cannot reach its storage: it
 * may remove personal data.
 */
export type Transformation = (events: readonly NewEvent[]) => Promise<Transformed>

export interface Transformed {
  /** The events to store. */
  changed: readonly NewEvent[]
  /** The number of events that a plugin dropped. */
  dropped: number
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

  /** The events after the plugin. */
  async function run(
    configuration: RunningConfiguration,
    offered: readonly Item[],
    { origin, until, captured }: Chain,
  ): Promise<Item[]> {
    if (offered.length === 0 || isBroken(configuration)) return [...offered]
    const start = performance.now()
    const request_ms = until - start
    if (request_ms <= 0) {
      const calls = [{ error: outOfTime(offered.length, limit_ms), events: offered.length }]
      recorder.record(configuration, { category: 'processEvent', calls, lines: [], milliseconds: 0 })
      return [...offered]
    }
    const { host, failure } = watchFailures(
      createHost(configuration, origin, async (event) => {
        const row = await capturedRow(configuration, origin, event, { now: milliseconds() * 1000, uuid: options.uuid })
        if (row) captured.push(row)
      }),
    )
    const texts = offered.map(({ text }) => text)
    const limits = { cpu_ms: CPU_MS, call_ms: request_ms, request_ms }
    const { outcomes, lines, metrics, error } = await sandbox.each(configuration, 'processEvent', texts, limits, host)
    // The plugin may have failed because the database did.
    if (failure() && (error || outcomes.some(isError))) throw failure()
    const { items, renamed, calls, counts } = await resultsOf(configuration, offered, outcomes)
    const kept = renamed.size ? await withoutDuplicates(configuration.project_id, items, renamed) : items
    counts.dropped += items.length - kept.length
    const left = offered.length - outcomes.length
    if (isLoadError(error)) handleLoadError(configuration, error)
    else broken.delete(configuration.id)
    if (error) calls.push({ error, events: left })
    else if (left > 0) calls.push({ error: outOfTime(left, limit_ms), events: left })
    recorder.record(configuration, {
      category: 'processEvent',
      calls,
      counts,
      lines,
      metrics,
      milliseconds: performance.now() - start,
    })
    return kept
  }

  /** The events without those that got the uuid of another event. */
  async function withoutDuplicates(project_id: number, items: Item[], renamed: ReadonlySet<Item>): Promise<Item[]> {
    const uuids = [...renamed].map(({ row }) => row.uuid)
    const taken = await options.storedUuids(project_id, uuids)
    for (const item of items) if (!renamed.has(item)) taken.add(item.row.uuid)
    return items.filter((item) => !renamed.has(item) || (!taken.has(item.row.uuid) && taken.add(item.row.uuid)))
  }

  async function transform(plugins: readonly RunningConfiguration[], sent: readonly NewEvent[]): Promise<Transformed> {
    const origin = parseOrigin(sent[0]?.origin)
    const chain: Chain = { origin, until: performance.now() + limit_ms, captured: [] }
    const arrival = { now: new Date(milliseconds()).toISOString(), site_url: options.site_url }
    const changed: NewEvent[] = []
    let dropped = 0
    for (const chunk of chunksOf(sent)) {
      let items = chunk.map(
        (row): Item => ({ row, text: incomingEvent(row, arrival), ran: NOTHING_RAN, sent: row.uuid, parts: 1 }),
      )
      for (const configuration of plugins) items = await run(configuration, items, chain).catch(refuse)
      dropped += chunk.length - new Set(items.map((item) => item.sent)).size
      const yieldIfDue = createYielder()
      for (const [i, { row, ran }] of items.entries()) {
        const { sent: _, ...stored } = row
        changed.push(ran === NOTHING_RAN ? stored : withPluginNames(stored, ran))
        if (i % 64 === 63) await yieldIfDue()
      }
    }
    const [first] = chain.captured
    if (first) await options.store(first.project_id, chain.captured).catch(options.onError)
    return { changed, dropped }
  }

  return {
    of: async (project_id) => {
      const plugins = await configurations.transformations(project_id).catch(refuse)
      if (plugins.length === 0) return undefined
      return async (events) => {
        const origin = parseOrigin(events[0]?.origin)
        const offered = plugins.filter(({ id }) => mayBeOffered(origin, id))
        if (offered.length === 0) return { changed: events, dropped: 0 }
        const uuids = events.map(({ uuid }) => uuid)
        const seen = await options.storedUuids(project_id, uuids)
        // A second event with the same uuid has no effect.
        const fresh = events.filter(({ uuid }) => !seen.has(uuid) && seen.add(uuid))
        return transform(offered, fresh)
      }
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

/** What the plugins of one request share. */
interface Chain {
  origin: Origin
  /** The end of their time, as `performance.now()`. */
  until: number
  /** The events that they captured. */
  captured: NewEvent[]
}

/** The plugins that ran for an event. */
interface Ran {
  succeeded: readonly string[]
  failed: readonly string[]
}

const NOTHING_RAN: Ran = { succeeded: [], failed: [] }

interface Item extends ChangingEvent {
  ran: Ran
  /** The uuid of the event that was sent. */
  sent: string
  /** The most events that the event that was sent can have become. */
  parts: number
}

interface Results {
  items: Item[]
  /** The events with another uuid than before. */
  renamed: Set<Item>
  calls: Call[]
  counts: { dropped: number; changed: number }
}

/** The events to go on with. Events without an outcome stay as they were. */
async function resultsOf(
  { name, id }: RunningConfiguration,
  offered: readonly Item[],
  outcomes: readonly Outcome[],
): Promise<Results> {
  const results: Results = { items: [], renamed: new Set(), calls: [], counts: { dropped: 0, changed: 0 } }
  const { items, renamed, calls, counts } = results
  const plugin = `${name} (${id})`
  const yieldIfDue = createYielder()
  for (const [i, item] of offered.entries()) {
    const outcome = outcomes[i]
    const { call, events } = resultOf(item, outcome)
    const ran = outcome === false ? item.ran : withPlugin(item.ran, plugin, call?.error === null)
    if (call) calls.push(call)
    if (events.length === 0) counts.dropped++
    else if (events[0] !== item) counts.changed++
    for (const event of events) {
      const next = { ...event, ran, sent: item.sent, parts: item.parts * events.length }
      items.push(next)
      if (event.row.uuid !== item.row.uuid) renamed.add(next)
    }
    if (i % 64 === 63 || events.length > 1) await yieldIfDue()
  }
  return results
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

const withPlugin = ({ succeeded, failed }: Ran, plugin: string, isSuccess: boolean): Ran =>
  isSuccess ? { succeeded: [...succeeded, plugin], failed } : { succeeded, failed: [...failed, plugin] }

/** The call of the plugin, and the events that it made of one: none when it is dropped, the same when the call failed. */
function resultOf(before: Item, outcome: Outcome | undefined): { call?: Call; events: ChangingEvent[] } {
  if (outcome === undefined || outcome === false) return { events: [before] }
  if (outcome === null) return { call: { error: null }, events: [] }
  if (outcome === true) return { call: { error: null }, events: [before] }
  const event = before.row.uuid
  if (typeof outcome === 'object') return { call: { error: outcome.error, event }, events: [before] }
  try {
    return { call: { error: null }, events: returnedEvents(before, outcome, Math.floor(MAX_PARTS / before.parts)) }
  } catch (error) {
    if (!(error instanceof InvalidEvent)) throw error
    const { name, message } = error
    return { call: { error: { name, message, stack: '', retry: false }, event }, events: [before] }
  }
}

const outOfTime = (count: number, limit_ms: number): PluginError => ({
  name: 'TimeoutError',
  message: `The plugins took more than ${limit_ms / 1000} seconds for one request. ${count} events were stored unchanged.`,
  stack: '',
  retry: false,
  stopped: 'timeout',
})

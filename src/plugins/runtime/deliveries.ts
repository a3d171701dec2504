/**
 * Offers stored events to the plugins that send them out: `onEvent`, `composeWebhook` and `exportEvents`. Each configuration follows
 * the events of its project by position, in order and at least once. A lease in the database decides which node serves it.
 */
import type { Logger } from 'pino'
import { type Lease, leaseFor, whileLeased } from '../../background/leases.ts'
import { createLoop } from '../../background/loop.ts'
import { createSetAside } from '../../background/set-aside.ts'
import { type FollowedEvent, follow } from '../../events/follow.ts'
import { personsOf, storedEvent } from '../../events/plugin-event.ts'
import { horizon } from '../../events/positions.ts'
import type { EventReader } from '../../events/readers.ts'
import type { Outbound } from '../../outbound/guard.ts'
import type { Database, Db } from '../../sql/db.ts'
import type { MetricCategory } from '../../store/plugin_metrics.ts'
import * as store from '../../store/plugin_runtime.ts'
import * as states from '../../store/plugin_states.ts'
import type { PluginHost } from './answers.ts'
import type { Configurations, RunningConfiguration } from './configurations.ts'
import { FetchError, fetchForPlugin } from './fetch.ts'
import type { Limits, LoadError, Outcome, PluginError, RunOutput } from './messages.ts'
import { mayBeOffered, type Origin, parseOrigin } from './origin.ts'
import type { Call, Recorder } from './recorder.ts'
import { describeLoadError, isFinal, MAX_ATTEMPTS, retryDelay } from './retries.ts'
import type { Sandbox } from './sandbox.ts'

export interface Deliveries {
  start(): void
  /** Looks for new events now. */
  wake(): void
  /** Notes in the logs how many of these deleted events were not offered yet. */
  noteExpired(project_id: number, places: readonly states.Place[]): Promise<void>
  /** Delivers everything that is due now. */
  drain(): Promise<void>
  stop(): Promise<void>
}

export interface DeliveriesOptions {
  db: Db
  events: Database
  reader: EventReader
  sandbox: Sandbox
  configurations: Configurations
  hostOf: (configuration: RunningConfiguration, origin: Origin) => PluginHost
  recorder: Recorder
  outbound: Outbound
  /** Unique to this start of the process. */
  owner: string
  now: () => string
  log: Logger
}

const POLL_MS = 1_000
const RETRY_MS = 5_000
const LEASE_MS = 20_000
const RENEW_MS = 5_000
const MAX_ACTIVE = 4
const PAGE_EVENTS = 1_000
/** One message to the sandbox. */
const GROUP_CHARACTERS = 2 * 1024 * 1024
/** After this time other configurations have their turn. */
const TURN_MS = 20_000
const LIMITS: Limits = { cpu_ms: 1_000, call_ms: 30_000, request_ms: 60_000 }

export function createDeliveries(options: DeliveriesOptions): Deliveries {
  const { db, events, reader, configurations, recorder, owner, now, log } = options
  const active = new Map<number, Promise<void>>()
  /** When each configuration had its last turn. */
  const turns = new Map<number, number>()

  const onFailure = (error: unknown, fields: object): void => {
    if (!loop.stopped) log.error({ err: error, ...fields }, 'delivering events to a plugin failed; retrying')
  }
  const milliseconds = (): number => Date.parse(now())
  /** Projects whose events cannot be read. On a cluster, their node may be down. */
  const unreachable = createSetAside<number>({
    milliseconds,
    onFailure: (error, project, retry_ms) => onFailure(error, { project, retry_ms }),
  })
  /** Configurations whose last turn failed. */
  const failing = createSetAside<number>({
    milliseconds,
    onFailure: (error, plugin_config, retry_ms) => onFailure(error, { plugin_config, retry_ms }),
  })

  const at = (milliseconds: number): string => new Date(Date.parse(now()) + milliseconds).toISOString()
  const lease = (): Lease => leaseFor(owner, now(), LEASE_MS)

  const loop = createLoop({
    name: 'plugin deliveries',
    round: async () => {
      await startTurns()
      return POLL_MS
    },
    retry_ms: RETRY_MS,
    onError: (error) => log.error({ err: error }, 'looking for events for plugins failed; retrying'),
  })

  /** Starts a turn of every configuration with new events, as far as there are slots. Returns how many were started. */
  async function startTurns(): Promise<number> {
    const rows = await store.sending(db)
    if (rows.length === 0) return 0
    const end = await horizon(events)
    const waiting = rows
      .filter(({ id }) => !active.has(id))
      .sort((a, b) => (turns.get(a.id) ?? 0) - (turns.get(b.id) ?? 0))
    let started = 0
    const reachable = unreachable.due(waiting, ({ project_id }) => project_id)
    for (const row of failing.due(reachable, ({ id }) => id)) {
      if (loop.stopped || active.size >= MAX_ACTIVE) break
      const state = await stateOf(row.id, end)
      if (!state || (state.retry_at !== null && state.retry_at > now())) continue
      const place = { project_id: row.project_id, after: state, before: end }
      const next = await unreachable.attempt(row.project_id, () => follow(reader, place, 1))
      if (!next?.length) continue
      const claimed = await states.claim(db, row.id, lease())
      if (!claimed) continue
      turns.set(row.id, performance.now())
      started++
      const turn = failing
        .attempt(row.id, () => serve(row, claimed, end))
        .finally(() => {
          active.delete(row.id)
          loop.wake()
        })
      active.set(row.id, turn)
    }
    return started
  }

  /** A configuration that was enabled by an older version has no place yet. */
  async function stateOf(id: number, end: number): Promise<states.PluginStateRow | undefined> {
    const found = await states.get(db, id)
    if (found) return found
    await db.tx((tx) => states.enable(tx, id, end, false))
    return states.get(db, id)
  }

  async function serve(row: store.RunningConfigRow, state: states.PluginStateRow, end: number): Promise<void> {
    const renew = (): Promise<boolean> => states.renew(db, row.id, lease())
    try {
      await whileLeased({ renew, every_ms: RENEW_MS }, ({ signal }) => takeTurn(row, state, end, signal))
    } finally {
      await states.release(db, row.id, owner).catch(() => undefined)
    }
  }

  async function takeTurn(
    row: store.RunningConfigRow,
    state: states.PluginStateRow,
    end: number,
    signal: AbortSignal,
  ): Promise<void> {
    const configuration = await configurations.load(row)
    if (!configuration) throw new Error('The code or the secrets of the configuration cannot be read.')
    const until = performance.now() + TURN_MS
    let { attempts } = state
    let after: states.Place = state
    const read = (from: states.Place): Promise<FollowedEvent[]> =>
      follow(reader, { project_id: row.project_id, after: from, before: end }, PAGE_EVENTS)
    let page = await read(after)
    while (!signal.aborted && !loop.stopped && performance.now() < until) {
      const group = groupOf(page, row.id)
      if (!group) return
      const last = group.events.at(-1)
      // The next page is read while the plugin works.
      const ahead = last && page.length === group.events.length ? read(last) : undefined
      ahead?.catch(() => undefined)
      const step = await deliver(configuration, group, attempts, signal)
      if (loop.stopped) return
      after = step.place ?? after
      attempts = step.attempts
      const retry_at = step.retry_ms === null ? null : at(step.retry_ms)
      const isHeld = await states.advance(db, row.id, owner, after, { attempts, retry_at })
      if (!isHeld || step.isOver) return
      // Settings and code may have changed, or the configuration may be off.
      if ((await configurations.get(row.id))?.version !== configuration.version) return
      page = ahead && step.place === last ? await ahead : await read(after)
    }
  }

  interface Step {
    /** The last event that is done. Undefined when there is none. */
    place?: states.Place
    attempts: number
    retry_ms: number | null
    isOver: boolean
  }

  async function deliver(
    configuration: RunningConfiguration,
    group: Group,
    attempts: number,
    signal: AbortSignal,
  ): Promise<Step> {
    const last = group.events.at(-1)
    if (!group.isOffered || !last) return { ...(last && { place: last }), attempts: 0, retry_ms: null, isOver: false }
    const done = await offer(configuration, group, signal)
    if (done.error && done.error.stage !== 'flush' && done.error.stage !== 'call')
      return afterLoadError(configuration, done.error, attempts)

    const place = group.events[done.count - 1]
    if (done.retry === null) return { ...(place && { place }), attempts: 0, retry_ms: null, isOver: done.count === 0 }
    // Only the first event of a group can have been tried before.
    const tried = (done.count === 0 ? attempts : 0) + 1
    if (tried < MAX_ATTEMPTS)
      return { ...(place && { place }), attempts: tried, retry_ms: retryDelay(tried), isOver: true }
    recorder.note(
      configuration,
      'ERROR',
      `${done.retry.events} events were passed over after ${MAX_ATTEMPTS} attempts: ${done.retry.error.message}`,
    )
    const passed = group.events[done.count + done.retry.events - 1] ?? last
    return { place: passed, attempts: 0, retry_ms: null, isOver: false }
  }

  async function afterLoadError(
    configuration: RunningConfiguration,
    error: LoadError,
    attempts: number,
  ): Promise<Step> {
    const tried = attempts + 1
    if (!isFinal(error, tried)) return { attempts: tried, retry_ms: retryDelay(tried), isOver: true }
    await recorder.switchOff(configuration, describeLoadError(error))
    return { attempts: 0, retry_ms: null, isOver: true }
  }

  interface Offered {
    /** The events that are done. */
    count: number
    /** The events after them that have to be offered again. */
    retry: { events: number; error: PluginError } | null
    error?: LoadError
  }

  async function offer(
    configuration: RunningConfiguration,
    { events: group, origin }: Group,
    signal: AbortSignal,
  ): Promise<Offered> {
    const { methods } = configuration.capabilities
    const host = { ...options.hostOf(configuration, origin), signal }
    const texts = group.map((event) => storedEvent(event))
    if (methods.includes('exportEvents')) return exportGroup(configuration, group, texts, host)
    let result: Offered = { count: group.length, retry: null }
    if (methods.includes('onEvent')) result = await offerEach(configuration, 'onEvent', group, texts, host)
    if (result.retry || result.error || !methods.includes('composeWebhook')) return result
    const some = group.slice(0, result.count)
    return offerEach(configuration, 'composeWebhook', some, await withPersons(configuration, some, texts), host)
  }

  /** The events for webhooks. Only those whose settings have placeholders for persons need a query. */
  async function withPersons(
    { project_id, settings }: RunningConfiguration,
    group: readonly FollowedEvent[],
    texts: readonly string[],
  ): Promise<string[]> {
    if (!settings.includes('{person')) return texts.slice(0, group.length)
    const persons = await personsOf(
      events,
      project_id,
      group.map(({ distinct_id }) => distinct_id),
    )
    return group.map((event) => storedEvent(event, persons.get(event.distinct_id)))
  }

  async function offerEach(
    configuration: RunningConfiguration,
    method: 'onEvent' | 'composeWebhook',
    group: readonly FollowedEvent[],
    texts: string[],
    host: PluginHost,
  ): Promise<Offered> {
    const start = performance.now()
    const { outcomes, error, ...output } = await options.sandbox.each(configuration, method, texts, LIMITS, host)
    const calls: Call[] = []
    let retry: Offered['retry'] = null
    for (const [i, outcome] of outcomes.entries()) {
      const uuid = group[i]?.uuid
      const failure = method === 'onEvent' ? errorOf(outcome) : await sendWebhook(outcome, host.signal)
      calls.push({ error: failure, ...(uuid && { event: uuid }) })
      if (!failure?.retry) continue
      retry = { events: 1, error: failure }
      break
    }
    if (error) calls.push({ error })
    record(configuration, method, { calls, ...output, start })
    // Events in the buffers of the plugin are not delivered.
    if (error?.stage === 'flush')
      return error.retry
        ? { count: 0, retry: { events: group.length, error } }
        : { count: outcomes.length, retry: null }
    const count = calls.length - (retry ? 1 : 0) - (error ? 1 : 0)
    return { count, retry, ...(error && { error }) }
  }

  async function exportGroup(
    configuration: RunningConfiguration,
    group: readonly FollowedEvent[],
    texts: readonly string[],
    host: PluginHost,
  ): Promise<Offered> {
    const start = performance.now()
    const args = [texts.map((text) => JSON.parse(text))]
    const work = { kind: 'methods', name: 'exportEvents' } as const
    const { lines, metrics, error } = await options.sandbox.once(configuration, work, args, LIMITS, host)
    record(configuration, 'exportEvents', { calls: [{ error: error ?? null }], lines, metrics, start })
    if (!error || (error.stage === 'call' && !error.retry)) return { count: group.length, retry: null }
    if (error.stage === 'call') return { count: 0, retry: { events: group.length, error } }
    return { count: 0, retry: null, error }
  }

  function record(
    configuration: RunningConfiguration,
    category: MetricCategory,
    { start, ...results }: RunOutput & { calls: Call[]; start: number },
  ): void {
    recorder.record(configuration, { category, ...results, milliseconds: performance.now() - start })
  }

  /** Sends what `composeWebhook` returned. Returns the error. */
  async function sendWebhook(
    outcome: Outcome,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<PluginError | null> {
    if (typeof outcome !== 'string') return errorOf(outcome)
    const failed = (message: string, retry = false): PluginError => ({
      name: 'WebhookError',
      message,
      stack: '',
      retry,
    })
    const { url, body, headers, method }: Record<string, unknown> = JSON.parse(outcome)
    if (typeof url !== 'string') return failed('composeWebhook returned no url.')
    const text = typeof body === 'string' ? body : JSON.stringify(body ?? null)
    const list = Object.entries(headers ?? { 'Content-Type': 'application/json' }).map(
      ([name, value]): [string, string] => [name, String(value)],
    )
    const request = { url, method: String(method ?? 'POST').toUpperCase(), headers: list, redirect: 'follow' }
    try {
      const { status } = await fetchForPlugin(options.outbound, request, Buffer.from(text), signal)
      if (status >= 200 && status < 300) return null
      return failed(
        `The request to ${new URL(url).host} failed with status ${status}.`,
        status >= 500 || status === 429,
      )
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof FetchError)) throw error
      return failed(error.message, true)
    }
  }

  return {
    start: () => loop.start(),
    wake: loop.wake,
    noteExpired: async (project_id, places) => {
      for (const row of await store.sending(db)) {
        if (row.project_id !== project_id) continue
        const state = await states.get(db, row.id)
        const configuration = state && (await configurations.load(row))
        if (!configuration) continue
        const missed = places.filter((place) => isAfter(place, state)).length
        if (missed)
          recorder.note(
            configuration,
            'WARN',
            `${missed} events were deleted by the retention of the project before they were offered.`,
          )
      }
    },
    drain: async () => {
      for (;;) {
        await loop.idle()
        await Promise.all(active.values())
        if (loop.stopped || (await startTurns()) === 0) break
      }
      await Promise.all(active.values())
    },
    stop: async () => {
      await loop.stop()
      await Promise.all(active.values())
    },
  }
}

const isAfter = (a: states.Place, b: states.Place): boolean =>
  a.position > b.position || (a.position === b.position && a.seq > b.seq)

const errorOf = (outcome: Outcome | undefined): PluginError | null =>
  typeof outcome === 'object' && outcome !== null ? outcome.error : null

/** Events in a row with the same origin. */
interface Group {
  origin: Origin
  isOffered: boolean
  events: FollowedEvent[]
}

/** The first events of a page. Undefined for an empty page. */
function groupOf(page: readonly FollowedEvent[], id: number): Group | undefined {
  const [first] = page
  if (!first) return undefined
  let characters = 0
  const end = page.findIndex((event, i) => {
    characters += event.properties.length
    return event.origin !== first.origin || (i > 0 && characters > GROUP_CHARACTERS)
  })
  const origin = parseOrigin(first.origin)
  return { origin, isOffered: mayBeOffered(origin, id), events: page.slice(0, end < 0 ? page.length : end) }
}

/** Offers a group of events to a plugin: `onEvent`, `composeWebhook` and `exportEvents`. */
import type { FollowedEvent } from '../../events/follow.ts'
import { personsOf, storedEvent } from '../../events/plugin-event.ts'
import type { Outbound } from '../../outbound/guard.ts'
import type { Database } from '../../sql/db.ts'
import type { MetricCategory } from '../../store/plugin_metrics.ts'
import type { Position } from '../../store/plugin_states.ts'
import type { PluginHost } from './answers.ts'
import type { RunningConfiguration } from './configurations.ts'
import { errorOf, type Limits, type LoadError, type PluginError, type RunOutput } from './messages.ts'
import { mayBeOffered, type Origin, parseOrigin } from './origin.ts'
import type { Call, Recorder } from './recorder.ts'
import { describeLoadError, isFinal, MAX_ATTEMPTS, retryDelay } from './retries.ts'
import type { Sandbox } from './sandbox.ts'
import { sendWebhook } from './webhook-request.ts'

export interface OfferOptions {
  events: Database
  sandbox: Sandbox
  hostOf: (configuration: RunningConfiguration, origin: Origin) => PluginHost
  recorder: Recorder
  outbound: Outbound
}

/** One message to the sandbox. */
const GROUP_CHARACTERS = 2 * 1024 * 1024
const LIMITS: Limits = { cpu_ms: 1_000, call_ms: 30_000, request_ms: 60_000 }

/** Events in a row with the same origin. */
export interface Group {
  origin: Origin
  isOffered: boolean
  events: FollowedEvent[]
}

/** The first events of a page. Undefined for an empty page. */
export function groupOf(page: readonly FollowedEvent[], id: number): Group | undefined {
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

interface Step {
  /** The last event that is done. Undefined when there is none. */
  done?: Position
  attempts: number
  retry_ms: number | null
  isOver: boolean
}

export async function deliver(
  options: OfferOptions,
  configuration: RunningConfiguration,
  group: Group,
  attempts: number,
  signal: AbortSignal,
): Promise<Step> {
  const last = group.events.at(-1)
  if (!group.isOffered || !last) return { ...(last && { done: last }), attempts: 0, retry_ms: null, isOver: false }
  const offered = await offer(options, configuration, group, attempts, signal)
  if (offered.error && offered.error.stage !== 'flush' && offered.error.stage !== 'call')
    return afterLoadError(options.recorder, configuration, offered.error, attempts)

  const done = group.events[offered.count - 1]
  if (offered.retry === null) return { ...(done && { done }), attempts: 0, retry_ms: null, isOver: offered.count === 0 }
  // Only the first event of a group can have been tried before.
  const tried = (offered.count === 0 ? attempts : 0) + 1
  if (tried < MAX_ATTEMPTS) return { ...(done && { done }), attempts: tried, retry_ms: retryDelay(tried), isOver: true }
  options.recorder.note(
    configuration,
    'ERROR',
    `${offered.retry.events} events were passed over after ${MAX_ATTEMPTS} attempts: ${offered.retry.error.message}`,
  )
  const passed = group.events[offered.count + offered.retry.events - 1] ?? last
  return { done: passed, attempts: 0, retry_ms: null, isOver: false }
}

async function afterLoadError(
  recorder: Recorder,
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

const METHODS = ['onEvent', 'exportEvents', 'composeWebhook'] as const

/** Calls the functions of the plugin. The events that one of them has to get again reach no later one. */
async function offer(
  options: OfferOptions,
  configuration: RunningConfiguration,
  { events: group, origin }: Group,
  attempts: number,
  signal: AbortSignal,
): Promise<Offered> {
  const host = { ...options.hostOf(configuration, origin), signal }
  const texts = group.map((event) => storedEvent(event))
  let result: Offered = { count: group.length, retry: null }
  for (const method of METHODS) {
    const some = group.slice(0, result.count)
    if (some.length === 0 || !configuration.capabilities.methods.includes(method)) continue
    const next =
      method === 'exportEvents'
        ? await exportGroup(options, configuration, some, texts.slice(0, some.length), attempts, host)
        : await offerEach(options, configuration, method, some, texts.slice(0, some.length), attempts, host)
    if (next.error) return next
    if (next.count < some.length) result = next
  }
  return result
}

/** The events for webhooks. Only those whose settings have placeholders for persons need a query. */
async function withPersons(
  events: Database,
  { project_id, settings }: RunningConfiguration,
  group: readonly FollowedEvent[],
  texts: string[],
): Promise<string[]> {
  if (!settings.includes('{person')) return texts
  const persons = await personsOf(
    events,
    project_id,
    group.map(({ distinct_id }) => distinct_id),
  )
  return group.map((event) => storedEvent(event, persons.get(event.distinct_id)))
}

async function offerEach(
  { events, sandbox, recorder, outbound }: OfferOptions,
  configuration: RunningConfiguration,
  method: 'onEvent' | 'composeWebhook',
  group: readonly FollowedEvent[],
  stored: string[],
  attempts: number,
  host: PluginHost,
): Promise<Offered> {
  const start = performance.now()
  const texts = method === 'composeWebhook' ? await withPersons(events, configuration, group, stored) : stored
  const { outcomes, error, ...output } = await sandbox.each(configuration, method, texts, LIMITS, host)
  const calls: Call[] = []
  let count = 0
  let retry: Offered['retry'] = null
  for (const [i, outcome] of outcomes.entries()) {
    count++
    // The filters exclude the event.
    if (outcome === false) continue
    const uuid = group[i]?.uuid
    const failure = method === 'onEvent' ? errorOf(outcome) : await sendWebhook(outbound, outcome, host.signal)
    // Only the first event of a group can have been tried before.
    const tried = i === 0 ? attempts : 0
    const again = failure?.retry === true && tried + 1 < MAX_ATTEMPTS
    calls.push({ error: failure, ...(uuid && { event: uuid }), repeated: tried > 0, again })
    if (!failure?.retry) continue
    retry = { events: 1, error: failure }
    count--
    break
  }
  // Events in the buffers of the plugin are not delivered.
  if (error?.stage === 'flush' && error.retry)
    calls.splice(0, calls.length, { error, events: calls.length, again: attempts + 1 < MAX_ATTEMPTS })
  else if (error) calls.push({ error, again: error.stage !== 'flush' })
  record(recorder, configuration, method, { calls, ...output, start })
  if (error?.stage === 'flush')
    return error.retry ? { count: 0, retry: { events: group.length, error } } : { count: outcomes.length, retry: null }
  return { count, retry, ...(error && { error }) }
}

async function exportGroup(
  { sandbox, recorder }: OfferOptions,
  configuration: RunningConfiguration,
  group: readonly FollowedEvent[],
  texts: readonly string[],
  attempts: number,
  host: PluginHost,
): Promise<Offered> {
  const start = performance.now()
  const args = [texts.map((text) => JSON.parse(text))]
  const work = { kind: 'methods', name: 'exportEvents' } as const
  const { result, lines, metrics, error } = await sandbox.once(configuration, work, args, LIMITS, host)
  const isRetried = error?.retry === true && attempts + 1 < MAX_ATTEMPTS
  const call: Call = {
    error: error ?? null,
    events: error ? group.length : Number(result),
    repeated: attempts > 0,
    again: isRetried || (error !== undefined && error.stage !== 'call'),
  }
  record(recorder, configuration, 'exportEvents', { calls: [call], lines, metrics, start })
  if (!error || (error.stage === 'call' && !error.retry)) return { count: group.length, retry: null }
  if (error.stage === 'call') return { count: 0, retry: { events: group.length, error } }
  return { count: 0, retry: null, error }
}

function record(
  recorder: Recorder,
  configuration: RunningConfiguration,
  category: MetricCategory,
  { start, ...results }: RunOutput & { calls: Call[]; start: number },
): void {
  recorder.record(configuration, { category, ...results, milliseconds: performance.now() - start })
}

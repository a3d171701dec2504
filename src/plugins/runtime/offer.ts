/** Offers a group of events to a plugin: `onEvent`, `composeWebhook` and `exportEvents`. */
import { AppError } from '../../errors.ts'
import { type FollowedEvent, followCondition, matchingUuids } from '../../events/follow.ts'
import { personsOf, storedEvent } from '../../events/plugin-event.ts'
import type { EventReader } from '../../events/readers.ts'
import type { Outbound } from '../../outbound/guard.ts'
import type { Database } from '../../sql/db.ts'
import { DELIVERY_FUNCTIONS, type DeliveryFunction } from '../../store/plugin_failed_deliveries.ts'
import type { MetricCategory } from '../../store/plugin_metrics.ts'
import type { Position } from '../../store/plugin_states.ts'
import { epochMicroseconds } from '../../time/stored.ts'
import type { PluginHost } from './answers.ts'
import type { RunningConfiguration } from './configurations.ts'
import {
  errorOfOutcome,
  isLoadError,
  type Limits,
  type LoadError,
  type PluginError,
  type RunOutput,
} from './messages.ts'
import { mayBeOffered, type Origin, parseOrigin } from './origin.ts'
import type { Recorder } from './recorder.ts'
import type { Call } from './recorder-batch.ts'
import { describeLoadError, isFinal, MAX_ATTEMPTS, retryDelay } from './retries.ts'
import type { Sandbox } from './sandbox.ts'
import { sendWebhook } from './webhook-request.ts'

export interface OfferOptions {
  events: Database
  reader: EventReader
  now: () => string
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

/** An event for which a function failed for good. */
export interface FailedEvent {
  function: DeliveryFunction
  event: FollowedEvent
  error: PluginError
  attempts: number
}

interface Step {
  /** The last event that is done. Undefined when there is none. */
  done?: Position
  /** Those among the events that are done. */
  failed: readonly FailedEvent[]
  attempts: number
  retry_ms: number | null
  isOver: boolean
}

export async function deliver(
  options: OfferOptions,
  configuration: RunningConfiguration,
  group: Group,
  failures: number,
  signal: AbortSignal,
): Promise<Step> {
  const last = group.events.at(-1)
  if (!group.isOffered || !last)
    return { ...(last && { done: last }), failed: [], attempts: 0, retry_ms: null, isOver: false }
  const events = await matchingEvents(options, configuration, group.events, signal).catch((error) => {
    if (error instanceof AppError && !signal.aborted)
      options.recorder.note(configuration, 'ERROR', `The condition "where" failed; it is tried again. ${error.message}`)
    throw error
  })
  const matching = { ...group, events }
  // Only the first event of a group can have been tried before.
  const attempts = events[0] === group.events[0] ? failures : 0
  const offered = await offer(options, configuration, matching, { functions: DELIVERY_FUNCTIONS, attempts }, signal)
  if (offered.error) return afterLoadError(options.recorder, configuration, offered.error, failures)

  const { count, failed, retry } = offered
  notePassedOver(options.recorder, configuration, failed)
  const next = events[count]
  const done = next ? group.events[group.events.indexOf(next) - 1] : last
  const step = { ...(done && { done }), failed }
  if (!retry) return { ...step, attempts: 0, retry_ms: null, isOver: !done }
  const tried = (count === 0 ? attempts : 0) + 1
  return { ...step, attempts: tried, retry_ms: retryDelay(tried), isOver: true }
}

/** The events that match the `where` of the configuration. */
async function matchingEvents(
  { reader, now }: OfferOptions,
  { where, project_id }: RunningConfiguration,
  group: FollowedEvent[],
  signal: AbortSignal,
): Promise<FollowedEvent[]> {
  if (where === null) return group
  const condition = followCondition(where, 'filters__where', epochMicroseconds(now()))
  const uuids = group.map(({ uuid }) => uuid)
  const matching = await matchingUuids(reader, project_id, uuids, condition, signal)
  return group.filter(({ uuid }) => matching.has(uuid))
}

function notePassedOver(recorder: Recorder, configuration: RunningConfiguration, failed: readonly FailedEvent[]): void {
  const passed = failed.filter(({ error }) => error.retry)
  const [first] = passed
  if (first)
    recorder.note(
      configuration,
      'ERROR',
      `${passed.length} events were passed over after ${MAX_ATTEMPTS} attempts: ${first.error.message}`,
    )
}

/** What to do after the code or `setupPlugin` failed. */
export async function afterLoadError(
  recorder: Recorder,
  configuration: RunningConfiguration,
  error: LoadError,
  attempts: number,
): Promise<Step> {
  const tried = attempts + 1
  if (!isFinal(error, tried)) return { failed: [], attempts: tried, retry_ms: retryDelay(tried), isOver: true }
  await recorder.switchOff(configuration, describeLoadError(error))
  return { failed: [], attempts: 0, retry_ms: null, isOver: true }
}

/** Calls a function again for events for which it failed for good. Each event has one attempt. */
export const replay = (
  options: OfferOptions,
  configuration: RunningConfiguration,
  group: Group,
  name: DeliveryFunction,
  signal: AbortSignal,
): Promise<Offered> =>
  offer(options, configuration, group, { functions: [name], attempts: MAX_ATTEMPTS - 1, isReplay: true }, signal)

interface Attempt {
  functions: readonly DeliveryFunction[]
  /** Failed attempts at the first event of the group, or at all of them in a replay. */
  attempts: number
  isReplay?: boolean
}

interface Offered {
  /** The events that are done. */
  count: number
  failed: FailedEvent[]
  /** Why the event after them has to be offered again. */
  retry: PluginError | null
  /** Why the code or `setupPlugin` failed. */
  error?: LoadError
}

/** Calls the functions of the plugin. The events that one of them has to get again reach no later one. */
async function offer(
  options: OfferOptions,
  configuration: RunningConfiguration,
  { events: group, origin }: Group,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<Offered> {
  const host = { ...options.hostOf(configuration, origin), signal }
  const texts = group.map((event) => storedEvent(event))
  const failed: FailedEvent[] = []
  let count = group.length
  let retry: PluginError | null = null
  for (const name of attempt.functions) {
    const some = group.slice(0, count)
    if (some.length === 0 || !configuration.capabilities.methods.includes(name)) continue
    const call = { configuration, group: some, texts: texts.slice(0, some.length), attempt, host }
    const next = name === 'exportEvents' ? await exportGroup(options, call) : await offerEach(options, name, call)
    if (next.error) return next
    failed.push(...next.failed)
    if (next.count < some.length) ({ count, retry } = next)
  }
  const done = new Set(group.slice(0, count))
  return { count, retry, failed: failed.filter(({ event }) => done.has(event)) }
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

/** Events that are offered to one function. */
interface GroupCall {
  configuration: RunningConfiguration
  group: readonly FollowedEvent[]
  /** The events as JSON. */
  texts: string[]
  attempt: Attempt
  host: PluginHost
}

async function offerEach(
  { events, sandbox, recorder, outbound }: OfferOptions,
  method: 'onEvent' | 'composeWebhook',
  { configuration, group, texts: stored, attempt, host }: GroupCall,
): Promise<Offered> {
  const start = performance.now()
  const { attempts, isReplay } = attempt
  const texts = method === 'composeWebhook' ? await withPersons(events, configuration, group, stored) : stored
  const { outcomes, error, ...output } = await sandbox.each(configuration, method, texts, LIMITS, host)
  const calls: Call[] = []
  const failed: FailedEvent[] = []
  const offered: FollowedEvent[] = []
  let count = 0
  let retry: PluginError | null = null
  for (const [i, event] of group.slice(0, outcomes.length).entries()) {
    const outcome = outcomes[i] ?? null
    count++
    // The filters exclude the event.
    if (outcome === false) continue
    offered.push(event)
    const failure = method === 'onEvent' ? errorOfOutcome(outcome) : await sendWebhook(outbound, outcome, host.signal)
    // Only the first event of a group can have been tried before.
    const tried = i === 0 || isReplay ? attempts : 0
    const again = failure?.retry === true && tried + 1 < MAX_ATTEMPTS
    calls.push({ error: failure, event: event.uuid, repeated: tried > 0, again })
    if (failure && !again) failed.push({ function: method, event, error: failure, attempts: tried + 1 })
    if (!again) continue
    retry = failure
    count--
    break
  }
  const isRepeated = error?.stage === 'flush' && error.retry && attempts + 1 < MAX_ATTEMPTS
  // Events in the buffers of the plugin are not delivered, and any of them may be there.
  if (error?.stage === 'flush') calls.splice(0, calls.length, { error, events: offered.length, again: isRepeated })
  else if (error) calls.push({ error, again: true })
  record(recorder, configuration, method, { calls, ...output, start, isReplay })
  if (isLoadError(error)) return { count: 0, retry: null, failed: [], error }
  if (isRepeated) return { count: 0, retry: error, failed: [] }
  if (error?.stage !== 'flush') return { count, retry, failed }
  const lost = offered.map((event) => ({ function: method, event, error, attempts: attempts + 1 }))
  return { count: outcomes.length, retry: null, failed: lost }
}

async function exportGroup(
  { sandbox, recorder }: OfferOptions,
  { configuration, group, texts, attempt: { attempts, isReplay }, host }: GroupCall,
): Promise<Offered> {
  const start = performance.now()
  const args = [texts.map((text) => JSON.parse(text))]
  const work = { kind: 'methods', name: 'exportEvents' } as const
  const { result, lines, metrics, error } = await sandbox.once(configuration, work, args, LIMITS, host)
  const isRepeated = error?.retry === true && attempts + 1 < MAX_ATTEMPTS
  const call: Call = {
    error: error ?? null,
    events: error ? group.length : Number(result),
    repeated: attempts > 0,
    again: isRepeated || isLoadError(error),
  }
  record(recorder, configuration, 'exportEvents', { calls: [call], lines, metrics, start, isReplay })
  if (!error) return { count: group.length, retry: null, failed: [] }
  if (isLoadError(error)) return { count: 0, retry: null, failed: [], error }
  if (isRepeated) return { count: 0, retry: error, failed: [] }
  const failed = group.map((event) => ({ function: work.name, event, error, attempts: attempts + 1 }))
  return { count: group.length, retry: null, failed }
}

function record(
  recorder: Recorder,
  configuration: RunningConfiguration,
  category: MetricCategory,
  { start, isReplay = false, ...results }: RunOutput & { calls: Call[]; start: number; isReplay?: boolean | undefined },
): void {
  recorder.record(configuration, { category, ...results, isReplay, milliseconds: performance.now() - start })
}

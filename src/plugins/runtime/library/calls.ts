/** Calls the functions of the plugin. */
import { type EventMethod, type OnceFunction, OUTCOMES, type PluginError } from '../messages.ts'
import { nextChangingEvent, nextEvent, type OfferedEvent, resultText, returnedText } from './events.ts'
import { parse, put, stringify } from './host.ts'
import { meta } from './meta.ts'
import { plugin } from './plugin.ts'
import { isFunction, isObject, isThenable, textOf } from './values.ts'
import { isWanted, metaFor, type PluginEvent } from './webhooks.ts'

const MAX_ERROR_LENGTH = 5_000

const truncated = (text: string): string =>
  text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH)}…` : text

/** A thrown value. Its properties may be getters that throw. */
export function describe(error: unknown): PluginError {
  if (!isObject(error)) return { name: 'Error', message: truncated(textOf(error)), stack: '', retry: false }
  const field = (name: string): string | undefined => {
    try {
      const value = error[name]
      return typeof value === 'string' ? truncated(value) : undefined
    } catch {
      return undefined
    }
  }
  const name = field('name') ?? 'Error'
  return {
    name,
    message: field('message') ?? truncated(textOf(error)),
    stack: field('stack') ?? '',
    retry: name === 'RetryError',
  }
}

/** The result of a method for one event. Null when the event is dropped or there is nothing to send. */
const RESULTS: Record<EventMethod, (value: unknown, offered: OfferedEvent) => string | true | null> = {
  processEvent: (value, offered) => {
    if (!value) return null
    if (typeof value !== 'object') throw new TypeError('processEvent must return the event, or null to drop it.')
    return returnedText(value, offered)
  },
  onEvent: () => null,
  composeWebhook: (value) => (value ? resultText(value) : null),
}

/** Adds the fields of a stored event that depend on the method. */
function complete(method: EventMethod, event: PluginEvent): void {
  const { elements_chain, properties } = event
  delete event.elements_chain
  if (method === 'onEvent') {
    if (properties?.$set) event.$set = properties.$set
    if (properties?.$set_once) event.$set_once = properties.$set_once
  }
  if (method === 'composeWebhook') {
    event.timestamp = new Date(event.timestamp)
    if (elements_chain) properties.$elements_chain = elements_chain
  }
}

/**
 * Calls a method with the next event of the queue. Returns the text of the result, or the number of another outcome. Without a
 * promise there is no call of the host, which would take longer than most methods.
 */
export function offer(method: EventMethod): string | number {
  try {
    const offered = method === 'processEvent' ? nextChangingEvent() : nextEvent()
    const { event } = offered
    if (method !== 'processEvent') complete(method, event)
    if (!isWanted(event)) return OUTCOMES.excluded
    if (!plugin.methods[method]) throw new Error(`The plugin has no function "${method}".`)
    const result = plugin.methods[method](event, method === 'composeWebhook' ? metaFor(event) : meta)
    const toOutcome = (value: unknown): string | number => {
      const outcome = RESULTS[method](value, offered)
      return outcome === true ? OUTCOMES.unchanged : (outcome ?? OUTCOMES.nothing)
    }
    if (!isThenable(result)) return toOutcome(result)
    Promise.resolve(result)
      .then(toOutcome)
      .then(
        (outcome) => put(true, outcome),
        (error) => put(false, stringify(describe(error))),
      )
  } catch (error) {
    put(false, stringify(describe(error)))
  }
  return OUTCOMES.later
}

/** `text`: JSON of the arguments. */
export async function once(kind: OnceFunction['kind'], name: string, text: string): Promise<string> {
  const args: unknown[] = parse(text)
  if (kind === 'methods' && name === 'exportEvents') return exportEvents(args[0] as PluginEvent[])
  const work = plugin[kind][name]
  if (!isFunction(work)) throw new Error(`The plugin has no ${kind === 'jobs' ? 'job' : 'function'} "${name}".`)
  return resultText(await work(...args, meta))
}

/** Returns the number of events that the filters let pass. */
async function exportEvents(events: PluginEvent[]): Promise<string> {
  const wanted = events.filter(isWanted)
  for (const event of wanted) complete('onEvent', event)
  if (wanted.length) await plugin.methods.exportEvents?.(wanted, meta)
  return String(wanted.length)
}

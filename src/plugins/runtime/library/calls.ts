/** Calls the functions of the plugin. */
import type { EventMethod, OnceFunction, PluginError } from '../messages.ts'
import { parse, put, stringify } from './host.ts'
import { meta } from './meta.ts'
import { plugin } from './plugin.ts'
import { isFunction, isObject, isThenable, textOf } from './values.ts'
import { isWanted, metaFor, type PluginEvent } from './webhooks.ts'

const MAX_RESULT_LENGTH = 4 * 1024 * 1024
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

function resultText(value: unknown): string {
  const text = stringify(value) ?? 'null'
  if (text.length > MAX_RESULT_LENGTH)
    throw new RangeError(`The result has ${text.length} characters. At most ${MAX_RESULT_LENGTH} are allowed.`)
  return text
}

/** The result of a method for one event, as text. Null when the event is dropped or there is nothing to send. */
const RESULTS: Record<EventMethod, (value: unknown) => string | null> = {
  processEvent: (value) => {
    if (!value) return null
    if (typeof value !== 'object') throw new TypeError('processEvent must return the event, or null to drop it.')
    return resultText(value)
  },
  onEvent: () => null,
  composeWebhook: (value) => (value ? resultText(value) : null),
}

/** Adds the fields that depend on the method. */
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

/** Tells the host that the outcome is passed to `put`. */
const PUT = 0

/**
 * Calls a method with one event. Returns the text of the result, `false` if the filters exclude the event, or `PUT`. Without a promise there is no call of the host, which
 * would take longer than most methods.
 */
export function offer(method: EventMethod, line: string): string | null | false | typeof PUT {
  const toText = RESULTS[method]
  try {
    const event: PluginEvent = parse(line)
    complete(method, event)
    if (!isWanted(event)) return false
    const isWebhook = method === 'composeWebhook'
    if (!plugin.methods[method]) throw new Error(`The plugin has no function "${method}".`)
    const result = plugin.methods[method](event, isWebhook ? metaFor(event) : meta)
    if (!isThenable(result)) return toText(result)
    Promise.resolve(result)
      .then((value) => toText(value))
      .then(
        (text) => put(true, text),
        (error) => put(false, stringify(describe(error))),
      )
  } catch (error) {
    put(false, stringify(describe(error)))
  }
  return PUT
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

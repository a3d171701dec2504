/**
 * Runs the code of plugins in child processes. A process that hangs is killed and replaced. The sandbox has no database: a
 * `PluginHost` answers the calls of plugins.
 */
import { ProcessExited } from '../../background/process-pool.ts'
import { shuttingDown } from '../../background/slots.ts'
import type { PluginHost } from './answers.ts'
import type { Capabilities } from './capabilities.ts'
import { attend, exchange } from './exchange.ts'
import type {
  ConfigurationCode,
  EventMethod,
  Limits,
  OnceFunction,
  Outcome,
  PluginError,
  RunOutput,
  SourceError,
  StagedError,
} from './messages.ts'
import { type Children, createChildren, type SandboxOptions, sendConfiguration, withChild } from './sandbox-children.ts'
import { maskError, maskOf, maskOutcome } from './secrets-mask.ts'

/** A configuration as the sandbox needs it. */
export interface Configuration extends ConfigurationCode {
  project_id: number
  /** Replaced by a mask in logs and errors. */
  secrets: readonly string[]
}

export interface EachResult extends RunOutput {
  /** One per event, in order. Shorter than the events after a RetryError, at the end of the time, and with `error`. */
  outcomes: Outcome[]
  /** Its stage tells what failed: the code, `setupPlugin`, or after the calls a flush of the buffers. */
  error?: StagedError
}

export interface OnceResult extends RunOutput {
  /** JSON. */
  result: string | null
  error?: StagedError
}

export interface Inspection {
  /** Empty when there is no main file or it does not load. */
  capabilities: Capabilities | Record<string, never>
  /** File name to error. */
  errors: Record<string, SourceError>
  /** File name to JavaScript, for the files that run in a browser. */
  transpiled: Record<string, string>
}

export interface Sandbox {
  /** Loads the code without settings and finds its exports and errors. */
  inspect(files: Record<string, string>): Promise<Inspection>
  /** Calls a method for each event, given as JSON. */
  each(
    configuration: Configuration,
    method: EventMethod,
    events: readonly string[],
    limits: Limits,
    host: PluginHost,
  ): Promise<EachResult>
  /** `args`: a list. */
  once(
    configuration: Configuration,
    work: OnceFunction | null,
    args: readonly unknown[],
    limits: Limits,
    host: PluginHost,
  ): Promise<OnceResult>
  /** Runs `teardownPlugin` where the configuration is loaded and idle, and forgets it. */
  unload(configuration: Pick<Configuration, 'id' | 'secrets'>, host: PluginHost): Promise<RunOutput>
  stop(): Promise<void>
}

/** The part of the sandbox that installing a plugin needs. */
export type CodeInspector = Pick<Sandbox, 'inspect'>

const INSPECT_LIMIT_MS = 20_000
const UNLOAD_LIMIT_MS = 15_000

const KILLED: PluginError = {
  name: 'TimeoutError',
  message: 'The call took too long and its process was killed.',
  stack: '',
  retry: false,
  stopped: 'timeout',
}

export function createSandbox(options: SandboxOptions): Sandbox {
  const children = createChildren(options)
  return {
    inspect: (files) => inspect(children, files),
    each: (...call) => each(children, ...call),
    once: (...call) => once(children, ...call),
    unload: (configuration, host) => unload(children, configuration, host),
    stop: async () => {
      children.slots.stop()
      await children.pool.stop()
    },
  }
}

type EachCall = Parameters<Sandbox['each']>

/** The state of a call of `each`, which may need several processes. */
interface EachState {
  until: number
  result: EachResult
  /** After a process was killed, the events that are left run one by one, to find the one that hangs. */
  isCareful: boolean
  /** Whether the last process has called the method. */
  hasStarted: boolean
}

async function each(children: Children, ...call: EachCall): Promise<EachResult> {
  const [, , events, limits, host] = call
  const result: EachResult = { outcomes: [], lines: [], metrics: [] }
  const state = { until: performance.now() + limits.request_ms, result, isCareful: false, hasStarted: false }
  while (result.outcomes.length < events.length && performance.now() < state.until) {
    state.hasStarted = false
    try {
      await offerRest(children, state, ...call)
      return result
    } catch (error) {
      if (!(error instanceof ProcessExited)) throw error
      host.signal?.throwIfAborted()
      if (!state.isCareful) state.isCareful = true
      else if (state.hasStarted) result.outcomes.push({ error: KILLED })
      else return { ...result, error: { ...KILLED, stage: 'setup' } }
    }
  }
  return result
}

/** Offers the events without an outcome to one process. Throws `ProcessExited` when it was killed. */
async function offerRest(
  children: Children,
  state: EachState,
  ...[configuration, method, events, limits, host]: EachCall
): Promise<void> {
  const { until, result, isCareful } = state
  const mask = maskOf(configuration.secrets)
  const add = (outcomes: readonly Outcome[]): void => {
    result.outcomes.push(...outcomes.map((outcome) => maskOutcome(outcome, mask)))
  }
  const onProgress = (outcomes: readonly Outcome[]): void => {
    state.hasStarted = true
    add(outcomes)
  }
  const done = await withChild(children, configuration, until, async (child) => {
    const request_ms = until - performance.now()
    if (request_ms <= 0) return undefined
    await sendConfiguration(children, child, configuration)
    const request = {
      kind: 'each',
      id: configuration.id,
      method,
      events: events.slice(result.outcomes.length),
    } as const
    return attend(
      child,
      { ...request, limits: { ...limits, request_ms }, careful: isCareful },
      { hang_ms: children.hang_ms, limit_ms: request_ms },
      { host, mask, output: result, events: events.length, onProgress },
    )
  })
  if (done?.kind !== 'each_done') return
  add(done.outcomes)
  if (done.error) result.error = maskError(done.error, mask)
}

async function once(
  children: Children,
  ...[configuration, work, args, limits, host]: Parameters<Sandbox['once']>
): Promise<OnceResult> {
  const { id, secrets } = configuration
  const mask = maskOf(secrets)
  const result: OnceResult = { result: null, lines: [], metrics: [] }
  try {
    const done = await withChild(children, configuration, Number.POSITIVE_INFINITY, async (child) => {
      await sendConfiguration(children, child, configuration)
      return attend(
        child,
        { kind: 'once', id, function: work, args: JSON.stringify(args), limits },
        { hang_ms: children.hang_ms, limit_ms: limits.request_ms },
        { host, mask, output: result },
      )
    })
    if (done?.kind !== 'once_done') return result
    result.result = done.result
    if (done.error) result.error = maskError(done.error, mask)
  } catch (error) {
    if (!(error instanceof ProcessExited)) throw error
    if (children.slots.stopped) throw shuttingDown()
    host.signal?.throwIfAborted()
    result.error = { ...KILLED, stage: 'call' }
  }
  return result
}

const NOBODY = { id: null, project_id: null }

async function inspect(children: Children, files: Record<string, string>): Promise<Inspection> {
  const code = Object.fromEntries(Object.entries(files).filter(([name]) => /\.([jt]sx?|json)$/.test(name)))
  if (!Object.keys(code).some((name) => !name.endsWith('.json')))
    return { capabilities: {}, errors: {}, transpiled: {} }
  try {
    const inspection = await withChild(children, NOBODY, Number.POSITIVE_INFINITY, async (child) => {
      const limits = { hang_ms: children.hang_ms, limit_ms: INSPECT_LIMIT_MS }
      const reply = await exchange(child, { kind: 'inspect', files: code }, limits)
      if (reply.kind !== 'inspected') throw new Error('The plugin sandbox sent an unexpected reply.')
      return { capabilities: reply.capabilities, errors: reply.errors, transpiled: reply.transpiled }
    })
    return inspection ?? { capabilities: {}, errors: {}, transpiled: {} }
  } catch (error) {
    if (!(error instanceof ProcessExited)) throw error
    const errors = Object.fromEntries(Object.keys(code).map((name) => [name, { detail: KILLED.message }]))
    return { capabilities: {}, errors, transpiled: {} }
  }
}

async function unload(
  children: Children,
  ...[{ id, secrets }, host]: Parameters<Sandbox['unload']>
): Promise<RunOutput> {
  const { sent, loadedIn, hang_ms } = children
  const output: RunOutput = { lines: [], metrics: [] }
  const child = loadedIn.get(id)?.deref()
  loadedIn.delete(id)
  if (!child || child.dead) return output
  await withChild(children, { id, project_id: null }, Number.POSITIVE_INFINITY, async (taken) => {
    // Another process does not have it.
    if (!sent.get(taken)?.delete(id)) return
    const limits = { hang_ms, limit_ms: UNLOAD_LIMIT_MS }
    await attend(taken, { kind: 'unload', id }, limits, { host, output, mask: maskOf(secrets) })
  }).catch((error) => {
    if (!(error instanceof ProcessExited)) throw error
  })
  return output
}

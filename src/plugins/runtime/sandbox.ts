/**
 * Runs the code of plugins in child processes. A process that hangs is killed and replaced. The sandbox has no database: what plugins
 * ask for is answered by a `PluginHost`.
 */
import { dirname, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cpuTimeOf } from '../../background/cpu-time.ts'
import { createProcessPool, type PooledProcess, ProcessExited } from '../../background/process-pool.ts'
import { AppError, unavailable } from '../../errors.ts'
import type { Capabilities } from './capabilities.ts'
import { FetchError, type FetchRequest, type FetchResponse } from './fetch.ts'
import type {
  ConfigurationCode,
  EventMethod,
  Limits,
  LoadError,
  LogLine,
  MetricChange,
  OnceFunction,
  Outcome,
  PluginError,
  SandboxReply,
  SandboxRequest,
} from './messages.ts'

export type {
  Attachment,
  EventMethod,
  Limits,
  LoadError,
  LogLine,
  OnceFunction,
  Outcome,
  PluginError,
} from './messages.ts'

/** A configuration as the sandbox needs it. */
export interface Configuration extends ConfigurationCode {
  project_id: number
  /** Replaced by a mask in logs and errors. */
  secrets: readonly string[]
}

/** What plugins may ask for. Errors reach the plugin with their name and message. */
export interface PluginHost {
  fetch(request: FetchRequest, body: Uint8Array | undefined, signal: AbortSignal): Promise<FetchResponse>
  /** JSON; null when there is no value. */
  storageGet(key: string): Promise<string | null>
  /** Null deletes the value. */
  storageSet(key: string, value: string | null): Promise<void>
  cursorInit(key: string, start: number): Promise<void>
  cursorIncrement(key: string, by: number): Promise<number>
  cache(operation: string, key: string, args: readonly unknown[]): Promise<unknown>
  job(name: string, payload: unknown, delay_ms: number): Promise<void>
  capture(event: string, properties: Record<string, unknown>): Promise<void>
}

export interface RunOutput {
  lines: LogLine[]
  metrics: MetricChange[]
}

export interface EachResult extends RunOutput {
  /** One per event, in order. Shorter than the events after a RetryError, at the end of the time, and with `error`. */
  outcomes: Outcome[]
  /** The code or `setupPlugin` failed. */
  error?: LoadError
}

export interface OnceResult extends RunOutput {
  /** JSON. */
  result: string | null
  error?: LoadError
}

export interface Inspection {
  /** Empty when there is no main file or it does not load. */
  capabilities: Capabilities | Record<string, never>
  /** File name to error. */
  errors: Record<string, string>
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
    work: OnceFunction,
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

export interface SandboxOptions {
  /** Processes that run at the same time. */
  max_processes: number
  /** The CPU time that a process may use without a message. */
  hang_ms?: number
  /** The priority of the processes. */
  niceness?: number
  idle_ms?: number
}

/** More than the CPU time of one call. */
const HANG_MS = 2_000
const CHECK_MS = 250
/** Leaves the CPU to requests. */
const NICENESS = 10
const START_MS = 30_000
const IDLE_MS = 300_000
const MEMORY_MB = 128
/** A process that reports that it is alive, but does not end. */
const GRACE_MS = 5_000
const MAX_WAITING = 1_000
const INSPECT_LIMIT_MS = 20_000
const UNLOAD_LIMIT_MS = 15_000
/** V8 needs this stack for 256 KiB of QuickJS. Threads of Windows have 1 MB. */
const FLAGS = process.platform === 'win32' ? [] : ['--stack-size=3900']
export const SECRET_MASK = '**REDACTED**'
/** Shorter secrets would mask parts of ordinary words. */
const MIN_SECRET_LENGTH = 4

/** What one request may ask for, and how much more for each event. */
const ALLOWANCES = {
  fetch: { base: 100, each: 10, name: 'requests' },
  'storage.get': { base: 1_000, each: 100, name: 'reads of the storage' },
  'storage.set': { base: 1_000, each: 20, name: 'writes to the storage' },
  'cursor.init': { base: 100, each: 10, name: 'cursors' },
  'cursor.increment': { base: 1_000, each: 20, name: 'steps of cursors' },
  cache: { base: 10_000, each: 100, name: 'calls of the cache' },
  job: { base: 100, each: 5, name: 'jobs' },
  capture: { base: 100, each: 5, name: 'captured events' },
}
type Operation = keyof typeof ALLOWANCES
const isOperation = (name: string): name is Operation => Object.hasOwn(ALLOWANCES, name)
const MAX_CONCURRENT_FETCHES = 20

type Child = PooledProcess<SandboxRequest, SandboxReply>

/** A second wall by Node: no files but the program, no child processes. The thread watches the server. Only the bundle is one file. */
function permissionFlags(): string[] {
  const here = fileURLToPath(import.meta.url)
  const isBundled = !/[\\/]sandbox\.[jt]s$/.test(here)
  if (!isBundled || !process.allowedNodeEnvironmentFlags.has('--permission')) return []
  return ['--permission', '--allow-worker', `--allow-fs-read=${dirname(here)}${sep}*`]
}

export function createSandbox({
  max_processes,
  hang_ms = HANG_MS,
  idle_ms = IDLE_MS,
  niceness = NICENESS,
}: SandboxOptions): Sandbox {
  const pool = createProcessPool<SandboxRequest, SandboxReply>({
    program: new URL('./sandbox-process', import.meta.url),
    memory_mb: MEMORY_MB,
    flags: [...FLAGS, ...permissionFlags()],
    idle_ms,
    niceness,
    env: {},
    stderr: 'ignore',
    serialization: 'advanced',
  })
  const ready = new WeakSet<Child>()
  /** The versions of the configurations that a process has. */
  const sent = new WeakMap<Child, Map<number, string>>()
  const loadedIn = new Map<number, WeakRef<Child>>()
  const slots = createSlots(max_processes)

  /** Undefined when no process is free until `until`. */
  async function withProcess<Result>(
    { id, project_id }: { id: number | null; project_id: number | null },
    until: number,
    work: (child: Child) => Promise<Result>,
  ): Promise<Result | undefined> {
    const release = await slots.take(project_id, until)
    if (!release) return undefined
    let child: Child | undefined
    try {
      child = pool.take((other) => id !== null && loadedIn.get(id)?.deref() === other)
      await untilReady(child)
      return await work(child)
    } finally {
      if (child) {
        // A killed process counts as running until its memory is free.
        if (child.dead) await child.exited
        pool.release(child)
      }
      release()
    }
  }

  async function untilReady(child: Child): Promise<void> {
    if (ready.has(child)) return
    const timer = setTimeout(() => void child.kill(), START_MS)
    try {
      await child.receive()
    } catch (cause) {
      throw new Error('The plugin sandbox did not start.', { cause })
    } finally {
      clearTimeout(timer)
    }
    ready.add(child)
  }

  /** Sends a request and returns its last reply. Kills a process that hangs, which throws `ProcessExited`. */
  async function exchange(
    child: Child,
    request: SandboxRequest,
    { limit_ms, onReply }: { limit_ms: number; onReply(reply: SandboxReply): void },
  ): Promise<SandboxReply> {
    const kill = (): void => void child.kill()
    const watch = watchHang(child, hang_ms, kill)
    const end = setTimeout(kill, limit_ms + GRACE_MS)
    try {
      await child.send(request)
      for (;;) {
        const reply = await child.receive()
        watch.reset()
        if (reply.kind === 'each_done' || reply.kind === 'once_done' || reply.kind === 'inspected') return reply
        onReply(reply)
      }
    } finally {
      watch.stop()
      clearTimeout(end)
    }
  }

  async function sendConfiguration(child: Child, { id, version, source, settings }: Configuration): Promise<void> {
    let versions = sent.get(child)
    if (!versions) {
      versions = new Map()
      sent.set(child, versions)
    }
    loadedIn.set(id, new WeakRef(child))
    if (versions.get(id) === version) return
    versions.set(id, version)
    await child.send({ kind: 'load', configuration: { id, version, source, settings } })
  }

  /** Answers what the plugin asks for during a request, and collects its output. */
  function attend(child: Child, host: PluginHost, events: number, output: RunOutput, mask: Mask) {
    const answers = createAnswers(host, events)
    return {
      onReply: (reply: SandboxReply): void => {
        if (reply.kind === 'output') {
          output.lines.push(...reply.lines.map(({ level, message }) => ({ level, message: mask(message) })))
          output.metrics.push(...reply.metrics)
        }
        if (reply.kind !== 'ask') return
        void answers
          .answer(reply)
          .then((answer) => child.send({ kind: 'answer', ask: reply.ask, ...answer }).catch(() => undefined))
      },
      end: answers.end,
    }
  }

  const each: Sandbox['each'] = async (configuration, method, events, limits, host) => {
    const mask = maskOf(configuration.secrets)
    const until = performance.now() + limits.request_ms
    const result: EachResult = { outcomes: [], lines: [], metrics: [] }
    const { outcomes } = result
    /** After a process was killed, the events that are left run one by one, to find the one that hangs. */
    let careful = false
    let started = false
    while (outcomes.length < events.length && performance.now() < until) {
      started = false
      try {
        const done = await withProcess(configuration, until, async (child) => {
          const request_ms = until - performance.now()
          if (request_ms <= 0) return undefined
          await sendConfiguration(child, configuration)
          const { onReply, end } = attend(child, host, events.length, result, mask)
          const request = { kind: 'each', id: configuration.id, method, events: events.slice(outcomes.length) } as const
          return exchange(
            child,
            { ...request, limits: { ...limits, request_ms }, careful },
            {
              limit_ms: request_ms,
              onReply: (reply) => {
                if (reply.kind === 'progress') {
                  started = true
                  outcomes.push(...reply.outcomes.map((outcome) => maskOutcome(outcome, mask)))
                } else onReply(reply)
              },
            },
          ).finally(end)
        })
        if (done?.kind !== 'each_done') return result
        outcomes.push(...done.outcomes.map((outcome) => maskOutcome(outcome, mask)))
        if (done.error) result.error = maskError(done.error, mask)
        return result
      } catch (error) {
        if (!(error instanceof ProcessExited)) throw error
        if (!careful) careful = true
        else if (started) outcomes.push({ error: KILLED })
        else return { ...result, error: { ...KILLED, stage: 'setup' } }
      }
    }
    return result
  }

  const once: Sandbox['once'] = async (configuration, work, args, limits, host) => {
    const mask = maskOf(configuration.secrets)
    const result: OnceResult = { result: null, lines: [], metrics: [] }
    try {
      const done = await withProcess(configuration, Number.POSITIVE_INFINITY, async (child) => {
        await sendConfiguration(child, configuration)
        const { onReply, end } = attend(child, host, 1, result, mask)
        const request: SandboxRequest = {
          kind: 'once',
          id: configuration.id,
          function: work,
          args: JSON.stringify(args),
          limits,
        }
        return exchange(child, request, { limit_ms: limits.request_ms, onReply }).finally(end)
      })
      if (done?.kind !== 'once_done') return result
      result.result = done.result
      if (done.error) result.error = maskError(done.error, mask)
    } catch (error) {
      if (!(error instanceof ProcessExited)) throw error
      if (slots.stopped) throw shuttingDown()
      result.error = { ...KILLED, stage: 'call' }
    }
    return result
  }

  return {
    each,
    once,
    inspect: async (files) => {
      const code = Object.fromEntries(Object.entries(files).filter(([name]) => /\.[jt]sx?$/.test(name)))
      if (Object.keys(code).length === 0) return { capabilities: {}, errors: {}, transpiled: {} }
      try {
        const inspection = await withProcess(NOBODY, Number.POSITIVE_INFINITY, async (child) => {
          const reply = await exchange(
            child,
            { kind: 'inspect', files: code },
            { limit_ms: INSPECT_LIMIT_MS, onReply: () => undefined },
          )
          if (reply.kind !== 'inspected') throw new Error('The plugin sandbox sent an unexpected reply.')
          return { capabilities: reply.capabilities, errors: reply.errors, transpiled: reply.transpiled }
        })
        return inspection ?? { capabilities: {}, errors: {}, transpiled: {} }
      } catch (error) {
        if (!(error instanceof ProcessExited)) throw error
        const errors = Object.fromEntries(Object.keys(code).map((name) => [name, KILLED.message]))
        return { capabilities: {}, errors, transpiled: {} }
      }
    },
    unload: async ({ id, secrets }, host) => {
      const output: RunOutput = { lines: [], metrics: [] }
      const child = loadedIn.get(id)?.deref()
      loadedIn.delete(id)
      if (!child || child.dead) return output
      await withProcess({ id, project_id: null }, Number.POSITIVE_INFINITY, async (taken) => {
        // Another process does not have it.
        if (!sent.get(taken)?.delete(id)) return
        const { onReply, end } = attend(taken, host, 1, output, maskOf(secrets))
        await exchange(taken, { kind: 'unload', id }, { limit_ms: UNLOAD_LIMIT_MS, onReply }).finally(end)
      }).catch((error) => {
        if (!(error instanceof ProcessExited)) throw error
      })
      return output
    },
    stop: async () => {
      slots.stop()
      await pool.stop()
    },
  }
}

const NOBODY = { id: null, project_id: null }

interface Waiting {
  project_id: number | null
  start(): void
  fail(error: Error): void
}

/** Who may run now. A project uses at most half of the processes, so that others always find one soon. */
function createSlots(max: number) {
  const waiting: Waiting[] = []
  const runningOf = new Map<number | null, number>()
  const max_per_project = Math.ceil(max / 2)
  let running = 0
  let stopped = false

  const isFree = (project_id: number | null): boolean =>
    running < max && (project_id === null || (runningOf.get(project_id) ?? 0) < max_per_project)

  function occupy(project_id: number | null): () => void {
    running++
    runningOf.set(project_id, (runningOf.get(project_id) ?? 0) + 1)
    return () => {
      running--
      const left = (runningOf.get(project_id) ?? 1) - 1
      if (left === 0) runningOf.delete(project_id)
      else runningOf.set(project_id, left)
      const next = waiting.findIndex((other) => isFree(other.project_id))
      if (next >= 0) waiting.splice(next, 1)[0]?.start()
    }
  }

  return {
    get stopped() {
      return stopped
    },
    /** Returns the function that frees the slot. Undefined when none is free until `until`. */
    take: async (project_id: number | null, until: number): Promise<(() => void) | undefined> => {
      if (stopped) throw shuttingDown()
      if (isFree(project_id)) return occupy(project_id)
      if (waiting.length >= MAX_WAITING) throw unavailable('Too many plugins are waiting to run. Retry the request.')
      return new Promise((resolve, reject) => {
        let timer: NodeJS.Timeout | undefined
        const own: Waiting = {
          project_id,
          start: () => {
            clearTimeout(timer)
            resolve(occupy(project_id))
          },
          fail: reject,
        }
        waiting.push(own)
        if (until === Number.POSITIVE_INFINITY) return
        timer = setTimeout(
          () => {
            waiting.splice(waiting.indexOf(own), 1)
            resolve(undefined)
          },
          Math.max(0, until - performance.now()),
        )
      })
    },
    stop: (): void => {
      stopped = true
      for (const { fail } of waiting.splice(0)) fail(shuttingDown())
    },
  }
}

/**
 * Calls `onHang` when a process sends nothing for a time in which it uses the CPU. On a busy machine a call within its bounds may take
 * several times as long. Where the system does not report the CPU time, all time counts.
 */
function watchHang({ pid }: Child, hang_ms: number, onHang: () => void): { reset(): void; stop(): void } {
  let used_ms = 0
  let last: number | undefined
  const timer = setInterval(() => {
    const cpu = pid === undefined ? undefined : cpuTimeOf(pid)
    used_ms += cpu === undefined ? CHECK_MS : cpu - (last ?? cpu)
    last = cpu
    if (used_ms >= hang_ms) onHang()
  }, CHECK_MS)
  return {
    reset: () => {
      used_ms = 0
    },
    stop: () => clearInterval(timer),
  }
}

const shuttingDown = () => unavailable('The server is shutting down. Retry the request.')

const KILLED: PluginError = {
  name: 'TimeoutError',
  message: 'The call took too long and its process was killed.',
  stack: '',
  retry: false,
  stopped: 'timeout',
}

type Mask = (text: string) => string

/** The longest secrets first: one may contain another. */
function maskOf(secrets: readonly string[]): Mask {
  const hidden = secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH).sort((a, b) => b.length - a.length)
  return (text) => hidden.reduce((masked, secret) => masked.replaceAll(secret, SECRET_MASK), text)
}

const maskError = <Failure extends PluginError>(error: Failure, mask: Mask): Failure => ({
  ...error,
  message: mask(error.message),
  stack: mask(error.stack),
})

const maskOutcome = (outcome: Outcome, mask: Mask): Outcome =>
  typeof outcome === 'object' && outcome !== null ? { error: maskError(outcome.error, mask) } : outcome

interface Answer {
  succeeded: boolean
  text: string
  body?: Uint8Array
}

/** Answers the calls of one request. */
function createAnswers(host: PluginHost, events: number) {
  const used = new Map<Operation, number>()
  const abort = new AbortController()
  const queue: (() => void)[] = []
  let fetches = 0

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (fetches >= MAX_CONCURRENT_FETCHES) await new Promise<void>((start) => queue.push(start))
    else fetches++
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else fetches--
    }
  }

  const operations: Record<Operation, (args: unknown[], body?: Uint8Array) => Promise<unknown>> = {
    fetch: ([request], body) => inTurn(() => host.fetch(fetchRequestOf(request), body, abort.signal)),
    'storage.get': ([key]) => host.storageGet(textOf(key)),
    'storage.set': ([key, value]) => host.storageSet(textOf(key), value === null ? null : textOf(value)),
    'cursor.init': ([key, start]) => host.cursorInit(textOf(key), numberOf(start)),
    'cursor.increment': ([key, by]) => host.cursorIncrement(textOf(key), numberOf(by)),
    cache: ([operation, key, ...args]) => host.cache(textOf(operation), textOf(key), args),
    job: ([name, payload, delay_ms]) => host.job(textOf(name), payload, numberOf(delay_ms)),
    capture: ([captured]) => {
      const { event, properties } = recordOf(captured)
      return host.capture(textOf(event), recordOf(properties ?? {}))
    },
  }

  return {
    answer: async ({ operation, args, body }: Extract<SandboxReply, { kind: 'ask' }>): Promise<Answer> => {
      try {
        if (!isOperation(operation)) throw new TypeError('The plugin asked for something unknown.')
        const { base, each, name } = ALLOWANCES[operation]
        const limit = base + each * events
        const count = (used.get(operation) ?? 0) + 1
        used.set(operation, count)
        if (count > limit) throw new RangeError(`A call is limited to ${limit} ${name}.`)
        const list: unknown = JSON.parse(args)
        const value = await operations[operation](Array.isArray(list) ? list : [], body)
        if (operation !== 'fetch') return { succeeded: true, text: JSON.stringify(value ?? null) }
        const { body: received, ...response } = value as FetchResponse
        return { succeeded: true, text: JSON.stringify(response), body: received }
      } catch (error) {
        const { name, message } = isForPlugins(error) ? error : new Error('The call failed. Try again later.')
        return { succeeded: false, text: JSON.stringify([name, message]) }
      }
    },
    /** Cancels the requests that nobody waits for any more. */
    end: (): void => abort.abort(),
  }
}

/** Other errors, such as those of the database, are not for plugins. */
const isForPlugins = (error: unknown): error is Error =>
  error instanceof FetchError || error instanceof AppError || error instanceof TypeError || error instanceof RangeError

const textOf = (value: unknown): string => {
  if (typeof value !== 'string') throw new TypeError('The argument must be a text.')
  return value
}
const numberOf = (value: unknown): number => {
  if (typeof value !== 'number') throw new TypeError('The argument must be a number.')
  return value
}
const recordOf = (value: unknown): Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) throw new TypeError('The argument must be an object.')
  return { ...value }
}

function fetchRequestOf(value: unknown): FetchRequest {
  const { url, method, headers, redirect, timeout } = recordOf(value)
  const pairs = Array.isArray(headers) ? headers : []
  return {
    url: textOf(url),
    method: textOf(method),
    headers: pairs.map((pair): [string, string] => [textOf(pair?.[0]), textOf(pair?.[1])]),
    redirect: textOf(redirect),
    ...(typeof timeout === 'number' && { timeout }),
  }
}

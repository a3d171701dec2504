/**
 * Runs the code of plugins in child processes. A process that hangs is killed and replaced. The sandbox has no database: a
 * `PluginHost` answers the calls of plugins.
 */
import { dirname, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cpuTimeOf } from '../../background/cpu-time.ts'
import { createProcessPool, type PooledProcess, ProcessExited } from '../../background/process-pool.ts'
import { createSlots, shuttingDown } from '../../background/slots.ts'
import { createAnswers, type PluginHost } from './answers.ts'
import type { Capabilities } from './capabilities.ts'
import {
  type ConfigurationCode,
  type EventMethod,
  type Limits,
  type LoadError,
  type LogLine,
  type MetricChange,
  type OnceFunction,
  type Outcome,
  type PluginError,
  removeOldest,
  type SandboxReply,
  type SandboxRequest,
} from './messages.ts'

export type { PluginHost } from './answers.ts'
export type {
  Attachment,
  EventMethod,
  Limits,
  LoadError,
  LogLine,
  MetricChange,
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
  const slots = createSlots({
    max: max_processes,
    max_waiting: MAX_WAITING,
    full: 'Too many plugins are waiting to run. Retry the request.',
  })

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
    removeOldest(versions)
    await child.send({ kind: 'load', configuration: { id, version, source, settings } })
  }

  /** Answers what the plugin asks for during a request, and collects its output. Kills the process when the call is aborted. */
  function attend(child: Child, host: PluginHost, events: number, output: RunOutput, mask: Mask) {
    host.signal?.throwIfAborted()
    const answers = createAnswers(host, events)
    const kill = (): void => void child.kill()
    host.signal?.addEventListener('abort', kill)
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
      end: (): void => {
        host.signal?.removeEventListener('abort', kill)
        answers.end()
      },
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
        host.signal?.throwIfAborted()
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
      host.signal?.throwIfAborted()
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

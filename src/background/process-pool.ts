/** Child processes that run the same program. They are started on demand, reused, killed and replaced. */
import { type ChildProcess, fork, type SerializationType } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { unavailable } from '../errors.ts'
import { lowerPriority, runOnIdleCpu } from './priority.ts'

export interface ProcessPoolOptions {
  /** The program's file without its extension. */
  program: URL
  args?: readonly string[]
  /** The limit of the JavaScript heap. */
  memory_mb?: number
  /** Further flags of Node. */
  flags?: readonly string[]
  /** The environment of the server by default. */
  env?: NodeJS.ProcessEnv
  /** Set by the server: it also applies to the start of the program and to its threads. */
  niceness?: number
  /** Runs the processes only while a CPU is idle. On a busy machine they may make no progress. */
  only_idle_cpu?: boolean
  /** Kills a process that is idle for this long. By default, idle processes stay. */
  idle_ms?: number
  /** Processes that may run out of memory print long crash reports. */
  stderr?: 'inherit' | 'ignore'
  serialization?: SerializationType
}

export interface ProcessPool<Request extends object, Reply> {
  /** Returns an idle process, a preferred one if possible, or starts one. Throws `unavailable` after `stop`. */
  take(isPreferred?: (process: PooledProcess<Request, Reply>) => boolean): PooledProcess<Request, Reply>
  /** Returns a process to the pool. Its last reply must have been received. */
  release(process: PooledProcess<Request, Reply>): void
  /** Kills all processes. Resolves when they have exited. */
  stop(): Promise<void>
}

export interface PooledProcess<Request extends object, Reply> {
  /** Undefined when it could not be started. */
  readonly pid: number | undefined
  /** True as soon as the process is killed or disconnects. It may not have exited yet. */
  readonly dead: boolean
  readonly exited: Promise<void>
  /** Resolves when the message is written. Throws `ProcessExited`. */
  send(message: Request): Promise<void>
  /** Resolves with the next message. Throws `ProcessExited`. */
  receive(): Promise<Reply>
  /** Resolves when the process has exited. */
  kill(): Promise<void>
  /** A process that is in use keeps the event loop of the server alive. Called by the pool. */
  ref(): void
  unref(): void
}

export class ProcessExited extends Error {
  override readonly name = 'ProcessExited'
}

export function createProcessPool<Request extends object, Reply>(
  options: ProcessPoolOptions,
): ProcessPool<Request, Reply> {
  type Process = PooledProcess<Request, Reply>
  const all = new Set<Process>()
  const idle = new Map<Process, NodeJS.Timeout | undefined>()
  let stopped = false

  function start(): Process {
    const process: Process = startProcess(options)
    all.add(process)
    void process.exited.then(() => {
      all.delete(process)
      removeIdle(process)
    })
    return process
  }

  function removeIdle(process: Process): void {
    clearTimeout(idle.get(process))
    idle.delete(process)
  }

  return {
    take: (isPreferred = () => true) => {
      if (stopped) throw unavailable('The server is shutting down. Retry the request.')
      const ready = [...idle.keys()].reverse().filter((process) => !process.dead)
      const process = ready.find(isPreferred) ?? ready[0]
      if (!process) return start()
      removeIdle(process)
      process.ref()
      return process
    },
    release: (process) => {
      if (process.dead) return
      process.unref()
      const { idle_ms } = options
      idle.set(process, idle_ms === undefined ? undefined : setTimeout(() => void process.kill(), idle_ms).unref())
    },
    stop: async () => {
      stopped = true
      await Promise.all([...all].map((process) => process.kill()))
    },
  }
}

/** Programs run from the sources need their loader. Built programs are next to the server's own file. */
const FROM_SOURCES = import.meta.url.endsWith('.ts')

function startProcess<Request extends object, Reply>({
  program,
  args = [],
  memory_mb,
  flags = [],
  env,
  niceness,
  only_idle_cpu,
  stderr = 'inherit',
  serialization = 'json',
}: ProcessPoolOptions): PooledProcess<Request, Reply> {
  const child: ChildProcess = fork(`${fileURLToPath(program)}.${FROM_SOURCES ? 'ts' : 'js'}`, args, {
    execArgv: [
      ...(memory_mb === undefined ? [] : [`--max-old-space-size=${memory_mb}`]),
      ...flags,
      ...(FROM_SOURCES ? ['--import=tsx'] : []),
    ],
    env,
    serialization,
    stdio: ['ignore', 'ignore', stderr, 'ipc'],
  })
  if (niceness !== undefined && child.pid !== undefined) lowerPriority(niceness, child.pid)
  if (only_idle_cpu && child.pid !== undefined) runOnIdleCpu(child.pid)

  const inbox: Reply[] = []
  /** Rejects the pending `send` and `receive`. */
  const pending = new Set<(error: ProcessExited) => void>()
  let receiver: ((reply: Reply) => void) | undefined
  let killed = false
  let hasExited = false
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.on('error', () => resolve())
  }).then(() => {
    hasExited = true
    for (const fail of pending) fail(new ProcessExited())
  })
  child.on('message', (reply: Reply) => {
    if (receiver) receiver(reply)
    else inbox.push(reply)
  })

  return {
    pid: child.pid,
    get dead() {
      return killed || hasExited || !child.connected
    },
    exited,
    send: (message) =>
      new Promise<void>((resolve, reject) => {
        if (hasExited) return reject(new ProcessExited())
        pending.add(reject)
        child.send(message, (error) => {
          pending.delete(reject)
          if (!error) return resolve()
          // The channel breaks before the exit is reported. Without this the pool would hand the process out again.
          killed = true
          child.kill('SIGKILL')
          reject(new ProcessExited())
        })
      }),
    receive: () =>
      new Promise<Reply>((resolve, reject) => {
        const reply = inbox.shift()
        if (reply !== undefined) return resolve(reply)
        if (hasExited) return reject(new ProcessExited())
        pending.add(reject)
        receiver = (next) => {
          receiver = undefined
          pending.delete(reject)
          resolve(next)
        }
      }),
    kill: async () => {
      killed = true
      child.ref()
      child.kill('SIGKILL')
      await exited
    },
    ref: () => {
      child.ref()
      child.channel?.ref()
    },
    unref: () => {
      child.unref()
      child.channel?.unref()
    },
  }
}

/** Runs deliveries in child processes. They load large libraries, use a whole CPU and can be killed. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { DeliveryJob, DeliveryResult, Reporter } from './deliver.ts'
import { DeliveryError, retryableError, type TestStep } from './destination.ts'
import type { Answer, Order, Tested } from './messages.ts'

export type Launch = (job: DeliveryJob, reporter: Reporter, signal: AbortSignal) => Promise<DeliveryResult>

export interface DeliveryProcesses {
  deliver: Launch
  examine(tested: Tested): Promise<TestStep[]>
  stop(): Promise<void>
}

/** How long an idle process is kept. */
const IDLE_MS = 60_000
/** How long an aborted delivery may take to clean up. */
const ABORT_MS = 5_000
const EXAMINE_MS = 45_000

const fromSources = import.meta.url.endsWith('.ts')
const PROGRAM = fileURLToPath(new URL(fromSources ? './deliver-process.ts' : './deliver-process.js', import.meta.url))

interface Worker {
  child: ChildProcess
  gone: Promise<void>
  idle?: NodeJS.Timeout
}

export function createDeliveryProcesses(): DeliveryProcesses {
  const idle: Worker[] = []
  const all = new Set<Worker>()

  function open(): Worker {
    const child = fork(PROGRAM, [], {
      execArgv: fromSources ? ['--import=tsx'] : [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const worker: Worker = {
      child,
      gone: new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.once('error', () => resolve())
      }),
    }
    all.add(worker)
    void worker.gone.then(() => {
      all.delete(worker)
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1)
    })
    return worker
  }

  function take(): Worker {
    const worker = idle.pop() ?? open()
    clearTimeout(worker.idle)
    return worker
  }

  function giveBack(worker: Worker): void {
    if (!all.has(worker)) return
    idle.push(worker)
    worker.idle = setTimeout(() => worker.child.kill('SIGKILL'), IDLE_MS).unref()
  }

  /** Runs one task. `hear` returns its result once it is done. */
  function run<Result>(
    order: Order,
    hear: (answer: Answer, worker: Worker) => Result | undefined,
    signal?: AbortSignal,
  ): Promise<Result> {
    const worker = take()
    const { child, gone } = worker
    return new Promise<Result>((resolve, reject) => {
      let over = false
      let killer: NodeJS.Timeout | undefined
      const end = (settle: () => void, reusable: boolean): void => {
        if (over) return
        over = true
        clearTimeout(killer)
        child.off('message', onMessage)
        signal?.removeEventListener('abort', onAbort)
        if (reusable) giveBack(worker)
        else child.kill('SIGKILL')
        settle()
      }
      const onMessage = (told: Answer): void => {
        const result = told.kind === 'failed' ? undefined : hear(told, worker)
        if (told.kind === 'failed') end(() => reject(failure(told)), true)
        else if (result !== undefined) end(() => resolve(result), true)
      }
      const onAbort = (): void => {
        child.send({ kind: 'abort' } satisfies Order, () => undefined)
        killer = setTimeout(() => child.kill('SIGKILL'), ABORT_MS).unref()
      }
      void gone.then(() => end(() => reject(retryableError('The process that delivers ended unexpectedly.')), false))
      child.on('message', onMessage)
      signal?.addEventListener('abort', onAbort)
      child.send(order, () => undefined)
      if (signal?.aborted) onAbort()
    })
  }

  return {
    deliver: (job, { report: tell, checkpoint }, signal) =>
      run<DeliveryResult>(
        { kind: 'deliver', job },
        (told, { child }) => {
          if (told.kind === 'report') tell(told.report)
          if (told.kind === 'checkpoint')
            // Without a stored checkpoint the delivery must not continue.
            checkpoint(told.checkpoint).then(
              () => child.send({ kind: 'stored' } satisfies Order, () => undefined),
              () => child.kill('SIGKILL'),
            )
          return told.kind === 'delivered' ? told.delivered : undefined
        },
        signal,
      ),
    examine: (destination) =>
      run<TestStep[]>(
        { kind: 'test', destination },
        (told) => (told.kind === 'tested' ? told.steps : undefined),
        AbortSignal.timeout(EXAMINE_MS),
      ),
    stop: async () => {
      const workers = [...all]
      for (const { child } of workers) child.kill('SIGKILL')
      await Promise.all(workers.map(({ gone }) => gone))
    },
  }
}

const failure = ({ message, retryable, retry_after_seconds, cause }: Extract<Answer, { kind: 'failed' }>): Error =>
  Object.assign(
    new DeliveryError(message, { retryable, ...(retry_after_seconds !== undefined && { retry_after_seconds }) }),
    { cause },
  )

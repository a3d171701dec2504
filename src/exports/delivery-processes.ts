/** Runs deliveries in child processes. They load large libraries, use a whole CPU and can be killed. */
import { createProcessPool, type PooledProcess, ProcessExited } from '../background/process-pool.ts'
import { createSlots } from '../background/slots.ts'
import { AppError, unavailable } from '../errors.ts'
import type { DeliveryJob, DeliveryResult, Reporter } from './deliver.ts'
import { DeliveryError, retryableError, type TestStep } from './destination.ts'
import type { DeliveryFailure, DeliveryReply, DeliveryRequest, DestinationTest } from './messages.ts'

export type Deliver = (job: DeliveryJob, reporter: Reporter, signal: AbortSignal) => Promise<DeliveryResult>

export interface DeliveryProcesses {
  deliver: Deliver
  /** Owners, such as projects, share the processes fairly. Throws `unavailable`. */
  testDestination(destination: DestinationTest, owner: string | number): Promise<TestStep[]>
  stop(): Promise<void>
}

const IDLE_MS = 60_000
/** Pages are freed one by one. More than 4 MB of short-lived objects only add to the memory of a long export. */
const YOUNG_OBJECTS = ['--max-semi-space-size=4']
/** How long an aborted delivery may take to clean up. */
const ABORT_MS = 5_000
/** Each loads the libraries of its destination. On two cores, 21 at once take longer than their timeout. */
const MAX_TESTS = 4
const MAX_WAITING_TESTS = { max_waiting: 100, max_waiting_per_owner: 20 }
/** With the timeout and ABORT_MS, at most the 60 s after which common proxies give up. */
const TEST_WAIT_MS = 15_000
const TEST_TIMEOUT_MS = 40_000
const TOO_MANY_TESTS = 'Too many connection tests are running. Retry in a few seconds.'

type DeliveryProcess = PooledProcess<DeliveryRequest, DeliveryReply>
/** A reply that is neither a failure nor ends the task returns undefined. */
type OnReply<Result> = (reply: Exclude<DeliveryReply, DeliveryFailure>, child: DeliveryProcess) => Result | undefined

export function createDeliveryProcesses(): DeliveryProcesses {
  const pool = createProcessPool<DeliveryRequest, DeliveryReply>({
    program: new URL('./deliver-process', import.meta.url),
    idle_ms: IDLE_MS,
    flags: YOUNG_OBJECTS,
  })

  const tests = createSlots({ max: MAX_TESTS, ...MAX_WAITING_TESTS, full: TOO_MANY_TESTS })

  async function test(destination: DestinationTest, owner: string | number): Promise<TestStep[]> {
    const release = await tests.take(owner, performance.now() + TEST_WAIT_MS)
    if (!release) throw unavailable(TOO_MANY_TESTS)
    try {
      return await run<TestStep[]>(
        { kind: 'test', destination },
        (reply) => (reply.kind === 'tested' ? reply.steps : undefined),
        AbortSignal.timeout(TEST_TIMEOUT_MS),
      )
    } catch (cause) {
      throw cause instanceof AppError ? cause : unavailable('The connection test did not finish. Retry it.', cause)
    } finally {
      release()
    }
  }

  /** Runs one task. `onReply` returns the result once the task is done. */
  async function run<Result>(task: DeliveryRequest, onReply: OnReply<Result>, signal?: AbortSignal): Promise<Result> {
    const child = pool.take()
    let reusable = false
    let killTimer: NodeJS.Timeout | undefined
    const onAbort = (): void => {
      notify(child, { kind: 'abort' })
      killTimer = setTimeout(() => void child.kill(), ABORT_MS).unref()
    }
    signal?.addEventListener('abort', onAbort)
    try {
      const sent = child.send(task)
      if (signal?.aborted) onAbort()
      await sent
      for (;;) {
        const reply = await child.receive()
        const result = reply.kind === 'failed' ? undefined : onReply(reply, child)
        reusable = reply.kind === 'failed' || result !== undefined
        if (reply.kind === 'failed') throw errorOf(reply)
        if (result !== undefined) return result
      }
    } catch (error) {
      throw error instanceof ProcessExited ? retryableError('The delivery process crashed.') : error
    } finally {
      clearTimeout(killTimer)
      signal?.removeEventListener('abort', onAbort)
      if (reusable) pool.release(child)
      else void child.kill()
    }
  }

  return {
    deliver: (job, { report, checkpoint }, signal) =>
      run<DeliveryResult>(
        { kind: 'deliver', job },
        (reply, child) => {
          if (reply.kind === 'report') report(reply.report)
          if (reply.kind === 'checkpoint')
            // Without a stored checkpoint the delivery must not continue.
            checkpoint(reply.checkpoint).then(
              () => notify(child, { kind: 'stored' }),
              () => child.kill(),
            )
          return reply.kind === 'delivered' ? reply.delivered : undefined
        },
        signal,
      ),
    testDestination: test,
    stop: () => {
      tests.stop()
      return pool.stop()
    },
  }
}

/** A process that exits fails the next `receive`. */
function notify(child: DeliveryProcess, message: DeliveryRequest): void {
  child.send(message).catch(() => undefined)
}

const errorOf = ({ message, retryable, retry_after_seconds, cause }: DeliveryFailure): Error =>
  Object.assign(
    new DeliveryError(message, { retryable, ...(retry_after_seconds !== undefined && { retry_after_seconds }) }),
    { cause },
  )

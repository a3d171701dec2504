/** The child process that delivers one run at a time. */
import { connectToParent } from '../background/parent.ts'
import { preferThreadPool } from '../background/priority.ts'
import { errorCode } from '../errors.ts'
import { openTracing, type Tracing } from '../telemetry/tracing.ts'
import { type DeliveryJob, deliver, describeFailure, type Reporter } from './deliver.ts'
import type { DeliveryReply, DeliveryRequest } from './messages.ts'
import { testDestination } from './test-destination.ts'

/**
 * Leaves the CPU to requests. Rows wait for the threads that compress them or write Parquet. Reading more rows in the
 * meantime would only slow these threads down: Parquet from PostgreSQL takes 8 % longer on two cores at the same priority.
 */
const NICENESS = { main: 10, pool: 5 }

const parent = connectToParent<DeliveryRequest, DeliveryReply>()
void preferThreadPool(NICENESS)
let abort = new AbortController()
let onStored: (() => void) | undefined

/** Sends nothing after the end of its task: the server would take it for a message of the next one. */
function createReporter(): Reporter & { end(): void } {
  let ended = false
  return {
    report: (report) => {
      if (!ended) void parent.send({ kind: 'report', report })
    },
    checkpoint: (checkpoint) =>
      new Promise((resolve, reject) => {
        if (ended) return reject(new Error('the task has ended'))
        onStored = resolve
        void parent.send({ kind: 'checkpoint', checkpoint })
      }),
    end: () => {
      ended = true
    },
  }
}

let tracing: Promise<Tracing> | undefined

/** Delivers a run inside a span of the attempt. */
async function deliverTraced(
  { settings, parent }: NonNullable<DeliveryJob['trace']>,
  job: DeliveryJob,
  reporter: Reporter,
) {
  tracing ??= openTracing(settings, () => undefined)
  const { start, statement, flush } = await tracing
  const engine = job.url.startsWith('sqlite:') ? 'sqlite' : 'postgres'
  const span = start({ name: `deliver ${job.destination.type}`, parent })
  try {
    const observe = (seconds: number, text: string): void => statement(seconds, text, engine)
    const delivered = await span.run(() => deliver(job, reporter, abort.signal, observe))
    span.set({ 'workspace.export.records': delivered.records, 'workspace.export.bytes': delivered.bytes })
    return delivered
  } catch (error) {
    span.fail()
    throw error
  } finally {
    span.end()
    // The process may be killed when it is idle.
    void flush()
  }
}

async function run(task: Extract<DeliveryRequest, { kind: 'deliver' | 'test' }>): Promise<DeliveryReply> {
  abort = new AbortController()
  const reporter = createReporter()
  try {
    if (task.kind === 'test') return { kind: 'tested', steps: await testDestination(task.destination) }
    const { job } = task
    const delivered = await (job.trace ? deliverTraced(job.trace, job, reporter) : deliver(job, reporter, abort.signal))
    return { kind: 'delivered', delivered }
  } catch (error) {
    const name = error instanceof Error ? error.name : typeof error
    return { kind: 'failed', ...describeFailure(error), cause: `${name}: ${errorCode(error)}` }
  } finally {
    reporter.end()
  }
}

parent.onMessage((request) => {
  if (request.kind === 'stored') onStored?.()
  else if (request.kind === 'abort') abort.abort(new Error('aborted'))
  else void run(request).then(parent.send)
})

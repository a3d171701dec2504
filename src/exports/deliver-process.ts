/** The child process that delivers one run at a time. */
import { connectToParent } from '../background/parent.ts'
import { errorCode } from '../errors.ts'
import { deliver, describeFailure, type Reporter } from './deliver.ts'
import type { DeliveryReply, DeliveryRequest } from './messages.ts'
import { testDestination } from './test-destination.ts'

/** Leaves the CPU to requests. */
const NICENESS = 10

const parent = connectToParent<DeliveryRequest, DeliveryReply>({ niceness: NICENESS })
let abort = new AbortController()
let onStored: (() => void) | undefined

const reporter: Reporter = {
  report: (report) => void parent.send({ kind: 'report', report }),
  checkpoint: (checkpoint) =>
    new Promise((resolve) => {
      onStored = resolve
      void parent.send({ kind: 'checkpoint', checkpoint })
    }),
}

async function run(task: Extract<DeliveryRequest, { kind: 'deliver' | 'test' }>): Promise<DeliveryReply> {
  abort = new AbortController()
  try {
    if (task.kind === 'test') return { kind: 'tested', steps: await testDestination(task.destination) }
    return { kind: 'delivered', delivered: await deliver(task.job, reporter, abort.signal) }
  } catch (error) {
    const name = error instanceof Error ? error.name : typeof error
    return { kind: 'failed', ...describeFailure(error), cause: `${name}: ${errorCode(error)}` }
  }
}

parent.onMessage((request) => {
  if (request.kind === 'stored') onStored?.()
  else if (request.kind === 'abort') abort.abort(new Error('aborted'))
  else void run(request).then(parent.send)
})

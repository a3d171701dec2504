/** A child process that delivers one run at a time and exits with the server. */
import { lowerPriority } from '../background/priority.ts'
import { deliver, describeFailure } from './deliver.ts'
import type { Answer, Order } from './messages.ts'
import { testDestination } from './test-destination.ts'

/** Leaves the CPU to requests. */
const NICENESS = 10
lowerPriority(NICENESS)

let abort = new AbortController()
let stored: (() => void) | undefined

const answer = (told: Answer): void => void process.send!(told)

process.on('disconnect', () => process.exit())
// Ctrl-C and service managers signal the whole process group. Only the server decides when a delivery ends.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => undefined)

process.on('message', async (order: Order) => {
  if (order.kind === 'stored') return stored?.()
  if (order.kind === 'abort') return abort.abort(new Error('aborted'))
  abort = new AbortController()
  try {
    if (order.kind === 'test') return answer({ kind: 'tested', steps: await testDestination(order.destination) })
    const reporter = {
      report: (report: Extract<Answer, { kind: 'report' }>['report']) => answer({ kind: 'report', report }),
      checkpoint: (checkpoint: Extract<Answer, { kind: 'checkpoint' }>['checkpoint']) =>
        new Promise<void>((resolve) => {
          stored = resolve
          answer({ kind: 'checkpoint', checkpoint })
        }),
    }
    answer({ kind: 'delivered', delivered: await deliver(order.job, reporter, abort.signal) })
  } catch (error) {
    answer({
      kind: 'failed',
      ...describeFailure(error),
      cause: `${(error as Error).name}: ${(error as { code?: string }).code ?? ''}`,
    })
  }
})

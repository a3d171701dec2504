/**
 * The values that a plugin read in a run of `processEvent`. An event may use those of the events before it: a message to the server
 * takes longer than most calls.
 */
import type { SandboxRequest } from './messages.ts'

export interface Reads {
  /** The index of the event. */
  event: number
  /** By the call. `event`: the last event that got the value. A second read in one event asks the server. */
  known: Map<string, { event: number; text: string }>
  /** The reads that wait for the server. A write removes them: they may get an old value. */
  asked: Map<number, string>
}

const MAX_READS = 1_000
const MAX_READ_LENGTH = 10_000

export const newReads = (): Reads => ({ event: -1, known: new Map(), asked: new Map() })

export const isRead = (operation: string, args: string): boolean =>
  operation === 'storage.get' || operation === 'geoip' || (operation === 'cache' && args.startsWith('["get",'))

/** The known value of a read. Another call forgets all values: it may be a write. */
export function knownRead({ known, asked, event }: Reads, operation: string, args: string): string | undefined {
  if (!isRead(operation, args)) {
    known.clear()
    asked.clear()
    return undefined
  }
  const value = known.get(operation + args)
  if (!value || value.event === event) return undefined
  value.event = event
  return value.text
}

/** Keeps the answer of a read. The answer of another call may be the end of a write, so it forgets all values, too. */
export function keepRead(
  { known, asked, event }: Reads,
  { ask, succeeded, text }: Extract<SandboxRequest, { kind: 'answer' }>,
): void {
  const call = asked.get(ask)
  asked.delete(ask)
  if (call === undefined) {
    known.clear()
    asked.clear()
  } else if (succeeded && text.length <= MAX_READ_LENGTH && known.size < MAX_READS) known.set(call, { event, text })
}

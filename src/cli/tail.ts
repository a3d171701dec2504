/** `events tail`: prints the latest events and then new ones, in the order of ingestion. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Operation } from '../contract/table.ts'
import { type Body, get, rowsOf } from './client.ts'
import type { Connection } from './connection.ts'
import { usageError } from './failure.ts'
import type { Output } from './output.ts'
import { getThroughRestart, POLL_MS, printStream } from './stream.ts'

const FIRST_EVENTS = 20
const SLOW_POLL_MS = 5_000
const QUICK_MS = 300_000
/** The largest page. */
const MAX_EVENTS = 1_000

export const isTail = ({ id }: Operation): boolean => id === 'events.tail'

export interface TailFlags {
  follow?: boolean
  last?: string
}

export function addTailOptions(command: Command): void {
  // The contract describes one page.
  describeOption(command, '--limit', () => 'the same as --last')
  describeOption(command, '--json', (text) =>
    text.replace(/^[^;]*/, 'one event per line, with only these fields if given'),
  )
  command
    .description(
      'Prints the latest events and then new ones as they arrive, until Ctrl-C. Events come in the order of ingestion, oldest first, even if they arrive late with an old timestamp. After a restart of the server, it continues with the next event. It asks for new events every second for 5 minutes, then every 5 seconds, and waits when the server limits requests. A request with filters reads at most 10,000 events, so it may show fewer earlier ones.',
    )
    .option(
      '--last <number>',
      `how many earlier events to show first, 0 for none, at most ${MAX_EVENTS} (default: ${FIRST_EVENTS})`,
    )
    .option('--no-follow', 'print the latest events and exit')
}

function describeOption({ options }: Command, flag: string, change: (text: string) => string): void {
  for (const option of options) if (option.long === flag) option.description = change(option.description)
}

/** The query of the first page. */
export function tailQuery(query: URLSearchParams, { last }: TailFlags): URLSearchParams {
  const search = new URLSearchParams(query)
  const limit = query.get('limit')
  if (last !== undefined && limit !== null) throw usageError('Use --last or --limit, not both.')
  if (query.has('cursor')) {
    if (last !== undefined) throw usageError('--last cannot be combined with --cursor.')
    return search
  }
  const count = last ?? limit ?? String(FIRST_EVENTS)
  if (!/^\d{1,4}$/.test(count) || Number(count) > MAX_EVENTS)
    throw usageError(`${last === undefined ? '--limit' : '--last'} takes a number from 0 to ${MAX_EVENTS}.`)
  search.set('limit', count)
  return search
}

/** `query` is that of the first page. */
export async function tailEvents(
  operation: Operation,
  server: Connection,
  path: string,
  query: URLSearchParams,
  { follow = true }: TailFlags,
  output: Output,
): Promise<void> {
  if (output.format === 'json') throw usageError('`events tail` prints one event per line. Use --json, or --no-follow.')
  await printStream(eventsFrom(server, path, query, follow), output, operation)
}

/** The time between requests. The first hour has 960 of the 1,200 requests that a user's keys have. */
export const pollInterval = (waited_ms: number): number => (waited_ms < QUICK_MS ? POLL_MS : SLOW_POLL_MS)

/** The cursor of a page survives a restart of the server, so no event is skipped or repeated. */
async function* eventsFrom(
  server: Connection,
  path: string,
  query: URLSearchParams,
  follow: boolean,
): AsyncGenerator<Body[]> {
  const search = new URLSearchParams(query)
  const isNone = query.get('limit') === '0'
  // The smallest page has one event.
  if (isNone) search.set('limit', '1')
  // A wrong URL or key fails here instead of being retried.
  let page = await get(server, `${path}?${search}`)
  yield isNone ? [] : rowsOf(page)
  if (!follow) return
  search.set('limit', String(MAX_EVENTS))
  let waited_ms = 0
  for (;;) {
    if (page.more !== true) {
      const interval = pollInterval(waited_ms)
      await sleep(interval)
      waited_ms += interval
    }
    search.set('cursor', String(page.cursor))
    page = await getThroughRestart(server, `${path}?${search}`)
    yield rowsOf(page)
  }
}

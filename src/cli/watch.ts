/** Commands that wait: `runs watch`, `logs --follow` and `backfill --watch`. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import type { Variables } from '../config.ts'
import type { Operation } from '../contract/table.ts'
import { type Body, get, isBody, listAll, nextQuery, rowsOf } from './client.ts'
import { type Connection, type ConnectionOptions, connect, withConnectionOptions } from './connection.ts'
import { commandError, EXIT, EXIT_CODES_SUMMARY, usageError } from './failure.ts'
import { COMMAND_OPERATIONS, inputsOf, operationNamed } from './inputs.ts'
import { type JsonFlags, printResult, withJsonOptions } from './json-output.ts'
import { LATEST, pathOf, type ScopeFlags, withScopeOptions } from './names.ts'
import { fieldNames, note, type Output } from './output.ts'
import { outputWidth, singleLine, wrap } from './print.ts'
import { bar, clock, createProgress, createProgressLine, type Progress } from './progress.ts'
import { shellQuote } from './quote.ts'
import { columnsFor, getThroughRestart, lineFormat, POLL_MS, printStream } from './stream.ts'

/** Entries of another node may arrive late, so each poll reads this much again. */
const OVERLAP_MS = 10_000
const FIRST_ENTRIES = 20
const MIN_MESSAGE_WIDTH = 20

const isFinal = ({ status }: Body): boolean => status !== 'Starting' && status !== 'Running'

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** Draws the progress of a run and prints its errors. The bar appears once the events of the window are counted. */
function createRunProgress() {
  let progress: Progress | undefined
  let shown = 0
  let error: unknown = null
  return {
    show: ({ records_completed, records_total_count }: Body): void => {
      if (typeof records_total_count === 'number') progress ??= createProgress('records', records_total_count)
      progress?.advance(numberOf(records_completed) - shown)
      shown = numberOf(records_completed)
      progress?.show(shown)
    },
    /** Once per error. A failed attempt is repeated after a delay. */
    showError: ({ latest_error }: Body): void => {
      if (latest_error !== error && typeof latest_error === 'string') {
        progress?.clear()
        note(`Failing: ${singleLine(latest_error)} The run is retried.`)
      }
      error = latest_error
    },
    clear: (): void => progress?.clear(),
    end: ({ status }: Body): void => progress?.end(shown, status === 'Completed'),
  }
}

/** Polls a run until it ends. A run that has already ended needs no bar. */
async function waitForRun(server: Connection, path: string): Promise<Body> {
  const progress = createRunProgress()
  let run = await get(server, path)
  if (isFinal(run)) return run
  while (!isFinal(run)) {
    progress.showError(run)
    progress.show(run)
    await sleep(POLL_MS)
    run = await getThroughRestart(server, path)
  }
  progress.show(run)
  progress.end(run)
  return run
}

const outcome = ({
  status,
  data_interval_start,
  data_interval_end,
  records_completed,
  bytes_completed,
}: Body): string => {
  const window = `${singleLine(data_interval_start)} to ${singleLine(data_interval_end)}`
  const amount = `${numberOf(records_completed).toLocaleString('en')} records, ${numberOf(bytes_completed).toLocaleString('en')} bytes`
  return `${status}: ${window}, ${amount}`
}

/** A run or backfill that did not complete is a failure of the command. */
function requireCompleted({ status, latest_error }: Body, subject: string, remedy = ''): void {
  if (status === 'Completed') return
  const reason = typeof latest_error === 'string' ? ` ${singleLine(latest_error)}` : ''
  throw commandError(EXIT.not_completed, `${subject} ended with the status ${status}.${reason}${remedy}`)
}

type WatchFlags = ConnectionOptions & ScopeFlags & JsonFlags

export function watchCommand(variables: Variables): Command {
  const one = operationNamed('batch_export_runs.retrieve')
  const command = new Command('watch')
    .summary('wait for a run and show its progress')
    .description(
      'Waits until a run ends, with a progress bar on a terminal. Without the id of a run, waits for the newest run of the export. The exit code is 0 if the run completes and 10 if it fails or is cancelled.',
    )
    .argument('<batch_export_id>', 'The id of the batch export. Its name works too if it is unique.')
    .argument('[run_id]', 'The id of the run.', LATEST)
  COMMAND_OPERATIONS.set(command, one)
  command.optionsGroup('Scope:')
  withScopeOptions(command, 'project').optionsGroup('Connection:')
  return withJsonOptions(
    withConnectionOptions(command).optionsGroup('Output:'),
    fieldNames(one),
    'print the run as JSON when it has ended, or only these fields of it',
  )
    .addHelpText(
      'after',
      `
Examples:
  $ workspace-admin runs watch 'Every day into files'
  $ workspace-admin runs watch 'Every day into files' 0192b737-4a01-7c5d-9b8a-1f2e3d4c5b6a --json

${EXIT_CODES_SUMMARY}`,
    )
    .action(async (name: string, id: string, flags: WatchFlags) => {
      const server = connect(one, variables, flags)
      const path = await pathOf(one, inputsOf(one), server, variables, [name, id], flags)
      const run = await waitForRun(server, path)
      await printResult(flags, run, outcome(run))
      requireCompleted(run, 'The run')
    })
}

/** Adds --follow to logs and --watch to backfills. */
export function addWatchOption(command: Command, operation: Operation): void {
  if (isLog(operation)) command.option('--follow', 'print new entries as they arrive, oldest first')
  if (operation.id.endsWith('.backfill'))
    command.option('--watch', 'wait until the backfill ends, and show its progress; the exit code is 10 if it fails')
}

export const isLog = ({ id }: Operation): boolean => id.endsWith('.logs')

/** Waits for a backfill and shows nothing but its progress. A failed attempt is repeated after a delay. */
export async function watchBackfill(server: Connection, started: unknown): Promise<void> {
  if (!isBody(started)) return
  const { id, name, team_id, backfill_id } = started
  const path = `/api/projects/${team_id}/batch_exports/${id}/backfills/${backfill_id}/`
  const line = createProgressLine()
  let error: unknown = null
  let backfill = await get(server, path)
  while (!isFinal(backfill)) {
    const shown = backfill
    line.show(() => progressOf(shown), shown.latest_error !== error && shown.latest_error !== null)
    error = shown.latest_error
    await sleep(POLL_MS)
    backfill = await getThroughRestart(server, path)
  }
  line.end(progressOf(backfill))
  const remedy = ` Fix the cause and start the backfill again. \`workspace-admin exports logs ${shellQuote(singleLine(name))}\` prints the log.`
  requireCompleted(backfill, 'The backfill', backfill.status === 'Cancelled' ? '' : remedy)
  const { windows_completed: runs, records_completed } = backfill
  note(
    `The backfill is complete: ${runs} ${runs === 1 ? 'run' : 'runs'}, ${numberOf(records_completed).toLocaleString('en')} records.`,
  )
}

function progressOf({
  status,
  progress,
  windows_completed,
  windows_total,
  records_completed,
  seconds_left,
  latest_error,
}: Body): string {
  const share = typeof progress === 'number' ? progress : numberOf(windows_completed) / (numberOf(windows_total) || 1)
  const parts = [
    `${windows_completed} of ${windows_total} windows`,
    `${numberOf(records_completed).toLocaleString('en')} records`,
    ...(typeof seconds_left === 'number' ? [`${clock(seconds_left)} left`] : []),
  ]
  const isFailing = typeof latest_error === 'string' && (status === 'Starting' || status === 'Running')
  const error = isFailing ? `  Failing, will be retried: ${singleLine(latest_error)}` : ''
  return `${bar(share, status === 'Completed')}  ${parts.join(', ')}${error}`
}

/** Prints the last entries and then new ones. The log of a run ends with the run; that of an export does not end. */
export async function followLogs(
  operation: Operation,
  server: Connection,
  path: string,
  query: URLSearchParams,
  output: Output,
): Promise<void> {
  if (output.format === 'json') throw usageError('--follow cannot be combined with --output json. Use --output ndjson.')
  for (const name of ['before', 'offset'])
    if (query.has(name)) throw usageError(`--follow cannot be combined with --${name}.`)
  const format = output.fields ? lineFormat(columnsFor(output, operation)) : formatEntry
  await printStream(newEntries(server, path, query), output, operation, format)
}

/** The entries of a log, oldest first. Fails at the end of a run that did not complete. */
async function* newEntries(server: Connection, path: string, query: URLSearchParams): AsyncGenerator<Body[]> {
  const run = /^(.*\/runs\/[^/]+\/)logs\/$/.exec(path)?.[1]
  const search = new URLSearchParams(query)
  const count = Number(query.get('limit') ?? FIRST_ENTRIES)
  search.set('limit', '1000')
  const page = await get(server, `${path}?${search}`)
  let entries = rowsOf(page)
  // Earlier entries that the first page leaves out are not new.
  const printed = new Map<string, number>()
  const first = notPrinted(entries, printed).slice(0, count)
  const start = nextQuery(page) === undefined ? Number.NEGATIVE_INFINITY : timeOf(entries.at(-1))
  let newest = Number.NEGATIVE_INFINITY
  const progress = createRunProgress()
  yield first.reverse()
  for (;;) {
    for (const entry of entries) newest = Math.max(newest, timeOf(entry))
    const after = Math.max(start, newest - OVERLAP_MS)
    if (Number.isFinite(after)) search.set('after', new Date(after).toISOString())
    // A run writes its last entry before it ends, so the entries are read after its status.
    const state = run === undefined ? undefined : await getThroughRestart(server, run)
    entries = await listThroughRestart(server, `${path}?${search}`)
    const fresh = notPrinted(entries, printed)
    if (fresh.length) progress.clear()
    yield fresh.reverse()
    if (state) progress.show(state)
    if (state && isFinal(state)) {
      progress.end(state)
      return requireCompleted(state, 'The run')
    }
    await sleep(POLL_MS)
  }
}

const timeOf = (entry: Body | undefined): number => Date.parse(String(entry?.timestamp))

/** All entries after a time. Usually one page. */
async function listThroughRestart(server: Connection, path: string): Promise<Body[]> {
  const first = await getThroughRestart(server, path)
  return nextQuery(first) === undefined ? rowsOf(first) : listAll(server, path)
}

/** Entries have no id, and two may be equal, so equal entries are counted. */
function notPrinted(entries: Body[], printed: Map<string, number>): Body[] {
  const seen = new Map<string, number>()
  return entries.filter((entry) => {
    const key = JSON.stringify(entry)
    const count = (seen.get(key) ?? 0) + 1
    seen.set(key, count)
    if (count <= (printed.get(key) ?? 0)) return false
    printed.set(key, count)
    return true
  })
}

/** The level of an entry, or the type of an entry of a plugin. The message wraps to the terminal. */
function formatEntry({ timestamp, level, type, message }: Body): string {
  const head = `${singleLine(timestamp)}  ${singleLine(level ?? type).padEnd(7)}  `
  return (
    head +
    wrap(singleLine(message), Math.max(MIN_MESSAGE_WIDTH, outputWidth() - head.length)).join(
      `\n${' '.repeat(head.length)}`,
    )
  )
}

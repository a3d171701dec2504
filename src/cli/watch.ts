/** Commands that wait: `runs watch`, `logs --follow` and `backfill --watch`. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import type { Variables } from '../config.ts'
import type { Operation } from '../contract/table.ts'
import { type Body, get, isBody, listAll, rowsOf } from './client.ts'
import { columnsOf } from './columns.ts'
import { type Connection, type ConnectionOptions, connect, withConnectionOptions } from './connection.ts'
import { commandError, EXIT, EXIT_CODES_SUMMARY, usageError } from './failure.ts'
import { inputsOf, operationNamed } from './inputs.ts'
import { type JsonFlags, printResult, withJsonOptions } from './json-output.ts'
import { LATEST, pathOf, type ScopeFlags, withScopeOptions } from './names.ts'
import { fieldNames, note, type Output, write } from './output.ts'
import { outputWidth, singleLine, table, wrap } from './print.ts'
import { createProgress, type Progress } from './progress.ts'

const POLL_MS = 1_000
/** Entries of another node may arrive late, so each poll reads this much again. */
const OVERLAP_MS = 10_000
const FIRST_ENTRIES = 20

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
    run = await get(server, path)
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

/** A run that did not complete is a failure of the command. */
function requireCompleted(run: Body, subject: string): void {
  if (run.status === 'Completed') return
  const reason = typeof run.latest_error === 'string' ? ` ${singleLine(run.latest_error)}` : ''
  throw commandError(EXIT.failed, `${subject} ended with the status ${run.status}.${reason}`)
}

type WatchFlags = ConnectionOptions & ScopeFlags & JsonFlags

export function watchCommand(variables: Variables): Command {
  const one = operationNamed('batch_export_runs.retrieve')
  const command = new Command('watch')
    .summary('wait for a run and show its progress')
    .description(
      'Waits until a run ends, with a progress bar on a terminal. Without the id of a run, waits for the newest run of the export. The exit code is 0 if the run completes and 1 otherwise.',
    )
    .argument('<batch_export_id>', 'The id of the batch export. Its name works too if it is unique.')
    .argument('[run_id]', 'The id of the run.', LATEST)
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
  $ workspace-admin batch_export_runs watch 'Every day into files'
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
export function addWatchOption(command: Command, { id }: Operation): void {
  if (id.endsWith('.logs')) command.option('--follow', 'print new entries as they arrive, oldest first')
  if (id.endsWith('.backfill')) command.option('--watch', 'wait until the backfill ends, and show its progress')
}

/** Waits for the runs of a backfill, one window after another. */
export async function watchBackfill(server: Connection, started: unknown): Promise<void> {
  if (!isBody(started)) return
  const { id, team_id, backfill_id } = started
  const runs = `/api/projects/${team_id}/batch_exports/${id}/runs/`
  const ended = new Set<unknown>()
  let last: Body | undefined
  for (;;) {
    const page = rowsOf(await get(server, runs))
    const own = page.filter((run) => run.backfill_id === backfill_id).reverse()
    const next = own.find((run) => !ended.has(run.id))
    if (!next) {
      // The next window starts in the transaction that ends the previous run.
      if (last) break
      await sleep(POLL_MS)
      continue
    }
    last = await waitForRun(server, `${runs}${next.id}/`)
    ended.add(last.id)
    note(outcome(last))
    if (last.status !== 'Completed') break
  }
  requireCompleted(last, 'A run of the backfill')
  note(`The backfill is complete: ${ended.size} ${ended.size === 1 ? 'run' : 'runs'}.`)
}

/** Prints the last entries and then new ones. The log of a run ends with the run; that of an export does not end. */
export async function followLogs(
  server: Connection,
  path: string,
  query: URLSearchParams,
  output: Output,
): Promise<void> {
  if (output.format === 'csv' || output.format === 'json')
    throw usageError(`--follow cannot be combined with --output ${output.format}. Use --output ndjson.`)
  for (const name of ['before', 'offset'])
    if (query.has(name)) throw usageError(`--follow cannot be combined with --${name}.`)
  const run = /^(.*\/runs\/[^/]+\/)logs\/$/.exec(path)?.[1]
  const search = new URLSearchParams(query)
  if (!search.has('limit')) search.set('limit', String(FIRST_ENTRIES))
  const printed = new Map<string, number>()
  const progress = createRunProgress()
  let entries = rowsOf(await get(server, `${path}?${search}`))
  let newest = Number.NEGATIVE_INFINITY
  search.set('limit', '1000')
  for (;;) {
    const state = run === undefined ? undefined : await get(server, run)
    const fresh = notPrinted(entries, printed)
    if (fresh.length) progress.clear()
    for (const entry of fresh.reverse()) await write(`${formatEntry(entry, output)}\n`)
    if (state) progress.show(state)
    if (state && isFinal(state)) {
      // Entries of the last second.
      for (const entry of notPrinted(await listAll(server, `${path}?${search}`), printed).reverse())
        await write(`${formatEntry(entry, output)}\n`)
      progress.end(state)
      return requireCompleted(state, 'The run')
    }
    for (const { timestamp } of entries) newest = Math.max(newest, Date.parse(String(timestamp)))
    if (Number.isFinite(newest)) search.set('after', new Date(newest - OVERLAP_MS).toISOString())
    await sleep(POLL_MS)
    entries = await listAll(server, `${path}?${search}`)
  }
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

function formatEntry(entry: Body, { format, fields }: Output): string {
  if (format === 'ndjson') return JSON.stringify(entry)
  const head = `${singleLine(entry.timestamp)}  ${String(entry.level).padEnd(7)}  `
  const width = outputWidth() - head.length
  if (fields || width < 20) return table([entry], columnsOf('BatchExportLogEntry'))
  return head + wrap(singleLine(entry.message), width).join(`\n${' '.repeat(head.length)}`)
}

import { Command } from 'commander'
import type { Variables } from '../config.ts'
import type { NewEvent } from '../events/normalize-event.ts'
import { isoOf } from '../events/time.ts'
import { storedJson } from '../json/stored.ts'
import { findTimeZone } from '../time/zones.ts'
import { type ConnectionOptions, KEY_HELP, usesServer, withConnectionOptions } from './connection.ts'
import { commandError, EXIT, usageError } from './failure.ts'
import { openFiles, totalSize } from './import/files.ts'
import { FORMATS, type Format, isFormat } from './import/formats.ts'
import { withLocalTarget } from './import/local.ts'
import { normalizeRow, type Problem } from './import/normalize.ts'
import { remoteTarget } from './import/remote.ts'
import { addProblem, describeReport, newReport, placed, type Report } from './import/report.ts'
import { type FileRow, rowsOf } from './import/rows.ts'
import type { Batch, Target } from './import/target.ts'
import { isJson, printResult } from './json-output.ts'
import { type LocalOptions, withLocalOptions } from './local.ts'
import { type ScopeFlags, scopeOption } from './names.ts'
import { singleLine } from './print.ts'
import { createProgress, type Progress } from './progress.ts'
import { note } from './streams.ts'

/** Lines per transaction or request. A run after Ctrl-C reads at most this many again. */
const BATCH_LINES = 1_000
/** The text of a batch. Its events take several times as much memory. */
const BATCH_CHARACTERS = 8 * 1024 * 1024
const MAX_SAMPLES = 3

interface ImportOptions extends LocalOptions, ConnectionOptions, ScopeFlags {
  format?: string
  timezone?: string
  dryRun?: boolean
  strict?: boolean
  plugins: boolean
}

/** Without a server, `import` writes to a database. */
const URL_HELP = 'send the events to this server (default: WORKSPACE_URL, or the profile)'

export const importCommand = (variables: Variables): Command =>
  withLocalOptions(withConnectionOptions(new Command('import'), KEY_HELP, URL_HELP), Object.keys(newReport('', false)))
    .description(
      'Imports events into a project: of a server, with a profile, WORKSPACE_URL, --base-url or --key, or else of the database of this machine, with or without a running server. Reads NDJSON, JSON arrays, CSV with a header and Parquet, plain, gzipped, in folders and in zip archives. After an interruption, run the command again: events that are already stored are not stored twice.',
    )
    .argument('<file...>', 'the files, folders and zip archives to read, or - for standard input')
    .addOption(
      scopeOption('project', 'the target, by id or name (default: @current on a server, the oldest in a database)'),
    )
    .addOption(scopeOption('organization', 'the organization of the project, on a server'))
    .option('--format <format>', `one of: ${FORMATS.join(', ')} (default: from the content of each file)`)
    .option('--timezone <zone>', 'the IANA zone of times that name none, such as Europe/Berlin (default: UTC)')
    .option('--dry-run', 'show three events as they would be stored and count the lines, without storing anything')
    .option('--strict', 'stop at the first invalid line')
    .option('--no-plugins', 'store the events without running processEvent of plugins; an error with a server')
    .addHelpText(
      'after',
      `
Formats: ndjson and csv: a line has event, distinct_id, and optionally
timestamp, uuid (or id) and properties: an object, or its JSON text in CSV.
Other CSV columns become properties. posthog reads the files of batch exports;
segment, mixpanel and amplitude read the raw exports of these services.
docs/move-here.md describes them.

Examples:
  $ workspace-admin import events.ndjson.gz --project 'Web shop'
  $ workspace-admin import amplitude-export.zip --dry-run
  $ workspace-admin import exports/ --profile work --project 'Web shop'
  $ zcat *.gz | workspace-admin import - --strict`,
    )
    .action(async (paths: string[], options: ImportOptions) => {
      const reading = readingOf(options)
      const size = totalSize(paths)
      const work = (target: Target) => importFiles(paths, size, options, reading, target)
      const report = usesServer(variables, options)
        ? await work(await remoteTarget(variables, requireServerOptions(options)))
        : await withLocalTarget(variables, options, work)
      await printResult(options, report, describeReport(report))
    })

interface Reading {
  format: Format | undefined
  zone: string
}

function readingOf({ format, timezone = 'UTC' }: ImportOptions): Reading {
  if (format !== undefined && !isFormat(format)) throw usageError(`--format must be one of: ${FORMATS.join(', ')}.`)
  const zone = findTimeZone(timezone)
  if (zone === undefined) throw usageError(`--timezone must be the IANA name of a time zone, such as Europe/Berlin.`)
  return { format, zone }
}

function requireServerOptions(options: ImportOptions): ImportOptions {
  if (!options.plugins)
    throw usageError('--no-plugins only works with --database: a server runs the plugins of the project.')
  return options
}

async function importFiles(
  paths: string[],
  size: number | null,
  options: ImportOptions,
  { format, zone }: Reading,
  target: Target,
): Promise<Report> {
  const report = newReport(target.place, options.dryRun === true)
  if (!isJson(options))
    note(`${options.dryRun ? 'Dry run of an import' : 'Importing'} into ${singleLine(target.place)}`)
  const progress = createProgress('events', size)
  let isInterrupted = false
  let isComplete = false
  const interrupt = (): void => {
    isInterrupted = true
  }
  process.once('SIGINT', interrupt)
  try {
    let rows: FileRow[] = []
    let characters = 0
    const flush = async (): Promise<void> => {
      await storeRows(rows, { options, zone, target, report, progress })
      rows = []
      characters = 0
      progress.show(report.lines)
    }
    for await (const file of openFiles(paths, progress.advance)) {
      report.files++
      for await (const row of rowsOf(file, format)) {
        rows.push(row)
        if ('length' in row) characters += row.length
        if (rows.length === BATCH_LINES || characters >= BATCH_CHARACTERS) await flush()
        if (isInterrupted) break
      }
      if (isInterrupted) break
    }
    await flush()
    if (isInterrupted)
      throw commandError(EXIT.interrupted, `Stopped after ${report.lines} lines. Run the same command again to resume.`)
    isComplete = true
  } finally {
    process.off('SIGINT', interrupt)
    progress.end(report.lines, isComplete)
  }
  if (report.stored) await finish(target, report)
  return report
}

async function finish(target: Target, report: Report): Promise<void> {
  const { already_there } = await target.finish()
  if (already_there === undefined) return
  report.already_there = already_there
  report.stored -= already_there ?? 0
}

interface Import {
  options: ImportOptions
  zone: string
  target: Target
  report: Report
  progress: Progress
}

/** Stores the events of a batch. */
async function storeRows(rows: FileRow[], context: Import): Promise<void> {
  const { options, zone, target, report } = context
  const batch: Batch = await target.begin()
  const accepted: { event: NewEvent; row: FileRow }[] = []
  for (const row of rows) {
    report.lines++
    const needsSample = options.dryRun && report.samples.length < MAX_SAMPLES
    // The event may share its properties with the row, and its properties change.
    const source: unknown = needsSample && 'row' in row ? structuredClone(row.row) : undefined
    const read = await normalizeRow(row, { target, zone, keepsSent: batch.keepsSent })
    if ('reason' in read) refuse(row, read, context)
    else if (read.event === null) report.skipped++
    else {
      if (needsSample) report.samples.push({ source, event: sampleOf(read.event) })
      accepted.push({ event: read.event, row })
    }
  }
  if (accepted.length === 0) return
  const { stored, already_there, dropped, refused } = await batch.store(accepted.map(({ event }) => event))
  report.stored += stored
  report.dropped += dropped
  if (report.already_there !== null) report.already_there += already_there
  for (const { index, reason } of refused) {
    const row = accepted[index]?.row
    if (row) refuse(row, { reason, isTooLarge: true }, context)
  }
}

function refuse(row: FileRow, problem: Problem, { options, report, progress }: Import): void {
  const { file, number } = row
  const message = addProblem(report, row, problem)
  if (options.strict)
    throw commandError(
      EXIT.refused,
      `${placed(file, number, problem.detail ?? problem.reason)} The import stopped at this line.`,
    )
  if (message === undefined || isJson(options)) return
  progress.clear()
  note(message)
}

const sampleOf = ({ uuid, event, distinct_id, timestamp, properties }: NewEvent): unknown => ({
  event,
  distinct_id,
  timestamp: isoOf(timestamp),
  uuid,
  properties: storedJson<object>(properties),
})

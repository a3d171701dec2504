import { createReadStream, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Command } from 'commander'
import { v5 } from 'uuid'
import type { Variables } from '../config.ts'
import { AppError } from '../errors.ts'
import { ingest } from '../events/ingest.ts'
import { describeOversize, EVENT_TOO_LARGE, type NewEvent, normalizeEvent } from '../events/normalize-event.ts'
import { eventsOf } from '../events/payload.ts'
import { storedUuids } from '../events/plugin-event.ts'
import type { Transformation } from '../plugins/runtime/transform.ts'
import type { Database } from '../sql/db.ts'
import { oldest } from '../store/organizations.ts'
import { byId, markIngested, named, type ProjectRow } from '../store/projects.ts'
import { epochMicroseconds } from '../time/stored.ts'
import { commandError, describeFailure, EXIT, usageError } from './failure.ts'
import { type Format, formatOf, type Line, readLines } from './import-lines.ts'
import { type LocalOptions, printResult, withEventStore, withLocalOptions } from './local.ts'
import { localIdOf } from './names.ts'
import { singleLine } from './print.ts'
import { createProgress } from './progress.ts'
import { shellQuote } from './quote.ts'

/** Lines per transaction. A run after Ctrl-C reads at most this many again. */
const BATCH_LINES = 1_000
const MAX_PRINTED_PROBLEMS = 20
/** 128 + SIGINT, the convention of shells. */
const INTERRUPTED = 130

interface ImportOptions extends LocalOptions {
  project?: string
  format?: Format
  strict?: boolean
  plugins: boolean
}

interface Report {
  lines: number
  stored: number
  already_there: number
  bad: number
  too_large: number
  /** The number of events that plugins dropped. */
  dropped: number
}

export const importCommand = (variables: Variables): Command =>
  withLocalOptions(new Command('import'))
    .description(
      'Imports events from files into a project, with or without a running server. Files are NDJSON, or CSV with a header; both may be gzipped. After an interruption, run the command again: events that are already stored are not stored twice.',
    )
    .argument('<file...>', 'the files to read, or - for standard input')
    .option('--project <project>', 'the target project, by id or name (default: the oldest)')
    .option('--format <format>', 'ndjson or csv (default: from the file name; ndjson for standard input)')
    .option('--strict', 'stop at the first invalid line')
    .option('--no-plugins', 'store the events without running the plugins of the project')
    .addHelpText(
      'after',
      `
A line has event, distinct_id, and optionally timestamp, uuid (or id) and properties: an object, or its JSON text in CSV.
Other CSV columns become properties. The uuid of a line without one is derived from its text and line number, so a second
run recognizes it.

Examples:
  $ workspace-admin import events.ndjson.gz --project 'Web shop'
  $ zcat *.gz | workspace-admin import - --strict`,
    )
    .action(async (files: string[], options: ImportOptions) => {
      if (options.format && !['ndjson', 'csv'].includes(options.format))
        throw usageError('--format must be ndjson or csv.')
      const report = await withEventStore(variables, options, async ({ db, events, ids, now }) => {
        const project = await findProject(db, options.project)
        const context = { db, events, project, now, uuid: ids.uuid }
        if (!options.plugins) return importFiles(files, options, { ...context, transformation: async () => undefined })
        const { openTransformations } = await import('./import-plugins.ts')
        const { transformer, stop } = await openTransformations(variables, options, { db, events, ids })
        const transformation = () => transformer.of(project.id)
        return importFiles(files, options, { ...context, transformation }).finally(stop)
      })
      printResult(
        options,
        report,
        `${report.stored} events stored, ${report.already_there} already stored, ${report.too_large} too large, ${report.bad} invalid lines${report.dropped ? `, ${report.dropped} dropped by plugins` : ''}`,
      )
    })

/** An id wins over a name. */
async function findProject(db: Database, text: string | undefined): Promise<ProjectRow> {
  const wanted = text ?? String((await oldest(db)).project_id)
  const found = /^\d{1,15}$/.test(wanted) ? await byId(db, Number(wanted)) : undefined
  if (found) return found
  const id = localIdOf('projects', await named(db, wanted), wanted)
  const project = id === undefined ? undefined : await byId(db, Number(id))
  if (!project)
    throw commandError(
      EXIT.not_found,
      `There is no project ${shellQuote(singleLine(wanted))}. Run \`workspace-admin projects list\` to list the projects.`,
    )
  return project
}

interface Target {
  db: Database
  events: Database
  project: ProjectRow
  now: string
  uuid: () => string
  /** The plugins of the project that change events. */
  transformation: () => Promise<Transformation | undefined>
}

async function importFiles(files: string[], options: ImportOptions, target: Target): Promise<Report> {
  const report: Report = { lines: 0, stored: 0, already_there: 0, bad: 0, too_large: 0, dropped: 0 }
  const bytes = files.every((file) => file !== '-') ? files.reduce((sum, file) => sum + statSync(file).size, 0) : null
  const progress = createProgress('events', bytes)
  let isInterrupted = false
  let isComplete = false
  const interrupt = (): void => {
    isInterrupted = true
  }
  process.once('SIGINT', interrupt)
  try {
    for (const file of files) {
      let batch: Line[] = []
      const flush = async (): Promise<void> => {
        await storeBatch(file, batch, options, target, report)
        batch = []
        progress.show(report.lines)
      }
      const source = open(file, (read) => progress.advance(read))
      for await (const line of readLines(source, options.format ?? formatOf(file))) {
        batch.push(line)
        if (batch.length === BATCH_LINES) await flush()
        if (isInterrupted) break
      }
      await flush()
      if (isInterrupted)
        throw commandError(INTERRUPTED, `Stopped after ${report.lines} lines. Run the same command again to resume.`)
    }
    isComplete = true
  } finally {
    process.off('SIGINT', interrupt)
    progress.end(report.lines, isComplete)
  }
  if (report.stored) await markIngested(target.db, target.project.id)
  return report
}

function open(file: string, onRead: (bytes: number) => void): Readable {
  const source = file === '-' ? process.stdin : createReadStream(file)
  source.on('data', (chunk: Buffer | string) => onRead(chunk.length))
  return file.endsWith('.gz') ? source.pipe(createGunzip().on('error', () => undefined)) : source
}

/** Stores a batch in one transaction. */
async function storeBatch(
  file: string,
  lines: Line[],
  { strict }: ImportOptions,
  target: Target,
  report: Report,
): Promise<void> {
  const transform = await target.transformation()
  const events: NewEvent[] = []
  for (const line of lines) {
    report.lines++
    try {
      const event = await normalizeLine(line, target, transform !== undefined)
      if (event) events.push(event)
    } catch (error) {
      const reason = `${basename(file)}:${line.number}: ${describeFailure(error).message}`
      if (strict) throw commandError(EXIT.refused, `${reason} The import stopped at this line.`)
      report[error instanceof AppError && error.code === EVENT_TOO_LARGE ? 'too_large' : 'bad']++
      const count = report.bad + report.too_large
      if (count <= MAX_PRINTED_PROBLEMS) console.error(reason)
      if (count === MAX_PRINTED_PROBLEMS) console.error('Further invalid lines are counted but not printed.')
    }
  }
  if (events.length === 0) return
  const seen = await storedUuids(
    target.events,
    target.project.id,
    events.map(({ uuid }) => uuid),
  )
  const fresh = events.filter(({ uuid }) => !seen.has(uuid) && seen.add(uuid))
  const { changed, dropped } = transform ? await transform(fresh) : { changed: fresh, dropped: 0 }
  const stored = changed.length ? await target.events.tx((tx) => ingest(tx, changed)) : 0
  report.stored += stored
  report.dropped += dropped
  report.already_there += events.length - fresh.length + changed.length - stored
}

async function normalizeLine(line: Line, { project, now, uuid }: Target, keepsSent: boolean): Promise<NewEvent | null> {
  if ('problem' in line) throw usageError(line.problem)
  const [sent] = await eventsOf([line.event])
  if (!sent) return null
  sent.uuid ??= v5(`${line.number}:${line.text}`, project.uuid)
  const arrival = { project_id: project.id, now: epochMicroseconds(now), sent_at: null, address: null, uuid, keepsSent }
  const event = normalizeEvent(sent, arrival)
  const detail = event && describeOversize(event)
  if (detail) throw new AppError({ code: EVENT_TOO_LARGE, detail })
  return event
}

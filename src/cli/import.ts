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
import type { Database } from '../sql/db.ts'
import { oldest } from '../store/organizations.ts'
import { byId, markIngested, type ProjectRow } from '../store/projects.ts'
import { EXIT, failure, told, usage } from './failure.ts'
import { type Format, formatOf, type Line, linesOf } from './import-lines.ts'
import { type LocalOptions, local, onEvents } from './local.ts'
import { createProgress } from './progress.ts'

/** Lines that share a transaction: after a Ctrl-C at most so many are read again. */
const BATCH_LINES = 1_000
const BAD_LINES_SHOWN = 20
/** What the number of a signal adds to, by custom. */
const INTERRUPTED = 130

interface ImportOptions extends LocalOptions {
  project?: string
  format?: Format
  strict?: boolean
}

interface Report {
  lines: number
  stored: number
  already_there: number
  bad: number
  too_large: number
}

export const importEvents = (variables: Variables): Command =>
  local(new Command('import'))
    .description(
      'Brings events from files into a project, beside a running server or without one. A file holds one JSON object a line (NDJSON) or is CSV with a header; either may be gzipped. Run it again after an interruption: what is there already is not stored twice.',
    )
    .argument('<file...>', 'the files to read, or - for standard input')
    .option('--project <id>', 'the project to bring them into (else the oldest)')
    .option('--format <format>', 'ndjson or csv (else by the name of the file, and ndjson for standard input)')
    .option('--strict', 'stop at the first line that cannot be read')
    .addHelpText(
      'after',
      `
A line has event, distinct_id, and optionally timestamp, uuid (or id) and properties: an object, or in CSV its JSON text.
Other columns of a CSV become properties. A line without a uuid gets one that follows from the line and its place, so a
second run knows it again.

Examples:
  $ workspace-admin import events.ndjson.gz --project 1
  $ zcat *.gz | workspace-admin import - --strict`,
    )
    .action(async (files: string[], options: ImportOptions) => {
      if (options.format && !['ndjson', 'csv'].includes(options.format)) throw usage('--format is ndjson or csv.')
      const report = await onEvents(variables, options, async ({ db, events, ids, now }) => {
        const project = await projectOf(db, options.project)
        return run(files, options, { db, events, project, now, uuid: ids.uuid })
      })
      if (options.json) console.log(JSON.stringify(report))
      else
        console.log(
          `${report.stored} events stored, ${report.already_there} there already, ${report.too_large} too large, ${report.bad} lines could not be read.`,
        )
    })

async function projectOf(db: Database, id: string | undefined): Promise<ProjectRow> {
  const wanted = id ?? (await oldest(db)).project_id
  const project = /^\d{1,15}$/.test(String(wanted)) ? await byId(db, Number(wanted)) : undefined
  if (!project)
    throw failure(
      EXIT.not_found,
      `There is no project ${wanted}. \`workspace-admin projects list\` shows those there are.`,
    )
  return project
}

interface Place {
  db: Database
  events: Database
  project: ProjectRow
  now: string
  uuid: () => string
}

async function run(files: string[], options: ImportOptions, place: Place): Promise<Report> {
  const report: Report = { lines: 0, stored: 0, already_there: 0, bad: 0, too_large: 0 }
  const bytes = files.every((file) => file !== '-') ? files.reduce((sum, file) => sum + statSync(file).size, 0) : null
  const progress = createProgress('events', bytes)
  let interrupted = false
  const interrupt = (): void => {
    interrupted = true
  }
  process.once('SIGINT', interrupt)
  try {
    for (const file of files) {
      let batch: Line[] = []
      const flush = async (): Promise<void> => {
        await store(file, batch, options, place, report)
        batch = []
        progress.show(report.lines)
      }
      const source = open(file, (read) => progress.advance(read))
      for await (const line of linesOf(source, options.format ?? formatOf(file))) {
        batch.push(line)
        if (batch.length === BATCH_LINES) await flush()
        if (interrupted) break
      }
      await flush()
      if (interrupted)
        throw failure(INTERRUPTED, `Stopped after ${report.lines} lines. Run the same command again to go on.`)
    }
  } finally {
    process.off('SIGINT', interrupt)
    progress.end(report.lines)
  }
  if (report.stored) await markIngested(place.db, place.project.id)
  return report
}

function open(file: string, read: (bytes: number) => void): Readable {
  const source = file === '-' ? process.stdin : createReadStream(file)
  source.on('data', (chunk: Buffer | string) => read(chunk.length))
  return file.endsWith('.gz') ? source.pipe(createGunzip().on('error', () => undefined)) : source
}

/** All of a batch or nothing, so that a second run finds no half of one. */
async function store(
  file: string,
  lines: Line[],
  { strict }: ImportOptions,
  place: Place,
  report: Report,
): Promise<void> {
  const events: NewEvent[] = []
  for (const line of lines) {
    report.lines++
    try {
      const event = await eventOf(line, place)
      if (event) events.push(event)
    } catch (error) {
      const reason = `${basename(file)}:${line.number}: ${told(error).message}`
      if (strict) throw failure(EXIT.refused, `${reason} Nothing after it was read.`)
      report[(error as { code?: unknown }).code === EVENT_TOO_LARGE ? 'too_large' : 'bad']++
      const count = report.bad + report.too_large
      if (count <= BAD_LINES_SHOWN) console.error(reason)
      if (count === BAD_LINES_SHOWN) console.error('Further lines like these are only counted.')
    }
  }
  const stored = events.length ? await place.events.tx((tx) => ingest(tx, events)) : 0
  report.stored += stored
  report.already_there += events.length - stored
}

async function eventOf(line: Line, { project, now, uuid }: Place): Promise<NewEvent | null> {
  if ('problem' in line) throw usage(line.problem)
  const [sent] = await eventsOf([line.event])
  sent!.uuid ??= v5(`${line.number}:${line.text}`, project.uuid)
  const arrival = { project_id: project.id, now: Date.parse(now) * 1000, sent_at: null, address: null, uuid }
  const event = normalizeEvent(sent!, arrival)
  const detail = event && describeOversize(event)
  if (detail) throw new AppError({ code: EVENT_TOO_LARGE, detail })
  return event
}

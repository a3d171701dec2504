import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { readConfig, type Variables } from '../config.ts'
import { advancePositions, lastHorizon, MOVED_COLUMNS } from '../events/positions.ts'
import { clockOf, type Database, DatabaseFileError, withoutPassword } from '../sql/db.ts'
import { ADMINISTRATION, EVENTS, requireCurrent, version } from '../sql/migrate.ts'
import { openDatabase } from '../sql/open.ts'
import * as copies from '../store/copies.ts'
import { identity } from '../store/installation.ts'
import { KEY_FILE } from '../store/vault.ts'
import { commandError, EXIT, usageError } from './failure.ts'
import { type JsonFlags, printResult, withJsonOptions } from './json-output.ts'
import { singleLine } from './print.ts'
import { createProgress } from './progress.ts'
import { shellQuote } from './quote.ts'

const MAX_EXAMPLES = 20

interface CopyOptions extends JsonFlags {
  from?: string
  to?: string
  verify?: boolean
}

interface TableReport {
  table: string
  rows: number
  copied: number
  differences: number
}

interface Report {
  from: string
  to: string
  tables: TableReport[]
  rows: number
  copied: number
  /** The number of rows that differ; `examples` has the first of them. */
  differences: number
  examples: copies.Difference[]
}

export const copyCommand = (variables: Variables): Command =>
  withJsonOptions(new Command('copy'), ['from', 'to', 'tables', 'rows', 'copied', 'differences', 'examples'])
    .description(
      'Copies a workspace from SQLite to an empty PostgreSQL database and compares every row. Stop the server first. After an interruption, run the same command again to resume. No server starts on the target until the copy is complete and verified. The source is not changed.',
    )
    .option('--from <url>', 'the source, sqlite:<folder> (default: DATABASE_URL, then sqlite:./data)')
    .option('--to <url>', 'the target, postgres://…: an empty database, or one with an unfinished copy of this source')
    .option('--verify', 'compare both databases without copying')
    .addHelpText(
      'after',
      `
Exports resume where they stopped: no event is delivered twice or skipped. Secrets stay encrypted with the same key, so
set it as SECRET_KEY of the servers on PostgreSQL. Exported files are not copied: set EXPORT_FOLDER to their folder. Do not
start a server on the old folder again, because its exports would resume too.

The exit code is 1 when a row differs, and 6 when the source is in use or the target contains other data.

Examples:
  $ workspace-admin copy --from sqlite:./data --to postgres://workspace@db.example.com/workspace
  $ workspace-admin copy --from sqlite:./data --to postgres://workspace@db.example.com/workspace --verify --json`,
    )
    .action(async (options: CopyOptions) => {
      const { from, to } = readUrls(variables, options)
      const verifyOnly = options.verify === true
      const { report, key } = await withDatabases(from, to, verifyOnly, (ends) =>
        copyAndCompare(ends, from, verifyOnly),
      )
      await printResult(options, report, describeReport(report, to, key, verifyOnly))
      if (report.differences) process.exitCode = EXIT.failed
    })

function readUrls(variables: Variables, options: CopyOptions): { from: string; to: string } {
  const from = readConfig({ ...variables, ...(options.from && { DATABASE_URL: options.from }) }).DATABASE_URL
  if (!options.to) throw usageError('--to is required. Name the target database with --to postgres://….')
  if (!from.startsWith('sqlite:'))
    throw usageError('--from must be sqlite:<folder>. Use pg_dump and pg_restore to move a PostgreSQL database.')
  if (!/^postgres(ql)?:\/\//.test(options.to))
    throw usageError('--to must be postgres://…. Use `workspace-admin backup` to move a SQLite folder.')
  return { from, to: options.to }
}

interface Ends {
  administration: Database
  events: Database
  target: Database
}

async function withDatabases<Result>(
  from: string,
  to: string,
  verifyOnly: boolean,
  work: (ends: Ends) => Promise<Result>,
): Promise<Result> {
  const opened: Database[] = []
  const open = async (...[url, options]: Parameters<typeof openDatabase>): Promise<Database> => {
    const db = await openDatabase(url, options)
    opened.push(db)
    return db
  }
  try {
    const administration = await open(from, { mode: 'alone', file: ADMINISTRATION.file })
    const events = await open(from, { mode: 'alone', file: EVENTS.file })
    return await work({ administration, events, target: await open(to, { mode: verifyOnly ? 'read' : 'existing' }) })
  } catch (error) {
    if (!(error instanceof DatabaseFileError)) throw error
    if (error.code === 'in_use') throw commandError(EXIT.refused, error.message)
    throw commandError(
      EXIT.not_found,
      `There is no workspace at ${from}. Set --from to the folder that contains ${ADMINISTRATION.file} and ${EVENTS.file}.`,
    )
  } finally {
    for (const db of opened) await db.close()
  }
}

/** `verifyOnly` compares and changes nothing. */
async function copyAndCompare(
  ends: Ends,
  from: string,
  verifyOnly: boolean,
): Promise<{ report: Report; key: string | null }> {
  const { administration, events, target } = ends
  await requireCurrent(administration)
  await requireCurrent(events, EVENTS)
  const installation = await identity(administration)
  if (installation === undefined)
    throw commandError(EXIT.refused, `The database at ${from} is empty. Start a server on the target instead.`)
  const now = new Date(clockOf(target)()).toISOString()
  if (!verifyOnly) await copies.prepare(target, now)
  else if ((await version(target)) === 0)
    throw commandError(EXIT.not_found, `The database at ${target.location} is empty. Copy without --verify first.`)
  const tables = await copies.routes(ends, MOVED_COLUMNS)
  const state = await copies.stateOf(target, tables, installation)
  if (state === 'foreign')
    throw commandError(
      EXIT.refused,
      `${target.location} contains data that did not come from ${from}. Create an empty database with \`createdb\` and name it with --to.`,
    )
  if (state === 'empty' && !verifyOnly) await copies.begin(target, installation, now)

  const report: Report = { from, to: target.location, tables: [], rows: 0, copied: 0, differences: 0, examples: [] }
  const entries: TableCopy[] = []
  for (const route of tables) {
    const rows = await copies.count(route.from, route)
    entries.push({ route, counts: { table: route.name, rows, copied: 0, differences: 0 } })
    report.rows += rows
  }
  report.tables = entries.map(({ counts }) => counts)
  const isCopying = !verifyOnly && state !== 'complete'
  if (isCopying) await copyRows(target, entries, report)
  await compareRows(target, entries, report)
  if (isCopying && report.differences === 0) {
    await advancePositions(target, await lastHorizon(events))
    await copies.finish(target, tables)
  }
  const key = join(dirname(administration.location), KEY_FILE)
  return { report, key: existsSync(key) ? key : null }
}

interface TableCopy {
  route: copies.Route
  counts: TableReport
}

function createCounter(unit: string, total: number): { add(rows: number): void; end(): void } {
  const progress = createProgress(unit, total)
  let count = 0
  return {
    add: (rows) => {
      count += rows
      progress.advance(rows)
      progress.show(count)
    },
    end: () => progress.end(count),
  }
}

async function copyRows(target: Database, tables: TableCopy[], report: Report): Promise<void> {
  const counter = createCounter('rows copied', report.rows)
  for (const { route, counts } of tables) {
    counter.add(await copies.count(target, route))
    await copies.fill(target, route, (rows) => {
      counts.copied += rows
      report.copied += rows
      counter.add(rows)
    })
  }
  counter.end()
}

async function compareRows(target: Database, tables: TableCopy[], report: Report): Promise<void> {
  const counter = createCounter('rows compared', report.rows)
  for (const { route, counts } of tables)
    for await (const difference of copies.compare(target, route, counter.add)) {
      report.differences++
      counts.differences++
      if (report.examples.length < MAX_EXAMPLES) report.examples.push(difference)
    }
  counter.end()
}

function describeReport(report: Report, to: string, key: string | null, verifyOnly: boolean): string {
  const { differences, rows, copied, tables, examples } = report
  if (differences)
    return [
      ...examples.map(describeDifference),
      '',
      `${differences} of ${rows} rows differ. If a server ran on one of the databases since the copy began, stop it and copy again into an empty database.`,
    ].join('\n')
  const verified = `All ${rows} rows of ${tables.length} tables are identical.`
  if (verifyOnly) return verified
  return [
    `Copied ${copied} rows. ${verified}`,
    '',
    'Start the server on the target. Do not start one on the old folder again:',
    '',
    `  ${key ? `SECRET_KEY="$(cat ${shellQuote(key)})" ` : ''}workspace-admin serve --database ${shellQuote(withoutPassword(to))}`,
    ...(key ? ['', `${key} decrypts the stored secrets: keep it, and set it as SECRET_KEY of every server.`] : []),
  ].join('\n')
}

const describeDifference = ({ table, key, kind, columns }: copies.Difference): string =>
  `${kind.padEnd(10)}${table} ${singleLine(key)}${columns.length ? `: ${columns.join(', ')}` : ''}`

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { readConfig, type Variables } from '../config.ts'
import { advancePositions, horizon, MOVED_COLUMNS } from '../events/positions.ts'
import { clockOf, type Database, DatabaseFileError, withoutPassword } from '../sql/db.ts'
import { ADMINISTRATION, EVENTS, requireCurrent, version } from '../sql/migrate.ts'
import { openDatabase } from '../sql/open.ts'
import * as copies from '../store/copies.ts'
import { identity } from '../store/installation.ts'
import { KEY_FILE } from '../store/vault.ts'
import { EXIT, failure, usage } from './failure.ts'
import { text } from './print.ts'
import { createProgress } from './progress.ts'
import { quoted } from './quote.ts'

const MOST_DIFFERENCES_SHOWN = 20

interface CopyOptions {
  from?: string
  to?: string
  verify?: boolean
  json?: boolean
}

interface Report {
  from: string
  to: string
  tables: { table: string; rows: number; copied: number; differences: number }[]
  rows: number
  copied: number
  /** How many rows are not the same on both sides, and the first of them. */
  differences: number
  examples: copies.Difference[]
}

export const copy = (variables: Variables): Command =>
  new Command('copy')
    .description(
      'Moves a workspace from SQLite to an empty PostgreSQL database: every row of every table, then compared row by row. Stop the server first. Interrupted at any moment, the same command goes on where it was; no server starts on the target before all of it is there and the same. The source is not changed.',
    )
    .option('--from <url>', 'sqlite:<folder>, where the workspace is (else DATABASE_URL, else sqlite:./data)')
    .option('--to <url>', 'postgres://…, where it goes: a database that is empty, or holds a part of this copy')
    .option('--verify', 'copy nothing; compare what is on both sides')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Exports go on where they were: what was delivered is not delivered again, and nothing is left out. Secrets stay sealed
under the key that sealed them, so give it to the servers on PostgreSQL as SECRET_KEY. Files that exports have written are
not copied: give EXPORT_FOLDER where they are. Then start no server on the old folder again: its exports would go on too.

The exit code is 1 when a row is not the same on both sides, 6 when the source is in use or the target is somebody else's.

Examples:
  $ workspace-admin copy --from sqlite:./data --to postgres://workspace@db.example.com/workspace
  $ workspace-admin copy --from sqlite:./data --to postgres://workspace@db.example.com/workspace --verify --json`,
    )
    .action(async (options: CopyOptions) => {
      const { from, to } = urlsOf(variables, options)
      const only = options.verify === true
      const { report, key } = await onBoth(from, to, only, (ends) => move(ends, from, only))
      if (options.json) console.log(JSON.stringify(report))
      else console.log(words(report, to, key, only))
      if (report.differences) process.exitCode = EXIT.failed
    })

function urlsOf(variables: Variables, options: CopyOptions): { from: string; to: string } {
  const from = readConfig({ ...variables, ...(options.from && { DATABASE_URL: options.from }) }).DATABASE_URL
  if (!options.to) throw usage('Name the PostgreSQL database that the workspace goes to with --to postgres://….')
  if (!from.startsWith('sqlite:'))
    throw usage('--from is a SQLite folder, sqlite:<folder>. PostgreSQL databases move by pg_dump and pg_restore.')
  if (!/^postgres(ql)?:\/\//.test(options.to))
    throw usage('--to is a PostgreSQL database, postgres://…. A SQLite folder moves by `workspace-admin backup`.')
  return { from, to: options.to }
}

interface Ends {
  administration: Database
  events: Database
  target: Database
}

async function onBoth<Result>(
  from: string,
  to: string,
  only: boolean,
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
    return await work({ administration, events, target: await open(to, { mode: only ? 'read' : 'existing' }) })
  } catch (error) {
    if (!(error instanceof DatabaseFileError)) throw error
    if (error.code === 'in_use') throw failure(EXIT.refused, error.message)
    throw failure(
      EXIT.not_found,
      `There is no workspace at ${from}. Name the folder that holds ${ADMINISTRATION.file} and ${EVENTS.file} with --from.`,
    )
  } finally {
    for (const db of opened) await db.close()
  }
}

/** `only`: compare, and change nothing. */
async function move(ends: Ends, from: string, only: boolean): Promise<{ report: Report; key: string | null }> {
  const { administration, events, target } = ends
  await requireCurrent(administration)
  await requireCurrent(events, EVENTS)
  const installation = await identity(administration)
  if (installation === undefined)
    throw failure(EXIT.refused, `Nothing was ever stored in ${from}. Start a server on the target instead.`)
  const now = new Date(clockOf(target)()).toISOString()
  if (!only) await copies.prepare(target, now)
  else if ((await version(target)) === 0)
    throw failure(
      EXIT.not_found,
      `There is nothing at ${target.location} to compare with. Copy without --verify first.`,
    )
  const tables = await copies.routes(ends, MOVED_COLUMNS)
  const state = await copies.stateOf(target, tables, installation)
  if (state === 'foreign')
    throw failure(
      EXIT.refused,
      `${target.location} holds data that did not come from ${from}. Create an empty database with \`createdb\` and name that with --to.`,
    )
  if (state === 'empty' && !only) await copies.begin(target, installation, now)

  const report: Report = { from, to: target.location, tables: [], rows: 0, copied: 0, differences: 0, examples: [] }
  for (const table of tables) {
    const rows = await copies.count(table.from, table)
    report.rows += rows
    report.tables.push({ table: table.name, rows, copied: 0, differences: 0 })
  }
  const filling = !only && state !== 'complete'
  if (filling) await fill(target, tables, report)
  await compare(target, tables, report)
  if (filling && report.differences === 0) {
    await advancePositions(target, await horizon(events))
    await copies.finish(target, tables)
  }
  const key = join(dirname(administration.location), KEY_FILE)
  return { report, key: existsSync(key) ? key : null }
}

/** Counts for the bar, from nothing to all rows. */
function counter(things: string, whole: number): { add(rows: number): void; end(): void } {
  const progress = createProgress(things, whole)
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

async function fill(target: Database, tables: copies.Route[], report: Report): Promise<void> {
  const bar = counter('rows copied', report.rows)
  for (const [i, table] of tables.entries()) {
    bar.add(await copies.count(target, table))
    await copies.fill(target, table, (rows) => {
      report.tables[i]!.copied += rows
      report.copied += rows
      bar.add(rows)
    })
  }
  bar.end()
}

async function compare(target: Database, tables: copies.Route[], report: Report): Promise<void> {
  const bar = counter('rows compared', report.rows)
  for (const [i, table] of tables.entries())
    for await (const difference of copies.compare(target, table, bar.add)) {
      report.differences++
      report.tables[i]!.differences++
      if (report.examples.length < MOST_DIFFERENCES_SHOWN) report.examples.push(difference)
    }
  bar.end()
}

function words(report: Report, to: string, key: string | null, only: boolean): string {
  if (report.differences) return [...report.examples.map(line), '', unequal(report)].join('\n')
  const same = `All ${report.rows} rows of ${report.tables.length} tables are the same on both sides.`
  if (only) return same
  return [
    `${report.copied} rows were copied. ${same}`,
    '',
    'Start the server there, and none on the old folder again:',
    '',
    `  ${key ? `SECRET_KEY="$(cat ${quoted(key)})" ` : ''}workspace-admin serve --database ${quoted(withoutPassword(to))}`,
    ...(key ? ['', `${key} opens the stored secrets: keep it apart, as SECRET_KEY of every server.`] : []),
  ].join('\n')
}

const line = ({ table, key, kind, columns }: copies.Difference): string =>
  `${kind.padEnd(10)}${table} ${text(key)}${columns.length ? `: ${columns.join(', ')}` : ''}`

const unequal = ({ differences, rows }: Report): string =>
  `${differences} of ${rows} rows are not the same on both sides. If one of them was in use since the copy began, that is why: copy once more into an empty database, with no server running.`

import { Command } from 'commander'
import { type Config, readConfig, type Variables } from '../config.ts'
import { findWrongCounts } from '../events/counts.ts'
import { type Database, DatabaseFileError, withoutCredentials } from '../sql/db.ts'
import { damage } from '../sql/integrity.ts'
import { EVENTS, SCHEMA_VERSION, version } from '../sql/migrate.ts'
import { openDatabase } from '../sql/open.ts'
import { ping } from '../store/installation.ts'
import { attempt, type Check, type Outcome, ok, operationChecks, problem, RESTORE, warning } from './checks.ts'
import { describeFailure, EXIT } from './failure.ts'
import { printResult } from './json-output.ts'
import { type LocalOptions, withLocalOptions } from './local.ts'

export const doctorCommand = (variables: Variables): Command =>
  withLocalOptions(new Command('doctor'), ['ok', 'checks'])
    .description(
      'Checks everything that a server needs and prints a remedy for each problem. It changes nothing in the database and can run while a server is running. Run it with the environment of the server.',
    )
    .option('--strict', 'also fail on warnings')
    .addHelpText(
      'after',
      `
It checks the settings, the database (schema, integrity, counts), the secret key, the clock, the last backup, late exports,
the mail server, the name servers, the public URL, rate limits, disk space and permissions. \`serve\` logs the same warnings
after its start, without the checks that read the whole database.

The exit code is 0 when there is no problem, 1 when there is one (with --strict: or a warning), and 2 for a usage error.

Examples:
  $ workspace-admin doctor
  $ workspace-admin doctor --database sqlite:/var/lib/workspace --json`,
    )
    .action(async (options: LocalOptions & { strict?: boolean }) => {
      const checks = await runChecks(variables, options)
      const isHealthy = checks.every(({ state }) => state === 'ok' || (state === 'warning' && !options.strict))
      await printResult(options, { ok: isHealthy, checks }, checks.map(describeCheck))
      if (!isHealthy) process.exitCode = EXIT.failed
    })

const describeCheck = ({ name, state, detail, remedy }: Check): string =>
  `${state.padEnd(8)} ${name}: ${detail}${remedy ? `\n         ${remedy}` : ''}`

async function runChecks(variables: Variables, { database }: LocalOptions): Promise<Check[]> {
  const checks: Check[] = [{ name: 'node', ...ok(process.versions.node) }]
  let config: Config
  try {
    config = readConfig({ ...variables, ...(database && { DATABASE_URL: database }) })
    checks.push({ name: 'settings', ...ok('valid') })
  } catch (error) {
    const remedy = 'Correct the variable, or unset it.'
    return [...checks, { name: 'settings', ...problem(describeFailure(error).message, remedy) }]
  }
  const url = config.DATABASE_URL

  let db: Database
  try {
    db = await openDatabase(url, { mode: 'read' })
  } catch (error) {
    const { message } = describeFailure(error)
    const remedy =
      error instanceof DatabaseFileError
        ? 'Or start `workspace-admin serve`, which creates the database.'
        : `Check that ${withoutCredentials(url)} is the right database.`
    return [...checks, { name: 'database', ...problem(message, remedy) }]
  }
  try {
    checks.push(await attempt('database', () => reachable(db)))
    checks.push(await attempt('schema', () => schema(db)))
    if (db.engine === 'sqlite') checks.push(await attempt('integrity', () => integrity(db)))
    checks.push(await attempt('events', () => (db.engine === 'sqlite' ? events(url) : eventTables(db))))
    return [...checks, ...(await operationChecks(config, db))]
  } finally {
    await db.close()
  }
}

async function reachable(db: Database): Promise<Outcome> {
  await ping(db)
  return ok(`reachable at ${db.location}`)
}

async function schema(db: Database): Promise<Outcome> {
  const found = await version(db)
  if (found === SCHEMA_VERSION) return ok(`version ${found}`)
  return found < SCHEMA_VERSION
    ? problem(
        `version ${found}; this program needs ${SCHEMA_VERSION}.`,
        'Make a backup, then run `workspace-admin migrate`.',
      )
    : problem(
        `version ${found}; this program supports up to ${SCHEMA_VERSION}.`,
        'Use the newer program, or restore a backup from before the upgrade.',
      )
}

async function integrity(db: Database): Promise<Outcome> {
  const found = await damage(db)
  return found.length ? problem(found.join(' '), RESTORE) : ok('all pages and references are valid')
}

async function events(url: string): Promise<Outcome> {
  let db: Database
  try {
    db = await openDatabase(url, { mode: 'read', file: EVENTS.file })
  } catch (error) {
    if (!(error instanceof DatabaseFileError)) throw error
    return warning(`${EVENTS.file} is missing.`, 'Restore it, or the next start creates an empty one.')
  }
  try {
    return await eventTables(db)
  } finally {
    await db.close()
  }
}

async function eventTables(db: Database): Promise<Outcome> {
  const found = await version(db, EVENTS)
  const wanted = EVENTS.migrations.length
  if (found !== wanted)
    return problem(`version ${found}; this program needs ${wanted}.`, 'Run `workspace-admin migrate`.')
  const broken = await damage(db)
  if (broken.length) return problem(broken.join(' '), RESTORE)
  const wrong = await findWrongCounts(db)
  return wrong ? warning(wrong, 'Run `workspace-admin migrate --recount-events`.') : ok('valid')
}

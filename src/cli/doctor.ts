import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { readConfig, type Variables } from '../config.ts'
import { findWrongCounts } from '../events/counts.ts'
import { type Database, DatabaseFileError, withoutCredentials } from '../sql/db.ts'
import { damage } from '../sql/integrity.ts'
import { ADMINISTRATION, EVENTS, SCHEMA_VERSION, version } from '../sql/migrate.ts'
import { openDatabase } from '../sql/open.ts'
import { ping } from '../store/installation.ts'
import { KEY_FILE, NO_SECRET_KEY } from '../store/vault.ts'
import { describeFailure, EXIT } from './failure.ts'
import { databaseUrl, type LocalOptions, withLocalOptions } from './local.ts'
import { escapeControls } from './print.ts'

const MEGABYTE = 1024 * 1024
const MIN_FREE_BYTES = 100 * MEGABYTE
const LOW_FREE_BYTES = 1024 * MEGABYTE
const MAX_SKEW_MS = 5_000

/** A warning does not fail the command. */
type State = 'ok' | 'warning' | 'problem'

interface Check {
  name: string
  state: State
  detail: string
  remedy: string | null
}

const RESTORE = 'Stop the server and restore the last backup into an empty folder (`workspace-admin backup --help`).'

export const doctorCommand = (variables: Variables): Command =>
  withLocalOptions(new Command('doctor'))
    .description(
      'Checks everything that a server needs and prints a remedy for each problem. It changes nothing and can run while a server is running. The exit code is 1 when there is a problem.',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ workspace-admin doctor
  $ workspace-admin doctor --database sqlite:/var/lib/workspace --json`,
    )
    .action(async (options: LocalOptions) => {
      const checks = await runChecks(variables, options)
      const isHealthy = checks.every(({ state }) => state !== 'problem')
      if (options.json) console.log(JSON.stringify({ ok: isHealthy, checks }))
      else for (const check of checks) console.log(describeCheck(check))
      if (!isHealthy) process.exitCode = EXIT.failed
    })

const describeCheck = ({ name, state, detail, remedy }: Check): string =>
  escapeControls(`${state.padEnd(8)} ${name}: ${detail}`) + (remedy ? `\n         ${remedy}` : '')

const ok = (name: string, detail: string): Check => ({ name, state: 'ok', detail, remedy: null })
const warning = (name: string, detail: string, remedy: string): Check => ({ name, state: 'warning', detail, remedy })
const problem = (name: string, detail: string, remedy: string): Check => ({ name, state: 'problem', detail, remedy })

async function runChecks(variables: Variables, options: LocalOptions): Promise<Check[]> {
  const checks = [ok('node', process.versions.node)]
  let url: string
  try {
    url = databaseUrl(variables, options)
    checks.push(ok('settings', 'valid'))
  } catch (error) {
    return [...checks, problem('settings', describeFailure(error).message, 'Correct the variable, or unset it.')]
  }

  let db: Database
  try {
    db = await openDatabase(url, { mode: 'read' })
  } catch (error) {
    const { message } = describeFailure(error)
    return [
      ...checks,
      error instanceof DatabaseFileError
        ? problem('database', message, 'Or start `workspace-admin serve`, which creates the database.')
        : problem('database', message, `Check that ${withoutCredentials(url)} is the right database.`),
    ]
  }
  try {
    checks.push(await attempt('database', () => reachable(db)))
    checks.push(await attempt('schema', () => schema(db)))
    if (db.engine === 'postgres') {
      checks.push(await attempt('events', () => eventTables(db)))
      return [...checks, clock(db), secretKey(variables)]
    }
    checks.push(await attempt('integrity', () => integrity(db)))
    checks.push(await attempt('events', () => events(url)))
  } finally {
    await db.close()
  }
  const folder = dirname(db.location)
  checks.push(await attempt('folder', () => permissions(folder, db.location)))
  checks.push(await attempt('files', () => files(folder)))
  checks.push(await attempt('disk', () => space(folder)))
  return checks
}

const attempt = (name: string, check: () => Promise<Check>): Promise<Check> =>
  check().catch((error) => {
    const damaged = /^SQLITE_(CORRUPT|NOTADB|IOERR)/.test(String(error.code))
    return damaged
      ? problem(name, `The file is damaged: ${error.message}.`, RESTORE)
      : problem(name, describeFailure(error).message, 'Fix this and run `workspace-admin doctor` again.')
  })

async function reachable(db: Database): Promise<Check> {
  await ping(db)
  return ok('database', `reachable at ${db.location}`)
}

async function schema(db: Database): Promise<Check> {
  const found = await version(db)
  if (found === SCHEMA_VERSION) return ok('schema', `version ${found}`)
  return found < SCHEMA_VERSION
    ? problem(
        'schema',
        `version ${found}; this program needs ${SCHEMA_VERSION}.`,
        'Make a backup, then run `workspace-admin migrate`.',
      )
    : problem(
        'schema',
        `version ${found}; this program supports up to ${SCHEMA_VERSION}.`,
        'Use the newer program, or restore a backup from before the upgrade.',
      )
}

async function integrity(db: Database): Promise<Check> {
  const found = await damage(db)
  return found.length
    ? problem('integrity', found.join(' '), RESTORE)
    : ok('integrity', 'all pages and references are valid')
}

async function events(url: string): Promise<Check> {
  let db: Database
  try {
    db = await openDatabase(url, { mode: 'read', file: EVENTS.file })
  } catch (error) {
    if (!(error instanceof DatabaseFileError)) throw error
    return warning('events', `${EVENTS.file} is missing.`, 'Restore it, or the next start creates an empty one.')
  }
  try {
    return await eventTables(db)
  } finally {
    await db.close()
  }
}

async function eventTables(db: Database): Promise<Check> {
  const found = await version(db, EVENTS)
  const wanted = EVENTS.migrations.length
  if (found !== wanted)
    return problem('events', `version ${found}; this program needs ${wanted}.`, 'Run `workspace-admin migrate`.')
  const broken = await damage(db)
  if (broken.length) return problem('events', broken.join(' '), RESTORE)
  const wrong = await findWrongCounts(db)
  return wrong ? warning('events', wrong, 'Run `workspace-admin migrate --recount-events`.') : ok('events', 'valid')
}

async function permissions(folder: string, file: string): Promise<Check> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    await access(file, constants.R_OK | constants.W_OK)
  } catch {
    return problem(
      'folder',
      `This user cannot write ${folder} or its database.`,
      'Run as the user of the server, or change the owner of the folder with chown -R.',
    )
  }
  const { mode } = await stat(folder)
  const octal = (mode & 0o777).toString(8)
  if (mode & 0o022) return problem('folder', `Other users can write ${folder} (${octal}).`, `Run chmod 700 ${folder}.`)
  if (mode & 0o055) return warning('folder', `Other users can read ${folder} (${octal}).`, `Run chmod 700 ${folder}.`)
  return ok('folder', `${folder} is writable by this user only`)
}

async function files(folder: string): Promise<Check> {
  const names = [ADMINISTRATION.file, EVENTS.file].flatMap((name) => [name, `${name}-wal`, `${name}-shm`])
  for (const name of [...names, KEY_FILE]) {
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (found && found.mode & 0o077)
      return warning(
        'files',
        `Other users can open ${name} (${(found.mode & 0o777).toString(8)}).`,
        `Run chmod 600 ${join(folder, name)}.`,
      )
  }
  return ok('files', 'only this user can open the databases and the key')
}

const secretKey = (variables: Variables): Check =>
  readConfig(variables).SECRET_KEY
    ? ok('secret key', 'SECRET_KEY is set')
    : warning('secret key', 'SECRET_KEY is not set.', `Without it, ${NO_SECRET_KEY}.`)

async function space(folder: string): Promise<Check> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const detail = `${Math.floor(free / MEGABYTE).toLocaleString('en')} MiB free`
  if (free < MIN_FREE_BYTES) return problem('disk', detail, 'Free some space, or move the data to a larger disk.')
  return free < LOW_FREE_BYTES ? warning('disk', detail, 'Free some space soon.') : ok('disk', detail)
}

function clock(db: Database): Check {
  const skew = db.skew()
  return Math.abs(skew) <= MAX_SKEW_MS
    ? ok('clock', `${Math.abs(skew)} ms from the clock of the database`)
    : problem(
        'clock',
        `${Math.abs(skew)} ms ${skew > 0 ? 'behind' : 'ahead of'} the clock of the database.`,
        'Synchronize both machines with NTP.',
      )
}

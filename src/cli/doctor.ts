import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { readConfig, type Variables } from '../config.ts'
import { type Database, DatabaseFileError, withoutCredentials } from '../sql/db.ts'
import { damage } from '../sql/integrity.ts'
import { ADMINISTRATION, EVENTS, SCHEMA_VERSION, version } from '../sql/migrate.ts'
import { openDatabase } from '../sql/open.ts'
import { ping } from '../store/installation.ts'
import { KEY_FILE, NO_SECRET_KEY } from '../store/vault.ts'
import { EXIT, told } from './failure.ts'
import { databaseUrl, type LocalOptions, local } from './local.ts'
import { harmless } from './print.ts'

const MEGABYTE = 1024 * 1024
const LEAST_FREE_BYTES = 100 * MEGABYTE
const SCARCE_FREE_BYTES = 1024 * MEGABYTE
const MOST_SKEW_MS = 5_000

/** A warning wants a look and does not fail the command. */
type State = 'ok' | 'warning' | 'problem'

interface Check {
  name: string
  state: State
  detail: string
  remedy: string | null
}

const RESTORE = 'Stop the server and restore the last backup into an empty folder (`workspace-admin backup --help`).'

export const doctor = (variables: Variables): Command =>
  local(new Command('doctor'))
    .description(
      'Looks at everything a server needs and says, one by one, what is well and what to do about what is not. It changes nothing and is safe beside a running server. The exit code is 1 when there is a problem.',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ workspace-admin doctor
  $ workspace-admin doctor --database sqlite:/var/lib/workspace --json`,
    )
    .action(async (options: LocalOptions) => {
      const checks = await examine(variables, options)
      const sound = checks.every(({ state }) => state !== 'problem')
      if (options.json) console.log(JSON.stringify({ ok: sound, checks }))
      else for (const check of checks) console.log(line(check))
      if (!sound) process.exitCode = EXIT.failed
    })

const line = ({ name, state, detail, remedy }: Check): string =>
  harmless(`${state.padEnd(8)} ${name}: ${detail}`) + (remedy ? `\n         ${remedy}` : '')

const ok = (name: string, detail: string): Check => ({ name, state: 'ok', detail, remedy: null })
const warning = (name: string, detail: string, remedy: string): Check => ({ name, state: 'warning', detail, remedy })
const problem = (name: string, detail: string, remedy: string): Check => ({ name, state: 'problem', detail, remedy })

async function examine(variables: Variables, options: LocalOptions): Promise<Check[]> {
  const checks = [node()]
  let url: string
  try {
    url = databaseUrl(variables, options)
    checks.push(ok('settings', 'readable'))
  } catch (error) {
    return [...checks, problem('settings', told(error).message, 'Correct that variable, or unset it.')]
  }

  let db: Database
  try {
    db = await openDatabase(url, { mode: 'read' })
  } catch (error) {
    const { message } = told(error)
    return [
      ...checks,
      error instanceof DatabaseFileError
        ? problem('database', message, 'Or start `workspace-admin serve` on it: it makes what is missing.')
        : problem('database', message, `Check that ${withoutCredentials(url)} is the database you mean.`),
    ]
  }
  try {
    checks.push(await attempt('database', () => reachable(db)))
    checks.push(await attempt('schema', () => schema(db)))
    if (db.engine === 'postgres') return [...checks, clock(db), secretKey(variables)]
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

/** A check that cannot even be made is a finding too. */
const attempt = (name: string, check: () => Promise<Check>): Promise<Check> =>
  check().catch((error) => {
    const damaged = /^SQLITE_(CORRUPT|NOTADB|IOERR)/.test(String(error.code))
    return damaged
      ? problem(name, `The file is damaged: ${error.message}.`, RESTORE)
      : problem(name, told(error).message, 'Put that right and run `workspace-admin doctor` again.')
  })

function node(): Check {
  const wanted = Number(/\d+/.exec(packageJson.engines.node)![0])
  const found = process.versions.node
  return Number(found.split('.')[0]) >= wanted
    ? ok('node', found)
    : problem('node', `${found} is too old.`, `Install Node ${wanted} or newer.`)
}

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
        `version ${found}, and this program needs ${SCHEMA_VERSION}.`,
        'Make a backup, then run `workspace-admin migrate`.',
      )
    : problem(
        'schema',
        `version ${found}, and this program knows up to ${SCHEMA_VERSION}.`,
        'Use the newer program, or restore a backup made before the upgrade.',
      )
}

async function integrity(db: Database): Promise<Check> {
  const found = await damage(db)
  return found.length
    ? problem('integrity', found.join(' '), RESTORE)
    : ok('integrity', 'every page and reference is sound')
}

async function events(url: string): Promise<Check> {
  let db: Database
  try {
    db = await openDatabase(url, { mode: 'read', file: EVENTS.file })
  } catch (error) {
    if (!(error instanceof DatabaseFileError)) throw error
    return warning('events', `${EVENTS.file} is not there.`, 'Put it back, or the next start begins without events.')
  }
  try {
    const found = await version(db, EVENTS)
    const wanted = EVENTS.migrations.length
    if (found !== wanted)
      return problem('events', `version ${found}, and this program needs ${wanted}.`, 'Run `workspace-admin migrate`.')
    const broken = await damage(db)
    return broken.length ? problem('events', broken.join(' '), RESTORE) : ok('events', 'sound')
  } finally {
    await db.close()
  }
}

async function permissions(folder: string, file: string): Promise<Check> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    await access(file, constants.R_OK | constants.W_OK)
  } catch {
    return problem(
      'folder',
      `${folder} or its database cannot be written by this user.`,
      'Run as the user the server runs as, or give this one the folder with chown -R.',
    )
  }
  const { mode } = await stat(folder)
  const octal = (mode & 0o777).toString(8)
  if (mode & 0o022)
    return problem('folder', `${folder} can be written by others (${octal}).`, `Run chmod 700 ${folder}.`)
  if (mode & 0o055)
    return warning('folder', `${folder} can be read by others on this machine (${octal}).`, `Run chmod 700 ${folder}.`)
  return ok('folder', `${folder} is writable, and this user's alone`)
}

async function files(folder: string): Promise<Check> {
  const names = [ADMINISTRATION.file, EVENTS.file].flatMap((name) => [name, `${name}-wal`, `${name}-shm`])
  for (const name of [...names, KEY_FILE]) {
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (found && found.mode & 0o077)
      return warning(
        'files',
        `${name} can be opened by others on this machine (${(found.mode & 0o777).toString(8)}).`,
        `Run chmod 600 ${join(folder, name)}.`,
      )
  }
  return ok('files', "the databases and the key are this user's alone")
}

const secretKey = (variables: Variables): Check =>
  readConfig(variables).SECRET_KEY
    ? ok('secret key', 'SECRET_KEY is set')
    : warning('secret key', 'SECRET_KEY is not set.', `Without it, ${NO_SECRET_KEY}.`)

async function space(folder: string): Promise<Check> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const detail = `${Math.floor(free / MEGABYTE).toLocaleString('en')} MiB are free`
  if (free < LEAST_FREE_BYTES) return problem('disk', detail, 'Free some space, or move the data to a larger disk.')
  return free < SCARCE_FREE_BYTES ? warning('disk', detail, 'Free some space soon.') : ok('disk', detail)
}

function clock(db: Database): Check {
  const skew = db.skew()
  return Math.abs(skew) <= MOST_SKEW_MS
    ? ok('clock', `${Math.abs(skew)} ms from the database's`)
    : problem(
        'clock',
        `${Math.abs(skew)} ms ${skew > 0 ? 'behind' : 'ahead of'} the database's.`,
        'Let both machines set their clocks by NTP.',
      )
}

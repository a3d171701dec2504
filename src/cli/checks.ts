/** Checks of an installation that take no long query. `doctor` prints them, and `serve` logs the warnings after its start. */
import { existsSync } from 'node:fs'
import { access, constants, stat, statfs } from 'node:fs/promises'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { type Config, durationMs, splitList } from '../config.ts'
import { verifyNameServers } from '../dns/txt.ts'
import type { Log } from '../main.ts'
import { createOutbound } from '../outbound/guard.ts'
import { clockOf, type Database } from '../sql/db.ts'
import { ADMINISTRATION, EVENTS, SCHEMA_VERSION, version } from '../sql/migrate.ts'
import { openDatabase } from '../sql/open.ts'
import { backupStatus, workload } from '../store/installation.ts'
import { usedKeys } from '../store/secrets.ts'
import { existingKeys, KEY_FILE, NO_SECRET_KEY } from '../store/vault.ts'
import { describeFailure } from './failure.ts'

const MEGABYTE = 1024 * 1024
const MIN_FREE_BYTES = 100 * MEGABYTE
const LOW_FREE_BYTES = 1024 * MEGABYTE
const MAX_SKEW_MS = 5_000
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** Without a schedule, a backup older than this is a warning. */
const OLD_BACKUP_MS = 7 * DAY_MS
const LATE_EXPORTS_MS = 15 * 60_000
const DNS_TIMEOUT_MS = 3_000

/** A warning does not fail `doctor`. */
export type State = 'ok' | 'warning' | 'problem'

export interface Outcome {
  state: State
  detail: string
  /** Null when nothing is wrong. */
  remedy: string | null
}

export type Check = { name: string } & Outcome

export const ok = (detail: string): Outcome => ({ state: 'ok', detail, remedy: null })
export const warning = (detail: string, remedy: string): Outcome => ({ state: 'warning', detail, remedy })
export const problem = (detail: string, remedy: string): Outcome => ({ state: 'problem', detail, remedy })

export const RESTORE = 'Stop the server and restore the last backup (`workspace-admin restore --help`).'

/** Runs a check. A check that throws is a problem. */
export const attempt = async (name: string, check: () => Promise<Outcome>): Promise<Check> => ({
  name,
  ...(await check().catch((error) => {
    const damaged = /^SQLITE_(CORRUPT|NOTADB|IOERR)/.test(String(error.code))
    return damaged
      ? problem(`The file is damaged: ${error.message}.`, RESTORE)
      : problem(describeFailure(error).message, 'Fix this and run `workspace-admin doctor` again.')
  })),
})

/** The checks that need no database, and those of a database whose schema is current. All run concurrently. */
export function operationChecks(config: Config, db: Database): Promise<Check[]> {
  const folder = db.engine === 'sqlite' ? dirname(resolve(db.location)) : null
  return Promise.all([
    attempt('secret key', () => secretKey(config, db, folder)),
    attempt('clock', () => clock(db)),
    attempt('backup', () => backup(config, db)),
    attempt('exports', () => exports(db)),
    attempt('mail', () => mail(config, db)),
    attempt('dns', () => dns(config)),
    attempt('site', async () => site(config)),
    attempt('limits', async () => limits(config)),
    attempt('disk', () => disk(config, folder)),
    ...(folder === null
      ? []
      : [attempt('folder', () => permissions(folder, db.location)), attempt('files', () => privateFiles(folder))]),
  ])
}

/** Logs every warning and problem of a server that has started. Never throws. */
export async function logFindings(config: Config, log: Log): Promise<void> {
  try {
    const db = await openDatabase(config.DATABASE_URL, { mode: 'read', connections: 1 })
    const checks = await operationChecks(config, db).finally(() => db.close())
    for (const { name, state, detail, remedy } of checks)
      if (state !== 'ok') log.warn({ check: name, remedy }, `${name}: ${detail}`)
  } catch (error) {
    log.warn({ err: error }, 'the checks after the start failed')
  }
}

async function secretKey(config: Config, db: Database, folder: string | null): Promise<Outcome> {
  const available = existingKeys(config, folder)
  const used = await usedKeys(db)
  const missing = used.filter((key) => !available.includes(key))
  if (missing.length)
    return problem(
      `Stored secrets were encrypted with the key ${missing.join(', ')}; this node has ${available.join(', ') || 'none'}.`,
      `Set SECRET_KEY to the key of the other nodes (after a rotation, SECRET_KEY_PREVIOUS to the old one)${folder ? `, or restore ${KEY_FILE}` : ''}.`,
    )
  if (!config.SECRET_KEY) {
    if (folder === null) return warning('SECRET_KEY is not set.', `Without it, ${NO_SECRET_KEY}.`)
    if (used.length === 0) return ok('no secret is stored')
    return warning(
      `SECRET_KEY is not set: the key is ${join(folder, KEY_FILE)}, next to the data that it protects. Backups do not contain it.`,
      'Store its content in your secret manager and set it as SECRET_KEY.',
    )
  }
  if (config.SECRET_KEY_PREVIOUS)
    return warning(
      'SECRET_KEY_PREVIOUS is set, and no secret needs it.',
      'Unset it once every node has started with the new key.',
    )
  return ok(`SECRET_KEY is set (${available[0]})`)
}

async function clock(db: Database): Promise<Outcome> {
  if (db.engine === 'sqlite') {
    // A file with a modification time in the future shows that the clock was set back.
    const changed = await Promise.all(
      ['', '-wal'].map((suffix) =>
        stat(db.location + suffix).then(
          ({ mtimeMs }) => mtimeMs,
          () => 0,
        ),
      ),
    )
    const ahead = Math.round(Math.max(...changed) - clockOf(db)())
    return ahead > MAX_SKEW_MS
      ? problem(
          `The database was changed ${ahead} ms in the future: the clock was set back.`,
          'Synchronize this machine with NTP.',
        )
      : ok('not behind the last change of the database')
  }
  const skew = db.skew()
  return Math.abs(skew) <= MAX_SKEW_MS
    ? ok(`${Math.abs(skew)} ms from the clock of the database`)
    : problem(
        `${Math.abs(skew)} ms ${skew > 0 ? 'behind' : 'ahead of'} the clock of the database.`,
        'Synchronize both machines with NTP.',
      )
}

async function backup(config: Config, db: Database): Promise<Outcome> {
  if ((await version(db)) !== SCHEMA_VERSION) return ok('not known before the migration')
  const status = await backupStatus(db)
  if (!status) return ok('the installation is new')
  const { last_backup_at, last_backup_failed_at, last_backup_error, installed_at } = status
  if (last_backup_failed_at)
    return problem(
      `The last scheduled backup failed at ${last_backup_failed_at}: ${last_backup_error}`,
      'Fix the cause: the server retries within five minutes.',
    )
  const target =
    config.BACKUP_TO && !config.BACKUP_TO.startsWith('s3://') ? await checkTarget(config.BACKUP_TO, db) : undefined
  if (target?.state === 'problem') return target
  const age = (time: string): number => clockOf(db)() - Date.parse(time)
  const limit = config.BACKUP_EVERY ? 2 * durationMs(config.BACKUP_EVERY) + HOUR_MS : OLD_BACKUP_MS
  if (last_backup_at !== null && age(last_backup_at) <= limit)
    return target ?? ok(`the last one was made at ${last_backup_at}`)
  if (last_backup_at === null && age(installed_at) < DAY_MS) return target ?? ok('none yet; the installation is new')
  return warning(
    last_backup_at === null ? 'No backup is recorded.' : `The last backup was made at ${last_backup_at}.`,
    db.engine === 'sqlite'
      ? 'Set BACKUP_EVERY and BACKUP_TO, or run `workspace-admin backup FILE` every day.'
      : 'Schedule pg_dump, and run `workspace-admin backup --record` after each success.',
  )
}

/** A folder for backups that cannot be written, or that is lost together with the data. */
async function checkTarget(target: string, db: Database): Promise<Outcome | undefined> {
  const path = resolve(target)
  let folder = path
  // The first backup creates the folder.
  while (!existsSync(folder)) folder = dirname(folder)
  const [backups, data] = await Promise.all([stat(folder), stat(dirname(db.location))])
  const isWritable = await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => backups.isDirectory(),
    () => false,
  )
  if (!isWritable)
    return problem(
      `${folder} is not a folder that this user can write, so no backup can be stored.`,
      'Change its permissions, or set BACKUP_TO.',
    )
  return backups.dev === data.dev
    ? warning(
        `${path} is on the same disk as the data, so both are lost together.`,
        'Set BACKUP_TO to a folder on another disk, or to s3://bucket/prefix.',
      )
    : undefined
}

async function exports(db: Database): Promise<Outcome> {
  if ((await version(db)) !== SCHEMA_VERSION) return ok('not known before the migration')
  const time = clockOf(db)()
  const { oldest_window } = await workload(db, new Date(time).toISOString())
  const late = oldest_window === null ? 0 : time - Date.parse(oldest_window)
  return late > LATE_EXPORTS_MS
    ? warning(
        `The oldest window that is due ended ${Math.floor(late / 60_000)} minutes ago.`,
        'Check that a server with the role all or worker runs, and read the log of the runs of the late export.',
      )
    : ok('on time')
}

async function mail(config: Config, db: Database): Promise<Outcome> {
  if (config.SMTP_URL) {
    const { verifySmtp } = await import('../mail/smtp.ts')
    const reason = await verifySmtp(config.SMTP_URL)
    const { host } = new URL(config.SMTP_URL)
    return reason === null
      ? ok(`${host} accepts connections`)
      : problem(
          `The mail server ${host} cannot be used: ${reason}.`,
          'Check SMTP_URL: host, port, user and password, and smtps:// for implicit TLS.',
        )
  }
  const waiting =
    (await version(db)) === SCHEMA_VERSION
      ? (await workload(db, new Date(clockOf(db)()).toISOString())).mails_waiting
      : 0
  return waiting
    ? warning(`${waiting} emails wait, but SMTP_URL is not set.`, 'Set SMTP_URL and SITE_URL.')
    : ok('not configured; members send the links of invites themselves')
}

async function dns(config: Config): Promise<Outcome> {
  const servers = config.DNS_SERVERS ? splitList(config.DNS_SERVERS) : []
  const host = config.SITE_URL ? new URL(config.SITE_URL).hostname : 'example.com'
  const name = `${config.DOMAIN_CHALLENGE_LABEL}.${isIP(host) ? 'example.com' : host}`
  const failure = await verifyNameServers(servers, name, Math.min(config.DNS_TIMEOUT_MS, DNS_TIMEOUT_MS))
  return failure === null
    ? ok('the name servers answer')
    : warning(
        `The name servers do not answer (${failure}), so no domain can be verified.`,
        servers.length ? 'Correct DNS_SERVERS.' : 'Check /etc/resolv.conf, or set DNS_SERVERS.',
      )
}

const LOCAL_NAME = /(^|\.)(localhost|local|internal|lan|home|test|example|invalid)$/

/** Whether browsers reach the host over networks that others can read. */
async function isPublicHost(host: string): Promise<boolean> {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  if (isIP(bare) === 0) return bare.includes('.') && !LOCAL_NAME.test(bare)
  return createOutbound()
    .checkHost(bare, 443)
    .then(
      () => true,
      () => false,
    )
}

async function site(config: Config): Promise<Outcome> {
  const { SITE_URL, HOST, TRUST_PROXY } = config
  const isLoopback = /^(127\.|::1$|localhost$)/.test(HOST)
  if (!SITE_URL)
    return isLoopback
      ? ok('SITE_URL is not set; the server is reachable from this machine only')
      : warning(
          `The server listens on ${HOST} without SITE_URL.`,
          'Put a proxy with TLS in front, and set SITE_URL to its https address and TRUST_PROXY=true.',
        )
  const url = new URL(SITE_URL)
  if (url.protocol === 'http:' && (await isPublicHost(url.hostname)))
    return problem(
      `SITE_URL is ${SITE_URL}: passwords, sessions and keys cross the network unencrypted.`,
      'Put a proxy with TLS in front, and set SITE_URL to its https address.',
    )
  if (url.protocol === 'https:' && !TRUST_PROXY)
    return warning(
      'SITE_URL is https, so a proxy is in front, but TRUST_PROXY is not set: rate limits and logs see its address.',
      'Set TRUST_PROXY=true if the proxy sets X-Forwarded-For.',
    )
  return ok(SITE_URL)
}

const limits = ({ RATE_LIMITS }: Config): Outcome =>
  RATE_LIMITS ? ok('on') : warning('RATE_LIMITS is false: one client can use up the server.', 'Unset RATE_LIMITS.')

async function disk(config: Config, data_folder: string | null): Promise<Outcome> {
  const export_folder = config.EXPORT_FOLDER ?? (data_folder === null ? 'exports' : join(data_folder, 'exports'))
  const local_backups = config.BACKUP_TO?.startsWith('s3://') ? undefined : config.BACKUP_TO
  const folders = [data_folder, export_folder, local_backups, tmpdir()].flatMap((path) => path ?? [])
  const spaces: { path: string; free: number }[] = []
  for (const path of folders) {
    // An export folder is created by its first file.
    const status = await statfs(path).catch(() => null)
    if (status) spaces.push({ path, free: status.bavail * status.bsize })
  }
  const [least] = spaces.sort((a, b) => a.free - b.free)
  if (!least) return ok('no folder is used yet')
  const detail = `${Math.floor(least.free / MEGABYTE).toLocaleString('en')} MiB free in ${least.path}`
  if (least.free < MIN_FREE_BYTES) return problem(detail, 'Free some space, or move it to a larger disk.')
  return least.free < LOW_FREE_BYTES ? warning(detail, 'Free some space soon.') : ok(detail)
}

async function permissions(folder: string, file: string): Promise<Outcome> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    await access(file, constants.R_OK | constants.W_OK)
  } catch {
    return problem(
      `This user cannot write ${folder} or its database.`,
      'Run as the user of the server, or change the owner of the folder with chown -R.',
    )
  }
  const { mode } = await stat(folder)
  const octal = (mode & 0o777).toString(8)
  if (mode & 0o022) return problem(`Other users can write ${folder} (${octal}).`, `Run chmod 700 ${folder}.`)
  if (mode & 0o055) return warning(`Other users can read ${folder} (${octal}).`, `Run chmod 700 ${folder}.`)
  return ok(`${folder} is writable by this user only`)
}

async function privateFiles(folder: string): Promise<Outcome> {
  const names = [ADMINISTRATION.file, EVENTS.file].flatMap((name) => [name, `${name}-wal`, `${name}-shm`])
  for (const name of [...names, KEY_FILE]) {
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (found && found.mode & 0o077)
      return warning(
        `Other users can open ${name} (${(found.mode & 0o777).toString(8)}).`,
        `Run chmod 600 ${join(folder, name)}.`,
      )
  }
  return ok('only this user can open the databases and the key')
}

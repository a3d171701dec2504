import { dirname, join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { createPasswordProcesses } from './auth/password-processes.ts'
import { createPasswords } from './auth/passwords.ts'
import { activeAt } from './auth/sessions.ts'
import type { Loop } from './background/loop.ts'
import { createParts, type Keep } from './background/parts.ts'
import { createScheduledBackups, type ScheduledBackups } from './backups/schedule.ts'
import { type Config, splitList } from './config.ts'
import { type ResolveTxt, txtResolver } from './dns/txt.ts'
import { createEventCounter } from './events/counts.ts'
import { highestMirrored } from './events/mirrors.ts'
import { openEventStore } from './events/open.ts'
import { createParserPool, type ParserPool } from './events/parser-pool.ts'
import { advancePositions, createTransactionWatch } from './events/positions.ts'
import { createPurger, type Purger } from './events/purge.ts'
import { createEventReader, type EventReader } from './events/readers.ts'
import { createSessionCloser } from './events/sessions.ts'
import { createEventWriter, type EventWriter } from './events/writer.ts'
import { type Alerter, createAlerter } from './exports/alerter.ts'
import { createDeliveryProcesses, type DeliveryProcesses } from './exports/delivery-processes.ts'
import { createExporter, type Exporter } from './exports/exporter.ts'
import { addGauges } from './gauges.ts'
import { type Ids, makeIds } from './ids.ts'
import { createMailer, type Mailer } from './mail/mailer.ts'
import type { KeeperLimits } from './mirror/keeper.ts'
import { type EventMirror, openMirror } from './mirror/mirror.ts'
import { composeInvites } from './organizations/invites.ts'
import { completeDeletions } from './organizations/persons.ts'
import { createOutbound, type Outbound } from './outbound/guard.ts'
import { createPluginApi, type PluginApi } from './plugins/runtime/api.ts'
import { createLocate, type Locate } from './plugins/runtime/geoip.ts'
import { createPluginRuntime, type PluginRuntime } from './plugins/runtime/runtime.ts'
import { createSandbox, type Sandbox } from './plugins/runtime/sandbox.ts'
import { createFailureLog, type FailureLog } from './signin/failure-log.ts'
import { type Providers, providersOf } from './signin/oidc.ts'
import { createAccountLink } from './signin/password-reset.ts'
import { createSamlProcesses, type SamlProcesses } from './signin/saml-processes.ts'
import type { SignInService } from './signin/service.ts'
import { clockOf, type Database, type DbOptions } from './sql/db.ts'
import { migrate } from './sql/migrate.ts'
import { openDatabase } from './sql/open.ts'
import * as activityLog from './store/activity_log.ts'
import { highestPosition } from './store/batch_exports.ts'
import { claim, identity } from './store/installation.ts'
import * as failedDeliveries from './store/plugin_failed_deliveries.ts'
import * as pluginLogs from './store/plugin_logs.ts'
import * as pluginMetrics from './store/plugin_metrics.ts'
import * as projects from './store/projects.ts'
import * as purges from './store/purges.ts'
import { openVault, reencryptSecrets } from './store/secrets.ts'
import { removeExpired } from './store/sessions.ts'
import { NO_SECRET_KEY, type Vault } from './store/vault.ts'
import { areaLog } from './telemetry/log.ts'
import { createMetrics, type Metrics } from './telemetry/metrics.ts'
import { openTracing, type Tracing, tracingSettings } from './telemetry/tracing.ts'

const DAY_MS = 86_400_000
/** Counts of failed sign-ins and of emails expire after a day. */
const FAILURE_DAYS = 1
/** How long the lines of plugins are kept. */
const PLUGIN_LOG_DAYS = 7
/** How long deliveries that failed for good can be replayed. */
const FAILED_DELIVERY_DAYS = 30

/** The dependencies of handlers, created once at startup. */
export interface Deps {
  readonly config: Config
  readonly db: Database
  /** The database with the events: a separate file on SQLite, `db` itself on PostgreSQL. */
  readonly events: Database
  /** Writes all new events. */
  readonly writer: EventWriter
  /** Parses large bodies of events in child processes. */
  readonly parsers: ParserPool
  /** Answers questions from columns. Undefined unless it is configured. */
  readonly mirror?: EventMirror | undefined
  /** Runs queries over many events, on SQLite in child processes. */
  readonly eventReader: EventReader
  /** Plans and delivers batch exports. Wake it after a change. */
  readonly exporter: Exporter
  /** Sends the messages of alerts. Wake it after enqueueing a webhook. */
  readonly alerter: Alerter
  /** Delivers runs and tests destinations in child processes. */
  readonly processes: DeliveryProcesses
  /** Loads the code of plugins in child processes to find its exports and errors. */
  readonly inspector: Sandbox
  /** Finds the location of an IP address for plugins. */
  readonly locate: Locate
  /** Calls the API for plugins. */
  readonly pluginApi: PluginApi
  /** Runs plugins. */
  readonly plugins: PluginRuntime
  /** The root folder of File exports. */
  readonly files_root: string
  /** Encrypts stored secrets. */
  readonly vault: Vault
  /** Counts events that were stored before hourly counts existed. */
  readonly counter: Loop
  readonly sessionCloser: Loop
  /** Deletes events of deleted projects and expired events. Wake it after deleting a project. */
  readonly purger: Purger
  /** Makes scheduled backups. Null unless they are configured. */
  readonly backups: ScheduledBackups | null
  /** The current time, ISO 8601 in UTC with milliseconds: of the process on SQLite, of the database on PostgreSQL. */
  readonly now: () => string
  /** The current time in milliseconds since 1970. */
  readonly milliseconds: () => number
  readonly ids: Ids
  readonly log: Logger
  readonly metrics: Metrics
  /** Null when traces are off. */
  readonly tracing: Tracing | null
  /** Sign-in, sessions and credentials. */
  readonly signIn: SignInService
  /** The single sign-on providers of the operator. */
  readonly providers: Providers
  /** Verifies SAML responses in child processes. */
  readonly saml: SamlProcesses
  /** Null when email is not configured. Wake it after enqueueing an email. */
  readonly mailer: Mailer | null
  readonly resolveTxt: ResolveTxt
  /** Opens connections to hosts that users choose. */
  readonly outbound: Outbound
  /** When this process opened its database, in milliseconds since 1970. */
  readonly started_at: number
  /** Set when a shutdown begins. The server then reports that it is not ready. */
  readonly lifecycle: { draining: boolean }
  /** Starts work that the request does not wait for. Failures are logged; `dispose` waits for all of it. */
  readonly background: (name: string, work: () => Promise<unknown>) => void
  readonly dispose: () => Promise<void>
}

export interface DepsOptions {
  config: Config
  log: Logger
  /** Replaces `Date.now`. */
  clock?: () => number
  ids?: Ids
  /** Replaces the child processes of deliveries. */
  processes?: DeliveryProcesses
  /** Replaces some limits of the mirror. */
  mirrorLimits?: Partial<KeeperLimits>
}

/** Opens and migrates the database, and starts the background work of this node's role. */
export async function buildDeps(options: DepsOptions): Promise<Deps> {
  const { keep, stop } = createParts()
  try {
    return { ...(await openParts(options, keep)), dispose: stop }
  } catch (error) {
    await stop().catch((err) => options.log.error({ err }, 'closing the parts of a failed start failed'))
    throw error
  }
}

/** A part is opened after the parts that it uses, and stopped before them. */
async function openParts(options: DepsOptions, keep: Keep): Promise<Omit<Deps, 'dispose'>> {
  const base = await openDatabases(options, keep)
  const { config, log, db } = base
  // Flushed after the background work, which may fail.
  const failures = createFailureLog(areaLog(log, config, 'signin'))
  keep({ stop: failures.flush })
  const background = createBackground(log, keep)
  const mailer = await openMail({ ...base, log: areaLog(log, config, 'mail') })
  if (mailer) keep(mailer)
  const outbound = createOutbound({ allow: config.OUTBOUND_ALLOW })
  const files_root = exportFolder(config, db)
  const used = { ...base, background, mailer, outbound, files_root }
  const signIn = openSignIn(used, failures, keep)
  const exports = openExports(used, options.processes, keep)
  const plugins = openPlugins(used, keep)
  const eventJobs = openEventJobs({ ...used, ...plugins }, signIn.signIn.limits, keep)
  addGauges({ ...used, ...plugins, ...exports, reader: base.eventReader })
  // A worker picks up the mail that an API node enqueues.
  if (config.ROLE !== 'api') mailer?.start()
  return {
    ...used,
    ...signIn,
    ...exports,
    ...plugins,
    ...eventJobs,
    resolveTxt: txtResolver(config.DNS_SERVERS ? splitList(config.DNS_SERVERS) : [], config.DNS_TIMEOUT_MS),
    lifecycle: { draining: false },
  }
}

type Databases = Awaited<ReturnType<typeof openDatabases>>

async function openDatabases(
  { config, log, clock = Date.now, ids: injectedIds, mirrorLimits }: DepsOptions,
  keep: Keep,
) {
  const metrics = createMetrics()
  const traces = tracingSettings(config)
  const tracing = traces && keep(await openTracing(traces, tracingErrors(log)))
  const observer = observeStatements({ config, log: areaLog(log, config, 'sql'), metrics, tracing })
  const db = await openDatabase(config.DATABASE_URL, {
    ...observer,
    connections: config.DATABASE_CONNECTIONS,
    share_connections: true,
    wait_ms: config.DATABASE_WAIT_MS,
    lock_ms: config.DATABASE_LOCK_MS,
  })
  keep({ stop: () => db.close() })
  const milliseconds = clockOf(db, clock)
  const started_at = milliseconds()
  const now = (): string => new Date(milliseconds()).toISOString()
  const ids = injectedIds ?? makeIds(milliseconds)
  const events = await openStores({ url: config.DATABASE_URL, db, ids, now: now(), observer })
  if (events !== db) keep({ stop: () => events.close() })
  const vault = await prepareVault({ config, log }, db, events)
  const mirror = openEventMirror({ config, log, db, events, ids, now }, mirrorLimits)
  if (mirror) keep(mirror)
  const eventReader = await createEventReader({
    events,
    mirror,
    url: config.DATABASE_URL,
    timeout_ms: config.EVENTS_QUERY_TIMEOUT_MS,
    observe: observer.observe,
  })
  keep(eventReader)
  return { config, log, metrics, tracing, db, events, mirror, eventReader, vault, now, milliseconds, started_at, ids }
}

/** Undefined unless it is configured, and on workers, which answer no questions. */
function openEventMirror(
  { config, log, db, events, ids, now }: Pick<Deps, 'config' | 'log' | 'db' | 'events' | 'ids' | 'now'>,
  limits: Partial<KeeperLimits> | undefined,
): EventMirror | undefined {
  if (!config.EVENT_MIRROR || config.ROLE === 'worker') return undefined
  const mirror = openMirror({
    events,
    now,
    limits,
    url: config.DATABASE_URL,
    timeout_ms: config.EVENTS_QUERY_TIMEOUT_MS,
    folder: resolve(config.EVENT_MIRROR_FOLDER ?? besideData('mirror', db)),
    erase_hours: config.EVENT_MIRROR_ERASE_HOURS,
    newName: ids.uuid,
    projects: (after) => projects.idsAfter(db, after),
    log: areaLog(log, config, 'events'),
  })
  mirror.keeper.start()
  return mirror
}

function createBackground(log: Logger, keep: Keep): Deps['background'] {
  const running = new Set<Promise<unknown>>()
  keep({ stop: () => Promise.all(running) })
  return (name, work) => {
    const done = work()
      .catch((error) => log.error({ err: error }, `${name} failed`))
      .finally(() => running.delete(done))
    running.add(done)
  }
}

function openSignIn(
  { config, db, ids, now, milliseconds, vault, mailer, background }: Databases & Pick<Deps, 'mailer' | 'background'>,
  failures: FailureLog,
  keep: Keep,
): Pick<Deps, 'saml' | 'signIn' | 'providers'> {
  const saml = keep(createSamlProcesses())
  const passwords = createPasswords(keep(createPasswordProcesses()))
  const limits = { lifetime_hours: config.SESSION_LIFETIME_HOURS, idle_hours: config.SESSION_IDLE_HOURS }
  const throttled = config.RATE_LIMITS
  const providers = providersOf(config)
  const sso = { providers, config }
  const signIn = { db, ids, now, milliseconds, passwords, vault, limits, sso, throttled, mailer, failures, background }
  return { saml, signIn, providers }
}

function openExports(
  used: Databases & Pick<Deps, 'mailer' | 'outbound' | 'files_root'>,
  injected: DeliveryProcesses | undefined,
  keep: Keep,
): Pick<Deps, 'processes' | 'backups' | 'alerter' | 'exporter'> {
  const { config, mailer } = used
  const log = areaLog(used.log, config, 'exports')
  const processes = keep(injected ?? createDeliveryProcesses())
  const backups = createScheduledBackups(used)
  if (backups) keep(backups)
  const alerter = keep(createAlerter({ ...used, log, wakeMailer: mailer?.wake ?? null }))
  const exporter = keep(createExporter({ ...used, log, launch: processes.deliver, alerter }))
  return { processes, backups, alerter, exporter }
}

/** The path of new events: parsers, plugins that change them, and the writer. */
function openPlugins(
  used: Databases & Pick<Deps, 'mailer' | 'outbound'>,
  keep: Keep,
): Pick<Deps, 'inspector' | 'writer' | 'locate' | 'pluginApi' | 'plugins' | 'parsers'> {
  const { config, log, metrics, events, mailer, eventReader: reader } = used
  const eventLog = areaLog(log, config, 'events')
  const inspector = keep(createSandbox({ max_processes: 2, idle_ms: 10_000 }))
  const writer = keep(
    createEventWriter(events, eventLog, (stored, duplicates) => {
      metrics.ingested(stored, duplicates)
      plugins.onStored()
    }),
  )
  const pluginLog = areaLog(log, config, 'plugins')
  const locate = createLocate(config.GEOIP_DATABASE, pluginLog)
  const pluginApi = createPluginApi()
  const plugins = keep(
    createPluginRuntime({
      ...used,
      reader,
      locate,
      pluginApi,
      addEvents: writer.add,
      site_url: config.SITE_URL ?? '',
      log: pluginLog,
      wakeMailer: mailer?.wake ?? null,
    }),
  )
  const parsers = keep(createParserPool({ onLoss: (why) => eventLog.warn(why) }))
  return { inspector, writer, locate, pluginApi, plugins, parsers }
}

/** Starts them, except on an API node: a worker picks up the purges that it enqueues. */
function openEventJobs(
  { config, log: allLogs, db, events, eventReader, now, milliseconds, plugins }: Databases & Pick<Deps, 'plugins'>,
  limits: SignInService['limits'],
  keep: Keep,
): Pick<Deps, 'purger' | 'counter' | 'sessionCloser'> {
  const log = areaLog(allLogs, config, 'events')
  const projectsAfter = (after: number): Promise<number[]> => projects.idsAfter(db, after)
  const transactionWatch = keep(createTransactionWatch(events, areaLog(allLogs, config, 'exports')))
  const sessionCloser = keep(createSessionCloser({ events, projects: projectsAfter, now, log }))
  const counter = keep(createEventCounter({ events, reader: eventReader, log }))
  const purger = keep(
    createPurger({
      events,
      now,
      log,
      purges: {
        queued: () => purges.list(db),
        done: (project_id) => purges.remove(db, project_id),
        retentions: () => purges.retentions(db),
        projects: projectsAfter,
        deletePersons: (time) => completeDeletions({ db, events }, time),
        expired: (project_id, positions) => plugins.deliveries.noteExpired(project_id, positions),
        removeExpired: async (work) => {
          const ago = (days: number): string => new Date(milliseconds() - days * DAY_MS).toISOString()
          await activityLog.pruneAll(db, work, ago(config.ACTIVITY_RETENTION_DAYS))
          await removeExpired(db, work, activeAt(milliseconds(), limits), ago(FAILURE_DAYS))
          await pluginLogs.pruneAll(db, work, ago(PLUGIN_LOG_DAYS))
          await failedDeliveries.prune(db, work, ago(FAILED_DELIVERY_DAYS))
          await pluginMetrics.prune(db, work, ago(config.RUN_RETENTION_DAYS))
        },
      },
    }),
  )
  if (config.ROLE !== 'api') {
    purger.start()
    counter.start()
    sessionCloser.start()
    if (events.engine === 'postgres') transactionWatch.start()
  }
  return { purger, counter, sessionCloser }
}

/** Statements that take at least this long are logged as a warning. */
const SLOW_STATEMENT_SECONDS = 1
const MAX_LOGGED_STATEMENT = 2_000

/** Counts, logs and traces statements. */
function observeStatements({
  config,
  log,
  metrics,
  tracing,
}: Pick<Deps, 'config' | 'log' | 'metrics' | 'tracing'>): DbOptions {
  const engine = config.DATABASE_URL.startsWith('postgres') ? 'postgres' : 'sqlite'
  return {
    observe: (seconds, text) => {
      metrics.query(seconds)
      tracing?.statement(seconds, text, engine)
      const level = seconds >= SLOW_STATEMENT_SECONDS ? 'warn' : 'debug'
      if (log.isLevelEnabled(level))
        log[level](
          { statement: text.slice(0, MAX_LOGGED_STATEMENT), ms: Math.round(seconds * 1e6) / 1e3 },
          level === 'warn' ? 'slow statement' : 'statement',
        )
    },
    ...(tracing && { snapshot: tracing.snapshot }),
    background_checkpoints: true,
  }
}

const TRACING_ERROR_PERIOD_MS = 60_000

/** Logs that spans cannot be sent, at most once a minute. */
function tracingErrors(log: Logger): (reason: string) => void {
  let logged_at: number | undefined
  return (reason) => {
    if (logged_at !== undefined && performance.now() - logged_at < TRACING_ERROR_PERIOD_MS) return
    logged_at = performance.now()
    log.warn({ reason }, 'sending traces failed')
  }
}

/** Opens the vault, re-encrypts secrets after a key change, and adjusts positions after a restore. */
async function prepareVault({ config, log }: DepsOptions, db: Database, events: Database): Promise<Vault> {
  const vault = await openVault(db, config)
  if (vault.keys.length === 0) log.warn(`SECRET_KEY is not set: ${NO_SECRET_KEY}`)
  const reencrypted = await reencryptSecrets(db, vault)
  if (reencrypted) log.info({ reencrypted }, 're-encrypted the stored secrets; SECRET_KEY_PREVIOUS is no longer needed')
  const reached = async (): Promise<number> => Math.max(await highestPosition(db), await highestMirrored(events))
  if (db.engine === 'postgres' && (await advancePositions(events, await reached())))
    log.warn('the database was restored from another cluster; exports continue where they stopped')
  return vault
}

interface StoreOptions {
  url: string
  db: Database
  ids: Ids
  now: string
  observer?: DbOptions
}

/** Migrates both databases and returns the one with the events. */
export async function openStores({ url, db, ids, now, observer = {} }: StoreOptions): Promise<Database> {
  await migrate(db, now)
  if ((await identity(db)) === undefined) await db.tx((tx) => claim(tx, ids.uuid(), now))
  const installation = await identity(db)
  if (installation === undefined) throw new Error('the database has no installation id')
  return openEventStore({ url, administration: db, installation, now, observer })
}

/** By default next to the SQLite files. */
const exportFolder = ({ EXPORT_FOLDER }: Config, db: Database): string =>
  resolve(EXPORT_FOLDER ?? besideData('exports', db))

/** A folder next to the data, or in the working directory with PostgreSQL. */
const besideData = (name: string, db: Database): string =>
  db.engine === 'sqlite' ? join(dirname(db.location), name) : name

/** Loads the mail library only when email is configured. */
async function openMail({ config, log, metrics, ...used }: Databases): Promise<Mailer | null> {
  const { db, ids, now, milliseconds } = used
  if (!config.SMTP_URL || !config.SITE_URL) return null
  const { smtpSender } = await import('./mail/smtp.ts')
  const from = config.MAIL_FROM ?? `workspace-admin@${new URL(config.SITE_URL).hostname}`
  const site_url = config.SITE_URL
  const send = smtpSender(config.SMTP_URL, from)
  return createMailer({
    db,
    now,
    send,
    log,
    site_url,
    observe: metrics.mail,
    composeInvites: (mail) => composeInvites({ db, ids, now, config }, site_url, mail),
    accountLink: async (kind, account) => {
      const link = await createAccountLink({ db, ids, milliseconds }, kind, account)
      // The token is in the fragment, which browsers do not send to servers and proxies.
      return link && `${site_url}/${kind === 'password_reset' ? 'reset' : 'verify_email'}/${link.uuid}/#${link.token}`
    },
  })
}

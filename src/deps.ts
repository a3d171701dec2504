import { dirname, join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { createInviteLink } from './auth/invites.ts'
import { type Config, listOf } from './config.ts'
import { type ResolveTxt, txtResolver } from './dns/txt.ts'
import { openEventStore } from './events/open.ts'
import { createParserPool, type ParserPool } from './events/parser-pool.ts'
import { advancePositions } from './events/positions.ts'
import { createPurger, type Purger } from './events/purge.ts'
import { createEventReader, type EventReader } from './events/readers.ts'
import { createEventWriter, type EventWriter } from './events/writer.ts'
import { createDeliveryProcesses, type DeliveryProcesses } from './exports/delivery-processes.ts'
import { createExporter, type Exporter } from './exports/exporter.ts'
import { type Ids, makeIds } from './ids.ts'
import { createMailer, type Mailer } from './mail/mailer.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { createOutbound, type Outbound } from './outbound/guard.ts'
import { type CodeInspector, createCodeInspector } from './plugins/inspect.ts'
import { clockOf, type Database } from './sql/db.ts'
import { migrate } from './sql/migrate.ts'
import { openDatabase } from './sql/open.ts'
import { furthest } from './store/batch_exports.ts'
import { claim, identity } from './store/installation.ts'
import * as purges from './store/purges.ts'
import { settleKeys } from './store/secrets.ts'
import { createVault, NO_SECRET_KEY, readKeys, type Vault } from './store/vault.ts'

/** What a handler may use, built once. */
export interface Deps {
  readonly config: Config
  readonly db: Database
  /** Where events are kept: a database of their own on SQLite, the same one on PostgreSQL. */
  readonly events: Database
  /** The one way for new events into it. */
  readonly writer: EventWriter
  /** Reads large bodies of events in other processes. */
  readonly parsers: ParserPool
  /** What reads many events at once: never this process itself on SQLite. */
  readonly eventReader: EventReader
  /** Plans and delivers batch exports; to be woken when one was changed. */
  readonly exporter: Exporter
  /** Deliveries happen in processes of their own. */
  readonly processes: DeliveryProcesses
  /** Parses the code of plugins in child processes. */
  readonly inspector: CodeInspector
  /** The folder that File exports are written under. */
  readonly files_root: string
  /** What seals the secrets that are stored. */
  readonly vault: Vault
  /** Removes in the background what is to be forgotten; to be woken when a project is deleted. */
  readonly purger: Purger
  /** ISO 8601, UTC, milliseconds; the process's time on SQLite, the database's on PostgreSQL. */
  readonly now: () => string
  /** The same, as Date.now. */
  readonly milliseconds: () => number
  readonly ids: Ids
  readonly log: Logger
  readonly metrics: Metrics
  /** Null when no mail is configured. Wake it after enqueueing a mail. */
  readonly mailer: Mailer | null
  readonly resolveTxt: ResolveTxt
  /** The one way out for connections that a user's data names. */
  readonly outbound: Outbound
  /** Set when a shutdown begins: no more traffic, please. */
  readonly lifecycle: { draining: boolean }
  /** Work that a request starts and does not wait for. A failure is logged; `dispose` waits for all of it. */
  readonly background: (what: string, work: () => Promise<unknown>) => void
  readonly dispose: () => Promise<void>
}

export interface DepsOptions {
  config: Config
  log: Logger
  /** Milliseconds, as Date.now. */
  clock?: () => number
  ids?: Ids
  /** Where deliveries happen. */
  processes?: DeliveryProcesses
  /** The program of event reader processes, without its extension. */
  readerProgram?: URL
}

/** Opens the database and brings it to this program's version; throws, with the remedy, where it cannot. */
export async function buildDeps({
  config,
  log,
  clock = Date.now,
  ids: given,
  processes = createDeliveryProcesses(),
  readerProgram,
}: DepsOptions): Promise<Deps> {
  const metrics = createMetrics()
  const db = await openDatabase(config.DATABASE_URL, {
    observe: metrics.query,
    connections: config.DATABASE_CONNECTIONS,
    wait_ms: config.DATABASE_WAIT_MS,
    lock_ms: config.DATABASE_LOCK_MS,
  })
  const milliseconds = clockOf(db, clock)
  const now = (): string => new Date(milliseconds()).toISOString()
  const ids = given ?? makeIds(milliseconds)
  const stores = { url: config.DATABASE_URL, db, ids, now: now(), observe: metrics.query }
  const events = await openStores(stores).catch(async (error) => {
    await db.close()
    throw error
  })

  const vault = await settle({ config, db, events, log }).catch(async (error) => {
    if (events !== db) await events.close()
    await db.close()
    throw error
  })

  const writer = createEventWriter(events, log)
  const parsers = createParserPool({ onLoss: (why) => log.warn(why) })
  const eventReader = await createEventReader({
    events,
    url: config.DATABASE_URL,
    timeout_ms: config.EVENTS_QUERY_TIMEOUT_MS,
    observe: metrics.query,
    program: readerProgram,
  })

  const purger = createPurger({
    events,
    now,
    log,
    purges: {
      queued: () => purges.list(db),
      done: (project_id) => purges.remove(db, project_id),
      retentions: () => purges.retentions(db),
    },
  })
  const mailer = await openMail(config, db, ids, now, log)
  // What a node that only serves leaves in the outbox and the queue, a worker finds there.
  if (config.ROLE !== 'api') {
    mailer?.start()
    purger.start()
  }
  const files_root = exportFolder(config, db)
  const exporter = createExporter({
    config,
    db,
    events,
    reader: eventReader,
    vault,
    ids,
    now,
    log,
    metrics,
    files_root,
    launch: processes.deliver,
    wakeMailer: mailer?.wake ?? null,
  })
  const inspector = createCodeInspector()
  const running = new Set<Promise<unknown>>()
  return {
    config,
    db,
    events,
    writer,
    parsers,
    eventReader,
    vault,
    exporter,
    processes,
    inspector,
    files_root,
    purger,
    log,
    now,
    milliseconds,
    metrics,
    ids,
    mailer,
    resolveTxt: txtResolver(config.DNS_SERVERS ? listOf(config.DNS_SERVERS) : [], config.DNS_TIMEOUT_MS),
    outbound: createOutbound({ allow: config.OUTBOUND_ALLOW }),
    lifecycle: { draining: false },
    background: (what, work) => {
      const done = work()
        .catch((error) => log.error({ err: error }, `${what} failed`))
        .finally(() => running.delete(done))
      running.add(done)
    },
    dispose: async () => {
      await parsers.stop()
      await writer.stop()
      await exporter.stop()
      await processes.stop()
      await inspector.stop()
      await mailer?.stop()
      await purger.stop()
      await Promise.all(running)
      await eventReader.stop()
      if (events !== db) await events.close()
      await db.close()
    },
  }
}

/** Opens what secrets are sealed with, and sees to it that keys and positions fit what is stored. */
async function settle({ config, db, events, log }: Pick<Deps, 'config' | 'db' | 'events' | 'log'>): Promise<Vault> {
  const vault = createVault(readKeys(config, db.engine === 'sqlite' ? dirname(db.location) : null))
  if (vault.keys.length === 0) log.warn(`no SECRET_KEY is set: ${NO_SECRET_KEY}`)
  const resealed = await settleKeys(db, vault)
  if (resealed) log.info({ resealed }, 'sealed the stored secrets anew: SECRET_KEY_PREVIOUS is no longer needed')
  if (db.engine === 'postgres' && (await advancePositions(events, await furthest(db))))
    log.warn('this database came from another cluster: exports go on where they were')
  return vault
}

/** Brings administration and events to this program's version, and answers where events are kept. */
export async function openStores({
  url,
  db,
  ids,
  now,
  observe,
}: {
  url: string
  db: Database
  ids: Ids
  now: string
  observe?: (seconds: number) => void
}): Promise<Database> {
  await migrate(db, now)
  if ((await identity(db)) === undefined) await db.tx((tx) => claim(tx, ids.uuid(), now))
  const installation = (await identity(db))!
  return openEventStore({ url, administration: db, installation, now, observe })
}

/** Beside the data, where the data is a folder. */
const exportFolder = ({ EXPORT_FOLDER }: Config, db: Database): string =>
  resolve(EXPORT_FOLDER ?? (db.engine === 'sqlite' ? join(dirname(db.location), 'exports') : 'exports'))

/** Loads the mail library only when mail is configured. */
async function openMail(
  config: Config,
  db: Database,
  ids: Ids,
  now: () => string,
  log: Logger,
): Promise<Mailer | null> {
  if (!config.SMTP_URL || !config.SITE_URL) return null
  const { smtpSender } = await import('./mail/smtp.ts')
  const from = config.MAIL_FROM ?? `workspace-admin@${new URL(config.SITE_URL).hostname}`
  const site_url = config.SITE_URL
  const send = smtpSender(config.SMTP_URL, from)
  return createMailer({ db, now, send, log, site_url, inviteLink: (id) => createInviteLink(db, ids, site_url, id) })
}

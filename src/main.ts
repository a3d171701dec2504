/** The process: config → deps → server → listen → signals. */
import './node-version.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Stall, watchEventLoop } from './background/event-loop.ts'
import { createParts } from './background/parts.ts'
import { type Config, LOG_LEVELS, type LogLevel, readConfig, requireConfig } from './config.ts'
import { buildDeps, type Deps } from './deps.ts'
import { buildServer } from './http/server.ts'
import { type FirstRun, firstRun } from './organizations/first-run.ts'
import { transpileStored } from './plugins/site-apps.ts'
import { createSignInLink, mayPrintLink } from './signin/links.ts'
import { type Oldest, oldest } from './store/organizations.ts'
import { oldest as oldestUser } from './store/users.ts'
import { areaLog, createLog, createLogTo, flushLog, type LogOutput } from './telemetry/log.ts'

/** Exported for programs that start a server themselves. */
export { type Config, readConfig }

/** The log of the server. */
export interface Log {
  isLevelEnabled(level: string): boolean
  info(fields: object, message: string): void
  info(message: string): void
  warn(fields: object, message: string): void
  warn(message: string): void
  error(fields: object, message: string): void
  error(message: string): void
  /** Writes the lines that wait. */
  flush(): void
}

/** A server that was started by `startServer`. Stop it with `stop()` or `await using`. */
export interface Running {
  /** Where it listens, such as `http://127.0.0.1:8000`. */
  url: string
  /** File or URL of the database, without credentials. */
  location: string
  /** The records created by the first start; null on later starts. */
  first: FirstRun | null
  /** A one-time sign-in link for the first user; null on later starts, and when it would be sent over plain http. */
  login_url: string | null
  /** The oldest organization and project. */
  oldest: Oldest
  log: Log
  /**
   * Reports not ready but keeps serving requests for `drain_seconds`, so that load balancers notice. Then finishes requests
   * and work in progress, and closes everything. Further calls return the same promise.
   */
  stop(drain_seconds?: number): Promise<void>
  /** Calls `stop()` at the end of the block of `await using server = await startServer(…)`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** An ephemeral server. Every start is the first one. */
export interface EphemeralServer extends Running {
  first: FirstRun
}

/** The options of `startServer`. */
export interface StartOptions {
  /**
   * All settings, as `readConfig` returns them: `readConfig({ PORT: '0', EXPORT_SLOTS: '1' })`.
   * Default: the default settings on a free port of loopback. The environment is not read.
   */
  config?: Config
  /**
   * Uses a temporary SQLite database instead of `DATABASE_URL`, without rate limits and backups, and deletes it when the
   * server stops or the process ends. Default: false, which stores data in `./data` unless `config` names a database.
   */
  ephemeral?: boolean
  /**
   * The log. `true` writes to standard error, a level such as `'warn'` does so from this level, and a stream receives every
   * line. Without a level, `LOG_LEVEL` of `config` applies. Default: false, nothing is logged.
   */
  log?: boolean | LogLevel | LogOutput
  /** Replaces `Date.now`: the current time in milliseconds since 1970. */
  clock?: () => number
}

/** The options of a server with a temporary database. */
export interface EphemeralOptions extends StartOptions {
  ephemeral: true
}

/**
 * Starts a server in this process and resolves when it accepts requests. An ephemeral server always has `first`, with the
 * first API key. Rejects if an option is unknown or not valid, or if the server cannot start; nothing stays open then.
 */
export function startServer(options: EphemeralOptions): Promise<EphemeralServer>
export function startServer(options?: StartOptions): Promise<Running>
export async function startServer(options: StartOptions = {}): Promise<Running> {
  requireOptions(options)
  const { config, ephemeral = false, log: target = false, clock } = options
  const base = config ?? readConfig({ PORT: '0' })
  const folder = ephemeral ? mkdtempSync(join(tmpdir(), 'workspace-admin-')) : undefined
  const settings: Config = {
    ...base,
    LOG_LEVEL: logLevel(target, base),
    ...(folder && { DATABASE_URL: `sqlite:${folder}`, RATE_LIMITS: false, BACKUP_EVERY: undefined }),
  }
  const { keep, stop: stopParts } = createParts()
  if (folder) {
    const discard = (): void => rmSync(folder, { recursive: true, force: true })
    // Also runs when a second signal or the deadline ends the process.
    process.once('exit', discard)
    keep({
      stop: () => {
        process.off('exit', discard)
        discard()
      },
    })
  }
  // Stalls are reported until everything else is stopped.
  let unwatch = (): void => undefined
  keep({ stop: () => unwatch() })
  const log = openLog(target, settings)
  try {
    const deps = await buildDeps({ config: settings, log, ...(clock && { clock }) })
    keep({ stop: deps.dispose })
    const first = await firstRun(deps.db, deps.ids, deps.now())
    const app = await buildServer(deps)
    keep({ stop: () => app.close() })
    await app.listen({ host: settings.HOST, port: settings.PORT })
    unwatch = watchEventLoop(reportStalls(deps))
    if (settings.ROLE !== 'api') {
      deps.exporter.start()
      deps.alerter.start()
      deps.plugins.start()
      keep({ stop: deps.plugins.stopBackground })
      deps.backups?.start()
      deps.background('transpiling stored plugins', () => transpileStored(deps))
    }
    const bound = app.server.address()
    if (typeof bound !== 'object' || bound === null) throw new Error('the server does not listen on a port')
    const { address, port, family } = bound
    const host = address === '0.0.0.0' || address === '::' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address
    const url = `http://${host}:${port}`
    const login_url = first && mayPrintLink(settings) ? await firstLink(deps, settings.SITE_URL ?? url) : null
    let stopping: Promise<void> | undefined
    const drain = async (drain_seconds: number): Promise<void> => {
      deps.lifecycle.draining = true
      await sleep(drain_seconds * 1000)
      await stopParts()
    }
    const stop = (drain_seconds = 0): Promise<void> => {
      stopping ??= drain(drain_seconds)
      return stopping
    }
    return {
      url,
      login_url,
      location: deps.db.location,
      first,
      oldest: await oldest(deps.db),
      log,
      stop,
      [Symbol.asyncDispose]: () => stop(),
    }
  } catch (error) {
    await stopParts()
    throw error
  } finally {
    // After the caller has printed that the server is ready.
    setImmediate(() => log.flush())
  }
}

/** The options, with a check and the values that pass it. */
const OPTIONS: Record<keyof StartOptions, { isValid(value: unknown): boolean; values: string }> = {
  config: {
    isValid: (value) => typeof value === 'object' && value !== null,
    values: "the settings that readConfig returns, such as `readConfig({ PORT: '0' })`",
  },
  ephemeral: { isValid: (value) => typeof value === 'boolean', values: 'true or false' },
  log: {
    isValid: (value) => typeof value === 'boolean' || isLogLevel(value) || isOutput(value),
    values: `true, false, a stream, or one of: ${LOG_LEVELS.join(', ')}`,
  },
  clock: {
    isValid: (value) => typeof value === 'function',
    values: 'a function that returns milliseconds, such as `Date.now`',
  },
}

const isLogLevel = (value: unknown): boolean => typeof value === 'string' && LOG_LEVELS.includes(value)

const isOutput = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'write' in value && typeof value.write === 'function'

/** The compiler checks callers in TypeScript only. */
function requireOptions(options: StartOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (!isOption(name)) throw new Error(unknownOption(name))
    const { isValid, values } = OPTIONS[name]
    if (value !== undefined && !isValid(value)) throw new Error(`"${name}" of startServer must be ${values}.`)
  }
  if (options.config) requireConfig(options.config)
}

const isOption = (name: string): name is keyof StartOptions => Object.hasOwn(OPTIONS, name)

function unknownOption(name: string): string {
  const remedy = /^[A-Z_]+$/.test(name)
    ? `Settings belong in "config": \`config: readConfig({ ${name}: '…' })\`.`
    : `The options are: ${Object.keys(OPTIONS).join(', ')}.`
  return `startServer has no option "${name}". ${remedy}`
}

function logLevel(target: boolean | LogLevel | LogOutput, { LOG_LEVEL }: Config): string {
  if (target === false) return 'silent'
  return typeof target === 'string' ? target : LOG_LEVEL
}

const NOWHERE: LogOutput = { write: () => undefined }

function openLog(target: boolean | LogLevel | LogOutput, settings: Config): ReturnType<typeof createLog> {
  if (typeof target === 'object') return createLogTo(target, settings)
  return target === false ? createLogTo(NOWHERE, settings) : createLog(settings)
}

function reportStalls({ log, config, metrics }: Deps): (stall: Stall) => void {
  const loopLog = areaLog(log, config, 'event_loop')
  return (stall) => {
    metrics.stalled(stall.cpu_ms / 1000)
    loopLog.warn(stall, 'the event loop was blocked; other requests waited')
  }
}

async function firstLink({ db, ids, now }: Deps, site_url: string): Promise<string | null> {
  return db.tx(async (tx) => {
    const user = await oldestUser(tx)
    return user ? createSignInLink(tx, { ids, now: now(), site_url }, user) : null
  })
}

/** The default on PostgreSQL, where a load balancer may have other nodes. */
const DRAIN_SECONDS = 2

/** A worker gets no requests to drain, and Ctrl-C stops without delay. */
function drainSeconds(signal: NodeJS.Signals, config: Config): number {
  if (signal === 'SIGINT' || config.ROLE === 'worker') return 0
  return config.DRAIN_SECONDS ?? (config.DATABASE_URL.startsWith('postgres') ? DRAIN_SECONDS : 0)
}

/** With npm, Ctrl-C reaches the server twice: from the terminal, and from npm, which forwards its signals. */
const FORWARDED_SIGNAL_MS = 500

export interface StopOptions {
  /** Whether the parent process is npm. */
  npm?: boolean
}

/**
 * Stops on SIGTERM and SIGINT. A second signal or the deadline ends the process immediately. Returns a function that stops
 * it as SIGTERM does.
 */
export function stopOnSignals(
  { stop, log }: Running,
  config: Config,
  { npm = false }: StopOptions = {},
): (reason: string) => void {
  let stopping_since: number | undefined
  const begin = (signal: NodeJS.Signals, reason?: string): void => {
    if (stopping_since !== undefined) return
    stopping_since = performance.now()
    const drain_seconds = drainSeconds(signal, config)
    log.info({ signal, reason, drain_seconds }, 'stopping')
    setTimeout(
      () => {
        log.error(`shutdown timed out after ${config.SHUTDOWN_SECONDS} seconds; exiting`)
        process.exit(1)
      },
      (drain_seconds + config.SHUTDOWN_SECONDS) * 1000,
    ).unref()
    stop(drain_seconds)
      .then(
        () => 0,
        (error) => {
          log.error({ err: error }, 'shutdown failed')
          return 1
        },
      )
      .then(async (code) => {
        await flushLog(log)
        process.exit(code)
      })
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    const isForwarded = (since: number): boolean => npm && performance.now() - since < FORWARDED_SIGNAL_MS
    if (stopping_since !== undefined && !isForwarded(stopping_since)) process.exit(1)
    begin(signal)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return (reason) => begin('SIGTERM', reason)
}

/** The process: config → deps → server → listen → signals. */
import './node-version.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Logger, pino } from 'pino'
import { type FirstRun, firstRun } from './auth/first-run.ts'
import { type Config, readConfig } from './config.ts'
import { buildDeps, type Deps } from './deps.ts'
import { buildServer } from './http/server.ts'
import { type Oldest, oldest } from './store/organizations.ts'

/** For who starts a server from a program of their own. */
export { readConfig }

/** What of the log may wait for its disk. */
const LOG_BACKLOG_BYTES = 1024 * 1024

export interface Running {
  url: string
  /** Where the data is, without credentials. */
  location: string
  /** What the first start made; null when there was something already. */
  first: FirstRun | null
  /** Where a newcomer begins. */
  oldest: Oldest
  log: Logger
  /**
   * Is no longer ready but still answers for so long, so that a load balancer notices; then finishes what is in flight
   * and closes everything.
   */
  stop(drain_seconds?: number): Promise<void>
}

export interface StartOptions {
  /** What `readConfig` makes of variables; on a free port, with everything else as it is by default, where none is given. */
  config?: Config
  /** A throw-away database, without rate limits. */
  ephemeral?: boolean
  /** Milliseconds, as Date.now. */
  clock?: () => number
}

export async function startServer({ config, ephemeral = false, clock }: StartOptions): Promise<Running> {
  const given = config ?? readConfig({ PORT: '0' })
  const folder = ephemeral ? mkdtempSync(join(tmpdir(), 'workspace-admin-')) : undefined
  const settings = folder ? { ...given, DATABASE_URL: `sqlite:${folder}`, RATE_LIMITS: false } : given
  const discard = (): void => {
    if (folder) rmSync(folder, { recursive: true, force: true })
  }
  // Also when a second signal or the deadline ends the process.
  if (folder) process.once('exit', discard)
  // Standard output belongs to the line that says the server is ready.
  const lines = pino.destination({ fd: 2, sync: true, maxLength: LOG_BACKLOG_BYTES })
  // A log on a full disk ends no server: what cannot be written waits, and then is left out.
  lines.on('error', () => undefined)
  // Node's own warnings go there too.
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => undefined)
  const log = pino({ level: settings.LOG_LEVEL }, lines)
  let opened: Deps | undefined
  try {
    const deps = await buildDeps({ config: settings, log, ...(clock && { clock }) })
    opened = deps
    const first = await firstRun(deps.db, deps.ids, deps.now())
    const app = await buildServer(deps)
    await app.listen({ host: settings.HOST, port: settings.PORT })
    if (settings.ROLE !== 'api') deps.exporter.start()
    const { address, port, family } = app.server.address() as AddressInfo
    const host = address === '0.0.0.0' || address === '::' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address
    let stopping: Promise<void> | undefined
    const stop = async (drain_seconds: number): Promise<void> => {
      deps.lifecycle.draining = true
      await sleep(drain_seconds * 1000)
      await app.close()
      await deps.dispose()
      discard()
    }
    return {
      url: `http://${host}:${port}`,
      location: deps.db.location,
      first,
      oldest: await oldest(deps.db),
      log,
      stop: (drain_seconds = 0) => {
        stopping ??= stop(drain_seconds)
        return stopping
      },
    }
  } catch (error) {
    await opened?.dispose()
    discard()
    throw error
  }
}

/** Where there are other nodes that a load balancer can turn to. */
const DRAIN_SECONDS = 2

/** Nobody sends requests to a worker, and who presses Ctrl-C waits for no load balancer. */
function drainSeconds(signal: NodeJS.Signals, config: Config): number {
  if (signal === 'SIGINT' || config.ROLE === 'worker') return 0
  return config.DRAIN_SECONDS ?? (config.DATABASE_URL.startsWith('postgres') ? DRAIN_SECONDS : 0)
}

/** Stops on SIGTERM and SIGINT; a second signal, or the deadline, ends the process at once. */
export function stopOnSignals({ stop, log }: Running, config: Config): void {
  let asked = false
  const end = (signal: NodeJS.Signals): void => {
    if (asked) process.exit(1)
    asked = true
    const drain_seconds = drainSeconds(signal, config)
    log.info({ signal, drain_seconds }, 'stopping')
    setTimeout(
      () => {
        log.error(`still busy after ${config.SHUTDOWN_SECONDS} seconds, ending`)
        process.exit(1)
      },
      (drain_seconds + config.SHUTDOWN_SECONDS) * 1000,
    ).unref()
    stop(drain_seconds).then(
      () => process.exit(0),
      (error) => {
        log.error({ err: error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}

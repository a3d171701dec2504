/** Everything that runs plugins: transformations of new events, deliveries of stored ones, scheduled tasks and jobs. */
import type { Logger } from 'pino'
import { createLoop } from '../../background/loop.ts'
import type { NewEvent } from '../../events/normalize-event.ts'
import { storedUuids } from '../../events/plugin-event.ts'
import type { EventReader } from '../../events/readers.ts'
import type { Ids } from '../../ids.ts'
import type { Outbound } from '../../outbound/guard.ts'
import type { Database } from '../../sql/db.ts'
import { runningAmong } from '../../store/plugin_runtime.ts'
import type { Vault } from '../../store/vault.ts'
import type { PluginHost } from './answers.ts'
import type { PluginApi } from './api.ts'
import { createPluginCache } from './cache.ts'
import { capturedRow } from './capture.ts'
import { createConfigurations, type RunningConfiguration } from './configurations.ts'
import { createDeliveries, type Deliveries } from './deliveries.ts'
import type { Locate } from './geoip.ts'
import { createHosts } from './host.ts'
import type { Origin } from './origin.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { createSandbox } from './sandbox.ts'
import { createTasks, type Tasks } from './tasks.ts'
import { createTransformer, type Transformer } from './transform.ts'

export interface PluginRuntime {
  transformer: Transformer
  deliveries: Deliveries
  tasks: Tasks
  recorder: Recorder
  /** The configurations that have code or cache entries in memory. */
  cached(): number[]
  /** Frees the memory of configurations that were deleted or disabled on any node. */
  freeCaches(): Promise<void>
  /** Call it after events were stored. */
  onStored(): void
  /** Starts deliveries, tasks and jobs. Transformations always run. */
  start(): void
  /** Stops what `start` started. Call it before the server closes: plugins may call its API. */
  stopBackground(): Promise<void>
  stop(): Promise<void>
}

export interface PluginRuntimeOptions {
  db: Database
  events: Database
  reader: EventReader
  vault: Vault
  outbound: Outbound
  locate: Locate
  pluginApi: PluginApi
  ids: Ids
  now: () => string
  milliseconds: () => number
  /** Stores events durably. */
  addEvents: (events: readonly NewEvent[]) => Promise<void>
  site_url: string
  log: Logger
  /** Null when email is not configured. */
  wakeMailer: (() => void) | null
}

/** Ingestion has processes of its own: it never waits for deliveries. */
const INGESTION_PROCESSES = 2
/** As that of event parsers: clients wait for them. */
const INGESTION_NICENESS = 5
const BACKGROUND_PROCESSES = 4
const FREE_CACHES_MS = 60_000
/** Commits of this time cause one look for new events. */
const WAKE_MS = 200

export type TransformationOptions = Omit<PluginRuntimeOptions, 'reader'> & {
  /** The time that plugins have for the events of one call. */
  request_ms?: number
  /** Called after a plugin created a job. */
  onJob?: () => void
}

/** The part that changes new events. An import needs only this part. */
export function createTransformations({
  db,
  events,
  vault,
  outbound,
  locate,
  pluginApi,
  ids,
  now,
  milliseconds,
  addEvents,
  log,
  wakeMailer,
  site_url,
  request_ms,
  onJob = () => undefined,
}: TransformationOptions) {
  const sandbox = createSandbox({ max_processes: INGESTION_PROCESSES, niceness: INGESTION_NICENESS })
  const configurations = createConfigurations({ db, vault, milliseconds, site_url, log })
  const recorder = createRecorder({ db, ids, now, log, wakeMailer })
  const cache = createPluginCache(milliseconds)
  const createHost = createHosts({ db, ids, now, milliseconds, outbound, cache, locate, pluginApi, onJob })

  /** The normal path of ingestion. */
  async function store(project_id: number, rows: readonly NewEvent[]): Promise<void> {
    const transform = await transformer.of(project_id)
    return addEvents(transform ? (await transform(rows)).changed : rows)
  }

  const transformer: Transformer = createTransformer({
    sandbox,
    configurations,
    createHost,
    recorder,
    storedUuids: (project_id, uuids) => storedUuids(events, project_id, uuids),
    store,
    milliseconds,
    uuid: ids.uuid,
    site_url,
    ...(request_ms !== undefined && { request_ms }),
    onError: (error) => log.error({ err: error }, 'storing captured events or switching off a plugin failed'),
  })

  /** For calls outside of ingestion. A captured event is stored before the plugin goes on. */
  const hostOf = (configuration: RunningConfiguration, origin: Origin): PluginHost =>
    createHost(configuration, origin, async (captured) => {
      const arrival = { now: milliseconds() * 1000, uuid: ids.uuid }
      const row = await capturedRow(configuration, origin, captured, arrival)
      if (row) await store(row.project_id, [row])
    })

  return {
    transformer,
    configurations,
    cache,
    recorder,
    hostOf,
    stop: async (): Promise<void> => {
      await sandbox.stop()
      await recorder.flush()
    },
  }
}

export function createPluginRuntime({ reader, ...options }: PluginRuntimeOptions): PluginRuntime {
  const { db, events, outbound, ids, now, log } = options
  const background = createSandbox({ max_processes: BACKGROUND_PROCESSES })
  const transformations = createTransformations({ ...options, onJob: () => tasks.wake() })
  const { transformer, configurations, cache, recorder, hostOf } = transformations
  const owner = ids.uuid()
  const shared = { db, sandbox: background, configurations, hostOf, recorder, owner, now, log }
  const deliveries = createDeliveries({ ...shared, ids, events, reader, outbound })
  const tasks: Tasks = createTasks(shared)

  const cached = (): number[] => [...new Set([...cache.configurations(), ...configurations.loaded()])]

  async function freeCaches(): Promise<void> {
    const ids = cached()
    const running = await runningAmong(db, ids)
    for (const id of ids.filter((one) => !running.has(one))) {
      cache.free(id)
      configurations.free(id)
    }
  }

  const caches = createLoop({
    name: 'plugin caches',
    round: async () => {
      await freeCaches()
      return FREE_CACHES_MS
    },
    retry_ms: FREE_CACHES_MS,
    onError: (error) => log.error({ err: error }, 'freeing the caches of plugins failed; retrying'),
  })

  async function stopBackground(): Promise<void> {
    const stopping = [deliveries.stop(), tasks.stop(), caches.stop()]
    // Calls that run are repeated later. Waiting for them could take a minute.
    await background.stop()
    await Promise.all(stopping)
  }

  let isWaking = false

  return {
    onStored: () => {
      if (isWaking) return
      isWaking = true
      setTimeout(() => {
        isWaking = false
        deliveries.wake()
      }, WAKE_MS).unref()
    },
    transformer,
    deliveries,
    tasks,
    recorder,
    cached,
    freeCaches,
    start: () => {
      deliveries.start()
      tasks.start()
      caches.start(FREE_CACHES_MS)
    },
    stopBackground,
    stop: async () => {
      await stopBackground()
      await transformations.stop()
    },
  }
}

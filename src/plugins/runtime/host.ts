/** Answers the requests of plugins from the sandbox: storage, cache, locations, jobs, guarded HTTP requests, the API and captured events. */
import type { Ids } from '../../ids.ts'
import type { Outbound } from '../../outbound/guard.ts'
import type { Db } from '../../sql/db.ts'
import * as jobs from '../../store/plugin_jobs.ts'
import * as storage from '../../store/plugin_storage.ts'
import { addMilliseconds } from '../../time/stored.ts'
import type { PluginHost } from './answers.ts'
import type { PluginApi } from './api.ts'
import type { PluginCache } from './cache.ts'
import type { RunningConfiguration } from './configurations.ts'
import { fetchForPlugin } from './fetch.ts'
import type { Locate } from './geoip.ts'
import { formatOrigin, type Origin } from './origin.ts'

export interface CapturedEvent {
  event: string
  properties: Record<string, unknown>
}

export interface HostDeps {
  db: Db
  ids: Ids
  now: () => string
  milliseconds: () => number
  outbound: Outbound
  cache: PluginCache
  locate: Locate
  pluginApi: PluginApi
  /** Called after a job was stored. */
  onJob: () => void
}

export type CreateHost = (
  configuration: RunningConfiguration,
  origin: Origin,
  capture: (captured: CapturedEvent) => Promise<void>,
) => PluginHost

const MAX_VALUE_LENGTH = 256 * 1024
const MAX_KEYS = 200_000
const MAX_CHARACTERS = 128 * 1024 * 1024
/** How often the stored values are counted. */
const COUNT_MS = 600_000
const MAX_PAYLOAD_LENGTH = 256 * 1024
const MAX_DELAY_MS = 2 * 365 * 86_400_000
const CAPTURES_PER_MINUTE = 6_000
const MINUTE_MS = 60_000
const MAX_ATTEMPTS = 20

export function createHosts({
  db,
  ids,
  now,
  milliseconds,
  outbound,
  cache,
  locate,
  pluginApi,
  onJob,
}: HostDeps): CreateHost {
  const sizes = new Map<number, { at: number; keys: number; characters: number }>()
  const captures = new Map<number, { minute: number; count: number }>()

  /** Approximate between two counts: every write counts as a new value. */
  async function requireSpace(id: number, length: number): Promise<void> {
    let size = sizes.get(id)
    const isOver = size && (size.keys >= MAX_KEYS || size.characters + length > MAX_CHARACTERS)
    if (!size || isOver || milliseconds() - size.at > COUNT_MS) {
      size = { at: milliseconds(), ...(await storage.size(db, id)) }
      sizes.set(id, size)
    }
    size.keys++
    size.characters += length
    if (size.keys > MAX_KEYS || size.characters > MAX_CHARACTERS)
      throw new RangeError(`The storage is full: it has at most ${MAX_KEYS} keys and ${MAX_CHARACTERS} characters.`)
  }

  function countCapture(id: number): void {
    const minute = Math.floor(milliseconds() / MINUTE_MS)
    const before = captures.get(id)
    const count = before?.minute === minute ? before.count + 1 : 1
    captures.set(id, { minute, count })
    if (count > CAPTURES_PER_MINUTE)
      throw new RangeError(`A plugin can capture at most ${CAPTURES_PER_MINUTE} events per minute.`)
  }

  return ({ id, project_id, api_access_user_id }, origin, capture) => ({
    fetch: (request, body, signal) => fetchForPlugin(outbound, request, body, signal),
    storageGet: (key) => storage.get(db, id, key),
    storageSet: async (key, value) => {
      if (value === null) return storage.remove(db, id, key)
      if (value.length > MAX_VALUE_LENGTH)
        throw new RangeError(`A stored value has at most ${MAX_VALUE_LENGTH} characters.`)
      await requireSpace(id, value.length)
      await storage.set(db, id, key, storable(value))
    },
    cursorInit: async (key, start) => {
      if ((await storage.get(db, id, key)) !== null) return
      await requireSpace(id, String(start).length)
      await storage.init(db, id, key, String(start))
    },
    cursorIncrement: async (key, by) => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const before = await storage.get(db, id, key)
        const number = Number(before ?? 0)
        if (!Number.isFinite(number)) throw new TypeError(`The value of "${key}" is not a number.`)
        const after = String(number + by)
        if (before === null) {
          await requireSpace(id, after.length)
          await storage.init(db, id, key, '0')
        }
        if (await storage.replace(db, id, key, { before: before ?? '0', after })) return number + by
      }
      throw new RangeError(`Too many calls change "${key}" at the same time.`)
    },
    cache: async (operation, key, args) => cache.run(id, operation, key, args),
    locate,
    api: (request, signal) =>
      pluginApi.call({ plugin_config_id: id, project_id, user_id: api_access_user_id }, request, signal),
    job: async (name, payload, delay_ms) => {
      const text = JSON.stringify(payload ?? null)
      if (text.length > MAX_PAYLOAD_LENGTH)
        throw new RangeError(`The payload of a job has at most ${MAX_PAYLOAD_LENGTH} characters.`)
      if (!(delay_ms >= 0 && delay_ms <= MAX_DELAY_MS)) throw new RangeError('A job can start within two years.')
      const created = await jobs.create(db, {
        id: ids.uuid(),
        plugin_config_id: id,
        name,
        payload: storable(text),
        origin: origin.length ? formatOrigin(origin) : null,
        run_at: addMilliseconds(now(), delay_ms),
        created_at: now(),
      })
      if (!created) throw new RangeError(`A plugin has at most ${jobs.MAX_JOBS} jobs that wait.`)
      onJob()
    },
    capture: async (event, properties) => {
      countCapture(id)
      await capture({ event, properties })
    },
  })
}

/** JSON text has no NUL, and lone surrogates only as escapes. */
const storable = (json: string): string => json.toWellFormed()

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import type { AreaName } from '../contract/operations.ts'
import type { Operation } from '../contract/table.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { touch } from '../store/api_keys.ts'
import * as requestCounts from '../store/request_counts.ts'
import type { Limit } from '../telemetry/metrics.ts'
import {
  createCounter,
  PER_ADDRESS,
  PER_PLUGIN,
  PER_PROJECT_CAPTURE,
  PER_USER,
  PER_USER_EVENTS,
  PER_USER_SESSIONS,
  type RateWindows,
  WINDOW_LENGTHS,
} from './request-counter.ts'

const HOUR_MS = 3_600_000
/** How often nodes share their counts. Between two rounds, each node admits requests up to the limit. */
const SHARE_EVERY_MS = 1_000
const CLEANUP_EVERY_MS = 60_000
/** Areas whose public operations are limited per address. Sign-in has additional throttles. */
const LIMITED_AREAS: readonly AreaName[] = ['signup', 'session', 'password_reset', 'sso', 'users']

/** All methods except `stop` throw `throttled` above the limit. */
export interface RateLimits {
  /** Counts a key that was rejected as invalid. Valid keys from the same address still work. */
  countRejectedKey(request: FastifyRequest, error: AppError): void
  /** Counts a request with a valid key and sets the RateLimit headers. */
  countRequest(reply: FastifyReply, caller: Caller, operation: Operation): void
  /** Counts a request to sign up or sign in. Other public operations are not limited. */
  countPublicRequest(request: FastifyRequest, operation: Operation): void
  /** Counts a capture request with a valid token. */
  countCapture(project_id: number): void
  /** Counts a rejected capture request. Valid events from the same address still work. */
  countRejectedCapture(request: FastifyRequest, error: unknown): void
  /** Rejects an address with many rejected capture requests. Called when the server is busy. */
  checkCaptureAddress(request: FastifyRequest): void
  /** Shares the remaining counts with the other nodes. */
  stop(): Promise<void>
}

export function createRateLimits({ config, db, now, milliseconds, background, log, metrics }: Deps): RateLimits {
  const enabled = config.RATE_LIMITS
  const shared = enabled && db.engine === 'postgres'
  const counterOf = (limit: Limit, windows: RateWindows) =>
    createCounter(windows, milliseconds, shared, () => metrics.throttled(limit))
  const user = counterOf('user', PER_USER)
  const events = counterOf('events', PER_USER_EVENTS)
  const sessions = counterOf('sessions', PER_USER_SESSIONS)
  const address = counterOf('address', PER_ADDRESS)
  const plugin = counterOf('plugin', PER_PLUGIN)
  const project = counterOf('project', PER_PROJECT_CAPTURE)
  /** By the prefix of their names in the shared table. */
  const counters = new Map(Object.entries({ user, events, sessions, address, plugin, project }))
  let sharing: Promise<void> | undefined
  let sharingFails = false
  let cleaned_at = milliseconds()
  const cleanup = { stopped: false }

  const share = (): Promise<void> => {
    sharing ??= exchangeCounts()
      .then(
        () => {
          sharingFails = false
        },
        (error) => {
          if (!sharingFails) log.warn({ err: error }, 'the database is unavailable: rate limits apply to each node')
          sharingFails = true
        },
      )
      .finally(() => {
        sharing = undefined
      })
    return sharing
  }

  async function exchangeCounts(): Promise<void> {
    const pending = [...counters].flatMap(([prefix, counter]) =>
      counter.takePending().map((count) => ({ ...count, name: `${prefix} ${count.name}` })),
    )
    if (pending.length)
      for (const total of await requestCounts.add(db, pending)) {
        const space = total.name.indexOf(' ')
        counters.get(total.name.slice(0, space))?.applyTotal({ ...total, name: total.name.slice(space + 1) })
      }
    if (milliseconds() - cleaned_at < CLEANUP_EVERY_MS) return
    cleaned_at = milliseconds()
    await requestCounts.removeExpired(db, cleanup, cleaned_at, WINDOW_LENGTHS)
  }

  const timer = shared ? setInterval(() => void share(), SHARE_EVERY_MS).unref() : undefined

  const countByAddress = (kind: 'key' | AreaName, { ip }: FastifyRequest): void => {
    address.check(`${kind} ${ip}`)
    address.count(`${kind} ${ip}`)
  }

  /** Each plugin configuration has its own limit. */
  const budgetOf = ({ user: { id }, session, plugin_config_id }: Caller, { area }: Operation) =>
    plugin_config_id !== null
      ? { counter: plugin, name: String(plugin_config_id) }
      : { counter: session ? sessions : area === 'events' || area === 'query' ? events : user, name: String(id) }

  return {
    stop: async () => {
      cleanup.stopped = true
      clearInterval(timer)
      await sharing
      if (shared) await share()
    },
    countRejectedKey: (request, error) => {
      if (enabled && error.code === 'authentication_failed') countByAddress('key', request)
    },
    countRequest: (reply, caller, operation) => {
      const { key } = caller
      const stale_ms = milliseconds() - HOUR_MS
      if (key && (key.last_used_at === null || Date.parse(key.last_used_at) < stale_ms))
        background("updating a key's last_used_at", () => touch(db, key.id, now(), new Date(stale_ms).toISOString()))
      if (!enabled) return
      const { counter, name } = budgetOf(caller, operation)
      counter.check(name)
      const { limit, remaining, reset_seconds } = counter.count(name)
      reply.header('ratelimit-limit', limit)
      reply.header('ratelimit-remaining', remaining)
      reply.header('ratelimit-reset', reset_seconds)
    },
    countPublicRequest: (request, operation) => {
      if (enabled && LIMITED_AREAS.includes(operation.area)) countByAddress(operation.area, request)
    },
    countRejectedCapture: (request, error) => {
      metrics.refused('requests', error instanceof AppError ? error.code : 'error', 1)
      if (enabled && isClientError(error)) countByAddress('capture', request)
    },
    checkCaptureAddress: (request) => {
      if (enabled) address.check(`capture ${request.ip}`)
    },
    countCapture: (project_id) => {
      if (!enabled) return
      project.check(String(project_id))
      project.count(String(project_id))
    },
  }
}

/** False for failures of the server, such as timeouts or an unreachable database. */
const isClientError = (error: unknown): boolean =>
  error instanceof AppError && !['throttled', 'unavailable', 'error'].includes(error.code)

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import type { Operation } from '../contract/table.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { touch } from '../store/api_keys.ts'
import * as requestCounts from '../store/request_counts.ts'
import { createCounter, PER_ADDRESS, PER_PROJECT_CAPTURE, PER_USER, PER_USER_EVENTS } from './request-counter.ts'

const HOUR_MS = 3_600_000
/** How often nodes tell each other what they counted. One that hears nothing for so long lets too many through. */
const SHARE_EVERY_MS = 1_000
const FORGET_EVERY_MS = 60_000

/** Who is let in how often. Every method throws `throttled` where it is too often. */
export interface RateLimits {
  /** A key was refused. An address that keeps sending bad ones is told to wait; good ones from it still work. */
  refused(request: FastifyRequest, error: AppError): void
  admit(reply: FastifyReply, caller: Caller, operation: Operation): void
  admitAnonymous(request: FastifyRequest, operation: Operation): void
  /** Events for a project, whose token was found to be right. */
  admitCapture(project_id: number): void
  /** Counts refused events. Valid events from this address still work. */
  captureRefused(request: FastifyRequest, error: unknown): void
  /** Throws `throttled` for an address with many refused requests. Called when the server is busy. */
  demandGoodStanding(request: FastifyRequest): void
  /** Tells the other nodes what is left to tell. */
  stop(): Promise<void>
}

export function createRateLimits({ config, db, now, milliseconds, background, log }: Deps): RateLimits {
  const on = config.RATE_LIMITS
  const shared = on && db.engine === 'postgres'
  const perUser = createCounter(PER_USER, milliseconds, shared)
  const perUserEvents = createCounter(PER_USER_EVENTS, milliseconds, shared)
  const perAddress = createCounter(PER_ADDRESS, milliseconds, shared)
  const perProject = createCounter(PER_PROJECT_CAPTURE, milliseconds, shared)

  /** By the word that stands before their names where all nodes count together. */
  const limiters = { user: perUser, events: perUserEvents, address: perAddress, project: perProject }
  let sharing: Promise<void> | undefined
  let alone = false
  let forgotten_at = milliseconds()

  const share = (): Promise<void> => {
    sharing ??= exchange()
      .then(
        () => {
          alone = false
        },
        (error) => {
          if (!alone) log.warn({ err: error }, 'rate limits hold for this node alone until the database is back')
          alone = true
        },
      )
      .finally(() => {
        sharing = undefined
      })
    return sharing
  }

  async function exchange(): Promise<void> {
    const counted = Object.entries(limiters).flatMap(([word, { untold }]) =>
      untold().map((count) => ({ ...count, name: `${word} ${count.name}` })),
    )
    if (counted.length)
      for (const total of await requestCounts.add(db, counted)) {
        const space = total.name.indexOf(' ')
        limiters[total.name.slice(0, space) as keyof typeof limiters].learn({
          ...total,
          name: total.name.slice(space + 1),
        })
      }
    if (milliseconds() - forgotten_at < FORGET_EVERY_MS) return
    forgotten_at = milliseconds()
    await requestCounts.removeExpired(db, forgotten_at)
  }

  const timer = shared ? setInterval(() => void share(), SHARE_EVERY_MS).unref() : undefined

  return {
    stop: async () => {
      clearInterval(timer)
      await sharing
      if (shared) await share()
    },
    refused: (request, error) => {
      if (!on || error.code !== 'authentication_failed') return
      perAddress.check(`key ${request.ip}`)
      perAddress.count(`key ${request.ip}`)
    },
    admit: (reply, { user, key }, operation) => {
      const stale_ms = milliseconds() - HOUR_MS
      if (key.last_used_at === null || Date.parse(key.last_used_at) < stale_ms)
        background('noting the use of a key', () => touch(db, key.id, now(), new Date(stale_ms).toISOString()))
      if (!on) return
      const limits = operation.area === 'events' ? perUserEvents : perUser
      const name = String(user.id)
      limits.check(name)
      const { limit, remaining, reset_seconds } = limits.count(name)
      reply.header('ratelimit-limit', limit)
      reply.header('ratelimit-remaining', remaining)
      reply.header('ratelimit-reset', reset_seconds)
    },
    admitAnonymous: (request, operation) => {
      if (!on || operation.area !== 'signup') return
      perAddress.check(`signup ${request.ip}`)
      perAddress.count(`signup ${request.ip}`)
    },
    captureRefused: (request, error) => {
      if (!on || !isBadInput(error)) return
      perAddress.check(`capture ${request.ip}`)
      perAddress.count(`capture ${request.ip}`)
    },
    demandGoodStanding: (request) => {
      if (on) perAddress.check(`capture ${request.ip}`)
    },
    admitCapture: (project_id) => {
      if (!on) return
      perProject.check(String(project_id))
      perProject.count(String(project_id))
    },
  }
}

/** False for failures of the server, such as timeouts or an unreachable database. */
const isBadInput = (error: unknown): boolean =>
  error instanceof AppError && !['throttled', 'unavailable', 'error'].includes(error.code)

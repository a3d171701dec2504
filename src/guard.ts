import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from './auth/caller.ts'
import type { Operation } from './contract/table.ts'
import type { Deps } from './deps.ts'
import type { AppError } from './errors.ts'
import { limiter, PER_ADDRESS, PER_KEY, PER_KEY_EVENTS, PER_PROJECT_CAPTURE } from './limits.ts'
import { touch } from './store/api_keys.ts'

const HOUR_MS = 3_600_000

/** Who is let in how often. Every method throws `throttled` where it is too often. */
export interface Guard {
  /** A key was refused. An address that keeps sending bad ones is told to wait; good ones from it still work. */
  refused(request: FastifyRequest, error: AppError): void
  admit(request: FastifyRequest, reply: FastifyReply, caller: Caller, operation: Operation): void
  admitAnonymous(request: FastifyRequest, operation: Operation): void
  /** Events for a project, whose token was found to be right. */
  admitCapture(project_id: number): void
}

export function createGuard({ config, db, now, background }: Deps): Guard {
  const milliseconds = (): number => Date.parse(now())
  const perKey = limiter(PER_KEY, milliseconds)
  const perKeyEvents = limiter(PER_KEY_EVENTS, milliseconds)
  const perAddress = limiter(PER_ADDRESS, milliseconds)
  const perProject = limiter(PER_PROJECT_CAPTURE, milliseconds)
  const on = config.RATE_LIMITS

  return {
    refused: (request, error) => {
      if (!on || error.code !== 'authentication_failed') return
      perAddress.check(`key ${request.ip}`)
      perAddress.count(`key ${request.ip}`)
    },
    admit: (_, reply, { key }, operation) => {
      const time = now()
      const stale = new Date(Date.parse(time) - HOUR_MS).toISOString()
      if (key.last_used_at === null || key.last_used_at < stale)
        background('noting the use of a key', () => touch(db, key.id, time, stale))
      if (!on) return
      const limits = operation.area === 'events' ? perKeyEvents : perKey
      limits.check(key.id)
      const { limit, remaining, reset_seconds } = limits.count(key.id)
      reply.header('ratelimit-limit', limit)
      reply.header('ratelimit-remaining', remaining)
      reply.header('ratelimit-reset', reset_seconds)
    },
    admitAnonymous: (request, operation) => {
      if (!on || operation.area !== 'signup') return
      perAddress.check(`signup ${request.ip}`)
      perAddress.count(`signup ${request.ip}`)
    },
    admitCapture: (project_id) => {
      if (!on) return
      perProject.check(String(project_id))
      perProject.count(String(project_id))
    },
  }
}

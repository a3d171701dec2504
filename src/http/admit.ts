/** Decides whether a caller may use an operation, before the body is read and before anything of a handler runs. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ResolvedAccess } from '../api/handler-context.ts'
import { organizationFor, projectFor, requireLevel } from '../auth/access.ts'
import { type Caller, requireScope } from '../auth/caller.ts'
import { requireFreshSignIn, requireSecondFactor, requireSession } from '../auth/session-rules.ts'
import { beginWork } from '../background/event-loop.ts'
import { negotiate } from '../contract/accept.ts'
import type { AreaName } from '../contract/operations.ts'
import type { Operation } from '../contract/table.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid, unavailable } from '../errors.ts'
import type { Authenticator } from './authentication.ts'
import { isSafe, requireSameOrigin } from './csrf.ts'
import { type AccessLookups, createKnownAccess } from './known-access.ts'
import type { RateLimits } from './rate-limits.ts'
import { originOf } from './request-url.ts'

/** The rules of an area with subjects of any type. */
export interface AreaRules {
  subject?: (access: ResolvedAccess) => Promise<unknown>
  admit?: (access: ResolvedAccess, subject: never) => Promise<void>
}

export interface AdmissionOptions {
  deps: Deps
  areas: { [Name in AreaName]?: AreaRules }
  authenticator: Authenticator
  rateLimits: RateLimits
}

export type Admit = (request: FastifyRequest, reply: FastifyReply, operation: Operation) => Promise<void>

export function createAdmission({ deps, areas, authenticator, rateLimits }: AdmissionOptions): Admit {
  const knownAccess = deps.db.engine === 'postgres' ? createKnownAccess() : undefined

  async function admit(request: FastifyRequest, reply: FastifyReply, operation: Operation): Promise<void> {
    request.operation = operation
    beginWork(operation.id)
    if (deps.config.ROLE === 'worker' && operation.area !== 'service' && !authenticator.pluginSignal(request))
      throw unavailable(
        'This node has the role worker and serves no API requests. Use a node with the role api or all.',
      )
    if (operation.isPublic) {
      rateLimits.countPublicRequest(request, operation)
      if (checksOrigin(operation)) requireSameOrigin(request.headers, originOf(request, deps.config))
    } else await admitCaller(request, reply, operation)
    requireAcceptable(request, operation)
    rejectNul(request, operation)
  }

  async function admitCaller(request: FastifyRequest, reply: FastifyReply, operation: Operation): Promise<void> {
    const lookups = beginLookups(request, operation)
    const caller = await authenticator.authenticate(request).catch((error) => {
      rateLimits.countRejectedKey(request, error)
      throw error
    })
    request.caller = caller
    if (operation.needsSession) requireSession(caller)
    requireScope(caller, operation.scope)
    requireFreshSignIn(caller, operation.id, deps.milliseconds())
    rateLimits.countRequest(reply, caller, operation)
    await resolveAccess(request, caller, operation, lookups)
  }

  /** On PostgreSQL, the lookups of a known credential start before the caller is authenticated. */
  function beginLookups(request: FastifyRequest, operation: Operation): AccessLookups {
    const params = request.params as Record<string, string>
    const area = areas[operation.area]
    const place_id = params[`${operation.within}_id`] ?? params.id ?? ''
    const lookups: AccessLookups = {
      place: async (caller) => ({
        organization:
          operation.within === 'organization' ? await organizationFor(deps.db, caller, place_id) : undefined,
        project: operation.within === 'project' ? await projectFor(deps.db, caller, place_id) : undefined,
      }),
      subject: async (caller, place) =>
        operation.namesSubject ? area?.subject?.({ operation, params, caller, ...place }) : undefined,
    }
    const credential = authenticator.credentialOf(request)
    return knownAccess && credential
      ? knownAccess.begin(credential, `${operation.within} ${place_id}`, lookups)
      : lookups
  }

  /** Finds the organization or project of the path and the path's subject, and checks the caller's level. */
  async function resolveAccess(
    request: FastifyRequest,
    caller: Caller,
    operation: Operation,
    lookups: AccessLookups,
  ): Promise<void> {
    const found = await lookups.place(caller)
    const params = request.params as Record<string, string>
    const access: ResolvedAccess = { operation, params, caller, ...found }
    request.access = access
    request.subject = await lookups.subject(caller, found)
    const place = access.organization ?? access.project
    if (place) {
      requireLevel(place.membership_level, operation.level)
      await requireSecondFactor(deps.db, caller, place)
    }
    // The area itself has found the subject, so its type is right.
    await areas[operation.area]?.admit?.(access, request.subject as never)
  }

  return admit
}

/** Pages of other sites must not sign a browser in or up. Identity providers post their responses from their own site. */
const checksOrigin = ({ area, method, id }: Operation): boolean =>
  ['session', 'signup', 'password_reset', 'users', 'sso'].includes(area) &&
  !isSafe(method) &&
  id !== 'sso.complete_saml'

function requireAcceptable({ headers }: FastifyRequest, { offered }: Operation): void {
  if (offered.length && negotiate(headers.accept, offered) === undefined)
    throw new AppError({
      code: 'not_acceptable',
      detail: `This operation returns ${offered.join(' or ')}. Send an Accept header that includes it.`,
    })
}

/** PostgreSQL cannot store NUL characters. An operation without a 400 response reads no parameters. */
function rejectNul({ raw, query }: FastifyRequest, operation: Operation): void {
  if (!raw.url?.includes('%00') || !operation.source.responses[400]) return
  for (const [name, value] of Object.entries(query ?? {}))
    if (String(value).includes('\0'))
      throw invalid(name, 'NUL characters are not allowed. Remove them.', 'null_characters_not_allowed')
}

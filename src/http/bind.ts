/** Binds the operations of the contract to their handlers. The only file that uses fastify-openapi-glue. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import glue from 'fastify-openapi-glue'
import { type HandlerContext, RawResponse, type ResolvedAccess } from '../api/handler-context.ts'
import { CursorPage } from '../api/page.ts'
import { organizationFor, projectFor, requireLevel } from '../auth/access.ts'
import { type Caller, requireScope } from '../auth/caller.ts'
import { requireFreshSignIn, requireSecondFactor, requireSession } from '../auth/session-rules.ts'
import { beginWork } from '../background/event-loop.ts'
import { negotiate } from '../contract/accept.ts'
import type { OpenApiSchema } from '../contract/document.ts'
import { type AreaName, type IdsOf, isPublic, type OperationId } from '../contract/operations.ts'
import { contract, dereference, type Operation, operations, pointer, resolve } from '../contract/table.ts'
import { validator } from '../contract/validation.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid, unavailable } from '../errors.ts'
import { createAuthenticator } from './authentication.ts'
import { openCaptureScope, rawOf } from './capture-scope.ts'
import { isSafe, requireSameOrigin } from './csrf.ts'
import { type AccessLookups, type BegunLookups, createKnownAccess, started } from './known-access.ts'
import type { RateLimits } from './rate-limits.ts'
import { RequestContext } from './request-context.ts'
import { originOf } from './request-url.ts'

/** Takes a context of any subject type: each area finds its own subjects. */
type Handler<Id extends OperationId> = (context: HandlerContext<Id, never>) => Promise<unknown>
type Handlers = { [Id in OperationId]: Handler<Id> }

/** An `Area` of any subject type. */
interface BoundArea<Name extends AreaName> {
  subject?: (access: ResolvedAccess) => Promise<unknown>
  admit?: (access: ResolvedAccess, subject: never) => Promise<void>
  readsAhead?: readonly OperationId[]
  operations: Pick<Handlers, IdsOf<Name>>
}
type Areas = { [Name in AreaName]?: BoundArea<Name> }

declare module 'fastify' {
  interface FastifyRequest {
    operation: Operation | null
    caller: Caller | undefined
    access: ResolvedAccess | undefined
    subject: unknown
    /** Set for operations that read ahead. Their handler awaits it. */
    admission: Promise<void> | undefined
    lookups: BegunLookups | undefined
  }
}

export async function bind(app: FastifyInstance, deps: Deps, areas: Areas, rateLimits: RateLimits): Promise<void> {
  const handlers: Partial<Handlers> = Object.assign({}, ...Object.values(areas).map((area) => area.operations))
  checkIds(Object.keys(handlers))
  checkSecurity()

  const byRoute = new Map(operations.map((operation) => [`${operation.method} ${routeOf(operation.path)}`, operation]))
  const operationAt = (method: unknown, url: string | undefined): Operation | undefined =>
    byRoute.get(`${method} ${url}`)

  app.decorateRequest('operation', null)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('access', undefined)
  app.decorateRequest('subject', undefined)
  app.decorateRequest('admission', undefined)
  app.decorateRequest('lookups', undefined)

  app.setValidatorCompiler<OpenApiSchema>(({ schema, httpPart = 'body', method, url }) =>
    validator(schema, httpPart, operationAt(method, url)?.bodyRequired ?? false),
  )

  const authenticator = createAuthenticator(deps)
  const knownAccess = deps.db.engine === 'postgres' ? createKnownAccess() : undefined

  app.addHook('onRoute', (route) => {
    const operation = operationAt(route.method, route.url)
    // Without an operation, the route would have no access checks.
    if (!operation) throw new Error(`${route.method} ${route.url} is not in the contract.`)
    if (knownAccess && areas[operation.area]?.readsAhead?.includes(operation.id)) {
      route.onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
        const admission = started(admit(request, reply, operation))
        // No body is received before the caller is admitted.
        if (hasBody(request)) await admission
        else request.admission = admission
      }
      // The handler reports an invalid request after the caller is admitted.
      route.attachValidation = true
    } else route.onRequest = (request: FastifyRequest, reply: FastifyReply) => admit(request, reply, operation)
    if (route.method !== 'GET' && !operation.bodyRequired && operation.area !== 'capture')
      route.preValidation = dropEmptyBody
    route.schema = schemaOf(operation)
  })

  /** Authenticates and authorizes the caller before the body is read. */
  async function admit(request: FastifyRequest, reply: FastifyReply, operation: Operation): Promise<void> {
    request.operation = operation
    beginWork(operation.id)
    if (deps.config.ROLE === 'worker' && operation.area !== 'service')
      throw unavailable(
        'This node has the role worker and serves no API requests. Use a node with the role api or all.',
      )
    if (operation.isPublic) {
      rateLimits.countPublicRequest(request, operation)
      if (checksOrigin(operation)) requireSameOrigin(request.headers, originOf(request, deps.config))
    } else {
      const lookups = beginLookups(request, operation)
      request.lookups = lookups
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
    requireAcceptable(request, operation)
    rejectNul(request, operation)
  }

  /** On PostgreSQL, the lookups start before the caller is authenticated. */
  function beginLookups(request: FastifyRequest, operation: Operation): BegunLookups {
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

  /**
   * Waits until the caller of an operation that reads ahead is admitted. In the meantime, handles the request for the last
   * access. Returns the result if it is still the same.
   */
  async function admitWhileReading(
    request: FastifyRequest,
    operation: Operation,
    handle: Handle,
  ): Promise<{ result: Promise<unknown> } | undefined> {
    const { admission, lookups, validationError } = request
    const last = validationError ? undefined : lookups?.last
    const params = request.params as Record<string, string>
    const controller = new AbortController()
    const result = last && started(handle({ operation, params, ...last.access }, controller.signal))
    let isAdmitted = false
    try {
      await admission
      isAdmitted = true
    } finally {
      knownAccess?.setAdmitted(authenticator.credentialOf(request) ?? '', isAdmitted)
      if (!isAdmitted || !last?.isSame()) controller.abort()
    }
    return result && last?.isSame() ? { result } : undefined
  }

  const route = (scope: FastifyInstance, specification: object) =>
    scope.register(glue, {
      specification,
      serviceHandlers: Object.fromEntries(
        operations.map((operation) => [operation.id, serve(operation.id, operation)]),
      ),
    })
  const { capture, rest } = specifications()
  await route(app, rest)
  await app.register(async (scope) => {
    openCaptureScope(scope)
    await route(scope, capture)
  })

  function serve<Id extends OperationId>(id: Id, operation: Operation) {
    const handler = handlers[id]
    if (!handler) throw new Error(`${id} has no handler.`)
    // Fastify compiles the serializer of an object once.
    const itemSchema = { ...pageItemSchema(operation) }
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const raw = operation.area === 'capture' ? rawOf(request, rateLimits) : undefined
      const handle: Handle = (access, cancelled) => {
        const context: Pick<RequestContext, keyof RequestContext> = new RequestContext(
          request,
          reply,
          access,
          deps.config,
          raw,
          authenticator,
          cancelled,
        )
        // The validators and `admit` have checked that the values have the types of the operation.
        return handler(context as HandlerContext<Id, never>)
      }
      const ahead = request.admission && (await admitWhileReading(request, operation, handle))
      if (request.validationError) throw request.validationError
      const result = await (ahead?.result ?? handle(request.access)).catch((error) => {
        if (raw) rateLimits.countRejectedCapture(request, error)
        throw error
      })
      reply.code(operation.status)
      if (result instanceof RawResponse && result.status === 304) return reply.code(304).headers(result.headers).send()
      if (result instanceof RawResponse)
        return reply.headers(result.headers).type(`${result.type}; charset=utf-8`).send(result.body)
      if (result instanceof CursorPage) {
        const item = reply.compileSerializationSchema(itemSchema)
        const body = await result.write({ page: (page) => String(reply.serialize(page)), item })
        return reply.type(`${JSON_TYPE}; charset=utf-8`).send(body)
      }
      if (operation.mediaType) reply.type(operation.mediaType)
      return result
    }
  }
}

/** Handles a request for this access. Aborting `cancelled` stops its queries. */
type Handle = (access: ResolvedAccess | undefined, cancelled?: AbortSignal) => Promise<unknown>

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** If the body is optional, `{}` and `[]` (an empty PHP array) count as no body. */
function dropEmptyBody(request: FastifyRequest, _: FastifyReply, done: () => void): void {
  const { body } = request
  if (typeof body === 'object' && body !== null && Object.keys(body).length === 0) request.body = undefined
  done()
}

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

const routeOf = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

/** The contract in two documents: capture, which has its own scope, and all other areas. */
export function specifications(): { capture: Record<string, unknown>; rest: Record<string, unknown> } {
  const isCapture = ({ area }: Operation): boolean => area === 'capture'
  return { capture: routingDocument(isCapture), rest: routingDocument((operation) => !isCapture(operation)) }
}

/** The minimal document for routing. glue copies the document: with all schemas, a start takes a third longer. */
function routingDocument(includes: (operation: Operation) => boolean): Record<string, unknown> {
  const { openapi, info } = contract
  const paths: Record<string, Record<string, object>> = {}
  for (const { id, path, method, status } of operations.filter(includes)) {
    paths[path] ??= {}
    paths[path][method.toLowerCase()] = { operationId: id, responses: { [status]: { description: '' } } }
  }
  return { openapi, info, paths }
}

interface RouteSchema {
  params?: ParametersSchema
  querystring?: ParametersSchema
  headers?: ParametersSchema
  body?: OpenApiSchema
  response?: Record<string, OpenApiSchema>
}
interface ParametersSchema {
  type: 'object'
  properties: Record<string, OpenApiSchema>
  required: string[]
}

const PARTS = { path: 'params', query: 'querystring', header: 'headers' } as const
const JSON_TYPE = 'application/json'

/**
 * The schemas of a route. Bodies are references, which are resolved on first use. A body with several media types is
 * validated by its handler.
 */
function schemaOf({ path, method, status, parameters, response, source }: Operation): RouteSchema {
  const schema: RouteSchema = {}
  for (const parameter of parameters) {
    const part = PARTS[parameter.in]
    const parametersSchema = schema[part] ?? { type: 'object', properties: {}, required: [] }
    schema[part] = parametersSchema
    parametersSchema.properties[parameter.name] = dereference(parameter.schema)
    if (parameter.required) parametersSchema.required.push(parameter.name)
  }
  const bodyAt = (...place: string[]): OpenApiSchema => ({
    $ref: pointer('paths', path, method.toLowerCase(), ...place, 'content', JSON_TYPE, 'schema'),
  })
  if (Object.keys(source.requestBody?.content ?? {}).join() === JSON_TYPE) schema.body = bodyAt('requestBody')
  if (response.content?.[JSON_TYPE]) schema.response = { [status]: bodyAt('responses', String(status)) }
  return schema
}

/** The schema of one item of a page. Operations that return no page have none. */
function pageItemSchema({ response }: Operation): OpenApiSchema {
  const schema = response.content?.[JSON_TYPE]?.schema ?? {}
  return resolve(schema).properties?.results?.items ?? {}
}

/** Pages of other sites must not sign a browser in or up. Identity providers post their responses from their own site. */
const checksOrigin = ({ area, method, id }: Operation): boolean =>
  ['session', 'signup', 'password_reset', 'users', 'sso'].includes(area) &&
  !isSafe(method) &&
  id !== 'sso.complete_saml'

/** Every operation has a handler, and every handler has an operation. */
function checkIds(ids: string[]): void {
  const expected: string[] = operations.map((operation) => operation.id)
  const missing = expected.filter((id) => !ids.includes(id))
  const unknown = ids.filter((id) => !expected.includes(id))
  if (missing.length + unknown.length)
    throw new Error(
      `The contract and the handlers differ. No handler: ${missing.join(', ') || 'none'}. Not in the contract: ${
        unknown.join(', ') || 'none'
      }.`,
    )
}

/** Prevents operations that are public by mistake. */
function checkSecurity(): void {
  const wrong = operations.filter((operation) => operation.isPublic !== isPublic(operation.id))
  if (wrong.length)
    throw new Error(
      `The contract must declare the security of these operations: ${wrong.map(({ id }) => id).join(', ')}.`,
    )
}

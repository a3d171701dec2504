/** The only file that knows fastify-openapi-glue: contract operations on one side, handlers on the other. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import glue from 'fastify-openapi-glue'
import {
  type Area,
  type HandlerContext,
  RawResponse,
  type RequestUrl,
  type ResolvedAccess,
} from '../api/handler-context.ts'
import { Page } from '../api/page.ts'
import { organizationFor, projectFor, requireLevel } from '../auth/access.ts'
import { authenticate, type Caller, cachedKeyLookup, requireScope } from '../auth/caller.ts'
import { negotiate } from '../contract/accept.ts'
import type { AreaName, OperationId } from '../contract/operations.ts'
import { contract, dereference, type Operation, operations, pointer, resolve } from '../contract/table.ts'
import { type HttpPart, validator } from '../contract/validation.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid, unavailable } from '../errors.ts'
import { openCaptureScope, rawOf } from './capture-scope.ts'
import { cameThroughProxy } from './forwarded.ts'
import type { RateLimits } from './rate-limits.ts'

/** Areas whose operations answer without a key; everything else demands one. */
const PUBLIC_AREAS: readonly AreaName[] = ['signup', 'capture', 'service']

type Areas = { [Name in AreaName]?: Area<Name, any> }
type Handler = (call: HandlerContext<any, any>) => Promise<unknown>

declare module 'fastify' {
  interface FastifyRequest {
    operation: Operation | null
    caller: Caller | undefined
    located: ResolvedAccess | undefined
    subject: unknown
  }
}

export async function bind(app: FastifyInstance, deps: Deps, areas: Areas, guard: RateLimits): Promise<void> {
  const handlers = handlersOf(areas)
  checkIds(Object.keys(handlers))
  checkSecurity()

  const byRoute = new Map(operations.map((operation) => [`${operation.method} ${urlOf(operation.path)}`, operation]))
  const operationOf = (method: unknown, url: string): Operation | undefined =>
    byRoute.get(`${method === 'HEAD' ? 'GET' : method} ${url}`)

  app.decorateRequest('operation', null)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('located', undefined)
  app.decorateRequest('subject', undefined)

  app.setValidatorCompiler(({ schema, httpPart, method, url }) =>
    validator(schema as object, httpPart as HttpPart, operationOf(method, url!)?.bodyRequired ?? false),
  )

  app.addHook('onRoute', (route) => {
    const operation = operationOf(route.method, route.url)
    // It would have no check in front of it.
    if (!operation) throw new Error(`${route.method} ${route.url} is not in the contract.`)
    route.onRequest = (request: FastifyRequest, reply: FastifyReply) => admit(request, reply, operation)
    if (route.method !== 'GET' && !operation.bodyRequired && operation.area !== 'capture')
      route.preValidation = dropEmptyBody
    route.schema = schemaOf(operation)
  })

  /** The key and what it opens, before anything is read of who may not ask. */
  async function admit(request: FastifyRequest, reply: FastifyReply, operation: Operation): Promise<void> {
    request.operation = operation
    if (deps.config.ROLE === 'worker' && operation.area !== 'service')
      throw unavailable('This node works in the background and serves no requests. Ask one with the role api or all.')
    if (operation.isPublic) guard.admitAnonymous(request, operation)
    else {
      const caller = await authenticate(find, request.headers.authorization, deps.now).catch((error) => {
        guard.refused(request, error)
        throw error
      })
      request.caller = caller
      requireScope(caller, operation.scope)
      guard.admit(reply, caller, operation)
      await locate(request, caller, operation)
    }
    demandAcceptable(request, operation)
    refuseNul(request, operation)
  }

  /** The organization or project of the path, what the path names within it, and the level it takes. */
  async function locate(request: FastifyRequest, caller: Caller, operation: Operation): Promise<void> {
    const params = request.params as Record<string, string>
    const located: ResolvedAccess = { operation, params, caller, organization: undefined, project: undefined }
    if (operation.within === 'organization')
      located.organization = await organizationFor(deps.db, caller, params.organization_id ?? params.id!)
    if (operation.within === 'project')
      located.project = await projectFor(deps.db, caller, params.project_id ?? params.id!)
    request.located = located
    const area = areas[operation.area]
    if (area?.subject && operation.namesSubject) request.subject = await area.subject(located)
    const place = located.organization ?? located.project
    if (place) requireLevel(place.membership_level, operation.level)
    await area?.admit?.(located, request.subject)
  }

  const find = cachedKeyLookup(deps.db)
  const route = (scope: FastifyInstance, specification: object) =>
    scope.register(glue, {
      specification,
      serviceHandlers: Object.fromEntries(operations.map((operation) => [operation.id, serve(operation)])),
    })
  const { capture, rest } = specifications()
  await route(app, rest)
  await app.register(async (scope) => {
    openCaptureScope(scope)
    await route(scope, capture)
  })

  function serve(operation: Operation) {
    const handler = handlers[operation.id]!
    const itemSchema = pageItemSchema(operation)
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const raw = operation.area === 'capture' ? rawOf(request, guard) : undefined
      const answer = await handler(new RequestContext(request, reply, deps.config, raw)).catch((error) => {
        if (raw) guard.captureRefused(request, error)
        throw error
      })
      reply.code(operation.status)
      if (answer instanceof RawResponse)
        return reply.headers(answer.headers).type(`${answer.type}; charset=utf-8`).send(answer.body)
      if (answer instanceof Page) {
        const item = reply.compileSerializationSchema(itemSchema)
        const body = await answer.write({ page: (page) => String(reply.serialize(page)), item })
        return reply.type(`${JSON_TYPE}; charset=utf-8`).send(body)
      }
      if (operation.mediaType) reply.type(operation.mediaType)
      return answer
    }
  }
}

/** A class for its getters: most handlers ask for few of these, and an object with getters of its own takes longer to make. */
class RequestContext implements HandlerContext<any, any> {
  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly config: Deps['config'],
    readonly raw: any,
  ) {}

  get params(): any {
    return this.request.params
  }
  get query(): any {
    return this.request.query
  }
  get body(): any {
    return this.request.body
  }
  get caller(): any {
    return this.request.caller
  }
  get organization(): any {
    return this.request.located?.organization
  }
  get project(): any {
    return this.request.located?.project
  }
  get subject(): unknown {
    return this.request.subject
  }
  get url(): RequestUrl {
    const { raw, protocol, host } = this.request
    const [path, ...rest] = raw.url!.split('?')
    return {
      origin: this.config.SITE_URL ?? `${protocol}://${host || 'localhost'}`,
      path: path!,
      search: rest.join('?'),
    }
  }
  get peer(): { address: string; local: boolean } {
    const { ip, raw } = this.request
    return { address: ip, local: isLoopback(raw.socket.remoteAddress ?? '') && !cameThroughProxy(raw.headers) }
  }
  get authorization(): string | undefined {
    return this.request.headers.authorization
  }
  get accept(): string | undefined {
    return this.request.headers.accept
  }
  /** Of the connection: an answer that waits behind others on it hears nothing of its end. */
  get signal(): AbortSignal {
    const controller = new AbortController()
    const leave = (): void => controller.abort()
    const { socket } = this.request.raw
    if (socket.destroyed) leave()
    socket.once('close', leave)
    this.reply.raw.once('finish', () => socket.off('close', leave))
    return controller.signal
  }
}

/** Where a body is optional, `{}` and `[]` (the empty array of PHP) count as no body. */
function dropEmptyBody(request: FastifyRequest, _: FastifyReply, done: () => void): void {
  const { body } = request
  if (typeof body === 'object' && body !== null && Object.keys(body).length === 0) request.body = undefined
  done()
}

function demandAcceptable({ headers }: FastifyRequest, { offered }: Operation): void {
  if (offered.length && negotiate(headers.accept, offered) === undefined)
    throw new AppError({
      code: 'not_acceptable',
      detail: `This operation answers ${offered.join(' or ')}. Send an Accept header with it.`,
    })
}

/** PostgreSQL stores no NUL character, so no parameter may hold one. What declares no 400 reads no parameters. */
function refuseNul(request: FastifyRequest, operation: Operation): void {
  if (!request.raw.url!.includes('%00') || !operation.source.responses[400]) return
  for (const [name, value] of Object.entries(request.query as object))
    if (String(value).includes('\0'))
      throw invalid(name, 'NUL characters are not allowed. Remove them.', 'null_characters_not_allowed')
}

const isLoopback = (address: string): boolean => /^(127\.|::1$|::ffff:127\.)/.test(address)

const urlOf = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

/** The contract in two: capture, which is bound in a scope of its own, and everything else. */
export function specifications(): { capture: Record<string, unknown>; rest: Record<string, unknown> } {
  const isCapture = ({ area }: Operation): boolean => area === 'capture'
  return { capture: routable(isCapture), rest: routable((operation) => !isCapture(operation)) }
}

/** As much of the contract as routes are made of: glue copies what it gets, and a start that lets it takes a third longer. */
function routable(wanted: (operation: Operation) => boolean): Record<string, unknown> {
  const { openapi, info } = contract
  const paths: Record<string, Record<string, object>> = {}
  for (const { id, path, method, status } of operations.filter(wanted)) {
    paths[path] ??= {}
    paths[path][method.toLowerCase()] = { operationId: id, responses: { [status]: { description: '' } } }
  }
  return { openapi, info, paths }
}

const PARTS = { path: 'params', query: 'querystring', header: 'headers' } as const
const JSON_TYPE = 'application/json'

/**
 * What an operation takes and answers. Bodies are pointed at, and looked up when a request needs them. A body that may come
 * in several types is checked by who reads it.
 */
function schemaOf({ path, method, status, source }: Operation): Record<string, object> {
  const schema: Record<string, any> = {}
  for (const parameter of [...(contract.paths[path].parameters ?? []), ...(source.parameters ?? [])]) {
    const { name, in: place, required, schema: value } = resolve(parameter)
    const part = PARTS[place as keyof typeof PARTS]
    schema[part] ??= { type: 'object', properties: {}, required: [] }
    schema[part].properties[name] = dereference(value)
    if (required) schema[part].required.push(name)
  }
  const at = (...place: string[]): object => ({
    $ref: pointer('paths', path, method.toLowerCase(), ...place, 'content', JSON_TYPE, 'schema'),
  })
  if (Object.keys(source.requestBody?.content ?? {}).join() === JSON_TYPE) schema.body = at('requestBody')
  if (source.responses[status].content?.[JSON_TYPE]) schema.response = { [status]: at('responses', String(status)) }
  return schema
}

/** The schema of one item of a page. Operations that return no page have none. */
function pageItemSchema({ source, status }: Operation): Record<string, unknown> {
  const { schema = {} } = source.responses[status].content?.[JSON_TYPE] ?? {}
  return resolve(schema).properties?.results?.items ?? {}
}

function handlersOf(areas: Areas): Partial<Record<OperationId, Handler>> {
  return Object.assign({}, ...Object.values(areas).map((area) => area.operations))
}

/** Every operation has a handler, and nothing is left over. */
function checkIds(built: string[]): void {
  const wanted = operations.map((operation) => operation.id as string)
  const missing = wanted.filter((id) => !built.includes(id))
  const surplus = built.filter((id) => !wanted.includes(id))
  if (missing.length + surplus.length)
    throw new Error(
      `The contract and the handlers differ. No handler: ${missing.join(', ') || 'none'}. Not in the contract: ${
        surplus.join(', ') || 'none'
      }.`,
    )
}

/** No operation is public by an oversight in the contract. */
function checkSecurity(): void {
  const open = operations.filter((operation) => operation.isPublic !== PUBLIC_AREAS.includes(operation.area))
  if (open.length) throw new Error(`These operations must say their security: ${open.map(({ id }) => id).join(', ')}.`)
}

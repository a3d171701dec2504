/** The only file that knows fastify-openapi-glue: contract operations on one side, handlers on the other. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import glue from 'fastify-openapi-glue'
import { type Area, type Call, type Located, type RequestUrl, Written } from '../api/call.ts'
import { demandLevel, organizationFor, projectFor } from '../auth/access.ts'
import { authenticate, type Caller, demandScope, rememberingIn } from '../auth/caller.ts'
import type { Deps } from '../deps.ts'
import { invalid, unavailable } from '../errors.ts'
import type { Guard } from '../guard.ts'
import { openCaptureScope, rawOf } from './capture-scope.ts'
import type { AreaName, OperationId } from './operations.ts'
import { contractOf, type Operation, operations } from './table.ts'
import { type HttpPart, validator } from './validation.ts'

/** Areas whose operations answer without a key; everything else demands one. */
const PUBLIC_AREAS: readonly AreaName[] = ['signup', 'capture', 'service']

type Areas = { [Name in AreaName]?: Area<Name, any> }
type Handler = (call: Call<any, any>) => Promise<unknown>

declare module 'fastify' {
  interface FastifyRequest {
    operation: Operation | null
    caller: Caller | undefined
    located: Located | undefined
    subject: unknown
  }
}

export async function bind(app: FastifyInstance, deps: Deps, areas: Areas, guard: Guard): Promise<void> {
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
    prepare(route, operation)
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
      demandScope(caller, operation.scope)
      guard.admit(reply, caller, operation)
      await locate(request, caller, operation)
    }
    refuseNul(request, operation)
  }

  function prepare(route: RouteOptions, operation: Operation): void {
    route.onRequest = (request: FastifyRequest, reply: FastifyReply) => admit(request, reply, operation)
    const schema = route.schema as { body?: unknown; response?: unknown }
    // One JSON schema instead of one per content type: with several, a request without a body is never checked.
    const media = operation.source.requestBody && Object.keys(operation.source.requestBody.content)
    if (media?.length === 1) schema.body = (schema.body as any).content[media[0]].schema
    else delete schema.body
    // Errors are written by the error handler, so only the answer needs a serializer.
    const answer = (schema.response as Record<string, unknown> | undefined)?.[operation.status]
    if (answer) schema.response = { [operation.status]: answer }
    else delete schema.response
  }

  /** The organization or project of the path, what the path names within it, and the level it takes. */
  async function locate(request: FastifyRequest, caller: Caller, operation: Operation): Promise<void> {
    const params = request.params as Record<string, string>
    const located: Located = { operation, params, caller, organization: undefined, project: undefined }
    if (operation.within === 'organization')
      located.organization = await organizationFor(deps.db, caller, params.organization_id ?? params.id!)
    if (operation.within === 'project')
      located.project = await projectFor(deps.db, caller, params.project_id ?? params.id!)
    request.located = located
    const area = areas[operation.area]
    if (area?.subject && operation.namesSubject) request.subject = await area.subject(located)
    const place = located.organization ?? located.project
    if (place) demandLevel(place.membership_level, operation.level)
    await area?.admit?.(located, request.subject)
  }

  const find = rememberingIn(deps.db)
  const route = (scope: FastifyInstance, specification: object) =>
    scope.register(glue, {
      specification,
      serviceHandlers: Object.fromEntries(operations.map((operation) => [operation.id, serve(operation)])),
    })
  const { capture, rest } = specifications(contractOf(deps.config.DIALECT).contract)
  await route(app, rest)
  await app.register(async (scope) => {
    openCaptureScope(scope)
    await route(scope, capture)
  })

  function serve(operation: Operation) {
    const handler = handlers[operation.id]!
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const raw = operation.area === 'capture' ? rawOf(request, guard) : undefined
      const answer = await handler(new Asked(request, reply, deps.config, raw))
      reply.code(operation.status)
      if (answer instanceof Written)
        return reply.headers(answer.headers).type(`${answer.type}; charset=utf-8`).send(answer.body)
      if (operation.mediaType) reply.type(operation.mediaType)
      return answer
    }
  }
}

/** A class for its getters: most handlers ask for few of these, and an object with getters of its own takes longer to make. */
class Asked implements Call<any, any> {
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
    const { ip, headers } = this.request
    return { address: ip, local: isLoopback(ip) && (this.config.TRUST_PROXY || !('x-forwarded-for' in headers)) }
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
export function specifications(contract: object): { capture: Record<string, unknown>; rest: Record<string, unknown> } {
  const { paths, components, ...shared } = routable(contract)
  const captures = new Set(operations.filter(({ area }) => area === 'capture').map(({ path }) => path))
  const pick = (inside: boolean) =>
    Object.fromEntries(Object.entries<any>(paths).filter(([path]) => captures.has(path) === inside))
  const raw = pick(true)
  // Its bodies are read by hand, so of all schemas it needs that of its answer: the others would be copied for nothing.
  for (const item of Object.values(raw)) delete item.post.requestBody
  const { CaptureAccepted } = components.schemas
  return {
    capture: { ...shared, components: { ...components, schemas: { CaptureAccepted } }, paths: raw },
    rest: { ...shared, components, paths: pick(false) },
  }
}

/**
 * The contract without what routing needs no copy of: words, examples, errors, bodies that are not JSON.
 * Glue copies every schema of every operation, so this halves its part of a start.
 */
function routable(node: any, key = ''): any {
  if (Array.isArray(node)) return node.map((child) => routable(child))
  if (typeof node !== 'object' || node === null) return node
  const kept: Record<string, unknown> = {}
  for (const [name, child] of Object.entries(node)) {
    if (WORDS.has(name) && key !== 'properties' && !SPOKEN.test(key)) continue
    if (key === 'responses' && !name.startsWith('2')) continue
    if (key === 'content' && name !== 'application/json') continue
    kept[name] = routable(child, key === 'properties' ? '' : name)
  }
  return kept
}

const WORDS = new Set(['description', 'summary', 'title', 'examples'])
/** Where OpenAPI itself demands a word. */
const SPOKEN = /^(info|\d{3})$/

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

/**
 * Binds the operations of the contract to their handlers. The only file that uses fastify-openapi-glue. The way of a request:
 * admit (`admit.ts`), parse and validate the body, call the handler and send its result (`call.ts`).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import glue from 'fastify-openapi-glue'
import type { ResolvedAccess } from '../api/handler-context.ts'
import type { Caller } from '../auth/caller.ts'
import type { OpenApiSchema } from '../contract/document.ts'
import { type AreaName, type IdsOf, isPublic, type OperationId } from '../contract/operations.ts'
import { contract, dereference, JSON_TYPE, type Operation, operations, pointer } from '../contract/table.ts'
import { validator } from '../contract/validation.ts'
import type { Deps } from '../deps.ts'
import { type AreaRules, createAdmission } from './admit.ts'
import { createAuthenticator } from './authentication.ts'
import { type Handler, routeHandler } from './call.ts'
import { openCaptureScope } from './capture-scope.ts'
import type { PluginCallers } from './plugin-api.ts'
import type { RateLimits } from './rate-limits.ts'

type Handlers = { [Id in OperationId]: Handler<Id> }
/** Each `Area` of the contract, with subjects of any type. */
type Areas = { [Name in AreaName]?: AreaRules & { operations: Pick<Handlers, IdsOf<Name>> } }

declare module 'fastify' {
  interface FastifyRequest {
    operation: Operation | null
    caller: Caller | undefined
    access: ResolvedAccess | undefined
    subject: unknown
  }
}

export async function bind(
  app: FastifyInstance,
  deps: Deps,
  areas: Areas,
  rateLimits: RateLimits,
  pluginCallers: PluginCallers,
): Promise<void> {
  const handlers: Partial<Handlers> = Object.assign({}, ...Object.values(areas).map((area) => area.operations))
  checkIds(Object.keys(handlers))
  checkSecurity()
  const authenticator = createAuthenticator(deps, pluginCallers)
  const admit = createAdmission({ deps, areas, authenticator, rateLimits })

  const byRoute = new Map(operations.map((operation) => [`${operation.method} ${routeOf(operation.path)}`, operation]))
  const operationAt = (method: unknown, url: string | undefined): Operation | undefined =>
    byRoute.get(`${method} ${url}`)

  app.decorateRequest('operation', null)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('access', undefined)
  app.decorateRequest('subject', undefined)

  app.setValidatorCompiler<OpenApiSchema>(({ schema, httpPart = 'body', method, url }) =>
    validator(schema, httpPart, operationAt(method, url)?.bodyRequired ?? false),
  )

  app.addHook('onRoute', (route) => {
    const operation = operationAt(route.method, route.url)
    // Without an operation, the route would have no access checks.
    if (!operation) throw new Error(`${route.method} ${route.url} is not in the contract.`)
    route.onRequest = (request: FastifyRequest, reply: FastifyReply) => admit(request, reply, operation)
    if (route.method !== 'GET' && !operation.bodyRequired && operation.area !== 'capture')
      route.preValidation = dropEmptyBody
    route.schema = schemaOf(operation)
  })

  function serve<Id extends OperationId>(id: Id, operation: Operation) {
    const handler = handlers[id]
    if (!handler) throw new Error(`${id} has no handler.`)
    return routeHandler(handler, operation, { config: deps.config, authenticator, rateLimits })
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
}

/** If the body is optional, `{}` and `[]` (an empty PHP array) count as no body. */
function dropEmptyBody(request: FastifyRequest, _: FastifyReply, done: () => void): void {
  const { body } = request
  if (typeof body === 'object' && body !== null && Object.keys(body).length === 0) request.body = undefined
  done()
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
  const bodyAt = (...keys: string[]): OpenApiSchema => ({
    $ref: pointer('paths', path, method.toLowerCase(), ...keys, 'content', JSON_TYPE, 'schema'),
  })
  if (Object.keys(source.requestBody?.content ?? {}).join() === JSON_TYPE) schema.body = bodyAt('requestBody')
  if (response.content?.[JSON_TYPE]) schema.response = { [status]: bodyAt('responses', String(status)) }
  return schema
}

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

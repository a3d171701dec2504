/** The contract as a table of operations, for the server, the CLI and the tests. */
import { readFileSync } from 'node:fs'
import {
  METHODS,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiPathItem,
  type OpenApiResponse,
  type Reference,
} from './document.ts'
import type document from './openapi.json'
import type { AreaName, OperationId } from './operations.ts'

export const JSON_TYPE = 'application/json'

/** The types of response bodies: those of the contract, or those of an overlay. Requests are the same in all dialects. */
export const DIALECTS = ['standard', 'posthog'] as const
export type Dialect = (typeof DIALECTS)[number]

/** The schemas have the types of the file itself, so that code can read `schemas.Member.properties.level.enum`. */
type StandardDocument = OpenApiDocument & { components: { schemas: (typeof document)['components']['schemas'] } }

interface LoadedContract<Document> {
  text: string
  contract: Document
}

interface Contracts {
  standard: LoadedContract<StandardDocument>
  posthog: LoadedContract<OpenApiDocument>
}

const loaded: Partial<Contracts> = {}

/** The contract of a dialect, parsed and as the text of `/openapi.json`. */
export function contractOf<Name extends Dialect>(dialect: Name): Contracts[Name] {
  const cached = loaded[dialect]
  if (cached) return cached
  const file = dialect === 'standard' ? './openapi.json' : `./openapi.${dialect}.json`
  const text = readFileSync(new URL(file, import.meta.url), 'utf8')
  const contract: Contracts[Name] = Object.assign({ text }, { contract: JSON.parse(text) })
  loaded[dialect] = contract
  return contract
}

export const { contract } = contractOf('standard')

/** The pattern of names that are displayed on one line: no line breaks, no control characters. */
export const SINGLE_LINE: string = contract.components.schemas.OrganizationWrite.properties.name.pattern

export interface Operation {
  id: OperationId
  area: AreaName
  /** In upper case. */
  method: string
  /** As in the contract, with `{name}` parameters. */
  path: string
  /** Undefined if any valid key may call the operation. */
  scope: string | undefined
  isPublic: boolean
  /** Whether keys are rejected. */
  needsSession: boolean
  /** The lowest membership level that may call the operation. */
  level: number
  /** The lowest `plugins_access_level` of the organization; 0 for operations without plugins. */
  plugin_access: number
  /** The resource that the first id of the path refers to. */
  within: 'organization' | 'project' | null
  /** Whether the path contains another id after that of the organization or project. */
  namesSubject: boolean
  /** The parameters of the path and of the operation. */
  parameters: OpenApiParameter[]
  bodyRequired: boolean
  /** The status of the 2xx response or of the redirect. */
  status: number
  /** The default media type of the response; undefined if it has no body. */
  mediaType: string | undefined
  /** The media types to negotiate by the `Accept` header; empty for operations that ignore the header. */
  offered: string[]
  /** The 2xx response. */
  response: OpenApiResponse
  /** The operation as written in the contract. */
  source: OpenApiOperation
}

export const operations: Operation[] = Object.entries(contract.paths).flatMap(([path, item]) =>
  METHODS.flatMap((method) => {
    const source = item[method]
    return source ? [toOperation(path, method, source, item)] : []
  }),
)

function toOperation(path: string, method: string, source: OpenApiOperation, item: OpenApiPathItem): Operation {
  const security = source.security ?? contract.security
  // Single sign-on operations respond with a redirect.
  const [status, success] = Object.entries(source.responses).find(([code]) => /^(2..|302)$/.test(code)) ?? []
  if (!success) throw new Error(`${source.operationId} has no 2xx response and no 302.`)
  const response = resolve(success)
  const mediaTypes = Object.keys(response.content ?? {})
  const within = withinOf(path)
  return {
    id: source.operationId,
    area: source.operationId.slice(0, source.operationId.indexOf('.')) as AreaName,
    method: method.toUpperCase(),
    path,
    scope: security[0]?.apiKey?.[0],
    isPublic: security.length === 0,
    needsSession: security.length > 0 && security.every((requirement) => !requirement.apiKey),
    level: source['x-level'] ?? 1,
    plugin_access: source['x-plugin-access'] ?? 0,
    within,
    namesSubject: path.split('{').length - 1 > (within ? 1 : 0),
    parameters: [...(item.parameters ?? []), ...(source.parameters ?? [])].map((parameter) => resolve(parameter)),
    bodyRequired: source.requestBody?.required === true,
    status: Number(status),
    mediaType: mediaTypes[0],
    offered: source.responses[406] ? mediaTypes : [],
    response,
    source,
  }
}

function withinOf(path: string): Operation['within'] {
  if (path.startsWith('/api/organizations/{')) return 'organization'
  return path.startsWith('/api/projects/{') ? 'project' : null
}

/** The JSON pointer of a node of the contract. */
export const pointer = (...keys: string[]): string =>
  `#/${keys.map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`

/** Follows references to the contract until it finds a node that is not a reference. */
export function resolve<Node extends object>(node: Node | Reference): Node {
  return resolveIn(contract, node)
}

function resolveIn<Node extends object>(document: OpenApiDocument, node: Node | Reference): Node {
  if (!isReference(node)) return node
  let target: object = document
  for (const key of node.$ref.slice(2).split('/'))
    target = Reflect.get(target, key.replace(/~1/g, '/').replace(/~0/g, '~'))
  return resolveIn(document, target as Node)
}

function isReference(node: object): node is Reference {
  return '$ref' in node
}

/** Replaces all references in a node by copies of their targets. The schemas of the contract are not recursive. */
export function dereference<Node>(node: Node, document?: OpenApiDocument): Node
export function dereference(node: unknown, document: OpenApiDocument = contract): unknown {
  if (Array.isArray(node)) return node.map((child) => dereference(child, document))
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(resolveIn(document, node)).map(([key, value]) => [key, dereference(value, document)]),
  )
}

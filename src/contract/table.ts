/** The contract as a table: what bind, the command and the tests need to know of each operation. */
import { readFileSync } from 'node:fs'
import type { AreaName, OperationId } from './operations.ts'

type Json = Record<string, any>

/** How answers are written: as the contract says, or as an overlay of it says. Requests are the same in all. */
export const DIALECTS = ['standard', 'posthog'] as const
export type Dialect = (typeof DIALECTS)[number]

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8')

const contracts: Partial<Record<Dialect, { text: string; contract: Json }>> = {}

/** The contract of a dialect, as it is routed and as `/openapi.json` answers it. */
export function contractOf(dialect: Dialect): { text: string; contract: Json } {
  const known = contracts[dialect]
  if (known) return known
  const text = read(dialect === 'standard' ? './openapi.json' : `./openapi.${dialect}.json`)
  const made = { text, contract: JSON.parse(text) }
  contracts[dialect] = made
  return made
}

export const { contract } = contractOf('standard')

/** The pattern of every name that is shown on one line: no line breaks, no control characters. */
export const SINGLE_LINE: string = contract.components.schemas.OrganizationWrite.properties.name.pattern

export interface Operation {
  id: OperationId
  area: AreaName
  method: string
  /** As in the contract, with `{name}` parameters. */
  path: string
  /** Undefined where any valid key will do. */
  scope: string | undefined
  isPublic: boolean
  /** The lowest membership level that may call it. */
  level: number
  /** The lowest `plugins_access_level` its organization needs; 0 where plugins are not the matter. */
  plugin_access: number
  /** Whose id the path begins with. */
  within: 'organization' | 'project' | null
  /** Whether the path names something beyond that organization or project. */
  namesSubject: boolean
  bodyRequired: boolean
  status: number
  /** The media type of its answer; undefined for an empty one. */
  mediaType: string | undefined
  /** The media types it chooses from by the `Accept` header; empty where the header is not read. */
  offered: string[]
  /** The operation as the contract writes it. */
  source: Json
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'options']

export const operations: Operation[] = Object.entries<Json>(contract.paths).flatMap(([path, item]) =>
  METHODS.filter((method) => item[method]).map((method) => describe(path, method, item[method])),
)

function describe(path: string, method: string, source: Json): Operation {
  const security: Json[] = source.security ?? contract.security
  const status = Object.keys(source.responses).find((code) => code.startsWith('2') || code === '302')!
  const mediaTypes = Object.keys(source.responses[status].content ?? {})
  const within = /^\/api\/(organization|project)s\/\{/.exec(path)?.[1] ?? null
  const parameters = path.match(/\{\w+\}/g)?.length ?? 0
  return {
    id: source.operationId,
    area: source.operationId.split('.')[0],
    method: method.toUpperCase(),
    path,
    scope: security[0]?.apiKey?.[0],
    isPublic: security.length === 0,
    level: source['x-level'] ?? 1,
    plugin_access: source['x-plugin-access'] ?? 0,
    within: within as Operation['within'],
    namesSubject: parameters > (within ? 1 : 0),
    bodyRequired: source.requestBody?.required === true,
    status: Number(status),
    mediaType: mediaTypes[0],
    offered: source.responses[406] ? mediaTypes : [],
    source,
  }
}

export const pointer = (...keys: string[]): string =>
  `#/${keys.map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`

export const resolve = (node: Json): Json => resolveIn(contract, node)

function resolveIn(within: Json, node: Json): Json {
  if (!node.$ref) return node
  const found: Json = (node.$ref as string)
    .slice(2)
    .split('/')
    .reduce((at: Json, key) => at[key.replace(/~1/g, '/').replace(/~0/g, '~')], within)
  return resolveIn(within, found)
}

/** With what it refers to written out. No schema of ours holds itself. */
export function dereference(node: unknown, within: Json = contract): any {
  if (Array.isArray(node)) return node.map((child) => dereference(child, within))
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(resolveIn(within, node)).map(([key, value]) => [key, dereference(value, within)]),
  )
}

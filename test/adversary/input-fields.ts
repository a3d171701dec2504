/** Every parameter, header and body field that takes a text. They are read from the contract, so new operations are included. */
import { contract, type Operation, operations, resolve } from '../../src/contract/table.ts'
import { bySize } from '../helpers/assertions/figures.ts'
import { cycled, itemAt } from '../helpers/assertions/items.ts'
import type { Json } from '../helpers/json.ts'
import { type Kind, kindOf, parametersOf, REFERENCES } from '../helpers/seeds/tenants.ts'
import { EXPRESSIONS, type MakeText, TEXTS } from './malicious-texts.ts'
import type { Attack, Reply, Request, Send, World } from './target.ts'

/** Node rejects request lines and headers above 16 KiB. */
const HEAD_BYTES = 15_000
const BODY_BYTES = 1024 * 1024 - 10_000
const CAPTURE_BYTES = 20 * 1024 * 1024 - 10_000

export interface InputField {
  /** Such as `organizations.create body.name`. */
  name: string
  operation: Operation
  /** Fields with the same family are parsed by the same code. */
  family: string
  /** Whether the number of values is the attack, not their contents. */
  structural: boolean
  /** The number of ways to embed a text. */
  variants: number
  /** The maximum length of a text. */
  max_characters: number
  request(text: string, variant: number): Request
}

/** Embeds a text so that it passes the first checks. */
type Wrap = (text: string) => unknown

const OPERATORS = ['exact', 'icontains', 'regex', 'not_regex', 'gt', 'is_date_before', 'in', 'between']
const WRAPS: Record<string, Wrap[]> = {
  properties: [
    (text) => text,
    ...OPERATORS.map((operator) => (text: string) => JSON.stringify([{ key: 'text', operator, value: text }])),
    (text) => JSON.stringify([{ key: text, value: 'a' }]),
    (text) => JSON.stringify([{ type: 'hogql', key: text }]),
    (text) => JSON.stringify([{ type: 'person', key: 'text', operator: 'regex', value: text }]),
    (text) => JSON.stringify([{ type: 'element', key: 'selector', value: text }]),
    (text) => JSON.stringify([{ type: 'element', key: 'text', operator: 'regex', value: text }]),
  ],
  select: [
    (text) => text,
    (text) => `match(event, ${quoted(text)})`,
    (text) => `toDateTime(${quoted(text)})`,
    (text) => `JSONExtractString(${quoted(text)}, 'a')`,
    (text) => `splitByString('a', ${quoted(text)})`,
  ],
  where: [(text) => text, (text) => `event like ${quoted(text)}`, (text) => `match(properties.text, ${quoted(text)})`],
  orderBy: [(text) => text],
  hogql_query: [
    (text) => text,
    (text) => `select event from events where ${text}`,
    (text) => `select ${text} as a from events`,
    (text) => `select event from events where event like ${quoted(text)}`,
  ],
  cursor: [(text) => text, (text) => Buffer.from(text).toString('base64url')],
  target_email: [(text) => text, (text) => `${text}@example.com`, (text) => `a@${text}.com`],
  domain: [(text) => text, (text) => `${text}.example`],
}

const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`

/** Valid values by name, for schemas that only say "string". */
const SAMPLES: Record<string, (world: World, unique: number) => unknown> = {
  target_email: (_, unique) => `guest-${unique}@example.com`,
  domain: (_, unique) => `d${unique}.example`,
  label: () => 'label',
  start_at: () => '2025-12-01T00:00:00Z',
  end_at: () => '2025-12-01T01:00:00Z',
  token: ({ ids }) => ids.signup_tokens[0],
  api_key: ({ project_token }) => project_token,
  event: () => 'seen',
  distinct_id: () => 'somebody',
  host: () => '127.0.0.1',
  endpoint_url: () => 'http://127.0.0.1:9/',
  url: () => 'http://127.0.0.1:9/',
  connection_string: () =>
    'DefaultEndpointsProtocol=http;AccountName=a;AccountKey=YQ==;BlobEndpoint=http://127.0.0.1:9/a;',
}

/** Keys with a meaning in free-form objects. */
const FREE_KEYS: Record<string, string[]> = {
  properties: ['text', '$elements_chain', '$ip', '$current_url', 'distinct_id', 'token', '$anon_distinct_id', 'alias'],
  source: ['index.ts', 'plugin.json', 'frontend.tsx', 'site.ts'],
  config: ['address'],
  config_schema: ['address'],
}

const DESTINATIONS: string[] = contract.components.schemas.DestinationType.enum

/** Merges `allOf` into the schema. */
function mergeAllOf(schema: Json): Json {
  const { allOf, ...own } = resolve(schema)
  if (!allOf) return own
  const parts: Json[] = allOf.map(mergeAllOf)
  return {
    ...Object.assign({}, ...parts),
    ...own,
    required: [...parts.flatMap((part) => part.required ?? []), ...(own.required ?? [])],
    properties: Object.assign({}, ...parts.map((part) => part.properties), own.properties),
  }
}

const isDestination = ({ properties }: Json): boolean =>
  Boolean(properties?.type && properties.config && !properties.destination)

/** The destination types of a schema. A union has one alternative per type. */
const destinationsOf = ({ properties }: Json): string[] => {
  const { const: one } = resolve(properties.type)
  return one ? [one] : DESTINATIONS
}

/** A position in a value, and a function that sets it. */
interface Slot {
  path: string
  schema: Json
  name: string
  structural: boolean
  put(value: unknown): unknown
}

let created = 0

export function inputFieldsOf(world: World): InputField[] {
  const sample = (source: Json, name: string): unknown => {
    const schema = mergeAllOf(source)
    const kind = REFERENCES[name]
    const types: string[] = [schema.type ?? []].flat()
    if (kind && !types.includes('array')) return world.ids[kind][0]
    if (schema.enum) return schema.enum[0]
    if ('const' in schema) return schema.const
    if (SAMPLES[name]) return SAMPLES[name](world, ++created)
    if (isDestination(schema)) return { type: 'NoOp', config: {} }
    const choice = (schema.oneOf ?? schema.anyOf)?.[0]
    if (choice) return sample(choice, name)
    if (types.includes('object'))
      return Object.fromEntries(
        (schema.required ?? []).map((key: string) => [key, sample(schema.properties[key] ?? {}, key)]),
      )
    if (types.includes('array')) return schema.minItems ? [sample(schema.items ?? {}, name)] : []
    if (types.includes('integer') || types.includes('number')) return schema.minimum ?? 1
    if (types.includes('boolean')) return false
    return schema.format === 'uuid' ? '01890000-0000-7000-8000-000000000000' : 'a'
  }

  const slots = (source: Json, name: string): Slot[] => {
    const schema = mergeAllOf(source)
    if (isDestination(schema))
      return destinationsOf(schema).flatMap((type) =>
        slots(contract.components.schemas[`${type}Config`] ?? {}, 'config').map((slot) => ({
          ...slot,
          path: `.config(${type})${slot.path}`,
          put: (value) => ({ type, config: slot.put(value) }),
        })),
      )
    const choices: Json[] | undefined = schema.oneOf ?? schema.anyOf
    if (choices)
      return choices.flatMap((choice, i) => slots(choice, name).map((s) => ({ ...s, path: `<${i}>${s.path}` })))
    const types: string[] = [schema.type ?? ['string', 'object']].flat()
    const found: Slot[] = []
    if (types.includes('string')) found.push({ path: '', schema, name, structural: false, put: (value) => value })
    if (types.includes('array')) {
      for (const slot of slots(schema.items ?? {}, name))
        found.push({ ...slot, path: `[]${slot.path}`, put: (value) => [slot.put(value)] })
      const item = JSON.stringify(sample(schema.items ?? {}, name) ?? null)
      found.push({
        path: '[many]',
        schema,
        name,
        structural: true,
        put: (text) =>
          JSON.parse(
            `[${Array(Math.ceil(String(text).length / (item.length + 1)))
              .fill(item)
              .join()}]`,
          ),
      })
    }
    if (types.includes('object')) found.push(...slotsOfObject(schema, name))
    return found
  }

  const slotsOfObject = (schema: Json, name: string): Slot[] => {
    const base = (): Json => sample({ ...schema, oneOf: undefined, anyOf: undefined }, '') as Json
    const found: Slot[] = Object.entries<Json>(schema.properties ?? {}).flatMap(([key, child]) =>
      slots(child, key).map((slot) => ({
        ...slot,
        path: `.${key}${slot.path}`,
        put: (value) => ({ ...base(), [key]: slot.put(value) }),
      })),
    )
    const { additionalProperties: more } = schema
    if (!more) return found
    const free = { schema: { type: 'string' }, structural: false }
    for (const key of FREE_KEYS[name] ?? ['text'])
      found.push({ ...free, path: `.${key}`, name: key, put: (value) => ({ ...base(), [key]: value }) })
    found.push({ ...free, path: '.(key)', name: 'key', put: (value) => ({ ...base(), [String(value)]: 'a' }) })
    found.push({
      path: '.(many keys)',
      schema,
      name,
      structural: true,
      put: (text) => ({
        ...base(),
        ...Object.fromEntries(Array.from({ length: Math.ceil(String(text).length / 12) }, (_, i) => [`k${i}`, '1'])),
      }),
    })
    found.push({
      path: '.(nested)',
      schema,
      name,
      structural: true,
      put: (text) => ({ ...base(), a: nestedLists(Math.min(DEEPEST, Math.ceil(String(text).length / 2))) }),
    })
    return found
  }

  const pathOf = (operation: Operation, replaced?: string, text = ''): string =>
    operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(name === replaced ? text.toWellFormed() : String(world.ids[kindOf(operation, name)][0])),
    )

  const requiredQuery = (operation: Operation, except: string): string =>
    queryOf(operation)
      .filter(({ name, required }) => required && name !== except)
      .map(({ name, schema }) => `&${name}=${encodeURIComponent(String(sample(schema, name)))}`)
      .join('')

  const validBody = (operation: Operation): Pick<Request, 'headers' | 'body'> => {
    const schema = bodySchemaOf(operation)
    if (!schema) return {}
    return json(sample(schema, ''))
  }

  const declaredFields = operations.flatMap((operation): InputField[] => {
    const { id, method } = operation
    const at = { operation, structural: false, variants: 1 }
    const inPath = parametersOf(operation).map(
      (name): InputField => ({
        ...at,
        name: `${id} path.${name}`,
        family: `path ${kindOf(operation, name)}`,
        max_characters: HEAD_BYTES,
        request: (text) => ({ method, path: pathOf(operation, name, text), ...validBody(operation) }),
      }),
    )
    const inQuery = queryOf(operation).map(({ name, schema }): InputField => {
      const wraps = WRAPS[name] ?? [(text: string) => text]
      return {
        ...at,
        name: `${id} query.${name}`,
        family: `query ${name} ${JSON.stringify(schema)}`,
        max_characters: HEAD_BYTES,
        variants: wraps.length,
        request: (text, variant) => {
          const value = encodeURIComponent(String(cycled(wraps, variant)(text)).toWellFormed())
          return {
            method,
            path: `${pathOf(operation)}?${name}=${value}${requiredQuery(operation, name)}`,
            ...validBody(operation),
          }
        },
      }
    })
    const schema = bodySchemaOf(operation)
    const inBody = (schema ? slots(schema, '') : []).map((slot): InputField => {
      const wraps = WRAPS[slot.name] ?? [(text: string) => text]
      return {
        ...at,
        name: `${id} body${slot.path}`,
        family: `body ${slot.path.replace(/^.*(\.\w+)/, '$1')} ${JSON.stringify(slot.schema)}`,
        structural: slot.structural,
        max_characters: operation.area === 'capture' ? CAPTURE_BYTES : BODY_BYTES,
        variants: slot.structural ? 1 : wraps.length,
        request: (text, variant) => ({
          method,
          path: pathOf(operation),
          ...json(slot.put(slot.structural ? text : cycled(wraps, variant)(text))),
        }),
      }
    })
    return [...inPath, ...inQuery, ...inBody]
  })

  return [...declaredFields, ...headersOf(world)]
}

/** The depth that JSON.stringify supports here. malicious-bodies.ts has deeper bodies. */
const DEEPEST = 2_000

const nestedLists = (depth: number): unknown => {
  let list: unknown = 1
  for (let i = 0; i < depth; i++) list = [list]
  return list
}

const json = (value: unknown): Pick<Request, 'headers' | 'body'> => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

const queryOf = (operation: Operation): Json[] =>
  (operation.source.parameters ?? []).map(resolve).filter((parameter: Json) => parameter.in === 'query')

const bodySchemaOf = (operation: Operation): Json | undefined =>
  operation.source.requestBody?.content['application/json']?.schema

/** The headers that the server or the framework reads. */
const HEADERS = [
  'accept',
  'accept-encoding',
  'access-control-request-headers',
  'authorization',
  'connection',
  'content-encoding',
  'content-type',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'if-none-match',
  'origin',
  'range',
  'referer',
  'sec-fetch-site',
  'user-agent',
  'x-csrf-token',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-request-id',
]
const HEADER_WRAPS: Record<string, ((text: string) => string)[]> = {
  authorization: [(text) => text, (text) => `Bearer ${text}`],
  'content-type': [
    (text) => text,
    (text) => `application/json; charset=${text}`,
    (text) => `multipart/form-data; boundary=${text}`,
  ],
  cookie: [(text) => text, (text) => `workspace_session=${text}`],
  origin: [(text) => text, (text) => `https://${text}`],
}

function headersOf(world: World): InputField[] {
  const requests: Request[] = [
    { method: 'GET', path: `/api/projects/${world.project_id}/events/?limit=1` },
    { method: 'PATCH', path: `/api/organizations/${world.organization_id}/`, ...json({ name: 'Target' }) },
    { method: 'POST', path: '/capture/', ...json({ api_key: world.project_token, event: 'seen', distinct_id: 'a' }) },
    { method: 'OPTIONS', path: '/capture/', headers: { origin: 'https://example.com' } },
  ]
  const operation = itemAt(operations, 0)
  return HEADERS.flatMap((header) =>
    requests.map((request): InputField => {
      const wraps = HEADER_WRAPS[header] ?? [(text: string) => text]
      return {
        name: `${request.method} ${request.path} header.${header}`,
        operation,
        family: `header ${header}`,
        structural: false,
        max_characters: HEAD_BYTES,
        variants: wraps.length,
        request: (text, variant) => ({
          ...request,
          headers: {
            ...request.headers,
            [header]: cycled(wraps, variant)(text).replace(/[^\t\x20-\x7e]/g, ''),
          },
        }),
      }
    }),
  )
}

/** The texts to send in a field. */
export const textsFor = ({ structural, name }: InputField): Record<string, MakeText> =>
  structural
    ? { many: (size) => 'a'.repeat(size) }
    : /\.(select|where|orderBy|hogql_query|properties)$/.test(name)
      ? { ...TEXTS, ...EXPRESSIONS }
      : TEXTS

/** Limits the text to the length that the field allows. */
function fitText(field: InputField, make: MakeText, size: number, variant: number): string {
  const length = ({ path, headers, body }: Request): number =>
    (body?.length ?? 0) + (field.max_characters === HEAD_BYTES ? path.length + JSON.stringify(headers ?? {}).length : 0)
  const few = make(500)
  const per = Math.max(1, (length(field.request(few, variant)) - length(field.request('a', variant))) / few.length)
  return make(Math.min(size, Math.floor((field.max_characters - 500) / per)))
}

/** Requests that read the stored resource. */
function readBackRequests(world: World, { area }: Operation, { text }: Reply): Request[] {
  if (area === 'capture') return eventReadRequests(world)
  const stored: Json = text.startsWith('{') ? JSON.parse(text) : {}
  return operations
    .filter(
      (candidate) =>
        candidate.method === 'GET' && candidate.area === area && !queryOf(candidate).some(({ required }) => required),
    )
    .map((candidate) => {
      const own: Kind | undefined = parametersOf(candidate)
        .map((name) => kindOf(candidate, name))
        .at(-1)
      return {
        method: 'GET',
        path: candidate.path.replace(/\{(\w+)\}/g, (_, name: string) => {
          const kind = kindOf(candidate, name)
          const id = name === 'id' && kind === own && stored.id !== undefined ? stored.id : world.ids[kind][0]
          return encodeURIComponent(String(id))
        }),
      }
    })
}

/** Of the requests that read events, a quick run sends so many after each attack, in turn. */
const READS = bySize({ quick: 3, full: Number.POSITIVE_INFINITY })
let reads = 0

/** Requests that read the latest events in every format, and apply HogQL functions to their texts. */
export function eventReadRequests({ project_id }: World): Request[] {
  const events = `/api/projects/${project_id}/events/`
  const select = (expression: string): string => `${events}?limit=5&select=${encodeURIComponent(expression)}`
  const all = [
    `${events}?limit=5`,
    `${events}?limit=5&format=csv`,
    `${events}values/?key=text`,
    `${events}values/`,
    select('properties.text'),
    `${select('properties.text')}&format=csv`,
    select('toDateTime(properties.text)'),
    select('toFloat(properties.text)'),
    select("match(properties.text, '(a+)+$')"),
    select("properties.text like '%a%a%a%'"),
    select('elements_chain'),
    `${events}?limit=5&properties=${encodeURIComponent('[{"type":"element","key":"selector","value":"a > b"}]')}`,
  ]
  const count = Math.min(READS, all.length)
  return Array.from({ length: count }, () => ({ method: 'GET', path: all[reads++ % all.length]! }))
}

/** Deletes a created resource, so that lists do not grow. */
function cleanupRequest(operation: Operation, request: Request, { text }: Reply): Request | undefined {
  const removes = operations.some(({ method, path }) => method === 'DELETE' && path === `${operation.path}{id}/`)
  const id = text.startsWith('{') ? JSON.parse(text).id : undefined
  return operation.method === 'POST' && removes && id !== undefined
    ? { method: 'DELETE', path: `${request.path}${id}/` }
    : undefined
}

export interface Case {
  field: InputField
  text: string
  size: number
  variant: number
  /** Whether to read the stored resource afterwards. */
  readBack: boolean
}

export function attackOf(world: World, { field, text, size, variant, readBack: isReadBack }: Case): Attack {
  const { operation } = field
  const name = `${field.name}, variant ${variant}, "${text}" of ${size}`
  return {
    name,
    run: async (send: Send) => {
      const filled = field.request(fitText(field, textsFor(field)[text]!, size, variant), variant)
      const request = { ...filled, anonymous: operation.isPublic }
      const response = await send(request)
      if (response.status >= 300 || response.status === 0 || operation.method === 'GET') return
      if (isReadBack) for (const read of readBackRequests(world, operation, response)) await send(read)
      const cleanup = cleanupRequest(operation, request, response)
      if (cleanup) await send(cleanup)
    },
  }
}

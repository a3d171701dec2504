/** Arbitraries of requests, generated from the contract: valid, almost valid and malicious. */
import fc from 'fast-check'
import { contract, type Operation, resolve, SINGLE_LINE } from '../../src/contract/table.ts'
import { anyCharacter } from '../helpers/characters.ts'
import type { Json } from '../helpers/json.ts'
import { type Kind, kindOf, parametersOf, REFERENCES } from '../helpers/seeds/tenants.ts'
import { generatedExpression, maliciousText } from '../hogql/generate.ts'

/** A placeholder for an id. It is replaced by an existing id when the request is sent. */
export interface Reference {
  kind: Kind | 'cursors'
  /** The owner of the id: the caller, another tenant, or none (an unknown id). */
  owner: 'own' | 'foreign' | 'none'
  pick: number
}

const IS_REFERENCE = Symbol('reference')
export const isReference = (value: unknown): value is Reference =>
  typeof value === 'object' && value !== null && IS_REFERENCE in value

export const ROLES = ['owner', 'admin', 'member', 'outsider', 'reader', 'anonymous', 'invalid'] as const
export type Role = (typeof ROLES)[number]

/** A text that is not escaped in the URL. */
export interface RawText {
  unescaped: string
}

export interface FuzzRequest {
  operation: Operation
  role: Role
  /** In the order of the path. */
  path: (Reference | RawText)[]
  query: [name: string, value: unknown][]
  /** JSON that may contain references, or raw bytes. Undefined for no body. */
  body: { value: unknown } | { type: string | undefined; payload: string | Buffer } | undefined
  headers: Record<string, string>
}

const MALICIOUS_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '\ufeff',
  '\u202e',
  '😀👩‍👩‍👧‍👦',
  'é'.normalize('NFD'),
  'İSTANBUL ß',
  "' or 1=1 --",
  '"; drop table organizations; --',
  '$1',
  '?',
  '%',
  '_',
  '\\',
  '../../../etc/passwd',
  '..\\..\\',
  '/dev/null',
  'file:///etc/passwd',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '\r\nSet-Cookie: a=b',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '@current',
  '@me',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  '-0',
  '1e400',
  '0x10',
  '9223372036854775808',
  '-1',
  '00000000-0000-0000-0000-000000000000',
  '2026-02-30T25:61:61Z',
  '-271821-04-20T00:00:00.000Z',
  '+275760-09-13T00:00:00.001Z',
  '0000-01-01',
  '9999-12-31T23:59:59.999999Z',
  '-99999999999d',
  '[]',
  '{}',
  '["a","a"]',
  '[[[[[[]]]]]]',
  'x'.repeat(70_000),
  '😀'.repeat(300),
]

const EXTREME_NUMBERS = [
  0,
  -0,
  -1,
  1.5,
  1e-300,
  2 ** 31,
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 32,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
  1e21,
  1e308,
]

const maliciousKey = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  '',
  'a\0b',
  '\ud800',
  'x'.repeat(300),
  '$',
  'a.b',
)

/** Defines an own property, also for names such as `__proto__`. */
function withKey(object: object, key: string, value: unknown): object {
  return Object.defineProperty({ ...object }, key, { value, enumerable: true, configurable: true, writable: true })
}

const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { a: value }
  return value
}

const malicious: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<unknown>(...MALICIOUS_TEXTS) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...EXTREME_NUMBERS) },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(null, true, false, {}, [], [null], { a: null }, [[]]) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 40 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3, stringUnit: anyCharacter }) },
  { weight: 1, arbitrary: fc.constantFrom(30, 60, 70, 300).map(nested) },
  {
    weight: 1,
    arbitrary: fc.tuple(maliciousKey, fc.constantFrom(1, 'a', {})).map(([key, value]) => withKey({}, key, value)),
  },
)

const word = fc.constantFrom('hedgerow', 'Seen', 'a', 'plan', 'index.ts', 'Straße', '日本', '😀', 'two words')
const text = fc.oneof(
  { weight: 6, arbitrary: word },
  { weight: 2, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
)

const reference = (kind: Reference['kind']): fc.Arbitrary<unknown> =>
  fc
    .record({
      owner: fc.oneof(
        { weight: 14, arbitrary: fc.constant<Reference['owner']>('own') },
        { weight: 1, arbitrary: fc.constantFrom<Reference['owner']>('foreign', 'none') },
      ),
      // The first id is the parent of the other resources.
      pick: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(20) }),
    })
    .map(({ owner, pick }) => ({ [IS_REFERENCE]: true, kind, owner, pick }))

const moment = fc.oneof(
  fc.constantFrom(
    '2025-12-31T00:00:00Z',
    '2025-12-01T00:00:00Z',
    '2026-01-01T00:00:00.000Z',
    '2026-06-01 12:00:00+0000',
    '2025-12-30T05:30:00+05:30',
    '2025-12-31',
    '2030-01-01T00:00:00.123456Z',
    '-24h',
    '-7d',
    'dStart',
    '-1mStart',
    'all',
  ),
  fc
    .date({ min: new Date('2025-11-01'), max: new Date('2026-02-01'), noInvalidDate: true })
    .map((d) => d.toISOString()),
)

const FILTER_TYPES = ['event', 'person', 'element', 'feature', 'hogql', 'cohort', 'group', 'session', 'x', undefined]
const OPERATORS =
  'exact is_not icontains not_icontains regex not_regex gt gte lt lte is_set is_not_set is_date_exact is_date_before is_date_after in not_in between min max x'.split(
    ' ',
  )
const propertyFilter = fc.record(
  {
    key: fc.oneof(
      fc.constantFrom('plan', 'number', '$current_url', 'text', 'tag_name', 'selector', 'href'),
      generatedExpression,
      text,
    ),
    value: fc.oneof(text, fc.integer(), fc.array(text, { maxLength: 3 }), moment, malicious),
    operator: fc.constantFrom(...OPERATORS),
    type: fc.constantFrom(...FILTER_TYPES),
  },
  { requiredKeys: ['key'] },
)
const propertyFilters = fc
  .oneof(
    fc.array(propertyFilter, { maxLength: 3 }),
    propertyFilter,
    fc.record({ type: fc.constantFrom('AND', 'OR', 'XOR'), values: fc.array(propertyFilter, { maxLength: 3 }) }),
    fc.dictionary(fc.constantFrom('plan', 'plan__icontains', 'number__gt', '__proto__'), text, { maxKeys: 2 }),
  )
  .map((value) => JSON.stringify(value))

const expression = fc.oneof(
  { weight: 4, arbitrary: generatedExpression },
  {
    weight: 2,
    arbitrary: fc.constantFrom('event', 'properties.plan', 'timestamp', 'count()', "event = 'seen'", '*', 'person_id'),
  },
  { weight: 1, arbitrary: maliciousText },
)
const expressions = fc.oneof(
  expression,
  fc.array(expression, { maxLength: 3 }).map((list) => JSON.stringify(list)),
)

const exportQuery = fc.oneof(
  fc.constantFrom(
    'select event, properties from events',
    "select uuid as id, timestamp, event as name from events where event = 'seen'",
    'select properties.plan as plan, toString(timestamp) as at from events where properties.number > 3',
    'select * from events',
    'select event from persons',
  ),
  fc.tuple(generatedExpression, generatedExpression).map(([a, b]) => `select ${a} as a from events where ${b}`),
  maliciousText,
)

const CODE = [
  'export function onEvent(event) {}',
  'export const jobs = { go: async () => {} }\nexport async function runEveryMinute() {}',
  'function composeWebhook(event) { return null }\nmodule.exports = { composeWebhook }',
  'export default',
  '<a>{</a>',
  '{"name": "Named", "config": [{"key": "a", "type": "string"}]}',
  '{"config": 5}',
  '{',
  '',
  '\0',
]
const files = fc.dictionary(
  fc.constantFrom(
    'index.ts',
    'index.js',
    'plugin.json',
    'frontend.tsx',
    'site.ts',
    'web.ts',
    '../x.ts',
    '__proto__',
    'notes.md',
  ),
  fc.constantFrom(...CODE),
  { maxKeys: 3 },
)
const fieldSchema = fc.record(
  {
    key: fc.oneof(fc.constantFrom('address', 'token', '__proto__', ''), text),
    name: text,
    type: fc.constantFrom('string', 'attachment', 'json', 'choice', 'x'),
    choices: fc.array(text, { maxLength: 2 }),
    default: fc.oneof(text, malicious),
    required: fc.boolean(),
    secret: fc.boolean(),
    hint: text,
  },
  { requiredKeys: ['key', 'type'] },
)

/** No public hosts: the fuzzer must not send requests to other servers. */
const NOWHERE = [
  'http://127.0.0.1:9/',
  'https://127.0.0.1:9',
  'http://[::1]:9/x',
  'http://nowhere.invalid/',
  'http://10.0.0.1/',
]

/** Replaced by the URL of the local GitHub of the test. */
export const PLUGIN_HOST = 'https://plugins.invalid'

/** Values by the name of the field, for schemas that only say "string". */
const byName: Record<string, fc.Arbitrary<unknown>> = {
  after: moment,
  before: moment,
  start: moment,
  end: moment,
  start_at: moment,
  end_at: moment,
  updated_after: moment,
  expires_at: fc.oneof(moment, fc.constant('2030-01-01T00:00:00Z')),
  last_paused_at: moment,
  timestamp: moment,
  sent_at: moment,
  hogql_query: exportQuery,
  where: expressions,
  select: expressions,
  orderBy: fc.oneof(
    fc.constantFrom('timestamp', '-timestamp', '["-timestamp"]', '["event"]', 'timestamp DESC'),
    expressions,
  ),
  cursor: reference('cursors'),
  level: fc.oneof(fc.constantFrom('INFO', 'error', '["INFO"]', 'x'), fc.constantFrom(1, 8, 15)),
  token: fc.oneof(reference('signup_tokens'), reference('project_tokens')),
  api_key: reference('project_tokens'),
  distinct_id: fc.oneof(reference('distinct_ids'), text, fc.integer()),
  person_id: reference('persons'),
  key: fc.oneof(fc.constantFrom('plan', 'number', '$browser'), text),
  event: fc.oneof(fc.constantFrom('seen', '$identify', '$create_alias', '$set', '$merge_dangerously'), text),
  event_name: fc.oneof(fc.constantFrom('seen', '["seen"]'), text),
  uuid: fc.oneof(fc.uuid(), reference('events'), text),
  compression: fc.constantFrom('gzip', 'gzip-js', 'base64', 'lz64', 'x'),
  host: fc.constantFrom('127.0.0.1', 'nowhere.invalid', '10.0.0.1', '::1', '/tmp'),
  port: fc.constantFrom(1, 9, 65535),
  endpoint_url: fc.constantFrom(...NOWHERE),
  token_uri: fc.constantFrom(...NOWHERE),
  region: fc.constant('nowhere-1'),
  connection_string: fc.constantFrom(
    'DefaultEndpointsProtocol=http;AccountName=a;AccountKey=YQ==;BlobEndpoint=http://127.0.0.1:9/a;',
    'UseDevelopmentStorage=true',
    'AccountName=a',
  ),
  url: fc.constantFrom(
    `${PLUGIN_HOST}/hedgerow/webhook`,
    `${PLUGIN_HOST}/hedgerow/webhook?private_token=secret`,
    `${PLUGIN_HOST}/hedgerow/broken`,
    `${PLUGIN_HOST}/hedgerow/missing`,
    'https://elsewhere.invalid/a/b',
    'file:///etc',
  ),
  source: files,
  config_schema: fc.oneof(fc.array(fieldSchema, { maxLength: 3 }), fc.dictionary(word, fieldSchema, { maxKeys: 2 })),
  target_email: fc.oneof(
    fc.emailAddress(),
    fc.nat(99).map((i) => `guest-${i}@example.com`),
  ),
  domain: fc.nat(99).map((i) => `d${i}.example`),
  offset: fc.oneof(fc.nat(5), fc.constant(0)),
  limit: fc.nat(5).map((i) => i + 1),
}

const FORMATS: Record<string, fc.Arbitrary<unknown>> = {
  uuid: fc.uuid(),
  email: fc.emailAddress(),
  'date-time': moment,
  uri: fc.constantFrom(...NOWHERE),
}

const TYPES = ['string', 'integer', 'number', 'boolean', 'null', 'array', 'object']

/** Merges `allOf` into the schema. */
function mergeAllOf(schema: Json): Json {
  const { allOf, ...own } = resolve(schema)
  if (!allOf) return own
  const parts = allOf.map(mergeAllOf) as Json[]
  return {
    ...Object.assign({}, ...parts),
    ...own,
    required: [...parts.flatMap((part) => part.required ?? []), ...(own.required ?? [])],
    properties: Object.assign({}, ...parts.map((part) => part.properties), own.properties),
  }
}

const DESTINATIONS: string[] = contract.components.schemas.DestinationType.enum

/**
 * Values of a schema. With `flaws`, one of eight values is invalid: another type, just beyond a limit, missing,
 * additional, or malicious.
 */
function valuesOf(schema: Json, name: string, flaws: boolean): fc.Arbitrary<unknown> {
  const right = validValues(mergeAllOf(schema), name, flaws)
  if (!flaws) return right
  return fc.oneof({ weight: 7, arbitrary: right }, { weight: 1, arbitrary: invalidValues(mergeAllOf(schema)) })
}

function validValues(schema: Json, name: string, flaws: boolean): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.properties?.type && schema.properties.config && !schema.properties.destination)
    return destination(schema, flaws)
  if (schema.properties?.kind && schema.properties.config) return integration(schema, flaws)
  const choices: Json[] | undefined = schema.oneOf ?? schema.anyOf
  if (choices) return fc.oneof(...choices.map((choice) => valuesOf(choice, name, flaws)))
  const types: string[] = [schema.type ?? TYPES].flat()
  return fc.oneof(...types.map((type) => ofType(type, schema, name, flaws)))
}

function ofType(type: string, schema: Json, name: string, flaws: boolean): fc.Arbitrary<unknown> {
  const kind = REFERENCES[name]
  if (kind && type !== 'array' && type !== 'null') return reference(kind)
  const named = byName[name]
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number': {
      const { minimum: min = -(2 ** 31), maximum: max = 2 ** 31 - 1 } = schema
      const bounds = fc.constantFrom(min, max)
      const any = fc.integer({ min, max })
      return named ? fc.oneof({ weight: 4, arbitrary: named }, { weight: 1, arbitrary: bounds }) : fc.oneof(any, bounds)
    }
    case 'string':
      if (schema.format && name !== 'target_email') return FORMATS[schema.format]!
      if (named) return named
      if (schema.pattern && schema.pattern !== SINGLE_LINE) return fc.stringMatching(new RegExp(schema.pattern))
      return fc.oneof(
        { weight: 4, arbitrary: text.map((value) => (value.trim() ? value : 'a').slice(0, schema.maxLength)) },
        ...(schema.maxLength ? [{ weight: 1, arbitrary: fc.constant('a'.repeat(schema.maxLength)) }] : []),
      )
    case 'array': {
      if (name === 'config_schema') return named!
      const { minItems = 0, maxItems = 4 } = schema
      const items = schema.items ? valuesOf(schema.items, name, flaws) : fc.jsonValue({ maxDepth: 2 })
      return fc.array(items, { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 3)) })
    }
    default:
      return object(schema, name, flaws)
  }
}

function object(schema: Json, name: string, flaws: boolean): fc.Arbitrary<unknown> {
  if (byName[name] && !schema.properties) return byName[name]
  const known = Object.fromEntries(
    Object.entries<Json>(schema.properties ?? {}).map(([key, child]) => [key, valuesOf(child, key, flaws)]),
  )
  const required: string[] = schema.required ?? []
  const complete = fc.record(known, { requiredKeys: required.filter((key) => key in known) })
  const { additionalProperties: more } = schema
  const free = more && typeof more === 'object' ? valuesOf(more, name, flaws) : fc.jsonValue({ maxDepth: 2 })
  const open = more
    ? fc
        .tuple(
          complete,
          fc.dictionary(fc.oneof(word, fc.constantFrom('address', 'token', 'prefix', '$set')), free, { maxKeys: 3 }),
        )
        .map(([a, b]) => ({ ...b, ...a }))
    : complete
  if (!flaws) return open
  return fc.oneof(
    { weight: 6, arbitrary: open },
    { weight: 1, arbitrary: fc.record(known, { requiredKeys: [] }) },
    {
      weight: 1,
      arbitrary: fc.tuple(open, maliciousKey, malicious).map(([value, key, extra]) => withKey(value, key, extra)),
    },
  )
}

/** A destination whose config usually has the right type. */
function destination(schema: Json, flaws: boolean): fc.Arbitrary<unknown> {
  const { integration, integration_id } = schema.properties
  const pairs = DESTINATIONS.map((type) => {
    const fields: Record<string, fc.Arbitrary<unknown>> = {
      type: fc.constant(type),
      config: valuesOf(contract.components.schemas[`${type}Config`] ?? {}, 'config', flaws),
      ...(integration && { integration: valuesOf(integration, 'integration', flaws) }),
      ...(integration_id && { integration_id: valuesOf(integration_id, 'integration_id', flaws) }),
    }
    return fc.record(fields, { requiredKeys: flaws ? [] : ['type', 'config'] })
  })
  const any = fc.record({ type: fc.constantFrom(...DESTINATIONS), config: fc.constantFrom({}, { prefix: '../x' }) })
  return fc.oneof({ weight: 9, arbitrary: fc.oneof(...pairs) }, { weight: 1, arbitrary: any })
}

/** An integration whose config has the right kind. */
function integration(schema: Json, flaws: boolean): fc.Arbitrary<unknown> {
  const kinds: string[] = contract.components.schemas.IntegrationKind.enum
  const pairs = kinds.map((kind) =>
    fc.record(
      {
        name: valuesOf(schema.properties.name, 'name', flaws),
        kind: fc.constant(kind),
        config: valuesOf(contract.components.schemas[`${kind}Credentials`] ?? {}, 'config', flaws),
      },
      { requiredKeys: flaws ? [] : schema.required },
    ),
  )
  return fc.oneof(...pairs)
}

function invalidValues(schema: Json): fc.Arbitrary<unknown> {
  const near: unknown[] = []
  if (typeof schema.minimum === 'number') near.push(schema.minimum - 1, schema.minimum - 0.5)
  if (typeof schema.maximum === 'number') near.push(schema.maximum + 1, schema.maximum + 0.5)
  if (schema.minLength) near.push('', 'a'.repeat(schema.minLength - 1))
  if (schema.maxLength)
    near.push('a'.repeat(schema.maxLength + 1), '😀'.repeat(schema.maxLength), `${'a'.repeat(schema.maxLength)} `)
  if (schema.pattern === SINGLE_LINE) near.push('a\nb', 'a\u0085b', 'a\u2028b', '\u001b[2J')
  if (schema.maxItems) near.push(Array(schema.maxItems + 1).fill('a'))
  if (schema.enum) near.push(...schema.enum.map((value: unknown) => `${value} `), String(schema.enum[0]).toUpperCase())
  return near.length ? fc.oneof(fc.constantFrom(...near), malicious) : malicious
}

const RAW_TEXTS: FuzzRequest['path'] = [
  '%',
  '%ZZ',
  '%00',
  '%c0%80',
  '%ff',
  '%ed%a0%80',
  '%2e%2e%2f',
  '%2F',
  ';a=b',
  '%F0%9F%A6%94',
  '0',
  '-1',
  '1.5',
  '1e3',
  '01',
  '%2B1',
  '9'.repeat(99),
  'x'.repeat(200),
  '@current',
  '@me',
  'bulk',
  'test',
].map((unescaped) => ({ unescaped }))

function pathOf(operation: Operation, flaws: boolean): fc.Arbitrary<FuzzRequest['path']> {
  const parts = parametersOf(operation).map((name) => {
    const kind = kindOf(operation, name)
    const right = reference(kind) as fc.Arbitrary<Reference>
    const current = fc.constant({ unescaped: name === 'user__uuid' ? '@me' : '@current' })
    const existing: fc.Arbitrary<Reference | RawText> = /^(organizations|projects|members)$/.test(kind)
      ? fc.oneof({ weight: 5, arbitrary: right }, { weight: 1, arbitrary: current })
      : right
    return flaws
      ? fc.oneof({ weight: 12, arbitrary: existing }, { weight: 1, arbitrary: fc.constantFrom(...RAW_TEXTS) })
      : existing
  })
  return fc.tuple(...parts)
}

function queryOf(operation: Operation, flaws: boolean): fc.Arbitrary<FuzzRequest['query']> {
  const parameters: Json[] = (operation.source.parameters ?? [])
    .map(resolve)
    .filter((parameter: Json) => parameter.in === 'query')
  const declared = parameters.map(({ name, schema, required }): fc.Arbitrary<FuzzRequest['query']> => {
    const values =
      name === 'properties' ? propertyFilters : name === 'data' ? captureData : valuesOf(schema, name, flaws)
    const once = values.map((value): FuzzRequest['query'] =>
      Array.isArray(value) ? value.map((item) => [name, item]) : [[name, value]],
    )
    const malformed = fc.oneof(
      values.map((value): FuzzRequest['query'] => [[`${name}[]`, value]]),
      values.map((value): FuzzRequest['query'] => [
        [name, value],
        [name, value],
      ]),
      fc.constantFrom(...RAW_TEXTS).map((value): FuzzRequest['query'] => [[name, value]]),
    )
    const none = fc.constant<FuzzRequest['query']>([])
    const few = parameters.length > 6 ? 5 : 2
    return fc.oneof(
      { weight: required && !flaws ? 0 : few, arbitrary: none },
      { weight: 2, arbitrary: once },
      { weight: flaws ? 1 : 0, arbitrary: malformed },
    )
  })
  const unknown = fc.tuple(
    fc.constantFrom('x', '__proto__', 'a[b][c]', 'limit ', 'constructor'),
    fc.constantFrom(...MALICIOUS_TEXTS),
  )
  const extra = fc.array(unknown, { maxLength: flaws ? 1 : 0 }) as fc.Arbitrary<FuzzRequest['query']>
  return fc.tuple(...declared, extra).map((lists) => lists.flat())
}

const captured = valuesOf(contract.components.schemas.CaptureBody, '', false)
const plainEvent = fc.record({
  event: fc.constantFrom('seen', '$identify'),
  distinct_id: word,
  properties: fc.jsonValue({ maxDepth: 2 }),
})
const captureData = fc.oneof(
  plainEvent.map((value) => JSON.stringify(value)),
  plainEvent.map((value) => Buffer.from(JSON.stringify(value)).toString('base64')),
  fc.constantFrom<unknown>(...MALICIOUS_TEXTS),
)

const RAW_BODIES: FuzzRequest['body'][] = [
  ...[
    '',
    '{',
    '[',
    '"',
    'nul',
    'null',
    '"text"',
    '5',
    '[]',
    '{"a":1,}',
    '{"a":NaN}',
    '\ufeff{}',
    '{"__proto__":{"a":1}}',
    '{} {}',
  ].map((payload) => ({ type: 'application/json', payload })),
  { type: 'application/json', payload: '['.repeat(100_000) },
  { type: 'application/json', payload: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]) },
  { type: 'application/json', payload: `{"a":"${'x'.repeat(1_100_000)}"}` },
  { type: 'application/json; charset=utf-16', payload: '{}' },
  { type: 'text/plain', payload: '{}' },
  { type: 'text/plain', payload: 'eyJhIjoxfQ==' },
  { type: 'application/x-www-form-urlencoded', payload: 'name=x&data=%7B%7D&data=%ZZ' },
  { type: 'multipart/form-data; boundary=x', payload: '--x--' },
  { type: 'application/', payload: '{}' },
  { type: '', payload: '{}' },
  { type: undefined, payload: '{}' },
]

function bodyOf(operation: Operation, flaws: boolean): fc.Arbitrary<FuzzRequest['body']> {
  const schema = operation.source.requestBody?.content['application/json']?.schema
  const raw = fc.constantFrom(...RAW_BODIES)
  const none = fc.constant<FuzzRequest['body']>(undefined)
  if (!schema) return flaws ? fc.oneof({ weight: 5, arbitrary: none }, { weight: 1, arbitrary: raw }) : none
  const source = operation.area === 'capture' && !flaws ? captured : valuesOf(schema, '', flaws)
  const values = source.map((value): FuzzRequest['body'] => ({ value }))
  if (!flaws)
    return operation.bodyRequired ? values : fc.oneof({ weight: 6, arbitrary: values }, { weight: 1, arbitrary: none })
  return fc.oneof({ weight: 8, arbitrary: values }, { weight: 1, arbitrary: none }, { weight: 2, arbitrary: raw })
}

const malformedHeaders: fc.Arbitrary<Record<string, string>> = fc.constantFrom<Record<string, string>[]>(
  {},
  {},
  {},
  { accept: 'text/csv' },
  { accept: 'application/xml' },
  { accept: ';;;' },
  { 'content-encoding': 'gzip' },
  { 'x-request-id': 'x'.repeat(300) },
  { host: 'a b' },
  { 'x-forwarded-for': '10.0.0.1', 'x-forwarded-host': 'elsewhere.invalid' },
  { authorization: 'Bearer' },
  { authorization: 'Basic YTpi' },
)

const roles = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Role>('owner') },
  { weight: 5, arbitrary: fc.constantFrom<Role>(...ROLES.filter((role) => role !== 'owner')) },
)

/** Deletions of organizations and projects are rare, because later requests need them. */
const RARE = new Set(['organizations.delete', 'projects.delete', 'organization_projects.delete'])

function requestsOf(operation: Operation): fc.Arbitrary<FuzzRequest> {
  const generate = (flaws: boolean): fc.Arbitrary<FuzzRequest> =>
    fc.record({
      operation: fc.constant(operation),
      role: operation.isPublic ? fc.constantFrom<Role>('anonymous', 'anonymous', 'owner', 'invalid') : roles,
      path: pathOf(operation, flaws),
      query: queryOf(operation, flaws),
      body: bodyOf(operation, flaws),
      headers: flaws ? malformedHeaders : fc.constant({}),
    })
  return fc.oneof({ weight: 1, arbitrary: generate(false) }, { weight: 1, arbitrary: generate(true) })
}

/** Sequences of requests, some of which are concurrent. */
export function sequences(operations: readonly Operation[], max_length: number): fc.Arbitrary<FuzzRequest[][]> {
  const any = fc.oneof(
    ...operations.map((operation) => ({ weight: RARE.has(operation.id) ? 1 : 6, arbitrary: requestsOf(operation) })),
  )
  const steps = fc.oneof(
    { weight: 9, arbitrary: any.map((request) => [request]) },
    { weight: 1, arbitrary: fc.array(any, { minLength: 2, maxLength: 4 }) },
  )
  // Without this, most sequences would be short.
  return fc.noBias(fc.array(steps, { minLength: 1, maxLength: max_length, size: 'max' }))
}

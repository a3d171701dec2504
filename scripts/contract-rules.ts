/** The rules for our contract beyond valid OpenAPI. Each message says how to fix the problem. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { isPublic } from '../src/contract/operations.ts'

/** A node of the contract, as loosely typed as JSON.parse returns it: the rules check its shape. */
export type Json = Record<string, ReturnType<JSON['parse']>>

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'options', 'head']
const KEY_ORDER = [
  'operationId',
  'tags',
  'summary',
  'description',
  'deprecated',
  'security',
  'x-level',
  'x-plugin-access',
  'parameters',
  'requestBody',
  'responses',
]
const LEVELS = [1, 8, 15]
const PLUGIN_ACCESS = [3, 6]
/** The security of an operation that rejects keys. */
const SESSION_ONLY = JSON.stringify([{ session: [] }])

export function findViolations(contract: Json): string[] {
  const found: string[] = []
  const scopes = new Set<string>(contract.components.schemas.Scope.enum)
  const seen = new Set<string>()

  for (const [path, item] of Object.entries<Json>(contract.paths)) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
    const declared = (item.parameters ?? []).map((p: Json) => resolve(contract, p)).filter((p: Json) => p.in === 'path')
    if (declared.map((p: Json) => p.name).join() !== named.join())
      found.push(`${path}: declare the path parameters on the path item, in the order of the path: ${named.join(', ')}`)

    for (const method of METHODS.filter((m) => item[m])) {
      const operation: Json = item[method]
      const id: string = operation.operationId ?? `${method} ${path}`
      const [area, verb] = id.split('.')
      if (!verb || !/^[a-z_0-9]+\.[a-z_0-9]+$/.test(id))
        found.push(`${id}: the operationId must be area.verb in snake_case`)
      if (seen.has(id)) found.push(`${id}: duplicate operationId`)
      seen.add(id)

      const keys = Object.keys(operation)
      const ordered = KEY_ORDER.filter((key) => keys.includes(key))
      const unknownKeys = keys.filter((key) => !KEY_ORDER.includes(key))
      if (unknownKeys.length) found.push(`${id}: unknown keys ${unknownKeys.join(', ')}`)
      else if (keys.join() !== ordered.join()) found.push(`${id}: the order of keys must be ${ordered.join(', ')}`)

      if (operation.tags?.join() !== area) found.push(`${id}: the only tag must be the area, ${area}`)
      if (!operation.summary || /\.$/.test(operation.summary)) found.push(`${id}: add a summary without a full stop`)
      if (!operation.description) found.push(`${id}: add a description`)

      const security = operation.security
      if (!Array.isArray(security)) found.push(`${id}: add security, or \`security: []\` for a public operation`)
      else if (isPublic(id)) {
        if (security.length) found.push(`${id}: it is public, so set \`security: []\``)
      } else {
        const [key, session] = security
        const required: string[] = security.length === 2 && session.session ? (key.apiKey ?? ['?', '?']) : ['?', '?']
        const isSessionOnly = JSON.stringify(security) === SESSION_ONLY
        if (!isSessionOnly && (required.length > 1 || required.some((scope) => !scopes.has(scope))))
          found.push(
            `${id}: set \`security: [{apiKey: [<one scope>]}]\`, an empty list for any valid key, or \`security: [{session: []}]\``,
          )
      }
      if ('x-level' in operation && !LEVELS.includes(operation['x-level']))
        found.push(`${id}: x-level must be one of ${LEVELS.join(', ')}`)
      if (/^(pipeline|plugin)_/.test(id) !== PLUGIN_ACCESS.includes(operation['x-plugin-access']))
        found.push(
          `${id}: only plugin operations have x-plugin-access, and it must be one of ${PLUGIN_ACCESS.join(', ')}`,
        )
      if ((operation.parameters ?? []).some((p: Json) => resolve(contract, p).in === 'path'))
        found.push(`${id}: declare path parameters on the path item; here they would hide those of the path item`)

      found.push(...unbounded(contract, operation).map((place) => `${id}: ${place} needs a maxLength or an x-max-json`))

      const successes = Object.keys(operation.responses).filter((status) => /^(2|302)/.test(status))
      if (successes.length !== 1) found.push(`${id}: declare exactly one 2xx response, or one 302`)
    }
  }
  return [
    ...found,
    ...nullsInEnums(contract),
    ...answeredSecrets(contract),
    ...unmarkedReceivers(contract),
    ...missingKinds(contract),
    ...invalidExamples(contract),
  ]
}

/** Finds null in enums. Client generators turn it into a member named `null`, or fail. */
function nullsInEnums(node: unknown, at = ''): string[] {
  if (typeof node !== 'object' || node === null) return []
  const { enum: choices } = node as Json
  const own = Array.isArray(choices) && choices.includes(null)
  const inner = Object.entries(node).flatMap(([key, child]) => nullsInEnums(child, `${at}/${key}`))
  return own
    ? [`${at}: write null as an alternative to the enum, as oneOf: [{ enum: … }, { type: 'null' }]`, ...inner]
    : inner
}

/** Finds `writeOnly` members in response schemas. */
function answeredSecrets(contract: Json): string[] {
  const seen = new Set<unknown>()
  const found: string[] = []
  const visit = (node: unknown, at: string): void => {
    if (typeof node !== 'object' || node === null) return
    const schema = resolve(contract, node)
    if (seen.has(schema)) return
    seen.add(schema)
    if (schema.writeOnly) found.push(`${at}: a response schema must not have writeOnly members`)
    for (const [key, child] of Object.entries(schema)) visit(child, `${(node as Json).$ref ?? at}/${key}`)
  }
  for (const [path, item] of Object.entries<Json>(contract.paths))
    for (const method of METHODS) visit(item[method]?.responses, `${method} ${path}`)
  return found
}

/** Finds configs with secrets but without `x-secret-receiver`. */
function unmarkedReceivers(contract: Json): string[] {
  return Object.entries<Json>(contract.components.schemas).flatMap(([name, { properties = {}, allOf = [] }]) => {
    if (!name.endsWith('Config')) return []
    const parts: Json[] = [properties, ...allOf.map((part: Json) => resolve(contract, part).properties ?? {})]
    const members = parts.flatMap((part) => Object.values<Json>(part))
    const isOpen = members.some(({ writeOnly }) => writeOnly) && !members.some((member) => member['x-secret-receiver'])
    return isOpen ? [`${name}: mark the members that decide where secrets are sent with x-secret-receiver`] : []
  })
}

/** Finds types with secrets that are no kind of integration, and the other way round. */
function missingKinds({ components: { schemas } }: Json): string[] {
  const derived = Object.keys(schemas).flatMap((name) => /^(.+)Credentials$/.exec(name)?.[1] ?? [])
  const kinds: string[] = schemas.IntegrationKind?.enum ?? []
  return derived.toSorted().join() === kinds.toSorted().join()
    ? []
    : [`IntegrationKind: list the types whose config has secrets: ${derived.join(', ')}`]
}

/** Finds request strings without a maximum length. The router bounds paths, and the body limit bounds capture. */
function unbounded(contract: Json, operation: Json): string[] {
  if (operation.tags?.join() === 'capture') return []
  const found = new Set<string>()
  const visit = (node: Json, place: string): void => {
    const schema = resolve(contract, node)
    if (schema['x-max-json'] !== undefined) return
    const types = [schema.type ?? []].flat()
    const closed = schema.enum || 'const' in schema
    if (types.includes('string') && !closed && schema.maxLength === undefined) found.add(place)
    const more = schema.additionalProperties
    if (more === true) found.add(place)
    for (const [key, child] of Object.entries<Json>(schema.properties ?? {})) visit(child, `${place}.${key}`)
    for (const part of ['allOf', 'anyOf', 'oneOf']) for (const child of schema[part] ?? []) visit(child, place)
    if (schema.items) visit(schema.items, `${place}[]`)
    if (typeof more === 'object') visit(more, `${place}.*`)
  }
  for (const parameter of operation.parameters ?? []) {
    const { name, in: where, schema } = resolve(contract, parameter)
    if (where === 'query') visit(schema, name)
  }
  const body = operation.requestBody && resolve(contract, operation.requestBody).content['application/json']
  if (body) visit(body.schema, 'body')
  return [...found]
}

/** Finds requests that a dialect changes. A dialect may only change responses, because all dialects share the handlers. */
export function findChangedRequests(contract: Json, dialect: Json): string[] {
  const { paths, components, security } = contract
  const theirs = dialect.components
  const found: string[] = []
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
  if (!same([paths, security], [dialect.paths, dialect.security]))
    found.push('a dialect must not change paths and security')
  if (!same([components.parameters, components.securitySchemes], [theirs.parameters, theirs.securitySchemes]))
    found.push('a dialect must not change parameters and credentials')
  const requested = new Set<string>()
  const collect = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const name = /^#\/components\/schemas\/(\w+)$/.exec((node as Json).$ref ?? '')?.[1]
    if (name && !requested.has(name)) {
      requested.add(name)
      collect(components.schemas[name])
    }
    Object.values(node).forEach(collect)
  }
  for (const item of Object.values<Json>(paths)) for (const method of METHODS) collect(item[method]?.requestBody)
  for (const name of requested)
    if (!same(components.schemas[name], theirs.schemas[name]))
      found.push(`${name} is part of a request, which a dialect must not change`)
  return found
}

/**
 * Adds `<Type>Credentials` for every config with secrets: the part of `<Type>Config` that an integration stores. These are
 * the secrets, the keys that decide where they are sent, and the keys that say how they are used.
 */
export function deriveCredentials(contract: Json): Json {
  const { schemas } = contract.components
  const names: string[] = []
  for (const [name, { allOf = [], ...own }] of Object.entries<Json>(schemas)) {
    const parts: Json[] = [...allOf.map((part: Json) => resolve(contract, part)), own]
    const members: Json = Object.assign({}, ...parts.map(({ properties }) => properties))
    if (!name.endsWith('Config') || !Object.values<Json>(members).some(({ writeOnly }) => writeOnly)) continue
    const type = name.slice(0, -'Config'.length)
    const required = parts.flatMap((part) => part.required ?? [])
    const title = `${type}Credentials`
    const description = `The credentials of a destination of the type \`${type}\`.`
    const part = credentialPart(contract, { type: 'object', properties: members, required })
    names.push(title)
    schemas[title] = { title, description, ...part }
  }
  const { additionalProperties: _, 'x-max-json': __, ...config } = schemas.IntegrationCreate.properties.config
  schemas.IntegrationCreate.properties.config = {
    ...config,
    anyOf: names.map((title) => ({ $ref: `#/components/schemas/${title}` })),
  }
  return contract
}

/** Undefined if no member belongs to the credentials. */
function credentialPart(contract: Json, schema: Json): Json | undefined {
  const properties: Json = {}
  const conditional: string[] = []
  for (const [key, member] of Object.entries<Json>(schema.properties)) {
    const found = resolve(contract, member)
    const receiver = found['x-secret-receiver']
    const choices: Json[] = (found.anyOf ?? []).map((part: Json) => resolve(contract, part))
    const isWhole = found.writeOnly || receiver || found['x-credential']
    if (isWhole || choices.some((choice) => choice.properties && credentialPart(contract, choice)))
      properties[key] = member
    else if (found.properties) {
      const part = credentialPart(contract, found)
      if (part) properties[key] = member.$ref ? member : part
    }
    if (receiver?.if || receiver?.unless) conditional.push(key)
  }
  if (Object.keys(properties).length === 0) return undefined
  const required = (schema.required ?? []).filter((key: string) => key in properties && !conditional.includes(key))
  return { ...schema, additionalProperties: false, required, properties }
}

/** Merges the parents into each schema that requires their fields. Generators declare such fields twice, or without a type. */
export function mergeParents(contract: Json): Json {
  const { schemas } = contract.components
  for (const [name, schema] of Object.entries<Json>(schemas)) {
    const own = Object.keys(schema.properties ?? {})
    const requiresInherited = schema.required?.some((key: string) => !own.includes(key))
    if (schema.allOf && requiresInherited) schemas[name] = merged(contract, schema)
  }
  return contract
}

function merged(contract: Json, { allOf = [], ...own }: Json): Json {
  const parts: Json[] = [...allOf.map((part: Json) => merged(contract, resolve(contract, part))), own]
  return {
    ...own,
    required: [...new Set(parts.flatMap(({ required = [] }) => required))],
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  }
}

/** Every operation that accepts a key accepts a session as well. Some accept only a session. */
export function acceptSessions(contract: Json): Json {
  for (const item of Object.values<Json>(contract.paths))
    for (const method of METHODS.filter((name) => item[name])) {
      const { security } = item[method]
      if (security?.length === 1 && JSON.stringify(security) !== SESSION_ONLY)
        item[method].security = [...security, { session: [] }]
    }
  return contract
}

/** Adds 406 to every operation under `/api/` that responds with JSON: it rejects an `Accept` header without its types. */
export function declareNotAcceptable(contract: Json): Json {
  const apiPaths = Object.entries<Json>(contract.paths).filter(([path]) => path.startsWith('/api/'))
  for (const [, item] of apiPaths)
    for (const method of METHODS.filter((name) => item[name])) {
      const { responses } = item[method]
      const response = Object.entries<Json>(responses).find(([status]) => status.startsWith('2'))?.[1]
      if (response && resolve(contract, response).content?.['application/json'])
        responses[406] = { $ref: '#/components/responses/NotAcceptable' }
    }
  return contract
}

/** The same schemas without the fields that they do not declare, at any depth. */
function closeSchemas(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node
  if (Array.isArray(node)) return node.map(closeSchemas)
  const entries = Object.entries(node).map(([key, child]) => {
    if (key === 'examples') return [key, child]
    if (key === 'schema') return [key, closed(child)]
    return [key, key === 'schemas' ? mapValues(child, withClosedParts) : closeSchemas(child)]
  })
  return Object.fromEntries(entries)
}

const mapValues = (object: Json, change: (value: Json) => Json): Json =>
  Object.fromEntries(Object.entries<Json>(object).map(([key, value]) => [key, change(value)]))

/** Not for the parts of a union or an `allOf`, which declare only some of the fields. */
const closed = (schema: Json): Json =>
  isEmpty(schema) ? schema : { ...withClosedParts(schema), unevaluatedProperties: false }

/** An empty schema accepts every value. */
const isEmpty = (schema: Json): boolean => Object.keys(schema).length === 0

function withClosedParts(schema: Json): Json {
  const { properties, items, additionalProperties: more } = schema
  const unions = ['allOf', 'anyOf', 'oneOf'].filter((key) => schema[key])
  return {
    ...schema,
    ...(properties && { properties: mapValues(properties, closed) }),
    ...(items && { items: closed(items) }),
    ...(typeof more === 'object' && { additionalProperties: closed(more) }),
    ...Object.fromEntries(unions.map((key) => [key, schema[key].map(withClosedParts)])),
  }
}

/** Finds examples that do not match their schemas, or have fields that the schemas lack. Tests use them as fixtures. */
function invalidExamples(contract: Json): string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(closeSchemas(contract) as Json, 'contract')
  const found: string[] = []
  const visit = (node: unknown, pointer: string): void => {
    if (typeof node !== 'object' || node === null) return
    const media = node as Json
    if (media.schema && media.examples && !Array.isArray(media.examples)) {
      const validate = ajv.compile({ $ref: `contract#${pointer}/schema` })
      for (const [name, example] of Object.entries<Json>(media.examples)) {
        const value = resolve(contract, example).value
        if (!validate(value))
          found.push(`example ${name} at ${pointer}: ${ajv.errorsText(validate.errors, { dataVar: name })}`)
      }
    }
    for (const [key, child] of Object.entries(media))
      visit(child, `${pointer}/${encodeURIComponent(key.replace(/~/g, '~0').replace(/\//g, '~1'))}`)
  }
  visit({ paths: contract.paths, components: { responses: contract.components.responses } }, '')
  return found
}

export function resolve(contract: Json, node: Json): Json {
  if (!node.$ref) return node
  const pointer: string[] = node.$ref.slice(2).split('/')
  const found = pointer.reduce((at: Json, key) => at[key.replace(/~1/g, '/').replace(/~0/g, '~')], contract)
  return resolve(contract, found)
}

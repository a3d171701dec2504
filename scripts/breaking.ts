/**
 * Finds changes that break clients of the last released contract: a request that is no longer accepted, or a response that
 * no longer has a declared field. A new major version may break clients; before 1.0.0, a new minor version.
 */

import { type Json, resolve } from './contract-rules.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'options', 'head']

interface Side {
  contract: Json
  schema: Json
}

export function findBreaks(before: Json, after: Json): string[] {
  const found: string[] = []
  for (const [path, item] of Object.entries<Json>(before.paths))
    for (const method of METHODS.filter((name) => item[name])) {
      const old: Json = item[method]
      const now: Json | undefined = after.paths[path]?.[method]
      const name = `${method.toUpperCase()} ${path}`
      if (!now) found.push(`${name} is removed`)
      else
        found.push(
          ...operationBreaks(before, after, item, after.paths[path], old, now).map((reason) => `${name}: ${reason}`),
        )
    }
  return found
}

/** Whether the new version may break clients. */
export function mayBreakClients(before: string, after: string): boolean {
  const [oldMajor = 0, oldMinor = 0] = before.split('.').map(Number)
  const [major = 0, minor = 0] = after.split('.').map(Number)
  return major > oldMajor || (major === 0 && oldMajor === 0 && minor > oldMinor)
}

function operationBreaks(before: Json, after: Json, oldItem: Json, newItem: Json, old: Json, now: Json): string[] {
  const found: string[] = []
  if (old.operationId !== now.operationId)
    found.push(`its operationId was ${old.operationId}, which generated clients use as a name`)
  if (!acceptsAll(old.security, now.security))
    found.push(`it required ${JSON.stringify(old.security)} and now requires ${JSON.stringify(now.security)}`)

  const [parameters, newParameters] = [parametersOf(before, oldItem, old), parametersOf(after, newItem, now)]
  for (const [key, parameter] of parameters) {
    const other = newParameters.get(key)
    if (!other) found.push(`the parameter ${key} is removed`)
    else
      found.push(
        ...gaps(
          { contract: before, schema: parameter.schema },
          { contract: after, schema: other.schema },
          key,
          'request',
        ),
      )
  }
  for (const [key, parameter] of newParameters)
    if (parameter.required && !parameters.get(key)?.required) found.push(`the parameter ${key} is now required`)

  const [body, newBody] = [resolve(before, old.requestBody ?? {}), resolve(after, now.requestBody ?? {})]
  if (newBody.required && !body.required) found.push('a body is now required')
  found.push(...contentBreaks(before, after, body.content, newBody.content, 'request'))

  for (const [status, response] of Object.entries<Json>(old.responses).filter(([code]) => code.startsWith('2'))) {
    const other = now.responses[status]
    if (!other) found.push(`it no longer declares ${status}`)
    else
      found.push(
        ...contentBreaks(before, after, resolve(before, response).content, resolve(after, other).content, 'response'),
      )
  }
  return found
}

/** Another way to authenticate breaks no client, and neither does an operation that becomes public. */
function acceptsAll(old: Json[], now: Json[]): boolean {
  const accepted = now.map((requirement) => JSON.stringify(requirement))
  return (
    now.length === 0 || (old.length > 0 && old.every((requirement) => accepted.includes(JSON.stringify(requirement))))
  )
}

function parametersOf(contract: Json, item: Json, operation: Json): Map<string, Json> {
  const all: Json[] = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((parameter) =>
    resolve(contract, parameter),
  )
  return new Map(all.map((parameter) => [`${parameter.in}.${parameter.name}`, parameter]))
}

function contentBreaks(
  before: Json,
  after: Json,
  content: Json = {},
  newContent: Json = {},
  direction: Direction,
): string[] {
  return Object.entries<Json>(content).flatMap(([type, media]) => {
    const other = newContent[type]
    if (!other) return [`${direction === 'request' ? 'it no longer accepts' : 'it no longer sends'} ${type}`]
    const [old, now] = [
      { contract: before, schema: media.schema ?? {} },
      { contract: after, schema: other.schema ?? {} },
    ]
    // The new contract must accept all old requests, and old clients must accept all new responses.
    return direction === 'request' ? gaps(old, now, 'body', 'request') : gaps(now, old, 'response', 'response')
  })
}

type Direction = 'request' | 'response'

interface Limit {
  /** Whether a higher (1) or a lower (-1) limit makes a schema stricter. */
  sign: 1 | -1
  /** The types that the limit applies to. */
  type: string[]
  measure: (value: unknown) => number
}

const lengthOf = (value: unknown): number => (typeof value === 'string' || Array.isArray(value) ? value.length : 0)
const ofText = { type: ['string'], measure: lengthOf }
const ofList = { type: ['array'], measure: lengthOf }
const ofNumber = { type: ['integer', 'number'], measure: Number }

const LIMITS: Record<string, Limit> = {
  minLength: { ...ofText, sign: 1 },
  minItems: { ...ofList, sign: 1 },
  minimum: { ...ofNumber, sign: 1 },
  maxLength: { ...ofText, sign: -1 },
  maxItems: { ...ofList, sign: -1 },
  maximum: { ...ofNumber, sign: -1 },
}

/** The reasons why a value of the first schema may be invalid for the second. */
function gaps(from: Side, to: Side, at: string, direction: Direction, seen = new Set<string>()): string[] {
  const [a, b] = [flatten(from), flatten(to)]
  const pair = `${from.schema.$ref} ${to.schema.$ref}`
  if ((from.schema.$ref || to.schema.$ref) && seen.has(pair)) return []
  const inside = new Set([...seen, pair])
  const next = (schema: Json, other: Json, place: string): string[] =>
    gaps({ ...from, schema }, { ...to, schema: other }, place, direction, inside)

  const [options, others] = [alternatives(a), alternatives(b)]
  if (options.length > 1 || others.length > 1)
    return options.flatMap((option) => {
      const attempts = others.map((other) => next(option, other, at))
      // The alternative with the fewest reasons is the most likely match.
      const [best = []] = attempts.toSorted((one, another) => one.length - another.length)
      return best
    })

  const found: string[] = []
  const [types, otherTypes] = [typesOf(a), typesOf(b)]
  const unknownTypes = types.filter(
    (type) => !otherTypes.includes(type) && !(type === 'integer' && otherTypes.includes('number')),
  )
  if (otherTypes.length && (unknownTypes.length || !types.length))
    found.push(
      direction === 'request'
        ? `${at} no longer accepts ${unknownTypes.join(' or ') || 'every type'}`
        : `${at} may now be ${unknownTypes.join(' or ') || 'any type'}`,
    )
  found.push(...(direction === 'request' ? narrowed(a, b, at) : []))
  found.push(...objectGaps(a, b, at, direction, next))
  if (a.items && b.items) found.push(...next(a.items, b.items, `${at}[]`))
  return found
}

/** Only for requests: clients can read longer texts and new enum values. */
function narrowed(a: Json, b: Json, at: string): string[] {
  const found: string[] = []
  const values = (schema: Json): unknown[] | undefined =>
    schema.enum ?? ('const' in schema ? [schema.const] : undefined)
  const [allowed, still] = [values(a), values(b)]
  const lost = still && (allowed ? allowed.filter((word) => !still.includes(word)) : ['any other value'])
  if (lost?.length) found.push(`${at} no longer accepts ${lost.map((word) => JSON.stringify(word)).join(', ')}`)
  const types = typesOf(a)
  for (const [limit, { sign, type, measure }] of Object.entries(LIMITS)) {
    const bound = b[limit]
    if (bound === undefined || (types.length && !types.some((name) => type.includes(name)))) continue
    // A list of values may be within a limit that it did not declare.
    const reached = allowed ? allowed.map(measure) : [a[limit] ?? -sign * Number.POSITIVE_INFINITY]
    if (reached.some((value) => (bound - value) * sign > 0)) found.push(`${at} now has a ${limit} of ${bound}`)
  }
  for (const rule of ['pattern', 'format'])
    if (b[rule] !== undefined && a[rule] !== b[rule]) found.push(`${at} now has the ${rule} ${b[rule]}`)
  return found
}

function objectGaps(
  a: Json,
  b: Json,
  at: string,
  direction: Direction,
  next: (schema: Json, other: Json, place: string) => string[],
): string[] {
  const found: string[] = []
  for (const name of b.required ?? [])
    if (!(a.required ?? []).includes(name))
      found.push(direction === 'request' ? `${at}.${name} is now required` : `${at}.${name} may now be missing`)
  for (const [name, schema] of Object.entries<Json>(a.properties ?? {})) {
    const other = b.properties?.[name]
    if (other) found.push(...next(schema, other, `${at}.${name}`))
    else if (direction === 'request' && b.properties) found.push(`${at}.${name} is no longer accepted`)
  }
  if (direction === 'response')
    for (const name of Object.keys(b.properties ?? {}))
      if (a.properties && !a.properties[name]) found.push(`${at}.${name} is removed`)
  return found
}

const typesOf = (schema: Json): string[] => (schema.type === undefined ? [] : [schema.type].flat())

const alternatives = (schema: Json): Json[] => schema.oneOf ?? schema.anyOf ?? [schema]

/** Resolves the reference of a schema and merges its `allOf`. */
function flatten({ contract, schema }: Side): Json {
  const { allOf, ...own } = resolve(contract, schema)
  if (!allOf) return own
  const parts: Json[] = [own, ...allOf.map((part: Json) => flatten({ contract, schema: part }))]
  return {
    ...Object.assign({}, ...parts.toReversed()),
    properties: Object.assign({}, ...parts.map((part) => part.properties ?? {})),
    required: parts.flatMap((part) => part.required ?? []),
  }
}

/** Replays the contract against a server: valid and invalid requests to every operation, each response validated. */

import { setTimeout as sleep } from 'node:timers/promises'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { OpenApiMediaType } from '../contract/document.ts'
import { contractOf, type Dialect, type Operation, operations, resolve } from '../contract/table.ts'
import { parseJson } from '../json/parse.ts'
import { verbOf } from './area.ts'
import { unreachable } from './client.ts'
import type { Connection } from './connection.ts'

/** The result of one request. */
export type Finding = {
  operation: string
  /** The kind of request, such as "without a key". */
  request: string
  status: number | null
  seconds: number
} & ({ result: 'passed'; detail: null } | { result: 'failed' | 'skipped'; detail: string })

const RESPONSE_TIMEOUT_MS = 30_000
const MAX_RETRIES = 5
const MAX_RETRY_SECONDS = 60

const UNUSED_INTEGER = '999999999'
const UNUSED_UUID = '99999999-9999-7999-8999-999999999999'

/** Operations that would leave data behind or change ownership, with the reason in the report. */
const SKIPPED: Record<string, string> = {
  'users.update': "It would change the name of the key's owner, or the meaning of `@current` for them.",
  'signup.accept': 'It creates a user, which no operation deletes.',
  'members.update': 'The only member is the owner of the key.',
  'members.remove': 'The only member is the owner of the key.',
  'password_reset.request': 'It would send mail.',
  'users.request_email_verification': 'It would send mail.',
}

/** These verbs must succeed. The result of others depends on state, so any declared response passes. */
const MUST_SUCCEED = ['list', 'retrieve', 'create', 'update', 'delete', 'revoke', 'capture', 'batch', 'e', 'i_v0_e']
/** These need the token from an email, or a password that only the user knows. */
const NEED_SECRET = ['signup.retrieve', 'session.create']

const PLUGINS = '/api/organizations/{organization_id}/pipeline_destinations/'
const ORGANIZATIONS = '/api/organizations/'

/** The collection of the last path parameter: `/api/projects/{project_id}/batch_exports/`. */
const collectionOf = (path: string): string => path.slice(0, path.lastIndexOf('{'))
const isCreation = ({ method, path }: Operation): boolean =>
  method === 'POST' && operations.some((other) => other.method === 'GET' && other.path.startsWith(`${path}{`))
const isRemoval = ({ method }: Operation): boolean => method === 'DELETE'

const member = (value: unknown, name: string | number): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

/** With `readOnly`, only sends GET requests, for the first organization and project. */
export async function* checkContract(
  server: Pick<Connection, 'url' | 'key'>,
  { readOnly, dialect }: { readOnly: boolean; dialect: Dialect },
): AsyncGenerator<Finding> {
  const known = new Map<string, string>()
  const values: Record<string, unknown> = {}
  const check = createChecker(server, dialect)

  const remember = (collection: string, row: unknown): void => {
    const path = operations.map((operation) => operation.path).find((one) => one.startsWith(`${collection}{`))
    const [, parameter = 'id'] = /\{(\w+)\}/.exec(path?.slice(collection.length) ?? '') ?? []
    // `user__uuid` is the `uuid` of the `user` of the row.
    const id = parameter.split('__').reduce(member, row)
    if (id !== undefined && id !== null) known.set(collection, String(id))
    const row_id = member(row, 'id')
    if (collection === PLUGINS && row_id !== undefined) values.plugin = row_id
    if (collection === ORGANIZATIONS && row_id !== undefined) values.organization = row_id
  }
  const checkAsDescribed = async (operation: Operation): Promise<Finding | null> => {
    const url = urlOf(operation, known)
    if (url === undefined) return null
    let last: Finding | null = null
    for (const body of bodiesOf(operation, values)) {
      const { finding, status, body: responseBody } = await check(operation, 'as described', { url, ...body })
      if (finding.result === 'failed') return finding
      if (status < 300) {
        // Events must go to the project that is read later.
        const api_token = member(responseBody, 'api_token')
        if (operation.area === 'projects' && typeof api_token === 'string') values.api_key = api_token
        if (isCreation(operation)) remember(operation.path, responseBody)
        if (verbOf(operation) === 'list' && !known.has(operation.path))
          remember(operation.path, member(member(responseBody, 'results') ?? responseBody, 0))
        return finding
      }
      if (status === 403)
        return { ...finding, result: 'skipped', detail: `The key is not allowed: ${member(responseBody, 'detail')}` }
      if (!MUST_SUCCEED.includes(verbOf(operation)) || NEED_SECRET.includes(operation.id)) return finding
      const detail = `It responds with ${status} to the request that the contract describes${detailOf(responseBody)}.`
      last = { ...finding, result: 'failed', detail }
    }
    return last
  }
  /** Operations without a known id are retried at the end: runs appear after a backfill, events after capture. */
  async function* checkAll(selected: Operation[]): AsyncGenerator<Finding> {
    const later: Operation[] = []
    for (const operation of selected) {
      const reason = operation.needsSession ? 'It needs a session.' : SKIPPED[operation.id]
      const finding = reason ? skipped(operation, reason) : await checkAsDescribed(operation)
      if (finding) yield finding
      else later.push(operation)
    }
    for (const operation of later)
      yield (await checkAsDescribed(operation)) ?? skipped(operation, 'There is no resource to request.')
  }

  const selected = operations.filter((one) => !readOnly || (one.method === 'GET' && !one.path.startsWith('/signup')))
  const creations = selected.filter(isCreation)
  const removals = selected.filter(isRemoval).toReversed()
  const others = selected.filter((one) => !isCreation(one) && !isRemoval(one))
  const reads = others.filter(({ method }) => method === 'GET')
  try {
    yield* checkAll([...creations, ...others.filter((one) => !reads.includes(one)), ...reads])
    for (const operation of selected) yield* checkRejections(operation, known, check)
  } finally {
    yield* checkAll(removals)
  }
  for (const operation of removals) {
    const retrieval = operations.find((one) => one.method === 'GET' && one.path === operation.path)
    const url = retrieval && urlOf(retrieval, known)
    if (url && !SKIPPED[operation.id]) yield (await check(retrieval, 'after deletion', { url, expected: 404 })).finding
  }
}

async function* checkRejections(
  operation: Operation,
  known: ReadonlyMap<string, string>,
  check: Check,
): AsyncGenerator<Finding> {
  if (operation.isPublic) return
  const url = urlOf(operation, known)
  const unusedUrl = urlOf(operation, known, true)
  const [body] = bodiesOf(operation, {})
  yield (await check(operation, 'without a key', { url: url ?? unusedUrl, withoutKey: true, expected: 401 })).finding
  if (operation.needsSession) return
  if (operation.namesSubject)
    yield (await check(operation, 'for an unknown id', { url: unusedUrl, ...body, expected: 404 })).finding
  if (url && operation.source.requestBody?.content['application/json'])
    yield (await check(operation, 'with a malformed body', { url, body: '{"', expected: 400 })).finding
}

const skipped = ({ id }: Operation, detail: string): Finding => ({
  operation: id,
  request: 'as described',
  status: null,
  result: 'skipped',
  detail,
  seconds: 0,
})

/** Undefined when an id of the path is not known. `unused` replaces the last id by one that does not exist. */
function urlOf(operation: Operation, known: ReadonlyMap<string, string>, unused?: boolean): string | undefined {
  const { path } = operation
  const last = collectionOf(path)
  const { parameters } = operation
  let isMissing = false
  const url = path.replace(/\{(\w+)\}/g, (_, name: string, at: number) => {
    const collection = path.slice(0, at)
    const isInteger = parameters.find((parameter) => parameter.name === name)?.schema.type === 'integer'
    const unusedId = isInteger ? UNUSED_INTEGER : UNUSED_UUID
    if (unused && collection === last) return unusedId
    const id = known.get(collection) ?? idByParameter(name, known)
    isMissing ||= id === undefined
    return id === undefined ? unusedId : encodeURIComponent(id)
  })
  if (isMissing && !unused) return undefined
  const query = new URLSearchParams(
    parameters
      .filter((one) => one.required && one.in === 'query')
      .map((one): [string, string] => [one.name, String(one.schema.examples?.[0] ?? 'x')]),
  )
  return query.size ? `${url}?${query}` : url
}

/** `invite_id` is the id of a row of `…/invites/`. */
function idByParameter(name: string, known: ReadonlyMap<string, string>): string | undefined {
  const ending = `/${name.replace(/_id$/, 's')}/`
  return [...known].find(([collection]) => collection.endsWith(ending))?.[1]
}

interface CheckedRequest {
  url: string | undefined
  body?: string
  type?: string
  withoutKey?: boolean
  /** The only acceptable status; without it, any declared status passes. */
  expected?: number
}

/** The examples of the contract, then only the required fields of the last one, with ids of this server filled in. */
function bodiesOf({ source }: Operation, values: Record<string, unknown>): Pick<CheckedRequest, 'body' | 'type'>[] {
  const [type, media] = Object.entries<OpenApiMediaType>(source.requestBody?.content ?? {})[0] ?? []
  if (!media) return [{}]
  const examples = Object.values(media.examples ?? {}).map((example): unknown => resolve(example).value)
  const required = resolve(media.schema).required ?? []
  const minimal = Object.fromEntries(required.map((name) => [name, member(examples.at(-1), name)]))
  return [...examples, minimal].map((example) => ({
    type,
    // Without a timestamp an event is recent, so it is on the first page of the list.
    body: JSON.stringify(example, (name, value) => (name === 'timestamp' ? undefined : (values[name] ?? value))),
  }))
}

type Check = (
  operation: Operation,
  request: string,
  checked: CheckedRequest,
) => Promise<{ finding: Finding; status: number; body: unknown }>

function createChecker({ url: origin, key }: Pick<Connection, 'url' | 'key'>, dialect: Dialect): Check {
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(contractOf(dialect).contract, 'contract')
  const compiled = new Map<object, ValidateFunction>()

  async function send({ method }: Operation, { url, body, type, withoutKey }: CheckedRequest): Promise<Response> {
    for (let retries = 0; ; retries++) {
      const response = await fetch(`${origin}${url}`, {
        method,
        headers: {
          ...(key && !withoutKey && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && { 'content-type': type ?? 'application/json' }),
        },
        ...(body !== undefined && { body }),
        redirect: 'manual',
        signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      }).catch((error) => {
        throw unreachable(origin, error)
      })
      if (response.status !== 429 || retries === MAX_RETRIES) return response
      await response.arrayBuffer()
      await sleep(Math.min(MAX_RETRY_SECONDS, Number(response.headers.get('retry-after')) || 1) * 1000)
    }
  }

  const validatorOf = (schema: object): ValidateFunction => {
    const validate = compiled.get(schema) ?? ajv.compile(withRootReferences(schema))
    compiled.set(schema, validate)
    return validate
  }

  return async (operation, request, checked) => {
    const started = performance.now()
    const response = await send(operation, checked)
    const { status } = response
    const text = await response.text()
    const body = parseJson(text)
    const detail = findMismatch(operation, response, text, body, checked.expected, validatorOf)
    const seconds = (performance.now() - started) / 1000
    const common = { operation: operation.id, request, status, seconds }
    return {
      status,
      body,
      finding: detail === null ? { ...common, result: 'passed', detail } : { ...common, result: 'failed', detail },
    }
  }
}

/** Makes references relative to the root of the contract. */
const withRootReferences = (schema: object): object =>
  JSON.parse(JSON.stringify(schema), (name, value) =>
    name === '$ref' && typeof value === 'string' && value.startsWith('#') ? `contract${value}` : value,
  )

function findMismatch(
  { source }: Operation,
  response: Response,
  text: string,
  body: unknown,
  expected: number | undefined,
  validatorOf: (schema: object) => ValidateFunction,
): string | null {
  const { status } = response
  if (expected !== undefined && status !== expected) return `It responds with ${status} instead of ${expected}.`
  const declared = source.responses[status]
  if (!declared)
    return `It responds with ${status}; the contract declares ${Object.keys(source.responses).join(', ')}${detailOf(body)}.`
  if (status >= 500) return `It failed with ${status}${detailOf(body)}.`
  const content: Record<string, OpenApiMediaType> | undefined = resolve(declared).content
  if (!content) return text === '' ? null : `It sends ${text.length} bytes; the contract declares no body.`
  const type = response.headers.get('content-type')?.split(';')[0]?.trim() ?? ''
  const media = content[type]
  if (!media) return `It sends ${type || 'no content type'} instead of ${Object.keys(content).join(', ')}.`
  if (!/json$/.test(type) || !media.schema) return null
  if (body === undefined) return 'Its body is not JSON.'
  const validate = validatorOf(media.schema)
  if (validate(body)) return null
  const errors = (validate.errors ?? [])
    .slice(0, 3)
    .map(({ instancePath, message }) => `${instancePath || 'the body'} ${message}`)
  return `Its body does not match the contract: ${errors.join('; ')}.`
}

function detailOf(body: unknown): string {
  const detail = member(body, 'detail')
  return typeof detail === 'string' ? `: ${detail.replace(/\.$/, '')}` : ''
}

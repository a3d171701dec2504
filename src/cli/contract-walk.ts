/** The contract replayed against a server: every operation asked well, badly and without a key, every answer compared. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { contract, contractOf, type Dialect, type Operation, operations, resolve } from '../contract/table.ts'
import { type Connection, unreachable } from './client.ts'

type Json = Record<string, any>

export interface Finding {
  operation: string
  /** In what way it was asked. */
  asked: string
  status: number | null
  result: 'as promised' | 'deviation' | 'not asked'
  /** What differs, or why nobody asked. */
  detail: string | null
  seconds: number
}

const ANSWER_MS = 30_000
const MOST_WAITS = 5
const LONGEST_WAIT_S = 60

const NEVER: Record<string, string> = {
  integer: '999999999',
  string: '99999999-9999-7999-8999-999999999999',
}

/** What would be left behind, or change who owns what. */
const LEFT_OUT: Record<string, string> = {
  'users.update': "It would change the name of the key's owner, or what `@current` means for them.",
  'signup.accept': 'It makes a user, whom nothing removes.',
  'members.update': 'Its only member is the owner of the key.',
  'members.remove': 'Its only member is the owner of the key.',
}

/** These have to succeed. Others answer by the state of the world: whatever the contract declares is as promised. */
const PLAIN_VERBS = ['list', 'retrieve', 'create', 'update', 'delete', 'revoke', 'capture', 'batch', 'e', 'i_v0_e']
/** An invite's secret is in its mail alone. */
const NEED_MORE = ['signup.retrieve']

const PLUGINS = '/api/organizations/{organization_id}/pipeline_destinations/'
const ORGANIZATIONS = '/api/organizations/'

const verbOf = ({ id }: Operation): string => id.split('.')[1]!
/** Where the things are that a path names last: `/api/projects/{project_id}/batch_exports/`. */
const collectionOf = (path: string): string => path.slice(0, path.lastIndexOf('{'))
const isCreation = ({ method, path }: Operation): boolean =>
  method === 'POST' && operations.some((other) => other.method === 'GET' && other.path.startsWith(`${path}{`))
const isRemoval = ({ method }: Operation): boolean => method === 'DELETE'

/** With `readOnly` nothing is made: it looks at the first organization and project there are. */
export async function* walk(
  place: Connection,
  { readOnly, dialect }: { readOnly: boolean; dialect: Dialect },
): AsyncGenerator<Finding> {
  const known = new Map<string, string>()
  const values: Json = {}
  const examine = comparison(place, dialect)

  const learn = (collection: string, row: Json | undefined): void => {
    const parameter = operations.map(({ path }) => path).find((path) => path.startsWith(`${collection}{`))
    const names = /\{(\w+)\}/.exec(parameter?.slice(collection.length) ?? '{id}')![1]!.split('__')
    const id = row && names.reduce((at: any, name) => at?.[name], row)
    if (id !== undefined && id !== null) known.set(collection, String(id))
    if (collection === PLUGINS && row?.id !== undefined) values.plugin = row.id
    if (collection === ORGANIZATIONS && row?.id !== undefined) values.organization = row.id
  }
  const well = async (operation: Operation): Promise<Finding | null> => {
    const url = urlOf(operation, known)
    if (url === undefined) return null
    let last: Finding | undefined
    for (const body of bodiesOf(operation, values)) {
      const { finding, answer } = await examine(operation, 'as described', { url, ...body })
      if (finding.result === 'deviation') return finding
      if (finding.status! < 300) {
        // Events are captured into the project that is read afterwards.
        if (operation.area === 'projects' && typeof answer?.api_token === 'string') values.api_key = answer.api_token
        if (isCreation(operation)) learn(operation.path, answer)
        if (verbOf(operation) === 'list' && !known.has(operation.path))
          learn(operation.path, (answer?.results ?? answer)?.[0])
        return finding
      }
      if (finding.status === 403)
        return { ...finding, result: 'not asked', detail: `The key may not: ${answer?.detail}` }
      if (!PLAIN_VERBS.includes(verbOf(operation)) || NEED_MORE.includes(operation.id)) return finding
      const detail = `It answers ${finding.status} to what the contract describes${hint(answer)}.`
      last = { ...finding, result: 'deviation', detail }
    }
    return last!
  }
  /** Runs are there once there was a backfill, and events once they are captured: who finds nothing asks again later. */
  async function* all(among: Operation[]): AsyncGenerator<Finding> {
    const later: Operation[] = []
    for (const operation of among) {
      if (LEFT_OUT[operation.id]) yield unasked(operation, LEFT_OUT[operation.id]!)
      else {
        const finding = await well(operation)
        if (finding) yield finding
        else later.push(operation)
      }
    }
    for (const operation of later)
      yield (await well(operation)) ?? unasked(operation, 'There is nothing of its kind to ask for.')
  }

  const asked = operations.filter((one) => !readOnly || (one.method === 'GET' && !one.path.startsWith('/signup')))
  const making = asked.filter(isCreation)
  const removing = asked.filter(isRemoval).toReversed()
  const using = asked.filter((one) => !isCreation(one) && !isRemoval(one))
  const looking = using.filter(({ method }) => method === 'GET')
  try {
    yield* all([...making, ...using.filter((one) => !looking.includes(one)), ...looking])
    for (const operation of asked) yield* badly(operation, known, examine)
  } finally {
    yield* all(removing)
  }
  for (const operation of removing) {
    const retrieval = operations.find((one) => one.method === 'GET' && one.path === operation.path)
    const url = retrieval && urlOf(retrieval, known)
    if (url && !LEFT_OUT[operation.id])
      yield (await examine(retrieval, 'after it was removed', { url, expected: 404 })).finding
  }
}

async function* badly(
  operation: Operation,
  known: ReadonlyMap<string, string>,
  examine: Examine,
): AsyncGenerator<Finding> {
  if (operation.isPublic) return
  const url = urlOf(operation, known)
  const nowhere = urlOf(operation, known, true)
  const [body] = bodiesOf(operation, {})
  yield (await examine(operation, 'without a key', { url: url ?? nowhere, keyless: true, expected: 401 })).finding
  if (operation.namesSubject)
    yield (await examine(operation, 'for an id that never was', { url: nowhere, ...body, expected: 404 })).finding
  if (url && operation.source.requestBody?.content['application/json'])
    yield (await examine(operation, 'with a body that is no JSON', { url, body: '{"', expected: 400 })).finding
}

const unasked = ({ id }: Operation, detail: string): Finding => ({
  operation: id,
  asked: 'as described',
  status: null,
  result: 'not asked',
  detail,
  seconds: 0,
})

/** Undefined where nothing is known that the path could name. `never`: its last id is one that nobody was given. */
function urlOf(operation: Operation, known: ReadonlyMap<string, string>, never?: boolean): string | undefined {
  const { path } = operation
  const last = collectionOf(path)
  let missing = false
  const url = path.replace(/\{(\w+)\}/g, (_, name: string, at: number) => {
    const collection = path.slice(0, at)
    const parameter = (contract.paths[path]?.parameters ?? []).map(resolve).find((one: Json) => one.name === name)
    const nobody = NEVER[String(parameter?.schema.type)] ?? NEVER.string!
    if (never && collection === last) return nobody
    const found = known.get(collection) ?? byName(name, known)
    missing ||= found === undefined
    return found === undefined ? nobody : encodeURIComponent(found)
  })
  if (missing && !never) return undefined
  const required: Json[] = (operation.source.parameters ?? []).map(resolve).filter((one: Json) => one.required)
  const query = new URLSearchParams(
    required.filter((one) => one.in === 'query').map((one): [string, string] => [one.name, String(one.example ?? 'x')]),
  )
  return query.size ? `${url}?${query}` : url
}

/** `invite_id` is the id of one of the `…/invites/`. */
function byName(name: string, known: ReadonlyMap<string, string>): string | undefined {
  const ending = `/${name.replace(/_id$/, 's')}/`
  return [...known].find(([collection]) => collection.endsWith(ending))?.[1]
}

interface Asking {
  url: string | undefined
  body?: string
  type?: string
  keyless?: boolean
  /** The status it has to be, where only one will do. */
  expected?: number
}

/** The contract's examples, then what it requires of the last; with what this server knows in the place of their own. */
function bodiesOf({ source }: Operation, values: Json): Pick<Asking, 'body' | 'type'>[] {
  const [type, media] = Object.entries<Json>(source.requestBody?.content ?? {})[0] ?? []
  if (!media) return [{}]
  const examples: Json[] = Object.values<Json>(media.examples ?? {}).map((example) => resolve(example).value)
  const required: string[] = resolve(media.schema).required ?? []
  const least = Object.fromEntries(required.map((name) => [name, examples.at(-1)?.[name]]))
  return [...examples, least].map((example) => ({
    type,
    // Lists begin with what is recent: an event without a time has this moment's.
    body: JSON.stringify(example, (name, given) => (name === 'timestamp' ? undefined : (values[name] ?? given))),
  }))
}

type Examine = (operation: Operation, asked: string, asking: Asking) => Promise<{ finding: Finding; answer: any }>

function comparison({ url: root, key }: Connection, dialect: Dialect): Examine {
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats.default(ajv)
  // Dialects differ in their schemas alone.
  ajv.addSchema(contractOf(dialect).contract, 'contract')
  const compiled = new Map<object, ValidateFunction>()

  async function send({ method }: Operation, { url, body, type, keyless }: Asking): Promise<Response> {
    for (let waits = 0; ; waits++) {
      const response = await fetch(`${root}${url}`, {
        method,
        headers: {
          ...(key && !keyless && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && { 'content-type': type ?? 'application/json' }),
        },
        ...(body !== undefined && { body }),
        redirect: 'manual',
        signal: AbortSignal.timeout(ANSWER_MS),
      }).catch((error) => {
        throw unreachable(root, error)
      })
      if (response.status !== 429 || waits === MOST_WAITS) return response
      await response.arrayBuffer()
      await sleep(Math.min(LONGEST_WAIT_S, Number(response.headers.get('retry-after')) || 1) * 1000)
    }
  }

  const validator = (schema: Json): ValidateFunction => {
    const known = compiled.get(schema) ?? ajv.compile(rooted(schema))
    compiled.set(schema, known)
    return known
  }

  return async (operation, asked, asking) => {
    const began = performance.now()
    const response = await send(operation, asking)
    const text = await response.text()
    const answer = parsed(text)
    const detail = deviation(operation, response, text, answer, asking.expected, validator)
    return {
      answer,
      finding: {
        operation: operation.id,
        asked,
        status: response.status,
        result: detail === null ? 'as promised' : 'deviation',
        detail,
        seconds: (performance.now() - began) / 1000,
      },
    }
  }
}

function parsed(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The contract's references begin at its root. */
const rooted = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema), (name, value) =>
    name === '$ref' && typeof value === 'string' && value.startsWith('#') ? `contract${value}` : value,
  )

function deviation(
  { source }: Operation,
  response: Response,
  text: string,
  body: unknown,
  expected: number | undefined,
  validator: (schema: Json) => ValidateFunction,
): string | null {
  const { status } = response
  if (expected !== undefined && status !== expected) return `It answers ${status} instead of ${expected}.`
  const declared = source.responses[status]
  if (!declared)
    return `It answers ${status}; the contract declares ${Object.keys(source.responses).join(', ')}${hint(body)}.`
  if (status >= 500) return `It failed with ${status}${hint(body)}.`
  const content: Record<string, Json> | undefined = resolve(declared).content
  if (!content) return text === '' ? null : `It answers ${text.length} bytes where the contract has no body.`
  const type = response.headers.get('content-type')?.split(';')[0]?.trim() ?? ''
  const media = content[type]
  if (!media) return `It answers as ${type || 'nothing in particular'} instead of ${Object.keys(content).join(', ')}.`
  if (!/json$/.test(type) || !media.schema) return null
  if (body === undefined) return 'Its body is not JSON.'
  const validate = validator(media.schema)
  if (validate(body)) return null
  const wrong = validate
    .errors!.slice(0, 3)
    .map(({ instancePath, message }) => `${instancePath || 'the body'} ${message}`)
  return `Its body is not as the contract says: ${wrong.join('; ')}.`
}

const hint = (body: any): string => (typeof body?.detail === 'string' ? `: ${body.detail.replace(/\.$/, '')}` : '')

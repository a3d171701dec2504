/**
 * Calls every operation in sequences of valid, almost valid and malicious requests. Every response must be declared in the
 * contract and match its schema, and none may be a server error. FUZZ_SEED repeats a run.
 */
import { Writable } from 'node:stream'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import t from 'tap'
import { contract, type Operation, operations, resolve } from '../../src/contract/table.ts'
import { casesOn, ENGINES, openApp, type TestApp } from '../helpers/app.ts'
import { bySize, figure, SIZE } from '../helpers/assertions/figures.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import type { Json } from '../helpers/json.ts'
import { openNameserver } from '../helpers/peers/nameserver.ts'
import { openPluginHosts } from '../helpers/peers/plugin-hosts.ts'
import { createTenant, type Kind, SAME_KIND, type Tenant, unknownId } from '../helpers/seeds/tenants.ts'
import { type FuzzRequest, isReference, PLUGIN_HOST, type Reference, type Role, sequences } from './arbitraries.ts'

/** Per engine, half of them with keys and half with sessions. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? bySize({ quick: 100, full: 1_000, prove: 50_000 }))
const SEED = Number(process.env.FUZZ_SEED ?? (SIZE === 'prove' ? Date.now() % 2 ** 31 : 20_260_101))
const MAX_STEPS = 100
/** A lower bound for the average number of requests in a sequence. Some steps have several requests. */
const MEAN_REQUESTS = (MAX_STEPS / 2) * 1.1
const MAX_IDS = 12

t.setTimeout(bySize({ full: 10, prove: 120 }) * 60_000)

const hosts = await openPluginHosts(t)
const SHA = '5b1f0c7d2e9a4863b7c05d1e8f2a6b394c7d0e15'
const plugin = { 'plugin.json': '{"name": "Webhooks"}', 'index.ts': 'export function onEvent(event) {}' }
hosts.published['github hedgerow/webhook'] = { newest: { '': SHA }, revisions: { [SHA]: plugin } }
hosts.published['github hedgerow/broken'] = { newest: { '': SHA }, revisions: { [SHA]: Buffer.from('no archive') } }
const DNS_SERVERS = await openNameserver(t, {})
const environment = { ...hosts.environment, DNS_SERVERS, SITE_URL: 'https://workspaces.example' }

/** The script of the reference page exists only after a build. */
const TESTED = operations.filter(({ id }) => id !== 'service.docs_script')

const ajv = new Ajv({ strict: false, allErrors: true })
addFormats.default(ajv)
const compiled = new Map<object, ValidateFunction>()

function validatorOf(schema: Json): ValidateFunction {
  const validate = compiled.get(schema) ?? ajv.compile({ components: contract.components, ...schema })
  compiled.set(schema, validate)
  return validate
}

interface Reply {
  status: number
  type: string
  text: string
}

/** Describes a fault of the response. Undefined if there is none. */
function describeFault({ operation, path }: FuzzRequest, { status, type, text }: Reply): string | undefined {
  if (status >= 500) return 'a server error'
  // A path parameter may contain a slash, and the path then matches no route.
  const declared =
    operation.source.responses[status] ?? (status === 404 && path.length && operation.source.responses[429])
  if (!declared) return 'an undeclared status'
  const { content } = resolve(declared)
  if (!content) return text === '' ? undefined : 'an undeclared body'
  const media = content[itemAt(type.split(';'), 0)]
  if (!media) return `the undeclared type ${type}`
  if (!type.startsWith('application/json')) return undefined
  const body: Json = JSON.parse(text)
  const validate = validatorOf(media.schema) as (value: unknown) => boolean
  if (!validate(body)) return `a body that violates its schema: ${ajv.errorsText(validatorOf(media.schema).errors)}`
  // Errors of HogQL have a position.
  if (status >= 400 && !/^type,code,detail,attr(,position)?$/.test(Object.keys(body).join()))
    return 'an error of the wrong shape'
  if (status >= 400 && !body.detail.trim()) return 'an error without a message'
  return undefined
}

/** The state of a sequence: its own tenant, and another tenant that all sequences share. */
interface FuzzState {
  app: TestApp
  credentials: Record<Role, Record<string, string>>
  ids: Record<Reference['kind'], (string | number)[]>
  foreign: Record<Reference['kind'], (string | number)[]>
}

let states = 0

const withCursors = (ids: Tenant['ids']): FuzzState['ids'] => ({
  ...(Object.fromEntries(Object.entries(ids).map(([kind, list]) => [kind, [...list]])) as Tenant['ids']),
  cursors: [],
})

async function openState(app: TestApp, other: Tenant, sessions: boolean): Promise<FuzzState> {
  const tenant = await createTenant(app, `fuzz${++states}`)
  const owner = await app.credentials(tenant.owner.key)
  const { 'x-csrf-token': _, ...withoutToken } = owner
  const scopes = ['organization:read', 'query:read', 'plugin:read']
  return {
    app,
    credentials: {
      owner,
      admin: await app.credentials(tenant.admin),
      member: await app.credentials(tenant.member),
      outsider: await app.credentials(other.owner.key),
      // A session may only read without its CSRF token.
      reader: sessions ? withoutToken : await app.credentials(await app.key({ user_id: tenant.owner.id, scopes })),
      anonymous: {},
      invalid: sessions ? { cookie: '__Host-workspace_session=invalid' } : { authorization: 'Bearer phx_invalid' },
    },
    ids: withCursors(tenant.ids),
    foreign: withCursors(other.ids),
  }
}

function chooseId({ ids, foreign }: FuzzState, { kind, owner, pick }: Reference): string | number {
  const candidates = owner === 'none' ? [] : (owner === 'own' ? ids : foreign)[kind]
  return candidates[pick % candidates.length] ?? (kind === 'cursors' ? 'AAAA' : unknownId(kind))
}

/** Replaces the references in a value by ids. */
function resolveReferences(state: FuzzState, value: unknown): unknown {
  if (isReference(value)) return chooseId(state, value)
  if (Array.isArray(value)) return value.map((item) => resolveReferences(state, item))
  if (typeof value !== 'object' || value === null) return value
  const result = {}
  for (const [key, child] of Object.entries(value))
    Object.defineProperty(result, key, { value: resolveReferences(state, child), enumerable: true })
  return result
}

const encoded = (value: unknown): string => {
  if (typeof value === 'object' && value !== null && 'unescaped' in value) return String(value.unescaped)
  return encodeURIComponent((typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed())
}

interface Sent {
  method: string
  url: string
  headers: Record<string, string>
  payload: string | Buffer | undefined
}

function toHttpRequest(state: FuzzState, { operation, role, path, query, body, headers }: FuzzRequest): Sent {
  const parts = path.map((part) => encoded(resolveReferences(state, part)))
  const pairs = query.map(([name, value]) => `${encodeURIComponent(name)}=${encoded(resolveReferences(state, value))}`)
  const json = body && 'value' in body
  const type = json ? 'application/json' : body?.type
  const real = (text: string): string => text.replaceAll(PLUGIN_HOST, hosts.urls.github)
  return {
    method: operation.method,
    url: operation.path.replace(/\{\w+\}/g, () => parts.shift()!) + (pairs.length ? `?${pairs.join('&')}` : ''),
    headers: {
      ...state.credentials[role],
      ...(type !== undefined && { 'content-type': type }),
      ...headers,
    },
    payload: json ? real(JSON.stringify(resolveReferences(state, body.value))) : body?.payload,
  }
}

/** Stores the ids of a response for later requests. */
function collectIds({ ids }: FuzzState, { area }: Operation, text: string): void {
  const keep = (kind: Reference['kind'], id: unknown): void => {
    if (id === undefined || id === null || ids[kind].includes(id as string)) return
    ids[kind].push(id as string)
    // Keep the first id, the parent of the other resources.
    if (ids[kind].length > MAX_IDS) ids[kind].splice(1, 1)
  }
  const body = JSON.parse(text)
  const kind = (SAME_KIND[area] ?? area) as Kind
  for (const item of [body.results ?? body].flat()) {
    if (kind === 'members') keep(kind, item.user?.uuid)
    else if (kind in ids && item && !Array.isArray(item)) keep(kind, item.id)
    keep('signup_tokens', item?.signup_token)
    keep('project_tokens', item?.api_token)
    for (const run of item?.latest_runs ?? []) keep('batch_export_runs', run.id)
    keep('batch_export_backfills', item?.backfill_id)
  }
  if (typeof body.next === 'string') keep('cursors', new URL(body.next).searchParams.get('cursor'))
}

const describeExchange = ({ method, url, headers, payload }: Sent, { status, text }: Reply): string =>
  `${method} ${url.slice(0, 2_000)} ${JSON.stringify(headers).slice(0, 500)} ${String(payload ?? '').slice(0, 2_000)}\n    → ${status} ${text.slice(0, 500)}`

t.comment(`FUZZ_SEED=${SEED}, ${REQUESTS} requests on each engine`)

const VARIANTS = ENGINES.flatMap((engine) => [
  { engine, sessions: false },
  { engine, sessions: true },
])

/** A quick run sends requests with keys on one engine, and with sessions on the other. */
const isTested = ({ engine, sessions }: (typeof VARIANTS)[number]): boolean =>
  SIZE !== 'quick' || sessions === (engine === 'postgres')

for (const { engine, sessions } of VARIANTS.filter(isTested))
  t.test(`every response matches the contract (${engine}, with ${sessions ? 'sessions' : 'keys'})`, async (t) => {
    const tested = casesOn(engine, TESTED)
    // A session has no API key.
    const expected = tested.filter(({ id }) => !(sessions && id === 'api_keys.current'))
    let failure = ''
    const log = new Writable({
      write: (line, _, done) => {
        if (line.includes('"err"')) failure = String(line)
        done()
      },
    })
    const app = await openApp(t, engine, { environment, log, sessions })
    const other = await createTenant(app, 'other')
    const statuses = new Map<string, Set<number>>()
    let sent = 0

    const runSteps = async (steps: FuzzRequest[][]): Promise<void> => {
      const state = await openState(app, other, sessions)
      const history: string[] = []
      for (const step of steps)
        await Promise.all(
          step.map(async (request) => {
            const { operation } = request
            const { method, url, headers, payload } = toHttpRequest(state, request)
            const response = await app.app.inject({
              method: method as 'GET',
              url,
              headers,
              ...(payload !== undefined && { payload }),
            })
            const received = {
              status: response.statusCode,
              type: String(response.headers['content-type'] ?? ''),
              text: response.payload,
            }
            sent++
            statuses.set(operation.id, (statuses.get(operation.id) ?? new Set()).add(received.status))
            history.push(describeExchange({ method, url, headers, payload }, received))
            const fault = describeFault(request, received)
            if (fault) throw new Error(`${operation.id} returned ${fault}.\n${history.join('\n')}`)
            if (received.status < 300 && received.type.startsWith('application/json') && operation.area !== 'service')
              collectIds(state, operation, received.text)
          }),
        )
    }

    /** Adds the last logged error of the server to a failure. */
    const run = async (steps: FuzzRequest[][]): Promise<void> => {
      failure = ''
      await runSteps(steps).catch((error: Error) => {
        throw new Error(`${error.message}\n${failure}`)
      })
    }

    // Random sequences may miss some operations. Further sequences call only those.
    const unreached = (): Operation[] => tested.filter(({ id }) => !statuses.has(id))
    for (let seed = SEED; unreached().length; seed++) {
      const selected = sent ? unreached() : tested
      const numRuns = sent ? 1 : Math.ceil(REQUESTS / 2 / MEAN_REQUESTS)
      const { failed, errorInstance } = await fc.check(fc.asyncProperty(sequences(selected, MAX_STEPS), run), {
        seed,
        numRuns,
      })
      if (failed) throw new Error(`FUZZ_SEED=${SEED}: ${(errorInstance as Error).message}`)
    }
    const succeeded = tested.filter(({ id, status }) => statuses.get(id)?.has(status))
    if (SIZE === 'prove')
      t.strictSame(
        expected.filter((operation) => !succeeded.includes(operation)).map(({ id }) => id),
        [],
        'every operation succeeded at least once',
      )
    else t.pass('all operations were called')
    figure(t, {
      area: 'Contract',
      count: sent,
      of: `generated requests with ${sessions ? 'sessions' : 'keys'}: valid, almost valid and malicious; ${succeeded.length} of ${tested.length} operations succeeded`,
      result: 'every response matched the contract, without server errors',
      seed: SEED,
    })
  })

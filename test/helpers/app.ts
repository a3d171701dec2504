import assert from 'node:assert/strict'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { setImmediate as nextLoop } from 'node:timers/promises'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { pino } from 'pino'
import type { Test } from 'tap'
import { issue } from '../../src/auth/api_keys.ts'
import { keyLookup } from '../../src/auth/caller.ts'
import { SESSION_COOKIE } from '../../src/auth/cookie-names.ts'
import { createSession, csrfTokenOf } from '../../src/auth/sessions.ts'
import { watchEventLoop } from '../../src/background/event-loop.ts'
import { readConfig } from '../../src/config.ts'
import type { OperationId, Params, Query } from '../../src/contract/operations.ts'
import { contractOf, type Dialect, dereference, type Operation, operations, resolve } from '../../src/contract/table.ts'
import { buildDeps, type Deps } from '../../src/deps.ts'
import { deliver } from '../../src/exports/deliver.ts'
import type { DeliveryProcesses } from '../../src/exports/delivery-processes.ts'
import { testDestination } from '../../src/exports/test-destination.ts'
import { serializerCompiler } from '../../src/http/serialization.ts'
import { buildServer } from '../../src/http/server.ts'
import type { KeeperLimits } from '../../src/mirror/keeper.ts'
import { type FirstRun, firstRun } from '../../src/organizations/first-run.ts'
import { createWithOwner } from '../../src/organizations/organizations.ts'
import { createSandbox, type Sandbox } from '../../src/plugins/runtime/sandbox.ts'
import type { Engine } from '../../src/sql/template.ts'
import * as accounts from '../../src/store/accounts.ts'
import { OPERATOR } from '../../src/store/activity_log.ts'
import { isUnrestricted, type KeyRestrictions, UNRESTRICTED } from '../../src/store/key-restrictions.ts'
import * as members from '../../src/store/members.ts'
import type { SignInMethod } from '../../src/store/sessions.ts'
import * as users from '../../src/store/users.ts'
import { inTurn, isNextSelected, SIZE } from './assertions/figures.ts'
import { cycled, defined } from './assertions/items.ts'
import { testFile } from './assertions/not-run.ts'
import { freshFolder } from './folders.ts'
import { copyMigratedSqlite, migratedDatabase } from './programs/postgres.ts'
import type { BodyAt, BodyOf, Schemas } from './response-bodies.ts'
import { knownIds } from './seeds/ids.ts'

export const ENGINES: Engine[] = ['sqlite', 'postgres']

/** Fails the test run when it uses a deprecated feature of Fastify. */
process.on('warning', (warning) => {
  if ((warning as { code?: string }).code?.startsWith('FSTDEP')) throw warning
})

export interface ApiResponse<Body = unknown> {
  status: number
  headers: Record<string, unknown>
  /** The JSON body, with the type of a successful response. */
  body: Body
  /** The body of a response with status 400 or more. */
  error: ErrorBody | undefined
  text: string
}

export interface Page {
  next: string | null
  previous?: string | null
}

export type ErrorBody = Schemas['Error']

export interface Person {
  id: number
  uuid: string
  email: string
  /** A key with all scopes and no restrictions. */
  key: string
}

/** Sends a request. The type of its URL decides the type of the response body. */
export type Send<Options> = <const Method extends string, const Url extends string>(
  method: Method,
  url: Url,
  options?: Options,
) => Promise<ApiResponse<BodyAt<Method, Url>>>

export interface TestApp {
  engine: Engine
  app: FastifyInstance
  deps: Deps
  first: FirstRun
  /** Moves the clock that the server sees. */
  advance(milliseconds: number): void
  /** Sends a request with the first key, or with `key`; null sends no key. */
  send: Send<SendOptions>
  /** Sends a request to an operation. Its path names the first organization and project unless `params` do. */
  call<Id extends OperationId>(id: Id, options?: CallOptions<Id>): Promise<ApiResponse<BodyOf<Id>>>
  /** Follows a link of a page. */
  follow<Body extends Page>(
    page: { body: Body },
    link?: 'next' | 'previous',
    options?: SendOptions,
  ): Promise<ApiResponse<Body>>
  /** Sets the password of the user of a key as the operator does, without a record in the activity log. */
  setPassword(password: string, key?: string): Promise<void>
  /** The headers of a new session of a user. */
  session(options?: {
    user_id?: number
    method?: SignInMethod
    second_factor?: boolean
  }): Promise<Record<string, string>>
  /** The headers of this key, or with `sessions` of a session of its user. */
  credentials(key: string): Promise<Record<string, string>>
  key(options: {
    user_id?: number
    scopes?: string[]
    restrictions?: KeyRestrictions
    expires_at?: string | null
  }): Promise<string>
  /** Creates a user with their own organization. */
  stranger(email: string): Promise<Person & { organization_id: string; project_id: number }>
  /** Creates a member of the first organization. */
  member(email: string, level: number): Promise<Person>
  /** All responses in order, without times. Both engines must produce the same. */
  transcript: { request: string; status: number; body: unknown }[]
}

export interface SendOptions {
  key?: string | null
  body?: unknown
  /** A body that is sent unchanged, with its content type. */
  raw?: { type?: string; payload: string | Buffer }
  headers?: Record<string, string>
}

export interface CallOptions<Id extends OperationId> extends SendOptions {
  params?: { [Name in keyof Params<Id>]?: string | number }
  query?: { [Name in keyof Query<Id>]?: unknown }
}

export interface AppOptions {
  environment?: Record<string, string>
  /** Runs deliveries; by default in this process, which is faster. */
  processes?: DeliveryProcesses
  /** Authenticates with a session of the same user instead of an unrestricted key. */
  sessions?: boolean
  /** Receives the log; discarded by default. */
  log?: NodeJS.WritableStream
  /** Replaces some limits of the mirror. */
  mirrorLimits?: Partial<KeeperLimits>
}

const CLIENT = { address: '127.0.0.1', user_agent: 'test' }

export const IN_THIS_PROCESS: DeliveryProcesses = { deliver, testDestination, stop: async () => undefined }

let inspector: Sandbox | undefined

/** Finds the exports of code for all servers of a test process. A child process takes half a second of CPU time to start. */
function sharedInspector(): Sandbox {
  if (inspector) return inspector
  const created = createSandbox({ max_processes: 2 })
  process.once('beforeExit', () => created.stop())
  inspector = created
  return created
}

/** Opens a server on a new database with its first user. Both are removed after the test. */
export async function openApp(
  t: Test,
  engine: Engine,
  { environment = {}, log, sessions = false, processes = IN_THIS_PROCESS, mirrorLimits }: AppOptions = {},
): Promise<TestApp> {
  const postgres = engine === 'postgres' ? await migratedDatabase() : undefined
  const folder = freshFolder(t)
  const url = postgres?.url ?? `sqlite:${folder}`
  if (!postgres) await copyMigratedSqlite(folder)
  const folders = postgres && { EXPORT_FOLDER: join(folder, 'exports'), EVENT_MIRROR_FOLDER: join(folder, 'mirror') }
  const config = readConfig({ DATABASE_URL: url, RATE_LIMITS: 'false', ...folders, ...environment })
  let time = Date.parse('2026-01-01T00:00:00Z')
  const deps = await buildDeps({
    config,
    log: log ? pino({ level: 'debug' }, log as never) : pino({ level: 'silent' }),
    clock: () => ++time,
    ids: knownIds(),
    processes,
    ...(mirrorLimits && { mirrorLimits }),
  })
  deps.inspector.inspect = sharedInspector().inspect
  const first = defined(await firstRun(deps.db, deps.ids, deps.now()))
  // Includes the work of the test itself, so it is not a failure.
  t.teardown(watchEventLoop((stall) => t.comment(`the event loop was blocked: ${JSON.stringify(stall)}`)))
  const undeclared: string[] = []
  const app = await buildServer(deps, { prepare: (instance) => checkResponses(instance, config.DIALECT, undeclared) })
  t.teardown(async () => {
    await app.close()
    await deps.dispose()
    await postgres?.drop()
  })
  t.teardown(() => assert.deepEqual(undeclared, []))

  const transcript: TestApp['transcript'] = []
  const key: TestApp['key'] = async ({ user_id = 1, scopes = ['*'], restrictions = UNRESTRICTED, expires_at = null }) =>
    (await issue(deps.db, deps.ids, deps.now(), { user_id, label: 'test', scopes, restrictions, expires_at })).value
  const createPerson = async (email: string): Promise<Person> => {
    const { db, ids } = deps
    const created = await users.create(db, {
      uuid: ids.uuid(),
      distinct_id: ids.uuid(),
      email,
      first_name: 'P',
      now: deps.now(),
    })
    const { id, uuid } = defined(created, 'a new address')
    return { id, uuid, email, key: await key({ user_id: id }) }
  }

  const session: TestApp['session'] = async ({ user_id = 1, method = 'password', second_factor = true } = {}) => {
    const limits = { ids: deps.ids, now: deps.now(), lifetime_hours: config.SESSION_LIFETIME_HOURS }
    const { token } = await createSession(deps.db, limits, { user_id, method, second_factor, client: CLIENT })
    const prefix = config.SITE_URL?.startsWith('https:') ? '__Host-' : ''
    return { cookie: `${prefix}${SESSION_COOKIE}=${token}`, 'x-csrf-token': csrfTokenOf(token) }
  }
  const known = new Map<string, Record<string, string>>()
  /** The headers of a session of the user of this key. Undefined for a key that is invalid or restricted. */
  const sessionHeaders = async (value: string): Promise<Record<string, string> | undefined> => {
    const caller = await keyLookup(deps.db)(value)
    if (!caller?.scopes.includes('*') || !isUnrestricted(caller.restrictions)) return undefined
    const headers = known.get(value) ?? (await session({ user_id: caller.user.id }))
    known.set(value, headers)
    return headers
  }
  const setPassword: TestApp['setPassword'] = async (password, value = first.api_key) => {
    const caller = await keyLookup(deps.db)(value)
    assert.ok(caller, 'the key exists')
    await accounts.setPassword(deps.db, caller.user.id, await deps.signIn.passwords.hash(password))
  }
  const credentials: TestApp['credentials'] = async (value) =>
    (sessions ? await sessionHeaders(value) : undefined) ?? { authorization: `Bearer ${value}` }

  const send = async <Body>(
    method: string,
    path: string,
    { key = first.api_key, body, raw, headers = {} }: SendOptions = {},
  ): Promise<ApiResponse<Body>> => {
    const type = raw ? raw.type : body === undefined ? undefined : 'application/json'
    const response = await app.inject({
      method: method as InjectOptions['method'],
      url: path,
      headers: {
        ...(key !== null && (await credentials(key))),
        ...(type !== undefined && { 'content-type': type }),
        ...headers,
      },
      ...((raw || body !== undefined) && { payload: raw ? raw.payload : JSON.stringify(body) }),
    })
    // Over a socket the next request comes in a later event-loop tick. By then background work, such as recording the use
    // of a key, has started.
    await nextLoop()
    const json = String(response.headers['content-type']).includes('json') && method !== 'HEAD'
    const parsed = json ? response.json() : undefined
    const result = {
      status: response.statusCode,
      headers: response.headers,
      text: response.payload,
      body: parsed,
      error: response.statusCode >= 400 ? parsed : undefined,
    }
    transcript.push({
      request: `${method} ${path.replace(TIME_IN_URL, '<time>')}`,
      status: result.status,
      // The status of the installation names the engine.
      body: json && !path.startsWith('/api/instance_status') ? timeless(result.body) : '',
    })
    return result
  }

  return {
    engine,
    app,
    deps,
    first,
    transcript,
    credentials,
    session,
    setPassword,
    key,
    advance: (milliseconds) => {
      time += milliseconds
    },
    send,
    follow: ({ body }, link = 'next', options = {}) => {
      const { pathname, search } = new URL(defined(body[link], `a ${link} page`))
      return send('GET', `${pathname}${search}`, options)
    },
    call: (id, { params, query, ...options } = {}) => {
      const { method, path } = operationOf(id)
      const { organization_id, project_id } = first
      return send(method, urlOf(path, { organization_id, project_id, ...params }, query), options)
    },
    stranger: async (email) => {
      const user = await createPerson(email)
      const created = await deps.db.tx((tx) =>
        createWithOwner(tx, deps.ids, deps.now(), OPERATOR, { owner_id: user.id, name: `Of ${email}` }),
      )
      return { ...user, organization_id: created.organization_id, project_id: created.project.id }
    },
    member: async (email, level) => {
      const user = await createPerson(email)
      const membership = {
        id: deps.ids.uuid(),
        organization_id: first.organization_id,
        user_id: user.id,
        level,
        now: deps.now(),
      }
      await deps.db.tx((tx) => members.create(tx, membership))
      return user
    },
  }
}

function operationOf(id: OperationId): Operation {
  const operation = operations.find((known) => known.id === id)
  assert.ok(operation, `${id} is not in the contract`)
  return operation
}

function urlOf(path: string, params: Record<string, string | number | undefined>, query: object = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    assert.ok(params[name] !== undefined, `pass {${name}} of ${path}`)
    return encodeURIComponent(params[name]).replace('%40', '@')
  })
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((item) => `${name}=${encodeURIComponent(String(item))}`),
  )
  return pairs.length ? `${filled}?${pairs.join('&')}` : filled
}

/** The engines of the next scenario of a test file: both. In the quick size, one of them in turn, or none (`halfInQuick`). */
export function nextEngines(): readonly Engine[] {
  const engines = inTurn(ENGINES)
  return isNextSelected() ? engines : []
}

/** The test files that have compared the engines. */
const compared = new Set<string>()

/** Both engines. In the quick size, a file compares them in one scenario, and runs the others on one engine each. */
function comparedEngines(): readonly Engine[] {
  const engines = nextEngines()
  const isFirst = !compared.has(testFile())
  compared.add(testFile())
  return isFirst ? ENGINES : engines
}

/** The cases that a test runs on an engine: all. In the quick size, each case runs on one engine. */
export const casesOn = <Case>(engine: Engine, cases: readonly Case[]): readonly Case[] =>
  SIZE === 'quick' ? cases.filter((_, i) => cycled(ENGINES, i) === engine) : cases

/** Runs a scenario on both engines and compares their responses. In the quick size, see `comparedEngines`. */
export function onBothEngines(
  t: Test,
  name: string,
  scenario: (t: Test, app: TestApp) => Promise<unknown>,
  options: AppOptions = {},
): void {
  const transcripts: unknown[] = []
  const engines = comparedEngines()
  for (const engine of engines)
    t.test(`${name} (${engine})`, async (t) => {
      const app = await openApp(t, engine, options)
      await scenario(t, app)
      transcripts.push(app.transcript)
    })
  if (engines.length < 2) return
  t.test(`${name}: both engines return the same responses`, async (t) => {
    t.same(transcripts[0], transcripts[1])
  })
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** Durations in messages, which depend on the machine. */
const DURATION = /in [\d.]+ seconds, \d+ events per second|(?<=Try again) in \d+ seconds/

/** Also the hash of a site app, which depends on times. */
const TIME_IN_URL = /\d{4}-\d\d-\d\dT[\d:.%A]+Z|(?<=cursor=)[\w-]+|(?<=\/site_app\/[^/]+\/[^/]+\/)[0-9a-f]{32}/g

function timeless(value: unknown): unknown {
  if (typeof value === 'string' && /^http|^\/site_app/.test(value)) return value.replace(TIME_IN_URL, '<time>')
  if (typeof value === 'string') return TIME.test(value) ? '<time>' : value.replace(DURATION, '<pace>')
  if (Array.isArray(value)) return value.map(timeless)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, VARYING[key]?.(child) ?? timeless(child)]),
  )
}

/** Fields that differ between the engines or between two runs. */
const VARYING: Record<string, (value: unknown) => unknown> = {
  // The last use is written after the response, so the next request may or may not see it.
  last_used_at: () => '<time or null>',
  // Background work moves the clock of the tests, too.
  milliseconds: () => '<milliseconds>',
  timings: () => '<seconds>',
  // Positions of events differ.
  cursor: () => '<cursor>',
  // On PostgreSQL the count is exact when no transaction is open, even in the databases of other suites.
  skipped_events: (skipped) => skipped && timeless({ ...skipped, exact: '<boolean>' }),
}

type Validate = ReturnType<Ajv['compile']>

// Shared by all servers of a suite: compiling a schema takes longer than most requests.
const ajv = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false, allErrors: true })
addFormats.default(ajv)
for (const annotation of ['x-trim', 'x-max-json', 'x-secret-receiver', 'x-credential', 'x-unused', 'discriminator'])
  ajv.addKeyword(annotation)
const written = new Ajv({ strict: false, allErrors: true })
addFormats.default(written)
const validators = new Map<string, Validate>()

function validatorOf(schema: object): Validate {
  const key = JSON.stringify(schema)
  const validate = validators.get(key) ?? ajv.compile(schema)
  validators.set(key, validate)
  return validate
}

/** Checks that every response matches its schema, is serialized without loss and has a declared status. */
function checkResponses(app: FastifyInstance, dialect: Dialect, undeclared: string[]): void {
  const { contract } = contractOf(dialect)
  const isError = validatorOf(contract.components.schemas.Error)
  if (!(dialect in written.schemas)) written.addSchema(contract, dialect)
  const compiled = new Set<string>()
  app.setSerializerCompiler((route) => {
    const { schema, method, url, httpStatus, contentType } = route
    const key = JSON.stringify([method, url, httpStatus, contentType, schema])
    assert(!compiled.has(key), `the serializer of ${method} ${url} is compiled for each request`)
    compiled.add(key)
    let validate: Validate | undefined
    const write = serializerCompiler(dialect)(route)
    return (data) => {
      validate ??= validatorOf(dereference(route.schema, contract))
      if (!validate(data))
        throw new Error(`${route.method} ${route.url} returned an invalid body: ${ajv.errorsText(validate.errors)}`)
      const text = write(data)
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(data)), `${route.url} lost data in serialization`)
      return text
    }
  })

  app.addHook('onSend', async (request, reply, payload) => {
    const declared = request.operation ? resolve(request.operation.source).responses : undefined
    if (declared && !declared[reply.statusCode])
      undeclared.push(`${request.operation?.id} returned ${reply.statusCode}, which the contract does not declare`)
    if (reply.statusCode >= 400 && request.method !== 'HEAD' && !isError(JSON.parse(String(payload))))
      undeclared.push(`${request.method} ${request.url} failed with ${payload}`)
    return payload
  })

  // A RawResponse passes no serializer, so its text is parsed and checked.
  const check = (operation: Operation, text: string): void => {
    const place = [operation.path, operation.method.toLowerCase(), 'responses', String(operation.status)]
    const pointer = ['paths', ...place, 'content', 'application/json', 'schema']
      .map((key) => encodeURIComponent(key.replace(/~/g, '~0').replace(/\//g, '~1')))
      .join('/')
    const validate = defined(written.getSchema(`${dialect}#/${pointer}`), pointer)
    if (!validate(JSON.parse(text)))
      undeclared.push(
        `${operation.id} returned an invalid body: ${written.errorsText(validate.errors)}: ${text.slice(0, 500)}`,
      )
  }
  app.addHook('onSend', async (request, reply, payload) => {
    const { operation } = request
    const json = String(reply.getHeader('content-type')).startsWith('application/json')
    if (!operation || !json || operation.area !== 'events' || reply.statusCode !== operation.status) return payload
    if (typeof payload === 'string') check(operation, payload)
    if (!(payload instanceof Readable)) return payload
    let text = ''
    return payload.pipe(
      new Transform({
        transform: (chunk, _, done) => {
          text += chunk
          done(null, chunk)
        },
        flush: (done) => {
          check(operation, text)
          done()
        },
      }),
    )
  })
}

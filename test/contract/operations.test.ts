/** Checks that apply to every operation of the contract, on both engines. `authorization.test.ts` checks who may call it. */
import { Validator } from '@seriousme/openapi-schema-validator'
import t, { type Test } from 'tap'
import { contract, dereference, type Operation, operations, resolve, SINGLE_LINE } from '../../src/contract/table.ts'
import { personIdOf } from '../../src/events/persons.ts'
import { specifications } from '../../src/http/bind.ts'
import { onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { bySize, SIZE } from '../helpers/assertions/figures.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import type { Json } from '../helpers/json.ts'
import { createFailedDelivery } from '../helpers/seeds/tenants.ts'

t.setTimeout(10 * 60_000)

const UNKNOWN_UUID = '99999999-9999-7999-8999-999999999999'
const UNKNOWN_INTEGER = '999999999'
const scopes: string[] = contract.components.schemas.Scope.enum.filter((scope: string) => scope !== '*')
const protectedOperations = operations.filter((operation) => !operation.isPublic)
/** The operations that a key may call. */
const keyed = protectedOperations.filter((operation) => !operation.needsSession)

const parametersOf = (path: string): Json[] => (contract.paths[path]?.parameters ?? []).map(resolve)

/** A quick run tests each operation with a key or with a session. */
const inSize = (operations: readonly Operation[], sessions: boolean): Operation[] =>
  operations.filter(
    (operation) =>
      SIZE !== 'quick' || operation.needsSession || (protectedOperations.indexOf(operation) % 2 === 0) === sessions,
  )

/** With sessions on one engine, because the difference is not in the database. */
function withKeysAndSessions(
  title: string,
  scenario: (t: Test, app: TestApp, allowed: Operation[]) => Promise<unknown>,
): void {
  onBothEngines(t, `${title}, with keys`, (t, app) => scenario(t, app, inSize(keyed, false)))
  withSessions(title, (t, app) => scenario(t, app, inSize(protectedOperations, true)))
}

function withSessions(title: string, scenario: (t: Test, app: TestApp) => Promise<unknown>): void {
  t.test(`${title}, with sessions`, async (t) => {
    await scenario(t, await openApp(t, 'sqlite', { sessions: true }))
  })
}

/** The URL of an operation. Other ids of the path are `own` or unknown ids. */
function urlOf(
  operation: Operation,
  ids: { organization: string; project: string | number },
  own?: string | Record<string, string>,
): string {
  let index = 0
  return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (index++ === 0 && operation.within) return String(ids[operation.within])
    const schema = parametersOf(operation.path).find((parameter) => parameter.name === name)?.schema
    const id = typeof own === 'string' ? own : (own?.[`${operation.area}.${name}`] ?? own?.[operation.area])
    return id ?? (schema.type === 'integer' ? UNKNOWN_INTEGER : UNKNOWN_UUID)
  })
}

/** Creates one resource of each kind, for checks after the lookup. */
async function createSubjects(app: TestApp): Promise<Record<string, string>> {
  const create = async (path: string, body: object): Promise<string> =>
    String(((await app.send('POST', path, { body })).body as { id: string | number }).id)
  const within = `/api/organizations/${app.first.organization_id}` as const
  const exports = `/api/projects/${app.first.project_id}/batch_exports` as const
  const destination = { type: 'NoOp', config: {} }
  const batch_export = await create(`${exports}/`, { name: 'subject', destination, interval: 'day' })
  const range = { start_at: '2025-12-01T00:00:00Z', end_at: '2025-12-02T00:00:00Z' }
  const backfilled = await app.send('POST', `${exports}/${batch_export}/backfill/`, { body: range })
  const plugin = (family: string): Promise<string> =>
    create(`${within}/${family}/`, { plugin_type: 'source', name: 'Subject' })
  const pipeline_destinations = await plugin('pipeline_destinations')
  const configs = `/api/projects/${app.first.project_id}/plugin_configs/`
  const plugin_config = await create(configs, { plugin: Number(pipeline_destinations), enabled: true })
  const seen = { api_key: app.first.project_token, event: 'seen', distinct_id: 'subject' }
  await app.send('POST', '/capture/', { key: null, body: seen })
  return {
    persons: personIdOf(app.first.project_id, 'subject'),
    batch_exports: batch_export,
    project_batch_exports: batch_export,
    batch_export_runs: itemAt(backfilled.body.latest_runs, 0).id,
    'batch_export_runs.batch_export_id': batch_export,
    batch_export_backfills: String(backfilled.body.backfill_id),
    'batch_export_backfills.batch_export_id': batch_export,
    api_keys: await create('/api/personal_api_keys/', { label: 'subject', scopes: ['query:read'] }),
    domains: await create(`${within}/domains/`, { domain: 'subject.example' }),
    integrations: await create(`${within}/integrations/`, {
      name: 'subject',
      kind: 'AwsS3',
      config: { region: 'eu-central-1', use_default_credentials: true },
    }),
    alerts: await create(`${within}/alerts/`, {
      name: 'subject',
      triggers: ['failure'],
      channel: 'email',
      emails: [(await app.member('recipient@example.com', 1)).email],
    }),
    invites: await create(`${within}/invites/`, { target_email: 'subject@example.com' }),
    members: (await app.member('subject-member@example.com', 1)).uuid,
    organization_projects: String(await create(`${within}/projects/`, { name: 'Subject' })),
    pipeline_destinations,
    pipeline_frontend_apps: await plugin('pipeline_frontend_apps'),
    pipeline_import_apps: await plugin('pipeline_import_apps'),
    plugin_configs: plugin_config,
    plugin_failed_deliveries: await createFailedDelivery(app, Number(plugin_config), 'subject'),
    'plugin_failed_deliveries.plugin_config_id': plugin_config,
    plugin_test_events: await create(`${configs}${plugin_config}/test_events/`, {
      name: 'subject',
      event: { event: 'seen', distinct_id: 'ada' },
    }),
    'plugin_test_events.plugin_config_id': plugin_config,
  }
}

const ownIds = ({ first }: TestApp) => ({ organization: first.organization_id, project: first.project_id })

const jsonBody = (operation: Operation): Json | undefined => {
  const content = operation.source.requestBody?.content
  return content && Object.keys(content).length === 1 ? content['application/json'] : undefined
}

/** Whether the operation looks up the id of the path before it reads the body. */
const looksUpFirst = (operation: Operation): boolean => operation.namesSubject

onBothEngines(t, 'the error of a missing scope names it', async (t, app) => {
  for (const scope of ['*', ...scopes]) {
    const operation = keyed.find((one) => one.scope === scope)
    if (!operation) continue
    const others = scopes.filter((held) => held !== scope && held !== scope.replace(':read', ':write'))
    const key = await app.key({ scopes: others })
    const { error } = await app.send(operation.method, urlOf(operation, ownIds(app)), { key })
    t.ok(error?.detail.includes(`'${scope}'`), `${operation.id} names ${scope}`)
  }
})

t.test('the routing documents are valid OpenAPI', async (t) => {
  for (const [name, specification] of Object.entries(specifications()))
    t.match(await new Validator().validate(specification), { valid: true }, name)
})

t.test('only capture, service, signup and sign-in are public', async (t) => {
  t.strictSame([...new Set(operations.filter((o) => o.isPublic).map((o) => o.area))].sort(), [
    'capture',
    'password_reset',
    'service',
    'session',
    'signup',
    'sso',
    'users',
  ])
})

/** The cookie of a session of the first user, and the CSRF token that belongs to it. */
async function sessionOf({ credentials, first }: TestApp): Promise<{ cookie: string; token: string }> {
  const { cookie = '', 'x-csrf-token': token = '' } = await credentials(first.api_key)
  return { cookie, token }
}

const BROKEN = { key: null, raw: { type: 'application/json', payload: '{broken' } }

withSessions('checks the session first', async (t, app) => {
  const { cookie, token } = await sessionOf(app)
  const [name] = cookie.split('=')
  const cases: [title: string, headers: Record<string, string>, code: string][] = [
    ['an unknown session', { cookie: `${name}=${'x'.repeat(43)}`, 'x-csrf-token': token }, 'not_authenticated'],
    ['an empty session', { cookie: `${name}=`, 'x-csrf-token': token }, 'not_authenticated'],
    ['only a CSRF token', { 'x-csrf-token': token }, 'not_authenticated'],
    ['the name of the cookie on https', { cookie: `__Host-${cookie}`, 'x-csrf-token': token }, 'not_authenticated'],
    ['a wrong key', { cookie, 'x-csrf-token': token, authorization: 'Bearer phx_unknown' }, 'authentication_failed'],
  ]
  for (const operation of protectedOperations) {
    const url = urlOf(operation, { organization: UNKNOWN_UUID, project: UNKNOWN_INTEGER })
    for (const [title, headers, code] of cases)
      t.match(
        await app.send(operation.method, url, { ...BROKEN, headers }),
        { status: 401, body: { type: 'authentication_error', code, attr: null } },
        `${operation.id} with ${title}`,
      )
  }
  app.advance(14 * 24 * 3_600_000)
  for (const operation of protectedOperations)
    t.match(
      await app.send(operation.method, urlOf(operation, ownIds(app)), { ...BROKEN, headers: { cookie } }),
      { status: 401, body: { code: 'not_authenticated' } },
      `${operation.id} with an expired session`,
    )
})

withSessions('checks the origin and the CSRF token second', async (t, app) => {
  const { cookie, token } = await sessionOf(app)
  const { cookie: other, 'x-csrf-token': othersToken = '' } = await app.credentials(
    (await app.stranger('other@example.com')).key,
  )
  t.not(other, cookie)
  const cases: [title: string, headers: Record<string, string>][] = [
    ['no CSRF token', {}],
    ['the CSRF token of another session', { 'x-csrf-token': othersToken }],
    ['the session itself as CSRF token', { 'x-csrf-token': cookie.split('=')[1] ?? '' }],
    ['a page of another origin', { 'x-csrf-token': token, origin: 'https://elsewhere.example' }],
    ['an opaque origin', { 'x-csrf-token': token, origin: 'null' }],
    ['a page of another site', { 'x-csrf-token': token, 'sec-fetch-site': 'cross-site' }],
  ]
  for (const operation of protectedOperations) {
    const url = urlOf(operation, { organization: UNKNOWN_UUID, project: UNKNOWN_INTEGER })
    for (const [title, headers] of cases) {
      const response = await app.send(operation.method, url, { ...BROKEN, headers: { cookie, ...headers } })
      if (operation.method === 'GET') t.not(response.error?.code, 'permission_denied', `${operation.id} with ${title}`)
      else
        t.match(
          response,
          { status: 403, body: { type: 'authentication_error', code: 'permission_denied', attr: null } },
          `${operation.id} with ${title}`,
        )
    }
  }
})

withKeysAndSessions(
  'checks existence third, with the same 404 for other tenants and unknown ids',
  async (t, app, allowed) => {
    const other = await app.stranger('other@example.com')
    const theirs = { organization: other.organization_id, project: other.project_id }
    const unknownIds = { organization: UNKNOWN_UUID, project: UNKNOWN_INTEGER }
    const wrongBody = { raw: { type: 'application/json', payload: '"wrong"' } }
    for (const operation of allowed) {
      if (operation.within) {
        const absent = await app.send(operation.method, urlOf(operation, unknownIds), wrongBody)
        t.match(
          absent,
          { status: 404, body: { type: 'invalid_request', code: 'not_found', attr: null } },
          `${operation.id} with an unknown id`,
        )
        const foreign = await app.send(operation.method, urlOf(operation, theirs), wrongBody)
        t.equal(foreign.status, 404)
        t.equal(foreign.text, absent.text, `${operation.id} in another tenant`)
        for (const malformed of [
          'x',
          '0',
          '-1',
          '1.5',
          '%00',
          `${UNKNOWN_UUID}0`,
          '%F0%9F%A6%94',
          "1'--",
          '9'.repeat(99),
        ]) {
          const response = await app.send(
            operation.method,
            urlOf(operation, { organization: malformed, project: malformed }),
            wrongBody,
          )
          t.equal(response.text, absent.text, `${operation.id} at ${malformed}`)
        }
      }
      const checked = parametersOf(operation.path).slice(operation.within ? 1 : 0)
      if (
        checked.length &&
        (looksUpFirst(operation) || checked.every(({ schema }) => schema.format || schema.type === 'integer'))
      )
        for (const malformed of ['x', '-1', '1.5', '%00', '%F0%9F%A6%94']) {
          const response = await app.send(operation.method, urlOf(operation, ownIds(app), malformed))
          t.match(response, { status: 404, body: { code: 'not_found' } }, `${operation.id} of ${malformed}`)
        }
    }
  },
)

withKeysAndSessions('checks the body last', async (t, app, allowed) => {
  const subjects = await createSubjects(app)
  const taking = allowed.filter(jsonBody)
  t.ok(taking.length >= bySize({ quick: 15, full: 30 }))
  for (const operation of taking) {
    const url = urlOf(operation, ownIds(app), subjects)
    const send = (payload: string, type = 'application/json') =>
      app.send(operation.method, url, { raw: { type, payload } })
    t.match(
      await send('"wrong"'),
      { status: 400, body: { type: 'validation_error', attr: null } },
      `${operation.id} with a string`,
    )
    t.match(await send('null'), { status: 400, body: { code: 'null', attr: null } }, `${operation.id} with null`)
    t.match(
      await send('{"a":'),
      { status: 400, body: { type: 'invalid_request', code: 'parse_error' } },
      `${operation.id} with incomplete JSON`,
    )
    t.match(
      await send('{}', 'text/plain'),
      { status: 415, body: { code: 'unsupported_media_type' } },
      `${operation.id} with text/plain`,
    )
    if (operation.bodyRequired) {
      for (const type of ['application/json', undefined]) {
        const response = await app.send(operation.method, url, { raw: { ...(type && { type }), payload: '' } })
        t.match(response, { status: 400, body: { type: 'validation_error' } }, `${operation.id} without a body`)
      }
    }
    await assertRejectsWrongTypes(t, app, operation, url)
  }
  for (const operation of allowed.filter((operation) => operation.method !== 'GET' && !jsonBody(operation))) {
    const url = urlOf(operation, ownIds(app), subjects)
    const send = (type: string, payload: string) => app.send(operation.method, url, { raw: { type, payload } })
    t.equal((await send('text/plain', '{}')).status, 415, `${operation.id} rejects a text body`)
    t.equal(
      (await send('application/json', ' '.repeat(1024 * 1024 + 1))).status,
      413,
      `${operation.id} with an oversized body`,
    )
  }
})

/** Sends each field of the body with a value of the wrong type. */
async function assertRejectsWrongTypes(t: Test, app: TestApp, operation: Operation, url: string): Promise<void> {
  const body = jsonBody(operation)!
  const example = resolve(Object.values<Json>(body.examples ?? {})[0] ?? {}).value
  if (typeof example !== 'object' || Array.isArray(example)) return
  for (const [name, schema] of Object.entries(propertiesOf(body.schema))) {
    const types: string[] = [resolve(schema).type ?? []].flat()
    if (types.length === 0) continue
    const wrong = types.includes('object') ? 'wrong' : { wrong: true }
    const response = await app.send(operation.method, url, { body: { ...example, [name]: wrong } })
    t.match(
      response,
      { status: 400, body: { type: 'validation_error', attr: new RegExp(`^${name}`) } },
      `${operation.id} with the wrong type of ${name}`,
    )
  }
}

function propertiesOf(schema: Json): Record<string, Json> {
  const { properties = {}, allOf = [] } = resolve(schema)
  return Object.assign({}, properties, ...allOf.map(propertiesOf))
}

t.test('names cannot contain line breaks or control characters', async (t) => {
  const NAMES = ['name', 'label', 'first_name', 'last_name']
  const sent = operations.flatMap(({ id, source }) => {
    const schema = dereference(source.requestBody?.content?.['application/json']?.schema ?? {})
    const parts = [schema, ...(schema.allOf ?? []), ...(schema.oneOf ?? [])].flatMap((part) => [
      part,
      ...(part.allOf ?? []),
    ])
    const all = parts.flatMap((part) => Object.entries<Json>({ ...part.properties, ...part.items?.properties }))
    return NAMES.flatMap((name) => {
      const schemas = all.filter(([key]) => key === name).map(([, value]) => value)
      return schemas.length ? [{ id, name, patterns: schemas.map(({ pattern }) => pattern) }] : []
    })
  })
  t.ok(sent.length > 15, `${sent.length} names`)
  for (const { id, name, patterns } of sent) t.ok(patterns.includes(SINGLE_LINE), `${id} ${name}`)
  for (const text of ['', 'Ada Lovelace', 'Ünï — "コード" 👩‍💻'])
    t.ok(new RegExp(SINGLE_LINE, 'u').test(text), JSON.stringify(text))
  for (const text of ['a\nb', 'a\rb', '\t', '\u0000', '\u001b[2J', '\u007f', '\u0085', '\u2028', '\u2029'])
    t.notOk(new RegExp(SINGLE_LINE, 'u').test(text), encodeURIComponent(text))
})

/** Empty bodies as clients send them. PHP sends `[]`. */
const EMPTY_BODIES = ['', '{}', '[]', ' [ ] ']

onBothEngines(
  t,
  'an optional body may be empty in every format',
  async (t, app) => {
    const subjects = await createSubjects(app)
    const withBody = keyed.filter(({ method, bodyRequired }) => ['POST', 'PATCH'].includes(method) && !bodyRequired)
    t.ok(
      withBody.some(({ id }) => id === 'domains.verify') && withBody.some(({ id }) => id === 'batch_exports.unpause'),
    )
    for (const operation of withBody)
      for (const payload of EMPTY_BODIES) {
        const url = urlOf(operation, ownIds(app), subjects)
        const { status, error } = await app.send(operation.method, url, { raw: { type: 'application/json', payload } })
        // Actions on runs may fail because of the state of the run, but not because of the body.
        t.ok(
          status === operation.status || !/body/i.test(String(error?.detail)),
          `${operation.id} with ${payload || 'nothing'}`,
        )
      }
  },
  { environment: { SECRET_KEY: 'ab'.repeat(32) } },
)

/** Times relative to now, and positions of events, change from one request to the next. */
const withoutPlaces = (text: string): string => text.replace(/"(after|before|cursor)":"[^"]*"/g, '"$1":""')

onBothEngines(t, '%40 means @ in paths', async (t, app) => {
  const current = (sign: string) => ({ organization: `${sign}current`, project: `${sign}current` })
  for (const operation of keyed.filter(({ method, namesSubject }) => method === 'GET' && !namesSubject)) {
    const url = urlOf(operation, current('@'))
    const plain = await app.send('GET', url)
    t.equal(plain.status, 200, operation.id)
    const encoded = await app.send('GET', url.replaceAll('@', '%40'))
    t.equal(withoutPlaces(encoded.text), withoutPlaces(plain.text), `${operation.id} encoded`)
  }
  const own = (await app.send('GET', '/api/users/@me/')).body
  t.equal(((await app.send('GET', '/api/users/%40me/?email=%40me')).body as typeof own).uuid, own.uuid)
  t.equal((await app.send('POST', '/api/users/%40me/')).status, 405)
  t.equal((await app.send('PATCH', '/api/organizations/%40current/members/%40me/')).body.user.uuid, own.uuid)
})

onBothEngines(t, 'updating a resource with its own representation changes nothing', async (t, app) => {
  const subjects = await createSubjects(app)
  const updates = keyed.filter(({ method, path }) => method === 'PATCH' && contract.paths[path]?.get)
  t.ok(updates.length >= 10)
  for (const operation of updates) {
    const url = urlOf(operation, ownIds(app), subjects)
    const before = await app.send('GET', url)
    const { status, text } = await app.send('PATCH', url, { body: before.body })
    t.equal(status, 200, `${operation.id}: ${text}`)
    t.equal((await app.send('GET', url)).text, before.text, `${operation.id} changed nothing`)
  }
})

onBothEngines(t, 'rejects an Accept header that excludes every media type of the response', async (t, app) => {
  const subjects = await createSubjects(app)
  const isJson = ({ path, mediaType }: Operation): boolean =>
    path.startsWith('/api/') && mediaType === 'application/json'
  t.same(
    operations.filter(({ source }) => source.responses[406]).map(({ id }) => id),
    operations.filter(isJson).map(({ id }) => id),
  )
  for (const operation of operations.filter((one) => isJson(one) && !one.needsSession)) {
    const url = urlOf(operation, ownIds(app), subjects)
    const headers = { accept: 'text/html, application/json;q=0' }
    const rejected = await app.send(operation.method, url, { headers })
    t.match(
      rejected,
      { status: 406, body: { type: 'invalid_request', code: 'not_acceptable', attr: null } },
      operation.id,
    )
    if (!operation.isPublic) t.equal((await app.send(operation.method, url, { headers, key: null })).status, 401)
  }
  for (const operation of operations.filter(
    (operation) => operation.isPublic && !isJson(operation) && operation.id !== 'service.docs_script',
  ))
    t.not(
      (await app.send(operation.method, urlOf(operation, ownIds(app)), { headers: { accept: 'image/png' } })).status,
      406,
    )
  t.equal((await app.send('GET', '/api/organizations/', { headers: { accept: 'text/csv' } })).status, 406)
  t.equal((await app.send('GET', '/api/projects/@current/events/', { headers: { accept: 'text/csv' } })).status, 200)
  for (const accept of ['application/*', 'text/html, */*;q=0.1', 'APPLICATION/JSON;charset=utf-8', ';;;', 'json', ''])
    t.equal((await app.send('GET', '/api/users/@me/', { headers: { accept } })).status, 200, accept)
})

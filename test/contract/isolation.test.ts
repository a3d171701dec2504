/**
 * Two tenants with all kinds of resources. In every parameter and field that can contain an id, an id of the other tenant
 * has the same result as an unknown id, reveals nothing and changes nothing. The parameters are read from the contract.
 */
import t, { type Test } from 'tap'
import { type Operation, operations, resolve } from '../../src/contract/table.ts'
import type { Db } from '../../src/sql/db.ts'
import { type Engine, name, sql } from '../../src/sql/template.ts'
import * as runs from '../../src/store/batch_export_runs.ts'
import { type ApiResponse, ENGINES, openApp, type Page, type TestApp } from '../helpers/app.ts'
import { bySize, figure, SIZE } from '../helpers/assertions/figures.ts'
import type { Json } from '../helpers/json.ts'
import {
  createTenant,
  type Id,
  type Kind,
  kindOf,
  PLUGIN_FAMILIES,
  parametersOf,
  REFERENCES,
  type Request,
  requestOf,
  type Tenant,
  unknownId,
  urlOf,
} from '../helpers/seeds/tenants.ts'

/** Tokens are not ids: every holder may use them. Providers belong to the operator. */
const SECRETS: Kind[] = ['signup_tokens', 'project_tokens', 'web_tokens', 'providers']
/** These parameters select a range, and responses repeat them. */
const COUNTS = ['limit', 'offset']
/**
 * The script of the reference page exists only after a build. Metrics and the status cover all tenants. The settings of a
 * project are for every holder of its token.
 */
const EXCLUDED = ['service.docs_script', 'service.metrics', 'instance.status', 'capture.array_config']
/** Each free-text parameter gets one of this many ids. */
const STRIDE = bySize({ quick: 30, full: 5, prove: 1 })
/** Each parameter for an id gets all ids of its own kind, and one of this many kinds of the others. */
const OTHER_KINDS_STRIDE = bySize({ quick: 12, full: 1 })
t.setTimeout(bySize({ full: 10, prove: 30 }) * 60_000)

/** Whether with sessions or with keys. The difference is not in the database, so not every engine has both. */
const CREDENTIALS: Record<Engine, boolean[]> = bySize({
  quick: { sqlite: [true], postgres: [false] },
  full: { sqlite: [false, true], postgres: [false] },
  prove: { sqlite: [false, true], postgres: [false, true] },
})

const TESTED = operations.filter(({ id }) => !EXCLUDED.includes(id))

const onEachEngine = (label: string, scenario: (t: Test, app: TestApp, sessions: boolean) => Promise<void>): void => {
  for (const engine of ENGINES)
    for (const sessions of CREDENTIALS[engine])
      t.test(`${label} (${engine}, with ${sessions ? 'sessions' : 'keys'})`, async (t) => {
        await scenario(
          t,
          await openApp(t, engine, { sessions, environment: { SECRET_KEY: '5e'.repeat(32) } }),
          sessions,
        )
      })
}

/** A part of a request that can contain an id. */
interface Place {
  label: string
  /** The kind of resource that the id refers to. Undefined for free text. */
  kind?: Kind
  put(request: Request, id: Id): Request
}

function placesOf(operation: Operation): Place[] {
  const parameters = parametersOf(operation)
  const within = (request: Request, parameter: string, id: Id): Request => ({
    ...request,
    path: { ...request.path, [parameter]: id },
  })
  const path = parameters.map((parameter) => ({
    label: `path ${parameter}`,
    kind: kindOf(operation, parameter),
    put: (request: Request, id: Id) => within(request, parameter, id),
  }))
  const query = (operation.source.parameters ?? [])
    .map(resolve)
    .filter((parameter: Json) => parameter.in === 'query' && !COUNTS.includes(parameter.name))
    .map((parameter: Json) => ({
      label: `query ${parameter.name}`,
      put: (request: Request, id: Id) => ({
        ...request,
        query: { ...request.query, [parameter.name]: (EXPRESSIONS[parameter.name] ?? String)(id) },
      }),
    }))
  const schema = operation.source.requestBody?.content['application/json']?.schema
  const body = (schema ? fieldsOf(schema) : []).map((at) => ({
    label: `body ${at.join('.')}`,
    ...(REFERENCES[at[0]!] && { kind: REFERENCES[at[0]!]! }),
    put: (request: Request, id: Id) => ({ ...request, body: withValue(request.body, at, id) }),
  }))
  return [...path, ...query, ...body]
}

/** Embeds an id in parameters that take an expression. */
const EXPRESSIONS: Record<string, (id: Id) => string> = {
  where: (id) => `uuid = '${id}' or distinct_id = '${id}' or properties.plan = '${id}'`,
  select: (id) => `countIf(uuid = '${id}' or distinct_id = '${id}')`,
  properties: (id) => JSON.stringify([{ key: 'plan', value: id, operator: 'icontains' }]),
}

/** The paths of all fields of a body. Lists have the path of their first item. */
function fieldsOf(schema: Json, at: string[] = []): string[][] {
  const { properties = {}, items, allOf = [], oneOf = [], anyOf = [] } = resolve(schema)
  const nested = [...allOf, ...oneOf, ...anyOf].flatMap((part: Json) => fieldsOf(part, at))
  const own = Object.entries<Json>(properties).flatMap(([key, child]) => {
    const inner = fieldsOf(child, [...at, key])
    return inner.length ? inner : [[...at, key]]
  })
  const listed = items ? fieldsOf(items, [...at, '0']) : []
  const found = [...own, ...nested, ...(items && listed.length === 0 && at.length ? [[...at, '0']] : listed)]
  return [...new Map(found.map((path) => [path.join('\0'), path])).values()]
}

function withValue(value: any, [key, ...rest]: string[], id: Id): unknown {
  if (key === undefined) return id
  if (key === '0') return [withValue(Array.isArray(value) ? value[0] : undefined, rest, id)]
  return { ...(typeof value === 'object' ? value : undefined), [key]: withValue(value?.[key], rest, id) }
}

function send(
  app: TestApp,
  operation: Operation,
  { path, query, body }: Request,
  key: string | null,
): Promise<ApiResponse> {
  const search = new URLSearchParams(query)
  const url = urlOf(operation, path)
  return app.send(operation.method, query && search.size ? `${url}?${search}` : url, {
    key,
    ...(body !== undefined && { body }),
  })
}

/** The response without the id that was sent, the nonce of an HTML page, and times and positions relative to now. */
const masked = ({ status, text }: ApiResponse, id: Id): string =>
  `${status} ${text
    .replaceAll(String(id), '<id>')
    .replaceAll(/nonce="[^"]*"/g, 'nonce')
    .replaceAll(/"(after|before|cursor)":"[^"]*"/g, '"$1":""')}`

/** Every row of every table as text, without `last_used_at`. */
async function dump({ deps }: TestApp): Promise<string[]> {
  const lines: string[] = []
  for (const db of new Set<Db>([deps.db, deps.events])) {
    const tables = await db.all<{ name: string }>(
      db.engine === 'sqlite'
        ? sql`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`
        : sql`select tablename as name from pg_tables where schemaname = current_schema()`,
    )
    for (const table of tables)
      for (const { last_used_at, ...row } of await db.all<Json>(sql`select * from ${name(table.name)}`))
        lines.push(`${table.name} ${JSON.stringify(row)}`)
  }
  return lines.sort()
}

/** The rows that belong to an organization. */
function ownedBy(lines: string[], { ids, owner }: Tenant): string[] {
  const [organization, project] = [ids.organizations[0], ids.projects[0]]
  return lines.filter((line) => {
    const table = line.split(' ', 1)[0]!
    const row: Json = JSON.parse(line.slice(table.length))
    const values: Record<string, Id[]> = {
      organizations: [organization!],
      projects: [project!],
      users: ids.members,
      plugin_files: PLUGIN_FAMILIES.map((family) => ids[family][0]!),
      batch_export_backfills: ids.batch_exports,
      batch_export_pauses: ids.batch_exports,
      integration_numbers: ids.integrations,
    }
    const key = row.plugin_id ?? row.batch_export_id ?? row.integration_id ?? row.uuid ?? row.id
    return (
      row.organization_id === organization ||
      row.project_id === project ||
      row.user_id === owner.id ||
      values[table]?.includes(key) ||
      (table === 'projects' && row.id === project)
    )
  })
}

/** Starts id sequences at numbers that cannot be a count, a part of a time or another id. */
async function startHigh({ deps: { db } }: TestApp): Promise<void> {
  for (const [table, last] of Object.entries({ projects: 7_100_000, plugins: 7_200_000, plugin_configs: 7_300_000 }))
    await db.run(
      db.engine === 'sqlite'
        ? sql`insert or replace into sqlite_sequence (rowid, name, seq)
            values ((select rowid from sqlite_sequence where name = ${table}), ${table}, ${last})`
        : sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${last})`,
    )
}

onEachEngine('ids of other tenants behave like unknown ids', async (t, app, sessions) => {
  const allowed = TESTED.filter(({ needsSession }) => sessions || !needsSession)
  // The quick size tests each operation on one of the engines.
  const tested = allowed.filter(
    (operation) => SIZE !== 'quick' || operation.needsSession || (TESTED.indexOf(operation) % 2 === 0) === sessions,
  )
  await startHigh(app)
  const theirs = await createTenant(app, 'theirs')
  const ours = await createTenant(app, 'ours')
  const cursors = await theirCursors(app, theirs)
  const kinds = (Object.keys(theirs.ids) as Kind[]).filter((kind) => !SECRETS.includes(kind))
  const markers = [
    'theirs',
    ...Object.values(theirs.ids)
      .flat()
      .filter((id) => typeof id === 'string'),
  ]
  const keyOf = (operation: Operation): string | null => (operation.isPublic ? null : ours.owner.key)

  const assertNoLeak = (t: Test, response: ApiResponse, sent: Id, label: string): void => {
    const text = masked(response, sent)
    const leak = markers.find((word) => text.includes(word))
    if (leak !== undefined) t.fail(`${label} reveals ${leak}`, { text })
  }
  const before = await dump(app)
  const assertUnchanged = (t: Test, now: string[], label: string): void => {
    if (now.join() !== before.join()) t.strictSame(now, before, label)
    else t.pass(label)
  }

  await t.test('in parameters of reading operations', async (t) => {
    for (const operation of tested) {
      const key = keyOf(operation)
      const valid = requestOf(operation, ours)
      for (const { label, kind, put } of placesOf(operation)) {
        if (!kind && operation.method !== 'GET') continue
        const absent = new Map<Id, string>()
        for (const [number, their] of kinds.entries()) {
          const stride = kind ? OTHER_KINDS_STRIDE : STRIDE
          if (their !== kind && (number + label.length) % stride) continue
          for (const id of theirs.ids[their]) {
            const unknown = unknownId(their)
            if (!absent.has(unknown))
              absent.set(unknown, masked(await send(app, operation, put(valid, unknown), key), unknown))
            const response = await send(app, operation, put(valid, id), key)
            const where = `${operation.id}, ${label} with an id of another tenant (${their})`
            if (masked(response, id) !== absent.get(unknown)) t.equal(masked(response, id), absent.get(unknown), where)
            if (kind && response.status !== expected(operation, label))
              t.equal(response.status, expected(operation, label), where)
            assertNoLeak(t, response, id, where)
          }
        }
      }
      const all = { ...valid, path: requestOf(operation, theirs).path }
      if (parametersOf(operation).length)
        t.equal(
          (await send(app, operation, all, key)).status,
          expected(operation, 'path'),
          `${operation.id} of another tenant`,
        )
      // Slow, and the last line of this test finds a changed row, too.
      if (operation.method !== 'GET' && SIZE !== 'quick')
        assertUnchanged(t, await dump(app), `${operation.id} changed no row`)
    }
    assertUnchanged(t, await dump(app), 'no request changed a row')
  })

  await t.test('in writing operations', async (t) => {
    for (const operation of tested.filter(({ method }) => method !== 'GET')) {
      const key = keyOf(operation)
      const valid = requestOf(operation, ours)
      const undo = operations.find(({ method, path }) => method === 'DELETE' && path === `${operation.path}{id}/`)
      const outcomeOf = async (request: Request, sent: Id): Promise<string> => {
        const response = await send(app, operation, request, key)
        assertNoLeak(t, response, sent, `${operation.id} with ${JSON.stringify(request.body)}`)
        if (undo && response.status < 300)
          for (const { id } of [response.body as { id: Id }].flat())
            await send(app, undo, { ...valid, path: { ...valid.path, id }, body: undefined }, key)
        return `${response.status} ${response.error?.code} ${response.error?.attr}`
      }
      for (const { label, put } of placesOf(operation).filter(({ kind, label }) => !kind && label.startsWith('body')))
        for (const their of SIZE === 'prove' ? kinds : (['organizations', 'projects'] as const)) {
          const [id, unknown] = [theirs.ids[their][0]!, unknownId(their)]
          let foreign = await outcomeOf(put(valid, id), id)
          const absent = await outcomeOf(put(valid, unknown), unknown)
          // A unique resource has the same response for the second and the third request.
          if (foreign !== absent) {
            foreign = await outcomeOf(put(valid, id), id)
            await outcomeOf(put(valid, unknown), unknown)
            t.equal(foreign, absent, `${operation.id}, ${label}`)
          }
        }
    }
    t.strictSame(ownedBy(await dump(app), theirs), ownedBy(before, theirs), "the other tenant's rows are unchanged")
  })

  await t.test('a cursor of another tenant does not show its data', async (t) => {
    for (const [id, cursor] of Object.entries(cursors)) {
      const operation = operations.find((candidate) => candidate.id === id)!
      const response = await send(app, operation, { ...requestOf(operation, ours), query: { cursor } }, ours.owner.key)
      t.equal(response.status, 200, id)
      // The requests above have stored events with ids of the other tenant in our project.
      if (id === 'events.tail') t.notMatch(response.text, /theirs/, id)
      else assertNoLeak(t, response, cursor, id)
    }
    const paged = allowed.filter(({ source }) =>
      source.parameters?.map(resolve).some((parameter: Json) => parameter.name === 'cursor'),
    )
    t.same(paged.map(({ id }) => id).sort(), Object.keys(cursors).sort(), 'every operation with a cursor is tested')
  })

  await t.test('tenants find their own resources', async (t) => {
    // A session has no API key.
    const readable = allowed.filter(
      ({ id, isPublic, method }) => !isPublic && method === 'GET' && !(sessions && id === 'api_keys.current'),
    )
    for (const operation of readable) {
      const { status, text } = await send(app, operation, requestOf(operation, theirs), theirs.owner.key)
      t.equal(status, operation.status, operation.id)
      const bare =
        /\.(repository|exports_unsubscribe_configs|current|histogram|property_names|metrics)$|^(pipeline_destinations.unused|two_factor.status)$/.test(
          operation.id,
        )
      if (!bare)
        t.ok(
          markers.some((word) => text.includes(word)),
          `${operation.id} returns their resource`,
        )
      assertNoLeak(t, await send(app, operation, requestOf(operation, ours), ours.owner.key), '', operation.id)
    }
    // Parents are deleted last.
    const order = (operation: Operation): number => {
      if (operation.id === 'session.end_others') return 9
      if (operation.method !== 'DELETE') return 0
      const parameters = parametersOf(operation)
      const kind = kindOf(operation, parameters.at(-1)!)
      if (kind === 'organizations' || kind === 'projects') return kind === 'organizations' ? 9 : 8
      return 7 - parameters.length * 2 + (operation.within === 'organization' ? 1 : 0)
    }
    const fresh = await createTenant(app, 'fresh')
    for (const operation of tested
      .filter(({ isPublic, method }) => !isPublic && method !== 'GET')
      .sort((a, b) => order(a) - order(b))) {
      const { status, text } = await send(app, operation, requestOf(operation, fresh), fresh.owner.key)
      t.not(status, 404, `${operation.id} finds the caller's own resource: ${text.slice(0, 200)}`)
    }
    t.strictSame(ownedBy(await dump(app), theirs), ownedBy(before, theirs), "the other tenant's rows are unchanged")
  })
  const result = 'an id of another tenant has the same response as an unknown id and changes nothing'
  figure(t, {
    area: 'Isolation',
    count: tested.length,
    of: 'operations, each with every parameter and field that can contain an id',
    result,
  })
})

/** An unknown id is 404 in a path and 400 in a body. */
const expected = ({ area, id }: Operation, label: string): number =>
  id === 'signup.page'
    ? 200
    : area === 'sso'
      ? 302
      : area === 'signup' || area === 'password_reset' || label.startsWith('body')
        ? 400
        : 404

/** Cursors of the other tenant, by operation. */
async function theirCursors(app: TestApp, { ids, owner: { key } }: Tenant): Promise<Record<string, string>> {
  const project = `/api/projects/${ids.projects[0]}` as const
  const run = {
    batch_export_id: String(ids.batch_exports[1]),
    project_id: Number(ids.projects[0]),
    kind: 'retry' as const,
    backfill_id: null,
    data_interval_start: '2025-12-01T00:00:00.000Z',
    data_interval_end: '2025-12-01T01:00:00.000Z',
    from_position: 0,
    to_position: 0,
  }
  const page = 100
  await app.deps.db.tx(async (tx) => {
    for (let i = 0; i <= page; i++) await runs.create(tx, { ...run, id: app.deps.ids.uuid(), now: app.deps.now() })
  })
  for (const day of ['2025-12-01', '2025-12-02'])
    await app.send('POST', `${project}/batch_exports/${run.batch_export_id}/backfills/`, {
      key,
      body: { start_at: day, end_at: '2025-12-03' },
    })
  const next = async (url: string): Promise<string> => {
    const page = (await app.send('GET', url, { key })).body as Page
    return String(new URL(String(page.next)).searchParams.get('cursor'))
  }
  const ofEvents = await next(`${project}/events/?limit=1`)
  return {
    'batch_export_runs.list': await next(`${project}/batch_exports/${run.batch_export_id}/runs/`),
    'batch_export_backfills.list': await next(`${project}/batch_exports/${run.batch_export_id}/backfills/?limit=1`),
    'events.list': ofEvents,
    // The same position in the order of events.
    'events.histogram': ofEvents,
    'events.tail': (await app.send('GET', `${project}/events/tail/?limit=1`, { key })).body.cursor,
    'persons.list': await next(`${project}/persons/?limit=1`),
    'activity_log.list': await next(`/api/organizations/${ids.organizations[0]}/activity_log/?limit=1`),
  }
}

onEachEngine('other tenants see only global plugins', async (t, app) => {
  const theirs = await createTenant(app, 'theirs')
  const ours = await createTenant(app, 'ours')
  const id = theirs.ids.pipeline_destinations[0]!
  const item = (tenant: Tenant) =>
    `/api/organizations/${tenant.ids.organizations[0]}/pipeline_destinations/${id}/` as const
  const configs = `/api/projects/${ours.ids.projects[0]}/plugin_configs/` as const
  const { key } = ours.owner
  t.equal((await app.send('GET', item(ours), { key })).status, 404)
  t.equal((await app.send('PATCH', item(theirs), { key: theirs.owner.key, body: { is_global: true } })).status, 200)
  const before = await dump(app)
  t.match(await app.send('GET', item(ours), { key }), { status: 200, body: { id, is_global: true } })
  for (const [method, path, status] of [
    ['PATCH', '', 403],
    ['DELETE', '', 403],
    ['GET', 'source/', 404],
    ['PATCH', 'update_source/', 404],
    ['GET', 'check_for_updates/', 404],
    ['POST', 'upgrade/', 404],
  ] as const)
    t.equal((await app.send(method, `${item(ours)}${path}`, { key })).status, status, `${method} ${path}`)
  t.strictSame(await dump(app), before, 'no row changed')
  t.match(await app.send('POST', configs, { key, body: { plugin: id } }), { status: 201, body: { plugin: id } })
  const activity = (await app.send('GET', item(theirs).replace(`${id}/`, 'activity/'), { key: theirs.owner.key })).text
  t.notMatch(activity, /ours/, 'the users of a global plugin are not revealed')
})

/** Sends every operation as every kind of caller, and compares the results with the table in `authorization.ts`. */
import t from 'tap'
import { issue } from '../../src/auth/api_keys.ts'
import type { OperationId } from '../../src/contract/operations.ts'
import { contract, type Operation, operations } from '../../src/contract/table.ts'
import { sql } from '../../src/sql/template.ts'
import { UNRESTRICTED } from '../../src/store/key-restrictions.ts'
import { type ApiResponse, casesOn, ENGINES, openApp, type SendOptions, type TestApp } from '../helpers/app.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import {
  createFailedDelivery,
  createResources,
  type Id,
  type Request,
  requestOf,
  type Send,
  type Tenant,
  urlOf,
} from '../helpers/seeds/tenants.ts'
import { CALLERS, KINDS, OPERATIONS } from './authorization.ts'

t.setTimeout(10 * 60_000)

/** A busy machine may take long to start the event readers. */
const ENVIRONMENT = { SECRET_KEY: 'ab'.repeat(32), EVENTS_QUERY_TIMEOUT_MS: '60000' }
const HOUR_MS = 3_600_000
const BROKEN = { raw: { type: 'application/json', payload: '{broken' } }

t.test('every operation has a row, and every row an operation', async (t) => {
  t.strictSame(Object.keys(OPERATIONS).sort(), operations.map(({ id }) => id).sort())
  t.strictSame([...new Set(Object.values(OPERATIONS))].sort(), [...KINDS.keys()].sort(), 'every kind is used')
  for (const [kind, results] of KINDS) {
    t.strictSame([...results.keys()], CALLERS)
    for (const [caller, result] of results) t.match(result, /^(yes|401|403|404|2fa|again|\.)$/, `${kind} as ${caller}`)
  }
})

interface World {
  app: TestApp
  ids: Tenant['ids']
  /** The credentials of a caller for an operation. Several must all have the same result. */
  credentials: Record<string, (operation: Operation) => Promise<SendOptions[]>>
}

/** The first organization with a resource of every kind, and all callers. */
async function openWorld(app: TestApp): Promise<World> {
  const { first, key } = app
  const send: Send = async (method, path, options) => {
    const response = await app.send(method, path, options)
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.text}`)
    return response.body
  }
  const me = await send('GET', '/api/users/@me/')
  const { ids, admin, member } = await createResources(send, { ...first, owner_uuid: me.uuid }, 'ours')
  ids.plugin_failed_deliveries = [await createFailedDelivery(app, Number(ids.plugin_configs[0]), 'ours')]
  const second = await send('POST', '/api/organizations/', { body: { name: 'Second' } })
  const stranger = await app.stranger('stranger@example.com')
  const gone = await app.member('gone@example.com', 15)
  const goneSession = await app.session({ user_id: gone.id })
  await app.deps.db.run(sql`update users set is_active = ${false} where id = ${gone.id}`)

  const scopes: string[] = contract.components.schemas.Scope.enum
  const keys = new Map<string, Promise<string>>()
  const withScopes = (held: string[]): Promise<string> => {
    const name = held.join()
    const found = keys.get(name) ?? key({ scopes: held })
    keys.set(name, found)
    return found
  }
  const without = (scope: string | undefined): string[] =>
    scopes.filter((held) => ![scope, '*', scope?.replace(':read', ':write')].includes(held))
  const { organization_id, project_id } = first
  const inOrg = await key({ restrictions: { organizations: [organization_id], projects: null } })
  const inProject = await key({ restrictions: { organizations: null, projects: [project_id] } })
  const org2 = await key({ restrictions: { organizations: [second.id], projects: null } })
  const project2 = await key({ restrictions: { organizations: null, projects: [itemAt(second.teams, 0).id] } })
  const expired = await key({ expires_at: '2026-01-01T00:00:00.000Z' })
  const session = await app.session()

  const as = (value: string) => async () => [{ key: value }]
  const withHeaders = (headers: Record<string, string>) => ({ key: null, headers })
  let weak: Record<string, string> | undefined
  return {
    app,
    ids,
    credentials: {
      nobody: async () => [{ key: null }],
      expired: async () => [{ key: expired }, { key: 'phx_unknown' }],
      deactivated: async () => [{ key: gone.key }, withHeaders(goneSession)],
      stranger: as(stranger.key),
      member: as(member),
      admin: as(admin),
      owner: as(first.api_key),
      scope: async ({ scope }) => [{ key: await withScopes([scope ?? 'query:read']) }],
      others: async ({ scope }) => [{ key: await withScopes(without(scope)) }],
      'in-org': as(inOrg),
      'in-project': as(inProject),
      org2: as(org2),
      project2: as(project2),
      session: async () => [withHeaders(session)],
      old: async () => [withHeaders(session)],
      // Created on first use: the clock has moved by then.
      weak: async () => {
        weak ??= await app.session({ second_factor: false })
        return [withHeaders(weak)]
      },
      enforced: as(first.api_key),
    },
  }
}

/**
 * Operations that decide in their handler get a valid request. All others get a broken body, which the server reads only
 * after it has authorized the caller, so nothing changes.
 */
const EXECUTED: Partial<Record<OperationId, (world: World, n: number) => Promise<Partial<Request>>>> = {
  'organizations.create': async (_, n) => ({ body: { name: `Organization ${n}` } }),
  'projects.create': async ({ app }, n) => ({ body: { name: `P ${n}`, organization: app.first.organization_id } }),
  'users.update': async () => ({ body: { first_name: 'Ada' } }),
  'invites.create': async (_, n) => ({ body: { target_email: `invited-${n}@example.com`, level: 8 } }),
  'members.update': async (world, n) => ({ path: await newMember(world, n), body: { level: 8 } }),
  'members.remove': async (world, n) => ({ path: await newMember(world, n), body: undefined }),
  'api_keys.create': async () => ({ body: { label: 'x', scopes: ['*'] } }),
  'api_keys.update': async (_, n) => ({ body: { expires_at: new Date(Date.UTC(2030, 0, 1, 0, 0, n)).toISOString() } }),
  'api_keys.roll': async () => ({ body: undefined }),
  'api_keys.revoke': async ({ app: { deps } }) => {
    const key = { user_id: 1, label: 'x', scopes: ['*'], restrictions: UNRESTRICTED, expires_at: null }
    return { path: { id: (await issue(deps.db, deps.ids, deps.now(), key)).id }, body: undefined }
  },
}

async function newMember({ app }: World, n: number): Promise<Record<string, Id>> {
  const { uuid } = await app.member(`member-${n}@example.com`, 1)
  return { organization_id: app.first.organization_id, user__uuid: uuid }
}

let requests = 0

async function resultOf(world: World, operation: Operation, credentials: SendOptions): Promise<string> {
  const execute = EXECUTED[operation.id]
  const request = { ...requestOf(operation, world), ...(await execute?.(world, ++requests)) }
  const body = execute ? request.body !== undefined && { body: request.body } : BROKEN
  const response = await world.app.send(operation.method, urlOf(operation, request.path), {
    ...credentials,
    ...(operation.method !== 'GET' && body),
  })
  return nameOf(response, operation)
}

/** The result as the table names it. Unexpected results appear with their status and code. */
function nameOf({ status, error }: ApiResponse, { id, method, isPublic }: Operation): string {
  const code = error?.code
  // Capture has tokens of its own.
  if (code === 'not_authenticated' || (code === 'authentication_failed' && !isPublic)) return '401'
  if (code === 'permission_denied') return '403'
  if (code === 'two_factor_setup_required') return '2fa'
  if (code === 'reauthentication_required') return 'again'
  if (isPublic) return status < 500 ? 'yes' : `${status} ${code}`
  if (code === 'not_found' || code === 'does_not_exist') return '404'
  const isAuthorized = status < 300 || (EXECUTED[id] ? status === 400 : code === 'parse_error' || method === 'GET')
  return isAuthorized && status < 500 ? 'yes' : `${status} ${code}`
}

for (const engine of ENGINES)
  t.test(`callers may do what the table says, and nothing else (${engine})`, async (t) => {
    const app = await openApp(t, engine, { environment: ENVIRONMENT })
    const world = await openWorld(app)
    const tested = casesOn(engine, operations)
    const actual = new Map(tested.map(({ id }) => [id, new Map<string, string>()]))
    for (const caller of CALLERS) {
      if (caller === 'old') app.advance(2 * HOUR_MS)
      if (caller === 'weak') {
        const id = app.first.organization_id
        const { status } = await app.call('organizations.update', { params: { id }, body: { enforce_2fa: true } })
        t.equal(status, 200)
      }
      for (const operation of tested) {
        const expected = KINDS.get(OPERATIONS[operation.id])?.get(caller)
        const results = new Set<string>()
        if (expected === '.') results.add('.')
        else
          for (const credentials of (await world.credentials[caller]?.(operation)) ?? [])
            results.add(await resultOf(world, operation, credentials))
        actual.get(operation.id)?.set(caller, [...results].join(' or '))
      }
    }
    for (const { id } of tested)
      t.strictSame(Object.fromEntries(actual.get(id) ?? []), Object.fromEntries(KINDS.get(OPERATIONS[id]) ?? []), id)
  })

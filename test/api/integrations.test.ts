/** integrations, and the exports that use them. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { readConfig } from '../../src/config.ts'
import { buildDeps } from '../../src/deps.ts'
import { type Engine, sql } from '../../src/sql/template.ts'
import { type ApiResponse, nextEngines, openApp, type TestApp } from '../helpers/app.ts'
import { rowOf } from '../helpers/assertions/items.ts'
import { ingest, plainEvents } from '../helpers/seeds/exports.ts'

const HOUR_MS = 3_600_000
const UNKNOWN = '99999999-9999-7999-8999-999999999999'
const KEY = randomBytes(32).toString('hex')

/** Public addresses that need no name server. Nothing connects to them. */
const HTTP = { url: 'https://8.8.8.7/batch/', token: 'phc_VERY_SECRET' }
const POSTGRES = { host: '8.8.8.8', user: 'exporter', password: 'VERY_SECRET' }

const open = (t: Test, engine: Engine, environment: Record<string, string> = {}): Promise<TestApp> =>
  openApp(t, engine, { environment: { SECRET_KEY: KEY, ...environment } })

const pathOf = ({ first }: TestApp) => `/api/organizations/${first.organization_id}/integrations` as const
const exportsOf = ({ first }: TestApp) => `/api/projects/${first.project_id}/batch_exports` as const

const createIntegration = (app: TestApp, kind: string, config: object, name = kind) =>
  app.send('POST', `${pathOf(app)}/`, { body: { name, kind, config } })

const createExport = (app: TestApp, destination: object) =>
  app.send('POST', `${exportsOf(app)}/`, { body: { name: 'x', interval: 'hour', destination } })

for (const engine of nextEngines())
  t.test(`stores, lists, rotates and deletes credentials (${engine})`, async (t) => {
    const app = await open(t, engine)
    const path = pathOf(app)
    t.match(await app.send('GET', `${path}/`), { status: 200, body: { count: 0, results: [] } })
    const created = await createIntegration(app, 'Postgres', { ...POSTGRES, port: 5433 }, ' Warehouse ')
    t.match(created, { status: 201, body: { name: 'Warehouse', kind: 'Postgres', batch_exports_count: 0 } })
    t.strictSame(created.body.config, { host: POSTGRES.host, port: 5433 })
    await createIntegration(app, 'HTTP', HTTP)
    const one = `${path}/${created.body.id}` as const
    t.strictSame((await app.send('GET', `${one}/`)).body, created.body)
    const listed = await app.send('GET', `${path}/`)
    t.match(listed.body, { count: 2, results: [{ kind: 'HTTP' }, { kind: 'Postgres' }] }, 'newest first')
    t.notMatch(listed.text, /VERY_SECRET|exporter/)
    t.match(await app.send('GET', `${path}/?kind=HTTP`), { body: { count: 1, results: [{ kind: 'HTTP' }] } })
    t.match(await app.send('GET', `${path}/?kind=File`), { status: 400, body: { code: 'invalid_choice' } })

    app.advance(HOUR_MS)
    const renamed = await app.send('PATCH', `${one}/`, { body: { name: 'Lake' } })
    t.equal(renamed.body.secrets_changed_at, created.body.secrets_changed_at)
    t.ok(renamed.body.last_updated_at > created.body.last_updated_at)
    const rotated = await app.send('PATCH', `${one}/`, { body: { config: { password: 'ANOTHER_SECRET' } } })
    t.match(rotated, { status: 200, body: { name: 'Lake', config: { host: POSTGRES.host, port: 5433 } } })
    t.ok(rotated.body.secrets_changed_at > created.body.secrets_changed_at)
    t.strictSame((await app.send('PATCH', `${one}/`, {})).body, rotated.body)
    t.strictSame(
      (await app.send('PATCH', `${one}/`, { body: { name: 'Lake', config: { host: POSTGRES.host } } })).body,
      rotated.body,
      'present values change nothing',
    )

    const resend = { type: 'validation_error', code: 'required' }
    t.match(await app.send('PATCH', `${one}/`, { body: { config: { host: '8.8.8.9' } } }), {
      status: 400,
      body: { ...resend, attr: 'config__user' },
    })
    t.match(
      await app.send('PATCH', `${one}/`, { body: { config: { has_self_signed_cert: true, user: 'exporter' } } }),
      { status: 400, body: { ...resend, attr: 'config__password' } },
    )
    t.match(await app.send('PATCH', `${one}/`, { body: { config: { ...POSTGRES, host: '8.8.8.9' } } }), {
      status: 200,
      body: { config: { host: '8.8.8.9', port: 5433 } },
    })

    const log = await app.send('GET', `/api/organizations/${app.first.organization_id}/activity_log/?area=integrations`)
    t.match(log.body.results.at(-1), {
      activity: 'created',
      item_name: 'Warehouse',
      changes: [
        { field: 'name', after: 'Warehouse' },
        { field: 'kind', after: 'Postgres' },
        { field: 'config__host', after: POSTGRES.host },
        { field: 'config__port', after: 5433 },
        { field: 'config__user', before: 'changed', after: 'changed' },
        { field: 'config__password', before: 'changed', after: 'changed' },
      ],
    } as never)
    t.strictSame(
      log.body.results.slice(0, 3).map(({ changes }: { changes: { field: string }[] }) => changes.map((c) => c.field)),
      [['config__host', 'config__password'], ['config__password'], ['name']],
    )
    t.notMatch(log.text, /VERY_SECRET|ANOTHER_SECRET|exporter/)

    t.equal((await app.send('DELETE', `${one}/`)).status, 204)
    for (const method of ['GET', 'PATCH', 'DELETE']) t.equal((await app.send(method, `${one}/`)).status, 404, method)
  })

for (const engine of nextEngines())
  t.test(`rejects invalid credentials and names the key (${engine})`, async (t) => {
    const app = await open(t, engine)
    const aws = { aws_access_key_id: 'AKIA', aws_secret_access_key: 'VERY_SECRET' }
    const cases: [kind: string, config: object, attr: string, code: string][] = [
      ['File', {}, 'kind', 'invalid_choice'],
      ['HTTP', {}, 'config__url', 'required'],
      ['HTTP', { url: HTTP.url }, 'config__token', 'required'],
      ['HTTP', { ...HTTP, token: 5 }, 'config__token', 'invalid_input'],
      ['HTTP', { ...HTTP, url: 'https://user:pass@8.8.8.7/' }, 'config__url', 'invalid_input'],
      ['HTTP', { ...HTTP, url: 'http://127.0.0.1/' }, 'config__url', 'outbound_refused'],
      ['HTTP', { ...HTTP, include_events: [] }, 'config__include_events', 'invalid_input'],
      ['Postgres', { ...POSTGRES, database: 'x' }, 'config__database', 'invalid_input'],
      ['Postgres', { ...POSTGRES, host: '10.0.0.1' }, 'config__host', 'outbound_refused'],
      ['AzureBlob', { connection_string: 'x' }, 'config__connection_string', 'invalid_input'],
      ['Snowflake', { account: 'a-b', user: 'u' }, 'config__password', 'required'],
      ['Snowflake', { account: 'a-b', user: 'u', authentication_type: 'keypair' }, 'config__private_key', 'required'],
      ['AwsS3', { region: 'eu-central-1' }, 'config__aws_access_key_id', 'required'],
      ['S3', aws, 'config__region', 'required'],
      ['S3', { ...aws, region: 'a b' }, 'config__region', 'invalid_input'],
      [
        'S3Compatible',
        { ...aws, endpoint_url: 'https://8.8.8.7', use_virtual_style_addressing: true },
        'config__bucket_name',
        'required',
      ],
      ['Redshift', { ...POSTGRES, copy_inputs: { s3_bucket: 'b' } }, 'config__copy_inputs__region_name', 'required'],
    ]
    for (const [kind, config, attr, code] of cases) {
      const response = await createIntegration(app, kind, config)
      t.match(response, { status: 400, body: { attr, code } }, `${kind} ${attr}`)
      t.notMatch(response.text, /VERY_SECRET/)
    }
    t.match(await app.send('POST', `${pathOf(app)}/`, { body: { name: '', kind: 'HTTP', config: HTTP } }), {
      status: 400,
      body: { attr: 'name', code: 'blank' },
    })
    t.equal((await app.send('GET', `${pathOf(app)}/`)).body.count, 0)
  })

for (const engine of nextEngines())
  t.test(`members may use credentials, and administrators may change them (${engine})`, async (t) => {
    const app = await open(t, engine)
    const { key } = await app.member('member@example.com', 1)
    const { key: admin } = await app.member('admin@example.com', 8)
    const body = { name: 'x', kind: 'HTTP', config: HTTP }
    t.match(await app.send('POST', `${pathOf(app)}/`, { key, body }), { status: 403 })
    const created = await app.send('POST', `${pathOf(app)}/`, { key: admin, body })
    t.equal(created.status, 201)
    const one = `${pathOf(app)}/${created.body.id}/` as const
    t.equal((await app.send('GET', one, { key })).status, 200)
    t.match(await app.send('PATCH', one, { key, body: { name: 'y' } }), { status: 403 })
    t.match(await app.send('DELETE', one, { key }), { status: 403 })
    const destination = { type: 'HTTP', integration: created.body.id }
    t.match(await app.send('POST', `${exportsOf(app)}/`, { key, body: { name: 'x', interval: 'day', destination } }), {
      status: 201,
    })
    const readOnly = await app.key({ scopes: ['batch_export:read'] })
    t.match(await app.send('PATCH', one, { key: readOnly, body: {} }), { status: 403 })
    const stranger = await app.stranger('stranger@example.com')
    t.match(await app.send('GET', one, { key: stranger.key }), { status: 404 })
  })

for (const engine of nextEngines())
  t.test(`an export takes its credentials from the integration (${engine})`, async (t) => {
    const app = await open(t, engine)
    const integration = (await createIntegration(app, 'Postgres', { ...POSTGRES, port: 5433 })).body.id
    const destination = { type: 'Postgres', integration, config: { database: 'lake' } }
    const created = await createExport(app, destination)
    t.match(created, { status: 201, body: { destination: { type: 'Postgres', integration } } })
    t.strictSame(created.body.destination.config, { database: 'lake', host: POSTGRES.host, port: 5433 })
    const one = `${exportsOf(app)}/${created.body.id}/` as const
    t.strictSame((await app.send('GET', one)).body, created.body)
    t.match(await app.send('GET', `${pathOf(app)}/${integration}/`), { body: { batch_exports_count: 1 } })
    const inline = await createExport(app, {
      type: 'Postgres',
      config: { ...POSTGRES, database: 'x' },
      integration: null,
    })
    t.match(inline, { status: 201, body: { destination: { integration: null } } })
    for (const [query, count] of [
      [integration, 1],
      [UNKNOWN, 0],
      ['x', 0],
    ] as const)
      t.equal((await app.send('GET', `${exportsOf(app)}/?integration=${query}`)).body.count, count)

    const other = await app.stranger('other@example.com')
    const theirs = await app.send('POST', `/api/organizations/${other.organization_id}/integrations/`, {
      key: other.key,
      body: { name: 'x', kind: 'Postgres', config: POSTGRES },
    })
    t.equal(theirs.status, 201)
    const missing = { status: 400, body: { code: 'does_not_exist', attr: 'destination__integration' } }
    const answers: ApiResponse[] = []
    for (const id of [UNKNOWN, theirs.body.id, 'x', '']) {
      answers.push(await createExport(app, { ...destination, integration: id }))
      answers.push(await app.send('PATCH', one, { body: { destination: { integration: id } } }))
      answers.push(await app.send('POST', `${exportsOf(app)}/test/`, { body: { ...destination, integration: id } }))
    }
    for (const answer of answers) t.match(answer, missing)
    t.equal(new Set(answers.map(({ text }) => text)).size, 1, "another organization's id is like an unknown id")

    const ofIntegration = (key: string) => ({
      status: 400,
      body: { code: 'invalid_input', attr: `destination__config__${key}`, detail: /comes from the integration/ },
    })
    const overrides: [key: string, value: unknown][] = [
      ['host', '8.8.8.9'],
      ['port', 5432],
      ['has_self_signed_cert', true],
      ['user', 'exporter'],
      ['password', POSTGRES.password],
    ]
    for (const [key, value] of overrides) {
      const config = { database: 'lake', [key]: value }
      t.match(await createExport(app, { ...destination, config }), ofIntegration(key))
      t.match(await app.send('PATCH', one, { body: { destination: { config } } }), ofIntegration(key))
      t.match(
        await app.send('POST', `${exportsOf(app)}/test/`, { body: { ...destination, config } }),
        ofIntegration(key),
      )
    }
    t.strictSame(
      (await app.send('PATCH', one, { body: { destination: created.body.destination } })).body,
      created.body,
      'a destination that is sent back changes nothing',
    )
    t.match(await createExport(app, { ...destination, config: {} }), {
      status: 400,
      body: { code: 'required', attr: 'destination__config__database' },
    })
    t.match(await createExport(app, { type: 'HTTP', integration }), {
      status: 400,
      body: { code: 'invalid_input', attr: 'destination__integration', detail: /has the kind Postgres/ },
    })
    t.match(await createExport(app, { type: 'File', integration }), { status: 400 })
    t.match(await createExport(app, { ...destination, integration: 5 }), { status: 400 })

    const changed = await app.send('PATCH', one, { body: { destination: { config: { table_name: 'visits' } } } })
    t.match(changed.body.destination, { integration, config: { database: 'lake', table_name: 'visits', port: 5433 } })
  })

for (const engine of nextEngines())
  t.test(`an export names an integration by its number (${engine})`, async (t) => {
    const app = await open(t, engine)
    const first = (await createIntegration(app, 'Postgres', POSTGRES)).body
    const second = (await createIntegration(app, 'Postgres', { ...POSTGRES, host: '8.8.8.9' })).body
    t.ok(Number.isInteger(first.number) && first.number < second.number)
    t.equal((await app.send('GET', `${pathOf(app)}/${first.id}/`)).body.number, first.number)
    t.strictSame(
      (await app.send('GET', `${pathOf(app)}/`)).body.results.map(({ number }: { number: number }) => number),
      [second.number, first.number],
    )

    const destination = { type: 'Postgres', integration_id: first.number, config: { database: 'lake' } }
    const created = await createExport(app, destination)
    t.match(created, { status: 201, body: { destination: { integration: first.id } } })
    const one = `${exportsOf(app)}/${created.body.id}/` as const
    const change = (body: object) => app.send('PATCH', one, { body: { destination: body } })
    t.match(await change({ integration_id: second.number }), {
      status: 200,
      body: { destination: { integration: second.id, config: { host: '8.8.8.9' } } },
    })
    t.match(await change({ integration_id: null, config: { ...POSTGRES } }), {
      status: 200,
      body: { destination: { integration: null } },
    })
    t.match(await change({ integration: first.id, integration_id: first.number }), { status: 200 })
    t.match(await change({ config: { schema: 'x' } }), {
      status: 200,
      body: { destination: { integration: first.id } },
    })
    for (const different of [
      { integration: first.id, integration_id: second.number },
      { integration: null, integration_id: first.number },
    ])
      t.match(await change(different), {
        status: 400,
        body: { code: 'invalid_input', attr: 'destination__integration_id', detail: /different integrations/ },
      })
    t.match(await createExport(app, { ...destination, type: 'HTTP', config: {} }), {
      status: 400,
      body: { code: 'invalid_input', attr: 'destination__integration_id', detail: /has the kind Postgres/ },
    })
    for (const integration_id of ['1', 1.5, true])
      t.match(await createExport(app, { ...destination, integration_id }), {
        status: 400,
        body: { code: 'invalid_input', attr: 'destination__integration_id' },
      })

    const other = await app.stranger('other@example.com')
    const theirs = await app.send('POST', `/api/organizations/${other.organization_id}/integrations/`, {
      key: other.key,
      body: { name: 'x', kind: 'Postgres', config: POSTGRES },
    })
    t.ok(theirs.body.number > second.number, 'numbers are unique in the installation')
    const answers: ApiResponse[] = []
    for (const integration_id of [theirs.body.number, theirs.body.number + 1_000, 0, -1, 1e300]) {
      answers.push(await createExport(app, { ...destination, integration_id }))
      answers.push(await change({ integration_id }))
      answers.push(await app.send('POST', `${exportsOf(app)}/test/`, { body: { ...destination, integration_id } }))
    }
    for (const answer of answers)
      t.match(answer, { status: 400, body: { code: 'does_not_exist', attr: 'destination__integration_id' } })
    t.equal(new Set(answers.map(({ text }) => text)).size, 1, "another organization's number is like an unknown one")

    const last = (await createIntegration(app, 'Postgres', POSTGRES)).body
    t.equal((await app.send('DELETE', `${pathOf(app)}/${last.id}/`)).status, 204)
    const next = (await createIntegration(app, 'Postgres', POSTGRES)).body
    t.ok(next.number > last.number, 'a number is never used again')
  })

for (const engine of nextEngines())
  t.test(`an export changes between its own and stored credentials (${engine})`, async (t) => {
    const app = await open(t, engine)
    const [first, second] = [
      (await createIntegration(app, 'Postgres', POSTGRES)).body.id,
      (await createIntegration(app, 'Postgres', { ...POSTGRES, host: '8.8.8.9' })).body.id,
    ]
    const created = await createExport(app, { type: 'Postgres', config: { ...POSTGRES, database: 'lake' } })
    const one = `${exportsOf(app)}/${created.body.id}/` as const
    const change = (destination: object) => app.send('PATCH', one, { body: { destination } })
    const stored = async () =>
      rowOf<{ destination_config: string; secrets: string | null }>(
        app.deps.db,
        sql`select destination_config, secrets from batch_exports where id = ${created.body.id}`,
      )

    t.match(await change({ integration: first }), {
      status: 200,
      body: { destination: { integration: first, config: { host: POSTGRES.host, database: 'lake' } } },
    })
    t.strictSame(
      await stored(),
      { destination_config: '{"database":"lake"}', secrets: null },
      'its secrets are deleted',
    )
    t.match(await change({ integration: second }), {
      status: 200,
      body: { destination: { integration: second, config: { host: '8.8.8.9', database: 'lake' } } },
    })
    t.match(await change({ integration: null }), {
      status: 400,
      body: { code: 'required', attr: 'destination__config__host' },
    })
    t.match(await change({ integration: null, config: { host: '8.8.8.9' } }), {
      status: 400,
      body: { code: 'required', attr: 'destination__config__user' },
    })
    t.match(await change({ integration: null, config: POSTGRES }), {
      status: 200,
      body: { destination: { integration: null, config: { host: POSTGRES.host, database: 'lake' } } },
    })
    t.ok((await stored()).secrets)
    t.match(await change({ integration: first }), { status: 200 })
    t.match(await change({ type: 'HTTP', config: HTTP }), {
      status: 200,
      body: { destination: { type: 'HTTP', integration: null, config: { url: HTTP.url } } },
    })
    const http = (await createIntegration(app, 'HTTP', HTTP)).body.id
    t.match(await change({ type: 'Postgres', integration: http, config: { database: 'x' } }), { status: 400 })
    t.match(await change({ type: 'Postgres', integration: first, config: { database: 'x' } }), {
      status: 200,
      body: { destination: { type: 'Postgres', integration: first } },
    })
    const log = await app.send(
      'GET',
      `/api/organizations/${app.first.organization_id}/activity_log/?area=batch_exports`,
    )
    t.match(log.body.results[0]?.changes, [{ field: 'destination__type' }, { field: 'destination__integration' }])
  })

for (const engine of nextEngines())
  t.test(`a key that decides nothing may be left to the exports (${engine})`, async (t) => {
    const app = await open(t, engine)
    const keys = { aws_access_key_id: 'AKIA', aws_secret_access_key: 'VERY_SECRET' }
    const store = { ...keys, endpoint_url: 'https://8.8.8.7' }
    const create = async (kind: string, config: object): Promise<string> =>
      (await createIntegration(app, kind, config)).body.id
    const inPath = await create('S3', store)
    const config = { bucket_name: 'lake', prefix: 'x', region: 'auto' }
    t.match(await createExport(app, { type: 'S3', integration: inPath, config }), {
      status: 201,
      body: { destination: { config: { ...config, endpoint_url: store.endpoint_url } } },
    })
    t.match(await createExport(app, { type: 'S3', integration: inPath, config: { prefix: 'x', region: 'auto' } }), {
      status: 400,
      body: { code: 'required', attr: 'destination__config__bucket_name' },
    })
    const inHost = await create('S3', {
      ...store,
      region: 'auto',
      bucket_name: 'lake',
      use_virtual_style_addressing: true,
    })
    t.match(await createExport(app, { type: 'S3', integration: inHost, config: { prefix: 'x' } }), {
      status: 201,
      body: { destination: { config: { bucket_name: 'lake', region: 'auto', use_virtual_style_addressing: true } } },
    })
    for (const [key, value] of Object.entries({ bucket_name: 'other', region: 'other' }))
      t.match(await createExport(app, { type: 'S3', integration: inHost, config: { prefix: 'x', [key]: value } }), {
        status: 400,
        body: { code: 'invalid_input', attr: `destination__config__${key}` },
      })
    const ofRegion = await create('AwsS3', { ...keys, region: 'eu-central-1' })
    t.match(
      await createExport(app, {
        type: 'AwsS3',
        integration: ofRegion,
        config: { prefix: 'x', bucket_name: 'b', use_default_credentials: true },
      }),
      { status: 400, body: { attr: 'destination__config__use_default_credentials' } },
    )

    const copy_inputs = { region_name: 'eu-central-1', authorization: 'arn:role', bucket_credentials: keys }
    const copying = await create('Redshift', { ...POSTGRES, copy_inputs })
    const redshift = { type: 'Redshift', integration: copying, config: { database: 'lake' } }
    const inserted = await createExport(app, redshift)
    t.equal(inserted.status, 201)
    t.notOk('copy_inputs' in inserted.body.destination.config)
    const copied = await createExport(app, {
      ...redshift,
      config: { database: 'lake', mode: 'COPY', copy_inputs: { s3_bucket: 'lake' } },
    })
    t.match(copied, { status: 201 })
    const stored = copied.body.destination.config
    t.strictSame('copy_inputs' in stored && stored.copy_inputs, {
      s3_bucket: 'lake',
      region_name: 'eu-central-1',
      authorization: 'arn:role',
      bucket_credentials: {},
    })
    t.match(
      await createExport(app, {
        ...redshift,
        config: { database: 'lake', mode: 'COPY', copy_inputs: { s3_bucket: 'lake', region_name: 'us-east-1' } },
      }),
      { status: 400, body: { attr: 'destination__config__copy_inputs__region_name' } },
    )
    const inserting = await create('Redshift', POSTGRES)
    t.match(
      await createExport(app, {
        ...redshift,
        integration: inserting,
        config: { database: 'lake', mode: 'COPY', copy_inputs: { s3_bucket: 'lake' } },
      }),
      { status: 400, body: { code: 'required', attr: 'destination__integration', detail: /copy_inputs.region_name/ } },
    )
  })

interface Peer {
  url: string
  tokens: string[]
  /** The token that it accepts, and its response to others. */
  accepted: string
  refusal: number
}

async function openPeer(t: Test): Promise<Peer> {
  const peer: Peer = { url: '', tokens: [], accepted: 'first', refusal: 401 }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { api_key } = JSON.parse(Buffer.concat(chunks).toString())
    peer.tokens.push(api_key)
    // The delivery leaves such a delay to the next attempt.
    response.writeHead(api_key === peer.accepted ? 200 : peer.refusal, { 'retry-after': '600' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  peer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/batch/`
  return peer
}

for (const engine of nextEngines())
  t.test(`every export uses rotated credentials at its next attempt (${engine})`, async (t) => {
    const app = await open(t, engine, { OUTBOUND_ALLOW: '127.0.0.1' })
    const peer = await openPeer(t)
    const integration = (await createIntegration(app, 'HTTP', { url: peer.url, token: 'first' })).body.id
    const one = `${pathOf(app)}/${integration}` as const
    t.match(await app.send('POST', `${one}/test/`), { status: 200, body: { passed: true } })
    t.match(await app.send('POST', `${one}/test/`, { body: { config: { url: peer.url } } }), { body: { passed: true } })
    t.match(await app.send('POST', `${one}/test/`, { body: { config: { token: 'x' } } }), {
      status: 400,
      body: { attr: 'config__token' },
    })
    t.match(await app.send('POST', `${one}/test/`, { body: { config: { include_events: 5 } } }), {
      status: 400,
      body: { attr: 'config__include_events' },
    })
    t.match(await app.send('POST', `${exportsOf(app)}/test/`, { body: { type: 'HTTP', integration } }), {
      body: { passed: true },
    })
    const ids: string[] = []
    for (const _ of [1, 2]) ids.push((await createExport(app, { type: 'HTTP', integration })).body.id)
    const runs = async () =>
      Promise.all(
        ids.map(async (id) => (await app.send('GET', `${exportsOf(app)}/${id}/`)).body.latest_runs[0]?.status),
      )
    const rotate = (token: string) => app.send('PATCH', `${one}/`, { body: { config: { token } } })
    const drain = async (milliseconds: number): Promise<string[]> => {
      app.advance(milliseconds)
      peer.tokens.splice(0)
      await app.deps.exporter.drain()
      return peer.tokens
    }
    let events = 0
    const nextWindow = async (): Promise<string[]> => {
      await ingest(app, plainEvents(1, events++))
      return drain(HOUR_MS)
    }
    t.strictSame(await nextWindow(), ['first', 'first'])
    t.strictSame(await runs(), ['Completed', 'Completed'])
    peer.accepted = 'second'
    t.strictSame(await nextWindow(), ['first', 'first'])
    t.strictSame(await runs(), ['Failed', 'Failed'])
    t.match(await app.send('POST', `${one}/test/`), { status: 200, body: { passed: false } })
    t.match(await rotate('second'), { status: 200 })
    t.strictSame(await nextWindow(), ['second', 'second'])
    t.strictSame(await runs(), ['Completed', 'Completed'])
    Object.assign(peer, { accepted: 'third', refusal: 503 })
    t.strictSame(await nextWindow(), ['second', 'second'])
    t.strictSame(await runs(), ['Starting', 'Starting'], 'a retryable failure')
    t.match(await rotate('third'), { status: 200 })
    t.strictSame(await drain(HOUR_MS / 2), ['third', 'third'], 'the next attempt of the same run')
    t.strictSame(await runs(), ['Completed', 'Completed'])
    t.match(await app.send('PATCH', `${one}/`, { body: { config: { url: `${peer.url}x` } } }), {
      status: 400,
      body: { code: 'required', attr: 'config__token' },
    })
  })

for (const engine of nextEngines())
  t.test(`credentials in use cannot be deleted (${engine})`, async (t) => {
    const app = await open(t, engine)
    const integration = (await createIntegration(app, 'HTTP', HTTP)).body.id
    const one = `${pathOf(app)}/${integration}/` as const
    const exports: string[] = []
    for (const _ of [1, 2]) exports.push((await createExport(app, { type: 'HTTP', integration })).body.id)
    const used = (detail: RegExp) => ({ status: 409, body: { type: 'invalid_request', code: 'conflict', detail } })
    t.match(await app.send('DELETE', one), used(/^2 batch exports use this integration\. /))
    await app.send('DELETE', `${exportsOf(app)}/${exports[0]}/`)
    t.match(await app.send('DELETE', one), used(/^1 batch export uses this integration\. /))
    await app.send('PATCH', `${exportsOf(app)}/${exports[1]}/`, { body: { destination: { type: 'NoOp' } } })

    const [deleted, ...created] = await Promise.all([
      app.send('DELETE', one),
      ...Array.from({ length: 5 }, () => createExport(app, { type: 'HTTP', integration })),
    ])
    const isDeleted = deleted.status === 204
    for (const { status, body } of created) {
      if (isDeleted) t.match({ status, body }, { status: 400, body: { code: 'does_not_exist' } })
      else t.ok(status === 201, 'either the integration or its exports are created')
    }
    t.equal((await app.send('GET', one)).status, isDeleted ? 404 : 200)
  })

for (const engine of nextEngines())
  t.test(`an organization is deleted with its credentials (${engine})`, async (t) => {
    const app = await open(t, engine)
    const { organization_id, project_id, key } = await app.stranger('stranger@example.com')
    const created = await app.send('POST', `/api/organizations/${organization_id}/integrations/`, {
      key,
      body: { name: 'x', kind: 'HTTP', config: HTTP },
    })
    const destination = { type: 'HTTP', integration: created.body.id }
    const body = { name: 'x', interval: 'hour', destination }
    t.equal((await app.send('POST', `/api/projects/${project_id}/batch_exports/`, { key, body })).status, 201)
    t.equal((await app.send('DELETE', `/api/organizations/${organization_id}/`, { key })).status, 204)
    t.equal(await app.deps.db.count(sql`from integrations`), 0)
    t.equal(await app.deps.db.count(sql`from batch_exports`), 0)
  })

for (const engine of nextEngines())
  t.test(`credentials are encrypted and follow the key of the server (${engine})`, async (t) => {
    const lines: string[] = []
    const log = new Writable({
      write: (chunk, _, done) => {
        lines.push(String(chunk))
        done()
      },
    })
    const app = await openApp(t, engine, { environment: { SECRET_KEY: KEY }, log })
    const { id } = (await createIntegration(app, 'HTTP', HTTP)).body
    const row = (db = app.deps.db) =>
      rowOf<{ secrets: string; config: string }>(db, sql`select * from integrations where id = ${id}`)
    const before = await row()
    t.notMatch(JSON.stringify(before), /VERY_SECRET/)
    t.equal(app.deps.vault.decrypt(before.secrets, `integrations/${id}`), JSON.stringify({ token: HTTP.token }))
    t.throws(() => app.deps.vault.decrypt(before.secrets, `batch_exports/${id}`), { code: 'secret_unreadable' })

    const next = randomBytes(32).toString('hex')
    const start = (keys: object) =>
      buildDeps({ config: readConfig({ ...app.deps.config, ...keys } as never), log: pino({ level: 'silent' }) })
    await t.rejects(start({ SECRET_KEY: next }), /encrypted with another key/)
    const rotated = await start({ SECRET_KEY: next, SECRET_KEY_PREVIOUS: KEY })
    const after = await row(rotated.db)
    t.not(after.secrets, before.secrets)
    t.equal(rotated.vault.decrypt(after.secrets, `integrations/${id}`), JSON.stringify({ token: HTTP.token }))
    await rotated.dispose()

    // This process still has the old key.
    const one = `${pathOf(app)}/${id}/` as const
    t.match(await app.send('PATCH', one, { body: { config: { url: 'https://8.8.8.9/' } } }), {
      status: 400,
      body: { code: 'secret_unreadable' },
    })
    t.match(await createExport(app, { type: 'HTTP', integration: id }), {
      status: 400,
      body: { code: 'secret_unreadable' },
    })
    t.match(await app.send('PATCH', one, { body: { config: { token: HTTP.token } } }), { status: 200 })
    t.match(await createExport(app, { type: 'HTTP', integration: id }), { status: 201 })
    t.notMatch(lines.join(''), /VERY_SECRET/)
  })

/** Stored secrets: encrypted, never returned, bound to their key and their row. */
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import t from 'tap'
import { readConfig } from '../../src/config.ts'
import { buildDeps } from '../../src/deps.ts'
import {
  type DestinationSettings,
  decryptSettings,
  mergeConfig,
  requireResentSecrets,
  splitSecrets,
} from '../../src/exports/settings.ts'
import { sql } from '../../src/sql/template.ts'
import * as store from '../../src/store/batch_exports.ts'
import { createVault, KEY_FILE, readKeys } from '../../src/store/vault.ts'
import { nextEngines, onBothEngines, openApp } from '../helpers/app.ts'
import { halfInQuick } from '../helpers/assertions/figures.ts'
import { defined, rowOf } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import { ingest, plainEvents } from '../helpers/seeds/exports.ts'

halfInQuick(t)

const hex = (): string => randomBytes(32).toString('hex')
const CONFIG = { url: 'https://events.example.com/batch/', token: 'phc_VERY_SECRET' }

t.test('decrypts a secret only with its key, for its row, and unmodified', async (t) => {
  const [key, otherKey] = [randomBytes(32), randomBytes(32)]
  const vault = createVault([key])
  const encrypted = vault.encrypt('täxt', 'batch_exports/1')
  t.equal(vault.decrypt(encrypted, 'batch_exports/1'), 'täxt')
  t.not(encrypted, vault.encrypt('täxt', 'batch_exports/1'), 'every encryption differs')
  t.notMatch(encrypted, /täxt/)
  const unreadable = { code: 'secret_unreadable' }
  t.throws(() => vault.decrypt(encrypted, 'batch_exports/2'), unreadable)
  t.throws(() => createVault([otherKey]).decrypt(encrypted, 'batch_exports/1'), unreadable)
  for (const at of [10, 20, encrypted.length - 2]) {
    const other = encrypted[at] === 'A' ? 'B' : 'A'
    t.throws(
      () => vault.decrypt(encrypted.slice(0, at) + other + encrypted.slice(at + 1), 'batch_exports/1'),
      unreadable,
    )
  }
  t.throws(() => vault.decrypt('', 'batch_exports/1'), unreadable)
  t.equal(createVault([otherKey, key]).decrypt(encrypted, 'batch_exports/1'), 'täxt', 'the previous key still decrypts')
  t.throws(() => createVault([]).encrypt('x', 'y'), { code: 'no_secret_key' })
})

t.test('creates a key file next to the data once', async (t) => {
  const folder = freshFolder(t)
  const [key] = readKeys({}, folder)
  t.equal(key?.length, 32)
  t.equal(statSync(join(folder, KEY_FILE)).mode & 0o777, 0o600)
  chmodSync(join(folder, KEY_FILE), 0o644)
  t.same(readKeys({}, folder), [key])
  t.equal(statSync(join(folder, KEY_FILE)).mode & 0o777, 0o600, 'a restored file becomes private again')
  const set = hex()
  t.same(
    readKeys({ SECRET_KEY: set }, folder),
    [Buffer.from(set, 'hex'), key],
    'SECRET_KEY takes precedence over the key file',
  )
  t.same(readKeys({}, null), [])
  writeFileSync(join(folder, KEY_FILE), 'short')
  t.throws(() => readKeys({}, folder), /must contain 64 hexadecimal digits/)
})

for (const engine of nextEngines())
  t.test(`warns at a start without a key (${engine})`, async (t) => {
    const lines: string[] = []
    const log = new Writable({
      write: (chunk, _, done) => {
        lines.push(String(chunk))
        done()
      },
    })
    await openApp(t, engine, { log })
    t.equal(
      lines.filter((line) => /SECRET_KEY is not set.*openssl rand/.test(line)).length,
      engine === 'postgres' ? 1 : 0,
    )
    await openApp(t, engine, { log, environment: { SECRET_KEY: hex() } })
    t.equal(lines.filter((line) => /SECRET_KEY is not set/.test(line)).length, engine === 'postgres' ? 1 : 0)
  })

for (const engine of nextEngines())
  t.test(`stores the secrets of a destination encrypted (${engine})`, async (t) => {
    const lines: string[] = []
    const log = new Writable({
      write: (chunk, _, done) => {
        lines.push(String(chunk))
        done()
      },
    })
    const key = hex()
    const environment = { SECRET_KEY: key }
    const app = await openApp(t, engine, { environment, log })
    const base = `/api/projects/${app.first.project_id}/batch_exports` as const
    const created = await app.send('POST', `${base}/`, {
      body: { name: 'x', interval: 'hour', destination: { type: 'HTTP', config: CONFIG } },
    })
    t.match(created, { status: 201, body: { destination: { config: { url: CONFIG.url } } } })
    t.notOk('token' in created.body.destination.config)
    const path = `${base}/${created.body.id}` as const
    const changed = await app.send('PATCH', `${path}/`, {
      body: { destination: { config: { include_events: ['a'] } } },
    })
    t.match(changed.body.destination, { config: { include_events: ['a'] } })
    const row = defined(await store.getById(app.deps.db, created.body.id))
    t.notMatch(JSON.stringify(row), /VERY_SECRET/)
    t.same(
      decryptSettings(app.deps.vault, row).config,
      { ...CONFIG, include_events: ['a'] },
      'an omitted secret is unchanged',
    )
    t.match(await app.send('PATCH', `${path}/`, { body: { destination: { config: { token: '' } } } }), {
      status: 400,
      body: { attr: 'destination__config__token', code: 'blank' },
    })
    await ingest(app, plainEvents(1))
    app.advance(3_600_000)
    await app.deps.exporter.drain()
    for (const suffix of ['/', '/runs/', '/logs/'])
      t.notMatch((await app.send('GET', `${path}${suffix}`)).text, /VERY_SECRET/)
    t.notMatch(lines.join(''), /VERY_SECRET/)

    const start = (more: object) =>
      buildDeps({
        config: readConfig({ ...app.deps.config, ...environment, ...more } as never),
        log: pino({ level: 'silent' }),
      })
    await t.rejects(start({ SECRET_KEY: hex() }), /encrypted with another key/)
    await t.rejects(start({ SECRET_KEY: undefined }), /encrypted with another key.*Restore secret\.key.*SECRET_KEY/)
    if (engine === 'sqlite')
      t.notOk(
        existsSync(join(dirname(app.deps.db.location), KEY_FILE)),
        'no new key is created beside secrets of another',
      )
    const next = hex()
    const rotated = await start({ SECRET_KEY: next, SECRET_KEY_PREVIOUS: key })
    const reencrypted = defined(await store.getById(rotated.db, created.body.id))
    t.not(reencrypted.secrets, row.secrets)
    t.equal(decryptSettings(createVault([Buffer.from(next, 'hex')]), reencrypted).config.token, CONFIG.token)
    await rotated.dispose()
    await (await start({ SECRET_KEY: next })).dispose()
    await t.rejects(start({}), /encrypted with another key/)
  })

onBothEngines(
  t,
  'a secret that cannot be decrypted is replaced by sending it again',
  async (t, app) => {
    const { send, first, deps } = app
    const base = `/api/projects/${first.project_id}` as const
    const created = await send('POST', `${base}/batch_exports/`, {
      body: { name: 'x', interval: 'hour', destination: { type: 'HTTP', config: CONFIG } },
    })
    const one = `${base}/batch_exports/${created.body.id}/` as const
    const patch = (config: object) => send('PATCH', one, { body: { destination: { config } } })
    await deps.db.run(sql`update batch_exports set secrets = ${'lost.x'}`)
    const unreadable = { status: 400, body: { code: 'secret_unreadable' } }
    t.match(await patch({ include_events: ['a'] }), unreadable)
    t.equal((await send('PATCH', one, { body: { name: 'y' } })).status, 200, 'other fields can change')
    t.equal((await patch({ token: 'phc_NEW' })).status, 200)
    const row = defined(await store.getById(deps.db, created.body.id))
    t.same(decryptSettings(deps.vault, row).config, { ...CONFIG, token: 'phc_NEW' })
    const log = (await send('GET', `/api/organizations/${first.organization_id}/activity_log/?limit=1`)).body.results
    t.match(log[0]?.changes, [{ field: 'destination__config__token', before: 'changed', after: 'changed' }])

    const plugin = await send('POST', `/api/organizations/${first.organization_id}/pipeline_destinations/`, {
      body: {
        plugin_type: 'source',
        name: 'p',
        config_schema: ['a', 'b'].map((key) => ({ key, name: key, type: 'string', secret: true })),
        source: { 'index.ts': '' },
      },
    })
    const configured = await send('POST', `${base}/plugin_configs/`, {
      body: { plugin: plugin.body.id, enabled: true, config: { a: 'A', b: 'B' } },
    })
    t.equal(configured.status, 201, configured.text)
    const config = `${base}/plugin_configs/${configured.body.id}/` as const
    await deps.db.run(sql`update plugin_configs set secrets = ${'lost.x'}`)
    t.match(await send('PATCH', config, { body: { config: { a: 'C', b: '********' } } }), unreadable)
    t.match(await send('PATCH', config, { body: { config: { a: 'C' } } }), unreadable)
    t.equal((await send('PATCH', config, { body: { enabled: false } })).status, 200)
    t.equal((await send('PATCH', config, { body: { config: { a: 'C', b: 'D' } } })).status, 200)
    const stored = await rowOf<{ secrets: string }>(deps.db, sql`select secrets from plugin_configs`)
    t.same(JSON.parse(deps.vault.decrypt(stored.secrets, `plugin_configs/${configured.body.id}`)), { a: 'C', b: 'D' })
  },
  { environment: { SECRET_KEY: hex() } },
)

/** For each type: a config with secrets, changes of the receiver, and other changes. */
const TYPES: Record<string, { config: object; secrets: object; receiverChanges: object[]; otherChanges: object[] }> = {
  HTTP: {
    config: { url: 'https://events.example.com/batch/' },
    secrets: { token: 'phc_SECRET' },
    receiverChanges: [{ url: 'https://other.example.com/batch/' }, { url: 'http://events.example.com/batch/' }],
    otherChanges: [{}, { url: 'https://events.example.com/batch/' }, { exclude_events: ['x'] }],
  },
  Postgres: {
    config: { host: 'db.example.com', database: 'd' },
    secrets: { user: 'u', password: 'p_SECRET' },
    receiverChanges: [{ host: 'evil.example.com' }, { port: 5433 }, { has_self_signed_cert: true }],
    otherChanges: [
      { host: 'db.example.com', port: 5432, has_self_signed_cert: false },
      { database: 'e', schema: 's', table_name: 't' },
    ],
  },
  S3: {
    config: { bucket_name: 'b', region: 'us-east-1', prefix: 'p' },
    secrets: { aws_access_key_id: 'AKIA_SECRET', aws_secret_access_key: 'SECRET' },
    receiverChanges: [
      { endpoint_url: 'https://store.example.com' },
      { endpoint_url: 'https://store.example.com', bucket_name: 'c' },
      { region: 'eu-west-1' },
      { use_virtual_style_addressing: true },
    ],
    otherChanges: [
      { endpoint_url: null, region: 'us-east-1', use_virtual_style_addressing: false },
      { bucket_name: 'c', prefix: 'q', compression: 'gzip' },
    ],
  },
  AzureBlob: {
    config: { container_name: 'c' },
    secrets: {
      connection_string:
        'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=U0VDUkVU;EndpointSuffix=core.windows.net',
    },
    receiverChanges: [],
    otherChanges: [{ container_name: 'd', prefix: 'x' }],
  },
}

for (const level of ['projects', 'organizations'] as const)
  onBothEngines(
    t,
    `requires secrets again when their receiver changes (${level})`,
    async (t, app) => {
      const base =
        `/api/${level}/${level === 'projects' ? app.first.project_id : app.first.organization_id}/batch_exports` as const
      for (const [type, { config, secrets, receiverChanges, otherChanges }] of Object.entries(TYPES)) {
        const created = await app.send('POST', `${base}/`, {
          body: { name: type, interval: 'day', destination: { type, config: { ...config, ...secrets } } },
        })
        t.equal(created.status, 201, type)
        const path = `${base}/${created.body.id}/` as const
        const stored = async () =>
          decryptSettings(app.deps.vault, defined(await store.getById(app.deps.db, created.body.id))).config
        const change = (more: object) => app.send('PATCH', path, { body: { destination: { config: more } } })

        for (const more of receiverChanges) {
          const before = await stored()
          for (const missing of Object.keys(secrets)) {
            const { [missing]: _, ...rest } = secrets as Record<string, string>
            const rejected = await change({ ...more, ...rest })
            t.match(rejected, {
              status: 400,
              body: { type: 'validation_error', code: 'required', attr: `destination__config__${missing}` },
            })
            t.notMatch(rejected.text, /SECRET/)
          }
          t.match(await change(more), { status: 400, body: { code: 'required' } })
          t.match(
            await app.send('PATCH', path, { body: { destination: { type, config: more } } }),
            { status: 400, body: { code: 'required' } },
            'also with an unchanged type',
          )
          t.same(await stored(), before, 'the export is unchanged')
          t.match(await change({ ...more, ...secrets }), { status: 200 }, `${type} ${JSON.stringify(more)}`)
          t.match(await change({ ...config, ...NEUTRAL[type], ...secrets }), { status: 200 })
        }
        for (const more of otherChanges)
          t.match(await change(more), { status: 200 }, `${type} keeps its secrets with ${JSON.stringify(more)}`)
        t.match(await stored(), secrets)

        t.match(await app.send('PATCH', path, { body: { destination: { type: 'NoOp', config: {} } } }), { status: 200 })
        t.match(
          await app.send('PATCH', path, { body: { destination: { type, config } } }),
          { status: 400, body: { code: 'required', attr: /^destination__config__/ } },
          'another type deletes the secrets',
        )
      }
    },
    { environment: { SECRET_KEY: 'ab'.repeat(32) } },
  )

/** Restores a config. Keys cannot be removed. */
const NEUTRAL: Record<string, object> = {
  Postgres: { port: 5432, has_self_signed_cert: false },
  S3: { endpoint_url: null, use_virtual_style_addressing: false },
}

onBothEngines(
  t,
  'treats region and bucket as part of the receiver only when the URL contains them',
  async (t, app) => {
    const base = `/api/projects/${app.first.project_id}/batch_exports` as const
    const { config, secrets } = TYPES.S3!
    const status = async (start: object, more: object): Promise<number> => {
      const destination = { type: 'S3', config: { ...config, ...secrets, ...start } }
      const created = await app.send('POST', `${base}/`, { body: { name: 's', interval: 'day', destination } })
      return (await app.send('PATCH', `${base}/${created.body.id}/`, { body: { destination: { config: more } } }))
        .status
    }
    const endpoint_url = 'https://store.example.com'
    t.equal(await status({ endpoint_url }, { region: 'auto' }), 200)
    t.equal(await status({ endpoint_url }, { endpoint_url: null }), 400)
    t.equal(await status({ use_virtual_style_addressing: true }, { bucket_name: 'c' }), 400)
    t.equal(await status({ endpoint_url, use_virtual_style_addressing: true }, { bucket_name: 'c' }), 400)
    t.equal(await status({ endpoint_url }, { bucket_name: 'c' }), 200)
  },
  { environment: { SECRET_KEY: 'ab'.repeat(32) } },
)

t.test('applies the same rules to nested secrets and to types that are not supported yet', async (t) => {
  const update = (type: string, stored: Record<string, unknown>, sent: Record<string, unknown>) => () => {
    const settings = (config: object) => ({ type, config }) as DestinationSettings
    requireResentSecrets(settings(stored), sent, settings(mergeConfig(stored, sent)))
  }
  const required = (key: string) => ({ code: 'required', attr: `destination__config__${key}` })
  const snowflake = { account: 'a', user: 'u', password: 'p', database: 'd', warehouse: 'w', schema: 's' }
  t.throws(update('Snowflake', snowflake, { account: 'b' }), required('user'))
  t.throws(update('Snowflake', snowflake, { account: 'b', user: 'u' }), required('password'))
  update('Snowflake', snowflake, { account: 'b', user: 'u', password: 'p' })()
  update('Snowflake', snowflake, { account: 'a', database: 'e', warehouse: 'x', role: 'r' })()

  const bigquery = { project_id: 'p', private_key: 'k', private_key_id: 'i', client_email: 'e', token_uri: 't' }
  t.throws(update('BigQuery', bigquery, { token_uri: 'u' }), required('private_key'))
  update('BigQuery', bigquery, { ...bigquery, token_uri: 'u' })()
  t.throws(update('BigQuery', bigquery, { endpoint_url: 'u' }), required('private_key'))
  update('BigQuery', bigquery, { project_id: 'q', dataset_id: 'd' })()

  const pair = { aws_access_key_id: 'a', aws_secret_access_key: 's' }
  const copy_inputs = { s3_bucket: 'b', region_name: 'r', authorization: pair, bucket_credentials: pair }
  const redshift = { host: 'h', user: 'u', password: 'p', database: 'd', copy_inputs }
  for (const more of [{ host: 'x' }, { port: 5432 }, { has_self_signed_cert: true }])
    t.throws(update('Redshift', { ...redshift, copy_inputs: null }, more), required('user'))
  update('Redshift', redshift, { port: 5439, has_self_signed_cert: false })()
  t.throws(
    update('Redshift', redshift, { host: 'x', user: 'u', password: 'p' }),
    required('copy_inputs__authorization__aws_access_key_id'),
  )
  t.throws(
    update('Redshift', redshift, { copy_inputs: { region_name: 'x', authorization: pair } }),
    required('copy_inputs__bucket_credentials__aws_access_key_id'),
  )
  update('Redshift', redshift, { copy_inputs: { ...copy_inputs, region_name: 'x' } })()
  update('Redshift', redshift, { copy_inputs: { s3_key_prefix: 'x' } })()

  const clickhouse = { url: 'https://a.example', user: 'u', password: 'p' }
  t.throws(update('ClickHouse', clickhouse, { url: 'https://b.example' }), required('user'))
  t.throws(update('ClickHouse', clickhouse, { has_self_signed_cert: true, user: 'u' }), required('password'))
  update('ClickHouse', clickhouse, { database: 'd', table_name: 't' })()
  const bucket = { bucket_name: 'b', region: 'r', prefix: 'p', ...pair }
  t.throws(update('AwsS3', bucket, { region: 'x' }), required('aws_access_key_id'))
  t.throws(
    update('S3Compatible', { ...bucket, endpoint_url: 'https://a.example' }, { endpoint_url: 'https://b.example' }),
    required('aws_access_key_id'),
  )
  t.same(splitSecrets('Redshift', redshift).open.copy_inputs, {
    s3_bucket: 'b',
    region_name: 'r',
    authorization: {},
    bucket_credentials: {},
  })
})

t.test('rejects secrets on PostgreSQL without SECRET_KEY', async (t) => {
  const app = await openApp(t, 'postgres')
  const body = { name: 'x', interval: 'hour', destination: { type: 'HTTP', config: CONFIG } }
  const response = await app.send('POST', `/api/projects/${app.first.project_id}/batch_exports/`, { body })
  t.match(response, { status: 503, body: { code: 'no_secret_key', detail: /SECRET_KEY/ } })
})

t.test('excludes the key from backups, and names the missing key after a restore', async (t) => {
  const app = await openApp(t, 'sqlite')
  const folder = dirname(app.deps.db.location)
  t.match(readFileSync(join(folder, KEY_FILE), 'utf8'), /^[0-9a-f]{64}\n$/)
  const body = { name: 'x', interval: 'hour', destination: { type: 'HTTP', config: CONFIG } }
  await app.send('POST', `/api/projects/${app.first.project_id}/batch_exports/`, { body })
  const { count } = await rowOf<{ count: number }>(
    app.deps.db,
    sql`select count(*) as count from batch_exports where secrets is not null`,
  )
  t.equal(count, 1)
  rmSync(join(folder, KEY_FILE))
  await t.rejects(buildDeps({ config: app.deps.config, log: pino({ level: 'silent' }) }), /Restore secret.key/)
})

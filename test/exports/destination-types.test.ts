/** The configs of Redshift, ClickHouse, AwsS3 and S3Compatible through the API. */
import t from 'tap'
import { onBothEngines, type TestApp } from '../helpers/app.ts'
import { freshFolder } from '../helpers/folders.ts'

const KEYS = { aws_access_key_id: 'AKIDSECRET', aws_secret_access_key: 'verysecret' }
const BUCKET = { bucket_name: 'events', region: 'us-east-1', prefix: 'all' }
const TABLE = { user: 'user-secret', password: 'very-secret', host: 'db.example.invalid', database: 'd' }
const COPY_INPUTS = { s3_bucket: 'staging', region_name: 'us-east-1' }
const CONFIGS = {
  AwsS3: { open: BUCKET, secret: KEYS },
  S3Compatible: { open: { ...BUCKET, endpoint_url: 'https://store.example.invalid' }, secret: KEYS },
  ClickHouse: {
    open: { url: 'https://clickhouse.example.invalid:8443', database: 'default' },
    secret: { user: 'user-secret', password: 'very-secret' },
  },
  Redshift: {
    open: { host: TABLE.host, database: 'd', port: 5439, mode: 'INSERT', properties_data_type: 'super' },
    secret: { user: 'user-secret', password: 'very-secret' },
  },
}

const of = (type: string, config: object) => ({ name: 'n', interval: 'hour', destination: { type, config } })
const pathOf = (app: TestApp) => `/api/projects/${app.first.project_id}/batch_exports` as const
const environment = { SECRET_KEY: 'ab'.repeat(32) }

onBothEngines(
  t,
  'returns the config of each type as sent, without its secrets',
  async (t, app) => {
    for (const [type, { open, secret }] of Object.entries(CONFIGS)) {
      const created = await app.send('POST', `${pathOf(app)}/`, { body: of(type, { ...open, ...secret }) })
      t.match(created, { status: 201 }, type)
      t.strictSame(created.body.destination, { type, config: open, integration: null })
      const read = await app.send('GET', `${pathOf(app)}/${created.body.id}/`)
      t.strictSame(read.body.destination, { type, config: open, integration: null })
      const patched = await app.send('PATCH', `${pathOf(app)}/${created.body.id}/`, {
        body: { destination: { config: { include_events: ['paid'] } } },
      })
      t.match(patched, { status: 200, body: { destination: { type, config: { include_events: ['paid'] } } } })
    }
    const copy_inputs = { ...COPY_INPUTS, authorization: KEYS, bucket_credentials: KEYS }
    const copying = await app.send('POST', `${pathOf(app)}/`, {
      body: of('Redshift', { ...TABLE, mode: 'COPY', copy_inputs }),
    })
    t.match(copying.body.destination.config, {
      copy_inputs: { ...COPY_INPUTS, authorization: {}, bucket_credentials: {} },
    })
    t.notMatch(JSON.stringify(copying.body), /secret/i)
    for (const mode of [{}, { mode: 'INSERT' }]) {
      const inserting = await app.send('POST', `${pathOf(app)}/`, {
        body: of('Redshift', { ...TABLE, ...mode, copy_inputs: {} }),
      })
      t.match(inserting, { status: 201, body: { destination: { config: { copy_inputs: null } } } }, 'no bucket')
      const one = `${pathOf(app)}/${inserting.body.id}/` as const
      t.match(await app.send('PATCH', one, { body: { destination: { config: { copy_inputs: {} } } } }), {
        status: 200,
        body: { destination: { config: { copy_inputs: null } } },
      })
    }
  },
  { environment },
)

onBothEngines(
  t,
  'rejects a config that the type does not support, and names the key',
  async (t, app) => {
    const { AwsS3, S3Compatible, ClickHouse } = CONFIGS
    const compatible = { ...S3Compatible.open, ...KEYS }
    const clickhouse = { ...ClickHouse.open, ...ClickHouse.secret }
    const copy = { ...TABLE, mode: 'COPY' }
    for (const [type, config, key, code] of [
      ['AwsS3', { ...compatible }, 'endpoint_url', 'invalid_input'],
      ['AwsS3', AwsS3.open, 'aws_access_key_id', 'required'],
      ['AwsS3', { ...AwsS3.open, use_default_credentials: true }, 'use_default_credentials', 'invalid_input'],
      ['S3Compatible', { ...BUCKET, ...KEYS }, 'endpoint_url', 'required'],
      ['S3Compatible', { ...compatible, endpoint_url: null }, 'endpoint_url', 'null'],
      ['S3Compatible', { ...compatible, encryption: 'AES256' }, 'encryption', 'invalid_input'],
      ['S3Compatible', { ...compatible, kms_key_id: 'k' }, 'kms_key_id', 'invalid_input'],
      ['S3Compatible', { ...compatible, use_default_credentials: true }, 'use_default_credentials', 'invalid_input'],
      ['S3Compatible', { ...compatible, endpoint_url: 'http://10.0.0.1' }, 'endpoint_url', 'outbound_refused'],
      ['ClickHouse', {}, 'url', 'required'],
      ['ClickHouse', { ...clickhouse, url: 'ftp://x' }, 'url', 'invalid_input'],
      ['ClickHouse', { ...clickhouse, url: 'http://169.254.169.254/' }, 'url', 'outbound_refused'],
      ['ClickHouse', { ...clickhouse, table_name: 'a`b' }, 'table_name', 'invalid_input'],
      ['Redshift', { ...TABLE, table_name: 'a"b' }, 'table_name', 'invalid_input'],
      ['Redshift', { ...TABLE, properties_data_type: 'json' }, 'properties_data_type', 'invalid_choice'],
      ['Redshift', { ...TABLE, host: '10.0.0.1' }, 'host', 'outbound_refused'],
      ['Redshift', copy, 'copy_inputs', 'required'],
      ['Redshift', { ...copy, copy_inputs: {} }, 'copy_inputs', 'required'],
      ['Redshift', { ...copy, copy_inputs: COPY_INPUTS }, 'copy_inputs__authorization', 'required'],
      [
        'Redshift',
        { ...copy, copy_inputs: { ...COPY_INPUTS, authorization: {}, bucket_credentials: KEYS } },
        'copy_inputs__authorization',
        'required',
      ],
      [
        'Redshift',
        { ...copy, copy_inputs: { ...COPY_INPUTS, authorization: 'arn', bucket_credentials: {} } },
        'copy_inputs__bucket_credentials__aws_access_key_id',
        'required',
      ],
    ] as const)
      t.match(
        await app.send('POST', `${pathOf(app)}/`, { body: of(type, config) }),
        { status: 400, body: { attr: `destination__config__${key}`, code } },
        `${type} ${key}`,
      )
  },
  { environment },
)

onBothEngines(
  t,
  'allows the role of the machine only for the buckets of the organization',
  async (t, app) => {
    const stranger = await app.stranger('stranger@example.com')
    const setting = `${app.first.organization_id}:events, ${stranger.organization_id}:theirs`
    Object.assign(app.deps.config, { S3_ROLE_BUCKETS: setting, S3_ENDPOINT_URL: 'http://127.0.0.1:1' })
    const config = { ...BUCKET, use_default_credentials: true }
    const body = (bucket_name: string) => of('AwsS3', { ...config, bucket_name })
    const created = await app.send('POST', `${pathOf(app)}/`, { body: body('events') })
    t.match(created, { status: 201, body: { destination: { config } } })
    const refused = { status: 400, body: { attr: 'destination__config__use_default_credentials' } }
    t.match(await app.send('POST', `${pathOf(app)}/`, { body: body('theirs') }), refused)
    const change = { body: { destination: { config: { bucket_name: 'theirs' } } } }
    t.match(await app.send('PATCH', `${pathOf(app)}/${created.body.id}/`, change), refused)
    for (const path of [pathOf(app), '/api/organizations/@current/batch_exports']) {
      t.match(await app.send('POST', `${path}/test/`, { body: body('theirs').destination }), refused)
      t.match(await app.send('POST', `${path}/test/`, { body: body('events').destination }), {
        status: 200,
        body: { passed: false, steps: [{ status: 'failed' }, {}, {}, {}] },
      })
    }
    // Checked again at each run: the operator has removed the bucket.
    Object.assign(app.deps.config, { S3_ROLE_BUCKETS: undefined })
    app.advance(2 * 3_600_000)
    await app.deps.exporter.drain()
    t.match(await app.send('GET', `${pathOf(app)}/${created.body.id}/runs/`), {
      body: { results: [{ status: 'Failed', latest_error: /S3_ROLE_BUCKETS/ }] },
    })
  },
  { environment: { ...environment, EXPORT_FOLDER: freshFolder(t) } },
)

import t, { type Test } from 'tap'
import { type DeliveryJob, deliver } from '../../src/exports/deliver.ts'
import type { Destination } from '../../src/exports/destination.ts'
import { awsS3, createAwsS3, createS3, s3, s3Compatible } from '../../src/exports/destinations/s3.ts'
import { openApp } from '../helpers/app.ts'
import { halfInQuick } from '../helpers/assertions/figures.ts'
import { type Bucket, openBucket } from '../helpers/peers/object-stores.ts'
import { type Fault, openFaultProxy, SHORT_TIMEOUTS, send, stepsOf, toolsFor } from '../helpers/peers/stores.ts'
import type { Schemas } from '../helpers/response-bodies.ts'
import { ingest, jobFor, listener, NEVER_ABORTED, plainEvents } from '../helpers/seeds/exports.ts'
import { failWrites, PREFIX, type StoreKind, testFaults, testStoredFiles } from './object-store-scenarios.ts'

const scenario = halfInQuick(t)

const shortTimeouts = createS3(SHORT_TIMEOUTS)
/** An upload that takes longer than a busy machine needs is a failure. */
const DEADLINE_MS = 120_000
const SECRET = { aws_access_key_id: 'S3RVER', aws_secret_access_key: 'S3RVER' }

interface Store extends Bucket {
  config: (more?: object) => Record<string, unknown>
}

async function openStore(t: Test): Promise<Store> {
  const bucket = await openBucket(t)
  return { ...bucket, config: (more) => configOf(bucket.port, more) }
}

const configOf = (port: number, more: object = {}): Schemas['S3Config'] => ({
  bucket_name: 'events',
  region: 'us-east-1',
  prefix: PREFIX,
  endpoint_url: `http://127.0.0.1:${port}`,
  ...SECRET,
  ...more,
})

const SLOW_DOWN = { status: 503, body: '<Error><Code>SlowDown</Code></Error>' }
const kind: StoreKind = {
  type: 'S3',
  destination: s3 as Destination<object>,
  shortTimeouts: shortTimeouts as Destination<object>,
  configOf,
  secureConfigOf: (port) => configOf(port, { endpoint_url: `https://127.0.0.1:${port}` }),
  open: async (t) => {
    const { port, objects } = await openBucket(t)
    return { port, files: objects }
  },
  big_events: 2_000,
  max_file_size_mb: 4,
  busy: { fault: SLOW_DOWN, message: /throttled/ },
  temporary: { fault: { status: 500 }, message: /500/ },
}
testStoredFiles(t, kind)
testFaults(t, kind)

scenario('requests server-side encryption from S3', async (t) => {
  const store = await openStore(t)
  const proxy = await openFaultProxy(t, store.port)
  const sent = (): unknown[] =>
    proxy.seen
      .splice(0)
      .filter(({ method }) => method === 'PUT')
      .map(({ headers }) => [
        headers['x-amz-server-side-encryption'],
        headers['x-amz-server-side-encryption-aws-kms-key-id'],
      ])
  const put = (more: object) => send(shortTimeouts, configOf(proxy.port, more), toolsFor(t))
  await put({})
  t.same(sent(), [[undefined, undefined]])
  await put({ encryption: 'AES256', kms_key_id: 'unused' })
  t.same(sent(), [['AES256', undefined]])
  await put({ encryption: 'aws:kms', kms_key_id: 'key-1' })
  t.same(sent(), [['aws:kms', 'key-1']])
  const { 'a b/2026-01/2026-01-01T00:00:00Z-2026-01-01T01:00:00Z.jsonl': written } = await store.objects()
  t.equal(written?.toString(), '{"event":"seen"}\n')
})

scenario('aborts the unfinished uploads of killed attempts', async (t) => {
  const store = await openStore(t)
  const proxy = await openFaultProxy(t, store.port)
  const key = 'p/2026-01-01T00:00:00Z-2026-01-01T01:00:00Z.jsonl'
  const upload = (name: string, id: string): string => `<Upload><Key>${name}</Key><UploadId>${id}</UploadId></Upload>`
  const body = `<ListMultipartUploadsResult>${upload(key, 'mine')}${upload(`${key}.gz`, 'other')}</ListMultipartUploadsResult>`
  proxy.fault = ({ method, url }): Fault => {
    if (method === 'GET' && url!.includes('uploads')) return { status: 200, body }
    return method === 'DELETE' ? { status: 204 } : undefined
  }
  t.equal(await send(shortTimeouts, configOf(proxy.port, { prefix: 'p' }), toolsFor(t)), undefined)
  t.match(
    proxy.seen.filter(({ method }) => method === 'DELETE').map(({ url }) => url),
    [/uploadId=mine/],
  )
})

scenario('uploads parts in parallel and removes those of a failed upload', async (t) => {
  const store = await openStore(t)
  const proxy = await openFaultProxy(t, store.port)
  const config = configOf(proxy.port, { prefix: 'p' })
  const line = `${JSON.stringify({ text: 'x'.repeat(1_000_000) })}\n`
  const text = line.repeat(60)
  const requests = (method: string): string[] =>
    proxy.seen.filter((request) => request.method === method).map(({ url }) => url)
  const deadline = AbortSignal.timeout(DEADLINE_MS)
  const tools = toolsFor(t, { signal: deadline })

  t.equal(await send(s3, config, tools, text), undefined)
  const [stored] = Object.values(await store.objects())
  t.ok(stored!.equals(Buffer.from(text)), 'the object has all parts in order')
  t.equal(requests('PUT').length, 8)

  proxy.seen.length = 0
  proxy.fault = ({ method, url }) => (method === 'PUT' && url!.includes('partNumber=3') ? { status: 503 } : undefined)
  t.match(await send(shortTimeouts, config, tools, text), { retryable: true, message: /503/ })
  t.match(requests('DELETE'), [/uploadId/])
  t.notOk(
    requests('PUT').some((url) => url.includes('partNumber=8')),
    'no further parts are sent',
  )

  proxy.seen.length = 0
  const controller = new AbortController()
  proxy.fault = ({ method, url }) => {
    if (method !== 'PUT' || !url!.includes('partNumber=2')) return undefined
    controller.abort(new Error('cancelled'))
    return 'hang'
  }
  await t.rejects(
    send(s3, config, toolsFor(t, { signal: AbortSignal.any([controller.signal, deadline]) }), text).then((error) => {
      throw error
    }),
  )
  t.match(requests('DELETE'), [/uploadId/], 'a cancelled upload is removed too')
})

scenario('an error of S3 becomes a message that says what to fix', async (t) => {
  const store = await openStore(t)
  const proxy = await openFaultProxy(t, store.port)
  const failing = (more: object = {}) => send(shortTimeouts, configOf(proxy.port, more), toolsFor(t))
  const fails = (status: number, code: string): void =>
    failWrites(proxy, { status, body: `<Error><Code>${code}</Code><Message>peer-words</Message></Error>` })
  t.match(await failing({ aws_access_key_id: 'nobody' }), { retryable: false, message: /credentials/ })
  t.match(await failing({ bucket_name: 'absent' }), { retryable: false, message: /bucket does not exist/ })
  fails(403, 'SignatureDoesNotMatch')
  t.match(await failing(), { retryable: false, message: /credentials/ })
  fails(301, 'PermanentRedirect')
  t.match(await failing(), { retryable: false, message: /another region/ })
  fails(403, 'AccessDenied')
  t.match(await failing(), { retryable: false, message: /no permission/ })
  fails(418, 'peer-code')
  const unknown = await failing()
  t.match(unknown, { retryable: false, message: /418/ })
  t.notMatch(unknown?.message, /peer/)
})

scenario('tests an S3 destination step by step', async (t) => {
  const store = await openStore(t)
  const proxy = await openFaultProxy(t, store.port)
  const test = (more: object = {}) => stepsOf(shortTimeouts, configOf(proxy.port, more), toolsFor(t))
  t.same(await test(), { completed: [...s3.steps] })
  t.match(
    proxy.seen.map(({ url }) => url).filter((url) => url.includes('test')),
    [/uploads/, /^\/events\/a%20b\/workspace-admin-test\.jsonl/, /^\/events\/a%20b\/workspace-admin-test\.jsonl/],
  )
  t.same(await store.objects(), {}, 'the test object is deleted')
  t.match(await stepsOf(s3, configOf(1), toolsFor(t)), { completed: [], failure: { retryable: true } })
  t.match(await test({ bucket_name: 'absent' }), { completed: s3.steps.slice(0, 1), failure: { message: /bucket/ } })
  t.match(await test({ aws_access_key_id: 'x' }), { completed: s3.steps.slice(0, 1), failure: { message: /secret/ } })
  const denied = { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }
  proxy.fault = ({ method }) => (method === 'GET' ? denied : undefined)
  t.same(await test(), { completed: [...s3.steps] }, 'write-only credentials are sufficient')
  proxy.fault = ({ method }) => (method === 'PUT' ? denied : undefined)
  t.match(await test(), { completed: s3.steps.slice(0, 2), failure: { message: /put and delete/ } })
  proxy.fault = ({ method }) => (method === 'DELETE' ? denied : undefined)
  t.match(await test(), { completed: s3.steps.slice(0, 3), failure: { message: /put and delete/ } })
})

scenario('validates the config of S3', async (t) => {
  const check = (more: object) => () => s3.validate(configOf(9, more))
  t.doesNotThrow(check({}))
  t.doesNotThrow(check({ encryption: 'aws:kms', kms_key_id: 'k' }))
  t.throws(check({ encryption: 'aws:kms' }), { code: 'required', attr: 'destination__config__kms_key_id' })
  t.throws(check({ endpoint_url: 'https://[' }), { code: 'invalid_input', attr: 'destination__config__endpoint_url' })
  t.throws(check({ endpoint_url: null, region: 'x.example/' }), {
    code: 'invalid_input',
    attr: 'destination__config__region',
  })
  t.throws(check({ compression: 'zstd' }), { code: 'invalid_input', attr: 'destination__config__compression' })

  const hosts = (more: object) => s3.hosts?.(configOf(9, more))
  t.same(hosts({}), [{ host: '127.0.0.1', port: 9 }])
  t.same(hosts({ endpoint_url: null }), [{ host: 's3.us-east-1.amazonaws.com', port: 443 }])
  t.same(hosts({ endpoint_url: 'http://store.example', use_virtual_style_addressing: true }), [
    { host: 'events.store.example', port: 80 },
  ])
})

scenario('AwsS3 and S3Compatible store the same objects as S3', async (t) => {
  const app = await openApp(t, 'sqlite')
  await ingest(app, plainEvents(30))
  const store = await openStore(t)
  const put = async (job: Partial<DeliveryJob>): Promise<Record<string, Buffer>> => {
    await deliver({ ...jobFor(app, { type: 'S3', config: {} }), ...job }, listener(), NEVER_ABORTED)
    return store.objects()
  }
  const config = store.config()
  const { endpoint_url, ...onAws } = config
  const expected = await put({ destination: { type: 'S3', config } })
  t.equal(Object.keys(expected).length, 1)
  t.same(await put({ destination: { type: 'S3Compatible', config } }), expected)
  const s3_endpoint = String(endpoint_url)
  t.same(await put({ destination: { type: 'AwsS3', config: onAws }, s3_endpoint }), expected)
  t.same(await put({ destination: { type: 'S3', config: onAws }, s3_endpoint }), expected)
})

scenario('the role of the machine is used only for the buckets that the operator lists', async (t) => {
  const app = await openApp(t, 'sqlite')
  await ingest(app, plainEvents(3))
  const store = await openStore(t)
  const { endpoint_url, aws_access_key_id, aws_secret_access_key, ...rest } = store.config()
  const config = { ...rest, use_default_credentials: true }
  const job = jobFor(app, { type: 'AwsS3', config }, { s3_endpoint: String(endpoint_url) })
  await t.rejects(deliver(job, listener(), NEVER_ABORTED), {
    message: /S3_ROLE_BUCKETS/,
    options: { retryable: false },
  })
  await t.rejects(deliver({ ...job, role_buckets: ['other'] }, listener(), NEVER_ABORTED), /S3_ROLE_BUCKETS/)
  const allowed = { ...job, role_buckets: ['events'] }
  const role = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER', AWS_EC2_METADATA_DISABLED: 'true' }
  t.teardown(() => {
    for (const name of Object.keys(role)) delete process.env[name]
  })
  process.env.AWS_EC2_METADATA_DISABLED = 'true'
  await t.rejects(deliver(allowed, listener(), NEVER_ABORTED), { message: /no role/, options: { retryable: true } })
  Object.assign(process.env, role)
  await deliver(allowed, listener(), NEVER_ABORTED)
  t.equal(Object.keys(await store.objects()).length, 1)
  // Without the flag, missing keys do not fall back to the role.
  const keyless = { ...allowed, destination: { type: 'AwsS3' as const, config: rest } }
  await t.rejects(deliver(keyless, listener(), NEVER_ABORTED), /credentials/)
})

scenario('validates the configs of AwsS3 and S3Compatible', async (t) => {
  const { endpoint_url, ...onAws } = configOf(9)
  const check = (more: object) => () => awsS3.validate({ ...onAws, ...more })
  t.doesNotThrow(check({}))
  t.doesNotThrow(check({ aws_access_key_id: undefined, use_default_credentials: true }))
  for (const key of ['aws_access_key_id', 'aws_secret_access_key'])
    t.throws(check({ [key]: undefined }), { code: 'required', attr: `destination__config__${key}` })
  t.throws(check({ region: 'x.example/' }), { code: 'invalid_input', attr: 'destination__config__region' })
  t.throws(check({ encryption: 'aws:kms' }), { code: 'required', attr: 'destination__config__kms_key_id' })
  t.same(awsS3.hosts?.({ ...onAws, region: 'cn-north-1' }), [{ host: 's3.cn-north-1.amazonaws.com.cn', port: 443 }])
  t.doesNotThrow(() => s3Compatible.validate(configOf(9, { region: 'auto.x' }) as Schemas['S3CompatibleConfig']))
  t.throws(
    () => s3Compatible.validate(configOf(9, { endpoint_url: 'https://[' }) as Schemas['S3CompatibleConfig']),
    /URL/,
  )
  const store = await openStore(t)
  const tools = toolsFor(t, { s3_endpoint: `http://127.0.0.1:${store.port}` })
  t.same(await stepsOf(createAwsS3(SHORT_TIMEOUTS), onAws, tools), { completed: [...awsS3.steps] })
})

/** S3 stores the same bytes as File, even when the store fails temporarily. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type DeliveryJob, deliver } from '../../src/exports/deliver.ts'
import type { Checkpoint } from '../../src/exports/destination.ts'
import { awsS3, createAwsS3, createS3, s3, s3Compatible } from '../../src/exports/destinations/s3.ts'
import { createOutbound } from '../../src/outbound/guard.ts'
import { ENGINES, openApp } from '../helpers/app.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import { type Bucket, openBucket } from '../helpers/peers/object-stores.ts'
import { type Fault, openFaultProxy, SHORT_TIMEOUTS, send, stepsOf, toolsFor } from '../helpers/peers/stores.ts'
import type { Schemas } from '../helpers/response-bodies.ts'
import { ingest, jobFor, listener, plainEvents } from '../helpers/seeds/exports.ts'

const neverAborted = new AbortController().signal
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
  prefix: 'a b/{year}-{month}',
  endpoint_url: `http://127.0.0.1:${port}`,
  ...SECRET,
  ...more,
})

/** The files that File writes for the same job. */
async function filesOf(t: Test, job: DeliveryJob, settings: object): Promise<Record<string, Buffer>> {
  const files_root = freshFolder(t)
  const config = { prefix: 'a b/{year}-{month}', ...settings }
  await deliver({ ...job, destination: { type: 'File', config }, files_root }, listener(), neverAborted)
  const folder = join(files_root, String(job.project_id), job.batch_export_id)
  const files: Record<string, Buffer> = {}
  for (const name of readdirSync(folder, { recursive: true }) as string[])
    if (statSync(join(folder, name)).isFile()) files[name] = readFileSync(join(folder, name))
  return files
}

for (const engine of ENGINES)
  t.test(`S3 stores the same objects as File (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    const store = await openStore(t)
    await ingest(app, plainEvents(450))
    const job = jobFor(app, { type: 'S3', config: {} })
    const both = async (settings: object, more: Partial<DeliveryJob> = {}): Promise<Checkpoint[]> => {
      const { checkpoints, ...reporter } = listener()
      const config = store.config(settings)
      const { bytes } = await deliver({ ...job, ...more, destination: { type: 'S3', config } }, reporter, neverAborted)
      const [stored, written] = [await store.objects(), await filesOf(t, { ...job, ...more }, settings)]
      t.same(Object.keys(stored).toSorted(), Object.keys(written).toSorted(), JSON.stringify(settings))
      for (const [name, content] of Object.entries(written)) t.ok(content.equals(stored[name]!), name)
      if (!('max_file_size_mb' in settings)) t.equal(bytes, itemAt(Object.values(stored), 0).length)
      return checkpoints
    }

    await t.test('in every format and compression', async () => {
      for (const compression of [null, 'gzip', 'brotli']) await both({ compression })
      for (const compression of [null, 'zstd', 'lz4', 'snappy', 'gzip', 'brotli'])
        await both({ file_format: 'Parquet', compression })
    })

    const big = 'x'.repeat(9_000)
    await ingest(
      app,
      plainEvents(2_000, 1_000).map((event) => ({ ...event, event: 'big', properties: { big } })),
    )
    await t.test('in parts', async () => void (await both({ include_events: ['big'] })))

    await t.test('in several files with a manifest, continued at a checkpoint', async (t) => {
      const settings = { max_file_size_mb: 4, include_events: ['big'] }
      const checkpoints = await both(settings)
      t.ok(checkpoints.length > 2)
      await both(settings, { attempt: 2, checkpoint: itemAt(checkpoints, 0) })
    })
  })

t.test('requests server-side encryption from S3', async (t) => {
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

t.test('aborts the unfinished uploads of killed attempts', async (t) => {
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

t.test('uploads parts in parallel and removes those of a failed upload', async (t) => {
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

t.test('an S3 store that fails', async (t) => {
  const store = await openStore(t)
  const proxy = await openFaultProxy(t, store.port)
  const failing = (more: object = {}, tools = toolsFor(t)) => send(shortTimeouts, configOf(proxy.port, more), tools)
  /** Only writes fail. */
  const fails = (fault: Fault, times = Number.POSITIVE_INFINITY): void => {
    let remaining = times
    proxy.fault = ({ method }) => (method === 'PUT' && remaining-- > 0 ? fault : undefined)
  }

  await t.test('produces a message that says what to fix', async (t) => {
    t.match(await failing({ aws_access_key_id: 'nobody' }), { retryable: false, message: /credentials/ })
    t.match(await failing({ bucket_name: 'absent' }), { retryable: false, message: /bucket does not exist/ })
    fails({ status: 403, body: '<Error><Code>SignatureDoesNotMatch</Code></Error>' })
    t.match(await failing(), { retryable: false, message: /credentials/ })
    fails({ status: 301, body: '<Error><Code>PermanentRedirect</Code><Message>peer-words</Message></Error>' })
    t.match(await failing(), { retryable: false, message: /another region/ })
    fails({ status: 403, body: '<Error><Code>AccessDenied</Code><Message>peer-words</Message></Error>' })
    t.match(await failing(), { retryable: false, message: /no permission/ })
    fails({ status: 418, body: '<Error><Code>peer-code</Code><Message>peer-words</Message></Error>' })
    const unknown = await failing()
    t.match(unknown, { retryable: false, message: /418/ })
    t.notMatch(unknown!.message, /peer/)
  })

  await t.test('briefly is retried within the attempt', async (t) => {
    fails({ status: 503, body: '<Error><Code>SlowDown</Code></Error>' }, 1)
    t.equal(await failing(), undefined)
    t.equal(Object.keys(await store.objects()).length, 1)
    fails('drop', 1)
    t.equal(await failing(), undefined)
    t.equal(Object.keys(await store.objects()).length, 1)
  })

  await t.test('for longer makes the attempt retryable', async (t) => {
    fails({ status: 503, body: '<Error><Code>SlowDown</Code></Error>' })
    t.match(await failing(), { retryable: true, message: /throttled/ })
    fails({ status: 500 })
    t.match(await failing(), { retryable: true, message: /500/ })
    fails('hang')
    t.match(await failing(), { retryable: true, message: /did not respond in time/ })
    fails('drop')
    t.match(await failing(), { retryable: true, message: /connection to the store failed/ })
    t.match(await send(shortTimeouts, configOf(1), toolsFor(t)), { retryable: true, message: /ECONNREFUSED/ })
    t.same(await store.objects(), {}, 'no partial object exists')
  })

  await t.test('does not delay an aborted run', async (t) => {
    const waiting = await openFaultProxy(t, store.port)
    waiting.fault = ({ method }) => (method === 'PUT' ? 'hang' : undefined)
    const run = new AbortController()
    const sending = send(s3, configOf(waiting.port), toolsFor(t, { signal: run.signal }))
    await waiting.hanging
    run.abort(Object.assign(new Error(), { code: 'CANCELLED' }))
    t.match(await sending, { message: /CANCELLED/ })
  })

  await t.test('is not contacted when OUTBOUND_ALLOW does not allow it', async (t) => {
    const tools = toolsFor(t, { outbound: createOutbound() })
    const [sent, tested] = [await send(shortTimeouts, store.config(), tools), await stepsOf(s3, store.config(), tools)]
    t.match(sent, { retryable: false, message: /does not connect to "127.0.0.1"/ })
    t.match(tested, { completed: [], failure: { message: /does not connect to "127.0.0.1"/ } })
  })
})

t.test('tests an S3 destination step by step', async (t) => {
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

t.test('validates the config of S3', async (t) => {
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

t.test('AwsS3 and S3Compatible store the same objects as S3', async (t) => {
  const app = await openApp(t, 'sqlite')
  await ingest(app, plainEvents(30))
  const store = await openStore(t)
  const put = async (job: Partial<DeliveryJob>): Promise<Record<string, Buffer>> => {
    await deliver({ ...jobFor(app, { type: 'S3', config: {} }), ...job }, listener(), neverAborted)
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

t.test('the role of the machine is used only for the buckets that the operator lists', async (t) => {
  const app = await openApp(t, 'sqlite')
  await ingest(app, plainEvents(3))
  const store = await openStore(t)
  const { endpoint_url, aws_access_key_id, aws_secret_access_key, ...rest } = store.config()
  const config = { ...rest, use_default_credentials: true }
  const job = jobFor(app, { type: 'AwsS3', config }, { s3_endpoint: String(endpoint_url) })
  await t.rejects(deliver(job, listener(), neverAborted), { message: /S3_ROLE_BUCKETS/, options: { retryable: false } })
  await t.rejects(deliver({ ...job, role_buckets: ['other'] }, listener(), neverAborted), /S3_ROLE_BUCKETS/)
  const allowed = { ...job, role_buckets: ['events'] }
  const role = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER', AWS_EC2_METADATA_DISABLED: 'true' }
  t.teardown(() => {
    for (const name of Object.keys(role)) delete process.env[name]
  })
  process.env.AWS_EC2_METADATA_DISABLED = 'true'
  await t.rejects(deliver(allowed, listener(), neverAborted), { message: /no role/, options: { retryable: true } })
  Object.assign(process.env, role)
  await deliver(allowed, listener(), neverAborted)
  t.equal(Object.keys(await store.objects()).length, 1)
  // Without the flag, missing keys do not fall back to the role.
  const keyless = { ...allowed, destination: { type: 'AwsS3' as const, config: rest } }
  await t.rejects(deliver(keyless, listener(), neverAborted), /credentials/)
})

t.test('validates the configs of AwsS3 and S3Compatible', async (t) => {
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

/** Azure Blob Storage stores the same bytes as File, even when the store fails temporarily. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  AccountSASPermissions,
  generateAccountSASQueryParameters,
  StorageSharedKeyCredential,
} from '@azure/storage-blob'
import t, { type Test } from 'tap'
import { type DeliveryJob, deliver } from '../../src/exports/deliver.ts'
import type { Checkpoint } from '../../src/exports/destination.ts'
import { azure, createAzure } from '../../src/exports/destinations/azure.ts'
import { createOutbound } from '../../src/outbound/guard.ts'
import { ENGINES, openApp } from '../helpers/app.ts'
import { freshFolder } from '../helpers/folders.ts'
import { AZURITE_KEY, azuriteConnection, openContainer } from '../helpers/peers/object-stores.ts'
import { type Fault, openFaultProxy, SHORT_TIMEOUTS, send, stepsOf, toolsFor } from '../helpers/peers/stores.ts'
import { ingest, jobFor, listener, plainEvents } from '../helpers/seeds/exports.ts'

const neverAborted = new AbortController().signal
const shortTimeouts = createAzure(SHORT_TIMEOUTS)
const configOf = (port: number, more: object = {}): Record<string, unknown> => ({
  container_name: 'events',
  connection_string: azuriteConnection(port),
  prefix: 'a b/{year}-{month}',
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
  t.test(`Azure stores the same files as File (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    const { port, blobs } = await openContainer(t)
    await ingest(app, plainEvents(450))
    const job = jobFor(app, { type: 'AzureBlob', config: {} })
    const both = async (settings: object, more: Partial<DeliveryJob> = {}): Promise<Checkpoint[]> => {
      const { checkpoints, ...reporter } = listener()
      const destination = { type: 'AzureBlob', config: configOf(port, settings) } as const
      const { bytes } = await deliver({ ...job, ...more, destination }, reporter, neverAborted)
      const [stored, written] = [await blobs(), await filesOf(t, { ...job, ...more }, settings)]
      t.same(Object.keys(stored).toSorted(), Object.keys(written).toSorted(), JSON.stringify(settings))
      for (const [name, content] of Object.entries(written)) t.ok(content.equals(stored[name]!), name)
      if (!('max_file_size_mb' in settings)) t.equal(bytes, Object.values(stored)[0]!.length)
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
      plainEvents(1_000, 1_000).map((event) => ({ ...event, event: 'big', properties: { big } })),
    )
    await t.test('in blocks', async () => void (await both({ include_events: ['big'] })))

    await t.test('in several files with a manifest, continued at a checkpoint', async (t) => {
      const settings = { max_file_size_mb: 2, include_events: ['big'] }
      const checkpoints = await both(settings)
      t.ok(checkpoints.length > 2)
      await both(settings, { attempt: 2, checkpoint: checkpoints[0]! })
    })
  })

t.test('an Azure store that fails', async (t) => {
  const { port, blobs } = await openContainer(t)
  const proxy = await openFaultProxy(t, port)
  const failing = (more: object = {}) => send(shortTimeouts, configOf(proxy.port, more), toolsFor(t))
  /** Only writes fail. */
  const fails = (fault: Fault, times = Number.POSITIVE_INFINITY): void => {
    let remaining = times
    proxy.fault = ({ method }) => (method === 'PUT' && remaining-- > 0 ? fault : undefined)
  }
  const response = (status: number, code: string): Fault => ({
    status,
    headers: { 'x-ms-error-code': code, 'content-type': 'application/xml' },
    body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>peer-words</Message></Error>`,
  })

  await t.test('produces a message that says what to fix', async (t) => {
    const wrong = azuriteConnection(proxy.port, Buffer.from('another key').toString('base64'))
    t.match(await failing({ connection_string: wrong }), { retryable: false, message: /connection string/ })
    t.match(await failing({ container_name: 'absent' }), { retryable: false, message: /container does not exist/ })
    fails(response(403, 'AuthorizationPermissionMismatch'))
    t.match(await failing(), { retryable: false, message: /does not allow/ })
    fails(response(418, 'peer-code'))
    const unknown = await failing()
    t.match(unknown, { retryable: false, message: /418/ })
    t.notMatch(unknown!.message, /peer/)
  })

  await t.test('briefly is retried within the attempt', async (t) => {
    for (const fault of [response(503, 'ServerBusy'), 'drop'] as const) {
      fails(fault, 1)
      t.equal(await failing(), undefined)
      t.equal(Object.keys(await blobs()).length, 1)
    }
  })

  await t.test('for longer makes the attempt retryable', async (t) => {
    fails(response(503, 'ServerBusy'))
    t.match(await failing(), { retryable: true, message: /503/ })
    fails(response(409, 'ContainerBeingDeleted'))
    t.match(await failing(), { retryable: true, message: /being deleted/ })
    fails('hang')
    t.match(await failing(), { retryable: true, message: /did not respond in time/ })
    fails('drop')
    t.match(await failing(), { retryable: true, message: /connection to the store failed/ })
    t.match(await send(shortTimeouts, configOf(1), toolsFor(t)), { retryable: true, message: /ECONNREFUSED/ })
    t.same(await blobs(), {}, 'no partial blob exists')
  })

  await t.test('does not delay an aborted run', async (t) => {
    const waiting = await openFaultProxy(t, port)
    waiting.fault = () => 'hang'
    const run = new AbortController()
    const sending = send(azure, configOf(waiting.port), toolsFor(t, { signal: run.signal }))
    await waiting.hanging
    run.abort(Object.assign(new Error(), { code: 'CANCELLED' }))
    t.match(await sending, { message: /CANCELLED/ })
  })

  await t.test('is not contacted when OUTBOUND_ALLOW does not allow it', async (t) => {
    const tools = toolsFor(t, { outbound: createOutbound() })
    const refusal = /does not connect to "127.0.0.1"/
    const seen = proxy.seen.length
    t.match(await send(shortTimeouts, configOf(proxy.port), tools), { retryable: false, message: refusal })
    const viaProxy = `UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://127.0.0.1:${proxy.port}`
    t.match(await send(shortTimeouts, configOf(1, { connection_string: viaProxy }), tools), { message: refusal })
    t.match(await stepsOf(azure, configOf(proxy.port), tools), { completed: [], failure: { message: refusal } })
    t.equal(proxy.seen.length, seen)
  })
})

t.test('tests an Azure destination step by step', async (t) => {
  const { port, blobs } = await openContainer(t)
  const proxy = await openFaultProxy(t, port)
  const test = (more: object = {}) => stepsOf(shortTimeouts, configOf(proxy.port, more), toolsFor(t))
  t.same(await test(), { completed: [...azure.steps] })
  t.ok(proxy.seen.some(({ method, url }) => method === 'PUT' && url.includes('/a%20b/workspace-admin-test.jsonl')))
  t.same(await blobs(), {}, 'the test blob is deleted')
  t.match(await stepsOf(azure, configOf(1), toolsFor(t)), { completed: [], failure: { retryable: true } })
  const found = azure.steps.slice(0, 1)
  t.match(await test({ container_name: 'absent' }), { completed: found, failure: { message: /container/ } })
  const denied = { status: 403, headers: { 'x-ms-error-code': 'AuthorizationFailure' } }
  proxy.fault = ({ method }) => (method === 'PUT' ? denied : undefined)
  t.match(await test(), { completed: azure.steps.slice(0, 2), failure: { message: /write and delete/ } })
  proxy.fault = ({ method }) => (method === 'DELETE' ? denied : undefined)
  t.match(await test(), { completed: azure.steps.slice(0, 3), failure: { message: /write and delete/ } })
})

t.test('a shared access signature instead of the key', async (t) => {
  const { port } = await openContainer(t)
  const account = 'devstoreaccount1'
  const signature = generateAccountSASQueryParameters(
    {
      expiresOn: new Date(Date.now() + 3_600_000),
      permissions: AccountSASPermissions.parse('rwdlac'),
      resourceTypes: 'sco',
      services: 'b',
    },
    new StorageSharedKeyCredential(account, AZURITE_KEY),
  )
  const test = (signed: string) =>
    stepsOf(
      azure,
      configOf(port, {
        connection_string: `BlobEndpoint=http://127.0.0.1:${port}/${account}/;SharedAccessSignature=${signed}`,
      }),
      toolsFor(t),
    )
  for (const prefix of ['', '?'])
    t.match(await test(`${prefix}${signature}`), { completed: azure.steps, failure: undefined })
  t.match(await test('sv=2020-02-10&sig=wrong'), { failure: { message: /connection string/ } })
})

t.test('validates the config of Azure', async (t) => {
  const check = (more: object) => () => azure.validate(configOf(9, more) as any)
  t.doesNotThrow(check({}))
  t.throws(check({ connection_string: 'AccountKey=secret-word' }), {
    code: 'invalid_input',
    attr: 'destination__config__connection_string',
    message: /^The connection string is not valid/,
  })
  for (const connection_string of [
    '',
    ';;=;',
    'BlobEndpoint=https://shop.example',
    'BlobEndpoint=shop;SharedAccessSignature=sv=1',
    'BlobEndpoint=file:///tmp;SharedAccessSignature=sv=1',
    `DefaultEndpointsProtocol=ftp;AccountName=shop;AccountKey=${AZURITE_KEY};EndpointSuffix=core.windows.net`,
  ])
    t.throws(check({ connection_string }), { code: 'invalid_input' }, connection_string)
  t.throws(check({ compression: 'zstd' }), { code: 'invalid_input', attr: 'destination__config__compression' })
  t.same(azure.hosts!(configOf(9) as any), [{ host: '127.0.0.1', port: 9 }])
  const real = `DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=${AZURITE_KEY};EndpointSuffix=core.windows.net`
  t.same(azure.hosts!(configOf(9, { connection_string: real }) as any), [
    { host: 'shop.blob.core.windows.net', port: 443 },
  ])
  const signed = 'BlobEndpoint=https://shop.example/; SharedAccessSignature=?sv=1&sig=a%3D'
  t.same(azure.hosts!(configOf(9, { connection_string: signed }) as any), [{ host: 'shop.example', port: 443 }])
})

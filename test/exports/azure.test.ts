import {
  AccountSASPermissions,
  generateAccountSASQueryParameters,
  StorageSharedKeyCredential,
} from '@azure/storage-blob'
import t from 'tap'
import type { Destination } from '../../src/exports/destination.ts'
import { azure, createAzure } from '../../src/exports/destinations/azure.ts'
import { createOutbound } from '../../src/outbound/guard.ts'
import { AZURITE_KEY, azuriteConnection, openContainer } from '../helpers/peers/object-stores.ts'
import { type Fault, openFaultProxy, SHORT_TIMEOUTS, send, stepsOf, toolsFor } from '../helpers/peers/stores.ts'
import type { Schemas } from '../helpers/response-bodies.ts'
import { failWrites, PREFIX, type StoreKind, testFaults, testStoredFiles } from './object-store-scenarios.ts'

const shortTimeouts = createAzure(SHORT_TIMEOUTS)
const configOf = (port: number, more: object = {}): Schemas['AzureBlobConfig'] => ({
  container_name: 'events',
  connection_string: azuriteConnection(port),
  prefix: PREFIX,
  ...more,
})

const response = (status: number, code: string): Fault => ({
  status,
  headers: { 'x-ms-error-code': code, 'content-type': 'application/xml' },
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>peer-words</Message></Error>`,
})

const kind: StoreKind = {
  type: 'AzureBlob',
  destination: azure as Destination<object>,
  shortTimeouts: shortTimeouts as Destination<object>,
  configOf,
  secureConfigOf: (port) => configOf(port, { connection_string: azuriteConnection(port).replaceAll('http', 'https') }),
  open: async (t) => {
    const { port, blobs } = await openContainer(t)
    return { port, files: blobs }
  },
  big_events: 1_000,
  max_file_size_mb: 2,
  busy: { fault: response(503, 'ServerBusy'), message: /503/ },
  temporary: { fault: response(409, 'ContainerBeingDeleted'), message: /being deleted/ },
}
testStoredFiles(t, kind)
testFaults(t, kind)

t.test('an error of Azure becomes a message that says what to fix', async (t) => {
  const { port } = await openContainer(t)
  const proxy = await openFaultProxy(t, port)
  const failing = (more: object = {}) => send(shortTimeouts, configOf(proxy.port, more), toolsFor(t))
  const wrong = azuriteConnection(proxy.port, Buffer.from('another key').toString('base64'))
  t.match(await failing({ connection_string: wrong }), { retryable: false, message: /connection string/ })
  t.match(await failing({ container_name: 'absent' }), { retryable: false, message: /container does not exist/ })
  failWrites(proxy, response(403, 'AuthorizationPermissionMismatch'))
  t.match(await failing(), { retryable: false, message: /does not allow/ })
  failWrites(proxy, response(418, 'peer-code'))
  const unknown = await failing()
  t.match(unknown, { retryable: false, message: /418/ })
  t.notMatch(unknown?.message, /peer/)
})

t.test('the proxy of a connection string is not used', async (t) => {
  const proxy = await openFaultProxy(t, 9)
  const viaProxy = `UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://127.0.0.1:${proxy.port}`
  const tools = toolsFor(t, { outbound: createOutbound() })
  t.match(await send(shortTimeouts, configOf(1, { connection_string: viaProxy }), tools), {
    message: /does not connect to "127.0.0.1"/,
  })
  t.same(proxy.seen, [])
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
  const check = (more: object) => () => azure.validate(configOf(9, more))
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
  t.same(azure.hosts?.(configOf(9)), [{ host: '127.0.0.1', port: 9 }])
  const real = `DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=${AZURITE_KEY};EndpointSuffix=core.windows.net`
  t.same(azure.hosts?.(configOf(9, { connection_string: real })), [{ host: 'shop.blob.core.windows.net', port: 443 }])
  const signed = 'BlobEndpoint=https://shop.example/; SharedAccessSignature=?sv=1&sig=a%3D'
  t.same(azure.hosts?.(configOf(9, { connection_string: signed })), [{ host: 'shop.example', port: 443 }])
})

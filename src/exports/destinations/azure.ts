/** Delivers to a container of Azure Blob Storage. */
import { Readable } from 'node:stream'
import type { ContainerClient, RestError, StoragePipelineOptions } from '@azure/storage-blob'
import type { components } from '../../contract/openapi.ts'
import { invalid } from '../../errors.ts'
import { DeliveryError, type Destination, permanentError, type Tools } from '../destination.ts'
import {
  FILE_COLUMNS,
  type FileStore,
  fileEncoding,
  openFileReceiver,
  testFileName,
  validateFileConfig,
} from '../files.ts'
import {
  agentWithIdleTimeout,
  DEFAULT_LIMITS,
  describeNetworkError,
  describeStatus,
  hostOf,
  type ObjectStoreLimits,
  testConnection,
} from '../object-stores.ts'

type Config = components['schemas']['AzureBlobConfig']

/** A blob has at most 50,000 blocks, so at most 400 GB. */
const BLOCK_BYTES = 8 * 1024 * 1024
/** Each block is in memory until it is uploaded. */
const CONCURRENT_BLOCKS = 4

/** The connection string of the Azurite emulator, which `UseDevelopmentStorage=true` stands for. Its key is public. */
const DEVELOPMENT =
  'DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;BlobEndpoint=http://127.0.0.1:10000/devstoreaccount1'

/** Loaded on first use, which takes a third of a second. Validating a config does not need it. */
let library: typeof import('@azure/storage-blob')

export const createAzure = (limits: ObjectStoreLimits): Destination<Config> => ({
  columns: FILE_COLUMNS,
  supportsQuery: true,
  encoding: fileEncoding,
  steps: ['Reach the store', 'Find the container', 'Write a blob', 'Delete the blob'],

  validate: (config) => {
    validateFileConfig(config)
    accountOf(config)
  },

  hosts: (config) => [hostOf(accountOf(config).url)],

  open: async (delivery) => {
    const { tools, config } = delivery
    return openFileReceiver(containerStore(await connect(config, tools, limits), tools), delivery)
  },

  test: async function* (config, tools) {
    await testConnection(tools.outbound, hostOf(accountOf(config).url), limits)
    yield 'The store accepts connections.'
    const container = await connect(config, tools, limits)
    const name = testFileName(config)
    const options = { abortSignal: tools.signal }
    await withDescribedErrors(tools, () => container.listBlobsFlat(options).byPage({ maxPageSize: 1 }).next())
    yield 'The container exists.'
    await containerStore(container, tools).put(name, Readable.from([Buffer.from('{}\n')]))
    yield 'A blob was written.'
    await withDescribedErrors(tools, () => container.deleteBlob(name, options)).catch((error) => {
      tools.log('WARNING', `The test blob ${name} could not be deleted.`)
      throw error
    })
    yield 'The blob was deleted.'
  },
})

export const azure = createAzure(DEFAULT_LIMITS)

interface Account {
  url: URL
  name: string
  /** A connection string has a key, or a shared access signature. */
  key: string
  signature: string
}

/**
 * Parses the connection string. The library has a parser too, but it must not read the string differently: `hosts` tells
 * where the key will be sent.
 */
function accountOf({ connection_string }: Config): Account {
  const given = fieldsOf(connection_string)
  const fields = given.get('UseDevelopmentStorage') === 'true' ? fieldsOf(DEVELOPMENT) : given
  const [name = '', key = ''] = [fields.get('AccountName'), fields.get('AccountKey')]
  const signature = fields.get('SharedAccessSignature') ?? ''
  const endpoint =
    fields.get('BlobEndpoint') ??
    `${fields.get('DefaultEndpointsProtocol')}://${name}.blob.${fields.get('EndpointSuffix')}`
  if (!/^https?:\/\//i.test(endpoint) || !URL.canParse(endpoint) || !(signature || (name && key)))
    throw invalid(
      'destination__config__connection_string',
      'The connection string is not valid. Copy it from "Access keys" of the storage account.',
    )
  return { url: new URL(endpoint), name, key, signature }
}

const fieldsOf = (connection_string: string): Map<string, string> =>
  new Map(
    connection_string.split(';').map((field) => {
      const [name = '', ...value] = field.split('=')
      return [name.trim(), value.join('=').trim()]
    }),
  )

async function connect(config: Config, { outbound }: Tools, limits: ObjectStoreLimits): Promise<ContainerClient> {
  library ??= await import('@azure/storage-blob')
  const { BlobServiceClient, AnonymousCredential, StorageSharedKeyCredential } = library
  const { url, name, key, signature } = accountOf(config)
  const options: StoragePipelineOptions & { agent: unknown } = {
    // Missing from the type, but passed to the pipeline, where an agent overrides any proxy.
    agent: agentWithIdleTimeout(outbound, url.protocol === 'http:' ? 'http:' : 'https:', limits),
    retryOptions: { maxTries: limits.attempts, retryDelayInMs: limits.retry_delay_ms },
  }
  if (signature) url.search = signature
  const credential = signature ? new AnonymousCredential() : new StorageSharedKeyCredential(name, key)
  return new BlobServiceClient(url.href, credential, options).getContainerClient(config.container_name)
}

/**
 * A blob appears when its block list is committed. Uncommitted blocks are replaced by the next attempt or
 * removed by the store. The library's own stream upload cannot be aborted.
 */
function containerStore(container: ContainerClient, tools: Tools): FileStore {
  const options = { abortSignal: tools.signal }
  return {
    put: (name, body) =>
      withDescribedErrors(tools, async () => {
        const blob = container.getBlockBlobClient(name)
        const ids: string[] = []
        const staging = new Set<Promise<unknown>>()
        for await (const block of blocksOf(body)) {
          if (staging.size === CONCURRENT_BLOCKS) await Promise.race(staging)
          const id = Buffer.from(String(ids.length).padStart(6, '0')).toString('base64')
          ids.push(id)
          const staged = blob.stageBlock(id, block, block.length, options)
          staging.add(staged)
          // A failed block stays in the set and is awaited before the next block or the commit.
          staged.then(
            () => staging.delete(staged),
            () => undefined,
          )
        }
        await Promise.all(staging)
        await blob.commitBlockList(ids, options)
      }),
    close: async () => undefined,
  }
}

async function* blocksOf(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size < BLOCK_BYTES) continue
    yield Buffer.concat(chunks)
    chunks = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(chunks)
}

const WRONG_CREDENTIALS = permanentError(
  'The store rejected the connection string. Copy it again from the storage account.',
  'connection_string',
)
const NOT_ALLOWED = permanentError(
  'The connection string does not allow this. Grant it permission to write and delete blobs.',
)
const ERRORS: Record<string, DeliveryError> = {
  ContainerNotFound: permanentError(
    'The container does not exist. Create it, or correct "container_name".',
    'container_name',
  ),
  ContainerBeingDeleted: new DeliveryError(
    'The container is being deleted. Create it again, or correct "container_name".',
    { retryable: true, setting: 'container_name' },
  ),
  ContainerDisabled: permanentError('The container is disabled. Enable it.'),
  AuthenticationFailed: WRONG_CREDENTIALS,
  InvalidAuthenticationInfo: WRONG_CREDENTIALS,
  AuthorizationFailure: NOT_ALLOWED,
  AuthorizationPermissionMismatch: NOT_ALLOWED,
  InsufficientAccountPermissions: NOT_ALLOWED,
  AccountIsDisabled: permanentError('The storage account is disabled. Enable it.'),
}

async function withDescribedErrors<Result>({ signal }: Tools, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof library.RestError)) throw describeNetworkError(error)
    const { code = headerCode(error), statusCode = 0 } = error
    if (Object.hasOwn(ERRORS, code)) throw ERRORS[code]
    throw statusCode >= 300 ? describeStatus(statusCode) : describeNetworkError(error)
  }
}

/** A response without a body has its error code in a header. */
function headerCode({ details }: RestError): string {
  const named = typeof details === 'object' && details !== null && 'errorCode' in details
  return named ? String(details.errorCode) : ''
}

/** Delivers to a container of Azure Blob Storage. */
import { Readable } from 'node:stream'
import type { ContainerClient, RestError, StoragePipelineOptions } from '@azure/storage-blob'
import type { components } from '../../contract/openapi.ts'
import { invalid } from '../../errors.ts'
import { type DeliveryError, type Destination, permanentError, retryableError, type Tools } from '../destination.ts'
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

let library: typeof import('@azure/storage-blob')

/** A static import would be loaded with the bundle of the delivery process, and the library is optional. */
export async function loadAzure(limits = DEFAULT_LIMITS): Promise<Destination<Config>> {
  library = await import('@azure/storage-blob')
  return createAzure(limits)
}

const createAzure = (limits: ObjectStoreLimits): Destination<Config> => ({
  columns: FILE_COLUMNS,
  supportsQuery: true,
  encoding: fileEncoding,
  steps: ['Reach the store', 'Find the container', 'Write a blob', 'Delete the blob'],

  validate: (config) => {
    validateFileConfig(config)
    urlOf(config)
  },

  hosts: (config) => [hostOf(urlOf(config))],

  open: async (delivery) => {
    const { tools, config } = delivery
    return openFileReceiver(containerStore(connect(config, tools, limits), tools), delivery)
  },

  test: async function* (config, tools) {
    await testConnection(tools.outbound, hostOf(urlOf(config)), limits)
    yield 'The store accepts connections.'
    const container = connect(config, tools, limits)
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

/** The URL in the connection string. Errors of its parser may contain secrets, so they are replaced. */
function urlOf({ connection_string }: Config): URL {
  try {
    return new URL(library.BlobServiceClient.fromConnectionString(connection_string).url)
  } catch {
    throw invalid(
      'destination__config__connection_string',
      'The connection string is not valid. Copy it from "Access keys" of the storage account.',
    )
  }
}

function connect(config: Config, { outbound }: Tools, limits: ObjectStoreLimits): ContainerClient {
  const protocol = urlOf(config).protocol === 'http:' ? 'http:' : 'https:'
  const options: StoragePipelineOptions & { agent: unknown } = {
    // Missing from the type, but passed to the pipeline, where an agent overrides any proxy.
    agent: agentWithIdleTimeout(outbound, protocol, limits),
    retryOptions: { maxTries: limits.attempts, retryDelayInMs: limits.retry_delay_ms },
  }
  return library.BlobServiceClient.fromConnectionString(config.connection_string, options).getContainerClient(
    config.container_name,
  )
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
)
const NOT_ALLOWED = permanentError(
  'The connection string does not allow this. Grant it permission to write and delete blobs.',
)
const ERRORS: Record<string, DeliveryError> = {
  ContainerNotFound: permanentError('The container does not exist. Create it, or correct "container_name".'),
  ContainerBeingDeleted: retryableError(
    'The container is being deleted. Create it again, or correct "container_name".',
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

/** Delivers to a container of Azure Blob Storage. */
import { Readable } from 'node:stream'
import {
  BlobServiceClient,
  type ContainerClient,
  type RestError,
  type StoragePipelineOptions,
} from '@azure/storage-blob'
import type { components } from '../../contract/openapi.ts'
import { invalid } from '../../errors.ts'
import { type DeliveryError, type Destination, refused, type Tools, unreachable } from '../destination.ts'
import { checkFiles, FILE_COLUMNS, type FileStore, fileEncoding, openFiles, testName } from '../files.ts'
import { explained, hostOf, impatientAgent, PATIENCE, type Patience, reach, statusMeans } from '../object-stores.ts'

type Config = components['schemas']['AzureBlobConfig']

/** A blob has at most 50,000 blocks, so 400 GB. One block is uploaded while the next is filled. */
const BLOCK_BYTES = 8 * 1024 * 1024

export const azureWith = (patience: Patience): Destination<Config> => {
  const steps = ['Reach the store', 'Find the container', 'Write a blob', 'Remove it again']
  return {
    columns: FILE_COLUMNS,
    takesQuery: true,
    encoding: fileEncoding,
    steps,

    check: (config) => {
      checkFiles(config)
      urlOf(config)
    },

    hosts: (config) => [hostOf(urlOf(config))],

    open: async (delivery) => {
      const { tools, config } = delivery
      return openFiles(containerStore(connect(config, tools, patience), tools), delivery)
    },

    test: async function* (config, tools) {
      await reach(tools.outbound, hostOf(urlOf(config)), patience)
      yield { name: steps[0]!, detail: 'The store accepts connections.' }
      const container = connect(config, tools, patience)
      const name = testName(config)
      const options = { abortSignal: tools.signal }
      await told(tools, () => container.listBlobsFlat(options).byPage({ maxPageSize: 1 }).next())
      yield { name: steps[1]!, detail: 'The container is there.' }
      await containerStore(container, tools).put(name, Readable.from([Buffer.from('{}\n')]))
      yield { name: steps[2]!, detail: 'A blob was written.' }
      await told(tools, () => container.deleteBlob(name, options)).catch((error) => {
        tools.log('WARNING', `The blob ${name} of the test could not be removed.`)
        throw error
      })
      yield { name: steps[3]!, detail: 'The blob is gone.' }
    },
  }
}

export const azure = azureWith(PATIENCE)

/** The host of the connection string. Errors of its parser may quote secrets, so they are replaced. */
function urlOf({ connection_string }: Config): URL {
  try {
    return new URL(BlobServiceClient.fromConnectionString(connection_string).url)
  } catch {
    throw invalid(
      'destination__config__connection_string',
      'That is no connection string. Copy it from "Access keys" of the storage account.',
    )
  }
}

function connect(config: Config, { outbound }: Tools, patience: Patience): ContainerClient {
  const protocol = urlOf(config).protocol as 'http:' | 'https:'
  const options: StoragePipelineOptions & { agent: unknown } = {
    // Missing from the type, but passed to the pipeline, where an agent overrides any proxy.
    agent: impatientAgent(outbound, protocol, patience),
    retryOptions: { maxTries: patience.tries, retryDelayInMs: patience.pause_ms },
  }
  return BlobServiceClient.fromConnectionString(config.connection_string, options).getContainerClient(
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
      told(tools, async () => {
        const blob = container.getBlockBlobClient(name)
        const ids: string[] = []
        let staging: Promise<unknown> = Promise.resolve()
        for await (const block of blocksOf(body)) {
          await staging
          const id = Buffer.from(String(ids.length).padStart(6, '0')).toString('base64')
          ids.push(id)
          staging = blob.stageBlock(id, block, block.length, options)
          // Awaited before the next block or the commit.
          staging.catch(() => undefined)
        }
        await staging
        await blob.commitBlockList(ids, options)
      }),
    close: async () => undefined,
  }
}

async function* blocksOf(body: Readable): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size < BLOCK_BYTES) continue
    yield Buffer.concat(chunks)
    chunks = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(chunks)
}

const WRONG_CREDENTIALS = refused('The store does not accept the connection string. Copy it again from the account.')
const NOT_ALLOWED = refused('The connection string does not allow this. Give it the right to write and delete blobs.')
const PROBLEMS: Record<string, DeliveryError> = {
  ContainerNotFound: refused('The container does not exist. Create it, or correct "container_name".'),
  ContainerBeingDeleted: unreachable('The container is being removed. It is tried again.'),
  ContainerDisabled: refused('The container is disabled. Enable it.'),
  AuthenticationFailed: WRONG_CREDENTIALS,
  InvalidAuthenticationInfo: WRONG_CREDENTIALS,
  AuthorizationFailure: NOT_ALLOWED,
  AuthorizationPermissionMismatch: NOT_ALLOWED,
  InsufficientAccountPermissions: NOT_ALLOWED,
  AccountIsDisabled: refused('The storage account is disabled. Enable it.'),
}

async function told<Result>({ signal }: Tools, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    const { code, details, statusCode } = error as Partial<RestError> & { details?: { errorCode?: string } }
    // In the body, or in a header when there is no body.
    const problem = code ?? details?.errorCode ?? ''
    if (Object.hasOwn(PROBLEMS, problem)) throw PROBLEMS[problem]
    if (statusCode !== undefined && statusCode >= 300) throw statusMeans(statusCode)
    throw explained(error)
  }
}

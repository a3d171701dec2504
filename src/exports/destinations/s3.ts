/** Delivers to S3 or a compatible object store. */
import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
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
  DEFAULT_LIMITS,
  describeNetworkError,
  describeStatus,
  type Host,
  hostOf,
  type ObjectStoreLimits,
  testConnection,
} from '../object-stores.ts'

type Config = components['schemas']['S3Config']

/** An upload has at most 10,000 parts, so at most 160 GB. */
const PART_BYTES = 16 * 1024 * 1024
const CONCURRENT_PARTS = 2

async function load() {
  const [client, storage] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')])
  return { ...client, ...storage }
}

/** Loaded on first use, which takes a third of a second. Validating a config does not need it. */
let aws: Awaited<ReturnType<typeof load>>

export const createS3 = (limits: ObjectStoreLimits): Destination<Config> => ({
  columns: FILE_COLUMNS,
  supportsQuery: true,
  encoding: fileEncoding,
  steps: ['Reach the store', 'Find the bucket', 'Write an object', 'Delete the object'],

  validate: (config) => {
    validateFileConfig(config)
    const { encryption, kms_key_id, endpoint_url, region } = config
    if (encryption === 'aws:kms' && !kms_key_id)
      throw invalid('destination__config__kms_key_id', '"kms_key_id" is required for aws:kms encryption.', 'required')
    if (endpoint_url && !URL.canParse(endpoint_url))
      throw invalid('destination__config__endpoint_url', '"endpoint_url" must be a URL, such as https://host.')
    if (!endpoint_url && !/^[a-z0-9-]+$/.test(region))
      throw invalid('destination__config__region', '"region" must be an AWS region, such as us-east-1.')
  },

  hosts: (config) => [hostFor(config)],

  open: async (delivery) => {
    aws = await load()
    const { tools, config } = delivery
    return openFileReceiver(bucketStore(connect(config, tools, limits), config, tools), delivery)
  },

  test: async function* (config, tools) {
    aws = await load()
    await testConnection(tools.outbound, hostFor(config), limits)
    yield 'The store accepts connections.'
    const client = connect(config, tools, limits)
    const Bucket = config.bucket_name
    const Key = testFileName(config)
    try {
      const listed = await withDescribedErrors(tools, async () => {
        try {
          await client.send(new aws.ListObjectsV2Command({ Bucket, MaxKeys: 1 }), { abortSignal: tools.signal })
          return true
        } catch (error) {
          // Write-only credentials may not list the bucket.
          if (error instanceof Error && error.name === 'AccessDenied') return false
          throw error
        }
      })
      yield listed ? 'The bucket exists.' : 'The credentials are valid, but may not list the bucket.'
      await bucketStore(client, config, tools).put(Key, Readable.from([Buffer.from('{}\n')]))
      yield 'An object was written.'
      await withDescribedErrors(tools, () =>
        client.send(new aws.DeleteObjectCommand({ Bucket, Key }), { abortSignal: tools.signal }),
      ).catch((error) => {
        tools.log('WARNING', `The test object ${Key} could not be deleted.`)
        throw error
      })
      yield 'The object was deleted.'
    } finally {
      client.destroy()
    }
  },
})

export const s3 = createS3(DEFAULT_LIMITS)

function hostFor({ endpoint_url, region, bucket_name, use_virtual_style_addressing }: Config): Host {
  const { host, port } = hostOf(new URL(endpoint_url ?? `https://s3.${region}.amazonaws.com`))
  return { host: use_virtual_style_addressing ? `${bucket_name}.${host}` : host, port }
}

/** How to reach a store. Without keys, the SDK looks for the credentials of the machine. */
type Connection = Pick<Config, 'region' | 'endpoint_url' | 'use_virtual_style_addressing'> & {
  aws_access_key_id?: string | undefined
  aws_secret_access_key?: string | undefined
}

function connect(
  config: Connection,
  { outbound }: Pick<Tools, 'outbound'>,
  { connect_ms, idle_ms, attempts }: ObjectStoreLimits,
): S3Client {
  const { endpoint_url, aws_access_key_id, aws_secret_access_key, region, use_virtual_style_addressing } = config
  return new aws.S3Client({
    region,
    ...(endpoint_url && {
      endpoint: endpoint_url,
      // Stores without support for trailing checksums would store them as data.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    }),
    forcePathStyle: !use_virtual_style_addressing,
    ...(aws_access_key_id &&
      aws_secret_access_key && {
        credentials: { accessKeyId: aws_access_key_id, secretAccessKey: aws_secret_access_key },
      }),
    maxAttempts: attempts,
    requestHandler: {
      httpAgent: outbound.agent('http:', { keepAlive: true }),
      httpsAgent: outbound.agent('https:', { keepAlive: true }),
      connectionTimeout: connect_ms,
      socketTimeout: idle_ms,
    },
  })
}

/** An object becomes visible when its upload completes. */
function bucketStore(
  client: S3Client,
  config: Pick<Config, 'bucket_name' | 'encryption' | 'kms_key_id'>,
  tools: Pick<Tools, 'signal'>,
): FileStore {
  const { bucket_name: Bucket, encryption, kms_key_id } = config
  return {
    put: (Key, Body) =>
      withDescribedErrors(tools, async () => {
        await abortUnfinishedUploads(client, Bucket, Key, tools)
        const abortController = new AbortController()
        const abort = (): void => abortController.abort()
        const upload = new aws.Upload({
          client,
          params: {
            Bucket,
            Key,
            Body,
            ...(encryption && { ServerSideEncryption: encryption }),
            ...(encryption === 'aws:kms' && kms_key_id && { SSEKMSKeyId: kms_key_id }),
          },
          partSize: PART_BYTES,
          queueSize: CONCURRENT_PARTS,
          abortController,
        })
        tools.signal.addEventListener('abort', abort)
        try {
          tools.signal.throwIfAborted()
          await upload.done()
        } finally {
          tools.signal.removeEventListener('abort', abort)
        }
      }),
    close: async () => client.destroy(),
  }
}

export interface Bucket extends FileStore {
  /** All names that begin with the prefix. */
  list(prefix: string): Promise<string[]>
  remove(name: string): Promise<void>
  /** Aborts the uploads of killed processes whose names begin with the prefix. */
  abortUploads(prefix: string): Promise<void>
}

/** A bucket of the operator. */
export async function openBucket(
  config: Connection & Pick<Config, 'bucket_name'>,
  tools: Pick<Tools, 'outbound' | 'signal'>,
): Promise<Bucket> {
  aws = await load()
  const client = connect(config, tools, DEFAULT_LIMITS)
  const Bucket = config.bucket_name
  return {
    ...bucketStore(client, config, tools),
    list: (Prefix) =>
      withDescribedErrors(tools, async () => {
        const names: string[] = []
        for (let ContinuationToken: string | undefined; ; ) {
          const page = await client.send(new aws.ListObjectsV2Command({ Bucket, Prefix, ContinuationToken }))
          names.push(...(page.Contents ?? []).flatMap(({ Key }) => Key ?? []))
          ContinuationToken = page.NextContinuationToken
          if (ContinuationToken === undefined) return names
        }
      }),
    remove: (Key) =>
      withDescribedErrors(tools, async () => {
        await client.send(new aws.DeleteObjectCommand({ Bucket, Key }))
      }),
    abortUploads: (prefix) =>
      withDescribedErrors(tools, () => abortUnfinishedUploads(client, Bucket, prefix, tools, () => true)),
  }
}

/** The parts of a killed attempt use storage until its upload is aborted. */
async function abortUnfinishedUploads(
  client: S3Client,
  Bucket: string,
  Prefix: string,
  { signal }: Pick<Tools, 'signal'>,
  isOurs = (key: string): boolean => key === Prefix,
): Promise<void> {
  const options = { abortSignal: signal }
  try {
    const { Uploads = [] } = await client.send(new aws.ListMultipartUploadsCommand({ Bucket, Prefix }), options)
    for (const { Key, UploadId } of Uploads)
      if (Key && UploadId && isOurs(Key))
        await client.send(new aws.AbortMultipartUploadCommand({ Bucket, Key, UploadId }), options)
  } catch (error) {
    // Some stores do not support this, and some keys do not allow it. Errors without a status are rethrown.
    if (statusOf(error) === undefined) throw error
  }
}

const NO_BUCKET = permanentError('The bucket does not exist. Create it, or correct "bucket_name".')
const WRONG_CREDENTIALS = permanentError('The store rejected the credentials. Check the access key and its secret.')
const NOT_ALLOWED = permanentError(
  'The access key has no permission for this. Grant it permission to put and delete objects.',
)
const WRONG_REGION = permanentError('The bucket is in another region. Correct "region".')
const BUSY = retryableError('The store throttled the requests.')
const ERRORS: Record<string, DeliveryError> = {
  NoSuchBucket: NO_BUCKET,
  InvalidAccessKeyId: WRONG_CREDENTIALS,
  SignatureDoesNotMatch: WRONG_CREDENTIALS,
  AccessDenied: NOT_ALLOWED,
  PermanentRedirect: WRONG_REGION,
  AuthorizationHeaderMalformed: WRONG_REGION,
  RequestTimeTooSkewed: permanentError("This server's clock differs from the store's clock. Synchronize it."),
  SlowDown: BUSY,
  RequestTimeout: BUSY,
}

async function withDescribedErrors<Result>(
  { signal }: Pick<Tools, 'signal'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    const status = statusOf(error)
    if (error instanceof Error && Object.hasOwn(ERRORS, error.name)) throw ERRORS[error.name]
    if (status === 301 || status === 307) throw WRONG_REGION
    // An error with a 2xx status is a response that could not be parsed.
    if (status !== undefined && status >= 300) throw describeStatus(status)
    throw describeNetworkError(error)
  }
}

/** The SDK adds `$metadata` to errors of any class, such as parse errors. */
const statusOf = (error: unknown): number | undefined =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode

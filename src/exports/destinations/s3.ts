/** Delivers to Amazon S3 or a compatible object store. */
import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import type { components } from '../../contract/openapi.ts'
import { invalid } from '../../errors.ts'
import { type DeliveryError, type Destination, permanentError, retryableError, type Tools } from '../destination.ts'
import {
  FILE_COLUMNS,
  type FileStore,
  type FilesConfig,
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
import { uploadObject } from '../s3-upload.ts'

type Schemas = components['schemas']
type Config = Schemas['S3Config']
type AwsConfig = Schemas['AwsS3Config']
type CompatibleConfig = Schemas['S3CompatibleConfig']

/** Loaded on first use, which takes a third of a second. Validating a config does not need it. */
let aws: typeof import('@aws-sdk/client-s3')

/** The settings that S3, AwsS3 and S3Compatible share. */
interface Bucket {
  bucket_name: string
  region: string
  endpoint_url?: string | null | undefined
  use_virtual_style_addressing?: boolean | undefined
  encryption?: Config['encryption'] | undefined
  kms_key_id?: Config['kms_key_id'] | undefined
  aws_access_key_id?: string | undefined
  aws_secret_access_key?: string | undefined
  /** Whether to use the role of the machine. */
  use_default_credentials?: boolean | undefined
}

export const createS3 = <Type extends FilesConfig & Bucket = Config>(
  limits: ObjectStoreLimits,
  more: Partial<Destination<Type>> = {},
): Destination<Type> => ({
  columns: FILE_COLUMNS,
  supportsQuery: true,
  encoding: fileEncoding,
  steps: ['Reach the store', 'Find the bucket', 'Write an object', 'Delete the object'],

  validate: validateBucket,

  hosts: (config) => [hostFor(config)],

  open: async (delivery) => {
    const { tools, config } = delivery
    return openFileReceiver(await openBucket(config, tools, limits), delivery)
  },

  test: async function* (config, tools) {
    await testConnection(tools.outbound, hostFor(config, tools.s3_endpoint), limits)
    yield 'The store accepts connections.'
    const bucket = await openBucket(config, tools, limits)
    const name = testFileName(config)
    try {
      yield (await bucket.list('')) ? 'The bucket exists.' : 'The credentials are valid, but may not list the bucket.'
      await bucket.put(name, Readable.from([Buffer.from('{}\n')]))
      yield 'An object was written.'
      await bucket.remove(name).catch((error) => {
        tools.log('WARNING', `The test object ${name} could not be deleted.`)
        throw error
      })
      yield 'The object was deleted.'
    } finally {
      await bucket.close()
    }
  },

  ...more,
})

export const s3 = createS3(DEFAULT_LIMITS)

export const createAwsS3 = (limits: ObjectStoreLimits): Destination<AwsConfig> =>
  createS3<AwsConfig>(limits, {
    validate: (config) => {
      validateBucket(config)
      for (const key of ['aws_access_key_id', 'aws_secret_access_key'] as const)
        if (!config.use_default_credentials && !config[key])
          throw invalid(
            `destination__config__${key}`,
            `"${key}" is required unless "use_default_credentials" is true.`,
            'required',
          )
    },
    roleBucket: ({ use_default_credentials, bucket_name }) => (use_default_credentials ? bucket_name : null),
  })
export const awsS3 = createAwsS3(DEFAULT_LIMITS)

export const s3Compatible = createS3<CompatibleConfig>(DEFAULT_LIMITS)

function validateBucket(config: FilesConfig & Bucket): void {
  validateFileConfig(config)
  const { encryption, kms_key_id, endpoint_url, region } = config
  if (encryption === 'aws:kms' && !kms_key_id)
    throw invalid('destination__config__kms_key_id', '"kms_key_id" is required for aws:kms encryption.', 'required')
  if (endpoint_url && !URL.canParse(endpoint_url))
    throw invalid('destination__config__endpoint_url', '"endpoint_url" must be a URL, such as https://host.')
  if (!endpoint_url && !isRegion(region))
    throw invalid('destination__config__region', '"region" must be an AWS region, such as us-east-1.')
}

export const isRegion = (region: string): boolean => /^[a-z0-9-]+$/.test(region)

/** The public endpoint that the SDK derives from the region. */
const awsEndpoint = (region: string): string =>
  `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`

export function hostFor(config: Bucket, s3_endpoint?: string): Host {
  const { endpoint_url, region, bucket_name, use_virtual_style_addressing } = config
  const { host, port } = hostOf(new URL(endpoint_url ?? s3_endpoint ?? awsEndpoint(region)))
  return { host: use_virtual_style_addressing ? `${bucket_name}.${host}` : host, port }
}

type StoreTools = Pick<Tools, 'outbound' | 'signal' | 's3_endpoint'>

function connect(config: Bucket, { outbound, s3_endpoint }: StoreTools, limits: ObjectStoreLimits): S3Client {
  const { aws_access_key_id = '', aws_secret_access_key = '', region, use_virtual_style_addressing } = config
  const endpoint = config.endpoint_url || s3_endpoint
  return new aws.S3Client({
    region,
    ...(endpoint && {
      endpoint,
      // Stores without support for trailing checksums would store them as data.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    }),
    forcePathStyle: !use_virtual_style_addressing,
    ...(!config.use_default_credentials && {
      credentials: { accessKeyId: aws_access_key_id, secretAccessKey: aws_secret_access_key },
    }),
    maxAttempts: limits.attempts,
    requestHandler: {
      httpAgent: outbound.agent('http:', { keepAlive: true }),
      httpsAgent: outbound.agent('https:', { keepAlive: true }),
      connectionTimeout: limits.connect_ms,
      socketTimeout: limits.idle_ms,
    },
  })
}

export interface BucketStore extends FileStore {
  /** All names that begin with the prefix. Undefined if the credentials may not list the bucket. */
  list(prefix: string): Promise<string[] | undefined>
  remove(name: string): Promise<void>
  /** Aborts the uploads of killed processes whose names begin with the prefix. */
  abortUploads(prefix: string): Promise<void>
}

/** An object becomes visible when its upload completes. */
export async function openBucket(
  config: Bucket,
  tools: StoreTools,
  limits: ObjectStoreLimits = DEFAULT_LIMITS,
): Promise<BucketStore> {
  aws = await import('@aws-sdk/client-s3')
  const client = connect(config, tools, limits)
  const { bucket_name: Bucket, encryption, kms_key_id } = config
  const options = { abortSignal: tools.signal }
  return {
    list: (Prefix) =>
      withDescribedErrors(tools, async () => {
        const names: string[] = []
        try {
          for (let ContinuationToken: string | undefined; ; ) {
            const command = new aws.ListObjectsV2Command({ Bucket, Prefix, ContinuationToken })
            const page = await client.send(command, options)
            names.push(...(page.Contents ?? []).flatMap(({ Key }) => Key ?? []))
            ContinuationToken = page.NextContinuationToken
            if (ContinuationToken === undefined) return names
          }
        } catch (error) {
          // Write-only credentials may not list the bucket.
          if (error instanceof Error && error.name === 'AccessDenied') return undefined
          throw error
        }
      }),
    remove: async (Key) => {
      await withDescribedErrors(tools, () => client.send(new aws.DeleteObjectCommand({ Bucket, Key }), options))
    },
    abortUploads: (prefix) =>
      withDescribedErrors(tools, () => abortUnfinishedUploads(client, Bucket, prefix, tools, () => true)),
    put: (Key, Body) =>
      withDescribedErrors(tools, async () => {
        await abortUnfinishedUploads(client, Bucket, Key, tools)
        const object = {
          Bucket,
          Key,
          ...(encryption && { ServerSideEncryption: encryption }),
          ...(encryption === 'aws:kms' && kms_key_id && { SSEKMSKeyId: kms_key_id }),
        }
        await uploadObject(aws, client, object, Body, tools.signal)
      }),
    close: async () => client.destroy(),
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

const NO_BUCKET = permanentError('The bucket does not exist. Create it, or correct "bucket_name".', 'bucket_name')
const WRONG_CREDENTIALS = permanentError('The store rejected the credentials. Check the access key and its secret.')
const NOT_ALLOWED = permanentError(
  'The access key has no permission for this. Grant it permission to put and delete objects.',
)
const WRONG_REGION = permanentError('The bucket is in another region. Correct "region".', 'region')
const BUSY = retryableError('The store throttled the requests.')
const NO_ROLE = retryableError(
  'The machine of this server has no role for Amazon S3. Ask the operator to assign one, or send an access key.',
)
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
  CredentialsProviderError: NO_ROLE,
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

/** Delivers to S3 or a compatible object store. */
import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import type { components } from '../../contract/openapi.ts'
import { invalid } from '../../errors.ts'
import { type DeliveryError, type Destination, refused, type Tools, unreachable } from '../destination.ts'
import { checkFiles, FILE_COLUMNS, type FileStore, fileEncoding, openFiles, testName } from '../files.ts'
import { explained, type Host, hostOf, PATIENCE, type Patience, reach, statusMeans } from '../object-stores.ts'

type Config = components['schemas']['S3Config']

/** An upload has at most 10,000 parts, so 160 GB. Two parts are uploaded at a time. */
const PART_BYTES = 16 * 1024 * 1024
const PARTS_AT_ONCE = 2

async function load() {
  const [client, storage, handler] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/lib-storage'),
    import('@smithy/node-http-handler'),
  ])
  return { ...client, ...storage, ...handler }
}

/** Loaded on first use, which takes a third of a second. Checking a config does not need it. */
let aws: Awaited<ReturnType<typeof load>>

export const s3With = (patience: Patience): Destination<Config> => {
  const steps = ['Reach the store', 'Find the bucket', 'Write an object', 'Remove it again']
  return {
    columns: FILE_COLUMNS,
    takesQuery: true,
    encoding: fileEncoding,
    steps,

    check: (config) => {
      checkFiles(config)
      const { encryption, kms_key_id, endpoint_url, region } = config
      if (encryption === 'aws:kms' && !kms_key_id)
        throw invalid('destination__config__kms_key_id', 'Encryption with aws:kms needs the id of the key.', 'required')
      if (endpoint_url && !URL.canParse(endpoint_url))
        throw invalid('destination__config__endpoint_url', 'The endpoint is no address. Write it as https://host.')
      if (!endpoint_url && !/^[a-z0-9-]+$/.test(region))
        throw invalid('destination__config__region', 'That is no region of Amazon. Write it as us-east-1.')
    },

    hosts: (config) => [hostFor(config)],

    open: async (delivery) => {
      aws = await load()
      const { tools, config } = delivery
      return openFiles(bucketStore(connect(config, tools, patience), config, tools), delivery)
    },

    test: async function* (config, tools) {
      aws = await load()
      await reach(tools.outbound, hostFor(config), patience)
      yield { name: steps[0]!, detail: 'The store accepts connections.' }
      const client = connect(config, tools, patience)
      const Bucket = config.bucket_name
      const Key = testName(config)
      try {
        const listed = await told(tools, async () => {
          try {
            await client.send(new aws.ListObjectsV2Command({ Bucket, MaxKeys: 1 }), { abortSignal: tools.signal })
            return true
          } catch (error) {
            // Write-only credentials may not list the bucket.
            if ((error as Error).name === 'AccessDenied') return false
            throw error
          }
        })
        yield {
          name: steps[1]!,
          detail: listed ? 'The bucket is there.' : 'The store knows the key, which may not list the bucket.',
        }
        await bucketStore(client, config, tools).put(Key, Readable.from([Buffer.from('{}\n')]))
        yield { name: steps[2]!, detail: 'An object was written.' }
        await told(tools, () =>
          client.send(new aws.DeleteObjectCommand({ Bucket, Key }), { abortSignal: tools.signal }),
        ).catch((error) => {
          tools.log('WARNING', `The object ${Key} of the test could not be removed.`)
          throw error
        })
        yield { name: steps[3]!, detail: 'The object is gone.' }
      } finally {
        client.destroy()
      }
    },
  }
}

export const s3 = s3With(PATIENCE)

function hostFor({ endpoint_url, region, bucket_name, use_virtual_style_addressing }: Config): Host {
  const { host, port } = hostOf(new URL(endpoint_url ?? `https://s3.${region}.amazonaws.com`))
  return { host: use_virtual_style_addressing ? `${bucket_name}.${host}` : host, port }
}

function connect(config: Config, { outbound }: Tools, { connect_ms, idle_ms, tries }: Patience): S3Client {
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
    credentials: { accessKeyId: aws_access_key_id, secretAccessKey: aws_secret_access_key },
    maxAttempts: tries,
    requestHandler: new aws.NodeHttpHandler({
      httpAgent: outbound.agent('http:', { keepAlive: true }),
      httpsAgent: outbound.agent('https:', { keepAlive: true }),
      connectionTimeout: connect_ms,
      socketTimeout: idle_ms,
    }),
  })
}

/** An object appears when the upload completes. */
function bucketStore(client: S3Client, config: Config, tools: Tools): FileStore {
  const { bucket_name: Bucket, encryption, kms_key_id } = config
  return {
    put: (Key, Body) =>
      told(tools, async () => {
        await removeDrafts(client, Bucket, Key, tools)
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
          queueSize: PARTS_AT_ONCE,
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

/** Parts of a killed attempt cost storage until they are removed. */
async function removeDrafts(client: S3Client, Bucket: string, Key: string, { signal }: Tools): Promise<void> {
  const options = { abortSignal: signal }
  try {
    const { Uploads = [] } = await client.send(new aws.ListMultipartUploadsCommand({ Bucket, Prefix: Key }), options)
    for (const draft of Uploads)
      if (draft.Key === Key && draft.UploadId)
        await client.send(new aws.AbortMultipartUploadCommand({ Bucket, Key, UploadId: draft.UploadId }), options)
  } catch (error) {
    // Not every store supports this, and not every key allows it. The upload reports other errors.
    if ((error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === undefined) throw error
  }
}

const NO_BUCKET = refused('The bucket does not exist. Create it, or correct "bucket_name".')
const WRONG_CREDENTIALS = refused('The store does not know these credentials. Check the key and its secret.')
const NOT_ALLOWED = refused('The key may not do this in the bucket. Give it the right to put and delete objects.')
const WRONG_REGION = refused('The bucket is in another region. Correct "region".')
const BUSY = unreachable('The store asks for a slower pace. It is tried again.')
const PROBLEMS: Record<string, DeliveryError> = {
  NoSuchBucket: NO_BUCKET,
  InvalidAccessKeyId: WRONG_CREDENTIALS,
  SignatureDoesNotMatch: WRONG_CREDENTIALS,
  AccessDenied: NOT_ALLOWED,
  PermanentRedirect: WRONG_REGION,
  AuthorizationHeaderMalformed: WRONG_REGION,
  RequestTimeTooSkewed: refused("The clock of this server differs from the store's. Set it."),
  SlowDown: BUSY,
  RequestTimeout: BUSY,
}

async function told<Result>({ signal }: Tools, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    const { name, $metadata } = error as { name: string; $metadata?: { httpStatusCode?: number } }
    const status = $metadata?.httpStatusCode
    if (Object.hasOwn(PROBLEMS, name)) throw PROBLEMS[name]
    if (status === 301 || status === 307) throw WRONG_REGION
    // A 2xx response that fails could not be parsed.
    if (status !== undefined && status >= 300) throw statusMeans(status)
    throw explained(error)
  }
}

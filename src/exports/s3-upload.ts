/** Uploads an object to S3, in parts if it is large. */
import type { Readable } from 'node:stream'
import type { CompletedPart, PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3'
import { freeText } from '../events/page-memory.ts'
import { permanentError } from './destination.ts'

type Aws = typeof import('@aws-sdk/client-s3')

/** All parts but the last have the same size, because some stores require it. */
const PART_BYTES = 8 * 1024 * 1024
/** The limit of S3, so an object has at most 80 GB. */
const MAX_PARTS = 10_000
const CONCURRENT_PARTS = 4
/** How long a failed upload may take to remove its parts. */
const CLEANUP_MS = 3_000

/**
 * The buffers of uploaded parts are used again, so the memory does not depend on the size of the object. With
 * @aws-sdk/lib-storage, which allocates each part, 2,000,000 events needed 100 MB more than 100,000.
 */
export async function uploadObject(
  aws: Aws,
  client: S3Client,
  object: PutObjectCommandInput,
  body: Readable,
  signal: AbortSignal,
): Promise<void> {
  const { Bucket, Key } = object
  const failed = new AbortController()
  const options = { abortSignal: AbortSignal.any([signal, failed.signal]) }
  const unused: Buffer[] = []
  const sending = new Set<Promise<void>>()
  const parts: CompletedPart[] = []
  let UploadId: string | undefined

  const takeBuffer = async (): Promise<Buffer> => {
    while (sending.size >= CONCURRENT_PARTS) await Promise.race(sending)
    return unused.pop() ?? Buffer.allocUnsafeSlow(PART_BYTES)
  }
  const sendPart = async (buffer: Buffer, PartNumber: number): Promise<void> => {
    const command = new aws.UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body: buffer })
    const { ETag, ChecksumCRC32 } = await client.send(command, options)
    parts[PartNumber - 1] = { PartNumber, ETag, ChecksumCRC32 }
    if (buffer.length === PART_BYTES) unused.push(buffer)
  }
  const startPart = async (buffer: Buffer, number: number): Promise<void> => {
    if (number > MAX_PARTS) throw TOO_LARGE
    UploadId ??= await createUpload(aws, client, object, options)
    // A failed part stays in the set, so that the upload cannot complete without it.
    const part = sendPart(buffer, number).then(() => void sending.delete(part))
    sending.add(part)
    // Ends the loop that reads the body.
    part.catch((error) => body.destroy(error))
  }

  try {
    let count = 0
    let buffer: Buffer | undefined
    let filled = 0
    for await (const chunk of body) {
      for (let from = 0; from < chunk.length; ) {
        buffer ??= await takeBuffer()
        const copied = chunk.copy(buffer, filled, from)
        from += copied
        filled += copied
        if (filled < PART_BYTES) continue
        await startPart(buffer, ++count)
        buffer = undefined
        filled = 0
      }
      freeText(chunk)
    }
    const rest = buffer?.subarray(0, filled) ?? Buffer.alloc(0)
    if (UploadId === undefined) {
      await client.send(new aws.PutObjectCommand({ ...object, Body: rest }), options)
      return
    }
    if (rest.length) await startPart(rest, ++count)
    await Promise.all(sending)
    const upload = { Bucket, Key, UploadId, MultipartUpload: { Parts: parts } }
    await client.send(new aws.CompleteMultipartUploadCommand(upload), options)
  } catch (error) {
    failed.abort()
    await Promise.allSettled(sending)
    if (UploadId !== undefined)
      await client
        .send(new aws.AbortMultipartUploadCommand({ Bucket, Key, UploadId }), {
          abortSignal: AbortSignal.timeout(CLEANUP_MS),
        })
        .catch(() => undefined)
    throw error
  }
}

const TOO_LARGE = permanentError(
  'The object would exceed 80 GB. Set "max_file_size_mb" to deliver several objects.',
  'max_file_size_mb',
)

async function createUpload(
  aws: Aws,
  client: S3Client,
  object: PutObjectCommandInput,
  options: { abortSignal: AbortSignal },
): Promise<string | undefined> {
  const sendsChecksums = (await client.config.requestChecksumCalculation()) === 'WHEN_SUPPORTED'
  const command = new aws.CreateMultipartUploadCommand({
    ...object,
    ...(sendsChecksums && { ChecksumAlgorithm: 'CRC32' }),
  })
  const { UploadId } = await client.send(command, options)
  return UploadId
}

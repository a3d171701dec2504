/** Uploads to an internal stage, which is a folder in the S3, Azure or Google storage of Snowflake. */
import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import type { Readable } from 'node:stream'
import { type DeliveryError, permanentError } from './destination.ts'
import { type OutgoingRequest, textAt, valueAt } from './guarded-requests.ts'

export interface StageFile {
  name: string
  size: number
  /** The SHA-256 in base64. */
  digest: string
  open(): Readable
}

const BLOCK_BYTES = 16
const UNKNOWN_STAGE: DeliveryError = permanentError('The storage of the Snowflake stage is not supported.')

/** The upload that the result of PUT describes. `protocol` is that of the account: only a test server has no TLS. */
export function uploadRequest(instructions: unknown, file: StageFile, protocol: string, now: Date): OutgoingRequest {
  const stage = valueAt(instructions, 'stageInfo')
  const location = textAt(stage, 'location') ?? ''
  const slash = location.indexOf('/')
  const [bucket, folder] = slash < 0 ? [location, ''] : [location.slice(0, slash), location.slice(slash + 1)]
  const path = [...folder.split('/').filter(Boolean), file.name].map(encodeURIComponent).join('/')
  const { headersOf, body, length } = encrypt(instructions, file)
  const target: Target = { stage, bucket, path, protocol }
  const send = (url: URL, headers: Record<string, string>): OutgoingRequest => {
    if (url.protocol !== protocol) throw UNKNOWN_STAGE
    return { method: 'PUT', url: url.href, headers: { ...headers, 'content-length': String(length) }, body: body() }
  }
  switch (textAt(stage, 'locationType')) {
    case 'S3': {
      const url = s3Url(target)
      const headers = { 'content-type': 'application/octet-stream', ...headersOf('x-amz-meta-') }
      return send(url, signS3(stage, url, headers, now))
    }
    case 'AZURE':
      return send(azureUrl(target), {
        'content-type': 'application/octet-stream',
        'x-ms-version': '2021-08-06',
        'x-ms-blob-type': 'BlockBlob',
        ...headersOf('x-ms-meta-'),
      })
    case 'GCS': {
      const token = textAt(stage, 'creds', 'GCS_ACCESS_TOKEN')
      const signed = textAt(stage, 'presignedUrl') ?? textAt(instructions, 'presignedUrls', 0)
      return send(parseUrl(token || !signed ? googleUrl(target) : signed), {
        'content-type': 'application/octet-stream',
        ...headersOf('x-goog-meta-'),
        ...(token && { authorization: `Bearer ${token}` }),
      })
    }
    default:
      throw UNKNOWN_STAGE
  }
}

interface Target {
  stage: unknown
  bucket: string
  /** The encoded path of the object. */
  path: string
  protocol: string
}

function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw UNKNOWN_STAGE
  return new URL(text)
}

/** An address without a scheme has the scheme of the account. */
const withScheme = (protocol: string, address: string): URL =>
  parseUrl(/^https?:\/\//.test(address) ? address : `${protocol}//${address}`)

/** The bucket is part of the host name, except if the host is an IP address. */
function s3Url({ stage, bucket, path, protocol }: Target): URL {
  const region = textAt(stage, 'region') ?? ''
  const domain = region.toLowerCase().startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  const url = withScheme(protocol, textAt(stage, 'endPoint') || `s3.${region}.${domain}`)
  return parseUrl(
    isIP(url.hostname) ? `${url.origin}/${bucket}/${path}` : `${url.protocol}//${bucket}.${url.host}/${path}`,
  )
}

function azureUrl({ stage, bucket, path, protocol }: Target): URL {
  const endpoint = textAt(stage, 'endPoint') || 'core.windows.net'
  const host = endpoint.startsWith('blob.') ? endpoint : `blob.${endpoint}`
  const base = /^https?:\/\//.test(endpoint)
    ? parseUrl(endpoint).origin
    : `${protocol}//${textAt(stage, 'storageAccount') ?? ''}.${host}`
  const token = textAt(stage, 'creds', 'AZURE_SAS_TOKEN') ?? ''
  return parseUrl(`${base}/${bucket}/${path}${token.startsWith('?') ? '' : '?'}${token}`)
}

function googleUrl({ stage, bucket, path, protocol }: Target): string {
  const url = withScheme(protocol, textAt(stage, 'endPoint') || 'storage.googleapis.com')
  return `${url.origin}/${bucket}/${path}`
}

interface Encrypted {
  /** The metadata of the object. Each store has its own prefix and names. */
  headersOf(prefix: 'x-amz-meta-' | 'x-ms-meta-' | 'x-goog-meta-'): Record<string, string>
  body(): Readable
  length: number
}

/** Encrypts with a key of the file, which is encrypted with the key of the stage. Some stages encrypt by themselves. */
function encrypt(instructions: unknown, { size, digest, open }: StageFile): Encrypted {
  const listed = valueAt(instructions, 'encryptionMaterial')
  const material = Array.isArray(listed) ? listed[0] : listed
  const encoded = textAt(material, 'queryStageMasterKey')
  const digestHeader = (prefix: string): Record<string, string> => ({
    [`${prefix}${prefix === 'x-ms-meta-' ? 'sfcdigest' : 'sfc-digest'}`]: digest,
  })
  if (!encoded) return { headersOf: digestHeader, body: open, length: size }
  const master = Buffer.from(encoded, 'base64')
  const bits = master.length * 8
  if (bits !== 128 && bits !== 256) throw UNKNOWN_STAGE
  const [key, iv] = [randomBytes(master.length), randomBytes(BLOCK_BYTES)]
  const wrap = createCipheriv(`aes-${bits}-ecb`, master, null)
  const wrapped = Buffer.concat([wrap.update(key), wrap.final()]).toString('base64')
  const description = JSON.stringify({
    smkId: String(valueAt(material, 'smkId') ?? ''),
    queryId: textAt(material, 'queryId') ?? '',
    keySize: String(bits),
  })
  const envelope = JSON.stringify({
    EncryptionMode: 'FullBlob',
    WrappedContentKey: { KeyId: 'symmKey1', EncryptedKey: wrapped, Algorithm: 'AES_CBC_256' },
    EncryptionAgent: { Protocol: '1.0', EncryptionAlgorithm: 'AES_CBC_256' },
    ContentEncryptionIV: iv.toString('base64'),
    KeyWrappingMetadata: { EncryptionLibrary: 'Java 5.3.0' },
  })
  return {
    headersOf: (prefix) => ({
      ...digestHeader(prefix),
      ...(prefix === 'x-amz-meta-'
        ? {
            'x-amz-meta-x-amz-iv': iv.toString('base64'),
            'x-amz-meta-x-amz-key': wrapped,
            'x-amz-meta-x-amz-matdesc': description,
          }
        : { [`${prefix}encryptiondata`]: envelope, [`${prefix}matdesc`]: description }),
    }),
    body: () => {
      const source = open()
      const cipher = createCipheriv(`aes-${bits}-cbc`, key, iv)
      source.on('error', (error) => cipher.destroy(error))
      return source.pipe(cipher)
    },
    length: size - (size % BLOCK_BYTES) + BLOCK_BYTES,
  }
}

/** Adds the signature of version 4 to the headers. The body is not signed: TLS protects it. */
function signS3(stage: unknown, url: URL, headers: Record<string, string>, now: Date): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '')
  const date = time.slice(0, 8)
  const region = textAt(stage, 'region') ?? 'us-east-1'
  const token = textAt(stage, 'creds', 'AWS_TOKEN')
  const signed: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
    'x-amz-date': time,
    ...(token && { 'x-amz-security-token': token }),
  }
  const names = Object.keys(signed).sort()
  const canonical = [
    'PUT',
    url.pathname,
    '',
    ...names.map((name) => `${name}:${(signed[name] ?? '').trim()}`),
    '',
    names.join(';'),
    'UNSIGNED-PAYLOAD',
  ].join('\n')
  const scope = `${date}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n')
  const hmac = (key: string | Buffer, value: string): Buffer => createHmac('sha256', key).update(value).digest()
  const secret = `AWS4${textAt(stage, 'creds', 'AWS_SECRET_KEY') ?? ''}`
  const key = [date, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, secret)
  const signature = createHmac('sha256', key).update(text).digest('hex')
  const credential = `${textAt(stage, 'creds', 'AWS_KEY_ID') ?? ''}/${scope}`
  return {
    ...signed,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  }
}

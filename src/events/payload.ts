/** Decodes the request formats of client libraries into a token and events. */
import { isUtf8 } from 'node:buffer'
import { promisify } from 'node:util'
import { gunzip as gunzipWithCallback } from 'node:zlib'
import { AppError, errorCode, Unauthenticated } from '../errors.ts'
import { formFields, MAX_FORM_FIELDS, MAX_PARTS, multipartFields } from '../form.ts'
import { isJsonObject, type JsonObject } from '../json/object.ts'
import { decodeUtf8, replaceInvalidText } from '../json/text.ts'
import { DecompressedTooLong, decompressLz64 } from './lz64.ts'
import { parseSentAt } from './time.ts'
import { MAX_VALUES, scanPayload } from './token-scan.ts'
import { createYielder } from './yield.ts'

/** Before and after decompression. */
export const PAYLOAD_LIMIT_BYTES = 20 * 1024 * 1024
/** The maximum compression ratio of deflate. */
const MAX_DEFLATE_RATIO = 1_032
const MAX_TOKEN_LENGTH = 64
/** The fields of a form that are read. */
const FORM_FIELDS = ['data', 'compression', 'api_key', 'token', 'sent_at'] as const
/** Characters of event names and distinct ids. */
export const MAX_NAME_LENGTH = 200

const gunzip = promisify(gunzipWithCallback)

/** A request before decompression and parsing. */
export interface RawRequest {
  method: string
  content_type: string | undefined
  content_encoding: string | undefined
  query: Readonly<Record<string, string | undefined>>
  bytes: Buffer | undefined
}

/** A decompressed and scanned request, not parsed before its token is checked. */
export interface OpenedPayload {
  token: string
  /** JSON text; the scanner has only checked its brackets and strings. */
  bytes: Buffer
  form: Form
}

export interface Payload {
  /** Microseconds since 1970 by the sender's clock. Null if unknown. */
  sent_at: number | null
  data: unknown
}

/** A validated event. */
export interface SentEvent {
  event: string
  distinct_id: string
  /** Null if the server must generate one. */
  uuid: string | null
  properties: JsonObject
  /** The event as it was sent, for its rare keys. */
  source: JsonObject
}

const malformed = (detail: string, attr: string | null = null): AppError =>
  new AppError({ code: 'invalid_payload', detail, attr })

const tooLarge = (): AppError =>
  new AppError({
    code: 'request_too_large',
    detail: `The decompressed body exceeds ${PAYLOAD_LIMIT_BYTES} bytes. Send fewer events per request.`,
  })

/** The largest possible size of the decompressed text. */
export function maxTextLength({ query, bytes }: RawRequest): number {
  const length = bytes?.length ?? query.data?.length ?? 0
  const isPlainJson = bytes !== undefined && (bytes[0] === 0x7b || bytes[0] === 0x5b)
  return isPlainJson ? length : Math.min(length * MAX_DEFLATE_RATIO, PAYLOAD_LIMIT_BYTES)
}

/**
 * Whether the body may have at most this size when decompressed. The length that a gzip trailer claims can only make the
 * answer false: a body that claims less than it has is found out while it is decompressed.
 */
export function isSmall({ bytes }: RawRequest, limit_bytes: number): boolean {
  if (!bytes) return true
  const claimed = isGzip(bytes) && bytes.length > 18 ? bytes.readUInt32LE(bytes.length - 4) : 0
  return Math.max(bytes.length, claimed) <= limit_bytes
}

export interface PayloadLimits {
  limit_bytes: number
  max_values: number
  /** Of one event. */
  max_event_values: number
}

const LARGEST: PayloadLimits = {
  limit_bytes: PAYLOAD_LIMIT_BYTES,
  max_values: MAX_VALUES,
  max_event_values: MAX_VALUES,
}

/**
 * Decompresses a request, scans its JSON and finds its token. Throws no_data, invalid_payload, invalid_input when it
 * is nested too deep or has too many values, Unauthenticated when the token is missing or malformed, and TooLong when it
 * decompresses to more than the limit or has more values.
 */
export async function openPayload(
  request: RawRequest,
  { limit_bytes, max_values, max_event_values }: PayloadLimits,
): Promise<OpenedPayload> {
  const { data: packed, form } = extractData(request)
  if (packed.length === 0) throw noData()
  const compression = request.query.compression ?? form.compression ?? request.content_encoding
  const bytes = await decompress(packed, compression?.trim().toLowerCase(), limit_bytes)
  if (bytes.length > limit_bytes) throw new DecompressedTooLong()
  if (!isUtf8(bytes)) throw malformed('The data is not valid UTF-8. Send JSON encoded as UTF-8.')
  const { empty, largest, candidates } = scanPayload(bytes, max_values, notJsonAt)
  if (largest > max_event_values) throw new DecompressedTooLong()
  if (empty) throw noData()
  return { token: tokenOf(request, form, candidates), bytes, form }
}

/** Opens a request of any size; throws request_too_large above the limit for all requests. */
export const openLargePayload = (request: RawRequest): Promise<OpenedPayload> =>
  openPayload(request, LARGEST).catch((error) => {
    throw error instanceof DecompressedTooLong ? tooLarge() : error
  })

/** Must only be called after the token is accepted. Throws invalid_payload. */
export function parsePayload(request: RawRequest, { bytes, form }: OpenedPayload): Payload {
  const data = parse(decodeUtf8(bytes))
  return { data, sent_at: sentAtOf(request, form, data) }
}

const notJsonAt = (position: number): AppError =>
  malformed(`The data is not valid JSON at position ${position}. Check its quotes, commas and brackets.`)

const noData = (): AppError =>
  new AppError({
    code: 'no_data',
    detail: 'The request has no events. Send them as the body or as `data`.',
  })

type FormField = (typeof FORM_FIELDS)[number]
type Form = { readonly [Name in FormField]?: string }

/** Finds the data by method and content type, and returns the other fields of a form. */
function extractData({ method, content_type, query, bytes }: RawRequest): { data: Buffer; form: Form } {
  if (method === 'GET' || method === 'HEAD') return { data: Buffer.from(query.data ?? ''), form: {} }
  const body = bytes ?? Buffer.alloc(0)
  const [type] = (content_type ?? '')
    .toLowerCase()
    .split(';', 1)
    .map((part) => part.trim())
  if (type === 'application/x-www-form-urlencoded') {
    const fields = formFields(body, FORM_FIELDS)
    if (!fields) throw malformed(`The form has more than ${MAX_FORM_FIELDS} fields. Send the events as \`data\`.`)
    return formOf(fields)
  }
  if (content_type && type === 'multipart/form-data') {
    const fields = multipartFields(body, content_type, FORM_FIELDS)
    if (!fields)
      throw malformed(`The multipart body is invalid or has more than ${MAX_PARTS} parts. Check its boundary.`)
    return formOf(fields)
  }
  return { data: body, form: {} }
}

function formOf({ data = Buffer.alloc(0), ...others }: NonNullable<ReturnType<typeof formFields<FormField>>>): {
  data: Buffer
  form: Form
} {
  return { data, form: Object.fromEntries(Object.entries(others).map(([name, value]) => [name, value.toString()])) }
}

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** Detects the encoding of each layer: clients nest gzip and base64 and may declare neither. */
async function decompress(packed: Buffer, compression: string | undefined, limit_bytes: number): Promise<Buffer> {
  if (compression === 'lz64') return decompressLz(packed, limit_bytes)
  let bytes = packed
  let unzipped = false
  for (let layer = 0; layer < 3; layer++) {
    if (isGzip(bytes)) {
      bytes = await unzip(bytes, limit_bytes)
      unzipped = true
    } else if (isBase64(bytes)) bytes = fromBase64(bytes)
    else break
  }
  if (!unzipped && (compression === 'gzip' || compression === 'gzip-js'))
    throw malformed('The data is declared as gzip but is not compressed. Compress it or remove the declaration.')
  return bytes
}

async function decompressLz(packed: Buffer, limit_bytes: number): Promise<Buffer> {
  const text = await decompressLz64(packed.toString('latin1').replaceAll(' ', '+'), limit_bytes)
  if (text === undefined) throw malformed('The data is declared as lz64 but cannot be decompressed. Compress it again.')
  const bytes = Buffer.from(text)
  return isBase64(bytes) ? fromBase64(bytes) : bytes
}

async function unzip(bytes: Buffer, limit_bytes: number): Promise<Buffer> {
  try {
    return await gunzip(bytes, { maxOutputLength: limit_bytes })
  } catch (error) {
    if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE') throw new DecompressedTooLong()
    throw malformed('The gzip data is corrupt or incomplete. Send it again.')
  }
}

/** Accepted JSON begins with a bracket, so the first characters are sufficient. */
function isBase64(bytes: Buffer): boolean {
  return bytes.length > 1 && /^[\w+/=\s-]+$/.test(bytes.toString('latin1', 0, 256))
}

/** Form decoding turns every plus into a space. */
const fromBase64 = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString('latin1').trim().replaceAll(' ', '+'), 'base64')

function parse(text: string): unknown {
  const data = parseLoosely(text)
  // Most texts have neither NUL nor lone surrogates. They skip the traversal.
  return text.includes('\\u') && /\\u(0000|d[89a-f])/i.test(text) ? replaceInvalidText(data) : data
}

/** Parses JSON in which some senders write NaN, Infinity and -Infinity; they become null. */
function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (text.includes('NaN') || text.includes('Infinity'))
      try {
        return JSON.parse(replaceNonFinite(text))
      } catch {}
    const where = /position \d+/.exec(String(error))?.[0]
    throw malformed(`The data is not valid JSON${where ? ` at ${where}` : ''}. Check its quotes, commas and brackets.`)
  }
}

const NON_FINITE = ['NaN', 'Infinity', '-Infinity']
const [QUOTE, BACKSLASH] = ['"'.charCodeAt(0), '\\'.charCodeAt(0)]
const NON_FINITE_STARTS = new Set(NON_FINITE.map((word) => word.charCodeAt(0)))

/** A single pass, because a regular expression for strings backtracks on an unclosed one. */
function replaceNonFinite(text: string): string {
  const parts: string[] = []
  let copied = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) inString = !inString
    else if (inString) at += code === BACKSLASH ? 1 : 0
    else if (NON_FINITE_STARTS.has(code)) {
      const word = NON_FINITE.find((candidate) => text.startsWith(candidate, at))
      if (word === undefined) continue
      parts.push(text.slice(copied, at), 'null')
      copied = at + word.length
      at = copied - 1
    }
  }
  parts.push(text.slice(copied))
  return parts.join('')
}

function tokenOf({ method, query }: RawRequest, form: Form, fromBody: unknown[]): string {
  const fromQuery = method === 'GET' || method === 'HEAD' ? [query.token, query.api_key] : []
  const candidates = [...fromQuery, form.api_key, form.token, ...fromBody]
  const token = candidates.find((candidate) => candidate !== undefined && candidate !== null)
  if (token === undefined)
    throw new Unauthenticated({
      code: 'missing_api_key',
      detail: 'The request has no token. Send the project token as `api_key`.',
    })
  if (typeof token !== 'string') throw invalidToken('not_string')
  requireToken(token)
  return token
}

/** Throws for a text that cannot be a project token. */
export function requireToken(token: string): void {
  const flaw = tokenFlaw(token)
  if (flaw) throw invalidToken(flaw)
}

const TOKEN_FLAWS = {
  not_string: 'The token is not a string.',
  empty: 'The token is empty.',
  too_long: `The token is longer than ${MAX_TOKEN_LENGTH} characters.`,
  not_ascii: 'The token has invalid characters.',
  personal_api_key: 'This is a personal API key, which must stay secret.',
}

type TokenFlaw = keyof typeof TOKEN_FLAWS

const invalidToken = (flaw: TokenFlaw): Unauthenticated =>
  new Unauthenticated({
    code: flaw,
    detail: `${TOKEN_FLAWS[flaw]} Send the project token, which starts with phc_.`,
  })

function tokenFlaw(token: string): TokenFlaw | undefined {
  if (token === '') return 'empty'
  if (token.length > MAX_TOKEN_LENGTH) return 'too_long'
  if (!/^[\x21-\x7e]*$/.test(token)) return 'not_ascii'
  return token.startsWith('phx_') ? 'personal_api_key' : undefined
}

function sentAtOf({ query }: RawRequest, form: Form, data: unknown): number | null {
  const value = query._ || (isJsonObject(data) && data.sent_at) || form.sent_at
  if (!value) return null
  const sent_at = parseSentAt(value)
  if (sent_at === undefined) throw malformed('`sent_at` is not a valid time. Send ISO 8601 or omit it.', 'sent_at')
  return sent_at
}

/** Validates the events of a payload. Throws invalid_payload with the first invalid one in `attr`. */
export async function eventsOf(data: unknown): Promise<SentEvent[]> {
  if (Array.isArray(data)) return validateList(data, '')
  if (!isJsonObject(data)) throw malformed('The data must be an event, an array of events or a batch.')
  if (data.batch === undefined) return [validateEvent(data, '')]
  if (!Array.isArray(data.batch)) throw malformed('`batch` must be an array of events.', 'batch')
  if (data.batch.length === 0) throw malformed('`batch` is empty. Send at least one event.', 'batch')
  return validateList(data.batch, 'batch__')
}

async function validateList(list: unknown[], prefix: string): Promise<SentEvent[]> {
  const yieldIfDue = createYielder()
  const events: SentEvent[] = []
  for (const [i, sent] of list.entries()) {
    if (sent === null || (isJsonObject(sent) && Object.keys(sent).length === 0))
      throw malformed('This event is empty. Remove it or add its fields.', `${prefix}${i}`)
    if (!isJsonObject(sent)) throw malformed('This event must be a JSON object.', `${prefix}${i}`)
    events.push(validateEvent(sent, `${prefix}${i}__`))
    if (i % 64 === 63) await yieldIfDue()
  }
  return events
}

function validateEvent(source: JsonObject, prefix: string): SentEvent {
  const { event, properties } = source
  if (event === undefined || event === null)
    throw malformed('`event` is required. Send the name of the event.', `${prefix}event`)
  if (event === '') throw malformed('`event` must not be empty. Send the name of the event.', `${prefix}event`)
  const own = properties ?? {}
  if (!isJsonObject(own)) throw malformed('`properties` must be a JSON object or omitted.', `${prefix}properties`)
  return {
    event: truncate(typeof event === 'string' ? event : JSON.stringify(event), MAX_NAME_LENGTH),
    distinct_id: distinctIdOf(source, own, prefix),
    uuid: uuidOf(source.uuid, prefix),
    properties: own,
    source,
  }
}

function distinctIdOf(source: JsonObject, properties: JsonObject, prefix: string): string {
  const id = source.$distinct_id ?? properties.distinct_id ?? source.distinct_id
  if (id === undefined || id === null) {
    const isNull = '$distinct_id' in source || 'distinct_id' in properties || 'distinct_id' in source
    throw malformed(
      isNull
        ? '`distinct_id` must not be null. Send the id of the user.'
        : '`distinct_id` is required. Send the id of the user.',
      `${prefix}distinct_id`,
    )
  }
  const text = typeof id === 'string' ? id : JSON.stringify(id)
  if (text.trim() === '')
    throw malformed('`distinct_id` must not be blank. Send the id of the user.', `${prefix}distinct_id`)
  return truncate(text, MAX_NAME_LENGTH)
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const BARE_UUID = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/

function uuidOf(value: unknown, prefix: string): string | null {
  if (value === undefined || value === null || value === '') return null
  const uuid = parseUuid(value)
  if (uuid === undefined) throw malformed('`uuid` must be a UUID or omitted.', `${prefix}uuid`)
  return uuid
}

/** A UUID of any version, in lower case. Undefined for another value. */
export function parseUuid(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.toLowerCase()
  if (UUID.test(text)) return text
  return BARE_UUID.test(text) ? text.replace(BARE_UUID, '$1-$2-$3-$4-$5') : undefined
}

/** Truncates to `length` characters. A surrogate pair counts as one. */
export function truncate(text: string, length: number): string {
  return text.length <= length
    ? text
    : Array.from(text.slice(0, length * 2))
        .slice(0, length)
        .join('')
}

/** What a sender sent, in any of its forms, as events and a token. */
import { isUtf8 } from 'node:buffer'
import { promisify } from 'node:util'
import { gunzip as gunzipWithCallback } from 'node:zlib'
import { AppError, Unauthenticated } from '../errors.ts'
import { decode, replaceInvalidText } from '../json/text.ts'
import { TooLong, unpackLz64 } from './lz64.ts'
import { parseSentAt } from './time.ts'
import { scanPayload } from './token-scan.ts'
import { pacer } from './yield.ts'

/** Before and after unpacking. */
export const PAYLOAD_LIMIT_BYTES = 20 * 1024 * 1024
/** What a byte of deflate can at most stand for. */
const MOST_PACKED = 1_032
const MAX_TOKEN_LENGTH = 64
/** Of event names and distinct ids, in characters. */
export const MAX_NAME_LENGTH = 200

const gunzip = promisify(gunzipWithCallback)

export type Json = Record<string, unknown>

/** A request as it came in. */
export interface RawRequest {
  method: string
  content_type: string | undefined
  content_encoding: string | undefined
  query: Readonly<Record<string, string | undefined>>
  bytes: Buffer | undefined
}

/** A decompressed and scanned request, not parsed before its token is checked. */
export interface Opened {
  token: string
  /** JSON text; the scanner has only checked its brackets and strings. */
  bytes: Buffer
  form: Form
}

export interface Payload {
  /** Microseconds since 1970, by the sender's clock; null when it did not say. */
  sent_at: number | null
  data: unknown
}

/** An event whose form has been checked. */
export interface SentEvent {
  event: string
  distinct_id: string
  /** Null where one is to be made. */
  uuid: string | null
  properties: Json
  /** The event as it was sent, for what is rarely there. */
  source: Json
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const malformed = (detail: string, attr: string | null = null): AppError =>
  new AppError({ code: 'invalid_payload', detail, attr })

const tooLarge = (): AppError =>
  new AppError({
    code: 'request_too_large',
    detail: `The events take more than ${PAYLOAD_LIMIT_BYTES} bytes. Send fewer at once.`,
  })

/** How many bytes of text a request may turn out to hold: plain JSON what it has, everything else what it may unpack to. */
export function maxTextLength({ query, bytes }: RawRequest): number {
  const length = bytes?.length ?? query.data?.length ?? 0
  const plain = bytes !== undefined && (bytes[0] === 0x7b || bytes[0] === 0x5b)
  return plain ? length : Math.min(length * MOST_PACKED, PAYLOAD_LIMIT_BYTES)
}

/** The size of the text as claimed by the gzip trailer. Only a hint. */
export function claimedTextLength({ bytes }: RawRequest): number {
  if (!bytes) return 0
  return isGzip(bytes) && bytes.length > 18 ? bytes.readUInt32LE(bytes.length - 4) : bytes.length
}

/**
 * Decompresses a request, scans its JSON and finds its token. Throws no_data, invalid_payload, invalid_input when it
 * is nested too deep or has too many values, Unauthenticated when the token is missing or malformed, and TooLong when it
 * decompresses to more than the limit.
 */
export async function openPayload(request: RawRequest, limit_bytes: number): Promise<Opened> {
  const { data: packed, form } = await envelope(request)
  if (packed.length === 0) throw noData()
  const compression = request.query.compression ?? form.compression ?? request.content_encoding
  const bytes = await unpack(packed, compression?.trim().toLowerCase(), limit_bytes)
  if (bytes.length > limit_bytes) throw new TooLong()
  if (!isUtf8(bytes)) throw malformed('The data is not valid UTF-8. Send JSON encoded as UTF-8.')
  const { empty, candidates } = scanPayload(bytes, notJsonAt)
  if (empty) throw noData()
  return { token: tokenOf(request, form, candidates), bytes, form }
}

/** Opens a request of any size; throws request_too_large above the limit for all requests. */
export const openLargePayload = (request: RawRequest): Promise<Opened> =>
  openPayload(request, PAYLOAD_LIMIT_BYTES).catch((error) => {
    throw error instanceof TooLong ? tooLarge() : error
  })

/** Call it once the token is accepted. Throws invalid_payload. */
export function parsePayload(request: RawRequest, { bytes, form }: Opened): Payload {
  const data = parse(decode(bytes))
  return { data, sent_at: sentAtOf(request, form, data) }
}

const notJsonAt = (position: number): AppError =>
  malformed(`The data is not valid JSON at position ${position}. Check its quotes, commas and brackets.`)

const noData = (): AppError =>
  new AppError({
    code: 'no_data',
    detail: 'There are no events in this request. Post them as its body, or send them as `data`.',
  })

type Form = Readonly<Record<string, string | undefined>>

/** Where the data is, by method and content type, and what else a form says. */
async function envelope({ method, content_type, query, bytes }: RawRequest): Promise<{ data: Buffer; form: Form }> {
  if (method === 'GET' || method === 'HEAD') return { data: Buffer.from(query.data ?? ''), form: {} }
  const body = bytes ?? Buffer.alloc(0)
  const type = content_type?.split(';')[0]?.trim().toLowerCase()
  if (type === 'application/x-www-form-urlencoded') {
    const form = Object.fromEntries(new URLSearchParams(body.toString('latin1')))
    return { data: Buffer.from(form.data ?? ''), form }
  }
  if (type === 'multipart/form-data') {
    const fields = await new Response(body, { headers: { 'content-type': content_type! } }).formData().catch(() => {
      throw malformed('The multipart body cannot be read. Check its boundary.')
    })
    const form: Record<string, string> = {}
    for (const [name, value] of fields) if (typeof value === 'string') form[name] = value
    const data = fields.get('data')
    if (data === null || typeof data === 'string') return { data: Buffer.from(data ?? ''), form }
    return { data: Buffer.from(await data.arrayBuffer()), form }
  }
  return { data: body, form: {} }
}

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** The text inside. Senders pack what is packed already, so each layer is looked at for what it is. */
async function unpack(packed: Buffer, compression: string | undefined, limit_bytes: number): Promise<Buffer> {
  if (compression === 'lz64') return unpackLz(packed, limit_bytes)
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
    throw malformed('The data is declared as gzip and is not. Pack it, or do not declare it.')
  return bytes
}

async function unpackLz(packed: Buffer, limit_bytes: number): Promise<Buffer> {
  const unpacked = await unpackLz64(packed.toString('latin1').replaceAll(' ', '+'), limit_bytes)
  if (unpacked === undefined) throw malformed('The data is declared as lz64 and cannot be unpacked.')
  const bytes = Buffer.from(unpacked)
  return isBase64(bytes) ? fromBase64(bytes) : bytes
}

async function unzip(bytes: Buffer, limit_bytes: number): Promise<Buffer> {
  try {
    return await gunzip(bytes, { maxOutputLength: limit_bytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw new TooLong()
    throw malformed('The gzip data is broken or incomplete. Send it again.')
  }
}

/** Letters, digits and the few others; JSON that we take begins with a bracket, so one look tells them apart. */
function isBase64(bytes: Buffer): boolean {
  return bytes.length > 1 && /^[\w+/=\s-]+$/.test(bytes.toString('latin1', 0, 256))
}

/** A form's decoding makes a space of every plus. */
const fromBase64 = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString('latin1').trim().replaceAll(' ', '+'), 'base64')

function parse(text: string): unknown {
  const data = parseLoosely(text)
  // Whoever sends neither NUL nor half pairs, which is everybody, saves a walk through all of it.
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
    const where = /position \d+/.exec((error as Error).message)?.[0]
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

function tokenOf({ method, query }: RawRequest, form: Form, within: unknown[]): string {
  const asked = method === 'GET' || method === 'HEAD' ? [query.token, query.api_key] : []
  const candidates = [...asked, form.api_key, form.token, ...within]
  const token = candidates.find((candidate) => candidate !== undefined && candidate !== null)
  if (token === undefined)
    throw new Unauthenticated({
      code: 'missing_api_key',
      detail: "Send the project's token as `api_key`; the project's settings show it.",
    })
  const reason = flawOf(token)
  if (reason)
    throw new Unauthenticated({
      code: reason,
      detail: `${FLAWS[reason]} Send the project's token, which begins with phc_.`,
    })
  return token as string
}

const FLAWS = {
  not_string: 'The token is no text.',
  empty: 'The token is empty.',
  too_long: `The token is longer than ${MAX_TOKEN_LENGTH} characters.`,
  not_ascii: 'The token holds characters that no token has.',
  personal_api_key: 'This is a personal API key: keep it secret.',
}

function flawOf(token: unknown): keyof typeof FLAWS | undefined {
  if (typeof token !== 'string') return 'not_string'
  if (token === '') return 'empty'
  if (token.length > MAX_TOKEN_LENGTH) return 'too_long'
  if (!/^[\x21-\x7e]*$/.test(token)) return 'not_ascii'
  return token.startsWith('phx_') ? 'personal_api_key' : undefined
}

function sentAtOf({ query }: RawRequest, form: Form, data: unknown): number | null {
  const told = query._ || (isObject(data) && data.sent_at) || form.sent_at
  if (!told) return null
  const sent_at = parseSentAt(told)
  if (sent_at === undefined) throw malformed('`sent_at` is no time. Send ISO 8601, or leave it out.', 'sent_at')
  return sent_at
}

/** The events of a payload, each of them checked. Throws invalid_payload with the first bad one in `attr`. */
export async function eventsOf(data: unknown): Promise<SentEvent[]> {
  if (Array.isArray(data)) return checked(data, '')
  if (!isObject(data)) throw malformed('Send an event as a JSON object, an array of them, or a batch.')
  if (data.batch === undefined) return [check(data, '')]
  if (!Array.isArray(data.batch)) throw malformed('`batch` is no array. Send the events as an array.', 'batch')
  if (data.batch.length === 0) throw malformed('`batch` holds no event. Send at least one.', 'batch')
  return checked(data.batch, 'batch__')
}

async function checked(list: unknown[], prefix: string): Promise<SentEvent[]> {
  const breathe = pacer()
  const events: SentEvent[] = []
  for (let i = 0; i < list.length; i++) {
    const sent = list[i]
    if (sent === null || (isObject(sent) && Object.keys(sent).length === 0))
      throw malformed('There is nothing in this event. Leave it out, or fill it.', `${prefix}${i}`)
    if (!isObject(sent)) throw malformed('This event is no JSON object. Send each event as one.', `${prefix}${i}`)
    events.push(check(sent, `${prefix}${i}__`))
    if (i % 64 === 63) await breathe()
  }
  return events
}

function check(source: Json, prefix: string): SentEvent {
  const { event, properties } = source
  if (event === undefined || event === null)
    throw malformed('An event needs its name in `event`. Send it.', `${prefix}event`)
  if (event === '') throw malformed('The name of the event is empty. Say what happened.', `${prefix}event`)
  if (properties !== undefined && properties !== null && !isObject(properties))
    throw malformed('`properties` is no JSON object. Send one, or none.', `${prefix}properties`)
  const own = (properties ?? {}) as Json
  return {
    event: cut(typeof event === 'string' ? event : JSON.stringify(event), MAX_NAME_LENGTH),
    distinct_id: distinctIdOf(source, own, prefix),
    uuid: uuidOf(source.uuid, prefix),
    properties: own,
    source,
  }
}

function distinctIdOf(source: Json, properties: Json, prefix: string): string {
  const told = source.$distinct_id ?? properties.distinct_id ?? source.distinct_id
  if (told === undefined || told === null) {
    const blank = '$distinct_id' in source || 'distinct_id' in properties || 'distinct_id' in source
    throw malformed(
      blank
        ? '`distinct_id` is null. Say whom it happened to.'
        : 'An event needs `distinct_id`. Say whom it happened to.',
      `${prefix}distinct_id`,
    )
  }
  const text = typeof told === 'string' ? told : JSON.stringify(told)
  if (text.trim() === '') throw malformed('`distinct_id` is blank. Say whom it happened to.', `${prefix}distinct_id`)
  return cut(text, MAX_NAME_LENGTH)
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const BARE_UUID = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/

function uuidOf(told: unknown, prefix: string): string | null {
  if (told === undefined || told === null || told === '') return null
  if (typeof told === 'string') {
    const text = told.toLowerCase()
    if (UUID.test(text)) return text
    if (BARE_UUID.test(text)) return text.replace(BARE_UUID, '$1-$2-$3-$4-$5')
  }
  throw malformed('`uuid` is no UUID. Send one, or none.', `${prefix}uuid`)
}

/** The first so many characters; a pair of surrogates is one. */
export function cut(text: string, length: number): string {
  return text.length <= length
    ? text
    : Array.from(text.slice(0, length * 2))
        .slice(0, length)
        .join('')
}

/**
 * Functions of the host that plugin code calls synchronously. They have no side effects except for logs. All arguments come from
 * plugin code, so their types are checked and their results are bounded.
 */
import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'
import { format as formatUrl, parse as parseUrl } from 'node:url'
import { deflateRawSync, deflateSync, gunzipSync, gzipSync, inflateRawSync, inflateSync } from 'node:zlib'

const MAX_URL_LENGTH = 100_000
const MAX_PARAMS = 10_000
const MAX_RANDOM_BYTES = 65_536
const MAX_UNZIPPED_BYTES = 16 * 1024 * 1024
const HASHES = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512']

const text = (value: unknown, limit = MAX_URL_LENGTH): string => {
  if (typeof value !== 'string') throw new TypeError('The argument must be a text.')
  if (value.length > limit) throw new RangeError(`The text is longer than ${limit} characters.`)
  return value
}

const PARTS = [
  'href',
  'origin',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const
type Part = (typeof PARTS)[number]

const partsOf = (url: URL): Record<Part, string> =>
  Object.fromEntries(PARTS.map((part) => [part, url[part]])) as Record<Part, string>

function openUrl(address: string, base?: string): URL {
  if (!URL.canParse(address, base)) throw new TypeError('Invalid URL')
  return new URL(address, base)
}

const isSettable = (part: unknown): part is Exclude<Part, 'origin'> =>
  part !== 'origin' && PARTS.some((known) => known === part)

/** `Intl` accepts only lists and objects of plain values. */
const localesOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value ?? 'en-US']).slice(0, 10).map((locale) => text(locale, 100))
const optionsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

type Format = (locales: string[], options: Record<string, unknown>) => object

const FORMATS: Record<string, Format> = {
  Collator: (locales, options) => new Intl.Collator(locales, options),
  DateTimeFormat: (locales, options) => new Intl.DateTimeFormat(locales, { timeZone: 'UTC', ...options }),
  ListFormat: (locales, options) => new Intl.ListFormat(locales, options),
  NumberFormat: (locales, options) => new Intl.NumberFormat(locales, options),
  PluralRules: (locales, options) => new Intl.PluralRules(locales, options),
  RelativeTimeFormat: (locales, options) => new Intl.RelativeTimeFormat(locales, options),
}
const FORMAT_METHODS = ['compare', 'format', 'formatToParts', 'formatRange', 'select', 'resolvedOptions']
const MAX_FORMATS = 20
const MAX_FORMATTED_LENGTH = 10_000
/** Creating one takes much longer than using it. */
const formats = new Map<string, object>()

function formatOf(type: unknown, locales: unknown, options: unknown): object {
  const key = JSON.stringify([type, locales, options])
  const known = formats.get(key)
  if (known) return known
  const create = typeof type === 'string' && Object.hasOwn(FORMATS, type) ? FORMATS[type] : undefined
  if (!create) throw new TypeError('Intl has no such constructor.')
  if (formats.size >= MAX_FORMATS) formats.clear()
  const format = create(localesOf(locales), optionsOf(options))
  formats.set(key, format)
  return format
}

/** Plain values, and lists of texts for `ListFormat`. */
const formattable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, MAX_PARAMS).map((item) => text(item, MAX_FORMATTED_LENGTH))
  return typeof value === 'string' ? text(value, MAX_FORMATTED_LENGTH) : typeof value === 'number' ? value : undefined
}

type SyncFunction = (...args: unknown[]) => unknown

export const SYNC_FUNCTIONS: Record<string, SyncFunction> = {
  'url.parse': (address, base) => partsOf(openUrl(text(address), base === null ? undefined : text(base))),
  'url.set': (href, part, value) => {
    const url = openUrl(text(href))
    if (!isSettable(part)) throw new TypeError('A URL has no such part.')
    url[part] = text(value)
    return partsOf(url)
  },
  'url.legacy': (address) => {
    // The legacy parser accepts what `URL` rejects, such as paths.
    const { protocol, slashes, auth, host, port, hostname, hash, search, query, pathname, path, href } = parseUrl(
      text(address),
    )
    return { protocol, slashes, auth, host, port, hostname, hash, search, query, pathname, path, href }
  },
  'url.format': (parts) => formatUrl(optionsOf(parts)),
  'params.parse': (search) => [...new URLSearchParams(text(search, 1024 * 1024))],
  'params.format': (pairs) => {
    if (!Array.isArray(pairs) || pairs.length > MAX_PARAMS) throw new RangeError('There are too many parameters.')
    return new URLSearchParams(pairs).toString()
  },
  'format.date': (method, time, locales, options) => {
    const date = new Date(Number(time))
    const settings = { timeZone: 'UTC', ...optionsOf(options) }
    if (method === 'toLocaleDateString') return date.toLocaleDateString(localesOf(locales), settings)
    if (method === 'toLocaleTimeString') return date.toLocaleTimeString(localesOf(locales), settings)
    return date.toLocaleString(localesOf(locales), settings)
  },
  intl: (type, locales, options, method, args) => {
    const format = formatOf(type, locales, options)
    const work: unknown = FORMAT_METHODS.some((name) => name === method)
      ? Reflect.get(format, String(method))
      : undefined
    if (typeof work !== 'function' || !Array.isArray(args)) throw new TypeError('Intl has no such method.')
    return Reflect.apply(work, format, args.map(formattable))
  },
  'format.number': (number, locales, options) => Number(number).toLocaleString(localesOf(locales), optionsOf(options)),
  isEncoding: (name) => Buffer.isEncoding(text(name)),
  uuid: () => randomUUID(),
}

const encodingOf = (name: string): BufferEncoding => {
  if (!Buffer.isEncoding(name)) throw new TypeError(`Unknown encoding: ${name.slice(0, 50)}`)
  return name
}

export const encode = (value: unknown, encoding: string): Uint8Array =>
  Buffer.from(text(value, Number.POSITIVE_INFINITY), encodingOf(encoding))

export const decode = (bytes: Uint8Array, encoding: string): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(encodingOf(encoding))

const ZIP = {
  gzip: gzipSync,
  gunzip: gunzipSync,
  deflate: deflateSync,
  inflate: inflateSync,
  deflateRaw: deflateRawSync,
  inflateRaw: inflateRawSync,
}

const isZip = (name: string): name is keyof typeof ZIP => Object.hasOwn(ZIP, name)

/** Functions from bytes to bytes. */
export const BYTE_FUNCTIONS: Record<string, (bytes: Uint8Array, name: string, key?: Uint8Array) => Uint8Array> = {
  hash: (bytes, name, key) => {
    const algorithm = name.toLowerCase().replace('-', '')
    if (!HASHES.includes(algorithm))
      throw new TypeError(`Unknown hash: ${name.slice(0, 50)}. Use ${HASHES.join(', ')}.`)
    return (key ? createHmac(algorithm, key) : createHash(algorithm)).update(bytes).digest()
  },
  random: (_, size) => {
    const count = Number(size)
    if (!(count >= 0 && count <= MAX_RANDOM_BYTES))
      throw new RangeError(`The number of random bytes must be between 0 and ${MAX_RANDOM_BYTES}.`)
    return randomBytes(count)
  },
  zip: (bytes, name) => {
    if (!isZip(name)) throw new TypeError(`Unknown compression: ${name.slice(0, 50)}`)
    return ZIP[name](bytes, { maxOutputLength: MAX_UNZIPPED_BYTES })
  },
}

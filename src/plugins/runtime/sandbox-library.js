/**
 * The plugin API inside the sandbox: globals, modules and `meta`. QuickJS has none of them.
 *
 * The program is one function. It gets the functions of the host and returns the entry points that the host calls. Plugin code
 * can reach neither. Only JSON text and bytes cross the border: a C string would end at the first NUL.
 */
;(host) => {
  const { parse, stringify } = JSON
  const MAX_RESULT_LENGTH = 4 * 1024 * 1024
  const MAX_ERROR_LENGTH = 5_000
  const MAX_KEY_LENGTH = 200
  const MAX_PUSHED = 1_000
  const MAX_METRICS = 100
  const MAX_METRIC_VALUE = 1e15

  // --- Calls to the host ---------------------------------------------------------------------------------------------

  const ERRORS = { Error, TypeError, RangeError, SyntaxError }

  const errorOf = ([name, message]) => {
    const error = new (ERRORS[name] ?? Error)(message)
    if (error.name !== name) Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true })
    return error
  }

  /** Calls the host and waits for its reply. */
  const sync = (operation, ...args) => {
    const { value, error } = parse(host.sync(operation, stringify(args)))
    if (error) throw errorOf(error)
    return value
  }

  /**
   * The promise of a call of the host. It logs a rejection that nothing handles. `await` calls `then`, because the class is not
   * `Promise` itself. Promises of async functions of the plugin cannot be watched: QuickJS does not report them.
   */
  class WatchedPromise extends Promise {
    #isHandled = false
    // biome-ignore lint/suspicious/noThenProperty: overrides the method of promises.
    then(onFulfilled, onRejected) {
      this.#isHandled = true
      const next = super.then(onFulfilled, onRejected)
      WatchedPromise.#watch(next)
      return next
    }
    #report(error) {
      if (!this.#isHandled) reportRejection(error)
    }
    static #watch(promise) {
      // A handler may still be added in the same turn.
      Promise.prototype.then.call(promise, undefined, (error) => Promise.resolve().then(() => promise.#report(error)))
    }
    static of(promise) {
      const watched = new WatchedPromise((resolve, reject) => promise.then(resolve, reject))
      WatchedPromise.#watch(watched)
      return watched
    }
  }
  const reportRejection = (error) => log('ERROR', ['Unhandled promise rejection:', error])
  const watched =
    (work) =>
    (...args) =>
      WatchedPromise.of(work(...args))
  const watchAll = (functions) =>
    Object.fromEntries(Object.entries(functions).map(([name, work]) => [name, watched(work)]))

  const waiting = new Map()

  /** Calls the server. The host settles the promise with `answer`. */
  const ask = (operation, args, body) =>
    new Promise((resolve, reject) => {
      const id = host.ask(operation, stringify(args), body)
      waiting.set(id, { resolve, reject })
    })

  const answer = (id, succeeded, text, body) => {
    const promise = waiting.get(id)
    if (!promise) return
    waiting.delete(id)
    if (succeeded) promise.resolve(body === undefined ? parse(text) : { ...parse(text), body })
    else promise.reject(errorOf(parse(text)))
  }

  // --- Globals -------------------------------------------------------------------------------------------------------

  const define = (name, value) =>
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: false })

  class RetryError extends Error {
    get name() {
      return 'RetryError'
    }
  }

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function'

  const isPlain = (value) => {
    if (typeof value !== 'object' || value === null) return false
    if (Array.isArray(value)) return true
    const prototype = Object.getPrototypeOf(value)
    return prototype === Object.prototype || prototype === null
  }

  const textOf = (value) => {
    try {
      if (value instanceof Error) return value.stack ? `${value}\n${value.stack}`.trimEnd() : String(value)
      return isPlain(value) ? stringify(value) : String(value)
    } catch {
      return '[a value without text]'
    }
  }

  const log = (level, values) => void sync('log', level, values.map(textOf).join(' '))
  const console = {}
  for (const [name, level] of Object.entries({
    log: 'LOG',
    info: 'INFO',
    warn: 'WARN',
    error: 'ERROR',
    debug: 'DEBUG',
    trace: 'DEBUG',
  }))
    console[name] = (...values) => log(level, values)

  const timed = new Map()
  Object.assign(console, {
    dir: (value) => log('LOG', [value]),
    table: (value) => log('LOG', [value]),
    group: (...values) => values.length && log('LOG', values),
    groupEnd: () => undefined,
    assert: (condition, ...values) => condition || log('ERROR', ['Assertion failed:', ...values]),
    time: (label = 'default') => void timed.set(label, Date.now()),
    timeEnd: (label = 'default') => {
      if (timed.has(label)) log('LOG', [`${label}: ${Date.now() - timed.get(label)}ms`])
      timed.delete(label)
    },
  })

  /** Bundled libraries call it in the constructors of their errors. */
  Error.captureStackTrace ??= (target) =>
    void Object.defineProperty(target, 'stack', { value: new Error().stack, configurable: true, writable: true })

  const loaded_at = Date.now()
  const performance = { timeOrigin: loaded_at, now: () => Date.now() - loaded_at }

  class Buffer extends Uint8Array {
    static from(value, encodingOrOffset, length) {
      if (typeof value === 'string')
        return new Buffer(host.bytes('encode', stringify(value), encodingOrOffset ?? 'utf8'))
      if (value instanceof ArrayBuffer) return new Buffer(value, encodingOrOffset, length)
      if (ArrayBuffer.isView(value) || Array.isArray(value)) {
        const buffer = new Buffer(value.length)
        buffer.set(value)
        return buffer
      }
      if (value?.type === 'Buffer' && Array.isArray(value.data)) return Buffer.from(value.data)
      if (typeof value?.valueOf?.() === 'string') return Buffer.from(value.valueOf(), encodingOrOffset)
      throw new TypeError('Buffer.from takes a string, a list of bytes, an ArrayBuffer or a Buffer.')
    }
    static alloc(size, fill, encoding) {
      const buffer = new Buffer(size)
      if (fill === undefined || fill === 0) return buffer
      const pattern = typeof fill === 'number' ? [fill] : Buffer.from(fill, encoding)
      for (let i = 0; pattern.length && i < size; i++) buffer[i] = pattern[i % pattern.length]
      return buffer
    }
    static allocUnsafe(size) {
      return new Buffer(size)
    }
    static concat(list, total = list.reduce((sum, item) => sum + item.length, 0)) {
      const buffer = new Buffer(total)
      let at = 0
      for (const item of list) {
        if (at >= total) break
        buffer.set(at + item.length > total ? item.subarray(0, total - at) : item, at)
        at += item.length
      }
      return buffer
    }
    static isBuffer(value) {
      return value instanceof Buffer
    }
    static isEncoding(name) {
      return sync('isEncoding', String(name))
    }
    static byteLength(value, encoding) {
      return typeof value === 'string' ? Buffer.from(value, encoding).length : value.byteLength
    }
    static compare(a, b) {
      return a.compare(b)
    }
    toString(encoding = 'utf8', start = 0, end = this.length) {
      const from = Math.max(0, start)
      const to = Math.max(from, Math.min(end, this.length))
      return parse(host.bytes('decode', this.buffer.slice(this.byteOffset + from, this.byteOffset + to), encoding))
    }
    toJSON() {
      return { type: 'Buffer', data: [...this] }
    }
    equals(other) {
      return this.compare(other) === 0
    }
    compare(other) {
      const length = Math.min(this.length, other.length)
      for (let i = 0; i < length; i++) if (this[i] !== other[i]) return this[i] < other[i] ? -1 : 1
      return Math.sign(this.length - other.length)
    }
    slice(start, end) {
      return this.subarray(start, end)
    }
    copy(target, at = 0, start = 0, end = this.length) {
      const part = this.subarray(start, Math.min(end, start + target.length - at))
      target.set(part, at)
      return part.length
    }
    write(text, at = 0, length = this.length - at, encoding = 'utf8') {
      const bytes = Buffer.from(text, typeof length === 'string' ? length : encoding)
      return bytes.copy(this, at, 0, typeof length === 'string' ? undefined : length)
    }
    indexOf(value, from, encoding) {
      if (typeof value === 'number') return super.indexOf(value & 255, from)
      const wanted = typeof value === 'string' ? Buffer.from(value, encoding) : value
      for (let i = from ?? 0; i <= this.length - wanted.length; i++)
        if (this.subarray(i, i + wanted.length).equals(wanted)) return i
      return -1
    }
    includes(value, from, encoding) {
      return this.indexOf(value, from, encoding) >= 0
    }
  }
  for (const [name, type, isLittle] of [
    ['UInt8', 'Uint8'],
    ['Int8', 'Int8'],
    ...['UInt16', 'UInt32', 'Int16', 'Int32', 'BigUInt64', 'BigInt64', 'Float', 'Double'].flatMap((kind) => {
      const type = { Float: 'Float32', Double: 'Float64' }[kind] ?? kind.replace('UI', 'Ui')
      return [
        [`${kind}BE`, type, false],
        [`${kind}LE`, type, true],
      ]
    }),
  ]) {
    const view = (buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength)
    const size = Number(/\d+/.exec(type)[0]) / 8
    Buffer.prototype[`read${name}`] = function (at = 0) {
      return view(this)[`get${type}`](at, isLittle)
    }
    Buffer.prototype[`write${name}`] = function (value, at = 0) {
      view(this)[`set${type}`](at, value, isLittle)
      return at + size
    }
  }

  class TextEncoder {
    encoding = 'utf-8'
    encode(text = '') {
      return new Uint8Array(host.bytes('encode', stringify(String(text)), 'utf8'))
    }
  }

  class TextDecoder {
    constructor(encoding = 'utf-8') {
      this.encoding = String(encoding).toLowerCase()
    }
    decode(bytes = new Uint8Array()) {
      const view = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes
      const copy = view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength)
      return parse(host.bytes('decode', copy, this.encoding))
    }
  }

  const btoa = (text) => {
    const latin1 = String(text)
    for (let i = 0; i < latin1.length; i++)
      if (latin1.charCodeAt(i) > 255) throw new RangeError('btoa takes only characters up to U+00FF. Use Buffer.')
    return Buffer.from(latin1, 'latin1').toString('base64')
  }
  const atob = (text) => Buffer.from(String(text), 'base64').toString('latin1')

  /** The URL that a list of parameters belongs to. */
  const owners = new WeakMap()

  class URLSearchParams {
    #list
    constructor(init = '') {
      if (typeof init !== 'object' || init === null) this.#list = sync('params.parse', String(init))
      else if (typeof init[Symbol.iterator] === 'function')
        this.#list = [...init].map(([name, value]) => [String(name), String(value)])
      else this.#list = Object.entries(init).map(([name, value]) => [name, String(value)])
    }
    #changed() {
      owners.get(this)?.(this.toString())
    }
    get size() {
      return this.#list.length
    }
    append(name, value) {
      this.#list.push([String(name), String(value)])
      this.#changed()
    }
    delete(name, value) {
      this.#list = this.#list.filter(
        ([key, own]) => key !== String(name) || (value !== undefined && own !== String(value)),
      )
      this.#changed()
    }
    get(name) {
      return this.#list.find(([key]) => key === String(name))?.[1] ?? null
    }
    getAll(name) {
      return this.#list.filter(([key]) => key === String(name)).map(([, value]) => value)
    }
    has(name, value) {
      return this.#list.some(([key, own]) => key === String(name) && (value === undefined || own === String(value)))
    }
    set(name, value) {
      const first = this.#list.find(([key]) => key === String(name))
      if (first) {
        first[1] = String(value)
        this.#list = this.#list.filter((item) => item === first || item[0] !== String(name))
      } else this.#list.push([String(name), String(value)])
      this.#changed()
    }
    sort() {
      this.#list.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      this.#changed()
    }
    forEach(visit, self) {
      for (const [name, value] of this.#list) visit.call(self, value, name, this)
    }
    keys() {
      return this.#list.map(([name]) => name).values()
    }
    values() {
      return this.#list.map(([, value]) => value).values()
    }
    entries() {
      return this.#list.map(([name, value]) => [name, value]).values()
    }
    [Symbol.iterator]() {
      return this.entries()
    }
    toString() {
      return sync('params.format', this.#list)
    }
  }

  class URL {
    #parts
    #params
    constructor(url, base) {
      this.#parts = sync('url.parse', String(url), base === undefined ? null : String(base))
    }
    static canParse(url, base) {
      try {
        new URL(url, base)
        return true
      } catch {
        return false
      }
    }
    static change(url, name, value) {
      url.#parts = sync('url.set', url.#parts.href, name, String(value))
      if (name !== 'hash') url.#params = undefined
    }
    static part(url, name) {
      return url.#parts[name]
    }
    get searchParams() {
      if (!this.#params) {
        this.#params = new URLSearchParams(this.#parts.search)
        owners.set(this.#params, (search) => {
          this.#parts = sync('url.set', this.#parts.href, 'search', search)
        })
      }
      return this.#params
    }
    toString() {
      return this.#parts.href
    }
    toJSON() {
      return this.#parts.href
    }
  }
  const { change, part } = URL
  delete URL.change
  delete URL.part
  for (const name of [
    'protocol',
    'username',
    'password',
    'host',
    'hostname',
    'port',
    'pathname',
    'search',
    'hash',
    'href',
    'origin',
  ])
    Object.defineProperty(URL.prototype, name, {
      configurable: true,
      enumerable: true,
      get() {
        return part(this, name)
      },
      ...(name !== 'origin' && {
        set(value) {
          change(this, name, value)
        },
      }),
    })

  const structuredClone = (value, seen = new Map()) => {
    if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError('A function cannot be cloned.')
    if (typeof value !== 'object' || value === null) return value
    if (seen.has(value)) return seen.get(value)
    if (value instanceof Date) return new Date(value)
    if (value instanceof RegExp) return new RegExp(value)
    if (value instanceof ArrayBuffer) return value.slice(0)
    if (ArrayBuffer.isView(value)) return value.slice()
    const copy = Array.isArray(value) ? [] : value instanceof Map ? new Map() : value instanceof Set ? new Set() : {}
    seen.set(value, copy)
    if (value instanceof Map)
      for (const [key, item] of value) copy.set(structuredClone(key, seen), structuredClone(item, seen))
    else if (value instanceof Set) for (const item of value) copy.add(structuredClone(item, seen))
    else for (const key of Object.keys(value)) copy[key] = structuredClone(value[key], seen)
    return copy
  }

  let timers = 0
  const timerIds = new Map()
  const setTimeout = (callback, delay = 0, ...args) => {
    const timer = ++timers
    const id = host.ask('sleep', stringify([Number(delay) || 0]))
    timerIds.set(timer, id)
    waiting.set(id, {
      resolve: () => {
        timerIds.delete(timer)
        const result = callback(...args)
        if (isThenable(result)) result.then(undefined, reportRejection)
      },
      reject: () => timerIds.delete(timer),
    })
    return timer
  }
  const clearTimeout = (timer) => {
    const id = timerIds.get(timer)
    if (id === undefined) return
    timerIds.delete(timer)
    waiting.delete(id)
    sync('cancel', id)
  }
  const setInterval = () => {
    throw new Error('setInterval is not available in plugins. Export runEveryMinute, runEveryHour or runEveryDay.')
  }

  class AbortError extends Error {
    get name() {
      return 'AbortError'
    }
  }
  class AbortSignal {
    aborted = false
    reason = undefined
    onabort = null
    #listeners = []
    addEventListener(type, listener) {
      if (type === 'abort') this.#listeners.push(listener)
    }
    removeEventListener(type, listener) {
      this.#listeners = this.#listeners.filter((other) => type !== 'abort' || other !== listener)
    }
    throwIfAborted() {
      if (this.aborted) throw this.reason
    }
    static abort(signal, reason = new AbortError('The operation was aborted.')) {
      if (signal.aborted) return
      signal.aborted = true
      signal.reason = reason
      for (const listener of [signal.onabort, ...signal.#listeners]) listener?.({ type: 'abort', target: signal })
    }
  }
  const { abort } = AbortSignal
  delete AbortSignal.abort
  AbortSignal.timeout = (delay) => {
    const signal = new AbortSignal()
    setTimeout(() => abort(signal, new AbortError('The operation timed out.')), delay)
    return signal
  }
  class AbortController {
    signal = new AbortSignal()
    abort(reason) {
      abort(this.signal, reason)
    }
  }

  class Headers {
    #values = new Map()
    constructor(init) {
      if (init instanceof Headers || Array.isArray(init)) for (const [name, value] of init) this.append(name, value)
      else if (init)
        for (const [name, value] of Object.entries(init))
          this.set(name, Array.isArray(value) ? value.join(', ') : value)
    }
    append(name, value) {
      this.set(name, this.has(name) ? `${this.get(name)}, ${value}` : value)
    }
    delete(name) {
      this.#values.delete(String(name).toLowerCase())
    }
    get(name) {
      return this.#values.get(String(name).toLowerCase()) ?? null
    }
    has(name) {
      return this.#values.has(String(name).toLowerCase())
    }
    set(name, value) {
      this.#values.set(String(name).toLowerCase(), String(value))
    }
    raw() {
      return Object.fromEntries([...this.#values].map(([name, value]) => [name, [value]]))
    }
    forEach(visit, self) {
      for (const [name, value] of this.#values) visit.call(self, value, name, this)
    }
    keys() {
      return this.#values.keys()
    }
    values() {
      return this.#values.values()
    }
    entries() {
      return this.#values.entries()
    }
    [Symbol.iterator]() {
      return this.entries()
    }
  }

  const bytesOf = (body) => {
    if (body === undefined || body === null) return undefined
    if (body instanceof ArrayBuffer || ArrayBuffer.isView(body))
      return Buffer.from(
        body instanceof ArrayBuffer ? body : new Uint8Array(body.buffer, body.byteOffset, body.byteLength),
      )
    return Buffer.from(String(body))
  }

  class Response {
    #bytes
    bodyUsed = false
    constructor(body, { status = 200, statusText = '', headers, url = '', redirected = false } = {}) {
      this.#bytes = bytesOf(body) ?? new Buffer(0)
      this.status = status
      this.statusText = statusText
      this.headers = new Headers(headers)
      this.url = url
      this.redirected = redirected
      this.ok = status >= 200 && status < 300
    }
    #take() {
      if (this.bodyUsed) throw new TypeError(`body used already for: ${this.url}`)
      this.bodyUsed = true
      return this.#bytes
    }
    async text() {
      return this.#take().toString()
    }
    async json() {
      return parse(this.#take().toString())
    }
    async buffer() {
      return this.#take()
    }
    async arrayBuffer() {
      const bytes = this.#take()
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
    }
    clone() {
      if (this.bodyUsed) throw new TypeError('cannot clone body after it is used')
      return new Response(this.#bytes, this)
    }
  }

  class Request {
    constructor(input, init = {}) {
      this.url = String(input?.url ?? input)
      this.method = init.method ?? input?.method ?? 'GET'
      this.headers = new Headers(init.headers ?? input?.headers)
      this.body = init.body ?? input?.body
    }
  }

  const fetch = watched(async (input, init = {}) => {
    const from = input instanceof Request ? input : undefined
    const { method = from?.method ?? 'GET', body = from?.body, signal, redirect = 'follow', timeout } = init
    const headers = new Headers(init.headers ?? from?.headers)
    if (body != null && !headers.has('content-type')) {
      if (body instanceof URLSearchParams)
        headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8')
      else if (typeof body === 'string') headers.set('content-type', 'text/plain;charset=UTF-8')
    }
    signal?.throwIfAborted?.()
    const bytes = bytesOf(body)
    const request = {
      url: String(from?.url ?? input),
      method: String(method).toUpperCase(),
      headers: [...headers],
      redirect,
      ...(typeof timeout === 'number' && timeout > 0 && { timeout }),
    }
    const sent = ask('fetch', [request], bytes?.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
    const aborted = new Promise((_, reject) => signal?.addEventListener?.('abort', () => reject(signal.reason)))
    const { body: received, ...response } = await (signal ? Promise.race([sent, aborted]) : sent)
    return new Response(received, response)
  })

  const NOTHING_AVAILABLE = (name) => async () => {
    throw new Error(`posthog.api.${name} is not available in plugins. Use fetch with an API key from the settings.`)
  }
  const posthog = {
    capture: watched((event, properties = {}) => ask('capture', [{ event, properties }])),
    api: watchAll(
      Object.fromEntries(['get', 'post', 'put', 'patch', 'delete'].map((name) => [name, NOTHING_AVAILABLE(name)])),
    ),
  }

  for (const name of ['toLocaleDateString', 'toLocaleTimeString', 'toLocaleString'])
    Date.prototype[name] = function (locales, options) {
      const time = this.getTime()
      return Number.isNaN(time) ? 'Invalid Date' : sync('format.date', name, time, locales ?? null, options ?? null)
    }
  Number.prototype.toLocaleString = function (locales, options) {
    return sync('format.number', Number(this), locales ?? null, options ?? null)
  }
  const ALPHANUMERIC = /^[a-z0-9]*$/i
  String.prototype.localeCompare = function (other, locales, options) {
    const [a, b] = [String(this), String(other)]
    if (a === b) return 0
    // A sort of 10,000 texts would take seconds with calls of the host. Case decides only between equal letters.
    if (locales === undefined && options === undefined && ALPHANUMERIC.test(a) && ALPHANUMERIC.test(b)) {
      const [left, right] = [a.toLowerCase(), b.toLowerCase()]
      return left === right ? (a > b ? -1 : 1) : left < right ? -1 : 1
    }
    return sync('intl', 'Collator', locales ?? null, options ?? null, 'compare', [a, b])
  }

  /** Dates cross the border as numbers. */
  const plainArgument = (value) => (value instanceof Date ? value.getTime() : value)
  const INTL_METHODS = {
    Collator: ['compare'],
    DateTimeFormat: ['format', 'formatToParts', 'formatRange'],
    ListFormat: ['format', 'formatToParts'],
    NumberFormat: ['format', 'formatToParts'],
    PluralRules: ['select'],
    RelativeTimeFormat: ['format', 'formatToParts'],
  }
  /** The host has the data of the locales. Methods are bound, because `sort(collator.compare)` is usual. */
  const intl = Object.fromEntries(
    Object.entries(INTL_METHODS).map(([type, methods]) => [
      type,
      // Some of the constructors can be called without `new`.
      function (locales, options) {
        const format = new.target ? this : Object.create(intl[type].prototype)
        const call = (method, ...args) => sync('intl', type, locales ?? null, options ?? null, method, args)
        for (const method of [...methods, 'resolvedOptions'])
          Object.defineProperty(format, method, {
            value: (...args) => {
              const isNow = type === 'DateTimeFormat' && method !== 'resolvedOptions' && args[0] === undefined
              return call(method, ...(isNow ? [Date.now()] : args.map(plainArgument)))
            },
          })
        call('resolvedOptions')
        return format
      },
    ]),
  )

  // --- Modules -------------------------------------------------------------------------------------------------------

  class Hash {
    #algorithm
    #key
    #parts = []
    constructor(algorithm, key) {
      this.#algorithm = String(algorithm)
      this.#key = key
    }
    update(data, encoding) {
      this.#parts.push(typeof data === 'string' ? Buffer.from(data, encoding) : Buffer.from(data))
      return this
    }
    copy() {
      const copy = new Hash(this.#algorithm, this.#key)
      copy.#parts = [...this.#parts]
      return copy
    }
    digest(encoding) {
      const all = Buffer.concat(this.#parts)
      const digest = new Buffer(host.bytes('hash', all.buffer, this.#algorithm, this.#key?.buffer))
      return encoding === undefined ? digest : digest.toString(encoding)
    }
  }
  const copyOf = (value) => Buffer.concat([bytesOf(value)])
  const randomBytes = (size) => new Buffer(host.bytes('random', new ArrayBuffer(0), String(size)))
  const crypto = {
    createHash: (algorithm) => new Hash(algorithm),
    getHashes: () => ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'],
    createHmac: (algorithm, key) => new Hash(algorithm, copyOf(key)),
    randomUUID: () => sync('uuid'),
    randomBytes,
    getRandomValues: (array) => {
      new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(randomBytes(array.byteLength))
      return array
    },
    timingSafeEqual: (a, b) => Buffer.from(a).equals(Buffer.from(b)),
  }

  const zip = (operation) => (data) => new Buffer(host.bytes('zip', copyOf(data).buffer, operation))
  const zlib = Object.fromEntries(
    ['gzip', 'gunzip', 'deflate', 'inflate', 'deflateRaw', 'inflateRaw'].flatMap((name) => {
      const work = zip(name)
      const withCallback = (data, ...rest) => {
        const done = rest.at(-1)
        queueMicrotask(() => {
          let result
          try {
            result = work(data)
          } catch (error) {
            return done(error)
          }
          done(null, result)
        })
      }
      return [
        [`${name}Sync`, work],
        [name, withCallback],
      ]
    }),
  )

  const querystring = {
    parse: (text) => {
      const found = {}
      for (const [name, value] of new URLSearchParams(text)) {
        if (!Object.hasOwn(found, name)) found[name] = value
        else found[name] = [found[name], value].flat()
      }
      return found
    },
    stringify: (values) =>
      Object.entries(values)
        .flatMap(([name, value]) => [value].flat().map((one) => [name, one ?? '']))
        .map((pair) => pair.map(encodeURIComponent).join('='))
        .join('&'),
  }

  const url = {
    URL,
    URLSearchParams,
    parse: (text, withQuery = false) => {
      const parts = sync('url.legacy', String(text))
      return { ...parts, query: withQuery ? querystring.parse(parts.query ?? '') : parts.query }
    },
    format: (value) => (value instanceof URL ? value.href : sync('url.format', value)),
    resolve: (from, to) => new URL(to, from).href,
  }

  /** Buffers with content. The host flushes them before a batch counts as delivered. */
  const pendingBuffers = new Set()

  const createBuffer = ({ limit = 10, onFlush = async () => undefined } = {}) => {
    let objects = []
    let points = 0
    const buffer = {
      add: (object, weight = 1) => {
        objects.push(object)
        points += weight
        pendingBuffers.add(buffer)
        if (points >= limit) void buffer.flush()
      },
      flush: async () => {
        if (objects.length === 0) return
        const [some, sum] = [objects, points]
        objects = []
        points = 0
        pendingBuffers.delete(buffer)
        const done = Promise.resolve(onFlush(some, sum))
        flushing.add(done)
        await done.finally(() => flushing.delete(done))
      },
    }
    return buffer
  }
  const flushing = new Set()

  const flush = async () => {
    while (pendingBuffers.size + flushing.size > 0) {
      for (const buffer of [...pendingBuffers]) void buffer.flush().catch(() => undefined)
      await Promise.all(flushing)
    }
  }

  const nodeFetch = (...args) => fetch(...args)
  Object.assign(nodeFetch, { fetch: nodeFetch, Headers, Request, Response, AbortError })

  const MODULES = {
    '@posthog/plugin-contrib': { createBuffer },
    '@posthog/plugin-scaffold': { RetryError },
    'abort-controller': Object.assign(AbortController, { AbortController, AbortSignal }),
    buffer: { Buffer },
    crypto,
    'node-fetch': nodeFetch,
    querystring,
    url,
    zlib,
  }
  // A default import and a namespace import both mean the module itself.
  for (const module of Object.values(MODULES)) {
    Object.defineProperty(module, '__esModule', { value: true })
    Object.defineProperty(module, 'default', { value: module })
  }

  const require = (name) => {
    const key = String(name).replace(/^node:/, '')
    if (Object.hasOwn(MODULES, key)) return MODULES[key]
    throw new Error(
      `Cannot import "${name}". Plugins can import ${Object.keys(MODULES).join(', ')}. Bundle other modules into the file.`,
    )
  }

  const queueMicrotask = (callback) => void Promise.resolve().then(callback).then(undefined, reportRejection)

  for (const [name, value] of Object.entries({
    AbortController,
    AbortSignal,
    Buffer,
    Headers,
    Intl: intl,
    Request,
    Response,
    RetryError,
    TextDecoder,
    TextEncoder,
    URL,
    URLSearchParams,
    atob,
    btoa,
    clearImmediate: clearTimeout,
    clearInterval: clearTimeout,
    clearTimeout,
    console,
    crypto,
    fetch,
    global: globalThis,
    performance,
    posthog,
    queueMicrotask,
    setImmediate: (callback, ...args) => setTimeout(callback, 0, ...args),
    setInterval,
    setTimeout,
    structuredClone,
  }))
    define(name, value)

  // --- meta ----------------------------------------------------------------------------------------------------------

  const requireKey = (key) => {
    if (typeof key !== 'string' || key === '' || key.length > MAX_KEY_LENGTH)
      throw new TypeError(`A key must be a text of 1 to ${MAX_KEY_LENGTH} characters.`)
    return key
  }
  const requireNumber = (value, name) => {
    if (typeof value !== 'number' || Number.isNaN(value)) throw new TypeError(`${name} must be a number.`)
    return value
  }

  const storage = watchAll({
    get: async (key, fallback) => {
      const text = await ask('storage.get', [requireKey(key)])
      return text === null ? fallback : parse(text)
    },
    set: async (key, value) => {
      const text = stringify(value)
      await ask('storage.set', [requireKey(key), text === undefined ? null : text])
    },
    del: async (key) => {
      await ask('storage.set', [requireKey(key), null])
    },
  })

  const cached = (operation, key, ...args) => ask('cache', [operation, requireKey(key), ...args])
  const cache = watchAll({
    set: async (key, value, seconds, { jsonSerialize = true } = {}) => {
      const text = jsonSerialize ? (stringify(value) ?? 'null') : String(value)
      await cached('set', key, text, seconds === undefined ? null : requireNumber(seconds, 'ttlSeconds'))
    },
    get: async (key, fallback = null, { jsonSerialize = true } = {}) => {
      const text = await cached('get', key)
      if (text === null) return fallback
      if (!jsonSerialize) return text
      try {
        return parse(text)
      } catch {
        return fallback
      }
    },
    incr: async (key) => cached('incr', key),
    expire: async (key, seconds) => cached('expire', key, requireNumber(seconds, 'ttlSeconds')),
    lpush: async (key, items) => {
      if (typeof items !== 'string' && !Array.isArray(items)) throw new TypeError('lpush takes a text or a list.')
      if (items.length > MAX_PUSHED && Array.isArray(items))
        throw new TypeError(`lpush takes at most ${MAX_PUSHED} items.`)
      return cached('lpush', key, [items].flat().map(String))
    },
    lrange: async (key, from, to) => cached('lrange', key, requireNumber(from, 'start'), requireNumber(to, 'end')),
    llen: async (key) => cached('llen', key),
    lpop: async (key, count = 1) => cached('lpop', key, requireNumber(count, 'count')),
    lrem: async (key, count, item) => cached('lrem', key, requireNumber(count, 'count'), String(item)),
  })

  const SECOND = 1_000
  const DAY = 86_400 * SECOND
  const UNITS = {
    milliseconds: 1,
    seconds: SECOND,
    minutes: 60 * SECOND,
    hours: 3_600 * SECOND,
    days: DAY,
    weeks: 7 * DAY,
    months: 30 * DAY,
    quarters: 91 * DAY,
    years: 365 * DAY,
  }
  const scheduled = (name, payload, delay_ms) => ask('job', [name, payload ?? null, Math.max(0, delay_ms)])
  const jobs = new Proxy(
    {},
    {
      get: (_, name) => (payload) =>
        watchAll({
          runNow: async () => scheduled(jobNamed(name), payload, 0),
          runIn: async (amount, unit) => {
            const size = UNITS[unit] ?? UNITS[`${unit}s`]
            if (size === undefined) throw new Error(`Unknown time unit: ${unit}`)
            return scheduled(jobNamed(name), payload, requireNumber(amount, 'The duration') * size)
          },
          runAt: async (date) =>
            scheduled(jobNamed(name), payload, requireNumber(Number(date), 'The time') - Date.now()),
        }),
    },
  )
  const jobNamed = (name) => {
    if (!Object.hasOwn(plugin.jobs, name)) throw new Error(`The plugin has no job "${String(name)}".`)
    return String(name)
  }

  const deepFreeze = (value) => {
    if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze)
    return value
  }

  const metrics = {}
  const meta = {
    config: {},
    attachments: {},
    global: {},
    storage,
    cache,
    geoip: { locate: async () => null },
    jobs,
    metrics,
    utils: {
      cursor: watchAll({
        init: async (key, start = 0) => {
          await ask('cursor.init', [requireKey(key), requireNumber(start, 'The start')])
        },
        increment: async (key, by = 1) => ask('cursor.increment', [requireKey(key), requireNumber(by, 'The step')]),
      }),
    },
  }

  /** Which events `composeWebhook` gets, and which settings have placeholders. */
  let webhooks = { templates: [], filters: null, project: {} }

  /** `text`: JSON of the settings and attachments. */
  const configure = (text) => {
    const { config, attachments, webhooks: some } = parse(text)
    meta.config = deepFreeze(config)
    if (some) webhooks = some
    meta.attachments = Object.fromEntries(
      attachments.map(({ key, content_type, file_name, base64 }) => [
        key,
        { content_type, file_name, contents: base64 === null ? null : Buffer.from(base64, 'base64') },
      ]),
    )
  }

  // --- Webhooks ------------------------------------------------------------------------------------------------------

  const asText = (value) => {
    if (value === undefined) return ''
    if (value instanceof Date) return value.toISOString()
    return typeof value === 'string' ? value : stringify(value)
  }
  const lookUp = (values, path) =>
    path
      .split('.')
      .reduce((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), values)

  /** Replaces `{event.event}`, `{event.properties.plan}`, `{project.id}` and the like. Other braces stay. */
  const filled = (template, values) => {
    if (typeof template === 'string')
      return template.replace(/\{((?:event|person|project)(?:\.[^{}\s.]+)*)\}/g, (_, path) =>
        asText(lookUp(values, path)),
      )
    if (Array.isArray(template)) return template.map((item) => filled(item, values))
    if (!isObject(template)) return template
    return Object.fromEntries(Object.entries(template).map(([key, item]) => [key, filled(item, values)]))
  }

  /** `meta` with the settings of one event. */
  const metaFor = ({ timestamp, properties, person = {}, ...event }) => {
    const { templates, project } = webhooks
    if (templates.length === 0) return meta
    const values = { event: { ...event, name: event.event, timestamp, properties }, person, project }
    const config = { ...meta.config }
    for (const key of templates) if (Object.hasOwn(config, key)) config[key] = filled(config[key], values)
    return { ...meta, config: deepFreeze(config) }
  }

  /** Whether the value of a property matches. `wanted` has several values of which one must match. */
  const OPERATORS = {
    exact: (value, wanted) => wanted.some((one) => asText(one) === asText(value)),
    icontains: (value, wanted) => wanted.some((one) => asText(value).toLowerCase().includes(asText(one).toLowerCase())),
    regex: (value, wanted) => wanted.some((one) => new RegExp(asText(one)).test(asText(value))),
    gt: (value, wanted) => wanted.some((one) => Number(value) > Number(one)),
    gte: (value, wanted) => wanted.some((one) => Number(value) >= Number(one)),
    lt: (value, wanted) => wanted.some((one) => Number(value) < Number(one)),
    lte: (value, wanted) => wanted.some((one) => Number(value) <= Number(one)),
    is_set: () => true,
  }
  const OPPOSITES = { is_not: 'exact', not_icontains: 'icontains', not_regex: 'regex', is_not_set: 'is_set' }

  const matchesProperty = (properties, { key, operator = 'exact', value }) => {
    const opposite = OPPOSITES[operator]
    const matches = OPERATORS[opposite ?? operator]
    const isSet = Object.hasOwn(properties, key)
    const found = isSet && matches(properties[key], [value].flat())
    return opposite ? !found : found
  }

  /** Whether `composeWebhook` gets the event. Actions do not exist, so they match nothing. */
  const isWanted = ({ event, properties }) => {
    const { events = [], actions = [] } = webhooks.filters ?? {}
    if (events.length + actions.length === 0) return true
    return events.some(
      ({ id, properties: conditions = [] }) =>
        (id === null || id === event) && conditions.every((condition) => matchesProperty(properties, condition)),
    )
  }

  // --- The plugin ----------------------------------------------------------------------------------------------------

  const METHODS = [
    'setupPlugin',
    'teardownPlugin',
    'exportEvents',
    'onEvent',
    'processEvent',
    'composeWebhook',
    'getSettings',
  ]
  /** The function of `meta.metrics` by kind. */
  const METRIC_FUNCTIONS = { sum: 'increment', max: 'max', min: 'min' }
  const plugin = { methods: {}, tasks: {}, jobs: {} }

  /** Runs the file. Returns JSON of its capabilities. */
  const load = (file) => {
    const module = { exports: {} }
    const initial = module.exports
    const { exports = initial, declared = {} } = file(module, initial, require) ?? {}
    const places = [exports, exports?.default, module.exports].filter(isObject)
    const isEmpty = places.every((place) => Object.keys(place).length === 0)
    const sources = isEmpty ? [declared] : places
    const lookup = (name) => sources.find((source) => source[name] !== undefined)?.[name]
    const names = new Set(sources.flatMap((source) => Object.keys(source)))

    for (const name of METHODS) if (typeof lookup(name) === 'function') plugin.methods[name] = lookup(name)
    const inBatches = lookup('processEventBatch')
    if (!plugin.methods.processEvent && typeof inBatches === 'function')
      plugin.methods.processEvent = async (event) => (await inBatches([event], meta))?.[0]
    for (const name of names)
      if (name.startsWith('runEvery') && typeof lookup(name) === 'function') plugin.tasks[name] = lookup(name)
    const exportedJobs = lookup('jobs')
    if (isObject(exportedJobs))
      for (const name of Object.keys(exportedJobs))
        if (typeof exportedJobs[name] === 'function') plugin.jobs[name] = exportedJobs[name]
    const exportedMetrics = lookup('metrics')
    if (isObject(exportedMetrics))
      for (const [name, word] of Object.entries(exportedMetrics)) {
        const kind = String(word).toLowerCase()
        if (!Object.hasOwn(METRIC_FUNCTIONS, kind))
          throw new TypeError(`The metric "${name}" must be "sum", "max" or "min".`)
        if (name.length > MAX_KEY_LENGTH || Object.keys(metrics).length >= MAX_METRICS)
          throw new RangeError(
            `A plugin has at most ${MAX_METRICS} metrics with names of ${MAX_KEY_LENGTH} characters.`,
          )
        metrics[name] = {
          [METRIC_FUNCTIONS[kind]]: (value) => {
            if (Math.abs(requireNumber(value, 'The value of a metric')) > MAX_METRIC_VALUE)
              throw new RangeError(`The value of a metric is at most ${MAX_METRIC_VALUE}.`)
            sync('metric', name, kind, value)
          },
        }
      }
    return stringify({
      methods: METHODS.filter((name) => plugin.methods[name]),
      jobs: Object.keys(plugin.jobs),
      scheduled_tasks: Object.keys(plugin.tasks),
    })
  }

  const truncated = (text) => (text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH)}…` : text)

  /** JSON of a thrown value. Its properties may be getters that throw. */
  const describe = (error) => {
    const field = (name) => {
      try {
        const value = error[name]
        return typeof value === 'string' ? truncated(value) : undefined
      } catch {
        return undefined
      }
    }
    if (!isObject(error))
      return stringify({ name: 'Error', message: truncated(textOf(error)), stack: '', retry: false })
    const name = field('name') ?? 'Error'
    return stringify({
      name,
      message: field('message') ?? truncated(textOf(error)),
      stack: field('stack') ?? '',
      retry: name === 'RetryError',
    })
  }

  const isThenable = (value) => isObject(value) && typeof value.then === 'function'

  const resultText = (value) => {
    const text = stringify(value) ?? 'null'
    if (text.length > MAX_RESULT_LENGTH)
      throw new RangeError(`The result has ${text.length} characters. At most ${MAX_RESULT_LENGTH} are allowed.`)
    return text
  }

  /** The result of a method for one event, as text. Null when the event is dropped or there is nothing to send. */
  const RESULTS = {
    processEvent: (value) => {
      if (!value) return null
      if (typeof value !== 'object') throw new TypeError('processEvent must return the event, or null to drop it.')
      return resultText(value)
    },
    onEvent: () => null,
    composeWebhook: (value) => (value ? resultText(value) : null),
  }

  /** Adds the fields that depend on the method. */
  const complete = (method, event) => {
    const { elements_chain, properties } = event
    delete event.elements_chain
    if (method === 'onEvent') {
      if (properties?.$set) event.$set = properties.$set
      if (properties?.$set_once) event.$set_once = properties.$set_once
    }
    if (method === 'composeWebhook') {
      event.timestamp = new Date(event.timestamp)
      if (elements_chain) properties.$elements_chain = elements_chain
    }
  }

  /** Tells the host that the outcome is passed to `host.put`. */
  const PUT = 0

  /**
   * Calls a method with one event. Returns the text of the result, or `PUT`. Without a promise there is no call of the host, which
   * would take longer than most methods.
   */
  const offer = (method, line) => {
    const toText = RESULTS[method]
    try {
      const event = parse(line)
      complete(method, event)
      const isWebhook = method === 'composeWebhook'
      if (isWebhook && !isWanted(event)) return null
      const result = plugin.methods[method](event, isWebhook ? metaFor(event) : meta)
      if (!isThenable(result)) return toText(result)
      Promise.resolve(result)
        .then((value) => toText(value))
        .then(
          (text) => host.put(true, text),
          (error) => host.put(false, describe(error)),
        )
    } catch (error) {
      host.put(false, describe(error))
    }
    return PUT
  }

  const once = async (kind, name, text) => {
    const args = parse(text)
    const work = plugin[kind][name]
    if (typeof work !== 'function')
      throw new Error(`The plugin has no ${kind === 'jobs' ? 'job' : 'function'} "${name}".`)
    return resultText(await work(...args, meta))
  }

  const settled = (promise) => {
    promise.then(
      (text) => host.settle(true, text ?? 'null'),
      (error) => host.settle(false, describe(error)),
    )
  }

  return {
    answer,
    configure,
    load,
    describe,
    offer,
    once: (kind, name, text) => settled(once(kind, name, text)),
    flush: () => settled(flush()),
  }
}

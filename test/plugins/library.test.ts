/** The plugin API in the sandbox, and plugins in the style of public ones. */

import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import type { Configuration, EachResult, Sandbox } from '../../src/plugins/runtime/sandbox.ts'
import {
  configurationOf,
  createMemoryHost,
  eventOf,
  fixturePlugin,
  incomingEventOf,
  GENEROUS_LIMITS as LIMITS,
  type MemoryHost,
  openSandbox,
  returnedEventOf,
} from '../helpers/seeds/sandbox.ts'

t.setTimeout(120_000)

/** Evaluates expressions inside the sandbox. */
async function evaluate(
  { each }: Sandbox,
  expressions: Record<string, string>,
  { before = '', host = createMemoryHost(), config = {} }: { before?: string; host?: MemoryHost; config?: object } = {},
): Promise<Record<string, unknown>> {
  const members = Object.entries(expressions).map(
    ([name, code]) => `${JSON.stringify(name)}: async () => { return ${code} }`,
  )
  const source = `${before}
    export async function processEvent(event, meta) {
      const values = { ${members.join(', ')} }
      for (const name of Object.keys(values))
        event.properties[name] = await values[name]().catch((error) => error.name + ': ' + error.message) ?? null
      return event
    }`
  const result = await each(configurationOf(source, { config }), 'processEvent', [incomingEventOf()], LIMITS, host)
  if (result.error) throw new Error(result.error.message)
  return JSON.parse(String(result.outcomes[0])).properties
}

/** Compares what expressions give in the sandbox with what they give in Node. */
async function sameAsNode(t: Test, sandbox: Sandbox, expressions: readonly string[]): Promise<void> {
  const found = await evaluate(sandbox, Object.fromEntries(expressions.map((code) => [code, code])))
  for (const code of expressions) {
    const value: unknown = await new Function(`return (async () => ${code})()`)()
    t.strictSame(found[code], JSON.parse(JSON.stringify(value ?? null)), code)
  }
}

t.test('URL, Buffer and text functions behave as in Node', async (t) => {
  const sandbox = openSandbox(t)
  await sameAsNode(t, sandbox, [
    'new URL("https://u:p@ex.com:81/a/../b?x=1&x=2#h").href',
    'new URL("/c?d", "https://ex.com/a/b").toString()',
    'JSON.stringify({ u: new URL("https://ex.com") })',
    '(() => { const u = new URL("https://ex.com/a?b=1"); u.search = "c=2"; u.searchParams.append("d", "é &"); u.hash = "x"; u.protocol = "http:"; u.host = "b.org:99"; u.port = ""; return [u.href, u.search, u.origin, u.searchParams.get("c")] })()',
    '(() => { const u = new URL("https://ex.com/a?b=1"); const s = u.searchParams; s.set("b", 5); s.delete("zz"); u.pathname = "/n"; return [u.href, s.get("b"), u.searchParams.get("b")] })()',
    'URL.canParse("x y")',
    'new Intl.DateTimeFormat("en-US", { timeZone: "Europe/Vienna", hour: "numeric", minute: "numeric", hour12: false }).format(new Date(1e12))',
    'Intl.DateTimeFormat("en-GB", { timeZone: "UTC", dateStyle: "full" }).formatToParts(1e12).map(({ type, value }) => type + value)',
    'Intl.NumberFormat("de-DE", { style: "currency", currency: "EUR" }).format(1234.5)',
    'new Intl.PluralRules("en-US", { type: "ordinal" }).select(2)',
    'new Intl.ListFormat("en").format(["a", "b", "c"])',
    '["b", "a", "ä", "A"].sort((a, b) => a.localeCompare(b))',
    '["B", "a", "A", "ab", "aB", "Ab", "1", "10", "9", "Z", "z", "", "a b", "a_b"].sort((a, b) => a.localeCompare(b))',
    '["b10", "b9"].sort(new Intl.Collator("en", { numeric: true }).compare)',
    '(() => { try { new Intl.NumberFormat("x".repeat(200)) } catch (error) { return error.name } })()',
    '(() => { class Own extends Error { constructor(text) { super(text); Error.captureStackTrace(this, Own) } } return [String(new Own("x")), typeof new Own("y").stack] })()',
    '[typeof performance.now(), typeof setImmediate, typeof clearInterval, typeof console.table]',
    'Buffer.from("0000000000000102", "hex").readBigUInt64BE().toString()',
    '[...new URLSearchParams("?a=1&b=2&a=3+4")]',
    'new URLSearchParams({ q: "a b", n: 1 }).toString()',
    'new URLSearchParams([["b", "1"], ["a", "2"]]).has("a")',
    '(() => { const s = new URLSearchParams("b=1&a=2&b=3"); s.sort(); return [s.toString(), s.getAll("b"), s.size, [...s.keys()], [...s.values()]] })()',
    '(() => { const all = []; new URLSearchParams("a=1").forEach((v, k) => all.push([k, v])); return all })()',
    'Buffer.from("héllo 🦔").toString("base64")',
    'Buffer.from("aMOpbGxv", "base64").toString()',
    'Buffer.from("68656c6c6f", "hex").toString("utf8")',
    'Buffer.from([1, 2, 300]).toJSON()',
    'Buffer.byteLength("é🦔")',
    'Buffer.concat([Buffer.from("a"), Buffer.from("bc")]).length',
    'Buffer.from("abcdef").slice(1, 3).toString()',
    'Buffer.alloc(3, "ab").toString()',
    'Buffer.isBuffer(Buffer.from("")) && !Buffer.isBuffer("")',
    'Buffer.from("a\\0b").toString("latin1")',
    'Buffer.from("hello").equals(Buffer.from("hello"))',
    'Buffer.from("hello world").indexOf("wor")',
    'Buffer.from([1, 2, 3, 4]).readUInt16BE(1)',
    '(() => { const b = Buffer.alloc(4); b.writeUInt32LE(7); return b.toString("hex") })()',
    '(() => { const b = Buffer.alloc(6, 1); return [b.write("héé", 1, 3), b.write("zz", 4, "latin1"), Buffer.from("xyz").copy(b, 0, 1), b.toString("hex")] })()',
    '[Buffer.from("b").compare(Buffer.from("a")), Buffer.compare(Buffer.from("a"), Buffer.from("ab")), Buffer.from("abc").includes("d")]',
    '(() => { const b = Buffer.alloc(8); return [b.writeDoubleBE(1.5), b.readDoubleBE(), b.writeInt16LE(-2, 2), b.readInt8(2), b.toString("hex")] })()',
    'Buffer.from(JSON.parse(JSON.stringify(Buffer.from("abc")))).toString()',
    'JSON.parse(Buffer.from("{}")) instanceof Object',
    '[...new TextEncoder().encode("é")]',
    'new TextDecoder().decode(new Uint8Array([195, 169]))',
    'btoa("a\\xff") + atob("YQ==")',
    'structuredClone({ a: [new Date(5), new Map([[1, { b: 2 }]]), new Set([1])] }).a[0].getTime()',
    '(() => { const own = { list: [1] }; own.self = own; const copy = structuredClone(own); return [copy.self === copy, copy.list !== own.list, copy.list] })()',
    'new Promise((done) => queueMicrotask(() => done("ran")))',
    'new Promise((done) => setTimeout(done, 5, "late"))',
    '(() => { clearTimeout(setTimeout(() => {}, 5)); return 1 })()',
    'new Date(0).toLocaleDateString("en-US", { weekday: "long", timeZone: "UTC" })',
    'new Date(0).toLocaleString("de-DE", { timeZone: "Asia/Tokyo" })',
    '(1234567.891).toLocaleString()',
    'new Intl.NumberFormat("de").format(1234.5)',
    'new Date("nonsense").toLocaleDateString()',
    '"a1b22".replaceAll(/(?<n>\\d+)/g, "<$<n>>")',
    '[3, 1, 2].toSorted()',
    'Object.groupBy([1, 2, 3], (n) => n % 2 ? "odd" : "even").odd.length',
    'global === globalThis && typeof global',
    '[Buffer, Headers, Request, Response, URL, URLSearchParams, AbortController, AbortSignal, TextEncoder, TextDecoder].map(({ name }) => name)',
    '[Object.keys(globalThis).includes("URL"), Object.keys(new URL("http://a")).length]',
    'new Promise((done) => { const s = AbortSignal.timeout(5); setTimeout(() => done(s.aborted), 50) })',
    'new Headers({ A: "1" }).get("a")',
    'new Response("{\\"a\\":1}", { status: 201 }).json()',
  ])
  const found = await evaluate(
    sandbox,
    {
      sha1: 'require("crypto").createHash("sha1").update("a").update("b").digest("hex")',
      sha256: 'crypto.createHash("sha256").update(Buffer.from("ab")).digest("base64")',
      hmac: 'crypto.createHmac("sha256", "key").update("ab").digest("hex")',
      unknown: 'crypto.createHash("none")',
      unknownDigest: 'crypto.createHash("none").digest()',
      uuid: '/^[0-9a-f-]{36}$/.test(crypto.randomUUID())',
      random: 'crypto.randomBytes(8).length',
      gzip: 'require("zlib").gunzipSync(require("zlib").gzipSync("text")).toString()',
      gzipLater:
        'new Promise((done) => require("zlib").gzip("text", (error, data) => done([error, data.readUInt16BE()])))',
      gunzipLater: 'new Promise((done) => require("zlib").gunzip("text", (error) => done(error instanceof Error)))',
      hashCopy:
        '(() => { const a = crypto.createHash("md5").update("a"); return a.copy().update("b").digest("hex") !== a.digest("hex") })()',
      parsedQuery: 'require("querystring").parse("a=1&a=2&b=x")',
      missingModule: 'require("fs")',
      badUrl: 'new URL("x")',
      badEncoding: 'Buffer.from("a", "klingon")',
      legacy: '(({ host, query }) => ({ host, query: query.b }))(require("url").parse("http://a.b/c?b=1", true))',
      querystring: 'require("querystring").stringify({ a: [1, 2], b: "x" })',
      api: 'posthog.api.get("/x")',
      geoip: 'meta.geoip.locate("8.8.8.8")',
      keys: 'Object.keys(meta)',
      frozen: '(() => { "use strict"; meta.config.list.push(1) })()',
      config: 'meta.config',
      aborted:
        '(() => { const c = new AbortController(); const p = fetch("http://10.0.0.1", { signal: c.signal }); c.abort(); return p })()',
    },
    { config: { list: [1] } },
  )
  t.strictSame(found, {
    sha1: 'da23614e02469a0d7c7bd1bdab5c9c474b1904dc',
    sha256: createHash('sha256').update('ab').digest('base64'),
    hmac: createHmac('sha256', 'key').update('ab').digest('hex'),
    unknown: {},
    unknownDigest: 'TypeError: Unknown hash: none. Use md5, sha1, sha224, sha256, sha384, sha512.',
    uuid: true,
    random: 8,
    gzip: 'text',
    gzipLater: [null, 0x1f8b],
    gunzipLater: true,
    hashCopy: true,
    parsedQuery: { a: ['1', '2'], b: 'x' },
    missingModule: found.missingModule,
    badUrl: 'TypeError: Invalid URL',
    badEncoding: 'TypeError: Unknown encoding: klingon',
    legacy: { host: 'a.b', query: '1' },
    querystring: 'a=1&a=2&b=x',
    api: 'TypeError: posthog.api works only in plugins that run in a server.',
    geoip: null,
    keys: ['config', 'attachments', 'global', 'storage', 'cache', 'geoip', 'jobs', 'metrics', 'utils'],
    frozen: found.frozen,
    config: { list: [1] },
    aborted: 'AbortError: The operation was aborted.',
  })
  t.match(found.frozen, /^TypeError: /)
  t.match(found.missingModule, /^Error: Cannot import "fs"\. Plugins can import .*, zlib\. Bundle other modules/)
})

t.test('storage, cache, cursors, jobs, metrics and captured events follow the plugin API', async (t) => {
  const sandbox = openSandbox(t)
  let now = 0
  const host = createMemoryHost({ milliseconds: () => now })
  const before = `export const jobs = { go() {} }; export const metrics = { sent: 'sum', slowest: 'MAX' }`
  const found = await evaluate(
    sandbox,
    {
      storageDefault: 'meta.storage.get("none", 5)',
      storageMissing: 'meta.storage.get("none")',
      storageValue: '(await meta.storage.set("a", { d: new Date(0), f() {}, n: null }), await meta.storage.get("a"))',
      storageNull: '(await meta.storage.set("n", null), await meta.storage.get("n", 1))',
      storageDeleted: '(await meta.storage.set("a", undefined), await meta.storage.get("a", "gone"))',
      storageDel: '(await meta.storage.set("b", 1), await meta.storage.del("b"), await meta.storage.get("b", "gone"))',
      storageKey: 'meta.storage.set("x".repeat(201), 1)',
      storageNumber: '(await meta.storage.set(7, "seven"), await meta.storage.get("7"))',
      cacheNumber: '(await meta.cache.set(7, "seven"), await meta.cache.get("7"))',
      cursor:
        '(await meta.utils.cursor.init("c", 5), await meta.utils.cursor.init("c", 9), await meta.utils.cursor.increment("c"))',
      cursorBy: 'meta.utils.cursor.increment("c", 10)',
      cacheDefault: 'meta.cache.get("none")',
      cacheFallback: 'meta.cache.get("none", "x")',
      cacheObject: '(await meta.cache.set("o", { a: 1 }, 10), await meta.cache.get("o"))',
      cacheText:
        '(await meta.cache.set("t", "{", undefined, { jsonSerialize: false }), [await meta.cache.get("t", "broken"), await meta.cache.get("t", 0, { jsonSerialize: false })])',
      incr: '[await meta.cache.incr("i"), await meta.cache.incr("i")]',
      expire: '[await meta.cache.expire("i", 10), await meta.cache.expire("no", 10)]',
      lpush: '[await meta.cache.lpush("l", "a"), await meta.cache.lpush("l", ["b", 3])]',
      lrange: '[await meta.cache.lrange("l", 0, 1), await meta.cache.lrange("l", -2, -1), await meta.cache.llen("l")]',
      lrem: '[await meta.cache.lrem("l", 1, "b"), await meta.cache.lpop("l", 1), await meta.cache.llen("l")]',
      lpushNumber: 'meta.cache.lpush("l", 5)',
      lrangeText: 'meta.cache.lrange("l", "a", 1)',
      lpushMany: 'meta.cache.lpush("l", Array(1001).fill("x"))',
      job: 'meta.jobs.go({ a: 1 }).runIn(2, "minute")',
      jobNow: 'meta.jobs.go().runNow()',
      jobAt: 'meta.jobs.go(5).runAt(new Date(Date.now() - 1000))',
      jobUnit: 'meta.jobs.go().runIn(1, "blinks")',
      jobUnknown: 'meta.jobs.other().runNow()',
      captured: 'posthog.capture("made", { distinct_id: "x", n: 1 })',
      metric: '(meta.metrics.sent.increment(2), meta.metrics.slowest.max(7), typeof meta.metrics.sent.max)',
    },
    { before, host },
  )
  t.strictSame(found, {
    storageDefault: 5,
    storageMissing: null,
    storageValue: { d: '1970-01-01T00:00:00.000Z', n: null },
    storageNull: null,
    storageDeleted: 'gone',
    storageDel: 'gone',
    storageKey: 'TypeError: A key must be a number or a text of 1 to 200 characters.',
    storageNumber: 'seven',
    cacheNumber: 'seven',
    cursor: 6,
    cursorBy: 16,
    cacheDefault: null,
    cacheFallback: 'x',
    cacheObject: { a: 1 },
    cacheText: ['broken', '{'],
    incr: [1, 2],
    expire: [true, false],
    lpush: [1, 3],
    lrange: [['3', 'b'], ['b', 'a'], 3],
    lrem: [1, ['3'], 1],
    lpushNumber: 'TypeError: lpush takes a text or a list.',
    lrangeText: 'TypeError: start must be a number.',
    lpushMany: 'TypeError: lpush takes at most 1000 items.',
    job: null,
    jobNow: null,
    jobAt: null,
    jobUnit: 'Error: Unknown time unit: blinks',
    jobUnknown: 'Error: The plugin has no job "other".',
    captured: null,
    metric: 'undefined',
  })
  t.strictSame(host.jobs, [
    { name: 'go', payload: { a: 1 }, delay_ms: 120_000 },
    { name: 'go', payload: null, delay_ms: 0 },
    { name: 'go', payload: 5, delay_ms: 0 },
  ])
  t.strictSame(host.captured, [{ event: 'made', properties: { distinct_id: 'x', n: 1 } }])
  now = 11_000
  t.strictSame(await evaluate(sandbox, { object: 'meta.cache.get("o")', counter: 'meta.cache.incr("i")' }, { host }), {
    object: null,
    counter: 1,
  })
})

t.test('console writes each type of value at its level', async (t) => {
  const { each } = openSandbox(t)
  const source = `export function onEvent() {
    console.log(); console.info('a', 1, null, undefined, true); console.warn({ a: [1] }, [2]); console.debug(new Date(0))
    console.error(new TypeError('bad')); console.log(Symbol('s'), () => 1, new Map([[1, 2]]), 10n)
    console.log(new Set(['a']), { error: new RangeError('x'), map: new Map([['k', new Set([1])]]), at: new Date(0), big: 5n })
  }`
  const { lines } = await each(configurationOf(source), 'onEvent', [eventOf()], LIMITS, createMemoryHost())
  t.match(lines, [
    { level: 'LOG', message: '' },
    { level: 'INFO', message: 'a 1 null undefined true' },
    { level: 'WARN', message: '{"a":[1]} [2]' },
    { level: 'DEBUG', message: '1970-01-01T00:00:00.000Z' },
    { level: 'ERROR', message: /^TypeError: bad\n.*index\.ts:3/ },
    { level: 'LOG', message: 'Symbol(s) () => 1 Map {"1":2} 10' },
    {
      level: 'LOG',
      message: 'Set ["a"] {"error":"RangeError: x","map":{"k":[1]},"at":"1970-01-01T00:00:00.000Z","big":"5"}',
    },
  ])
})

interface Service {
  url: string
  /** `METHOD /path` with headers and body, in order. */
  requests: { line: string; headers: IncomingMessage['headers']; body: Buffer }[]
  /** The status of the next responses; then 200. */
  statuses: number[]
}

async function startService(t: Test): Promise<Service> {
  const service: Service = { url: '', requests: [], statuses: [] }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    service.requests.push({
      line: `${request.method} ${request.url}`,
      headers: request.headers,
      body: Buffer.concat(chunks),
    })
    const order = { id: 7, total: 9.5, user: 'bob', at: '2024-05-01T00:00:00Z' }
    response.writeHead(service.statuses.shift() ?? 200, { 'x-id': 'r1' })
    response.end(JSON.stringify({ rates: { EUR: 0.8, USD: 1 }, orders: [order, { ...order, id: 8 }] }))
  }).listen(0, '127.0.0.1')
  t.teardown(() => void server.close())
  await new Promise((done) => server.once('listening', done))
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return service
}

t.test('plugins in the style of public ones run as they are', async (t) => {
  const sandbox = openSandbox(t)
  const service = await startService(t)
  const host = createMemoryHost({ allow: '127.0.0.1/32' })
  const open = (name: string, config: object = {}, rest = {}): Configuration =>
    configurationOf(fixturePlugin(name), { config, ...rest })
  const run = (
    configuration: Configuration,
    method: 'processEvent' | 'onEvent' | 'composeWebhook',
    events: string[],
  ): Promise<EachResult> => sandbox.each(configuration, method, events, LIMITS, host)
  /** The events that a transformation returns; null for a dropped one. */
  const transform = async (configuration: Configuration, ...events: [properties: object, event?: object][]) => {
    const sent = events.map(([properties, event]) => incomingEventOf(properties, event))
    const result = await run(configuration, 'processEvent', sent)
    t.equal(result.error, undefined)
    return result.outcomes.map((outcome, i) => {
      if (outcome === null) return null
      if (typeof outcome === 'object') return outcome
      return returnedEventOf(typeof outcome === 'boolean' ? String(sent[i]) : outcome)
    })
  }
  const call = (configuration: Configuration, name: string) =>
    sandbox.once(configuration, { kind: 'tasks', name }, [], LIMITS, host)

  t.match(
    await transform(
      open('drop-events', { names: 'a, b', withoutProperty: 'keep' }),
      [{ keep: 1 }, { event: 'b' }],
      [{}],
      [{ keep: 1 }],
    ),
    [null, null, { event: 'page' }],
  )
  t.strictSame(
    (await transform(open('remove-properties', { properties: '$ip, a.b' }), [{ $ip: '1', a: { b: 1, c: 2 } }]))[0]
      .properties,
    { a: { c: 2 } },
  )
  t.match(
    await transform(open('clean-urls', { removeParameters: 'fbclid', lowercase: true }), [
      { $current_url: 'https://ex.com:8080/A/B/?fbclid=1&x=2#top', $referrer: 'no url' },
    ]),
    [{ properties: { $current_url: 'https://ex.com/a/b?x=2', $referrer: 'no url' } }],
  )
  t.match(
    await transform(open('query-to-properties', { prefix: 'q_' }), [
      { $current_url: 'https://ex.com/?a=1&utm_source=x&utm_source=y' },
    ]),
    [{ properties: { q_a: '1', sources: ['x', 'y'] }, $set: { a: '1' } }],
  )
  const currency = open('currency', { host: service.url, key: 'k', amount: 'price', currency: 'unit' })
  t.match(await transform(currency, [{ price: 8, unit: 'EUR' }], [{ price: 8, unit: 'XXX' }], [{}]), [
    { properties: { normalized_amount: 10 } },
    { properties: { normalized_amount: undefined } },
    {},
  ])
  t.match(await call(currency, 'runEveryHour'), { error: undefined })
  t.strictSame(
    service.requests.splice(0).map(({ line }) => line),
    Array(2).fill('GET /latest.json?app_id=k'),
  )

  t.match(await transform(open('deduplicate'), [{ a: 1, b: 2 }], [{ b: 2, a: 1 }], [{ a: 2 }]), [
    { properties: { $hash: /^[0-9a-f]{40}$/ } },
    null,
    {},
  ])
  t.match(await transform(open('first-time', { events: 'page' }), [{}], [{}], [{}, { distinct_id: 'bob' }]), [
    { properties: { is_event_first_ever: true, is_event_first_for_user: true } },
    { properties: { is_event_first_ever: false, is_event_first_for_user: false } },
    { properties: { is_event_first_ever: false, is_event_first_for_user: true } },
  ])
  const webhook = await run(open('webhook', { url: 'https://ex.com', token: 't', only: 'page' }), 'composeWebhook', [
    eventOf(),
    eventOf({}, { event: 'other' }),
    eventOf({ fail: true }),
  ])
  t.match(JSON.parse(String(webhook.outcomes[0])), {
    url: 'https://ex.com',
    body: '{"name":"page","user":"ada","at":"2024-06-01T10:20:30.000Z","year":2024}',
    headers: { Authorization: 'Bearer t' },
  })
  t.match(webhook.outcomes.slice(1), [null, { error: { message: 'Cannot compose' } }])

  const deliver = open('deliver', { url: service.url, user: 'u', password: 'pä' })
  service.statuses = [200, 200, 404, 500]
  const delivered = await run(deliver, 'onEvent', [
    eventOf(),
    eventOf({}, { event: '$x' }),
    eventOf(),
    eventOf(),
    eventOf(),
  ])
  t.match(delivered.outcomes, [null, null, null, { error: { retry: true, message: 'The service responded with 500' } }])
  t.equal(delivered.outcomes.length, 4)
  t.match(delivered.lines, [{ message: 'Delivered page r1' }, { level: 'ERROR', message: /^Rejected 404 {/ }])
  t.equal(service.requests[1]?.headers.authorization, `Basic ${Buffer.from('u:pä').toString('base64')}`)
  service.requests.length = 0
  service.statuses = [401]
  t.match(await run(open('deliver', { url: service.url }), 'onEvent', [eventOf()]), {
    error: { stage: 'setup', retry: false, message: /wrong password/ },
  })

  const orders = open('import-orders', { host: service.url, key: 'secret' })
  t.match(await call(orders, 'runEveryMinute'), { lines: [{ level: 'INFO', message: 'Imported 2 orders of page 1' }] })
  t.match(host.captured.splice(0), [
    { event: 'order', properties: { distinct_id: 'bob', timestamp: '2024-05-01T00:00:00Z', order_id: 7 } },
    { properties: { order_id: 8 } },
  ])
  t.equal(host.storage.get('last_order'), '8')

  const jobs = open('retry-jobs', { url: service.url })
  await run(jobs, 'onEvent', [eventOf()])
  service.statuses = [503, 503, 503]
  for (let i = 0; host.jobs.length; i++) {
    const [job] = host.jobs.splice(0)
    t.equal(job?.delay_ms, [0, 2_000, 4_000][i])
    const done = await sandbox.once(jobs, { kind: 'jobs', name: 'send' }, [job?.payload], LIMITS, host)
    if (i === 2) t.match(done.lines, [{ level: 'ERROR', message: /^Gave up on 018f.*Error: Service Unavailable/s }])
  }
  t.match(
    await transform(
      open('taxonomy', { style: 'snake_case' }),
      [{}, { event: 'newUser Signed-up' }],
      [{}, { event: '$Page' }],
    ),
    [{ event: 'new_user_signed_up' }, { event: '$Page' }],
  )
  t.match(await transform(open('timestamp-parts'), [{}]), [
    {
      properties: {
        day_of_the_week: 'Saturday',
        month_name: 'Juni',
        year: 2024,
        hour: 10,
        time_in_tokyo: '19:20:30',
        price: '€1,234.50',
      },
    },
  ])
  t.match(await transform(open('flatten', { separator: 'underscore' }), [{ a: { b: { c: 1 }, d: [2] }, e: null }]), [
    { properties: { a__b__c: 1, a__d__0: 2, a: { b: { c: 1 } } } },
  ])
  const file = {
    key: 'countries',
    content_type: 'application/json',
    file_name: 'c.json',
    base64: Buffer.from('{"AT":"Österreich"}').toString('base64'),
  }
  t.match(await transform(open('lookup-attachment', {}, { attachments: [file] }), [{ code: 'AT' }], [{ code: 'X' }]), [
    { properties: { country: 'Österreich', same: true, file: 'c.json' } },
    { properties: { country: 'unknown' } },
  ])
  t.match(await transform(open('user-agent', {}), [{ $user_agent: 'Mozilla Firefox/126.0' }], [{}]), [
    { properties: { $browser: 'Firefox', $browser_version: 126, $user_agent: undefined } },
    {},
  ])
  t.match(await transform(open('pseudonymize', { salt: 'long enough' }), [{}, { $set: { email: 'a@b.c' } }]), [
    { distinct_id: /=$/, $set: { email: /=$/ }, properties: { trace: /^[0-9a-f-]{36}$/ } },
  ])
  service.requests.length = 0
  const buffered = open('buffered-delivery', { url: service.url })
  const many = Array.from({ length: 10 }, (_, n) => eventOf({ n }))
  t.strictSame((await run(buffered, 'onEvent', many)).outcomes, Array(10).fill(null))
  const bodies = service.requests.splice(0).map(({ body }) => body.toString().split('\n'))
  t.ok(bodies.length > 1)
  t.strictSame(
    bodies.flat().map((line) => JSON.parse(line).n),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  )
  service.statuses = [500]
  t.match(await run(buffered, 'onEvent', [eventOf()]), { error: { stage: 'flush', retry: true } })
  for (const [name, onFlush] of [
    ['throws', "() => { throw new RetryError('full') }"],
    ['throws before the batch ends', "(some) => { if (some.length === 2) throw new RetryError('full') }"],
  ] as const) {
    const source = `import { createBuffer } from '@posthog/plugin-contrib'
      const buffer = createBuffer({ limit: 2, onFlush: ${onFlush} })
      export const onEvent = (event) => buffer.add(event)`
    const failed = await run(configurationOf(source), 'onEvent', many.slice(0, 3))
    t.match(failed, { error: { stage: 'flush', retry: true, message: 'full' } }, `onFlush ${name}`)
  }

  service.requests.length = 0
  service.statuses = []
  const events = [
    { uuid: 'u1', event: 'a' },
    { uuid: 'u2', event: '$feature_flag_called' },
  ]
  const bulk = open('bulk-export', { url: service.url })
  t.match(await sandbox.once(bulk, { kind: 'methods', name: 'exportEvents' }, [events], LIMITS, host), {
    error: undefined,
  })
  t.equal(gunzipSync(service.requests[0]?.body ?? '').toString(), 'u1,a')
  t.match(await sandbox.once(bulk, { kind: 'methods', name: 'getSettings' }, [], LIMITS, host), {
    result: '{"handlesLargeBatches":true}',
  })
  const sessions = open('sessions')
  await run(sessions, 'onEvent', [eventOf(), eventOf(), eventOf({}, { distinct_id: 'bob' })])
  t.equal(host.captured.length, 2)
  t.match(await call(sessions, 'runEveryDay'), { lines: [{ message: 'recent ["bob","ada","ada"] 3' }] })
  t.match(await sandbox.inspect({ 'site.ts': fixturePlugin('banner-site') }), { errors: {} })
})

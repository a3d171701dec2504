/** The bounds of plugin code: what exceeds them is stopped, named, and harms no other plugin. */

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Outcome } from '../../src/plugins/runtime/messages.ts'
import { isFinal } from '../../src/plugins/runtime/retries.ts'
import type { EachResult } from '../../src/plugins/runtime/sandbox.ts'
import { sampled } from '../helpers/assertions/figures.ts'
import { freshFolder } from '../helpers/folders.ts'
import { builtProgram, startProcess } from '../helpers/programs/process.ts'
import {
  configurationOf,
  createMemoryHost,
  eventOf,
  incomingEventOf,
  LIMITS,
  openSandbox,
  returnedEventOf,
} from '../helpers/seeds/sandbox.ts'

const errorIn = (outcome: Outcome | undefined) =>
  typeof outcome === 'object' && outcome !== null ? outcome.error : undefined

/** `attack` runs for the second of three events. */
const attacker = (attack: string, before = ''): string =>
  `${before}\nexport async function processEvent(event, meta) { if (event.properties.attack) { ${attack} } return event }`

const EVENTS = [incomingEventOf({ n: 1 }), incomingEventOf({ attack: true }), incomingEventOf({ n: 3 })]

const TIMEOUT = { name: 'TimeoutError', stopped: 'timeout' } as const
const BOMB = { stopped: /timeout|memory/ }
/** One allocation at a time takes little CPU. */
const MEMORY = { name: 'MemoryError', stopped: 'memory' } as const

t.setTimeout(240_000)

t.test('stops every attack, names it, and goes on with the next event', async (t) => {
  const { each } = openSandbox(t)
  const host = createMemoryHost()
  const attacks = [
    ['an endless loop', attacker('while (true) {}'), TIMEOUT],
    ['an endless loop that catches everything', attacker('for (;;) try { while (true) {} } catch {}'), TIMEOUT],
    ['an endless generator', attacker('const f = function* () { for (;;) yield 1 }; for (const _ of f()) {}'), TIMEOUT],
    ['an endless sort', attacker('[3, 2, 1].sort(() => { for (;;) {} })'), TIMEOUT],
    ['an endless chain of promises', attacker('const f = () => Promise.resolve().then(f); await f()'), BOMB],
    ['a catastrophic regular expression', attacker('/^(a+)+$/.test("a".repeat(50) + "b")'), TIMEOUT],
    ['a native loop', attacker('new Array(4294967295).join("x")'), TIMEOUT],
    ['a bomb of arrays', attacker('const all = []; for (;;) all.push(new Uint8Array(1e6))'), MEMORY],
    ['a bomb of objects', attacker('const all = []; for (;;) all.push({ all })'), BOMB],
    ['a bomb of text', attacker('let text = "x"; for (;;) text += text'), {}],
    [
      'a bomb that catches everything',
      attacker('const all = []; for (;;) try { all.push(new Uint8Array(1e5)) } catch {}'),
      BOMB,
    ],
    ['deep recursion', attacker('const f = (n) => f(n + 1) + 1; f(0)'), { message: 'stack overflow' }],
    ['deep recursion through JSON', attacker('const o = { toJSON() { return [o] } }; JSON.stringify(o)'), {}],
    ['deeply nested JSON', attacker('JSON.parse("[".repeat(1e6))'), {}],
    ['a result of 20 MB', attacker('return { text: "x".repeat(2e7) }'), {}],
    ['a result with a cycle', attacker('event.self = event'), { name: 'TypeError' }],
    ['a result that is not an object', attacker('return 5'), { message: /must return the event/ }],
    ['a promise that never settles', attacker('await new Promise(() => {})'), { message: /never settles/ }],
    [
      'a hundred thousand timers',
      attacker('for (let i = 0; i < 1e5; i++) setTimeout(() => {}, 1)'),
      { message: /At most 1000|took too long/ },
    ],
    ['an interval', attacker('setInterval(() => {}, 1)'), { message: /not available.*runEveryMinute/ }],
    [
      'a flood of storage',
      attacker('for (let i = 0; i < 1e5; i++) await meta.storage.set("k" + i, 1)'),
      { message: /limited to 1060 writes|took too long/ },
    ],
    [
      'a flood of storage without await',
      attacker('for (let i = 0; i < 1e5; i++) meta.storage.set("k" + i, 1); await 1; await meta.storage.set("a", 1)'),
      { message: /wait at the same time|took too long/ },
    ],
    [
      'a flood of captured events',
      attacker('for (;;) await posthog.capture("x")'),
      { message: /limited to 115 captured events|took too long/ },
    ],
    [
      'a flood of jobs',
      attacker('for (;;) await meta.jobs.a().runNow()', 'export const jobs = { a() {} }'),
      { message: /limited to 115 jobs|took too long/ },
    ],
    [
      'a flood of requests',
      attacker('for (;;) await fetch("http://10.0.0.1/").catch((e) => { if (/limited/.test(e)) throw e })'),
      { message: /limited to 130 requests|took too long/ },
    ],
    [
      'an error with a hostile text',
      attacker('throw { get message() { throw 1 }, toString() { throw 2 }, get name() { return {} } }'),
      { message: '[a value without text]' },
    ],
    ['an error of 10 MB', attacker('throw new Error("x".repeat(1e7))'), { message: /^x{5000}…$/ }],
    [
      'a broken prototype',
      attacker(
        'Array.prototype.push = Map.prototype.get = JSON.stringify = () => { throw new Error("mine") }; throw new Error("own")',
      ),
      {},
    ],
  ] as const
  for (const [name, source, error] of sampled(attacks, 6)) {
    const result = await each(configurationOf(source), 'processEvent', EVENTS, LIMITS, host)
    t.equal(result.error, undefined, name)
    t.equal(result.outcomes.length, 3, name)
    t.match(errorIn(result.outcomes[1]), error, name)
    t.type(errorIn(result.outcomes[1])?.message, 'string', name)
    t.strictSame([result.outcomes[0], result.outcomes[2]], [true, true], `${name}: other events pass`)
  }
  const innocent = configurationOf('export function processEvent(event) { event.properties.seen = true; return event }')
  const { outcomes } = await each(innocent, 'processEvent', EVENTS, LIMITS, host)
  t.strictSame(
    outcomes.map((text) => JSON.parse(String(text)).properties.seen),
    [true, true, true],
  )
})

t.test('code cannot reach the host, other plugins or the library', async (t) => {
  const { each } = openSandbox(t)
  const source = `
    const probes = {
      process: () => typeof process,
      constructor: () => fetch.constructor('return typeof process')(),
      functionOfHost: () => console.log.constructor.constructor('return typeof process + typeof module + typeof __host')(),
      errorOfHost: () => { try { new URL('x') } catch (e) { return e.constructor.constructor('return typeof process')() } },
      bytesOfHost: () => Buffer.from('x').buffer.constructor.constructor('return typeof process')(),
      wasm: () => typeof WebAssembly + typeof SharedArrayBuffer + typeof Atomics,
      modules: () => { try { return typeof require('fs') } catch (e) { return e.message.slice(0, 18) } },
      dynamic: () => import('child_process').then(() => 'loaded', (e) => e.message.slice(0, 30)),
      prototype: () => ({}).constructor.constructor('return this')() === globalThis,
      stack: () => { Error.prepareStackTrace = (_, frames) => typeof frames?.[0]?.getThis?.(); return String(new Error('x').stack).includes('node:') },
      global: () => Object.getOwnPropertyNames(globalThis).filter((name) => /host|quickjs|std|os$|bjson|_/i.test(name)).join(),
      polluted: () => typeof Object.prototype.left,
    }
    export async function processEvent(event) {
      event.properties = {}
      for (const name of Object.keys(probes)) event.properties[name] = await probes[name]()
      Object.prototype.left = 'by a neighbor'
      return event
    }`
  const result = await each(configurationOf(source), 'processEvent', [incomingEventOf()], LIMITS, createMemoryHost())
  t.strictSame(JSON.parse(String(result.outcomes[0])).properties, {
    process: 'undefined',
    constructor: 'undefined',
    functionOfHost: 'undefinedundefinedundefined',
    errorOfHost: 'undefined',
    bytesOfHost: 'undefined',
    wasm: 'undefinedfunctionundefined',
    modules: 'Cannot import "fs"',
    dynamic: 'Cannot import "child_process".',
    prototype: true,
    stack: false,
    global: '',
    polluted: 'undefined',
  })
  const neighbor = await each(configurationOf(source), 'processEvent', [incomingEventOf()], LIMITS, createMemoryHost())
  t.match(JSON.parse(String(neighbor.outcomes[0])).properties, { polluted: 'undefined' })
})

t.test('bounds the log, masks secrets and cuts long lines', async (t) => {
  const { each } = openSandbox(t)
  const source = `export function onEvent(event, { config }) {
    if (event.properties.flood) for (let i = 0; i < 5000; i++) console.info(i)
    console.log('key', config.key, [config.key]); console.warn('x'.repeat(60000))
    if (event.properties.fail) throw new Error('no ' + config.key)
  }`
  const configuration = configurationOf(source, { config: { key: 'hunter22' }, secrets: ['hunter22'] })
  const run = (properties: object): Promise<EachResult> =>
    each(configuration, 'onEvent', [eventOf(properties)], { ...LIMITS, cpu_ms: 5_000 }, createMemoryHost())
  const { lines } = await run({})
  t.strictSame(lines[0], { level: 'LOG', message: 'key **REDACTED** ["**REDACTED**"]' })
  t.equal(lines[1]?.message.length, 50_001)
  const flood = await run({ flood: true, fail: true })
  t.equal(flood.lines.length, 1_001)
  t.match(flood.lines.at(-1), { level: 'WARN', message: /log limit/ })
  t.match(errorIn(flood.outcomes[0]), { message: 'no **REDACTED**' })
})

t.test('requests reach public addresses only, also after a redirect', async (t) => {
  const server = createServer((request, response) => {
    if (request.url === '/out') response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end()
    else if (request.url === '/loop') response.writeHead(302, { location: '/loop' }).end()
    else if (request.url === '/large') response.end(Buffer.alloc(6 * 1024 * 1024))
    else if (request.url === '/moved') response.writeHead(307, { location: '/echo' }).end()
    else response.end(JSON.stringify({ method: request.method, headers: request.headers }))
  }).listen(0, '127.0.0.1')
  t.teardown(() => void server.close())
  await new Promise((done) => server.once('listening', done))
  const { port } = server.address() as AddressInfo
  const { each } = openSandbox(t)
  const host = createMemoryHost({
    allow: `127.0.0.1/32:${port}`,
    resolve: (_, __, done) => done(null, [{ address: '10.1.2.3', family: 4 }]),
  })
  const source = `export async function processEvent(event) {
    for (const url of event.properties.urls)
      event.properties[url] = await fetch(url, { method: 'POST', body: 'x', headers: { Host: 'evil', authorization: 'a' } })
        .then((r) => r.json(), (e) => e.name + ': ' + e.message)
    return event
  }`
  const at = `http://127.0.0.1:${port}`
  const urls = [
    'http://10.0.0.1/',
    'http://[::1]/',
    'http://169.254.169.254/',
    'http://internal.example/',
    `${at}/out`,
    `${at}/loop`,
    `${at}/large`,
    'file:///etc/passwd',
    'nonsense',
    `${at}/moved`,
  ]
  const { outcomes } = await each(configurationOf(source), 'processEvent', [incomingEventOf({ urls })], LIMITS, host)
  const { properties } = JSON.parse(String(outcomes[0]))
  for (const url of urls.slice(0, 5)) t.match(properties[url], /^FetchError: This server does not connect to/, url)
  t.match(properties[`${at}/loop`], /redirects more than 5 times/)
  t.match(properties[`${at}/large`], /longer than allowed/)
  t.equal(properties['file:///etc/passwd'], 'FetchError: Scheme must be either HTTP or HTTPS')
  t.equal(properties.nonsense, 'FetchError: Invalid URL')
  t.match(properties[`${at}/moved`], { method: 'POST', headers: { host: `127.0.0.1:${port}`, authorization: 'a' } })
})

t.test('a plugin keeps its memory between batches, and loses it when its code or settings change', async (t) => {
  const { each } = openSandbox(t)
  const host = createMemoryHost()
  const source = `
    export function setupPlugin({ global, config }) { global.count = config.start }
    export function processEvent(event, { global }) { event.properties = { count: ++global.count }; return event }
    export async function teardownPlugin({ storage, global }) { await storage.set('left', global.count) }`
  const configuration = configurationOf(source, { config: { start: 10 } })
  const counts = async (version: string, start: number): Promise<number[]> => {
    const settings = JSON.stringify({ config: { start }, attachments: [] })
    const result = await each(
      { ...configuration, version, settings },
      'processEvent',
      [incomingEventOf(), incomingEventOf()],
      LIMITS,
      host,
    )
    return result.outcomes.map((text) => JSON.parse(String(text)).properties.count)
  }
  t.strictSame(await counts('1', 10), [11, 12])
  t.strictSame(await counts('1', 10), [13, 14])
  t.strictSame(await counts('2', 50), [51, 52])
  t.equal(host.storage.get('left'), '14')
})

t.test('setup runs once, and its failure is reported with its stage', async (t) => {
  const { each, once } = openSandbox(t)
  const run = (source: string) => each(configurationOf(source), 'onEvent', EVENTS, LIMITS, createMemoryHost())
  t.match(await run('export function setupPlugin() { throw new RetryError("later") }; export function onEvent() {}'), {
    outcomes: [],
    error: { stage: 'setup', retry: true, message: 'later' },
  })
  t.match(await run('export function onEvent( {'), { error: { stage: 'load', message: /^Line 1, column \d+: / } })
  t.match(
    await run('export async function setupPlugin() { await new Promise(() => {}) }; export function onEvent() {}'),
    {
      error: { stage: 'setup', message: /never settles/ },
    },
  )
  t.match(
    await run('export function setupPlugin() { new Array(4294967295).join("x") }; export function onEvent() {}'),
    {
      error: { stage: 'setup', stopped: 'timeout' },
    },
  )
  const jobs = configurationOf(
    'export const jobs = { add: ({ a, b }) => a + b, fail() { throw new TypeError("bad") } }',
  )
  const call = (name: string) => once(jobs, { kind: 'jobs', name }, [{ a: 1, b: 2 }], LIMITS, createMemoryHost())
  t.match(await call('add'), { result: '3' })
  t.match(await call('fail'), { result: null, error: { stage: 'call', name: 'TypeError', message: 'bad' } })
  t.match(await call('other'), { error: { message: 'The plugin has no job "other".' } })
})

t.test('the properties of an event behave as if they were parsed at once', async (t) => {
  const { each } = openSandbox(t)
  const outcomeOf = async (body: string, properties: object = { n: 1 }): Promise<unknown> => {
    const source = `export function processEvent(event, { global }) { ${body} }`
    const { outcomes } = await each(
      configurationOf(source),
      'processEvent',
      [incomingEventOf(properties)],
      LIMITS,
      createMemoryHost(),
    )
    return typeof outcomes[0] === 'string' ? returnedEventOf(outcomes[0]) : outcomes[0]
  }
  for (const [name, body, expected] of [
    ['an event that is not read', 'return event', true],
    ['an event that is only read', 'if (event.properties.n !== 1) throw 1; return event', true],
    ['another name', "event.event = 'other'; return event", { event: 'other', properties: { n: 1 } }],
    ['a changed property', 'event.properties.n++; return event', { properties: { n: 2 } }],
    ['other properties', 'event.properties = { m: 1 }; return event', { properties: { m: 1 } }],
    ['a copy', 'return { ...event, event: "copy" }', { event: 'copy', properties: { n: 1 } }],
    [
      'a changed copy',
      'const { properties } = event; return { ...event, properties: { ...properties, m: 2 } }',
      { properties: { n: 1, m: 2 } },
    ],
    ['JSON', 'return JSON.parse(JSON.stringify(event))', true],
    ['a derived object', 'return { ...event, properties: Object.create(event).properties }', true],
    [
      'keys',
      'event.keys = Object.keys(event).includes("properties"); return event',
      { keys: true, properties: { n: 1 } },
    ],
    ['no properties', 'delete event.properties; return event', { event: 'page' }],
    [
      'several events',
      'return [event, { ...event, event: "second" }]',
      [{ properties: { n: 1 } }, { event: 'second', properties: { n: 1 } }],
    ],
    ['null', 'event.properties = null; return event', { properties: null }],
  ] as const)
    t.match(await outcomeOf(body), expected, name)
  t.notOk(Object.hasOwn(Object(await outcomeOf('delete event.properties; return event')), 'properties'))
  const hostile = { text: 'a\nb "properties":0}\u2028', '': { '\n': 0 } }
  t.match(await outcomeOf('event.properties.n = 1; return event', hostile), { properties: { ...hostile, n: 1 } })
  t.match(await outcomeOf('event.event = "x\\ny"; return event', hostile), { event: 'x\ny', properties: hostile })
})

t.test('an event uses the values that the event before it read, until the plugin writes', async (t) => {
  const { each } = openSandbox(t)
  const host = createMemoryHost()
  const asked: string[] = []
  const counting = {
    ...host,
    storageGet: async (key: string) => {
      asked.push(key)
      return host.storageGet(key)
    },
    cache: async (operation: string, key: string, args: readonly unknown[]) => {
      asked.push(`${operation} ${key}`)
      return host.cache(operation, key, args)
    },
  }
  const run = async (body: string, count: number): Promise<unknown[]> => {
    asked.length = 0
    const source = `export async function processEvent(event, { storage, cache }) { ${body} }`
    const events = Array.from({ length: count }, (_, n) => incomingEventOf({ n }))
    const { outcomes } = await each(configurationOf(source), 'processEvent', events, LIMITS, counting)
    return outcomes.map((outcome) => returnedEventOf(String(outcome)))
  }
  const values = (results: unknown[]) => results.map((event) => Object(event).properties.value)

  const count =
    "event.properties.value = await storage.get('k', 0) + 1; await storage.set('k', event.properties.value); return event"
  t.strictSame(values(await run(count, 5)), [1, 2, 3, 4, 5], 'a write is seen by the next event')
  t.equal(asked.length, 5)
  t.strictSame(
    values(await run("event.properties.value = await storage.get('k', 0); return event", 5)),
    [5, 5, 5, 5, 5],
  )
  t.strictSame(asked, ['k'], 'one read serves five events')
  await run("event.properties.value = [await cache.get('a'), await cache.get('b')]; return event", 3)
  t.strictSame(asked, ['get a', 'get b'])
  await run("for (let i = 0; i < 3; i++) event.properties.value = await cache.get('a'); return event", 1)
  t.equal(asked.length, 3, 'an event that reads again asks again, for it may wait for a change')
  await run("storage.set('k', 9); event.properties.value = await storage.get('k', 0); return event", 3)
  t.equal(asked.length, 3, 'a write that nobody waits for counts too')
  let endRead = (): void => undefined
  const firstRead = new Promise<void>((done) => {
    endRead = done
  })
  const late = {
    ...counting,
    storageGet: (key: string) => counting.storageGet(key).finally(endRead),
    storageSet: async (key: string, value: string | null) => {
      await firstRead
      return host.storageSet(key, value)
    },
  }
  const overlapping = `export async function processEvent(event, { storage }) {
    if (event.properties.n === 0) globalThis.written = storage.set('late', 'new')
    if (event.properties.n === 1) await globalThis.written
    event.properties.value = await storage.get('late', 'old')
    return event
  }`
  const { outcomes } = await each(
    configurationOf(overlapping),
    'processEvent',
    [incomingEventOf({ n: 0 }), incomingEventOf({ n: 1 })],
    LIMITS,
    late,
  )
  t.strictSame(values(outcomes.map((outcome) => returnedEventOf(String(outcome)))), ['old', 'new'])
  const increments = "event.properties.value = await cache.incr('n'); return event"
  t.strictSame(values(await run(increments, 3)), [1, 2, 3])
})

t.test('a RetryError stops a batch of deliveries at its event', async (t) => {
  const { each } = openSandbox(t)
  const source = `export async function onEvent(event) {
    if (event.properties.retry) throw new RetryError('busy'); if (event.properties.fail) throw new Error('bad') }`
  const events = [eventOf(), eventOf({ fail: 1 }), eventOf({ retry: 1 }), eventOf()]
  const { outcomes } = await each(configurationOf(source), 'onEvent', events, LIMITS, createMemoryHost())
  t.equal(outcomes.length, 3)
  t.match(outcomes, [
    null,
    { error: { retry: false } },
    { error: { retry: true, name: 'RetryError', message: 'busy' } },
  ])
})

t.test('the time of a request ends it, and the rest has no outcome', async (t: Test) => {
  const { each } = openSandbox(t)
  const source =
    'export async function processEvent(event) { await new Promise((done) => setTimeout(done, 400)); return event }'
  const configuration = configurationOf(source)
  await each(configuration, 'processEvent', [], LIMITS, createMemoryHost())
  const events = Array.from({ length: 50 }, () => incomingEventOf())
  const { outcomes } = await each(
    configuration,
    'processEvent',
    events,
    { ...LIMITS, request_ms: 6_000 },
    createMemoryHost(),
  )
  t.ok(outcomes.length > 0 && outcomes.length < 50, String(outcomes.length))
  t.equal(outcomes[0], true)
})

t.test('the process of a plugin that hangs ends with a killed server', async (t) => {
  const server = spawn(process.execPath, ['--import=tsx', 'test/helpers/programs/sandbox-process.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => server.kill('SIGKILL'))
  await once(server.stdout, 'data')
  const children = execFileSync('pgrep', ['-P', String(server.pid)], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(Number)
  t.ok(children.length > 0)
  server.kill('SIGKILL')
  const isRunning = (pid: number): boolean => {
    try {
      return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    } catch {
      return false
    }
  }
  while (children.some(isRunning)) await pause(50)
  t.pass('all processes have ended')
})

t.test('the processes of a built server may read the program and nothing else', async (t) => {
  const server = await startProcess(t, { DATABASE_URL: `sqlite:${freshFolder(t)}` })
  const response = await fetch(`${server.url}/api/organizations/@current/pipeline_destinations/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      plugin_type: 'source',
      name: 'Any',
      source: { 'index.ts': 'export function onEvent() {}' },
    }),
  })
  t.equal(response.status, 201, await response.text())
  const commands = execFileSync('pgrep', ['-a', '-P', String(server.child.pid)], { encoding: 'utf8' }).split('\n')
  const sandboxes = commands.filter((command) => command.includes('sandbox-process'))
  t.ok(sandboxes.length > 0)
  for (const command of sandboxes)
    t.ok(command.includes(` --permission --allow-worker --allow-fs-read=${builtProgram()}/* `), command)
})

t.test('only an error of the code itself switches a configuration off at once', async (t) => {
  const error = { name: 'Error', message: 'x', stack: '', retry: false }
  t.ok(isFinal({ ...error, stage: 'load' }, 1))
  t.notOk(isFinal({ ...error, stage: 'load', stopped: 'timeout' }, 4))
  t.ok(isFinal({ ...error, stage: 'load', stopped: 'timeout' }, 5))
  t.notOk(isFinal({ ...error, stage: 'setup' }, 4))
  t.ok(isFinal({ ...error, stage: 'setup' }, 5))
})

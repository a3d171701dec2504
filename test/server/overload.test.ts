/** Many misbehaving connections: memory stays bounded, and requests of other clients succeed. */
import { spawnSync } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { v7 } from 'uuid'
import { bySize, figure, halfInQuick } from '../helpers/assertions/figures.ts'
import { cycled, textAt } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import { type ServerProcess, startProcess } from '../helpers/programs/process.ts'
import { seeded } from '../helpers/seeds/seeded.ts'

const AREA = 'HTTP overload'
const SEED = Number(process.env.SEED ?? 20260902)
const MEBIBYTE = 1024 * 1024
const SLOW = bySize({ quick: 20, full: 200, prove: 2_000 })
const IDLE = bySize({ quick: 200, full: 2_000, prove: 10_000 })
const OVERSIZED = bySize({ quick: 20, full: 200, prove: 2_000 })
const PIPELINES = bySize({ quick: 2, full: 10, prove: 200 })
const UNREAD_PIPELINES = bySize({ quick: 3, full: 5, prove: 50 })
const ABORTED = bySize({ quick: 8, full: 30, prove: 500 })
const STALLED = bySize({ quick: 15, full: 30, prove: 200 })
const COMPRESSED = bySize({ quick: 3, full: 6, prove: 40 })
const COMPRESSED_EVENTS = bySize({ quick: 1_000, full: 5_000, prove: 20_000 })
const READERS = bySize({ quick: 3, full: 10, prove: 30 })
const EVENTS = bySize({ quick: 2_000, full: 10_000, prove: 50_000 })
const CONCURRENCY = 100
/** The well-behaved client of a quick run leaves the CPU to other tests. */
const BETWEEN_REQUESTS_MS = bySize({ quick: 100, full: 0 })
/** Files that a process opens in addition to connections. */
const OTHER_FILES = 200
/** The allowed growth of resident memory after the warm-up. */
const MAX_GROWTH_MIB = 512
const BODY_LIMIT_BYTES = 20 * MEBIBYTE
t.setTimeout(bySize({ full: 5, prove: 60 }) * 60_000)
const scenario = halfInQuick(t)

/** Only for tests of the timeouts: on a busy machine, requests of other tests would time out. */
const SHORT_TIMEOUTS = { HEADERS_TIMEOUT_MS: '3000', REQUEST_TIMEOUT_MS: '6000' }
const LONG_TIMEOUTS = { HEADERS_TIMEOUT_MS: '60000', REQUEST_TIMEOUT_MS: '120000', EVENTS_QUERY_TIMEOUT_MS: '60000' }

interface Connection {
  socket: Socket
  text(): string
  closed: Promise<unknown>
}

async function openConnection({ url }: ServerProcess): Promise<Connection> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  const closed = new Promise((resolve) => socket.on('close', resolve))
  // Resets are expected. Tests look at the data received before.
  socket.on('error', () => undefined)
  const connection = { socket, text: () => Buffer.concat(chunks).toString('latin1'), closed }
  await next(connection, 'connect')
  return connection
}

/** Waits for the next event or for the end of the connection. */
const next = ({ socket, closed }: Connection, event: 'connect' | 'data' | 'drain'): Promise<unknown> =>
  Promise.race([closed, new Promise((resolve) => socket.once(event, resolve))])

/** Runs `work` `count` times with bounded concurrency. */
async function repeatConcurrently<Result>(
  count: number,
  work: (i: number) => Promise<Result>,
  concurrency = CONCURRENCY,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) {
      const i = next++
      results[i] = await work(i)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return results
}

/** Waits until the received text matches, or until the connection closes. */
async function waitForText(connection: Connection, pattern: RegExp): Promise<void> {
  while (!pattern.test(connection.text()) && !connection.socket.closed) await next(connection, 'data')
}

const statusOf = ({ text }: Connection): string | undefined => /^HTTP\/1\.1 (\d+)/.exec(text())?.[1]

const tally = (values: readonly unknown[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[String(value)] = (counts[String(value)] ?? 0) + 1
  return counts
}

const batchOf = (project_token: string, count: number, padding: number): string =>
  JSON.stringify({
    api_key: project_token,
    batch: Array.from({ length: count }, (_, i) => ({
      uuid: v7(),
      event: 'seen',
      distinct_id: `person-${i % 10}`,
      properties: { padding: 'x'.repeat(padding) },
    })),
  })

async function memoryOf({ url }: ServerProcess): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(textAt(/^process_resident_memory_bytes (\S+)$/m, text)) / MEBIBYTE
}

/** A well-behaved client that sends ordinary requests and records the peak memory of the server. */
function startProbe(server: ServerProcess) {
  const headers = { authorization: `Bearer ${server.api_key}` }
  const failed: string[] = []
  let [requests, peak, stopped] = [0, 0, false]
  const request = async (path: string, init: RequestInit): Promise<void> => {
    requests++
    try {
      const response = await fetch(`${server.url}${path}`, init)
      const text = await response.text()
      if (response.status !== 200) failed.push(`${path} returned ${response.status}: ${text}`)
    } catch (error) {
      failed.push(`${path} failed: ${(error as Error).cause ?? error}`)
    }
  }
  const polling = (async () => {
    do {
      await request('/api/organizations/', { headers })
      await request('/api/projects/@current/events/?limit=5', { headers })
      await request('/batch/', { method: 'POST', body: batchOf(server.project_token, 3, 100) })
      peak = Math.max(peak, await memoryOf(server))
      await pause(BETWEEN_REQUESTS_MS)
    } while (!stopped)
  })()
  return {
    stop: async () => {
      stopped = true
      await polling
      return { requests, failed, peak }
    },
  }
}

/** Runs an attack while another client sends ordinary requests. Returns the result for the report. */
async function measureUnderLoad(t: Test, server: ServerProcess, attack: () => Promise<void>): Promise<string> {
  const probe = startProbe(server)
  await attack()
  const { requests, failed, peak } = await probe.stop()
  t.strictSame(failed, [], `all ${requests} requests of another client succeed`)
  const growth_mib = Math.max(0, Math.round(peak - baseline_mib))
  t.ok(growth_mib <= MAX_GROWTH_MIB, `memory grew by ${growth_mib} MiB, at most ${MAX_GROWTH_MIB}`)
  t.equal(server.child.exitCode, null, 'the server is still running')
  return `memory grew by ${growth_mib} MiB (limit ${MAX_GROWTH_MIB}), all ${requests.toLocaleString('en')} requests of another client succeeded`
}

let baseline_mib: number
let server: ServerProcess

/** Each test has its own server, so that memory of one test does not count in the next. */
async function openServer(t: Test, environment: Record<string, string> = {}): Promise<void> {
  const settings = { BODY_MEMORY_MB: '64', ...LONG_TIMEOUTS, ...environment }
  server = await startProcess(t, { DATABASE_URL: `sqlite:${freshFolder(t)}`, ...settings })
  await startProbe(server).stop()
  baseline_mib = await memoryOf(server)
}

scenario('requests that arrive byte by byte or not at all time out with 408', async (t) => {
  await openServer(t, SHORT_TIMEOUTS)
  const heads = [
    'GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ',
    `POST /batch/ HTTP/1.1\r\nHost: x\r\nContent-Length: ${MEBIBYTE}\r\n\r\n`,
    'POST /batch/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n',
    '',
  ]
  const result = await measureUnderLoad(t, server, async () => {
    const connections = await repeatConcurrently(SLOW, () => openConnection(server))
    for (const [i, { socket }] of connections.entries()) socket.write(cycled(heads, i))
    const trickle = setInterval(() => {
      for (const [i, { socket }] of connections.entries())
        if (i % heads.length < 3 && socket.writable) socket.write('x')
    }, 100)
    await Promise.all(connections.map(({ closed }) => closed))
    clearInterval(trickle)
    t.strictSame(tally(connections.map(statusOf)), { 408: SLOW }, 'each connection receives 408 and is closed')
  })
  figure(t, { area: AREA, count: SLOW, of: 'slow connections', result: `each closed with 408; ${result}` })
})

scenario('idle connections do not block other clients', async (t) => {
  await openServer(t)
  const limit = Number(spawnSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).stdout)
  const count = Math.min(IDLE, Number.isNaN(limit) ? IDLE : limit - OTHER_FILES)
  const result = await measureUnderLoad(t, server, async () => {
    const connections = await repeatConcurrently(count, async () => {
      const connection = await openConnection(server)
      connection.socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
      await waitForText(connection, /"ok"/)
      return connection
    })
    const another = await fetch(`${server.url}/health/live`)
    t.equal(another.status, 200, 'another connection is accepted')
    const open = connections.filter(({ socket }) => socket.readyState === 'open')
    t.equal(open.length, count, 'all connections are open')
    for (const { socket } of connections) socket.destroy()
    await Promise.all(connections.map(({ closed }) => closed))
  })
  if (count < IDLE) {
    const unable = `The limit of ${limit} open files allowed only ${count} of ${IDLE} connections. Raise it with ulimit -n.`
    figure(t, { area: AREA, unable })
  }
  figure(t, { area: AREA, count, of: 'concurrent connections', result })
})

scenario('oversized headers are rejected with 431', async (t) => {
  await openServer(t)
  const result = await measureUnderLoad(t, server, async () => {
    const connections = await repeatConcurrently(OVERSIZED, async (i) => {
      const connection = await openConnection(server)
      const name = i % 2 ? 'X-Big: ' : ''
      const many = 'X-Many: x\r\n'.repeat(16_000)
      connection.socket.write(
        `GET /health/live HTTP/1.1\r\nHost: x\r\n${name ? name + 'x'.repeat(70_000) : many}\r\n\r\n`,
      )
      await connection.closed
      return connection
    })
    t.strictSame(tally(connections.map(statusOf)), { 431: OVERSIZED })
  })
  figure(t, { area: AREA, count: OVERSIZED, of: 'requests', result: `each rejected with 431; ${result}` })
})

scenario('pipelined requests are answered in order', async (t) => {
  await openServer(t)
  const each = 100
  const result = await measureUnderLoad(t, server, async () => {
    const orders = await repeatConcurrently(
      PIPELINES,
      async () => {
        const connection = await openConnection(server)
        const paths = ['/api/organizations/', '/health/live', '/api/nothing/', '/api/users/@me/', '/docs']
        connection.socket.write(
          Array.from(
            { length: each },
            (_, i) =>
              `GET ${paths[i % paths.length]} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.api_key}\r\nX-Request-Id: n-${i}\r\n${i === each - 1 ? 'Connection: close\r\n' : ''}\r\n`,
          ).join(''),
        )
        await connection.closed
        return [...connection.text().matchAll(/^x-request-id: n-(\d+)\r$/gim)].map(([, order]) => Number(order))
      },
      5,
    )
    const expected = Array.from({ length: each }, (_, i) => i)
    t.same(
      orders.filter((order) => order.join() !== expected.join()),
      [],
      'responses have the order of the requests',
    )
  })
  figure(t, { area: AREA, count: PIPELINES * each, of: 'requests', result: `responses in order; ${result}` })
})

scenario('memory stays bounded when a client does not read pipelined responses', async (t) => {
  await openServer(t)
  const each = 2_000
  const result = await measureUnderLoad(t, server, async () => {
    const connections = await repeatConcurrently(UNREAD_PIPELINES, async (i) => {
      const connection = await openConnection(server)
      connection.socket.pause()
      const path = ['/docs/reference.js', '/openapi.json', '/api/projects/@current/events/?limit=1000'][i % 3]
      const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.api_key}\r\n\r\n`
      connection.socket.write(request.repeat(each))
      return connection
    })
    // Gives the server time to fill its memory. No assertion depends on the duration.
    await pause(2_000)
    for (const { socket } of connections) socket.destroy()
    await Promise.all(connections.map(({ closed }) => closed))
  })
  figure(t, { area: AREA, count: UNREAD_PIPELINES * each, of: 'requests', result })
})

scenario('invalid data after a request does not corrupt its response', async (t) => {
  await openServer(t)
  const connection = await openConnection(server)
  connection.socket.write('GET /docs/reference.js HTTP/1.1\r\nHost: x\r\n\r\n')
  await next(connection, 'data')
  connection.socket.pause()
  connection.socket.write('garbage\r\n\r\n')
  await pause(100)
  connection.socket.resume()
  await connection.closed
  const text = connection.text()
  const body_at = text.indexOf('\r\n\r\n') + 4
  const length = Number(/^content-length: (\d+)/im.exec(text)?.[1])
  t.ok(length > 0)
  // The kernel may take the whole response before the server reads the invalid data.
  t.notMatch(text.slice(body_at, body_at + length), /HTTP\/1\.1 \d+/)
})

scenario('aborted uploads free their memory', async (t) => {
  await openServer(t)
  const random = seeded(SEED)
  const chunk = Buffer.alloc(MEBIBYTE, 'x')
  const result = await measureUnderLoad(t, server, async () => {
    await repeatConcurrently(
      ABORTED,
      async () => {
        const connection = await openConnection(server)
        connection.socket.write(`POST /batch/ HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY_LIMIT_BYTES}\r\n\r\n`)
        for (let remaining = 1 + random() * 18; remaining > 0 && connection.socket.writable; remaining--)
          if (!connection.socket.write(chunk)) await next(connection, 'drain')
        connection.socket.resetAndDestroy()
        await connection.closed
      },
      10,
    )
  })
  figure(t, { area: AREA, count: ABORTED, of: 'uploads of 20 MiB', result, seed: SEED })
})

scenario('stalled uploads are rejected in favor of new ones', async (t) => {
  await openServer(t, SHORT_TIMEOUTS)
  const chunk = Buffer.alloc(MEBIBYTE, 'x')
  const result = await measureUnderLoad(t, server, async () => {
    const connections = await repeatConcurrently(
      STALLED,
      async () => {
        const connection = await openConnection(server)
        connection.socket.write(`POST /batch/ HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY_LIMIT_BYTES}\r\n\r\n`)
        for (let sent = 0; sent < 19 && connection.socket.writable; sent++)
          if (!connection.socket.write(chunk)) await next(connection, 'drain')
        return connection
      },
      4,
    )
    const large = await fetch(`${server.url}/batch/`, {
      method: 'POST',
      body: batchOf(server.project_token, 1_000, 5_000),
    })
    t.equal(large.status, 200, 'a large upload in progress succeeds')
    await Promise.all(connections.map(({ closed }) => closed))
    const { 503: rejected = 0, ...others } = tally(connections.map(statusOf))
    t.ok(rejected > 0, `${rejected} stalled uploads were rejected`)
    t.strictSame(
      Object.keys(others).filter((status) => status !== '408' && status !== 'undefined'),
      [],
    )
  })
  figure(t, { area: AREA, count: STALLED, of: 'uploads of 20 MiB', result: `the oldest rejected with 503; ${result}` })
})

scenario('small bodies that decompress to large ones do not exhaust memory', async (t) => {
  await openServer(t)
  const deep = { event: 'seen', distinct_id: 'person', properties: { a: Array.from({ length: 30 }, () => []) } }
  const batch = Array.from({ length: COMPRESSED_EVENTS }, () => deep)
  const text = JSON.stringify({ api_key: server.project_token, batch })
  const body = gzipSync(text)
  const headers = { 'content-encoding': 'gzip' }
  const result = await measureUnderLoad(t, server, async () => {
    // The server parses a bounded number of them concurrently; the others wait.
    const statuses = await repeatConcurrently(
      COMPRESSED,
      async () => (await fetch(`${server.url}/batch/`, { method: 'POST', body, headers })).status,
      bySize({ full: COMPRESSED, prove: 10 }),
    )
    t.strictSame(tally(statuses), { 200: COMPRESSED })
  })
  const of = `requests of ${Math.round(body.length / 1024)} KiB that decompress to ${Math.round(text.length / MEBIBYTE)} MiB`
  figure(t, { area: AREA, count: COMPRESSED, of, result })
})

scenario('clients that stop reading do not exhaust memory', async (t) => {
  await openServer(t)
  for (let sent = 0; sent < EVENTS; sent += 1_000) {
    const body = batchOf(server.project_token, 1_000, 300)
    t.equal((await fetch(`${server.url}/batch/`, { method: 'POST', body })).status, 200)
  }
  const path = `/api/projects/@current/events/?limit=${EVENTS}`
  const result = await measureUnderLoad(t, server, async () => {
    const connections = await repeatConcurrently(READERS, async () => {
      const connection = await openConnection(server)
      connection.socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.api_key}\r\n\r\n`)
      await next(connection, 'data')
      connection.socket.pause()
      return connection
    })
    const headers = { authorization: `Bearer ${server.api_key}` }
    const page = (await (await fetch(`${server.url}${path}`, { headers })).json()) as { results: unknown[] }
    t.equal(page.results.length, EVENTS, 'a client that reads gets the whole page')
    t.strictSame(tally(connections.map(statusOf)), { 200: READERS })
    for (const { socket } of connections) socket.destroy()
    await Promise.all(connections.map(({ closed }) => closed))
  })
  const of = `clients with pages of ${EVENTS.toLocaleString('en')} events`
  figure(t, { area: AREA, count: READERS, of, result })
})

/** Connections that misbehave, many at once: the memory stays bounded, and whoever behaves is served meanwhile. */
import { spawnSync } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { v7 } from 'uuid'
import { freshFolder } from '../helpers/exports.ts'
import { figure, PROVE } from '../helpers/figures.ts'
import { type ServerProcess, startProcess } from '../helpers/process.ts'
import { seeded } from '../helpers/seeded.ts'

const AREA = 'HTTP under duress'
const SEED = Number(process.env.SEED ?? 20260902)
const MEBIBYTE = 1024 * 1024
const SLOW = PROVE ? 2_000 : 200
const IDLE = PROVE ? 10_000 : 2_000
const OVERSIZED = PROVE ? 2_000 : 200
const PIPELINES = PROVE ? 200 : 10
const FLOODS = PROVE ? 50 : 5
const ABORTED = PROVE ? 500 : 30
const HELD = PROVE ? 200 : 30
const PACKED = PROVE ? 40 : 6
const PACKED_EVENTS = PROVE ? 20_000 : 5_000
const READERS = PROVE ? 30 : 10
const EVENTS = PROVE ? 50_000 : 10_000
const AT_ONCE = 100
/** What a process opens beside the connections. */
const OTHER_FILES = 200
/** How far the resident memory may rise above what it was when the server had started and was warm. */
const BOUND_MEBIBYTES = 512
const BODY_LIMIT_BYTES = 20 * MEBIBYTE
t.setTimeout((PROVE ? 60 : 5) * 60_000)

/** For those who are to hear of it; on a busy machine others would, too. */
const IMPATIENT = { HEADERS_TIMEOUT_MS: '3000', REQUEST_TIMEOUT_MS: '6000' }
const PATIENT = { HEADERS_TIMEOUT_MS: '60000', REQUEST_TIMEOUT_MS: '120000', EVENTS_QUERY_TIMEOUT_MS: '60000' }

interface Connection {
  socket: Socket
  text(): string
  closed: Promise<unknown>
}

async function dial({ url }: ServerProcess): Promise<Connection> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  const closed = new Promise((resolve) => socket.on('close', resolve))
  // Resets are part of it; who cares looks at what was said before.
  socket.on('error', () => undefined)
  const connection = { socket, text: () => Buffer.concat(chunks).toString('latin1'), closed }
  await next(connection, 'connect')
  return connection
}

/** The next time that something happens, or the end. */
const next = ({ socket, closed }: Connection, event: 'connect' | 'data' | 'drain'): Promise<unknown> =>
  Promise.race([closed, new Promise((resolve) => socket.once(event, resolve))])

/** So many times, a few at once. */
async function many<Result>(count: number, work: (i: number) => Promise<Result>, at_once = AT_ONCE): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) {
      const i = next++
      results[i] = await work(i)
    }
  }
  await Promise.all(Array.from({ length: at_once }, worker))
  return results
}

/** Until the other side has said that, or has closed. */
async function heard(connection: Connection, pattern: RegExp): Promise<void> {
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
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)![1]) / MEBIBYTE
}

/** Somebody who asks for ordinary things all the while, and looks at the memory. */
function bystander(server: ServerProcess) {
  const headers = { authorization: `Bearer ${server.api_key}` }
  const failed: string[] = []
  let [requests, peak, stopped] = [0, 0, false]
  const request = async (path: string, init: RequestInit): Promise<void> => {
    requests++
    try {
      const response = await fetch(`${server.url}${path}`, init)
      const text = await response.text()
      if (response.status !== 200) failed.push(`${path} answered ${response.status}: ${text}`)
    } catch (error) {
      failed.push(`${path} failed: ${(error as Error).cause ?? error}`)
    }
  }
  const going = (async () => {
    do {
      await request('/api/organizations/', { headers })
      await request('/api/projects/@current/events/?limit=5', { headers })
      await request('/batch/', { method: 'POST', body: batchOf(server.project_token, 3, 100) })
      peak = Math.max(peak, await memoryOf(server))
    } while (!stopped)
  })()
  return {
    stop: async () => {
      stopped = true
      await going
      return { requests, failed, peak }
    },
  }
}

/** Trouble, with somebody standing by. Answers a sentence about how they fared. */
async function during(t: Test, server: ServerProcess, trouble: () => Promise<void>): Promise<string> {
  const person = bystander(server)
  await trouble()
  const { requests, failed, peak } = await person.stop()
  t.strictSame(failed, [], `all ${requests} requests of somebody else were answered`)
  const rise = Math.max(0, Math.round(peak - warm))
  t.ok(rise <= BOUND_MEBIBYTES, `the memory rose by ${rise} MiB, at most ${BOUND_MEBIBYTES}`)
  t.equal(server.child.exitCode, null, 'the server lives')
  return `memory rose by ${rise} MiB (bound ${BOUND_MEBIBYTES}), all ${requests.toLocaleString('en')} requests of a bystander answered`
}

let warm: number
let server: ServerProcess

/** A server for each, so that what one leaves behind is not counted for the next. */
async function open(t: Test, environment: Record<string, string> = {}): Promise<void> {
  const settings = { BODY_MEMORY_MB: '64', ...PATIENT, ...environment }
  server = await startProcess(t, { DATABASE_URL: `sqlite:${freshFolder(t)}`, ...settings })
  await bystander(server).stop()
  warm = await memoryOf(server)
}

t.test('headers and bodies that arrive byte by byte, or not at all', async (t) => {
  await open(t, IMPATIENT)
  const heads = [
    'GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ',
    `POST /batch/ HTTP/1.1\r\nHost: x\r\nContent-Length: ${MEBIBYTE}\r\n\r\n`,
    'POST /batch/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n',
    '',
  ]
  const result = await during(t, server, async () => {
    const connections = await many(SLOW, () => dial(server))
    for (const [i, { socket }] of connections.entries()) socket.write(heads[i % heads.length]!)
    const dribble = setInterval(() => {
      for (const [i, { socket }] of connections.entries())
        if (i % heads.length < 3 && socket.writable) socket.write('x')
    }, 100)
    await Promise.all(connections.map(({ closed }) => closed))
    clearInterval(dribble)
    t.strictSame(tally(connections.map(statusOf)), { 408: SLOW }, 'each is told that it took too long, and closed')
  })
  figure(t, { area: AREA, count: SLOW, of: 'slow connections', result: `each ended with 408; ${result}` })
})

t.test('idle connections', async (t) => {
  await open(t)
  const limit = Number(spawnSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).stdout)
  const count = Math.min(IDLE, Number.isNaN(limit) ? IDLE : limit - OTHER_FILES)
  const result = await during(t, server, async () => {
    const connections = await many(count, async () => {
      const connection = await dial(server)
      connection.socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
      await heard(connection, /"ok"/)
      return connection
    })
    const another = await fetch(`${server.url}/health/live`)
    t.equal(another.status, 200, 'one more is let in')
    const open = connections.filter(({ socket }) => socket.readyState === 'open')
    t.equal(open.length, count, 'all are open at once')
    for (const { socket } of connections) socket.destroy()
    await Promise.all(connections.map(({ closed }) => closed))
  })
  if (count < IDLE) {
    const unable = `This machine lets a process open ${limit} files, so there were ${count} connections, not ${IDLE}. Raise it with ulimit -n.`
    figure(t, { area: AREA, unable })
  }
  figure(t, { area: AREA, count, of: 'connections at once', result })
})

t.test('headers that are too large', async (t) => {
  await open(t)
  const result = await during(t, server, async () => {
    const connections = await many(OVERSIZED, async (i) => {
      const connection = await dial(server)
      const name = i % 2 ? 'X-Big: ' : ''
      const many = 'X-Many: x\r\n'.repeat(4_000)
      connection.socket.write(
        `GET /health/live HTTP/1.1\r\nHost: x\r\n${name ? name + 'x'.repeat(20_000) : many}\r\n\r\n`,
      )
      await connection.closed
      return connection
    })
    t.strictSame(tally(connections.map(statusOf)), { 431: OVERSIZED })
  })
  figure(t, { area: AREA, count: OVERSIZED, of: 'requests', result: `each refused with 431; ${result}` })
})

t.test('pipelined requests', async (t) => {
  await open(t)
  const each = 100
  const result = await during(t, server, async () => {
    const orders = await many(
      PIPELINES,
      async () => {
        const connection = await dial(server)
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
    const wanted = Array.from({ length: each }, (_, i) => i)
    t.same(
      orders.filter((order) => order.join() !== wanted.join()),
      [],
      'every answer comes in the order of the requests',
    )
  })
  figure(t, { area: AREA, count: PIPELINES * each, of: 'requests', result: `answered in their order; ${result}` })
})

t.test('pipelined requests whose answers nobody reads', async (t) => {
  await open(t)
  const each = 2_000
  const result = await during(t, server, async () => {
    const connections = await many(FLOODS, async (i) => {
      const connection = await dial(server)
      connection.socket.pause()
      const path = ['/docs/reference.js', '/openapi.json', '/api/projects/@current/events/?limit=1000'][i % 3]
      const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.api_key}\r\n\r\n`
      connection.socket.write(request.repeat(each))
      return connection
    })
    // The experiment, nothing that is asserted: time to fill memory.
    await pause(2_000)
    for (const { socket } of connections) socket.destroy()
    await Promise.all(connections.map(({ closed }) => closed))
  })
  figure(t, { area: AREA, count: FLOODS * each, of: 'requests', result })
})

t.test('garbage behind a request does not get into its answer', async (t) => {
  await open(t)
  const connection = await dial(server)
  connection.socket.write('GET /docs/reference.js HTTP/1.1\r\nHost: x\r\n\r\n')
  await next(connection, 'data')
  connection.socket.pause()
  connection.socket.write('garbage\r\n\r\n')
  await pause(100)
  connection.socket.resume()
  await connection.closed
  t.equal(connection.text().match(/HTTP\/1\.1 \d+/g)?.length, 1)
})

t.test('uploads that are cut off', async (t) => {
  await open(t)
  const random = seeded(SEED)
  const chunk = Buffer.alloc(MEBIBYTE, 'x')
  const result = await during(t, server, async () => {
    await many(
      ABORTED,
      async () => {
        const connection = await dial(server)
        connection.socket.write(`POST /batch/ HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY_LIMIT_BYTES}\r\n\r\n`)
        for (let left = 1 + random() * 18; left > 0 && connection.socket.writable; left--)
          if (!connection.socket.write(chunk)) await next(connection, 'drain')
        connection.socket.resetAndDestroy()
        await connection.closed
      },
      10,
    )
  })
  figure(t, { area: AREA, count: ABORTED, of: 'uploads of 20 MiB', result, seed: SEED })
})

t.test('uploads that stop in the middle and stay', async (t) => {
  await open(t, IMPATIENT)
  const chunk = Buffer.alloc(MEBIBYTE, 'x')
  const result = await during(t, server, async () => {
    const connections = await many(
      HELD,
      async () => {
        const connection = await dial(server)
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
    t.equal(large.status, 200, 'a large upload that goes on is taken')
    await Promise.all(connections.map(({ closed }) => closed))
    const { 503: refused = 0, ...others } = tally(connections.map(statusOf))
    t.ok(refused > 0, `${refused} made room for others`)
    t.strictSame(
      Object.keys(others).filter((status) => status !== '408' && status !== 'undefined'),
      [],
    )
  })
  figure(t, { area: AREA, count: HELD, of: 'uploads of 20 MiB', result: `the oldest make room with 503; ${result}` })
})

t.test('small bodies that unpack to much', async (t) => {
  await open(t)
  const deep = { event: 'seen', distinct_id: 'person', properties: { a: Array.from({ length: 30 }, () => []) } }
  const batch = Array.from({ length: PACKED_EVENTS }, () => deep)
  const text = JSON.stringify({ api_key: server.project_token, batch })
  const body = gzipSync(text)
  const headers = { 'content-encoding': 'gzip' }
  const result = await during(t, server, async () => {
    // Each of them waits for those before it, and none longer than the server lets it.
    const statuses = await many(
      PACKED,
      async () => (await fetch(`${server.url}/batch/`, { method: 'POST', body, headers })).status,
      PROVE ? 10 : PACKED,
    )
    t.strictSame(tally(statuses), { 200: PACKED })
  })
  const of = `requests of ${Math.round(body.length / 1024)} KiB that hold ${Math.round(text.length / MEBIBYTE)} MiB`
  figure(t, { area: AREA, count: PACKED, of, result })
})

t.test('readers who stop reading', async (t) => {
  await open(t)
  for (let sent = 0; sent < EVENTS; sent += 1_000) {
    const body = batchOf(server.project_token, 1_000, 300)
    t.equal((await fetch(`${server.url}/batch/`, { method: 'POST', body })).status, 200)
  }
  const path = `/api/projects/@current/events/?limit=${EVENTS}`
  const result = await during(t, server, async () => {
    const connections = await many(READERS, async () => {
      const connection = await dial(server)
      connection.socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.api_key}\r\n\r\n`)
      await next(connection, 'data')
      connection.socket.pause()
      return connection
    })
    const headers = { authorization: `Bearer ${server.api_key}` }
    const whole = (await (await fetch(`${server.url}${path}`, { headers })).json()) as { results: unknown[] }
    t.equal(whole.results.length, EVENTS, 'one who reads gets everything meanwhile')
    t.strictSame(tally(connections.map(statusOf)), { 200: READERS })
    for (const { socket } of connections) socket.destroy()
    await Promise.all(connections.map(({ closed }) => closed))
  })
  const of = `readers of ${EVENTS.toLocaleString('en')} events each`
  figure(t, { area: AREA, count: READERS, of, result })
})

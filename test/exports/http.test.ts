/** Delivery to `/batch/` of another server: requests, retries and responses. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcp } from 'node:net'
import t, { type Test } from 'tap'
import type { Page } from '../../src/events/extract.ts'
import { type DeliveryJob, deliver, describeFailure } from '../../src/exports/deliver.ts'
import type { Checkpoint, Delivery, Tools } from '../../src/exports/destination.ts'
import { createHttp, type HttpLimits, http } from '../../src/exports/destinations/http.ts'
import { createOutbound } from '../../src/outbound/guard.ts'
import { ENGINES, openApp, type TestApp } from '../helpers/app.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import { recordsOf, uuid } from '../helpers/seeds/events.ts'
import { ingest, jobFor, listener, plainEvents, type SentEvent } from '../helpers/seeds/exports.ts'

const neverAborted = new AbortController().signal
const allowed = createOutbound({ allow: '127.0.0.1' })

interface Post {
  key: string
  body: { api_key: string; batch: (SentEvent & { uuid: string })[] } & Record<string, unknown>
  bytes: number
  headers: IncomingMessage['headers']
}
type Reaction = number | [status: number, headers: Record<string, string>] | ((response: ServerResponse) => void)

interface Peer {
  url: string
  posts: Post[]
  /** The responses to the next requests. All others are accepted. */
  reactions: Reaction[]
}

/** A server on loopback that records its requests. */
async function openPeer(t: Test): Promise<Peer> {
  const peer: Peer = { url: '', posts: [], reactions: [] }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks)
    peer.posts.push({
      key: String(request.headers['idempotency-key']),
      body: JSON.parse(text.toString()),
      bytes: text.length,
      headers: request.headers,
    })
    const reaction = peer.reactions.shift() ?? 200
    if (typeof reaction === 'function') return reaction(response)
    const [status, headers] = typeof reaction === 'number' ? [reaction, {}] : reaction
    response.writeHead(status, headers).end('the secret of the peer')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  peer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/batch/`
  return peer
}

const TOKEN = 'phc_"token"'

const jobTo = (app: TestApp, { url }: Peer, more: Partial<DeliveryJob> = {}): DeliveryJob =>
  jobFor(app, { type: 'HTTP', config: { url, token: TOKEN } }, more)

const uuidsOf = (posts: Post[]): string[] => posts.flatMap(({ body }) => body.batch.map((event) => event.uuid))

for (const engine of ENGINES)
  t.test(`requests (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    app.advance(3_600_000)
    await ingest(app, plainEvents(450))

    await t.test('contain the events as a client library sends them', async (t) => {
      const peer = await openPeer(t)
      const reporter = listener()
      const { records, bytes } = await deliver(jobTo(app, peer), reporter, neverAborted)
      t.equal(records, 450)
      t.equal(peer.posts.length, 1)
      const [{ body, headers, bytes: received }] = peer.posts as [Post]
      t.equal(bytes, received)
      t.match(headers, { 'content-type': 'application/json', 'idempotency-key': /^[0-9a-f]{64}$/ })
      t.strictSame(Object.keys(body), ['api_key', 'historical_migration', 'batch'])
      t.match(body, { api_key: TOKEN, historical_migration: true })
      t.strictSame(
        uuidsOf(peer.posts),
        Array.from({ length: 450 }, (_, i) => uuid(i + 1)),
      )
      t.strictSame(body.batch[1], {
        uuid: uuid(2),
        distinct_id: 'person-1',
        timestamp: '2026-01-01T00:00:01.000000Z',
        event: 'paid',
        properties: {
          $geoip_disable: true,
          number: 1,
          text: 'a "quoted", text\nof two lines',
          $set: { plan: 'free' },
        },
      })
      t.match(reporter.checkpoints, [{ records: 450, posts: 1, bytes, beyond: 0 }])

      await deliver(jobTo(app, peer, { attempt: 2 }), listener(), neverAborted)
      t.equal(itemAt(peer.posts, 1).key, itemAt(peer.posts, 0).key, 'a repeated request has the same key')
      await deliver(jobTo(app, peer, { range_key: 'another' }), listener(), neverAborted)
      t.not(itemAt(peer.posts, 2).key, itemAt(peer.posts, 0).key)
    })

    await t.test('are not sent without events', async (t) => {
      const peer = await openPeer(t)
      const job = jobTo(app, peer, { range: { by: 'positions', from: 0, to: 0 } })
      t.strictSame(await deliver(job, listener(), neverAborted), { records: 0, bytes: 0 })
      t.equal(peer.posts.length, 0)
    })

    await t.test('to capture of this server deliver every event once', (t) => ownServer(t, app))
  })

/** Exports one project into another project of the same server. */
async function ownServer(t: Test, app: TestApp): Promise<void> {
  const unusual: SentEvent[] = [
    {
      uuid: uuid(0xfffff),
      event: 'odd "name"\n\u0001\u2028',
      distinct_id: 'ü',
      properties: { $elements_chain: 'a:text="x"', deep: { list: [1, 2.5, null, true] }, $browser: 'Firefox' },
      timestamp: '1969-12-31T23:59:59.999999Z',
    },
    { uuid: uuid(0xffffe), event: '$identify', properties: { $anon_distinct_id: 'before', $set_once: { a: 1 } } },
    { uuid: uuid(0xffffd), properties: { $process_person_profile: false, $sent_at: 'then', '': '' } },
  ]
  const mark = 'moved'
  const { project_id } = await app.stranger('other@example.com')
  await ingest(
    app,
    [...plainEvents(120, 1_000), ...unusual].map((event) => ({ ...event, properties: { ...event.properties, mark } })),
    project_id,
  )
  const { body: receiving } = await app.send('GET', '/api/projects/@current/')
  const address = await app.app.listen({ host: '127.0.0.1', port: 0 })
  const job = jobFor(
    app,
    { type: 'HTTP', config: { url: `${address}/batch/`, token: receiving.api_token } },
    { project_id },
  )

  const stored = async (id: number) =>
    recordsOf(await eventsOf(app, id))
      .filter(({ properties }) => JSON.parse(properties).mark === mark)
      .map(({ id, event, distinct_id, timestamp, elements_chain, properties }) => ({
        id,
        event,
        distinct_id,
        timestamp,
        elements_chain,
        properties: JSON.parse(properties),
      }))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
  const sent = await stored(project_id)
  t.equal(sent.length, 123)
  for (const attempt of [1, 2]) {
    t.match(await deliver({ ...job, attempt }, listener(), neverAborted), { records: 123 })
    t.strictSame(
      await stored(app.first.project_id),
      sent.map((event) => ({ ...event, properties: { $geoip_disable: true, ...event.properties } })),
      `attempt ${attempt}`,
    )
  }

  const config = job.destination.config as { url: string; token: string }
  t.strictSame(await steps(http.test(config, toolsWith())), http.steps)
  t.match(await steps(http.test({ ...config, token: 'phc_nobody' }, toolsWith())), ['Reach the server', /401.*token/])
  t.match(await steps(http.test({ ...config, url: `${address}/nowhere/` }, toolsWith())), ['Reach the server', /404/])
}

/** Lists the events with a key that has access to the project. */
async function eventsOf(app: TestApp, project_id: number) {
  const key = project_id === app.first.project_id ? app.first.api_key : await app.key({ user_id: 2 })
  return app.send('GET', `/api/projects/${project_id}/events/?limit=1000&after=1960-01-01`, { key })
}

const LIMITS: HttpLimits = {
  events: 5_000,
  bytes: 10_000_000,
  idle_ms: 60_000,
  request_ms: 60_000,
  retry_delays_ms: [0, 0],
  max_delay_ms: 30_000,
}

function toolsWith(more: Partial<Tools> = {}): Tools {
  return {
    outbound: allowed,
    files_root: '/nowhere',
    scratch: '/nowhere',
    signal: neverAborted,
    checkpoint: async () => undefined,
    log: () => undefined,
    ...more,
  }
}

/** Delivers the pages, from a checkpoint if there is one. */
async function send(
  peer: Pick<Peer, 'url'>,
  pages: Page[],
  {
    limits = {},
    checkpoint = null,
    ...tools
  }: { limits?: Partial<HttpLimits>; checkpoint?: Checkpoint | null } & Partial<Omit<Tools, 'checkpoint'>> = {},
): Promise<Checkpoint[]> {
  const checkpoints: Checkpoint[] = []
  const delivery: Delivery<{ url: string; token: string }> = {
    config: { url: peer.url, token: TOKEN },
    model: 'events',
    merge: null,
    run_id: 'run',
    attempt: 1,
    project_id: 1,
    batch_export_id: 'export',
    range_key: 'range',
    backfill_id: null,
    data_interval_start: '2026-01-01T00:00:00.000Z',
    data_interval_end: '2026-01-01T01:00:00.000Z',
    columns: http.columns,
    checkpoint,
    tools: toolsWith({ ...tools, checkpoint: async (state) => void checkpoints.push(state) }),
  }
  const receiver = await createHttp({ ...LIMITS, ...limits }).open(delivery)
  try {
    for (const page of pages) await receiver.write(page)
    await receiver.commit()
  } catch (error) {
    await receiver.abort()
    throw error
  }
  return checkpoints
}

/** Creates pages of numbered events. The cursor is the number of events so far. */
function pagesOf(...counts: number[]): Page[] {
  let number = 0
  return counts.map((records) => {
    const lines = Array.from({ length: records }, () => `${JSON.stringify({ uuid: String(++number), event: 'e' })}\n`)
    return { records, text: Buffer.from(lines.join('')), cursor: [number, 0] }
  })
}

const failing = async (...parts: Parameters<typeof send>): Promise<ReturnType<typeof describeFailure>> =>
  send(...parts).then(() => {
    throw new Error('it was delivered')
  }, describeFailure)

t.test('splits requests by events, independent of pages', async (t) => {
  const peer = await openPeer(t)
  const cut = async (
    pages: Page[],
    limits: Partial<HttpLimits>,
  ): Promise<{ posts: Post[]; checkpoints: Checkpoint[] }> => {
    const checkpoints = await send(peer, pages, { limits })
    return { posts: peer.posts.splice(0), checkpoints }
  }
  const onePage = await cut(pagesOf(20), { events: 6 })
  t.strictSame(
    onePage.posts.map(({ body }) => body.batch.length),
    [6, 6, 6, 2],
  )
  t.strictSame(
    uuidsOf(onePage.posts),
    Array.from({ length: 20 }, (_, i) => String(i + 1)),
  )
  t.equal(new Set(onePage.posts.map(({ key }) => key)).size, 4)
  for (const pages of [
    [1, 1, 18],
    [7, 13],
    [6, 6, 6, 2],
    [5, 5, 5, 5],
  ]) {
    const other = await cut(pagesOf(...pages), { events: 6 })
    t.strictSame(
      other.posts.map(({ key }) => key),
      onePage.posts.map(({ key }) => key),
      pages.join(),
    )
  }

  const [first] = onePage.posts as [Post]
  const limits = { bytes: first.bytes + 1 }
  const bySize = await cut(pagesOf(20), limits)
  t.ok(bySize.posts.every(({ bytes }) => bytes <= limits.bytes))
  t.equal(bySize.posts[0]?.body.batch.length, 6)
  t.strictSame(
    (await cut(pagesOf(3, 3, 1, 13), limits)).posts.map(({ key }) => key),
    bySize.posts.map(({ key }) => key),
  )
  const alone = await cut(pagesOf(2, 1), { bytes: 10 })
  t.strictSame(
    alone.posts.map(({ body }) => body.batch.length),
    [1, 1, 1],
    'an event over the limit is sent alone',
  )
})

t.test('continues after the accepted requests', async (t) => {
  const peer = await openPeer(t)
  const limits = { events: 4, retry_delays_ms: [] }
  const complete = await send(peer, pagesOf(3, 6, 1), { limits })
  t.match(complete, [
    { cursor: [3, 0], records: 3, posts: 1, beyond: 1 },
    { cursor: [3, 0], records: 3, posts: 2, beyond: 5 },
    { cursor: [10, 0], records: 10, posts: 3, beyond: 0 },
  ])
  const posts = peer.posts.splice(0)
  for (const [i, checkpoint] of complete.slice(0, 2).entries()) {
    // The events after the cursor, in pages of another size.
    const rest = pagesOf(3, 2, 5).slice(1)
    const resumed = await send(peer, rest, { limits, checkpoint })
    t.strictSame(resumed.at(-1), complete[2])
    t.strictSame(
      peer.posts.splice(0).map(({ key }) => key),
      posts.slice(i + 1).map(({ key }) => key),
    )
  }

  peer.reactions = [200, 500]
  t.match(await failing(peer, pagesOf(10), { limits }), { retryable: true })
  t.equal(peer.posts.length, 2, 'an unfinished page has no checkpoint and is sent again')
})

t.test('handles responses', async (t) => {
  const peer = await openPeer(t)
  const page = pagesOf(2)
  const keys = (): string[] => peer.posts.splice(0).map(({ key }) => key)

  await t.test('retries temporary failures with the same key', async (t) => {
    const messages: string[] = []
    for (const reaction of [503, 500, 429, 408, [429, { 'retry-after': '0' }]] as Reaction[]) {
      peer.reactions = [reaction, reaction]
      await send(peer, page, { log: (_, message) => void messages.push(message) })
      const [first, ...others] = keys()
      t.strictSame(others, [first, first], 'with the same key')
    }
    t.match(messages, [/503/, /503/, /500/, /500/, /429/, /429/, /408/, /408/, /429/, /429/])
    const gone = new Date('2026-01-01T00:00:00Z')
    peer.reactions = [[503, { 'retry-after': gone.toUTCString(), date: new Date(+gone + 5_000).toUTCString() }]]
    await send(peer, page, { limits: { retry_delays_ms: [1e9] } })
    t.equal(keys().length, 2, 'a date in the past means no delay')
  })

  await t.test('fails the attempt when the delay is long', async (t) => {
    const date = new Date('2026-01-01T00:00:00Z')
    const later = (seconds: number): string => new Date(+date + seconds * 1000).toUTCString()
    for (const [headers, retry_after_seconds] of [
      [{ 'retry-after': '120' }, 120],
      [{ 'retry-after': '999999999' }, 3_600],
      [{ 'retry-after': later(90), date: date.toUTCString() }, 90],
    ] as [Record<string, string>, number][]) {
      peer.reactions = [[429, headers]]
      t.strictSame(await failing(peer, page), {
        message: 'The server returned 429. It may be rate limiting requests.',
        retryable: true,
        retry_after_seconds,
      })
    }
    keys()
    peer.reactions = [503, 502, [500, { 'retry-after': '7' }]]
    t.match(await failing(peer, page), { message: /500/, retryable: true, retry_after_seconds: 7 })
    t.equal(keys().length, 3, 'fails the attempt after the last retry')
  })

  await t.test('does not retry permanent failures, and reports only the status', async (t) => {
    for (const [status, words] of [
      [400, /returned 400 and rejected the events/],
      [401, /401.*token/],
      [404, /404.*url/],
      [413, /413/],
      [301, /301.*Redirects/],
      [307, /307.*Redirects/],
    ] as const) {
      peer.reactions = [[status, { location: peer.url }]]
      const failure = await failing(peer, page)
      t.match(failure, { retryable: false, message: words })
      t.notMatch(failure.message, /secret/)
      t.equal(keys().length, 1)
    }
  })

  await t.test('retries requests without a response', async (t) => {
    peer.reactions = [(response) => void response.destroy()]
    await send(peer, page)
    const [dropped, again] = keys()
    t.equal(again, dropped)

    // A separate server: a request that timed out may arrive later and consume the response of another.
    const silent = createTcp((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    t.teardown(() => silent.close())
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`
    for (const limits of [
      { idle_ms: 20, retry_delays_ms: [] },
      { request_ms: 20, retry_delays_ms: [] },
    ])
      t.match(await failing({ url }, page, { limits }), { retryable: true, message: /timed out/ })
    peer.reactions = [
      (response) => void response.writeHead(200, { 'content-length': '5' }).write('half', () => response.destroy()),
    ]
    await send(peer, page)
    t.equal(keys().length, 1, 'the status decides without the body')
    peer.reactions = [(response) => void response.writeHead(200).write('x'.repeat(1_000_000))]
    await send(peer, page)
    t.match(await failing({ url: 'http://127.0.0.1:1/' }, page), { retryable: true, message: /failed or timed out/ })
  })

  await t.test('does not wait for a response after an abort', async (t) => {
    const stop = new AbortController()
    peer.reactions = [() => stop.abort(new Error('cancelled'))]
    await t.rejects(send(peer, page, { signal: stop.signal }), { message: 'cancelled' })
    const pausing = new AbortController()
    peer.reactions = [[503, { 'retry-after': '20' }]]
    const log = (): void => void setImmediate(() => pausing.abort(new Error('cancelled')))
    await t.rejects(send(peer, page, { signal: pausing.signal, log }), { message: 'cancelled' })
  })
})

t.test('restricts the URL', async (t) => {
  const peer = await openPeer(t)
  for (const url of [peer.url, peer.url.replace('127.0.0.1', 'localhost')])
    t.match(await failing({ url }, pagesOf(1), { outbound: createOutbound() }), {
      retryable: false,
      message: /OUTBOUND_ALLOW/,
    })
  t.equal(peer.posts.length, 0)
  t.match(await failing({ url: peer.url.replace('http:', 'https:') }, pagesOf(1)), { retryable: true, message: /TLS/ })

  t.strictSame(http.hosts?.({ url: 'https://example.com/batch/', token: '' }), [{ host: 'example.com', port: 443 }])
  t.strictSame(http.hosts?.({ url: 'http://[::1]:8000/', token: '' }), [{ host: '[::1]', port: 8000 }])
  http.validate({ url: peer.url, token: TOKEN })
  for (const url of ['https://user:secret@example.com/', 'https://exa mple.com/'])
    t.throws(() => http.validate({ url, token: TOKEN }), /URL/)
})

t.test('tests the destination without sending events', async (t) => {
  const peer = await openPeer(t)
  const config = { url: peer.url, token: TOKEN }
  for (const [status, wanted] of [
    [200, http.steps],
    [400, http.steps],
    [401, ['Reach the server', /token/]],
    [302, ['Reach the server', /Redirects/]],
    [503, ['Reach the server', /503/]],
  ] as [number, readonly unknown[]][]) {
    peer.reactions = [status]
    t.match(await steps(http.test(config, toolsWith())), wanted, String(status))
  }
  t.ok(peer.posts.every(({ body }) => body.batch.length === 0))
  t.match(await steps(http.test(config, toolsWith({ outbound: createOutbound() }))), [/OUTBOUND_ALLOW/])
})

/** The names of the steps that passed, and the failure of the next one. */
async function steps(test: AsyncGenerator<string>): Promise<string[]> {
  const results: string[] = []
  try {
    for await (const _ of test) results.push(itemAt(http.steps, results.length))
  } catch (error) {
    results.push(describeFailure(error).message)
  }
  return results
}

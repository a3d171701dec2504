/** Clients receive the response to a rejected body, even while they are still sending it. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { bySize } from '../helpers/assertions/figures.ts'
import { freshFolder } from '../helpers/folders.ts'
import { startProcess } from '../helpers/programs/process.ts'

const MEBIBYTE = 1024 * 1024
const ROUNDS = bySize({ quick: 1, full: 4 })
/** Within BODY_MEMORY_MB, so that no body is rejected for lack of memory. */
const CONCURRENCY = 3

interface Reply {
  status: number
  body: unknown
}
type Client = (url: string, headers: Record<string, string>, body: Buffer) => Promise<Reply>

const chunksOf = (body: Buffer): Readable =>
  Readable.from(
    Array.from({ length: Math.ceil(body.length / MEBIBYTE) }, (_, i) =>
      body.subarray(i * MEBIBYTE, (i + 1) * MEBIBYTE),
    ),
  )

const overFetch =
  (chunked: boolean): Client =>
  async (url, headers, body) => {
    const sent = chunked ? (Readable.toWeb(chunksOf(body)) as ReadableStream) : new Uint8Array(body)
    const init = { method: 'POST', headers, body: sent, ...(chunked && { duplex: 'half' as const }) }
    const response = await fetch(url, init)
    return { status: response.status, body: await response.json() }
  }

const overHttp =
  (chunked: boolean): Client =>
  async (url, headers, body) => {
    const length = chunked ? undefined : { 'content-length': String(body.length) }
    const sending = request(url, { method: 'POST', headers: { ...headers, ...length } })
    const failed = once(sending, 'error').then(([error]) => Promise.reject(error))
    if (chunked) chunksOf(body).pipe(sending)
    else sending.end(body)
    const [response] = (await Promise.race([once(sending, 'response'), failed])) as [IncomingMessage]
    return { status: Number(response.statusCode), body: JSON.parse(await Promise.race([text(response), failed])) }
  }

const CLIENTS: [name: string, client: Client][] = [
  ['fetch', overFetch(false)],
  ['fetch, chunked', overFetch(true)],
  ['node:http', overHttp(false)],
  ['node:http, chunked', overHttp(true)],
]

t.test('every client receives 413', async (t) => {
  const { url, api_key, project_token } = await startProcess(t, { DATABASE_URL: `sqlite:${freshFolder(t)}` })
  const json = { 'content-type': 'application/json' }
  const cases: [name: string, path: string, headers: Record<string, string>, body: Buffer][] = [
    ['the API', '/api/organizations/', { ...json, authorization: `Bearer ${api_key}` }, Buffer.alloc(8 * MEBIBYTE, 32)],
    ['events', '/batch/', json, Buffer.alloc(28 * MEBIBYTE, 32)],
    [
      'decompressed events',
      '/batch/',
      { ...json, 'content-encoding': 'gzip' },
      gzipSync(`{"api_key":"${project_token}","event":"${'x'.repeat(21 * MEBIBYTE)}"}`),
    ],
  ]
  for (const [place, path, headers, body] of cases)
    for (const [name, client] of CLIENTS)
      for (let round = 0; round < ROUNDS; round++) {
        const received = await Promise.all(
          Array.from({ length: CONCURRENCY }, () =>
            client(`${url}${path}`, headers, body).catch((error) => ({ error })),
          ),
        )
        for (const response of received)
          t.match(
            response,
            { status: 413, body: { type: 'invalid_request', code: 'request_too_large', detail: /bytes/, attr: null } },
            `${place}, ${name}`,
          )
      }
})

t.test('every client receives 401 before its body is read, even with Connection: close', async (t) => {
  const { url } = await startProcess(t, { DATABASE_URL: `sqlite:${freshFolder(t)}` })
  const headers = { 'content-type': 'application/json', authorization: 'Bearer phx_wrong', connection: 'close' }
  const body = Buffer.alloc(8 * MEBIBYTE, 32)
  for (const [name, client] of CLIENTS.filter(([name]) => name.startsWith('node:http')))
    for (let i = 0; i < ROUNDS * CONCURRENCY; i++)
      t.match(
        await client(`${url}/api/organizations/`, headers, body).catch((error) => ({ error })),
        { status: 401 },
        name,
      )
})

t.test('a client that stalls or never stops sending gets a response and is disconnected', async (t) => {
  const { url, api_key } = await startProcess(t, { DATABASE_URL: `sqlite:${freshFolder(t)}` })
  const head = `POST /api/organizations/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api_key}\r\nContent-Type: application/json\r\n`
  const port = Number(new URL(url).port)
  const stalled = connect(port, '127.0.0.1')
  stalled.write(`${head}Content-Length: 99999999\r\n\r\n{`)
  t.match(await text(stalled), /^HTTP\/1\.1 413 .*"request_too_large"/s)

  const endless = connect(port, '127.0.0.1')
  endless.on('error', () => undefined)
  let received = ''
  endless.on('data', (chunk) => {
    received += chunk
  })
  const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MEBIBYTE, 32), Buffer.from('\r\n')])
  endless.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
  const closed = new Promise((resolve) => endless.once('close', () => resolve('closed')))
  const drained = (): Promise<unknown> => new Promise((resolve) => endless.once('drain', resolve))
  let sent = 0
  for (; sent < 1_000 && !endless.destroyed; sent++)
    if (!endless.write(chunk) && (await Promise.race([closed, drained()])) === 'closed') break
  await closed
  t.ok(sent < 1_000, `closed after ${sent} MiB`)
  t.ok(received === '' || received.startsWith('HTTP/1.1 413'))
})

/**
 * A stub of Amazon Redshift: PostgreSQL behind a proxy that runs `copy … from 's3://…' manifest` itself. It reads the files
 * from an S3 server and inserts the rows on the same connection, so that transactions and temporary tables work.
 */
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import pg from 'pg'
import type { Test } from 'tap'
import { emptyDatabase } from '../programs/postgres.ts'
import type { Schemas } from '../response-bodies.ts'

export const ROLE = 'arn:aws:iam::123456789012:role/redshift'
export const KEYS = { aws_access_key_id: 'S3RVER', aws_secret_access_key: 'S3RVER' }

export interface RedshiftStub {
  config: (more?: object) => Schemas['RedshiftConfig'] & { port: number }
  query<Row = Record<string, string>>(text: string, values?: unknown[]): Promise<Row[]>
  /** The COPY statements. */
  copies: string[]
  /** Replaces the forwarding of a message; returns true when it did. `type` is `Q`, `P` and so on. */
  fault: (message: { type: string; text: string; client: Socket; server: Socket }) => boolean
}

/** `endpoint`: the S3 server that COPY reads. Without it COPY fails. */
export async function openRedshift(t: Test, endpoint?: string): Promise<RedshiftStub> {
  const { url, drop } = await emptyDatabase()
  const client = new pg.Client(url)
  client.on('error', () => undefined)
  await client.connect()
  // PostgreSQL has no SUPER.
  await client.query(`create domain super as jsonb;
    create function json_parse(text) returns super language sql as 'select $1::jsonb::super'`)
  const bucket = new S3Client({
    region: 'us-east-1',
    endpoint: endpoint ?? 'http://127.0.0.1:1',
    forcePathStyle: true,
    credentials: { accessKeyId: KEYS.aws_access_key_id, secretAccessKey: KEYS.aws_secret_access_key },
    maxAttempts: 1,
  })
  const { username: user, password, hostname, port, pathname } = new URL(url)
  const sockets = new Set<Socket>()
  const stub: RedshiftStub = {
    config: (more = {}) => ({
      user,
      password,
      host: '127.0.0.1',
      port: (proxy.address() as AddressInfo).port,
      database: pathname.slice(1),
      ...more,
    }),
    query: async (text, values) => (await client.query(text, values)).rows,
    copies: [],
    fault: () => false,
  }
  // Otherwise small messages wait for acknowledgements, 40 ms each.
  const proxy = createServer({ noDelay: true }, (socket) => {
    const server = dial({ port: Number(port), host: hostname, noDelay: true })
    for (const side of [socket, server]) {
      sockets.add(side)
      side.on('error', () => undefined)
    }
    socket.on('close', () => server.destroy())
    server.on('close', () => socket.destroy())
    intercept(socket, server, stub, (text) => insertStatement(bucket, text))
  }).listen(0, '127.0.0.1')
  await new Promise((listening) => proxy.once('listening', listening))
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
    bucket.destroy()
    await client.end()
    await drop()
  })
  return stub
}

const message = (type: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`)

const isTlsRequest = (whole: Buffer): boolean => whole.length === 8 && whole.readInt32BE(4) === 80877103

/** Splits a stream into messages. The first one of a client has no type. */
function splitter(hasStart: boolean, onMessage: (type: string, whole: Buffer) => void): (data: Buffer) => void {
  let rest = Buffer.alloc(0)
  let isStart = hasStart
  return (data) => {
    rest = Buffer.concat([rest, data])
    for (;;) {
      const offset = isStart ? 0 : 1
      if (rest.length < offset + 4) return
      const length = rest.readInt32BE(offset) + offset
      if (rest.length < length) return
      const whole = rest.subarray(0, length)
      const type = isStart ? '' : whole.toString('latin1', 0, 1)
      rest = rest.subarray(length)
      // A request for TLS is followed by the start.
      if (isStart && !isTlsRequest(whole)) isStart = false
      onMessage(type, whole)
    }
  }
}

function intercept(
  client: Socket,
  server: Socket,
  stub: RedshiftStub,
  insertFor: (copy: string) => Promise<{ statement: string; rows: number }>,
): void {
  /** While a COPY runs, the responses of the server belong to its inserts. */
  let copying: { rows: number; failed: boolean } | undefined
  const readServer = splitter(false, (type, whole) => {
    if (!copying) return void client.write(whole)
    if (type === 'E') {
      copying.failed = true
      client.write(whole)
    }
    if (type !== 'Z') return
    if (!copying.failed) client.write(message('C', text(`COPY ${copying.rows}`)))
    copying = undefined
    client.write(whole)
  })
  /** The answer to a request for TLS is one byte. */
  let expectsByte = false
  server.on('data', (data: Buffer) => {
    if (expectsByte) client.write(data.subarray(0, 1))
    readServer(expectsByte ? data.subarray(1) : data)
    expectsByte = false
  })

  const copy = async (statement: string): Promise<void> => {
    stub.copies.push(statement)
    try {
      const { statement: insert, rows } = await insertFor(statement)
      copying = { rows, failed: false }
      server.write(message('Q', text(insert)))
    } catch {
      // An error of the server has the state that the client expects next, also within a transaction.
      copying = { rows: 0, failed: false }
      server.write(message('Q', text("do $$ begin raise 'peer-words: Load failed' using errcode = 'XX000'; end $$")))
    }
  }
  let tail: Promise<void> = Promise.resolve()
  client.on(
    'data',
    splitter(true, (type, whole) => {
      tail = tail.then(async () => {
        const query = whole.toString('utf8', 5, whole.length - 1)
        if (type === '' && isTlsRequest(whole)) expectsByte = true
        if (stub.fault({ type, text: query, client, server })) return
        if (type === 'Q' && /^copy .* from 's3:/s.test(query)) await copy(query)
        else server.write(whole)
      })
    }),
  )
}

const COPY =
  /^copy (?<table>\S+) \((?<columns>[^)]+)\)\s+from 's3:\/\/(?<bucket>[^/']+)\/(?<key>[^']+)' (?:iam_role '(?<role>[^']+)'|access_key_id '(?<id>[^']+)' secret_access_key '(?<secret>[^']+)') region '[a-z0-9-]+' manifest gzip\s+format as json 'auto' timeformat 'auto' truncatecolumns compupdate off statupdate off$/

/** Reads the files of a manifest. Throws for wrong credentials and missing files, as Redshift does. */
async function insertStatement(client: S3Client, copy: string): Promise<{ statement: string; rows: number }> {
  const { table, columns = '', bucket, key, role, id, secret } = COPY.exec(copy)?.groups ?? {}
  if (table === undefined) throw new Error(`syntax error: ${copy}`)
  if (role !== ROLE && (id !== KEYS.aws_access_key_id || secret !== KEYS.aws_secret_access_key))
    throw new Error('access denied')
  const read = async (Bucket: string, Key: string): Promise<Buffer> => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
    return Buffer.from(await Body!.transformToByteArray())
  }
  const { entries } = JSON.parse((await read(bucket!, key!)).toString())
  const names = columns.split(', ')
  const rows: string[] = []
  for (const { url, mandatory } of entries) {
    const [, from, path] = /^s3:\/\/([^/]+)\/(.+)$/.exec(url) ?? []
    if (!mandatory || !from || !path) throw new Error('invalid manifest')
    const lines = gunzipSync(await read(from, path))
      .toString()
      .trimEnd()
      .split('\n')
    for (const line of lines) {
      const row = JSON.parse(line)
      rows.push(`(${names.map((name) => literal(row[name])).join(', ')})`)
    }
  }
  return { statement: `insert into ${table} (${columns}) values ${rows.join(', ')}`, rows: rows.length }
}

function literal(value: unknown): string {
  if (value === undefined || value === null) return 'null'
  const plain = typeof value === 'string' ? value : JSON.stringify(value)
  return `'${plain.replaceAll("'", "''")}'`
}

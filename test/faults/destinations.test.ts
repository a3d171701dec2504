/** Destinations that fail during a run: the next attempt completes it without duplicates. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import t, { type Test } from 'tap'
import { openSource } from '../../src/events/source.ts'
import { deliver, describeFailure } from '../../src/exports/deliver.ts'
import type { Checkpoint, Destination } from '../../src/exports/destination.ts'
import { createPostgres } from '../../src/exports/destinations/postgres.ts'
import { nextEngines, openApp, type TestApp } from '../helpers/app.ts'
import { halfInQuick } from '../helpers/assertions/figures.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import { notRun } from '../helpers/assertions/not-run.ts'
import { freshFolder } from '../helpers/folders.ts'
import { toolsFor } from '../helpers/peers/stores.ts'
import { emptyDatabase } from '../helpers/programs/postgres.ts'
import { failureOf, ingest, jobFor, listener, plainEvents } from '../helpers/seeds/exports.ts'

halfInQuick(t)

const neverAborted = new AbortController().signal
const MEGABYTE = 1024 * 1024

/** About two kilobytes each. */
const largeEvents = (count: number) =>
  plainEvents(count).map((event) => ({ ...event, properties: { ...event.properties, padding: 'x'.repeat(2_000) } }))

/** Mounts a small file system. Undefined without the permission to mount. */
function openDisk(t: Test, megabytes: number): { folder: string; change(options: string): void } | undefined {
  const folder = freshFolder(t)
  const mount = (...words: string[]): unknown => execFileSync('mount', [...words, folder], { stdio: 'ignore' })
  try {
    mount('-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs')
  } catch {
    notRun(t, 'Mounting a small file system needs root.')
    return
  }
  t.teardown(() => execFileSync('umount', ['--lazy', folder]))
  return { folder, change: (options) => void mount('-o', `remount,${options}`) }
}

function assertFiles(t: Test, files_root: string, count: number): void {
  const paths = readdirSync(files_root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const lines = paths
    .filter((path) => path.endsWith('.jsonl'))
    .flatMap((path) => readFileSync(path, 'utf8').trimEnd().split('\n'))
  t.equal(lines.length, count)
  t.equal(new Set(lines.map((line) => JSON.parse(line).uuid)).size, count)
  t.notOk(paths.some((path) => path.includes('.partial-')))
}

for (const engine of nextEngines())
  t.test(`resumes a file export after the disk was full (${engine})`, async (t) => {
    const disk = openDisk(t, 3)
    if (!disk) return
    const app = await openApp(t, engine)
    await ingest(app, largeEvents(3_000))
    const job = jobFor(
      app,
      { type: 'File', config: { max_file_size_mb: 1 } },
      { files_root: join(disk.folder, 'exports') },
    )
    const first = listener()
    t.match(await deliver(job, first, neverAborted).then(() => undefined, describeFailure), {
      retryable: true,
      message: /is full\. Free/,
    })
    t.ok(first.checkpoints.length > 0, 'some files were finished')
    disk.change('size=20m')
    await deliver({ ...job, attempt: 2, checkpoint: itemAt(first.checkpoints, -1) }, listener(), neverAborted)
    assertFiles(t, disk.folder, 3_000)
  })

for (const engine of nextEngines())
  t.test(`resumes a file export after the disk was read-only (${engine})`, async (t) => {
    const disk = openDisk(t, 20)
    if (!disk) return
    const app = await openApp(t, engine)
    await ingest(app, largeEvents(3_000))
    const job = jobFor(
      app,
      { type: 'File', config: { max_file_size_mb: 1 } },
      { files_root: join(disk.folder, 'exports') },
    )
    const first = listener()
    const checkpoint = async (state: Checkpoint): Promise<void> => {
      await first.checkpoint(state)
      disk.change('ro')
    }
    t.match(await deliver(job, { ...first, checkpoint }, neverAborted).then(() => undefined, describeFailure), {
      retryable: false,
      message: /read-only/,
    })
    disk.change('rw')
    await deliver({ ...job, attempt: 2, checkpoint: itemAt(first.checkpoints, -1) }, listener(), neverAborted)
    assertFiles(t, disk.folder, 3_000)
  })

/** Replaces the forwarding of data from the client. */
type Fault = (data: Buffer, connection: { client: Socket; server: Socket }) => void

/** A proxy in front of a server that forwards everything unless a fault is set. */
async function openProxy(t: Test, port: number): Promise<{ port: number; setFault: (fault: Fault | null) => void }> {
  let current: Fault | null = null
  const sockets = new Set<Socket>()
  const proxy = createServer({ noDelay: true }, (client) => {
    const server = dial({ port, host: '127.0.0.1', noDelay: true })
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
    }
    client.on('data', (data: Buffer) => (current ? current(data, { client, server }) : server.write(data)))
    server.on('data', (data: Buffer) => client.write(data))
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await new Promise((listening) => proxy.once('listening', listening))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  return {
    port: (proxy.address() as AddressInfo).port,
    setFault: (fault) => {
      current = fault
    },
  }
}

/** Closes the connection in the middle of the rows. */
const cutAfter = (bytes: number): Fault => {
  let passed = 0
  return (data, { client, server }) => {
    passed += data.length
    if (passed < bytes) server.write(data)
    else client.destroy()
  }
}

/** The database commits, but the client gets no response. */
const cutAtCommit: Fault = (data, { client, server }) => {
  server.write(data)
  if (!data.includes('commit\0')) return
  server.removeAllListeners('data')
  server.once('data', () => client.destroy())
}

/** Accepts everything and stops responding. */
const stallAfter = (bytes: number): Fault => {
  let passed = 0
  return (data, { server }) => {
    passed += data.length
    if (passed < bytes) server.write(data)
  }
}

/** Forwards a few bytes at a time. */
const throttle = (bytes_per_ms: number): Fault => {
  const SLICE_BYTES = 4_096
  let tail: Promise<unknown> = Promise.resolve()
  return (data, { server }) => {
    for (let at = 0; at < data.length; at += SLICE_BYTES) {
      const slice = data.subarray(at, at + SLICE_BYTES)
      tail = tail.then(() => pause(slice.length / bytes_per_ms)).then(() => server.write(slice))
    }
  }
}

const TABLES = {
  with_key: '',
  without_key: `create table events (uuid text, event text, properties jsonb, elements jsonb, set jsonb, set_once jsonb,
    distinct_id text, team_id integer, ip text, site_url text, timestamp timestamptz)`,
}

/** A database behind a proxy. */
async function openDestination(t: Test, table: keyof typeof TABLES) {
  const { url, drop } = await emptyDatabase()
  const client = new pg.Client(url)
  await client.connect()
  t.teardown(async () => {
    await client.end()
    await drop()
  })
  await client.query(TABLES[table])
  const { username: user, password, port, pathname } = new URL(url)
  const proxy = await openProxy(t, Number(port))
  return {
    proxy,
    config: { user, password, host: '127.0.0.1', port: proxy.port, database: pathname.slice(1) },
    assertRowCount: async (t: Test, count: number): Promise<void> => {
      const { rows } = await client.query(
        'select count(*)::int as count, count(distinct uuid)::int as uuids from events',
      )
      t.same(rows, [{ count, uuids: count }])
    },
  }
}

for (const engine of nextEngines())
  for (const table of Object.keys(TABLES) as (keyof typeof TABLES)[])
    t.test(`delivers no duplicates when the database connection breaks (table ${table}, ${engine})`, async (t) => {
      const app = await openApp(t, engine)
      await ingest(app, largeEvents(1_500))
      const { proxy, config, assertRowCount } = await openDestination(t, table)
      const job = jobFor(app, { type: 'Postgres', config })
      for (const fault of [cutAfter(50_000), cutAfter(2 * MEGABYTE), cutAtCommit]) {
        proxy.setFault(fault)
        t.match(await failureOf(job), { retryable: true, message: /connection to the database failed/ })
      }
      await assertRowCount(t, 1_500)
      proxy.setFault(null)
      t.equal(await failureOf({ ...job, attempt: 2 }), undefined)
      await assertRowCount(t, 1_500)
    })

/** Like `deliver`, with other limits of the destination. */
async function deliverTo(t: Test, destination: Destination<object>, app: TestApp, config: object): Promise<void> {
  const job = jobFor(app, { type: 'Postgres', config: {} })
  const { columns } = destination
  const source = await openSource(job.url, false)
  const extract = { ...job, columns, encoding: 'csv' as const, include: null, exclude: null, where: null }
  try {
    const receiver = await destination.open({ ...job, config, columns, merge: null, tools: toolsFor(t) })
    try {
      for (let page = await source.page(extract, null, 200); page; page = await source.page(extract, page.cursor, 200))
        await receiver.write(page)
      await receiver.commit()
    } catch (error) {
      await receiver.abort()
      throw error
    }
  } finally {
    await source.close()
  }
}

for (const engine of nextEngines())
  t.test(`times out on a stalled database, but not on a slow one (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    await ingest(app, largeEvents(60))
    const { proxy, config, assertRowCount } = await openDestination(t, 'without_key')
    const deliverWithin = (statement_ms: number) =>
      deliverTo(t, createPostgres({ connect_ms: 10_000, statement_ms, insert_ms: 10_000 }), app, config)
    proxy.setFault(stallAfter(60_000))
    await t.rejects(deliverWithin(200), { message: /failed or timed out/, options: { retryable: true } })
    await assertRowCount(t, 0)
    // The rows take longer than the statement timeout, at twice the minimum speed.
    proxy.setFault(throttle(100))
    await deliverWithin(1_000)
    await assertRowCount(t, 60)
  })

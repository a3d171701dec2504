/** What every object store does: it stores the bytes that File writes, and survives faults. */
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { type DeliveryJob, deliver } from '../../src/exports/deliver.ts'
import type { Checkpoint, Destination } from '../../src/exports/destination.ts'
import { createOutbound } from '../../src/outbound/guard.ts'
import { ENGINES, openApp } from '../helpers/app.ts'
import { inTurn } from '../helpers/assertions/figures.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import { SELF_SIGNED, UNKNOWN_ISSUER } from '../helpers/peers/certificate.ts'
import { type Fault, type FaultProxy, openFaultProxy, send, stepsOf, toolsFor } from '../helpers/peers/stores.ts'
import { ingest, jobFor, listener, NEVER_ABORTED, plainEvents } from '../helpers/seeds/exports.ts'

export const PREFIX = 'a b/{year}-{month}'

export interface StoreKind {
  type: 'AzureBlob' | 'S3'
  destination: Destination<object>
  /** The same destination with timeouts that a test can wait for. */
  shortTimeouts: Destination<object>
  configOf: (port: number, more?: object) => object
  /** The settings for a store with TLS. */
  secureConfigOf: (port: number) => object
  /** `files` returns everything in the store and empties it. */
  open: (t: Test) => Promise<{ port: number; files: () => Promise<Record<string, Buffer>> }>
  /** Events of 9 kB, enough for several parts. */
  big_events: number
  max_file_size_mb: number
  /** The store asks for fewer requests, and the message about it. */
  busy: { fault: Fault; message: RegExp }
  /** A fault that only this kind of store has, and that ends by itself. */
  temporary: { fault: Fault; message: RegExp }
}

/** The files that File writes for the same job. */
async function filesOf(t: Test, job: DeliveryJob, settings: object): Promise<Record<string, Buffer>> {
  const files_root = freshFolder(t)
  const config = { prefix: PREFIX, ...settings }
  await deliver({ ...job, destination: { type: 'File', config }, files_root }, listener(), NEVER_ABORTED)
  const folder = join(files_root, String(job.project_id), job.batch_export_id)
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return Object.fromEntries(
    names
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name))]),
  )
}

export function testStoredFiles(t: Test, kind: StoreKind): void {
  const { type, configOf, big_events, max_file_size_mb } = kind
  for (const engine of inTurn(ENGINES))
    t.test(`stores the same files as File (${engine})`, async (t) => {
      const app = await openApp(t, engine)
      const { port, files } = await kind.open(t)
      await ingest(app, plainEvents(450))
      const job = jobFor(app, { type, config: {} })
      const both = async (settings: object, more: Partial<DeliveryJob> = {}): Promise<Checkpoint[]> => {
        const { checkpoints, ...reporter } = listener()
        const destination = { type, config: configOf(port, settings) } as DeliveryJob['destination']
        const { bytes } = await deliver({ ...job, ...more, destination }, reporter, NEVER_ABORTED)
        const [stored, written] = [await files(), await filesOf(t, { ...job, ...more }, settings)]
        t.same(Object.keys(stored).toSorted(), Object.keys(written).toSorted(), JSON.stringify(settings))
        for (const [name, content] of Object.entries(written)) t.ok(stored[name] && content.equals(stored[name]), name)
        if (!('max_file_size_mb' in settings)) t.equal(bytes, itemAt(Object.values(stored), 0).length)
        return checkpoints
      }

      await t.test('in every format and compression', async () => {
        for (const compression of [null, 'gzip', 'brotli']) await both({ compression })
        for (const compression of [null, 'zstd', 'lz4', 'snappy', 'gzip', 'brotli'])
          await both({ file_format: 'Parquet', compression })
      })

      const big = 'x'.repeat(9_000)
      await ingest(
        app,
        plainEvents(big_events, 1_000).map((event) => ({ ...event, event: 'big', properties: { big } })),
      )
      await t.test('in parts', async () => void (await both({ include_events: ['big'] })))

      await t.test('in several files with a manifest, continued at a checkpoint', async (t) => {
        const settings = { max_file_size_mb, include_events: ['big'] }
        const checkpoints = await both(settings)
        t.ok(checkpoints.length > 2)
        await both(settings, { attempt: 2, checkpoint: itemAt(checkpoints, 0) })
      })
    })
}

/** Lets the next writes through a proxy fail. */
export function failWrites(proxy: FaultProxy, fault: Fault, times = Number.POSITIVE_INFINITY): void {
  let remaining = times
  proxy.fault = ({ method }) => (method === 'PUT' && remaining-- > 0 ? fault : undefined)
}

export function testFaults(t: Test, kind: StoreKind): void {
  const { destination, shortTimeouts, configOf, secureConfigOf, busy, temporary } = kind
  t.test('a store that fails', async (t) => {
    const { port, files } = await kind.open(t)
    const proxy = await openFaultProxy(t, port)
    const failing = () => send(shortTimeouts, configOf(proxy.port), toolsFor(t))

    await t.test('briefly is retried within the attempt', async (t) => {
      for (const fault of [busy.fault, 'drop'] as const) {
        failWrites(proxy, fault, 1)
        t.equal(await failing(), undefined)
        t.equal(Object.keys(await files()).length, 1)
      }
    })

    await t.test('for longer makes the attempt retryable', async (t) => {
      for (const { fault, message } of [
        busy,
        temporary,
        { fault: 'hang', message: /did not respond in time/ },
        { fault: 'drop', message: /connection to the store failed/ },
      ] as const) {
        failWrites(proxy, fault)
        t.match(await failing(), { retryable: true, message })
      }
      t.match(await send(shortTimeouts, configOf(1), toolsFor(t)), { retryable: true, message: /ECONNREFUSED/ })
      t.match(await send(shortTimeouts, secureConfigOf(port), toolsFor(t)), {
        retryable: true,
        message: /connection to the store failed/,
      })
      t.same(await files(), {}, 'no partial file exists')
    })

    await t.test('the check of its certificate is described', async (t) => {
      for (const certificate of [SELF_SIGNED, UNKNOWN_ISSUER]) {
        const secure = createServer(certificate).listen(0, '127.0.0.1')
        await once(secure, 'listening')
        t.teardown(() => secure.close())
        const { port } = secure.address() as AddressInfo
        t.match(await send(shortTimeouts, secureConfigOf(port), toolsFor(t)), {
          retryable: false,
          message: /certificate is not trusted/,
        })
      }
    })

    await t.test('does not delay an aborted run', async (t) => {
      const waiting = await openFaultProxy(t, port)
      failWrites(waiting, 'hang')
      const run = new AbortController()
      const sending = send(destination, configOf(waiting.port), toolsFor(t, { signal: run.signal }))
      await waiting.hanging
      run.abort(Object.assign(new Error(), { code: 'CANCELLED' }))
      t.match(await sending, { message: /CANCELLED/ })
    })

    await t.test('is not contacted when OUTBOUND_ALLOW does not allow it', async (t) => {
      const tools = toolsFor(t, { outbound: createOutbound() })
      const refusal = /does not connect to "127.0.0.1"/
      const seen = proxy.seen.length
      t.match(await send(shortTimeouts, configOf(proxy.port), tools), { retryable: false, message: refusal })
      t.match(await stepsOf(destination, configOf(proxy.port), tools), { completed: [], failure: { message: refusal } })
      t.equal(proxy.seen.length, seen)
    })
  })
}

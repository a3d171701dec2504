/** Contents, names and sizes of exported files. */
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { type DeliveryJob, deliver, describeFailure, type Report } from '../../src/exports/deliver.ts'
import type { Checkpoint } from '../../src/exports/destination.ts'
import { ENGINES, openApp, type TestApp } from '../helpers/app.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import type { Json } from '../helpers/json.ts'
import { ingest, jobFor, listener, plainEvents } from '../helpers/seeds/exports.ts'

const neverAborted = new AbortController().signal

interface Written {
  files: Record<string, Buffer>
  reports: Report[]
  checkpoints: Checkpoint[]
  folder: string
}

/** Delivers a job and returns the files by name. */
async function filesOf(t: Test, job: DeliveryJob): Promise<Written> {
  const files_root = job.files_root === '/nowhere' ? freshFolder(t) : job.files_root
  const { reports, checkpoints, ...reporter } = listener()
  await deliver({ ...job, files_root }, reporter, neverAborted)
  const folder = join(files_root, String(job.project_id), job.batch_export_id)
  const files: Record<string, Buffer> = {}
  for (const name of readdirSync(folder, { recursive: true }) as string[])
    if (statSync(join(folder, name)).isFile()) files[name] = readFileSync(join(folder, name))
  return { files, reports, checkpoints, folder }
}

const rowsIn = (bytes: Buffer): Json[] =>
  bytes
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

const BASE = '2026-01-01T00:00:00Z-2026-01-01T01:00:00Z'

const texts: string[] = []
for (const engine of ENGINES)
  t.test(`files (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    await ingest(app, [
      ...plainEvents(450),
      {
        uuid: '0192b71c-0000-7000-8000-0000000fffff',
        event: 'odd "name"\n\u0001\u2028',
        distinct_id: 'ü',
        properties: { $elements_chain: 'a:text="x"', deep: { list: [1, 2.5, null, true] }, $ip: '1.2.3.4' },
        timestamp: '1969-12-31T23:59:59.999999Z',
      },
    ])

    await t.test('contain one JSON object per line', async (t) => {
      const { files, reports } = await filesOf(t, jobFor(app, { type: 'File', config: {} }))
      t.same(Object.keys(files), [`${BASE}.jsonl`])
      const text = files[`${BASE}.jsonl`]!.toString()
      texts.push(text)
      const rows = rowsIn(files[`${BASE}.jsonl`]!)
      t.equal(rows.length, 451)
      t.same(Object.keys(itemAt(rows, 0)), [
        'uuid',
        'event',
        'distinct_id',
        'person_id',
        'properties',
        'person_properties',
        'elements_chain',
        'timestamp',
        'created_at',
        '_inserted_at',
      ])
      t.match(rows[450], {
        event: 'odd "name"\n\u0001\u2028',
        distinct_id: 'ü',
        elements_chain: 'a:text="x"',
        timestamp: '1969-12-31T23:59:59.999999Z',
        properties: { deep: { list: [1, 2.5, null, true] } },
      })
      t.match(rows[0], { person_properties: { plan: 'free' }, properties: { number: 0 } })
      t.same(
        reports.filter(({ kind }) => kind === 'total'),
        [{ kind: 'total', records: 451 }],
      )
      t.same(
        reports.findLast(({ kind }) => kind === 'progress'),
        { kind: 'progress', records: 451, bytes: Buffer.byteLength(files[`${BASE}.jsonl`] ?? '') },
      )
    })

    await t.test('are compressed, with the matching extension', async (t) => {
      for (const [compression, suffix, open] of [
        ['gzip', 'gz', gunzipSync],
        ['brotli', 'br', brotliDecompressSync],
      ] as const) {
        const { files } = await filesOf(t, jobFor(app, { type: 'File', config: { compression } }))
        t.equal(rowsIn(open(files[`${BASE}.jsonl.${suffix}`]!)).length, 451)
      }
    })

    await t.test('expand the variables of the prefix with the end of the window', async (t) => {
      const config = { prefix: '/{year}/{month}-{day}/{hour}{minute}{second}/{table}/{data_interval_end}' }
      const { files } = await filesOf(t, jobFor(app, { type: 'File', config }, { backfill_id: 'b1' }))
      t.same(Object.keys(files), [`2026/01-01/010000/events/2026-01-01T01:00:00Z/${BASE}-backfill-b1.jsonl`])
    })

    await t.test('contain only the included events', async (t) => {
      const names = async (config: object): Promise<string[]> => {
        const { files } = await filesOf(t, jobFor(app, { type: 'File', config: { ...config } }))
        return [...new Set(rowsIn(itemAt(Object.values(files), 0)).map(({ event }) => event))].sort()
      }
      t.same(await names({ include_events: ['seen', 'paid'] }), ['paid', 'seen'])
      t.same(await names({ include_events: ['seen', 'paid'], exclude_events: ['paid'] }), ['seen'])
      t.same(await names({ include_events: [], exclude_events: ['paid', 'seen'] }), [
        '$pageview',
        'odd "name"\n\u0001\u2028',
      ])
    })

    await t.test('contain the columns and rows of a query', async (t) => {
      const hogql_query =
        "select event as name, toInt(properties.number) as n, timestamp, toDate(timestamp) as day, toInt(properties.number) / 2 as half, toInt(properties.number) > 5 as big, [toInt(properties.number), 1] as list, person.properties as who, properties.missing as none, properties from events where event = 'paid' and n < 10"
      const { files } = await filesOf(t, jobFor(app, { type: 'File', config: {} }, { hogql_query }))
      texts.push(files[`${BASE}.jsonl`]!.toString())
      const rows = rowsIn(files[`${BASE}.jsonl`]!)
      t.match(
        rows.map(({ n }) => n),
        [1, 4, 7],
      )
      t.match(rows[2], {
        name: 'paid',
        timestamp: '2026-01-01T00:00:07.000000Z',
        day: '2026-01-01',
        half: 3.5,
        big: true,
        list: [7, 1],
        who: { plan: 'free' },
        none: null,
        properties: { number: 7 },
      })
    })

    await t.test('contain the events of a backfill by event time', async (t) => {
      const at = (second: number): number => (Date.parse('2026-01-01T00:00:00Z') + second * 1000) * 1000
      const { files } = await filesOf(
        t,
        jobFor(app, { type: 'File', config: {} }, { range: { by: 'times', start: at(10), end: at(20) } }),
      )
      t.same(
        rowsIn(files[`${BASE}.jsonl`]!).map(({ properties }) => properties.number),
        [10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
      )
    })

    await t.test('are not created without events', async (t) => {
      const { files } = await filesOf(
        t,
        jobFor(app, { type: 'File', config: { max_file_size_mb: 1 } }, { range: { by: 'positions', from: 0, to: 0 } }),
      )
      t.same(files, {})
    })

    await t.test('are split by size, listed in a manifest, and continued after a crash', (t) => assertSplit(t, app))
    await t.test('replace the files of an earlier attempt', (t) => assertRepeatable(t, app))
    await t.test('report folders that cannot be written', (t) => assertUnwritable(t, app))
  })

t.test('writes the same bytes on both engines', async (t) => {
  const timeless = texts.map((text) => text.replace(/"(created_at|_inserted_at)":"[^"]+"/g, '').split('\n'))
  t.same(timeless[0], timeless[2])
  t.same(timeless[1], timeless[3])
})

const MEGABYTE = 1024 * 1024

async function assertSplit(t: Test, app: TestApp): Promise<void> {
  // Random text, so that compressed files are split too, with growing lengths for pages of many sizes.
  const big = (i: number): string => randomBytes(3_500 + 3 * i).toString('base64')
  await ingest(
    app,
    plainEvents(1_000, 1_000).map((event, i) => ({ ...event, event: 'big', properties: { big: big(i) } })),
  )
  const job = jobFor(app, { type: 'File', config: { max_file_size_mb: 2, include_events: ['big'] } })
  const { files, checkpoints } = await filesOf(t, job)
  const names = Object.keys(files)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
  t.ok(names.length > 2, `${names.length} files`)
  t.ok(names.includes(`${BASE}.jsonl`) && names.includes(`${BASE}-1.jsonl`))
  const manifest = JSON.parse(files[`${BASE}_manifest.json`]!.toString())
  t.same(manifest.files.toSorted(), names)
  t.equal(new Set(names.flatMap((name) => rowsIn(files[name]!).map(({ uuid }) => uuid))).size, 1_000)

  const resumed = await filesOf(t, { ...job, attempt: 2, checkpoint: itemAt(checkpoints, 0) })
  t.notOk(resumed.files[`${BASE}.jsonl`], 'the finished file is not written again')
  const rest = Object.entries(resumed.files).filter(([name]) => name.endsWith('.jsonl'))
  const uuids = [...rest, [BASE, files[`${BASE}.jsonl`]!] as const].flatMap(([, bytes]) =>
    rowsIn(bytes).map(({ uuid }) => uuid),
  )
  t.equal(uuids.length, 1_000)
  t.equal(new Set(uuids).size, 1_000, 'each later event is delivered once')
  t.ok(JSON.parse(resumed.files[`${BASE}_manifest.json`]!.toString()).files.includes(`${BASE}.jsonl`))

  // Two attempts may run concurrently after a lost lease. Both write the same bytes.
  for (const compression of [null, 'gzip', 'brotli']) {
    const config = { ...job.destination.config, max_file_size_mb: 1, compression }
    const fileJob: DeliveryJob = { ...job, destination: { type: 'File', config } }
    const complete = await filesOf(t, fileJob)
    const { files: rest } = await filesOf(t, { ...fileJob, attempt: 2, checkpoint: itemAt(complete.checkpoints, 0) })
    t.ok(Object.keys(rest).length > 2)
    for (const [name, bytes] of Object.entries(rest))
      t.ok(bytes.equals(complete.files[name]!), `${name} is the same in every attempt`)
    const manifest = JSON.parse(complete.files[`${BASE}_manifest.json`]!.toString())
    const sizes: number[] = manifest.files.map((name: string) => complete.files[name]!.length)
    t.ok(
      sizes.every((size) => size <= MEGABYTE),
      `no file exceeds the maximum: ${sizes}`,
    )
    t.ok(
      sizes.slice(0, -1).every((size) => size > 0.95 * MEGABYTE),
      'each file but the last is nearly full',
    )
  }
}

async function assertRepeatable(t: Test, app: TestApp): Promise<void> {
  const files_root = freshFolder(t)
  const job = jobFor(app, { type: 'File', config: { include_events: ['seen'] } }, { files_root })
  const once = await filesOf(t, job)
  const name = `${BASE}.jsonl`
  writeFileSync(join(once.folder, `.partial-${job.run_id}-1-${name}`), 'half')
  const scratch = mkdtempSync(join(tmpdir(), `workspace-export-${job.run_id}-`))
  for (const attempt of [2, 1]) {
    const repeated = await filesOf(t, { ...job, attempt })
    t.same(Object.keys(repeated.files), [name], 'partial files of a killed attempt are deleted')
    t.ok(repeated.files[name]!.equals(once.files[name]!))
    writeFileSync(join(once.folder, `.partial-${job.run_id}-1-${name}`), 'partial')
  }
  await filesOf(t, { ...job, destination: { type: 'File', config: { prefix: 'elsewhere' } } })
  t.same(readdirSync(once.folder).toSorted(), [name, 'elsewhere'], 'also with another prefix')
  t.equal(statSync(join(once.folder, name)).mode & 0o777, 0o600)
  t.notOk(existsSync(scratch), 'the scratch folder of the killed attempt is deleted')
}

async function assertUnwritable(t: Test, app: TestApp): Promise<void> {
  const failing = async (files_root: string, config = {}): Promise<unknown> => {
    const job = jobFor(app, { type: 'File', config }, { files_root })
    return deliver(job, listener(), neverAborted).then(() => undefined, describeFailure)
  }
  const root = freshFolder(t)
  writeFileSync(join(root, 'file'), '')
  t.match(await failing(join(root, 'file')), { retryable: false, message: /A file exists where/ })
  const { project_id } = app.first
  const folder = join(root, String(project_id), jobFor(app, { type: 'File', config: {} }).batch_export_id)
  mkdirSync(folder, { recursive: true })
  symlinkSync('/tmp', join(folder, 'out'))
  t.match(await failing(root, { prefix: 'out' }), { retryable: false, message: /link/ })
  t.match(await failing(root, { prefix: 'x'.repeat(300) }), { retryable: false, message: /too long/ })
  if (process.getuid?.() !== 0) {
    chmodSync(folder, 0o500)
    t.match(await failing(root), { retryable: false, message: /no permission to write/ })
    chmodSync(folder, 0o700)
  }
}

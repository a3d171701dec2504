/** Parquet files contain the same rows as JSON lines, according to an independent reader. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import t, { type Test } from 'tap'
import { EVENT_COLUMNS } from '../../src/events/extract.ts'
import { type DeliveryJob, deliver } from '../../src/exports/deliver.ts'
import { openParquet } from '../../src/exports/formats/parquet.ts'
import { ENGINES, openApp, type TestApp } from '../helpers/app.ts'
import { inTurn } from '../helpers/assertions/figures.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import { ingest, jobFor, listener, plainEvents } from '../helpers/seeds/exports.ts'

const neverAborted = new AbortController().signal
const BASE = '2026-01-01T00:00:00Z-2026-01-01T01:00:00Z'

async function folderOf(t: Test, job: DeliveryJob): Promise<string> {
  const files_root = freshFolder(t)
  await deliver({ ...job, files_root }, listener(), neverAborted)
  return join(files_root, String(job.project_id), job.batch_export_id)
}

type Row = Record<string, unknown>

/** Formats times as JSON lines do, and parses JSON. */
async function parquetRows(file: string): Promise<{ rows: Row[]; types: Record<string, string>; codecs: string[] }> {
  const duckdb = await (await DuckDBInstance.create(':memory:')).connect()
  const select = async (query: string): Promise<Record<string, string>[]> =>
    (await duckdb.runAndReadAll(query)).getRowObjectsJson() as never[]
  const described = await select(`describe select * from read_parquet('${file}')`)
  const types = Object.fromEntries(described.map(({ column_name, column_type }) => [column_name, column_type]))
  const columns = Object.entries(types).map(([name, type]) => {
    const quoted = `"${name.replaceAll('"', '""')}"`
    return type === 'TIMESTAMP WITH TIME ZONE'
      ? `strftime(${quoted} at time zone 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ') as ${quoted}`
      : quoted
  })
  const codecs = await select(`select distinct compression from parquet_metadata('${file}')`)
  const rows = await select(`select ${columns} from read_parquet('${file}')`)
  duckdb.closeSync()
  return { rows, types, codecs: codecs.map(({ compression }) => String(compression)) }
}

const lines = (file: string): Row[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** JSON values in JSON lines are text in Parquet. */
const opened = (rows: Row[], json: string[]): Row[] =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        json.includes(name) && value !== null ? JSON.parse(value as string) : value,
      ]),
    ),
  )

const ODD = [
  'quotes "\'`\\',
  'two\nlines\r\nand\rmore',
  '\u0001\u0002\u0003\u0004\u0005\u0006\u001f\u007f',
  '\u0005n\u0005e\u0005\u0005d',
  '\u2028 ü 漢字 👩‍🚀',
  ',;|\t',
  'N',
  ' ',
]

for (const engine of inTurn(ENGINES))
  t.test(`Parquet (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    await ingest(app, [
      ...plainEvents(300),
      ...ODD.map((text, i) => ({
        uuid: `0192b71c-0000-7000-8000-0000000ff00${i}`,
        event: `odd ${text}`,
        distinct_id: text === ' ' ? 'blank' : text,
        properties: { $elements_chain: text, text, [text]: [{ text }], large: 1e300, small: 0.1 },
        timestamp: '1969-12-31T23:59:59.999999Z',
      })),
    ])
    await t.test('contains the rows of the JSON lines, in every compression', (t) => assertSameRows(t, app))
    await t.test('has the columns of a query, each in its type', (t) => assertQueryColumns(t, app))
    await t.test('is split below the maximum size', (t) => assertSplit(t, app))
  })

async function assertSameRows(t: Test, app: TestApp): Promise<void> {
  const plain = lines(join(await folderOf(t, jobFor(app, { type: 'File', config: {} })), `${BASE}.jsonl`))
  t.equal(plain.length, 308)
  for (const [compression, suffix, codec] of [
    [null, '', 'UNCOMPRESSED'],
    ['zstd', '.zst', 'ZSTD'],
    ['lz4', '.lz4', 'LZ4_RAW'],
    ['snappy', '.sz', 'SNAPPY'],
    ['gzip', '.gz', 'GZIP'],
    ['brotli', '.br', 'BROTLI'],
  ] as const) {
    const config = { file_format: 'Parquet', compression }
    const folder = await folderOf(t, jobFor(app, { type: 'File', config }))
    t.same(readdirSync(folder), [`${BASE}.parquet${suffix}`])
    const { rows, types, codecs } = await parquetRows(join(folder, `${BASE}.parquet${suffix}`))
    t.same(codecs, [codec])
    t.same(opened(rows, ['properties', 'person_properties']), plain)
    t.same(types, {
      uuid: 'VARCHAR',
      event: 'VARCHAR',
      distinct_id: 'VARCHAR',
      person_id: 'VARCHAR',
      properties: 'VARCHAR',
      person_properties: 'VARCHAR',
      elements_chain: 'VARCHAR',
      timestamp: 'TIMESTAMP WITH TIME ZONE',
      created_at: 'TIMESTAMP WITH TIME ZONE',
      _inserted_at: 'TIMESTAMP WITH TIME ZONE',
    })
  }
}

async function assertQueryColumns(t: Test, app: TestApp): Promise<void> {
  const both = async (hogql_query: string): Promise<[Row[], Awaited<ReturnType<typeof parquetRows>>]> => {
    const jobWith = (config: Record<string, unknown>) => jobFor(app, { type: 'File', config }, { hogql_query })
    const [json, parquet] = [jobWith({}), jobWith({ file_format: 'Parquet' })]
    return [
      lines(join(await folderOf(t, json), `${BASE}.jsonl`)),
      await parquetRows(join(await folderOf(t, parquet), `${BASE}.parquet`)),
    ]
  }
  const [plain, { rows, types }] = await both(
    `select event as "a ""name"", 'x'", properties.text as text, toInt(properties.number) as n, timestamp, toDate(timestamp) as day, toInt(properties.number) / 2 as half, toInt(properties.number) > 5 as big, [toInt(properties.number), 1] as list, person.properties as who, properties.missing as none, properties, '' as empty from events`,
  )
  t.same(Object.values(types).toSorted(), [
    'BIGINT',
    'BOOLEAN',
    'DATE',
    'DOUBLE',
    'TIMESTAMP WITH TIME ZONE',
    ...Array(7).fill('VARCHAR'),
  ])
  t.same(
    opened(rows, ['list', 'who', 'properties']).map((row) => ({ ...row, n: row.n === null ? null : Number(row.n) })),
    plain,
  )
  t.same(rows[0]?.empty, '')
  t.same(itemAt(rows, 0).none, null)

  const [, onlyNull] = await both("select properties.missing as none from events where event = 'paid'")
  t.same(onlyNull.rows, Array(100).fill({ none: null }), 'rows with only NULL are preserved')
  const [, blank] = await both("select '' as empty from events where event = 'paid'")
  t.same(blank.rows, Array(100).fill({ empty: '' }), 'rows with only an empty string are preserved')
}

async function assertSplit(t: Test, app: TestApp): Promise<void> {
  // Compressed less than usual: the first file turns out too large and is stored as several.
  const noise = (): string => randomBytes(1_500).toString('hex').repeat(3)
  await ingest(
    app,
    plainEvents(2_400, 1_000).map((event) => ({ ...event, event: 'big', properties: { noise: noise() } })),
  )
  const config = { file_format: 'Parquet', compression: 'zstd', max_file_size_mb: 1, include_events: ['big'] }
  const folder = await folderOf(t, jobFor(app, { type: 'File', config }))
  const names = readdirSync(folder).filter((name) => name.includes('.parquet'))
  t.ok(names.length > 3, `${names.length} files`)
  const found = await Promise.all(names.map((name) => parquetRows(join(folder, name))))
  const uuids = found.flatMap(({ rows }) => rows.map(({ uuid }) => uuid))
  t.equal(uuids.length, 2_400)
  t.equal(new Set(uuids).size, 2_400)
  const manifest = JSON.parse(readFileSync(join(folder, `${BASE}_manifest.json`), 'utf8'))
  t.same(manifest.files.toSorted(), names.toSorted())
  const sizes: number[] = manifest.files.map((name: string) => statSync(join(folder, name)).size)
  t.ok(
    sizes.every((size) => size <= 1024 * 1024),
    `no file exceeds the maximum: ${sizes}`,
  )
  const small = sizes.slice(0, -1).filter((size) => size < 0.75 * 1024 * 1024)
  t.ok(small.length <= 1, 'only the rest of the first file and the last file are not nearly full')
}

t.test('a Parquet file', async (t) => {
  const open = async (columns = Object.values(EVENT_COLUMNS).slice(0, 1)) => {
    const scratch = freshFolder(t)
    const stored: Buffer[] = []
    const sink = async (body: AsyncIterable<Buffer>): Promise<void> => {
      for await (const chunk of body) stored.push(chunk)
    }
    return { scratch, stored, encoder: await openParquet({ compression: null, columns, scratch, sink }) }
  }
  const page = (text: string) => ({ records: 1, text: Buffer.from(text), cursor: [1, 0] as [number, number] })

  await t.test('without rows is valid', async (t) => {
    const { scratch, stored, encoder } = await open()
    await encoder.close()
    t.equal(encoder.bytes(), Buffer.concat(stored).length)
    t.equal(Buffer.concat(stored).subarray(0, 4).toString(), 'PAR1')
    t.same(readdirSync(scratch), [], 'the scratch folder is empty')
  })

  await t.test('keeps the order of long and short lines', async (t) => {
    const lengths = [1, 2_000_000, 4 * 1024 * 1024 - 3, 10, 4 * 1024 * 1024 - 2, 4 * 1024 * 1024, 20_000_000, 5]
    const { scratch, stored, encoder } = await open()
    for (const length of lengths) await encoder.write(page(`${'x'.repeat(length)}\u0002\n`))
    await encoder.write(page(lengths.map((length) => `${'y'.repeat(length)}\u0002\n`).join('')))
    t.ok(encoder.bytes() > 0)
    await encoder.close()
    t.same(readdirSync(scratch), [], 'the scratch folder is empty')
    const file = join(freshFolder(t), 'long.parquet')
    writeFileSync(file, Buffer.concat(stored))
    t.equal(encoder.bytes(), Buffer.concat(stored).length)
    const { rows } = await parquetRows(file)
    t.same(
      rows.map(({ uuid }) => [String(uuid)[0], String(uuid).length]),
      ['x', 'y'].flatMap((letter) => lengths.map((length) => [letter, length])),
    )
  })

  await t.test('leaves no files after an abort', async (t) => {
    const { scratch, stored, encoder } = await open()
    await encoder.abort()
    t.same([stored, readdirSync(scratch)], [[], []])

    const busy = await open()
    const text = Array(2_000_000).fill('x\u0002').join('\n')
    await busy.encoder.write(page(text))
    await busy.encoder.abort()
    t.same([busy.stored, readdirSync(busy.scratch)], [[], []])
  })

  await t.test('reports an error of DuckDB to the next write', async (t) => {
    const { encoder } = await open([EVENT_COLUMNS.team_id])
    await encoder.write(page('no number\u0002'))
    await t.rejects(encoder.close(), /no number/)
    await encoder.abort()

    const scratch = freshFolder(t)
    mkdirSync(join(scratch, 'rows.parquet'))
    const sink = async (): Promise<void> => undefined
    await t.rejects(openParquet({ compression: null, columns: [EVENT_COLUMNS.uuid], scratch, sink }), /rows\.parquet/)
  })
})

/** The child process that writes segments: it reads events into a file, or merges files without deleted events. */
import { open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { connectToParent } from '../background/parent.ts'
import { errorCode } from '../errors.ts'
import { floatColumn, textColumn } from '../hogql/mirror-columns.ts'
import type { Sql } from '../sql/template.ts'
import { columnsOf, describeProperties, PAGE_EVENTS } from './columns.ts'
import {
  BASE_COLUMNS,
  createDeleted,
  createTable,
  isOutOfMemory,
  isReadable,
  literal,
  openDuckdb,
  propertyColumns,
  writeParquet,
} from './duckdb.ts'
import { type EventRow, eventSizes, eventsBetween, largeProperties } from './events.ts'
import { type SegmentJob, type SegmentReply, Unusable } from './messages.ts'
import { mergeProperties, type Properties } from './properties.ts'
import { openStore, type Store } from './store.ts'

const NICENESS = 19
// The files have the texts of events.
process.umask(0o077)
/** The JSON of the events of a segment. Columns of short values take ten times as much, and twice that while they are ordered. */
const MAX_BYTES = 12 * 1024 * 1024

const [url = '', folder = ''] = process.argv.slice(2)
const parent = connectToParent<SegmentJob, SegmentReply>({ niceness: NICENESS })
let store: Store | undefined

parent.onMessage((job) => {
  run(job).then(
    (reply) => parent.send(reply),
    (error: unknown) =>
      parent.send({
        kind: 'failed',
        message: error instanceof Error ? error.message : String(error),
        code: errorCode(error),
      }),
  )
})

type SealJob = SegmentJob & { kind: 'seal' }
type MergeJob = SegmentJob & { kind: 'merge' }

const run = (job: SegmentJob): Promise<SegmentReply> =>
  job.kind === 'seal' ? seal(job) : withDuckdb((duckdb) => merge(duckdb, job))

async function withDuckdb<Result>(work: (duckdb: DuckDBConnection) => Promise<Result>): Promise<Result> {
  const { connection, close } = await openDuckdb()
  try {
    return await work(connection)
  } finally {
    close()
  }
}

/** Each read sees a later state. One state for all would keep SQLite from moving its log into the file. */
async function read<Row extends unknown[]>(query: Sql): Promise<Row[]> {
  store ??= await openStore(url)
  return store.snapshot((readOne) => readOne<Row>(query))
}

/** Writes the oldest events of the range, and half as many if they do not fit into memory. */
async function seal(job: SealJob): Promise<SegmentReply> {
  const { to, count } = await endOf(job)
  try {
    return await withDuckdb((duckdb) => sealBelow(duckdb, job, to))
  } catch (error) {
    if (!isOutOfMemory(error) || count <= 1) throw error
    return seal({ ...job, max_events: Math.ceil(count / 2) })
  }
}

/** No event appears below the horizon, and deletions are recorded. So it can read in several states. */
async function sealBelow(duckdb: DuckDBConnection, job: SealJob, to: number): Promise<SegmentReply> {
  const pages = await readPages(duckdb, { ...job, below: to })
  const properties = mergeProperties(pages)
  const columns = [...BASE_COLUMNS, ...propertyColumns(properties)]
  const tables = pages.map((_, i) => `select * from page_${i}`).join(' union all by name ')
  const events = pages.length ? await writeFile(duckdb, columns, `from (${tables}) order by timestamp`, job.file) : 0
  return { kind: 'sealed', to, events, properties }
}

/** The position after the events of the segment, and their number. All events of a PostgreSQL transaction have one position. */
async function endOf({ project_id, from, below, max_events }: SealJob): Promise<{ to: number; count: number }> {
  const rows = await read<(number | string)[]>(eventSizes({ project_id, from, below }, max_events + 1))
  let bytes = 0
  for (const [i, [position, size]] of rows.entries()) {
    bytes += Number(size)
    if (i === max_events || (i > 0 && bytes > MAX_BYTES)) return { to: Math.max(Number(position), from + 1), count: i }
  }
  return { to: below, count: rows.length }
}

/** Reads the events into tables `page_0`, `page_1`, … and returns the properties of each. */
async function readPages(duckdb: DuckDBConnection, { project_id, from, below }: SealJob): Promise<Properties[]> {
  const pages: Properties[] = []
  for (let after: EventRow | undefined; ; ) {
    const rows = await eventsBetween(read, { project_id, from, below, after }, PAGE_EVENTS)
    if (rows.length === 0) return pages
    const columns = await columnsOf(rows, largeProperties(read, project_id))
    await createTable(duckdb, `page_${pages.length}`, columns)
    pages.push(describeProperties(columns))
    after = rows.at(-1)
  }
}

async function merge(duckdb: DuckDBConnection, job: MergeJob): Promise<SegmentReply> {
  const { files, deleted, file } = job
  await createDeleted(duckdb, deleted)
  const list = files.map((name) => literal(join(folder, name))).join(', ')
  // In the order of the files: their events do not fit into memory.
  const rows = `from read_parquet([${list}], union_by_name = true) where seq not in (select seq from deleted)`
  try {
    const properties = deleted.length ? await leftProperties(duckdb, job, rows) : job.properties
    const columns = [...BASE_COLUMNS, ...propertyColumns(properties)]
    return { kind: 'merged', events: await writeFile(duckdb, columns, rows, file), properties }
  } catch (error) {
    for (const name of files)
      if (!(await isReadable(duckdb, join(folder, name)))) throw new Unusable(`${name} is not readable.`)
    throw error
  }
}

/** The properties of the events that are left. The catalog must not keep names and numbers of deleted ones. */
async function leftProperties(duckdb: DuckDBConnection, job: MergeJob, rows: string): Promise<Properties> {
  const before = Object.entries(job.properties.stored)
  const columns = before.flatMap(([key, { number }]) => [
    `count(${textColumn(key)})`,
    number ? `max(abs(${floatColumn(key)}))` : 'null',
  ])
  const found = await duckdb.runAndReadAll(`select ${['count(*)', ...columns].join(', ')} ${rows}`)
  const values = found.getRows()[0] ?? []
  const stored = before.flatMap(([key, property], i) => {
    const [count, max] = [values[2 * i + 1], values[2 * i + 2]]
    return Number(count) ? [[key, { ...property, number: max !== null, max: Number(max) }] as const] : []
  })
  const { left_out } = job.properties
  return { stored: Object.fromEntries(stored), left_out: left_out && (await usedOf(left_out, job)) }
}

/** The properties that an event of the range has. The files do not have them. */
async function usedOf(keys: readonly string[], { project_id, from, below }: MergeJob): Promise<string[]> {
  const missing = new Set(keys)
  for (let after: EventRow | undefined; missing.size > 0; ) {
    const rows = await eventsBetween(read, { project_id, from, below, after }, PAGE_EVENTS)
    if (rows.length === 0) break
    const { properties, left_out } = await columnsOf(rows, largeProperties(read, project_id), missing)
    for (const key of [...properties.keys(), ...(left_out ?? missing)]) missing.delete(key)
    after = rows.at(-1)
  }
  return keys.filter((key) => !missing.has(key))
}

/** A file has its name only when it is complete and on disk. */
async function writeFile(
  duckdb: DuckDBConnection,
  columns: readonly string[],
  from: string,
  name: string,
): Promise<number> {
  const [file, unfinished] = [join(folder, name), join(folder, `${name}.unfinished`)]
  try {
    const events = await writeParquet(duckdb, columns, from, unfinished)
    await sync(unfinished)
    await rename(unfinished, file)
    await sync(dirname(file))
    return events
  } finally {
    await rm(unfinished, { force: true })
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path)
  await handle.sync()
  await handle.close()
}

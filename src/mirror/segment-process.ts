/** The child process that writes segments: it reads events into a file, or merges files without deleted events. */
import { open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { connectToParent } from '../background/parent.ts'
import { errorCode } from '../errors.ts'
import { columnsOf, describeProperties, PAGE_EVENTS } from './columns.ts'
import {
  BASE_COLUMNS,
  createDeleted,
  createTable,
  isReadable,
  literal,
  openDuckdb,
  propertyColumns,
  writeParquet,
} from './duckdb.ts'
import { type EventRow, eventSizes, eventsBetween, largeProperties } from './events.ts'
import { type SegmentJob, type SegmentReply, Unusable } from './messages.ts'
import { mergeProperties, type Properties } from './properties.ts'
import { openStore, type Read, type Store } from './store.ts'

const NICENESS = 19
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

async function run(job: SegmentJob): Promise<SegmentReply> {
  const { connection, close } = await openDuckdb()
  try {
    return job.kind === 'seal' ? await seal(connection, job) : await merge(connection, job)
  } finally {
    close()
  }
}

/** Writes the oldest events of the range. */
async function seal(duckdb: DuckDBConnection, job: SegmentJob & { kind: 'seal' }): Promise<SegmentReply> {
  store ??= await openStore(url)
  const { snapshot } = store
  // Each read sees a later state: no event appears below the horizon, and deletions are recorded. One state for all reads
  // would keep SQLite from moving its log into the file.
  const read: Read = (query) => snapshot((readOne) => readOne(query))
  const to = await endOf(read, job)
  const pages = await readPages(duckdb, read, { ...job, below: to })
  const properties = mergeProperties(pages)
  const columns = [...BASE_COLUMNS, ...propertyColumns(properties)]
  const tables = pages.map((_, i) => `select * from page_${i}`).join(' union all by name ')
  const events = pages.length ? await writeFile(duckdb, columns, `from (${tables}) order by timestamp`, job.file) : 0
  return { kind: 'sealed', to, events, properties }
}

/** The position after the events of the segment. All events of a PostgreSQL transaction have one position. */
async function endOf(
  read: Read,
  { project_id, from, below, max_events }: SegmentJob & { kind: 'seal' },
): Promise<number> {
  const rows = await read<(number | string)[]>(eventSizes({ project_id, from, below }, max_events + 1))
  let bytes = 0
  for (const [i, [position, size]] of rows.entries()) {
    bytes += Number(size)
    if (i === max_events || (i > 0 && bytes > MAX_BYTES)) return Math.max(Number(position), from + 1)
  }
  return below
}

/** Reads the events into tables `page_0`, `page_1`, … and returns the properties of each. */
async function readPages(
  duckdb: DuckDBConnection,
  read: Read,
  { project_id, from, below }: { project_id: number; from: number; below: number },
): Promise<Properties[]> {
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

async function merge(
  duckdb: DuckDBConnection,
  { files, properties, deleted, file }: SegmentJob & { kind: 'merge' },
): Promise<SegmentReply> {
  await createDeleted(duckdb, deleted)
  const list = files.map((name) => literal(join(folder, name))).join(', ')
  const columns = [...BASE_COLUMNS, ...propertyColumns(properties)]
  // In the order of the files: their events do not fit into memory.
  const rows = `from read_parquet([${list}], union_by_name = true) where seq not in (select seq from deleted)`
  try {
    return { kind: 'merged', events: await writeFile(duckdb, columns, rows, file) }
  } catch (error) {
    for (const name of files)
      if (!(await isReadable(duckdb, join(folder, name)))) throw new Unusable(`${name} is not readable.`)
    throw error
  }
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

/**
 * Parquet is DuckDB's work. It reads rows from a named pipe while the next page is made, and writes a file in the scratch
 * folder: a Parquet file ends with its table of contents, so nobody can be given half of one.
 *
 * Measured on 500,000 events, in events per second of processor time: DuckDB's COPY of its own table 250,000, reading
 * cells 192,000, reading JSON lines 169,000, its row appender less than a third of that.
 */
import { execFile } from 'node:child_process'
import { constants, createReadStream, statSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { DuckDBConnection } from '@duckdb/node-api'
import { CELL, CELL_ESCAPES, type Column } from '../../events/extract.ts'
import type { Compression, Encoder, EncoderOptions } from './format.ts'

/** The text that DuckDB has in hand and a group of rows, with room; beyond it a run fails instead of the machine. */
const MEMORY_LIMIT = '384MB'
/** Rows that are compressed and written together: of few hundred bytes each, or so many bytes of larger ones. */
const GROUP_ROWS = 20_480
const GROUP_BYTES = 32 * 1024 * 1024
/**
 * DuckDB holds two buffers of a line's length. Events of more than the first are rare, and at most the 20 MiB that capture
 * takes at once; the rest is for their person.
 */
const SHORT_LINE = 4 * 1024 * 1024
const LONG_LINE = 24 * 1024 * 1024
/** DuckDB takes a buffer full and then reads nothing until it has done with it: meanwhile the next ones are made. */
const WAITING_BYTES = 4 * SHORT_LINE
/** What a byte of text comes to in the file, until there is something to know it from. */
const FIRST_GUESS = 0.2

const CODECS: Record<Compression | 'none', string> = {
  zstd: 'zstd',
  lz4: 'lz4_raw',
  snappy: 'snappy',
  gzip: 'gzip',
  brotli: 'brotli',
  none: 'uncompressed',
}
const LINE_BREAK = Buffer.from('\n')

/** How long a line may be is said at the beginning: with the first longer one a second part begins, and they are joined. */
export async function openParquet({ compression, columns, scratch, take }: EncoderOptions): Promise<Encoder> {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: MEMORY_LIMIT,
    temp_directory: scratch,
    // With one thread the order stays; without this a group of rows has no limit in bytes.
    preserve_insertion_order: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const duckdb = await instance.connect()
  const codec = CODECS[compression ?? 'none']
  const pipe = join(scratch, 'rows')
  await promisify(execFile)('mkfifo', ['-m', '600', pipe])
  const files = [join(scratch, 'rows.parquet')]
  const begin = (longest: number): Promise<Part> =>
    openPart(duckdb, { columns, pipe, file: files.at(-1)!, codec, longest })
  const end = async (): Promise<void> => {
    duckdb.closeSync()
    instance.closeSync()
    for (const path of [pipe, ...files]) await rm(path, { force: true })
  }
  let part = await begin(SHORT_LINE).catch(async (error) => {
    await end()
    throw error
  })
  let before = 0
  let finished: number | undefined

  return {
    write: async ({ text }) => {
      if (files.length === 1 && hasLongLine(text)) {
        await part.close()
        before = part.bytes()
        files.push(join(scratch, 'rest.parquet'))
        part = await begin(LONG_LINE)
      }
      await part.write(text)
    },
    bytes: () => finished ?? before + part.bytes(),
    close: async () => {
      await part.close()
      if (files.length > 1) {
        files.push(join(scratch, 'joined.parquet'))
        const parts = files.slice(0, -1).map(literal)
        await duckdb.run(`copy (from read_parquet([${parts}])) to ${literal(files.at(-1)!)} ${formatOf(codec)}`)
      }
      finished = statSync(files.at(-1)!).size
      await take(createReadStream(files.at(-1)!))
      await end()
    },
    abort: async () => {
      // DuckDB lets go of the pipe, which ends a write that waits; closing it ends a read that waits.
      duckdb.interrupt()
      await part.abort()
      await end()
    },
  }
}

interface Part {
  write(text: Buffer): Promise<void>
  bytes(): number
  close(): Promise<void>
  abort(): Promise<void>
}

interface PartOptions {
  columns: readonly Column[]
  pipe: string
  file: string
  codec: string
  longest: number
}

async function openPart(duckdb: DuckDBConnection, { columns, pipe, file, codec, longest }: PartOptions): Promise<Part> {
  const copying = duckdb.run(copyOf(columns, pipe, longest, file, codec))
  // Whoever waits for it hears of it, later.
  copying.catch(() => undefined)
  const input = await openPipe(pipe, copying)

  let text = 0
  let flushed = { bytes: 0, text: 0 }
  /** The pages that wait for DuckDB, and how much they come to with those that it is being given. */
  let queue: Buffer[] = []
  let waiting = 0
  let giving: Promise<void> | undefined
  let failure: unknown
  /** All that waits in one call: between two, DuckDB would wait for this thread, which is busy with the next page. */
  const give = async (): Promise<void> => {
    const pages = queue
    queue = []
    const bytes = pages.reduce((sum, page) => sum + page.length, 0)
    await writeAll(input, pages).catch((error) => {
      failure ??= error
    })
    waiting -= bytes
    giving = queue.length && failure === undefined ? give() : undefined
  }
  const demandTaken = async (): Promise<void> => {
    if (failure === undefined) return
    // A broken pipe is what follows; what went before is the reason.
    await copying
    throw failure
  }

  return {
    write: async (rows) => {
      queue.push(rows, LINE_BREAK)
      waiting += rows.length + LINE_BREAK.length
      text += rows.length
      giving ??= give()
      while (waiting > WAITING_BYTES && failure === undefined) await giving
      await demandTaken()
      // Without a turn nobody would hear that a page has gone, and the next one would not follow.
      await turn()
    },
    bytes: () => {
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
      if (size > flushed.bytes) flushed = { bytes: size, text }
      const ratio = flushed.bytes ? flushed.bytes / flushed.text : FIRST_GUESS
      return flushed.bytes + (text - flushed.text) * ratio
    },
    close: async () => {
      while (giving) await giving
      await demandTaken()
      await input.close()
      await copying
    },
    abort: async () => {
      while (giving) await giving
      await input.close().catch(() => undefined)
      await copying.catch(() => undefined)
    },
  }
}

/** Most pages are shorter as a whole. */
function hasLongLine(text: Buffer): boolean {
  for (let from = 0; text.length - from > SHORT_LINE; ) {
    const end = text.indexOf(LINE_BREAK, from)
    if ((end < 0 ? text.length : end) - from >= SHORT_LINE) return true
    if (end < 0) return false
    from = end + 1
  }
  return false
}

/** Resolves when DuckDB has the other end open; where it fails before, no thread is left waiting for it. */
async function openPipe(path: string, copying: Promise<unknown>): Promise<FileHandle> {
  const opening = open(path, 'w')
  const over = copying.then(
    () => undefined,
    () => undefined,
  )
  const input = await Promise.race([opening, over])
  if (input) return input
  const reader = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  await (await opening).close()
  await reader.close()
  await copying
  throw new Error('DuckDB ended before it began')
}

/** In one call to the system where it can be. */
async function writeAll(pipe: FileHandle, pages: Buffer[]): Promise<void> {
  const { bytesWritten } = await pipe.writev(pages)
  let skipped = 0
  for (const page of pages) {
    let rest = page.subarray(Math.min(page.length, Math.max(0, bytesWritten - skipped)))
    skipped += page.length
    while (rest.length > 0) rest = rest.subarray((await pipe.write(rest)).bytesWritten)
  }
}

/** What the pipe holds, what the file is to hold. */
const TYPES: Partial<Record<Column['type']['kind'], string>> = {
  integer: 'BIGINT',
  float: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
  // Microseconds; below they become times that readers know to be UTC.
  datetime: 'BIGINT',
}

function copyOf(columns: readonly Column[], pipe: string, longest: number, file: string, codec: string): string {
  const types = columns.map(({ type }, i) => `'c${i}': '${TYPES[type.kind] ?? 'VARCHAR'}'`)
  const cells = columns.map(
    ({ name, type }, i) => `${cellValue(`c${i}`, type.kind)} as "${name.replaceAll('"', '""')}"`,
  )
  const reading = [
    `columns={${[...types, `'end': 'VARCHAR'`]}}`,
    'auto_detect=false',
    'header=false',
    `delim='${CELL.delimiter}'`,
    `quote=''`,
    `escape=''`,
    `nullstr='${CELL.none}'`,
    `new_line='\\n'`,
    `max_line_size=${longest}`,
    `buffer_size=${longest}`,
  ]
  return `
    copy (
      select ${cells}
      from read_csv(${literal(pipe)}, ${reading})
    ) to ${literal(file)} ${formatOf(codec)}`
}

const formatOf = (codec: string): string =>
  `(format parquet, compression ${codec}, row_group_size ${GROUP_ROWS}, row_group_size_bytes ${GROUP_BYTES})`

function cellValue(cell: string, kind: Column['type']['kind']): string {
  if (kind === 'datetime') return `make_timestamptz(${cell})`
  if (kind !== 'string' && kind !== 'interval') return cell
  const text = CELL_ESCAPES.reduceRight(
    (inner, [character, letter]) => `replace(${inner}, ${literal(CELL.escape + letter)}, ${literal(character)})`,
    cell,
  )
  return `case when contains(${cell}, ${literal(CELL.escape)}) then ${text} else ${cell} end`
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * Writes Parquet with DuckDB. It reads rows from a named pipe while the next page is encoded, and writes a file in the scratch
 * folder. A Parquet file ends with its footer, so it cannot be streamed.
 *
 * Measured on 500,000 events, in events per second of CPU time: DuckDB's COPY of its own table 250,000, reading
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

/** Enough for DuckDB's input buffers and one row group. Beyond it the run fails instead of the machine. */
const MEMORY_LIMIT = '384MB'
/** The size of a row group, in rows and in bytes. */
const GROUP_ROWS = 20_480
const GROUP_BYTES = 32 * 1024 * 1024
/**
 * DuckDB holds two buffers of the longest line. Events longer than the first limit are rare; none exceeds the 20 MiB that capture
 * accepts. The rest is for the person's properties.
 */
const SHORT_LINE = 4 * 1024 * 1024
const LONG_LINE = 24 * 1024 * 1024
/** DuckDB stops reading while it processes a buffer. The next pages are encoded meanwhile. */
const WAITING_BYTES = 4 * SHORT_LINE
/** The assumed compression ratio until the first row group is written. */
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

/** DuckDB fixes the maximum line length at the start. A longer line starts a second part; the parts are joined at the end. */
export async function openParquet({ compression, columns, scratch, take }: EncoderOptions): Promise<Encoder> {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: MEMORY_LIMIT,
    temp_directory: scratch,
    // One thread preserves the order. This setting bounds a row group in bytes.
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
      // DuckDB closes the pipe, which ends a pending write. Closing our end ends a pending read.
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
  // The error is reported to the caller that awaits it later.
  copying.catch(() => undefined)
  const input = await openPipe(pipe, copying)

  let text = 0
  let flushed = { bytes: 0, text: 0 }
  /** Pages waiting for DuckDB, and their size including the page being written. */
  let queue: Buffer[] = []
  let waiting = 0
  let giving: Promise<void> | undefined
  let failure: unknown
  /** Writes all waiting pages in one call. Between two calls DuckDB would wait for this busy thread. */
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
    // A broken pipe follows from an earlier error, which is the real reason.
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
      // Yield, so that the caller learns that a page was written and sends the next one.
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

/** Fast path: most pages are shorter. */
function hasLongLine(text: Buffer): boolean {
  for (let from = 0; text.length - from > SHORT_LINE; ) {
    const end = text.indexOf(LINE_BREAK, from)
    if ((end < 0 ? text.length : end) - from >= SHORT_LINE) return true
    if (end < 0) return false
    from = end + 1
  }
  return false
}

/** Resolves once DuckDB has opened the other end. If DuckDB fails first, no thread stays blocked. */
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

/** Uses a single system call where possible. */
async function writeAll(pipe: FileHandle, pages: Buffer[]): Promise<void> {
  const { bytesWritten } = await pipe.writev(pages)
  let skipped = 0
  for (const page of pages) {
    let rest = page.subarray(Math.min(page.length, Math.max(0, bytesWritten - skipped)))
    skipped += page.length
    while (rest.length > 0) rest = rest.subarray((await pipe.write(rest)).bytesWritten)
  }
}

/** The column types in the pipe and in the file. */
const TYPES: Partial<Record<Column['type']['kind'], string>> = {
  integer: 'BIGINT',
  float: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
  // Microseconds here; converted below to timestamps with time zone UTC.
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

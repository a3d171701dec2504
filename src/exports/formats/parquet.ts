/**
 * Writes Parquet with DuckDB. It reads rows from a named pipe while the next page is encoded, and writes a file in the scratch
 * folder. A Parquet file ends with its footer, so it cannot be streamed.
 *
 * Measured on 500,000 events with zstd level 3, in events per second of CPU time: DuckDB's COPY of its own table 250,000,
 * reading cells 192,000, reading JSON lines 169,000, its row appender less than a third of that.
 */
import { execFile } from 'node:child_process'
import { constants, createReadStream, statSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTick } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { DuckDBConnection } from '@duckdb/node-api'
import { CELL, CELL_ESCAPES } from '../../events/cells.ts'
import type { Column } from '../../events/lines.ts'
import { freeText } from '../../events/page-memory.ts'
import { type Compression, type Encoder, type EncoderOptions, endOfLines } from './format.ts'

/** Enough for DuckDB's input buffers and one row group. Beyond it the run fails, not the machine. */
const MEMORY_LIMIT = '384MB'
/** The size of a row group, in rows and in bytes. */
const GROUP_ROWS = 20_480
const GROUP_BYTES = 32 * 1024 * 1024
/**
 * DuckDB allocates two buffers of the maximum line length. Few events exceed the short limit. Capture accepts at most
 * 20 MiB; the rest of the long limit is for the person's properties.
 */
const SHORT_LINE_BYTES = 4 * 1024 * 1024
const LONG_LINE_BYTES = 24 * 1024 * 1024
/** DuckDB stops reading while it processes a buffer. The next pages are encoded in the meantime. */
const MAX_QUEUED_BYTES = 8 * SHORT_LINE_BYTES
/** The assumed compression ratio of the first file until its first row group is written: that of events with zstd. */
const INITIAL_RATIO = 0.1
/** The size to aim at: the compression ratio of the rows to come is not known. */
const TARGET_SHARE = 0.9

const CODECS: Record<Compression | 'none', string> = {
  // DuckDB's default, level 3, takes more than twice the CPU time. Its files have 99 to 114 % of the size.
  zstd: 'zstd, compression_level 1',
  lz4: 'lz4_raw',
  snappy: 'snappy',
  gzip: 'gzip',
  brotli: 'brotli',
  none: 'uncompressed',
}
const LINE_BREAK = Buffer.from('\n')

/**
 * DuckDB fixes the maximum line length at the start. The first longer line starts a second part, and the parts are joined
 * at the end.
 */
export async function openParquet({
  compression,
  columns,
  scratch,
  sink,
  max_bytes = Number.POSITIVE_INFINITY,
  ratio,
}: EncoderOptions): Promise<Encoder> {
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
  const first = join(scratch, 'rows.parquet')
  const rest = join(scratch, 'rest.parquet')
  const joined = join(scratch, 'joined.parquet')
  const piece = join(scratch, 'piece.parquet')
  const open = (file: string, max_line: number): Promise<Part> =>
    openPart(duckdb, { columns, pipe, file, codec, max_line, ratio })
  const cleanUp = async (): Promise<void> => {
    duckdb.closeSync()
    instance.closeSync()
    for (const path of [pipe, first, rest, joined, piece]) await rm(path, { force: true })
  }
  let part = await open(first, SHORT_LINE_BYTES).catch(async (error) => {
    await cleanUp()
    throw error
  })
  let hasRest = false
  let first_bytes = 0
  let final_bytes: number | undefined
  let isEmpty = true
  const estimate = (): { size: number; ratio: number } => {
    const { size, ratio } = part.estimate()
    return { size: first_bytes + size, ratio }
  }

  return {
    write: async ({ text: rows }) => {
      const { size, ratio } = estimate()
      const end = endOfLines(rows, 0, (max_bytes * TARGET_SHARE - size) / ratio, isEmpty)
      if (end === 0) return 0
      const text = rows.subarray(0, end)
      isEmpty = false
      if (!hasRest && hasLongLine(text)) {
        await part.close()
        first_bytes = statSync(first).size
        hasRest = true
        part = await open(rest, LONG_LINE_BYTES)
      }
      await part.write(text)
      return end
    },
    bytes: () => final_bytes ?? estimate().size,
    close: async () => {
      await part.close()
      if (hasRest) {
        const parts = [first, rest].map(literal)
        await duckdb.run(`copy (from read_parquet([${parts}])) to ${literal(joined)} ${formatOf(codec)}`)
      }
      const file = hasRest ? joined : first
      final_bytes = statSync(file).size
      if (final_bytes <= max_bytes) await sink(createReadStream(file))
      else final_bytes = await storePieces(duckdb, { file, piece, codec, max_bytes, size: final_bytes, sink })
      await cleanUp()
    },
    abort: async () => {
      // DuckDB closes the pipe, which ends a pending write. Closing our end ends a pending read.
      duckdb.interrupt()
      await part.abort()
      await cleanUp()
    },
  }
}

interface PiecesOptions extends Pick<EncoderOptions, 'sink'> {
  file: string
  /** The path of a piece while it is stored. */
  piece: string
  codec: string
  size: number
  max_bytes: number
}

/** Stores a file above the maximum as several files. Returns their total size. */
async function storePieces(duckdb: DuckDBConnection, options: PiecesOptions): Promise<number> {
  const { file, piece, codec, size, max_bytes, sink } = options
  const counted = await duckdb.runAndReadAll(`from read_parquet(${literal(file)}) select count(*)::integer`)
  const total = Number(counted.getRows()[0]?.[0])
  let stored_bytes = 0
  let rows = Math.max(1, Math.floor((total * max_bytes * TARGET_SHARE) / size))
  for (let from = 0; from < total; ) {
    const to = Math.min(total, from + rows)
    await duckdb.run(`
      copy (
        from read_parquet(${literal(file)}, file_row_number = true)
        select * exclude (file_row_number)
        where file_row_number >= ${from} and file_row_number < ${to}
      ) to ${literal(piece)} ${formatOf(codec)}`)
    const bytes = statSync(piece).size
    if (bytes > max_bytes && to - from > 1) {
      rows = Math.ceil((to - from) / 2)
      continue
    }
    await (to === total ? sink(createReadStream(piece)) : sink(createReadStream(piece), { records: to - from, bytes }))
    stored_bytes += bytes
    from = to
  }
  return stored_bytes
}

interface Part {
  write(text: Buffer): Promise<void>
  estimate(): { size: number; ratio: number }
  close(): Promise<void>
  abort(): Promise<void>
}

interface PartOptions {
  columns: readonly Column[]
  pipe: string
  file: string
  codec: string
  max_line: number
  /** The compression ratio of the file before. */
  ratio: number | undefined
}

async function openPart(
  duckdb: DuckDBConnection,
  { columns, pipe, file, codec, max_line, ratio: earlier_ratio }: PartOptions,
): Promise<Part> {
  const copying = duckdb.run(copyStatement(columns, pipe, max_line, file, codec))
  // The error is reported to the caller that awaits it later.
  copying.catch(() => undefined)
  const input = await openPipe(pipe, copying)

  let text = 0
  let flushed_bytes = 0
  /** The lowest possible compression ratio: not all text is in the flushed row groups. */
  let least_ratio = 0
  /** Pages waiting for DuckDB, and their size including the pages being written. */
  let queue: Buffer[] = []
  let queued_bytes = 0
  let flushing: Promise<void> | undefined
  let failure: unknown
  /** Writes all queued pages in one call. Between two calls DuckDB would wait for this busy thread. */
  const flush = async (): Promise<void> => {
    const pages = queue
    queue = []
    const bytes = pages.reduce((sum, page) => sum + page.length, 0)
    await writeAll(input, pages).catch((error) => {
      failure ??= error
    })
    for (const page of pages) freeText(page)
    queued_bytes -= bytes
    flushing = queue.length && failure === undefined ? flush() : undefined
  }
  const throwFailure = async (): Promise<void> => {
    if (failure === undefined) return
    // The pipe breaks when DuckDB fails. Throw DuckDB's error first.
    await copying
    throw failure
  }

  return {
    write: async (rows) => {
      queue.push(rows)
      queued_bytes += rows.length
      text += rows.length
      flushing ??= flush()
      while (queued_bytes > MAX_QUEUED_BYTES && failure === undefined) await flushing
      await throwFailure()
      // Yield to the event loop, so that completed writes are noticed.
      await nextTick()
    },
    estimate: () => {
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
      if (size > flushed_bytes) {
        flushed_bytes = size
        least_ratio = size / text
      }
      const ratio = Math.max(least_ratio, earlier_ratio ?? 0) || INITIAL_RATIO
      return { size: text * ratio, ratio }
    },
    close: async () => {
      while (flushing) await flushing
      await throwFailure()
      await input.close()
      await copying
    },
    abort: async () => {
      while (flushing) await flushing
      await input.close().catch(() => undefined)
      await copying.catch(() => undefined)
    },
  }
}

/** Most pages are shorter than the limit, so the loop does not run. */
function hasLongLine(text: Buffer): boolean {
  for (let from = 0; text.length - from > SHORT_LINE_BYTES; ) {
    const end = text.indexOf(LINE_BREAK, from)
    if ((end < 0 ? text.length : end) - from >= SHORT_LINE_BYTES) return true
    if (end < 0) return false
    from = end + 1
  }
  return false
}

/** Resolves once DuckDB has opened the other end. If DuckDB fails first, unblocks the thread that opens the pipe. */
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
  throw new Error('DuckDB finished without reading its input')
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
  // Microseconds in the pipe; `cellValue` converts them to timestamps.
  datetime: 'BIGINT',
}

function copyStatement(
  columns: readonly Column[],
  pipe: string,
  max_line: number,
  file: string,
  codec: string,
): string {
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
    `max_line_size=${max_line}`,
    `buffer_size=${max_line}`,
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

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
import { CELL, CELL_ESCAPES, type Column } from '../../events/extract.ts'
import type { Compression, Encoder, EncoderOptions } from './format.ts'

/** The text that DuckDB has in hand and a group of rows, with room; beyond it a run fails instead of the machine. */
const MEMORY_LIMIT = '384MB'
/** Rows that are compressed and written together: of few hundred bytes each, or so many bytes of larger ones. */
const GROUP_ROWS = 40_960
const GROUP_BYTES = 32 * 1024 * 1024
/** An event is at most the 20 MiB that capture takes at once; the rest is for its person. DuckDB holds twice as much. */
const LONGEST_LINE = 24 * 1024 * 1024
/** DuckDB takes a buffer full and then reads nothing until it has done with it: meanwhile the next one is made. */
const WAITING_BYTES = LONGEST_LINE
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

export async function openParquet({ compression, columns, scratch, take }: EncoderOptions): Promise<Encoder> {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const pipe = join(scratch, 'rows')
  const file = join(scratch, 'rows.parquet')
  await promisify(execFile)('mkfifo', ['-m', '600', pipe])
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
  const copying = duckdb.run(copyOf(columns, pipe, file, CODECS[compression ?? 'none']))
  // Whoever waits for it hears of it, later.
  copying.catch(() => undefined)
  const end = async (): Promise<void> => {
    duckdb.closeSync()
    instance.closeSync()
    await rm(pipe, { force: true })
    await rm(file, { force: true })
  }
  const input = await openPipe(pipe, copying).catch(async (error) => {
    await end()
    throw error
  })

  let text = 0
  let flushed = { bytes: 0, text: 0 }
  let finished: number | undefined
  /** The pages that wait for DuckDB, one after the other, and how much they come to. */
  let writing: Promise<void> = Promise.resolve()
  let waiting = 0
  const written = async (): Promise<void> => {
    try {
      await writing
    } catch (error) {
      // A broken pipe is what follows; what went before is the reason.
      await copying
      throw error
    }
  }

  return {
    write: async ({ text: rows }) => {
      if (waiting > WAITING_BYTES) await written()
      waiting += rows.length
      writing = writing
        .then(() => writeAll(input, rows))
        .finally(() => {
          waiting -= rows.length
        })
      writing.catch(() => undefined)
      text += rows.length
      // Without a turn nobody would hear that a page has gone, and the next one would not follow.
      await turn()
    },
    bytes: () => {
      if (finished !== undefined) return finished
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
      if (size > flushed.bytes) flushed = { bytes: size, text }
      const ratio = flushed.bytes ? flushed.bytes / flushed.text : FIRST_GUESS
      return flushed.bytes + (text - flushed.text) * ratio
    },
    close: async () => {
      await written()
      await input.close()
      await copying
      finished = statSync(file).size
      await take(createReadStream(file))
      await end()
    },
    abort: async () => {
      // DuckDB lets go of the pipe, which ends a write that waits; closing it ends a read that waits.
      duckdb.interrupt()
      await writing.catch(() => undefined)
      await input.close().catch(() => undefined)
      await copying.catch(() => undefined)
      await end()
    },
  }
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

/** In one call to the system where it can be: between two, DuckDB would wait for this thread. */
async function writeAll(pipe: FileHandle, text: Buffer): Promise<void> {
  const { bytesWritten } = await pipe.writev([text, LINE_BREAK])
  if (bytesWritten > text.length) return
  for (let rest = Buffer.concat([text, LINE_BREAK]).subarray(bytesWritten); rest.length > 0; )
    rest = rest.subarray((await pipe.write(rest)).bytesWritten)
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

function copyOf(columns: readonly Column[], pipe: string, file: string, codec: string): string {
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
    `max_line_size=${LONGEST_LINE}`,
    `buffer_size=${LONGEST_LINE}`,
  ]
  return `
    copy (
      select ${cells}
      from read_csv(${literal(pipe)}, ${reading})
    ) to ${literal(file)} (
      format parquet, compression ${codec}, row_group_size ${GROUP_ROWS}, row_group_size_bytes ${GROUP_BYTES}
    )`
}

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

/** Deliveries as files: names, sizes and the manifest. Shared by File, S3 and Azure. */
import { Readable } from 'node:stream'
import type { components } from '../contract/openapi.ts'
import { invalid } from '../errors.ts'
import { EVENT_COLUMNS as c } from '../events/extract.ts'
import type { Column, Encoding } from '../events/lines.ts'
import type { Model } from '../events/models.ts'
import { type Checkpoint, type Delivery, permanentError, type Receiver } from './destination.ts'
import {
  COMPRESSIONS,
  type Encoder,
  type EncoderOptions,
  EXTENSIONS,
  type FileFormat,
  type FilePart,
} from './formats/format.ts'
import { openJsonLines } from './formats/jsonlines.ts'
import { requireLibraries } from './libraries.ts'

/** A store in which a file is either complete or missing. */
export interface FileStore {
  /** Creates or replaces the file. Rejects without leaving a file when the body fails. */
  put(name: string, body: Readable): Promise<void>
  close(): Promise<void>
}

export type FilesConfig = Pick<
  components['schemas']['FileConfig'],
  'prefix' | 'file_format' | 'compression' | 'max_file_size_mb'
>

export const FILE_COLUMNS: readonly Column[] = [
  c.uuid,
  c.event,
  c.distinct_id,
  c.person_id,
  c.properties,
  c.person_properties,
  c.elements_chain,
  c.timestamp,
  c.created_at,
  c._inserted_at,
]

export const fileEncoding = ({ file_format }: FilesConfig): Encoding => (file_format === 'Parquet' ? 'cells' : 'json')

const MEGABYTE = 1024 * 1024
const VARIABLES = [
  'year',
  'month',
  'day',
  'hour',
  'minute',
  'second',
  'data_interval_start',
  'data_interval_end',
  'table',
] as const

/** Checks constraints that the schema cannot express: the library and the compressions of a format, the variables of a prefix. */
export function validateFileConfig({ prefix = '', file_format = 'JSONLines', compression }: FilesConfig): void {
  requireFormat(file_format)
  const supported = Object.keys(COMPRESSIONS[file_format])
  if (compression && !supported.includes(compression))
    throw invalid(
      'destination__config__compression',
      `${file_format} does not support ${compression}. Use one of ${supported.join(', ')}, or null.`,
    )
  const unknown = [...prefix.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name).find((name) => !isVariable(name))
  if (unknown !== undefined)
    throw invalid(
      'destination__config__prefix',
      `Unknown variable {${unknown}}. Use one of ${VARIABLES.map((name) => `{${name}}`).join(', ')}.`,
    )
}

const isVariable = (name: string): name is (typeof VARIABLES)[number] => VARIABLES.some((known) => known === name)

/**
 * Continues after the files that an earlier attempt finished. An unfinished file is written again. A file may end inside a
 * page: the checkpoint then has the cursor of the page before, and the number of rows after it.
 */
export function openFileReceiver(store: FileStore, delivery: Delivery<FilesConfig>): Receiver {
  const { config, checkpoint, tools, columns } = delivery
  const { file_format = 'JSONLines', compression = null, max_file_size_mb } = config
  const max_bytes = max_file_size_mb ? max_file_size_mb * MEGABYTE : undefined
  const nameOf = fileNames(delivery)
  const files = [...(checkpoint?.files ?? [])]
  let bytes = checkpoint?.bytes ?? 0
  const { cursor = null, records = 0, beyond = 0 } = checkpoint ?? {}
  /** The end of the last finished file. */
  let stored: Position = { cursor, records, beyond }
  /** The end of the rows that were read. */
  let reached: Position = { cursor, records, beyond: 0 }
  /** Rows of finished files that are still to be read. */
  let skipped = beyond
  let ratio: number | undefined
  let current: OpenFile | undefined

  const openFile = async (): Promise<OpenFile> => {
    const sink = async (body: Readable, part?: FilePart): Promise<void> => {
      const name = nameOf(files.length)
      await store.put(name, body)
      files.push(name)
      if (part) await save({ ...stored, beyond: stored.beyond + part.records }, part.bytes)
    }
    const options = { compression, columns, scratch: tools.scratch, sink, max_bytes, ratio }
    return { encoder: await openEncoder(file_format, options), text_bytes: 0 }
  }
  const save = async (position: Position, more_bytes: number): Promise<void> => {
    stored = position
    bytes += more_bytes
    await tools.checkpoint({ ...position, bytes, files: [...files] })
  }
  const finish = async ({ encoder, text_bytes }: OpenFile): Promise<void> => {
    const before = bytes
    await encoder.close()
    current = undefined
    ratio = encoder.bytes() / text_bytes
    await save(reached, encoder.bytes() - (bytes - before))
  }

  return {
    write: async ({ text, records, cursor }) => {
      const { length } = text
      let from = 0
      for (; skipped > 0 && from < length; skipped--) {
        from = text.indexOf(LINE_BREAK, from) + 1
        reached.beyond++
      }
      while (from < length) {
        current ??= await openFile()
        const taken = await current.encoder.write({ text: text.subarray(from) })
        current.text_bytes += taken
        from += taken
        if (from === length) break
        reached = { ...reached, beyond: reached.beyond + countLines(text.subarray(from - taken, from)) }
        await finish(current)
      }
      reached = { cursor, records: reached.records + records, beyond: 0 }
    },
    bytes: () => bytes + Math.round(current?.encoder.bytes() ?? 0),
    commit: async () => {
      if (current) await finish(current)
      if (max_bytes && files.length) {
        const manifest = JSON.stringify({ files }, null, 2)
        await store.put(nameOf('manifest'), Readable.from([Buffer.from(`${manifest}\n`)]))
      }
      await store.close()
      return bytes
    },
    abort: async () => {
      await current?.encoder.abort()
      await store.close().catch(() => undefined)
    },
  }
}

interface OpenFile {
  encoder: Encoder
  text_bytes: number
}

/** The end of a page, and a number of rows after it. */
type Position = Required<Pick<Checkpoint, 'cursor' | 'records' | 'beyond'>>

const LINE_BREAK = 0x0a

function countLines(text: Buffer): number {
  let count = 0
  for (let at = text.indexOf(LINE_BREAK); at !== -1; at = text.indexOf(LINE_BREAK, at + 1)) count++
  return count
}

function requireFormat(format: FileFormat): void {
  if (format === 'Parquet') requireLibraries(format, 'destination__config__file_format', ['@duckdb/node-api'])
}

/** DuckDB is large, so it is loaded on first use. */
async function openEncoder(format: FileFormat, options: EncoderOptions): Promise<Encoder> {
  requireFormat(format)
  return format === 'Parquet' ? (await import('./formats/parquet.ts')).openParquet(options) : openJsonLines(options)
}

/** `<prefix>/<start>-<end>.jsonl.gz`, then `…-1.jsonl.gz`, `…-2.jsonl.gz`. The same range always has the same names. */
function fileNames(delivery: Delivery<FilesConfig>): (which: number | 'manifest') => string {
  const { config, backfill_id } = delivery
  const { file_format = 'JSONLines', compression, prefix = '' } = config
  const [start, end] = [shortTime(delivery.data_interval_start), shortTime(delivery.data_interval_end)]
  const folder = prefix.replace(/\{([^{}]*)\}/g, (_, name) => expandVariable(name, start, end, delivery.model))
  const base = `${start}-${end}${backfill_id === null ? '' : `-backfill-${backfill_id}`}`
  const suffix = compression ? `.${COMPRESSIONS[file_format][compression]}` : ''
  return (which) => {
    const file =
      which === 'manifest'
        ? `${base}_manifest.json`
        : `${base}${which ? `-${which}` : ''}.${EXTENSIONS[file_format]}${suffix}`
    return `${folder}${folder === '' || folder.endsWith('/') ? '' : '/'}${file}`.replace(/^\/+/, '')
  }
}

/** The file that `test` writes, in the part of the prefix before its first variable. */
export function testFileName({ prefix = '' }: FilesConfig): string {
  const folder = prefix.includes('{') ? prefix.slice(0, prefix.lastIndexOf('/', prefix.indexOf('{')) + 1) : prefix
  const slash = folder === '' || folder.endsWith('/') ? '' : '/'
  return `${folder}${slash}workspace-admin-test.jsonl`.replace(/^\/+/, '')
}

/** Omits a zero fraction of seconds. */
const shortTime = (iso: string): string => iso.replace('.000Z', 'Z')

function expandVariable(name: string, start: string, end: string, model: Model): string {
  if (!isVariable(name))
    throw permanentError(`The prefix contains the unknown variable {${name}}. Correct the prefix.`, 'prefix')
  if (name === 'table') return model
  const [year = '', month = '', day = '', hour = '', minute = '', second = ''] = end.split(/[-T:.Z]/)
  const values = { year, month, day, hour, minute, second, data_interval_start: start, data_interval_end: end }
  return values[name]
}

/** Runs written as files: names, sizes and the manifest. Used by every file store. */
import { Readable } from 'node:stream'
import type { components } from '../contract/openapi.ts'
import { invalid } from '../errors.ts'
import { type Column, EVENT_COLUMNS as c, type Encoding, type Page } from '../events/extract.ts'
import { type Delivery, type Receiver, refused } from './destination.ts'
import { COMPRESSIONS, type Encoder, type EncoderOptions, EXTENSIONS, type FileFormat } from './formats/format.ts'
import { openJsonLines } from './formats/jsonlines.ts'

/** A store in which a file is either complete or absent. */
export interface FileStore {
  /** Replaces the file of that name. Rejects without leaving a file when the body fails. */
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

/** Checks that the schema cannot express: the compressions of a format and the variables of a prefix. */
export function checkFiles({ prefix = '', file_format = 'JSONLines', compression }: FilesConfig): void {
  const possible = Object.keys(COMPRESSIONS[file_format])
  if (compression && !possible.includes(compression))
    throw invalid(
      'destination__config__compression',
      `${file_format} cannot be compressed with ${compression}. Use one of ${possible.join(', ')}, or null.`,
    )
  const unknown = [...prefix.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name!).find((name) => !isVariable(name))
  if (unknown !== undefined)
    throw invalid(
      'destination__config__prefix',
      `There is no variable {${unknown}}. There are ${VARIABLES.map((name) => `{${name}}`).join(', ')}.`,
    )
}

const isVariable = (name: string): name is (typeof VARIABLES)[number] => (VARIABLES as readonly string[]).includes(name)

/** Continues after the files that an earlier attempt finished. An unfinished file is written again. */
export function openFiles(store: FileStore, delivery: Delivery<FilesConfig>): Receiver {
  const { config, checkpoint, tools, columns } = delivery
  const { file_format = 'JSONLines', compression = null, max_file_size_mb } = config
  const limit = (max_file_size_mb ?? 0) * MEGABYTE
  const nameOf = namesOf(delivery)
  const files = [...(checkpoint?.files ?? [])]
  let records = checkpoint?.records ?? 0
  let bytes = checkpoint?.bytes ?? 0
  let current: { encoder: Encoder; name: string } | undefined
  let last: Page | undefined

  const begin = async (): Promise<NonNullable<typeof current>> => {
    const name = nameOf(files.length)
    const take = (body: Readable): Promise<void> => store.put(name, body)
    return { name, encoder: await openEncoder(file_format, { compression, columns, scratch: tools.scratch, take }) }
  }
  const finish = async (): Promise<void> => {
    const { encoder, name } = current!
    await encoder.close()
    current = undefined
    files.push(name)
    bytes += encoder.bytes()
    await tools.checkpoint({ cursor: last!.cursor, records, bytes, files: [...files] })
  }

  return {
    write: async (page) => {
      current ??= await begin()
      await current.encoder.write(page)
      records += page.records
      last = page
      if (limit && current.encoder.bytes() >= limit) await finish()
    },
    commit: async () => {
      if (current) await finish()
      if (limit && files.length) {
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

/** DuckDB is large, so it is loaded on first use. */
async function openEncoder(format: FileFormat, options: EncoderOptions): Promise<Encoder> {
  return format === 'Parquet' ? (await import('./formats/parquet.ts')).openParquet(options) : openJsonLines(options)
}

/** `<prefix>/<start>-<end>.jsonl.gz`, then `…-1.jsonl.gz`, `…-2.jsonl.gz`. The same range always has the same names. */
function namesOf(delivery: Delivery<FilesConfig>): (which: number | 'manifest') => string {
  const { config, backfill_id } = delivery
  const { file_format = 'JSONLines', compression, prefix = '' } = config
  const [start, end] = [shortTime(delivery.data_interval_start), shortTime(delivery.data_interval_end)]
  const folder = prefix.replace(/\{([^{}]*)\}/g, (_, name) => variable(name, start, end))
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

/** The name of the file that `test` writes: below the prefix, up to its first variable. */
export function testName({ prefix = '' }: FilesConfig): string {
  const folder = prefix.includes('{') ? prefix.slice(0, prefix.lastIndexOf('/', prefix.indexOf('{')) + 1) : prefix
  const slash = folder === '' || folder.endsWith('/') ? '' : '/'
  return `${folder}${slash}workspace-admin-test.jsonl`.replace(/^\/+/, '')
}

/** Omits a zero fraction of seconds. */
const shortTime = (iso: string): string => iso.replace('.000Z', 'Z')

function variable(name: string, start: string, end: string): string {
  if (!isVariable(name)) throw refused(`The prefix holds {${name}}, which is no variable. Correct the prefix.`)
  const [, year, month, day, hour, minute, second] = /^(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)/.exec(end)!
  const values = { year, month, day, hour, minute, second, data_interval_start: start, data_interval_end: end }
  return name === 'table' ? 'events' : values[name]!
}

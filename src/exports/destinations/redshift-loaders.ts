/** Fills the temporary table of a delivery to Redshift, by INSERT or by COPY from files in a bucket. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { components } from '../../contract/openapi.ts'
import { errorCode, invalid } from '../../errors.ts'
import { CELL, CELL_ESCAPES } from '../../events/cells.ts'
import type { Page } from '../../events/extract.ts'
import type { Column } from '../../events/lines.ts'
import { freeText } from '../../events/page-memory.ts'
import { type Delivery, retryableError, type Tools } from '../destination.ts'
import type { Encoder } from '../formats/format.ts'
import { openJsonLines } from '../formats/jsonlines.ts'
import { DEFAULT_LIMITS as BUCKET_LIMITS } from '../object-stores.ts'
import { truncate } from '../tables.ts'
import type { Session, SessionLimits } from './postgres-session.ts'
import { type BucketStore, isRegion, openBucket } from './s3.ts'

type Config = components['schemas']['RedshiftConfig']
type CopyInputs = NonNullable<Config['copy_inputs']>

export const STAGING = 'workspace_admin_staging'
/** The protocol allows 32,767 parameters and Redshift statements of 16 MB. */
const MAX_PARAMETERS = 32_767
const MAX_STATEMENT_BYTES = 8 * 1024 * 1024
/** Redshift loads several files at once. */
const FILE_BYTES = 32 * 1024 * 1024
/** An aborted attempt is killed after five seconds. */
const CLEANUP_MS = 4_000

export interface RedshiftLimits extends SessionLimits {
  /** Timeout of a COPY, and of the transaction that moves the rows into the target. */
  insert_ms: number
}

/** The columns of the staging table are numbered, because the names of a query may differ only in case. */
export const stagingName = (i: number): string => `c${i}`

export const createStaging = async (session: Session, columns: readonly StagedColumn[]): Promise<void> =>
  void (await session.query(
    `create temporary table ${STAGING} (${columns.map(({ type }, i) => `${stagingName(i)} ${type}`).join(', ')})`,
  ))

export interface StagedColumn {
  /** The type in the table, as the catalog prints it. */
  type: string
  kind: Column['type']['kind']
}

type Cell = string | null

interface CellParser {
  rows(page: Page): Cell[][]
  /** The number of values that were truncated so far. */
  truncated(): number
}

export function cellParser(columns: readonly StagedColumn[]): CellParser {
  let truncated = 0
  const convert = columns.map(({ type, kind }) => {
    const max_bytes = maxBytes(type)
    return (cell: string): Cell => {
      const value = cellValue(cell, kind, type)
      // A character has at most three bytes in UTF-8 per UTF-16 unit.
      if (value === null || value.length * 3 <= max_bytes || Buffer.byteLength(value) <= max_bytes) return value
      truncated++
      return truncate(value, max_bytes)
    }
  })
  return {
    rows: ({ text }) => {
      const lines = text.toString('utf8', 0, text.length - 1).split('\n')
      freeText(text)
      return lines.map((line) => {
        const cells = line.split(CELL.delimiter)
        return convert.map((read, i) => (cells[i] === CELL.none ? null : read(cells[i] ?? '')))
      })
    },
    truncated: () => truncated,
  }
}

/** Text is limited; other types, also SUPER, are not. */
function maxBytes(type: string): number {
  const [, length] = /^(?:character varying|character|varchar|char)\((\d{1,8})\)$/.exec(type) ?? []
  return length === undefined ? Number.POSITIVE_INFINITY : Number(length)
}

function cellValue(cell: string, kind: Column['type']['kind'], type: string): Cell {
  const isSuper = type === 'super'
  switch (kind) {
    case 'datetime': {
      const time = timestamp(Number(cell))
      return isSuper ? JSON.stringify(time) : time
    }
    case 'float':
      return Number.isFinite(Number(cell)) ? cell : null
    case 'json':
    case 'array':
    case 'tuple':
    case 'integer':
    case 'boolean':
      return cell
    default: {
      const plain = cell.includes(CELL.escape) ? withoutEscapes(cell) : cell
      return isSuper ? JSON.stringify(plain) : plain
    }
  }
}

const LETTERS = new Map(CELL_ESCAPES.map(([character, letter]) => [letter, character]))

function withoutEscapes(cell: string): string {
  const [start = '', ...rest] = cell.split(CELL.escape)
  return start + rest.map((part) => `${LETTERS.get(part.charAt(0)) ?? ''}${part.slice(1)}`).join('')
}

/** Microseconds as text that both INSERT and COPY read. */
function timestamp(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000)
  const [date, time] = new Date(milliseconds).toISOString().slice(0, -1).split('T')
  return `${date} ${time}${String(microseconds - milliseconds * 1000).padStart(3, '0')}+00`
}

/** Fills the staging table. */
interface Loader {
  write(rows: readonly Cell[][]): Promise<void>
  /** Resolves once all rows are in the staging table. */
  finish(): Promise<void>
  /** Deletes the files. Never throws. */
  close(): Promise<void>
}

interface LoaderOptions {
  config: Config
  tools: Tools
  limits: RedshiftLimits
  columns: readonly StagedColumn[]
  ids: Pick<Delivery<Config>, 'batch_export_id' | 'range_key' | 'run_id' | 'attempt'>
}

export async function openLoader(session: Session, options: LoaderOptions): Promise<Loader> {
  const { mode, copy_inputs } = options.config
  return mode === 'COPY' && copy_inputs ? copyLoader(session, copy_inputs, options) : insertLoader(session, options)
}

/** Inserts many rows with one statement. */
function insertLoader(session: Session, { columns }: LoaderOptions): Loader {
  const names = columns.map((_, i) => stagingName(i)).join(', ')
  const max_rows = Math.max(1, Math.floor(MAX_PARAMETERS / columns.length))
  let waiting: Cell[] = []
  let size = 0
  const texts = new Map<number, string>()
  const statement = (rows: number): string => {
    const text =
      texts.get(rows) ??
      `insert into ${STAGING} (${names}) values ${Array.from({ length: rows }, (_, row) => placeholders(columns, row)).join(', ')}`
    texts.clear()
    texts.set(rows, text)
    return text
  }
  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return
    const values = waiting
    ;[waiting, size] = [[], 0]
    await session.query(statement(values.length / columns.length), values)
  }
  return {
    write: async (rows) => {
      for (const row of rows) {
        const bytes = row.reduce((sum, cell) => sum + (cell?.length ?? 0) * 3, 0)
        if (size > 0 && size + bytes > MAX_STATEMENT_BYTES) await flush()
        waiting.push(...row)
        size += bytes
        if (waiting.length === max_rows * columns.length) await flush()
      }
    },
    finish: flush,
    close: async () => undefined,
  }
}

function placeholders(columns: readonly StagedColumn[], row: number): string {
  const list = columns.map(({ type }, i) => {
    const parameter = `$${row * columns.length + i + 1}`
    return type === 'super' ? `json_parse(${parameter})` : parameter
  })
  return `(${list.join(', ')})`
}

export const bucketOf = ({ s3_bucket, region_name, bucket_credentials }: CopyInputs) => ({
  bucket_name: s3_bucket,
  region: region_name,
  ...bucket_credentials,
})

/**
 * Writes files to the bucket and lets Redshift copy them. Each attempt has its own folder in the folder of the range,
 * and deletes those of killed attempts.
 */
async function copyLoader(
  session: Session,
  inputs: CopyInputs,
  { tools, limits, columns, ids }: LoaderOptions,
): Promise<Loader> {
  const bucket = await openBucket(bucketOf(inputs), tools, BUCKET_LIMITS)
  const prefix = (inputs.s3_key_prefix ?? '').split('/').filter(Boolean).join('/')
  const range = createHash('sha256').update(ids.range_key).digest('hex').slice(0, 32)
  const parent = `${prefix && `${prefix}/`}workspace-admin/${ids.batch_export_id}/${range}/`
  const folder = `${parent}${ids.run_id}-${ids.attempt}/`
  const manifest = `${folder}manifest.json`
  const files: string[] = []
  let current: Encoder | undefined
  await removeLeftovers(bucket, parent, tools).catch(async (error) => {
    await bucket.close()
    throw error
  })

  const encoder = (): Encoder => {
    const name = `${folder}${String(files.length).padStart(5, '0')}.jsonl.gz`
    files.push(name)
    return openJsonLines({
      compression: 'gzip',
      columns: [],
      scratch: tools.scratch,
      sink: (body) => bucket.put(name, body),
    })
  }
  const finishFile = async (): Promise<void> => {
    const file = current
    current = undefined
    await file?.close()
  }

  return {
    write: async (rows) => {
      current ??= encoder()
      const lines = rows.map((row) => `${jsonLine(row, columns)}\n`).join('')
      await current.write({ text: Buffer.from(lines) })
      if (current.bytes() >= FILE_BYTES) await finishFile()
    },
    finish: async () => {
      await finishFile()
      if (files.length === 0) return
      const entries = files.map((name) => ({ url: `s3://${inputs.s3_bucket}/${name}`, mandatory: true }))
      await bucket.put(manifest, Readable.from([Buffer.from(JSON.stringify({ entries }))]))
      await session.query(copyStatement(inputs, manifest, columns), [], limits.insert_ms).catch((error) => {
        throw describeCopyError(error)
      })
    },
    close: async () => {
      await current?.abort()
      current = undefined
      await bucket.close().catch(() => undefined)
      if (files.length === 0) return
      // The file is removed also when the attempt was aborted.
      const signal = tools.signal.aborted ? AbortSignal.timeout(CLEANUP_MS) : tools.signal
      const cleaner = await openBucket(bucketOf(inputs), { ...tools, signal }, BUCKET_LIMITS)
      for (const name of [...files.splice(0), manifest])
        await cleaner
          .remove(name)
          .catch(() => tools.log('WARNING', `The file ${name} could not be deleted from the bucket.`))
      await cleaner.close().catch(() => undefined)
    },
  }
}

async function removeLeftovers(bucket: BucketStore, folder: string, tools: Tools): Promise<void> {
  const names = await bucket.list(folder)
  if (!names)
    tools.log('WARNING', 'The access key may not list the bucket, so files of killed attempts are not deleted.')
  for (const name of names ?? []) await bucket.remove(name)
}

/** SUPER columns get JSON, others text, which COPY converts to the type of the column. */
function jsonLine(row: readonly Cell[], columns: readonly StagedColumn[]): string {
  const members = row.flatMap((cell, i) => {
    if (cell === null) return []
    return [`"${stagingName(i)}":${columns[i]?.type === 'super' ? cell : JSON.stringify(cell)}`]
  })
  return `{${members.join(',')}}`
}

/** `validateCopyInputs` rejects quotes and backslashes. The keys of files contain none. */
function copyStatement(inputs: CopyInputs, manifest: string, columns: readonly StagedColumn[]): string {
  const { authorization, s3_bucket, region_name } = inputs
  const access =
    typeof authorization === 'string'
      ? authorization === 'default'
        ? 'iam_role default'
        : `iam_role '${authorization}'`
      : `access_key_id '${authorization.aws_access_key_id}' secret_access_key '${authorization.aws_secret_access_key}'`
  return `copy ${STAGING} (${columns.map((_, i) => stagingName(i)).join(', ')})
    from 's3://${s3_bucket}/${manifest}' ${access} region '${region_name}' manifest gzip
    format as json 'auto' timeformat 'auto' truncatecolumns compupdate off statupdate off`
}

/** Redshift has one code for all failures of a COPY. */
function describeCopyError(error: unknown): unknown {
  if (!/^(XX000|58)/.test(errorCode(error))) return error
  return retryableError(
    'Redshift could not copy the files from the bucket. Check "copy_inputs", the permissions of the role or key, and SYS_LOAD_ERROR_DETAIL in Redshift.',
  )
}

/** These values become part of a COPY statement. */
export function validateCopyInputs(inputs: CopyInputs | null): void {
  if (!inputs) throw invalid('destination__config__copy_inputs', '"copy_inputs" is required for mode COPY.', 'required')
  const { authorization, s3_bucket, s3_key_prefix = '', region_name } = inputs
  const attr = 'destination__config__copy_inputs'
  if (!isRegion(region_name))
    throw invalid(`${attr}__region_name`, '"region_name" must be an AWS region, such as us-east-1.')
  if (!/^[A-Za-z0-9._-]+$/.test(s3_bucket))
    throw invalid(`${attr}__s3_bucket`, '"s3_bucket" must be the name of a bucket.')
  if (/['"\\\p{Cc}]/u.test(s3_key_prefix))
    throw invalid(
      `${attr}__s3_key_prefix`,
      '"s3_key_prefix" must not contain quotes, backslashes or control characters.',
    )
  if (typeof authorization === 'string') {
    if (!/^[A-Za-z0-9+=,.@_:/-]+$/.test(authorization))
      throw invalid(`${attr}__authorization`, '"authorization" must be the ARN of an IAM role, or an access key.')
  } else if (!/^[A-Za-z0-9+=/:]+$/.test(`${authorization.aws_access_key_id}:${authorization.aws_secret_access_key}`))
    throw invalid(`${attr}__authorization`, '"authorization" is not a valid access key.')
}

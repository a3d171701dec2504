/** DuckDB in a process of the mirror: one thread, no temporary files, no extensions. */
import {
  BIGINT,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBType,
  VARCHAR,
} from '@duckdb/node-api'
import { floatColumn, textColumn } from '../hogql/mirror-columns.ts'
import type { Value } from '../sql/template.ts'
import type { EventColumns } from './columns.ts'
import type { Properties } from './properties.ts'

/** With Node, the process stays below 512 MB. */
const MEMORY_LIMIT = '350MB'
/** The size of DuckDB's vectors. */
const CHUNK_ROWS = 2_048
/**
 * DuckDB's level 3 takes more than twice the CPU time, for files of nearly the same size. Its dictionaries have 1 MB per column
 * by default, so hundreds of columns would not fit into memory.
 */
const PARQUET = `(format parquet, codec 'zstd', compression_level 1, row_group_size 20480, row_group_size_bytes 16000000,
  string_dictionary_page_size_limit 65536)`

export interface Duckdb {
  connection: DuckDBConnection
  /** Frees its memory. */
  close(): void
}

export async function openDuckdb(): Promise<Duckdb> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: MEMORY_LIMIT,
    // A spilled file would keep the texts of deleted events if the process is killed.
    temp_directory: '',
    preserve_insertion_order: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const connection = await instance.connect()
  return {
    connection,
    close: () => {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** The columns that every segment has. */
export const BASE_COLUMNS = ['seq', 'event', 'distinct_id', 'timestamp']

/** The columns of properties, in the order of `appendEvents`. */
export const propertyColumns = ({ stored }: Properties): string[] =>
  Object.entries(stored).flatMap(([key, { number }]) => [textColumn(key), ...(number ? [floatColumn(key)] : [])])

/** A text as a literal. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The type of a value of a statement. */
export function typeOfValue(value: Value): DuckDBType {
  if (typeof value === 'string') return VARCHAR
  return Number.isSafeInteger(value) ? BIGINT : DOUBLE
}

/** Creates a table with the events. Its columns are those of its properties. */
export async function createTable(duckdb: DuckDBConnection, table: string, columns: EventColumns): Promise<void> {
  const list: [name: string, type: DuckDBType, values: readonly (string | bigint | number | null)[]][] = [
    ['seq', BIGINT, columns.seqs],
    ['event', VARCHAR, columns.events],
    ['distinct_id', VARCHAR, columns.distinct_ids],
    ['timestamp', BIGINT, columns.timestamps],
  ]
  for (const [key, { texts, numbers }] of columns.properties) {
    list.push([textColumn(key), VARCHAR, texts])
    if (numbers) list.push([floatColumn(key), DOUBLE, numbers])
  }
  await duckdb.run(
    `create or replace temp table ${table} (${list.map(([name, type]) => `${name} ${type}`).join(', ')})`,
  )
  const appender = await duckdb.createAppender(table)
  for (let at = 0; at < columns.seqs.length; at += CHUNK_ROWS) {
    const end = Math.min(at + CHUNK_ROWS, columns.seqs.length)
    const chunk = DuckDBDataChunk.create(
      list.map(([, type]) => type),
      end - at,
    )
    chunk.setColumns(list.map(([, , values]) => values.slice(at, end)))
    appender.appendDataChunk(chunk)
  }
  appender.closeSync()
}

/** Creates the table `deleted` with positions of deleted events. */
export async function createDeleted(duckdb: DuckDBConnection, seqs: readonly number[]): Promise<void> {
  await duckdb.run('create or replace temp table deleted (seq bigint)')
  const appender = await duckdb.createAppender('deleted')
  for (const seq of seqs) {
    appender.appendBigInt(BigInt(seq))
    appender.endRow()
  }
  appender.closeSync()
}

/** Writes rows and returns their number. In the order of their times, a range of times reads few row groups. */
export async function writeParquet(duckdb: DuckDBConnection, rows: string, file: string): Promise<number> {
  const result = await duckdb.runAndReadAll(`copy (${rows}) to ${literal(file)} ${PARQUET}`)
  return Number(result.getRows()[0]?.[0])
}

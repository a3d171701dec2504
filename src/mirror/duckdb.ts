/** DuckDB in a process of the mirror: one thread, no temporary files, no extensions. */
import { existsSync } from 'node:fs'
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

/** Of DuckDB alone. Node and the values on their way to DuckDB need more. */
const MEMORY_LIMIT = '350MB'
/** The size of DuckDB's vectors. */
const CHUNK_ROWS = 2_048
/** DuckDB's level 3 takes more than twice the CPU time, for files of nearly the same size. Version 2 stores `seq` as differences. */
const PARQUET =
  "format parquet, parquet_version v2, codec 'zstd', compression_level 1, row_group_size 61440, row_group_size_bytes 16000000"
/** Memory for the dictionaries of all columns. DuckDB's default of 1 MiB per column is too much for hundreds of columns. */
const DICTIONARY_BYTES = 64 * 1024 * 1024
const [MIN_DICTIONARY_BYTES, MAX_DICTIONARY_BYTES] = [64 * 1024, 1024 * 1024]

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

/** The columns of properties. */
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
  const list: TableColumn[] = [
    ['seq', BIGINT, columns.seqs],
    ['event', VARCHAR, columns.events],
    ['distinct_id', VARCHAR, columns.distinct_ids],
    ['timestamp', BIGINT, columns.timestamps],
  ]
  for (const [key, { texts, numbers }] of columns.properties) {
    list.push([textColumn(key), VARCHAR, texts])
    if (numbers) list.push([floatColumn(key), DOUBLE, numbers])
  }
  await fillTable(duckdb, table, list)
}

/** Creates the table `deleted` with deleted events. */
export const createDeleted = (duckdb: DuckDBConnection, seqs: readonly number[]): Promise<void> =>
  fillTable(duckdb, 'deleted', [['seq', BIGINT, seqs.map(BigInt)]])

type TableColumn = [name: string, type: DuckDBType, values: readonly (string | bigint | number | null)[]]

async function fillTable(duckdb: DuckDBConnection, table: string, columns: readonly TableColumn[]): Promise<void> {
  const [names, types] = [columns.map(([name, type]) => `${name} ${type}`), columns.map(([, type]) => type)]
  await duckdb.run(`create or replace temp table ${table} (${names.join(', ')})`)
  const appender = await duckdb.createAppender(table)
  const rows = columns[0]?.[2].length ?? 0
  for (let at = 0; at < rows; at += CHUNK_ROWS) {
    const end = Math.min(at + CHUNK_ROWS, rows)
    const chunk = DuckDBDataChunk.create(types, end - at)
    chunk.setColumns(columns.map(([, , values]) => values.slice(at, end)))
    appender.appendDataChunk(chunk)
  }
  appender.closeSync()
}

/** Writes the columns of rows and returns the number of rows. */
export async function writeParquet(
  duckdb: DuckDBConnection,
  columns: readonly string[],
  from: string,
  file: string,
): Promise<number> {
  const dictionary_bytes = Math.min(
    MAX_DICTIONARY_BYTES,
    Math.max(MIN_DICTIONARY_BYTES, Math.floor(DICTIONARY_BYTES / columns.length)),
  )
  const result = await duckdb.runAndReadAll(`
    copy (select ${columns.join(', ')} ${from}) to ${literal(file)}
    (${PARQUET}, string_dictionary_page_size_limit ${dictionary_bytes})`)
  return Number(result.getRows()[0]?.[0])
}

/** Whether all values of a file can be read. A file that is missing may have been replaced by another process. */
export async function isReadable(duckdb: DuckDBConnection, file: string): Promise<boolean> {
  if (!existsSync(file)) return true
  try {
    await duckdb.run(`select max(hash(columns(*))) from read_parquet(${literal(file)})`)
    return true
  } catch (error) {
    return isOutOfMemory(error)
  }
}

export const isOutOfMemory = (error: unknown): boolean =>
  /out of memory|(could not|failed to) allocate/i.test(String(error))

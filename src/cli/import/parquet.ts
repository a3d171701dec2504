/** Reads Parquet with DuckDB. */
import { requireLibraries } from '../../exports/libraries.ts'
import { replaceInvalidText } from '../../json/text.ts'
import { commandError, EXIT } from '../failure.ts'
import { MAX_ROW_BYTES, type Row, TOO_LONG } from './lines.ts'

/** A row group of a large export is decompressed as a whole. */
const MEMORY_LIMIT = '1GB'

/** Every value is text, and times are in UTC. */
export async function* readParquet(name: string, path: string): AsyncGenerator<Row> {
  requireLibraries('Parquet', 'format', ['@duckdb/node-api'])
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: MEMORY_LIMIT,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const duckdb = await instance.connect()
  let number = 0
  try {
    await duckdb.run(`set TimeZone = 'UTC'`)
    const result = await duckdb.stream(`select columns(*)::varchar from read_parquet(${fileLiteral(path)})`)
    const names = result.columnNames()
    for (let chunk = await result.fetchChunk(); chunk?.rowCount; chunk = await result.fetchChunk())
      for (const values of chunk.getRows()) {
        number++
        const length = values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0)
        if (length > MAX_ROW_BYTES) yield { number, problem: TOO_LONG }
        else yield { number, row: rowOf(names, values), length }
      }
  } catch (error) {
    if (Object(error).exit !== undefined) throw error
    throw commandError(
      EXIT.refused,
      `${name} is not a valid Parquet file: row ${number + 1} cannot be read. Download it again.`,
    )
  } finally {
    duckdb.closeSync()
    instance.closeSync()
  }
}

function rowOf(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row = Object.fromEntries(names.map((name, i) => [name, values[i] ?? undefined]))
  replaceInvalidText(row)
  return row
}

/** A path is a pattern to DuckDB: brackets make its special characters plain. */
const fileLiteral = (path: string): string => `'${path.replace(/[*?[]/g, '[$&]').replaceAll("'", "''")}'`

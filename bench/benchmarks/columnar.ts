/** Aggregations over all events, beside a columnar engine on the same rows. */
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { Benchmark } from '../benchmark.ts'
import { startFilledOnPostgres } from '../postgres.ts'
import { fetchBody, timed, type Workspace } from '../workspace.ts'
import { createExport, runOnce, startWithEvents } from './export.ts'

const EVENTS = 1_000_000
const DUCKDB = 'DuckDB on Parquet'
const SQLITE = 'over HTTP'
const POSTGRES = 'over HTTP on PostgreSQL'

/** The same groups as HogQL for the server and as SQL for DuckDB. */
const GROUPS: Record<string, { hogql: string; duckdb: string }> = {
  'count by event name': { hogql: 'event', duckdb: 'event' },
  'count by hour': { hogql: 'toStartOfHour(timestamp)', duckdb: "date_trunc('hour', timestamp)" },
  'count by property': { hogql: 'properties.price', duckdb: "properties ->> '$.price'" },
}

let workspace: Workspace
let onPostgres: Workspace
let connection: DuckDBConnection
let file: string

/** The server's own Parquet file, read by one thread. */
async function exportToParquet(): Promise<string> {
  const id = await createExport(workspace, { file_format: 'Parquet', compression: 'zstd' })
  await runOnce(workspace, id)
  const folder = join(dirname(workspace.file), 'exports', String(workspace.project_id), id)
  const [name = ''] = readdirSync(folder)
  return join(folder, name)
}

const request = (from: () => Workspace, group: string) => (): Promise<number> => {
  const select = new URLSearchParams({ select: JSON.stringify([group, 'count()']), after: '-30d' })
  return timed(() => fetchBody(from(), `/api/projects/${from().project_id}/events/?${select}`))
}

export const columnar: Benchmark = {
  name: 'events.filter.duckdb',
  description: `Counts ${EVENTS.toLocaleString('en')} events in groups, beside DuckDB on one thread on the same rows as Parquet. It has no limit: it shows the distance to a columnar engine.`,
  rounds: 3,
  setup: async () => {
    workspace = await startWithEvents(EVENTS)
    onPostgres = await startFilledOnPostgres(EVENTS, 6)
    file = await exportToParquet()
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    connection = await instance.connect()
    return () => connection.closeSync()
  },
  variants: Object.fromEntries(
    Object.entries(GROUPS).flatMap(([name, { hogql, duckdb }]) => [
      [
        `${name}, ${DUCKDB}`,
        () =>
          timed(async () => {
            const sql = `select ${duckdb}, count(*) from read_parquet('${file}') group by 1 order by 2 desc limit 101`
            await connection.runAndReadAll(sql)
          }),
      ],
      [`${name}, ${SQLITE}`, request(() => workspace, hogql)],
      [`${name}, ${POSTGRES}`, request(() => onPostgres, hogql)],
    ]),
  ),
  limits: [],
}

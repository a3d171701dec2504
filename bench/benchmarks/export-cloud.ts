/** Exports to cloud warehouses, against scripts that write the same rows to the same test server with other programs. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Test } from 'tap'
import { openBigQuery } from '../../src/exports/bigquery-api.ts'
import type { Tools } from '../../src/exports/destination.ts'
import { openSession } from '../../src/exports/snowflake-session.ts'
import { createOutbound } from '../../src/outbound/guard.ts'
import { type BigQueryStub, openBigQueryStub } from '../../test/helpers/peers/bigquery.ts'
import { openSnowflakeStub, type SnowflakeStub } from '../../test/helpers/peers/snowflake.ts'
import type { Benchmark, Variant } from '../benchmark.ts'
import { startFilledOnPostgres } from '../postgres.ts'
import { tempFolder, timed, type Workspace } from '../workspace.ts'
import { createExport, memoryBenchmark, runOnce, startWithEvents } from './export.ts'

const EVENTS = 200_000
const ALLOW = '127.0.0.1/32'
const LIMITS = { connect_ms: 15_000, idle_ms: 600_000 }

/** The test servers end with this process. */
const suite = { teardown: () => undefined } as unknown as Test

const ROWS = `
  select uuid, event, properties, elements_chain as elements, properties -> '$."$set"' as "set",
    properties -> '$."$set_once"' as set_once, distinct_id, project_id as team_id, properties ->> '$."$ip"' as ip,
    '' as site_url, strftime('%Y-%m-%dT%H:%M:%fZ', timestamp / 1e6, 'unixepoch') as timestamp
  from events where project_id = 1 order by timestamp, uuid`
const JSON_ROWS = ROWS.replace('elements_chain as', 'json_quote(elements_chain) as')

const toolsOf = (): Tools => ({
  outbound: createOutbound({ allow: ALLOW }),
  files_root: '/nowhere',
  scratch: tempFolder(),
  signal: new AbortController().signal,
  checkpoint: async () => undefined,
  log: () => undefined,
})

/** Writes the output of SQLite's shell into a file. */
async function dump(workspace: Workspace, mode: '-json' | '-csv', rows: string, file: string): Promise<void> {
  const shell = spawn('sqlite3', ['-readonly', mode, workspace.file, rows], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(shell, 'exit')
  const target = createWriteStream(file)
  await (mode === '-csv' ? pipeline(shell.stdout, createGzip(), target) : pipeline(shell.stdout, target))
  if ((await ended)[0] !== 0) throw new Error('sqlite3 failed')
}

interface Peers {
  workspace: Workspace
  onPostgres: Workspace
  bigquery: BigQueryStub
  snowflake: SnowflakeStub
}
let peers: Peers
let opened: Promise<Peers> | undefined

async function openPeers(): Promise<Peers> {
  process.env.OUTBOUND_ALLOW = ALLOW
  const [bigquery, snowflake] = [await openBigQueryStub(suite), await openSnowflakeStub(suite)]
  const [workspace, onPostgres] = [await startWithEvents(EVENTS), await startFilledOnPostgres(EVENTS, 6)]
  return { workspace, onPostgres, bigquery, snowflake }
}

const setup = async (): Promise<undefined> => {
  opened ??= openPeers()
  peers = await opened
  return undefined
}

/** The export creates its table in the warm-up. */
const exporting = (
  type: string,
  configOf: (peers: Peers) => object,
  from: 'workspace' | 'onPostgres' = 'workspace',
): Variant => {
  let created: Promise<string> | undefined
  return async () => {
    created ??= createExport(peers[from], configOf(peers), type)
    const id = await created
    return timed(() => runOnce(peers[from], id))
  }
}

/** sqlite3, DuckDB's Parquet and a load job. */
const loadParquet: Variant = async () => {
  const { workspace, bigquery } = peers
  const folder = tempFolder()
  const [lines, file] = [join(folder, 'rows.json'), join(folder, 'rows.parquet')]
  const tools = toolsOf()
  const config = bigquery.config as Parameters<typeof openBigQuery>[0]
  const limits = { ...LIMITS, job_ms: 600_000, first_poll_ms: 20, max_poll_ms: 200 }
  return timed(async () => {
    await dump(workspace, '-json', ROWS, lines)
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    const connection = await instance.connect()
    const names = ['uuid', 'event', 'properties', 'elements', 'set', 'set_once', 'distinct_id', 'ip', 'site_url']
    const columns = [...names.map((name) => `"${name}": 'VARCHAR'`), `team_id: 'BIGINT'`, `timestamp: 'TIMESTAMPTZ'`]
    await connection.run(
      `copy (from read_json('${lines}', format = 'array', columns = {${columns}})) to '${file}' (format parquet, compression zstd)`,
    )
    connection.closeSync()
    instance.closeSync()
    const api = openBigQuery(config, tools, limits)
    const id = `bench_${crypto.randomUUID()}`
    const source = {
      table_id: 'events',
      format: 'PARQUET',
      body: createReadStream(file),
      length: statSync(file).size,
    } as const
    const job = await api.load({ id, location: 'EU' }, source)
    api.close()
    if (job?.error) throw job.error
  })
}

/** sqlite3, gzip, PUT and COPY INTO. */
const copyFile: Variant = async () => {
  const { workspace, snowflake } = peers
  const file = join(tempFolder(), 'part-0.csv.gz')
  const tools = toolsOf()
  const config = snowflake.config as Parameters<typeof openSession>[0]
  return timed(async () => {
    await dump(workspace, '-csv', JSON_ROWS, file)
    const session = await openSession(config, tools, { ...LIMITS, statement_ms: 600_000, poll_ms: 20 })
    await session.put(file, 'bench')
    const values = Array.from({ length: 11 }, (_, i) =>
      [2, 3, 4, 5].includes(i) ? `parse_json($${i + 1})` : `$${i + 1}`,
    )
    const names = [
      'uuid',
      'event',
      'properties',
      'elements',
      'people_set',
      'people_set_once',
      'distinct_id',
      'team_id',
      'ip',
      'site_url',
      'timestamp',
    ]
    await session.run(
      `copy into "DB"."PUBLIC"."events" (${names.map((name) => `"${name}"`)}) from (select ${values} from @~/bench/) file_format = (type = csv)`,
    )
    await session.run('remove @~/bench')
    await session.close()
  })
}

const described = (name: string, script: string): string =>
  `Exports ${EVENTS.toLocaleString('en')} events to ${name} (a test server) at least 0.7 times as fast as ${script} write them.`

export const cloudWarehouses: Benchmark[] = [
  {
    name: 'export.bigquery',
    description: described('BigQuery', "sqlite3, DuckDB's COPY and one load job"),
    rounds: 3,
    setup,
    // The export runs first: it creates the table.
    variants: {
      BigQuery: exporting('BigQuery', ({ bigquery }) => bigquery.config),
      'BigQuery from PostgreSQL': exporting('BigQuery', ({ bigquery }) => bigquery.config, 'onPostgres'),
      'a script': loadParquet,
    },
    limits: [{ subject: 'BigQuery', against: 'a script', atLeast: 0.7 }],
  },
  {
    name: 'export.snowflake',
    description: described('Snowflake', 'sqlite3, gzip, PUT and COPY INTO'),
    rounds: 3,
    setup,
    variants: {
      Snowflake: exporting('Snowflake', ({ snowflake }) => snowflake.config),
      'Snowflake from PostgreSQL': exporting('Snowflake', ({ snowflake }) => snowflake.config, 'onPostgres'),
      'a script': copyFile,
    },
    limits: [{ subject: 'Snowflake', against: 'a script', atLeast: 0.7 }],
  },
  memoryBenchmark('BigQuery', async () => {
    process.env.OUTBOUND_ALLOW = ALLOW
    return { type: 'BigQuery', config: (await openBigQueryStub(suite)).config }
  }),
  memoryBenchmark('Snowflake', async () => {
    process.env.OUTBOUND_ALLOW = ALLOW
    return { type: 'Snowflake', config: (await openSnowflakeStub(suite)).config }
  }),
]

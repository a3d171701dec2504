/** Exports through the API: a backfill of one window, from the request to the end of its run. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Benchmark, Variant } from '../benchmark.ts'
import { startFilledOnPostgres } from '../postgres.ts'
import {
  fetchBody,
  peakMemory,
  percentile,
  postJson,
  startFilled,
  tempFolder,
  timed,
  type Workspace,
} from '../workspace.ts'

const EVENTS = 500_000
const FEW = 100_000
const MANY = 2_000_000
const POLL_MS = 20
/** Slow enough that polls affect neither the 99th percentile of other requests nor the memory of the server. */
const SLOW_POLL_MS = 250
const DAY_MS = 86_400_000
const REQUESTS = 3_000

let workspace: Workspace

/** All events are from the last week, so one weekly window contains them. */
export const startWithEvents = (count: number): Promise<Workspace> => startFilled(count, 6)

export const exportsPath = ({ project_id }: Workspace): string => `/api/projects/${project_id}/batch_exports`

export async function createExport(workspace: Workspace, config: object, type = 'File'): Promise<string> {
  const body = { name: 'bench', interval: 'week', paused: true, destination: { type, config } }
  return JSON.parse(await postJson(workspace, `${exportsPath(workspace)}/`, body)).id
}

/** Resolves when the run has completed. */
export async function runOnce(workspace: Workspace, id: string, poll_ms = POLL_MS): Promise<void> {
  const now = Date.now()
  const range = { start_at: new Date(now - 7 * DAY_MS).toISOString(), end_at: new Date(now).toISOString() }
  const path = `${exportsPath(workspace)}/${id}`
  await postJson(workspace, `${path}/backfill/`, range)
  for (;;) {
    const [run] = JSON.parse(await fetchBody(workspace, `${path}/runs/`)).results
    if (run.status === 'Completed') return
    if (!['Starting', 'Running'].includes(run.status))
      throw new Error(`the run ended with status ${run.status}: ${run.latest_error}`)
    await sleep(poll_ms)
  }
}

/** Creates an export in each workspace, and measures its runs. */
export function exportTo(config: object): (workspace: Workspace) => Promise<number> {
  const exportIds = new WeakMap<Workspace, Promise<string>>()
  return async (workspace) => {
    const created = exportIds.get(workspace) ?? createExport(workspace, config)
    exportIds.set(workspace, created)
    const id = await created
    return timed(() => runOnce(workspace, id))
  }
}

const exporting = (config: object): Variant => {
  const measure = exportTo(config)
  return () => measure(workspace)
}

/** The export's query as hand-written SQL. */
const EXPORT_SQL = `
  select e.uuid, e.event, e.distinct_id, p.id as person_id, e.properties, p.properties as person_properties,
    e.elements_chain, strftime('%Y-%m-%dT%H:%M:%fZ', e.timestamp / 1e6, 'unixepoch') as timestamp,
    strftime('%Y-%m-%dT%H:%M:%fZ', e.created_at / 1e6, 'unixepoch') as created_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', e.created_at / 1e6, 'unixepoch') as _inserted_at
  from events e
  left join person_distinct_ids d on d.project_id = e.project_id and d.distinct_id = e.distinct_id
  left join persons p on p.project_id = d.project_id and p.id = d.person_id
  where e.project_id = 1 order by e.timestamp, e.uuid`

const shell: Variant = () =>
  timed(async () => {
    const dump = spawn('sqlite3', ['-readonly', '-json', workspace.file, EXPORT_SQL], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const file = createWriteStream(join(tempFolder(), 'dump.json'), { flush: true } as object)
    dump.stdout.pipe(file)
    const [[code]] = await Promise.all([once(dump, 'exit'), once(file, 'close')])
    if (code !== 0) throw new Error(`sqlite3 exited with code ${code}`)
  })

/** DuckDB's COPY of the same rows from its own table, on one thread. */
async function duckdb(): Promise<Variant> {
  const id = await createExport(workspace, {})
  await runOnce(workspace, id)
  const root = join(dirname(workspace.file), 'exports', String(workspace.project_id), id)
  const [file = ''] = readdirSync(root)
  const instance = await DuckDBInstance.create(join(tempFolder(), 'rows.duckdb'), { threads: '1' })
  const connection = await instance.connect()
  const columns = ['uuid', 'event', 'distinct_id', 'person_id', 'properties', 'person_properties', 'elements_chain']
  const types = [
    ...columns.map((name) => `${name}: 'VARCHAR'`),
    ...['timestamp', 'created_at', '_inserted_at'].map((name) => `${name}: 'TIMESTAMP'`),
  ]
  await connection.run(
    `create table rows as select * from read_json('${join(root, file)}', format = 'newline_delimited', columns = {${types.join(', ')}})`,
  )
  const target = join(tempFolder(), 'rows.parquet')
  return () =>
    timed(async () => void (await connection.run(`copy rows to '${target}' (format parquet, compression zstd)`)))
}

const SHELL = 'sqlite3 -json'
const LINES = 'JSON lines'

const lines: Benchmark = {
  name: 'export.lines',
  description: `Exports ${EVENTS.toLocaleString('en')} events to a JSON lines file at least as fast as SQLite's shell writes the same rows.`,
  rounds: 5,
  setup: async () => {
    workspace = await startWithEvents(EVENTS)
    return undefined
  },
  variants: { [SHELL]: shell, [LINES]: exporting({}) },
  limits: [{ subject: LINES, against: SHELL, atMost: 1 }],
}

const DUCKDB = "DuckDB's COPY"
const PARQUET = 'Parquet'
let copy: Variant

const parquet: Benchmark = {
  name: 'export.parquet',
  description:
    'Exports the same events to Parquet (zstd) at least half as fast as DuckDB copies them from its own table.',
  rounds: 5,
  setup: async () => {
    workspace = await startWithEvents(EVENTS)
    copy = await duckdb()
    return undefined
  },
  variants: {
    [DUCKDB]: (warmup) => copy(warmup),
    [PARQUET]: exporting({ file_format: 'Parquet', compression: 'zstd' }),
  },
  limits: [{ subject: PARQUET, against: DUCKDB, atMost: 2 }],
}

interface Target {
  type: string
  config: object
}

/** Peak memory of a new server during its first export. Earlier work would affect only one of the variants. */
const peak =
  (count: number, open: () => Promise<Target>, start: typeof startFilled): Variant =>
  async (warmup) => {
    if (warmup) return 0
    const { type, config } = await open()
    const fresh = await start(count, 6)
    const id = await createExport(fresh, config, type)
    const memory = await peakMemory(fresh, () => runOnce(fresh, id, SLOW_POLL_MS))
    process.kill(fresh.pid)
    return memory
  }

export const memoryBenchmark = (
  name: string,
  open: () => Promise<Target>,
  rounds = 1,
  start = startFilled,
): Benchmark => {
  const [few, many] = [`${name}, ${FEW.toLocaleString('en')}`, `${name}, ${MANY.toLocaleString('en')}`]
  return {
    name: `export.memory.${name.toLowerCase().replaceAll(' ', '')}`,
    description: `Exports to ${name} are streamed in pages: 20 times as many events take at most 50 MB more memory.`,
    unit: 'MB',
    rounds,
    variants: { [few]: peak(FEW, open, start), [many]: peak(MANY, open, start) },
    limits: [{ subject: many, against: few, within: 50 }],
  }
}

const toFiles = (config: object) => async (): Promise<Target> => ({ type: 'File', config })

const ORGANIZATION = '/api/organizations/@current/'

/** The 99th percentile of sequential requests, at least until `during` resolves. */
async function requests(during?: Promise<void>): Promise<number> {
  const times: number[] = []
  let done = !during
  void during?.then(() => {
    done = true
  })
  while (!done || times.length < REQUESTS) times.push(await timed(() => fetchBody(workspace, ORGANIZATION)))
  return percentile(times, 0.99)
}

async function whileExporting(): Promise<number> {
  const running = runOnce(workspace, await createExport(workspace, { compression: 'gzip' }), SLOW_POLL_MS)
  const time = await requests(running)
  await running
  return time
}

const IDLE = 'organization, idle'
const BUSY = 'organization, with an export'

const isolation: Benchmark = {
  name: 'export.isolation',
  description: 'An export at most doubles the 99th percentile of the times of API requests.',
  rounds: 7,
  setup: async () => {
    workspace = await startWithEvents(EVENTS)
    return undefined
  },
  variants: { [IDLE]: () => requests(), [BUSY]: whileExporting },
  limits: [{ subject: BUSY, against: IDLE, atMost: 2 }],
}

export const exports: Benchmark[] = [
  lines,
  parquet,
  memoryBenchmark('JSON lines', toFiles({}), 3),
  memoryBenchmark('Parquet', toFiles({ file_format: 'Parquet', compression: 'zstd' }), 3),
  memoryBenchmark('JSON lines from PostgreSQL', toFiles({}), 1, startFilledOnPostgres),
  isolation,
]

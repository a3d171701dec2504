/** Exports through the public door: a backfill of one window, from the request to the end of its run. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Contestant, Trial } from '../trial.ts'
import { answer, fill, folder, mostMemory, percentile, startWorkspace, timed, type Workspace } from '../workspace.ts'

const EVENTS = 500_000
const FEW = 100_000
const MANY = 2_000_000
const POLL_MS = 20
/** So rarely that what waits behind the question is no hundredth of all. */
const RARELY_MS = 250
const DAY_MS = 86_400_000
const REQUESTS = 3_000

let workspace: Workspace

/** Everything was ingested within the last week, so one window of a week holds all of it. */
async function filled(count: number): Promise<Workspace> {
  const made = await startWorkspace()
  fill(made, [made.project_id], count, 6)
  return made
}

const exportsOf = ({ project_id }: Workspace): string => `/api/projects/${project_id}/batch_exports`

async function makeExport(place: Workspace, config: object): Promise<string> {
  const body = { name: 'bench', interval: 'week', paused: true, destination: { type: 'File', config } }
  const made = await answer(place, `${exportsOf(place)}/`, { body: Buffer.from(JSON.stringify(body)) })
  return JSON.parse(made).id
}

/** Resolves when the run has ended well. */
async function runOnce(place: Workspace, id: string, poll_ms = POLL_MS): Promise<void> {
  const now = Date.now()
  const range = { start_at: new Date(now - 7 * DAY_MS).toISOString(), end_at: new Date(now).toISOString() }
  const one = `${exportsOf(place)}/${id}`
  await answer(place, `${one}/backfill/`, { body: Buffer.from(JSON.stringify(range)) })
  for (;;) {
    const [run] = JSON.parse(await answer(place, `${one}/runs/`)).results
    if (run.status === 'Completed') return
    if (!['Starting', 'Running'].includes(run.status))
      throw new Error(`the run ended as ${run.status}: ${run.latest_error}`)
    await sleep(poll_ms)
  }
}

const exporting = (config: object): Contestant => {
  const made = new WeakMap<Workspace, Promise<string>>()
  return async () => {
    if (!made.has(workspace)) made.set(workspace, makeExport(workspace, config))
    const id = await made.get(workspace)!
    return timed(() => runOnce(workspace, id))
  }
}

/** What the export selects, in the words of whoever writes it by hand. */
const BY_HAND = `
  select e.uuid, e.event, e.distinct_id, p.id as person_id, e.properties, p.properties as person_properties,
    e.elements_chain, strftime('%Y-%m-%dT%H:%M:%fZ', e.timestamp / 1e6, 'unixepoch') as timestamp,
    strftime('%Y-%m-%dT%H:%M:%fZ', e.created_at / 1e6, 'unixepoch') as created_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', e.created_at / 1e6, 'unixepoch') as _inserted_at
  from events e
  left join person_distinct_ids d on d.project_id = e.project_id and d.distinct_id = e.distinct_id
  left join persons p on p.project_id = d.project_id and p.id = d.person_id
  where e.project_id = 1 order by e.timestamp, e.uuid`

const shell: Contestant = () =>
  timed(async () => {
    const dump = spawn('sqlite3', ['-readonly', '-json', workspace.file, BY_HAND], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const file = createWriteStream(join(folder(), 'dump.json'), { flush: true } as object)
    dump.stdout.pipe(file)
    const [[code]] = await Promise.all([once(dump, 'exit'), once(file, 'close')])
    if (code !== 0) throw new Error(`sqlite3 ended with ${code}. Is it installed (apt install sqlite3)?`)
  })

/** The same rows in DuckDB's own table, written by its own COPY on one thread. */
async function duckdb(): Promise<Contestant> {
  const id = await makeExport(workspace, {})
  await runOnce(workspace, id)
  const root = join(dirname(workspace.file), 'exports', String(workspace.project_id), id)
  const [lines] = readdirSync(root)
  const instance = await DuckDBInstance.create(join(folder(), 'rows.duckdb'), { threads: '1' })
  const connection = await instance.connect()
  const columns = ['uuid', 'event', 'distinct_id', 'person_id', 'properties', 'person_properties', 'elements_chain']
  const types = [
    ...columns.map((name) => `${name}: 'VARCHAR'`),
    ...['timestamp', 'created_at', '_inserted_at'].map((name) => `${name}: 'TIMESTAMP'`),
  ]
  await connection.run(
    `create table rows as select * from read_json('${join(root, lines!)}', format = 'newline_delimited', columns = {${types.join(', ')}})`,
  )
  const target = join(folder(), 'rows.parquet')
  return () =>
    timed(async () => void (await connection.run(`copy rows to '${target}' (format parquet, compression zstd)`)))
}

const SHELL = 'sqlite3 -json'
const LINES = 'JSON lines'

const lines: Trial = {
  name: 'export.lines',
  why: `${EVENTS.toLocaleString('en')} events into a file of JSON lines, at least as fast as SQLite's own shell writes the same rows.`,
  rounds: 5,
  setup: async () => {
    workspace = await filled(EVENTS)
    return undefined
  },
  contestants: { [SHELL]: shell, [LINES]: exporting({}) },
  bars: [{ subject: LINES, against: SHELL, atMost: 1 }],
}

const DUCKDB = "DuckDB's COPY"
const PARQUET = 'Parquet'
let copy: Contestant

const parquet: Trial = {
  name: 'export.parquet',
  why: 'The same events as Parquet (zstd), at least half as fast as DuckDB copies them from its own table.',
  rounds: 5,
  setup: async () => {
    workspace = await filled(EVENTS)
    copy = await duckdb()
    return undefined
  },
  contestants: {
    [DUCKDB]: (warming) => copy(warming),
    [PARQUET]: exporting({ file_format: 'Parquet', compression: 'zstd' }),
  },
  bars: [{ subject: PARQUET, against: DUCKDB, atMost: 2 }],
}

/** The most that a new server and its processes held during its first export: what ran before would count for one only. */
const most =
  (count: number, config: object): Contestant =>
  async (warming) => {
    if (warming) return 0
    const place = await filled(count)
    const id = await makeExport(place, config)
    return mostMemory(place, () => runOnce(place, id))
  }

const memoryTrial = (format: string, config: object): Trial => {
  const [few, many] = [`${format}, ${FEW.toLocaleString('en')}`, `${format}, ${MANY.toLocaleString('en')}`]
  return {
    name: 'export.memory',
    why: 'Pages in, parts out: an export of twenty times the events holds no more of them at once.',
    unit: 'MB',
    rounds: 3,
    contestants: { [few]: most(FEW, config), [many]: most(MANY, config) },
    bars: [{ subject: many, against: few, within: 50 }],
  }
}

const ORGANIZATION = '/api/organizations/@current/'

/** One after the other, so many or for as long as something else takes. */
async function requests(during?: Promise<void>): Promise<number> {
  const times: number[] = []
  let over = !during
  void during?.then(() => {
    over = true
  })
  while (!over || times.length < REQUESTS) times.push(await timed(() => answer(workspace, ORGANIZATION)))
  return percentile(times, 0.99)
}

async function whileExporting(): Promise<number> {
  const running = runOnce(workspace, await makeExport(workspace, { compression: 'gzip' }), RARELY_MS)
  const figure = await requests(running)
  await running
  return figure
}

const IDLE = 'organization, idle'
const BUSY = 'organization, with an export'

const isolation: Trial = {
  name: 'export.isolation',
  why: 'Who administers does not notice an export: the 99th percentile stays.',
  rounds: 7,
  setup: async () => {
    workspace = await filled(EVENTS)
    return undefined
  },
  contestants: { [IDLE]: () => requests(), [BUSY]: whileExporting },
  bars: [{ subject: BUSY, against: IDLE, atMost: 2 }],
}

export const exports: Trial[] = [
  lines,
  parquet,
  memoryTrial('JSON lines', {}),
  memoryTrial('Parquet', { file_format: 'Parquet', compression: 'zstd' }),
  isolation,
]

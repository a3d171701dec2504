/**
 * `npm run bench:growth` fills 100 projects on PostgreSQL and repeats the same requests at 1,000,000 events and at the full
 * number. Exits with 1 if a request takes more than 1.5 times as long at the full number. Also prints the figures that
 * docs/scaling.md calculates with.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { v7 } from 'uuid'
import { createExport, exportsPath } from './benchmarks/export.ts'
import { browserProperties, EventSeries, RARE_EVENT } from './growth-events.ts'
import { createDatabase, embeddedPostgres, startOnDatabase, withClient } from './postgres.ts'
import { DAY_MS, DAYS, fetchBody, percentile, postJson, timed } from './workspace.ts'

const HELP = `Usage: npm run bench:growth -- [options]

Options:
  --events <number>     the full number of events (default: 10,000,000, which need about 25 GB in the temporary folder)
  --database-url <url>  a PostgreSQL server where a database can be created; it is dropped at the end
                        (default: an embedded server)
  --keep                with --database-url: do not drop the database
  --json                print the results as JSON; progress goes to standard error`

const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '10000000' },
    'database-url': { type: 'string' },
    keep: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (options.help) {
  console.log(HELP)
  process.exit(0)
}
const EVENTS = Number(options.events)
if (!Number.isSafeInteger(EVENTS) || EVENTS < 20_000) {
  console.error('--events must be a number of at least 20000.')
  process.exit(2)
}

const FIRST = Math.min(1_000_000, EVENTS / 2)
const PROJECTS = 100
const LIMIT = 1.5
const REQUESTS = 200
const EXPORTS = 5
const INGESTED_BATCHES = 200
const BATCH_EVENTS = 500
const CONNECTIONS = 8
const PROGRESS_MS = 5_000
const TICKS_PER_SECOND = 100

interface Project {
  id: number
  api_token: string
}

interface Cost {
  events: number
  events_per_second: number
  /** CPU time, in microseconds. */
  server_us_per_event: number
  /** Null if PostgreSQL runs on another machine. */
  postgres_us_per_event: number | null
  wal_bytes_per_event: number
}

interface Sizes {
  events: number
  rows_bytes_per_event: number
  index_bytes_per_event: number
  /** Persons, sessions and counts. */
  other_bytes_per_event: number
}

type Times = Record<string, number>

const format = (number: number): string => Math.round(number).toLocaleString('en')
const tell = (text: string): void => console.error(text)

const server = options['database-url'] ?? (await embeddedPostgres())
const database = await createDatabase(server)
const workspace = await startOnDatabase(database)
const result = await withClient(database, (client) => run(client))
// It would log that its database is gone.
process.kill(workspace.pid, 'SIGKILL')
if (options.keep) tell(`The database is ${new URL(database).pathname.slice(1)}`)
else if (options['database-url'])
  await withClient(server, (client) =>
    client.query(`drop database ${new URL(database).pathname.slice(1)} with (force)`),
  )
console.log(options.json ? JSON.stringify(result, null, 1) : tableOf(result))
process.exit(result.requests.every(({ ratio }) => ratio <= LIMIT) ? 0 : 1)

async function run(client: pg.Client) {
  const projects = await createProjects()
  const start = Date.now() - DAYS * DAY_MS
  const series = new EventSeries(
    projects.map(({ id }) => id),
    start,
    (DAYS * DAY_MS * 1_000) / EVENTS,
  )
  const stages: { copied_per_second: number; sizes: Sizes; times: Times }[] = []
  let exporting: Cost | undefined
  for (const count of [FIRST, EVENTS]) {
    const before = series.count
    const milliseconds = await timed(() => series.write(client, count, progress(series)))
    tell(`${format(series.count)} events stored. Vacuuming`)
    await client.query('vacuum (analyze)')
    await client.query('checkpoint')
    const sizes = await sizesOf(client, series.count)
    tell(`Measuring at ${format(series.count)} events`)
    const measured = await measure(client, series)
    exporting = measured.exporting
    stages.push({
      copied_per_second: ((series.count - before) / milliseconds) * 1_000,
      sizes,
      times: measured.times,
    })
  }
  const [first, last] = stages
  if (!first || !last || !exporting) throw new Error('nothing was measured')
  tell('Measuring ingestion')
  const bodies = Array.from({ length: INGESTED_BATCHES }, (_, i) => batchFor(projects[i % PROJECTS]))
  const ingestion = await costOf(client, () => ingest(bodies))
  return {
    projects: PROJECTS,
    requests: Object.entries(last.times).map(([name, after_ms]) => {
      const before_ms = first.times[name] ?? Number.NaN
      return { name, before_ms, after_ms, ratio: after_ms / before_ms, limit: LIMIT }
    }),
    stages: stages.map(({ sizes, copied_per_second }) => ({ ...sizes, copied_per_second })),
    ingestion,
    exporting,
  }
}

async function createProjects(): Promise<Project[]> {
  const projects: Project[] = [{ id: workspace.project_id, api_token: workspace.project_token }]
  while (projects.length < PROJECTS)
    projects.push(JSON.parse(await postJson(workspace, '/api/projects/', { name: `Project ${projects.length}` })))
  return projects
}

function progress(series: EventSeries): () => void {
  let [at, before] = [performance.now(), series.count]
  return () => {
    const now = performance.now()
    if (now - at < PROGRESS_MS) return
    tell(
      `${format(series.count)} of ${format(EVENTS)} events, ${format(((series.count - before) / (now - at)) * 1_000)} per second`,
    )
    ;[at, before] = [now, series.count]
  }
}

/** The medians of requests in the largest project. */
async function measure(client: pg.Client, series: EventSeries): Promise<{ times: Times; exporting: Cost }> {
  const path = `/api/projects/${workspace.project_id}/events/`
  // As many events at both numbers.
  const window = { from: series.timeOf(series.count - FIRST / 3), to: series.timeOf(series.count) }
  const range = { start_at: isoOf(window.from), end_at: isoOf(window.to) }
  const filter = new URLSearchParams({ event: RARE_EVENT, after: range.start_at, before: range.end_at })
  const { samples } = series
  const sample = (): string => samples[Math.floor(Math.random() * samples.length)] ?? ''
  const times: Times = {
    'first page': await medianOf(REQUESTS, () => fetchBody(workspace, path)),
    'retrieve one event': await medianOf(REQUESTS, () => fetchBody(workspace, `${path}${sample()}/`)),
    'filter by name and time': await medianOf(REQUESTS, () => fetchBody(workspace, `${path}?${filter}`)),
  }
  const id = await createExport(workspace, {})
  let events = 0
  const exporting = await costOf(client, async () => {
    times['export of one window'] = await medianOf(EXPORTS, async () => {
      const exported = await backfill(id, range)
      events += exported
    })
    return events
  })
  return { times, exporting }
}

function isoOf(timestamp: number): string {
  return new Date(Math.floor(timestamp / 1_000)).toISOString()
}

async function medianOf(count: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  // The first tenth warms up the caches.
  for (let i = -Math.ceil(count / 10); i < count; i++) {
    const time = await timed(work)
    if (i >= 0) times.push(time)
  }
  return percentile(times, 0.5)
}

/** Exports a range, and returns the number of events. */
async function backfill(id: string, range: object): Promise<number> {
  const path = `${exportsPath(workspace)}/${id}`
  const { backfill_id } = JSON.parse(await postJson(workspace, `${path}/backfill/`, range))
  for (;;) {
    const { results } = JSON.parse(await fetchBody(workspace, `${path}/runs/`))
    const run = results.find((run: { backfill_id: string }) => run.backfill_id === backfill_id)
    if (run?.status === 'Completed') return run.records_completed
    if (run && !['Starting', 'Running'].includes(run.status))
      throw new Error(`the run ended with status ${run.status}: ${run.latest_error}`)
    await sleep(5)
  }
}

/** The body of a request with new events. */
function batchFor(project: Project | undefined): Buffer {
  const batch = Array.from({ length: BATCH_EVENTS }, (_, i) => {
    const uuid = v7()
    return {
      uuid,
      event: '$pageview',
      distinct_id: `visitor-${i % 50}`,
      timestamp: new Date().toISOString(),
      properties: browserProperties(`session-${i % 25}-${uuid.slice(0, 8)}`, '/pricing', uuid, i),
    }
  })
  return Buffer.from(JSON.stringify({ api_key: project?.api_token, batch }))
}

/** Sends the batches over HTTP, and returns the number of events. */
async function ingest(bodies: Buffer[]): Promise<number> {
  const events = bodies.length * BATCH_EVENTS
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let body = bodies.pop(); body; body = bodies.pop()) await fetchBody(workspace, '/batch/', { body })
    }),
  )
  return events
}

/** `work` returns the number of events. */
async function costOf(client: pg.Client, work: () => Promise<number>): Promise<Cost> {
  const read = async () => ({
    time: performance.now(),
    server: cpuOf(workspace.pid),
    postgres: await postgresCpu(client),
    wal: await walPosition(client),
  })
  const before = await read()
  const events = await work()
  const after = await read()
  return {
    events,
    events_per_second: (events / (after.time - before.time)) * 1_000,
    server_us_per_event: ((after.server - before.server) / events) * 1e6,
    postgres_us_per_event:
      after.postgres === null || before.postgres === null ? null : ((after.postgres - before.postgres) / events) * 1e6,
    wal_bytes_per_event: (after.wal - before.wal) / events,
  }
}

/** User and system time in seconds, of ended child processes too. */
function cpuTimes(pid: number): { own: number; children: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const seconds = (index: number): number => Number(fields[index]) / TICKS_PER_SECOND
  return { own: seconds(11) + seconds(12), children: seconds(13) + seconds(14) }
}

/** The CPU time of the server, its child processes and the ended ones. */
function cpuOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/).filter(Boolean)
  const { own, children: ended } = cpuTimes(pid)
  return children.reduce((sum, child) => sum + cpuTimes(Number(child)).own, own + ended)
}

/** The CPU time of the processes of PostgreSQL: the postmaster's children, running and ended. */
async function postgresCpu(client: pg.Client): Promise<number | null> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const backend = rows[0]?.pid
  try {
    const stat = readFileSync(`/proc/${backend}/stat`, 'utf8')
    if (!stat.includes('(postgres)')) return null
    return cpuOf(Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  } catch {
    return null
  }
}

async function walPosition(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as bytes",
  )
  return Number(rows[0]?.bytes)
}

async function sizesOf(client: pg.Client, events: number): Promise<Sizes> {
  const { rows } = await client.query<Record<'rows' | 'indexes' | 'other', string>>(`
    select pg_table_size('events')::text as rows, pg_indexes_size('events')::text as indexes,
      (select sum(pg_total_relation_size(name::regclass)) from unnest(array['persons', 'person_distinct_ids', 'person_changes',
        'event_sessions', 'session_changes', 'event_counts']) name)::text as other`)
  const [size] = rows
  return {
    events,
    rows_bytes_per_event: Number(size?.rows) / events,
    index_bytes_per_event: Number(size?.indexes) / events,
    other_bytes_per_event: Number(size?.other) / events,
  }
}

function tableOf({ requests, stages, ingestion, exporting }: Awaited<ReturnType<typeof run>>): string {
  const [before, after] = stages.map(({ events }) => `${format(events)} events`)
  const cost = ({ events_per_second, server_us_per_event, postgres_us_per_event, wal_bytes_per_event }: Cost): string =>
    `| ${format(events_per_second)} | ${format(server_us_per_event)} µs | ${
      postgres_us_per_event === null ? 'not measured' : `${format(postgres_us_per_event)} µs`
    } | ${format(wal_bytes_per_event)} B |`
  return [
    `| median in the largest of ${PROJECTS} projects | ${before} | ${after} | ratio | |`,
    '|---|---:|---:|---:|---|',
    ...requests.map(
      ({ name, before_ms, after_ms, ratio, limit }) =>
        `| ${name} | ${before_ms.toFixed(1)} ms | ${after_ms.toFixed(1)} ms | ${ratio.toFixed(2)} | ${ratio <= limit ? 'passed' : 'FAILED'} (maximum ${limit}) |`,
    ),
    '',
    '| on disk, per event | rows | indexes of events | persons, sessions, counts | COPY, events per second |',
    '|---|---:|---:|---:|---:|',
    ...stages.map(
      ({ events, rows_bytes_per_event, index_bytes_per_event, other_bytes_per_event, copied_per_second }) =>
        `| ${format(events)} events | ${format(rows_bytes_per_event)} B | ${format(index_bytes_per_event)} B | ${format(other_bytes_per_event)} B | ${format(copied_per_second)} |`,
    ),
    '',
    '| | events per second | server CPU per event | PostgreSQL CPU per event | WAL per event |',
    '|---|---:|---:|---:|---:|',
    `| ingestion, batches of ${BATCH_EVENTS} ${cost(ingestion)}`,
    `| export to JSON lines ${cost(exporting)}`,
  ].join('\n')
}

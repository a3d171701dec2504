/**
 * `npm run bench:growth` fills 100 projects on PostgreSQL, in a database with 1,000,000 events and in one with the full
 * number, and compares requests on both. Exits with 1 if one takes more than 1.5 times as long in the larger database. Also
 * prints the figures that docs/scaling.md calculates with.
 */
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { v7 } from 'uuid'
import { createExport } from './benchmarks/export.ts'
import { type Cost, costOf } from './cost.ts'
import { browserProperties, EventSeries } from './growth-events.ts'
import { compare, exportWindow, type Range, type Subject } from './growth-requests.ts'
import { createDatabase, embeddedPostgres, startOnDatabase, withClient } from './postgres.ts'
import { DAY_MS, DAYS, fetchBody, postJson, timed, type Workspace } from './workspace.ts'

const HELP = `Usage: npm run bench:growth -- [options]

Options:
  --events <number>     the full number of events (default: 10,000,000, which need about 25 GB in the temporary folder)
  --database-url <url>  a PostgreSQL server where databases can be created; they are dropped at the end
                        (default: an embedded server)
  --keep                with --database-url: do not drop the databases
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

const FEW = Math.min(1_000_000, EVENTS / 2)
/** The events of the exported window, over all projects. */
const WINDOW_EVENTS = FEW / 3
const PROJECTS = 100
const LIMIT = 1.5
const EXPORTS = 5
const INGESTED_BATCHES = 200
const BATCH_EVENTS = 500
const CONNECTIONS = 8
const PROGRESS_MS = 5_000

interface Project {
  id: number
  api_token: string
}

interface Filled extends Subject {
  projects: readonly Project[]
  sizes: Sizes
}

interface Sizes {
  events: number
  /** While filling. */
  copied_per_second: number
  rows_bytes_per_event: number
  index_bytes_per_event: number
  /** Persons, sessions and counts. */
  other_bytes_per_event: number
}

const format = (number: number): string => Math.round(number).toLocaleString('en')
const tell = (text: string): void => console.error(text)

const server = options['database-url'] ?? (await embeddedPostgres())
const start = Date.now() - DAYS * DAY_MS
const [small, large] = [await fill(FEW), await fill(EVENTS)]
tell('Measuring requests')
const requests = await compare(small, large)
tell('Measuring exports and ingestion')
const [exporting, ingestion] = await withClient(large.workspace.database, async (client) => [
  await costOf(large.workspace, client, () => exportRepeatedly(large)),
  await costOf(large.workspace, client, await prepareIngestion(large)),
])
await dropDatabases()
const result = { projects: PROJECTS, limit: LIMIT, requests, sizes: [small.sizes, large.sizes], ingestion, exporting }
console.log(options.json ? JSON.stringify(result, null, 1) : tableOf())
process.exit(requests.every(({ ratio }) => ratio <= LIMIT) ? 0 : 1)

/** A server on a database with `count` events. The density in time is the same for every count. */
async function fill(count: number): Promise<Filled> {
  const database = await createDatabase(server)
  const workspace = await startOnDatabase(database)
  const projects = await createProjects(workspace)
  const ids = projects.map(({ id }) => id)
  const series = new EventSeries(ids, start, (DAYS * DAY_MS * 1_000) / EVENTS)
  const sizes = await withClient(database, async (client) => {
    const milliseconds = await timed(() => series.write(client, count, progress(series, count)))
    tell(`${format(series.count)} events stored. Vacuuming`)
    await client.query('vacuum (analyze)')
    await client.query('checkpoint')
    return sizesOf(client, series.count, milliseconds)
  })
  const range: Range = {
    start_at: isoOf(series.timeOf(series.count - WINDOW_EVENTS)),
    end_at: isoOf(series.timeOf(series.count)),
  }
  return { workspace, projects, samples: series.samples, range, sizes }
}

async function createProjects(workspace: Workspace): Promise<Project[]> {
  const projects: Project[] = [{ id: workspace.project_id, api_token: workspace.project_token }]
  while (projects.length < PROJECTS)
    projects.push(JSON.parse(await postJson(workspace, '/api/projects/', { name: `Project ${projects.length}` })))
  return projects
}

function progress(series: EventSeries, count: number): () => void {
  let [at, before] = [performance.now(), series.count]
  return () => {
    const now = performance.now()
    if (now - at < PROGRESS_MS) return
    const rate = ((series.count - before) / (now - at)) * 1_000
    tell(`${format(series.count)} of ${format(count)} events, ${format(rate)} per second`)
    ;[at, before] = [now, series.count]
  }
}

function isoOf(timestamp: number): string {
  return new Date(Math.floor(timestamp / 1_000)).toISOString()
}

/** Returns the number of exported events. */
async function exportRepeatedly({ workspace, range }: Filled): Promise<number> {
  const id = await createExport(workspace, {})
  let events = 0
  for (let i = 0; i < EXPORTS; i++) events += await exportWindow(workspace, id, range)
  return events
}

/** Prepares batches for all projects. The result sends them over HTTP and returns the number of events. */
async function prepareIngestion({ workspace, projects }: Filled): Promise<() => Promise<number>> {
  const bodies = Array.from({ length: INGESTED_BATCHES }, (_, i) => batchFor(projects[i % PROJECTS]))
  return async () => {
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (let body = bodies.pop(); body; body = bodies.pop()) await fetchBody(workspace, '/batch/', { body })
      }),
    )
    return INGESTED_BATCHES * BATCH_EVENTS
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

async function dropDatabases(): Promise<void> {
  for (const { workspace } of [small, large]) {
    // It would log that its database is gone.
    process.kill(workspace.pid, 'SIGKILL')
    const name = new URL(workspace.database).pathname.slice(1)
    if (options.keep) tell(`The database ${name} was kept`)
    else if (options['database-url'])
      await withClient(server, (client) => client.query(`drop database ${name} with (force)`))
  }
}

async function sizesOf(client: pg.Client, events: number, milliseconds: number): Promise<Sizes> {
  const { rows } = await client.query<Record<'rows' | 'indexes' | 'other', string>>(`
    select pg_table_size('events')::text as rows, pg_indexes_size('events')::text as indexes,
      (select sum(pg_total_relation_size(name::regclass)) from unnest(array['persons', 'person_distinct_ids', 'person_changes',
        'event_sessions', 'session_changes', 'event_counts']) name)::text as other`)
  const [size] = rows
  return {
    events,
    copied_per_second: (events / milliseconds) * 1_000,
    rows_bytes_per_event: Number(size?.rows) / events,
    index_bytes_per_event: Number(size?.indexes) / events,
    other_bytes_per_event: Number(size?.other) / events,
  }
}

function tableOf(): string {
  const both = [small.sizes, large.sizes]
  const cost = ({ events_per_second, server_us_per_event, postgres_us_per_event, wal_bytes_per_event }: Cost): string =>
    `| ${format(events_per_second)} | ${format(server_us_per_event)} µs | ${
      postgres_us_per_event === null ? 'not measured' : `${format(postgres_us_per_event)} µs`
    } | ${format(wal_bytes_per_event)} B |`
  return [
    `| median in the largest of ${PROJECTS} projects | ${both.map(({ events }) => `${format(events)} events`).join(' | ')} | ratio | |`,
    '|---|---:|---:|---:|---|',
    ...requests.map(
      ({ name, small_ms, large_ms, ratio }) =>
        `| ${name} | ${small_ms.toFixed(1)} ms | ${large_ms.toFixed(1)} ms | ${ratio.toFixed(2)} | ${ratio <= LIMIT ? 'passed' : 'FAILED'} (maximum ${LIMIT}) |`,
    ),
    '',
    '| on disk, per event | rows | indexes of events | persons, sessions, counts | COPY, events per second |',
    '|---|---:|---:|---:|---:|',
    ...both.map(
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

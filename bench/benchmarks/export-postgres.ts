/** Exports from PostgreSQL, against the same exports from SQLite and against psql. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { startPostgres } from '../../test/helpers/postgres.ts'
import type { Benchmark, Variant } from '../benchmark.ts'
import { killOnExit, tempFolder, timed, type Workspace } from '../workspace.ts'
import { createExport, runOnce, startWithEvents } from './export.ts'

const EVENTS = 200_000
const PROGRAM = 'dist/workspace-admin.js'

interface Sides {
  sqlite: Workspace
  postgres: Workspace
  database_url: string
}
let sides: Sides
let opened: Promise<Sides> | undefined

/** A server on SQLite, and one on PostgreSQL with the same rows. */
async function open(): Promise<Sides> {
  const sqlite = await startWithEvents(EVENTS)
  const folder = join(tempFolder(), 'copy')
  cpSync(dirname(sqlite.file), folder, { recursive: true })
  const { url: database_url, stop } = await startPostgres()
  process.once('exit', () => void stop())
  const copy = spawn(process.execPath, [PROGRAM, 'copy', '--from', `sqlite:${folder}`, '--to', database_url])
  if ((await once(copy, 'exit'))[0] !== 0) throw new Error('copying to PostgreSQL failed')
  const client = new pg.Client(database_url)
  await client.connect()
  // As autovacuum does soon after such a copy.
  await client.query('vacuum analyze')
  await client.end()
  const serve = [PROGRAM, 'serve', '--json', '--port', '0', '--database', database_url]
  const server = spawn(process.execPath, serve, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      LOG_LEVEL: 'error',
      RATE_LIMITS: 'false',
      SECRET_KEY: readFileSync(join(folder, 'secret.key'), 'utf8').trim(),
      EXPORT_FOLDER: tempFolder(),
    },
  })
  killOnExit(server)
  const [line] = await once(createInterface(server.stdout), 'line')
  return { sqlite, postgres: { ...sqlite, url: JSON.parse(String(line)).url }, database_url }
}

const setup = async (): Promise<undefined> => {
  opened ??= open()
  sides = await opened
  return undefined
}

const exporting = (side: 'sqlite' | 'postgres', config: object): Variant => {
  let created: Promise<string> | undefined
  return async () => {
    created ??= createExport(sides[side], config)
    const id = await created
    return timed(() => runOnce(sides[side], id))
  }
}

/** The export's query as hand-written SQL. */
const ROWS = `
  select e.uuid, e.event, e.distinct_id, p.id, e.properties, p.properties, e.elements_chain,
    to_timestamp(e.timestamp / 1e6), to_timestamp(e.created_at / 1e6), to_timestamp(e.created_at / 1e6)
  from events e
  left join person_distinct_ids d on d.project_id = e.project_id and d.distinct_id = e.distinct_id
  left join persons p on p.project_id = d.project_id and p.id = d.person_id
  where e.project_id = 1 order by e.timestamp, e.uuid`.replaceAll('\n', ' ')

const psql: Variant = () =>
  timed(async () => {
    const file = join(tempFolder(), 'rows')
    const shell = spawn('psql', [sides.database_url, '-qc', `\\copy (${ROWS}) to '${file}'`], { stdio: 'inherit' })
    if ((await once(shell, 'exit'))[0] !== 0) throw new Error('psql failed')
  })

const FORMATS = {
  'JSON lines': {},
  gzip: { compression: 'gzip' },
  Parquet: { file_format: 'Parquet', compression: 'zstd' },
}

export const postgresExports: Benchmark[] = Object.entries(FORMATS).map(([format, config]) => {
  const [here, there] = [`${format} from PostgreSQL`, `${format} from SQLite`]
  const isPlain = format === 'JSON lines'
  return {
    name: 'export.postgres',
    description: `Exports ${EVENTS.toLocaleString('en')} events from PostgreSQL about as fast as from SQLite${isPlain ? ', and as psql copies the same rows' : ''}.`,
    rounds: 5,
    setup,
    variants: {
      [there]: exporting('sqlite', config),
      [here]: exporting('postgres', config),
      ...(isPlain && { 'psql \\copy': psql }),
    },
    limits: [
      { subject: here, against: there, atLeast: 0.9 },
      ...(isPlain ? [{ subject: here, against: 'psql \\copy', atLeast: 0.8 }] : []),
    ],
  }
})

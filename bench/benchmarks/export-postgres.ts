/** Exports from PostgreSQL, against the same exports from SQLite and against psql. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Benchmark, Variant } from '../benchmark.ts'
import { copyToPostgres } from '../postgres.ts'
import { tempFolder, timed, type Workspace } from '../workspace.ts'
import { exportTo, startWithEvents } from './export.ts'

const EVENTS = 200_000

interface Sides {
  sqlite: Workspace
  postgres: Workspace
}
let sides: Sides
let opened: Promise<Sides> | undefined

/** A server on SQLite, and one on PostgreSQL with the same rows. */
async function open(): Promise<Sides> {
  const sqlite = await startWithEvents(EVENTS)
  return { sqlite, postgres: await copyToPostgres(sqlite) }
}

const setup = async (): Promise<undefined> => {
  opened ??= open()
  sides = await opened
  return undefined
}

const exporting = (side: keyof Sides, config: object): Variant => {
  const measure = exportTo(config)
  return () => measure(sides[side])
}

/**
 * An export takes 2.3 s of CPU time from PostgreSQL and 1.6 s from SQLite, which two cores do in at least 1.15 and 0.8 s. The limit
 * of the other formats leaves no room for noise: runs were between 0.77 and 0.90.
 */
const PARQUET_LIMIT = 0.75

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
    const shell = spawn('psql', [sides.postgres.database, '-qc', `\\copy (${ROWS}) to '${file}'`], { stdio: 'inherit' })
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
  const atLeast = format === 'Parquet' ? PARQUET_LIMIT : 0.9
  return {
    name: 'export.postgres',
    description: `Exports ${EVENTS.toLocaleString('en')} events from PostgreSQL about as fast as from SQLite${isPlain ? ', and as psql copies the same rows' : ''}.${format === 'Parquet' ? ' PostgreSQL, the server and the Parquet writer share two cores.' : ''}`,
    rounds: 9,
    setup,
    variants: {
      [there]: exporting('sqlite', config),
      [here]: exporting('postgres', config),
      ...(isPlain && { 'psql \\copy': psql }),
    },
    limits: [
      { subject: here, against: there, atLeast },
      ...(isPlain ? [{ subject: here, against: 'psql \\copy', atLeast: 0.8 }] : []),
    ],
  }
})

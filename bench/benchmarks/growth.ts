/** The same request on a small and on a large database. */
import Sqlite from 'better-sqlite3'
import { v7 } from 'uuid'
import type { Benchmark, Variant } from '../benchmark.ts'
import { load } from '../load.ts'
import { databaseOf, installPeers } from '../peers.ts'
import { copyToPostgres } from '../postgres.ts'
import { fetchBody, postJson, shared, startWorkspace, type Workspace } from '../workspace.ts'

const FEW = 10
const MANY = 100_000
const AMOUNT = 2_000

interface Database {
  workspace: Workspace
  export_id: string
  run_id: string
}

const databaseWith = shared(createDatabase)

const postgresDatabaseWith = shared(async (count: number): Promise<Database> => {
  const original = await databaseWith(count)
  return { ...original, workspace: await copyToPostgres(original.workspace) }
})

/** Inserts `count` organizations of one user, members, exports, runs and log entries directly into the database. */
async function createDatabase(count: number): Promise<Database> {
  const workspace = await startWorkspace()
  const { organization_id, project_id } = workspace
  const body = { name: 'bench', interval: 'day', paused: true, destination: { type: 'NoOp', config: {} } }
  const path = `/api/projects/${project_id}/batch_exports/`
  const export_id: string = JSON.parse(await postJson(workspace, path, body)).id
  const range = { start_at: '2026-01-01T00:00:00Z', end_at: '2026-01-02T00:00:00Z' }
  await postJson(workspace, `${path}${export_id}/backfill/`, range)
  for (;;) {
    const [run] = JSON.parse(await fetchBody(workspace, `${path}${export_id}/runs/`)).results
    if (run.status === 'Completed') break
  }
  const db = new Sqlite(databaseOf(workspace))
  db.pragma('synchronous = off')
  const now = new Date().toISOString()
  const { created_at } = db.prepare('select created_at from organizations').get() as { created_at: string }
  const organization = db.prepare('insert into organizations values (?, ?, ?, ?, ?, 6, 1, null, null, 1)')
  const member = db.prepare('insert into members values (?, ?, ?, ?, ?, ?, ?)')
  const user = db.prepare(
    `insert into users (uuid, distinct_id, email, email_key, first_name, last_name, is_active, created_at)
     values (?, ?, ?, ?, 'Ada', '', 1, ?) returning id`,
  )
  const copies = ['batch_exports', 'batch_export_runs', 'batch_export_log_entries'].map((table) => copier(db, table))
  db.transaction(() => {
    for (let i = 1; i < count; i++) {
      const [id, email] = [v7(), `member-${i}@example.com`]
      organization.run(id, `Organization ${i}`, id, now, now)
      member.run(v7(), id, 1, 15, now, now, now)
      const { id: user_id } = user.get(v7(), v7(), email, email, now) as { id: number }
      member.run(v7(), organization_id, user_id, 1, now, now, created_at)
      for (const copy of copies) copy(i)
    }
    db.prepare('update organizations set member_count = ? where id = ?').run(count, organization_id)
  })()
  const { id: run_id } = db.prepare('select id from batch_export_runs order by rowid limit 1').get() as { id: string }
  db.exec('analyze')
  db.close()
  return { workspace, export_id, run_id }
}

/** Inserts copies of a table's first row with new ids and times. */
export function copier(db: Sqlite.Database, table: string): (i: number) => void {
  const columns = db.pragma(`table_info(${table})`) as { name: string; type: string; pk: number }[]
  const first = db.prepare(`select * from ${table} limit 1`).get() as Record<string, unknown>
  const names = columns.map(({ name }) => name).filter((name) => !(name === 'id' && typeof first.id === 'number'))
  const insert = db.prepare(`insert into ${table} (${names}) values (${names.map(() => '?')})`)
  const shifted = (value: unknown, i: number): string => new Date(Date.parse(String(value)) + i * 60_000).toISOString()
  return (i) =>
    insert.run(
      names.map((name) => {
        const value = first[name]
        if (name === 'id') return v7()
        if (name === 'range_key') return `${value}-${i}`
        return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? shifted(value, i) : value
      }),
    )
}

const requesting =
  (database: () => Promise<Database>, path: (database: Database) => string): Variant =>
  async (warmup) => {
    const found = await database()
    return load(found.workspace, { path: path(found) }, warmup ? AMOUNT / 4 : AMOUNT)
  }

/** A page of runs has 100 items, so fewer rows would return a shorter page. */
const FEW_RUNS = 100

const REQUESTS: [subject: string, atMost: number, path: (database: Database) => string, few?: number][] = [
  ['one organization', 1.2, ({ workspace }) => `/api/organizations/${workspace.organization_id}/`],
  ['organizations', 2, () => '/api/organizations/?limit=10'],
  ['members', 2, ({ workspace }) => `/api/organizations/${workspace.organization_id}/members/?limit=10`],
  ['one export', 1.2, (p) => `/api/projects/${p.workspace.project_id}/batch_exports/${p.export_id}/`],
  ['exports', 2, ({ workspace }) => `/api/projects/${workspace.project_id}/batch_exports/?limit=10`],
  ['one run', 1.2, (p) => `/api/projects/${p.workspace.project_id}/batch_exports/${p.export_id}/runs/${p.run_id}/`],
  ['runs', 2, (p) => `/api/projects/${p.workspace.project_id}/batch_exports/${p.export_id}/runs/`, FEW_RUNS],
  ['log entries', 2, (p) => `/api/projects/${p.workspace.project_id}/batch_exports/${p.export_id}/logs/?limit=10`],
]

const ENGINES = [
  { suffix: '', open: databaseWith },
  { suffix: ' on PostgreSQL', open: postgresDatabaseWith },
]

export const growth: Benchmark[] = REQUESTS.map(([subject, atMost, path, least = FEW]) => {
  const [few, many] = [`${least} rows`, `${MANY.toLocaleString('en')} rows`]
  return {
    name: `growth.${subject.replaceAll(' ', '_')}`,
    description: `${AMOUNT.toLocaleString('en')} requests for ${subject.startsWith('one') ? subject : `the first page of ${subject}`}, on a small and on a large database.`,
    rounds: 3,
    setup: async () => {
      installPeers()
      for (const { open } of ENGINES) for (const count of [least, MANY]) await open(count)
      return undefined
    },
    variants: Object.fromEntries(
      ENGINES.flatMap(({ suffix, open }) => [
        [few + suffix, requesting(() => open(least), path)],
        [many + suffix, requesting(() => open(MANY), path)],
      ]),
    ),
    limits: ENGINES.map(({ suffix }) => ({ subject: many + suffix, against: few + suffix, atMost })),
  }
})

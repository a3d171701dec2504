/** The same question where there is little and where there is much of it. */
import Sqlite from 'better-sqlite3'
import { v7 } from 'uuid'
import { load } from '../load.ts'
import { databaseOf, installPeers } from '../peers.ts'
import type { Contestant, Trial } from '../trial.ts'
import { answer, startWorkspace, type Workspace } from '../workspace.ts'

const FEW = 10
const MANY = 100_000
const AMOUNT = 2_000

interface Grown {
  workspace: Workspace
  export_id: string
  run_id: string
}

const grown = new Map<number, Promise<Grown>>()
const of = (count: number): Promise<Grown> => {
  const found = grown.get(count) ?? grow(count)
  grown.set(count, found)
  return found
}

/** Organizations of one user, members, exports, runs and log entries: so many of each, straight into the file. */
async function grow(count: number): Promise<Grown> {
  const workspace = await startWorkspace()
  const { organization_id, project_id } = workspace
  const body = { name: 'bench', interval: 'day', paused: true, destination: { type: 'NoOp', config: {} } }
  const path = `/api/projects/${project_id}/batch_exports/`
  const ask = (where: string, what: object): Promise<any> =>
    answer(workspace, where, { body: Buffer.from(JSON.stringify(what)) }).then(JSON.parse)
  const { id: export_id } = await ask(path, body)
  const range = { start_at: '2026-01-01T00:00:00Z', end_at: '2026-01-02T00:00:00Z' }
  await ask(`${path}${export_id}/backfill/`, range)
  for (;;) {
    const [run] = JSON.parse(await answer(workspace, `${path}${export_id}/runs/`)).results
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

/** Rows like the first one of the table, with ids and times of their own. */
function copier(db: Sqlite.Database, table: string): (i: number) => void {
  const columns = db.pragma(`table_info(${table})`) as { name: string; type: string; pk: number }[]
  const first = db.prepare(`select * from ${table} limit 1`).get() as Record<string, unknown>
  const names = columns.map(({ name }) => name).filter((name) => !(name === 'id' && typeof first.id === 'number'))
  const insert = db.prepare(`insert into ${table} (${names}) values (${names.map(() => '?')})`)
  const moved = (value: unknown, i: number): string => new Date(Date.parse(String(value)) + i * 60_000).toISOString()
  return (i) =>
    insert.run(
      names.map((name) => {
        const value = first[name]
        if (name === 'id') return v7()
        if (name === 'range_key') return `${value}-${i}`
        return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? moved(value, i) : value
      }),
    )
}

const asking =
  (count: number, path: (place: Grown) => string): Contestant =>
  async (warming) => {
    const place = await of(count)
    return load(place.workspace, { path: path(place) }, warming ? AMOUNT / 4 : AMOUNT)
  }

/** Pages of runs are of 100, so that fewer would make a shorter page. */
const FEW_RUNS = 100

const QUESTIONS: [what: string, atMost: number, path: (place: Grown) => string, few?: number][] = [
  ['one organization', 1.2, ({ workspace }) => `/api/organizations/${workspace.organization_id}/`],
  ['organizations', 2, () => '/api/organizations/?limit=10'],
  ['members', 2, ({ workspace }) => `/api/organizations/${workspace.organization_id}/members/?limit=10`],
  ['one export', 1.2, (p) => `/api/projects/${p.workspace.project_id}/batch_exports/${p.export_id}/`],
  ['exports', 2, ({ workspace }) => `/api/projects/${workspace.project_id}/batch_exports/?limit=10`],
  ['one run', 1.2, (p) => `/api/projects/${p.workspace.project_id}/batch_exports/${p.export_id}/runs/${p.run_id}/`],
  ['runs', 2, (p) => `/api/projects/${p.workspace.project_id}/batch_exports/${p.export_id}/runs/`, FEW_RUNS],
  ['log entries', 2, (p) => `/api/projects/${p.workspace.project_id}/batch_exports/${p.export_id}/logs/?limit=10`],
]

export const growth: Trial[] = QUESTIONS.map(([what, atMost, path, least = FEW]) => {
  const [few, many] = [`of ${least}`, `of ${MANY.toLocaleString('en')}`]
  return {
    name: `growth.${what.replaceAll(' ', '_')}`,
    why: `${AMOUNT.toLocaleString('en')} requests for ${what.startsWith('one') ? what : `the first page of ${what}`}, where there are few and where there are many.`,
    rounds: 3,
    setup: async () => {
      installPeers()
      await of(least)
      await of(MANY)
      return undefined
    },
    contestants: { [few]: asking(least, path), [many]: asking(MANY, path) },
    bars: [{ subject: many, against: few, atMost }],
  }
})

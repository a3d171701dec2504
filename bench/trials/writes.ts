/** Writes that are on the disk when they are answered, against the same transactions without a server. */
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { v7 } from 'uuid'
import { SQLITE_FILE } from '../../src/sql/sqlite.ts'
import { load } from '../load.ts'
import { installPeers } from '../peers.ts'
import type { Trial } from '../trial.ts'
import { startWorkspace, timed, type Workspace } from '../workspace.ts'

const AMOUNT = 2_000
let workspace: Workspace

const open = (): Sqlite.Database => {
  const db = new Sqlite(join(dirname(workspace.file), SQLITE_FILE))
  db.pragma('synchronous = full')
  db.pragma('foreign_keys = on')
  return db
}

/** What creating an organization writes: itself, its owner, its first project, and where its owner works. */
function rawCreate(): Promise<number> {
  const db = open()
  const now = new Date().toISOString()
  const organization = db.prepare('insert into organizations values (?, ?, ?, ?, ?, 6, 1, null, null, 1)')
  const member = db.prepare('insert into members values (?, ?, 1, 15, ?, ?, ?)')
  const project = db.prepare(
    `insert into projects (uuid, organization_id, api_token, name, timezone, ingested_event, created_at, updated_at)
     values (?, ?, ?, 'Default project', 'UTC', 0, ?, ?) returning id`,
  )
  const user = db.prepare('update users set current_organization_id = ?, current_project_id = ? where id = 1')
  const create = db.transaction(() => {
    const id = v7()
    organization.run(id, 'Raw', id, now, now)
    member.run(v7(), id, now, now, now)
    const made = project.get(v7(), id, `phc_${v7()}`, now, now) as { id: number }
    user.run(id, made.id)
  })
  return timed(() => {
    for (let i = 0; i < AMOUNT; i++) create.immediate()
    db.close()
  })
}

function rawPatch(): Promise<number> {
  const db = open()
  const update = db.prepare('update organizations set name = ?, updated_at = ? where id = ?')
  const patch = db.transaction((i: number) =>
    update.run(`Raw ${i}`, new Date().toISOString(), workspace.organization_id),
  )
  return timed(() => {
    for (let i = 0; i < AMOUNT; i++) patch.immediate(i)
    db.close()
  })
}

const RAW = 'the transaction alone'
const OURS = 'workspace-admin'

const trial = (name: string, why: string, raw: () => Promise<number>, ours: () => Promise<number>): Trial => ({
  name,
  why: `${why} ${AMOUNT.toLocaleString('en')} of them, each synced to the disk.`,
  rounds: 5,
  setup: async () => {
    installPeers()
    workspace ??= await startWorkspace()
    return undefined
  },
  contestants: { [RAW]: raw, [OURS]: ours },
  bars: [{ subject: OURS, against: RAW, atLeast: 0.7 }],
})

export const writes: Trial[] = [
  trial('writes.create', 'An organization with its owner and first project.', rawCreate, () =>
    load(workspace, { method: 'POST', path: '/api/organizations/', body: '{"name":"Ours"}' }, AMOUNT),
  ),
  trial('writes.patch', "An organization's name.", rawPatch, () =>
    load(
      workspace,
      { method: 'PATCH', path: `/api/organizations/${workspace.organization_id}/`, body: '{"name":"Ours"}' },
      AMOUNT,
    ),
  ),
]

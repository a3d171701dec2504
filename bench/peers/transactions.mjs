/** The writes of creating and renaming an organization, each in one transaction that is synced to disk. */
import { randomUUID } from 'node:crypto'
import Sqlite from 'better-sqlite3'

export function openTransactions(file) {
  const db = new Sqlite(file)
  db.pragma('synchronous = full')
  db.pragma('foreign_keys = on')
  const organization = db.prepare('insert into organizations values (?, ?, ?, ?, ?, 6, 1, null, null, 1)')
  const member = db.prepare('insert into members values (?, ?, 1, 15, ?, ?, ?)')
  const project = db.prepare(
    `insert into projects (uuid, organization_id, api_token, name, timezone, ingested_event, created_at, updated_at)
     values (?, ?, ?, 'Default project', 'UTC', 0, ?, ?) returning id`,
  )
  const user = db.prepare('update users set current_organization_id = ?, current_project_id = ? where id = 1')
  const update = db.prepare('update organizations set name = ?, updated_at = ? where id = ?')
  let patched = 0
  return {
    create: db.transaction((name) => {
      const [id, now] = [randomUUID(), new Date().toISOString()]
      organization.run(id, name, id, now, now)
      member.run(randomUUID(), id, now, now, now)
      user.run(id, project.get(randomUUID(), id, `phc_${randomUUID()}`, now, now).id)
    }).immediate,
    // The name changes each time: SQLite skips updates that change nothing.
    patch: db.transaction((id, name) => update.run(`${name} ${++patched}`, new Date().toISOString(), id)).immediate,
    close: () => db.close(),
  }
}

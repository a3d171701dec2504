/** A child process that takes the write lock of SQLite, and commits when it receives a message. */
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { SQLITE_FILE } from '../../../src/sql/sqlite.ts'
import { itemAt } from '../assertions/items.ts'

const handle = new Sqlite(join(itemAt(process.argv, 2), SQLITE_FILE))
handle.exec('begin immediate; insert into marks values (1)')
process.send?.('locked')
process.once('message', () => {
  handle.exec('commit')
  handle.close()
  process.disconnect()
})

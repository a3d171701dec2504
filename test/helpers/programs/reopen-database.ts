/** A child process that opens and closes the database repeatedly, like commands next to a server. */
import { openDatabase } from '../../../src/sql/open.ts'

for (let i = 0; i < 100; i++) {
  const db = await openDatabase(`sqlite:${process.argv[2]}`)
  await db.exec('create table if not exists marks (id integer primary key)')
  await db.close()
}

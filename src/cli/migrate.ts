import { Command } from 'commander'
import type { Variables } from '../config.ts'
import { openStores } from '../deps.ts'
import { makeIds } from '../ids.ts'
import { clockOf } from '../sql/db.ts'
import { migrate as bringToVersion } from '../sql/migrate.ts'
import { openDatabase } from '../sql/open.ts'
import { databaseUrl, type LocalOptions, local } from './local.ts'

export const migrate = (variables: Variables): Command =>
  local(new Command('migrate'))
    .description(
      "Brings the database to this program's version, and makes it where there is none. `serve` does the same when it starts; run it apart to upgrade before the first node does.",
    )
    .addHelpText(
      'after',
      `
Make a backup first: there is no way back from a newer version but a backup.

Examples:
  $ workspace-admin migrate
  $ workspace-admin migrate --database postgres://workspace@db.example.com/workspace --json`,
    )
    .action(async (options: LocalOptions) => {
      const url = databaseUrl(variables, options)
      const db = await openDatabase(url)
      try {
        const milliseconds = clockOf(db)
        const now = new Date(milliseconds()).toISOString()
        const { from, to } = await bringToVersion(db, now)
        const events = await openStores({ url, db, ids: makeIds(milliseconds), now })
        if (events !== db) await events.close()
        if (options.json) console.log(JSON.stringify({ database: db.location, from, to }))
        else if (from === to) console.log(`${db.location} is at schema version ${to} already. Nothing to do.`)
        else console.log(`${db.location} went from schema version ${from} to ${to}.`)
      } finally {
        await db.close()
      }
    })

import { Command } from 'commander'
import type { Variables } from '../config.ts'
import { openStores } from '../deps.ts'
import { makeIds } from '../ids.ts'
import { clockOf } from '../sql/db.ts'
import { distributionScript } from '../sql/distribution.ts'
import { migrate as bringToVersion, EVENTS, requireCurrent } from '../sql/migrate.ts'
import { openDatabase } from '../sql/open.ts'
import { describeTables } from '../sql/tables.ts'
import { usage } from './failure.ts'
import { databaseUrl, type LocalOptions, local } from './local.ts'

export const migrate = (variables: Variables): Command =>
  local(new Command('migrate'))
    .description(
      "Brings the database to this program's version, and makes it where there is none. `serve` does the same when it starts; run it apart to upgrade before the first node does.",
    )
    .option(
      '--print-distribution',
      'change nothing; print the statements that spread the tables over the nodes of a Citus cluster',
    )
    .addHelpText(
      'after',
      `
Make a backup first: there is no way back from a newer version but a backup.

Examples:
  $ workspace-admin migrate
  $ workspace-admin migrate --database postgres://workspace@db.example.com/workspace --json
  $ workspace-admin migrate --print-distribution --database postgres://workspace@coordinator/workspace | psql …`,
    )
    .action(async (options: LocalOptions & { printDistribution?: boolean }) => {
      const url = databaseUrl(variables, options)
      if (options.printDistribution) return console.log(await distributionOf(url))
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

/** From the tables as they are, so that none is forgotten and what stands in the way is found before the cluster does. */
async function distributionOf(url: string): Promise<string> {
  if (url.startsWith('sqlite:'))
    throw usage('Only PostgreSQL spreads over nodes: name it with --database postgres://….')
  const db = await openDatabase(url, { mode: 'read' })
  try {
    await requireCurrent(db)
    await requireCurrent(db, EVENTS)
    return distributionScript(await describeTables(db))
  } finally {
    await db.close()
  }
}

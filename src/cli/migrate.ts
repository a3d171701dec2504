import { Command } from 'commander'
import type { Variables } from '../config.ts'
import { openStores } from '../deps.ts'
import { recount } from '../events/counts.ts'
import { makeIds } from '../ids.ts'
import { clockOf } from '../sql/db.ts'
import { distributionScript } from '../sql/distribution.ts'
import { EVENTS, migrate, requireCurrent } from '../sql/migrate.ts'
import { openDatabase } from '../sql/open.ts'
import { describeTables } from '../sql/tables.ts'
import { usageError } from './failure.ts'
import { printResult } from './json-output.ts'
import { databaseUrl, type LocalOptions, withLocalOptions } from './local.ts'
import { write } from './streams.ts'

export const migrateCommand = (variables: Variables): Command =>
  withLocalOptions(new Command('migrate'), ['database', 'from', 'to'])
    .description(
      "Migrates the database to this program's schema version, and creates it if it does not exist. `serve` does the same at every start. Run this command to upgrade before the first node does.",
    )
    .option(
      '--print-distribution',
      'change nothing; print the SQL that distributes the tables over the nodes of a Citus cluster',
    )
    .option(
      '--recount-events',
      'discard the hourly counts of events; the server counts all events again in the background',
    )
    .addHelpText(
      'after',
      `
Make a backup first: only a backup brings an older schema version back.

Examples:
  $ workspace-admin migrate
  $ workspace-admin migrate --database postgres://workspace@db.example.com/workspace --json
  $ workspace-admin migrate --print-distribution --database postgres://workspace@coordinator/workspace | psql …`,
    )
    .action(async (options: LocalOptions & { printDistribution?: boolean; recountEvents?: boolean }) => {
      const url = databaseUrl(variables, options)
      if (options.printDistribution) return write(`${await readDistributionScript(url)}\n`)
      const db = await openDatabase(url)
      try {
        const milliseconds = clockOf(db)
        const now = new Date(milliseconds()).toISOString()
        const { from, to } = await migrate(db, now)
        const events = await openStores({ url, db, ids: makeIds(milliseconds), now })
        try {
          if (options.recountEvents) await recount(events)
        } finally {
          if (events !== db) await events.close()
        }
        const done =
          from === to
            ? `${db.location} is already at schema version ${to}.`
            : `${db.location}: migrated from schema version ${from} to ${to}.`
        await printResult(options, { database: db.location, from, to }, done)
      } finally {
        await db.close()
      }
    })

/** Derived from the tables of the database, so it covers all of them and finds obstacles before the cluster does. */
async function readDistributionScript(url: string): Promise<string> {
  if (url.startsWith('sqlite:'))
    throw usageError('Only PostgreSQL can be distributed. Name the database with --database postgres://….')
  const db = await openDatabase(url, { mode: 'read' })
  try {
    await requireCurrent(db)
    await requireCurrent(db, EVENTS)
    return distributionScript(await describeTables(db))
  } finally {
    await db.close()
  }
}

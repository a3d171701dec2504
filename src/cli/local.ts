/** What the commands share that work on the database itself, beside a running server or without one. */
import { type Command, Option } from 'commander'
import { readConfig, type Variables } from '../config.ts'
import { openStores } from '../deps.ts'
import { type Ids, makeIds } from '../ids.ts'
import { clockOf, type Database } from '../sql/db.ts'
import { requireCurrent } from '../sql/migrate.ts'
import { openDatabase } from '../sql/open.ts'

export interface LocalOptions {
  database?: string
  json?: boolean
}

/** Adds --database and --json. */
export const local = (command: Command): Command =>
  command
    .addOption(
      new Option('--database <url>', 'sqlite:<folder> or postgres://… (else DATABASE_URL, else sqlite:./data)'),
    )
    .option('--json', 'print JSON')

export const databaseUrl = (variables: Variables, { database }: LocalOptions): string =>
  readConfig({ ...variables, ...(database && { DATABASE_URL: database }) }).DATABASE_URL

export interface Local {
  db: Database
  now: string
  ids: Ids
}

/** Opens the database, which must be there and of this program's version, for as long as the work takes. */
export async function onDatabase<Result>(
  variables: Variables,
  options: LocalOptions,
  work: (local: Local) => Promise<Result>,
): Promise<Result> {
  const db = await openDatabase(databaseUrl(variables, options), { mode: 'existing' })
  try {
    await requireCurrent(db)
    const milliseconds = clockOf(db)
    return await work({ db, ids: makeIds(milliseconds), now: new Date(milliseconds()).toISOString() })
  } finally {
    await db.close()
  }
}

/** The same with the events, which are brought to this program's version where they are not. */
export function onEvents<Result>(
  variables: Variables,
  options: LocalOptions,
  work: (local: Local & { events: Database }) => Promise<Result>,
): Promise<Result> {
  return onDatabase(variables, options, async (local) => {
    const { db, ids, now } = local
    const events = await openStores({ url: databaseUrl(variables, options), db, ids, now })
    try {
      return await work({ ...local, events })
    } finally {
      if (events !== db) await events.close()
    }
  })
}

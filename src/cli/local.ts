/** Shared by the commands that open the database themselves, with or without a running server. */
import type { Command } from 'commander'
import { readConfig, type Variables } from '../config.ts'
import { openStores } from '../deps.ts'
import { type Ids, makeIds } from '../ids.ts'
import { clockOf, type Database } from '../sql/db.ts'
import { requireCurrent } from '../sql/migrate.ts'
import { openDatabase } from '../sql/open.ts'
import { type JsonFlags, withJsonOptions } from './json-output.ts'

export interface LocalOptions extends JsonFlags {
  database?: string
}

/** Adds --database and --json. `fields` are the fields of the result, or of its rows. */
export const withLocalOptions = (command: Command, fields: readonly string[]): Command =>
  withJsonOptions(
    command.option('--database <url>', 'sqlite:<folder> or postgres://… (default: DATABASE_URL, then sqlite:./data)'),
    fields,
  )

export const databaseUrl = (variables: Variables, { database }: LocalOptions): string =>
  readConfig({ ...variables, ...(database && { DATABASE_URL: database }) }).DATABASE_URL

export interface LocalContext {
  db: Database
  now: string
  ids: Ids
}

/** Runs `work` on an existing database whose schema is current, and closes the database afterwards. */
export async function withDatabase<Result>(
  variables: Variables,
  options: LocalOptions,
  work: (context: LocalContext) => Promise<Result>,
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

/** Like `withDatabase`, and also opens the event store, migrating it if needed. */
export function withEventStore<Result>(
  variables: Variables,
  options: LocalOptions,
  work: (context: LocalContext & { events: Database }) => Promise<Result>,
): Promise<Result> {
  return withDatabase(variables, options, async (context) => {
    const { db, ids, now } = context
    const events = await openStores({ url: databaseUrl(variables, options), db, ids, now })
    try {
      return await work({ ...context, events })
    } finally {
      if (events !== db) await events.close()
    }
  })
}

import type { Engine, Sql } from './template.ts'

/**
 * The port to a database: seven functions, two engines behind them.
 * Inside `tx` use what `tx` hands you, await nothing else and change nothing else: on SQLite every other write waits for it,
 * those that were asked for before included, and it may be done twice.
 */
export interface Db {
  readonly engine: Engine
  all<Row>(statement: Sql): Promise<Row[]>
  get<Row>(statement: Sql): Promise<Row | undefined>
  /** How many rows `from …` finds. On SQLite it is remembered until the next commit: lists count with every page. */
  count(found: Sql): Promise<number>
  /** Runs a statement and answers how many rows it changed. */
  run(statement: Sql): Promise<number>
  /** All of it or nothing. Resolves when the commit is durable. */
  tx<Result>(work: (tx: Db) => Promise<Result>): Promise<Result>
  /** Runs a text of several statements without parameters: migrations. */
  exec(text: string): Promise<void>
  close(): Promise<void>
}

/** What a handle also tells about itself, beyond what statements need. */
export interface Database extends Db {
  /** Milliseconds the database's clock is ahead of the process's. */
  skew(): number
  /** Where it is, without credentials. */
  readonly location: string
  /** Another number after every commit, whichever process made it; undefined where nobody can tell without asking. */
  changes(): number | undefined
}

/** The time in milliseconds, as the database has it. */
export const clockOf =
  (db: Database, machine: () => number = Date.now) =>
  (): number =>
    machine() + db.skew()

export interface DbOptions {
  /**
   * `create` makes the database where there is none; `existing` refuses that, and `read` refuses to change anything
   * besides. Both throw `no_database`. `alone`, on SQLite, is `existing` and nobody else: throws `in_use` while another
   * process has it open, and keeps others out until it is closed.
   */
  mode?: 'create' | 'existing' | 'read' | 'alone'
  /** The file in the folder, on SQLite. */
  file?: string
  /** PostgreSQL: how many connections at most. */
  connections?: number
  /** PostgreSQL: how long to wait for one before it is `unavailable`. */
  wait_ms?: number
  /** PostgreSQL: how long a statement waits for a lock before it is `unavailable`; for ever by default. */
  lock_ms?: number
  /** Called with the seconds each statement took. */
  observe?: (seconds: number) => void
}

/** For a line that is to be pasted: who connects stays, and PGPASSWORD or the prompt gives the password. */
export const withoutPassword = (url: string): string =>
  url.replace(/^([^/]*\/\/[^:@/]*):.*@/, '$1@').replace(/(?<=[?&])password=[^&]*&?/, '')

/** Up to the last @, because a password may hold what a URL should not. */
export function withoutCredentials(url: string): string {
  const [start, at] = [url.indexOf('//') + 2, url.lastIndexOf('@')]
  return (start > 1 && at >= start ? url.slice(0, start) + url.slice(at + 1) : url).split('?', 1)[0]!
}

const UNIQUE_VIOLATIONS = new Set(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', '23505'])

const LOST_RACES = new Set(['40001', '40P01'])
const FOREIGN_KEY_VIOLATIONS = new Set(['SQLITE_CONSTRAINT_FOREIGNKEY', '23503'])

/** What the row belongs to is gone. */
export const isForeignKeyViolation = (error: unknown): boolean =>
  FOREIGN_KEY_VIOLATIONS.has((error as { code?: string } | null)?.code ?? '')

export const isUniqueViolation = (error: unknown): boolean =>
  UNIQUE_VIOLATIONS.has((error as { code?: string } | null)?.code ?? '')

/** Two transactions wanted the same rows in different orders: PostgreSQL undid this one, and it is worth another try. */
export const isLostRace = (error: unknown): boolean => LOST_RACES.has((error as { code?: string } | null)?.code ?? '')

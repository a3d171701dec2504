import { errorCode } from '../errors.ts'
import type { Engine, Sql } from './template.ts'

/**
 * The interface to a database, implemented for two engines.
 * Inside `tx`, use only the `tx` argument, await nothing else and have no other side effects: on SQLite all other writes
 * wait for it, and it may run twice.
 */
export interface Db {
  readonly engine: Engine
  all<Row>(statement: Sql): Promise<Row[]>
  /** Returns the first row. For lookups by key: on PostgreSQL, others may wait for it on the same connection. */
  get<Row>(statement: Sql): Promise<Row | undefined>
  /** Counts the rows of `from …`. SQLite caches the result until the next commit, because lists count on every page. */
  count(found: Sql): Promise<number>
  /** Runs a statement and returns the number of changed rows. */
  run(statement: Sql): Promise<number>
  /**
   * Inside a transaction: runs a statement whose result is not needed. PostgreSQL does not wait for the response, so several
   * statements take one round trip. If the statement fails, the transaction fails with its error.
   */
  send(statement: Sql): Promise<void>
  /** Runs `work` in a transaction. Resolves once the commit is durable. */
  tx<Result>(work: (tx: Db) => Promise<Result>): Promise<Result>
  /** Runs several statements without parameters, for migrations. */
  exec(text: string): Promise<void>
  close(): Promise<void>
}

/** An open database with its location and clock. */
export interface Database extends Db {
  /** Milliseconds the database's clock is ahead of the process's. */
  skew(): number
  /** File or URL, without credentials. */
  readonly location: string
  /** The connections of a PostgreSQL pool; undefined on SQLite. */
  pool(): PoolState | undefined
  /** Changes after every commit of any process. Undefined on PostgreSQL, where reading it costs a round trip. */
  changes(): number | undefined
  /** Resolves when every commit visible so far, of any process, is on disk. On PostgreSQL, visible commits are. */
  sync(): Promise<void>
  /** Why the last write failed, if the database accepts none, as on a full disk. Undefined after a write that succeeded. */
  writeFailure(): unknown
}

export interface PoolState {
  used: number
  idle: number
  /** Callers that wait for a connection. */
  waiting: number
  max: number
}

/** The database's time in milliseconds. */
export const clockOf =
  (db: Database, machine: () => number = Date.now) =>
  (): number =>
    machine() + db.skew()

export type Observe = (seconds: number, text: string) => void
export type RunInContext = <Result>(work: () => Result) => Result

export interface DbOptions {
  /**
   * `create` creates a missing database. `existing` and `read` (read-only) throw `no_database` instead. `alone` (SQLite)
   * is `existing` with an exclusive lock; it throws `in_use` while another process has the file open. `restoring` is
   * `alone` in a folder with an unfinished restore; every other mode throws `in_use` there.
   */
  mode?: 'create' | 'existing' | 'read' | 'alone' | 'restoring'
  /** SQLite: the file inside the folder. */
  file?: string
  /** SQLite: moves the log into the file in a thread instead of in commits. For servers. */
  background_checkpoints?: boolean
  /** PostgreSQL: the size of the pool. */
  connections?: number
  /** PostgreSQL: lookups share two more connections. For servers with many parallel requests. */
  share_connections?: boolean
  /** PostgreSQL: how long to wait for a connection before failing with `unavailable`. */
  wait_ms?: number
  /** PostgreSQL: how long to wait for a lock before failing with `unavailable`. Default: no limit. */
  lock_ms?: number
  /** Called with the duration of each statement in seconds and its text, which contains no values. */
  observe?: Observe
  /**
   * Returns a function that runs work in the current asynchronous context. On SQLite, queued writes use it: `observe` is
   * called in the context of the request that wrote.
   */
  snapshot?: () => RunInContext
}

/** The database file of a command is missing or in use. */
export class DatabaseFileError extends Error {
  constructor(
    readonly code: 'no_database' | 'in_use',
    message: string,
  ) {
    super(message)
    this.name = 'DatabaseFileError'
  }
}

/** For a command to paste: keeps the user name. PGPASSWORD or the prompt supplies the password. */
export const withoutPassword = (url: string): string =>
  url.replace(/^([^/]*\/\/[^:@/]*):.*@/, '$1@').replace(/(?<=[?&])password=[^&]*&?/, '')

/** Removes everything up to the last @, because a password may contain unescaped characters. */
export function withoutCredentials(url: string): string {
  const [start, at] = [url.indexOf('//') + 2, url.lastIndexOf('@')]
  const [address = ''] = (start > 1 && at >= start ? url.slice(0, start) + url.slice(at + 1) : url).split('?', 1)
  return address
}

const UNIQUE_VIOLATIONS = new Set(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', '23505'])
const LOST_RACES = new Set(['40001', '40P01'])
const FOREIGN_KEY_VIOLATIONS = new Set(['SQLITE_CONSTRAINT_FOREIGNKEY', '23503'])

/** The referenced row does not exist. */
export const isForeignKeyViolation = (error: unknown): boolean => FOREIGN_KEY_VIOLATIONS.has(errorCode(error))

export const isUniqueViolation = (error: unknown): boolean => UNIQUE_VIOLATIONS.has(errorCode(error))

/** PostgreSQL rolled back this transaction because of a deadlock or a serialization failure. A retry may succeed. */
export const isLostRace = (error: unknown): boolean => LOST_RACES.has(errorCode(error))

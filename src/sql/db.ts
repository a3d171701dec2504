import type { Engine, Sql } from './template.ts'

/**
 * The port to a database: six functions, two engines behind them.
 * Inside `tx` use what `tx` hands you and await nothing else: on SQLite every other write waits for it.
 */
export interface Db {
  readonly engine: Engine
  all<Row>(statement: Sql): Promise<Row[]>
  get<Row>(statement: Sql): Promise<Row | undefined>
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
}

export interface DbOptions {
  /** Called with the seconds each statement took. */
  observe?: (seconds: number) => void
}

const UNIQUE_VIOLATIONS = new Set(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', '23505'])

export const isUniqueViolation = (error: unknown): boolean =>
  UNIQUE_VIOLATIONS.has((error as { code?: string } | null)?.code ?? '')

import type { Engine } from './template.ts'

/** Column types that differ between the engines. Ids and times (ISO 8601) are text. */
export interface ColumnTypes {
  engine: Engine
  /** An integer primary key that is never reused. */
  serial: string
  /** The same for tables whose primary key is another: large PostgreSQL tables are keyed by project first. */
  sequence: string
  integer: string
  boolean: string
  /** Text that compares by code point. */
  text: string
  /** JSON stored as the exact text that was sent. */
  json: string
  /** Follows the closing parenthesis of `create table`. */
  strict: string
  /** The same for tables clustered by primary key, which saves one lookup per row. */
  keyed: string
}

export const COLUMN_TYPES: Record<Engine, ColumnTypes> = {
  sqlite: {
    engine: 'sqlite',
    serial: 'integer primary key autoincrement',
    sequence: 'integer primary key autoincrement',
    integer: 'integer',
    boolean: 'integer',
    text: 'text',
    json: 'text',
    strict: 'strict',
    keyed: 'strict, without rowid',
  },
  postgres: {
    engine: 'postgres',
    serial: 'bigint generated always as identity primary key',
    sequence: 'bigint generated always as identity',
    integer: 'bigint',
    boolean: 'boolean',
    text: 'text collate "C"',
    json: 'json',
    strict: '',
    keyed: '',
  },
}

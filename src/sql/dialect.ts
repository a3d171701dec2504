import type { Engine } from './template.ts'

/** The column types whose words differ between the engines. Ids are text, times are ISO 8601 text, JSON is text. */
export interface Dialect {
  engine: Engine
  /** An integer key that is never given twice. */
  serial: string
  /** The same where the table's own key is another: every large table of PostgreSQL is keyed by project first. */
  sequence: string
  integer: string
  boolean: string
  /** Text that compares by code point. */
  text: string
  /** JSON that stays the text it was. */
  json: string
  /** What follows the closing bracket of a table. */
  strict: string
  /** The same where rows lie in the order of the key: one search finds them instead of two. */
  keyed: string
}

export const DIALECTS: Record<Engine, Dialect> = {
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

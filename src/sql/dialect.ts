import type { Engine } from './template.ts'

/** The column types whose words differ between the engines. Ids are text, times are ISO 8601 text, JSON is text. */
export interface Dialect {
  /** An integer key that is never given twice. */
  serial: string
  integer: string
  boolean: string
  /** Text that compares by code point. */
  text: string
  /** What follows the closing bracket of a table. */
  strict: string
}

export const DIALECTS: Record<Engine, Dialect> = {
  sqlite: {
    serial: 'integer primary key autoincrement',
    integer: 'integer',
    boolean: 'integer',
    text: 'text',
    strict: 'strict',
  },
  postgres: {
    serial: 'bigint generated always as identity primary key',
    integer: 'bigint',
    boolean: 'boolean',
    text: 'text collate "C"',
    strict: '',
  },
}

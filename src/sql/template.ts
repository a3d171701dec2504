/**
 * SQL as SQL: a tagged template whose values are parameters by default and whose fragments nest.
 *
 *   sql`select * from projects where id = ${id} ${lock}`
 */
export type Value = string | number | boolean | null | Uint8Array

export interface Sql {
  readonly strings: readonly string[]
  readonly parts: readonly Part[]
  /** Whether it was written with `lookup`. */
  readonly isLookup?: boolean
}

/** A fragment that differs between the engines. */
export interface Either {
  readonly sqlite: Sql
  readonly postgres: Sql
  /** Only in fragments that have the same result on DuckDB, which queries the mirror of the events. */
  readonly duckdb?: Sql
}

export type Part = Value | Sql | Either
export type Engine = 'sqlite' | 'postgres'
export type Dialect = Engine | 'duckdb'

export function sql(strings: TemplateStringsArray, ...parts: Part[]): Sql {
  return { strings, parts }
}

/**
 * A statement of the request path that finds a few rows by key. On PostgreSQL, lookups share connections
 * (`postgres-lookups.ts`), so a lookup never waits for a row lock and reads no more than one screen of rows.
 */
export function lookup(strings: TemplateStringsArray, ...parts: Part[]): Sql {
  return { strings, parts, isLookup: true }
}

/** A table or column name. Throws unless it is a plain lower-case identifier, so user input never becomes one. */
export function name(identifier: string): Sql {
  if (!/^[a-z][a-z0-9_]*$/.test(identifier)) throw new Error(`Not a valid identifier: ${identifier}.`)
  return { strings: [identifier], parts: [] }
}

/** `a = ?, b = ?` for an update; the keys are column names. */
export function assignments(changes: Record<string, Value>): Sql {
  const columns = Object.keys(changes)
  const strings = columns.map((column, i) => `${i ? ', ' : ''}${name(column).strings[0]} = `)
  return { strings: [...strings, ''], parts: Object.values(changes) }
}

/** `(a, b) values (?, ?)` for an insert; the keys are column names. */
export const insertion = (row: Record<string, Value>): Sql =>
  sql`(${joined(Object.keys(row).map(name), ', ')}) values ${rows([Object.values(row)])}`

/** `column in ${oneOf(list)}`: one parameter and one prepared statement for lists of any length. */
export function oneOf(list: readonly (string | number)[]): Either {
  const json = JSON.stringify(list)
  return {
    sqlite: sql`(select value from json_each(${json}))`,
    postgres:
      typeof list[0] === 'number'
        ? sql`(select value::bigint from json_array_elements_text(${json}::json))`
        : sql`(select value from json_array_elements_text(${json}::json))`,
  }
}

/**
 * `column ${among(selected)}`: the values of a subquery with a limit. PostgreSQL does not know the limit of a prepared
 * statement and would read the whole table for `in`.
 */
export const among = (selected: Sql): Either => ({
  sqlite: sql`in (${selected})`,
  postgres: sql`= any(array(${selected}))`,
})

/** Rows per insert. Few sizes mean few prepared statements. */
const CHUNK_SIZES = [100, 30, 10, 3, 1]

/** Splits a list into chunks of those sizes. */
export function* chunks<Item>(list: readonly Item[]): Generator<readonly Item[]> {
  let at = 0
  for (const size of CHUNK_SIZES)
    for (; list.length - at >= size; at += size)
      yield at === 0 && list.length === size ? list : list.slice(at, at + size)
}

const shapes = new Map<string, string[]>()

/** `values ${rows(list)}` for rows of equal width. Pass `chunks`: every length needs its own prepared statement. */
export function rows(list: readonly (readonly Value[])[]): Sql {
  const width = list[0]?.length ?? 0
  const key = `${list.length} ${width}`
  let strings = shapes.get(key)
  if (!strings) {
    const row = ['(', ...Array<string>(width - 1).fill(', ')]
    strings = [...list.flatMap((_, i) => (i === 0 ? row : ['), (', ...row.slice(1)])), ')']
    shapes.set(key, strings)
  }
  return { strings, parts: list.flat() }
}

export const joined = (parts: readonly Sql[], separator: string): Sql => ({
  strings: ['', ...parts.slice(1).map(() => separator), ''],
  parts,
})

export const counting = (found: Sql): Sql => sql`select count(*) as count ${found}`

const none = sql``

/** Locks the selected rows until the transaction ends. SQLite has one writer, so it needs no row locks. */
export const forUpdate: Either = { sqlite: none, postgres: sql`for update` }

/** The same for rows that no other transaction has locked. */
export const skipLocked: Either = { sqlite: none, postgres: sql`for update skip locked` }

/** Tests set this function to record the text of every statement. */
const hooks: { recordStatement?: (engine: Engine, text: string, statement: Sql) => void } = globalThis as object

export interface CompiledStatement {
  text: string
  values: Value[]
}

/** Returns the text and parameters of a statement for one engine. Throws NoDuckdbFormError if DuckDB cannot run it. */
export function compile(statement: Sql, dialect: Dialect): CompiledStatement {
  return dialect === 'duckdb' ? compileForDuckdb(statement) : compileForEngine(statement, dialect)
}

function compileForEngine(statement: Sql, engine: Engine): CompiledStatement {
  const values: Value[] = []
  const text = textOf(
    statement,
    (fragment) => fragment[engine],
    (value) => {
      if (engine === 'postgres') return `$${values.push(value)}`
      // better-sqlite3 cannot bind booleans.
      values.push(typeof value === 'boolean' ? Number(value) : value)
      return '?'
    },
  )
  hooks.recordStatement?.(engine, text, statement)
  return { text, values }
}

/** The statement has a fragment without an equal one in DuckDB, or is too long. */
export class NoDuckdbFormError extends Error {
  override readonly name = 'NoDuckdbFormError'
}

/** Some fragments for DuckDB repeat a value, so nested ones grow exponentially. */
const MAX_DUCKDB_FRAGMENTS = 20_000

/** Equal values share a parameter. DuckDB then recognizes equal expressions and computes an aggregation once. */
function compileForDuckdb(statement: Sql): CompiledStatement {
  const numbers = new Map<Value, number>()
  let fragments = 0
  const text = textOf(
    statement,
    ({ duckdb }) => {
      if (!duckdb) throw new NoDuckdbFormError('A fragment has no form for DuckDB.')
      if (++fragments > MAX_DUCKDB_FRAGMENTS) throw new NoDuckdbFormError('The statement is too long for DuckDB.')
      return duckdb
    },
    (value) => {
      const number = numbers.get(value) ?? numbers.size + 1
      numbers.set(value, number)
      return `$${number}`
    },
  )
  return { text, values: [...numbers.keys()] }
}

/** Returns a statement of PostgreSQL with its values as literals. COPY accepts no parameters. */
export function compileInline(statement: Sql, quote: (text: string) => string): string {
  if (hooks.recordStatement) compile(statement, 'postgres')
  return textOf(
    statement,
    (fragment) => fragment.postgres,
    (value) => {
      if (value instanceof Uint8Array) throw new Error('Binary values must be parameters.')
      // A quoted literal has the unknown type, as a parameter has.
      return value === null ? 'null' : quote(String(value))
    },
  )
}

function textOf(
  { strings, parts }: Sql,
  choose: (fragment: Either) => Sql,
  writeValue: (value: Value) => string,
): string {
  let text = strings[0] ?? ''
  let i = 0
  for (const part of parts) {
    if (isFragment(part)) text += textOf('strings' in part ? part : choose(part), choose, writeValue)
    else text += writeValue(part)
    text += strings[++i]
  }
  return text
}

const isFragment = (part: Part): part is Sql | Either =>
  typeof part === 'object' && part !== null && !(part instanceof Uint8Array)

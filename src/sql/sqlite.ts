import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { AppError, unavailable } from '../errors.ts'
import type { Database, Db, DbOptions } from './db.ts'
import { keepPrivate, makePrivateDatabase, makePrivateFolder } from './private-files.ts'
import { compile, counting, type Sql, type Value } from './template.ts'
import { isBusy, retrying, turnsOn } from './turns.ts'

export const SQLITE_FILE = 'workspace.db'
/** More than anybody looks at between two commits; a count of a hundred thousand rows takes milliseconds. */
const MOST_COUNTS = 1_000

/**
 * A folder with one database file, two handles on it: reads never wait for a write, and writes take turns, because an
 * async transaction on a shared handle would swallow other requests' writes.
 */
export async function openSqlite(
  folder: string,
  { observe, mode = 'create', file: name = SQLITE_FILE }: DbOptions = {},
): Promise<Database> {
  const file = join(folder, name)
  if (mode === 'create') {
    makePrivateFolder(folder)
    makePrivateDatabase(file)
  } else if (!existsSync(file))
    throw new AppError(
      'no_database',
      `There is no database at ${file}. Name another with --database, or make one with \`workspace-admin migrate\`.`,
    )
  if (mode !== 'read') keepPrivate(file)
  // A busy wait inside the library would block the event loop; `retrying` waits outside it.
  const writer = new Sqlite(file, { timeout: 0, readonly: mode === 'read' })
  if (mode === 'alone') demandAlone(writer, file)
  if (mode !== 'read') {
    // The first to open it and the last to close it hold it alone for a moment.
    await retrying(async () => void writer.pragma('journal_mode = wal'))
    writer.pragma('synchronous = full')
    writer.pragma('foreign_keys = on')
  }
  const reader = mode === 'alone' ? writer : new Sqlite(file, { readonly: true, timeout: 50 })

  const version = reader.prepare('pragma data_version').pluck()
  const read = statements(reader)
  const written = statements(writer)
  /** After a failure that undid the whole transaction, as a full disk does, nothing is written outside of any. */
  const write = (text: string): Prepared => {
    if (!writer.inTransaction) throw unavailable('The database has given up this transaction. Try again in a moment.')
    return written(text)
  }
  const timed = observe ? measured(observe) : <Result>(work: () => Result): Result => work()

  const turns = turnsOn(writer, timed)

  const onWriter: Db = {
    engine: 'sqlite',
    all: async <Row>(statement: Sql) => {
      const { text, values } = compile(statement, 'sqlite')
      return timed(() => write(text).all<Row>(values))
    },
    get: async <Row>(statement: Sql) => {
      const { text, values } = compile(statement, 'sqlite')
      return timed(() => write(text).get<Row>(values))
    },
    count: async (found) => {
      const { text, values } = compile(counting(found), 'sqlite')
      return timed(() => write(text).get<Count>(values)!.count)
    },
    run: async (statement) => {
      const { text, values } = compile(statement, 'sqlite')
      return timed(() => write(text).run(values))
    },
    tx: (work) => work(onWriter),
    exec: async (text) => void writer.exec(text),
    close: async () => undefined,
  }

  // It tells of the commits of other handles: who has but one hears nothing of its own.
  const changes = (): number | undefined => (reader === writer ? undefined : (version.get() as number))

  const counts = new Map<string, number>()
  let counted_at: number | undefined
  const count = (found: Sql): number => {
    const { text, values } = compile(counting(found), 'sqlite')
    const now = changes()
    if (now === undefined || now !== counted_at || counts.size >= MOST_COUNTS) counts.clear()
    counted_at = now
    const key = `${text} ${JSON.stringify(values)}`
    // What another process commits between the two is counted here, and forgotten with the next call.
    const known = counts.get(key) ?? timed(() => read(text).get<Count>(values)!.count)
    counts.set(key, known)
    return known
  }

  return {
    engine: 'sqlite',
    location: file,
    skew: () => 0,
    changes,
    all: async <Row>(statement: Sql) => {
      const { text, values } = compile(statement, 'sqlite')
      const prepared = read(text)
      if (!prepared.readonly) return turns.together(() => onWriter.all<Row>(statement))
      return timed(() => prepared.all<Row>(values))
    },
    get: async <Row>(statement: Sql) => {
      const { text, values } = compile(statement, 'sqlite')
      const prepared = read(text)
      if (!prepared.readonly) return turns.together(() => onWriter.get<Row>(statement))
      return timed(() => prepared.get<Row>(values))
    },
    count: async (found) => count(found),
    run: (statement) => turns.together(() => onWriter.run(statement)),
    tx: (work) => turns.together(() => work(onWriter)),
    exec: (text) => turns.alone(() => onWriter.exec(text)),
    close: () =>
      turns.alone(async () => {
        reader.close()
        writer.close()
      }),
  }
}

/** A process that has a WAL database open holds a lock on its file all the time, also when it does nothing. */
function demandAlone(handle: Sqlite.Database, file: string): void {
  try {
    handle.pragma('locking_mode = exclusive')
    handle.prepare('select count(*) from sqlite_master').get()
  } catch (error) {
    handle.close()
    if (!isBusy(error)) throw error
    throw new AppError('in_use', `Another program has ${file} open. Stop the server that runs on it, and try again.`)
  }
}

interface Count {
  count: number
}

interface Prepared {
  readonly: boolean
  all<Row>(values: Value[]): Row[]
  get<Row>(values: Value[]): Row | undefined
  run(values: Value[]): number
}

/** Statements of one handle, each prepared once. */
function statements(handle: Sqlite.Database): (text: string) => Prepared {
  const known = new Map<string, Prepared>()
  return (text) => {
    const found = known.get(text) ?? prepare(handle, text)
    known.set(text, found)
    return found
  }
}

/**
 * Rows leave the library as lists and become objects here, by a function that names all columns at once: 4.2 microseconds
 * for eleven columns, where the library's own objects, made a property at a time, take 6.8.
 */
function prepare(handle: Sqlite.Database, text: string): Prepared {
  const statement = handle.prepare(text)
  const run = (values: Value[]): number => statement.run(values.map(bindable)).changes
  // The library refuses to look for rows where none come.
  if (!statement.reader)
    return {
      readonly: statement.readonly,
      all: () => statement.all() as [],
      get: () => statement.get() as undefined,
      run,
    }
  const fields = statement.columns().map(({ name }, i) => `${JSON.stringify(name)}: list[${i}]`)
  const shaped = new Function('list', `return { ${fields} }`)
  const lists = statement.raw()
  return {
    readonly: statement.readonly,
    all: (values) => {
      const rows = lists.all(values.map(bindable))
      for (let i = 0; i < rows.length; i++) rows[i] = shaped(rows[i])
      return rows as any[]
    },
    get: (values) => {
      const list = lists.get(values.map(bindable))
      return list && shaped(list)
    },
    run,
  }
}

/** better-sqlite3 binds no booleans. */
const bindable = (value: Value): unknown => (typeof value === 'boolean' ? Number(value) : value)

const measured =
  (observe: (seconds: number) => void) =>
  <Result>(work: () => Result): Result => {
    const start = performance.now()
    try {
      return work()
    } finally {
      observe((performance.now() - start) / 1000)
    }
  }

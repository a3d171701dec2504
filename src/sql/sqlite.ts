import { existsSync } from 'node:fs'
import { type FileHandle, open as openFile } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { unavailable } from '../errors.ts'
import { createCheckpoints, FALLBACK_PAGES } from './checkpoints.ts'
import { type Database, DatabaseFileError, type Db, type DbOptions, type Observe } from './db.ts'
import { keepPrivate, makePrivateDatabase, makePrivateFolder } from './private-files.ts'
import { compile, counting, type Sql, type Value } from './template.ts'
import { createWriteQueue, isBusy, retryWhileBusy, type Timed } from './write-queue.ts'

export const SQLITE_FILE = 'workspace.db'
/** This file exists while `restore` is replacing the databases of a folder. */
export const UNFINISHED_RESTORE = 'restore.unfinished'
/** Bounds the memory of cached counts. Counting 100,000 rows takes milliseconds. */
const MAX_CACHED_COUNTS = 1_000

/**
 * Opens the database file of a folder with two connections. Reads never wait for a write. Writes are queued: an async
 * transaction on a shared connection would include other requests' writes and could roll them back.
 */
export async function openSqlite(
  folder: string,
  { observe, snapshot, background_checkpoints, mode = 'create', file: name = SQLITE_FILE }: DbOptions = {},
): Promise<Database> {
  const file = join(folder, name)
  prepareFile(folder, file, mode)
  const { writer, reader } = await openConnections(file, mode, background_checkpoints)
  const prepareRead = statements(reader)
  const prepareWrite = statements(writer)
  const timed: Timed = observe ? measured(observe) : (_, work) => work()

  const checkpoints = background_checkpoints ? createCheckpoints(file) : undefined
  let log: FileHandle | undefined
  const sync = async (): Promise<void> => {
    if (!writer.open) return
    checkpoints?.committed()
    // SQLite creates the log with the first statement and keeps it while a connection is open.
    log ??= await openFile(`${file}-wal`)
    await log.datasync()
  }
  const queue = createWriteQueue(writer, timed, sync, snapshot)

  /** Runs a statement of a transaction. */
  const write = async <Result>(statement: Sql, use: Use<Result>): Promise<Result> => {
    await queue.yieldIfDue()
    const { text, values } = compile(statement, 'sqlite')
    return timed(text, () => {
      // A full disk rolls back the whole transaction. Its remaining statements must not run in autocommit mode.
      if (!writer.inTransaction) throw unavailable('The database rolled back this transaction. Retry in a moment.')
      return use(prepareWrite(text), values)
    })
  }
  const read = async <Result>(statement: Sql, use: Use<Result>): Promise<Result> => {
    const { text, values } = compile(statement, 'sqlite')
    const prepared = prepareRead(text)
    if (!prepared.readonly) return queue.grouped(() => write(statement, use))
    return timed(text, () => use(prepared, values))
  }
  const onWriter: Db = {
    engine: 'sqlite',
    all: (statement) => write(statement, allRows),
    get: <Row>(statement: Sql) => write(statement, firstRow<Row>),
    count: (found) => write(counting(found), countOf),
    run: (statement) => write(statement, changedRows),
    send: async (statement) => void (await write(statement, changedRows)),
    tx: (work) => work(onWriter),
    exec: async (text) => void writer.exec(text),
    close: async () => undefined,
  }

  const version = reader.prepare('pragma data_version').pluck()
  // `data_version` only reports commits made by other connections.
  const changes = (): number | undefined => (reader === writer ? undefined : Number(version.get()))

  const counts = new Map<string, number>()
  let counted_at: number | undefined
  const count = async (found: Sql): Promise<number> => {
    const { text, values } = compile(counting(found), 'sqlite')
    const now = changes()
    if (now === undefined || now !== counted_at || counts.size >= MAX_CACHED_COUNTS) counts.clear()
    counted_at = now
    const key = `${text} ${JSON.stringify(values)}`
    // A commit between the two reads is counted here; the next call drops the cached count.
    const known = counts.get(key) ?? timed(text, () => countOf(prepareRead(text), values))
    counts.set(key, known)
    return known
  }

  return {
    engine: 'sqlite',
    location: file,
    skew: () => 0,
    pool: () => undefined,
    changes,
    sync: queue.sync,
    writeFailure: queue.failure,
    all: (statement) => read(statement, allRows),
    get: <Row>(statement: Sql) => read(statement, firstRow<Row>),
    count,
    run: (statement) => queue.grouped(() => onWriter.run(statement)),
    send: (statement) => queue.grouped(() => onWriter.send(statement)),
    tx: (work) => queue.grouped(() => work(onWriter)),
    exec: (text) => queue.exclusive(() => onWriter.exec(text)),
    close: () =>
      queue.exclusive(async () => {
        await checkpoints?.stop()
        await log?.close()
        reader.close()
        writer.close()
      }),
  }
}

type Mode = NonNullable<DbOptions['mode']>

/** Creates a missing database file, or throws `no_database`. Throws `in_use` during a restore. */
function prepareFile(folder: string, file: string, mode: Mode): void {
  if (existsSync(join(folder, UNFINISHED_RESTORE)) && mode !== 'restoring')
    throw new DatabaseFileError(
      'in_use',
      `A restore into ${folder} has not finished. Run the same \`workspace-admin restore\` again until it completes.`,
    )
  if (mode === 'create') {
    makePrivateFolder(folder)
    makePrivateDatabase(file)
  } else if (!existsSync(file))
    throw new DatabaseFileError(
      'no_database',
      `There is no database at ${file}. Pass another one with --database, or create it with \`workspace-admin migrate\`.`,
    )
  if (mode !== 'read') keepPrivate(file)
}

/** With an exclusive lock, both are the same connection. */
async function openConnections(file: string, mode: Mode, background_checkpoints = false) {
  // The library's own busy timeout blocks the event loop; `retryWhileBusy` does not.
  const writer = new Sqlite(file, { timeout: 0, readonly: mode === 'read' })
  const isExclusive = mode === 'alone' || mode === 'restoring'
  if (isExclusive) requireExclusive(writer, file)
  if (mode !== 'read') {
    // The first process to open the file and the last to close it lock it for a moment.
    await retryWhileBusy(async () => void writer.pragma('journal_mode = wal'))
    // The write queue syncs the log after each commit, in the thread pool. With "full", SQLite would block for it.
    writer.pragma('synchronous = normal')
    writer.pragma('foreign_keys = on')
    if (background_checkpoints) writer.pragma(`wal_autocheckpoint = ${FALLBACK_PAGES}`)
  }
  return { writer, reader: isExclusive ? writer : new Sqlite(file, { readonly: true, timeout: 50 }) }
}

/** An open WAL database keeps a shared lock on its file, so an exclusive lock fails while any process has it open. */
function requireExclusive(handle: Sqlite.Database, file: string): void {
  try {
    handle.pragma('locking_mode = exclusive')
    handle.prepare('select count(*) from sqlite_master').get()
  } catch (error) {
    handle.close()
    if (!isBusy(error)) throw error
    throw new DatabaseFileError('in_use', `Another program has ${file} open. Stop the server that uses it and retry.`)
  }
}

type Statement = Sqlite.Statement<unknown[], never>
type Use<Result> = (statement: Statement, values: Value[]) => Result

const allRows: Use<never[]> = (statement, values) => statement.all(values)
const firstRow = <Row>(statement: Statement, values: Value[]): Row | undefined => statement.get(values)
const changedRows: Use<number> = (statement, values) => statement.run(values).changes
const countOf: Use<number> = (statement, values) => firstRow<{ count: number }>(statement, values)?.count ?? 0

/** Prepares each statement of a connection once. */
function statements(handle: Sqlite.Database): (text: string) => Statement {
  const known = new Map<string, Statement>()
  return (text) => {
    const found = known.get(text) ?? handle.prepare<unknown[], never>(text)
    known.set(text, found)
    return found
  }
}

const measured =
  (observe: Observe): Timed =>
  (text, work) => {
    const start = performance.now()
    try {
      return work()
    } finally {
      observe((performance.now() - start) / 1000, text)
    }
  }

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
  // The library's own busy timeout blocks the event loop; `retryWhileBusy` does not.
  const writer = new Sqlite(file, { timeout: 0, readonly: mode === 'read' })
  if (mode === 'alone' || mode === 'restoring') requireExclusive(writer, file)
  if (mode !== 'read') {
    // The first process to open the file and the last to close it lock it for a moment.
    await retryWhileBusy(async () => void writer.pragma('journal_mode = wal'))
    // The write queue syncs the log after each commit, in the thread pool. With "full", SQLite would block for it.
    writer.pragma('synchronous = normal')
    writer.pragma('foreign_keys = on')
    if (background_checkpoints) writer.pragma(`wal_autocheckpoint = ${FALLBACK_PAGES}`)
  }
  const reader = mode === 'alone' || mode === 'restoring' ? writer : new Sqlite(file, { readonly: true, timeout: 50 })

  const version = reader.prepare('pragma data_version').pluck()
  const read = statements(reader)
  const prepareWrite = statements(writer)
  /** A full disk rolls back the whole transaction. Its remaining statements must not run in autocommit mode. */
  const write = (text: string): Prepared => {
    if (!writer.inTransaction) throw unavailable('The database rolled back this transaction. Retry in a moment.')
    return prepareWrite(text)
  }
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

  const onWriter: Db = {
    engine: 'sqlite',
    all: async <Row>(statement: Sql) => {
      await queue.yieldIfDue()
      const { text, values } = compile(statement, 'sqlite')
      return timed(text, () => write(text).all<Row>(values))
    },
    get: async <Row>(statement: Sql) => {
      await queue.yieldIfDue()
      const { text, values } = compile(statement, 'sqlite')
      return timed(text, () => write(text).get<Row>(values))
    },
    count: async (found) => {
      await queue.yieldIfDue()
      const { text, values } = compile(counting(found), 'sqlite')
      return timed(text, () => write(text).get<Count>(values)?.count ?? 0)
    },
    run: async (statement) => {
      await queue.yieldIfDue()
      const { text, values } = compile(statement, 'sqlite')
      return timed(text, () => write(text).run(values))
    },
    send: async (statement) => void (await onWriter.run(statement)),
    tx: (work) => work(onWriter),
    exec: async (text) => void writer.exec(text),
    close: async () => undefined,
  }

  // `data_version` only reports commits made by other connections.
  const changes = (): number | undefined => (reader === writer ? undefined : Number(version.get()))

  const counts = new Map<string, number>()
  let counted_at: number | undefined
  const count = (found: Sql): number => {
    const { text, values } = compile(counting(found), 'sqlite')
    const now = changes()
    if (now === undefined || now !== counted_at || counts.size >= MAX_CACHED_COUNTS) counts.clear()
    counted_at = now
    const key = `${text} ${JSON.stringify(values)}`
    // A commit between the two reads is counted here; the next call drops the cached count.
    const known = counts.get(key) ?? timed(text, () => read(text).get<Count>(values)?.count ?? 0)
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
    all: async <Row>(statement: Sql) => {
      const { text, values } = compile(statement, 'sqlite')
      const prepared = read(text)
      if (!prepared.readonly) return queue.grouped(() => onWriter.all<Row>(statement))
      return timed(text, () => prepared.all<Row>(values))
    },
    get: async <Row>(statement: Sql) => {
      const { text, values } = compile(statement, 'sqlite')
      const prepared = read(text)
      if (!prepared.readonly) return queue.grouped(() => onWriter.get<Row>(statement))
      return timed(text, () => prepared.get<Row>(values))
    },
    count: async (found) => count(found),
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

interface Count {
  count: number
}

interface Prepared {
  readonly: boolean
  all<Row>(values: Value[]): Row[]
  get<Row>(values: Value[]): Row | undefined
  run(values: Value[]): number
}

/** Prepares each statement of a connection once. */
function statements(handle: Sqlite.Database): (text: string) => Prepared {
  const known = new Map<string, Prepared>()
  return (text) => {
    const found = known.get(text) ?? prepare(handle, text)
    known.set(text, found)
    return found
  }
}

function prepare(handle: Sqlite.Database, text: string): Prepared {
  const statement = handle.prepare<unknown[], never>(text)
  return {
    readonly: statement.readonly,
    all: (values) => statement.all(values.map(bindable)),
    get: (values) => statement.get(values.map(bindable)),
    run: (values) => statement.run(values.map(bindable)).changes,
  }
}

/** better-sqlite3 cannot bind booleans. */
const bindable = (value: Value): unknown => (typeof value === 'boolean' ? Number(value) : value)

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

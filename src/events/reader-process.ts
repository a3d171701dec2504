/** The child process that reads events for the server, one statement at a time. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { connectToParent } from '../background/parent.ts'
import { errorCode } from '../errors.ts'
import { MESSAGE_LENGTH, type ReaderReply, resultLimit, rowLength, type Statement } from './reader-messages.ts'

/** Filters generate many different statements. Frequent ones stay prepared. */
const MAX_PREPARED_STATEMENTS = 100
const BUSY_TIMEOUT_MS = 5_000

const [file = '', lane] = process.argv.slice(2)

/**
 * This thread cannot detect the exit of the server while it runs a statement, so a second thread polls the parent's pid.
 * It must run before the first statement, because starting it needs this thread.
 */
const watch = new Worker(
  `const parent = process.ppid
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL') }, 500)
  require('node:worker_threads').parentPort.postMessage('up')`,
  { eval: true, execArgv: [] },
)
await once(watch, 'message')
watch.unref()
const parent = connectToParent<Statement, ReaderReply>()

const db = new Sqlite(file, { readonly: true, timeout: BUSY_TIMEOUT_MS })
// Only filters call HogQL functions, and they run in the slow lane. The other reader starts faster without them.
if (lane === 'slow') (await import('../hogql/sqlite-functions.ts')).registerFunctions(db)
/** The least recently used statement comes first. */
const prepared = new Map<string, Sqlite.Statement<unknown[], unknown[]>>()

function prepare(text: string): Sqlite.Statement<unknown[], unknown[]> {
  const statement = prepared.get(text) ?? db.prepare<unknown[], unknown[]>(text).raw(true)
  prepared.delete(text)
  prepared.set(text, statement)
  const [oldest] = prepared.keys()
  if (prepared.size > MAX_PREPARED_STATEMENTS && oldest !== undefined) prepared.delete(oldest)
  return statement
}

function run({ text, values }: Statement): void {
  let rows: unknown[][] = []
  let length = 0
  const checkLimit = resultLimit()
  for (const row of prepare(text).iterate(values)) {
    checkLimit(row)
    rows.push(row)
    length += rowLength(row)
    if (length < MESSAGE_LENGTH) continue
    void parent.send({ rows, more: true })
    rows = []
    length = 0
  }
  void parent.send({ rows, more: false })
}

parent.onMessage((statement) => {
  try {
    run(statement)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    void parent.send({ failed: { message, code: errorCode(error) } })
  }
})

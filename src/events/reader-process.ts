/** Another process: reads events on behalf of the server, one statement at a time, and dies with it. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { answerSize, lengthOf, MESSAGE_LENGTH, type Question, type Reply } from './reader-messages.ts'

/** A filter makes its own text, so texts are many; prepared ones are kept for those that come again. */
const KEPT_STATEMENTS = 100
const BUSY_WAIT_MS = 5_000

const [file, lane] = process.argv.slice(2) as [string, string]

/**
 * Inside a statement this process hears nothing, not even that its server is gone. So a second thread looks whose child
 * it is: whoever kills the server leaves no reader behind that scans on. It has to be up before the first statement,
 * because it needs this thread to get there.
 */
const watch = new Worker(
  `const parent = process.ppid
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL') }, 500)
  require('node:worker_threads').parentPort.postMessage('up')`,
  { eval: true, execArgv: [] },
)
await once(watch, 'message')
watch.unref()
process.on('disconnect', () => process.exit())
// Ctrl-C and a service manager reach the whole group of processes; the server finishes what it is asked, so its readers
// stay as long.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => undefined)

const handle = new Sqlite(file, { readonly: true, timeout: BUSY_WAIT_MS })
// Only filters need what SQLite lacks, and they are never in the first lane: its reader starts sooner without.
if (lane === 'slow') (await import('../hogql/sqlite-functions.ts')).registerFunctions(handle)
const kept = new Map<string, Sqlite.Statement>()

function statement(text: string): Sqlite.Statement {
  const found = kept.get(text)
  if (found) {
    // The oldest use stands first.
    kept.delete(text)
    kept.set(text, found)
    return found
  }
  const made = handle.prepare(text).raw(true)
  kept.set(text, made)
  if (kept.size > KEPT_STATEMENTS) kept.delete(kept.keys().next().value!)
  return made
}

function answer({ text, values }: Question, send: (reply: Reply) => unknown): void {
  let rows: unknown[][] = []
  let length = 0
  const add = answerSize()
  const bound = values.map((value) => (typeof value === 'boolean' ? Number(value) : value))
  for (const row of statement(text).iterate(bound) as Iterable<unknown[]>) {
    add(row)
    rows.push(row)
    length += lengthOf(row)
    if (length < MESSAGE_LENGTH) continue
    send({ rows, more: true })
    rows = []
    length = 0
  }
  send({ rows })
}

process.on('message', (question: Question) => {
  const send = (reply: Reply): unknown => process.send!(reply)
  try {
    answer(question, send)
  } catch (error) {
    const { message, code } = error as { message: string; code?: string }
    send({ failed: { message, code } })
  }
})

/** The log of the server: levels by area, JSON or readable lines, and output that never blocks. */
import { once } from 'node:events'
import { fstatSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Logger, pino } from 'pino'
import { type Config, type LogArea, parseLevels } from '../config.ts'

/** Log lines that wait for a slow reader or disk. Further lines are dropped. */
const BACKLOG_BYTES = 1024 * 1024
/** One write per batch: with a write per line, logging takes more than twice the CPU time. */
const BATCH_BYTES = 16 * 1024
const BATCH_MS = 50
/** Warnings and errors are written at once. */
const URGENT = 40
/** pino then sets `lastLevel`. */
const METADATA = Symbol.for('pino.metadata')
const FLUSH_MS = 500
const STDERR = 2

/** The logger of an area, with its own level if LOG_LEVEL names the area. */
export function areaLog(log: Logger, { LOG_LEVEL }: Pick<Config, 'LOG_LEVEL'>, area: LogArea): Logger {
  const level = parseLevels(LOG_LEVEL)?.areas.get(area)
  return log.child({ area }, level === undefined ? {} : { level })
}

type LogSettings = Pick<Config, 'LOG_LEVEL' | 'LOG_FORMAT'>

/** A target for log lines, such as a stream. */
export interface LogOutput {
  write(line: string): unknown
}

/** Logs to `output` line by line, as JSON unless LOG_FORMAT says otherwise. */
export function createLogTo(output: LogOutput, { LOG_LEVEL, LOG_FORMAT }: LogSettings): Logger {
  const write = (line: string): void => void output.write(LOG_FORMAT === 'pretty' ? prettyLine(line) : line)
  return pino({ level: parseLevels(LOG_LEVEL)?.base ?? 'info' }, { write })
}

/**
 * Logs to standard error. Standard output is reserved for the line that reports that the server is ready. Lines below a
 * warning wait for the first flush, so they follow that line.
 */
export function createLog({ LOG_LEVEL, LOG_FORMAT }: LogSettings): Logger {
  const isPretty = (LOG_FORMAT ?? (process.stderr.isTTY ? 'pretty' : 'json')) === 'pretty'
  const colors = process.stderr.isTTY === true && process.stderr.hasColors()
  let batch: string[] = []
  let size = 0
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let isStarting = true
  const report = (): void => {
    const count = dropped
    dropped = 0
    log.error({ dropped: count }, 'log lines were dropped, because they were not read or could not be written')
    if (dropped > 0) dropped = count
  }
  const offer = openOutput(() => {
    if (dropped > 0) report()
  })
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    const lines = batch
    batch = []
    size = 0
    if (lines.length === 0) return
    if (!offer(lines.join(''))) dropped += lines.length
    else if (dropped > 0) report()
  }
  process.on('exit', flush)
  const output = {
    [METADATA]: true as const,
    lastLevel: 0,
    write: (line: string): void => {
      batch.push(isPretty ? prettyLine(line, colors) : line)
      size += line.length
      if (output.lastLevel >= URGENT || size >= BATCH_BYTES) flush()
      else if (!isStarting) timer ??= setTimeout(flush, BATCH_MS).unref()
    },
    flush: (): void => {
      isStarting = false
      flush()
    },
  }
  const log = pino({ level: parseLevels(LOG_LEVEL)?.base ?? 'info' }, output)
  return log
}

/** Waits for a slow reader of the log, but not for one that has stopped reading. */
export async function flushLog(log: { flush(): void }): Promise<void> {
  const { stderr } = process
  log.flush()
  if (stderr.writableLength === 0) return
  await Promise.race([once(stderr, 'drain'), sleep(FLUSH_MS, undefined, { ref: false })]).catch(() => undefined)
}

/** Returns a function that writes a line, or returns false if too many lines are waiting. */
function openOutput(onDrain: () => void): (line: string) => boolean {
  const { stderr } = process
  // The reader may close the pipe, and a disk may be full. Neither stops the server.
  if (stderr.listenerCount('error') === 0) stderr.on('error', () => undefined)
  const target = fstatSync(STDERR)
  if (target.isFIFO() || target.isSocket()) {
    stderr.on('drain', onDrain)
    // Node writes to pipes without blocking and queues the rest. Its queue has no limit.
    return (line) => {
      if (stderr.writableLength + line.length > BACKLOG_BYTES) return false
      stderr.write(line)
      return true
    }
  }
  const file = pino.destination({ fd: STDERR, sync: true, maxLength: BACKLOG_BYTES })
  let isDropped = false
  file.on('error', () => undefined)
  file.on('drop', () => {
    isDropped = true
  })
  return (line) => {
    isDropped = false
    file.write(line)
    return !isDropped
  }
}

const COLORS: Record<string, string> = { warn: '33', error: '31', fatal: '31', info: '32' }

/** `12:30:01.123 INFO requests: request completed method=GET status=200`, followed by the stack of an error. */
export function prettyLine(line: string, colors = false): string {
  const { level, time, pid, hostname, area, msg = '', err, ...fields } = JSON.parse(line)
  const label = pino.levels.labels[level] ?? String(level)
  const paint = (code: string | undefined, text: string): string =>
    colors && code !== undefined ? `\u001b[${code}m${text}\u001b[0m` : text
  const values = Object.entries(fields).map(([name, value]) => paint('2', `${name}=`) + printable(value))
  const head = [
    paint('2', new Date(time).toISOString().slice(11, -1)),
    paint(COLORS[label], label.toUpperCase().padEnd(5)),
    ...(area ? [`${area}:`] : []),
    printable(msg, /^[^\p{C}]*$/u),
  ]
  const stack = err ? String(err.stack ?? err.message).split('\n') : []
  return [[...head, ...values].join(' '), ...stack.map((text) => `    ${printable(text, /^[^\p{C}]*$/u)}`), ''].join(
    '\n',
  )
}

/** Text of requests may contain control characters, which a terminal would execute. */
function printable(value: unknown, plain = /^[^\s"=\p{C}]+$/u): string {
  if (typeof value === 'string' && plain.test(value)) return value
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

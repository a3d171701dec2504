/**
 * A copy of the events of large projects in columns, which answers questions that add up over properties. A mirror, not a
 * store: its files can be deleted at any time.
 */
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Loop } from '../background/loop.ts'
import { createProcessPool } from '../background/process-pool.ts'
import { errorCode } from '../errors.ts'
import type { ReaderReply, Statement } from '../events/reader-messages.ts'
import { createScheduler, type MirrorReader } from '../events/readers.ts'
import { createProcessReaders, NICENESS } from '../events/readers-sqlite.ts'
import { mirroredStatement } from '../hogql/mirrored.ts'
import { createKeeper, type KeeperLimits, type KeeperOptions, LIMITS } from './keeper.ts'
import type { SegmentJob, SegmentReply } from './messages.ts'

export interface MirrorOptions
  extends Pick<KeeperOptions, 'events' | 'folder' | 'projects' | 'now' | 'newName' | 'erase_hours'> {
  url: string
  timeout_ms: number
  log: KeeperOptions['log'] & { debug(fields: object, text: string): void }
  limits?: Partial<KeeperLimits>
}

export interface EventMirror extends MirrorReader {
  readonly keeper: Loop
  readonly folder: string
  stop(): Promise<void>
}

/** The JavaScript heap of a reader: `MAX_TEXT_BYTES` of rows, and their columns. */
const MEMORY_MB = 384
/** Between two segments, the process that writes them stays. */
const IDLE_MS = 30_000
/** The caller sees these errors. After any other, rows answer. */
const FINAL = ['query_timeout', 'result_too_large']

const programOf = (name: string): URL => new URL(`./${name}`, import.meta.url)

/** Throws if DuckDB is not installed. */
export function openMirror({ url, timeout_ms, limits, ...options }: MirrorOptions): EventMirror {
  const { folder, log } = options
  requireDuckdb()
  const node = nodeOf(folder, options.newName)
  const writers = createProcessPool<SegmentJob, SegmentReply>({
    program: programOf('segment-process'),
    args: [url, folder],
    niceness: NICENESS,
    idle_ms: IDLE_MS,
  })
  const readers = createProcessPool<Statement, ReaderReply>({
    program: programOf('mirror-process'),
    args: [url, folder, node],
    niceness: NICENESS,
    memory_mb: MEMORY_MB,
  })
  const scheduler = createScheduler(createProcessReaders({ fast: readers, slow: readers }), timeout_ms)
  const keeper = createKeeper({ ...options, node, writers, limits: { ...LIMITS, ...limits } })
  return {
    keeper,
    folder,
    rows: async (query, { project_id, signal, since }) => {
      const statement = mirroredStatement(query)
      if (!statement) return undefined
      try {
        return await scheduler.run(
          { ...statement, project_id },
          { project_id, lane: 'slow', signal, since },
          (row) => row,
        )
      } catch (error) {
        if (FINAL.includes(errorCode(error))) throw error
        log.debug({ err: error, project: project_id }, 'the mirror has no answer')
        return undefined
      }
    },
    stop: async () => {
      await scheduler.stop()
      // A killed process leaves its file, which no segment has.
      const stopped = keeper.stop()
      await writers.stop()
      await stopped
    },
  }
}

function requireDuckdb(): void {
  try {
    createRequire(import.meta.url).resolve('@duckdb/node-api')
  } catch (error) {
    throw new Error(
      'EVENT_MIRROR needs a library that is not installed. Run `npm install @duckdb/node-api` where workspace-admin is installed, or set EVENT_MIRROR to false.',
      { cause: error },
    )
  }
}

/** The identity of the folder. Another folder is another node, whose mirror begins again. */
function nodeOf(folder: string, newName: () => string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'node')
  if (!existsSync(file)) {
    // Linked when it is complete, so two servers that start at the same time are one node.
    const unfinished = `${file}-${newName()}`
    writeFileSync(unfinished, newName(), { flush: true, mode: 0o600 })
    try {
      linkSync(unfinished, file)
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    } finally {
      unlinkSync(unfinished)
    }
  }
  return readFileSync(file, 'utf8')
}

/** Statements run in child processes: a thread that runs a statement cannot be interrupted. */
import { availableParallelism } from 'node:os'
import { createProcessPool, ProcessExited, type ProcessPool } from '../background/process-pool.ts'
import { unavailable } from '../errors.ts'
import type { LaneName, ReaderBackend, ReaderReply, Statement } from './reader-messages.ts'

export interface SqliteReaderOptions {
  file: string
  /** Applies to the slow lane. */
  niceness?: number
}

const PROGRAM = new URL('./reader-process', import.meta.url)

/**
 * Measured with ten slow queries on two busy CPUs: the p99 of a first page is 1.5 to 2.3 times its idle p99 at niceness
 * 10, and 1.2 to 2.1 times at 19.
 */
export const NICENESS = 19

export const createSqliteReaders = ({ file, niceness = NICENESS }: SqliteReaderOptions): ReaderBackend =>
  createProcessReaders({
    fast: createProcessPool({ program: PROGRAM, args: [file, 'fast'] }),
    slow: createProcessPool({ program: PROGRAM, args: [file, 'slow'], niceness }),
  })

/** Runs statements in the processes of a lane. Lanes may share them. */
export function createProcessReaders(pools: Record<LaneName, ProcessPool<Statement, ReaderReply>>): ReaderBackend {
  return {
    // One CPU is left to the server.
    slots: { fast: 1, slow: Math.max(1, availableParallelism() - 1) },
    run: async <Item>(
      lane: LaneName,
      statement: Statement,
      convert: (row: unknown[]) => Item,
      _timeout_ms: number,
      signal: AbortSignal,
    ) => {
      const reader = pools[lane].take()
      const onAbort = (): void => void reader.kill()
      let isOver = false
      signal.addEventListener('abort', onAbort)
      try {
        await reader.send(statement)
        const items: Item[] = []
        for (;;) {
          const reply = await reader.receive()
          isOver = 'failed' in reply || !reply.more
          if ('failed' in reply) throw Object.assign(new Error(reply.failed.message), { code: reply.failed.code })
          for (const row of reply.rows) items.push(convert(row))
          if (isOver) return items
        }
      } catch (error) {
        throw error instanceof ProcessExited ? unavailable('The event reader crashed. Retry the request.') : error
      } finally {
        // The next statement must not receive the rest of this result.
        if (!isOver) reader.kill()
        signal.removeEventListener('abort', onAbort)
        pools[lane].release(reader)
      }
    },
    stop: async () => {
      await Promise.all(Object.values(pools).map((pool) => pool.stop()))
    },
  }
}

import { createProcessPool, type PooledProcess, ProcessExited } from '../background/process-pool.ts'
import { unavailable } from '../errors.ts'
import type { Inspection } from './code.ts'

export type { Capabilities, Inspection } from './code.ts'

export type SourceFiles = Record<string, string>
/** A new process sends `ready` once it has loaded its parser. */
export type InspectorReply = { kind: 'ready' } | { kind: 'inspected'; inspection: Inspection }

export interface CodeInspector {
  /** Finds the exports and syntax errors of the code, and transpiles what runs in a browser. A timeout is reported as an error of the code. */
  inspect(files: SourceFiles): Promise<Inspection>
  stop(): Promise<void>
}

const TIMEOUT_MS = 5_000
/** On a busy machine, loading the parser takes longer than parsing may. */
const START_TIMEOUT_MS = 30_000
const MEMORY_MB = 192
const IDLE_MS = 10_000
const MAX_CONCURRENT = 2
const MAX_WAITING = 20

type InspectorProcess = PooledProcess<SourceFiles, InspectorReply>

export function createCodeInspector(): CodeInspector {
  const pool = createProcessPool<SourceFiles, InspectorReply>({
    program: new URL('./inspector-process', import.meta.url),
    memory_mb: MEMORY_MB,
    idle_ms: IDLE_MS,
    env: {},
    stderr: 'ignore',
  })
  const ready = new WeakSet<InspectorProcess>()
  const waiting: (() => void)[] = []
  let running = 0

  async function waitUntilReady(child: InspectorProcess): Promise<void> {
    if (ready.has(child)) return
    await withTimeout(child, START_TIMEOUT_MS, child.receive).catch((cause) => {
      throw new Error('The plugin inspector did not start.', { cause })
    })
    ready.add(child)
  }

  async function run(files: SourceFiles): Promise<Inspection> {
    const child = pool.take()
    await waitUntilReady(child)
    try {
      const reply = await withTimeout(child, TIMEOUT_MS, async () => {
        await child.send(files)
        return child.receive()
      })
      if (reply.kind === 'ready') throw new Error('The plugin inspector sent an unexpected reply.')
      return reply.inspection
    } catch (error) {
      if (!(error instanceof ProcessExited)) throw error
      const message = 'The code could not be parsed: it takes too much time or memory.'
      const errors = Object.fromEntries(Object.keys(files).map((name) => [name, message]))
      return { capabilities: {}, errors, transpiled: {} }
    } finally {
      pool.release(child)
    }
  }

  return {
    inspect: async (files) => {
      const code = Object.fromEntries(Object.entries(files).filter(([name]) => /\.[jt]sx?$/.test(name)))
      if (Object.keys(code).length === 0) return { capabilities: {}, errors: {}, transpiled: {} }
      if (running >= MAX_CONCURRENT) {
        if (waiting.length >= MAX_WAITING) throw unavailable('Too many plugins are being inspected. Retry the request.')
        await new Promise<void>((resolve) => waiting.push(resolve))
      } else running++
      try {
        return await run(code)
      } finally {
        const next = waiting.shift()
        if (next) next()
        else running--
      }
    },
    stop: () => pool.stop(),
  }
}

/** Kills the process at the timeout, which makes the work throw `ProcessExited`. */
async function withTimeout<Result>(child: InspectorProcess, timeout_ms: number, work: () => Promise<Result>) {
  const timer = setTimeout(() => void child.kill(), timeout_ms)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
  }
}

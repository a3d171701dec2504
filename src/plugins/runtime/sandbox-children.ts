/** The child processes of a sandbox, and the configurations that each of them has. */
import { dirname, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createProcessPool, type PooledProcess, type ProcessPool } from '../../background/process-pool.ts'
import { createSlots } from '../../background/slots.ts'
import { type ConfigurationCode, removeOldest, type SandboxReply, type SandboxRequest } from './messages.ts'

export interface SandboxOptions {
  /** Processes that run at the same time. */
  max_processes: number
  /** The CPU time that a process may use without a message. */
  hang_ms?: number
  /** The priority of the processes. */
  niceness?: number
  idle_ms?: number
}

/** More than the CPU time of one call. */
const HANG_MS = 2_000
/** Leaves the CPU to requests. */
const NICENESS = 10
const START_MS = 30_000
const IDLE_MS = 300_000
const MEMORY_MB = 128
const MAX_WAITING = 1_000
/** V8 needs this stack for 256 KiB of QuickJS. Threads of Windows have 1 MB. */
const FLAGS = process.platform === 'win32' ? [] : ['--stack-size=3900']

export type Child = PooledProcess<SandboxRequest, SandboxReply>

export interface Children {
  pool: ProcessPool<SandboxRequest, SandboxReply>
  slots: ReturnType<typeof createSlots>
  hang_ms: number
  /** The processes that have started. */
  ready: WeakSet<Child>
  /** The versions of the configurations that a process has. */
  sent: WeakMap<Child, Map<number, string>>
  /** The process that a configuration was sent to last. */
  loadedIn: Map<number, WeakRef<Child>>
}

export function createChildren({
  max_processes,
  hang_ms = HANG_MS,
  idle_ms = IDLE_MS,
  niceness = NICENESS,
}: SandboxOptions): Children {
  return {
    pool: createProcessPool({
      program: new URL('./sandbox-process', import.meta.url),
      memory_mb: MEMORY_MB,
      flags: [...FLAGS, ...permissionFlags()],
      idle_ms,
      niceness,
      env: {},
      stderr: 'ignore',
      serialization: 'advanced',
    }),
    slots: createSlots({
      max: max_processes,
      max_waiting: MAX_WAITING,
      full: 'Too many plugins are waiting to run. Retry the request.',
    }),
    hang_ms,
    ready: new WeakSet(),
    sent: new WeakMap(),
    loadedIn: new Map(),
  }
}

/** A second wall by Node: no files but the program, no child processes. The thread watches the server. Only the bundle is one file. */
function permissionFlags(): string[] {
  const here = fileURLToPath(import.meta.url)
  const isBundled = !/[\\/]sandbox-children\.[jt]s$/.test(here)
  if (!isBundled || !process.allowedNodeEnvironmentFlags.has('--permission')) return []
  return ['--permission', '--allow-worker', `--allow-fs-read=${dirname(here)}${sep}*`]
}

/** Prefers the process that has the configuration `id`. Undefined when no process is free until `until`. */
export async function withChild<Result>(
  { pool, slots, ready, loadedIn }: Children,
  { id, project_id }: { id: number | null; project_id: number | null },
  until: number,
  work: (child: Child) => Promise<Result>,
): Promise<Result | undefined> {
  const release = await slots.take(project_id, until)
  if (!release) return undefined
  let child: Child | undefined
  try {
    child = pool.take((other) => id !== null && loadedIn.get(id)?.deref() === other)
    await untilReady(ready, child)
    return await work(child)
  } finally {
    if (child) {
      // A killed process counts as running until its memory is free.
      if (child.dead) await child.exited
      pool.release(child)
    }
    release()
  }
}

async function untilReady(ready: WeakSet<Child>, child: Child): Promise<void> {
  if (ready.has(child)) return
  const timer = setTimeout(() => void child.kill(), START_MS)
  try {
    await child.receive()
  } catch (cause) {
    throw new Error('The plugin sandbox did not start.', { cause })
  } finally {
    clearTimeout(timer)
  }
  ready.add(child)
}

/** Sends the configuration, unless the process has this version. */
export async function sendConfiguration(
  { sent, loadedIn }: Children,
  child: Child,
  { id, version, files, settings }: ConfigurationCode,
): Promise<void> {
  let versions = sent.get(child)
  if (!versions) {
    versions = new Map()
    sent.set(child, versions)
  }
  loadedIn.set(id, new WeakRef(child))
  if (versions.get(id) === version) return
  versions.set(id, version)
  removeOldest(versions)
  await child.send({ kind: 'load', configuration: { id, version, files, settings } })
}

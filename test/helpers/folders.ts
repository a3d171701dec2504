import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

/** A file system in memory, used if this much of it is free. */
const MEMORY = '/dev/shm'
const MIN_MEMORY_BYTES = 2 ** 31

/** The parent of temporary folders: in memory if possible, because databases wait for the disk at each commit. */
export function fastFolder(): string {
  const free = existsSync(MEMORY) ? statfsSync(MEMORY) : { bavail: 0, bsize: 0 }
  return free.bavail * free.bsize > MIN_MEMORY_BYTES ? MEMORY : tmpdir()
}

/** Creates a temporary folder. Unlike `t.testdir` it can be called several times. */
export function freshFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'workspace-test-'))
  t.teardown(() => {
    unlock(folder)
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

/** Restores the owner's access to folders that a test made read-only; root does not need it. */
function unlock(folder: string): void {
  if (process.getuid?.() === 0) return
  chmodSync(folder, 0o700)
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) unlock(join(folder, entry.name))
}

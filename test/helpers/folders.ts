import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

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

/** The files of the dialects are not in git. They are written when they are missing or older than the contract. */
import { execFile } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

export async function writeDialects(): Promise<void> {
  const names = (await readdir('openapi', { recursive: true })).map((name) => join('openapi', name))
  const times = await Promise.all(names.map(async (name) => (await stat(name)).mtimeMs))
  const written = await stat('src/contract/openapi.posthog.ts').catch(() => undefined)
  if (written && written.mtimeMs > Math.max(...times)) return
  await promisify(execFile)(process.execPath, ['--import=tsx', 'scripts/contract.ts', '--dialects'])
}

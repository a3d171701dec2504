/** Makes one scheduled backup and deletes the oldest ones. Blocks its thread: it runs in a child process. */
import type { BackupJob, StoredBackup } from './messages.ts'
import { openTarget } from './target.ts'

/**
 * Names sort by time. Part of the id separates installations that share a folder. A UUIDv7 begins with a time, so it is
 * the end of the id.
 */
const prefixOf = (installation: string): string => `workspace-${installation.slice(-8)}-`
const nameOf = ({ installation, now }: BackupJob): string =>
  `${prefixOf(installation)}${now.replace(/[-:]|\.\d+/g, '')}.tar`
const COMPLETE = /-\d{8}T\d{6}Z\.tar$/

export async function storeBackup(job: BackupJob, signal: AbortSignal): Promise<StoredBackup> {
  const target = await openTarget({
    settings: job.settings,
    prefix: prefixOf(job.installation),
    data_folder: job.url.replace(/^sqlite:/, ''),
    signal,
  })
  try {
    await target.clean()
    const name = nameOf(job)
    const stored = await target.store(job.url, name)
    const removed: string[] = []
    const retention_error = await (async () => {
      const backups = (await target.list()).filter((found) => COMPLETE.test(found)).sort()
      for (const old of backups.slice(0, -job.keep)) {
        await target.remove(old)
        removed.push(old)
      }
    })().then(
      () => null,
      (error) => messageOf(error),
    )
    return { name, ...stored, removed, retention_error }
  } finally {
    await target.close()
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

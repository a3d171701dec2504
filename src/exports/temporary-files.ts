/** Deletes temporary files of killed attempts. */
import type { Dirent } from 'node:fs'
import { opendir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../errors.ts'

/** The prefix of an unfinished file in the folder of a File export. */
export const partialFilePrefix = (run_id: string): string => `.partial-${run_id}-`
/** The prefix of a scratch folder in the system's temporary folder. */
export const scratchFolderPrefix = (run_id: string): string => `workspace-export-${run_id}-`

const TEMPORARY_NAME = /^(?:\.partial|workspace-export)-([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})-/
/** Files modified more recently may belong to an attempt that is still running. */
const MIN_AGE_MS = 3_600_000

interface TemporaryFile {
  path: string
  run_id: string
  /** An unknown run in the export folder was deleted. One in the system's temporary folder may be another installation's. */
  deleteUnknown: boolean
}

/** Deletes the temporary files of finished runs. `ended` returns whether each known run has finished. */
export async function removeOrphanedFiles(
  { files_root, scratch_root, now }: { files_root: string; scratch_root: string; now: number },
  ended: (run_ids: string[]) => Promise<Map<string, boolean>>,
): Promise<void> {
  const found: TemporaryFile[] = []
  const collect = (folder: string, deleteUnknown: boolean): Promise<void> =>
    forEachEntry(folder, ({ name }) => {
      const run_id = TEMPORARY_NAME.exec(name)?.[1]
      if (run_id !== undefined) found.push({ path: join(folder, name), run_id, deleteUnknown })
    })
  await collect(scratch_root, false)
  // <project>/<export>
  await forEachEntry(files_root, ({ name: project }) =>
    forEachEntry(join(files_root, project), ({ name }) => collect(join(files_root, project, name), true)),
  )
  if (found.length === 0) return
  // Query the runs after listing the files: a run exists before its files do.
  const known = await ended(found.map(({ run_id }) => run_id))
  for (const { path, run_id, deleteUnknown } of found)
    if ((known.get(run_id) ?? deleteUnknown) && (await lastModified(path)) < now - MIN_AGE_MS)
      await rm(path, { recursive: true, force: true })
}

/** Streams the entries, because a folder may have a million files. Ignores a missing or unreadable folder. */
async function forEachEntry(folder: string, visit: (entry: Dirent) => void | Promise<void>): Promise<void> {
  try {
    for await (const entry of await opendir(folder)) await visit(entry)
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'EACCES'].includes(errorCode(error))) throw error
  }
}

/** The last modification of a file or of a folder's files. Infinity when it no longer exists. */
async function lastModified(path: string): Promise<number> {
  try {
    const status = await stat(path)
    let latest = status.mtimeMs
    if (status.isDirectory())
      await forEachEntry(path, async ({ name }) => {
        latest = Math.max(latest, (await stat(join(path, name))).mtimeMs)
      })
    return latest
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** Deletes files of killed attempts whose run gets no further attempt. */
import type { Dirent } from 'node:fs'
import { opendir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The prefix of an unfinished file in the folder of a File export. */
export const draftPrefix = (run_id: string): string => `.partial-${run_id}-`
/** The prefix of a scratch folder in the system's temporary folder. */
export const scratchPrefix = (run_id: string): string => `workspace-export-${run_id}-`

const LEFT = /^(?:\.partial|workspace-export)-([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})-/
/** Files written to more recently may belong to an attempt that is still running. */
const UNTOUCHED_MS = 3_600_000

interface Leftover {
  path: string
  run_id: string
  /** In our own folder an unknown run was deleted. The temporary folder may belong to other installations. */
  ours: boolean
}

/** Deletes the files of finished runs. `ended` returns, for each known run, whether it has finished. */
export async function removeLeftovers(
  { files_root, scratch_root, now }: { files_root: string; scratch_root: string; now: number },
  ended: (run_ids: string[]) => Promise<Map<string, boolean>>,
): Promise<void> {
  const found: Leftover[] = []
  const noteIn = (folder: string, ours: boolean): Promise<void> =>
    each(folder, ({ name }) => {
      const run_id = LEFT.exec(name)?.[1]
      if (run_id !== undefined) found.push({ path: join(folder, name), run_id, ours })
    })
  await noteIn(scratch_root, false)
  // <project>/<export>
  await each(files_root, ({ name: project }) =>
    each(join(files_root, project), ({ name: own }) => noteIn(join(files_root, project, own), true)),
  )
  if (found.length === 0) return
  // Query the runs after listing the files: a run exists before its files do.
  const known = await ended(found.map(({ run_id }) => run_id))
  for (const { path, run_id, ours } of found)
    if ((known.get(run_id) ?? ours) && (await touchedAt(path)) < now - UNTOUCHED_MS)
      await rm(path, { recursive: true, force: true })
}

/** Iterates, because a folder may hold a million files. Yields nothing for a missing folder. */
async function each(folder: string, take: (entry: Dirent) => void | Promise<void>): Promise<void> {
  try {
    for await (const entry of await opendir(folder)) await take(entry)
  } catch (error) {
    const { code } = error as { code?: string }
    if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EACCES') throw error
  }
}

/** The last modification of a file or of a folder's files. Infinity when it is gone. */
async function touchedAt(path: string): Promise<number> {
  try {
    const status = await stat(path)
    let latest = status.mtimeMs
    if (status.isDirectory())
      await each(path, async ({ name }) => {
        latest = Math.max(latest, (await stat(join(path, name))).mtimeMs)
      })
    return latest
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

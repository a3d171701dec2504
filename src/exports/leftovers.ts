/** What an attempt that was killed leaves on the disk, where no further attempt of its run comes to remove it. */
import type { Dirent } from 'node:fs'
import { opendir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A file of a File export that is not finished, in the export's own folder; its end tells attempts and files apart. */
export const draftPrefix = (run_id: string): string => `.partial-${run_id}-`
/** A folder below the system's own for what is made on the way. */
export const scratchPrefix = (run_id: string): string => `workspace-export-${run_id}-`

const LEFT = /^(?:\.partial|workspace-export)-([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})-/
/** What is under way, such as an attempt that has not heard of its end yet, is written to more often. */
const UNTOUCHED_MS = 3_600_000

interface Leftover {
  path: string
  run_id: string
  /** Below a folder of our own: a run that nobody knows was deleted. The system's is everybody's. */
  ours: boolean
}

/** Removes what belongs to runs that are over. `ended` answers, of those it is asked about and knows, whether they are. */
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
  // Asked for after they were found: a run is there before its drafts are.
  const known = await ended(found.map(({ run_id }) => run_id))
  for (const { path, run_id, ours } of found)
    if ((known.get(run_id) ?? ours) && (await touchedAt(path)) < now - UNTOUCHED_MS)
      await rm(path, { recursive: true, force: true })
}

/** One after the other, because a folder may hold a million files; nothing where there is no such folder. */
async function each(folder: string, take: (entry: Dirent) => void | Promise<void>): Promise<void> {
  try {
    for await (const entry of await opendir(folder)) await take(entry)
  } catch (error) {
    const { code } = error as { code?: string }
    if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EACCES') throw error
  }
}

/** When something was last written there, or in it; never where it is gone meanwhile. */
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

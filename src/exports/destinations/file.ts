/** Delivers to files on the server, in a folder of the export. */
import { createWriteStream } from 'node:fs'
import { lstat, mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { components } from '../../contract/openapi.ts'
import { invalid } from '../../errors.ts'
import { type DeliveryError, type Destination, refused, unreachable } from '../destination.ts'
import { checkFiles, FILE_COLUMNS, type FileStore, fileEncoding, openFiles } from '../files.ts'
import { draftPrefix } from '../leftovers.ts'

type Config = components['schemas']['FileConfig']

/** Exported files contain event data, so they are private. */
const PRIVATE_FOLDER = 0o700
const PRIVATE_FILE = 0o600

export const file: Destination<Config> = {
  columns: FILE_COLUMNS,
  takesQuery: true,
  encoding: fileEncoding,
  steps: ['Make the folder', 'Write a file', 'Remove it again'],

  check: (config) => {
    checkFiles(config)
    const { prefix = '' } = config
    if (prefix.split('/').includes('..') || prefix.includes('\0') || prefix.includes('\\'))
      throw invalid('destination__config__prefix', 'The prefix stays below the export\'s own folder: leave out "..".')
  },

  open: async (delivery) => {
    const { tools, project_id, batch_export_id, run_id } = delivery
    const root = join(tools.files_root, String(project_id), batch_export_id)
    await told(() => makeFolder(root))
    return openFiles(folderStore(root, run_id, delivery.attempt), delivery)
  },

  test: async function* (_, { files_root }) {
    const folder = await told(async () => {
      await mkdir(files_root, { recursive: true, mode: PRIVATE_FOLDER })
      return mkdtemp(join(files_root, '.test-'))
    })
    yield { name: file.steps[0]!, detail: 'The folder for exports is there and can be written to.' }
    const name = 'test.jsonl'
    try {
      await folderStore(folder, 'test', 1).put(name, Readable.from([Buffer.from('{}\n')]))
      yield { name: file.steps[1]!, detail: 'A file was written, and is on the disk.' }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
    yield { name: file.steps[2]!, detail: 'The file is gone.' }
  },
}

/**
 * Writes to a temporary name, fsyncs, then renames, so no reader sees a partial file. Temporary files are in the export's
 * folder whatever the prefix is, so that leftovers can be found.
 */
function folderStore(root: string, run_id: string, attempt: number): FileStore {
  return {
    put: (name, body) =>
      told(async () => {
        const target = join(root, name)
        await makeFolders(root, dirname(target))
        await removeDrafts(root, run_id)
        const partial = join(root, `${draftPrefix(run_id)}${attempt}-${basename(target)}`)
        try {
          await write(partial, body)
          await rename(partial, target)
          await sync(dirname(target))
        } catch (error) {
          await rm(partial, { force: true }).catch(() => undefined)
          throw error
        }
      }),
    close: async () => undefined,
  }
}

async function write(path: string, body: Readable): Promise<void> {
  await pipeline(body, createWriteStream(path, { mode: PRIVATE_FILE, flags: 'wx', flush: true } as object))
}

/** Symbolic links could lead outside the folder, so none is followed. */
async function makeFolders(root: string, folder: string): Promise<void> {
  await makeFolder(folder)
  for (let path = folder; path.length >= root.length; path = dirname(path)) {
    if ((await lstat(path)).isSymbolicLink()) throw refused('There is a link in the export folder. Remove it.')
    if (path === root) break
  }
}

/** Deletes the temporary files that killed attempts of this run left. */
async function removeDrafts(folder: string, run_id: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith(draftPrefix(run_id))) await rm(join(folder, name), { force: true })
}

/** Creates a folder and its parents, and fsyncs each parent. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER })
  if (first === undefined) return
  for (let path = folder; path.length >= first.length; path = dirname(path)) await sync(dirname(path))
}

/** A rename survives a power failure only after its folder is fsynced. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const PROBLEMS: Record<string, DeliveryError> = {
  ENOSPC: unreachable('The disk that holds the export folder is full. Make room on it.'),
  EDQUOT: unreachable('The export folder has reached its quota. Make room in it.'),
  EACCES: refused('The server may not write to the export folder. Give its user the right to.'),
  EPERM: refused('The server may not write to the export folder. Give its user the right to.'),
  EROFS: refused('The export folder is on a disk that can only be read. Name another with EXPORT_FOLDER.'),
  EEXIST: refused('A file is where the export folder should be. Move it away.'),
  ENOTDIR: refused('A file is where the export folder should be. Move it away.'),
  ENAMETOOLONG: refused('The prefix makes a file name that is too long. Shorten it.'),
}

async function told<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw PROBLEMS[String((error as { code?: string }).code)] ?? error
  }
}

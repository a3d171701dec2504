/** Delivers to files on the server. Each export has its own folder. */
import { lstat, mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import type { components } from '../../contract/openapi.ts'
import { errorCode, invalid } from '../../errors.ts'
import { freeText } from '../../events/page-memory.ts'
import { type DeliveryError, type Destination, permanentError, retryableError } from '../destination.ts'
import { FILE_COLUMNS, type FileStore, fileEncoding, openFileReceiver, validateFileConfig } from '../files.ts'
import { partialFilePrefix } from '../temporary-files.ts'

type Config = components['schemas']['FileConfig']

const PRIVATE_FOLDER = 0o700
const PRIVATE_FILE = 0o600

export const file: Destination<Config> = {
  columns: FILE_COLUMNS,
  supportsQuery: true,
  encoding: fileEncoding,
  steps: ['Create the folder', 'Write a file', 'Delete the file'],

  validate: (config) => {
    validateFileConfig(config)
    const { prefix = '' } = config
    if (prefix.split('/').includes('..') || prefix.includes('\0') || prefix.includes('\\'))
      throw invalid('destination__config__prefix', 'The prefix must not contain "..", a backslash or a NUL character.')
  },

  open: async (delivery) => {
    const { tools, project_id, batch_export_id, run_id } = delivery
    const root = join(tools.files_root, String(project_id), batch_export_id)
    await withDescribedErrors(() => createFolder(root))
    return openFileReceiver(folderStore(root, run_id, delivery.attempt), delivery)
  },

  test: async function* (_, { files_root }) {
    const folder = await withDescribedErrors(async () => {
      await mkdir(files_root, { recursive: true, mode: PRIVATE_FOLDER })
      return mkdtemp(join(files_root, '.test-'))
    })
    yield 'The export folder exists and is writable.'
    try {
      await folderStore(folder, 'test', 1).put('test.jsonl', Readable.from([Buffer.from('{}\n')]))
      yield 'A file was written and synced to disk.'
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
    yield 'The file was deleted.'
  },
}

/**
 * Writes to a temporary name, fsyncs, then renames, so no reader sees a partial file. Temporary files are directly in the
 * export's folder, where `removeOrphanedFiles` looks for them.
 */
function folderStore(root: string, run_id: string, attempt: number): FileStore {
  return {
    put: (name, body) =>
      withDescribedErrors(async () => {
        const target = join(root, name)
        await createFoldersWithin(root, dirname(target))
        await removePartialFiles(root, run_id)
        const partial = join(root, `${partialFilePrefix(run_id)}${attempt}-${basename(target)}`)
        try {
          await write(partial, body)
          await rename(partial, target)
          await fsyncFolder(dirname(target))
        } catch (error) {
          await rm(partial, { force: true }).catch(() => undefined)
          throw error
        }
      }),
    close: async () => undefined,
  }
}

async function write(path: string, body: Readable): Promise<void> {
  const file = await open(path, 'wx', PRIVATE_FILE)
  try {
    for await (const chunk of body) {
      let rest: Buffer = chunk
      while (rest.length > 0) rest = rest.subarray((await file.write(rest)).bytesWritten)
      freeText(chunk)
    }
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Rejects symbolic links, which could lead outside the root. */
async function createFoldersWithin(root: string, folder: string): Promise<void> {
  await createFolder(folder)
  for (let path = folder; path.length >= root.length; path = dirname(path)) {
    if ((await lstat(path)).isSymbolicLink())
      throw permanentError('The export folder contains a symbolic link. Remove the link.')
    if (path === root) break
  }
}

/** Deletes the temporary files of killed attempts of this run. */
async function removePartialFiles(folder: string, run_id: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith(partialFilePrefix(run_id))) await rm(join(folder, name), { force: true })
}

/** Creates a folder and its parents, and fsyncs each parent. */
async function createFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER })
  if (first === undefined) return
  for (let path = folder; path.length >= first.length; path = dirname(path)) await fsyncFolder(dirname(path))
}

/** A rename survives a power failure only after its folder is fsynced. */
async function fsyncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const ERRORS: Record<string, DeliveryError> = {
  ENOSPC: retryableError('The disk of the export folder is full. Free some space.'),
  EDQUOT: retryableError('The export folder has reached its disk quota. Free some space, or raise the quota.'),
  EACCES: permanentError(
    'The server has no permission to write to the export folder. Grant it to the user of the server.',
  ),
  EPERM: permanentError(
    'The server has no permission to write to the export folder. Grant it to the user of the server.',
  ),
  EROFS: permanentError('The export folder is on a read-only disk. Set EXPORT_FOLDER to another folder.'),
  EEXIST: permanentError('A file exists where the export folder should be. Move or delete it.'),
  ENOTDIR: permanentError('A file exists where the export folder should be. Move or delete it.'),
  ENAMETOOLONG: permanentError('The prefix makes a file name too long. Shorten the prefix.'),
}

async function withDescribedErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw ERRORS[errorCode(error)] ?? error
  }
}

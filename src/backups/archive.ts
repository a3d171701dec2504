/** The archive of a backup: a tar file with the SQLite databases of one moment and a manifest. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { pack as createPack, type Pack } from 'tar-stream'
import { copySqlite } from '../sql/backup.ts'
import { clockOf } from '../sql/db.ts'
import { ADMINISTRATION, EVENTS, version } from '../sql/migrate.ts'
import { openDatabase } from '../sql/open.ts'
import { usedKeys } from '../store/secrets.ts'

/** A backup is as sensitive as the data. */
export const PRIVATE_MODE = 0o600
export const MANIFEST_FILE = 'manifest.json'

export interface Manifest {
  created_at: string
  schema_version: number
  /** The names of the keys that encrypted the stored secrets. The keys themselves are not in the archive. */
  key_fingerprints: string[]
  files: { name: string; bytes: number; sha256: string }[]
}

/** Copies the databases of a folder into another folder as of one moment, and describes them. */
export async function writeSnapshot(url: string, to: string): Promise<Manifest> {
  const db = await openDatabase(url, { mode: 'read' })
  try {
    const created_at = new Date(clockOf(db)()).toISOString()
    const schema_version = await version(db)
    const files: Manifest['files'] = []
    for (const name of await copySqlite(dirname(db.location), [ADMINISTRATION.file, EVENTS.file], to)) {
      const copy = join(to, name)
      files.push({ name, bytes: (await stat(copy)).size, sha256: await sha256(copy) })
    }
    return { created_at, schema_version, key_fingerprints: await fingerprints(to), files }
  } finally {
    await db.close()
  }
}

/** Reads the copy, so the keys are those of the same moment as the files. */
async function fingerprints(folder: string): Promise<string[]> {
  const copy = await openDatabase(`sqlite:${folder}`, { mode: 'read' })
  try {
    return await usedKeys(copy)
  } finally {
    await copy.close()
  }
}

/** The archive of a snapshot. A failed read destroys the stream. */
export function packSnapshot(manifest: Manifest, folder: string): Pack {
  const pack = createPack()
  writeEntries(pack, manifest, folder).catch((error) => pack.destroy(error))
  return pack
}

/** Writes an archive. It replaces an existing file only after it is complete and flushed to disk. */
export async function writeArchive(url: string, file: string): Promise<{ manifest: Manifest; bytes: number }> {
  // Each backup uses its own folder next to the archive, so concurrent backups do not interfere.
  const folder = await mkdtemp(`${file}.partial-`)
  try {
    const manifest = await writeSnapshot(url, folder)
    const partial = join(folder, basename(file))
    await pipeline(packSnapshot(manifest, folder), createWriteStream(partial, { mode: PRIVATE_MODE }))
    const { size } = await stat(partial)
    // The rename survives a power loss only after fsync of the file and its folder.
    await fsync(partial)
    await rename(partial, file)
    await fsync(dirname(file))
    return { manifest, bytes: size }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function writeEntries(pack: Pack, manifest: Manifest, folder: string): Promise<void> {
  const mtime = new Date(manifest.created_at)
  pack.entry({ name: MANIFEST_FILE, mode: PRIVATE_MODE, mtime }, `${JSON.stringify(manifest, null, 2)}\n`)
  for (const { name, bytes } of manifest.files)
    await pipeline(createReadStream(join(folder, name)), pack.entry({ name, mode: PRIVATE_MODE, mtime, size: bytes }))
  pack.finalize()
}

export async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

export async function fsync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Restores an archive into a SQLite folder: verifies it next to the databases, then swaps the files. */

import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { extract } from 'tar-stream'
import { errorCode } from '../errors.ts'
import { lastHorizon, skipLostPositions } from '../events/positions.ts'
import { parseJson } from '../json/parse.ts'
import { clockOf, type Database, DatabaseFileError } from '../sql/db.ts'
import { damage, schemaOf } from '../sql/integrity.ts'
import { ADMINISTRATION, EVENTS, migrate, SCHEMA_VERSION, type Track, version } from '../sql/migrate.ts'
import { openDatabase } from '../sql/open.ts'
import { keepPrivate, makePrivateFolder } from '../sql/private-files.ts'
import { UNFINISHED_RESTORE } from '../sql/sqlite.ts'
import { highestPosition } from '../store/batch_exports.ts'
import { recordBackup } from '../store/installation.ts'
import { usedKeys } from '../store/secrets.ts'
import { fsync, MANIFEST_FILE, PRIVATE_MODE, sha256 } from './archive.ts'

const DATABASES = [ADMINISTRATION, EVENTS]
const SUFFIXES = ['', '-wal', '-shm']
const MAX_MANIFEST_BYTES = 64 * 1024
const STAGING_FOLDER = '.restore-'
const KEY_NAME = /^[\da-f]{8}$/

const SafeInteger = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
/** The part of a manifest that a restore reads. */
const Manifest = Type.Object({
  created_at: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
  schema_version: SafeInteger,
  files: Type.Array(Type.Object({ name: Type.String(), bytes: SafeInteger, sha256: Type.String() })),
})
type Manifest = Static<typeof Manifest>

/** Rejects the archive or the folder of a restore. Nothing was changed. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError'
}

export interface RestoreOptions {
  file: string
  folder: string
  /** Replaces an existing database. */
  force: boolean
  /** The names of the keys that the server will have. */
  keys: readonly string[]
  /** Restores secrets that no key decrypts. */
  allow_missing_key: boolean
}

export interface Restored {
  created_at: string
  schema_version: number
  /** The keys that encrypted the stored secrets. */
  key_fingerprints: string[]
  /** The position of the next event. */
  next_position: number
  /** Where the replaced databases are; null when there were none. */
  replaced: string | null
}

export async function restoreArchive(options: RestoreOptions): Promise<Restored> {
  const { folder, file, force } = options
  const unfinished = existsSync(join(folder, UNFINISHED_RESTORE))
  const hasDatabase = DATABASES.some((track) => existsSync(join(folder, track.file)))
  if (hasDatabase && !unfinished && !force)
    throw new RestoreError(
      `${folder} contains a database. Restore into another folder with --database, or replace it with --force.`,
    )
  const created = !existsSync(folder)
  makePrivateFolder(folder)
  for (const name of await readdir(folder))
    if (name.startsWith(STAGING_FOLDER)) await rm(join(folder, name), { recursive: true, force: true })
  // In the same folder: a rename must not cross file systems, and the folder may be a mount point.
  const staging = await mkdtemp(join(folder, STAGING_FOLDER))
  try {
    const manifest = await unpack(file, staging)
    const restored = await verify(manifest, staging, options)
    const reached = await withLock(folder, unfinished ? 'restoring' : 'alone', highestUsed)
    const { next_position, now } = await withDatabase(`sqlite:${staging}`, EVENTS, async (events) => ({
      next_position: await skipLostPositions(events, Math.max(reached, restored.reached)),
      now: new Date(clockOf(events)()).toISOString(),
    }))
    const replaced = await swap({ folder, staging, now, unfinished })
    return {
      created_at: manifest.created_at,
      schema_version: restored.schema_version,
      key_fingerprints: restored.keys,
      next_position,
      replaced,
    }
  } finally {
    await rm(staging, { recursive: true, force: true })
    if (created && (await readdir(folder)).length === 0) await rm(folder, { recursive: true })
  }
}

/** Writes the databases of the archive into a folder and compares them with the manifest. */
async function unpack(file: string, to: string): Promise<Manifest> {
  const known = DATABASES.map((track) => track.file)
  const written = new Set<string>()
  let manifest: Manifest | undefined
  const reader = extract()
  const unpacked = (async () => {
    for await (const entry of reader) {
      const { name, size = 0 } = entry.header
      if (name === MANIFEST_FILE && !manifest) manifest = await readManifest(entry, size)
      else if (known.includes(name) && !written.has(name)) {
        written.add(name)
        await pipeline(entry, createWriteStream(join(to, name), { mode: PRIVATE_MODE }))
      } else throw new RestoreError(`${file} is not a backup: it contains ${JSON.stringify(name.slice(0, 100))}.`)
    }
  })()
  unpacked.catch((error) => reader.destroy(error))
  const results = await Promise.allSettled([unpacked, pipeline(createReadStream(file), reader)])
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  const cause = failures.find((error) => error instanceof RestoreError || /^E[A-Z]+$/.test(errorCode(error)))
  if (cause) throw cause
  // tar-stream throws plain errors for a truncated or foreign file.
  if (failures.length) throw new RestoreError(`${file} is not a backup, or it is incomplete. Use another one.`)
  if (!manifest) throw new RestoreError(`${file} is not a backup: it has no ${MANIFEST_FILE}.`)
  for (const name of known) {
    const described = manifest.files.find((entry) => entry.name === name)
    const path = join(to, name)
    const same = described && written.has(name) && (await stat(path)).size === described.bytes
    if (!same || (await sha256(path)) !== described.sha256)
      throw new RestoreError(
        `${name} in ${file} is missing or damaged: it does not match the manifest. Use another backup.`,
      )
    await fsync(path)
  }
  return manifest
}

async function readManifest(entry: AsyncIterable<unknown>, size: number): Promise<Manifest> {
  if (size > MAX_MANIFEST_BYTES) throw new RestoreError('The manifest of the backup is too large. Use another backup.')
  const manifest = parseJson(await text(entry))
  if (Value.Check(Manifest, manifest) && Number.isFinite(Date.parse(manifest.created_at))) return manifest
  throw new RestoreError('The manifest of the backup is not valid. Use another backup.')
}

/** Checks the schemas, the pages and the keys of the unpacked databases. */
async function verify(
  manifest: Manifest,
  staging: string,
  { keys: available, allow_missing_key }: RestoreOptions,
): Promise<{ reached: number; keys: string[]; schema_version: number }> {
  const url = `sqlite:${staging}`
  await withDatabase(url, EVENTS, (events) => requireIntact(events, EVENTS, staging))
  return withDatabase(url, ADMINISTRATION, async (db) => {
    const schema_version = await requireIntact(db, ADMINISTRATION, staging)
    const keys = await usedKeys(db)
    if (!keys.every((key) => KEY_NAME.test(key)))
      throw new RestoreError(
        `${ADMINISTRATION.file} of the backup contains a secret that is not valid. Use another backup.`,
      )
    const missing = keys.filter((key) => !available.includes(key))
    if (missing.length && !allow_missing_key)
      throw new RestoreError(
        `The backup contains secrets that were encrypted with the key ${missing.join(', ')}, and ${
          available.length ? `the server would have the key ${available.join(', ')}` : 'the server would have no key'
        }. Copy the original secret.key into the folder, or set SECRET_KEY to it. Without the key a server does not start on this data; --allow-missing-key restores it anyway.`,
      )
    // The tables of an older schema differ. Its positions are below those of the events of the same moment.
    if (schema_version !== SCHEMA_VERSION) return { reached: 0, keys, schema_version }
    await recordBackup(db, manifest.created_at)
    return { reached: await highestPosition(db), keys, schema_version }
  })
}

/** Returns the schema version. Nothing is written before, because a trigger of the archive would run. */
async function requireIntact(db: Database, track: Track, staging: string): Promise<number> {
  const schema = await schemaOf(db)
  const code = [...schema.keys()].find((object) => !/^(table|index) /.test(object))
  if (code !== undefined) throw foreignSchema(track, code)
  const [first] = await damage(db)
  if (first !== undefined)
    throw new RestoreError(`${track.file} of the backup is damaged: ${first} Use another backup.`)
  const [found, known] = [await version(db, track), track.migrations.length]
  if (found > known)
    throw new RestoreError(
      `The backup has schema version ${found}; this program supports up to ${known}. Restore it with the newer program.`,
    )
  const expected = await schemaAt(found, track, staging)
  for (const object of new Set([...schema.keys(), ...expected.keys()]))
    if (schema.get(object) !== expected.get(object)) throw foreignSchema(track, object)
  return found
}

const foreignSchema = ({ file }: Track, object: string): RestoreError =>
  new RestoreError(
    `${file} of the backup has another schema than this program creates: ${JSON.stringify(object.slice(0, 100))}. Use another backup.`,
  )

/** The schema that this program creates for a version. */
async function schemaAt(schema_version: number, track: Track, staging: string): Promise<Map<string, string>> {
  const folder = join(staging, 'schema')
  const db = await openDatabase(`sqlite:${folder}`, { file: track.file })
  try {
    if (schema_version > 0) await migrate(db, '', track, schema_version)
    return await schemaOf(db)
  } finally {
    await db.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function withDatabase<Result>(
  url: string,
  track: Track,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  let db: Database | undefined
  try {
    db = await openDatabase(url, { mode: 'existing', file: track.file })
    return await work(db)
  } catch (error) {
    // A file with the right checksum may still be no database.
    if (error instanceof DatabaseFileError || /^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(errorCode(error)))
      throw new RestoreError(`${track.file} of the backup is not a database of this program. Use another backup.`, {
        cause: error,
      })
    throw error
  } finally {
    await db?.close()
  }
}

type LockMode = 'alone' | 'restoring'

/** Runs `work` while no other process can open the databases of the folder. Throws `in_use` if one has. */
async function withLock<Result>(
  folder: string,
  mode: LockMode,
  work: (opened: Map<string, Database>) => Promise<Result>,
): Promise<Result> {
  const opened = new Map<string, Database>()
  try {
    for (const { file } of DATABASES) {
      const db = await openUnlessDamaged(`sqlite:${folder}`, file, mode)
      if (db) opened.set(file, db)
    }
    return await work(opened)
  } finally {
    for (const db of opened.values()) await db.close()
  }
}

/** The highest position of the databases that are replaced; 0 if neither can be read. */
async function highestUsed(opened: Map<string, Database>): Promise<number> {
  const [administration, events] = [opened.get(ADMINISTRATION.file), opened.get(EVENTS.file)]
  return Math.max(
    administration ? await highestPosition(administration).catch(() => 0) : 0,
    events ? await lastHorizon(events).catch(() => 0) : 0,
  )
}

/** Undefined for a missing or damaged file, which a restore replaces. */
async function openUnlessDamaged(url: string, file: string, mode: LockMode): Promise<Database | undefined> {
  try {
    return await openDatabase(url, { mode, file })
  } catch (error) {
    if (error instanceof DatabaseFileError && error.code === 'in_use') throw error
    if (error instanceof DatabaseFileError || /^SQLITE_(CORRUPT|NOTADB|IOERR)/.test(errorCode(error))) return undefined
    throw error
  }
}

/**
 * Moves the old files away and the new ones into place. From the first to the last rename a marker keeps servers from
 * opening the folder. A process that dies in between leaves it, and the next restore starts over.
 */
async function swap({
  folder,
  staging,
  now,
  unfinished,
}: {
  folder: string
  staging: string
  now: string
  unfinished: boolean
}): Promise<string | null> {
  const marker = join(folder, UNFINISHED_RESTORE)
  await writeFile(marker, '', { mode: PRIVATE_MODE, flush: true })
  try {
    // A server may have opened the files just before the marker was written.
    await withLock(folder, 'restoring', () => fsync(folder))
  } catch (error) {
    if (!unfinished) await rm(marker)
    throw error
  }
  const old = DATABASES.flatMap(({ file }) => SUFFIXES.map((suffix) => file + suffix)).filter((name) =>
    existsSync(join(folder, name)),
  )
  const replaced = old.length ? join(folder, `replaced-${now.replace(/[-:]|\.\d+/g, '')}`) : null
  if (replaced) {
    await mkdir(replaced, { recursive: true, mode: 0o700 })
    for (const name of old) await rename(join(folder, name), join(replaced, name))
  }
  for (const { file } of [EVENTS, ADMINISTRATION]) {
    keepPrivate(join(staging, file))
    await fsync(join(staging, file))
    await rename(join(staging, file), join(folder, file))
  }
  await fsync(folder)
  await rm(marker)
  await fsync(folder)
  return replaced
}

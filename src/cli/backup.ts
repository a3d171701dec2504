import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Command } from 'commander'
import { pack as createPack, type Pack } from 'tar-stream'
import type { Variables } from '../config.ts'
import { copySqlite } from '../sql/backup.ts'
import { clockOf, withoutPassword } from '../sql/db.ts'
import { ADMINISTRATION, EVENTS, SCHEMA_VERSION, version } from '../sql/migrate.ts'
import { openDatabase } from '../sql/open.ts'
import { recordBackup } from '../store/installation.ts'
import { commandError, describeFailure, EXIT } from './failure.ts'
import { databaseUrl, type LocalOptions, withLocalOptions } from './local.ts'
import { shellQuote } from './quote.ts'

/** A backup is as sensitive as the data. */
const PRIVATE_MODE = 0o600

interface Manifest {
  created_at: string
  schema_version: number
  files: { name: string; bytes: number; sha256: string }[]
}

export const backupCommand = (variables: Variables): Command =>
  withLocalOptions(new Command('backup'))
    .description(
      'Writes a consistent snapshot of the SQLite databases into one tar archive while the server keeps running. The archive replaces an existing FILE only after it is complete and flushed to disk.',
    )
    .argument('<file>', 'the archive to write')
    .addHelpText(
      'after',
      `
The archive contains ${ADMINISTRATION.file}, ${EVENTS.file} and manifest.json (created_at, schema_version, sizes and sha256 of the
files). It does not contain the key that encrypts stored secrets: back that up separately.

To restore, unpack the archive into an empty data folder and start a server on it:
  $ mkdir -m 700 restored && tar xf FILE -C restored
  $ workspace-admin serve --database sqlite:restored

For PostgreSQL, the command prints the pg_dump command to run instead.

Examples:
  $ workspace-admin backup /backups/workspace.tar
  $ workspace-admin backup "workspace-$(date +%F).tar" --database sqlite:/var/lib/workspace --json`,
    )
    .action(async (file: string, options: LocalOptions) => {
      const url = databaseUrl(variables, options)
      if (/^postgres(ql)?:/.test(url)) throw usePgDump(url, file)
      const manifest = await writeArchive(url, resolve(file))
      await record(url, manifest)
      if (options.json) return console.log(JSON.stringify({ file: resolve(file), ...manifest }))
      console.log(
        [
          `Wrote ${resolve(file)}: data as of ${manifest.created_at}, schema version ${manifest.schema_version}.`,
          '',
          'To restore it, unpack it into an empty folder:',
          '',
          `  mkdir -m 700 restored && tar xf ${shellQuote(resolve(file))} -C restored`,
          '  workspace-admin serve --database sqlite:restored',
        ].join('\n'),
      )
    })

const usePgDump = (url: string, file: string): Error =>
  commandError(
    EXIT.failed,
    `Use pg_dump to back up PostgreSQL: pg_dump --format=custom --file=${shellQuote(file)} ${shellQuote(withoutPassword(url))}`,
  )

/** The status of the installation shows the time. The archive is complete, so a failure is only a warning. */
async function record(url: string, { created_at, schema_version }: Manifest): Promise<void> {
  // A backup before a migration: the table has no column for it.
  if (schema_version !== SCHEMA_VERSION) return
  try {
    const db = await openDatabase(url, { mode: 'existing' })
    await recordBackup(db, created_at).finally(() => db.close())
  } catch (error) {
    console.error(`The archive is complete, but its time could not be recorded: ${describeFailure(error).message}`)
  }
}

/** Each backup uses its own temporary folder next to the archive, so concurrent backups do not interfere. */
async function writeArchive(url: string, file: string): Promise<Manifest> {
  const db = await openDatabase(url, { mode: 'read' })
  let folder: string | undefined
  try {
    const created_at = new Date(clockOf(db)()).toISOString()
    const schema_version = await version(db)
    folder = await mkdtemp(`${file}.partial-`)
    const files: Manifest['files'] = []
    for (const name of await copySqlite(dirname(db.location), [ADMINISTRATION.file, EVENTS.file], folder)) {
      const copy = join(folder, name)
      files.push({ name, bytes: (await stat(copy)).size, sha256: await sha256(copy) })
    }
    const manifest: Manifest = { created_at, schema_version, files }
    const partial = join(folder, basename(file))
    const pack = createPack()
    await Promise.all([
      pipeline(pack, createWriteStream(partial, { mode: PRIVATE_MODE })),
      writeEntries(pack, manifest, folder).catch((error) => pack.destroy(error)),
    ])
    // The rename survives a power loss only after fsync of the file and its folder.
    await fsync(partial)
    await rename(partial, file)
    await fsync(dirname(file))
    return manifest
  } finally {
    await db.close()
    if (folder) await rm(folder, { recursive: true, force: true })
  }
}

async function writeEntries(pack: Pack, manifest: Manifest, folder: string): Promise<void> {
  const mtime = new Date(manifest.created_at)
  pack.entry({ name: 'manifest.json', mode: PRIVATE_MODE, mtime }, `${JSON.stringify(manifest, null, 2)}\n`)
  for (const { name, bytes } of manifest.files)
    await pipeline(createReadStream(join(folder, name)), pack.entry({ name, mode: PRIVATE_MODE, mtime, size: bytes }))
  pack.finalize()
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

async function fsync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

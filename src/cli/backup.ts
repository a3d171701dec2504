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
import { ADMINISTRATION, EVENTS, version } from '../sql/migrate.ts'
import { openDatabase } from '../sql/open.ts'
import { EXIT, failure } from './failure.ts'
import { databaseUrl, type LocalOptions, local } from './local.ts'
import { quoted } from './quote.ts'

/** Whoever reads a backup reads the data. */
const PRIVATE = 0o600

interface Manifest {
  created_at: string
  schema_version: number
  files: { name: string; bytes: number; sha256: string }[]
}

export const backup = (variables: Variables): Command =>
  local(new Command('backup'))
    .description(
      'Writes the SQLite databases as they are at one moment into one tar archive, while the server goes on. FILE appears when the archive is complete and on the disk; one that was there before is replaced then, and not sooner.',
    )
    .argument('<file>', 'the archive to write')
    .addHelpText(
      'after',
      `
The archive holds ${ADMINISTRATION.file}, ${EVENTS.file} and manifest.json (created_at, schema_version, files with sizes and sha256).
The key that encrypts stored secrets is not in it: keep that apart.

Restoring is unpacking into an empty data folder and starting there:
  $ mkdir -m 700 restored && tar xf FILE -C restored
  $ workspace-admin serve --database sqlite:restored

A PostgreSQL database is backed up by pg_dump; the command then prints the line.

Examples:
  $ workspace-admin backup /backups/workspace.tar
  $ workspace-admin backup "workspace-$(date +%F).tar" --database sqlite:/var/lib/workspace --json`,
    )
    .action(async (file: string, options: LocalOptions) => {
      const url = databaseUrl(variables, options)
      if (/^postgres(ql)?:/.test(url)) throw usePgDump(url, file)
      const manifest = await archive(url, resolve(file))
      if (options.json) return console.log(JSON.stringify({ file: resolve(file), ...manifest }))
      console.log(
        [
          `${resolve(file)} holds the data as of ${manifest.created_at}, schema version ${manifest.schema_version}.`,
          '',
          'Restore it by unpacking it into an empty folder:',
          '',
          `  mkdir -m 700 restored && tar xf ${quoted(resolve(file))} -C restored`,
          '  workspace-admin serve --database sqlite:restored',
        ].join('\n'),
      )
    })

const usePgDump = (url: string, file: string): Error =>
  failure(
    EXIT.failed,
    `PostgreSQL brings its own tool for this. Run: pg_dump --format=custom --file=${quoted(file)} ${quoted(withoutPassword(url))}`,
  )

/** Everything is made in a folder of its own beside the archive, so that two backups at once cannot mix. */
async function archive(url: string, file: string): Promise<Manifest> {
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
      pipeline(pack, createWriteStream(partial, { mode: PRIVATE })),
      fill(pack, manifest, folder).catch((error) => pack.destroy(error)),
    ])
    await sync(partial)
    await rename(partial, file)
    await sync(dirname(file))
    return manifest
  } finally {
    await db.close()
    if (folder) await rm(folder, { recursive: true, force: true })
  }
}

async function fill(pack: Pack, manifest: Manifest, folder: string): Promise<void> {
  const mtime = new Date(manifest.created_at)
  pack.entry({ name: 'manifest.json', mode: PRIVATE, mtime }, `${JSON.stringify(manifest, null, 2)}\n`)
  for (const { name, bytes } of manifest.files)
    await pipeline(createReadStream(join(folder, name)), pack.entry({ name, mode: PRIVATE, mtime, size: bytes }))
  pack.finalize()
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** A rename that outlives a power cut needs both the file and its folder on the disk. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

import { dirname, resolve } from 'node:path'
import { Command } from 'commander'
import { type Manifest, writeArchive } from '../backups/archive.ts'
import type { Variables } from '../config.ts'
import { withoutPassword } from '../sql/db.ts'
import { ADMINISTRATION, EVENTS, SCHEMA_VERSION } from '../sql/migrate.ts'
import { openDatabase } from '../sql/open.ts'
import { recordBackup } from '../store/installation.ts'
import { commandError, describeFailure, EXIT, usageError } from './failure.ts'
import { printResult } from './json-output.ts'
import { databaseUrl, type LocalOptions, withDatabase, withLocalOptions } from './local.ts'
import { databaseFlag, shellQuote } from './quote.ts'
import { note } from './streams.ts'

export const isPostgres = (url: string): boolean => /^postgres(ql)?:/.test(url)

export const backupCommand = (variables: Variables): Command =>
  withLocalOptions(new Command('backup'), [
    'file',
    'created_at',
    'schema_version',
    'key_fingerprints',
    'files',
    'last_backup_at',
  ])
    .description(
      'Writes a consistent snapshot of the SQLite databases into one tar archive while the server keeps running. The archive replaces an existing FILE only after it is complete and flushed to disk.',
    )
    .argument('[file]', 'the archive to write')
    .option('--record', 'write no archive; record that another program has just backed up the database')
    .addHelpText(
      'after',
      `
The archive contains ${ADMINISTRATION.file}, ${EVENTS.file} and manifest.json (created_at, schema_version, sizes and sha256 of the
files). It never contains the key that encrypts stored secrets (SECRET_KEY or secret.key): back that up separately.

\`workspace-admin restore FILE\` restores it. BACKUP_EVERY and BACKUP_TO make the server write backups by itself.

For PostgreSQL, the command prints the pg_dump command to run instead. With --record after it, \`doctor\`, the metrics and the
status of the instance know the time of the last backup.

Examples:
  $ workspace-admin backup /backups/workspace.tar
  $ workspace-admin backup "workspace-$(date +%F).tar" --database sqlite:/var/lib/workspace --json
  $ pg_dump --format=custom --file=workspace.dump "$DATABASE_URL" && workspace-admin backup --record`,
    )
    .action(async (file: string | undefined, options: LocalOptions & { record?: boolean }) => {
      if (options.record) {
        if (file !== undefined) throw usageError('--record writes no archive. Pass either a file or --record.')
        return recordOnly(variables, options)
      }
      if (file === undefined) throw usageError('The name of the archive is missing. Pass one, or --record.')
      const url = databaseUrl(variables, options)
      if (isPostgres(url)) throw usePgDump(url, file)
      const { manifest, bytes } = await writeArchive(url, resolve(file))
      await record(url, manifest, bytes)
      await printResult(options, { file: resolve(file), ...manifest }, [
        `Wrote ${resolve(file)}: data as of ${manifest.created_at}, schema version ${manifest.schema_version}.`,
        describeKeys(manifest, dirname(resolve(file))),
        '',
        'To restore it:',
        '',
        `  workspace-admin restore ${shellQuote(resolve(file))} --database sqlite:FOLDER`,
      ])
    })

const describeKeys = ({ key_fingerprints }: Manifest, folder: string): string =>
  key_fingerprints.length === 0
    ? 'It does not contain the secret key (SECRET_KEY or secret.key).'
    : `It does not contain the secret key ${key_fingerprints.join(', ')} (SECRET_KEY or secret.key), which decrypts its secrets: back that up separately, not in ${folder}.`

async function recordOnly(variables: Variables, options: LocalOptions): Promise<void> {
  const at = await withDatabase(variables, options, async ({ db, now }) => {
    await recordBackup(db, now)
    return now
  })
  await printResult(options, { last_backup_at: at }, `Recorded a backup at ${at}.`)
}

const usePgDump = (url: string, file: string): Error =>
  commandError(
    EXIT.failed,
    `Use pg_dump to back up PostgreSQL: pg_dump --format=custom --file=${shellQuote(file)} ${shellQuote(withoutPassword(url))} && workspace-admin backup --record${databaseFlag(url)}`,
  )

/** The status of the installation shows the time. The archive is complete, so a failure is only a warning. */
async function record(url: string, { created_at, schema_version }: Manifest, bytes: number): Promise<void> {
  // A backup before a migration: the table has no column for it.
  if (schema_version !== SCHEMA_VERSION) return
  try {
    const db = await openDatabase(url, { mode: 'existing' })
    await recordBackup(db, created_at, bytes).finally(() => db.close())
  } catch (error) {
    note(`The archive is complete, but its time could not be recorded: ${describeFailure(error).message}`)
  }
}

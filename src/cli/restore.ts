import { resolve } from 'node:path'
import { Command } from 'commander'
import { type Restored, RestoreError, restoreArchive } from '../backups/restore.ts'
import { readConfig, type Variables } from '../config.ts'
import { DatabaseFileError, withoutPassword } from '../sql/db.ts'
import { SCHEMA_VERSION } from '../sql/migrate.ts'
import { existingKeys } from '../store/vault.ts'
import { isPostgres } from './backup.ts'
import { commandError, EXIT } from './failure.ts'
import { printResult } from './json-output.ts'
import { type LocalOptions, withLocalOptions } from './local.ts'
import { singleLine } from './print.ts'
import { databaseFlag, shellQuote } from './quote.ts'

interface RestoreFlags extends LocalOptions {
  force?: boolean
  allowMissingKey?: boolean
}

export const restoreCommand = (variables: Variables): Command =>
  withLocalOptions(new Command('restore'), [
    'folder',
    'created_at',
    'schema_version',
    'key_fingerprints',
    'next_position',
    'replaced',
  ])
    .description(
      'Restores an archive of `backup` into a SQLite folder. It verifies checksums, integrity, schema version and secret key first and changes nothing unless all are right. Stop the server first.',
    )
    .argument('<file>', 'the archive to restore')
    .option('--force', 'replace an existing database; its files are moved to a folder replaced-<time> beside it')
    .option('--allow-missing-key', 'restore stored secrets although their key is missing')
    .addHelpText(
      'after',
      `
The archive does not contain the secret key. Set SECRET_KEY, or copy secret.key into the folder before.

Events that arrived after the backup are lost, and exports deliver the events since the backup again. New events get
positions above all that were assigned before, so no file or cursor of an export is used twice.

If the command is killed, run it again. No server starts on the folder until a restore completes. The exit code is 6 when
the archive or the folder is rejected. For PostgreSQL, the command prints the pg_restore command to run instead.

Examples:
  $ workspace-admin restore /backups/workspace.tar --database sqlite:/var/lib/workspace
  $ workspace-admin restore workspace.tar --force --json`,
    )
    .action(async (file: string, options: RestoreFlags) => {
      const config = readConfig({ ...variables, ...(options.database && { DATABASE_URL: options.database }) })
      const url = config.DATABASE_URL
      if (isPostgres(url))
        throw commandError(
          EXIT.failed,
          `Use pg_restore to restore PostgreSQL into an empty database: pg_restore --no-owner --exit-on-error --dbname=${shellQuote(withoutPassword(url))} ${shellQuote(file)}`,
        )
      const folder = resolve(url.replace(/^sqlite:/, ''))
      const restored = await restoreArchive({
        file: resolve(file),
        folder,
        force: options.force === true,
        allow_missing_key: options.allowMissingKey === true,
        keys: existingKeys(config, folder),
      }).catch((error) => {
        const rejected =
          error instanceof RestoreError || (error instanceof DatabaseFileError && error.code === 'in_use')
        // The archive may contain any names.
        throw rejected ? commandError(EXIT.refused, singleLine(error.message)) : error
      })
      await printResult(options, { folder, ...restored }, describe(folder, restored, options.database))
    })

function describe(
  folder: string,
  { created_at, schema_version, key_fingerprints, replaced }: Restored,
  database: string | undefined,
): string[] {
  return [
    `Restored ${folder}: data as of ${created_at}, schema version ${schema_version}.`,
    ...(schema_version < SCHEMA_VERSION ? [`The next start migrates it to version ${SCHEMA_VERSION}.`] : []),
    ...(key_fingerprints.length ? [`Its secrets need the key ${key_fingerprints.join(', ')}.`] : []),
    ...(replaced ? [`The replaced files are in ${replaced}. Delete them when you no longer need them.`] : []),
    'Exports deliver the events since the backup again.',
    '',
    `  workspace-admin serve${databaseFlag(database)}`,
  ]
}

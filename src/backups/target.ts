/** Where scheduled backups are stored: a folder or a bucket. Only complete archives get the name of a backup. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Config } from '../config.ts'
import { openBucket } from '../exports/destinations/s3.ts'
import { createOutbound } from '../outbound/guard.ts'
import { makePrivateFolder } from '../sql/private-files.ts'
import { type Manifest, packSnapshot, writeArchive, writeSnapshot } from './archive.ts'

/** The settings of a target. */
export type TargetSettings = Pick<Config, Extract<keyof Config, `BACKUP_S3_${string}`>> & { BACKUP_TO: string }

export interface BackupTarget {
  /** Deletes temporary files of killed processes. */
  clean(): Promise<void>
  /** Stores a backup of the database under a name. */
  store(url: string, name: string): Promise<{ manifest: Manifest; bytes: number }>
  /** The names that begin with the prefix, including unfinished files. */
  list(): Promise<string[]>
  remove(name: string): Promise<void>
  close(): Promise<void>
}

export interface TargetOptions {
  settings: TargetSettings
  /** The beginning of the names of this installation's backups. */
  prefix: string
  /** The folder of the data, for the snapshot of an upload. */
  data_folder: string
  signal: AbortSignal
}

export const openTarget = (options: TargetOptions): Promise<BackupTarget> =>
  options.settings.BACKUP_TO.startsWith('s3://') ? openBucketTarget(options) : openFolderTarget(options)

async function openFolderTarget({ settings, prefix }: TargetOptions): Promise<BackupTarget> {
  const folder = resolve(settings.BACKUP_TO)
  makePrivateFolder(folder)
  const names = async (): Promise<string[]> => (await readdir(folder)).filter((name) => name.startsWith(prefix))
  return {
    clean: async () => {
      for (const name of await names())
        if (name.includes('.partial-')) await rm(join(folder, name), { recursive: true, force: true })
    },
    store: (url, name) => writeArchive(url, join(folder, name)),
    list: names,
    remove: (name) => rm(join(folder, name), { force: true }),
    close: async () => undefined,
  }
}

/** The operator chooses the bucket, so it may be on any host. */
const ANY_ADDRESS = '0.0.0.0/0,::/0'
const SNAPSHOT_FOLDER = '.backup-'

async function openBucketTarget({ settings, prefix, data_folder, signal }: TargetOptions): Promise<BackupTarget> {
  const [bucket_name = '', ...names] = settings.BACKUP_TO.slice('s3://'.length).split('/')
  const path = names.join('/')
  const folder = path === '' || path.endsWith('/') ? path : `${path}/`
  const bucket = await openBucket(
    {
      bucket_name,
      region: settings.BACKUP_S3_REGION,
      endpoint_url: settings.BACKUP_S3_ENDPOINT,
      aws_access_key_id: settings.BACKUP_S3_ACCESS_KEY_ID,
      aws_secret_access_key: settings.BACKUP_S3_SECRET_ACCESS_KEY,
      use_default_credentials: settings.BACKUP_S3_ACCESS_KEY_ID === undefined,
    },
    { outbound: createOutbound({ allow: ANY_ADDRESS }), signal },
  )
  return {
    clean: async () => {
      for (const name of await readdir(data_folder))
        if (name.startsWith(SNAPSHOT_FOLDER)) await rm(join(data_folder, name), { recursive: true, force: true })
      await bucket.abortUploads(folder + prefix)
    },
    store: async (url, name) => {
      const snapshot = await mkdtemp(join(data_folder, SNAPSHOT_FOLDER))
      try {
        const manifest = await writeSnapshot(url, snapshot)
        let bytes = 0
        const counted = new PassThrough({
          transform: (chunk: Buffer, _, done) => {
            bytes += chunk.length
            done(null, chunk)
          },
        })
        await Promise.all([pipeline(packSnapshot(manifest, snapshot), counted), bucket.put(folder + name, counted)])
        return { manifest, bytes }
      } finally {
        await rm(snapshot, { recursive: true, force: true })
      }
    },
    list: async () => {
      const found = await bucket.list(folder + prefix)
      if (!found) throw new Error('The credentials of the backup may not list the bucket. Allow s3:ListBucket.')
      return found.map((name) => name.slice(folder.length))
    },
    remove: (name) => bucket.remove(folder + name),
    close: () => bucket.close(),
  }
}

/** Messages between the server and the process of a scheduled backup. */
import type { Manifest } from './archive.ts'
import type { TargetSettings } from './target.ts'

export interface BackupJob {
  url: string
  /** The id of the installation. Retention deletes only its own backups. */
  installation: string
  /** ISO 8601; part of the file name. */
  now: string
  keep: number
  settings: TargetSettings
}

export interface StoredBackup {
  name: string
  bytes: number
  manifest: Manifest
  /** Backups that retention deleted. */
  removed: string[]
  /** Why old backups could not be deleted. The new one is complete. */
  retention_error: string | null
}

export type BackupReply = { kind: 'stored'; backup: StoredBackup } | { kind: 'failed'; message: string }

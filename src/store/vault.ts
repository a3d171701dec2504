/** Encrypts stored secrets with AES-256-GCM. The name of its row is authenticated with each secret. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, linkSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, errorCode } from '../errors.ts'

export const KEY_FILE = 'secret.key'
/** The warning for PostgreSQL without SECRET_KEY. */
export const NO_SECRET_KEY =
  'secrets of exports, alerts and plugins cannot be stored. Set it to 64 hexadecimal digits (openssl rand -hex 32), the same on every node'
const PRIVATE = 0o600
const OTHERS = 0o077
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

export interface Vault {
  /** `owner` names the table and row. A secret that is copied to another row cannot be decrypted. */
  encrypt(text: string, owner: string): string
  /** Throws `secret_unreadable` for another key, another row or a changed text. */
  decrypt(encrypted: string, owner: string): string
  /** The name of the key that encrypted the text. */
  keyOf(encrypted: string): string
  /** The names of the keys. The first one encrypts. Empty when no key is set. */
  readonly keys: readonly string[]
}

/** Decrypts with any of the keys, encrypts with the first. */
export function createVault(keys: readonly Buffer[]): Vault {
  const named = new Map(keys.map((key) => [nameOf(key), key]))
  return {
    keys: [...named.keys()],
    keyOf,
    encrypt: (text, owner) => {
      const [current] = named
      if (!current)
        throw new AppError({
          code: 'no_secret_key',
          detail:
            'This server has no key to encrypt secrets with. Its operator must set SECRET_KEY to 64 hexadecimal digits (openssl rand -hex 32) and restart it.',
        })
      const [name, key] = current
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(owner))
      const encrypted = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${name}.${encrypted.toString('base64url')}`
    },
    decrypt: (encrypted, owner) => {
      const key = named.get(keyOf(encrypted))
      if (!key) throw unreadable()
      const bytes = Buffer.from(encrypted.slice(encrypted.indexOf('.') + 1), 'base64url')
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES)).setAAD(Buffer.from(owner))
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
        return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString()
      } catch {
        throw unreadable()
      }
    },
  }
}

const unreadable = (): AppError =>
  new AppError({ code: 'secret_unreadable', detail: 'A stored secret cannot be decrypted. Send it again.' })

/** The decrypted secret, or null if it cannot be decrypted. */
export function decryptIfReadable(vault: Vault, encrypted: string, owner: string): string | null {
  try {
    return vault.decrypt(encrypted, owner)
  } catch (error) {
    if (error instanceof AppError && error.code === 'secret_unreadable') return null
    throw error
  }
}

const keyOf = (encrypted: string): string => encrypted.slice(0, encrypted.indexOf('.'))

/** The name of a key: identifies it without revealing it. */
export const nameOf = (key: Buffer): string =>
  createHash('sha256').update('workspace-admin').update(key).digest('hex').slice(0, 8)

export interface KeySettings {
  SECRET_KEY?: string
  SECRET_KEY_PREVIOUS?: string
}

/**
 * The configured keys, or else the key file in the data folder, which is created if missing. PostgreSQL has no data
 * folder: without a configured key no secret can be stored.
 */
export function readKeys({ SECRET_KEY, SECRET_KEY_PREVIOUS }: KeySettings, folder: string | null): Buffer[] {
  const set = [SECRET_KEY, SECRET_KEY_PREVIOUS].flatMap((key) => (key ? [Buffer.from(key, 'hex')] : []))
  if (folder === null) return set
  const file = join(folder, KEY_FILE)
  // After SECRET_KEY is set for the first time, the key file still decrypts older secrets.
  if (SECRET_KEY) return existsSync(file) ? [...set, keyIn(file)] : set
  return [keyIn(file), ...set]
}

/** Whether a start on this folder would use a key that exists, instead of creating one. */
export const hasKey = ({ SECRET_KEY }: KeySettings, folder: string | null): boolean =>
  folder === null || Boolean(SECRET_KEY) || existsSync(join(folder, KEY_FILE))

/** The names of the keys that a start on this folder would use. Creates and changes no file. */
export function existingKeys(settings: KeySettings, folder: string | null): string[] {
  const configured = readKeys(settings, null)
  const file = folder === null ? undefined : join(folder, KEY_FILE)
  if (file === undefined || !existsSync(file)) return configured.map(nameOf)
  const inFile = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex')
  return (settings.SECRET_KEY ? [...configured, inFile] : [inFile, ...configured]).map(nameOf)
}

/** A restored key file may have any mode. The mode of another user's file, such as a mounted secret, cannot be changed. */
function restrict(file: string): void {
  try {
    chmodSync(file, PRIVATE)
  } catch (error) {
    if (!['EPERM', 'EROFS'].includes(errorCode(error))) throw error
  }
}

function keyIn(file: string): Buffer {
  for (;;) {
    try {
      const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex')
      if (key.length !== KEY_BYTES)
        throw new Error(`${file} must contain 64 hexadecimal digits. Restore the original file.`)
      if (statSync(file).mode & OTHERS) restrict(file)
      return key
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
    }
    // Written to a draft and linked when complete, so two processes that start concurrently use the same key.
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: PRIVATE, flush: true })
    try {
      linkSync(draft, file)
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    } finally {
      unlinkSync(draft)
    }
  }
}

/** What keeps stored secrets: AES-256-GCM under the installation's key, each bound to the place it is stored in. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, linkSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../errors.ts'

export const KEY_FILE = 'secret.key'
/** The warning for PostgreSQL without SECRET_KEY. */
export const NO_SECRET_KEY =
  'secrets of exports and plugins cannot be stored. Set it to 64 hexadecimal digits (openssl rand -hex 32), the same on every node'
const PRIVATE = 0o600
const OTHERS = 0o077
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

export interface Vault {
  /** `place` names the table, column and row: a sealed text that is moved elsewhere does not open. */
  seal(text: string, place: string): string
  /** Throws `secret_unreadable` for what was sealed under another key, for another place, or was changed. */
  open(sealed: string, place: string): string
  /** The name of the key that a text was sealed under. */
  keyOf(sealed: string): string
  /** The names of the keys that open; the first one seals. None where no key is set. */
  readonly keys: readonly string[]
}

/** Opens with any of the keys, seals with the first. */
export function createVault(keys: readonly Buffer[]): Vault {
  const named = new Map(keys.map((key) => [nameOf(key), key]))
  const names = [...named.keys()]
  return {
    keys: names,
    keyOf,
    seal: (text, place) => {
      const [name] = names
      if (name === undefined)
        throw new AppError({
          code: 'no_secret_key',
          detail:
            'This server has no key to keep secrets with. Its operator sets SECRET_KEY to 64 hexadecimal digits (openssl rand -hex 32) and starts it again.',
        })
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', named.get(name)!, iv).setAAD(Buffer.from(place))
      const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${name}.${sealed.toString('base64url')}`
    },
    open: (sealed, place) => {
      const key = named.get(keyOf(sealed))
      const bytes = Buffer.from(sealed.slice(sealed.indexOf('.') + 1), 'base64url')
      try {
        const decipher = createDecipheriv('aes-256-gcm', key!, bytes.subarray(0, IV_BYTES)).setAAD(Buffer.from(place))
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
        return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString()
      } catch {
        throw new AppError({ code: 'secret_unreadable', detail: 'A stored secret cannot be read. Send it again.' })
      }
    },
  }
}

const keyOf = (sealed: string): string => sealed.slice(0, sealed.indexOf('.'))

/** Tells two keys apart and tells nothing about either. */
const nameOf = (key: Buffer): string =>
  createHash('sha256').update('workspace-admin').update(key).digest('hex').slice(0, 8)

/**
 * The keys that are set, or else the one beside the data, which is made where there is none. Where there is no folder
 * for one, on PostgreSQL, nothing secret can be stored until a key is set.
 */
export function readKeys(
  { SECRET_KEY, SECRET_KEY_PREVIOUS }: { SECRET_KEY?: string; SECRET_KEY_PREVIOUS?: string },
  folder: string | null,
): Buffer[] {
  const set = [SECRET_KEY, SECRET_KEY_PREVIOUS].flatMap((key) => (key ? [Buffer.from(key, 'hex')] : []))
  if (folder === null) return set
  const file = join(folder, KEY_FILE)
  // Whoever sets a key after starting without one has the one beside the data as the previous key.
  if (SECRET_KEY) return existsSync(file) ? [...set, keyIn(file)] : set
  return [keyIn(file), ...set]
}

/** A restored key file may have any mode. A file of another user, such as a mounted secret, is left alone. */
function restrict(file: string): void {
  try {
    chmodSync(file, PRIVATE)
  } catch (error) {
    if (!['EPERM', 'EROFS'].includes(String((error as { code?: string }).code))) throw error
  }
}

function keyIn(file: string): Buffer {
  for (;;) {
    try {
      const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex')
      if (key.length !== KEY_BYTES)
        throw new Error(`${file} holds no key: it should be 64 hexadecimal digits. Put back the file that was there.`)
      if (statSync(file).mode & OTHERS) restrict(file)
      return key
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOENT') throw error
    }
    // Linked into place when it is whole: of two processes that start at once, both read the key of the first.
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: PRIVATE, flush: true } as object)
    try {
      linkSync(draft, file)
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error
    } finally {
      unlinkSync(draft)
    }
  }
}

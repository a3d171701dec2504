/** Stores what completion asked a server for one minute: ids and names, never keys. Without a folder, nothing is stored. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { Variables } from '../config.ts'
import { parseJson } from '../json/parse.ts'

const LIFETIME_MS = 60_000

function folderOf({ XDG_CACHE_HOME, HOME }: Variables): string | undefined {
  if (XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME)) return join(XDG_CACHE_HOME, 'workspace-admin', 'completion')
  return HOME && isAbsolute(HOME) ? join(HOME, '.cache', 'workspace-admin', 'completion') : undefined
}

/** The stored value, or else that of `read`. `parts` identify it; they are stored as a hash. */
export async function cached<Value>(
  variables: Variables,
  parts: readonly unknown[],
  isValue: (value: unknown) => value is Value,
  read: () => Promise<Value>,
): Promise<Value> {
  const folder = folderOf(variables)
  if (folder === undefined) return read()
  const name = `${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)}.json`
  removeExpired(folder)
  const stored = readIfPresent(join(folder, name))
  if (isValue(stored)) return stored
  const value = await read()
  write(folder, name, value)
  return value
}

function removeExpired(folder: string): void {
  try {
    const now = performance.timeOrigin + performance.now()
    for (const name of readdirSync(folder)) {
      const file = join(folder, name)
      if (Math.abs(now - statSync(file).mtimeMs) > LIFETIME_MS) rmSync(file, { force: true })
    }
  } catch {
    // There is no folder yet, or another completion has removed the file.
  }
}

function readIfPresent(file: string): unknown {
  try {
    return parseJson(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** A full or read-only disk only costs the next completion a request. */
function write(folder: string, name: string, value: unknown): void {
  const partial = join(folder, `${name}.${process.pid}.partial`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // An interrupted write leaves the file for `removeExpired`.
    writeFileSync(partial, JSON.stringify(value), { mode: 0o600 })
    renameSync(partial, join(folder, name))
  } catch {
    return
  }
}

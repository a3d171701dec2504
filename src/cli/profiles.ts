/** Profiles: the server, key and defaults that `login` stores, one file per profile. */

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Variables } from '../config.ts'
import { parseJson } from '../json/parse.ts'
import { commandError, EXIT, usageError } from './failure.ts'

export const DEFAULT_PROFILE = 'default'

const Profile = Type.Object({
  url: Type.String(),
  key: Type.String(),
  /** The user that the key belongs to. */
  email: Type.String(),
  /** The ids that `use --local` stored. */
  organization: Type.Optional(Type.String()),
  project: Type.Optional(Type.String()),
})

export type Profile = Static<typeof Profile>

/** Undefined when the environment names no folder for settings. */
function folderOf({ XDG_CONFIG_HOME, HOME }: Variables): string | undefined {
  // The specification of these variables says to ignore a relative path.
  if (XDG_CONFIG_HOME && isAbsolute(XDG_CONFIG_HOME)) return join(XDG_CONFIG_HOME, 'workspace-admin', 'profiles')
  return HOME && isAbsolute(HOME) ? join(HOME, '.config', 'workspace-admin', 'profiles') : undefined
}

function fileOf(variables: Variables, name: string): string | undefined {
  if (name.startsWith('phx_')) throw usageError('A profile name cannot start with phx_, which is the start of a key.')
  if (name.length > 64 || !/^[A-Za-z0-9][\w.-]*$/.test(name))
    throw usageError('A profile name has up to 64 letters, digits, dots, hyphens and underscores.')
  const folder = folderOf(variables)
  return folder === undefined ? undefined : join(folder, `${name}.json`)
}

export function readProfile(variables: Variables, name: string): Profile | undefined {
  const file = fileOf(variables, name)
  if (file === undefined) return undefined
  const text = readIfExists(file)
  if (text === undefined) return undefined
  if (process.platform !== 'win32' && statSync(file).mode & 0o077)
    throw commandError(EXIT.failed, `Other users can read ${file}, which contains a key. Run: chmod 600 ${file}`)
  const profile = parseJson(text)
  if (Value.Check(Profile, profile)) return profile
  throw commandError(EXIT.failed, `${file} is damaged. Delete it and run \`workspace-admin login\` again.`)
}

function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(Object(error).code)) return undefined
    throw error
  }
}

/** Replaces the file in one step: a crash leaves the old profile or the new one. Returns the path. */
export function writeProfile(variables: Variables, name: string, profile: Profile): string {
  const file = fileOf(variables, name)
  if (file === undefined)
    throw commandError(EXIT.failed, 'There is no folder for profiles. Set HOME or XDG_CONFIG_HOME to an absolute path.')
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 })
  const partial = `${file}.${process.pid}.partial`
  rmSync(partial, { force: true })
  try {
    writeDurably(partial, `${JSON.stringify(profile, null, 2)}\n`)
    renameSync(partial, file)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
  return file
}

function writeDurably(file: string, text: string): void {
  const handle = openSync(file, 'wx', 0o600)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** False when there is no such profile. */
export function removeProfile(variables: Variables, name: string): boolean {
  const file = fileOf(variables, name)
  if (file === undefined || readIfExists(file) === undefined) return false
  rmSync(file)
  return true
}

export function profileNames(variables: Variables): string[] {
  const folder = folderOf(variables)
  if (folder === undefined) return []
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length))
      .sort()
  } catch {
    return []
  }
}

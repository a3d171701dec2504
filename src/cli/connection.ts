/** Which server a command calls, with which key, and in which organization and project. */
import type { Command } from 'commander'
import { readClientConfig, type Variables } from '../config.ts'
import type { Operation } from '../contract/table.ts'
import { commandError, describeFailure, EXIT, usageError } from './failure.ts'
import { DEFAULT_PROFILE, type Profile, readProfile } from './profiles.ts'

export interface ConnectionOptions {
  baseUrl?: string
  key?: string
  profile?: string
}

export interface Connection {
  url: string
  key: string | undefined
  /** The profile whose key is used. Its defaults do not apply to another server or user. */
  profile: Profile | undefined
  /** Why a known key is not sent. */
  withheld: string | undefined
}

export const withConnectionOptions = (command: Command, keyHelp = KEY_HELP, urlHelp = URL_HELP): Command =>
  command
    .option('--base-url <url>', urlHelp)
    .option('--key <key>', keyHelp)
    .option('--profile <name>', 'a profile that `login` stored (default: WORKSPACE_PROFILE, then "default")')

const URL_HELP = 'the server (default: WORKSPACE_URL, the profile, then http://127.0.0.1:8000)'
export const KEY_HELP =
  'a personal API key (default: WORKSPACE_KEY or the profile, which are not visible in the process list)'

/**
 * Whether a command that also works on a database uses a server. A flag decides before a variable, and a variable before the
 * stored profile.
 */
export function usesServer(
  variables: Variables,
  { database, baseUrl, profile, key }: ConnectionOptions & { database?: string },
): boolean {
  const isNamed = [baseUrl, profile, key].some((flag) => flag !== undefined)
  if (database !== undefined && isNamed)
    throw usageError('Use --database for a database of this machine, or --base-url, --profile and --key for a server.')
  if (database !== undefined || isNamed) return isNamed
  if (variables.WORKSPACE_URL || variables.WORKSPACE_PROFILE) return true
  return !variables.DATABASE_URL && readProfile(variables, DEFAULT_PROFILE) !== undefined
}

/**
 * A key is only sent to the server that it was given for: the key of a profile to the URL of the profile, and
 * WORKSPACE_KEY to WORKSPACE_URL if both are set.
 */
export function readConnection(variables: Variables, options: ConnectionOptions): Connection {
  const settings = readSettings(variables, options)
  const named = options.profile ?? settings.WORKSPACE_PROFILE
  const profile = readProfile(variables, named ?? DEFAULT_PROFILE)
  if (named !== undefined && !profile)
    throw commandError(
      EXIT.not_authenticated,
      `There is no profile "${named}". Create it with \`workspace-admin login --profile ${named}\`.`,
    )
  const urlOfEnvironment = variables.WORKSPACE_URL ? trimSlashes(variables.WORKSPACE_URL) : undefined
  const keyOfEnvironment = variables.WORKSPACE_KEY?.trim() || undefined
  // A key without a URL is not meant for the server of a profile that was not named.
  const isMeant = named !== undefined || (options.key === undefined && keyOfEnvironment === undefined)
  const url = [
    options.baseUrl,
    options.profile !== undefined ? profile?.url : undefined,
    urlOfEnvironment,
    isMeant ? profile?.url : undefined,
    settings.WORKSPACE_URL,
  ].find((one) => one !== undefined && one !== '')
  const server = trimSlashes(url ?? '')
  if (options.key !== undefined)
    return { url: server, key: options.key.trim(), profile: undefined, withheld: undefined }

  const fromProfile = profile && isSameUrl(profile.url, server) ? profile : undefined
  const isForServer = urlOfEnvironment === undefined || isSameUrl(urlOfEnvironment, server)
  const fromEnvironment = isForServer ? keyOfEnvironment : undefined
  if (fromProfile && (options.profile !== undefined || fromEnvironment === undefined))
    return { url: server, key: fromProfile.key, profile: fromProfile, withheld: undefined }
  const withheld =
    keyOfEnvironment !== undefined && !isForServer
      ? `WORKSPACE_KEY is for ${urlOfEnvironment}, so it is not sent to ${server}. Set WORKSPACE_URL too, or add --key.`
      : profile &&
        `The key of the profile is for ${profile.url}, so it is not sent to ${server}. Set WORKSPACE_KEY, or add --key.`
  return { url: server, key: fromEnvironment, profile: undefined, withheld }
}

/** An invalid value is a usage error that names the flag and the variable. */
export function readSettings(
  variables: Variables,
  { baseUrl, key }: ConnectionOptions,
): ReturnType<typeof readClientConfig> {
  try {
    return readClientConfig({
      ...variables,
      ...(baseUrl !== undefined && { WORKSPACE_URL: baseUrl }),
      ...(key !== undefined && { WORKSPACE_KEY: key }),
    })
  } catch (error) {
    throw usageError(
      describeFailure(error)
        .message.replace('WORKSPACE_URL', '--base-url or WORKSPACE_URL')
        .replace('WORKSPACE_KEY', '--key or WORKSPACE_KEY'),
    )
  }
}

function requireKey({ key, withheld }: Connection): void {
  if (key) return
  const remedy = 'Run `workspace-admin login`, or set WORKSPACE_KEY. `workspace-admin keys create` creates a key.'
  throw commandError(EXIT.not_authenticated, withheld ?? `No API key is set. ${remedy}`)
}

/** A public operation would reject an invalid key of the environment, so it only sends --key. */
export function connect(operation: Operation, variables: Variables, options: ConnectionOptions): Connection {
  const server = readConnection(variables, options)
  if (!operation.isPublic) requireKey(server)
  return operation.isPublic && options.key === undefined ? { ...server, key: undefined } : server
}

export const trimSlashes = (url: string): string => url.replace(/(?<!\/)\/+$/, '')

const isSameUrl = (one: string, other: string): boolean => {
  const [left, right] = [one, other].map((url) => (URL.canParse(url) ? trimSlashes(new URL(url).href) : url))
  return left === right
}

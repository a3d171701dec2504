/** `login`, `logout`, `profiles` and `use`: which server, key, organization and project commands use by default. */
import { Command } from 'commander'
import type { Variables } from '../config.ts'
import { type Body, get, isBody, readJson, request } from './client.ts'
import { type ConnectionOptions, connect, readSettings, trimSlashes, withConnectionOptions } from './connection.ts'
import { commandError, EXIT, usageError } from './failure.ts'
import { operationNamed } from './inputs.ts'
import { isJson, type JsonFlags, jsonOutput, printJson, withJsonOptions } from './json-output.ts'
import { type ScopeFlags, scopeId, scopeOption } from './names.ts'
import { printRows } from './print.ts'
import { DEFAULT_PROFILE, profileNames, readProfile, removeProfile, writeProfile } from './profiles.ts'
import { askSecret, isInteractive } from './prompt.ts'
import { note, print } from './streams.ts'

interface LoginOptions {
  baseUrl?: string
  profile?: string
}

const profileOf = (variables: Variables, { profile }: LoginOptions): string =>
  profile ?? (variables.WORKSPACE_PROFILE || DEFAULT_PROFILE)

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

export const loginCommand = (variables: Variables): Command =>
  new Command('login')
    .summary('store a server and a key, so that commands need no flags')
    .description(
      'Asks for a personal API key without showing it, checks it, and stores it with the URL of the server in a profile, a file that only you can read. Without a terminal, the key is the first line of standard input.',
    )
    .option('--base-url <url>', 'the server (default: WORKSPACE_URL, the profile, then http://127.0.0.1:8000)')
    .option('--profile <name>', 'the profile to store (default: WORKSPACE_PROFILE, then "default")')
    .addHelpText(
      'after',
      `
Examples:
  $ workspace-admin login
  $ workspace-admin login --base-url https://workspaces.example.com --profile work
  $ workspace-admin keys create --user owner@example.com --scopes '*' --json value --raw | workspace-admin login`,
    )
    .action(async (options: LoginOptions) => {
      const name = profileOf(variables, options)
      const before = readProfile(variables, name)
      const fallback = options.baseUrl ?? (variables.WORKSPACE_URL || before?.url)
      const url = trimSlashes(readSettings(variables, { baseUrl: fallback }).WORKSPACE_URL)
      const { protocol, hostname } = new URL(url)
      if (protocol === 'http:' && !LOOPBACK.test(hostname))
        note(`Warning: the connection to ${url} is not encrypted. Others on the network can read the key.`)
      if (isInteractive()) note(`Create a key in the console at ${url}/account/keys and paste it here.`)
      const key = await askSecret('Key: ')
      if (!/^[\x21-\x7e]{1,500}$/.test(key))
        throw usageError('No key was entered. A key starts with phx_ and contains no spaces.')
      const server = { url, key }
      await get(server, '/api/personal_api_keys/@current/')
      const email = String((await get(server, '/api/users/@me/')).email)
      // The organization and project of another user or server would be wrong.
      const isSame = before?.url === url && before.email === email
      const { organization, project } = isSame ? before : {}
      const file = writeProfile(variables, name, { url, key, email, organization, project })
      print(`Logged in to ${url} as ${email}. Stored in ${file}.`)
    })

export const logoutCommand = (variables: Variables): Command =>
  new Command('logout')
    .summary('delete a stored profile')
    .description('Deletes a profile with its key from this machine. The key itself stays valid until it is revoked.')
    .option('--profile <name>', 'the profile to delete (default: WORKSPACE_PROFILE, then "default")')
    .addHelpText('after', '\nExample:\n  $ workspace-admin logout --profile work')
    .action((options: LoginOptions) => {
      const name = profileOf(variables, options)
      if (!removeProfile(variables, name))
        throw commandError(
          EXIT.not_found,
          `There is no profile "${name}". List them with \`workspace-admin profiles\`.`,
        )
      print(`Deleted the profile "${name}". Its key stays valid until you revoke it in the console.`)
    })

const PROFILE_FIELDS = ['profile', 'url', 'email', 'organization', 'project']

export const profilesCommand = (variables: Variables): Command =>
  withJsonOptions(new Command('profiles'), PROFILE_FIELDS)
    .summary('list the stored profiles')
    .description('Lists the profiles that `login` stored, without their keys.')
    .addHelpText('after', '\nExample:\n  $ workspace-admin profiles')
    .action(async (flags: JsonFlags) => {
      const rows = profileNames(variables).flatMap((profile) => {
        const found = readProfile(variables, profile)
        if (!found) return []
        const { key, ...shown } = found
        return [{ profile, ...shown }]
      })
      if (isJson(flags)) return printJson(rows, jsonOutput(flags))
      const columns = PROFILE_FIELDS.map((heading) => ({ heading, value: (row: Body) => row[heading] }))
      if (rows.length) printRows(rows, columns, '--json <fields>')
      else note('None. Create one with `workspace-admin login`.')
    })

type UseOptions = ConnectionOptions & ScopeFlags & JsonFlags & { local?: boolean }

export const useCommand = (variables: Variables): Command => {
  const command = new Command('use')
    .summary('choose the organization and project that @current stands for')
    .description(
      'Sets the organization and project that `@current` stands for, for all keys and sessions of the user. Nothing else changes them. With --local, stores them in the profile of this machine instead. Without --organization and --project, shows the current ones.',
    )
    .addOption(scopeOption('organization', 'its id or name; its oldest project becomes current'))
    .addOption(scopeOption('project', 'its id or name; its organization becomes current'))
    .option('--local', 'only for this profile, not for the account')
    .addHelpText(
      'after',
      `
Examples:
  $ workspace-admin use
  $ workspace-admin use --organization 'Hedgerow Analytics' --project 'Web shop'
  $ workspace-admin use --project 'Mobile app' --local`,
    )
  return withJsonOptions(withConnectionOptions(command), ['organization', 'team']).action(
    async (options: UseOptions) => {
      const server = connect(operationNamed('users.update'), variables, options)
      // Only flags are stored. A default from the environment or the profile must not become permanent.
      const flagsOnly = { ...variables, WORKSPACE_ORGANIZATION: undefined, WORKSPACE_PROJECT: undefined }
      const plain = { ...server, profile: undefined }
      const isProjectGiven = options.project !== undefined
      const organization = options.organization && (await scopeId('organization', plain, options, flagsOnly))
      const project = isProjectGiven ? await scopeId('project', plain, options, flagsOnly) : undefined
      if (options.local) {
        const { profile } = server
        if (!profile) throw usageError('--local needs a profile. Run `workspace-admin login` first.')
        const owner =
          project && String((await get(plain, `/api/projects/${encodeURIComponent(project)}/`)).organization)
        const chosen = organization || owner ? { organization: organization || owner, project } : {}
        const { organization: _, project: __, ...rest } = profile
        writeProfile(variables, profileOf(variables, options), { ...rest, ...chosen })
        const none = 'Removed the organization and project from the profile.'
        return print(
          organization || owner
            ? `Stored in the profile: organization ${organization || owner}, project ${project ?? 'none'}.`
            : none,
        )
      }
      const body: Body = {
        ...(organization && { set_current_organization: organization }),
        ...(project && { set_current_team: /^\d+$/.test(project) ? Number(project) : project }),
      }
      const isChange = Object.keys(body).length > 0
      const outgoing = isChange
        ? { method: 'PATCH', path: '/api/users/@me/', body }
        : { method: 'GET', path: '/api/users/@me/' }
      const me = await readJson(server, await request(server, outgoing))
      if (!isBody(me)) throw commandError(EXIT.failed, 'The server responds with an unexpected body.')
      const { organization: current, team } = me
      if (isJson(options)) return printJson({ organization: current, team }, jsonOutput(options))
      const nameOf = (one: unknown): string => (isBody(one) ? `${one.name} (${one.id})` : 'none')
      print(`Organization: ${nameOf(current)}\nProject:      ${nameOf(team)}`)
      const { profile } = server
      if (profile?.organization !== undefined)
        note(
          `The profile overrides them: organization ${profile.organization}, project ${profile.project ?? 'none'}. Remove that with \`use --local\`.`,
        )
    },
  )
}

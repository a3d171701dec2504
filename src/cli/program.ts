/** All commands but `serve`. The first word decides which modules are loaded. */
import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import type { Variables } from '../config.ts'
import type { Candidate } from './completion-names.ts'
import { EXIT, EXIT_CODES, usageError } from './failure.ts'

interface LocalCommand {
  summary: string
  load: (variables: Variables) => Promise<Command>
}

const LOCAL_COMMANDS: Record<string, LocalCommand> = {
  migrate: {
    summary: "migrate the database to this program's schema version",
    load: async (variables) => (await import('./migrate.ts')).migrateCommand(variables),
  },
  keys: {
    summary: 'create, list and revoke the API keys of any user',
    load: async (variables) => (await import('./keys.ts')).keysCommand(variables),
  },
  import: {
    summary: 'import events from files into a project',
    load: async (variables) => (await import('./import.ts')).importCommand(variables),
  },
  seed: {
    summary: 'fill the database with a demo workspace',
    load: async (variables) => (await import('./seed.ts')).seedCommand(variables),
  },
  backup: {
    summary: 'back up the database into one archive, even while a server runs',
    load: async (variables) => (await import('./backup.ts')).backupCommand(variables),
  },
  restore: {
    summary: 'restore an archive of `backup`',
    load: async (variables) => (await import('./restore.ts')).restoreCommand(variables),
  },
  copy: {
    summary: 'copy a workspace from SQLite to PostgreSQL and verify it',
    load: async (variables) => (await import('./copy.ts')).copyCommand(variables),
  },
  plugins: {
    summary: 'run a plugin from a file on sample events',
    load: async (variables) => (await import('./plugins.ts')).pluginsCommand(variables),
  },
  doctor: {
    summary: 'diagnose an installation',
    load: async (variables) => (await import('./doctor.ts')).doctorCommand(variables),
  },
}

/** Commands that call a server: those of no area of the contract, and `query`, which replaces the command of its area. */
const REMOTE_COMMANDS: Record<string, LocalCommand> = {
  login: {
    summary: 'store a server and a key, so that commands need no flags',
    load: async (variables) => (await import('./login.ts')).loginCommand(variables),
  },
  logout: {
    summary: 'delete a stored profile',
    load: async (variables) => (await import('./login.ts')).logoutCommand(variables),
  },
  profiles: {
    summary: 'list the stored profiles',
    load: async (variables) => (await import('./login.ts')).profilesCommand(variables),
  },
  use: {
    summary: 'choose the organization and project that @current stands for',
    load: async (variables) => (await import('./login.ts')).useCommand(variables),
  },
  api: {
    summary: 'send a request to any path of the API',
    load: async (variables) => (await import('./api.ts')).apiCommand(variables),
  },
  query: {
    summary: 'ask a question about events, persons or sessions in HogQL',
    load: async (variables) => (await import('./query.ts')).queryCommand(variables),
  },
  contract: {
    summary: 'check that a server conforms to the contract',
    load: async (variables) => (await import('./contract.ts')).contractCommand(variables),
  },
  completion: {
    summary: 'print the completion script of a shell',
    load: async () => (await import('./completion.ts')).completionCommand(),
  },
}

const SINGLE_COMMANDS = { ...LOCAL_COMMANDS, ...REMOTE_COMMANDS }

/** Short names of areas. */
const ALIASES: Record<string, string> = { exports: 'project_batch_exports', runs: 'batch_export_runs' }

/** Areas of the contract that also have commands on the database. */
const LOCAL_AREA_COMMANDS: Record<string, (variables: Variables) => Promise<Command[]>> = {
  users: async (variables) => (await import('./users.ts')).localUserCommands(variables),
  organizations: async (variables) => (await import('./organizations.ts')).localOrganizationCommands(variables),
}

const EXAMPLES = `
Examples:
  $ workspace-admin serve
  $ workspace-admin login
  $ workspace-admin organizations list
  $ workspace-admin projects create --name 'Mobile app'
  $ workspace-admin members update ada@example.com --level admin
  $ workspace-admin exports backfill 'Every day' --start-at 2026-11-01 --end-at 2026-11-08 --watch
  $ workspace-admin events list --event paid --all --output csv > paid.csv
  $ workspace-admin events tail --event paid
  $ workspace-admin query 'select event, count() from events group by event' --chart
  $ workspace-admin help domains verify

Every command has --help. Commands over HTTP use the profile that \`login\`
stored, or WORKSPACE_URL (default: http://127.0.0.1:8000) and WORKSPACE_KEY.
They work in the organization and project of --organization and --project,
WORKSPACE_ORGANIZATION and WORKSPACE_PROJECT, the profile, or \`@current\`.`

/** Areas that also have commands on the database. */
const AREA_SUMMARIES: Record<string, string> = {
  users: 'Show and change the owner of the key; on the database, add, list, link and supersede users.',
  organizations: 'Tenants: every other resource belongs to one. Also set-plugin-access, on the database.',
}

/** The areas of the contract as the help groups them. */
const GROUPS: Record<string, string[]> = {
  'Organizations:': [
    'organizations',
    'projects',
    'organization_projects',
    'members',
    'invites',
    'domains',
    'activity_log',
  ],
  'Events and exports:': [
    'events',
    'capture',
    'project_batch_exports',
    'batch_export_runs',
    'batch_exports',
    'integrations',
    'alerts',
  ],
  'Plugins:': ['pipeline_destinations', 'pipeline_frontend_apps', 'pipeline_import_apps', 'plugin_configs'],
  'Your account:': ['users', 'api_keys', 'two_factor', 'session', 'password_reset', 'signup', 'sso'],
}

async function buildProgram(words: string[], variables: Variables): Promise<Command> {
  const program = new Command('workspace-admin')
    .description(
      'Administers analytics workspaces: runs the server, manages its database, and calls every operation of its API.',
    )
    .version(packageJson.version, '--version', 'print the version')
    .helpCommand(false)
    .usage('<command> [<verb>] [options]')
    .addHelpText('after', EXAMPLES + EXIT_CODES.replace(/^/, '\n'))
  const [word = ''] = words
  const local = Object.hasOwn(SINGLE_COMMANDS, word) ? SINGLE_COMMANDS[word] : undefined
  if (local) return program.addCommand(await local.load(variables))

  const { areaCommand, areas } = await import('./area.ts')
  if (areas.some(({ name }) => name === word))
    return program.addCommand(areaCommand(word, (await LOCAL_AREA_COMMANDS[word]?.(variables)) ?? [], variables))

  program.commandsGroup("On this machine's database:")
  program.command('serve').summary('start the server')
  for (const [name, { summary }] of Object.entries(LOCAL_COMMANDS)) program.command(name).summary(summary)
  program.commandsGroup('Calling a server:')
  for (const [name, { summary }] of Object.entries(REMOTE_COMMANDS)) program.command(name).summary(summary)
  const grouped = Object.values(GROUPS).flat()
  const rest = areas
    .map(({ name }) => name)
    .filter((name) => !grouped.includes(name) && !Object.hasOwn(SINGLE_COMMANDS, name))
  for (const [heading, names] of [...Object.entries(GROUPS), ['The installation:', rest] as const]) {
    program.commandsGroup(heading)
    for (const name of names) {
      const [alias] = Object.entries(ALIASES).find(([, area]) => area === name) ?? []
      const description = areas.find((area) => area.name === name)?.description ?? ''
      const command = program.command(name).summary(AREA_SUMMARIES[name] ?? description)
      if (alias) command.alias(alias)
    }
  }
  return program
}

/** Commands on the database whose names have hyphens. The verbs of operations have underscores. */
const HYPHENATED = ['set-plugin-access', 'set-password', 'reset-two-factor']

/** Operation ids contain underscores; hyphens work too. */
function normalizeWords(args: string[]): string[] {
  const words = [...args]
  const [first = '', second = ''] = words
  if (/^[a-z]+(-[a-z]+)+$/.test(first)) words[0] = first.replaceAll('-', '_')
  words[0] = ALIASES[words[0] ?? ''] ?? words[0] ?? ''
  if (/^[a-z]/.test(second) && !HYPHENATED.includes(second) && !Object.hasOwn(SINGLE_COMMANDS, first))
    words[1] = second.replaceAll('-', '_')
  return args.length ? words : []
}

/** Verbs of other programs, and the matching verbs of this one. */
const SYNONYMS: [words: string[], verbs: string[]][] = [
  [
    ['get', 'show', 'view', 'describe', 'info', 'read', 'cat'],
    ['retrieve', 'me', 'current', 'status', 'list'],
  ],
  [['ls', 'all', 'index'], ['list']],
  [
    ['rm', 'remove', 'del', 'destroy', 'delete', 'uninstall', 'revoke'],
    ['delete', 'remove', 'revoke', 'end'],
  ],
  [['add', 'new', 'make', 'install', 'invite'], ['create']],
  [['edit', 'set', 'patch', 'change', 'modify', 'put'], ['update']],
  [['resume', 'start', 'enable'], ['unpause']],
  [
    ['stop', 'disable'],
    ['pause', 'cancel'],
  ],
  [['log', 'tail'], ['logs']],
  [
    ['follow', 'wait', 'watch', 'stream'],
    ['watch', 'tail'],
  ],
]

/** Words that newcomers try first. */
const FIRST_WORDS: Record<string, string> = {
  org: 'organizations',
  orgs: 'organizations',
  project: 'projects',
  member: 'members',
  invite: 'invites create',
  plugin: 'pipeline_destinations',
  plugins: 'pipeline_destinations',
  export: 'exports',
  log: 'exports logs',
  logs: 'exports logs',
  backfill: 'exports backfill',
  key: 'api_keys',
  tail: 'events tail',
  whoami: 'users me',
  me: 'users me',
  version: '--version',
  start: 'serve',
  server: 'serve',
  config: 'profiles',
  request: 'api',
  curl: 'api',
  switch: 'use',
}

/** Rejects words that Commander would not find similar to ours. */
function suggestWords(program: Command, [area = '', verb = '']: string[]): void {
  const first = Object.hasOwn(FIRST_WORDS, area) ? FIRST_WORDS[area] : undefined
  const isFlag = verb.startsWith('-')
  const verbs = program.commands.find((command) => command.name() === area)?.commands.map((command) => command.name())
  if (first && !isFlag && !verbs?.includes(verb))
    throw usageError(`\`${[area, verb].join(' ').trim()}\` is not a command. Did you mean ${first}?`)
  if (!verbs?.length || verb === '' || isFlag || verbs.includes(verb)) return
  const ours = SYNONYMS.filter(([words]) => words.includes(verb)).flatMap(([, known]) => known)
  const [meant] = ours.filter((one) => verbs.includes(one))
  if (meant) throw usageError(`\`${area} ${verb}\` is not a command. Did you mean ${meant}?`)
}

function forEachCommand(command: Command, change: (command: Command) => void): void {
  change(command)
  for (const child of command.commands) forEachCommand(child, change)
}

/** Commander keeps the last value of a repeated flag, so a mistake would go unnoticed. */
function rejectRepeatedFlags(command: Command): void {
  for (const option of command.options) {
    // Lists collect their values.
    if (option.parseArg && !option.argChoices) continue
    if (!option.required && !option.optional) continue
    const parse = option.parseArg
    let isGiven = false
    option.argParser((value: string, previous: unknown) => {
      if (isGiven) throw usageError(`${option.long} was given more than once. It takes one value.`)
      isGiven = true
      return parse ? parse(value, previous) : value
    })
  }
}

async function prepareProgram(words: string[], variables: Variables): Promise<Command> {
  const program = await buildProgram(words, variables)
  forEachCommand(program, (command) => {
    rejectRepeatedFlags(command)
    command
      .exitOverride()
      .helpOption('-h, --help', 'print this help')
      .helpCommand(false)
      .showHelpAfterError('Add --help to print the usage.')
  })
  return program
}

/** The hidden command of the completion scripts. */
const COMPLETE = 'complete'

/**
 * Prints candidates for shell completion, one per line: a value, a tab and a description. For bash, which inserts them
 * as they are, the text to insert. `line` is empty unless bash completes a line.
 */
async function complete(shell: string[], args: string[], variables: Variables): Promise<void> {
  if (shell[0] !== 'bash') {
    for (const { value, description } of await candidatesOf(args, variables)) console.log(`${value}\t${description}`)
    return
  }
  const [, breaks = '', line = ''] = shell
  const { readBashWords } = await import('./bash-words.ts')
  const { words, insertionOf } = readBashWords(breaks, line, args)
  for (const { value } of await candidatesOf(words, variables)) {
    const text = insertionOf(value)
    if (text !== undefined) console.log(text)
  }
}

async function candidatesOf(args: string[], variables: Variables): Promise<Candidate[]> {
  const words = args.length > 1 ? [...normalizeWords(args.slice(0, -1)), args.at(-1) ?? ''] : args
  const program = await prepareProgram(words.length > 1 ? words : [], variables)
  let command = program
  let depth = 0
  for (const word of words.slice(0, -1)) {
    const child = command.commands.find((one) => one.name() === word || one.aliases().includes(word))
    if (!child) break
    command = child
    depth++
  }
  const { candidatesFor } = await import('./completion.ts')
  const isFirst = words.length < 2
  if (!isFirst && command === program) return []
  const aliases = isFirst ? Object.entries(ALIASES).map(([value, description]) => ({ value, description })) : []
  return [...(await candidatesFor(command, words.slice(depth), variables)), ...aliases]
}

/** Runs a command. Resolves with the exit code of Commander's own output: help, version and usage errors. */
export async function run(args: string[], variables: Variables): Promise<number> {
  const end = args.indexOf('--')
  if (args[0] === COMPLETE && end > 0) {
    await complete(args.slice(1, end), args.slice(end + 1), variables)
    return 0
  }
  const normalized = normalizeWords(args)
  const program = await prepareProgram(normalized, variables)
  suggestWords(program, normalized)
  const isArea = normalized.length > 1 && !Object.hasOwn(SINGLE_COMMANDS, normalized[0] ?? '')
  const words = isArea ? (await import('./area.ts')).rewriteFlags(normalized) : normalized
  try {
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // Commander throws for help and version too.
    return error.exitCode === 0 ? 0 : EXIT.usage
  }
  return 0
}

/** All commands but `serve`. The first word decides which modules are loaded. */
import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import type { Variables } from '../config.ts'
import { ALIASES, shortNameOf } from './aliases.ts'
import type { Candidate } from './completion-names.ts'
import { EXIT, EXIT_CODES, jsonError, usageError } from './failure.ts'
import { checkJsonFlags, joinFields } from './json-output.ts'
import { hasJsonErrors, note, setOutputMode } from './streams.ts'

type Load = (variables: Variables) => Promise<Command>

/** The commands of no area of the contract, and `query`, which replaces the command of its area. */
const SINGLE_COMMANDS: Record<string, Load> = {
  migrate: async (variables) => (await import('./migrate.ts')).migrateCommand(variables),
  keys: async (variables) => (await import('./keys.ts')).keysCommand(variables),
  import: async (variables) => (await import('./import.ts')).importCommand(variables),
  seed: async (variables) => (await import('./seed.ts')).seedCommand(variables),
  backup: async (variables) => (await import('./backup.ts')).backupCommand(variables),
  restore: async (variables) => (await import('./restore.ts')).restoreCommand(variables),
  copy: async (variables) => (await import('./copy.ts')).copyCommand(variables),
  plugins: async (variables) => (await import('./plugins.ts')).pluginsCommand(variables),
  doctor: async (variables) => (await import('./doctor.ts')).doctorCommand(variables),
  login: async (variables) => (await import('./login.ts')).loginCommand(variables),
  logout: async (variables) => (await import('./login.ts')).logoutCommand(variables),
  profiles: async (variables) => (await import('./login.ts')).profilesCommand(variables),
  use: async (variables) => (await import('./login.ts')).useCommand(variables),
  api: async (variables) => (await import('./api.ts')).apiCommand(variables),
  query: async (variables) => (await import('./query.ts')).queryCommand(variables),
  contract: async (variables) => (await import('./contract.ts')).contractCommand(variables),
  docs: async () => (await import('./docs.ts')).docsCommand(),
  completion: async () => (await import('./completion.ts')).completionCommand(),
}

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

/** The commands as people think of them, each with a line that fits 80 columns. Other areas follow in the last group. */
const GROUPS: Record<string, Record<string, string>> = {
  'Events:': {
    events: 'list, filter, count and follow events',
    persons: 'the persons behind the distinct ids of events',
    query: 'ask a question about events or persons in HogQL',
    import: 'import events from files of this and other products',
    capture: 'send events with the token of a project',
  },
  'Exports:': {
    project_batch_exports: 'exports of a project (project_batch_exports)',
    batch_export_runs: 'their runs and logs (batch_export_runs)',
    batch_export_backfills: 'exports of past events, and their progress',
    batch_exports: 'the exports of all projects of an organization',
    integrations: 'credentials that several exports use',
    alerts: 'messages about exports that fail or fall behind',
  },
  'Plugins:': {
    pipeline_destinations: 'plugins that send events to other systems',
    pipeline_frontend_apps: 'plugins that run in the browser',
    pipeline_import_apps: 'plugins that import data',
    plugin_configs: 'the settings, logs and tests of a plugin',
    plugin_failed_deliveries: 'events that a plugin failed to process',
    plugin_test_events: 'saved events for the tests of a plugin',
    plugins: 'run a plugin from a file on sample events',
  },
  'People:': {
    members: 'the users in an organization, and their levels',
    invites: 'invitations to join an organization',
    users: 'your user; on the database, all users',
    domains: 'domains of addresses that may sign in or join',
  },
  'Workspace:': {
    organizations: 'tenants, to which everything else belongs',
    projects: 'projects, which receive events with a token',
    organization_projects: 'the projects of one organization',
    use: 'choose the current organization and project',
    activity_log: 'who changed what, and who signed in',
  },
  'Your account:': {
    login: 'store a server and a key for other commands',
    logout: 'delete a stored profile',
    profiles: 'list the stored profiles',
    api_keys: 'your personal API keys',
    two_factor: 'your authenticator app and backup codes',
    session: 'sign-in with a browser, and its sessions',
    password_reset: 'reset a forgotten password by email',
    signup: 'accept an invite with the token of its link',
    sso: 'single sign-on through redirects of a browser',
  },
  'The installation:': {
    serve: 'start the server',
    doctor: 'diagnose an installation',
    migrate: 'migrate the database to the current schema',
    backup: 'back up the database while a server runs',
    restore: 'restore an archive of `backup`',
    copy: 'copy a workspace from SQLite to PostgreSQL',
    keys: 'on the database, the API keys of any user',
    seed: 'fill the database with a demo workspace',
    instance: 'the state of the installation, for its owners',
    service: 'health checks, metrics and the specification',
    contract: 'check that a server conforms to the contract',
    api: 'send a request to any path of the API',
    docs: 'read the documentation in a browser, offline',
    completion: 'print the completion script of a shell',
  },
}

function addName(program: Command, name: string, summary: string): void {
  const command = program.command(shortNameOf(name)).summary(summary)
  if (command.name() !== name) command.alias(name)
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
  if (local) return program.addCommand(await local(variables))

  const { areaCommand, areas } = await import('./area.ts')
  if (areas.some(({ name }) => name === word))
    return program.addCommand(areaCommand(word, (await LOCAL_AREA_COMMANDS[word]?.(variables)) ?? [], variables))

  const grouped = Object.values(GROUPS).flatMap((group) => Object.keys(group))
  const rest = areas.filter(({ name }) => !grouped.includes(name))
  for (const [heading, group] of Object.entries(GROUPS)) {
    program.commandsGroup(heading)
    for (const [name, summary] of Object.entries(group)) addName(program, name, summary)
  }
  for (const { name, description } of rest) addName(program, name, description)
  // The long names would leave no room for the summaries.
  program.configureHelp({ subcommandTerm: (command) => command.name() })
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
  const verbs = program.commands.find((command) => isNamed(command, area))?.commands.map((command) => command.name())
  if (first && !isFlag && !verbs?.includes(verb))
    throw usageError(`\`${[area, verb].join(' ').trim()}\` is not a command. Did you mean ${first}?`)
  if (!verbs?.length || verb === '' || isFlag || verbs.includes(verb)) return
  const ours = SYNONYMS.filter(([words]) => words.includes(verb)).flatMap(([, known]) => known)
  const [meant] = ours.filter((one) => verbs.includes(one))
  if (meant) throw usageError(`\`${shortNameOf(area)} ${verb}\` is not a command. Did you mean ${meant}?`)
}

const isNamed = (command: Command, word: string): boolean => command.name() === word || command.aliases().includes(word)

/** The command that the first words name, and their number. */
function commandOf(program: Command, words: readonly string[]): { command: Command; depth: number } {
  let [command, depth] = [program, 0]
  for (const word of words) {
    const child = command.commands.find((one) => isNamed(one, word))
    if (!child) break
    ;[command, depth] = [child, depth + 1]
  }
  return { command, depth }
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

/** A mistake in the words, which Commander finds. */
function printUsageError(text: string): void {
  const message = text.trim()
  note(hasJsonErrors() ? jsonError(EXIT.usage, message.replace(/^error: /, '')) : message)
}

/** Help wraps descriptions down to this width. Below, the terminal wraps lines in the middle of words. */
const MIN_HELP_WIDTH = 20

async function prepareProgram(words: string[], variables: Variables): Promise<Command> {
  const program = await buildProgram(words, variables)
  program.hook('preAction', (_, command) => checkJsonFlags(command))
  forEachCommand(program, (command) => {
    rejectRepeatedFlags(command)
    if (command.commands.length === 0)
      command.option('--unsafe-output', 'print control characters of stored text as they are')
    command
      .configureOutput({ outputError: printUsageError })
      .configureHelp({ ...command.configureHelp(), minWidthToWrap: MIN_HELP_WIDTH })
      .exitOverride()
      .helpOption('-h, --help', 'print this help')
      .helpCommand(false)
      .showHelpAfterError(hasJsonErrors() ? false : 'Add --help to print the usage.')
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
  const { command, depth } = commandOf(program, words.slice(0, -1))
  const { candidatesFor } = await import('./completion.ts')
  const isFirst = words.length < 2
  if (!isFirst && command === program) return []
  const longNames = isFirst ? Object.entries(ALIASES).map(([description, value]) => ({ value, description })) : []
  return [...(await candidatesFor(command, words.slice(depth), variables)), ...longNames]
}

/** Runs a command. Resolves with the exit code of Commander's own output: help, version and usage errors. */
export async function run(args: string[], variables: Variables): Promise<number> {
  setOutputMode(args)
  const end = args.indexOf('--')
  if (args[0] === COMPLETE && end > 0) {
    await complete(args.slice(1, end), args.slice(end + 1), variables)
    return 0
  }
  const normalized = normalizeWords(args)
  const program = await prepareProgram(normalized, variables)
  suggestWords(program, normalized)
  const { command, depth } = commandOf(program, normalized)
  const isOperation = depth > 1 && !Object.hasOwn(SINGLE_COMMANDS, normalized[0] ?? '')
  const words = isOperation ? (await import('./area.ts')).renameFlags(normalized) : normalized
  try {
    await program.parseAsync([...words.slice(0, depth), ...joinFields(command, words.slice(depth))], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // Commander throws for help and version too.
    return error.exitCode === 0 ? 0 : EXIT.usage
  }
  return 0
}

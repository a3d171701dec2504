/** All commands but `serve`. The first word decides which modules are loaded. */
import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import type { Variables } from '../config.ts'
import { EXIT, EXIT_CODES } from './failure.ts'

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
    summary: 'back up the database into one archive, also while a server runs',
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
  contract: {
    summary: 'check that a server conforms to the contract',
    load: async (variables) => (await import('./contract.ts')).contractCommand(variables),
  },
  doctor: {
    summary: 'diagnose an installation',
    load: async (variables) => (await import('./doctor.ts')).doctorCommand(variables),
  },
}

/** Areas of the contract that also have commands on the database. */
const LOCAL_AREA_COMMANDS: Record<string, (variables: Variables) => Promise<Command[]>> = {
  users: async (variables) => (await import('./users.ts')).localUserCommands(variables),
  organizations: async (variables) => (await import('./organizations.ts')).localOrganizationCommands(variables),
}

const EXAMPLES = `
Examples:
  $ workspace-admin serve
  $ export WORKSPACE_KEY=phx_…
  $ workspace-admin organizations list
  $ workspace-admin projects create --name 'Mobile app' --json
  $ workspace-admin help domains verify

Every command has --help. Commands over HTTP use WORKSPACE_URL (default: http://127.0.0.1:8000) and WORKSPACE_KEY.`

async function buildProgram(words: string[], variables: Variables): Promise<Command> {
  const program = new Command('workspace-admin')
    .description(
      'Administers analytics workspaces: runs the server, manages its database, and calls every operation of its API.',
    )
    .version(packageJson.version, '--version', 'print the version')
    .helpOption('--help', 'print help for a command')
    .helpCommand(false)
    .usage('<command> [<verb>] [options]')
    .addHelpText('after', EXAMPLES + EXIT_CODES.replace(/^/, '\n'))
  const [word = ''] = words
  const local = Object.hasOwn(LOCAL_COMMANDS, word) ? LOCAL_COMMANDS[word] : undefined
  if (local) return program.addCommand(await local.load(variables))

  const { areaCommand, areas } = await import('./area.ts')
  if (areas.some(({ name }) => name === word))
    return program.addCommand(areaCommand(word, (await LOCAL_AREA_COMMANDS[word]?.(variables)) ?? [], variables))

  program.commandsGroup("On this machine's database:")
  program.command('serve').summary('start the server')
  for (const [name, { summary }] of Object.entries(LOCAL_COMMANDS)) program.command(name).summary(summary)
  program.command('users').summary('add, list and supersede users; `users me` shows the owner of a key')
  program.commandsGroup('Over HTTP:')
  for (const { name, description } of areas)
    if (name !== 'users')
      program
        .command(name)
        .summary(name === 'organizations' ? `${description} Also set-plugin-access, on the database.` : description)
  return program
}

/** Commands on the database whose names have hyphens. The verbs of operations have underscores. */
const HYPHENATED = ['set-plugin-access', 'set-password', 'reset-two-factor']

/** Operation ids contain underscores; hyphens work too. */
function normalizeWords(args: string[]): string[] {
  const words = [...args]
  const [first = '', second = ''] = words
  if (/^[a-z]+(-[a-z]+)+$/.test(first)) words[0] = first.replaceAll('-', '_')
  if (/^[a-z]/.test(second) && !HYPHENATED.includes(second) && !Object.hasOwn(LOCAL_COMMANDS, first))
    words[1] = second.replaceAll('-', '_')
  return words
}

function forEachCommand(command: Command, change: (command: Command) => void): void {
  change(command)
  for (const child of command.commands) forEachCommand(child, change)
}

/** Runs a command. Resolves with the exit code of Commander's own output: help, version and usage errors. */
export async function run(args: string[], variables: Variables): Promise<number> {
  const words = normalizeWords(args)
  const program = await buildProgram(words, variables)
  forEachCommand(program, (command) =>
    command
      .exitOverride()
      .helpOption('--help', 'print this help')
      .helpCommand(false)
      .showHelpAfterError('Add --help to print the usage.'),
  )
  try {
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // Commander throws for help and version too.
    return error.exitCode === 0 ? 0 : EXIT.usage
  }
  return 0
}

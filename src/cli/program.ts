/** Every command, as Commander sees it. The first word decides what is loaded. */
import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import type { Variables } from '../config.ts'
import { EXIT, EXIT_CODES } from './failure.ts'

interface Local {
  summary: string
  load: (variables: Variables) => Promise<Command>
}

const LOCAL: Record<string, Local> = {
  serve: {
    summary: 'start the server',
    load: async (variables) => (await import('./serve-command.ts')).serve(variables),
  },
  migrate: {
    summary: "bring the database to this program's version",
    load: async (variables) => (await import('./migrate.ts')).migrate(variables),
  },
  keys: {
    summary: "make, list and revoke anybody's keys",
    load: async (variables) => (await import('./keys.ts')).keys(variables),
  },
  import: {
    summary: 'bring events from files into a project',
    load: async (variables) => (await import('./import.ts')).importEvents(variables),
  },
  seed: {
    summary: 'fill the database with a demo workspace',
    load: async (variables) => (await import('./seed.ts')).seed(variables),
  },
  backup: {
    summary: 'write the database into one archive, beside a running server',
    load: async (variables) => (await import('./backup.ts')).backup(variables),
  },
  copy: {
    summary: 'move a workspace from SQLite to PostgreSQL, and compare the two',
    load: async (variables) => (await import('./copy.ts')).copy(variables),
  },
  contract: {
    summary: 'replay the contract against a server, and report what deviates',
    load: async (variables) => (await import('./contract.ts')).contractCommands(variables),
  },
  doctor: {
    summary: 'say what is wrong with an installation, and the remedy',
    load: async (variables) => (await import('./doctor.ts')).doctor(variables),
  },
}

/** Areas of the contract that also have commands on the database. */
const BESIDE: Record<string, (variables: Variables) => Promise<Command[]>> = {
  users: async (variables) => (await import('./users.ts')).users(variables),
  organizations: async (variables) => (await import('./organizations.ts')).organizations(variables),
}

const EXAMPLES = `
Examples:
  $ workspace-admin serve
  $ export WORKSPACE_KEY=phx_…
  $ workspace-admin organizations list
  $ workspace-admin projects create --name 'Mobile app' --json
  $ workspace-admin help domains verify

Every command has --help. Those over HTTP speak to WORKSPACE_URL (http://127.0.0.1:8000) with the key in WORKSPACE_KEY.`

async function build(words: string[], variables: Variables): Promise<Command> {
  const program = new Command('workspace-admin')
    .description('Administers analytics workspaces: the server, its database, and every operation of its contract.')
    .version(packageJson.version, '--version', "print this program's version")
    .helpOption('--help', 'say more about a command')
    .helpCommand(false)
    .usage('<command> [<verb>] [options]')
    .addHelpText('after', EXAMPLES + EXIT_CODES.replace(/^/, '\n'))
  const [word = ''] = words
  const local = Object.hasOwn(LOCAL, word) ? LOCAL[word] : undefined
  if (local) return program.addCommand(await local.load(variables))

  const { area, areas } = await import('./area.ts')
  if (areas.some(({ name }) => name === word))
    return program.addCommand(area(word, (await BESIDE[word]?.(variables)) ?? [], variables))

  program.commandsGroup("On this machine's database:")
  for (const [name, { summary }] of Object.entries(LOCAL)) program.command(name).summary(summary)
  program.command('users').summary('add and list users; `users me` asks a server whose a key is')
  program.commandsGroup('Over HTTP, each with verbs of its own:')
  for (const { name, description } of areas)
    if (name !== 'users')
      program
        .command(name)
        .summary(name === 'organizations' ? `${description} And set-plugin-access, on the database.` : description)
  return program
}

/** Operation ids are written with underscores; whoever types hyphens means the same. `help x y` is `x y --help`. */
function normalised(given: string[]): string[] {
  const words = given[0] === 'help' ? [...given.slice(1), '--help'] : [...given]
  const [first = '', second = ''] = words
  if (/^[a-z]+(-[a-z]+)+$/.test(first)) words[0] = first.replaceAll('-', '_')
  if (/^[a-z]/.test(second) && second !== 'set-plugin-access' && !Object.hasOwn(LOCAL, first))
    words[1] = second.replaceAll('-', '_')
  return words
}

function eachOf(command: Command, change: (command: Command) => void): void {
  change(command)
  for (const child of command.commands) eachOf(child, change)
}

/** Does what the words say, and answers the exit code where Commander itself had to say something. */
export async function run(given: string[], variables: Variables): Promise<number> {
  const words = normalised(given)
  const program = await build(words, variables)
  eachOf(program, (command) =>
    command
      .exitOverride()
      .helpOption('--help', 'say more about this command')
      .helpCommand(false)
      .showHelpAfterError('Add --help to see how it is used.'),
  )
  try {
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // Help and version come this way too, and are no failures.
    return error.exitCode === 0 ? 0 : EXIT.usage
  }
  return 0
}

import { parseArgs } from 'node:util'
import { type Config, readConfig, type Variables } from '../config.ts'
import { type Running, startServer, stopOnSignals } from '../main.ts'
import { banner } from './banner.ts'
import { usageError } from './failure.ts'
import { watchParents } from './parent.ts'

const HELP = `Usage: workspace-admin serve [options]

Starts the server. On an empty database it creates a first user, organization, project and an API key with all scopes, and
prints the key once.

Options:
  --port <number>   the port to listen on, 0 for a free one (default: PORT, then 8000)
  --host <address>  the address to listen on (default: HOST, then 127.0.0.1)
  --database <url>  sqlite:<folder> or postgres://… (default: DATABASE_URL, then sqlite:./data)
  --dialect <name>  the response format, standard or posthog (default: DIALECT, then standard)
  --role <role>     api (requests), worker (background work) or all (default: ROLE, then all)
  --ephemeral       use a temporary database without rate limits, for tests and trials. Logs warnings only, and stops
                    when the process that started it ends
  --json            print one line of JSON when ready: url, api_key, login_url, project_token,
                    organization_id, project_id
  -h, --help        print this help

With --json, api_key and login_url are null unless this start created them; the ids are those of the oldest organization and project.
Logs go to standard error: readable in a terminal, else one JSON object per line (LOG_FORMAT, LOG_LEVEL). SIGTERM and SIGINT finish requests in progress and exit with 0;
SIGTERM first waits DRAIN_SECONDS for load balancers.

Examples:
  $ workspace-admin serve
  $ workspace-admin serve --port 0 --ephemeral --json
  $ workspace-admin serve --database postgres://workspace@db.example.com/workspace --host 0.0.0.0
  $ workspace-admin serve --database postgres://workspace@db.example.com/workspace --role worker`

const OPTIONS = {
  port: { type: 'string' },
  host: { type: 'string' },
  database: { type: 'string' },
  dialect: { type: 'string' },
  role: { type: 'string' },
  ephemeral: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

export type ServeOptions = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

/** Parsed without Commander, which takes 12 ms to load: tests start servers often. */
export function parseServeArgs(args: string[]): ServeOptions {
  const options = parseOptions(args)
  const requireChoice = (name: 'dialect' | 'role', choices: string[]): void => {
    const value = options[name]
    if (value !== undefined && !choices.includes(value))
      throw usageError(`--${name} must be one of: ${choices.join(', ')}.`)
  }
  requireChoice('dialect', ['standard', 'posthog'])
  requireChoice('role', ['api', 'worker', 'all'])
  if (options.port !== undefined && !(/^\d{1,5}$/.test(options.port) && Number(options.port) <= 65_535))
    throw usageError('--port must be a number from 0 to 65535.')
  if (options.ephemeral && options.database !== undefined)
    throw usageError('--ephemeral cannot be used with --database. Use one or the other.')
  return options
}

function parseOptions(args: string[]): ServeOptions {
  try {
    const { values, tokens } = parseArgs({ args, options: OPTIONS, tokens: true })
    const names = tokens.map((token) => (token.kind === 'option' && token.value !== undefined ? token.name : undefined))
    const repeated = names.find((name, i) => name !== undefined && names.indexOf(name) !== i)
    if (repeated) throw usageError(`--${repeated} was given more than once`)
    return values
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const [sentence] = error.message.split(/\.\s/, 1)
    throw usageError(`${sentence}. Run \`workspace-admin serve --help\` to list the options.`)
  }
}

/** Calls `onReady` when the server accepts requests. */
export async function serve(args: string[], variables: Variables, onReady: () => void): Promise<void> {
  const options = parseServeArgs(args)
  if (options.help) return console.log(HELP)
  const config = readConfig({
    ...(options.ephemeral && { LOG_LEVEL: 'warn' }),
    ...variables,
    ...(options.port && { PORT: options.port }),
    ...(options.host && { HOST: options.host }),
    ...(options.database && { DATABASE_URL: options.database }),
    ...(options.dialect && { DIALECT: options.dialect }),
    ...(options.role && { ROLE: options.role }),
  })
  const onParentExit = watchParents(variables, options.ephemeral ?? false)
  const running = await startServer({ config, ephemeral: options.ephemeral, log: true })
  const stop = stopOnSignals(running, options.ephemeral ? { ...config, DRAIN_SECONDS: 0 } : config, {
    npm: variables.npm_command !== undefined,
  })
  onParentExit(() => stop('the parent process has ended'))
  // The reader of the ready line may close the pipe.
  process.stdout.on('error', () => undefined)
  const { project_token, organization_id, project_id } = running.oldest
  const api_key = running.first?.api_key ?? null
  console.log(
    options.json
      ? JSON.stringify({
          url: running.url,
          api_key,
          login_url: running.login_url,
          project_token,
          organization_id,
          project_id,
        })
      : banner(running, { ...options, variables, colors: process.stdout.isTTY && process.stdout.hasColors() }),
  )
  onReady()
  if (!options.ephemeral) setTimeout(() => void warnAboutProblems(config, running), CHECK_DELAY_MS).unref()
}

/** The checks after the start leave the first requests alone. */
const CHECK_DELAY_MS = 1_000

async function warnAboutProblems(config: Config, { log }: Running): Promise<void> {
  if (log.isLevelEnabled('warn')) await (await import('./checks.ts')).logFindings(config, log)
}

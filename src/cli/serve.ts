import { parseArgs } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }
import { readConfig, type Variables } from '../config.ts'
import { type Running, startServer, stopOnSignals } from '../main.ts'
import { databaseFlag, quoted } from './quote.ts'

export interface ServeOptions {
  port?: string
  host?: string
  database?: string
  dialect?: string
  role?: string
  ephemeral?: boolean
  json?: boolean
}

/** Every flag of `serve`, for the two who read them. */
export const OPTIONS: { flags: string; description: string; check?: RegExp; wanted?: string; excludes?: string }[] = [
  {
    flags: '--port <number>',
    description: 'the port to listen on, 0 for a free one (else PORT, else 8000)',
    check: /^([0-5]?\d{1,4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])$/,
    wanted: 'It is a number from 0 to 65535.',
  },
  { flags: '--host <address>', description: 'the address to listen on (else HOST, else 127.0.0.1)' },
  {
    flags: '--database <url>',
    description: 'sqlite:<folder> or postgres://… (else DATABASE_URL, else sqlite:./data)',
  },
  {
    flags: '--dialect <name>',
    description: 'standard or posthog: how answers are written (else DIALECT, else standard)',
    check: /^(standard|posthog)$/,
    wanted: 'It is standard or posthog.',
  },
  {
    flags: '--role <role>',
    description: 'what this node does: api (requests), worker (exports, mail, removal) or all (else ROLE, else all)',
    check: /^(api|worker|all)$/,
    wanted: 'It is api, worker or all.',
  },
  {
    flags: '--ephemeral',
    description: 'a throw-away database, without rate limits: for tests and trying out',
    excludes: 'database',
  },
  {
    flags: '--json',
    description: 'print one line of JSON when ready: url, api_key, project_token, organization_id, project_id',
  },
]

/**
 * The options, where the words hold nothing but right ones. Loading Commander takes 12 ms, which a server that starts
 * in a test run need not wait for; whatever is out of the ordinary is left to it.
 */
export function plainly(words: string[]): ServeOptions | undefined {
  const wordOf = (flags: string): string => flags.slice(2).split(' ', 1)[0]!
  const options = Object.fromEntries(
    OPTIONS.map(({ flags }) => [wordOf(flags), { type: flags.includes('<') ? 'string' : 'boolean' } as const]),
  )
  try {
    const { values } = parseArgs({ args: words, options })
    const odd = OPTIONS.some(({ flags, check, excludes }) => {
      const value = values[wordOf(flags)]
      return value !== undefined && (check?.test(String(value)) === false || (excludes && values[excludes]))
    })
    return odd ? undefined : values
  } catch {
    return undefined
  }
}

export async function start(options: ServeOptions, variables: Variables): Promise<void> {
  const config = readConfig({
    ...variables,
    ...(options.port && { PORT: options.port }),
    ...(options.host && { HOST: options.host }),
    ...(options.database && { DATABASE_URL: options.database }),
    ...(options.dialect && { DIALECT: options.dialect }),
    ...(options.role && { ROLE: options.role }),
  })
  const running = await startServer({ config, ephemeral: options.ephemeral })
  stopOnSignals(running, options.ephemeral ? { ...config, DRAIN_SECONDS: 0 } : config)
  const { project_token, organization_id, project_id } = running.oldest
  const api_key = running.first?.api_key ?? null
  if (options.json)
    console.log(JSON.stringify({ url: running.url, api_key, project_token, organization_id, project_id }))
  else console.log(banner(running, options))
}

function banner({ url, location, first, oldest }: Running, { database, ephemeral }: ServeOptions): string {
  const lines = [
    `workspace-admin ${packageJson.version} is ready. Stop it with Ctrl-C.`,
    '',
    `  Server     ${url}`,
    `  Reference  ${url}/docs`,
    `  Data       ${location}${ephemeral ? ', deleted when the server stops' : ''}`,
    '',
  ]
  if (first)
    return [
      ...lines,
      'This is the first start, so it made an organization, a project and a key for everything:',
      '',
      `  API key        ${first.api_key}`,
      '                 (shown once: keep it)',
      `  Project token  ${first.project_token}`,
      `  Organization   ${first.organization_id}`,
      `  Project        ${first.project_id}`,
      '',
      'Try it:',
      '',
      `  curl -H 'Authorization: Bearer ${first.api_key}' ${url}/api/organizations/@current/`,
      '',
    ].join('\n')
  return [
    ...lines,
    'Try it:',
    '',
    `  curl ${url}/health/ready`,
    '',
    'Lost the key? Make a new one; it works at once:',
    '',
    `  workspace-admin keys create --user ${quoted(oldest.owner_email ?? 'EMAIL')} --scopes '*'${databaseFlag(database)}`,
    '',
  ].join('\n')
}

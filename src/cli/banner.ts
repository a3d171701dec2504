/** What `serve` prints when the server is ready. Text fits into 60 columns; links, keys and commands into 80. */
import packageJson from '../../package.json' with { type: 'json' }
import type { Variables } from '../config.ts'
import type { Running } from '../main.ts'
import { databaseFlag, shellQuote } from './quote.ts'

/** The server that commands call by default. */
const DEFAULT_URL = 'http://127.0.0.1:8000'

const BOLD = '1'
const DIM = '2'
const CYAN = '36'

export interface BannerOptions {
  /** The value of --database. */
  database?: string
  ephemeral?: boolean
  variables: Variables
  /** Whether the terminal shows colors. */
  colors: boolean
}

type Ready = Pick<Running, 'url' | 'location' | 'first' | 'login_url' | 'oldest'>

export function banner(running: Ready, { database, ephemeral, variables, colors }: BannerOptions): string {
  const { url, location, first } = running
  const paint = (code: string, text: string): string => (colors ? `\u001b[${code}m${text}\u001b[0m` : text)
  const row = (label: string, value: string): string => `  ${paint(DIM, label.padEnd(9))}  ${value}`
  // Only `npx` finds a command that npm has installed in a folder.
  const command = variables.npm_command === undefined ? 'workspace-admin' : 'npx workspace-admin'
  const lines = [
    `${paint(BOLD, `workspace-admin ${packageJson.version} is ready.`)} Press Ctrl-C to stop it.`,
    '',
    row('Server', paint(CYAN, url)),
    row('Reference', `${url}/docs`),
    row('Data', location),
    ...(ephemeral ? [row('', 'deleted when the server stops')] : []),
    ...(first ? [row('API key', first.api_key), row('', 'shown once: store it now')] : []),
    '',
    ...(first ? firstSteps(running, command) : laterSteps(running, command, databaseFlag(database))),
    '',
  ]
  return lines.map((line) => (/^ {2}http/.test(line) ? paint(CYAN, line) : line)).join('\n')
}

const firstSteps = ({ url, login_url, first }: Ready, command: string): string[] => [
  ...(login_url === null
    ? [
        'There is no sign-in link, because the server is reachable',
        'over plain http. Set SITE_URL to an https address and run:',
        '',
        `  ${command} users link EMAIL`,
      ]
    : ['Sign in with this link. It works once, for one hour:', '', `  ${login_url}`]),
  '',
  'Try it in a second terminal, in the same folder:',
  '',
  ...(url === DEFAULT_URL ? [] : [`  export WORKSPACE_URL=${url}`]),
  `  export WORKSPACE_KEY=${first?.api_key}`,
  `  ${command} projects retrieve @current`,
  `  ${command} --help`,
]

function laterSteps({ oldest }: Ready, command: string, flag: string): string[] {
  const owner = shellQuote(oldest.owner_email ?? 'EMAIL')
  return [
    'If you lost the API key or cannot sign in, create a new key',
    'or a sign-in link:',
    '',
    `  ${command} keys create --user ${owner} --scopes '*'${flag}`,
    `  ${command} users link ${owner}${flag}`,
  ]
}

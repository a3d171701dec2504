import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Benchmark } from '../benchmark.ts'
import { freePort, installPeers, prism, waitUntilReady } from '../peers.ts'
import { postgresVariables, startOnPostgres } from '../postgres.ts'
import type { Workspace } from '../workspace.ts'

interface StartOptions {
  flags?: string[]
  variables?: Record<string, string>
  /** Unless this start creates it. */
  api_key?: string
}

/** From the start of the process to the first authenticated response. */
async function startToFirstResponse({ flags = [], variables, api_key }: StartOptions): Promise<number> {
  const start = performance.now()
  const server = spawn(process.execPath, ['dist/workspace-admin.js', 'serve', ...flags, '--json', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, LOG_LEVEL: 'silent', ...variables },
  })
  const [line] = await once(server.stdout, 'data')
  const output: { url: string; api_key?: string } = JSON.parse(String(line))
  const response = await fetch(`${output.url}/api/organizations/@current/`, {
    headers: { authorization: `Bearer ${output.api_key ?? api_key}` },
  })
  await response.text()
  const milliseconds = performance.now() - start
  if (response.status !== 200) throw new Error(`the first response has status ${response.status}`)
  server.kill('SIGTERM')
  await once(server, 'exit')
  return milliseconds
}

async function emptyNode(): Promise<number> {
  const start = performance.now()
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit')
  return performance.now() - start
}

async function prismToFirstResponse(): Promise<number> {
  const port = await freePort()
  const start = performance.now()
  const server = spawn(process.execPath, prism(port), { stdio: 'ignore' })
  await waitUntilReady({ url: `http://127.0.0.1:${port}`, api_key: '' })
  const milliseconds = performance.now() - start
  server.kill('SIGKILL')
  await once(server, 'exit')
  return milliseconds
}

const EMPTY = 'node -e 0'
const US = 'start to first 200'
const ON_POSTGRES = 'start to first 200, on an existing PostgreSQL database'
const PRISM = 'Prism, start to first response'

let existing: Workspace

const postgresStart = ({ database, api_key }: Workspace): StartOptions => ({
  variables: postgresVariables(database),
  api_key,
})

export const start: Benchmark = {
  name: 'start',
  description:
    'CI jobs start the server, so its start-up time adds to every job. `node -e 0` loads no program and opens no database: it shows what Node itself takes, and no limit compares with it.',
  rounds: 9,
  setup: async () => {
    installPeers()
    existing = await startOnPostgres()
    return undefined
  },
  variants: {
    [EMPTY]: emptyNode,
    [US]: () => startToFirstResponse({ flags: ['--ephemeral'] }),
    [ON_POSTGRES]: () => startToFirstResponse(postgresStart(existing)),
    [PRISM]: prismToFirstResponse,
  },
  limits: [{ subject: US, against: PRISM, atLeast: 3 }],
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Benchmark } from '../benchmark.ts'
import { freePort, installPeers, prism, waitUntilReady } from '../peers.ts'

/** From the start of the process to the first authenticated response from a new database. */
async function startToFirstResponse(): Promise<number> {
  const start = performance.now()
  const server = spawn(process.execPath, ['dist/workspace-admin.js', 'serve', '--ephemeral', '--json', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, LOG_LEVEL: 'silent' },
  })
  const [line] = await once(server.stdout, 'data')
  const { url, api_key } = JSON.parse(String(line))
  const response = await fetch(`${url}/api/organizations/@current/`, {
    headers: { authorization: `Bearer ${api_key}` },
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
const PRISM = 'Prism, start to first response'

export const start: Benchmark = {
  name: 'start',
  description: 'CI jobs start the server, so its start-up time adds to every job.',
  rounds: 9,
  setup: async () => {
    installPeers()
    return undefined
  },
  variants: { [EMPTY]: emptyNode, [US]: startToFirstResponse, [PRISM]: prismToFirstResponse },
  limits: [
    { subject: US, against: EMPTY, atMost: 3 },
    { subject: US, against: PRISM, atLeast: 3 },
  ],
}

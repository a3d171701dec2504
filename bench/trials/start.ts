import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Trial } from '../trial.ts'

/** From the start of the process to the body of the first 200, with a key, from the database it has just made. */
async function startToFirstAnswer(): Promise<number> {
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
  if (response.status !== 200) throw new Error(`the first answer was ${response.status}`)
  server.kill('SIGTERM')
  await once(server, 'exit')
  return milliseconds
}

async function emptyNode(): Promise<number> {
  const start = performance.now()
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit')
  return performance.now() - start
}

export const start: Trial = {
  name: 'start',
  why: 'People start this in every job of their CI, so a second here is a second per job.',
  rounds: 15,
  contestants: { 'node -e 0': emptyNode, 'start to first 200': startToFirstAnswer },
  bars: [{ subject: 'start to first 200', against: 'node -e 0', atMost: 6 }],
}

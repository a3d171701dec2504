import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'

export interface ServerProcess {
  url: string
  api_key: string | null
  child: ChildProcess
  /** As a power cut would end it. */
  kill(): Promise<void>
}

/** A real server in a process of its own, from the sources; ended with the test. */
export async function startProcess(t: Test, environment: Record<string, string>): Promise<ServerProcess> {
  const child = spawn(
    process.execPath,
    ['--import=tsx', 'src/cli/workspace-admin.ts', 'serve', '--json', '--port', '0'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH!, LOG_LEVEL: 'silent', RATE_LIMITS: 'false', ...environment },
    },
  )
  const exited = once(child, 'exit')
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  t.teardown(kill)
  const [line] = await once(createInterface(child.stdout!), 'line')
  return { ...JSON.parse(line as string), child, kill }
}

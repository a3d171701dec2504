import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'

type Variables = Record<string, string>

const built = process.env.TEST_PROGRAM
if (!built)
  throw new Error('TEST_PROGRAM is not set. Run the tests with `npm test -- <files>`, which builds the program.')

/** A file of the program, as it is shipped. */
export const programFile = (name: string): string => join(built, name)

const PROGRAM = [programFile('workspace-admin.js')]

/** The command in a process of its own, as another user where one is named. */
export const command = (
  words: string[],
  environment: Variables,
  user: { uid?: number; gid?: number } = {},
): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, [...PROGRAM, ...words], { env: { PATH: process.env.PATH!, ...environment }, ...user })

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** Gives a process all of its input and waits for all it says. */
export async function ended(child: ChildProcessWithoutNullStreams, input = ''): Promise<Ended> {
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (bytes) => {
    stdout += bytes
  })
  child.stderr.on('data', (bytes) => {
    stderr += bytes
  })
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

export interface ServerProcess {
  url: string
  api_key: string | null
  project_token: string
  child: ChildProcess
  /** As a power cut would end it. */
  kill(): Promise<void>
}

/** A real server in a process of its own, its log in a file where one is given; ended with the test. */
export async function startProcess(
  t: Test,
  environment: Variables,
  program: readonly string[] = [...PROGRAM, 'serve', '--json', '--port', '0'],
  log: number | 'ignore' = 'ignore',
): Promise<ServerProcess> {
  const child = spawn(process.execPath, program, {
    stdio: ['ignore', 'pipe', log],
    env: { PATH: process.env.PATH!, LOG_LEVEL: 'silent', RATE_LIMITS: 'false', DRAIN_SECONDS: '0', ...environment },
  })
  const exited = once(child, 'exit')
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  t.teardown(kill)
  const ready = once(createInterface(child.stdout!), 'line')
  const [line] = await Promise.race([ready, exited.then(([code]) => Promise.reject(new Error(`ended with ${code}`)))])
  return { ...JSON.parse(line as string), child, kill }
}

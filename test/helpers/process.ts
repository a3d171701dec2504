import { type ChildProcess, type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'

type Variables = Record<string, string>

/** The files of the build that tests run, and their sources. */
const SOURCES = {
  'workspace-admin.js': 'src/cli/workspace-admin.ts',
  'main.js': 'src/main.ts',
}

/** Whether dist/ is newer than all of its sources. */
function isFresh(dist: string): boolean {
  if (!existsSync(join(dist, 'main.js'))) return false
  const built = statSync(join(dist, 'main.js')).mtimeMs
  return readdirSync('src', { recursive: true, encoding: 'utf8' }).every(
    (name) => statSync(join('src', name)).mtimeMs < built,
  )
}

/** The build to test: the one of the test run, or dist/. Without either, the program runs from its sources. */
const build = process.env.TEST_PROGRAM ?? (isFresh('dist') ? resolve('dist') : undefined)

/** A file of the program. */
export const programFile = (name: keyof typeof SOURCES): string => (build ? join(build, name) : resolve(SOURCES[name]))

/** The program of event readers. Compiled tests use the build; tests that run from the sources use the default. */
export const readerProgram: URL | undefined =
  build && !import.meta.url.endsWith('.ts') ? pathToFileURL(join(build, 'reader-process')) : undefined

/** The folder of the build, for tests of the build itself. Builds the program if there is no fresh build. */
export function builtProgram(): string {
  if (build) return build
  const folder = resolve('.tap/program')
  execFileSync(process.execPath, ['--import=tsx', 'scripts/build.ts', folder])
  return folder
}

/** Node's arguments to run a file of the program, with the loader if it is a source file. */
export const nodeArguments = (name: keyof typeof SOURCES, ...words: string[]): string[] => [
  ...(build ? [] : [`--import=${import.meta.resolve('tsx')}`]),
  programFile(name),
  ...words,
]

/** The environment of child processes: nothing of the test's own but the path and the compile cache. */
const environmentWith = (variables: Variables): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: resolve('.tap/compile-cache'),
  ...variables,
})

interface CommandOptions {
  uid?: number
  gid?: number
  cwd?: string
}

/** Starts the command as a child process, optionally as another user or in another folder. */
export function command(
  words: string[],
  environment: Variables,
  options: CommandOptions = {},
): ChildProcessWithoutNullStreams {
  // From sources, child processes of the program load `tsx` from the working directory.
  if (!build && options.cwd && !existsSync(join(options.cwd, 'node_modules')))
    symlinkSync(resolve('node_modules'), join(options.cwd, 'node_modules'))
  return spawn(process.execPath, nodeArguments('workspace-admin.js', ...words), {
    env: environmentWith(environment),
    ...options,
  })
}

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** Writes the input of a process and collects its output until it exits. */
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
  /** Kills it with SIGKILL, like a power loss. */
  kill(): Promise<void>
}

/** Node's arguments for `serve` with a JSON ready line and a free port. */
export const serveArguments = (...flags: string[]): string[] =>
  nodeArguments('workspace-admin.js', 'serve', '--json', '--port', '0', ...flags)

/** Starts a server as a child process that is killed at the end of the test. `log` is a file descriptor. */
export async function startProcess(
  t: Test,
  environment: Variables,
  program: readonly string[] = serveArguments(),
  log: number | 'ignore' = 'ignore',
): Promise<ServerProcess> {
  const child = spawn(process.execPath, program, {
    stdio: ['ignore', 'pipe', log],
    env: environmentWith({ LOG_LEVEL: 'silent', RATE_LIMITS: 'false', DRAIN_SECONDS: '0', ...environment }),
  })
  const exited = once(child, 'exit')
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  t.teardown(kill)
  const ready = once(createInterface(child.stdout!), 'line')
  const [line] = await Promise.race([
    ready,
    exited.then(([code]) => Promise.reject(new Error(`The server exited with ${code}.`))),
  ])
  return { ...JSON.parse(line as string), child, kill }
}

import assert from 'node:assert/strict'
import { type ChildProcess, type ChildProcessWithoutNullStreams, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { STALL_MS } from '../../../src/background/event-loop.ts'
import { SIZE } from '../assertions/figures.ts'

type Variables = Record<string, string>

let build: string | undefined = process.env.TEST_PROGRAM

/**
 * The folder of the built program: the build of the test run, dist/ if it is newer than the sources, or a build that this
 * function creates in 2 s. From sources, each process would take a second longer to start, and some tests start hundreds.
 */
export function builtProgram(): string {
  build ??= isFresh('dist') ? resolve('dist') : createBuild()
  return build
}

const modifiedAt = (file: string): number => (existsSync(file) ? statSync(file).mtimeMs : 0)

const sourcesModifiedAt = (): number =>
  Math.max(...readdirSync('src', { recursive: true, encoding: 'utf8' }).map((name) => modifiedAt(join('src', name))))

const isFresh = (folder: string): boolean => modifiedAt(join(folder, 'main.js')) > sourcesModifiedAt()

/** Builds into a new folder and renames it, so test files that run at the same time do not interfere. */
function createBuild(): string {
  const name = `program-${Math.round(sourcesModifiedAt())}`
  const folder = resolve('.tap', name)
  if (existsSync(folder)) return folder
  mkdirSync('.tap', { recursive: true })
  for (const old of readdirSync('.tap')) if (/^program-\d+$/.test(old)) rmSync(join('.tap', old), { recursive: true })
  const partial = mkdtempSync(resolve('.tap', `partial-${name}-`))
  execFileSync(process.execPath, ['--import=tsx', 'scripts/build.ts', partial], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (!existsSync(folder)) renameSync(partial, folder)
  return folder
}

/** A file of the program. */
export const programFile = (name: string): string => join(builtProgram(), name)

const { PATH, NODE_OPTIONS, COVERAGE_FOLDER, COVERAGE_ROOT, STATEMENTS_FOLDER } = process.env

/** The environment of child processes: only PATH, caches and what records coverage and statements. */
export const environmentWith = (variables: Variables): NodeJS.ProcessEnv => ({
  PATH,
  ...((COVERAGE_FOLDER || STATEMENTS_FOLDER) && { NODE_OPTIONS }),
  ...(COVERAGE_FOLDER && { COVERAGE_FOLDER, COVERAGE_ROOT }),
  ...(STATEMENTS_FOLDER && { STATEMENTS_FOLDER }),
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
  return spawn(process.execPath, [programFile('workspace-admin.js'), ...words], {
    env: environmentWith(environment),
    ...options,
  })
}

/** The process groups of detached children. A signal to the group of this process does not reach them. */
const groups = new Set<number>()

function killGroup(pid: number): void {
  groups.delete(pid)
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All processes of the group have ended.
  }
}

function killGroups(): void {
  for (const pid of groups) killGroup(pid)
  process.exit(143)
}

/** Kills the process group of a detached child at the end of the test, also when the test run is interrupted. */
export function killGroupAfter(t: Test, { pid }: ChildProcess): void {
  if (pid === undefined) return
  if (groups.size === 0) process.once('SIGTERM', killGroups)
  groups.add(pid)
  t.teardown(() => {
    killGroup(pid)
    if (groups.size === 0) process.off('SIGTERM', killGroups)
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
  // The process may exit before it reads its input.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

export interface CommandInHost {
  words: string[]
  environment: NodeJS.ProcessEnv
  folder: string
  input: string
}

interface Host {
  child: ChildProcess
  /** Rejects when the process exits. */
  exited: Promise<never>
}

let host: Host | undefined
let lastCommand: Promise<unknown> = Promise.resolve()

/** Runs a command in one child process, after the commands before it. */
export function runInHost(request: CommandInHost): Promise<Ended> {
  host ??= startHost()
  const { child, exited } = host
  const result = lastCommand.then(async () => {
    child.ref()
    child.send(request)
    const [reply] = await Promise.race([once(child, 'message'), exited])
    child.unref()
    return reply as Ended
  })
  lastCommand = result.catch(() => undefined)
  return result
}

function startHost(): Host {
  const program = fileURLToPath(new URL('./command-host.js', import.meta.url))
  const child = fork(program, { env: environmentWith({}), execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  child.unref()
  child.channel?.unref()
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`The process that runs commands exited with ${code}.`)
  })
  exited.catch(() => undefined)
  process.once('beforeExit', () => {
    child.ref()
    child.disconnect()
  })
  return { child, exited }
}

/** These need standard input from their start, or never exit. */
export const OWN_PROCESS = ['login', 'serve']

/** Whether one child process runs all commands: in the quick size, because loading the program takes longer than most. */
export const IS_HOSTED = SIZE === 'quick' && import.meta.url.endsWith('.js')

/** Runs a command until it exits. */
export function runCommand(
  words: string[],
  environment: Variables,
  { cwd = process.cwd(), input = '' }: { cwd?: string; input?: string } = {},
): Promise<Ended> {
  const needsProcess = OWN_PROCESS.includes(words[0] ?? '') || environment.NODE_OPTIONS !== undefined
  return IS_HOSTED && !needsProcess
    ? runInHost({ words, environment: environmentWith(environment), folder: cwd, input })
    : ended(command(words, environment, { cwd }), input)
}

/** Sets a password with the operator's command. */
export async function setPassword(database_url: string, email: string, password: string): Promise<void> {
  const words = ['users', 'set-password', email, '--database', database_url]
  const { code, stderr } = await runCommand(words, {}, { input: password })
  if (code !== 0) throw new Error(stderr)
}

export interface ServerProcess {
  url: string
  api_key: string | null
  project_token: string
  /** The one-time sign-in link of the first owner. */
  login_url: string | null
  child: ChildProcess
  /** Kills it with SIGKILL, like a power loss. */
  kill(): Promise<void>
}

/** Node's arguments for `serve` with a JSON ready line and a free port. */
export const serveArguments = (...flags: string[]): string[] => [
  programFile('workspace-admin.js'),
  ...['serve', '--json', ...(flags.includes('--port') ? [] : ['--port', '0']), ...flags],
]

/** Code that runs for the first time, and other programs on the same cores, multiply the CPU time of the same work. */
const MAX_STALL_MS = 5 * STALL_MS

/** Fails the test if the server reports that a request or a background loop blocked its event loop. */
function failOnStalls(t: Test, log: Readable): void {
  const stalls: string[] = []
  createInterface(log).on('line', (line) => {
    if (line.includes('"area":"event_loop"') && JSON.parse(line).cpu_ms > MAX_STALL_MS) stalls.push(line)
  })
  t.teardown(() => assert.deepEqual(stalls, [], 'the event loop of the server was blocked'))
}

/** Starts a server as a child process that is killed at the end of the test. `log` is a file descriptor. */
export async function startProcess(
  t: Test,
  environment: Variables,
  program: readonly string[] = serveArguments(),
  log: number | 'ignore' = 'ignore',
): Promise<ServerProcess> {
  const child = spawn(process.execPath, program, {
    stdio: ['ignore', 'pipe', log === 'ignore' ? 'pipe' : log],
    env: environmentWith({
      LOG_LEVEL: 'silent,event_loop=warn',
      RATE_LIMITS: 'false',
      DRAIN_SECONDS: '0',
      ...environment,
    }),
  })
  if (child.stderr) failOnStalls(t, child.stderr)
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

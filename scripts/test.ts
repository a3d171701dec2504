/**
 * Runs test files concurrently: all of them, or the files and folders named as arguments. Compiles what has changed, starts one
 * PostgreSQL unless TEST_POSTGRES_URL is set, and prints the failures, the totals and the slowest files. TEST_SIZE sets the
 * counts (`bySize`), and REPEAT_FAILED repeats failed files alone.
 *
 * Plain Node runs the files and tap only reports failures. The runner of tap also tracks every file that a test and its
 * child processes load, which takes longer than most tests.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, setPriority } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SIZE } from '../test/helpers/assertions/figures.ts'
import { fastFolder } from '../test/helpers/folders.ts'
import { installClients } from '../test/helpers/programs/clients.ts'
import { createTemplate, startPostgresProcess } from '../test/helpers/programs/postgres.ts'
import { createCoverage } from './coverage.ts'
import { writeDialects } from './dialects.ts'
import { PROCESSES } from './processes.ts'

/** Long files, which start first if there is no earlier run. */
const LONGEST = [
  'test/plugins/runtime.test.ts',
  'test/faults/exports.test.ts',
  'test/faults/nodes.test.ts',
  'test/faults/year.test.ts',
  'test/faults/sqlite.test.ts',
  'test/docs/examples.test.ts',
  'test/cli/cli.test.ts',
  'test/cli/contract.test.ts',
  'test/cli/everyday.test.ts',
  'test/clients/generated.test.ts',
  'test/contract/isolation.test.ts',
  'test/plugins/sandbox.test.ts',
  'test/server/overload.test.ts',
]
/** These need a Chromium, reverse proxies or other shells, take minutes or never end. They run only when they are named. */
const ONLY_WHEN_NAMED = [
  'test/browser/',
  'test/deploy/',
  'test/package/',
  'test/shells/',
  'test/scripts/endless.test.ts',
]
/** Runs last, on the statements of all other files. */
const PLANS = 'test/store/plans.test.ts'
/** These compare CPU times of their own process. In a quick run of everything, the other files share processes. */
const NOT_SHARING = ['test/background/growth.test.ts', 'test/background/event-loop.test.ts']
/**
 * A process takes 3 s of CPU time until the program is loaded and compiled. So the first ones run many files. Later ones run
 * fewer, down to this duration, so that all slots are busy until the end.
 */
const MIN_PROCESS_SECONDS = 40
/** The limit per file, unless it calls `t.setTimeout`. */
const TIMEOUT_SECONDS = 480
/** The priority of delivery processes. With a higher one, tests would starve the deliveries of other tests. */
setPriority(10)
const names = process.argv.slice(2)
/** More than there are cores, because some tests mostly wait. Browsers and a full run load the machine more. */
const CONCURRENCY = availableParallelism() + (SIZE === 'quick' && names.length === 0 ? 2 : 1)

const COMPILED = '.tap/compiled'
const RESULTS = '.tap/results'
const SEVERAL_FILES = 'test/helpers/programs/several-files.ts'
/** The duration of each file in the last run of the same size. */
const DURATIONS = `.tap/durations-${SIZE}.json`
/** The assumed duration of a file that has never run. */
const USUAL_SECONDS = 10
const SLOWEST = 5
const MAX_FAILURES = 5
/** Failed files that are repeated. */
const MAX_REPEATED = 3
/** Interrupted tests get this long to clean up. */
const GRACE_MS = 5_000

interface Result {
  files: readonly string[]
  passed: number
  failed: number
  seconds: number
  /** The file with its TAP output. */
  output: string
}

/**
 * Compiles once, because a process takes a second to load the sources, and the tests start hundreds. Returns the folder of the
 * built program: `dist/`, or a build whose coverage can be measured.
 */
function compile(): string {
  const program = isMeasured ? resolve(COMPILED, 'dist') : resolve('dist')
  const sources = ['package-lock.json', 'package.json', 'client', 'console', 'openapi', 'scripts', 'src']
  runIfChanged([...sources, 'test'], 'compile', COMPILED)
  if (isMeasured) runIfChanged(sources, 'build', program, '--lines')
  else runScript('build-if-changed')
  // The tests' own child processes run the built programs too, which are single files.
  for (const [name, source] of Object.entries(PROCESSES))
    writeFileSync(
      join(COMPILED, source.replace(/\.ts$/, '.js')),
      `import ${JSON.stringify(pathToFileURL(join(program, `${name}.js`)).href)}\n`,
    )
  return program
}

const runScript = (script: string, ...args: string[]): unknown =>
  execFileSync(process.execPath, ['--import=tsx', `scripts/${script}.ts`, ...args], { stdio: 'inherit' })

/** Runs a script unless its inputs are the same as in its last run. */
function runIfChanged(inputs: readonly string[], script: string, ...args: string[]): void {
  const stamp = `.tap/${script}-inputs.txt`
  const now = inputs.flatMap(filesBelow).map(describeFile).join('\n')
  if (existsSync(COMPILED) && existsSync(stamp) && readFileSync(stamp, 'utf8') === now) return
  rmSync(stamp, { force: true })
  runScript(script, ...args)
  writeFileSync(stamp, now)
}

function filesBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .filter((name) => name !== 'node_modules')
    .flatMap((name) => filesBelow(join(path, name)))
}

function describeFile(path: string): string {
  const { mtimeMs, size } = statSync(path)
  return `${path} ${size} ${mtimeMs}`
}

const durations: Record<string, number> = existsSync(DURATIONS) ? JSON.parse(readFileSync(DURATIONS, 'utf8')) : {}

const expectedSeconds = (file: string): number =>
  durations[file] ?? (LONGEST.includes(file) ? 5 * USUAL_SECONDS : USUAL_SECONDS)

/** The selected files, the longest first, which shortens the run. */
function testFiles(names: readonly string[]): string[] {
  const all = readdirSync('test', { recursive: true, encoding: 'utf8' }).map((file) => join('test', file))
  const wanted = names.map((name) => relative('.', name))
  const isWanted = (file: string): boolean =>
    wanted.length
      ? wanted.some((name) => file === name || file.startsWith(`${name}/`))
      : !ONLY_WHEN_NAMED.some((folder) => file.startsWith(folder))
  return all
    .filter((file) => file.endsWith('.test.ts') && isWanted(file))
    .sort((a, b) => expectedSeconds(b) - expectedSeconds(a))
}

/** The files of each process, the longest first. */
function processesOf(files: readonly string[]): string[][] {
  const secondsOf = (process: readonly string[]): number =>
    process.reduce((sum, file) => sum + expectedSeconds(file), 0)
  if (SIZE !== 'quick' || names.length > 0) return files.map((file) => [file])
  const processes = files.filter((file) => NOT_SHARING.includes(file)).map((file) => [file])
  const left = files.filter((file) => !NOT_SHARING.includes(file)).sort()
  while (left.length) {
    const max_seconds = Math.max(MIN_PROCESS_SECONDS, secondsOf(left) / (3 * CONCURRENCY))
    const process = left.splice(0, 1)
    while (left[0] && secondsOf(process) + expectedSeconds(left[0]) <= max_seconds) process.push(...left.splice(0, 1))
    processes.push(process)
  }
  return processes.sort((a, b) => secondsOf(b) - secondsOf(a))
}

const running = new Set<ChildProcess>()
const results: Result[] = []
/** The seconds of each file. */
const took = new Map<string, number>()

/** The first failures in TAP output, so that a log that is cut off has them. */
const failuresIn = (output: string): string[] =>
  readFileSync(output, 'utf8')
    .split('\n')
    .filter((line) => line.trimStart().startsWith('not ok'))
    .slice(0, MAX_FAILURES)

/** In a terminal, one line is overwritten; a log gets a line per file. */
function reportProgress({ files: [file, ...others], passed, failed, seconds, output }: Result): void {
  const done = results.flatMap((result) => result.files)
  const pending = files.filter((name) => !done.includes(name))
  const left_minutes = pending.reduce((sum, name) => sum + expectedSeconds(name), 0) / CONCURRENCY / 60
  const left = pending.length ? `, about ${left_minutes < 1 ? 'a minute' : `${Math.ceil(left_minutes)} min`} left` : ''
  const progress = `${done.length} of ${files.length}${left}`
  const last = others.at(-1)
  const name = last ? `${file} to ${basename(last)}` : file
  const line = `${failed ? 'FAIL' : 'ok  '} ${seconds.toFixed(1).padStart(6)} s ${String(passed).padStart(5)} ${name}`
  if (!process.stdout.isTTY) console.log([`${line} (${progress})`, ...failuresIn(output)].join('\n'))
  else process.stdout.write(`\r\x1b[K${failed ? `${line}\n` : ''}${progress}${pending.length ? '' : '\n'}`)
}

const needsClients = (file: string): boolean => file.startsWith('test/clients/')

async function run(files: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  if (files.some(needsClients)) await clients
  const [file = '', ...others] = files
  const recorded = mkdtempSync(join(scratch, 'coverage-'))
  const output = join(RESULTS, file.replace(/\.ts$/, '.tap'))
  mkdirSync(dirname(output), { recursive: true })
  const started = performance.now()
  const programs = [...(others.length ? [SEVERAL_FILES] : []), ...files]
  const compiled = programs.map((program) => join(COMPILED, program.replace(/\.ts$/, '.js')))
  // The slots keep all cores busy, so the garbage collector needs no threads of its own. That saves 4 % of the CPU time.
  // Each assertion captures its stack, and mapping stacks takes 5 %. A run of named files shows the lines of the sources.
  const maps = SIZE === 'quick' && names.length === 0 ? [] : ['--enable-source-maps']
  const flags = ['--single-threaded-gc', ...maps, '--no-warnings=ExperimentalWarning']
  const child = spawn(process.execPath, [...flags, ...compiled], {
    stdio: ['ignore', openSync(output, 'w'), 'inherit'],
    env: {
      ...environment,
      // A folder of its own: each test file has exports with the same ids, which delete temporary files of their runs.
      TMPDIR: createScratchFolder(scratch, 'files-'),
      ...(isMeasured && { COVERAGE_FOLDER: recorded }),
      TAP_TIMEOUT: String(files.length * TIMEOUT_SECONDS),
    },
    // A process group of its own, so that `interrupt` also reaches its child processes.
    detached: true,
  })
  running.add(child)
  const exit = await new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.on('close', (code, signal) => resolve(signal ?? code)),
  )
  running.delete(child)
  coverage.add(recorded)
  // The last line is `# { total: 12, pass: 11, fail: 1 }`. It is missing when `t.before` throws, although the exit code is 0.
  const tap = readFileSync(output, 'utf8')
  const [, ...totalLines] = tap.split('\n# { total:')
  const totals = totalLines.at(-1) ?? ''
  const count = (word: string): number => Number(new RegExp(`\\b${word}: (\\d+)`).exec(totals)?.[1] ?? 0)
  const seconds = (performance.now() - started) / 1000
  const failed = Math.max(count('fail'), exit === 0 && totals ? 0 : 1)
  if (!totals) console.error(`${file} ended before its last test, with ${exit}.`)
  const result = { files, passed: count('pass'), failed, seconds, output }
  results.push(result)
  const secondsOf = (name: string): number =>
    others.length ? Number(tap.split(`- ${name} # time=`)[1]?.split('ms')[0]) / 1000 : seconds
  for (const name of files) {
    took.set(name, secondsOf(name))
    if (!failed) durations[name] = Math.round(secondsOf(name) * 10) / 10
  }
  reportProgress(result)
}

/**
 * With REPEAT_FAILED, runs failed files once more, alone. A file that passes then failed because the machine was busy, and the log
 * names it. If many files fail, something is broken.
 */
async function repeatFailed(): Promise<void> {
  const broken = results.filter(({ failed }) => failed)
  if (!process.env.REPEAT_FAILED || isInterrupted || broken.length > MAX_REPEATED) return
  for (const result of broken) {
    const [name] = result.files
    results.splice(results.indexOf(result), 1)
    console.log(`Repeating ${name} alone. It failed beside other files:`, ...failuresIn(result.output))
    await run(result.files, environment)
    if (!results.at(-1)?.failed) console.log(`UNSTABLE ${name} passed when it ran alone.`)
  }
}

/** Ends the running files and their child processes; the clean-up of the run follows. */
function interrupt(): void {
  isInterrupted = true
  queue.length = 0
  const signalAll = (signal: NodeJS.Signals): void => {
    for (const { pid } of running)
      try {
        process.kill(-pid!, signal)
      } catch {
        // The group has ended.
      }
  }
  signalAll('SIGTERM')
  setTimeout(signalAll, GRACE_MS, 'SIGKILL').unref()
}

function createScratchFolder(parent: string, name: string): string {
  const folder = mkdtempSync(join(parent, name))
  // A PostgreSQL that a test starts runs as another user.
  chmodSync(folder, 0o755)
  return folder
}

const files = testFiles(names)
const hasPlans = names.length === 0 && files.includes(PLANS)
const queue = processesOf(files.filter((file) => !hasPlans || file !== PLANS))
/** Measuring takes time, so only a full run of all files does, unless COVERAGE is set. */
const isMeasured = (names.length === 0 && SIZE === 'full') || process.env.COVERAGE !== undefined
const coverage = createCoverage()
await writeDialects()
// A run inside a test uses the program of that test. Compiling would replace the files of the other tests.
const program = process.env.TEST_PROGRAM ?? compile()
const clients = files.some(needsClients) ? installClients() : undefined
// `run` throws its error.
clients?.catch(() => undefined)
const ownServer = process.env.TEST_POSTGRES_URL
const server = ownServer ? { url: ownServer, stop: async () => undefined } : await startPostgresProcess()
const template = await createTemplate(server.url)
const scratch = createScratchFolder(fastFolder(), 'workspace-tests-')
const statements = createScratchFolder(scratch, 'statements-')
// Some tests start programs as another user.
chmodSync(statements, 0o777)
const preloaded = [
  ...(isMeasured ? ['test/helpers/programs/coverage.cjs'] : []),
  ...(hasPlans ? ['test/helpers/programs/record-statements.cjs'] : []),
]
const environment = {
  ...process.env,
  TEST_POSTGRES_URL: server.url,
  TEST_POSTGRES_TEMPLATE: template.name,
  TEST_PROGRAM: program,
  ...(preloaded.length && {
    NODE_OPTIONS: [process.env.NODE_OPTIONS ?? '', ...preloaded.map((file) => `--require="${resolve(file)}"`)].join(
      ' ',
    ),
  }),
  ...(isMeasured && { COVERAGE_ROOT: pathToFileURL(resolve(COMPILED)).href }),
  ...(hasPlans && { STATEMENTS_FOLDER: statements }),
  LOG_LEVEL: 'silent',
  NODE_COMPILE_CACHE: resolve('.tap/compile-cache'),
}
let isInterrupted = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt)
// A closed terminal accepts no output.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)
const runQueue = async (): Promise<void> => {
  for (let next = queue.shift(); next; next = queue.shift()) await run(next, environment)
}
await Promise.all(Array.from({ length: CONCURRENCY }, runQueue))
if (hasPlans && !isInterrupted) await run([PLANS], environment)
await repeatFailed()
for (const [task, cleanUp] of [
  ['drop the template database', () => template.drop()],
  ['stop PostgreSQL', () => server.stop()],
  ['delete the scratch folder', () => rmSync(scratch, { recursive: true, force: true })],
] as const)
  try {
    await cleanUp()
  } catch (error) {
    // A failed clean-up must not hide the result.
    console.error(`Could not ${task}:`, error)
  }

const sum = (word: 'passed' | 'failed'): number => results.reduce((total, result) => total + result[word], 0)
const [passed, failed] = [sum('passed'), sum('failed')]
if (isInterrupted) process.exit(130)
writeFileSync(DURATIONS, JSON.stringify(durations))
if (failed) {
  const tap = ['node_modules/tap/dist/esm/run.mjs']
  const broken = results.filter((result) => result.failed).map(({ output }) => output)
  spawnSync(process.execPath, [...tap, ...broken], { stdio: 'inherit' })
}
if (isMeasured)
  for (const line of await coverage.summarize(COMPILED).catch((error) => [`Coverage is not available: ${error}`]))
    console.log(line)
if (files.length > SLOWEST) {
  console.log(`\nThe slowest of ${files.length} files, after ${Math.round(performance.now() / 1000)} s:`)
  for (const [file, seconds] of [...took].sort(([, a], [, b]) => b - a).slice(0, SLOWEST))
    console.log(`${seconds.toFixed(1).padStart(6)} s ${file}`)
}
console.log(`\n${passed} passed, ${failed} failed`)
process.exit(failed > 0 || passed === 0 ? 1 : 0)

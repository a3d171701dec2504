/**
 * Runs test files concurrently: all of them, or the files and folders named as arguments. Compiles once, starts one PostgreSQL unless
 * TEST_POSTGRES_URL is set, and prints the failures and the totals.
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
  statfsSync,
} from 'node:fs'
import { availableParallelism, setPriority, tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { installClients } from '../test/helpers/programs/clients.ts'
import { createTemplate, startPostgres } from '../test/helpers/programs/postgres.ts'
import { createCoverage } from './coverage.ts'

/** The longest files start first, which shortens the run. */
const LONGEST = [
  'faults/exports',
  'adversary/capture',
  'adversary/large-lists',
  'adversary/requests',
  'cli/cli',
  'exports/engine',
  'faults/nodes',
  'cli/copy',
  'docs/examples',
  'cli/contract',
  'cli/import',
  'clients/generated',
]
/** These need a Chromium or reverse proxies, or take minutes. They run only when they are named. */
const ONLY_WHEN_NAMED = ['test/browser/', 'test/deploy/', 'test/package/']
/** Runs last, on the statements of all other files. */
const PLANS = 'test/store/plans.test.ts'
/** The limit per file, unless it calls `t.setTimeout`. */
const TIMEOUT_SECONDS = 480
/** The priority of delivery processes. With a higher one, tests would starve the deliveries of other tests. */
setPriority(10)
/** One more than there are cores, because some tests mostly wait. */
const CONCURRENCY = availableParallelism() + 1

/** A file system in memory, used if this much of it is free. */
const MEMORY = '/dev/shm'
const MIN_MEMORY_BYTES = 2 ** 31

const COMPILED = '.tap/compiled'
const RESULTS = '.tap/results'

interface Result {
  passed: number
  failed: number
  /** The file with its TAP output. */
  output: string
}

/** Compiles once, because a process takes a second to load the sources, and the tests start hundreds. */
function compile(): string {
  const program = resolve(COMPILED, 'dist')
  const run = (script: string, ...args: string[]): unknown =>
    execFileSync(process.execPath, ['--import=tsx', `scripts/${script}.ts`, ...args], { stdio: 'inherit' })
  run('compile', COMPILED)
  run('build', program, '--lines')
  return program
}

function testFiles(names: readonly string[]): string[] {
  const rank = (file: string): number =>
    (LONGEST.indexOf(file.slice('test/'.length, -'.test.ts'.length)) + LONGEST.length + 1) % (LONGEST.length + 1)
  const all = readdirSync('test', { recursive: true, encoding: 'utf8' }).map((file) => join('test', file))
  const wanted = names.map((name) => relative('.', name))
  const isWanted = (file: string): boolean =>
    wanted.length
      ? wanted.some((name) => file === name || file.startsWith(`${name}/`))
      : !ONLY_WHEN_NAMED.some((folder) => file.startsWith(folder))
  return all.filter((file) => file.endsWith('.test.ts') && isWanted(file)).sort((a, b) => rank(a) - rank(b))
}

const running = new Set<ChildProcess>()

async function run(file: string, environment: NodeJS.ProcessEnv): Promise<Result> {
  const recorded = mkdtempSync(join(scratch, 'coverage-'))
  const output = join(RESULTS, file.replace(/\.ts$/, '.tap'))
  mkdirSync(dirname(output), { recursive: true })
  const started = performance.now()
  const compiled = join(COMPILED, file.replace(/\.ts$/, '.js'))
  const child = spawn(process.execPath, ['--enable-source-maps', '--no-warnings=ExperimentalWarning', compiled], {
    stdio: ['ignore', openSync(output, 'w'), 'inherit'],
    env: { ...environment, ...(isMeasured && { COVERAGE_FOLDER: recorded }) },
  })
  running.add(child)
  const code = await new Promise((resolve) => child.on('close', resolve))
  running.delete(child)
  coverage.add(recorded)
  // The last line is `# { total: 12, pass: 11, fail: 1 }`. It is missing when `t.before` throws, although the exit code is 0.
  const [, ...totalLines] = readFileSync(output, 'utf8').split('\n# { total:')
  const totals = totalLines.at(-1) ?? ''
  const count = (word: string): number => Number(new RegExp(`\\b${word}: (\\d+)`).exec(totals)?.[1] ?? 0)
  const result = { passed: count('pass'), failed: Math.max(count('fail'), code === 0 && totals ? 0 : 1), output }
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(
    `${result.failed ? 'FAIL' : 'ok  '} ${seconds.padStart(6)} s ${String(result.passed).padStart(5)} ${file}`,
  )
  return result
}

/** A folder in memory if possible, because SQLite waits for the disk at each commit. */
function createScratchFolder(): string {
  const free = existsSync(MEMORY) ? statfsSync(MEMORY) : { bavail: 0, bsize: 0 }
  const folder = mkdtempSync(join(free.bavail * free.bsize > MIN_MEMORY_BYTES ? MEMORY : tmpdir(), 'workspace-tests-'))
  // A PostgreSQL that a test starts runs as another user.
  chmodSync(folder, 0o755)
  return folder
}

const names = process.argv.slice(2)
const files = testFiles(names)
const hasPlans = names.length === 0 && files.includes(PLANS)
const queue = files.filter((file) => !hasPlans || file !== PLANS)
/** A run of some files measures nothing, unless COVERAGE is set. */
const isMeasured = names.length === 0 || process.env.COVERAGE !== undefined
const coverage = createCoverage()
const program = compile()
if (queue.some((file) => file.startsWith('test/clients/'))) installClients()
const ownServer = process.env.TEST_POSTGRES_URL
const server = ownServer ? { url: ownServer, stop: async () => undefined } : await startPostgres()
const template = await createTemplate(server.url)
const scratch = createScratchFolder()
const statements = mkdtempSync(join(scratch, 'statements-'))
// Some tests start programs as another user.
chmodSync(statements, 0o777)
const preloaded = [
  ...(isMeasured ? ['test/helpers/programs/coverage.cjs'] : []),
  ...(hasPlans ? ['test/helpers/programs/record-statements.cjs'] : []),
]
const environment = {
  ...process.env,
  TMPDIR: scratch,
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
  TAP_TIMEOUT: String(TIMEOUT_SECONDS),
}
let isInterrupted = false
process.on('SIGINT', () => {
  isInterrupted = true
  queue.length = 0
  for (const child of running) child.kill('SIGINT')
})
const results: Result[] = []
const runQueue = async (): Promise<void> => {
  for (let file = queue.shift(); file; file = queue.shift()) results.push(await run(file, environment))
}
await Promise.all(Array.from({ length: CONCURRENCY }, runQueue))
if (hasPlans && !isInterrupted) results.push(await run(PLANS, environment))
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
if (failed) {
  const tap = ['node_modules/tap/dist/esm/run.mjs']
  const broken = results.filter((result) => result.failed).map(({ output }) => output)
  spawnSync(process.execPath, [...tap, ...broken], { stdio: 'inherit' })
}
if (isMeasured)
  for (const line of await coverage.summarize(COMPILED).catch((error) => [`Coverage is not available: ${error}`]))
    console.log(line)
console.log(`\n${passed} passed, ${failed} failed`)
// The exit hook of the embedded PostgreSQL would replace `process.exitCode` by 0.
process.exit(failed > 0 || passed === 0 ? 1 : 0)

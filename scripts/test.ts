/**
 * Every suite on both engines: starts a PostgreSQL for the run unless TEST_POSTGRES_URL names one, runs the files given
 * (all of them by default), shows what failed, and closes with a line that counts.
 *
 * Suites are run by plain Node and only reported by tap: tap's own runner reads along with every file that a suite and
 * the processes it starts load, which took more time than most suites.
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
  writeFileSync,
} from 'node:fs'
import { availableParallelism, setPriority, tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { makeTemplate, startPostgres } from '../test/helpers/postgres.ts'

/** These take longest and begin first, so that none of them is left over at the end. */
const LONGEST = [
  'faults/exports',
  'adversary/capture',
  'adversary/large-lists',
  'adversary/requests',
  'cli/cli',
  'exports/engine',
  'faults/nodes',
  'cli/copy',
  'cli/contract',
  'cli/import',
  'clients/generated',
]
/** Of a suite that says nothing else by `t.setTimeout`. */
const TIMEOUT_SECONDS = 480
/** As nice as deliveries are: more important suites would starve those of their neighbours. */
setPriority(10)
/** Some wait more than they compute. */
const AT_ONCE = availableParallelism() + 1

/** A folder in memory, and what must be free in it to be used. */
const MEMORY = '/dev/shm'
const MEMORY_BYTES = 2 ** 31

const COMPILED = '.tap/compiled'
const RESULTS = '.tap/results'
const CLIENTS = resolve('.tap/clients')

interface Result {
  passed: number
  failed: number
  /** What it said, as tap reads it. */
  said: string
}

/** Built once: a process that is started from the sources takes two seconds to read them, and the suites start hundreds. */
function compile(): string {
  const program = resolve(COMPILED, 'dist')
  const make = (script: string, folder: string): unknown =>
    execFileSync(process.execPath, ['--import=tsx', `scripts/${script}.ts`, folder], { stdio: 'inherit' })
  make('compile', COMPILED)
  make('build', program)
  return program
}

/**
 * Other people's clients, as their lock says, in a folder that no other part of the house looks into: 550 packages that
 * only two suites need. Without their scripts: one of them would fetch a program from elsewhere.
 */
function installClients(): void {
  const wanted = ['package.json', 'package-lock.json'].map(
    (name) => [join(CLIENTS, name), readFileSync(`test/clients/package/${name}`, 'utf8')] as const,
  )
  // npm writes this file last, so a folder without it was left half-way.
  const done = join(CLIENTS, 'node_modules/.package-lock.json')
  if (existsSync(done) && wanted.every(([path, text]) => existsSync(path) && readFileSync(path, 'utf8') === text))
    return
  mkdirSync(CLIENTS, { recursive: true })
  for (const [path, text] of wanted) writeFileSync(path, text)
  console.log('installing the clients that the tests try (once)')
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: CLIENTS, stdio: 'inherit' })
}

function suites(given: readonly string[]): string[] {
  const rank = (file: string): number =>
    (LONGEST.indexOf(file.slice('test/'.length, -'.test.ts'.length)) + LONGEST.length + 1) % (LONGEST.length + 1)
  const all = (readdirSync('test', { recursive: true }) as string[]).map((file) => join('test', file))
  const found = given.length ? given.map((file) => relative('.', file)) : all
  return found.filter((file) => file.endsWith('.test.ts')).sort((a, b) => rank(a) - rank(b))
}

const running = new Set<ChildProcess>()

async function run(file: string, environment: NodeJS.ProcessEnv): Promise<Result> {
  const said = join(RESULTS, file.replace(/\.ts$/, '.tap'))
  mkdirSync(dirname(said), { recursive: true })
  const started = performance.now()
  const compiled = join(COMPILED, file.replace(/\.ts$/, '.js'))
  const child = spawn(process.execPath, ['--enable-source-maps', '--no-warnings=ExperimentalWarning', compiled], {
    stdio: ['ignore', openSync(said, 'w'), 'inherit'],
    env: environment,
  })
  running.add(child)
  const code = await new Promise((resolve) => child.on('close', resolve))
  running.delete(child)
  // Its closing line: `# { total: 12, pass: 11, fail: 1 }`. A suite whose `t.before` throws has none, and still ends with 0.
  const [, ...totalLines] = readFileSync(said, 'utf8').split('\n# { total:')
  const totals = totalLines.at(-1) ?? ''
  const count = (word: string): number => Number(new RegExp(`\\b${word}: (\\d+)`).exec(totals)?.[1] ?? 0)
  const result = { passed: count('pass'), failed: Math.max(count('fail'), code === 0 && totals ? 0 : 1), said }
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(
    `${result.failed ? 'FAIL' : 'ok  '} ${seconds.padStart(6)} s ${String(result.passed).padStart(5)} ${file}`,
  )
  return result
}

/** In memory where there is enough of it: SQLite waits for the disk at the end of each transaction. */
function scratchFolder(): string {
  const free = existsSync(MEMORY) ? statfsSync(MEMORY) : { bavail: 0, bsize: 0 }
  const folder = mkdtempSync(join(free.bavail * free.bsize > MEMORY_BYTES ? MEMORY : tmpdir(), 'workspace-tests-'))
  // A PostgreSQL that a suite starts runs as somebody else.
  chmodSync(folder, 0o755)
  return folder
}

const queue = suites(process.argv.slice(2))
const program = compile()
if (queue.some((file) => file.startsWith('test/clients/'))) installClients()
const server = process.env.TEST_POSTGRES_URL ? undefined : await startPostgres()
const url = process.env.TEST_POSTGRES_URL ?? server!.url
const template = await makeTemplate(url)
const scratch = scratchFolder()
const environment = {
  ...process.env,
  TMPDIR: scratch,
  TEST_POSTGRES_URL: url,
  TEST_POSTGRES_TEMPLATE: template.name,
  TEST_PROGRAM: program,
  TEST_CLIENTS: CLIENTS,
  LOG_LEVEL: 'silent',
  TAP_TIMEOUT: String(TIMEOUT_SECONDS),
}
process.on('SIGINT', () => {
  queue.length = 0
  for (const child of running) child.kill('SIGINT')
})
const results: Result[] = []
const work = async (): Promise<void> => {
  for (let file = queue.shift(); file; file = queue.shift()) results.push(await run(file, environment))
}
await Promise.all(Array.from({ length: AT_ONCE }, work))
for (const [what, cleanUp] of [
  ['drop the template database', () => template.drop()],
  ['stop PostgreSQL', () => server?.stop()],
  ['delete the scratch folder', () => rmSync(scratch, { recursive: true, force: true })],
] as const)
  try {
    await cleanUp()
  } catch (error) {
    // A failed clean-up must not hide the result.
    console.error(`could not ${what}: ${(error as Error).message}`)
  }

const sum = (word: 'passed' | 'failed'): number => results.reduce((total, result) => total + result[word], 0)
const [passed, failed] = [sum('passed'), sum('failed')]
if (failed) {
  const tap = ['node_modules/tap/dist/esm/run.mjs']
  const broken = results.filter((result) => result.failed).map(({ said }) => said)
  spawnSync(process.execPath, [...tap, ...broken], { stdio: 'inherit' })
}
console.log(`\n${passed} passed, ${failed} failed`)
// Said aloud: the embedded server's exit hook would turn an exit code that is only set into 0.
process.exit(failed > 0 || passed === 0 ? 1 : 0)

/**
 * Every suite on both engines: starts a PostgreSQL for the run unless TEST_POSTGRES_URL names one, runs tap on the
 * files given (all of them by default), and closes with a line that counts.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { startPostgres } from '../test/helpers/postgres.ts'

const files = process.argv.slice(2)
// Built once: a process that is started from the sources takes two seconds to read them, and the suites start hundreds.
const program = resolve('.tap/program')
execFileSync(process.execPath, ['--import=tsx', 'scripts/build.ts', program], { stdio: 'inherit' })
// A tap that builds its plugins while it runs still loads those it is told to leave out: ten seconds for every suite.
const tapRun = ['node_modules/tap/dist/esm/run.mjs']
if (!existsSync('.tap/plugins')) execFileSync(process.execPath, [...tapRun, 'build'], { stdio: 'inherit' })
const clients = resolve('.tap/clients')
if (files.length === 0 || files.some((file) => file.includes('test/clients'))) installClients()
const server = process.env.TEST_POSTGRES_URL ? undefined : await startPostgres()
const tap = spawn(process.execPath, [...tapRun, ...(files.length ? files : ['test/**/*.test.ts'])], {
  stdio: ['inherit', 'pipe', 'inherit'],
  env: {
    ...process.env,
    TEST_POSTGRES_URL: process.env.TEST_POSTGRES_URL ?? server!.url,
    TEST_PROGRAM: program,
    TEST_CLIENTS: clients,
    LOG_LEVEL: 'silent',
  },
})
let output = ''
tap.stdout.on('data', (chunk: Buffer) => {
  output += chunk
  process.stdout.write(chunk)
})
process.on('SIGINT', () => tap.kill('SIGINT'))
const code: number = await new Promise((resolve) => tap.on('close', (status) => resolve(status ?? 1)))
await server?.stop()

// The closing line of tap's reporter: `# { total: 12, pass: 11, fail: 1 }`.
const totals = stripVTControlCharacters(output).split('# { total:').at(-1)!
const count = (word: string): number => Number(new RegExp(`\\b${word}: (\\d+)`).exec(totals)?.[1] ?? 0)
const passed = count('pass')
const failed = Math.max(count('fail'), code === 0 ? 0 : 1)
console.log(`\n${passed} passed, ${failed} failed`)
// Said aloud: the embedded server's exit hook would turn an exit code that is only set into 0.
process.exit(failed > 0 || passed === 0 ? 1 : 0)

/**
 * Other people's clients, as their lock says, in a folder that no other part of the house looks into: 550 packages that
 * only two suites need. Without their scripts: one of them would fetch a program from elsewhere.
 */
function installClients(): void {
  const wanted = ['package.json', 'package-lock.json'].map(
    (name) => [join(clients, name), readFileSync(`test/clients/package/${name}`, 'utf8')] as const,
  )
  // npm writes this file last, so a folder without it was left half-way.
  const done = join(clients, 'node_modules/.package-lock.json')
  if (existsSync(done) && wanted.every(([path, text]) => existsSync(path) && readFileSync(path, 'utf8') === text))
    return
  mkdirSync(clients, { recursive: true })
  for (const [path, text] of wanted) writeFileSync(path, text)
  console.log('installing the clients that the tests try (once)')
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: clients, stdio: 'inherit' })
}

/** An interrupted test run ends everything that it started. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { sampled } from '../helpers/assertions/figures.ts'
import { defined } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import { killGroupAfter } from '../helpers/programs/process.ts'
import { until } from '../helpers/programs/site.ts'

t.setTimeout(240_000)

/** Whether a server accepts connections. */
async function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

const RUNNER = [process.execPath, '--import=tsx', 'scripts/test.ts']

/** The command of a run, the signal, and whether it goes to one process or, as a terminal does, to its group. */
const INTERRUPTIONS = [
  ['npm', ['npm', 'test', '--'], 'SIGTERM', 'process'],
  ['npm', ['npm', 'test', '--'], 'SIGINT', 'group'],
  ['npm', ['npm', 'test', '--'], 'SIGHUP', 'group'],
  ['the runner', RUNNER, 'SIGTERM', 'process'],
] as const

for (const [name, [program, ...args], signal, target] of sampled(INTERRUPTIONS, 2))
  t.test(`${signal} to the ${target} of ${name} ends tests, their servers and PostgreSQL`, async (t) => {
    // Without these, the run starts its own PostgreSQL.
    const { TEST_POSTGRES_URL, TEST_POSTGRES_TEMPLATE, ...inherited } = process.env
    const file = join(freshFolder(t), 'report.json')
    const run = spawn(program, [...args, 'test/scripts/endless.test.ts'], {
      stdio: 'ignore',
      env: { ...inherited, ENDLESS_REPORT: file },
      detached: true,
    })
    const exited = once(run, 'exit')
    killGroupAfter(t, run)
    await until(async () => {
      if (run.exitCode !== null) throw new Error(`The run exited with ${run.exitCode} before the interruption.`)
      return existsSync(file)
    })
    const { urls, folder } = JSON.parse(readFileSync(file, 'utf8')) as { urls: string[]; folder: string }
    for (const url of urls) t.ok(await isListening(url), `${url} accepts connections before the interruption`)
    process.kill(target === 'group' ? -defined(run.pid) : defined(run.pid), signal)
    const [code, killed] = await exited
    t.ok(code === 130 || killed === signal, `the run exits with ${code ?? killed}`)
    for (const url of urls) await until(async () => !(await isListening(url)))
    t.pass('no server accepts connections')
    await until(async () => !existsSync(folder))
    t.pass('the temporary files are deleted')
  })

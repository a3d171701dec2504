/** An interrupted test run ends everything that it started. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { freshFolder } from '../helpers/folders.ts'
import { until } from '../helpers/programs/site.ts'

t.setTimeout(120_000)

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

t.test('SIGINT ends the test files, their child processes and PostgreSQL', async (t) => {
  // Without these, the run starts its own PostgreSQL.
  const { TEST_POSTGRES_URL, TEST_POSTGRES_TEMPLATE, ...inherited } = process.env
  const file = join(freshFolder(t), 'report.json')
  const run = spawn(process.execPath, ['--import=tsx', 'scripts/test.ts', 'test/scripts/endless.test.ts'], {
    stdio: 'ignore',
    env: { ...inherited, ENDLESS_REPORT: file },
  })
  const exited = once(run, 'exit')
  t.teardown(() => run.kill())
  await until(async () => {
    if (run.exitCode !== null) throw new Error(`The run exited with ${run.exitCode} before the interruption.`)
    return existsSync(file)
  })
  const { urls, folder } = JSON.parse(readFileSync(file, 'utf8')) as { urls: string[]; folder: string }
  for (const url of urls) t.ok(await isListening(url), `${url} accepts connections before the interruption`)
  run.kill('SIGINT')
  t.same(await exited, [130, null], 'the run exits with 130')
  for (const url of urls) await until(async () => !(await isListening(url)))
  t.pass('no server accepts connections')
  t.notOk(existsSync(folder), 'the temporary files are deleted')
})

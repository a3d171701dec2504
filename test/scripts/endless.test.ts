/** Never ends. The test in interrupt.test.ts runs this file and interrupts the run. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { defined } from '../helpers/assertions/items.ts'
import { serverPlace, serverUrl } from '../helpers/programs/postgres.ts'
import { environmentWith, killGroupAfter, serveArguments, startProcess } from '../helpers/programs/process.ts'

/** Starts a server in a process group of its own, which the signal to the group of this file does not reach. */
async function startDetached(t: Test): Promise<string> {
  const child = spawn(process.execPath, serveArguments('--ephemeral'), {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: environmentWith({}),
  })
  killGroupAfter(t, child)
  const [line] = await once(createInterface(child.stdout), 'line')
  return JSON.parse(line).url
}

t.test('starts servers, reports them and waits', async (t) => {
  const file = defined(process.env.ENDLESS_REPORT, 'ENDLESS_REPORT')
  const server = await startProcess(t, { DATABASE_URL: await serverPlace(t, 'postgres') })
  const detached = [await startDetached(t), await startDetached(t)]
  const report = { urls: [server.url, ...detached, await serverUrl()], folder: process.env.TMPDIR }
  // A rename is atomic; the reader could see a partly written file.
  writeFileSync(`${file}.new`, JSON.stringify(report))
  renameSync(`${file}.new`, file)
  await new Promise(() => undefined)
})

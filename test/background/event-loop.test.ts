import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { beginWork, endWork, STALL_MS, type Stall, watchEventLoop } from '../../src/background/event-loop.ts'
import { environmentWith, programFile } from '../helpers/programs/process.ts'

/** Uses this much CPU time of the thread without returning to the event loop. */
function compute(milliseconds: number): void {
  const before = process.threadCpuUsage()
  for (;;) {
    const { user, system } = process.threadCpuUsage(before)
    if (user + system > milliseconds * 1000) return
  }
}

/** The stalls of this work. */
async function stallsOf(work: () => void): Promise<Stall[]> {
  const stalls: Stall[] = []
  const stop = watchEventLoop((stall) => stalls.push(stall))
  work()
  // Several samples later.
  await sleep(100)
  stop()
  return stalls
}

t.test('a stall has the names of the work that was in progress', async (t) => {
  const [stall, ...more] = await stallsOf(() => {
    beginWork('a loop')
    beginWork('an operation')
    endWork('an operation')
    compute(2 * STALL_MS)
  })
  endWork('a loop')
  t.ok((stall?.cpu_ms ?? 0) >= 2 * STALL_MS)
  t.same(stall?.active, ['a loop', 'an operation'])
  t.same(more, [])
})

t.test('waiting for other processes is no stall', async (t) => {
  t.same(await stallsOf(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * STALL_MS)), [])
})

const PROGRAM = `
const { startServer } = await import(process.env.MAIN)
const { url, stop } = await startServer({ ephemeral: true, log: true })
const before = process.threadCpuUsage()
for (;;) {
  const { user, system } = process.threadCpuUsage(before)
  if (user + system > 300_000) break
}
await new Promise((resolve) => setTimeout(resolve, 100))
console.log(await (await fetch(url + '/metrics')).text())
await stop()
`

t.test('a server logs and counts its stalls', async (t) => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    env: environmentWith({ MAIN: pathToFileURL(programFile('main.js')).href }),
  })
  t.match(stdout, /^workspace_event_loop_stall_seconds_count [1-9]/m)
  t.match(stderr, /"area":"event_loop","cpu_ms":\d{3},.*"the event loop was blocked; other requests waited"/)
})

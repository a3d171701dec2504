import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import {
  createProcessPool,
  type PooledProcess,
  type ProcessPool,
  type ProcessPoolOptions,
} from '../../src/background/process-pool.ts'
import { freshFolder } from '../helpers/folders.ts'
import type { PooledReply, PooledRequest } from '../helpers/programs/pooled-process.ts'

// Idle processes do not keep the event loop alive.
const keepAlive = setInterval(() => undefined, 1_000)
t.teardown(() => clearInterval(keepAlive))

type Pool = ProcessPool<PooledRequest, PooledReply>
type Child = PooledProcess<PooledRequest, PooledReply>

function openPool(t: Test, options: Partial<ProcessPoolOptions> = {}): Pool {
  const pool: Pool = createProcessPool({
    program: new URL('../helpers/programs/pooled-process', import.meta.url),
    ...options,
  })
  t.teardown(() => pool.stop())
  return pool
}

async function describe(child: Child): Promise<Extract<PooledReply, { pid: number }>> {
  await child.send({ describe: true })
  const reply = await child.receive()
  if (!('pid' in reply)) throw new Error(`unexpected reply ${reply.echo}`)
  return reply
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

t.test('reuses an idle process and starts another one when all are in use', async (t) => {
  const pool = openPool(t)
  const first = pool.take()
  const { pid } = await describe(first)
  const second = pool.take()
  t.not((await describe(second)).pid, pid)
  pool.release(first)
  t.equal(pool.take(), first)
})

t.test('passes arguments, environment, memory limit and priority to the program', async (t) => {
  const niceness = Math.min(19, getPriority() + 1)
  const pool = openPool(t, { args: ['a', 'b'], env: {}, memory_mb: 64, niceness, serialization: 'advanced' })
  const described = await describe(pool.take())
  t.match(described, { args: ['a', 'b'], niceness, execArgv: ['--max-old-space-size=64'] })
  t.notOk(described.variables.includes('PATH'))
})

t.test('the threads of the pool have a higher priority than the main thread on Linux', async (t) => {
  const base = getPriority()
  const [main, pool] = [Math.min(19, base + 2), Math.min(19, base + 1)]
  const child = openPool(t).take()
  await child.send({ preferThreadPool: { main, pool } })
  const reply = await child.receive()
  const pid = Number('echo' in reply && reply.echo)
  t.equal(getPriority(pid), main)
  if (process.platform !== 'linux') return
  const threads = readdirSync(`/proc/${pid}/task`).map(Number)
  const workers = threads.filter(
    (thread) => readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8') === 'libuv-worker\n',
  )
  t.strictSame([...new Set(workers.map((thread) => getPriority(thread)))], [pool])
})

t.test('receives replies in order, whether or not a receiver waits', async (t) => {
  const child = openPool(t).take()
  const waiting = child.receive()
  await child.send({ echo: '1 2 3' })
  t.strictSame(await waiting, { echo: '1' })
  t.strictSame([await child.receive(), await child.receive()], [{ echo: '2' }, { echo: '3' }])
})

t.test('a process that exits fails its sender and receiver and is replaced', async (t) => {
  const pool = openPool(t)
  const child = pool.take()
  await child.send({ exit: 1 })
  await t.rejects(child.receive(), { name: 'ProcessExited' })
  await t.rejects(child.send({ echo: 'late' }), { name: 'ProcessExited' })
  await t.rejects(child.receive(), { name: 'ProcessExited' })
  t.equal(child.dead, true)
  pool.release(child)
  t.not(pool.take(), child)
})

t.test('a process that runs out of memory exits alone', async (t) => {
  const pool = openPool(t, { memory_mb: 32, stderr: 'ignore' })
  const [child, other] = [pool.take(), pool.take()]
  await child.send({ fillMemory: true })
  await t.rejects(child.receive(), { name: 'ProcessExited' })
  await other.send({ echo: 'fine' })
  t.strictSame(await other.receive(), { echo: 'fine' })
})

t.test('a killed process is dead immediately, has exited when kill resolves and is never reused', async (t) => {
  const pool = openPool(t)
  const child = pool.take()
  const { pid } = await describe(child)
  const received = t.rejects(child.receive(), { name: 'ProcessExited' })
  const killed = child.kill()
  t.equal(child.dead, true)
  pool.release(child)
  t.not(pool.take(), child)
  await killed
  await received
  t.equal(isRunning(pid), false)
})

t.test('an idle process that dies is not handed out', async (t) => {
  const pool = openPool(t)
  const child = pool.take()
  const { pid } = await describe(child)
  pool.release(child)
  process.kill(pid, 'SIGKILL')
  await child.exited
  t.not(pool.take(), child)
})

t.test('kills a process that stays idle', async (t) => {
  const pool = openPool(t, { idle_ms: 50 })
  const child = pool.take()
  await describe(child)
  pool.release(child)
  await child.exited
  t.not(pool.take(), child)
})

t.test('stop kills processes in use and idle ones, and take throws afterwards', async (t) => {
  const pool = openPool(t)
  const [busy, idle] = [pool.take(), pool.take()]
  const pids = [(await describe(busy)).pid, (await describe(idle)).pid]
  pool.release(idle)
  await pool.stop()
  t.strictSame(pids.map(isRunning), [false, false])
  t.throws(() => pool.take(), { code: 'unavailable' })
})

t.test('a child ignores the signals that service managers send to the whole group', async (t) => {
  const child = openPool(t).take()
  const { pid } = await describe(child)
  process.kill(pid, 'SIGTERM')
  process.kill(pid, 'SIGINT')
  t.equal((await describe(child)).pid, pid)
})

t.test('a process whose thread is blocked ends with a killed server', async (t) => {
  const pipe = join(freshFolder(t), 'pipe')
  execFileSync('mkfifo', [pipe])
  const owner = spawn(process.execPath, ['--import=tsx', 'test/helpers/programs/pool-owner.ts', pipe], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [pid] = await once(owner.stdout, 'data')
  t.ok(isRunning(Number(pid)))
  owner.kill('SIGKILL')
  while (isRunning(Number(pid))) await pause(20)
  t.pass('the process has ended')
})

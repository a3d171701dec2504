/** Hashes use idle CPUs, and compete for a CPU on a machine that has none. */
import { execFileSync } from 'node:child_process'
import t, { type Test } from 'tap'
import { createPasswordProcesses } from '../../src/auth/password-processes.ts'

t.setTimeout(5 * 60_000)

/** The scheduling classes of the child processes after a hash was computed and verified. */
async function classesAfterHash(t: Test, patience_ms: number): Promise<string[]> {
  const processes = createPasswordProcesses({ patience_ms })
  t.teardown(processes.stop)
  const stored = await processes.hash('correct horse', { memoryCost: 1024, timeCost: 1, parallelism: 1 })
  t.equal(await processes.verify(stored, 'correct horse'), true)
  t.equal(await processes.verify(stored, 'wrong'), false)
  const lines = execFileSync('ps', ['-o', 'cls=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' }).split(
    '\n',
  )
  const classes = lines.filter((line) => line.includes('password-process')).map((line) => line.trim().split(' ', 1))
  return classes.flat()
}

t.test('a process that computes hashes runs only on an idle CPU', async (t) => {
  t.same(await classesAfterHash(t, 5 * 60_000), ['IDL'])
})

t.test('without an idle CPU, hashes are computed by a process that competes for one', async (t) => {
  t.same(await classesAfterHash(t, 1), ['TS'])
})

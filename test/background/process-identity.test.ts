import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import t from 'tap'
import { hasEnded, processIdentity } from '../../src/background/process-identity.ts'

const PROGRAM = `
  import { processIdentity } from './src/background/process-identity.ts'
  console.log(processIdentity())
  setInterval(() => undefined, 1_000)`

t.test('tells whether a process of this machine has ended', async (t) => {
  const child = spawn(process.execPath, ['--import=tsx', '--input-type=module', '-e', PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const [identity] = await once(createInterface(child.stdout!), 'line')
  const own = processIdentity()
  if (own === null) {
    t.equal(identity, 'null', 'without /proc nothing is known')
    t.equal(hasEnded(`host/${child.pid}/1`, own), false)
    return
  }
  t.equal(hasEnded(own), false)
  t.equal(hasEnded(identity), false)
  const [machine, pid, start] = identity.split('/')
  t.equal(hasEnded(`${machine}/${pid}/${start}0`), true, 'another process has the PID')
  t.equal(hasEnded(`${machine}/1/-1`, own), true, 'also if it runs as another user')

  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
  t.equal(hasEnded(identity), true)
  t.equal(hasEnded(identity.replace(machine, `${machine}0`)), false, 'a process in another container may still run')
  t.equal(hasEnded(identity, null), false)
  for (const other of ['', 'b6d1fe2b-0f0c-4d4e-8c2d-000000000000', `${machine}/${pid}`]) t.equal(hasEnded(other), false)
})

/** A start that fails closes everything that it has opened. */
import { once } from 'node:events'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import t from 'tap'
import { createParts } from '../../src/background/parts.ts'
import { readConfig } from '../../src/config.ts'
import { buildDeps } from '../../src/deps.ts'
import { makeIds } from '../../src/ids.ts'
import { startServer } from '../../src/main.ts'
import { ENGINES } from '../helpers/app.ts'
import { emptyPlace } from '../helpers/programs/postgres.ts'

const DESCRIPTORS = '/proc/self/fd'

/** The open database files, connections and child processes of this process. */
function openHandles(): string[] {
  const { libuv } = process.report.getReport() as unknown as { libuv: { type: string }[] }
  return [...libuv.map(({ type }) => type).filter((type) => type === 'process' || type === 'tcp'), ...databaseFiles()]
}

function databaseFiles(): string[] {
  if (!existsSync(DESCRIPTORS)) return []
  return readdirSync(DESCRIPTORS).flatMap((name) => {
    try {
      const path = readlinkSync(join(DESCRIPTORS, name))
      return /\.db(-wal|-shm)?$/.test(path) ? [path] : []
    } catch {
      // Closed meanwhile.
      return []
    }
  })
}

/** The handles that were opened since. Processes and connections end a moment after they are closed. */
async function openedSince(before: readonly string[]): Promise<string[]> {
  for (let tries = 0; ; tries++) {
    const closed = [...before]
    const opened = openHandles().filter((handle) => {
      const i = closed.indexOf(handle)
      if (i >= 0) closed.splice(i, 1)
      return i < 0
    })
    if (opened.length === 0 || tries === 100) return opened
    await pause(50)
  }
}

/** Throws at its n-th call. */
function failingAt<Result>(n: number, work: () => Result): () => Result {
  let calls = 0
  return () => {
    if (++calls === n) throw new Error('injected')
    return work()
  }
}

t.test('the parts are stopped in reverse order, also after a failure', async (t) => {
  const { keep, stop } = createParts()
  const stopped: number[] = []
  for (const number of [1, 2, 3])
    keep({
      stop: async () => {
        stopped.push(number)
        if (number === 2) throw new Error('the second part fails')
      },
    })
  await t.rejects(stop(), /second part/)
  t.strictSame(stopped, [3, 2, 1])
  await stop()
  t.equal(stopped.length, 3, 'each part is stopped once')
})

for (const engine of ENGINES)
  for (const source of ['clock', 'ids'] as const)
    t.test(`a start that fails leaves nothing open, wherever the ${source} fails (${engine})`, async (t) => {
      const DATABASE_URL = await emptyPlace(t, engine)
      const config = readConfig({ DATABASE_URL, SMTP_URL: 'smtp://127.0.0.1:1', SITE_URL: 'http://site.example' })
      const log = pino({ level: 'silent' })
      const open = (n: number) => {
        const clock = source === 'clock' ? failingAt(n, Date.now) : Date.now
        const ids = makeIds(Date.now)
        return buildDeps({ config, log, clock, ids: source === 'ids' ? { ...ids, uuid: failingAt(n, ids.uuid) } : ids })
      }
      const before = openHandles()
      let failures = 0
      for (;;) {
        const deps = await open(failures + 1).catch((error: Error) => error)
        if (!(deps instanceof Error)) {
          await deps.dispose()
          t.strictSame(await openedSince(before), [])
          break
        }
        t.equal(deps.message, 'injected')
        failures++
        t.strictSame(await openedSince(before), [])
      }
      t.ok(failures > 1, `${failures} places`)
    })

t.test('a server whose port is taken leaves nothing open', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  t.teardown(() => void taken.close())
  await once(taken, 'listening')
  const before = openHandles()
  const PORT = String((taken.address() as AddressInfo).port)
  const config = readConfig({ HOST: '127.0.0.1', PORT, LOG_LEVEL: 'fatal' })
  await t.rejects(startServer({ config, ephemeral: true }), { code: 'EADDRINUSE' })
  t.strictSame(await openedSince(before), [])
})

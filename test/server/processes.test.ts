/** The server as a child of npm, of a killed process and of a process that does not read its output. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import packageJson from '../../package.json' with { type: 'json' }
import { sampled } from '../helpers/assertions/figures.ts'
import { freshFolder } from '../helpers/folders.ts'
import { builtProgram, killGroupAfter, programFile, serveArguments } from '../helpers/programs/process.ts'

const { PATH, HOME } = process.env
const FLAGS = ['--json', '--port', '0']

/** A folder with our package as npm sees it: the scripts, the built program and the command. */
function installedPackage(t: Test): string {
  const folder = freshFolder(t)
  const { start } = packageJson.scripts
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'installed', scripts: { start } }))
  symlinkSync(builtProgram(), join(folder, 'dist'))
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  const commands = {
    'workspace-admin': `exec node "${programFile('workspace-admin.js')}" "$@"`,
    // Instead of a build, because the program is built.
    tsx: 'exit 0',
  }
  for (const [name, script] of Object.entries(commands)) {
    const command = join(folder, 'node_modules/.bin', name)
    writeFileSync(command, `#!/bin/sh\n${script}\n`)
    chmodSync(command, 0o755)
  }
  return folder
}

interface Started {
  child: ChildProcess
  url: string
  exited: Promise<[code: number | null, signal: NodeJS.Signals | null]>
  /** A connection to the server, which ends with it. */
  connection: Socket
}

interface StartOptions {
  cwd?: string
  environment?: Record<string, string>
}

/** Starts a program in its own process group and waits for the ready line. */
async function start(t: Test, program: string, args: string[], { cwd, environment }: StartOptions): Promise<Started> {
  const child = spawn(program, args, {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH, HOME, npm_config_update_notifier: 'false', DATABASE_URL: `sqlite:${freshFolder(t)}`, ...environment },
  })
  const exited = once(child, 'exit') as Started['exited']
  killGroupAfter(t, child)
  const lines = createInterface(child.stdout!)
  for await (const line of lines)
    if (line.startsWith('{')) {
      const { url } = JSON.parse(line)
      const connection = connect(Number(new URL(url).port), '127.0.0.1')
      await once(connection, 'connect')
      return { child, url, exited, connection: connection.resume() }
    }
  throw new Error(`${program} ended without a ready line.`)
}

const EXIT_CODES = { SIGTERM: 143, SIGINT: 130 }

const LAUNCHERS = {
  'npm start': ['npm', ['start', '--', ...FLAGS]],
  npx: ['npx', ['workspace-admin', 'serve', ...FLAGS]],
} as const

/** Who gets which signal. */
const ENDINGS = [
  ['npm start', 'SIGTERM', 'npm'],
  ['npm start', 'SIGTERM', 'process group'],
  ['npm start', 'SIGINT', 'npm'],
  ['npm start', 'SIGINT', 'process group'],
  ['npx', 'SIGTERM', 'npm'],
  ['npx', 'SIGTERM', 'process group'],
  // A shell holds back a SIGINT until its command ends. Terminals signal the whole group.
  ['npx', 'SIGINT', 'process group'],
] as const

t.test('npm start and npx end gracefully with the server', async (t) => {
  const cwd = installedPackage(t)
  for (const [name, signal, target] of sampled(ENDINGS, 3)) {
    const [program, args] = LAUNCHERS[name]
    const { child, exited, connection } = await start(t, program, [...args], { cwd })
    const [closed, log] = [once(connection, 'close'), text(child.stderr!)]
    process.kill(target === 'npm' ? child.pid! : -child.pid!, signal)
    const [code, killed] = await exited
    // npx runs the command in a shell, which may not wait for it. npm then reports the signal.
    const isRight = code === 0 || (name === 'npx' && (killed === signal || code === EXIT_CODES[signal]))
    t.ok(isRight, `${name}: ${signal} to ${target} exits with ${code ?? killed}`)
    await closed
    t.match(await log, /"stopping"/, 'the server stops gracefully')
  }
})

t.test('an ephemeral server ends when its parent is killed', async (t) => {
  const cwd = installedPackage(t)
  const direct = [process.execPath, serveArguments('--ephemeral')]
  const npx = ['npx', ['workspace-admin', 'serve', '--ephemeral', ...FLAGS]]
  for (const [name, [program, args]] of Object.entries({ direct, npx })) {
    const parent = `const child = require('child_process').spawn(${JSON.stringify(program)}, ${JSON.stringify(args)}, { stdio: ['ignore', 'inherit', 'inherit'] }); setInterval(() => undefined, 1000)`
    const { child, connection } = await start(t, process.execPath, ['-e', parent], { cwd })
    const closed = once(connection, 'close')
    child.kill('SIGKILL')
    await closed
    t.pass(`${name}: the server has ended`)
  }
})

t.test('an ephemeral server logs only warnings', async (t) => {
  const { child, url, exited } = await start(t, process.execPath, serveArguments('--ephemeral'), {})
  const stderr = text(child.stderr!)
  for (const path of ['/api/users/@me/', '/nothing', '/health/live']) await fetch(url + path)
  child.kill('SIGTERM')
  t.same(await exited, [0, null])
  t.equal(await stderr, '')
})

t.test('a server whose output is not read keeps serving, and reports the dropped lines', async (t) => {
  const environment = { LOG_LEVEL: 'info,sql=debug', RATE_LIMITS: 'false', DRAIN_SECONDS: '0' }
  const { child, url, exited } = await start(t, process.execPath, serveArguments(), { environment })
  const statuses = new Set<number>()
  const request = async (id = 'early'): Promise<void> => {
    const headers = { authorization: 'Bearer phx_unknown', 'x-request-id': id }
    const response = await fetch(`${url}/api/users/@me/`, { headers })
    await response.text()
    statuses.add(response.status)
  }
  // About 2 MB of log lines. The pipe takes 64 kB to 1 MB, and the server buffers 1 MiB.
  const REQUESTS = 3_000
  for (let sent = 0; sent < REQUESTS; sent += 50) await Promise.all(Array.from({ length: 50 }, () => request()))
  let lines = ''
  child.stderr!.on('data', (bytes) => {
    lines += bytes
  })
  const ended = once(child.stderr!, 'close')
  while (!lines.includes('"late"')) await request('late')
  child.kill('SIGTERM')
  t.same(await exited, [0, null])
  await ended
  const log = lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const dropped = log.flatMap((line) => line.dropped ?? [])
  t.ok(dropped.length > 0 && dropped[0] > 0, `reports ${dropped} dropped lines`)
  const requests = log.filter(({ msg }) => msg === 'request completed').length
  t.ok(requests < REQUESTS)
  t.same([...statuses], [401])
  t.ok(log.some(({ msg }) => msg === 'stopping'))
})

t.test('a closed pipe does not stop the server', async (t) => {
  const { child, url, exited } = await start(t, process.execPath, serveArguments(), {})
  child.stderr!.destroy()
  child.stdout!.destroy()
  for (let i = 0; i < 3; i++) t.equal((await fetch(`${url}/api/users/@me/`)).status, 401)
  child.kill('SIGTERM')
  t.same(await exited, [0, null])
})

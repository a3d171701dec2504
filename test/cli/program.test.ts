/** The built program: moved to another folder, without a compile cache, and on an old version of Node. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { parseServeArgs } from '../../src/cli/serve.ts'
import { freshFolder } from '../helpers/folders.ts'
import { builtProgram, type Ended, ended } from '../helpers/programs/process.ts'

const built = builtProgram()

/** Copies the build to another folder. */
function copyBuild(t: Test): (name: string) => string {
  const folder = freshFolder(t)
  cpSync(built, join(folder, 'elsewhere'), { recursive: true })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  return (name) => join(folder, 'elsewhere', name)
}

const run = (args: string[], environment: Record<string, string> = {}): Promise<Ended> =>
  ended(spawn(process.execPath, args, { env: { PATH: process.env.PATH!, ...environment } }))

t.test('runs from another folder', async (t) => {
  const file = copyBuild(t)
  const code = `import { startServer } from '${file('main.js')}'
const { url, stop } = await startServer({ ephemeral: true })
console.log((await fetch(url + '/health/ready')).status)
await stop()`
  t.match(await run(['--input-type=module', '-e', code]), { code: 0, stdout: '200\n' })
})

t.test('prints a short message for an uncaught error', async (t) => {
  const file = copyBuild(t)
  const code = `import { readConfig } from '${file('main.js')}'; readConfig({ PORT: 'none' })`
  const { stderr } = await run(['--input-type=module', '-e', code])
  // A failed match of a long text takes minutes.
  if (!t.ok(stderr.length < 5000, `${stderr.length} characters`)) return
  t.match(stderr, 'Error: PORT must be an integer between 0 and 65535.')
  t.match(stderr, `(${file('server.cjs')}:`)
  t.notMatch(stderr, built)
})

t.test('caches compiled code in the folder of the user', async (t) => {
  const home = freshFolder(t)
  const program = join(built, 'workspace-admin.js')
  const cache = join(home, '.cache', 'workspace-admin')
  const entries = (folder: string): number => readdirSync(folder, { recursive: true }).length
  t.match(await run([program, '--version'], { HOME: home, NODE_DISABLE_COMPILE_CACHE: '1' }), { code: 0 })
  t.same(readdirSync(home), [], 'NODE_DISABLE_COMPILE_CACHE disables the cache')
  t.match(await run([program, '--version'], { HOME: home }), { code: 0 })
  t.ok(entries(cache) > 1)
  const xdg = freshFolder(t)
  t.match(await run([program, '--version'], { HOME: home, XDG_CACHE_HOME: xdg }), { code: 0 })
  t.same(readdirSync(xdg), ['workspace-admin'])
  const chosen = freshFolder(t)
  t.match(await run([program, '--version'], { HOME: home, NODE_COMPILE_CACHE: chosen }), { code: 0 })
  t.ok(entries(chosen) > 1)
  for (const HOME of ['/dev/null', '/nowhere/at/all', ''])
    t.match(await run([program, '--version'], { HOME }), { code: 0, stderr: '' }, `HOME=${HOME}`)
})

t.test('a server that is killed has cached its code', async (t) => {
  const cache = freshFolder(t)
  const args = [join(built, 'workspace-admin.js'), 'serve', '--ephemeral', '--json', '--port', '0']
  const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH!, NODE_COMPILE_CACHE: cache } })
  const [line] = await once(child.stdout, 'data')
  // The server writes the cache right after the ready line, before it answers requests.
  t.equal((await fetch(`${JSON.parse(String(line)).url}/health/ready`)).status, 200)
  child.kill('SIGKILL')
  await ended(child)
  t.ok(readdirSync(cache, { recursive: true }).length > 1)
})

t.test('rejects an old version of Node in one line', async (t) => {
  const oldNode = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })"
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(oldNode)}`]
  for (const args of [
    [join(built, 'workspace-admin.js'), '--version'],
    ['-e', `import('${join(built, 'main.js')}')`],
  ])
    t.strictSame(await run([...flags, ...args]), {
      code: 1,
      stdout: '',
      stderr:
        'workspace-admin needs Node 22 or later; this is Node 20.20.2. Install a newer Node, or run it through npm in a clone, which brings its own.\n',
    })
})

t.test('parses the flags of serve', async (t) => {
  t.same(parseServeArgs([]), {})
  t.same(parseServeArgs(['--port=0', '--ephemeral', '--json', '--role', 'worker']), {
    port: '0',
    ephemeral: true,
    json: true,
    role: 'worker',
  })
  const rejected: [string[], RegExp][] = [
    [['--port', '65536'], /^--port must be a number from 0 to 65535\.$/],
    [['--port', '8e3'], /--port must be/],
    [['--port'], /--port.*argument missing\. Run/],
    [['--role', 'boss'], /^--role must be one of: api, worker, all\.$/],
    [['--dialect', 'latin'], /^--dialect must be one of: standard, posthog\.$/],
    [['--ephemeral', '--database', 'sqlite:x'], /cannot be used with --database/],
    [['--prot', '1'], /^Unknown option '--prot'\. Run `workspace-admin serve --help`/],
    [['now'], /^Unexpected argument 'now'\. Run/],
  ]
  for (const [args, message] of rejected) t.throws(() => parseServeArgs(args), { exit: 2, message }, args.join(' '))
})

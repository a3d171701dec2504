/**
 * The packages as users get them: packed, installed from a registry by a user with an empty home folder, without a
 * compiler and without any other network, and used on each supported version of Node.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { codeBlocks } from '../helpers/assertions/pages.ts'
import { freshFolder } from '../helpers/folders.ts'
import { openRegistry, type Packed, pack } from '../helpers/peers/registry.ts'
import { NODE_VERSIONS, nodeBinary } from '../helpers/programs/nodes.ts'
import { type Ended, ended } from '../helpers/programs/process.ts'

t.setTimeout(20 * 60_000)

const MEGABYTE = 1_000_000
/** Without the optional libraries. `docs/architecture/package.md` lists the largest parts. */
const MAX_INSTALL_BYTES = 100 * MEGABYTE
/** A user and group without an account. Only root can use it; others test as themselves. */
const THROWAWAY = process.getuid?.() === 0 ? { uid: 61_234, gid: 61_234 } : {}

const packed = freshFolder(t)
const server = pack('.', packed)
const client = pack('client', packed)
const registry = await openRegistry(t, [server, client])

function unpack(t: Test, { path }: Packed): string {
  const folder = freshFolder(t)
  execFileSync('tar', ['-xzf', path, '-C', folder])
  return join(folder, 'package')
}

for (const [name, one, needed] of [
  [
    'workspace-admin',
    server,
    ['dist/main.js', 'dist/main.cjs', 'dist/server.cjs.map', 'dist/licenses.txt', 'dist/jq.wasm', 'deploy/Dockerfile'],
  ],
  ['workspace-admin-client', client, ['dist/client/src/index.js.map', 'dist/client/src/index.cjs.map']],
] as const)
  t.test(`${name} has everything that a release needs`, async (t) => {
    const folder = unpack(t, one)
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    t.match(manifest, {
      name,
      private: undefined,
      license: 'MIT',
      author: String,
      description: String,
      keywords: Array,
      homepage: /^https:/,
      repository: { type: 'git', url: /^git\+https:/ },
      bugs: { url: /^https:/ },
      publishConfig: { access: 'public', provenance: true },
    })
    for (const file of [...needed, 'README.md', 'LICENSE']) t.ok(one.files.includes(file), file)
    t.notOk(one.files.find((file) => /^(src|test|bench|node_modules|scripts|\.)/.test(file)))
    const exported = JSON.stringify([manifest.exports, manifest.bin ?? {}]).matchAll(/"\.?\/?((?:dist|package)[^"]+)"/g)
    for (const [, file = ''] of exported) t.ok(one.files.includes(file), `exports ${file}`)

    const links = [...readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/\]\(([^)#\s]+)/g)].map(
      ([, to = '']) => to,
    )
    for (const link of new Set(links))
      t.ok(/^https?:/.test(link) || existsSync(join(folder, link)), `the README links to ${link}`)

    const machine = [resolve('.'), homedir()].filter((path) => path.length > 1)
    for (const file of one.files) {
      const text = readFileSync(join(folder, file), 'utf8')
      const path = machine.find((path) => text.includes(`${path}/`))
      if (path) t.fail(`${file} contains ${path}`)
    }
    // A static import would load an optional library at the start of a process. The processes of the mirror start only if it is
    // configured, and then its library is installed.
    const ofMirror = ['dist/mirror-process.js', 'dist/segment-process.js']
    for (const file of one.files.filter((file) => /^dist\/.*\.js$/.test(file) && !ofMirror.includes(file)))
      for (const library of Object.keys(manifest.peerDependencies ?? {}))
        if (new RegExp(`from ?"${library}"`).test(readFileSync(join(folder, file), 'utf8')))
          t.fail(`${file} loads ${library} at its start`)
    const scripts = one.files.filter(
      (file) => /^dist\/[^/]*\.c?js$/.test(file) && !/\/(main|reference-script|sandbox-library)\.c?js$/.test(file),
    )
    for (const file of scripts) {
      const map = JSON.parse(readFileSync(join(folder, `${file}.map`), 'utf8'))
      t.ok(
        map.sources.every((source: string) => !source.startsWith('/')),
        `${file} has a source map`,
      )
      t.equal(map.sourcesContent.length, map.sources.length)
    }
  })

interface Machine {
  /** An empty project folder. */
  folder: string
  run(command: string, ...args: string[]): Promise<Ended>
  start(...args: string[]): Promise<{ url: string; api_key: string; project_id: number; stop(): Promise<number> }>
}

/** A machine with one version of Node and npm. Its PATH has no compiler, and its proxy refuses everything. */
function machine(t: Test, major: number): Machine {
  const home = freshFolder(t)
  const [bin, folder] = [join(home, 'bin'), join(home, 'app')]
  for (const path of [bin, folder]) mkdirSync(path)
  const node = nodeBinary(major)
  // The throw-away user may not be able to read the checkout.
  if (THROWAWAY.uid === undefined) symlinkSync(node, join(bin, 'node'))
  else copyFileSync(node, join(bin, 'node'))
  const cli = dirname(execFileSync('sh', ['-c', 'readlink -f "$(command -v npm)"'], { encoding: 'utf8' }))
  for (const name of ['npm', 'npx'])
    writeFileSync(join(bin, name), `#!/bin/sh\nexec "${bin}/node" "${cli}/${name}-cli.js" "$@"\n`, { mode: 0o755 })
  for (const name of ['sh', 'mkfifo'])
    symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(bin, name))
  if (THROWAWAY.uid !== undefined) for (const path of [home, folder]) chownSync(path, THROWAWAY.uid, THROWAWAY.gid)
  const env = {
    PATH: bin,
    HOME: home,
    npm_config_registry: registry,
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    npm_config_globalconfig: join(home, 'none'),
    http_proxy: 'http://127.0.0.1:9',
    https_proxy: 'http://127.0.0.1:9',
    no_proxy: '127.0.0.1',
  }
  const begin = (command: string, args: string[]) => spawn(join(bin, command), args, { cwd: folder, env, ...THROWAWAY })
  return {
    folder,
    run: (command, ...args) => ended(begin(command, args)),
    start: async (...args) => {
      const child = begin('../app/node_modules/.bin/workspace-admin', ['serve', '--json', '--port', '0', ...args])
      const exited = once(child, 'exit')
      t.teardown(() => child.kill('SIGKILL'))
      let errors = ''
      child.stderr.on('data', (bytes) => {
        errors += bytes
      })
      const [line] = await Promise.race([
        once(createInterface(child.stdout), 'line'),
        exited.then(() => Promise.reject(new Error(errors))),
      ])
      return {
        ...JSON.parse(line),
        stop: async () => {
          child.kill('SIGTERM')
          const [code] = await exited
          return code
        },
      }
    },
  }
}

/** The space on disk, as `du` counts it. */
const diskUsage = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, { blocks }) => sum + blocks * 512, 0)

const PARQUET = { name: 'Events', interval: 'hour', destination: { type: 'File', config: { file_format: 'Parquet' } } }

for (const major of NODE_VERSIONS)
  t.test(`installs and runs on Node ${major} without compiler, scripts and warnings`, async (t) => {
    const { folder, run, start } = machine(t, major)
    t.match(await run('node', '-p', 'process.versions.node'), { stdout: new RegExp(`^${major}\\.`) })
    t.not((await run('sh', '-c', 'command -v gcc || command -v make || command -v python3')).code, 0)
    const installed = await run('npm', 'install', '--omit=dev', 'workspace-admin')
    t.match(installed, { code: 0 })
    t.notMatch(installed.stderr, /warn/i, installed.stderr)
    const bytes = diskUsage(join(folder, 'node_modules'))
    t.comment(`${server.size / MEGABYTE} MB packed, ${bytes / MEGABYTE} MB installed`)
    t.ok(bytes <= MAX_INSTALL_BYTES, `${bytes / MEGABYTE} MB`)
    t.match(await run('npx', 'workspace-admin', '--version'), { code: 0, stdout: `${server.version}\n`, stderr: '' })
    t.match(await run('npx', 'workspace-admin', 'profiles', '--jq', '[1, 2] | add'), { code: 0, stdout: '3\n' })

    const { url, api_key, project_id, stop } = await start()
    const send = (path: string, body?: object): Promise<Response> =>
      fetch(url + path, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json', accept: 'text/html,*/*' },
        ...(body && { body: JSON.stringify(body) }),
      })
    for (const path of ['/health/ready', '/api/organizations/@current/', '/docs', '/openapi.json', '/'])
      t.equal((await send(path)).status, 200, path)
    // Hashes the password with a native library, in a child process.
    t.equal((await send('/api/login', { email: 'owner@example.com', password: 'wrong password' })).status, 401)

    const rejected = await send(`/api/projects/${project_id}/batch_exports/`, PARQUET)
    t.equal(rejected.status, 400)
    const { code, detail } = (await rejected.json()) as { code: string; detail: string }
    t.equal(code, 'destination_library_missing')
    const flags = ['--base-url', url, '--key', api_key, '--project-id', String(project_id)]
    const line = await run(
      'npx',
      'workspace-admin',
      'project_batch_exports',
      'create',
      ...flags,
      '--data',
      JSON.stringify(PARQUET),
    )
    t.not(line.code, 0)
    t.match(line.stderr, /Parquet needs a library that is not installed/, line.stderr)
    t.equal(await stop(), 0)
    if (major !== 24) return

    const [, command = ''] = /`(npm install [^`]+)`/.exec(detail) ?? []
    t.match(await run('sh', '-c', command), { code: 0 }, command)
    const again = await start()
    const headers = { authorization: `Bearer ${(await keyOf(run)).trim()}`, 'content-type': 'application/json' }
    const exports = `${again.url}/api/projects/${project_id}/batch_exports/`
    const created = await fetch(exports, { method: 'POST', headers, body: JSON.stringify(PARQUET) })
    t.equal(created.status, 201, 'the command in the message installs the missing libraries')
    t.equal(await again.stop(), 0)
  })

/** A new key from the local database. */
async function keyOf(run: Machine['run']): Promise<string> {
  const flags = ['--user', 'owner@example.com', '--scopes', '*', '--json']
  return JSON.parse((await run('npx', 'workspace-admin', 'keys', 'create', ...flags)).stdout).value
}

const SERVER_CONSUMER = `
import { type Config, readConfig, type Running, type StartOptions, startServer, stopOnSignals } from 'workspace-admin'

async function main(): Promise<void> {
  const config: Config = readConfig({ PORT: '0', ROLE: 'all' })
  const options: StartOptions = { config, ephemeral: true, clock: () => 0 }
  const running: Running = await startServer(options)
  // @ts-expect-error null on later starts
  running.first.api_key
  const project: number | null = running.oldest.project_id
  stopOnSignals(running, { ...config, DRAIN_SECONDS: 0 })
  await running.stop(1)
  await using server = await startServer({ ephemeral: true, log: 'warn' })
  const key: string = server.first.api_key
  const lines: string[] = []
  await using logging = await startServer({ config, log: { write: (line) => lines.push(line) } })
  await (await startServer()).stop()
  // @ts-expect-error an unknown option
  await startServer({ ephemral: true })
  // @ts-expect-error settings without the defaults
  await startServer({ config: { PORT: 0 } })
  // @ts-expect-error an unknown level
  await startServer({ log: 'loud' })
  // @ts-expect-error an unknown role
  const wrong: Config = { ...config, ROLE: 'boss' }
  // @ts-expect-error a string
  const port: number = running.url
}
void main
`
const CLIENT_CONSUMER = `
import { addMember, answer, createClient, each, pages, type PosthogPaths, type Schemas, WorkspaceError } from 'workspace-admin-client'

const EVENTS = '/api/projects/{project_id}/events/'

async function main(): Promise<void> {
  const client = createClient({ baseUrl: 'http://127.0.0.1:8000', key: 'k' })
  const made: Schemas['Organization'] = await answer(client.POST('/api/organizations/', { body: { name: 'One' } }))
  for await (const one of each(client, '/api/organizations/')) one.id satisfies string
  for await (const { count, results } of pages(client, '/api/organizations/')) [count, results.length] satisfies number[]
  const path = { project_id: '@current' }
  for await (const event of each(client, EVENTS, { params: { path, query: { event: ['paid'] } } })) event.event satisfies string
  for await (const row of each(client, EVENTS, { params: { path, query: { select: ['event'] } } })) row satisfies unknown[]
  for await (const { columns } of pages(client, EVENTS, { params: { path } })) columns satisfies string[] | undefined
  const posthog = createClient<PosthogPaths>({ baseUrl: 'http://127.0.0.1:8000' })
  for await (const { id } of each(posthog, '/api/organizations/')) id satisfies string
  const { api_key } = await addMember(client, made.id, { target_email: 'ada@example.com' })
  api_key satisfies string | null
  // @ts-expect-error an unknown path
  await client.GET('/api/nothing/')
  // @ts-expect-error a missing name
  await client.POST('/api/organizations/', { body: {} })
  // @ts-expect-error not a list
  each(client, '/api/users/@me/')
  // @ts-expect-error an unknown parameter
  each(client, EVENTS, { params: { path, query: { evnt: ['paid'] } } })
  // @ts-expect-error a list without rows
  each(client, '/api/organizations/', { params: { query: { select: ['event'] } } })
}
void main
export const isKnown = (error: unknown): boolean => error instanceof WorkspaceError && error.code === 'not_found'
`

/** How programs of the two formats resolve packages. */
const CONSUMERS = [
  ['module', 'node16', 'node16'],
  ['module', 'nodenext', 'nodenext'],
  ['module', 'esnext', 'bundler'],
  ['commonjs', 'node16', 'node16'],
  ['commonjs', 'nodenext', 'nodenext'],
] as const

t.test('both packages compile in strict programs of both formats', async (t) => {
  const { folder, run } = machine(t, 24)
  t.match(await run('npm', 'install', 'workspace-admin', 'workspace-admin-client'), { code: 0 })
  writeFileSync(join(folder, 'server.ts'), SERVER_CONSUMER)
  writeFileSync(join(folder, 'client.ts'), CLIENT_CONSUMER)
  for (const [type, module, moduleResolution] of CONSUMERS)
    for (const [file, ...lib] of [
      ['server.ts', 'es2022'],
      ['client.ts', 'es2022', 'dom', 'dom.iterable'],
    ]) {
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }))
      const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false }
      const compilerOptions = { ...strict, module, moduleResolution, target: 'es2022', lib, types: [], noEmit: true }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))
      const child = spawn(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', folder])
      t.strictSame(await ended(child), { code: 0, stdout: '', stderr: '' }, `${file}: ${type}, ${moduleResolution}`)
    }
})

const USE = `
async function main() {
  const server = await startServer({ ephemeral: true })
  const client = createClient({ baseUrl: server.url, key: server.first.api_key })
  for await (const { count, results } of pages(client, '/api/organizations/')) console.log(count, results[0].name)
  await answer(client.GET('/api/organizations/x/')).catch((error) => console.log(error instanceof WorkspaceError, error.code))
  await server.stop()
}
main()
`
const NAMES = '{ answer, createClient, pages, WorkspaceError }'
const PROGRAMS = {
  'use.mjs': `import { startServer } from 'workspace-admin'\nimport ${NAMES} from 'workspace-admin-client'\n${USE}`,
  'use.cjs': `const { startServer } = require('workspace-admin')\nconst ${NAMES} = require('workspace-admin-client')\n${USE}`,
}

for (const major of NODE_VERSIONS)
  t.test(`both packages are imported and required on Node ${major}`, async (t) => {
    const { folder, run } = machine(t, major)
    t.match(await run('npm', 'install', 'workspace-admin', 'workspace-admin-client'), { code: 0 })
    for (const [file, code] of Object.entries(PROGRAMS)) {
      writeFileSync(join(folder, file), code)
      const expected = { code: 0, stdout: '1 My organization\ntrue not_found\n', stderr: '' }
      t.strictSame(await run('node', file), expected, `${file} logs nothing`)
    }
  })

/** The arguments of `npx` for each test runner of the page. A busy machine exceeds the default limit of five seconds per test. */
const RUNNERS: Record<string, string[]> = {
  tap: ['tap', 'run', '--disable-coverage'],
  vitest: ['vitest', 'run', '--testTimeout=120000', '--hookTimeout=120000'],
  jest: ['jest', '--testTimeout=120000'],
}

t.test('the examples for test runners pass, and compile in a strict program', async (t) => {
  const { folder, run } = machine(t, 24)
  const packages = ['workspace-admin', 'workspace-admin-client', '@types/node', ...Object.keys(RUNNERS)]
  const installed = await run('npm', 'install', ...packages)
  t.equal(installed.code, 0, installed.stderr)
  const pkg = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...pkg, type: 'module' }))
  const blocks = codeBlocks('docs/in-tests.md').filter(({ marks }) => marks.includes('run'))
  const files = blocks.map(({ marks, code, language }, i) => {
    const [, runner = ''] = marks
    // The example for Jest is CommonJS.
    const file = `${runner.replace(':', '-')}-${i}.test.${language === 'js' ? 'cjs' : 'ts'}`
    writeFileSync(join(folder, file), code)
    return { runner, file, language }
  })
  for (const { runner, file } of files) {
    const words = RUNNERS[runner]
    const { code, stdout, stderr } = words ? await run('npx', ...words, file) : await run('node', file)
    if (code !== 0) t.comment(stdout + stderr)
    t.equal(code, 0, `${file} passes`)
    if (runner === 'seed') t.equal(stdout, 'ada@example.com paid ada\n')
    else t.match(stdout + stderr, /\bpass/i, `${file} has a result`)
  }
  for (const name of ['node:test', ...Object.keys(RUNNERS), 'seed'])
    t.ok(
      files.some(({ runner }) => runner === name),
      `an example for ${name}`,
    )

  const [readme] = codeBlocks('README.md').filter(({ language, marks }) => language === 'js' && marks.includes('run'))
  writeFileSync(join(folder, 'readme.ts'), readme?.code ?? '')
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    target: 'es2022',
    noEmit: true,
    types: ['node'],
    skipLibCheck: true,
  }
  const typed = files.filter(({ language }) => language === 'ts').map(({ file }) => file)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [...typed, 'readme.ts'] }))
  const child = spawn(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', folder])
  t.strictSame(await ended(child), { code: 0, stdout: '', stderr: '' })
})

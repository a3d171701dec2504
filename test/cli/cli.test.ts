/** The command as a child process: its output, its exit codes and the files it leaves. */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import Sqlite from 'better-sqlite3'
import t, { type Test } from 'tap'
import packageJson from '../../package.json' with { type: 'json' }
import { shortNameOf } from '../../src/cli/aliases.ts'
import { areaCommand, areas } from '../../src/cli/area.ts'
import { banner } from '../../src/cli/banner.ts'
import { EXIT } from '../../src/cli/failure.ts'
import { operations } from '../../src/contract/table.ts'
import { textAt } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import { migratedDatabase } from '../helpers/programs/postgres.ts'
import { command, type Ended, environmentWith, programFile, runCommand } from '../helpers/programs/process.ts'

const root = freshFolder(t)

/** All of standard error and all secrets; the last test compares them. */
const errorOutput: string[] = []
const secrets: string[] = []

type Variables = Record<string, string>

function launch(args: string[], env: Variables = {}): ChildProcessWithoutNullStreams {
  const child = command(args, env, { cwd: root })
  child.stderr.on('data', (bytes) => errorOutput.push(String(bytes)))
  return child
}

async function run(args: string[], { env = {}, input = '' }: { env?: Variables; input?: string } = {}): Promise<Ended> {
  const result = await runCommand(args, env, { cwd: root, input })
  errorOutput.push(result.stderr)
  return result
}

interface Server {
  ready: { url: string; api_key: string; project_token: string; organization_id: string; project_id: number }
  env: Variables
  child: ChildProcessWithoutNullStreams
  /** Resolves with the first log line that contains the text. */
  logged(text: string): Promise<string>
  stop(): Promise<number | null>
}

async function serve(test: Test, args: string[], env: Variables = {}): Promise<Server> {
  const child = launch(['serve', '--port', '0', '--json', ...args], env)
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    return (await exited)[0] as number | null
  }
  test.teardown(stop)
  const log = createInterface(child.stderr)
  const logged = (text: string) =>
    new Promise<string>((resolve) => {
      log.on('line', (line) => line.includes(text) && resolve(line))
    })
  const lines = createInterface(child.stdout)
  const [line] = await Promise.race([once(lines, 'line'), exited.then(() => ['null'])])
  const ready = JSON.parse(line as string)
  if (!ready) throw new Error('The server did not start.')
  if (ready.api_key) secrets.push(ready.api_key)
  return { ready, env: { WORKSPACE_URL: ready.url, WORKSPACE_KEY: ready.api_key ?? '' }, child, logged, stop }
}

let folders = 0
const folder = (): string => join(root, `data-${++folders}`)

/** A database with one user, without a server. */
async function database(): Promise<{ path: string; flags: string[] }> {
  const path = folder()
  const flags = ['--database', `sqlite:${path}`]
  await run(['migrate', ...flags])
  await run(['users', 'create', '--email', 'ada@example.com', '--organization', 'Engines', ...flags])
  return { path, flags }
}

/** A server with one response for all requests. */
async function respondWith(test: Test, status: number, body: string, headers: Variables = {}): Promise<string> {
  const server = createServer((_, reply) => reply.writeHead(status, headers).end(body))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  test.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('serve', async (t) => {
  t.test('creates a working key at the first start only, and keeps the data', async (t) => {
    const path = folder()
    const first = await serve(t, ['--database', `sqlite:${path}`])
    t.same(Object.keys(first.ready), ['url', 'api_key', 'login_url', 'project_token', 'organization_id', 'project_id'])
    t.match(first.ready, {
      api_key: /^phx_/,
      login_url: /^http:\/\/127\.0\.0\.1:\d+\/login#link=[\w-]{43}$/,
      project_token: /^phc_/,
      organization_id: /^[0-9a-f-]{36}$/,
      project_id: 1,
    })
    t.equal((await run(['organizations', 'create', '--name', 'Second'], { env: first.env })).code, 0)
    t.equal(await first.stop(), 0)

    const second = await serve(t, ['--database', `sqlite:${path}`])
    t.same({ ...second.ready, url: '' }, { ...first.ready, url: '', api_key: null, login_url: null })
    const env = { WORKSPACE_URL: second.ready.url, WORKSPACE_KEY: first.ready.api_key }
    const listed = await run(['organizations', 'list', '--json'], { env })
    t.equal(JSON.parse(listed.stdout).count, 2)
  })

  t.test('prints what to try, in 80 columns and before the first log line, and the commands work', async (t) => {
    const path = folder()
    const bin = folder()
    mkdirSync(bin)
    symlinkSync(process.execPath, join(bin, 'node'))
    symlinkSync(programFile('workspace-admin.js'), join(bin, 'workspace-admin'))
    const environment = environmentWith({ PATH: `${bin}:${process.env.PATH}`, HOME: root })
    /** Starts a server and runs the commands that it prints. */
    const tryCommands = async () => {
      const flags = ['--port', '0', '--database', `sqlite:${path}`]
      const child = spawn('sh', ['-c', 'exec workspace-admin serve "$@" 2>&1', 'sh', ...flags], { env: environment })
      const exited = once(child, 'exit')
      const lines: string[] = []
      for await (const line of createInterface(child.stdout)) {
        if (line.startsWith('{')) break
        lines.push(line)
      }
      const commands = lines.filter((line) => /^ {2}(export|workspace-admin) /.test(line)).join('\n')
      const output = execFileSync('sh', ['-e', '-c', commands], { env: environment, encoding: 'utf8' })
      child.kill('SIGTERM')
      await exited
      return { lines, text: lines.join('\n'), output }
    }
    const first = await tryCommands()
    const [key, link] = [textAt(/phx_\w+/, first.text), textAt(/http\S+#link=\S+/, first.text)]
    secrets.push(key, link)
    t.match(first.lines[0], `workspace-admin ${packageJson.version} is ready.`)
    t.match(first.text, `${path}/workspace.db`)
    t.match(first.text, 'shown once')
    t.match(first.output, /^api_token: +phc_/m)
    const second = await tryCommands()
    t.notMatch(second.text, /phx_|#link=/)
    const [newKey, newLink] = [textAt(/phx_\w+/, second.output), textAt(/http\S+#link=\S+/, second.output)]
    secrets.push(newKey, newLink)
    t.not(newKey, key)
    for (const line of [...first.lines, ...second.lines].filter((line) => !line.includes(path))) {
      const isText = !/^ {2}\S/.test(line)
      t.ok(line.length <= (isText ? 60 : 80), line.replace(/phx_\w+|#link=\S+/, '…'))
    }
    t.notMatch(first.text, '\u001b')
  })

  t.test('colors change no character', async (t) => {
    const oldest = { organization_id: 'o', project_id: 1, project_token: 'phc_1', owner_email: 'ada@example.com' }
    const first = { api_key: 'phx_1', organization_id: 'o', project_id: 1, project_token: 'phc_1' }
    const running = { url: 'http://127.0.0.1:8000', location: 'data/workspace.db', login_url: null, first, oldest }
    const [plain, colored] = [false, true].map((colors) => banner(running, { variables: {}, colors }))
    t.not(colored, plain)
    t.equal(stripVTControlCharacters(String(colored)), plain)
  })

  t.test('deletes the files of an ephemeral server', async (t) => {
    const temporary = folder()
    mkdirSync(temporary)
    const server = await serve(t, ['--ephemeral'], { TMPDIR: temporary })
    t.equal(readdirSync(temporary).length, 1)
    t.equal(await server.stop(), 0)
    t.same(readdirSync(temporary), [])

    const interrupted = await serve(t, ['--ephemeral'], { TMPDIR: temporary, LOG_LEVEL: 'info' })
    const socket = connect(Number(new URL(interrupted.ready.url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(
      `POST /api/organizations/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${interrupted.ready.api_key}\r\n` +
        'Expect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n',
    )
    await once(socket, 'data')
    const stopping = interrupted.logged('stopping')
    interrupted.child.kill('SIGTERM')
    await stopping
    t.equal(await interrupted.stop(), 1, 'exits at the second signal')
    t.same(readdirSync(temporary), [], 'it deletes its files')
  })

  t.test('finishes a request in progress after SIGTERM and exits with 0', async (t) => {
    const { ready, child, logged } = await serve(t, ['--ephemeral'], { LOG_LEVEL: 'info' })
    const exited = once(child, 'exit')
    const body = JSON.stringify({ name: 'Started before the signal' })
    const socket = connect(Number(new URL(ready.url).port), '127.0.0.1')
    let response = ''
    const started = new Promise<void>((resolve) => {
      socket.on('data', (bytes) => {
        response += bytes
        if (response.includes('100 Continue')) resolve()
      })
    })
    socket.write(
      `POST /api/organizations/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ready.api_key}\r\nExpect: 100-continue\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    await started
    const stopping = logged('stopping')
    child.kill('SIGTERM')
    await stopping
    socket.write(body)
    await once(socket, 'close')
    t.match(response, /201 Created[\s\S]*Started before the signal/)
    // `stop` would send a second signal, which ends the process immediately.
    t.same(await exited, [0, null])
  })

  t.test('prints one sentence with a remedy when it cannot start', async (t) => {
    const { ready } = await serve(t, ['--ephemeral'])
    const { path } = await database()
    const newer = await database()
    const db = new Sqlite(join(newer.path, 'workspace.db'))
    db.exec("insert into migrations (version, applied_at) values (99, '')")
    db.close()
    const cases: [name: string, args: string[], env: Variables, code: number, message: RegExp][] = [
      ['a port in use', ['--ephemeral', '--port', new URL(ready.url).port], {}, 1, /in use.*--port/],
      [
        'a file instead of a folder',
        ['--database', `sqlite:${path}/workspace.db`],
        {},
        1,
        /is a file where a folder is expected/,
      ],
      [
        'a path below a file',
        ['--database', `sqlite:${path}/workspace.db/below`],
        {},
        1,
        /is a file where a folder is expected/,
      ],
      ['a newer database', newer.flags, {}, 1, /schema version 99.*newer program/],
      ['an unknown engine', ['--database', 'mysql://root:hunter2@db/x'], {}, 1, /mysql:\/\/db\/x.*Use sqlite:/],
      ['an unreachable PostgreSQL', ['--database', 'postgres://root:hunter2@127.0.0.1:1/x'], {}, 1, /unreachable/],
      ['an invalid setting', ['--ephemeral'], { LOG_LEVEL: 'loud' }, 1, /^LOG_LEVEL/],
      ['an invalid flag', ['--port', '70000'], {}, 2, /0 to 65535/],
      ['conflicting flags', ['--ephemeral', '--database', 'sqlite:x'], {}, 2, /cannot be used with --database/],
      ['an unknown flag', ['--prot', '1'], {}, 2, /Unknown option '--prot'/],
    ]
    secrets.push('hunter2')
    for (const [name, args, env, code, message] of cases) {
      const ended = await run(['serve', ...args], { env })
      t.equal(ended.code, code, name)
      t.match(ended.stderr, message, name)
      t.notMatch(ended.stderr, /^\s+at /m, `${name}: no stack trace`)
      t.equal(ended.stdout, '', name)
    }
    const json = await run(['serve', '--json', ...newer.flags])
    t.match(JSON.parse(json.stderr), { type: 'command_error', code: 'failed', detail: /newer program/, attr: null })
    const loud = await run(['serve', ...newer.flags], { env: { LOG_LEVEL: 'debug' } })
    t.match(loud.stderr, /^\s+at /m, 'prints the stack trace with LOG_LEVEL=debug')
  })
})

t.test('migrate prints both versions, and does nothing the second time', async (t) => {
  const flags = ['--database', `sqlite:${folder()}`]
  const first = await run(['migrate', '--json', ...flags])
  const { from, to } = JSON.parse(first.stdout)
  t.equal(from, 0)
  t.ok(to > 0)
  const second = await run(['migrate', ...flags])
  t.equal(second.code, 0)
  t.match(second.stdout, /already/)
})

t.test('users', async (t) => {
  const { flags } = await database()
  const create = (...args: string[]) => run(['users', 'create', '--json', ...args, ...flags])

  const own = JSON.parse((await create('--email', 'bob@example.com', '--first-name', 'Bob')).stdout)
  t.match(own, { email: 'bob@example.com', organization: "Bob's organization", level: 15 })
  const member = await create('--email', 'cy@example.com', '--organization-id', own.organization_id, '--level', '8')
  t.match(JSON.parse(member.stdout), { organization_id: own.organization_id, level: 8 })

  t.match(await create('--email', 'BOB@example.com'), { code: 6, stderr: /already has an account/ })
  t.match(await create('--email', 'bob'), { code: 2, stderr: /not an email address/ })
  t.match(await create('--email', 'd@example.com', '--level', '8'), { code: 2, stderr: /--organization-id/ })
  t.match(await create('--email', 'd@example.com', '--organization-id', 'nope'), { code: 5 })
  t.match(await create(), { code: 2, stderr: /--email/ })
  t.match(await run(['users', 'create', '--email', 'eve@example.com', ...flags]), { stdout: /keys create --user eve@/ })

  const listed = await run(['users', 'list', '--json', ...flags])
  t.same(
    JSON.parse(listed.stdout).map((user: { email: string }) => user.email),
    ['ada@example.com', 'bob@example.com', 'cy@example.com', 'eve@example.com'],
    'a failed command creates no user',
  )
  t.match((await run(['users', 'list', ...flags])).stdout, /^id +email/)
})

t.test('users supersede', async (t) => {
  const { flags } = await database()
  const json = async (...args: string[]) => JSON.parse((await run([...args, '--json', ...flags])).stdout)
  const squatted = await json('users', 'create', '--email', 'victim@example.com', '--organization', 'Trap')
  const { value } = await json('keys', 'create', '--user', 'victim@example.com', '--scopes', '*')
  t.ok(value)
  t.match(await json('users', 'supersede', 'VICTIM@example.com'), {
    email: 'victim@example.com',
    uuid: squatted.uuid,
    keys_revoked: 1,
    left: [],
    without_owner: [{ id: squatted.organization_id, name: 'Trap' }],
  })
  t.match(await json('users', 'list'), [{ email: 'ada@example.com', is_email_verified: null }])
  t.equal((await json('keys', 'list')).length, 0)
  t.match(await run(['users', 'supersede', 'victim@example.com', ...flags]), { code: 5, stderr: /No user/ })

  const recreated = await json(
    'users',
    'create',
    '--email',
    'victim@example.com',
    '--organization-id',
    squatted.organization_id,
  )
  t.not(recreated.id, squatted.id, 'another account can use the address')
  const shown = await run(['users', 'supersede', 'victim@example.com', ...flags])
  t.match(shown, { code: 0, stdout: /no longer a member of:\n {2}Trap/ })
  t.match(await run(['users', 'supersede', 'ada@example.com', ...flags]), {
    stdout: /no active owner:\n {2}Engines.*--organization-id/s,
  })
  t.match((await run(['users', 'supersede', '--help'])).stdout, /only owner.*mailed invite/s)
})

t.test('local commands do not create a database', async (t) => {
  const path = folder()
  for (const args of [['users', 'list'], ['keys', 'list'], ['backup', join(root, 'none.tar')], ['doctor']]) {
    const { code, stdout, stderr } = await run([...args, '--database', `sqlite:${path}`])
    t.equal(code, 1)
    t.match(stdout + stderr, /There is no database at .*migrate/)
  }
  t.notOk(existsSync(path))
})

t.test('keys are valid immediately on a running server and revoked immediately', async (t) => {
  const path = folder()
  const flags = ['--database', `sqlite:${path}`]
  const { env } = await serve(t, flags)
  const create = (...args: string[]) => run(['keys', 'create', '--user', 'OWNER@example.com', ...args, ...flags])

  const created = JSON.parse((await create('--scopes', 'organization:read', '--label', 'Robot', '--json')).stdout)
  secrets.push(created.value)
  const asKey = { env: { ...env, WORKSPACE_KEY: created.value } }
  t.match(await run(['organizations', 'list'], asKey), { code: 0, stdout: /My organization/ })
  t.match(await run(['organizations', 'create', '--name', 'No'], asKey), { code: 4, stderr: /organization:write/ })

  const listed = await run(['keys', 'list', '--user', 'owner@example.com', ...flags])
  t.match(listed.stdout, /Robot +owner@example.com/)
  t.notMatch(listed.stdout, created.value)
  t.equal((await run(['keys', 'revoke', created.id, ...flags])).code, 0)
  t.match(await run(['organizations', 'list'], asKey), { code: 3, stderr: /revoked/ })

  const shown = await create('--scopes', '*', '--expires', '2100-01-01')
  secrets.push(textAt(/^phx_\w+/, shown.stdout))
  t.match(shown.stdout, /not shown again/)
  t.match(await create('--scopes', 'organisation:read'), { code: 2, stderr: /Choose from \*, organization:read/ })
  t.match(await create('--scopes', '*', '--expires', 'soon'), { code: 2, stderr: /ISO 8601/ })
  t.match(await create('--scopes', '*', '--expires', '2020-01-01'), { code: 2, stderr: /past/ })
  t.match(await create('--scopes', '*', '--label', 'x'.repeat(41)), { code: 2, stderr: /40 characters/ })
  t.match(await run(['keys', 'create', '--user', 'no@example.com', '--scopes', '*', ...flags]), { code: 5 })
  t.match(await run(['keys', 'list', '--user', 'no@example.com', ...flags]), { code: 5 })
  t.match(await run(['keys', 'revoke', created.id, ...flags]), { code: 5, stderr: /keys list/ })
  t.match(await run(['keys', 'revoke', created.value, ...flags]), { code: 2, stderr: /Use its id/ })
})

t.test('organizations set-plugin-access is listed with the commands of the contract', async (t) => {
  const path = folder()
  const flags = ['--database', `sqlite:${path}`]
  const { env, ready } = await serve(t, flags)
  const set = (...args: string[]) => run(['organizations', 'set-plugin-access', ...args, ...flags])
  t.match(await set(ready.organization_id, '3'), { code: 0 })
  const { stdout } = await run(['organizations', 'retrieve', '@current', '--json'], { env })
  t.equal(JSON.parse(stdout).plugins_access_level, 3)
  t.match(await set(ready.organization_id, '4'), { code: 2, stderr: /0, 3, 6, 9/ })
  t.match(await set('nope', '3'), { code: 5 })
  const help = await run(['organizations', '--help'])
  t.match(help.stdout, /set-plugin-access/)
  t.match(help.stdout, /list organizations/)
})

t.test('restores a backup of a running server', async (t) => {
  const path = folder()
  const flags = ['--database', `sqlite:${path}`]
  const { env } = await serve(t, flags)
  await run(['organizations', 'create', '--name', 'Before'], { env })
  const file = join(root, 'backup.tar')
  writeFileSync(file, 'an older backup')
  chmodSync(file, 0o644)
  const completed = await run(['backup', file, '--json', ...flags])
  t.equal(completed.code, 0)
  t.equal(statSync(file).mode & 0o777, 0o600)
  const status = await run(['instance', 'status', '--json'], { env })
  t.equal(JSON.parse(status.stdout).last_backup_at, JSON.parse(completed.stdout).created_at, 'its time is recorded')
  await run(['organizations', 'create', '--name', 'After'], { env })

  const restored = folder()
  mkdirSync(restored, { mode: 0o700 })
  execFileSync('tar', ['xf', file, '-C', restored])
  t.same(readdirSync(restored).sort(), ['events.db', 'manifest.json', 'workspace.db'])
  const manifest = JSON.parse(readFileSync(join(restored, 'manifest.json'), 'utf8'))
  t.match(JSON.parse(completed.stdout), manifest)
  const described = (name: string) => {
    const bytes = readFileSync(join(restored, name))
    return { name, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  }
  t.same(manifest.files, [described('workspace.db'), described('events.db')])
  t.same(manifest.key_fingerprints, [], 'no secret is stored')
  t.same(
    readdirSync(root).filter((name) => name.includes('partial')),
    [],
    'no temporary files remain',
  )

  const restarted = await serve(t, ['--database', `sqlite:${restored}`])
  t.equal(restarted.ready.api_key, null)
  const listed = await run(['organizations', 'list', '--json'], { env: { ...env, WORKSPACE_URL: restarted.ready.url } })
  t.same(
    JSON.parse(listed.stdout).results.map((organization: { name: string }) => organization.name),
    ['My organization', 'Before'],
  )

  const none = await run(['backup', join(root, 'no', 'such', 'folder.tar'), ...flags])
  t.match(none, { code: 1, stderr: /does not exist/ })
  secrets.push('correct-horse')
  const postgres = await run(['backup', 'x.tar', '--database', 'postgres://me:correct-horse@db/work?sslmode=require'])
  t.match(postgres, { code: 1, stderr: 'pg_dump --format=custom --file=x.tar' })
  t.match(postgres.stderr, 'postgres://me@db/work?sslmode=require')
})

t.test('doctor', async (t) => {
  const examine = async (...args: string[]) => {
    const ended = await run(['doctor', '--json', ...args])
    const { ok, checks } = JSON.parse(ended.stdout) as {
      ok: boolean
      checks: { name: string; state: string; remedy: string }[]
    }
    t.equal(ended.code, ok ? 0 : 1)
    for (const { state, remedy } of checks) t.equal(state === 'ok', remedy === null, 'every problem has a remedy')
    return { ok, states: Object.fromEntries(checks.map(({ name, state }) => [name, state])) }
  }

  t.test('finds no problem in a healthy database, with and without a server', async (t) => {
    const { path, flags } = await database()
    const before = readFileSync(join(path, 'workspace.db'))
    t.match(await examine(...flags), { ok: true, states: { node: 'ok', settings: 'ok', database: 'ok', schema: 'ok' } })
    t.match(await examine(...flags), { states: { integrity: 'ok', folder: 'ok', disk: /ok|warning/ } })
    t.ok(before.equals(readFileSync(join(path, 'workspace.db'))), 'changes nothing')
    await serve(t, flags)
    t.match(await examine(...flags), { ok: true })
    t.match((await run(['doctor', ...flags])).stdout, /^ok +node/)
  })

  t.test('warns about wrong counts of events, which migrate --recount-events repairs', async (t) => {
    const { path, flags } = await database()
    const events = new Sqlite(join(path, 'events.db'))
    events.exec("insert into event_counts values (1, 0, '', 1)")
    t.match(await examine(...flags), { ok: true, states: { events: 'warning' } })
    t.equal((await run(['migrate', '--recount-events', ...flags])).code, 0)
    t.match(await examine(...flags), { ok: true, states: { events: 'ok' } })
    events.close()
  })

  t.test('warns about a missing SECRET_KEY on PostgreSQL', async (t) => {
    const { url, drop } = await migratedDatabase()
    t.teardown(drop)
    const keyed = async (env: Variables) => {
      const { code, stdout } = await run(['doctor', '--json', '--database', url], { env })
      t.equal(code, 0)
      return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'secret key')
    }
    t.match(await keyed({}), { state: 'warning', remedy: /openssl rand -hex 32/ })
    t.match(await keyed({ SECRET_KEY: 'a'.repeat(64) }), { state: 'ok', remedy: null })
  })

  t.test('finds a damaged database', async (t) => {
    const { path, flags } = await database()
    const file = openSync(join(path, 'workspace.db'), 'r+')
    writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, 4096 * 4)
    t.match(await examine(...flags), { ok: false, states: { integrity: 'problem' } })
    t.match(await run(['backup', join(root, 'damaged.tar'), ...flags]), { code: 1, stderr: /damaged/ })
    t.notOk(existsSync(join(root, 'damaged.tar')))
    writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, 0)
    t.match(await examine(...flags), { ok: false, states: { database: 'problem' } })
    t.match(await run(['users', 'list', ...flags]), { code: 1, stderr: /damaged.*doctor/ })
  })

  t.test('finds missing files, wrong schema versions, permissions and settings', async (t) => {
    t.match(await examine('--database', `sqlite:${folder()}`), { ok: false, states: { database: 'problem' } })
    t.match(await examine('--database', 'postgres://u:hunter2@127.0.0.1:1/x'), { states: { database: 'problem' } })

    const { path, flags } = await database()
    chmodSync(path, 0o755)
    t.match(await examine(...flags), { ok: true, states: { folder: 'warning' } })
    chmodSync(path, 0o777)
    t.match(await examine(...flags), { ok: false, states: { folder: 'problem', files: 'ok' } })
    chmodSync(join(path, 'events.db'), 0o640)
    t.match(await examine(...flags), { states: { files: 'warning' } })

    const db = new Sqlite(join(path, 'workspace.db'))
    db.exec("insert into migrations (version, applied_at) values (99, '')")
    t.match(await examine(...flags), { ok: false, states: { schema: 'problem' } })
    t.match(await run(['keys', 'list', ...flags]), { code: 1, stderr: /newer program/ })
    db.exec('delete from migrations')
    t.match(await examine(...flags), { ok: false, states: { schema: 'problem' } })
    t.match(await run(['keys', 'list', ...flags]), { code: 1, stderr: /migrate/ })
    db.close()

    const ended = await run(['doctor', '--json'], { env: { PORT: 'x' } })
    t.match(JSON.parse(ended.stdout).checks[1], { name: 'settings', state: 'problem', detail: /^PORT/ })
  })
})

t.test('commands of the contract', async (t) => {
  const { env, ready } = await serve(t, ['--ephemeral'], { DNS_SERVERS: '127.0.0.1:1', DNS_TIMEOUT_MS: '100' })
  const call = (args: string[], input?: string) => run(args, { env, input })
  const json = async (args: string[], input?: string) => {
    const { code, stdout, stderr } = await call([...args, '--json'], input)
    t.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }

  t.test('convert flags to typed body fields', async (t) => {
    const created = await json(['organizations', 'create', '--name', '5', '--is-member-join-email-enabled', 'false'])
    t.match(created, { name: '5', is_member_join_email_enabled: false, enforce_2fa: null })
    t.match(await json(['organizations', 'update', created.id, '--enforce-2fa', 'true']), { enforce_2fa: true })
    t.match(await json(['organizations', 'update', created.id, '--enforce-2fa', 'null']), { enforce_2fa: null })
    const project = await json(['projects', 'create', '--name', 'App', '--organization', created.id])
    t.match(project, { name: 'App', organization: created.id, event_retention_days: null })
    const key = await json(['api_keys', 'create', '--label', 'two', '--scopes', 'query:read,plugin:read'])
    secrets.push(key.value)
    t.same(key.scopes, ['query:read', 'plugin:read'])
    const limited = await json(['api_keys', 'create', '--label', 'one', '--scopes', '["*"]', '--scoped-teams', '1'])
    secrets.push(limited.value)
    t.same(limited.scoped_teams, [1])
    t.match(await call(['organizations', 'delete', created.id, '--yes']), { code: 0, stdout: 'Done.\n' })
  })

  t.test('accept --data as JSON, a file or standard input, and let flags override it', async (t) => {
    writeFileSync(join(root, 'body.json'), '{"name": "From a file", "event_retention_days": 7}')
    t.match(await json(['projects', 'create', '--data', '@body.json']), {
      name: 'From a file',
      event_retention_days: 7,
    })
    t.match(await json(['projects', 'create', '--data', '-'], '{"name": "Piped"}'), { name: 'Piped' })
    t.match(await json(['projects', 'create', '--data', '{"name": "Said"}', '--name', 'Flagged']), { name: 'Flagged' })
    t.match(await call(['projects', 'create', '--data', '{name: hunter2}']), { code: 2, stderr: /not valid JSON/ })
    t.match(await call(['projects', 'create', '--data', '@nowhere.json']), {
      code: 1,
      stderr: /nowhere.json does not exist/,
    })
    t.match(await call(['projects', 'create', '--data', '[]', '--name', 'x']), { code: 2, stderr: /one or the other/ })
  })

  t.test('print tables, fields and the flags of the next page', async (t) => {
    const listed = await call(['projects', 'list', '--limit', '1'])
    t.match(listed.stdout, /^id +name +token/)
    t.match(listed.stderr, /1 of \d.\nMore results: add --offset 1, or --all/)
    t.match((await call(['projects', 'retrieve', '@current'])).stdout, /^name: +\w+/m)
    t.match((await call(['api_keys', 'list'])).stdout, /First key/)
    t.match((await call(['users', 'me'])).stdout, /^email: +owner@example.com$/m)
    t.match((await call(['service', 'metrics'])).stdout, /^# HELP/)
    t.match((await call(['service', 'ready'])).stdout, 'status: ok')
    t.match((await call(['organizations', 'retrieve', '@current', '--json'])).stdout, /^\{"id".*\}\n$/)
  })

  t.test('manage invites, members and domains', async (t) => {
    const invited = await json(['invites', 'create', '--target-email', 'grace@example.com', '--level', '8'])
    secrets.push(invited.signup_token)
    t.match(
      (await call(['invites', 'create', '--target-email', 'ada@example.com'])).stdout,
      /\/signup\/[0-9a-f-]{36}\/\?token=/,
    )
    t.match((await call(['invites', 'list'])).stdout, /grace@example\.com/)
    const joined = await json([
      'signup',
      'accept',
      invited.id,
      '--token',
      invited.signup_token,
      '--first-name',
      'Grace',
    ])
    secrets.push(joined.api_key)
    t.match(await json(['members', 'update', joined.user.uuid, '--level', '1']), { level: 1 })
    t.match((await call(['members', 'list', '--search', 'GRACE'])).stderr, /1 of 1/)
    t.match(await call(['members', 'remove', joined.user.uuid, '--yes']), { code: 0 })
    const domain = await json(['domains', 'create', '--domain', 'hedgerow.invalid'])
    const { stdout } = await call(['domains', 'verify', domain.id])
    t.match(stdout, `_workspace-challenge.hedgerow.invalid.  TXT  "${domain.verification_challenge}"`)
  })

  t.test('escape control characters of stored text', async (t) => {
    const { stdout } = await call([
      'domains',
      'create',
      '--domain',
      'red.invalid',
      '--saml-entity-id',
      'red \u001b[31m',
    ])
    t.match(stdout, 'red \\u001b[31m')
    t.notMatch(stdout, '\u001b')
  })

  t.test('accept hyphens for underscores', async (t) => {
    t.equal((await call(['api-keys', 'current'])).code, 0)
    t.match(await json(['projects', 'reset-token', '1']), { api_token: /^phc_/ })
  })

  t.test('map each kind of failure to an exit code', async (t) => {
    const at = async (status: number, body = '', headers?: Variables) => [
      '--base-url',
      await respondWith(t, status, body, headers),
    ]
    const error = (code: string, attr: string | null = null) =>
      JSON.stringify({ type: 'x', code, detail: `It was ${code}.`, attr })
    // A key is not sent to another server than that of WORKSPACE_URL.
    const { WORKSPACE_KEY = '' } = env
    const no_key = { WORKSPACE_KEY: '' }
    const list = ['organizations', 'list']
    const cases: [code: number, args: string[], message: RegExp, env?: Variables][] = [
      [1, [...list, ...(await at(418))], /responded with 418/],
      [1, [...list, ...(await at(302, '', { location: 'https://elsewhere.example.com/' }))], /elsewhere/],
      [2, ['organisations', 'list'], /Did you mean organizations/],
      [2, ['organizations', 'lst'], /Did you mean list/],
      [2, ['exports', 'show'], /^`exports show` is not a command\. Did you mean retrieve/],
      [2, ['project-batch-exports', 'rm'], /^`exports rm` is not a command\. Did you mean delete/],
      [2, ['organizations', 'retrieve'], /missing required argument 'id'/],
      [2, ['domains', 'delete', '..'], /not a valid id/],
      [2, ['projects', 'retrieve', ''], /not a valid id/],
      [2, ['projects', 'create', '--event-retention-days', 'x'], /takes a number/],
      [2, ['organizations', 'create', '--is-member-join-email-enabled', 'yes'], /takes true or false/],
      [2, [...list, '--base-url', 'ftp://x'], /--base-url/],
      [2, [...list, '--base-url', 'http://me:hunter2@x'], /--base-url/],
      [2, [...list, '--key', 'two\nlines'], /--key/],
      [3, list, /WORKSPACE_KEY/, no_key],
      [3, [...list, '--key', 'wrong'], /unknown, revoked or expired/],
      [4, [...list, ...(await at(403, error('permission_denied')))], /^It was permission_denied\.$/m],
      [5, ['organizations', 'retrieve', ready.url.slice(7)], /No organization is named/],
      [5, ['organizations', 'retrieve', '0192b70b-03aa-7f10-8c2d-6e5f4a3b2c1d'], /Not found/],
      [6, ['organizations', 'create'], /"name".*\(field name\)/],
      [6, ['projects', 'create', '--name', ''], /blank.*\(field name\)/],
      [6, [...list, ...(await at(409, error('conflict', 'slug')))], /\(field slug\)/],
      [6, [...list, ...(await at(413))], /413/],
      [6, [...list, ...(await at(415))], /415/],
      [6, [...list, ...(await at(422))], /422/],
      [7, [...list, ...(await at(429, error('throttled')))], /throttled/],
      [8, [...list, ...(await at(500, error('error')))], /It was error/],
      [8, [...list, ...(await at(502, '<html>bad gateway</html>'))], /responded with 502/],
      [9, [...list, '--base-url', 'http://127.0.0.1:1'], /workspace-admin serve/],
    ]
    for (const [code, args, message, more] of cases) {
      const ended = await run(args, {
        env: args.includes('--base-url') ? { WORKSPACE_KEY, ...more } : { ...env, ...more },
      })
      t.equal(ended.code, code, `${args.join(' ')}: ${ended.stderr}`)
      t.match(ended.stderr, message)
      t.equal(ended.stdout, '')
    }
    const body = error('throttled')
    t.equal(
      (await run([...list, '--json', ...(await at(429, body))], { env: { WORKSPACE_KEY } })).stderr,
      `${body}\n`,
      '--json prints the error body unchanged',
    )
  })
})

t.test('help', async (t) => {
  t.test('lists all commands', async (t) => {
    const { code, stdout } = await run(['--help'])
    t.equal(code, 0)
    for (const word of ['serve', 'migrate', 'backup', 'doctor', 'users', 'keys', 'Exit codes', 'WORKSPACE_KEY'])
      t.match(stdout, word)
    for (const area of new Set(operations.map((operation) => operation.area)))
      t.match(stdout, new RegExp(`^  ${area} |\\(${area}\\)$`, 'm'))
    for (const line of stdout.slice(0, stdout.indexOf('Examples:')).split('\n')) t.ok(line.length <= 80, line)
    for (const heading of [
      'Events:',
      'Exports:',
      'Plugins:',
      'People:',
      'Workspace:',
      'Your account:',
      'The installation:',
    ])
      t.match(stdout, `\n${heading}\n`)
    const documented = readFileSync('docs/command.md', 'utf8')
    for (const code of [0, ...Object.values(EXIT)]) {
      t.match(stdout, new RegExp(`^ *${code}  \\w`, 'm'))
      t.match(documented, `\n| ${code} | `)
    }
    t.match((await run(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/)
    t.match(await run([]), { code: 2, stderr: /^Usage/ })
  })

  t.test('of an operation comes from the contract, with an example', async (t) => {
    const { code, stdout } = await run(['domains', 'verify', '--help'])
    t.equal(code, 0)
    t.match(stdout, 'TXT records')
    t.match(stdout, '--jit-provisioning-enabled <true|false>')
    t.match(stdout.replace(/\s+/g, ' '), 'google-oauth2, github, gitlab, saml')
    t.match(stdout, 'a key with the scope organization:write, and level 8')
    t.match(stdout, /\$ workspace-admin domains verify [0-9a-f-]{36}\n/)
    t.equal((await run(['help', 'domains', 'verify'])).stdout, stdout)
  })

  t.test('does not call the list of events deprecated', async (t) => {
    t.notMatch((await run(['events', 'list', '--help'])).stdout, /deprecated/i)
  })

  t.test('renames flags of parameters that collide with common flags', async (t) => {
    const { stdout } = await run(['events', 'values', '--help'])
    t.match(stdout.replace(/\s+/g, ' '), /--query-key <text> [^-]*Sent as "key"; --key is another flag\..*--key <key>/)
    t.match(await run(['events', 'values', '--key', 'plan']), { code: 2, stderr: /starts with phx_.*--query-key/ })
    t.match((await run(['capture', 'batch_get', '--help'])).stdout, '--query-data <text>')
  })

  t.test('has an example for every command', async (t) => {
    for (const args of ['serve', 'migrate', 'copy', 'backup', 'doctor', 'users create', 'keys create', 'keys revoke'])
      t.match(await run([...args.split(' '), '--help']), { code: 0, stdout: `$ workspace-admin ${args}` })
    for (const { name } of areas)
      for (const command of areaCommand(name, [], {}).commands) {
        let page = ''
        command.configureOutput({ writeOut: (text) => (page += text) }).outputHelp()
        t.match(page, `$ workspace-admin ${shortNameOf(name)} ${command.name()}`)
      }
  })
})

t.test('never writes a secret to standard error', async (t) => {
  const all = errorOutput.join('')
  t.ok(secrets.length > 5)
  for (const secret of secrets) t.notOk(all.includes(secret), `${secret.slice(0, 6)}…`)
})

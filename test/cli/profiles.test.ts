/** Profiles: the files that `login` writes, and the server that a key is sent to. */
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import t, { type Test } from 'tap'
import { askSecret, confirm, isInteractive } from '../../src/cli/prompt.ts'
import { defined } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import { type Ended, runCommand, startProcess } from '../helpers/programs/process.ts'

type Variables = Record<string, string>

const server = await startProcess(t, { DATABASE_URL: `sqlite:${join(freshFolder(t), 'data')}` })
const key = defined(server.api_key)

interface Home {
  folder: string
  file(name: string): string
  run(args: string[], input?: string, variables?: Variables): Promise<Ended>
}

function home(t: Test): Home {
  const folder = freshFolder(t)
  return {
    folder,
    file: (name) => join(folder, 'workspace-admin', 'profiles', `${name}.json`),
    run: (args, input = '', variables = {}) => runCommand(args, { XDG_CONFIG_HOME: folder, ...variables }, { input }),
  }
}

/** A server that records the credentials it receives. */
async function eavesdropper(t: Test): Promise<{ url: string; received: string[] }> {
  const received: string[] = []
  const listener = createServer((request, reply) => {
    received.push(request.headers.authorization ?? '')
    reply
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"count":0,"next":null,"previous":null,"results":[]}')
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  t.teardown(() => listener.close())
  return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`, received }
}

t.test('login checks the key and stores it for later commands', async (t) => {
  const { run, file, folder } = home(t)
  t.match(await run(['organizations', 'list']), { code: 3, stderr: /workspace-admin login/ })
  const login = await run(['login', '--base-url', `${server.url}/`], `${key}\n`)
  t.match(login, { code: 0, stdout: `Logged in to ${server.url} as owner@example.com.` })
  t.notMatch(login.stdout + login.stderr, key)
  t.equal(statSync(file('default')).mode & 0o777, 0o600)
  t.equal(statSync(join(folder, 'workspace-admin', 'profiles')).mode & 0o777, 0o700)
  t.same(JSON.parse(readFileSync(file('default'), 'utf8')), { url: server.url, key, email: 'owner@example.com' })
  t.same(readdirSync(join(folder, 'workspace-admin', 'profiles')), ['default.json'], 'no temporary file remains')
  t.match(await run(['organizations', 'list']), { code: 0, stdout: /My organization/ })
  t.match(await run(['api', 'GET', '/api/users/@me/']), { code: 0, stdout: /owner@example\.com/ })

  t.match(await run(['login', '--profile', 'other', '--base-url', server.url], 'phx_wrong\n'), {
    code: 3,
    stderr: /unknown, revoked or expired/,
  })
  t.match(await run(['login', '--base-url', server.url], ''), { code: 2, stderr: /No key was entered/ })
  t.match(await run(['login', '--base-url', 'http://127.0.0.1:1'], key), { code: 9 })
  t.match(await run(['login', '--profile', key], key), { code: 2, stderr: /cannot start with phx_/ })
  t.match(await run(['login', '--profile', '../x'], key), { code: 2, stderr: /letters, digits/ })
  t.same(readdirSync(join(folder, 'workspace-admin', 'profiles')), ['default.json'], 'a failed login stores nothing')

  t.match(await run(['login', '--profile', 'work', '--base-url', server.url], key), { code: 0 })
  const profiles = await run(['profiles'])
  t.match(profiles.stdout, /^profile +url +email +organization +project\ndefault .*\nwork .*\n$/)
  t.notMatch(profiles.stdout + (await run(['profiles', '--json'])).stdout, 'phx_')
  t.match(await run(['organizations', 'list', '--profile', 'nobody']), { code: 3, stderr: /login --profile nobody/ })
  t.match(await run(['organizations', 'list'], '', { WORKSPACE_PROFILE: 'nobody' }), { code: 3 })

  t.match(await run(['logout']), { code: 0, stdout: /stays valid until you revoke it/ })
  t.notOk(existsSync(file('default')))
  t.match(await run(['logout']), { code: 5, stderr: /no profile "default"/ })
  t.match(await run(['organizations', 'list']), { code: 3 })
  t.match(await run(['organizations', 'list'], '', { WORKSPACE_PROFILE: 'work' }), { code: 0 })
  t.match(await run(['logout', '--profile', 'work']), { code: 0 })
  t.match(await run(['profiles']), { code: 0, stdout: '', stderr: /login/ })
})

t.test('rejects a profile that others can read, or that is damaged', async (t) => {
  const { run, file, folder } = home(t)
  t.match(await run(['login', '--base-url', server.url], key), { code: 0 })
  chmodSync(file('default'), 0o640)
  t.match(await run(['organizations', 'list']), { code: 1, stderr: /Other users can read .*chmod 600/ })
  chmodSync(file('default'), 0o600)
  for (const text of ['{', '{"url": 5}', '[]', `{"url":"${server.url}","key":"${key}"`]) {
    writeFileSync(file('default'), text)
    const { code, stderr } = await run(['organizations', 'list'])
    t.equal(code, 1)
    t.match(stderr, /is damaged\. Delete it and run/)
    t.notMatch(stderr, key)
  }
  mkdirSync(join(folder, 'empty'))
  const homeless = { XDG_CONFIG_HOME: 'relative', HOME: '' }
  t.match(await run(['login', '--base-url', server.url], key, homeless), {
    code: 1,
    stderr: /Set HOME or XDG_CONFIG_HOME/,
  })
  t.match(await run(['login', '--base-url', server.url], key, { XDG_CONFIG_HOME: '', HOME: folder }), {
    stdout: join(folder, '.config', 'workspace-admin', 'profiles', 'default.json'),
  })
})

t.test('sends a key only to the server that it was given for', async (t) => {
  const { run } = home(t)
  const other = await eavesdropper(t)
  const list = ['organizations', 'list']
  t.match(await run(['login', '--base-url', server.url], key), { code: 0 })
  t.match(await run(['login', '--base-url', server.url, '--profile', 'work'], key), { code: 0 })

  for (const [args, variables] of [
    [[...list, '--base-url', other.url], {}],
    [[...list, '--base-url', other.url, '--profile', 'work'], {}],
    [list, { WORKSPACE_URL: other.url }],
    [list, { WORKSPACE_URL: other.url, WORKSPACE_PROFILE: 'work' }],
    [[...list, '--base-url', other.url], { WORKSPACE_URL: server.url, WORKSPACE_KEY: 'phx_env' }],
    [[...list, '--base-url', `${server.url}.example.com`], {}],
  ] as [string[], Variables][]) {
    const { code, stderr } = await run(args, '', variables)
    t.equal(code, 3, `${args.join(' ')} ${JSON.stringify(variables)}`)
    t.match(stderr, /is not sent to http.*--key/)
  }
  t.same(other.received, [], 'nothing was sent at all')

  t.match(await run([...list, '--base-url', other.url, '--key', 'phx_flag']), { code: 0 })
  t.match(await run([...list, '--base-url', other.url], '', { WORKSPACE_KEY: 'phx_env' }), { code: 0 })
  t.match(await run(list, '', { WORKSPACE_URL: other.url, WORKSPACE_KEY: 'phx_env' }), { code: 0 })
  t.same(other.received, ['Bearer phx_flag', 'Bearer phx_env', 'Bearer phx_env'])
  // The default URL, not that of the profile.
  t.match(await run(list, '', { WORKSPACE_KEY: 'phx_env' }), { stderr: /127\.0\.0\.1:8000|unknown/ })
  t.match(await run([...list, '--base-url', `${server.url}/`]), { code: 0 }, 'the same server')
  t.match(await run([...list, '--profile', 'work'], '', { WORKSPACE_URL: other.url, WORKSPACE_KEY: 'phx_env' }), {
    stdout: /My organization/,
  })
  t.match(await run(list, '', { WORKSPACE_URL: server.url, WORKSPACE_KEY: 'phx_wrong' }), {
    code: 3,
    stderr: /unknown/,
  })
  t.equal(other.received.length, 3)

  const liar = createServer((request, reply) => {
    const next = `${other.url}${request.url}?offset=1`
    const page = {
      count: 2,
      next: request.url?.includes('offset') ? null : next,
      previous: null,
      results: [{ id: request.url }],
    }
    reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page))
  })
  liar.listen(0, '127.0.0.1')
  await once(liar, 'listening')
  t.teardown(() => liar.close())
  const url = `http://127.0.0.1:${(liar.address() as AddressInfo).port}`
  const all = await run([...list, '--all', '--json', '--base-url', url, '--key', 'phx_flag'])
  t.same(JSON.parse(all.stdout).results.length, 2, 'the next page comes from the same server')
  t.equal(other.received.length, 3)
})

t.test('use --local stores the organization and project in the profile', async (t) => {
  const { run, file } = home(t)
  t.match(await run(['login', '--base-url', server.url], key), { code: 0 })
  const created = JSON.parse((await run(['organizations', 'create', '--name', 'Second', '--json'])).stdout)
  const project = created.teams[0]
  t.match(await run(['use', '--organization', 'Second', '--project', 'Default project', '--local']), {
    code: 0,
    stdout: /Stored/,
  })
  t.match(JSON.parse(readFileSync(file('default'), 'utf8')), { organization: created.id, project: String(project.id) })
  const where = async (args: string[] = [], variables: Variables = {}) =>
    JSON.parse((await run(['plugin_configs', 'create', '--plugin', '1', ...args, '--json'], '', variables)).stderr)
  t.match(await where(), { attr: 'plugin' })
  t.match(await run(['members', 'list', '--json']), { stdout: /"count":1/ })
  t.match(await run(['batch_exports', 'list']), { code: 0 })
  t.match(JSON.parse((await run(['projects', 'create', '--name', 'There', '--json'])).stdout), {
    organization: created.id,
  })
  t.match(await run(['users', 'me', '--json']), { stdout: /"name":"My organization"/ }, '@current did not move')
  t.match(await run(['use']), { stdout: /My organization/, stderr: /The profile overrides them/ })
  t.match(
    await run(['exports', 'list', '--organization', 'My organization']),
    { code: 0 },
    'a flag wins over the project of the profile',
  )
  t.match(await run(['login'], key), { code: 0 })
  t.match(
    JSON.parse(readFileSync(file('default'), 'utf8')),
    { organization: created.id },
    'a new key of the user keeps them',
  )
  t.match(await run(['use', '--local']), { code: 0, stdout: /Removed the organization and project/ })
  t.match(await run(['use'], '', {}), { stderr: '' })
  t.match(await run(['use', '--local', '--project', 'There'], '', { WORKSPACE_URL: server.url, WORKSPACE_KEY: key }), {
    code: 2,
    stderr: /needs a profile/,
  })
})

t.test('questions on a terminal', async (t) => {
  const terminal = () => {
    const modes: boolean[] = []
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (mode: boolean) => modes.push(mode) })
    const output = Object.assign(new PassThrough(), { isTTY: true })
    return { input, output, modes, shown: () => String(output.read() ?? '') }
  }

  t.test('a secret is not shown', async (t) => {
    const { input, output, modes, shown } = terminal()
    const answer = askSecret('Key: ', { input, output })
    input.write('phx_wrong\x15phx_ab')
    input.write('x\x7f\r')
    t.equal(await answer, 'phx_ab')
    t.equal(shown(), 'Key: \n')
    t.same(modes, [true, false], 'the terminal is restored')
  })

  t.test('Ctrl-C and the end of the input interrupt', async (t) => {
    for (const keys of ['abc\x03', '\x04']) {
      const { input, output, modes } = terminal()
      const answer = askSecret('Key: ', { input, output })
      input.write(keys)
      await t.rejects(answer, { exit: 130, message: 'Interrupted.' })
      t.same(modes, [true, false])
    }
    const { input, output } = terminal()
    const answer = askSecret('Key: ', { input, output })
    input.end()
    await t.rejects(answer, { exit: 130, message: 'Interrupted.' })
  })

  t.test('only yes confirms', async (t) => {
    for (const [text, expected] of [
      ['y\n', true],
      ['YES\n', true],
      ['\n', false],
      ['n\n', false],
      ['yep\n', false],
    ] as const) {
      const { input, output } = terminal()
      const answer = confirm('Delete it?', { input, output })
      input.write(text)
      t.equal(await answer, expected, JSON.stringify(text))
    }
    const { input, output } = terminal()
    const answer = confirm('Delete it?', { input, output })
    input.end()
    await t.rejects(answer, { exit: 130, message: 'Interrupted.' })
  })

  t.test('a pipe is not a terminal', async (t) => {
    const pipe = { input: new PassThrough(), output: new PassThrough() }
    t.equal(isInteractive(pipe), false)
    pipe.input.end('phx_piped\nrest')
    t.equal(await askSecret('Key: ', pipe), 'phx_piped')
  })
})

/** Everyday tasks with the command: its output at 80 columns, names instead of ids, confirmations and waiting. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { COLUMNS, parseColumn } from '../../src/cli/columns.ts'
import { rowSchema } from '../../src/cli/output.ts'
import { contract, operations, resolve } from '../../src/contract/table.ts'
import { defined } from '../helpers/assertions/items.ts'
import { notRun } from '../helpers/assertions/not-run.ts'
import { freshFolder } from '../helpers/folders.ts'
import type { Json } from '../helpers/json.ts'
import { command, type Ended, ended, programFile, runCommand, startProcess } from '../helpers/programs/process.ts'
import { until } from '../helpers/programs/site.ts'

const root = freshFolder(t)
const data = join(root, 'data')
const database = ['--database', `sqlite:${data}`]

type Variables = Record<string, string>

const local = (...args: string[]): Promise<Ended> => runCommand(args, {}, { cwd: root })

const server = await startProcess(t, { DATABASE_URL: `sqlite:${data}`, OUTBOUND_ALLOW: '127.0.0.1' })
const key = defined(server.api_key)
const env: Variables = {
  WORKSPACE_URL: server.url,
  WORKSPACE_KEY: key,
  COLUMNS: '80',
  WORKSPACE_ORGANIZATION: 'Hedgerow Analytics',
  WORKSPACE_PROJECT: 'Web shop',
}

const run = (args: string[], { input = '', variables = {} as Variables } = {}): Promise<Ended> =>
  runCommand(args, { ...env, ...variables }, { cwd: root, input })

const json = async (args: string[], variables: Variables = {}) => {
  const { code, stdout, stderr } = await run([...args, '--json'], { variables })
  t.equal(code, 0, `${args.join(' ')}: ${stderr}`)
  return JSON.parse(stdout)
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

t.test('seed and creation do not move @current', async (t) => {
  const none = { WORKSPACE_ORGANIZATION: '', WORKSPACE_PROJECT: '' }
  const current = async () => {
    const { organization, team } = await json(['users', 'me'], none)
    return { organization: organization.name, project: team.name }
  }
  const before = { organization: 'My organization', project: 'Default project' }
  t.same(await current(), before)
  t.equal((await local('seed', '--events', '300', ...database)).code, 0)
  t.same(await current(), before, 'after seed')
  const created = await json(['organizations', 'create', '--name', 'Aardvark'], none)
  await json(['projects', 'create', '--name', 'New', '--organization', created.id], none)
  await json(['projects', 'create', '--name', 'Newer'], none)
  t.same(await current(), before, 'after creating an organization and projects')

  const moved = await run(['use', '--organization', 'aardvark', '--project', 'New'], { variables: none })
  t.match(moved.stdout, /^Organization: Aardvark \(.*\)\nProject: {6}New \(\d+\)\n$/)
  t.same(await current(), { organization: 'Aardvark', project: 'New' })
  t.match(await run(['use'], { variables: none }), { code: 0, stdout: /Aardvark/ }, 'shows the current ones')
  t.match(await run(['use', '--project', 'Nowhere'], { variables: none }), {
    code: 5,
    stderr: /No project is named "Nowhere"/,
  })
  t.equal((await run(['use', '--organization', 'My organization'], { variables: none })).code, 0)
  t.same(await current(), before)
  t.equal((await run(['organizations', 'delete', 'Aardvark', '--yes'], { variables: none })).code, 0)
})

t.test('every list has columns, and every column is a field of the contract', async (t) => {
  const { schemas } = contract.components as { schemas: Record<string, object> }
  const lists = operations.filter(({ method, response }) => {
    const body = response.content?.['application/json']?.schema
    return method === 'GET' && body && (resolve(body).type === 'array' || 'results' in (resolve(body).properties ?? {}))
  })
  t.ok(lists.length > 20)
  for (const operation of lists) {
    const name = rowSchema(operation)?.name
    t.ok(name && Object.hasOwn(COLUMNS, name), `${operation.id} lists ${name}`)
  }
  const fieldOf = (schema: object, path: string): boolean => {
    const [head = '', ...rest] = path.split('.')
    const node = resolve(schema) as {
      properties?: Record<string, object>
      allOf?: object[]
      anyOf?: object[]
      oneOf?: object[]
    }
    const below = node.properties?.[head]
    if (below && (rest.length === 0 || fieldOf(below, rest.join('.')))) return true
    return [...(node.allOf ?? []), ...(node.anyOf ?? []), ...(node.oneOf ?? [])].some((part) => fieldOf(part, path))
  }
  for (const [name, columns] of Object.entries(COLUMNS))
    for (const column of columns)
      if (typeof column === 'string') t.ok(fieldOf(schemas[name]!, parseColumn(column).path), `${name} ${column}`)
})

const LISTS = [
  ['organizations', 'list'],
  ['projects', 'list'],
  ['invites', 'list'],
  ['domains', 'list'],
  ['batch_exports', 'list'],
  ['runs', 'list', 'Every day into files'],
  ['api_keys', 'list'],
  ['activity_log', 'list', '--limit', '20'],
  ['pipeline_destinations', 'repository'],
  ['events', 'names'],
  ['events', 'histogram'],
]

t.test('tables at 80 columns', async (t) => {
  const shown = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(args)
    t.equal(code, 0, stderr)
    for (const line of lines(stdout)) t.ok(line.length <= 80, line)
    return stdout
  }

  t.test('members show the address, the name, the level and the uuid that update takes', async (t) => {
    const text = await shown('members', 'list')
    t.match(text, /^email +name +level +uuid\n/)
    const [, uuid] = /^barbara@hedgerow\.example +Barbara +member +([0-9a-f-]{36})$/m.exec(text) ?? []
    t.match(await json(['members', 'update', uuid!, '--level', 'admin']), { level: 8 })
    t.match(await json(['members', 'update', 'BARBARA@hedgerow.example', '--level', '1']), { level: 1 })
    t.match(await run(['members', 'update', uuid!, '--level', 'boss']), {
      code: 2,
      stderr: /--level takes member, admin, owner/,
    })
  })

  t.test('logs show the time, the level and the whole message', async (t) => {
    const text = await shown('exports', 'logs', 'Every day into files')
    t.match(text, /^time +level +message\n/)
    t.match(text.replace(/\n +/g, ' '), /INFO +The backfill from 2\S+ to 2\S+ is complete\./)
    t.notMatch(text, '…')
  })

  t.test('exports show the destination, the interval, the state and the last run', async (t) => {
    const text = await shown('exports', 'list')
    t.match(text, /^name +destination +interval +state +last run\n/)
    t.match(text, /^Every day into files +File +day +active +Completed 20\d\d-\d\d-\d\d \d\d:\d\d$/m)
    t.match(text, /^Payments, every hour +File +hour +paused +-$/m)
  })

  t.test('events show the time, the event and the distinct id', async (t) => {
    const text = await shown('events', 'list', '--limit', '3')
    t.match(text, /^time +event +distinct id/)
    t.match(text, /^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d +\S.* +visitor-\d+/m)
    const [{ id }] = (await json(['events', 'list', '--limit', '1'])).results
    t.match((await run(['events', 'retrieve', id])).stdout, /^properties:\n {2}\$browser: +\w/m)
  })

  t.test('all other lists fit', async () => {
    for (const args of [...LISTS, ['exports', 'retrieve', 'Every day into files']]) await shown(...args)
  })

  t.test('a narrow terminal gets the most important columns, and a note names the others', async (t) => {
    const narrow = await run(['members', 'list'], { variables: { COLUMNS: '60' } })
    t.match(narrow.stdout, /^email +name +level\n/)
    t.match(narrow.stderr, /^Left out to fit 60 columns: user\.uuid, is_2fa_enabled, joined_at\. .*--fields/)
    t.match(await run(['members', 'list', '--fields', 'user.uuid'], { variables: { COLUMNS: '60' } }), {
      stdout: /^user\.uuid\n[0-9a-f-]{36}\n/,
    })
    const wide = await run(['members', 'list'], { variables: { COLUMNS: '200' } })
    t.notMatch(wide.stderr, 'Left out')
    for (const columns of ['60', '80'])
      for (const args of LISTS) {
        const { code, stdout, stderr } = await run(args, { variables: { COLUMNS: columns } })
        t.equal(code, 0, stderr)
        for (const line of lines(stdout)) t.ok(line.length <= Number(columns), `${args.join(' ')}: ${line}`)
        t.notMatch(stdout, /^\w+: /, `${args.join(' ')} is a table`)
      }
  })

  t.test('a terminal too narrow for two columns gets one block per row', async (t) => {
    const { stdout } = await run(['members', 'list'], { variables: { COLUMNS: '16' } })
    t.match(stdout, /^email: barbara@hedgerow\.example\nname: Barbara Liskov\nlevel: member\nuuid: [0-9a-f-]{36}\n\n/m)
  })

  t.test('invite links are lines of their own', async (t) => {
    const invites = JSON.stringify(['a', 'b', 'c'].map((name) => ({ target_email: `${name}@guests.example` })))
    const { stdout } = await run(['invites', 'bulk', '--data', '-'], { input: invites })
    const links = lines(stdout).filter((line) =>
      /^ {2}[abc]@guests\.example {2}http:\/\/\S+\/signup\/[0-9a-f-]{36}\/\?token=\w+$/.test(line),
    )
    t.equal(links.length, 3)
    const created = await run(['api_keys', 'create', '--label', 'Shown once', '--scopes', 'query:read'])
    t.match(created.stdout, /not shown again\.\n {2}phx_\w+\n$/)
  })
})

t.test('formats and fields', async (t) => {
  t.same(await json(['members', 'list', '--fields', 'user.email,level', '--search', 'ada@']), [
    { 'user.email': 'ada@hedgerow.example', level: 15 },
  ])
  t.match(await run(['organizations', 'list', '--json', 'name']), { stdout: /^\[\{"name":"My organization"\},/ })
  t.match(await run(['organizations', 'retrieve', '--json', 'Hedgerow Analytics']), {
    stdout: /^\{"id":.*"member_count"/,
  })
  t.match(await run(['organizations', 'retrieve', 'hedgerow analytics', '--json', 'id,name']), {
    stdout: /^\{"id":"[0-9a-f-]+","name":"Hedgerow Analytics"\}\n$/,
  })
  t.match(await run(['organizations', 'create', '--name', 'Unwanted', '--json', 'id,nam']), {
    code: 2,
    stderr: /nam\\" is not a field\. Choose from id, name/,
  })
  t.notMatch((await run(['organizations', 'list'])).stdout, 'Unwanted', 'an unknown field is found before the request')
  t.match(await run(['organizations', 'list', '--output', 'yaml']), { code: 2 })
  t.match(await run(['organizations', 'list', '--json', '--output', 'csv']), { code: 2, stderr: /cannot be combined/ })

  const all = await json(['events', 'list', '--all'])
  t.equal(all.results.length, 300)
  t.equal(all.next, null)
  const paged = await run(['events', 'list', '--all', '--limit', '7', '--output', 'ndjson', '--fields', 'id'])
  t.equal(lines(paged.stdout).length, 300)
  t.same(
    lines(paged.stdout).map((line) => JSON.parse(line).id),
    all.results.map(({ id }: { id: string }) => id),
  )
  t.match(await run(['members', 'list', '--all', '--limit', '2']), { stdout: /tony@/, stderr: '6 in total.\n' })
  t.match(
    await run([
      'exports',
      'logs',
      'Every day into files',
      '--all',
      '--limit',
      '5',
      '--output',
      'csv',
      '--fields',
      'level,message',
    ]),
    {
      stdout: /^level,message\r\nINFO,/,
    },
  )
  t.match(await run(['api_keys', 'list', '--all']), { code: 2, stderr: /unknown option '--all'/ }, 'not a paged list')

  await json(['projects', 'create', '--name', '=1+1'])
  await json(['projects', 'create', '--name', '＝1+1'])
  const csv = await run(['projects', 'list', '--output', 'csv', '--fields', 'name,event_retention_days'])
  t.same(csv.stdout.split('\r\n').slice(0, 2), ['name,event_retention_days', 'Default project,'])
  t.match(csv.stdout, "\r\n'=1+1,\r\n'＝1+1,\r\n", 'spreadsheets do not run it')
  t.match(await run(['projects', 'list', '--output', 'csv', '--offset', '900']), {
    stdout: /^id,uuid,organization,[^\n]*\r\n$/,
  })
})

t.test('--json takes a list of fields', async (t) => {
  const project = ['projects', 'retrieve']
  t.match(await run([...project, '--json', 'name,id', 'Web shop']), { stdout: /^\{"name":"Web shop","id":\d+\}\n$/ })
  t.match(
    await run([...project, '--json', 'Web shop']),
    { code: 0, stdout: /^\{"id":.*"name":"Web shop"/ },
    'an argument',
  )
  t.match(await run([...project, '--json', 'name']), { code: 2, stderr: /missing required argument 'id'/ })
  t.match(await run([...project, 'Web shop', '--json=nam']), { code: 2, stderr: /nam\\" is not a field\. Choose from/ })
  t.match(await run([...project, 'Web shop', '--json', 'nam']), {
    code: 2,
    stderr: /nam\\" is not a field\. Choose from/,
  })
  t.match(await run(['events', 'list', '--json', 'event,nope']), {
    code: 2,
    stderr: /nope\\" is not a field\. Choose from [^.]*\bevent\b[^.]*\btimestamp\b/,
  })
  const named = ['events', 'list', '--select', 'event', '--select', 'count() as n', '--json', 'event']
  t.match(await run(named), { code: 0, stdout: /^\[\{"event":/ }, 'with --select')
  t.match(await run(['query', 'select event as e from events limit 1', '--json', 'e']), {
    stdout: /^\[\{"e":"[^"]+"\}\]\n$/,
  })
  t.match(await run(['query', 'select event as e from events limit 1', '--json', 'f']), {
    code: 2,
    stderr: /f\\" is not a field\. Choose from e\./,
  })
  t.match(await run(['query', '--json', 'select event as e from events limit 1']), { stdout: /"columns":\["e"\]/ })
  t.match(await local('keys', 'list', '--json', 'label,user_email', ...database), { stdout: /^\[\{"label":/ })
  for (const args of [
    ['keys', 'create', '--user', 'owner@example.com', '--scopes', '*', '--label', 'Never', '--json', 'valu'],
    ['users', 'list', '--json', 'valu'],
    ['doctor', '--json', 'valu'],
    ['backup', 'never.tar', '--json', 'valu'],
    ['seed', '--json', 'valu'],
    ['import', 'never.ndjson', '--json=valu'],
    ['migrate', '--json', 'valu'],
  ])
    t.match(
      await local(...args, ...database),
      { code: 2, stderr: /valu\\" is not a field\. Choose from/ },
      args.join(' '),
    )
  t.notMatch((await local('keys', 'list', ...database)).stdout, 'Never', 'nothing is changed')
  t.notOk(existsSync(join(root, 'never.tar')))
})

t.test('--jq and --raw', async (t) => {
  const shop = ['projects', 'retrieve', 'Web shop']
  t.match(await run([...shop, '--jq', '.name']), { code: 0, stdout: '"Web shop"\n', stderr: '' })
  t.match(await run([...shop, '--jq', '.name', '--raw']), { stdout: 'Web shop\n' })
  t.match(await run([...shop, '--json', 'api_token', '--raw']), { stdout: /^phc_\w+\n$/ })
  t.match(await run([...shop, '--raw', '--fields', 'name']), { stdout: 'Web shop\n' })
  t.match(await run([...shop, '--json', 'id,name', '--jq', 'keys']), { stdout: '["id","name"]\n' })
  t.match(await run([...shop, '--jq', '.id, null, [.name], "a\\nb"', '--raw']), {
    stdout: /^\d+\nnull\n\["Web shop"\]\na\nb\n$/,
  })
  const emails = lines((await run(['members', 'list', '--json', 'user.email', '--raw'])).stdout)
  t.equal(emails.length, 6)
  t.ok(emails.includes('ada@hedgerow.example'))
  const paged = ['members', 'list', '--all', '--limit', '2']
  t.match(await run([...paged, '--jq', '.results | length']), { stdout: '6\n' })
  t.same(lines((await run([...paged, '--json', 'user.email', '--raw'])).stdout), emails)
  t.match(await run(['members', 'list', '--jq', '.results[] | [.user.email, .level] | @csv', '--raw']), {
    stdout: /^"ada@hedgerow\.example",15$/m,
  })
  t.match(await run(['query', 'select count() as n from events', '--jq', '.results[0][0] > 0']), { stdout: 'true\n' })
  t.match(await run(['api', 'GET', '/api/users/@me/', '--jq', '.email', '--raw']), { stdout: 'owner@example.com\n' })
  t.match(await run(['api', 'GET', '/api/organizations/', '--all', '--jq', '.results | type']), { stdout: '"array"\n' })
  t.match(await local('users', 'list', '--jq', '.[0].email', '--raw', ...database), { stdout: 'owner@example.com\n' })
  const created = await local(
    'keys',
    'create',
    '--user',
    'owner@example.com',
    '--scopes',
    '*',
    '--json',
    'value',
    '--raw',
    ...database,
  )
  t.match(created.stdout, /^phx_\w+\n$/)

  const mistakes: [string[], RegExp][] = [
    [[...shop, '--jq', '.results['], /^\{.*"code":"usage","detail":"--jq: syntax error.* at line 1, column 9/],
    [[...shop, '--jq', 'nope(1)'], /nope\/1 is not defined at line 1, column 1/],
    [[...shop, '--jq', '.name.x'], /--jq: Cannot index string with .*x/],
    [[...shop, '--jq', ''], /--jq: /],
    [[...shop, '--jq', '-h'], /--jq: /],
    [[...shop, '--jq', 'include "/etc/passwd"; .'], /--jq: module not found/],
    [[...shop, '--raw'], /--raw prints the value of one field/],
    [[...shop, '--json', 'id,name', '--raw'], /--raw prints the value of one field/],
    [[...shop, '--jq', '.', '--output', 'csv'], /--jq cannot be combined with --output csv/],
    [['projects', 'delete', 'Web shop', '--yes', '--jq', '.'], /does not respond with JSON/],
    [['organizations', 'create', '--name', 'Unwanted', '--jq', '.['], /--jq: syntax error/],
  ]
  for (const [args, message] of mistakes) {
    const { code, stdout, stderr } = await run(args)
    t.match({ code, stdout, stderr }, { code: 2, stdout: '', stderr: message }, args.join(' '))
    t.notMatch(stderr, /\.[jt]s:\d/, 'no stack')
    t.match(JSON.parse(stderr), { type: 'command_error', code: 'usage', attr: null })
  }
  t.notMatch((await run(['organizations', 'list'])).stdout, 'Unwanted', 'a mistake is found before the request')
  t.match(
    await run([...shop, '--jq', '$ENV.WORKSPACE_KEY, (env | length > 20)']),
    { stdout: 'null\nfalse\n' },
    'no access to secrets',
  )
})

t.test('errors are JSON for programs', async (t) => {
  const unreachable = ['--base-url', 'http://127.0.0.1:1', '--key', 'phx_x']
  const cases: [string[], object][] = [
    [['organizations', 'list', '--json', ...unreachable], { code: 'not_reachable', detail: /No server responds/ }],
    [['organizations', 'list', '-o', 'ndjson', ...unreachable], { code: 'not_reachable' }],
    [['organizations', 'list', '--jq', '.', ...unreachable], { code: 'not_reachable' }],
    [['query', 'select 1', '--json', ...unreachable], { code: 'not_reachable' }],
    [['api', 'GET', '/x', ...unreachable], { code: 'not_reachable' }],
    [['organizations', 'list', '--json', '--nope'], { code: 'usage', detail: /unknown option '--nope'/ }],
    [['organizations', 'lst', '--json'], { code: 'usage' }],
    [['orgs', 'list', '--json'], { code: 'usage', detail: /Did you mean organizations/ }],
    [['projects', 'retrieve', '--json'], { code: 'usage', detail: /missing required argument/ }],
    [['users', 'list', '--json', '--database', 'sqlite:nowhere'], { code: 'failed' }],
    [['keys', 'revoke', 'nothing', '--json', ...database], { code: 'not_found', detail: /No key has this id/ }],
    [['profiles', '--json', '--profile', 'x'], { code: 'usage' }],
  ]
  for (const [args, error] of cases) {
    const { stdout, stderr } = await run(args)
    t.equal(stdout, '', args.join(' '))
    t.match(JSON.parse(stderr), { type: 'command_error', attr: null, ...error }, args.join(' '))
  }
  const refused = await run(['organizations', 'create', '--json'])
  t.match(
    [refused.code, JSON.parse(refused.stderr)],
    [6, { type: 'validation_error', attr: 'name' }],
    'the body of the response',
  )
  t.match((await run(['organizations', 'list', ...unreachable])).stderr, /^No server responds/, 'a sentence for people')
})

t.test('a repeated flag is a list or an error', async (t) => {
  const key = await json([
    'api_keys',
    'create',
    '--label',
    'Two',
    '--scopes',
    'query:read',
    '--scopes',
    'plugin:read,organization:read',
  ])
  t.same(key.scopes, ['query:read', 'plugin:read', 'organization:read'])
  const both = await json(['events', 'list', '--event', 'paid', '--event', '$identify', '--all'])
  t.same(new Set(both.results.map(({ event }: { event: string }) => event)), new Set(['paid', '$identify']))
  for (const args of [
    ['projects', 'create', '--name', 'One', '--name', 'Two'],
    ['organizations', 'list', '--limit', '1', '--limit=2'],
    ['organizations', 'list', '--output', 'csv', '-o', 'json'],
    ['keys', 'create', '--user', 'a@example.com', '--user', 'b@example.com', '--scopes', '*', ...database],
    ['serve', '--port', '0', '--port', '1'],
  ])
    t.match(await run(args), { code: 2, stderr: /given more than once/ }, args.join(' '))
})

t.test('names and addresses work in place of ids', async (t) => {
  const none = { WORKSPACE_ORGANIZATION: '', WORKSPACE_PROJECT: '' }
  t.match(await json(['projects', 'retrieve', 'web shop']), { name: 'Web shop' })
  t.match(await json(['organizations', 'retrieve', 'hedgerow-analytics']), { name: 'Hedgerow Analytics' })
  t.match(await json(['domains', 'retrieve', 'hedgerow.example']), { is_verified: true })
  t.match(await run(['invites', 'delete', 'margaret@hedgerow.example', '--yes']), { code: 0 })
  t.match(await run(['invites', 'delete', 'margaret@hedgerow.example', '--yes']), {
    code: 5,
    stderr: /^No invite is named "margaret@hedgerow\.example"\. There are: .*alan@hedgerow\.example \([0-9a-f-]{36}\)/,
  })
  const source = { 'plugin.json': '{"name":"Tester"}', 'index.js': 'export function onEvent() {}' }
  const plugin = await run(['pipeline_destinations', 'create', '--data', '-', '--json'], {
    input: JSON.stringify({ plugin_type: 'source', name: 'Tester', source }),
  })
  t.equal(plugin.code, 0, plugin.stderr)
  t.match(await json(['pipeline_destinations', 'retrieve', 'tester']), { id: JSON.parse(plugin.stdout).id })
  t.match(await run(['exports', 'retrieve', 'Every week'], {}), {
    code: 5,
    stderr: /No batch export is named "Every week"\. There are: /,
  })

  t.test('names work in flags that take an id', async (t) => {
    const { id } = JSON.parse(plugin.stdout)
    t.match(await json(['plugin_configs', 'create', '--plugin', 'Tester', '--order', '1']), { plugin: id })
    const daily = await json(['exports', 'retrieve', 'Every day into files'])
    const alert = [
      '--name',
      'By name',
      '--triggers',
      'failure',
      '--channel',
      'email',
      '--emails',
      'ada@hedgerow.example',
    ]
    const created = await json(['alerts', 'create', ...alert, '--batch-export-id', 'every day into files'])
    t.match(created, { batch_export_id: daily.id, team_id: null })
    const project = await json(['projects', 'retrieve', 'Mobile app'])
    t.match(await json(['alerts', 'update', 'By name', '--batch-export-id', 'null', '--team-id', 'Mobile app']), {
      batch_export_id: null,
      team_id: project.id,
    })
    const key = ['api_keys', 'create', '--label', 'Restricted', '--scopes', 'query:read']
    const teams = (await json([...key, '--scoped-teams', `Web shop,${project.id}`])).scoped_teams
    t.strictSame(teams, [daily.team_id, project.id])
    t.match((await json(['activity_log', 'list', '--user', 'owner@example.com', '--limit', '1'])).results, [
      { user: { email: 'owner@example.com' } },
    ])
    t.match(await run(['plugin_configs', 'create', '--plugin', 'Nothing', '--order', '1']), {
      code: 5,
      stderr: /^No plugin is named "Nothing"\. There are: .*Tester \(\d+\)/,
    })
    t.match(await run(['exports', 'retrieve', '2026']), { code: 5, stderr: /No batch export is named "2026"/ })
  })

  t.test('the organization and the project come from the flag, the environment, or @current', async (t) => {
    t.match(await json(['batch_exports', 'list']), { count: 2 })
    t.match(await json(['batch_exports', 'list', '--organization', 'My organization']), { count: 0 })
    t.match(await json(['batch_exports', 'list', '--organization-id', '@current']), { count: 0 }, 'the former flag')
    t.match(await json(['exports', 'list', '--project', 'Mobile app']), { count: 0 })
    t.match(await json(['exports', 'list'], none), { count: 0 })
    t.match(await run(['exports', 'list', '--organization', 'Hedgerow Analytics'], { variables: none }), {
      code: 2,
      stderr: /^The organization has several projects: Web shop \(\d+\), Mobile app \(\d+\).*Add --project\.\n$/,
    })
    t.match(await run(['exports', 'list', '--organization', 'My organization', '--project', 'Web shop']), {
      code: 5,
      stderr: /No project is named "Web shop"/,
    })
    t.match(await json(['projects', 'create', '--name', 'Where the environment says']), {
      organization: (await json(['organizations', 'retrieve', 'Hedgerow Analytics'])).id,
    })
    t.match(await run(['exports', 'list', '--project', ' ']), { code: 2, stderr: /--project is empty/ })
  })

  t.test('a name that several resources have is an error with their ids', async (t) => {
    const ids = [
      (await json(['projects', 'create', '--name', 'Twin'])).id,
      (await json(['projects', 'create', '--name', 'Twin'])).id,
    ]
    const { code, stderr } = await run(['projects', 'delete', 'Twin', '--yes'])
    t.equal(code, 2)
    t.equal(stderr, `Several projects are named "Twin": Twin (${ids[0]}), Twin (${ids[1]}). Use an id.\n`)
    await json(['projects', 'create', '--name', 'twin'])
    t.match(await json(['projects', 'retrieve', 'twin']), { name: 'twin' }, 'the exact name wins')
    await json(['projects', 'create', '--name', String(ids[0])])
    const listed = ['exports', 'list', '--organization', 'Hedgerow Analytics', '--project', String(ids[0])]
    t.match(await run(listed), { code: 0 }, 'the exact id wins')
    t.match(await local('import', '-', '--project', 'Twin', ...database), {
      code: 2,
      stderr: `Several projects are named "Twin": Twin (${ids[0]}), Twin (${ids[1]}). Use an id.\n`,
    })
  })

  t.test('commands on the database take names too', async (t) => {
    const { id } = await json(['organizations', 'retrieve', 'Hedgerow Analytics'])
    const set = await local('organizations', 'set-plugin-access', 'hedgerow analytics', '6', '--json', ...database)
    t.strictSame(JSON.parse(set.stdout), { id, plugins_access_level: 6 })
    const user = ['users', 'create', '--email', 'named@example.com', '--json', ...database]
    t.match(JSON.parse((await local(...user, '--organization-id', 'Hedgerow Analytics')).stdout), {
      organization_id: id,
    })
    t.match(await local('organizations', 'set-plugin-access', 'No such', '6', ...database), { code: 5 })
  })
})

t.test('deletion asks for confirmation', async (t) => {
  const { id } = await json(['projects', 'create', '--name', 'Doomed'])
  t.match(await run(['projects', 'delete', 'Doomed'], { input: 'y\n' }), {
    code: 2,
    stderr: /needs a confirmation, and standard input is not a terminal\. Add --yes\./,
  })
  t.match(await json(['projects', 'retrieve', String(id)]), { id })

  const answer = async (text: string): Promise<string> => {
    const line = `'${process.execPath}' '${programFile('workspace-admin.js')}' projects delete Doomed`
    const child = spawn('script', ['-qec', line, '/dev/null'], {
      env: { PATH: process.env.PATH, TERM: 'xterm', ...env },
    })
    let output = ''
    for await (const bytes of child.stdout) {
      output += bytes
      if (output.includes('[y/N]') && !child.stdin.writableEnded) child.stdin.end(text)
    }
    return output
  }
  if (!hasProgram('script')) return notRun(t, 'script is not installed')
  const kept = await answer('n\n')
  t.match(kept, `Delete a project: Doomed (${id})?`)
  t.match(kept, 'Nothing was changed.')
  t.match(await json(['projects', 'retrieve', String(id)]), { id })
  t.match(await answer('y\n'), 'Done.')
  t.match(await run(['projects', 'retrieve', String(id)]), { code: 5 })
})

t.test('text of the server cannot control the terminal', async (t) => {
  const hostile = JSON.stringify({
    count: 1,
    next: null,
    previous: null,
    results: [{ id: 'x', name: 'red \u009b31m \u202e' }],
  })
  const impostor = createServer((_, reply) => reply.writeHead(200, { 'content-type': 'application/json' }).end(hostile))
  impostor.listen(0, '127.0.0.1')
  await once(impostor, 'listening')
  t.teardown(() => impostor.close())
  const url = `http://127.0.0.1:${(impostor.address() as AddressInfo).port}`
  const shown = await run(['organizations', 'list', '--base-url', url, '--key', 'phx_x'])
  t.match(shown.stdout, 'red \\u009b31m \\u202e')
  const whole = await run(['api', 'GET', '/x', '--base-url', url, '--key', 'phx_x'])
  t.match(whole.stdout, 'red \\u009b31m \\u202e', 'JSON in a file')
  t.same(JSON.parse(whole.stdout), JSON.parse(hostile))
  const exact = await run([
    'organizations',
    'list',
    '-o',
    'csv',
    '--fields',
    'name',
    '--base-url',
    url,
    '--key',
    'phx_x',
  ])
  t.match(exact.stdout, 'red \u009b31m \u202e', 'CSV in a file')
  const unsafe = await run(['organizations', 'list', '--unsafe-output', '--base-url', url, '--key', 'phx_x'])
  t.match(unsafe.stdout, 'red \u009b31m \u202e', '--unsafe-output')
  const error = await run(['organizations', 'retrieve', 'no\u001b[31mne'])
  t.match(error, { code: 5, stderr: 'no\\u001b[31mne' }, 'errors')
  if (!hasProgram('script')) return notRun(t, 'script is not installed')
  for (const args of ['organizations list --json', 'organizations list --output ndjson', 'api GET /x']) {
    const line = `'${process.execPath}' '${programFile('workspace-admin.js')}' ${args} --base-url ${url} --key phx_x`
    const { stdout: output } = await ended(
      spawn('script', ['-qec', line, '/dev/null'], { env: { PATH: process.env.PATH, TERM: 'xterm' } }),
    )
    t.match(output, 'red \\u009b31m \\u202e', args)
    t.notMatch(output, /[\u009b\u202e]/)
  }
})

t.test('--data takes a file, and test takes the body of create', async (t) => {
  const body = { name: 'From a file', interval: 'day', destination: { type: 'File', config: { prefix: 'x' } } }
  writeFileSync(join(root, 'export.json'), JSON.stringify(body))
  t.match(await json(['exports', 'test', '--data', 'export.json']), { passed: true })
  t.match(await json(['batch_exports', 'test', '--data', JSON.stringify(body.destination)]), { passed: true })
  t.match(await json(['exports', 'create', '--data', 'export.json']), { name: 'From a file' })
  const { id } = await json(['projects', 'retrieve', 'Web shop'])
  t.match(await json(['batch_exports', 'create', '--data', '@export.json', '--name', 'Other']), {
    name: 'Other',
    team_id: id,
  })
  t.match(await run(['exports', 'create', '--data', 'missing.json']), {
    code: 1,
    stderr: /missing\.json does not exist/,
  })
  t.match(await run(['exports', 'create', '--data', '{hunter2']), {
    code: 2,
    stderr: /^The value of --data is not valid JSON/,
  })
  t.match(await run(['exports', 'delete', 'Other', '-y']), { code: 0 })
})

t.test('api calls any path', async (t) => {
  t.match(JSON.parse((await run(['api', 'GET', '/api/users/@me/'])).stdout), { email: 'owner@example.com' })
  const path = '/api/projects/@current/events/'
  const found = await run(['api', 'get', path, '--query', 'limit=1', '--query', 'event=paid'])
  t.match(JSON.parse(found.stdout), { results: [] })
  const created = await run(['api', 'POST', '/api/organizations/', '--data', '-'], { input: '{"name": "By api"}' })
  t.match(JSON.parse(created.stdout), { name: 'By api' })
  const pages = await run(['api', 'GET', '/api/organizations/', '--query', 'limit=1', '--all'])
  t.ok(JSON.parse(pages.stdout).results.length >= 3)
  t.match(await run(['api', 'DELETE', `/api/organizations/${JSON.parse(created.stdout).id}/`]), { code: 0, stdout: '' })
  t.match(await run(['api', 'POST', '/api/organizations/', '--data', '{}']), {
    code: 6,
    stderr: /^\{"type":"validation_error"/,
  })
  for (const path of ['api/users', '@evil.example/', '//evil.example/', 'http://evil.example/', '/\\evil.example'])
    t.match(await run(['api', 'GET', path]), { code: 2, stderr: /starts with one slash/ }, path)
  t.match(await run(['api', 'FETCH', '/']), { code: 2, stderr: /not a method/ })
  t.match(await run(['api', 'GET', '/', '--query', 'x']), { code: 2, stderr: /name=value/ })
})

t.test('query prints a table, a chart, CSV or JSON', async (t) => {
  const query = 'select event, count() as n from events group by event order by n desc limit 3'
  const table = await run(['query', query, '--explain'])
  t.match(table, {
    code: 0,
    stdout: /^event +n *\n\S/,
    stderr: /^More rows match.*\nAnswered from counts, \d+ rows read\./,
  })
  const chart = await run(['query', query, '--chart'])
  t.match(chart.stdout, /^\S.* █+[▏▎▍▌▋▊▉]? \d+\n/)
  for (const line of chart.stdout.split('\n')) t.ok(line.length <= 80, line)
  t.match(await run(['query', query, '--csv']), { code: 0, stdout: /^event,n\r\n[^,]+,\d+\r\n/ })
  const { results, columns } = await json(['query', query])
  t.strictSame([columns, results.length], [['event', 'n'], 3])
  const named = ['query', '-', '--value', 'name=paid', '--value', 'limits=[1,2]', '--after', '-1y', '--csv']
  const input = 'select count() > 0 from events where event = {name} and 1 in {limits}'
  t.match(await run(named, { input }), { code: 0, stdout: /true/ })
  t.match(await run(['query', 'select evnt from events']), {
    code: 6,
    stderr: /Did you mean "event"\? \(line 1, column 8\)/,
  })
  t.match(await run(['query', 'select event from events', '--chart']), {
    code: 2,
    stderr: /needs a column with numbers/,
  })
  t.match(await run(['query', query, '--chart', '--csv']), { code: 2 })
  t.match(await run(['query', query, '--value', 'x']), { code: 2, stderr: /name=value/ })
})

t.test('waits for runs and follows logs', async (t) => {
  const range = ['--start-at', '2020-01-01', '--end-at', '2020-01-04']
  const name = 'Every day into files'
  // A backfill must not end before the first event.
  const input = JSON.stringify({ event: 'early', distinct_id: 'visitor', timestamp: '2019-12-31' })
  t.match(await run(['import', '-'], { input }), { code: 0, stdout: /^1 events stored/ })
  const filled = await run(['exports', 'backfill', name, ...range, '--watch', '--json'])
  t.equal(filled.code, 0, filled.stderr)
  const { backfill_id } = JSON.parse(filled.stdout)
  t.equal(filled.stderr, 'The backfill is complete: 3 runs, 0 records.\n')
  const runs = (await json(['runs', 'list', name])).results
  t.equal(runs.filter((run: { backfill_id: string | null }) => run.backfill_id === backfill_id).length, 3)
  t.match(await run(['runs', 'watch', name]), {
    code: 0,
    stdout: /^Completed: 2020-01-03 00:00:00 to 2020-01-04 00:00:00, 0 records/,
  })
  t.match(JSON.parse((await run(['runs', 'watch', name, runs[1].id, '--json'])).stdout), { id: runs[1].id })
  t.match(await json(['runs', 'retrieve', name, 'latest']), { id: runs[0].id })
  t.match(await run(['runs', 'watch', 'From a file']), { code: 5, stderr: /no run yet/ })

  const log = await run(['runs', 'logs', name, runs[0].id, '--follow', '--output', 'ndjson'])
  t.equal(log.code, 0, log.stderr)
  const messages = lines(log.stdout).map((line) => JSON.parse(line).message)
  t.match(messages[0], /^Attempt 1 started/, 'oldest first')
  t.equal(messages.at(-1), 'The window contains no events.')
  t.equal(new Set(messages).size, messages.length, 'each entry once')
  t.match(await run(['runs', 'logs', name, runs[0].id, '--follow', '--json']), { code: 2, stderr: /ndjson/ })

  const newest = (await json(['exports', 'logs', name, '--limit', '4'])).results
  for (const format of [
    ['--limit', '4'],
    ['--limit', '2', '--all'],
  ]) {
    const { stdout } = await run(['exports', 'logs', name, ...format, '--output', 'ndjson'])
    const printed = lines(stdout).map((line) => JSON.parse(line))
    t.strictSame(printed.slice(-4), newest.toReversed(), 'the newest entries, oldest first')
  }
  const [first] = lines((await run(['exports', 'logs', name, '--limit', '1'])).stdout).slice(1)
  t.match(first, String(newest[0].timestamp).slice(0, 10))

  const broken = {
    name: 'Broken',
    interval: 'day',
    destination: { type: 'HTTP', config: { url: 'http://127.0.0.1:1/', token: 'secret-token' } },
  }
  const made = await run(['exports', 'create', '--data', '-', '--json'], { input: JSON.stringify(broken) })
  t.equal(made.code, 0, made.stderr)
  const [start, end] = [7, 1].map((days) => new Date(Date.now() - days * 86_400_000).toISOString())
  await json(['exports', 'backfill', 'Broken', '--start-at', start!, '--end-at', end!])
  // Runs without events complete. This one is retried until it is cancelled.
  const failing = await until(async () =>
    (await json(['runs', 'list', 'Broken'])).results.find(({ latest_error }: Json) => latest_error !== null),
  )
  const watched = ended(command(['runs', 'watch', 'Broken', failing.id], env))
  // The same range is the same backfill while it is active.
  const watcher = command(['exports', 'backfill', 'Broken', '--start-at', start!, '--end-at', end!, '--watch'], env)
  const rewatched = ended(watcher)
  let reported = ''
  await new Promise<void>((resolve) => {
    watcher.stderr.on('data', (bytes) => {
      reported += bytes
      if (reported.includes('Failing, ')) resolve()
    })
  })
  await run(['runs', 'cancel', 'Broken', failing.id])
  t.match(await watched, { code: 10, stderr: /The run ended with the status Cancelled\./ })
  t.match(await rewatched, {
    code: 10,
    stderr:
      /^\[[#.]{24}\] \d+ % {2}\d of \d windows, \d+ records.* {2}Failing, will be retried: The connection .*\n[\s\S]*The backfill ended with the status Cancelled\./,
  })

  const refusing = createServer((_, reply) => reply.writeHead(401).end())
  refusing.listen(0, '127.0.0.1')
  await once(refusing, 'listening')
  t.teardown(() => refusing.close())
  const config = { url: `http://127.0.0.1:${(refusing.address() as AddressInfo).port}/`, token: 'secret-token' }
  await json(['exports', 'update', 'Broken', '--destination', JSON.stringify({ type: 'HTTP', config })])
  const failed = await run(['exports', 'backfill', 'Broken', '--start-at', start!, '--end-at', end!, '--watch'])
  t.match(failed, {
    code: 10,
    stderr:
      /The backfill ended with the status Failed\. .*401.* Fix the cause and start the backfill again\. `workspace-admin exports logs Broken` prints the log\.\n$/,
  })
  t.equal(failed.stdout, '', 'only progress and the reason')
  t.notMatch(failed.stderr, 'secret-token')

  if (hasProgram('script')) {
    const words = ['exports', 'backfill', name, '--start-at', start!, '--end-at', end!, '--watch']
    const line = [process.execPath, programFile('workspace-admin.js'), ...words].map((word) => `'${word}'`).join(' ')
    const { stdout } = await ended(
      spawn('script', ['-qec', `${line} --json > /dev/null`, '/dev/null'], {
        env: { PATH: process.env.PATH, TERM: 'xterm', ...env },
      }),
    )
    const shares = Array.from(stdout.matchAll(/(\d+) %/g), ([, share]) => Number(share))
    t.equal(shares.filter((share) => share === 100).length, 1, 'only at its end')
    t.equal(shares.at(-1), 100)
    t.match(
      stdout,
      /\[#{24}\] 100 % {2}(\d) of \1 windows, \d+ records\r\nThe backfill is complete: \d runs, \d+ records\.\r\n$/,
    )
  } else notRun(t, 'script is not installed')

  const follower = command(['exports', 'logs', name, '--follow'], env)
  let followed = ''
  const seen = new Promise<void>((resolve) => {
    follower.stdout.on('data', (bytes) => {
      followed += bytes
      if (
        /2020-02-02T00:00:00\.000Z is complete|2020-02-02T00:00:00\.000Z\s+is\s+complete/.test(
          followed.replace(/\s+/g, ' '),
        )
      )
        resolve()
    })
  })
  await once(follower.stdout, 'data')
  t.equal((await run(['exports', 'backfill', name, '--start-at', '2020-02-01', '--end-at', '2020-02-02'])).code, 0)
  await seen
  const exited = once(follower, 'exit')
  follower.kill('SIGINT')
  await exited
  t.pass('prints entries that arrive later')
})

t.test('suggests the matching verb for a verb of another program', async (t) => {
  const cases: [words: string, meant: string][] = [
    ['organizations get x', 'retrieve'],
    ['organizations show x', 'retrieve'],
    ['projects rm x', 'delete'],
    ['members rm x', 'remove'],
    ['api_keys rm x', 'revoke'],
    ['domains ls', 'list'],
    ['exports add', 'create'],
    ['exports resume x', 'unpause'],
    ['runs wait x', 'watch'],
    ['events follow', 'tail'],
    ['projects lsit', 'list'],
    ['orgs list', 'organizations'],
    ['plugins', 'pipeline_destinations'],
    ['version', '--version'],
  ]
  for (const [words, meant] of cases)
    t.match(await run(words.split(' ')), { code: 2, stderr: new RegExp(`Did you mean ${meant}\\?`) }, words)
  t.match((await run(['exports', 'list', '-h'])).stdout, /^Usage: workspace-admin exports list/)
  t.match((await run(['serve', '-h'])).stdout, /^Usage: workspace-admin serve/)
})

t.test('does not show flags in the process list', async (t) => {
  if (!existsSync('/proc/self/cmdline')) return notRun(t, 'there is no /proc')
  const silent = createServer(() => undefined)
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const child = command(['projects', 'list', '--base-url', url, '--key', 'phx_visible'], {})
  await once(silent, 'request')
  const shown = readFileSync(`/proc/${child.pid}/cmdline`, 'latin1')
  t.match(shown, /^workspace-admin projects list/)
  t.notMatch(shown, 'phx_visible')
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
  silent.closeAllConnections()
  silent.close()
})

t.test('completion', async (t) => {
  const bin = join(root, 'bin')
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'workspace-admin'),
    `#!/bin/sh\nexec '${process.execPath}' '${programFile('workspace-admin.js')}' "$@"\n`,
    { mode: 0o755 },
  )
  const { stdout: script } = await run(['completion', 'bash'])
  writeFileSync(join(root, 'completion.bash'), script)
  const complete = (...words: string[]): string[] => {
    const program = `source '${join(root, 'completion.bash')}'
COMP_WORDS=(workspace-admin "$@"); COMP_CWORD=$#
_workspace_admin; printf '%s\\n' "\${COMPREPLY[@]}"`
    const output = execFileSync('bash', ['-c', program, 'bash', ...words], {
      env: { PATH: `${bin}:${process.env.PATH}`, HOME: root },
      encoding: 'utf8',
    })
    return lines(output)
  }
  t.same(complete('organiz'), ['organizations', 'organization_projects'])
  t.same(complete('exports', 'un'), ['unpause'])
  t.same(complete('runs', 'wa'), ['watch'])
  t.same(complete('members', 'list', '--ou'), ['--output'])
  t.same(complete('members', 'list', '--output', ''), ['table', 'json', 'ndjson', 'csv'])
  t.same(complete('exports', 'create', '--interval', 'd'), ['day'])
  t.same(complete('members', 'update', 'x', '--level', 'o'), ['owner'])
  t.same(complete('completion', ''), ['bash', 'zsh', 'fish'])
  t.same(complete('nonsense', ''), [])
  t.match(await run(['completion', 'tcsh']), { code: 2 })
  for (const shell of ['zsh', 'fish']) {
    const { stdout } = await run(['completion', shell])
    t.match(stdout, 'workspace-admin complete --')
    // Fish reads no socket, which the standard input of a child is.
    if (hasProgram(shell)) execFileSync(shell, ['-n', join(t.testdir({ script: stdout }), 'script')])
    else notRun(t, `${shell} is not installed, so its script is not parsed`)
  }
})

function hasProgram(name: string): boolean {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, name)))
}

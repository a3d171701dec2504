/** The lines of the log: their fields, their levels and the format for people. */
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import t, { type Test } from 'tap'
import { prettyLine } from '../../src/telemetry/log.ts'
import { type AppOptions, ENGINES, openApp } from '../helpers/app.ts'
import { command } from '../helpers/programs/process.ts'

type Line = Record<string, unknown>

/** An app with the lines of its log. */
async function openLogged(t: Test, engine: (typeof ENGINES)[number], options: AppOptions = {}) {
  const log = new PassThrough()
  const lines: Line[] = []
  const texts: string[] = []
  log.on('data', (bytes) => {
    texts.push(String(bytes))
    lines.push(JSON.parse(String(bytes)))
  })
  const app = await openApp(t, engine, { ...options, log })
  const line = (id: string): Line => lines.find(({ reqId, status }) => reqId === id && status !== undefined) ?? {}
  return { ...app, lines, line, text: () => texts.join('') }
}

for (const engine of ENGINES)
  for (const sessions of [false, true])
    t.test(`request lines name the ${sessions ? 'session' : 'key'} without its secret (${engine})`, async (t) => {
      const { send, first, line, text } = await openLogged(t, engine, { sessions })
      const query = 'limit=5&token=link-secret&where=where-secret&event=7&phx_name=1&after=2026-01-01'
      await send('GET', `/api/projects/@current/events/?${query}`, { headers: { 'x-request-id': 'list' } })
      t.match(line('list'), {
        level: 30,
        area: 'requests',
        msg: 'request completed',
        operation: 'events.list',
        method: 'GET',
        route: '/api/projects/{project_id}/events/',
        url: '/api/projects/@current/events/?limit=5&token=…&where=…&event=7&after=…',
        status: 400,
        ms: Number,
        address: '127.0.0.1',
        user: 1,
        ...(sessions ? { session: /^[0-9a-f-]{36}$/, key: undefined } : { key: /\w/, session: undefined }),
      })
      await send('POST', '/api/organizations/', { body: { name: 'body-secret' }, headers: { 'x-request-id': 'write' } })
      t.match(line('write'), { operation: 'organizations.create', status: 201, url: '/api/organizations/' })
      await send('GET', `/nothing/${'x'.repeat(5_000)}?secret=1`, { key: null, headers: { 'x-request-id': 'none' } })
      t.match(line('none'), { operation: 'none', status: 404, route: undefined, user: undefined })
      t.ok(String(line('none').url).length < 400, 'long URLs are truncated')
      for (const secret of [first.api_key, 'Bearer', 'phx_', 'link-secret', 'where-secret', 'body-secret', 'secret=1'])
        t.notOk(text().includes(secret), `no ${secret} in the log`)
    })

t.test('areas have their own levels', async (t) => {
  const loud = await openLogged(t, 'sqlite', { environment: { LOG_LEVEL: 'info,requests=silent,sql=debug' } })
  await loud.send('GET', '/api/users/@me/')
  t.match(
    loud.lines.find(({ area }) => area === 'sql'),
    { level: 20, msg: 'statement', statement: /select/, ms: Number },
  )
  t.notOk(loud.lines.some(({ area }) => area === 'requests'))
  const quiet = await openLogged(t, 'sqlite', { environment: { LOG_LEVEL: 'info,sql=warn' } })
  await quiet.send('GET', '/api/users/@me/')
  t.notOk(quiet.lines.some(({ area }) => area === 'sql'))
  t.ok(quiet.lines.some(({ area }) => area === 'requests'))
})

t.test('readable lines have one line per entry and no control characters', async (t) => {
  const time = Date.parse('2026-01-01T12:30:01.123Z')
  const pretty = (fields: Line): string =>
    prettyLine(JSON.stringify({ level: 30, time, pid: 1, hostname: 'h', ...fields }))
  t.equal(
    pretty({ area: 'requests', msg: 'request completed', method: 'GET', url: '/a b', status: 200, user: undefined }),
    '12:30:01.123 INFO  requests: request completed method=GET url="/a b" status=200\n',
  )
  t.equal(pretty({ level: 40, msg: 'x', list: [1, 2] }), '12:30:01.123 WARN  x list=[1,2]\n')
  const escaped = pretty({ msg: 'a\u001b[2Jb\nc', url: '/\u009b31m\u202e' })
  t.equal(escaped, '12:30:01.123 INFO  "a\\u001b[2Jb\\nc" url="/\\u009b31m\\u202e"\n')
  const failed = pretty({ level: 50, msg: 'failed', err: { message: 'm', stack: 'Error: m\n    at x\u0007' } })
  t.equal(failed, '12:30:01.123 ERROR failed\n    Error: m\n    "    at x\\u0007"\n')
  t.match(prettyLine(JSON.stringify({ level: 50, time, msg: 'red' }), true), '\u001b[31mERROR\u001b[0m')
})

t.test('LOG_FORMAT selects the format, and pipes get JSON', async (t) => {
  for (const [LOG_FORMAT, pattern] of [
    ['', /^\{"level":30,.*"msg":"Server listening/],
    ['json', /^\{"level":30,.*"msg":"Server listening/],
    ['pretty', /^\d\d:\d\d:\d\d\.\d{3} INFO {2}requests: Server listening at http/],
  ] as const) {
    const child = command(['serve', '--port', '0', '--ephemeral'], { LOG_LEVEL: 'info', LOG_FORMAT })
    const exited = once(child, 'exit')
    const [bytes] = await once(child.stderr, 'data')
    t.match(String(bytes), pattern)
    child.kill('SIGKILL')
    await exited
  }
})

/** `events tail`: the latest events, then new ones, across a restart of the server. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { pollInterval } from '../../src/cli/tail.ts'
import { nextEngines } from '../helpers/app.ts'
import { defined, itemAt } from '../helpers/assertions/items.ts'
import { freePort, serverPlace } from '../helpers/programs/postgres.ts'
import {
  command,
  type Ended,
  ended,
  runCommand,
  type ServerProcess,
  serveArguments,
  startProcess,
} from '../helpers/programs/process.ts'
import { until } from '../helpers/programs/site.ts'

type Variables = Record<string, string>

interface Follower {
  child: ChildProcessWithoutNullStreams
  /** The next line of standard output. */
  next(): Promise<string>
  /** Resolves when standard error contains the text. */
  notes(text: string): Promise<void>
}

function follow(t: Test, words: string[], env: Variables): Follower {
  const child = command(words, env)
  t.teardown(() => child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  let errors = ''
  child.stderr.on('data', (bytes) => {
    errors += bytes
  })
  return {
    child,
    next: async () => {
      const { value, done } = await lines.next()
      if (done) throw new Error(`The command ended: ${errors}`)
      return value
    },
    notes: async (text) => {
      while (!errors.includes(text)) await once(child.stderr, 'data')
    },
  }
}

async function capture(server: ServerProcess, names: readonly string[]): Promise<void> {
  const batch = names.map((event) => ({ event, distinct_id: 'visitor', properties: { length: event.length } }))
  const response = await fetch(`${server.url}/batch/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: server.project_token, batch }),
  })
  if (!response.ok) throw new Error(await response.text())
}

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => `event ${from + i}`)

const eventsIn = ({ code, stdout, stderr }: Ended): string[] => {
  if (code !== 0) throw new Error(stderr)
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).event)
}

for (const engine of nextEngines())
  t.test(`events tail (${engine})`, async (t) => {
    const DATABASE_URL = await serverPlace(t, engine)
    const port = String(await freePort())
    const start = (): Promise<ServerProcess> => startProcess(t, { DATABASE_URL }, serveArguments('--port', port))
    const server = await start()
    const env = { WORKSPACE_URL: server.url, WORKSPACE_KEY: defined(server.api_key) }
    const tail = (...args: string[]): Promise<Ended> => runCommand(['events', 'tail', ...args], env)
    /** Transactions of other suites on the same PostgreSQL delay when events are listed. */
    const captureAndWait = async (names: string[]): Promise<void> => {
      await capture(server, names)
      await until(async () => eventsIn(await tail('--no-follow', '--json', 'event', '--last', '1'))[0] === names.at(-1))
    }
    await captureAndWait(numbered(1, 30))

    await t.test('prints the latest events, oldest first', async (t) => {
      const fields = ['--no-follow', '--json', 'event']
      t.strictSame(eventsIn(await tail(...fields)), numbered(11, 30), 'twenty by default')
      t.strictSame(eventsIn(await tail(...fields, '--last', '3')), numbered(28, 30))
      t.strictSame(eventsIn(await tail(...fields, '--limit', '2')), numbered(29, 30))
      t.strictSame(eventsIn(await tail(...fields, '--last', '0')), [])
      t.strictSame(eventsIn(await tail(...fields, '--event', 'event 4', '--event', 'event 2')), ['event 2', 'event 4'])
      t.strictSame(eventsIn(await tail(...fields, '--where', 'properties.length = 7')), numbered(1, 9))
      const [shown] = (await tail('--no-follow', '--last', '1')).stdout.split('\n')
      t.match(shown, /^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d {2}event 30 {2}visitor$/)
      t.match(await tail('--no-follow', '--last', '1', '--output', 'csv', '--fields', 'event,distinct_id'), {
        stdout: 'event,distinct_id\r\nevent 30,visitor\r\n',
      })
      t.match(await tail('--no-follow', '--last', '2', '--jq', '.event | length', '--raw'), { stdout: '8\n8\n' })
      t.match(await tail('--no-follow', '--last', '2', '--json', 'event', '--raw'), { stdout: 'event 29\nevent 30\n' })
      const body = JSON.parse((await tail('--no-follow', '--output', 'json', '--last', '1')).stdout)
      t.match(body, { cursor: String, more: false, results: [{ event: 'event 30' }] })
      await captureAndWait(['event 31'])
      t.strictSame(eventsIn(await tail(...fields, '--cursor', body.cursor)), ['event 31'], 'continues after a response')
    })

    await t.test('misuse is a usage error', async (t) => {
      for (const [args, stderr] of [
        [['--last', '1', '--limit', '1'], /not both/],
        [['--last', '1001'], /--last takes a number from 0 to 1000/],
        [['--limit', 'all'], /--limit takes a number from 0 to 1000/],
        [['--last', '1', '--cursor', 'x'], /cannot be combined/],
        [['--output', 'json'], /one event per line/],
      ] as const)
        t.match(await tail(...args), { code: 2, stderr }, args.join(' '))
      t.match(await tail('--where', 'evnt = 1', '--json'), { code: 6, stderr: /^\{"type":"validation_error"/ })
      t.match(await runCommand(['events', 'tail'], { ...env, WORKSPACE_KEY: 'phx_unknown' }), { code: 3 })
      t.match(await runCommand(['tail'], env), { code: 2, stderr: /Did you mean events tail\?/ })
    })

    await t.test('follows each event once, also across a restart of the server', async (t) => {
      const follower = follow(t, ['events', 'tail', '--json', 'event,distinct_id', '--last', '1'], env)
      const next = async (): Promise<unknown> => JSON.parse(await follower.next())
      t.strictSame(await next(), { event: 'event 31', distinct_id: 'visitor' })
      await capture(server, ['event 32', 'event 33'])
      t.match(await next(), { event: 'event 32' })
      t.match(await next(), { event: 'event 33' })
      // The command may not have seen these before the server is killed.
      await capture(server, ['event 34'])
      await server.kill()
      await follower.notes(`${server.url} does not respond. Waiting for the server`)
      const restarted = await start()
      await capture(restarted, numbered(35, 60))
      for (const event of numbered(34, 60)) t.match(await next(), { event })
      await follower.notes('The server responds again.')
      const exited = once(follower.child, 'exit')
      follower.child.kill('SIGINT')
      t.strictSame(await exited, [null, 'SIGINT'], 'Ctrl-C ends it')
    })

    await t.test('filters new events too', async (t) => {
      const [again] = [{ ...server, url: env.WORKSPACE_URL }]
      const follower = follow(t, ['events', 'tail', '--json', '--event', 'wanted', '--last', '5'], env)
      await capture(again, ['wanted', 'other', 'wanted'])
      for (let i = 0; i < 2; i++) t.match(JSON.parse(await follower.next()), { event: 'wanted' })
      await capture(again, ['other', 'wanted'])
      t.match(JSON.parse(await follower.next()), { event: 'wanted' })
      follower.child.kill('SIGKILL')
    })
  })

t.test('waits for a limit or a failing proxy, and ends when the key is revoked', async (t) => {
  const cursors: (string | null)[] = []
  const page = (cursor: string, event?: string): string =>
    JSON.stringify({ cursor, more: event !== undefined, results: event === undefined ? [] : [{ event }] })
  const replies: ((response: ServerResponse) => void)[] = [
    (response) => response.end(page('one', 'first')),
    (response) => response.writeHead(502).end('Bad gateway'),
    (response) => response.writeHead(429, { 'retry-after': '1' }).end('{"detail":"Request was throttled."}'),
    // The connection breaks in the middle of a page.
    (response) => {
      response.writeHead(200, { 'content-length': 1_000 })
      response.write(page('two', 'second').slice(0, 20), () => response.destroy())
    },
    (response) => response.end(page('two', 'second')),
    (response) => response.writeHead(401).end('{"detail":"The key is revoked."}'),
  ]
  const server = createServer((request, response) => {
    cursors.push(new URL(defined(request.url), 'http://localhost').searchParams.get('cursor'))
    itemAt(replies, cursors.length - 1)(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { code, stdout, stderr } = await ended(
    command(['events', 'tail', '--json', 'event', '--project', '1'], { WORKSPACE_URL: url, WORKSPACE_KEY: 'phx_x' }),
  )
  t.equal(stdout, '{"event":"first"}\n{"event":"second"}\n')
  t.strictSame(cursors, [null, 'one', 'one', 'one', 'one', 'two'])
  t.equal(code, 3)
  t.match(
    stderr,
    /responded with 502[\s\S]*The server limits requests\. Continuing in 1 s\.\n[\s\S]*responds again\.\n\{"detail":"The key is revoked\."\}\n$/,
  )
})

t.test('asks every second at first, and rarely enough for the limit of an hour', async (t) => {
  t.equal(pollInterval(0), 1_000)
  let requests = 0
  for (let waited_ms = 0; waited_ms < 3_600_000; requests++) waited_ms += pollInterval(waited_ms)
  t.equal(requests, 960)
})

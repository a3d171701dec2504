/** `import` and `seed` as child processes. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import t, { type Test } from 'tap'
import { makeIds } from '../../src/ids.ts'
import { firstRun } from '../../src/organizations/first-run.ts'
import { EVENTS } from '../../src/sql/migrate.ts'
import { openDatabase } from '../../src/sql/open.ts'
import { type Engine, sql } from '../../src/sql/template.ts'
import { UNRESTRICTED } from '../../src/store/key-restrictions.ts'
import * as organizations from '../../src/store/organizations.ts'
import * as projects from '../../src/store/projects.ts'
import * as users from '../../src/store/users.ts'
import { nextEngines } from '../helpers/app.ts'
import { halfInQuick } from '../helpers/assertions/figures.ts'
import { defined, itemAt } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import type { Json } from '../helpers/json.ts'
import { type Files, zipOf } from '../helpers/peers/archives.ts'
import { emptyDatabase, emptyPlace, serverPlace } from '../helpers/programs/postgres.ts'
import { command, type Ended, runCommand, startProcess } from '../helpers/programs/process.ts'

halfInQuick(t)

const EXPORT_FOLDER = freshFolder(t)

/** Writes a file, and its folder. */
function write(path: string, content: string | Buffer): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}

const jsonLines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

const run = (url: string, words: string[], input = ''): Promise<Ended> =>
  runCommand(words, { DATABASE_URL: url, EXPORT_FOLDER }, { input })

async function workspace(t: Test, engine: Engine) {
  const postgres = engine === 'postgres' ? await emptyDatabase() : undefined
  const folder = freshFolder(t)
  const url = postgres?.url ?? `sqlite:${folder}/data`
  if (postgres) t.teardown(postgres.drop)
  const seeded = await run(url, ['migrate'])
  t.equal(seeded.code, 0, seeded.stderr)
  const demo = JSON.parse((await run(url, ['seed', '--events', '0', '--json'])).stdout)
  const rows = async <Row>(): Promise<Row[]> => {
    const db = await openDatabase(url, { file: EVENTS.file })
    try {
      return await db.all<Row>(sql`
        select uuid, event, distinct_id, timestamp, properties from events where project_id = ${demo.project_id} order by timestamp, uuid`)
    } finally {
      await db.close()
    }
  }
  return { url, folder, project: String(demo.project_id), demo, rows }
}

const line = (n: number, more: object = {}): string =>
  JSON.stringify({
    event: 'opened',
    distinct_id: `p${n}`,
    timestamp: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
    properties: { n },
    ...more,
  })

for (const engine of nextEngines())
  t.test(`import (${engine})`, async (t) => {
    const { url, folder, project, rows } = await workspace(t, engine)
    const file = (name: string, content: string | Buffer): string => {
      writeFileSync(join(folder, name), content)
      return join(folder, name)
    }
    const lines = Array.from({ length: 50 }, (_, i) => line(i))

    const plain = file('a.ndjson', `${lines.slice(0, 30).join('\n')}\n`)
    const first = await run(url, ['import', plain, '--project', project, '--json'])
    t.match(JSON.parse(first.stdout), { lines: 30, stored: 30, already_there: 0, bad: 0 })
    const repeated = await run(url, ['import', plain, '--project', project])
    t.match(
      repeated,
      { code: 0, stdout: /^0 events stored, 30 already stored, 0 too large, 0 invalid lines/ },
      'a second run stores no event twice',
    )

    t.match(JSON.parse((await run(url, ['import', plain, '--project', 'Web shop', '--json'])).stdout), {
      stored: 0,
      already_there: 30,
    })
    t.match(await run(url, ['import', plain, '--project', 'No such shop']), {
      code: 5,
      stderr: /^There is no project 'No such shop'\. Run /,
    })

    const packed = file('b.ndjson.gz', gzipSync(lines.join('\r\n')))
    t.match(
      JSON.parse((await run(url, ['import', packed, '--project', project, '--json'])).stdout),
      { stored: 20, already_there: 30 },
      'a longer file adds the new events',
    )
    const all = await rows<{ properties: string | object }>()
    t.equal(all.length, 50)
    t.strictSame(
      all.map(({ properties }) => (typeof properties === 'string' ? JSON.parse(properties) : properties).n),
      Array.from({ length: 50 }, (_, i) => i),
    )

    const uuid = '0192b6f0-5a3c-7c1e-9d2a-4b7f1c9e8a10'
    const csv = file(
      'c.csv',
      `event,distinct_id,timestamp,uuid,properties,plan\r\npaid,"a ""b""",2026-01-02T00:00:00Z,${uuid},"{""price"": 5}",team\r\npaid,b,,,,\r\n`,
    )
    t.match(JSON.parse((await run(url, ['import', csv, '--project', project, '--json'])).stdout), { stored: 2, bad: 0 })
    const paid = defined(
      (await rows<{ uuid: string; distinct_id: string; properties: Json }>()).find((row) => row.uuid === uuid),
    )
    t.equal(paid.distinct_id, 'a "b"')
    t.match(typeof paid.properties === 'string' ? JSON.parse(paid.properties) : paid.properties, {
      price: 5,
      plan: 'team',
    })

    for (const [broken, row] of [
      ['event,distinct_id\r\npaid,"a\u001b[31m"x\r\n', 1],
      ['event,distinct_id\r\n,\r\npaid,"never closed\r\npaid,b\r\n', 2],
    ] as const) {
      const refused = await run(url, ['import', file('broken.csv', broken), '--project', project])
      t.match(refused, { code: 6, stderr: new RegExp(`^Row ${row} after the header is not valid CSV: a quote`, 'm') })
      t.notMatch(refused.stderr, '\u001b')
    }

    const piped = await run(url, ['import', '-', '--project', project, '--json'], `${line(60)}\n${line(61)}\n`)
    t.match(JSON.parse(piped.stdout), { stored: 2 })

    const bad = file(
      'bad.ndjson',
      [line(70), '{broken', '[]', '', line(71, { distinct_id: '' }), line(72, { properties: 5 }), line(73)].join('\n'),
    )
    const lenient = await run(url, ['import', bad, '--project', project, '--json'])
    t.equal(lenient.code, 0)
    t.equal(lenient.stderr, '')
    const reasons = [
      'The line is not a JSON object.',
      '`distinct_id` must not be blank',
      '`properties` is not a JSON object.',
    ]
    t.match(JSON.parse(lenient.stdout), {
      to: /^project Web shop \(\d+\) in the database /,
      lines: 6,
      stored: 2,
      bad: 4,
      reasons: [2, 1, 1].map((count, i) => ({ reason: RegExp(`^${reasons[i]}`), count })),
      problems: [2, 3, 5, 6].map((line) => ({ file: 'bad.ndjson', line })),
    })
    const printed = await run(url, ['import', bad, '--project', project])
    t.match(printed.stderr, /^Importing into project .+ in the database /)
    for (const place of ['bad.ndjson:2:', 'bad.ndjson:3:', 'bad.ndjson:5:', 'bad.ndjson:6:'])
      t.match(printed.stderr, place)
    t.match(printed.stdout, '  2 refused: The line is not a JSON object.')
    t.match(await run(url, ['import', bad, '--project', project, '--strict']), {
      code: 6,
      stderr: /bad\.ndjson:2:.*The import stopped at this line/,
    })
    const long = file(
      'long.ndjson',
      [line(90), line(91, { properties: { long: 'x'.repeat(1_100_000) } }), 'nonsense', line(92)].join('\n'),
    )
    const partly = await run(url, ['import', long, '--project', project])
    t.match(partly, {
      code: 0,
      stdout: /^2 events stored, 0 already stored, 1 too large, 1 invalid lines/,
      stderr: /long\.ndjson:2: The stored event has \d+ bytes/,
    })
    t.match(await run(url, ['import', bad, '--project', '999']), { code: 5, stderr: /no project 999/ })
    t.match(await run(url, ['import', join(folder, 'nowhere.ndjson')]), { code: 1, stderr: /does not exist/ })

    const many = file(
      'many.ndjson',
      Array.from({ length: 20_000 }, (_, i) => line(i % 60, { properties: { i } })).join('\n'),
    )
    const child = command(['import', many, '--project', project], { DATABASE_URL: url })
    const before = (await rows()).length
    while ((await rows()).length === before && child.exitCode === null) await new Promise(setImmediate)
    child.kill('SIGINT')
    const [code] = await once(child, 'exit')
    t.ok(code === 130 || code === 0, 'it stops after the current batch')
    t.match(JSON.parse((await run(url, ['import', many, '--project', project, '--json'])).stdout), {
      lines: 20_000,
      bad: 0,
    })
    t.equal((await rows()).length, before + 20_000, 'the next run imports the rest once')
  })

for (const engine of nextEngines())
  t.test(`seed (${engine})`, async (t) => {
    const { url, demo } = await workspace(t, engine)
    t.match(demo, { organization_id: /^[0-9a-f-]{36}$/, project_token: /^phc_/, api_key: /^phx_/, events: 0 })
    t.match(await run(url, ['seed']), { code: 1, stderr: /already/ })
    const other = await workspace(t, engine)
    t.ok(other.demo)
  })

for (const engine of nextEngines())
  t.test(`seed does not change @current of the first user (${engine})`, async (t) => {
    const url = await emptyPlace(t, engine)
    await run(url, ['migrate'])
    const db = await openDatabase(url)
    t.teardown(() => db.close())
    const first = defined(await firstRun(db, makeIds(Date.now), new Date().toISOString()))
    t.equal((await run(url, ['seed', '--events', '0', '--json'])).code, 0)
    const user = defined(await users.oldest(db))
    t.equal(
      (await organizations.list(db, user.id, UNRESTRICTED, 'everywhere', { limit: 9, offset: 0 })).count,
      2,
      'the first user is a member of the demo organization',
    )
    t.equal((await organizations.current(db, user, UNRESTRICTED))?.id, first.organization_id)
    t.equal((await projects.current(db, user, UNRESTRICTED))?.id, first.project_id)
  })

t.test('seed creates a month of events and exports with runs', async (t) => {
  const url = `sqlite:${freshFolder(t)}/data`
  await run(url, ['migrate'])
  const seededWorkspace = JSON.parse((await run(url, ['seed', '--events', '5000', '--json'])).stdout)
  const db = await openDatabase(url, { file: EVENTS.file })
  t.teardown(() => db.close())
  const found = await db.get<{ events: number; days: number; people: number; persons: number }>(sql`
    select count(*) as events, count(distinct timestamp / 86400000000) as days, count(distinct distinct_id) as people,
      (select count(*) from persons) as persons from events where project_id = ${seededWorkspace.project_id}`)
  t.equal(found?.events, 5000)
  t.ok(found!.days >= 25, `over ${found!.days} days`)
  t.ok(found!.people > 50)
  t.equal(found!.persons, found!.people)

  const administration = await openDatabase(url)
  t.teardown(() => administration.close())
  const runs = await administration.all<{ status: string; records: number; batch_export_id: string }>(
    sql`select status, records_completed as records, batch_export_id from batch_export_runs`,
  )
  t.equal(runs.length, 7, 'an export has delivered a week')
  t.ok(runs.every(({ status, records }) => status === 'Completed' && records > 0))
  const files = readdirSync(join(EXPORT_FOLDER, String(seededWorkspace.project_id), itemAt(runs, 0).batch_export_id), {
    recursive: true,
  })
  t.equal(files.filter((name) => String(name).endsWith('.jsonl.gz')).length, 7)
})

for (const engine of nextEngines())
  t.test(`import runs the plugins of the project (${engine})`, async (t) => {
    const { url, folder, project, rows } = await workspace(t, engine)
    const source = `export function processEvent(event) {
      if (event.properties.n === 2) return null
      event.properties.changed = true
      return event
    }`
    const db = await openDatabase(url)
    await db.tx(async (tx) => {
      await tx.run(sql`
        insert into plugins (organization_id, family, config_schema, is_global, capabilities, sends_events, revision, created_at, updated_at)
        select organization_id, 'pipeline_destinations', '[]', ${false}, '{"methods":["processEvent"]}', ${false}, 1, '', ''
        from projects where id = ${Number(project)}`)
      await tx.run(
        sql`insert into plugin_files (plugin_id, name, text) select max(id), 'index.ts', ${source} from plugins`,
      )
      await tx.run(sql`
        insert into plugin_configs (plugin_id, project_id, enabled, sort_order, config, secret_keys, created_at, updated_at)
        select max(id), ${Number(project)}, ${true}, 1, '{}', '[]', '', '' from plugins`)
    })
    await db.close()
    const file = join(folder, 'events.ndjson')
    writeFileSync(file, [1, 2, 3].map((n) => line(n)).join('\n'))
    const importing = async (...words: string[]) => {
      const { stdout, stderr } = await run(url, ['import', file, '--project', project, '--json', ...words])
      t.equal(stderr, '')
      return JSON.parse(stdout)
    }
    t.match(await importing(), { lines: 3, stored: 2, dropped: 1, already_there: 0 })
    const changed = async () =>
      (await rows<{ properties: unknown }>()).map(({ properties }) => JSON.stringify(properties).includes('changed'))
    t.strictSame(await changed(), [true, true])
    t.match(await importing('--no-plugins'), { stored: 1, dropped: 0, already_there: 2 })
    t.strictSame(await changed(), [true, false, true])
  })

const uuidOf = (n: number): string => `0192b6f0-5a3c-7c1e-9d2a-4b7f1c9e8a${n}`
const POSTHOG = [10, 11].map((n) => ({
  uuid: uuidOf(n),
  event: 'paid',
  distinct_id: 'ada',
  person_id: uuidOf(99),
  properties: { n, $set: { n } },
  elements_chain: '',
  timestamp: `2026-01-05T10:00:${n}.123456Z`,
  created_at: '2026-01-06T00:00:00Z',
}))
const SEGMENT = [
  {
    type: 'identify',
    messageId: 'a',
    userId: 'ada',
    anonymousId: 'b',
    traits: { n: 11 },
    timestamp: '2026-01-05T10:00:10Z',
  },
  { type: 'track', messageId: 'b', userId: 'ada', event: 'paid', timestamp: '2026-01-05T10:00:11Z' },
]
const MIXPANEL = [10, 11].map((n) => ({
  event: 'paid',
  properties: { time: 1_767_607_200 + n, distinct_id: 'ada', $insert_id: `id-${n}` },
}))
const AMPLITUDE = [10, 11].map((n) => ({
  event_type: 'paid',
  user_id: 'ada',
  event_time: `2026-01-05 10:00:${n}.000000`,
  user_properties: { n: 11 },
  $insert_id: `id-${n}`,
}))
const PLAIN = [10, 11].map((n) => ({ event: 'paid', distinct_id: 'ada', timestamp: `2026-01-05 10:00:${n}` }))

async function writeParquet(source: string, target: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:')
  const duckdb = await instance.connect()
  await duckdb.run(`
    copy (
      from read_json('${source}', columns = {uuid: 'VARCHAR', event: 'VARCHAR', distinct_id: 'VARCHAR', person_id: 'VARCHAR',
        properties: 'JSON', elements_chain: 'VARCHAR', timestamp: 'TIMESTAMPTZ', created_at: 'TIMESTAMPTZ'})
    ) to '${target}' (format parquet)`)
  duckdb.closeSync()
  instance.closeSync()
}

/** Files with two events each. */
async function writeSources(folder: string): Promise<string[]> {
  const place = (name: string): string => join(folder, name)
  const events = write(place('posthog/events.jsonl'), jsonLines(POSTHOG))
  write(place('posthog/.DS_Store'), 'x')
  write(place('posthog/2026_manifest.json'), '{}')
  await writeParquet(events, place('events [1]*.parquet'))
  const amplitude: Files = { '__MACOSX/a': 'x', 'a/': '', 'a/1.json.gz': gzipSync(JSON.stringify(AMPLITUDE[0])) }
  return [
    place('posthog'),
    place('events [1]*.parquet'),
    write(place('segment'), gzipSync(jsonLines(SEGMENT))),
    write(place('mixpanel.txt'), `\ufeff${JSON.stringify(MIXPANEL, null, 2)}`),
    write(place('amplitude.zip'), zipOf({ ...amplitude, 'a/2.json': JSON.stringify(AMPLITUDE[1]) })),
    write(place('own.jsonl'), jsonLines(PLAIN)),
    write(
      place('own.txt'),
      'event,distinct_id,timestamp\npaid,ada,2026-01-05 10:00:10\npaid,ada,2026-01-05 10:00:11\n',
    ),
  ]
}

for (const engine of nextEngines())
  t.test(`import reads each source, and stores nothing twice (${engine})`, async (t) => {
    const { url, folder, project, rows } = await workspace(t, engine)
    let before = 0
    for (const path of await writeSources(folder)) {
      const importing = async (...words: string[]): Promise<Json> => {
        const { stdout, stderr } = await run(url, ['import', path, '--project', project, '--json', ...words])
        t.equal(stderr, '', path)
        return JSON.parse(stdout)
      }
      // The rows of Parquet are those of the folder before.
      const [stored, already_there] = path.includes('.parquet') ? [0, 2] : [2, 0]
      const dry = await importing('--dry-run')
      t.match(dry, { is_dry_run: true, lines: 2, stored, already_there, bad: 0 }, path)
      t.equal(dry.samples.length, 2)
      if (path.endsWith('posthog')) t.strictSame(dry.samples[0].source, POSTHOG[0], 'the event as it is in the file')
      t.equal((await rows()).length, before, 'a dry run stores nothing')
      t.match(await importing(), { lines: 2, stored, already_there, bad: 0, samples: [] }, path)
      t.match(await importing(), { lines: 2, stored: 0, already_there: 2, bad: 0 }, path)
      before += stored
      t.equal((await rows()).length, before)
    }
    const stored = await rows<{ uuid: string; timestamp: number | string; distinct_id: string }>()
    t.ok(stored.every(({ distinct_id }) => distinct_id === 'ada'))
    const first = defined(stored.find(({ uuid }) => uuid === uuidOf(10)))
    t.equal(Number(first.timestamp), Date.parse('2026-01-05T10:00:10.123Z') * 1000 + 456)
    const db = await openDatabase(url, { file: EVENTS.file })
    t.teardown(() => db.close())
    const person = defined(await db.get<{ properties: string | object }>(sql`select properties from persons`))
    const properties = typeof person.properties === 'string' ? JSON.parse(person.properties) : person.properties
    t.match(properties, { n: 11 }, 'identify events set person properties')
  })

for (const engine of nextEngines())
  t.test(`import refuses times that it cannot read, and knows time zones (${engine})`, async (t) => {
    const { url, folder, project, rows } = await workspace(t, engine)
    const good = ['2026-07-01 12:00:00', '2026-07-01T12:00:00+02:00', '2026-07-01T10:00:00Z']
    const times = [...good, 'noon', '2026-02-30', {}, '-1', 'Order 12']
    const own = write(
      join(folder, 'times.ndjson'),
      jsonLines(
        [...times, undefined].map((timestamp, n) => ({
          event: 'seen',
          distinct_id: 'a',
          timestamp,
          uuid: uuidOf(10 + n),
        })),
      ),
    )
    const foreign = write(join(folder, 'segment.json'), jsonLines([{ type: 'track', event: 'seen', userId: 'a' }]))
    const mixpanel = write(
      join(folder, 'mixpanel.json'),
      jsonLines([{ event: 'seen', properties: { time: 1_782_907_200, distinct_id: 'a' } }]),
    )
    const words = ['import', own, foreign, mixpanel, '--project', project, '--json', '--timezone', 'europe/berlin']
    t.match(JSON.parse((await run(url, words)).stdout), {
      stored: 5,
      bad: 6,
      reasons: [
        { reason: /^The timestamp cannot be read/, count: 5 },
        { reason: 'The line has no timestamp.', count: 1 },
      ],
      problems: [4, 5, 6, 7, 8, 1].map((line) => ({ line })),
    })
    const found = (await rows<{ timestamp: number | string }>()).map(({ timestamp }) => Number(timestamp) / 1000)
    t.strictSame(
      found.slice(0, 4),
      Array.from({ length: 4 }, () => Date.parse('2026-07-01T10:00:00Z')),
    )
    t.match(await run(url, ['import', own, '--timezone', 'Mars/Olympus']), { code: 2, stderr: /IANA name/ })
    t.match(await run(url, ['import', own, '--format', 'xml']), { code: 2, stderr: /--format must be one of: posthog/ })
  })

/** JSON text of objects within each other. */
const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

for (const engine of nextEngines())
  t.test(`import refuses properties that cannot be stored as JSON text (${engine})`, async (t) => {
    const { url, folder, project, rows } = await workspace(t, engine)
    const texts = [nested(64), nested(1_100), nested(20_000), '{"a":"x\\u0000y\\ud800"}', '{"distinct_id":"\\ud800"}']
    const lines = texts.map((properties) => ({ event: 'seen', distinct_id: 'a', properties }))
    const cells = texts.map((properties) => `seen,b,"${properties.replaceAll('"', '""')}"\n`)
    const files = [
      write(join(folder, 'text.ndjson'), jsonLines(lines)),
      write(join(folder, 'text.csv'), `event,distinct_id,properties\n${cells.join('')}`),
    ]
    const imported = await run(url, ['import', ...files, '--project', project, '--json'])
    t.match(JSON.parse(imported.stdout), {
      stored: 6,
      bad: 4,
      reasons: [{ reason: /^`properties` is not a JSON object, or is nested too deep/, count: 4 }],
      problems: [2, 3, 3, 4].map((line) => ({ line })),
    })
    const stored = await rows<{ distinct_id: string }>()
    t.strictSame(stored.map(({ distinct_id }) => distinct_id).toSorted(), ['a', 'a', 'b', 'b', '\ufffd', '\ufffd'])
  })

t.test('import reads pipes and links, and holds few large events at a time', async (t) => {
  const { url, folder, project } = await workspace(t, 'sqlite')
  const importing = async (path: string, ...words: string[]): Promise<Json> =>
    JSON.parse((await run(url, ['import', path, '--project', project, '--json', ...words])).stdout)
  write(join(folder, 'files', 'a.ndjson'), line(1))
  mkdirSync(join(folder, 'links'))
  symlinkSync(join(folder, 'files', 'a.ndjson'), join(folder, 'links', 'a.ndjson'))
  symlinkSync(join(folder, 'nowhere'), join(folder, 'links', 'broken'))
  t.match(await importing(join(folder, 'links')), { files: 1, stored: 1 })

  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const [imported] = await Promise.all([importing(pipe), writeFile(pipe, `${line(1)}\n${line(2)}\n`)])
  t.match(imported, { lines: 2, stored: 1, already_there: 1 })

  const large = write(
    join(folder, 'large.ndjson'),
    Array.from({ length: 120 }, (_, n) => `${line(n, { properties: { n, text: 'x'.repeat(900_000) } })}\n`).join(''),
  )
  const child = command(['import', large, '--project', project, '--dry-run', '--json'], {
    DATABASE_URL: url,
    NODE_OPTIONS: '--max-old-space-size=128',
  })
  child.stdout.resume()
  const [code] = await once(child, 'exit')
  t.equal(code, 0)
})

/** A server between the command and another server. It fails some requests, and counts the events of the others. */
async function openProxy(t: Test, target: string, failures: number[]) {
  const bodies: string[] = []
  const listener = createServer(async (request, reply) => {
    const body = await buffer(request)
    const isCapture = request.url === '/batch/'
    const failure = isCapture ? failures.shift() : undefined
    if (failure === 0) return request.socket.destroy()
    if (failure !== undefined) return reply.writeHead(failure, { 'retry-after': '0' }).end('{}')
    if (isCapture) bodies.push(gunzipSync(body).toString())
    const headers = Object.entries(request.headers).filter(
      ([name]) => !['host', 'connection', 'content-length'].includes(name),
    )
    const response = await fetch(`${target}${request.url}`, {
      method: request.method,
      headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
      ...(body.length && { body: new Uint8Array(body) }),
    })
    reply.writeHead(response.status, { 'content-type': 'application/json' }).end(await response.text())
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  t.teardown(() => listener.closeAllConnections())
  t.teardown(() => listener.close())
  return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`, bodies }
}

for (const engine of nextEngines())
  t.test(`import sends events to a server (${engine})`, async (t) => {
    const server = await startProcess(t, { DATABASE_URL: await serverPlace(t, engine) })
    const folder = freshFolder(t)
    const key = defined(server.api_key)
    const importing = (words: string[], environment: Record<string, string> = {}): Promise<Ended> =>
      runCommand(['import', ...words], { WORKSPACE_URL: server.url, WORKSPACE_KEY: key, ...environment })
    const counted = async (): Promise<number> => {
      const { stdout } = await runCommand(['query', 'select count() from events', '--json'], {
        WORKSPACE_URL: server.url,
        WORKSPACE_KEY: key,
      })
      return JSON.parse(stdout).results[0][0]
    }
    const paths = await writeSources(folder)
    const first = await importing(paths)
    t.match(first.stderr, `of ${server.url}`, 'the first line names the server')
    t.match(first, { code: 0, stdout: /^12 events stored, 2 already stored, 0 too large, 0 invalid lines/ })
    t.match(JSON.parse((await importing([...paths, '--json'])).stdout), { lines: 14, stored: 0, already_there: 14 })
    t.equal(await counted(), 12)

    const many = write(
      join(folder, 'many.ndjson'),
      jsonLines(Array.from({ length: 2_500 }, (_, n) => ({ ...PLAIN[0], id: `many-${n}` }))),
    )
    const dry = JSON.parse((await importing([many, '--dry-run', '--json'])).stdout)
    t.match(dry, { lines: 2_500, stored: 2_500, already_there: null })
    t.equal(await counted(), 12, 'a dry run sends nothing')
    const proxy = await openProxy(t, server.url, [429, 503, 0])
    const words = [many, '--json', '--base-url', proxy.url, '--key', key, '--project', 'Default project']
    t.match(JSON.parse((await importing(words)).stdout), { lines: 2_500, stored: 2_500, already_there: 0 })
    t.equal(proxy.bodies.length, 3, 'every batch arrives once')
    t.ok(proxy.bodies.every((body) => body.includes('"historical_migration":true')))
    t.equal(await counted(), 2_512)

    const large = write(
      join(folder, 'large.ndjson'),
      jsonLines([{ ...PLAIN[0], properties: { long: 'x'.repeat(1_100_000) } }]),
    )
    t.match(await importing([large]), { code: 0, stdout: /^0 events stored.*1 too large/ })
    t.match(await importing([large, '--strict']), {
      code: 6,
      stderr: /large\.ndjson:1: The stored event has \d+ bytes/,
    })
    const deep = [61, 62].map((levels) => ({ ...PLAIN[0], properties: JSON.parse(nested(levels)) }))
    const wide = Array.from({ length: 101 }, (_, n) => ({
      ...PLAIN[0],
      properties: { n, list: Array(10_000).fill(n) },
    }))
    const odd = write(join(folder, 'odd.ndjson'), jsonLines([...deep, ...wide]))
    t.match(JSON.parse((await importing([odd, '--json'])).stdout), {
      lines: 103,
      stored: 102,
      problems: [{ line: 2, reason: /nested too deep or has too many values/ }],
    })
    t.match(await importing([many, '--project', 'nowhere']), { code: 5, stderr: /No project is named "nowhere"/ })
    t.match(await importing([many, '--no-plugins']), { code: 2, stderr: /--database/ })
    t.match(await importing([many, '--database', 'sqlite:x', '--profile', 'a']), { code: 2, stderr: /Use --database/ })
    t.match(await importing([many], { WORKSPACE_KEY: '' }), { code: 3, stderr: /workspace-admin login/ })
  })

t.test('import continues on a server after a kill', async (t) => {
  const server = await startProcess(t, { DATABASE_URL: await serverPlace(t, 'sqlite') })
  const environment = { WORKSPACE_KEY: defined(server.api_key) }
  const lines = Array.from({ length: 4_500 }, (_, n) => ({ ...PLAIN[0], properties: { n } }))
  const file = write(join(freshFolder(t), 'many.ndjson'), jsonLines(lines))
  const proxy = await openProxy(t, server.url, [])
  const child = command(['import', file, '--base-url', proxy.url], environment)
  while (proxy.bodies.length < 2) await new Promise(setImmediate)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const repeated = await runCommand(['import', file, '--base-url', server.url, '--json'], environment)
  const { stored, already_there } = JSON.parse(repeated.stdout)
  t.ok(already_there >= 1_000, 'the batches before the kill are stored')
  t.equal(stored + already_there, 4_500)
  t.equal(
    JSON.parse(
      (await runCommand(['query', 'select count() from events', '--json', '--base-url', server.url], environment))
        .stdout,
    ).results[0][0],
    4_500,
  )
})

t.test(
  'a stored profile names the server of an import, unless DATABASE_URL or --database name a database',
  async (t) => {
    const server = await startProcess(t, { DATABASE_URL: await serverPlace(t, 'sqlite') })
    const { url, folder } = await workspace(t, 'sqlite')
    const environment = { XDG_CONFIG_HOME: join(folder, 'settings') }
    const login = await runCommand(['login', '--base-url', server.url], environment, { input: `${server.api_key}\n` })
    t.equal(login.code, 0, login.stderr)
    const file = write(join(folder, 'own.ndjson'), jsonLines(PLAIN))
    const target = async (words: string[], more: Record<string, string> = {}): Promise<string> =>
      JSON.parse(
        (await runCommand(['import', file, '--dry-run', '--json', ...words], { ...environment, ...more })).stdout,
      ).to
    t.match(await target([]), server.url)
    t.match(await target(['--profile', 'default'], { DATABASE_URL: url }), server.url)
    t.match(await target([], { DATABASE_URL: url, WORKSPACE_PROFILE: 'default' }), server.url)
    t.match(await target([], { DATABASE_URL: url }), 'in the database sqlite:')
    t.match(await target(['--database', url]), 'in the database sqlite:')
  },
)

/** `import` and `seed` as child processes. */
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
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
import { defined, itemAt } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import type { Json } from '../helpers/json.ts'
import { emptyDatabase, emptyPlace } from '../helpers/programs/postgres.ts'
import { command, type Ended, runCommand } from '../helpers/programs/process.ts'

const EXPORT_FOLDER = freshFolder(t)

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
    timestamp: `2026-01-01T00:00:${String(n).padStart(2, '0')}Z`,
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
      t.match(refused, { code: 6, stderr: new RegExp(`^Row ${row} after the header is not valid CSV: a quote`) })
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
    t.match(JSON.parse(lenient.stdout), { lines: 6, stored: 2, bad: 4 })
    for (const place of ['bad.ndjson:2:', 'bad.ndjson:3:', 'bad.ndjson:5:', 'bad.ndjson:6:'])
      t.match(lenient.stderr, place)
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

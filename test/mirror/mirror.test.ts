/** The mirror of events in columns: its answers, its files, and what happens to them. */
import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import pg from 'pg'
import t from 'tap'
import { resetMirror } from '../../src/events/mirrors.ts'
import * as catalog from '../../src/mirror/catalog.ts'
import { createKeeper, LIMITS } from '../../src/mirror/keeper.ts'
import { type EventMirror, openMirror } from '../../src/mirror/mirror.ts'
import { hasProperty, MAX_STORED, mergeProperties, type Properties } from '../../src/mirror/properties.ts'
import { sql } from '../../src/sql/template.ts'
import { nextEngines, onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { bySize, halfInQuick, sampled } from '../helpers/assertions/figures.ts'
import { defined, itemAt, pick } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import {
  ask,
  compare,
  compareRows,
  deletePerson,
  deletionsOf,
  ERASE_MS,
  erase,
  filesOf,
  folderOf,
  HOUR_MS,
  hookedWriters,
  keeper,
  mirrorEvents,
  nodeOf,
  OPTIONS,
  optionsOf,
  ownerOf,
  pathsOf,
} from '../helpers/mirrored.ts'
import { until } from '../helpers/programs/site.ts'
import { uuid } from '../helpers/seeds/events.ts'
import { MIRROR_LIMITS, mirroredEvents, QUESTIONS, readMirrorFolder } from '../helpers/seeds/mirror.ts'
import { capture } from '../helpers/seeds/plugins.ts'
import { seeded } from '../helpers/seeds/seeded.ts'

const STEPS = bySize({ quick: 15, full: 60, prove: 3_000 })
const RACING_EVENTS = bySize({ quick: 120, full: 240 })
const SEED = Number(process.env.SEED ?? 20261119)
/** In the full size, their texts are larger than the memory of DuckDB. */
const LONG_EVENTS = bySize({ quick: 3_000, full: 20_000, prove: 100_000 })
t.setTimeout(bySize({ full: 7, prove: 60 }) * 60_000)
halfInQuick(t)

/** Makes a file as old as the clock of the server says. */
function makeOld(app: TestApp, path: string, minutes: number): void {
  const time = new Date(Date.parse(app.deps.now()) - minutes * 60_000)
  utimesSync(path, time, time)
}

onBothEngines(
  t,
  'questions have the same answers from the mirror, while events arrive, segments merge and files vanish',
  async (t, app) => {
    await capture(app, mirroredEvents(0, 15))
    await keeper(app).work()
    t.equal((await ask(app, QUESTIONS[0])).way, 'rows', 'a small project is not mirrored')
    await capture(app, mirroredEvents(15, 30))
    await mirrorEvents(app)
    await compare(t, app, 'one segment')
    await capture(app, mirroredEvents(30, 35))
    await compare(t, app, 'a tail')
    for (let i = 35; i < 200; i += 15) {
      await capture(app, mirroredEvents(i, i + 15))
      await mirrorEvents(app)
    }
    await compare(t, app, 'merged segments')
    t.ok((await catalog.listSegments(app.deps.events, ownerOf(app))).length < 6, 'segments are merged')
    for (const path of pathsOf(app)) rmSync(path)
    t.equal((await ask(app, QUESTIONS[0])).way, 'rows', 'without its files, rows answer')
    await keeper(app).work()
    await mirrorEvents(app)
    await compare(t, app, 'a new mirror')
  },
  OPTIONS,
)

onBothEngines(
  t,
  'deleted events leave the answers at once and all files before the deadline',
  async (t, app) => {
    await capture(app, mirroredEvents(0, 120))
    await mirrorEvents(app)
    const copied = itemAt(pathsOf(app), 0)
    const [orphan, unfinished, recent] = ['orphan.parquet', 'half.parquet.unfinished', 'recent.parquet'].map((name) =>
      join(folderOf(app), name),
    ) as [string, string, string]
    for (const path of [orphan, unfinished, recent]) copyFileSync(copied, path)
    makeOld(app, orphan, 11)
    makeOld(app, unfinished, 11)
    makeOld(app, recent, 9)
    await capture(app, mirroredEvents(120, 128))
    t.ok((await readMirrorFolder(folderOf(app))).text.includes('secret of person 3'), 'the files have the events')

    await deletePerson(app, 'person 3')
    await compare(t, app, 'a deletion that is queued')
    await app.deps.purger.work()
    await compare(t, app, 'a deleted person')
    await capture(
      app,
      mirroredEvents(128, 150).filter(({ distinct_id }) => distinct_id !== 'person 3'),
    )
    await mirrorEvents(app)
    await compare(t, app, 'segments after the deletion')
    await app.send('PATCH', `/api/projects/${app.first.project_id}/`, { body: { event_retention_days: 30 } })
    await app.deps.purger.work()
    await compare(t, app, 'retention')
    t.ok((await deletionsOf(app)).length > 20, 'the deletions are recorded')

    await erase(app)
    t.strictSame(await app.deps.events.all(sql`select * from mirror_deletions`), [])
    await compare(t, app, 'erased')
    const { names, text } = await readMirrorFolder(folderOf(app))
    t.ok(names.length > 0)
    t.ok(text.includes('secret of person 4'), 'the other persons stay')
    t.notOk(text.includes('person 3'), 'no file has the person')
    t.notOk(/"r[05]"/.test(text), 'no file has an expired event')
    t.strictSame(names.includes('orphan.parquet'), false)
    t.strictSame(names.includes('half.parquet.unfinished'), false)

    await app.send('DELETE', `/api/projects/${app.first.project_id}/`)
    await app.deps.purger.work()
    for (const path of pathsOf(app)) makeOld(app, path, 11)
    app.advance(HOUR_MS)
    await keeper(app).work()
    t.strictSame(filesOf(app), [], 'the files of a deleted project')
    for (const table of [sql`mirrors`, sql`mirror_segments`, sql`mirror_deletions`])
      t.strictSame(await app.deps.events.all(sql`select * from ${table}`), [])
  },
  OPTIONS,
)

// Positions differ between the engines, and with them the number of segments. Every second one deletes a person.
for (const engine of nextEngines())
  t.test(`events that are deleted while a segment is written do not come back (${engine})`, async (t) => {
    const app = await openApp(t, engine, OPTIONS)
    await keeper(app).stop()
    const deleted: string[] = []
    const kinds: string[] = []
    const persons = ['person 0', 'person 1', 'person 2', 'person 4', 'person 5', 'person 6']
    const failures: unknown[] = []
    const racing = createKeeper({
      ...optionsOf(app, (failure) => failures.push(failure)),
      node: nodeOf(app),
      writers: hookedWriters(t, app, async ({ kind }) => {
        kinds.push(kind)
        const person = kinds.length % 2 ? persons.pop() : undefined
        if (!person) return
        await deletePerson(app, person)
        await app.deps.purger.work()
        deleted.push(person)
        await compareRows(t, app, `${person} deleted before the catalog knows the ${kind} segment`)
      }),
      limits: { ...LIMITS, ...MIRROR_LIMITS },
    })
    for (let i = 0; i < RACING_EVENTS; i += 15) {
      await capture(app, mirroredEvents(i, i + 15))
      app.advance(60_000)
      await racing.work()
      await racing.work()
      await racing.work()
      await compareRows(t, app, `after ${i + 15} events`)
    }
    await until(async () => {
      await racing.work()
      return kinds.includes('sealed') && kinds.includes('merged')
    })
    app.advance(ERASE_MS)
    await until(async () => {
      await racing.work()
      return deleted.length > 3 && (await deletionsOf(app)).length === 0
    })
    app.advance(HOUR_MS)
    await racing.work()
    t.strictSame(failures, [])
    const events = await app.deps.events.all<{ distinct_id: string }>(sql`select distinct distinct_id from events`)
    const known = events.map(({ distinct_id }) => distinct_id)
    const { text } = await readMirrorFolder(folderOf(app))
    for (const person of deleted)
      if (!known.includes(person)) t.notOk(text.includes(`secret of ${person}`), `${person} is in no file`)
    await compareRows(t, app, 'at the end')
  })

onBothEngines(
  t,
  'two keepers with one folder keep each other’s files',
  async (t, app) => {
    await capture(app, mirroredEvents(0, 60))
    await mirrorEvents(app)
    const failures: { text: string }[] = []
    let meanwhile = async (): Promise<void> => undefined
    const { projects, ...options } = optionsOf(app, (failure) => failures.push(failure))
    const other = openMirror({
      ...options,
      projects: async (after) => {
        if (after === 0) await meanwhile()
        return projects(after)
      },
    })
    t.teardown(other.stop)
    // The first keeper adds and merges segments after the other one has read the folder.
    for (let i = 60; i < 150; i += 15) {
      meanwhile = async () => {
        await capture(app, mirroredEvents(i, i + 15))
        await mirrorEvents(app)
      }
      await other.keeper.work()
      await compare(t, app, `${i + 15} events`)
    }
    meanwhile = async () => undefined
    app.advance(HOUR_MS)
    await Promise.all([other.keeper.work(), keeper(app).work()])
    await compare(t, app, 'after both have cleaned up')
    // A round of one may replace segments that the other one merges. Then the other one retries.
    const lost = failures.filter(({ text }) => !text.includes('retrying'))
    t.strictSame(lost, [], 'no mirror begins again')
  },
  OPTIONS,
)

onBothEngines(
  t,
  'the mirror of a node that is gone is removed, and the one of a node that is back stays',
  async (t, app) => {
    const catalogRows = async (): Promise<number[]> => {
      const tables = [sql`mirrors`, sql`mirror_segments`, sql`mirror_deletions`]
      return Promise.all(tables.map(async (table) => (await app.deps.events.all(sql`select 1 from ${table}`)).length))
    }
    const deleteEventsOf = async (distinct_id: string): Promise<void> => {
      await deletePerson(app, distinct_id)
      await app.deps.purger.work()
    }
    await capture(app, mirroredEvents(0, 60))
    await mirrorEvents(app)
    app.advance(8 * 24 * HOUR_MS)
    await keeper(app).work()
    await app.deps.purger.work()
    await compare(t, app, 'a node that is back')

    await keeper(app).stop()
    await deleteEventsOf('person 1')
    t.notOk((await catalogRows()).includes(0), 'deletions are recorded while the node is away')
    app.advance(6 * 24 * HOUR_MS)
    await app.deps.purger.work()
    t.notOk((await catalogRows()).includes(0), 'for a week')
    app.advance(2 * 24 * HOUR_MS)
    await app.deps.purger.work()
    t.strictSame(await catalogRows(), [0, 0, 0])
    await deleteEventsOf('person 2')
    t.strictSame(await catalogRows(), [0, 0, 0], 'later deletions are not recorded')
    await compareRows(t, app, 'without a mirror')

    const other = openMirror(optionsOf(app))
    t.teardown(other.stop)
    await mirrorEvents(app, undefined, other.keeper)
    await deleteEventsOf('person 4')
    await compare(t, app, 'a new mirror in the same folder')
  },
  OPTIONS,
)

t.test('servers that start at the same time in an empty folder are one node', async (t) => {
  const app = await openApp(t, 'sqlite', OPTIONS)
  await capture(app, mirroredEvents(0, 30))
  const folder = join(freshFolder(t), 'new')
  const servers: EventMirror[] = []
  let names = 0
  const open = (): void => {
    const server = openMirror({
      ...optionsOf(app),
      folder,
      // The other server starts while this one writes the name of the folder.
      newName: () => {
        if (names++ === 0) open()
        return uuid(names)
      },
    })
    t.teardown(server.stop)
    servers.push(server)
  }
  open()
  for (const { keeper } of servers) await keeper.work()
  const nodes = await app.deps.events.all<{ node: string }>(sql`select node from mirrors`)
  t.strictSame(
    nodes.map(({ node }) => node),
    [readFileSync(join(folder, 'node'), 'utf8')],
  )
  t.equal(servers.length, 2)
  t.strictSame(
    readdirSync(folder).filter((name) => name.startsWith('node')),
    ['node'],
  )
})

t.test('a mirror that begins again while segments are replaced has no segment left', async (t) => {
  const app = await openApp(t, 'postgres', OPTIONS)
  for (let i = 0; i < 60; i += 20) {
    await capture(app, mirroredEvents(i, i + 20))
    await mirrorEvents(app)
  }
  await capture(app, mirroredEvents(60, 64))
  const { events } = app.deps
  const owner = ownerOf(app)
  const old = await catalog.listSegments(events, owner)
  const [first, last] = [itemAt(old, 0), itemAt(old, -1)]
  const merged = { ...last, from_position: first.from_position, file: 'merged.parquet', properties: '{}' }
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client(app.deps.config.DATABASE_URL)
    await client.connect()
    t.teardown(() => client.end())
    return client
  }
  // Both wait for the segments, in this order.
  const [locking, watching] = [await connect(), await connect()]
  await locking.query('begin; select * from mirror_segments for update')
  const waiting = (count: number) =>
    until(async () => {
      const { rows } = await watching.query(
        "select count(*) as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      )
      return Number(rows[0].count) >= count
    })
  const replaced = catalog.replaceSegments(events, owner, old, merged, [])
  await waiting(1)
  const removed = resetMirror(events, owner)
  await waiting(2)
  await locking.query('commit')
  await Promise.allSettled([replaced, removed])
  t.strictSame(await catalog.listSegments(events, owner), [])
  await compareRows(t, app, 'without a mirror')
})

// Positions differ between the engines, and with them the segments and the ways of the questions.
for (const engine of nextEngines())
  t.test(
    `random sequences of ingestion, deletion, rounds and lost files leave the answers right (${engine})`,
    async (t) => {
      const app = await openApp(t, engine, OPTIONS)
      const random = seeded(SEED)
      const ways = new Set<unknown>()
      const sent: object[] = []
      const take = (count: number) =>
        mirroredEvents(sent.length, sent.length + count).map((event, i) => ({
          ...event,
          uuid: uuid(sent.length + i + 1),
        }))
      const steps: [weight: number, name: string, step: () => Promise<void>][] = [
        [
          6,
          'ingest',
          async () => {
            const batch = take(1 + Math.floor(random() * 25))
            await capture(app, batch)
            sent.push(...batch)
          },
        ],
        [2, 'ingest duplicates', () => capture(app, [...sent.filter(() => random() < 0.2), ...take(1)])],
        [5, 'round', () => keeper(app).work()],
        [
          2,
          'mirror all',
          async () => {
            const [row] = await app.deps.events.all<{ count: number }>(sql`select count(*) as count from events`)
            if (Number(row?.count) >= MIRROR_LIMITS.min_events) await mirrorEvents(app)
          },
        ],
        [
          2,
          'delete a person',
          async () => {
            await deletePerson(app, `person ${Math.floor(random() * 7)}`)
          },
        ],
        [
          1,
          'retention',
          async () => {
            const days = 26 + Math.floor(random() * 6)
            await app.send('PATCH', `/api/projects/${app.first.project_id}/`, { body: { event_retention_days: days } })
            await app.deps.purger.work()
          },
        ],
        [
          1,
          'lose a file',
          async () => rmSync(pick(pathsOf(app).concat(join(folderOf(app), 'none')), random), { force: true }),
        ],
        [
          1,
          'empty the folder',
          async () => {
            for (const name of readdirSync(folderOf(app))) if (name !== 'node') rmSync(join(folderOf(app), name))
          },
        ],
        [1, 'pass an hour', async () => app.advance(HOUR_MS)],
        [1, 'erase', () => erase(app)],
      ]
      const first = take(MIRROR_LIMITS.min_events + MIRROR_LIMITS.min_segment)
      await capture(app, first)
      sent.push(...first)
      await mirrorEvents(app)
      const weighted = steps.flatMap(([weight, ...step]) => Array.from({ length: weight }, () => step))
      for (let i = 0; i < STEPS; i++) {
        const [name, step] = pick(weighted, random)
        await step()
        const questions = [pick(QUESTIONS, random), pick(QUESTIONS, random)]
        for (const way of await compareRows(t, app, `step ${i}: ${name}`, questions)) ways.add(way)
      }
      t.ok(ways.has('mirror'), 'the mirror answered some')
    },
  )

t.test('events with long texts fit into the memory of the processes', async (t) => {
  const mirrorLimits = { ...MIRROR_LIMITS, max_segment: LIMITS.max_segment, max_merged: LIMITS.max_merged }
  const app = await openApp(t, 'sqlite', { ...OPTIONS, mirrorLimits })
  const { project_id } = app.first
  await app.deps.events.run(sql`
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${LONG_EVENTS})
    insert into events (project_id, uuid, event, distinct_id, timestamp, created_at, properties, elements_chain)
    select ${project_id}, 'uuid ' || n, 'seen', 'person ' || (n % 7), n * 7919 % 1000003 * 1000000, 0,
      json_object('n', n, 'a', hex(randomblob(950)), 'b', hex(randomblob(950))), '' from numbers`)
  await mirrorEvents(app)
  const question = 'select distinct_id, count(), sum(toInt(properties.n)), max(properties.a) from events group by 1'
  t.strictSame(await compareRows(t, app, 'long texts', [question]), ['mirror'])
})

/** Properties that are hard to store in columns. A text that begins with `#` stands for a number in this form. */
const HOSTILE: Record<string, unknown>[] = [
  JSON.parse('{"__proto__": "p", "constructor": 1, "toString": {"a": 1}}'),
  { Plan: 'upper', plan: 'lower', PLAN: 'capital', '': 'empty', ' ': 'space', "it's": 1, 'a"b': 2, 'a\\b': 3 },
  { ['k'.repeat(300)]: 'long key', [`é${'ü'.repeat(99)}`]: 1, 'a.b': 1, $a: 2, ключ: 'x', '1': 1 },
  { large: 'x'.repeat(900_000) },
  { nested: nestedTo(60), list: [[[[1]]], { a: null }], empty: {}, none: null },
  ...[1e21, 1e-7, 0.1 + 0.2, 5e-324, 1.7976931348623157e308, 0.1, 999999999999999].map((x) => ({ x })),
  ...['123456789012345678', '-0', '1e400', '1.0', '1E2'].map((number) => ({ x: `#${number}` })),
  ...[
    '1e21',
    '1e99',
    '-0',
    ' 1',
    '1_000',
    '0x10',
    'NaN',
    'Infinity',
    '00012',
    '.5',
    '5.',
    '+1',
    '١',
    '',
    'null',
    '"',
    "'",
    '\\',
    'a\u0000b',
    '\ud800',
  ].map((x) => ({ x })),
  ...[true, false, null, [], {}, [1, 2], { a: 1 }].map((x) => ({ x })),
  {},
]
const HOSTILE_QUESTIONS = [
  ...[
    'x',
    '__proto__',
    'constructor',
    'toString',
    'Plan',
    'plan',
    'PLAN',
    '',
    ' ',
    "it\\'s",
    'key 7',
    'key 999',
    'nested',
    'list',
    'none',
    'large',
    'a.b',
    '1',
    'ключ',
    'k'.repeat(300),
  ].map(
    (key) =>
      `select length(toString(properties['${key}'])), min(properties['${key}']), count() from events group by 1 order by 1`,
  ),
  'select properties.x, count() from events group by 1',
  'select properties.x, sum(toFloat(properties.x)), max(toInt(properties.x)) from events group by 1',
  'select distinct_id, count() from events group by 1',
  'select toYear(timestamp), count(), min(timestamp), max(timestamp) from events group by 1',
  'select event, uniq(distinct_id) from events group by 1',
]

function nestedTo(depth: number): unknown {
  return depth ? { a: nestedTo(depth - 1) } : 'deep'
}

t.test('a merged segment has a limited number of properties, the most common ones', async (t) => {
  const part = (i: number): Properties => ({
    stored: Object.fromEntries(
      ['plan', ...Array.from({ length: 299 }, (_, k) => `key ${i} ${k}`)].map((key) => [
        key,
        { number: false, scale: 0, max: 0 },
      ]),
    ),
    left_out: [],
  })
  const parts = Array.from({ length: 8 }, (_, i) => part(i))
  const merged = mergeProperties(parts)
  t.equal(Object.keys(merged.stored).length, MAX_STORED)
  t.ok(Object.hasOwn(merged.stored, 'plan'))
  for (const key of parts.flatMap(({ stored }) => Object.keys(stored)))
    if (hasProperty(merged, key) !== Object.hasOwn(merged.stored, key)) t.fail(`${key} is neither stored nor left out`)
  t.notOk(hasProperty(merged, 'unknown'), 'too many are left out to list them')
})

onBothEngines(
  t,
  'hostile events have the same answers as rows, and the mirrors of other projects go on',
  async (t, app) => {
    const other = await app.stranger('other@example.com')
    await capture(app, mirroredEvents(0, 25))
    const times = ['1901-01-01T00:00:00Z', '1969-12-31T23:59:59.999Z', '2099-12-31T00:00:00Z', '2026-01-01T00:00:00Z']
    const ids = ["o'brien", '"quoted"', 'back\\slash', '; drop table mirrors; --', '💥', ' ', 'x'.repeat(190)]
    const hostile = HOSTILE.map((properties, i) => ({
      event: pick(['a', "b'c", '$d', 'é'], () => (i % 4) / 4),
      distinct_id: itemAt(ids, i % ids.length),
      timestamp: itemAt(times, i % times.length),
      properties,
    }))
    for (const event of hostile) {
      const body = JSON.stringify({ api_key: app.first.project_token, batch: [event] })
      const payload = body.replace(/"#([-.\de]+)"/gi, '$1')
      await app.send('POST', '/batch/', { key: null, raw: { type: 'application/json', payload } })
    }
    await compareRows(t, app, 'hostile events without a mirror', sampled(HOSTILE_QUESTIONS, 3))
    await mirrorEvents(app)
    const ways = await compareRows(t, app, 'hostile events', HOSTILE_QUESTIONS)
    t.ok(ways.filter((way) => way === 'mirror').length > 15, `the ways are ${ways}`)

    const withKeys = (i: number, count: number) => ({
      properties: Object.fromEntries(Array.from({ length: count }, (_, k) => [`key ${i * count + k}`, k])),
    })
    await capture(app, [withKeys(0, 1_000)])
    await capture(
      app,
      Array.from({ length: 30 }, (_, i) => withKeys(i, 200)),
    )
    await capture(app, mirroredEvents(25, 60))
    await app.deps.events.run(sql`
      insert into events (project_id, uuid, event, distinct_id, timestamp, created_at, properties, elements_chain)
      select ${other.project_id}, uuid, event, distinct_id, timestamp, created_at, properties, elements_chain from events
      where event = 'paid'`)
    await mirrorEvents(app)
    await mirrorEvents(app, other.project_id)
    await compareRows(t, app, 'many keys', sampled([...HOSTILE_QUESTIONS, ...QUESTIONS], 3))
    await capture(app, mirroredEvents(60, 64))
    await compareRows(t, app, 'a tail above hostile events', sampled([...HOSTILE_QUESTIONS, ...QUESTIONS], 3))
  },
  OPTIONS,
)

/** Replaces bytes at a place of the file. */
function overwrite(path: string, at: number, bytes: Buffer): void {
  const file = openSync(path, 'r+')
  writeSync(file, bytes, 0, bytes.length, at)
  closeSync(file)
}

/** Ways in which a file or a row of the catalog breaks. */
const DAMAGES: [name: string, damage: (app: TestApp, path: string) => unknown][] = [
  ['an empty file', (_, path) => truncateSync(path, 0)],
  ['half a file', (_, path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
  ['no footer', (_, path) => overwrite(path, statSync(path).size - 8, Buffer.alloc(8))],
  ['another text', (_, path) => overwrite(path, 0, Buffer.from('not Parquet'))],
  ['zeros in the data', (_, path) => overwrite(path, 4, Buffer.alloc(200))],
  ['no folder', (app) => rmSync(folderOf(app), { recursive: true })],
  [
    'broken JSON in the catalog',
    ({ deps }, path) =>
      deps.events.run(sql`update mirror_segments set properties = '{"stored":' where file = ${basename(path)}`),
  ],
]

for (const [name, damage] of sampled(DAMAGES, 5))
  onBothEngines(
    t,
    `the mirror recovers from damage: ${name}`,
    async (t, app) => {
      for (let i = 0; i < 80; i += 20) {
        await capture(app, mirroredEvents(i, i + 20))
        await mirrorEvents(app)
      }
      await compare(t, app, 'before')
      await deletePerson(app, 'person 3')
      const [segment] = await catalog.listSegments(app.deps.events, ownerOf(app))
      await damage(app, join(folderOf(app), defined(segment).file))
      await compareRows(t, app, 'damaged')
      // Erasing finds the damage, and the mirror begins again.
      await erase(app)
      await mirrorEvents(app)
      await compare(t, app, 'recovered')
    },
    OPTIONS,
  )

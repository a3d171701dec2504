/** Acknowledged events are stored exactly once, under concurrency and crashes. */

import { once } from 'node:events'
import pg from 'pg'
import { pino } from 'pino'
import { PostHog } from 'posthog-node'
import t, { type Test } from 'tap'
import { v7 } from 'uuid'
import { unavailable } from '../../src/errors.ts'
import { deleteEvents } from '../../src/events/counts.ts'
import type { NewEvent } from '../../src/events/normalize-event.ts'
import { deletePerson } from '../../src/events/person-list.ts'
import { personIdOf } from '../../src/events/persons.ts'
import { horizon } from '../../src/events/positions.ts'
import { createSessionCloser } from '../../src/events/sessions.ts'
import { createEventWriter } from '../../src/events/writer.ts'
import { addSegment, createMirror } from '../../src/mirror/catalog.ts'
import { isDistributed } from '../../src/sql/distribution.ts'
import { EVENTS } from '../../src/sql/migrate.ts'
import { openDatabase } from '../../src/sql/open.ts'
import { describeTables } from '../../src/sql/tables.ts'
import { type Engine, type Sql, sql } from '../../src/sql/template.ts'
import { nextEngines, openApp } from '../helpers/app.ts'
import { bySize, figure } from '../helpers/assertions/figures.ts'
import { itemAt, pick, textAt } from '../helpers/assertions/items.ts'
import { isSimulated } from '../helpers/programs/citus.ts'
import { serverPlace } from '../helpers/programs/postgres.ts'
import { startProcess } from '../helpers/programs/process.ts'
import { until } from '../helpers/programs/site.ts'
import { seeded } from '../helpers/seeds/seeded.ts'

const KILLS = bySize({ quick: 1, full: 3, prove: 25 })
const silent = pino({ level: 'silent' })

const eventOf = (changes: Partial<NewEvent>): NewEvent => ({
  project_id: 1,
  uuid: v7(),
  event: 'x',
  distinct_id: 'a',
  timestamp: 1,
  created_at: 1,
  properties: '{}',
  elements_chain: '',
  person: null,
  session: null,
  ...changes,
})

const onEach = (name: string, scenario: (t: Test, engine: Engine) => Promise<void>): void => {
  for (const engine of nextEngines()) t.test(`${name} (${engine})`, (t) => scenario(t, engine))
}

onEach('stores each event once when clients send duplicates concurrently', async (t, engine) => {
  const { deps, app, first } = await openApp(t, engine)
  const random = seeded(1)
  const pool = Array.from({ length: 400 }, () => v7())
  const expected = new Set<string>()
  const batches = Array.from({ length: bySize({ quick: 20, full: 60, prove: 500 }) }, () =>
    Array.from({ length: 1 + Math.floor(random() * 40) }, () => {
      const uuid = pick(pool, random)
      expected.add(uuid)
      const person = Math.floor(random() * 20)
      const alias = random() < 0.1
      return {
        uuid,
        event: alias ? '$create_alias' : 'x',
        distinct_id: `p${person}`,
        properties: { $set: { [`k${person}`]: uuid }, ...(alias && { alias: `p${Math.floor(random() * 20)}` }) },
      }
    }),
  )
  const responses = await Promise.all(
    batches.map((batch) =>
      app.inject({ method: 'POST', url: '/batch/', payload: { api_key: first.project_token, batch } }),
    ),
  )
  t.ok(responses.every(({ statusCode }) => statusCode === 200))
  const rows = await deps.events.all<{ uuid: string }>(sql`select uuid from events`)
  t.strictSame(rows.map(({ uuid }) => uuid).sort(), [...expected].sort(), 'each event is stored once')
  const lost = await deps.events.all(sql`
    select d.distinct_id from person_distinct_ids d left join persons p
      on p.project_id = d.project_id and p.id = d.person_id where p.id is null`)
  t.strictSame(lost, [], 'every distinct id has a person')
  const idle = await deps.events.all(sql`
    select p.id from persons p left join person_distinct_ids d
      on d.project_id = p.project_id and d.person_id = p.id where d.person_id is null`)
  t.strictSame(idle, [], 'every person has a distinct id')
})

t.test('two nodes write the same persons and events (postgres)', async (t) => {
  const { deps } = await openApp(t, 'postgres')
  const second = await openDatabase(deps.config.DATABASE_URL)
  t.teardown(() => second.close())
  const writers = [createEventWriter(deps.events, silent), createEventWriter(second, silent)]
  const random = seeded(2)
  const pool = Array.from({ length: 300 }, () => v7())
  const sent: string[] = []
  const change = (project_id: number, event_uuid: string) => ({
    project_id,
    distinct_id: `p${Math.floor(random() * 12)}`,
    event_uuid,
    timestamp: 1,
    set: { [event_uuid]: 1 },
    set_once: undefined,
    unset: [],
    identifies: random() < 0.3,
    other: random() < 0.3 ? `p${Math.floor(random() * 12)}` : undefined,
    forced: random() < 0.5,
    updates: true,
  })
  await Promise.all(
    Array.from({ length: bySize({ quick: 30, full: 100, prove: 1_000 }) }, async (_, i) => {
      const project_id = 1 + Math.floor(random() * 3)
      const events = Array.from({ length: 1 + Math.floor(random() * 30) }, () => {
        const uuid = pick(pool, random)
        const person = change(project_id, uuid)
        return eventOf({ uuid, project_id, distinct_id: person.distinct_id, person })
      })
      for (const { project_id, uuid } of events) sent.push(`${project_id} ${uuid}`)
      await writers[i % 2]!.add(events)
    }),
  )
  const rows = await deps.events.all<{ key: string }>(sql`select project_id || ' ' || uuid as key from events`)
  t.strictSame(rows.map(({ key }) => key).sort(), [...new Set(sent)].sort())
  const people = await deps.events.all<{ project_id: number; properties: Record<string, number> }>(
    sql`select project_id, properties from persons`,
  )
  const known = new Set(
    people.flatMap(({ project_id, properties }) => Object.keys(properties).map((key) => `${project_id} ${key}`)),
  )
  for (const { key } of rows) if (!known.has(key)) t.fail(`no person has the property of ${key}`)
  t.match(
    await deps.events.get(sql`
      select count(*) as lost from person_distinct_ids d left join persons p
        on p.project_id = d.project_id and p.id = d.person_id where p.id is null`),
    { lost: 0 },
  )
})

onEach('a failing request does not fail the others in its transaction', async (t, engine) => {
  const { deps } = await openApp(t, engine)
  const writer = createEventWriter(deps.events, silent)
  const good = [eventOf({}), eventOf({}), eventOf({})]
  const bad = eventOf({ event: null as unknown as string })
  const outcomes = await Promise.allSettled([
    writer.add([itemAt(good, 0)]),
    writer.add([itemAt(good, 1), bad]),
    writer.add([itemAt(good, 2)]),
  ])
  t.strictSame(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  const rows = await deps.events.all<{ uuid: string }>(sql`select uuid from events order by uuid`)
  t.strictSame(
    rows.map(({ uuid }) => uuid),
    [itemAt(good, 0).uuid, itemAt(good, 2).uuid].sort(),
  )
})

onEach('rejects events when the queue is full, and writes the queue on stop', async (t, engine) => {
  const { deps } = await openApp(t, engine)
  const writer = createEventWriter(deps.events, silent)
  const long = () => eventOf({ properties: JSON.stringify({ long: 'x'.repeat(20 * 1024 * 1024) }) })
  const taken = [writer.add([long()]), writer.add([long()])]
  t.doesNotThrow(() => writer.requireCapacity(1))
  for (let i = 0; i < 3; i++) taken.push(writer.add([eventOf({})]))
  await t.rejects(writer.add([long()]), { code: 'unavailable', retry_after_seconds: 5 })
  await writer.stop()
  await Promise.all(taken)
  t.equal(writer.queued_bytes(), 0)
  t.match(await deps.events.get(sql`select count(*) as count from events`), { count: 5 })
  await t.rejects(writer.add([eventOf({})]), { code: 'unavailable' })
})

onEach('a project with many queued events leaves memory to the others', async (t, engine) => {
  const { deps } = await openApp(t, engine)
  const writer = createEventWriter(deps.events, silent)
  const add = (project_id: number, megabytes: number) =>
    writer.add([eventOf({ project_id, properties: JSON.stringify({ long: 'x'.repeat(megabytes * 1024 * 1024) }) })])
  const taken = [add(1, 10), add(1, 10), add(1, 10), add(1, 10)]
  await t.rejects(add(1, 10), { code: 'unavailable' }, 'two thirds are the share of one project')
  taken.push(add(2, 10), add(3, 5))
  await t.rejects(add(2, 10), { code: 'unavailable' }, 'two projects have less each')
  t.throws(() => writer.requireCapacity(1), { code: 'unavailable' })
  for (const project_id of [2, 3, 4, undefined]) t.doesNotThrow(() => writer.requireCapacity(project_id))
  await Promise.all(taken)
  await t.resolves(add(1, 10), 'the memory is free again')
})

onEach('requests that arrive in order change persons in order, also in several transactions', async (t, engine) => {
  const { deps } = await openApp(t, engine)
  const writer = createEventWriter(deps.events, silent)
  const person = (n: number) => ({
    project_id: 1,
    distinct_id: 'a',
    event_uuid: v7(),
    timestamp: 1,
    set: { n },
    set_once: undefined,
    unset: [],
    identifies: false,
    other: undefined,
    forced: false,
    updates: true,
  })
  const session = { id: 's', url: null, isPageview: false }
  await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      writer.add(Array.from({ length: 500 }, () => eventOf({ person: person(n), session }))),
    ),
  )
  const stored = await deps.events.get<{ properties: string | { n: number } }>(sql`select properties from persons`)
  const properties = stored!.properties
  t.match(typeof properties === 'string' ? JSON.parse(properties) : properties, { n: 11 })
  t.match(await deps.events.get(sql`select count(*) as count from events`), { count: 6_000 })
  t.match(await deps.events.get(sql`select event_count from event_sessions`), { event_count: 6_000 })
  t.match(await deps.events.get(sql`select count from event_counts where event = ''`), { count: 6_000 })
})

/** Locks the hourly counts of projects, so that their commits wait. Returns a function that counts the waiting ones. */
async function lockCounts(t: Test, url: string, projects: readonly number[]) {
  const holder = new pg.Client(url)
  await holder.connect()
  t.teardown(() => holder.end())
  const names = projects.map((project_id) => `(${project_id}, 0, '', 1)`)
  await holder.query(`insert into event_counts (project_id, hour, event, count) values ${names}`)
  await holder.query('begin')
  await holder.query('select 1 from event_counts where project_id = any($1) for update', [projects])
  const waiting = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  return {
    waiting: async (): Promise<number> => (await holder.query(waiting)).rows[0].count,
    release: () => holder.query('commit'),
  }
}

t.test('commits of other projects do not wait for a project whose commit hangs (postgres)', async (t) => {
  const { deps } = await openApp(t, 'postgres')
  const url = deps.config.DATABASE_URL
  const db = await openDatabase(url, { connections: 4 })
  t.teardown(() => db.close())
  let unreachable = true
  const writer = createEventWriter(
    { ...db, tx: async (work) => (unreachable ? Promise.reject(unavailable('unreachable')) : db.tx(work)) },
    silent,
  )
  const add = (project_id: number) => writer.add([eventOf({ project_id })])
  const stuck = [2, 3, 4, 5]
  for (const outcome of await Promise.allSettled(stuck.map(add))) t.equal(outcome.status, 'rejected')

  unreachable = false
  const locks = await lockCounts(t, url, stuck)
  let finished = 0
  const hanging = stuck.map((project_id) => add(project_id).then(() => finished++))
  await until(async () => (await locks.waiting()) > 0)
  for (let i = 0; i < 10; i++) await Promise.all([add(1), add(6), add(7)])
  t.equal(await locks.waiting(), 1, 'one of the two connections for commits is left to the other projects')
  t.equal(finished, 0)
  t.match(await deps.events.get(sql`select count(*) as count from events`), { count: 30 })

  await locks.release()
  await Promise.all(hanging)
  await Promise.all(stuck.map(add))
  t.match(await deps.events.get(sql`select count(*) as count from events where project_id < 6`), { count: 18 })
})

t.test(
  'a request fails with 503 while the rows of its project are locked, and others succeed (postgres)',
  async (t) => {
    const { deps, send, first } = await openApp(t, 'postgres', { environment: { DATABASE_LOCK_MS: '300' } })
    const created = await send('POST', '/api/projects/', { body: { name: 'Other' } })
    const capture = (api_key: string) =>
      send('POST', '/batch/', {
        key: null,
        body: { api_key, batch: [{ event: 'x', distinct_id: 'a', timestamp: '1970-01-01T00:00:00Z' }] },
      })
    const locks = await lockCounts(t, deps.config.DATABASE_URL, [first.project_id])
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => capture(i % 2 ? first.project_token : created.body.api_token)),
    )
    for (const [i, { status, headers }] of responses.entries())
      if (i % 2) t.match({ status, headers }, { status: 503, headers: { 'retry-after': '5' } })
      else t.equal(status, 200)
    await locks.release()
    t.equal((await capture(first.project_token)).status, 200)
  },
)

t.test('a database node that is lost during the commit gives 503, and nothing is stored (postgres)', async (t) => {
  if (!isSimulated(t)) return
  const { deps, send, first } = await openApp(t, 'postgres')
  await deps.db.exec(`
    create function lose() returns trigger language plpgsql as
      $$ begin raise exception 'could not commit transaction for shard 102008 on at least one active node'
        using errcode = 'XX000'; end $$;
    create constraint trigger lost after insert on events deferrable initially deferred for each row
      when (new.event = 'lost') execute function lose()`)
  const capture = (event: string) =>
    send('POST', '/capture/', { key: null, body: { api_key: first.project_token, event, distinct_id: 'a' } })
  t.match(await capture('lost'), {
    status: 503,
    headers: { 'retry-after': '5' },
    body: { code: 'unavailable', detail: 'The database is unreachable. Retry in a moment.' },
  })
  t.equal((await capture('stored')).status, 200)
  t.same(await deps.events.all(sql`select event from events`), [{ event: 'stored' }])
})

t.test('nothing appears below the horizon while projects commit in parallel (postgres)', async (t) => {
  const { deps } = await openApp(t, 'postgres')
  const writer = createEventWriter(deps.events, silent)
  const countBelow = async (position: number): Promise<number> => {
    const row = await deps.events.get<{ count: number }>(
      sql`select count(*) as count from events where position < ${position}`,
    )
    return row!.count
  }
  const locks = await lockCounts(t, deps.config.DATABASE_URL, [9])
  const hanging = writer.add([eventOf({ project_id: 9 })])
  await until(async () => (await locks.waiting()) > 0)
  const seen: { position: number; count: number }[] = []
  let sending = true
  const observing = (async () => {
    while (sending) {
      const position = await horizon(deps.events)
      seen.push({ position, count: await countBelow(position) })
    }
  })()
  for (let i = 0; i < 30; i++) {
    await Promise.all([1, 2, 3, 4].map((project_id) => writer.add([eventOf({ project_id }), eventOf({ project_id })])))
    if (i === 15) await Promise.all([locks.release(), hanging])
  }
  sending = false
  await observing
  for (const { position, count } of seen) t.equal(await countBelow(position), count)
  // Open transactions of other suites on the same cluster delay the horizon.
  await until(async () => (await countBelow(await horizon(deps.events))) === 241)
})

t.test(
  'a transaction of events inserts no query result, which Citus would commit in two phases (postgres)',
  async (t) => {
    const { deps } = await openApp(t, 'postgres')
    const texts = new Set<string>()
    const db = await openDatabase(deps.config.DATABASE_URL, { observe: (_, text) => texts.add(text) })
    t.teardown(() => db.close())
    const writer = createEventWriter(db, silent)
    const person = (distinct_id: string, other?: string) => ({
      project_id: 1,
      distinct_id,
      event_uuid: v7(),
      timestamp: 1,
      set: { a: 1 },
      set_once: undefined,
      unset: [],
      identifies: other !== undefined,
      other,
      forced: true,
      updates: true,
    })
    const session = { id: 's', url: null, isPageview: false }
    await writer.add([eventOf({ person: person('a'), session }), eventOf({ distinct_id: 'b', person: person('b') })])
    await writer.add([eventOf({ person: person('a', 'b'), session })])
    await createSessionCloser({
      events: db,
      projects: async (after) => (after < 1 ? [1] : []),
      now: deps.now,
      log: silent,
    }).work()
    const deletion = { project_id: 1, person_id: personIdOf(1, 'a'), delete_events: true, deleted_at: 2 }
    await db.tx((tx) => deletePerson(tx, deletion))
    const owner = { project_id: 1, node: 'node' }
    await createMirror(db, owner, deps.now())
    const range = { from_position: 0, to_position: 1 }
    await addSegment(db, owner, { ...range, file: 'a.parquet', events: 1, properties: '{}' })
    t.equal(await deleteEvents(db, 1, sql`true`), 3)

    const distributed = (await describeTables(db)).filter(isDistributed).map(({ name }) => name)
    const written = new RegExp(`^\\s*insert into (${distributed.join('|')})\\b`)
    const inserts = [...texts].filter((text) => written.test(text))
    t.same(
      new Set(inserts.map((text) => textAt(written, text))),
      new Set(distributed),
      'every distributed table is written',
    )
    t.same(
      inserts.filter((text) => /\bselect\b/.test(text)),
      [],
    )
  },
)

const storedIn = async <Row>(url: string, query: Sql): Promise<Row[]> => {
  const db = await openDatabase(url, { file: EVENTS.file })
  try {
    return await db.all<Row>(query)
  } finally {
    await db.close()
  }
}

onEach('acknowledged events survive kill -9', async (t, engine) => {
  const DATABASE_URL = await serverPlace(t, engine)
  const random = seeded(3)
  const acknowledged = new Set<string>()
  for (let round = 0; round < KILLS; round++) {
    const { url, project_token, child, kill } = await startProcess(t, { DATABASE_URL })
    const exited = once(child, 'exit')
    let alive = true
    const sendOn = async (): Promise<void> => {
      while (alive) {
        const batch = Array.from({ length: 50 }, () => ({
          uuid: v7(),
          event: 'x',
          distinct_id: `p${Math.floor(random() * 99)}`,
        }))
        try {
          const body = JSON.stringify({ api_key: project_token, batch })
          const response = await fetch(`${url}/batch/`, { method: 'POST', body })
          if (response.status !== 200) continue
          for (const { uuid } of batch) acknowledged.add(uuid)
        } catch {
          return
        }
        if (acknowledged.size > goal) await kill()
      }
    }
    const goal = acknowledged.size + 200 + Math.floor(random() * 1_000)
    const senders = Array.from({ length: 6 }, sendOn)
    await exited
    alive = false
    await Promise.all(senders)
    const rows = await storedIn<{ uuid: string }>(DATABASE_URL, sql`select uuid from events`)
    const storedUuids = new Set(rows.map(({ uuid }) => uuid))
    const missing = [...acknowledged].filter((uuid) => !storedUuids.has(uuid))
    t.strictSame(missing, [], `round ${round}: ${acknowledged.size} acknowledged, ${storedUuids.size} stored`)
    t.ok(acknowledged.size > goal - 300)
  }
  const result = `all of ${acknowledged.size.toLocaleString('en')} acknowledged events stored`
  figure(t, { area: 'Events', count: KILLS, of: 'kills', result, seed: 3 })
})

onEach('the published client library delivers every event once', async (t, engine) => {
  const DATABASE_URL = await serverPlace(t, engine)
  const { url, project_token } = await startProcess(t, { DATABASE_URL })
  const posthog = new PostHog(project_token, { host: url, flushAt: 20, flushInterval: 50 })
  const failures: unknown[] = []
  posthog.on('error', (error) => failures.push(error))
  for (let i = 0; i < 250; i++)
    posthog.capture({ distinctId: `user-${i % 10}`, event: 'counted', properties: { i, text: 'ümläut 🦔' } })
  await posthog.flush()
  posthog.identify({ distinctId: 'user-1', properties: { email: 'one@example.com' } })
  posthog.alias({ distinctId: 'user-1', alias: 'other-1' })
  posthog.capture({ distinctId: 'other-1', event: 'after the alias' })
  await posthog.shutdown()
  t.strictSame(failures, [])

  const rows = await storedIn<{ event: string; properties: string }>(
    DATABASE_URL,
    sql`select event, cast(properties as text) as properties from events order by seq`,
  )
  const counted = rows.filter(({ event }) => event === 'counted').map(({ properties }) => JSON.parse(properties))
  t.strictSame(
    counted.map(({ i }) => i).sort((a, b) => a - b),
    Array.from({ length: 250 }, (_, i) => i),
  )
  t.ok(counted.every(({ text, $lib }) => text === 'ümläut 🦔' && $lib === 'posthog-node'))
  t.equal(rows.length, 253)
  const people = await storedIn<{ properties: string; is_identified: boolean | number }>(
    DATABASE_URL,
    sql`select cast(p.properties as text) as properties, p.is_identified
      from person_distinct_ids d join persons p on p.project_id = d.project_id and p.id = d.person_id
      where d.distinct_id in ('user-1', 'other-1')`,
  )
  t.equal(people.length, 2)
  for (const { properties, is_identified } of people)
    t.match([JSON.parse(properties), Boolean(is_identified)], [{ email: 'one@example.com' }, true])
})

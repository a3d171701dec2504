/** Acknowledged events are stored exactly once, under concurrency and crashes. */
import { once } from 'node:events'
import { pino } from 'pino'
import { PostHog } from 'posthog-node'
import t, { type Test } from 'tap'
import { v7 } from 'uuid'
import type { NewEvent } from '../../src/events/normalize-event.ts'
import { createEventWriter } from '../../src/events/writer.ts'
import { EVENTS } from '../../src/sql/migrate.ts'
import { openDatabase } from '../../src/sql/open.ts'
import { type Engine, type Sql, sql } from '../../src/sql/template.ts'
import { ENGINES, openApp } from '../helpers/app.ts'
import { figure, PROVE } from '../helpers/figures.ts'
import { emptyPlace } from '../helpers/postgres.ts'
import { startProcess } from '../helpers/process.ts'
import { seeded } from '../helpers/seeded.ts'

const KILLS = PROVE ? 25 : 3
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
  for (const engine of ENGINES) t.test(`${name} (${engine})`, (t) => scenario(t, engine))
}

onEach('stores each event once when clients send duplicates concurrently', async (t, engine) => {
  const { deps, app, first } = await openApp(t, engine)
  const random = seeded(1)
  const pool = Array.from({ length: 400 }, () => v7())
  const expected = new Set<string>()
  const batches = Array.from({ length: PROVE ? 500 : 60 }, () =>
    Array.from({ length: 1 + Math.floor(random() * 40) }, () => {
      const uuid = pool[Math.floor(random() * pool.length)]!
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
  const change = (event_uuid: string) => ({
    project_id: 1 + Math.floor(random() * 3),
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
    Array.from({ length: PROVE ? 1_000 : 100 }, async (_, i) => {
      const events = Array.from({ length: 1 + Math.floor(random() * 30) }, () => {
        const uuid = pool[Math.floor(random() * pool.length)]!
        const person = change(uuid)
        return eventOf({ uuid, project_id: person.project_id, distinct_id: person.distinct_id, person })
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
    writer.add([good[0]!]),
    writer.add([good[1]!, bad]),
    writer.add([good[2]!]),
  ])
  t.strictSame(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  const rows = await deps.events.all<{ uuid: string }>(sql`select uuid from events order by uuid`)
  t.strictSame(
    rows.map(({ uuid }) => uuid),
    [good[0]!.uuid, good[2]!.uuid].sort(),
  )
})

onEach('rejects events when the queue is full, and writes the queue on stop', async (t, engine) => {
  const { deps } = await openApp(t, engine)
  const writer = createEventWriter(deps.events, silent)
  const long = () => eventOf({ properties: JSON.stringify({ long: 'x'.repeat(24 * 1024 * 1024) }) })
  const taken = [writer.add([long()]), writer.add([long()])]
  t.doesNotThrow(writer.requireCapacity)
  for (let i = 0; i < 3; i++) taken.push(writer.add([eventOf({})]))
  await t.rejects(writer.add([long()]), { code: 'unavailable', retry_after_seconds: 5 })
  await writer.stop()
  await Promise.all(taken)
  t.match(await deps.events.get(sql`select count(*) as count from events`), { count: 5 })
  await t.rejects(writer.add([eventOf({})]), { code: 'unavailable' })
})

const storedIn = async <Row>(url: string, query: Sql): Promise<Row[]> => {
  const db = await openDatabase(url, { file: EVENTS.file })
  try {
    return await db.all<Row>(query)
  } finally {
    await db.close()
  }
}

onEach('acknowledged events survive kill -9', async (t, engine) => {
  const DATABASE_URL = await emptyPlace(t, engine)
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
  const DATABASE_URL = await emptyPlace(t, engine)
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

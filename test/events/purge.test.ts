/** Background deletion of events, in chunks and across restarts. */
import t from 'tap'
import { ingest } from '../../src/events/ingest.ts'
import { createPurger } from '../../src/events/purge.ts'
import { createSessionCloser } from '../../src/events/sessions.ts'
import type { Db } from '../../src/sql/db.ts'
import { rows, sql } from '../../src/sql/template.ts'
import { idsAfter } from '../../src/store/projects.ts'
import * as purges from '../../src/store/purges.ts'
import { deleteBefore } from '../../src/store/rows.ts'
import { onBothEngines, openApp } from '../helpers/app.ts'
import { rowOf } from '../helpers/assertions/items.ts'
import { simulateNodes } from '../helpers/peers/nodes-of-projects.ts'
import { isSimulated } from '../helpers/programs/citus.ts'
import { insertEvents, insertPerson, NEW_YEAR, recordsOf, uuid } from '../helpers/seeds/events.ts'

const DAY = 86_400_000_000
const silent = { info: () => undefined, error: () => undefined }

async function countRemaining(db: Db): Promise<Record<string, number>> {
  const count = async (table: 'events' | 'persons' | 'person_distinct_ids', project_id: number) =>
    (
      await rowOf<{ n: number }>(
        db,
        table === 'events'
          ? sql`select count(*) as n from events where project_id = ${project_id}`
          : table === 'persons'
            ? sql`select count(*) as n from persons where project_id = ${project_id}`
            : sql`select count(*) as n from person_distinct_ids where project_id = ${project_id}`,
      )
    ).n
  const found: Record<string, number> = {}
  for (const project of [1, 2, 3])
    found[project] =
      (await count('events', project)) +
      (await count('persons', project)) +
      (await count('person_distinct_ids', project))
  return found
}

onBothEngines(t, 'deletes all events of a deleted project', async (t, app) => {
  const { deps, send } = app
  const { body: project } = await send('POST', '/api/projects/', { body: { name: 'doomed' } })
  const other = await app.stranger('stranger@example.com')
  t.strictSame([project.id, other.project_id], [2, 3])
  await insertEvents(
    deps.events,
    1,
    Array.from({ length: 5 }, () => ({})),
  )
  await insertEvents(
    deps.events,
    2,
    Array.from({ length: 2_345 }, () => ({})),
  )
  await insertEvents(
    deps.events,
    3,
    Array.from({ length: 7 }, () => ({})),
  )
  await insertPerson(deps.events, 2, { id: uuid(1), distinct_ids: ['a', 'b'] })
  await insertPerson(deps.events, 3, { id: uuid(1), distinct_ids: ['a'] })
  t.strictSame(await countRemaining(deps.events), { 1: 5, 2: 2_348, 3: 9 })

  t.equal((await send('DELETE', `/api/projects/${project.id}/`)).status, 204)
  await deps.purger.work()
  t.strictSame(await countRemaining(deps.events), { 1: 5, 2: 0, 3: 9 })
  t.equal((await purges.list(deps.db)).length, 1, 'the project stays queued for another check')
  await insertEvents(deps.events, 2, [{}])
  app.advance(61_000)
  await deps.purger.work()
  t.strictSame(await countRemaining(deps.events), { 1: 5, 2: 0, 3: 9 }, 'late events are deleted too')
  t.strictSame(await purges.list(deps.db), [])

  t.equal((await send('DELETE', `/api/organizations/${other.organization_id}/`, { key: other.key })).status, 204)
  await deps.purger.work()
  t.strictSame(await countRemaining(deps.events), { 1: 5, 2: 0, 3: 0 })
})

onBothEngines(t, 'deletes events past the retention of their project', async (t, app) => {
  const { deps, send } = app
  const at = (days: number) => ({ uuid: uuid(days + 1), timestamp: NEW_YEAR - days * DAY })
  await insertEvents(deps.events, 1, [at(0), at(29), at(31), at(400)])
  await insertEvents(
    deps.events,
    1,
    Array.from({ length: 1_500 }, () => ({ timestamp: NEW_YEAR - 50 * DAY })),
  )
  await insertEvents(deps.events, 9, [at(400)])
  await deps.purger.work()
  t.match(await countRemaining(deps.events), { 1: 1_504 }, 'by default no event is deleted')
  await send('PATCH', '/api/projects/1/', { body: { event_retention_days: 30 } })
  await deps.purger.work()
  t.match(await countRemaining(deps.events), { 1: 2 })
  app.advance((2 * DAY) / 1000)
  await deps.purger.work()
  t.strictSame(
    recordsOf(await send('GET', '/api/projects/1/events/')).map(({ id }) => id),
    [uuid(1)],
  )
  const elsewhere = await deps.events.get(sql`select 1 as there from events where project_id = 9`)
  t.ok(elsewhere, 'events of another project are not deleted')
})

onBothEngines(t, 'continues an interrupted deletion', async (t, app) => {
  const { deps, send } = app
  const { body: project } = await send('POST', '/api/projects/', { body: { name: 'doomed' } })
  await insertEvents(
    deps.events,
    project.id,
    Array.from({ length: 2_500 }, () => ({})),
  )
  await deps.purger.stop()
  await send('DELETE', `/api/projects/${project.id}/`)
  let chunks = 0
  const failing: Db = {
    ...deps.events,
    tx: (work) => (++chunks === 3 ? Promise.reject(new Error('the connection failed')) : deps.events.tx(work)),
  }
  const known = {
    queued: () => purges.list(deps.db),
    done: (id: number) => purges.remove(deps.db, id),
    retentions: () => purges.retentions(deps.db),
    projects: async () => [],
    deletePersons: async () => undefined,
    removeExpired: async () => undefined,
  }
  const options = { purges: known, now: deps.now, log: silent }
  const first = createPurger({ ...options, events: failing })
  await first.work()
  await first.stop()
  t.match(await countRemaining(deps.events), { 2: 2_100 })
  const second = createPurger({ ...options, events: deps.events })
  await second.work()
  t.match(await countRemaining(deps.events), { 2: 0 })
  await second.stop()
})

t.test('goes on with other projects while the database node of one is down (postgres)', async (t) => {
  if (!isSimulated(t)) return
  const { deps, send } = await openApp(t, 'postgres')
  const { events } = deps
  const failures: object[] = []
  const log = { ...silent, error: (fields: object) => failures.push(fields) }
  await Promise.all([deps.purger.stop(), deps.sessionCloser.stop()])
  const now = (): string => '2027-01-01T00:00:00.000Z'
  for (const name of ['Second', 'Third', 'Fourth']) await send('POST', '/api/projects/', { body: { name } })
  for (const project_id of [1, 2, 3, 4])
    await events.tx((tx) =>
      ingest(tx, [
        {
          project_id,
          uuid: uuid(project_id),
          event: 'seen',
          distinct_id: 'ada',
          timestamp: NEW_YEAR,
          created_at: NEW_YEAR,
          properties: '{}',
          elements_chain: '',
          person: null,
          session: { id: 'visit', url: null, isPageview: true },
        },
      ]),
    )
  for (const id of [2, 3]) await send('DELETE', `/api/projects/${id}/`)
  const nodes = await simulateNodes(events)
  for (const id of [1, 2]) await nodes.lose(id)
  const projects = (after: number) => idsAfter(deps.db, after)
  const purger = createPurger({
    events,
    now,
    log,
    purges: {
      queued: () => purges.list(deps.db),
      done: (id) => purges.remove(deps.db, id),
      retentions: async () => [1, 4].map((project_id) => ({ project_id, days: 30 })),
      projects,
      deletePersons: async () => undefined,
      removeExpired: async () => undefined,
    },
  })
  const closer = createSessionCloser({ events, projects, now, log })
  await closer.work()
  await purger.work()
  t.match(failures, [{ project: 1 }, { project: 2 }, { project: 1 }])
  t.match(await purges.list(deps.db), [{ project_id: 2 }], 'the other deleted project is done')
  for (const id of [1, 2]) await nodes.restore(id)
  t.strictSame(await countRemaining(events), { 1: 1, 2: 1, 3: 0 })
  t.strictSame(await events.all(sql`select project_id from session_changes`), [{ project_id: 4 }])
  t.equal((await events.all(sql`select 1 from events where project_id = 4`)).length, 0)
  await Promise.all([purger.stop(), closer.stop()])
})

onBothEngines(t, 'a shutdown stops the deletion of expired rows', async (t, { deps: { db, purger } }) => {
  const names = Array.from({ length: 1_000 }, (_, i) => `name ${i}`)
  await db.run(sql`
    insert into sign_in_failures (name, failures, blocked_until, last_failed_at)
    values ${rows(names.map((name) => [name, 1, '2020', '2020']))}`)
  const left = async () => (await rowOf<{ n: number }>(db, sql`select count(*) as n from sign_in_failures`)).n
  let asked = 0
  const work = {
    get stopped() {
      return ++asked > 2
    },
  }
  await deleteBefore(db, work, 'sign_in_failures', ['name'], 'last_failed_at', '2021')
  t.equal(await left(), 600)
  await purger.stop()
  await purger.work()
  t.equal(await left(), 600)
})

/** Resolves after this many microtasks. */
async function microtasks(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await undefined
}

t.test('a wake-up at the end of a round starts another', async (t) => {
  for (let delay = 0; delay < 12; delay++) {
    let rounds = 0
    const purger = createPurger({
      events: { all: async (): Promise<never[]> => [] } as unknown as Db,
      now: () => '2026-01-01T00:00:00.000Z',
      log: silent,
      purges: {
        queued: async () => [],
        projects: async () => [],
        done: async () => undefined,
        deletePersons: async () => undefined,
        removeExpired: async () => undefined,
        retentions: async () => {
          if (rounds++ === 0) void microtasks(delay).then(purger.wake)
          return []
        },
      },
    })
    purger.start()
    purger.wake()
    await new Promise((later) => setImmediate(later))
    t.equal(rounds, 2, `${delay} microtasks later`)
    await purger.stop()
  }
})

import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { v7 } from 'uuid'
import { type NewEvent, normalizeEvent } from '../../src/events/normalize-event.ts'
import { eventsOf } from '../../src/events/payload.ts'
import { personIdOf } from '../../src/events/persons.ts'
import { COLUMN_TYPES } from '../../src/sql/column-types.ts'
import { EVENTS } from '../../src/sql/migrate.ts'
import type { Benchmark } from '../benchmark.ts'
import { startOnPostgres } from '../postgres.ts'
import {
  eventName,
  fetchBody,
  PEOPLE,
  properties,
  startWorkspace,
  tempFolder,
  timed,
  type Workspace,
} from '../workspace.ts'

const BATCHES = 200
const BATCH = 100
const CONNECTIONS = 8

let workspace: Workspace
let onPostgres: Workspace
let raw: Sqlite.Database

const batch = (size = BATCH): object[] =>
  Array.from({ length: size }, (_, i) => ({
    uuid: v7(),
    event: eventName(i),
    distinct_id: `person-${Math.floor(Math.random() * PEOPLE)}`,
    timestamp: new Date().toISOString(),
    properties: properties(i),
  }))

export const bodyFor = ({ project_token }: Workspace, size = BATCH): Buffer =>
  Buffer.from(JSON.stringify({ api_key: project_token, batch: batch(size) }))

/** Sends batches on several connections. */
export async function sendBatches(to: Workspace, count: number, body: () => Buffer): Promise<void> {
  let remaining = count
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (remaining-- > 0) await fetchBody(to, '/batch/', { body: body() })
    }),
  )
}

async function overHttp(to: Workspace): Promise<number> {
  const bodies = Array.from({ length: BATCHES }, () => bodyFor(to))
  return timed(() => sendBatches(to, BATCHES, () => bodies.pop() ?? bodyFor(to)))
}

/** Inserts the rows that the server stores for such batches directly: the maximum speed of the engine. */
async function directInserts(): Promise<number> {
  const batches: NewEvent[][] = []
  for (let i = 0; i < BATCHES; i++) {
    const arrival = { project_id: 1, now: Date.now() * 1000, sent_at: null, address: '127.0.0.1', uuid: v7 }
    batches.push((await eventsOf({ batch: batch() })).flatMap((sent) => normalizeEvent(sent, arrival) ?? []))
  }
  const event = raw.prepare(
    'insert into events (project_id, uuid, event, distinct_id, timestamp, created_at, properties, elements_chain) values (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const person = raw.prepare('insert into persons values (?, ?, ?, ?, ?, ?, 0)')
  const id = raw.prepare('insert into person_distinct_ids values (?, ?, ?)')
  const known = new Set(raw.prepare('select distinct_id from person_distinct_ids').pluck().all())
  const store = raw.transaction((events: NewEvent[]) => {
    for (const e of events) {
      event.run(1, e.uuid, e.event, e.distinct_id, e.timestamp, e.created_at, e.properties, e.elements_chain)
      if (known.has(e.distinct_id)) continue
      known.add(e.distinct_id)
      const person_id = personIdOf(1, e.distinct_id)
      person.run(1, person_id, '{}', 0, e.distinct_id, e.timestamp)
      id.run(1, e.distinct_id, person_id)
    }
  })
  return timed(() => {
    for (const events of batches) store(events)
  })
}

async function setup(): Promise<() => void> {
  workspace = await startWorkspace()
  onPostgres = await startOnPostgres()
  raw = new Sqlite(join(tempFolder(), EVENTS.file))
  raw.pragma('journal_mode = wal')
  raw.pragma('synchronous = full')
  for (const migration of EVENTS.migrations) raw.exec(migration(COLUMN_TYPES.sqlite))
  return () => raw.close()
}

const HTTP = `${(BATCHES * BATCH).toLocaleString('en')} events over HTTP`
const HTTP_POSTGRES = `${HTTP} on PostgreSQL`
const DIRECT = 'direct inserts of the same rows'

export const ingestion: Benchmark = {
  name: 'events.in',
  description: 'Ingestion reaches at least half of the insert speed of the engine. Acknowledged events are durable.',
  rounds: 5,
  setup,
  variants: {
    [DIRECT]: directInserts,
    [HTTP]: () => overHttp(workspace),
    [HTTP_POSTGRES]: () => overHttp(onPostgres),
  },
  limits: [{ subject: HTTP, against: DIRECT, atMost: 2 }],
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { v7 } from 'uuid'
import { eventsOf } from '../../src/events/payload.ts'
import { personIdOf } from '../../src/events/persons.ts'
import { type NewEvent, shape } from '../../src/events/shape.ts'
import { DIALECTS } from '../../src/sql/dialect.ts'
import { EVENTS } from '../../src/sql/migrate.ts'
import type { Trial } from '../trial.ts'

const BATCHES = 200
const BATCH = 100
const CONNECTIONS = 8
const PEOPLE = 2_000

let folder: string
let server: ChildProcess
let url: URL
let token: string
let raw: Sqlite.Database

/** What a browser sends, about 400 bytes of properties. */
const batch = (): object[] =>
  Array.from({ length: BATCH }, (_, i) => ({
    uuid: v7(),
    event: ['$pageview', '$autocapture', 'order placed', 'signed up'][i % 4],
    distinct_id: `person-${Math.floor(Math.random() * PEOPLE)}`,
    timestamp: new Date().toISOString(),
    properties: {
      $lib: 'web',
      $lib_version: '1.154.0',
      $session_id: v7(),
      $window_id: v7(),
      $insert_id: v7(),
      $screen_height: 1080,
      $screen_width: 1920,
      plan: 'free',
      price: i * 1.5,
      items: [1, 2, 3],
      title: 'A page with a title of ordinary length',
    },
  }))

async function overHttp(): Promise<number> {
  const bodies = Array.from({ length: BATCHES }, () => Buffer.from(JSON.stringify({ api_key: token, batch: batch() })))
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const start = performance.now()
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let body = bodies.pop(); body; body = bodies.pop()) await send(agent, body)
    }),
  )
  const milliseconds = performance.now() - start
  agent.destroy()
  return milliseconds
}

function send(agent: Agent, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const sent = request(new URL('/batch/', url), { method: 'POST', agent, headers }, (response) => {
      response.resume()
      response.on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`))))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The rows that the server makes of such batches, by hand: as fast as the engine goes. */
async function byHand(): Promise<number> {
  const batches: NewEvent[][] = []
  for (let i = 0; i < BATCHES; i++) {
    const arrival = { project_id: 1, now: Date.now() * 1000, sent_at: null, address: '127.0.0.1', uuid: v7 }
    batches.push((await eventsOf({ batch: batch() })).map((sent) => shape(sent, arrival)!))
  }
  const event = raw.prepare(
    'insert into events (project_id, uuid, event, distinct_id, timestamp, created_at, properties, elements_chain) values (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const person = raw.prepare('insert into persons values (?, ?, ?, ?, ?, ?)')
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
  const start = performance.now()
  for (const events of batches) store(events)
  return performance.now() - start
}

async function setup(): Promise<() => Promise<void>> {
  folder = mkdtempSync(join(tmpdir(), 'workspace-bench-'))
  const serve = ['dist/workspace-admin.js', 'serve', '--json', '--port', '0', '--database', `sqlite:${folder}/server`]
  server = spawn(process.execPath, serve, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, LOG_LEVEL: 'error', RATE_LIMITS: 'false' },
  })
  const [line] = await once(server.stdout!, 'data')
  const ready = JSON.parse(String(line))
  url = new URL(ready.url)
  token = ready.project_token
  raw = new Sqlite(join(folder, EVENTS.file))
  raw.pragma('journal_mode = wal')
  raw.pragma('synchronous = full')
  for (const migration of EVENTS.migrations) raw.exec(migration(DIALECTS.sqlite))
  return async () => {
    raw.close()
    server.kill('SIGTERM')
    await once(server, 'exit')
    rmSync(folder, { recursive: true })
  }
}

const HTTP = `${(BATCHES * BATCH).toLocaleString('en')} events over HTTP`
const LOOP = 'the same rows by hand'

export const events: Trial = {
  name: 'events',
  why: 'Events come in as fast as half of what the engine can store, acknowledged when they are durable.',
  rounds: 5,
  setup,
  contestants: { [LOOP]: byHand, [HTTP]: overHttp },
  bars: [{ subject: HTTP, against: LOOP, atMost: 2 }],
}

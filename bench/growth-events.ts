/**
 * Simulated events of many projects, in the order in which they would arrive: sessions of 20 events with persons, stored
 * with the rows that ingestion keeps beside them.
 */
import type pg from 'pg'
import { v7 } from 'uuid'
import { HOUR, hourOf } from '../src/events/counts.ts'
import { personIdOf } from '../src/events/persons.ts'
import { copyLines, EVENT_COLUMNS, line } from './postgres.ts'

const EVENTS_PER_SESSION = 20
/** Sessions that take place at the same time. */
const CONCURRENT_SESSIONS = 250
const WAVE_EVENTS = EVENTS_PER_SESSION * CONCURRENT_SESSIONS
const WAVES_PER_TRANSACTION = 10
/** Every n-th event is kept for requests of single events. */
const SAMPLE_EVERY = 97
const MAX_SAMPLES = 20_000
const NEW_PERSONS = 0.5

/** Names with their share of the events. */
const NAMES: readonly (readonly [name: string, share: number])[] = [
  ['$pageview', 0.45],
  ['$autocapture', 0.3],
  ['$pageleave', 0.15],
  ['search', 0.05],
  ['product added', 0.03],
  ['order placed', 0.02],
]
export const RARE_EVENT = 'order placed'
const PAGES = [
  '/',
  '/pricing',
  '/docs/getting-started',
  '/products/42?color=green&size=m',
  '/checkout/address',
  '/account',
]
const ELEMENTS =
  'button.btn.btn-primary:attr__class="btn btn-primary"nth-child="2"nth-of-type="1"text="Continue";div.card:nth-child="3"nth-of-type="3";main:nth-child="2"nth-of-type="1"'

/** A generator of repeatable numbers from 0 to 1 (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Chooses an item by its weight. */
function weighted<Item>(items: readonly (readonly [Item, number])[]): (share: number) => Item {
  const total = items.reduce((sum, [, weight]) => sum + weight, 0)
  let sum = 0
  const ends = items.map(([item, weight]) => {
    sum += weight
    return [item, sum / total] as const
  })
  const last = ends.at(-1)
  if (!last) throw new Error('there are no items to choose from')
  return (share) => (ends.find(([, end]) => share < end) ?? last)[0]
}

/** The properties of a browser event. With the other columns, an event has about 1 kB. */
export const browserProperties = (session_id: string, page: string, id: string, number: number): object => ({
  $os: 'Mac OS X',
  $os_version: '10.15.7',
  $browser: 'Chrome',
  $browser_version: 131,
  $device_type: 'Desktop',
  $current_url: `https://shop.example.com${page}`,
  $host: 'shop.example.com',
  $pathname: page,
  $referrer: 'https://www.google.com/',
  $referring_domain: 'www.google.com',
  $raw_user_agent:
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  $browser_language: 'en-US',
  $screen_height: 1080,
  $screen_width: 1920,
  $viewport_height: 934,
  $viewport_width: 1745,
  $lib: 'web',
  $lib_version: '1.203.1',
  $insert_id: id,
  $session_id: session_id,
  $window_id: session_id,
  title: 'Green T-shirt, size M | The Example Shop',
  plan: number % 5 === 0 ? 'paid' : 'free',
  price: (number % 400) / 4,
})

interface Session {
  project_id: number
  session_id: string
  distinct_id: string
  start_timestamp: number
  end_timestamp: number
  event_count: number
  pageview_count: number
  entry_url: string
  exit_url: string
}

interface NewPerson {
  project_id: number
  id: string
  distinct_id: string
  properties: string
  created_at: number
}

/** Writes the events of several projects, the first of which gets the most: a hundred projects give it 19 %. */
export class EventSeries {
  /** Some uuids of the first project. */
  readonly samples: string[] = []
  private readonly random = randomFrom(1)
  private readonly chooseName = weighted(NAMES)
  private readonly chooseProject: (share: number) => number
  private readonly people = new Map<number, number>()
  private written = 0

  /** The whole series begins at `start` (milliseconds) and has one event every `step` microseconds. */
  constructor(
    private readonly projects: readonly number[],
    private readonly start: number,
    private readonly step: number,
  ) {
    this.chooseProject = weighted(projects.map((id, rank) => [id, 1 / (rank + 1)] as const))
  }

  get count(): number {
    return this.written
  }

  /** The time of the event with this number, in microseconds. */
  timeOf(number: number): number {
    return this.start * 1_000 + Math.floor(number * this.step)
  }

  /** Continues the series up to `count` events, rounded up to whole sessions. */
  async write(client: pg.Client, count: number, onProgress: () => void): Promise<void> {
    while (this.written < count) {
      const sessions: Session[] = []
      const persons: NewPerson[] = []
      const counts = new Map<string, number>()
      const waves = Math.min(WAVES_PER_TRANSACTION, Math.ceil((count - this.written) / WAVE_EVENTS))
      await client.query('begin')
      await copyLines(client, EVENT_COLUMNS, this.lines(waves, sessions, persons, counts))
      await client.query(STORE_PERSONS, [JSON.stringify(persons)])
      await client.query(STORE_SESSIONS, [JSON.stringify(sessions)])
      await client.query(STORE_COUNTS, [JSON.stringify([...counts].map(([key, count]) => [...JSON.parse(key), count]))])
      await client.query('commit')
      onProgress()
    }
  }

  private *lines(
    waves: number,
    sessions: Session[],
    persons: NewPerson[],
    counts: Map<string, number>,
  ): Generator<string> {
    for (let wave = 0; wave < waves; wave++) {
      const current = Array.from({ length: CONCURRENT_SESSIONS }, () => this.startSession(persons))
      sessions.push(...current)
      for (let i = 0; i < WAVE_EVENTS; i++) {
        const session = current[i % CONCURRENT_SESSIONS]
        if (session) yield this.next(session, counts)
      }
    }
  }

  private startSession(persons: NewPerson[]): Session {
    const project_id = this.chooseProject(this.random())
    const timestamp = this.timeOf(this.written)
    const known = this.people.get(project_id) ?? 0
    const isNew = known === 0 || this.random() < NEW_PERSONS
    const number = isNew ? known : Math.floor(this.random() * known)
    const distinct_id = `visitor-${number}-of-project-${project_id}`
    if (isNew) {
      this.people.set(project_id, known + 1)
      const properties = JSON.stringify({ email: `visitor-${number}@example.com`, $initial_browser: 'Chrome' })
      const id = personIdOf(project_id, distinct_id)
      persons.push({ project_id, id, distinct_id, properties, created_at: timestamp })
    }
    const session_id = v7({ msecs: Math.floor(timestamp / 1_000) })
    return {
      project_id,
      session_id,
      distinct_id,
      start_timestamp: timestamp,
      end_timestamp: timestamp,
      event_count: 0,
      pageview_count: 0,
      entry_url: '',
      exit_url: '',
    }
  }

  private next(session: Session, counts: Map<string, number>): string {
    const { project_id, session_id, distinct_id } = session
    const number = this.written++
    const timestamp = this.timeOf(number)
    const event = this.chooseName(this.random())
    const page = PAGES[Math.floor(this.random() * PAGES.length)] ?? '/'
    const uuid = v7({ msecs: Math.floor(timestamp / 1_000) })
    if (session.event_count++ === 0) {
      session.start_timestamp = timestamp
      session.entry_url = `https://shop.example.com${page}`
    }
    session.exit_url = `https://shop.example.com${page}`
    session.end_timestamp = timestamp
    if (event === '$pageview') session.pageview_count++
    for (const name of [event, '']) {
      const key = JSON.stringify([project_id, hourOf(timestamp), name])
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    if (project_id === this.projects[0] && number % SAMPLE_EVERY === 0) {
      if (this.samples.length < MAX_SAMPLES) this.samples.push(uuid)
      else this.samples[Math.floor(this.random() * MAX_SAMPLES)] = uuid
    }
    const properties = JSON.stringify(browserProperties(session_id, page, uuid, number))
    const elements = event === '$autocapture' ? ELEMENTS : ''
    return line(project_id, uuid, event, distinct_id, timestamp, timestamp, properties, elements)
  }
}

const STORE_PERSONS = `
  with new as materialized (
    select * from json_to_recordset($1::json)
      as r (project_id bigint, id text, distinct_id text, properties text, created_at bigint)),
  changes as (
    insert into person_changes (project_id, person_id, changed_at) select project_id, id, created_at from new
    returning project_id, person_id, seq),
  ids as (
    insert into person_distinct_ids (project_id, distinct_id, person_id) select project_id, distinct_id, id from new)
  insert into persons (project_id, id, properties, is_identified, first_distinct_id, created_at, last_change)
  select n.project_id, n.id, n.properties::json, true, n.distinct_id, n.created_at, c.seq
  from new n join changes c on c.project_id = n.project_id and c.person_id = n.id`

/** The sessions are closed. Else the server would close them during the measurements. */
const STORE_SESSIONS = `
  with new as materialized (
    select * from json_to_recordset($1::json) as r (project_id bigint, session_id text, distinct_id text,
      start_timestamp bigint, end_timestamp bigint, event_count bigint, pageview_count bigint, entry_url text, exit_url text)),
  changes as (
    insert into session_changes (project_id, session_id, start_timestamp, changed_at)
    select project_id, session_id, start_timestamp, end_timestamp + ${HOUR / 2} from new
    returning project_id, session_id, seq)
  insert into event_sessions (project_id, session_id, distinct_id, start_timestamp, end_timestamp, event_count,
    pageview_count, entry_url, entry_at, exit_url, exit_at, last_event_at, is_open, last_change)
  select n.project_id, n.session_id, n.distinct_id, n.start_timestamp, n.end_timestamp, n.event_count, n.pageview_count,
    n.entry_url, n.start_timestamp, n.exit_url, n.end_timestamp, n.end_timestamp, false, c.seq
  from new n join changes c on c.project_id = n.project_id and c.session_id = n.session_id`

const STORE_COUNTS = `
  insert into event_counts (project_id, hour, event, count)
  select (value ->> 0)::bigint, (value ->> 1)::bigint, value ->> 2, (value ->> 3)::bigint
  from json_array_elements($1::json) as r (value)
  on conflict (project_id, hour, event) do update set count = event_counts.count + excluded.count`

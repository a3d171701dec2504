/** Questions over properties, answered from the mirror of the events in columns, and what the mirror costs. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { personIdOf } from '../../src/events/persons.ts'
import type { Benchmark, Variant } from '../benchmark.ts'
import { cpuOf } from '../cost.ts'
import {
  ask,
  copyMirrored,
  type Mirrored,
  megabytesOf,
  mirroredOf,
  mirrorSize,
  peakOfReaders,
  startPlain,
  untilMirrored,
} from '../mirrored.ts'
import { fetchBody, percentile, timed, type Workspace } from '../workspace.ts'
import { bodyFor, sendBatches } from './events-in.ts'

const EVENTS = 1_000_000
const IS_FULL = process.env.BENCH_SIZE === 'full'
const [SMALL, LARGE] = IS_FULL ? [EVENTS, 10_000_000] : [100_000, EVENTS]
const numbered = (count: number): string => count.toLocaleString('en')

const TOP_PROPERTY = 'top property'
const QUESTIONS: Record<string, string> = {
  [TOP_PROPERTY]:
    'select properties.$pathname as page, count() as visits from events group by page order by visits desc limit 10',
  'sum by event': 'select event, sum(toFloat(properties.price)) from events group by event',
  'distinct ids by property': `
    select properties.$browser as browser, uniqIf(distinct_id, event = '$pageview'),
      uniqIf(distinct_id, event = 'signed up'), uniqIf(distinct_id, event = 'order placed')
    from events group by browser`,
}

let base: Mirrored
const shareBase = async (): Promise<undefined> => {
  base = await mirroredOf(EVENTS)
}

/** The CPU time of one question in milliseconds. The kernel counts it in hundredths of a second. */
const cpuOfQuestion =
  (workspace: () => Workspace, query: string, way: string, times: number): Variant =>
  async () => {
    const before = cpuOf(workspace().pid)
    for (let i = 0; i < times; i++) await ask(workspace(), query, way)
    return ((cpuOf(workspace().pid) - before) * 1_000) / times
  }

const MIRROR_TIMES = 20
const mirrorCpu = (workspace: () => Workspace, query = QUESTIONS[TOP_PROPERTY] ?? ''): Variant =>
  cpuOfQuestion(workspace, query, 'mirror', MIRROR_TIMES)

async function assertSameAnswers({ mirrored, plain }: Mirrored): Promise<void> {
  for (const query of Object.values(QUESTIONS))
    assert.deepEqual((await ask(mirrored, query, 'mirror')).results, (await ask(plain, query, 'rows')).results)
}

const fromRows = (name: string): string => `${name}, from rows`

const questions: Benchmark = {
  name: 'mirror.questions',
  description: `CPU time of questions over the properties of ${numbered(EVENTS)} events, of the server and its child processes: the mirror gives the same answers as the rows.`,
  rounds: 5,
  setup: async () => {
    await shareBase()
    await assertSameAnswers(base)
    return undefined
  },
  variants: Object.fromEntries(
    Object.entries(QUESTIONS).flatMap(([name, query]) => [
      [name, mirrorCpu(() => base.mirrored, query)],
      [fromRows(name), cpuOfQuestion(() => base.plain, query, 'rows', 1)],
    ]),
  ),
  limits: Object.keys(QUESTIONS).map((name) => ({ subject: name, against: fromRows(name), atLeast: 40 })),
}

const sized = new Map<number, Mirrored>()
const sizedMirror = (events: number) => (): Workspace => {
  const found = sized.get(events)
  if (!found) throw new Error('The setup has not run.')
  return found.mirrored
}

const cpuAt = (events: number): string => `CPU time, ${numbered(events)} events`
const WALL = `time, ${numbered(LARGE)} events`

const growth: Benchmark = {
  name: 'mirror.growth',
  description: `The question "${TOP_PROPERTY}" takes at most 12 times the CPU time for ten times as many events, and less than a second.`,
  rounds: 5,
  setup: async () => {
    for (const events of [SMALL, LARGE]) sized.set(events, await mirroredOf(events))
    return undefined
  },
  variants: {
    ...Object.fromEntries([SMALL, LARGE].map((events) => [cpuAt(events), mirrorCpu(sizedMirror(events))])),
    [WALL]: () => timed(() => ask(sizedMirror(LARGE)(), QUESTIONS[TOP_PROPERTY] ?? '', 'mirror')),
  },
  limits: [
    { subject: cpuAt(LARGE), against: cpuAt(SMALL), atMost: 12 },
    { subject: WALL, most: 1_000 },
  ],
  missing: IS_FULL ? undefined : '10,000,000 events. Set BENCH_SIZE=full, which takes 20 minutes more.',
}

const REPEATS = 50
const REQUESTS: Record<string, (workspace: Workspace) => Promise<unknown>> = {
  'first page': (workspace) => fetchBody(workspace, eventsPath(workspace)),
  'distinct ids': (workspace) => ask(workspace, 'select uniq(distinct_id) from events', 'index'),
  'one event': async (workspace) => fetchBody(workspace, `${eventsPath(workspace)}${uuid}/`),
}
/** An index question reads a million entries. */
const TIMES: Record<string, number> = { 'distinct ids': 5 }

const eventsPath = ({ project_id }: Workspace): string => `/api/projects/${project_id}/events/`
let uuid = ''

const medianTime =
  (workspace: () => Workspace, name: string, request: (workspace: Workspace) => Promise<unknown>): Variant =>
  async () => {
    const times: number[] = []
    for (let i = 0; i < (TIMES[name] ?? REPEATS); i++) times.push(await timed(() => request(workspace())))
    return percentile(times, 0.5)
  }

const withoutMirror = (name: string): string => `${name}, without a mirror`

const requests: Benchmark = {
  name: 'mirror.requests',
  description: 'Requests that the mirror does not answer take as long as without it.',
  // Short rounds: load from outside lasts longer, and slows both servers.
  rounds: 15,
  setup: async () => {
    await shareBase()
    const { results } = JSON.parse(await fetchBody(base.plain, `${eventsPath(base.plain)}?after=-10d&limit=1`))
    uuid = results[0].id
    return undefined
  },
  variants: Object.fromEntries(
    Object.entries(REQUESTS).flatMap(([name, request]) => [
      [name, medianTime(() => base.mirrored, name, request)],
      [withoutMirror(name), medianTime(() => base.plain, name, request)],
    ]),
  ),
  limits: Object.keys(REQUESTS).map((name) => ({ subject: name, against: withoutMirror(name), atMost: 1.1 })),
}

/** Enough for a mirror. */
const STORED = 50_000
const [BATCHES, BATCH] = [150, 1_000]
let receiving: Workspace
let receivingPlain: Workspace

async function ingest(to: Workspace): Promise<number> {
  const bodies = Array.from({ length: BATCHES }, () => bodyFor(to, BATCH))
  return timed(() => sendBatches(to, BATCHES, () => bodies.pop() ?? bodyFor(to, BATCH)))
}

const INGEST = `${numbered(BATCHES * BATCH)} events`

const ingestion: Benchmark = {
  name: 'mirror.in',
  description: `Ingestion in batches of ${numbered(BATCH)} events, while the mirror writes segments of them.`,
  rounds: 5,
  setup: async () => {
    const { mirrored, plain } = await mirroredOf(STORED)
    process.kill(plain.pid)
    receiving = mirrored
    receivingPlain = await startPlain(STORED)
    return undefined
  },
  variants: {
    [INGEST]: async () => {
      const time = await ingest(receiving)
      await untilMirrored(receiving)
      return time
    },
    [withoutMirror(INGEST)]: () => ingest(receivingPlain),
  },
  limits: [{ subject: INGEST, against: withoutMirror(INGEST), atLeast: 0.9 }],
}

const SEGMENTS = 'CPU time per event'

const segments: Benchmark = {
  name: 'mirror.segments',
  description: `Writing and merging the segments of ${numbered(EVENTS)} events.`,
  unit: 'µs',
  rounds: 1,
  setup: shareBase,
  variants: { [SEGMENTS]: async () => base.segment_us_per_event },
  limits: [{ subject: SEGMENTS, most: 40 }],
}

const [FILES, DATABASE, READER] = ['files of the mirror', 'events.db', 'peak of the process that reads the mirror']

const size: Benchmark = {
  name: 'mirror.size',
  description: `Disk and memory for a mirror of ${numbered(EVENTS)} events, after its questions.`,
  unit: 'MB',
  rounds: 1,
  setup: async () => {
    await shareBase()
    await assertSameAnswers(base)
    return undefined
  },
  variants: {
    [FILES]: () => mirrorSize(base.mirrored),
    [DATABASE]: async () => megabytesOf(base.plain.file),
    [READER]: async () => peakOfReaders(base.mirrored),
  },
  limits: [
    { subject: FILES, against: DATABASE, atMost: 0.12 },
    { subject: READER, most: 512 },
  ],
}

const DELETED_PERSONS = 20
const DELETED = 10_000
let erased: Mirrored

/** Deletes persons through the API, and waits until their events are gone. */
async function deleteEvents({ mirrored }: Mirrored): Promise<void> {
  for (let i = 0; i < DELETED_PERSONS; i++) {
    const id = personIdOf(mirrored.project_id, `person-${i}`)
    await remove(mirrored, `/api/projects/${mirrored.project_id}/persons/${id}/?delete_events=true`)
  }
  const db = new Sqlite(mirrored.file, { readonly: true })
  const count = db.prepare('select count(*) from mirror_deletions').pluck()
  while (Number(count.get()) < DELETED) await sleep(100)
  db.close()
}

const remove = ({ url, api_key }: Workspace, path: string): Promise<void> =>
  fetch(new URL(path, url), { method: 'DELETE', headers: { authorization: `Bearer ${api_key}` } }).then((response) =>
    assert.equal(response.status, 204),
  )

const [BEFORE, AFTER] = [TOP_PROPERTY, `${TOP_PROPERTY}, ${numbered(DELETED)} deleted events`]

const deletions: Benchmark = {
  name: 'mirror.deletions',
  description: `The CPU time of a question over ${numbered(EVENTS)} events, while deleted ones are still in the files.`,
  rounds: 5,
  setup: async () => {
    await shareBase()
    erased = await copyMirrored(base)
    await deleteEvents(erased)
    await assertSameAnswers(erased)
    return undefined
  },
  variants: { [BEFORE]: mirrorCpu(() => base.mirrored), [AFTER]: mirrorCpu(() => erased.mirrored) },
  limits: [{ subject: AFTER, against: BEFORE, atMost: 2.5 }],
}

export const mirror: Benchmark[] = [questions, growth, requests, ingestion, segments, size, deletions]

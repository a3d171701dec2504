/** The same work on PostgreSQL and on SQLite, in the same run. */
import type { Benchmark, Limit, Variant } from '../benchmark.ts'
import { load } from '../load.ts'
import { installPeers } from '../peers.ts'
import { startFilledOnPostgres, startOnPostgres } from '../postgres.ts'
import { fetchBody, percentile, startWorkspace, timed, type Workspace } from '../workspace.ts'
import { bodyFor, sendBatches } from './events-in.ts'
import { startWithEvents } from './export.ts'

const SQLITE = 'SQLite'
const POSTGRES = 'PostgreSQL'
const EVENTS = 200_000
const PAGES = 100
const BATCHES = 100
const BATCH = 500

interface Engines {
  [SQLITE]: Workspace
  [POSTGRES]: Workspace
}

let filled: Promise<Engines> | undefined
let empty: Promise<Engines> | undefined

const startFilledEngines = async (): Promise<Engines> => ({
  [SQLITE]: await startWithEvents(EVENTS),
  [POSTGRES]: await startFilledOnPostgres(EVENTS, 6),
})
const startEngines = async (): Promise<Engines> => ({
  [SQLITE]: await startWorkspace(),
  [POSTGRES]: await startOnPostgres(),
})

/** Servers with the same events. */
const filledEngines = (): Promise<Engines> => {
  filled ??= startFilledEngines()
  return filled
}
const emptyEngines = (): Promise<Engines> => {
  empty ??= startEngines()
  return empty
}

interface Comparison {
  name: string
  description: string
  rounds: number
  engines: () => Promise<Engines>
  measure: (workspace: Workspace, warmup: boolean) => Promise<number>
  limit: { atLeast: number } | { atMost: number }
}

function comparison({ name, description, rounds, engines, measure, limit }: Comparison): Benchmark {
  const variant =
    (engine: keyof Engines): Variant =>
    async (warmup) =>
      measure((await engines())[engine], warmup)
  const compared: Limit = { subject: POSTGRES, against: SQLITE, ...limit }
  return {
    name: `postgres.${name}`,
    description,
    rounds,
    setup: async () => {
      installPeers()
      await engines()
      return undefined
    },
    variants: { [SQLITE]: variant(SQLITE), [POSTGRES]: variant(POSTGRES) },
    limits: [compared],
  }
}

const newestEvents = new WeakMap<Workspace, Promise<string>>()

/** The path of the newest event. */
export function newestEvent(workspace: Workspace): Promise<string> {
  const list = `/api/projects/${workspace.project_id}/events/`
  const path =
    newestEvents.get(workspace) ??
    fetchBody(workspace, `${list}?limit=1`).then((page) => `${list}${JSON.parse(page).results[0].id}/`)
  newestEvents.set(workspace, path)
  return path
}

/** The median of many requests, which background load disturbs less than their sum. */
export async function firstPage(workspace: Workspace): Promise<number> {
  const path = `/api/projects/${workspace.project_id}/events/`
  const times: number[] = []
  for (let i = 0; i < PAGES; i++) times.push(await timed(() => fetchBody(workspace, path)))
  return percentile(times, 0.5)
}

async function ingest(workspace: Workspace, warmup: boolean): Promise<number> {
  const bodies = Array.from({ length: warmup ? BATCHES / 5 : BATCHES }, () => bodyFor(workspace, BATCH))
  return timed(() => sendBatches(workspace, bodies.length, () => bodies.pop() ?? bodyFor(workspace, BATCH)))
}

export const postgres: Benchmark[] = [
  comparison({
    name: 'retrieve',
    description: 'Reads one organization on ten connections, 10,000 times.',
    rounds: 5,
    engines: emptyEngines,
    measure: (workspace, warmup) =>
      load(workspace, { path: `/api/organizations/${workspace.organization_id}/` }, warmup ? 2_000 : 10_000),
    limit: { atLeast: 0.6 },
  }),
  comparison({
    name: 'event',
    description: 'Reads one event on ten connections, 3,000 times.',
    rounds: 5,
    engines: filledEngines,
    measure: async (workspace, warmup) => load(workspace, { path: await newestEvent(workspace) }, warmup ? 600 : 3_000),
    limit: { atLeast: 0.6 },
  }),
  comparison({
    name: 'page',
    description: 'The first page of events: 100 of them, newest first.',
    rounds: 15,
    engines: filledEngines,
    measure: firstPage,
    limit: { atMost: 1.3 },
  }),
  comparison({
    name: 'ingest',
    description: `Ingests ${(BATCHES * BATCH).toLocaleString('en')} events in batches of ${BATCH}. Acknowledged events are durable on both engines.`,
    rounds: 5,
    engines: emptyEngines,
    measure: ingest,
    limit: { atLeast: 1 },
  }),
]

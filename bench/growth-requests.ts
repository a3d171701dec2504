/** Requests on two databases of different size, in turn, so background load affects both alike. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createExport, exportsPath } from './benchmarks/export.ts'
import { RARE_EVENT } from './growth-events.ts'
import { fetchBody, percentile, postJson, timed, type Workspace } from './workspace.ts'

const ROUNDS = 11
/** Requests of one kind per round. */
const REQUESTS = 20

export interface Subject {
  workspace: Workspace
  /** The uuids of some events. */
  samples: readonly string[]
  /** A range with the same number of events in each database. */
  range: Range
}

export interface Range {
  start_at: string
  end_at: string
}

type Request = (subject: Subject) => Promise<unknown>

const pathOf = ({ workspace }: Subject): string => `/api/projects/${workspace.project_id}/events/`

const LISTS: Record<string, Request> = {
  'first page': (subject) => fetchBody(subject.workspace, pathOf(subject)),
  'retrieve one event': (subject) => {
    const { samples } = subject
    return fetchBody(subject.workspace, `${pathOf(subject)}${samples[Math.floor(Math.random() * samples.length)]}/`)
  },
  'filter by name and time': (subject) => {
    const { start_at, end_at } = subject.range
    const filter = new URLSearchParams({ event: RARE_EVENT, after: start_at, before: end_at })
    return fetchBody(subject.workspace, `${pathOf(subject)}?${filter}`)
  },
}

export interface Comparison {
  name: string
  small_ms: number
  large_ms: number
  ratio: number
}

/** The medians of each request in both databases. */
export async function compare(small: Subject, large: Subject): Promise<Comparison[]> {
  const exportIds = new Map<Subject, string>()
  for (const subject of [small, large]) exportIds.set(subject, await createExport(subject.workspace, {}))
  const kinds: [name: string, repeat: number, request: Request][] = [
    ...Object.entries(LISTS).map(([name, request]): [string, number, Request] => [name, REQUESTS, request]),
    [
      'export of one window',
      1,
      (subject) => exportWindow(subject.workspace, exportIds.get(subject) ?? '', subject.range),
    ],
  ]
  const comparisons: Comparison[] = []
  for (const [name, repeat, request] of kinds) {
    const times = new Map<Subject, number[]>([
      [small, []],
      [large, []],
    ])
    // The first round warms up the caches.
    for (let round = 0; round <= ROUNDS; round++)
      for (const [subject, list] of times)
        for (let i = 0; i < repeat; i++) {
          const time = await timed(() => request(subject))
          if (round > 0) list.push(time)
        }
    const median = (subject: Subject): number => percentile(times.get(subject) ?? [], 0.5)
    const [small_ms, large_ms] = [median(small), median(large)]
    comparisons.push({ name, small_ms, large_ms, ratio: large_ms / small_ms })
  }
  return comparisons
}

/** Exports a range, and returns the number of events. */
export async function exportWindow(workspace: Workspace, id: string, range: Range): Promise<number> {
  const path = `${exportsPath(workspace)}/${id}`
  const { backfill_id } = JSON.parse(await postJson(workspace, `${path}/backfill/`, range))
  for (;;) {
    const { results } = JSON.parse(await fetchBody(workspace, `${path}/runs/`))
    const run = results.find((run: { backfill_id: string }) => run.backfill_id === backfill_id)
    if (run?.status === 'Completed') return run.records_completed
    if (run && !['Starting', 'Running'].includes(run.status))
      throw new Error(`the run ended with status ${run.status}: ${run.latest_error}`)
    await sleep(5)
  }
}

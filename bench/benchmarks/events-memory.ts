import { setTimeout as sleep } from 'node:timers/promises'
import type { Benchmark, Variant } from '../benchmark.ts'
import { postgresWorkspaceOf, startOnPostgres } from '../postgres.ts'
import { memoryOf, send, startWorkspace, type Workspace, workspaceOf } from '../workspace.ts'
import { bodyFor, sendBatches } from './events-in.ts'

const SAMPLE_MS = 50
const ROWS = 50_000

let workspace: Workspace

const idle: Variant = async () => memoryOf(workspace)

/** The sample during `work` that differs most from the start. */
const during =
  (work: (warmup: boolean) => Promise<void>): Variant =>
  async (warmup) => {
    const start = memoryOf(workspace)
    let furthest = start
    const sampling = setInterval(() => {
      const now = memoryOf(workspace)
      if (Math.abs(now - start) > Math.abs(furthest - start)) furthest = now
    }, SAMPLE_MS)
    await work(warmup)
    clearInterval(sampling)
    return furthest
  }

const IDLE = 'before'
const INGESTING = 'while ingesting 1,000,000 events'
const DOWNLOADING = `while a slow client downloads ${ROWS.toLocaleString('en')} CSV rows`

const memoryBenchmark = (name: string, setup: () => Promise<Workspace>, work: Variant): Benchmark => ({
  name: 'events.memory',
  description: 'Events are streamed: the memory of the server and its reader processes grows by at most 50 MB.',
  unit: 'MB',
  rounds: 1,
  setup: async () => {
    workspace = await setup()
    return undefined
  },
  variants: { [IDLE]: idle, [name]: work },
  limits: [{ subject: name, against: IDLE, within: 50 }],
})

/** Waits before reading, then pauses after each chunk. */
async function downloadSlowly(): Promise<void> {
  const path = `/api/projects/${workspace.project_id}/events/?format=csv&limit=${ROWS}`
  const response = await send(workspace, path)
  await sleep(3_000)
  let rows = 0
  for await (const chunk of response) {
    rows += chunk.toString('latin1').split('\n').length - 1
    await sleep(1)
  }
  if (rows !== ROWS + 1) throw new Error(`received ${rows} of ${ROWS + 1} rows`)
}

export const memory: Benchmark[] = [
  memoryBenchmark(
    INGESTING,
    startWorkspace,
    during((warmup) => sendBatches(workspace, warmup ? 2_000 : 10_000, () => bodyFor(workspace))),
  ),
  memoryBenchmark(
    `${INGESTING} on PostgreSQL`,
    startOnPostgres,
    during((warmup) => sendBatches(workspace, warmup ? 2_000 : 10_000, () => bodyFor(workspace))),
  ),
  memoryBenchmark(DOWNLOADING, () => workspaceOf(ROWS), during(downloadSlowly)),
  memoryBenchmark(`${DOWNLOADING} on PostgreSQL`, () => postgresWorkspaceOf(ROWS), during(downloadSlowly)),
]

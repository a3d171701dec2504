import { setTimeout as sleep } from 'node:timers/promises'
import type { Contestant, Trial } from '../trial.ts'
import { ask, memoryOf, startWorkspace, type Workspace, workspaceOf } from '../workspace.ts'
import { bodyFor, sendBatches } from './events-in.ts'

const SAMPLE_MS = 50
const ROWS = 50_000

let workspace: Workspace

const atRest: Contestant = async () => memoryOf(workspace)

/** What was held in the moment that differs most from the beginning. */
const during =
  (work: (warming: boolean) => Promise<void>): Contestant =>
  async (warming) => {
    const start = memoryOf(workspace)
    let furthest = start
    const sampling = setInterval(() => {
      const now = memoryOf(workspace)
      if (Math.abs(now - start) > Math.abs(furthest - start)) furthest = now
    }, SAMPLE_MS)
    await work(warming)
    clearInterval(sampling)
    return furthest
  }

const REST = 'before'
const IN = 'while 1,000,000 events come in'
const OUT = `while a slow reader takes ${ROWS.toLocaleString('en')} rows of CSV`

const memoryTrial = (what: string, setup: () => Promise<Workspace>, work: Contestant): Trial => ({
  name: 'events.memory',
  why: 'What passes through is not held: the memory of the server and its readers stays as it was.',
  unit: 'MB',
  rounds: 1,
  setup: async () => {
    workspace = await setup()
    return undefined
  },
  contestants: { [REST]: atRest, [what]: work },
  bars: [{ subject: what, against: REST, within: 50 }],
})

/** Waits before it takes anything, and then takes little at a time. */
async function readSlowly(): Promise<void> {
  const path = `/api/projects/${workspace.project_id}/events/?format=csv&limit=${ROWS}`
  const response = await ask(workspace, path)
  await sleep(3_000)
  let rows = 0
  for await (const chunk of response) {
    rows += chunk.toString('latin1').split('\n').length - 1
    await sleep(1)
  }
  if (rows !== ROWS + 1) throw new Error(`${rows} rows came of ${ROWS + 1}`)
}

export const memory: Trial[] = [
  memoryTrial(
    IN,
    startWorkspace,
    during((warming) => sendBatches(workspace, warming ? 2_000 : 10_000, () => bodyFor(workspace))),
  ),
  memoryTrial(OUT, () => workspaceOf(ROWS), during(readSlowly)),
]

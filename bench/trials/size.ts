/** What it holds in memory, and what a second process on the same file adds. */
import { load } from '../load.ts'
import { installPeers } from '../peers.ts'
import type { Trial } from '../trial.ts'
import { memoryOf, mostMemory, startWorkspace, type Workspace } from '../workspace.ts'

const ROUND = 20_000
let workspace: Workspace
const path = (): string => `/api/organizations/${workspace.organization_id}/`

const REST = 'at rest'
const FIRST = 'the most during 400,000 requests'
const LAST = 'the most during 400,000 after 600,000'
const [PART, BETWEEN] = [400_000, 200_000]

/** The most, since V8 gives memory back and takes it again: between 80 and 110 MB within a million requests. */
const mostDuring = (requests: number): Promise<number> =>
  mostMemory(workspace, () => load(workspace, { path: path() }, requests))

export const atRest: Trial = {
  name: 'size.memory',
  why: 'It stands beside other things on small machines, for months.',
  unit: 'MB',
  rounds: 1,
  setup: async () => {
    installPeers()
    workspace = await startWorkspace()
    return undefined
  },
  contestants: {
    [REST]: async () => memoryOf(workspace),
    [FIRST]: async (warming) => (warming ? 0 : mostDuring(PART)),
    [LAST]: async (warming) => {
      if (warming) return 0
      await load(workspace, { path: path() }, BETWEEN)
      return mostDuring(PART)
    },
  },
  bars: [
    { subject: REST, most: 120 },
    { subject: LAST, against: FIRST, atMost: 1.05 },
  ],
}

let second: Workspace
const ONE = 'one process'
const TWO = 'two processes'

export const processes: Trial = {
  name: 'size.processes',
  why: `Two processes on one file of SQLite, who asks included: ${ROUND.toLocaleString('en')} requests for one organization.`,
  rounds: 5,
  setup: async () => {
    installPeers()
    workspace = await startWorkspace()
    second = await startWorkspace(workspace)
    return undefined
  },
  contestants: {
    [ONE]: () => load(workspace, { path: path() }, ROUND),
    [TWO]: () => load([workspace, second], { path: path() }, ROUND),
  },
  bars: [{ subject: TWO, against: ONE, atLeast: 1.4 }],
}

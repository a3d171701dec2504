/** What it holds in memory, and what a second process on the same file adds. */
import { load } from '../load.ts'
import { installPeers } from '../peers.ts'
import type { Trial } from '../trial.ts'
import { memoryOf, startWorkspace, type Workspace } from '../workspace.ts'

const MANY = 1_000_000
const ROUND = 20_000
let workspace: Workspace
const path = (): string => `/api/organizations/${workspace.organization_id}/`

const REST = 'at rest'
const AFTER = 'after 1,000,000 requests'
/** So many are enough for what is made once: compiled code, caches, pools. */
const WARM = 100_000

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
    'after 100,000 requests': async (warming) => {
      if (!warming) await load(workspace, { path: path() }, WARM)
      return memoryOf(workspace)
    },
    [AFTER]: async (warming) => {
      if (!warming) await load(workspace, { path: path() }, MANY - WARM)
      return memoryOf(workspace)
    },
  },
  bars: [
    { subject: REST, most: 120 },
    { subject: AFTER, against: 'after 100,000 requests', atMost: 1.05 },
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

/** Memory of the server, and the speedup of a second process on the same database. */

import type { Benchmark } from '../benchmark.ts'
import { load } from '../load.ts'
import { installPeers } from '../peers.ts'
import { startOnPostgres } from '../postgres.ts'
import { memoryOf, peakMemory, startWorkspace, type Workspace } from '../workspace.ts'

const REQUESTS = 20_000
let workspace: Workspace
const path = (): string => `/api/organizations/${workspace.organization_id}/`

const IDLE = 'idle'
const FIRST = 'peak during the first 400,000 requests'
const LAST = 'peak during 400,000 requests after 600,000'
const [PART, BETWEEN] = [400_000, 200_000]

/** The peak, since V8's heap varies between 80 and 110 MB within a million requests. */
const peakDuring = (requests: number): Promise<number> =>
  peakMemory(workspace, () => load(workspace, { path: path() }, requests))

export const idleMemory: Benchmark = {
  name: 'size.memory',
  description: 'The server shares small machines with other services and runs for months.',
  unit: 'MB',
  rounds: 1,
  setup: async () => {
    installPeers()
    workspace = await startWorkspace()
    return undefined
  },
  variants: {
    [IDLE]: async () => memoryOf(workspace),
    [FIRST]: async (warmup) => (warmup ? 0 : peakDuring(PART)),
    [LAST]: async (warmup) => {
      if (warmup) return 0
      await load(workspace, { path: path() }, BETWEEN)
      return peakDuring(PART)
    },
  },
  limits: [
    { subject: IDLE, most: 120 },
    { subject: LAST, against: FIRST, atMost: 1.05 },
  ],
}

let second: Workspace
let onPostgres: Workspace[]
const ONE = 'one process'
const TWO = 'two processes'
const ONE_POSTGRES = 'one process on PostgreSQL'
const TWO_POSTGRES = 'two processes on PostgreSQL'

const loadPostgres = (count: number): Promise<number> =>
  load(onPostgres.slice(0, count), { path: `/api/organizations/${onPostgres[0]?.organization_id}/` }, REQUESTS)

export const processes: Benchmark = {
  name: 'size.processes',
  description: `Two processes on one database serve ${REQUESTS.toLocaleString('en')} requests for one organization. The load generator shares the machine.`,
  rounds: 5,
  setup: async () => {
    installPeers()
    workspace = await startWorkspace()
    second = await startWorkspace(workspace)
    const first = await startOnPostgres()
    onPostgres = [first, await startOnPostgres(first)]
    return undefined
  },
  variants: {
    [ONE]: () => load(workspace, { path: path() }, REQUESTS),
    [TWO]: () => load([workspace, second], { path: path() }, REQUESTS),
    [ONE_POSTGRES]: () => loadPostgres(1),
    [TWO_POSTGRES]: () => loadPostgres(2),
  },
  limits: [{ subject: TWO, against: ONE, atLeast: 1.4 }],
}

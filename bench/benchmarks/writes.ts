/** Durable writes, compared with the same transactions without a server. */

import type { Benchmark } from '../benchmark.ts'
import { load, type RequestSpec } from '../load.ts'
import { databaseOf, installPeers, type Peer, writer } from '../peers.ts'
import { startOnPostgres } from '../postgres.ts'
import { startWorkspace, timed, type Workspace } from '../workspace.ts'

const AMOUNT = 2_000
const RAW = 'the bare transaction'
const BARE = 'bare node:http'
const OURS = 'workspace-admin'
const ON_POSTGRES = 'workspace-admin on PostgreSQL'

interface Transactions {
  create(name: string): void
  patch(id: string, name: string): void
  close(): void
}

let workspace: Workspace
let onPostgres: Workspace
let bare: Peer
let openTransactions: (file: string) => Transactions

const benchmark = (
  name: string,
  description: string,
  write: (transactions: Transactions) => void,
  request: (workspace: Workspace) => RequestSpec,
): Benchmark => ({
  name,
  description: `${description} ${AMOUNT.toLocaleString('en')} requests, each synced to disk. The bare server runs the same transaction without checks. On a quick disk HTTP alone takes longer than a transaction, so no limit compares with the latter.`,
  rounds: 5,
  setup: async () => {
    installPeers()
    workspace ??= await startWorkspace()
    onPostgres ??= await startOnPostgres()
    bare ??= await writer(workspace)
    // The peers are plain JavaScript, since they run without a TypeScript loader.
    openTransactions ??= (await import(new URL('../peers/transactions.mjs', import.meta.url).href)).openTransactions
    return undefined
  },
  variants: {
    [RAW]: () => {
      const transactions = openTransactions(databaseOf(workspace))
      return timed(() => {
        for (let i = 0; i < AMOUNT; i++) write(transactions)
        transactions.close()
      })
    },
    [BARE]: () => load(bare, request(workspace), AMOUNT),
    [OURS]: () => load(workspace, request(workspace), AMOUNT),
    [ON_POSTGRES]: () => load(onPostgres, request(onPostgres), AMOUNT),
  },
  limits: [{ subject: OURS, against: BARE, atLeast: 0.7 }],
})

export const writes: Benchmark[] = [
  benchmark(
    'writes.create',
    'Creates an organization with its owner and first project.',
    ({ create }) => create('Raw'),
    () => ({ method: 'POST', path: '/api/organizations/', body: '{"name":"Ours"}' }),
  ),
  benchmark(
    'writes.patch',
    'Renames an organization.',
    ({ patch }) => patch(workspace.organization_id, 'Raw'),
    ({ organization_id }) => ({
      method: 'PATCH',
      path: `/api/organizations/${organization_id}/`,
      body: '{"name":"Ours"}',
    }),
  ),
]

/** Writes that are on the disk when they are answered, against the same transactions without a server. */
import { type Asking, load } from '../load.ts'
import { databaseOf, installPeers, type Peer, writer } from '../peers.ts'
import type { Trial } from '../trial.ts'
import { startWorkspace, timed, type Workspace } from '../workspace.ts'

const AMOUNT = 2_000
const RAW = 'the transaction alone'
const BARE = 'bare node:http around it'
const OURS = 'workspace-admin'

interface Transactions {
  create(name: string): void
  patch(id: string, name: string): void
  close(): void
}

let workspace: Workspace
let bare: Peer
let open: (file: string) => Transactions

const trial = (name: string, why: string, raw: (on: Transactions) => void, asking: () => Asking): Trial => ({
  name,
  why: `${why} ${AMOUNT.toLocaleString('en')} of them, each synced to the disk. A disk that syncs slowly flatters servers: the bare one says how much.`,
  rounds: 5,
  setup: async () => {
    installPeers()
    workspace ??= await startWorkspace()
    bare ??= await writer(workspace)
    // The peers' files are JavaScript, since their processes are plain Node.
    open ??= (await import(new URL('../peers/transactions.mjs', import.meta.url).href)).openTransactions
    return undefined
  },
  contestants: {
    [RAW]: () => {
      const on = open(databaseOf(workspace))
      return timed(() => {
        for (let i = 0; i < AMOUNT; i++) raw(on)
        on.close()
      })
    },
    [BARE]: () => load(bare, asking(), AMOUNT),
    [OURS]: () => load(workspace, asking(), AMOUNT),
  },
  bars: [{ subject: OURS, against: RAW, atLeast: 0.7 }],
})

export const writes: Trial[] = [
  trial(
    'writes.create',
    'An organization with its owner and first project.',
    ({ create }) => create('Raw'),
    () => ({ method: 'POST', path: '/api/organizations/', body: '{"name":"Ours"}' }),
  ),
  trial(
    'writes.patch',
    "An organization's name.",
    ({ patch }) => patch(workspace.organization_id, 'Raw'),
    () => ({ method: 'PATCH', path: `/api/organizations/${workspace.organization_id}/`, body: '{"name":"Ours"}' }),
  ),
]

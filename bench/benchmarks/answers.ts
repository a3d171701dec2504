/** Reads of one organization and of lists, compared with servers that return the same from the same database. */

import type { Benchmark, Variant } from '../benchmark.ts'
import { load } from '../load.ts'
import { bare, constantFastify, django, express, hasDjango, installPeers, type Peer, plainFastify } from '../peers.ts'
import { startOnPostgres } from '../postgres.ts'
import { postJson, startWorkspace, type Workspace } from '../workspace.ts'

const ORGANIZATIONS = 120
const US = 'workspace-admin'
const ON_POSTGRES = 'workspace-admin on PostgreSQL'
const BARE = 'bare node:http'
const NO_LIMIT =
  'The bare server checks, reads and serializes nothing: it shows what Node itself takes, and no limit compares with it.'
const CONSTANT = 'Fastify answering a constant'
const FASTIFY = 'plain Fastify'
const EXPRESS = 'Express, express-openapi-validator'
const DJANGO = 'Django REST framework'

const PEERS: Record<string, (workspace: Workspace) => Promise<Peer>> = {
  [FASTIFY]: plainFastify,
  [EXPRESS]: express,
  ...(hasDjango() && { [DJANGO]: django }),
}

let peers: Promise<Record<string, Peer>> | undefined
/** Each server has organizations of its own. */
const organizationIds = new WeakMap<Peer, string>()

const LIST_20 = '/api/organizations/?limit=20'
const LIST_100 = '/api/organizations/?limit=100'
const retrievePath = (organization_id: string): string => `/api/organizations/${organization_id}/`

async function withOrganizations(workspace: Workspace): Promise<Workspace> {
  for (let i = 1; i < ORGANIZATIONS; i++)
    await postJson(workspace, '/api/organizations/', { name: `Organization ${i}` })
  return workspace
}

async function start(): Promise<Record<string, Peer>> {
  installPeers()
  const workspace = await withOrganizations(await startWorkspace())
  const onPostgres = await withOrganizations(await startOnPostgres())
  const paths = [retrievePath(workspace.organization_id), LIST_20, LIST_100]
  const servers: Record<string, Peer> = {
    [US]: workspace,
    [ON_POSTGRES]: onPostgres,
    [BARE]: await bare(workspace, paths),
    [CONSTANT]: await constantFastify(workspace, paths),
  }
  for (const [name, startPeer] of Object.entries(PEERS)) servers[name] = await startPeer(workspace)
  for (const peer of Object.values(servers)) organizationIds.set(peer, workspace.organization_id)
  organizationIds.set(onPostgres, onPostgres.organization_id)
  return servers
}

interface ReadBenchmark {
  name: string
  description: string
  path: (organization_id: string) => string
  amount: number
  /** Minimum speed relative to each peer. */
  ofDjango: number
  ofExpress?: number
}

function benchmark({ name, description, path, amount, ofDjango, ofExpress }: ReadBenchmark): Benchmark {
  const variant =
    (peer: string): Variant =>
    async (warmup) => {
      peers ??= start()
      const server = (await peers)[peer]
      if (!server) throw new Error(`${peer} is not running`)
      // Slow peers get fewer requests and their time is scaled. A full round would take a minute.
      const scale = (peer === DJANGO ? 20 : peer === EXPRESS ? 4 : 1) * (warmup ? 2 : 1)
      return (await load(server, { path: path(organizationIds.get(server) ?? '') }, amount / scale)) * scale
    }
  return {
    name,
    description: `${description} ${amount.toLocaleString('en')} requests on ten connections. ${NO_LIMIT}`,
    rounds: 5,
    setup: async () => {
      peers ??= start()
      await peers
      return undefined
    },
    variants: Object.fromEntries(
      [US, ON_POSTGRES, BARE, CONSTANT, ...Object.keys(PEERS)].map((peer) => [peer, variant(peer)]),
    ),
    limits: [
      ...(ofExpress ? [{ subject: US, against: EXPRESS, atLeast: ofExpress }] : []),
      ...(DJANGO in PEERS ? [{ subject: US, against: DJANGO, atLeast: ofDjango }] : []),
    ],
    ...(!(DJANGO in PEERS) && {
      missing: `${DJANGO} is not installed (apt install python3-djangorestframework gunicorn).`,
    }),
  }
}

export const answers: Benchmark[] = [
  benchmark({
    name: 'answers.retrieve',
    description: 'The most frequent request: check the key and read one organization from the database.',
    path: retrievePath,
    amount: 20_000,
    ofDjango: 20,
    ofExpress: 2,
  }),
  benchmark({
    name: 'answers.list20',
    description: 'A list page as a user interface requests it.',
    path: () => LIST_20,
    amount: 5_000,
    ofDjango: 15,
  }),
  benchmark({
    name: 'answers.list100',
    description: 'A list page as a script requests it.',
    path: () => LIST_100,
    amount: 2_000,
    ofDjango: 15,
  }),
]

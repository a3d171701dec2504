/** One organization, and lists of them: us and others who answer the same from the same rows. */
import { type Asking, load } from '../load.ts'
import { bare, django, express, hasDjango, installPeers, type Peer, plainFastify } from '../peers.ts'
import type { Contestant, Trial } from '../trial.ts'
import { answer, startWorkspace, type Workspace } from '../workspace.ts'

const ORGANIZATIONS = 120
const US = 'workspace-admin'
const BARE = 'bare node:http'
const FASTIFY = 'plain Fastify'
const EXPRESS = 'Express, express-openapi-validator'
const DJANGO = 'Django REST framework'

const MAKERS: Record<string, (workspace: Workspace) => Promise<Peer>> = {
  [FASTIFY]: plainFastify,
  [EXPRESS]: express,
  ...(hasDjango() && { [DJANGO]: django }),
}

let peers: Promise<Record<string, Peer>> | undefined
let organization_id: string

const LIST_20 = '/api/organizations/?limit=20'
const LIST_100 = '/api/organizations/?limit=100'

async function start(): Promise<Record<string, Peer>> {
  installPeers()
  const workspace = await startWorkspace()
  for (let i = 1; i < ORGANIZATIONS; i++)
    await answer(workspace, '/api/organizations/', { body: Buffer.from(JSON.stringify({ name: `Organization ${i}` })) })
  organization_id = workspace.organization_id
  const made: Record<string, Peer> = {
    [US]: workspace,
    [BARE]: await bare(workspace, [`/api/organizations/${organization_id}/`, LIST_20, LIST_100]),
  }
  for (const [name, make] of Object.entries(MAKERS)) made[name] = await make(workspace)
  return made
}

interface Figures {
  name: string
  why: string
  path: () => string
  amount: number
  /** The least share of the bare server's rate, and the least multiple of Django's. */
  ofBare: number
  ofDjango: number
  ofExpress?: number
}

function trial({ name, why, path, amount, ofBare, ofDjango, ofExpress }: Figures): Trial {
  const contestant =
    (who: string): Contestant =>
    async (warming) => {
      peers ??= start()
      const all = await peers
      const asking: Asking = { path: path() }
      // Who is much slower is asked less, and its figure scaled: a round of it would take a minute.
      const share = who === DJANGO ? 20 : who === EXPRESS ? 4 : 1
      return (await load(all[who]!, asking, amount / share / (warming ? 2 : 1))) * share * (warming ? 2 : 1)
    }
  return {
    name,
    why: `${why} ${amount.toLocaleString('en')} requests on ten connections.`,
    rounds: 5,
    setup: async () => {
      peers ??= start()
      await peers
      return undefined
    },
    contestants: Object.fromEntries([US, BARE, ...Object.keys(MAKERS)].map((who) => [who, contestant(who)])),
    bars: [
      { subject: US, against: BARE, atLeast: ofBare },
      ...(ofExpress ? [{ subject: US, against: EXPRESS, atLeast: ofExpress }] : []),
      ...(DJANGO in MAKERS ? [{ subject: US, against: DJANGO, atLeast: ofDjango }] : []),
    ],
    ...(!(DJANGO in MAKERS) && {
      absent: `${DJANGO} is not installed (apt install python3-djangorestframework gunicorn).`,
    }),
  }
}

export const answers: Trial[] = [
  trial({
    name: 'answers.retrieve',
    why: 'The request that programs make most: the key checked, the body from the database.',
    path: () => `/api/organizations/${organization_id}/`,
    amount: 20_000,
    ofBare: 0.6,
    ofDjango: 20,
    ofExpress: 3,
  }),
  trial({
    name: 'answers.list20',
    why: 'A page as a screen shows it.',
    path: () => LIST_20,
    amount: 5_000,
    ofBare: 0.4,
    ofDjango: 15,
  }),
  trial({
    name: 'answers.list100',
    why: 'A page as a program takes it.',
    path: () => LIST_100,
    amount: 2_000,
    ofBare: 0.3,
    ofDjango: 15,
  }),
]

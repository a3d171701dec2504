import { setMaxListeners } from 'node:events'
import type { Trial } from '../trial.ts'
import { answer, fill, percentile, startWorkspace, timed, type Workspace } from '../workspace.ts'

const REQUESTS = 300
const SLOW_QUERIES = 10
const EVENTS_PER_PROJECT = 50_000
/** Ten patterns for every event of its project, and none that fits: more than a second each. */
const PATTERNS = Array.from({ length: 10 }, (_, i) => `match(properties.title, '(p|q)+[a-m]*ordinary.*${i}$')`)
const SLOW = new URLSearchParams({ where: PATTERNS.join(' or ') })

let workspace: Workspace
let projects: number[]

async function requests(path: string): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < REQUESTS; i++) times.push(await timed(() => answer(workspace, path)))
  return percentile(times, 0.99)
}

/** Each of the projects is asked again as soon as it has answered, until the work is done. */
async function whileSlow(work: () => Promise<number>): Promise<number> {
  const over = new AbortController()
  setMaxListeners(0, over.signal)
  const asking = projects.map(async (project) => {
    while (!over.signal.aborted)
      await answer(workspace, `/api/projects/${project}/events/?${SLOW}`, { signal: over.signal }).catch((error) => {
        // Those at the end of the queue may meet their deadline, which is another way of hurting nobody.
        if (!over.signal.aborted && !/query_timeout/.test(error.message)) throw error
      })
  })
  const figure = await work()
  over.abort()
  await Promise.all(asking)
  return figure
}

const ORGANIZATION = '/api/organizations/@current/'
const firstPage = (): string => `/api/projects/${projects[0]}/events/`

const BUSY = 'with ten slow queries'

export const isolation: Trial = {
  name: 'isolation',
  why: 'A slow question hurts nobody but who asked it: the 99th percentile of everything else stays.',
  rounds: 7,
  setup: async () => {
    workspace = await startWorkspace()
    projects = [workspace.project_id]
    while (projects.length < SLOW_QUERIES) {
      const body = Buffer.from(JSON.stringify({ name: `Project ${projects.length}` }))
      projects.push(JSON.parse(await answer(workspace, '/api/projects/', { body })).id)
    }
    fill(workspace, projects, EVENTS_PER_PROJECT)
    return undefined
  },
  contestants: {
    'organization, idle': () => requests(ORGANIZATION),
    [`organization, ${BUSY}`]: () => whileSlow(() => requests(ORGANIZATION)),
    'first page, idle': () => requests(firstPage()),
    [`first page, ${BUSY}`]: () => whileSlow(() => requests(firstPage())),
  },
  bars: ['organization', 'first page'].map((what) => ({
    subject: `${what}, ${BUSY}`,
    against: `${what}, idle`,
    atMost: 2,
  })),
}

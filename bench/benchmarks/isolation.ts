import { setMaxListeners } from 'node:events'
import type { Benchmark } from '../benchmark.ts'
import { copyEvents, startOnPostgres } from '../postgres.ts'
import { fetchBody, insertEvents, percentile, postJson, startWorkspace, timed, type Workspace } from '../workspace.ts'

const REQUESTS = 300
const SLOW_QUERIES = 10
const EVENTS_PER_PROJECT = 50_000
/** Ten patterns that match no event. Each takes more than a second. */
const PATTERNS = Array.from({ length: 10 }, (_, i) => `match(properties.title, '(p|q)+[a-m]*ordinary.*${i}$')`)
const SLOW = new URLSearchParams({ where: PATTERNS.join(' or ') })

let workspace: Workspace
let projects: number[]

async function requests(path: string): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < REQUESTS; i++) times.push(await timed(() => fetchBody(workspace, path)))
  return percentile(times, 0.99)
}

/** Repeats a slow query in each project until `work` is done. */
async function whileSlow(work: () => Promise<number>): Promise<number> {
  const controller = new AbortController()
  const { signal } = controller
  setMaxListeners(0, signal)
  const queries = projects.map(async (project) => {
    while (!signal.aborted)
      await fetchBody(workspace, `/api/projects/${project}/events/?${SLOW}`, { signal }).catch((error) => {
        // Queries at the end of the queue may time out.
        if (!signal.aborted && !/query_timeout/.test(error.message)) throw error
      })
  })
  const time = await work()
  controller.abort()
  await Promise.all(queries)
  return time
}

const ORGANIZATION = '/api/organizations/@current/'
const firstPage = (): string => `/api/projects/${projects[0]}/events/`

const BUSY = 'with ten slow queries'

const benchmark = (
  name: string,
  start: () => Promise<Workspace>,
  fill: (workspace: Workspace, projects: readonly number[], count: number) => unknown,
): Benchmark => ({
  name,
  description: 'Slow queries at most double the 99th percentile of the times of other requests.',
  rounds: 7,
  setup: async () => {
    workspace = await start()
    projects = [workspace.project_id]
    while (projects.length < SLOW_QUERIES) {
      const project = await postJson(workspace, '/api/projects/', { name: `Project ${projects.length}` })
      projects.push(JSON.parse(project).id)
    }
    await fill(workspace, projects, EVENTS_PER_PROJECT)
    return undefined
  },
  variants: {
    'organization, idle': () => requests(ORGANIZATION),
    [`organization, ${BUSY}`]: () => whileSlow(() => requests(ORGANIZATION)),
    'first page, idle': () => requests(firstPage()),
    [`first page, ${BUSY}`]: () => whileSlow(() => requests(firstPage())),
  },
  limits: ['organization', 'first page'].map((request) => ({
    subject: `${request}, ${BUSY}`,
    against: `${request}, idle`,
    atMost: 2,
  })),
})

export const isolation: Benchmark[] = [
  benchmark('isolation', startWorkspace, insertEvents),
  benchmark('isolation.postgres', startOnPostgres, copyEvents),
]

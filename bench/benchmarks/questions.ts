/** Questions that add up events, through `query.run`, beside the same questions with a condition that only the rows can answer. */
import type { Benchmark } from '../benchmark.ts'
import { postgresWorkspaceOf } from '../postgres.ts'
import { postJson, timed, type Workspace, workspaceOf } from '../workspace.ts'

const EVENTS = 1_000_000
const FROM_ROWS = 'from rows'

let onSqlite: Workspace
let onPostgres: Workspace
const ENGINES = [
  { suffix: '', workspace: () => onSqlite },
  { suffix: ' on PostgreSQL', workspace: () => onPostgres },
]

/** `every` is true for every event, and is in neither the counts nor an index beside the other fields. */
const QUESTIONS: Record<string, { query: (where: string) => string; every: string; atMost: number }> = {
  'count by event name': {
    query: (where) => `select event, count() from events ${where} group by event`,
    every: "elements_chain != 'none'",
    atMost: 0.01,
  },
  'count by hour': {
    query: (where) => `select toStartOfHour(timestamp) as hour, count() from events ${where} group by hour`,
    every: "elements_chain != 'none'",
    atMost: 0.05,
  },
  'distinct ids': {
    query: (where) => `select uniq(distinct_id) from events ${where}`,
    every: "elements_chain != 'none'",
    atMost: 0.25,
  },
}

const ask = (workspace: () => Workspace, query: string) => (): Promise<number> =>
  timed(() =>
    postJson(workspace(), `/api/projects/${workspace().project_id}/query/`, { query: { kind: 'HogQLQuery', query } }),
  )

export const questions: Benchmark = {
  name: 'questions',
  description: `Questions about ${EVENTS.toLocaleString('en')} events: the hourly counts and indexes answer them faster than the rows.`,
  rounds: 5,
  setup: async () => {
    onSqlite = await workspaceOf(EVENTS)
    onPostgres = await postgresWorkspaceOf(EVENTS)
    return undefined
  },
  variants: Object.fromEntries(
    ENGINES.flatMap(({ suffix, workspace }) =>
      Object.entries(QUESTIONS).flatMap(([name, { query, every }]) => [
        [`${name}${suffix}`, ask(workspace, query(''))],
        [`${name}, ${FROM_ROWS}${suffix}`, ask(workspace, query(`where ${every}`))],
      ]),
    ),
  ),
  limits: ENGINES.flatMap(({ suffix }) =>
    Object.entries(QUESTIONS).map(([name, { atMost }]) => ({
      subject: `${name}${suffix}`,
      against: `${name}, ${FROM_ROWS}${suffix}`,
      atMost,
    })),
  ),
}

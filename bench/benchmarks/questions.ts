/** Questions that add up events, through `query.run`, beside the same questions with a condition that only the rows can answer. */
import pg from 'pg'
import type { Benchmark } from '../benchmark.ts'
import { cpuOf, postgresCpu } from '../cost.ts'
import { postgresWorkspaceOf } from '../postgres.ts'
import { postJson, type Workspace, workspaceOf } from '../workspace.ts'

const EVENTS = 1_000_000
const FROM_ROWS = 'from rows'
let onSqlite: Workspace
let onPostgres: Workspace
/** A connection of the same server, which finds its processes. */
let postgres: pg.Client | undefined
const ENGINES = [
  { suffix: '', workspace: () => onSqlite },
  { suffix: ' on PostgreSQL', workspace: () => onPostgres },
]

/**
 * `every` is true for every event, and is in neither the counts nor an index beside the other fields. The kernel counts CPU time
 * in hundredths of a second, so quick questions are asked several `times`.
 */
const QUESTIONS: Record<string, { query: (where: string) => string; every: string; times: number; atMost: number }> = {
  'count by event name': {
    query: (where) => `select event, count() from events ${where} group by event`,
    every: "elements_chain != 'none'",
    times: 40,
    atMost: 0.01,
  },
  'count by hour': {
    query: (where) => `select toStartOfHour(timestamp) as hour, count() from events ${where} group by hour`,
    every: "elements_chain != 'none'",
    times: 20,
    atMost: 0.05,
  },
  'distinct ids': {
    query: (where) => `select uniq(distinct_id) from events ${where}`,
    every: "elements_chain != 'none'",
    times: 4,
    atMost: 0.25,
  },
}

/** The CPU time of one question, in milliseconds, of the server and of PostgreSQL with its parallel workers. */
const ask = (workspace: () => Workspace, query: string, times: number) => async (): Promise<number> => {
  const seconds = async (): Promise<number> =>
    cpuOf(workspace().pid) + (workspace() === onPostgres && postgres ? ((await postgresCpu(postgres)) ?? 0) : 0)
  const before = await seconds()
  for (let i = 0; i < times; i++)
    await postJson(workspace(), `/api/projects/${workspace().project_id}/query/`, {
      query: { kind: 'HogQLQuery', query },
    })
  return (((await seconds()) - before) * 1000) / times
}

export const questions: Benchmark = {
  name: 'questions',
  description: `Questions about ${EVENTS.toLocaleString('en')} events: the hourly counts and indexes answer them faster than the rows.`,
  rounds: 5,
  setup: async () => {
    onSqlite = await workspaceOf(EVENTS)
    onPostgres = await postgresWorkspaceOf(EVENTS)
    const client = new pg.Client(onPostgres.database)
    await client.connect()
    postgres = client
    return () => void client.end()
  },
  variants: Object.fromEntries(
    ENGINES.flatMap(({ suffix, workspace }) =>
      Object.entries(QUESTIONS).flatMap(([name, { query, every, times }]) => [
        [`${name}${suffix}`, ask(workspace, query(''), times)],
        [`${name}, ${FROM_ROWS}${suffix}`, ask(workspace, query(`where ${every}`), 1)],
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

import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { NICENESS } from '../../src/events/readers-sqlite.ts'
import type { Benchmark } from '../benchmark.ts'
import { postgresWorkspaceOf } from '../postgres.ts'
import { eventName, fetchBody, percentile, timed, type Workspace, workspaceOf } from '../workspace.ts'

const PAGES = 100
const [FEW, SCANNED, MANY] = [50_000, 1_000_000, 5_000_000]
const eventCount = (count: number): string => `${count.toLocaleString('en')} events`

let few: Workspace
let scanned: Workspace
let many: Workspace
let fewOnPostgres: Workspace
let scannedOnPostgres: Workspace
let manyOnPostgres: Workspace

const listPath = ({ project_id }: Workspace, query: Record<string, string>): string =>
  `/api/projects/${project_id}/events/?${new URLSearchParams(query)}`

const FIRST_PAGES: Record<string, Record<string, string>> = {
  'first page': {},
  'one event name': { event: eventName(2) },
  'time range': { after: '-20d', before: '-10d' },
  'event name in a time range': { event: eventName(2), after: '-20d', before: '-10d' },
}

/** The median of many requests, which background load disturbs less than their sum. */
const medianTime = (workspace: () => Workspace, query: Record<string, string>) => async (): Promise<number> => {
  const times: number[] = []
  for (let i = 0; i < PAGES; i++) times.push(await timed(() => fetchBody(workspace(), listPath(workspace(), query))))
  return percentile(times, 0.5)
}

const POSTGRES = 'on PostgreSQL'
const FIRST_PAGE_ENGINES = [
  { suffix: '', small: () => few, large: () => many },
  { suffix: ` ${POSTGRES}`, small: () => fewOnPostgres, large: () => manyOnPostgres },
]

export const firstPage: Benchmark = {
  name: 'events.page',
  description: 'The cost of a first page depends on its size, not on the number of stored events.',
  rounds: 7,
  setup: async () => {
    few = await workspaceOf(FEW)
    many = await workspaceOf(MANY)
    fewOnPostgres = await postgresWorkspaceOf(FEW)
    manyOnPostgres = await postgresWorkspaceOf(MANY)
    return undefined
  },
  variants: Object.fromEntries(
    FIRST_PAGE_ENGINES.flatMap(({ suffix, small, large }) =>
      Object.entries(FIRST_PAGES).flatMap(([name, query]) => [
        [`${name}, ${eventCount(FEW)}${suffix}`, medianTime(small, query)],
        [`${name}, ${eventCount(MANY)}${suffix}`, medianTime(large, query)],
      ]),
    ),
  ),
  limits: FIRST_PAGE_ENGINES.flatMap(({ suffix }) =>
    Object.keys(FIRST_PAGES).map((name) => ({
      subject: `${name}, ${eventCount(MANY)}${suffix}`,
      against: `${name}, ${eventCount(FEW)}${suffix}`,
      atMost: 1.5,
    })),
  ),
}

/** The same query as a request to the server and as hand-written SQL on the database file. */
const QUERIES: Record<string, { query: Record<string, string>; sql: string }> = {
  'property without matches': {
    query: { properties: JSON.stringify([{ key: 'plan', value: 'none' }]) },
    sql: `select * from events where project_id = 1 and properties ->> '$.plan' = 'none'
      order by timestamp desc, uuid desc limit 101`,
  },
  'number without matches': {
    query: { properties: JSON.stringify([{ key: 'price', value: 1000, operator: 'gt' }]) },
    sql: `select * from events where project_id = 1 and properties ->> '$.price' > 1000
      order by timestamp desc, uuid desc limit 101`,
  },
  'HogQL condition': {
    query: { where: "properties.plan = 'none'" },
    sql: `select * from events where project_id = 1 and properties ->> '$.plan' = 'none'
      order by timestamp desc, uuid desc limit 101`,
  },
  count: {
    query: { select: 'count()', where: "properties.plan = 'free'" },
    sql: `select count(*) from events where project_id = 1 and properties ->> '$.plan' = 'free'`,
  },
  'sum by event name': {
    query: { select: JSON.stringify(['event', 'sum(toFloat(properties.price))']) },
    sql: `select event, sum(properties ->> '$.price') from events where project_id = 1 group by event order by 2 desc`,
  },
}

const RUN_SQL = `
  const [file, sql] = process.argv.slice(1)
  const db = require('better-sqlite3')(file, { readonly: true })
  const start = performance.now()
  db.prepare(sql).all()
  console.log(performance.now() - start)`

/** Runs with the priority of the server's reader processes, so background load affects both alike. */
async function directSql(sql: string): Promise<number> {
  const child = spawn(process.execPath, ['-e', RUN_SQL, scanned.file, sql], { stdio: ['ignore', 'pipe', 'inherit'] })
  if (child.pid !== undefined) setPriority(child.pid, NICENESS)
  return Number(await text(child.stdout))
}

export const propertyFilter: Benchmark = {
  name: 'events.filter',
  description: `A query that scans ${eventCount(SCANNED)} takes about as long as the scan itself.`,
  rounds: 3,
  setup: async () => {
    scanned = await workspaceOf(SCANNED)
    scannedOnPostgres = await postgresWorkspaceOf(SCANNED)
    return undefined
  },
  variants: Object.fromEntries(
    Object.entries(QUERIES).flatMap(([name, { query, sql }]) => [
      [`${name}, direct SQL`, () => directSql(sql)],
      [`${name}, over HTTP`, () => timed(() => fetchBody(scanned, listPath(scanned, query)))],
      [
        `${name}, over HTTP ${POSTGRES}`,
        () => timed(() => fetchBody(scannedOnPostgres, listPath(scannedOnPostgres, query))),
      ],
    ]),
  ),
  limits: Object.keys(QUERIES).map((name) => ({
    subject: `${name}, over HTTP`,
    against: `${name}, direct SQL`,
    atMost: 1.5,
  })),
}

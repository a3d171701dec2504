/** Databases on a Citus cluster, for `npm run test:citus`. */
import pg from 'pg'
import type { Test } from 'tap'
import { distributionScript } from '../../../src/sql/distribution.ts'
import { EVENTS, migrate } from '../../../src/sql/migrate.ts'
import { openDatabase } from '../../../src/sql/open.ts'
import { describeTables } from '../../../src/sql/tables.ts'
import { notRun } from '../assertions/not-run.ts'

/** For tests that simulate a cluster with triggers or views, which a real one refuses. */
export function isSimulated(t: Test): boolean {
  if (!process.env.TEST_CITUS_URL) return true
  notRun(t, 'It simulates a cluster on one PostgreSQL.')
  return false
}

interface Worker {
  nodename: string
  nodeport: number
}

async function query<Row>(url: string, ...statements: string[]): Promise<Row[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    let rows: Row[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

const databaseOn = (server: string, name: string): string => {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** Creates a database on every node and connects them: Citus does not do it. Returns a function that drops all of them. */
export async function createClusterDatabase(coordinator: string, name: string): Promise<() => Promise<void>> {
  const workers = await query<Worker>(
    coordinator,
    `select nodename, nodeport from pg_dist_node where isactive and noderole = 'primary' and groupid <> 0`,
  )
  const servers = workers.map(({ nodename, nodeport }) => {
    const url = new URL(coordinator)
    url.hostname = nodename
    url.port = String(nodeport)
    return url.href
  })
  for (const server of [...servers, coordinator]) {
    await query(server, `create database ${name}`)
    const database = databaseOn(server, name)
    const [found] = await query(database, `select 1 from pg_proc where proname = 'create_distributed_table'`)
    if (!found) await query(database, 'create extension citus')
  }
  for (const { nodename, nodeport } of workers)
    await query(databaseOn(coordinator, name), `select citus_add_node('${nodename}', ${nodeport})`)
  return async () => {
    for (const server of [coordinator, ...servers]) await query(server, `drop database if exists ${name} with (force)`)
  }
}

/** Creates the tables and runs the statements that `migrate --print-distribution` prints. */
export async function createDistributedTables(url: string): Promise<void> {
  const db = await openDatabase(url)
  try {
    const now = new Date().toISOString()
    await migrate(db, now)
    await migrate(db, now, EVENTS)
    const lines = distributionScript(await describeTables(db)).split('\n')
    await query(url, ...lines.filter((line) => !line.startsWith('--')))
  } finally {
    await db.close()
  }
}

/** The cost of work per event: CPU time of the server and of PostgreSQL, and write-ahead log. */
import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { childrenOf, type Workspace } from './workspace.ts'

const TICKS_PER_SECOND = 100

export interface Cost {
  events: number
  events_per_second: number
  /** CPU time, in microseconds. */
  server_us_per_event: number
  /** Null if PostgreSQL runs on another machine. */
  postgres_us_per_event: number | null
  wal_bytes_per_event: number
}

/** `work` returns the number of events. */
export async function costOf(workspace: Workspace, client: pg.Client, work: () => Promise<number>): Promise<Cost> {
  const read = async () => ({
    time: performance.now(),
    server: cpuOf(workspace.pid),
    postgres: await postgresCpu(client),
    wal: await walPosition(client),
  })
  const before = await read()
  const events = await work()
  const after = await read()
  return {
    events,
    events_per_second: (events / (after.time - before.time)) * 1_000,
    server_us_per_event: ((after.server - before.server) / events) * 1e6,
    postgres_us_per_event:
      after.postgres === null || before.postgres === null ? null : ((after.postgres - before.postgres) / events) * 1e6,
    wal_bytes_per_event: (after.wal - before.wal) / events,
  }
}

/** User and system time in seconds, of ended child processes too. */
export function cpuTimes(pid: number): { own: number; children: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const seconds = (index: number): number => Number(fields[index]) / TICKS_PER_SECOND
  return { own: seconds(11) + seconds(12), children: seconds(13) + seconds(14) }
}

/** The CPU time of the server, its child processes and the ended ones, in seconds. */
export function cpuOf(pid: number): number {
  const { own, children: ended } = cpuTimes(pid)
  return childrenOf(pid).reduce((sum, child) => sum + cpuTimes(child).own, own + ended)
}

/** The CPU time of the processes of PostgreSQL, in seconds: the postmaster's children, running and ended. */
export async function postgresCpu(client: pg.Client): Promise<number | null> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const backend = rows[0]?.pid
  try {
    const stat = readFileSync(`/proc/${backend}/stat`, 'utf8')
    if (!stat.includes('(postgres)')) return null
    return cpuOf(Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  } catch {
    return null
  }
}

async function walPosition(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as bytes",
  )
  return Number(rows[0]?.bytes)
}

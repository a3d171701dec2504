/** Servers that mirror the events of their project in columns, each beside a server without a mirror on the same data. */
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { LIMITS } from '../src/mirror/keeper.ts'
import type { Segment } from '../src/mirror/messages.ts'
import { mergeable } from '../src/mirror/segments.ts'
import { EVENTS } from '../src/sql/migrate.ts'
import { cpuTimes } from './cost.ts'
import { webProperties } from './web-properties.ts'
import {
  childrenOf,
  insertEvents,
  postJson,
  shared,
  startServer,
  startWorkspace,
  tempFolder,
  type Workspace,
} from './workspace.ts'

export interface Mirrored {
  mirrored: Workspace
  plain: Workspace
  events: number
  /** CPU time of the processes that wrote and merged the segments. */
  segment_us_per_event: number
}

const POLL_MS = 200

/** Both servers have this many events in one database. Resolves when all of them are in segments. */
export const mirroredOf = shared(async (events: number): Promise<Mirrored> => {
  const plain = await startPlain(events)
  const mirrored = await startMirror(plain)
  const seconds = await untilMirrored(mirrored)
  return { mirrored, plain, events, segment_us_per_event: (seconds * 1e6) / events }
})

export async function startPlain(events: number): Promise<Workspace> {
  const plain = await startWorkspace()
  insertEvents(plain, [plain.project_id], events, { propertiesOf: webProperties })
  return plain
}

/** Copies the database and the mirror, and starts both servers on the copy. */
export async function copyMirrored({ plain, ...original }: Mirrored): Promise<Mirrored> {
  const folder = join(tempFolder(), 'copy')
  cpSync(dirname(plain.file), folder, { recursive: true })
  const started = await startServer(`sqlite:${folder}`, {}, plain.api_key)
  const copy = { ...started, file: join(folder, EVENTS.file) }
  return { ...original, plain: copy, mirrored: await startMirror(copy) }
}

async function startMirror({ database, api_key, file }: Workspace): Promise<Workspace> {
  return { ...(await startServer(database, { EVENT_MIRROR: 'true' }, api_key)), file }
}

/** Resolves with the CPU time of the processes that write segments, in seconds, when there is nothing left to write. */
export async function untilMirrored(workspace: Workspace): Promise<number> {
  const db = new Sqlite(workspace.file, { readonly: true })
  const times = new Map<number, number>()
  for (let isComplete = false; !isComplete; ) {
    await sleep(POLL_MS)
    isComplete = isMirrored(db, workspace)
    // Before a process ends it is idle for longer than this loop waits.
    for (const pid of processesOf(workspace, 'segment-process')) times.set(pid, cpuTimes(pid).own)
  }
  db.close()
  return [...times.values()].reduce((sum, seconds) => sum + seconds, 0)
}

function isMirrored(db: Sqlite.Database, { project_id }: Workspace): boolean {
  const segments = segmentsOf(db, project_id)
  const tail = db
    .prepare('select 1 from events where project_id = ? and seq >= ? limit ?')
    .all(project_id, segments.at(-1)?.to_position ?? 0, LIMITS.min_segment)
  return tail.length < LIMITS.min_segment && !mergeable(segments, LIMITS)
}

const segmentsOf = (db: Sqlite.Database, project_id: number): Segment[] =>
  db
    .prepare<[number], Segment>('select * from mirror_segments where project_id = ? order by from_position')
    .all(project_id)

/** The child processes of the server that run this program. */
function processesOf({ pid }: Workspace, program: string): number[] {
  const hasProgram = (child: number): boolean =>
    readFileSync(`/proc/${child}/cmdline`, 'utf8')
      .split('\0')
      .some((word) => basename(word).startsWith(program))
  return childrenOf(pid).filter(hasProgram)
}

/** The peak memory of the processes that answer questions from the mirror, in MB. */
export const peakOfReaders = (workspace: Workspace): number =>
  Math.max(
    ...processesOf(workspace, 'mirror-process').map(
      (pid) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
    ),
  )

/** The size of the mirror in MB, after the files that were merged are deleted. */
export async function mirrorSize({ file, project_id }: Workspace): Promise<number> {
  const folder = join(dirname(file), 'mirror')
  const db = new Sqlite(file, { readonly: true })
  const { length } = segmentsOf(db, project_id)
  db.close()
  for (;;) {
    const names = readdirSync(folder)
    if (names.filter((name) => name.endsWith('.parquet')).length === length)
      return names.reduce((sum, name) => sum + megabytesOf(join(folder, name)), 0)
    await sleep(POLL_MS)
  }
}

export const megabytesOf = (file: string): number => statSync(file).size / 1024 / 1024

export interface Answer {
  results: unknown[][]
  explain: { way: string }
}

/** Throws unless the question is answered in this way. */
export async function ask(workspace: Workspace, query: string, way: string): Promise<Answer> {
  const body = { query: { kind: 'HogQLQuery', query, explain: true } }
  const answer: Answer = JSON.parse(await postJson(workspace, `/api/projects/${workspace.project_id}/query/`, body))
  if (answer.explain.way !== way) throw new Error(`${query} was answered by ${answer.explain.way}, not ${way}`)
  return answer
}

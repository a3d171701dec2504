/** A server with a mirror: its files, its answers, and rounds of its loop. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Loop } from '../../src/background/loop.ts'
import { createProcessPool, type ProcessPool } from '../../src/background/process-pool.ts'
import { POSITION } from '../../src/events/extract.ts'
import type { SegmentJob, SegmentReply } from '../../src/mirror/messages.ts'
import type { MirrorOptions } from '../../src/mirror/mirror.ts'
import { sql } from '../../src/sql/template.ts'
import type { TestApp } from './app.ts'
import { defined } from './assertions/items.ts'
import { until } from './programs/site.ts'
import { fromRows, MIRROR_LIMITS, QUESTIONS } from './seeds/mirror.ts'

export const HOUR_MS = 3_600_000
export const ERASE_MS = 24 * HOUR_MS
/** Of a server with a mirror. */
export const OPTIONS = { environment: { EVENT_MIRROR: 'true' }, mirrorLimits: MIRROR_LIMITS }

export const mirrorOf = ({ deps }: TestApp) => defined(deps.mirror, 'the mirror')
export const keeper = (app: TestApp): Loop => mirrorOf(app).keeper
export const folderOf = (app: TestApp): string => mirrorOf(app).folder
export const nodeOf = (app: TestApp): string => readFileSync(join(folderOf(app), 'node'), 'utf8')
export const ownerOf = (app: TestApp) => ({ project_id: app.first.project_id, node: nodeOf(app) })
export const filesOf = (app: TestApp): string[] =>
  readdirSync(folderOf(app)).filter((name) => name.endsWith('.parquet'))
export const pathsOf = (app: TestApp): string[] => filesOf(app).map((name) => join(folderOf(app), name))

export const ask = async (app: TestApp, query: string) => {
  const { status, body } = await app.send('POST', `/api/projects/${app.first.project_id}/query/`, {
    body: { query: { kind: 'HogQLQuery', query, explain: true } },
  })
  assert.equal(status, 200, JSON.stringify(body))
  return { rows: body.results, way: body.explain?.way }
}

/** Compares the answers of the mirror with those of rows. */
export async function compare(t: Test, app: TestApp, name: string): Promise<void> {
  for (const question of QUESTIONS) {
    const [mirrored, rows] = [await ask(app, question), await ask(app, fromRows(question))]
    t.equal(mirrored.way, 'mirror', `${name}: ${question}`)
    t.equal(rows.way, 'rows')
    t.strictSame(mirrored.rows, rows.rows, `${name}: ${question}`)
  }
}

/** Compares the answers, whichever way they take. Returns the ways of the questions. */
export async function compareRows(t: Test, app: TestApp, name: string, questions: readonly string[] = QUESTIONS) {
  const ways: unknown[] = []
  for (const question of questions) {
    const asked = await ask(app, question)
    // Positions differ between the engines, and with them the segments and the way. Only the answer from rows is the same.
    app.transcript.pop()
    const rows = await ask(app, fromRows(question))
    t.equal(rows.way, 'rows')
    t.strictSame(asked.rows, rows.rows, `${name}: ${question}`)
    ways.push(asked.way)
  }
  return ways
}

/**
 * Runs rounds until a segment has every event that it may have. Transactions of other suites delay the horizon on PostgreSQL.
 */
export async function mirrorEvents(
  app: TestApp,
  project_id = app.first.project_id,
  { work }: Loop = keeper(app),
): Promise<void> {
  // Projects that were too small are counted again.
  app.advance(60_000)
  await until(async () => {
    await work()
    const [mirror] = await app.deps.events.all<{ mirrored_to: number; above: number }>(sql`
      select m.mirrored_to, (select count(*) from events e where e.project_id = ${project_id} and ${POSITION} >= m.mirrored_to) as above
      from mirrors m where m.project_id = ${project_id}`)
    return mirror && mirror.mirrored_to > 0 && mirror.above < MIRROR_LIMITS.min_segment
  })
}

export async function deletePerson(app: TestApp, distinct_id: string): Promise<void> {
  const persons = `/api/projects/${app.first.project_id}/persons/` as const
  const found = await app.send('GET', `${persons}?distinct_id=${encodeURIComponent(distinct_id)}`)
  const [person] = found.body.results
  if (!person) return
  const { status } = await app.send('DELETE', `${persons}${person.id}/?delete_events=true`)
  assert.equal(status, 204)
  // The deletion wakes it.
  await app.deps.purger.idle()
}

/** Deletions of events that may be in files. Those of later events wait for the next segment. */
export const deletionsOf = (app: TestApp) =>
  app.deps.events.all(sql`
    select d.seq from mirror_deletions d join mirrors m on m.project_id = d.project_id and m.node = d.node
    where d.position < m.mirrored_to`)

/** Runs rounds until the files lack all deleted events. */
export async function erase(app: TestApp): Promise<void> {
  await until(async () => {
    // A mirror that begins again notices the deletions later.
    await keeper(app).work()
    app.advance(ERASE_MS)
    await keeper(app).work()
    return (await deletionsOf(app)).length === 0
  })
  // Replaced files stay for questions that have begun.
  app.advance(HOUR_MS)
  await keeper(app).work()
}

/** The options of another mirror of the same server. */
export const optionsOf = (
  { deps, first }: TestApp,
  onFailure: (failure: { text: string }) => unknown = () => undefined,
): Omit<MirrorOptions, 'folder'> & { folder: string } => ({
  url: deps.config.DATABASE_URL,
  events: deps.events,
  folder: defined(deps.mirror).folder,
  timeout_ms: 10_000,
  erase_hours: 24,
  now: deps.now,
  newName: deps.ids.uuid,
  limits: MIRROR_LIMITS,
  projects: async (after) => (after < first.project_id ? [first.project_id] : []),
  log: {
    info: () => undefined,
    debug: () => undefined,
    error: (fields, text) => onFailure({ ...fields, text }),
  },
})

/** A pool whose replies wait for `onReply`. */
export function hookedWriters(t: Test, app: TestApp, onReply: (reply: SegmentReply) => Promise<void>) {
  const pool = createProcessPool<SegmentJob, SegmentReply>({
    program: new URL('../../src/mirror/segment-process', import.meta.url),
    args: [app.deps.config.DATABASE_URL, folderOf(app)],
  })
  t.teardown(pool.stop)
  const inner = new Map<object, ReturnType<typeof pool.take>>()
  const hooked: ProcessPool<SegmentJob, SegmentReply> = {
    take: () => {
      const process = pool.take()
      const receive = async (): Promise<SegmentReply> => {
        const reply = await process.receive()
        await onReply(reply)
        return reply
      }
      const wrapped = Object.create(process, { receive: { value: receive } })
      inner.set(wrapped, process)
      return wrapped
    },
    release: (process) => pool.release(defined(inner.get(process))),
    stop: pool.stop,
  }
  return hooked
}

/** Servers with a mirror and its processes that are killed: the answers stay those of rows, and the mirror goes on. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { EVENTS } from '../../src/sql/migrate.ts'
import { openDatabase } from '../../src/sql/open.ts'
import { type Engine, sql } from '../../src/sql/template.ts'
import { ENGINES } from '../helpers/app.ts'
import { bySize, figure, halfInQuick, inTurn, sampled } from '../helpers/assertions/figures.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import type { Json } from '../helpers/json.ts'
import { serverPlace } from '../helpers/programs/postgres.ts'
import { type ServerProcess, startProcess } from '../helpers/programs/process.ts'
import { until } from '../helpers/programs/site.ts'
import { uuid } from '../helpers/seeds/events.ts'
import { fromRows, mirroredEvents, QUESTIONS } from '../helpers/seeds/mirror.ts'
import { seeded } from '../helpers/seeds/seeded.ts'

const AREA = 'Mirror of events'
const SEED = Number(process.env.SEED ?? 20261119)
const KILLS = bySize({ quick: 2, full: 4, prove: 200 })
const BATCH_SIZE = 12
const MAX_DELAY_MS = 200
const ORPHAN_MS = 11 * 60_000
t.setTimeout(bySize({ full: 7, prove: 120 }) * 60_000)
const scenario = halfInQuick(t)

const PROGRAM = fileURLToPath(new URL('../helpers/programs/mirror-server.js', import.meta.url))

type Turn = <Result>(work: () => Promise<Result>) => Promise<Result>

const atOnce: Turn = (work) => work()

/** One at a time, in the order of the calls. */
function oneByOne(): Turn {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}

/** Servers of one installation, and clients that send events and delete persons. */
async function openInstallation(t: Test, engine: Engine) {
  const database_url = await serverPlace(t, engine)
  const start = (folder: string): Promise<ServerProcess> =>
    startProcess(t, { DATABASE_URL: database_url, EVENT_MIRROR: 'true', EVENT_MIRROR_FOLDER: folder }, [PROGRAM])
  let first: Json
  let sent = 0

  async function request({ url }: ServerProcess, method: string, path: string, body?: unknown): Promise<Json> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${first.api_key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    // Another client may have deleted the person.
    assert.ok(
      response.ok || (method === 'DELETE' && response.status === 404),
      `${method} ${path} responded with ${response.status}: ${text}`,
    )
    return text && JSON.parse(text)
  }

  const project = (): string => `/api/projects/${first.project_id}`
  const ask = (server: ServerProcess, query: string): Promise<Json> =>
    request(server, 'POST', `${project()}/query/`, { query: { kind: 'HogQLQuery', query, explain: true } })

  const capture = (server: ServerProcess): Promise<Json> => {
    const batch = mirroredEvents(sent, sent + BATCH_SIZE).map((event, i) => ({ ...event, uuid: uuid(sent + i) }))
    sent += BATCH_SIZE
    return request(server, 'POST', '/batch/', { api_key: first.project_token, batch })
  }

  const deletePerson = async (server: ServerProcess, distinct_id: string): Promise<void> => {
    const found = await request(server, 'GET', `${project()}/persons/?distinct_id=${encodeURIComponent(distinct_id)}`)
    for (const { id } of found.results)
      await request(server, 'DELETE', `${project()}/persons/${id}/?delete_events=true`)
  }

  return {
    database_url,
    start: async (folder: string): Promise<ServerProcess> => {
      const server = await start(folder)
      first ??= server
      return server
    },
    capture,
    deletePerson,
    /**
     * Compares each answer with that of rows. The purger of a server may delete events in between. Clients that also add
     * some could make the answers before and after equal again, so they take turns with the questions.
     */
    compare: async (t: Test, server: ServerProcess, name: string, turn = atOnce): Promise<unknown[]> => {
      const ways: unknown[] = []
      for (const question of sampled(QUESTIONS, 3)) {
        const [asked, rows] = await until(() =>
          turn(async () => {
            const [before, rows, after] = [
              await ask(server, question),
              await ask(server, fromRows(question)),
              await ask(server, question),
            ]
            return JSON.stringify(before.results) === JSON.stringify(after.results) && [before, rows]
          }),
        )
        t.equal(rows.explain.way, 'rows')
        t.strictSame(asked.results, rows.results, `${name}: ${question}`)
        ways.push(asked.explain.way)
      }
      return ways
    },
    /** Sends events and deletes persons until a request fails. */
    load: async (server: ServerProcess, random: () => number, count: number, turn = atOnce): Promise<void> => {
      for (let i = 0; i < count; i++)
        await turn<unknown>(() =>
          random() < 0.2 ? deletePerson(server, `person ${Math.floor(random() * 7)}`) : capture(server),
        )
    },
    untilMirrored: async (server: ServerProcess): Promise<void> => {
      for (const question of QUESTIONS) await until(async () => (await ask(server, question)).explain.way === 'mirror')
    },
  }
}

type Installation = Awaited<ReturnType<typeof openInstallation>>

/** The processes that a server has started and whose program has this name. */
function childrenOf({ child }: ServerProcess, name: string): number[] {
  const pids = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ')
  return pids
    .filter(Boolean)
    .map(Number)
    .filter((pid) => commandOf(pid).includes(name))
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

function killChildren(server: ServerProcess, name: string): void {
  for (const pid of childrenOf(server, name))
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has exited meanwhile.
    }
}

interface CatalogedFile {
  node: string
  file: string
}

async function catalogedFiles(database_url: string): Promise<CatalogedFile[]> {
  const db = await openDatabase(database_url, { mode: 'read', file: EVENTS.file })
  try {
    return await db.all<CatalogedFile>(sql`select node, file from mirror_segments`)
  } finally {
    await db.close()
  }
}

const filesIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.includes('.parquet'))

/** Starts a server with so many events that it mirrors them. It counts a project once a minute, and after its start. */
async function startMirrored(installation: Installation, folder: string): Promise<ServerProcess> {
  const small = await installation.start(folder)
  for (let i = 0; i < 4; i++) await installation.capture(small)
  await small.kill()
  const server = await installation.start(folder)
  await installation.untilMirrored(server)
  return server
}

/** Starts a server for which all files are older than unfinished ones. Returns when those without a segment are gone. */
async function restartWithOldFiles({ database_url, start }: Installation, folder: string): Promise<ServerProcess> {
  const names = filesIn(folder)
  const old = new Date(Date.now() - ORPHAN_MS)
  for (const name of names) utimesSync(join(folder, name), old, old)
  const server = await start(folder)
  await until(async () => {
    const known = (await catalogedFiles(database_url)).map(({ file }) => file)
    return filesIn(folder).every((name) => known.includes(name) || !names.includes(name))
  })
  return server
}

for (const engine of inTurn(ENGINES))
  scenario(`a mirror survives kill -9 of its server and its processes (${engine})`, async (t) => {
    const random = seeded(SEED)
    const folder = join(freshFolder(t), 'mirror')
    const installation = await openInstallation(t, engine)
    let server = await startMirrored(installation, folder)
    const turn = oneByOne()
    const victims = ['server', 'segment-process', 'mirror-process']
    for (let round = 1; round <= KILLS; round++) {
      const victim = itemAt(victims, (round - 1) % victims.length)
      // The size of a moment within the work of the mirror. No assertion depends on it.
      const delay_ms = random() * MAX_DELAY_MS
      const loaded = installation.load(server, random, 4 + Math.floor(random() * 8), turn)
      const asked = installation.compare(t, server, `during round ${round}`, turn)
      const working = Promise.allSettled([loaded, asked])
      await pause(delay_ms)
      if (victim === 'server') {
        await server.kill()
        await working
        server = await installation.start(folder)
      } else {
        killChildren(server, victim)
        for (const { status, ...rest } of await working) t.equal(status, 'fulfilled', JSON.stringify(rest))
      }
      await installation.compare(t, server, `after kill ${round} of the ${victim}`)
    }
    await installation.capture(server)
    await installation.untilMirrored(server)
    await installation.compare(t, server, 'at the end')
    await server.kill()
    server = await restartWithOldFiles(installation, folder)
    await installation.untilMirrored(server)
    await installation.compare(t, server, 'after the clean-up')
    const result = 'each answer is that of rows; the mirror went on; no file was orphaned'
    figure(t, { area: AREA, count: KILLS, of: 'kills', result, seed: SEED })
  })

const nodeIn = (folder: string): string => readFileSync(join(folder, 'node'), 'utf8')

for (const isShared of inTurn([true, false]))
  scenario(`two servers with ${isShared ? 'one folder' : 'a folder each'} on one PostgreSQL`, async (t) => {
    const random = seeded(SEED + 1)
    const installation = await openInstallation(t, 'postgres')
    const base = freshFolder(t)
    const folders = isShared ? [join(base, 'a'), join(base, 'a')] : [join(base, 'a'), join(base, 'b')]
    const servers: ServerProcess[] = []
    for (const folder of folders) servers.push(await startMirrored(installation, folder))
    for (let round = 1; round <= KILLS; round++) {
      const [i, j] = round % 2 ? [0, 1] : [1, 0]
      const [killed, other] = [itemAt(servers, i), itemAt(servers, j)]
      const loaded = Promise.all([other, other].map((server) => installation.load(server, random, 4)))
      const interrupted = installation.load(killed, random, 20).catch(() => undefined)
      await pause(random() * MAX_DELAY_MS)
      await killed.kill()
      await interrupted
      await loaded
      servers[i] = await installation.start(itemAt(folders, i))
      for (const server of servers) await installation.compare(t, server, `after kill ${round}`)
    }
    await installation.capture(itemAt(servers, 0))
    for (const server of servers) await installation.untilMirrored(server)
    for (const server of servers) await installation.compare(t, server, 'at the end')
    for (const server of servers) await server.kill()
    for (const [i, folder] of folders.entries()) {
      servers[i] = await restartWithOldFiles(installation, folder)
      await installation.untilMirrored(itemAt(servers, i))
    }
    const nodes = [...new Set((await catalogedFiles(installation.database_url)).map(({ node }) => node))]
    t.strictSame(nodes.sort(), [...new Set(folders.map(nodeIn))].sort())
    t.equal(nodes.length, isShared ? 1 : 2)
    for (const server of servers) await installation.compare(t, server, 'after the clean-up')
    const result = 'each answer is that of rows; both mirrors went on'
    figure(t, { area: AREA, count: KILLS, of: 'kills of one of two servers', result, seed: SEED + 1 })
  })

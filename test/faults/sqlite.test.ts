/** Kills, full disks and damaged files: acknowledged writes are complete, and failures are reported. */
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { v7 } from 'uuid'
import { ADMINISTRATION, EVENTS } from '../../src/sql/migrate.ts'
import { openDatabase } from '../../src/sql/open.ts'
import { type Sql, sql } from '../../src/sql/template.ts'
import { bySize, figure, halfInQuick } from '../helpers/assertions/figures.ts'
import { defined, itemAt } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import type { Json } from '../helpers/json.ts'
import { command, ended, type ServerProcess, startProcess } from '../helpers/programs/process.ts'
import { seeded } from '../helpers/seeds/seeded.ts'

const AREA = 'SQLite faults'
const SEED = Number(process.env.SEED ?? 20260901)
const KILLS = bySize({ quick: 1, full: 3, prove: 200 })
const FIRST_STARTS = bySize({ quick: 1, full: 2, prove: 50 })
const FULL_DISKS = bySize({ quick: 1, full: 2, prove: 20 })
const BACKUPS = bySize({ quick: 1, full: 2, prove: 20 })
const DAMAGED_PAGES = bySize({ quick: 1, full: 2, prove: 50 })
const BATCH_SIZE = 20
const PAGE_BYTES = 4_096
const TMPFS_BYTES = 16 * 1024 * 1024
/** The number of failed writes of each kind that end a round. */
const MIN_REJECTIONS = 5
/** The size of the WAL before it has to grow. */
const MAX_WRITES = 2_000
t.setTimeout(bySize({ full: 5, prove: 60 }) * 60_000)
const scenario = halfInQuick(t)

interface HttpResponse {
  status: number
  headers: Headers
  body: Json
}

/** Throws if the server dies during the request. */
async function request(
  { url }: ServerProcess,
  key: string | null,
  method: string,
  path: string,
  body?: unknown,
): Promise<HttpResponse> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) }
}

async function rowsOf<Row>(folder: string, file: string, statement: Sql): Promise<Row[]> {
  const db = await openDatabase(`sqlite:${folder}`, { mode: 'read', file })
  try {
    return await db.all<Row>(statement)
  } finally {
    await db.close()
  }
}

interface Check {
  name: string
  state: string
  detail: string
  remedy: string | null
}

async function runDoctor(folder: string): Promise<{ code: number | null; checks: Record<string, Check> }> {
  const { code, stdout } = await ended(command(['doctor', '--json', '--database', `sqlite:${folder}`], {}))
  const { checks } = JSON.parse(stdout) as { checks: Check[] }
  return { code, checks: Object.fromEntries(checks.map((check) => [check.name, check])) }
}

async function assertHealthy(t: Test, folder: string, when: string): Promise<void> {
  const { checks } = await runDoctor(folder)
  t.match(checks, { schema: { state: 'ok' }, integrity: { state: 'ok' }, events: { state: 'ok' } }, `healthy ${when}`)
}

/** Records requested and acknowledged writes, and checks the database against them. */
function createLedger() {
  interface Organization {
    sent: number
    acknowledged: number
    removal: 'none' | 'requested' | 'acknowledged'
  }
  const names = new Set<string>()
  const organizations = new Map<string, Organization>()
  const batches = new Map<string, { acknowledged: boolean }>()
  let acknowledged = 0
  const isDone = ({ status }: HttpResponse): boolean => {
    const done = status >= 200 && status < 300
    if (done) acknowledged++
    return done
  }

  return {
    /** The number of acknowledged writes. */
    acknowledged: (): number => acknowledged,

    /** Creates an organization, renames it twice and sometimes deletes it. Yields the response to each request. */
    administer: async function* (
      server: ServerProcess,
      key: string,
      random: () => number,
    ): AsyncGenerator<HttpResponse> {
      const name = v7()
      names.add(name)
      const created = await request(server, key, 'POST', '/api/organizations/', { name: `${name} 0` })
      const id: string = created.body.id
      if (isDone(created)) organizations.set(id, { sent: 0, acknowledged: 0, removal: 'none' })
      yield created
      const organization = organizations.get(id)
      if (!organization) return
      const path = `/api/organizations/${id}/`
      for (let version = 1; version <= 2; version++) {
        organization.sent = version
        const renamed = await request(server, key, 'PATCH', path, { name: `${name} ${version}` })
        if (isDone(renamed)) organization.acknowledged = version
        yield renamed
      }
      if (random() < 0.5) return
      organization.removal = 'requested'
      const removed = await request(server, key, 'DELETE', path)
      if (isDone(removed)) organization.removal = 'acknowledged'
      yield removed
    },

    /** Sends events of one sender, whose person stores the number of the last event. */
    send: async (server: ServerProcess, sender: string, order: number): Promise<HttpResponse> => {
      const name = `${sender} ${order}`
      const batch = { acknowledged: false }
      batches.set(name, batch)
      const response = await request(server, null, 'POST', '/batch/', {
        api_key: server.project_token,
        batch: Array.from({ length: BATCH_SIZE }, () => ({
          uuid: v7(),
          event: 'seen',
          distinct_id: sender,
          properties: { batch: name, padding: 'x'.repeat(500), $set: { last: order } },
        })),
      })
      batch.acknowledged = isDone(response)
      return response
    },

    assertStored: async (t: Test, folder: string, when: string): Promise<void> => {
      const problems: string[] = []
      const check = (condition: boolean, message: string): void => {
        if (!condition) problems.push(message)
      }
      const rows = await rowsOf<{ id: string; name: string; member_count: number; members: number; projects: number }>(
        folder,
        ADMINISTRATION.file,
        sql`select o.id, o.name, o.member_count,
            (select count(*) from members m where m.organization_id = o.id) as members,
            (select count(*) from projects p where p.organization_id = o.id) as projects
          from organizations o where o.name <> 'My organization'`,
      )
      for (const { id, name, member_count, members, projects } of rows) {
        const [base, version] = name.split(' ')
        check(names.has(base!), `${name} was never requested`)
        check(member_count === 1 && members === 1 && projects === 1, `${name} is incomplete`)
        const known = organizations.get(id)
        if (!known) continue
        check(Number(version) >= known.acknowledged && Number(version) <= known.sent, `${name} has the wrong version`)
        check(known.removal !== 'acknowledged', `${name} was deleted`)
      }
      const storedIds = new Set(rows.map(({ id }) => id))
      for (const [id, { removal }] of organizations)
        check(removal !== 'none' || storedIds.has(id), `organization ${id} is lost`)

      const stored = await rowsOf<{ batch: string; sender: string; count: number }>(
        folder,
        EVENTS.file,
        sql`select properties ->> 'batch' as batch, distinct_id as sender, count(*) as count from events group by 1, 2`,
      )
      const last = new Map<string, number>()
      for (const { batch, sender, count } of stored) {
        check(batches.has(batch), `batch ${batch} was never sent`)
        check(count === BATCH_SIZE, `batch ${batch} has ${count} events`)
        last.set(sender, Math.max(last.get(sender) ?? 0, Number(batch.split(' ')[1])))
      }
      const arrived = new Set(stored.map(({ batch }) => batch))
      for (const [name, { acknowledged }] of batches) check(!acknowledged || arrived.has(name), `batch ${name} is lost`)
      const people = await rowsOf<{ sender: string; last: number }>(
        folder,
        EVENTS.file,
        sql`select d.distinct_id as sender, p.properties ->> 'last' as last from person_distinct_ids d
          join persons p on p.project_id = d.project_id and p.id = d.person_id`,
      )
      t.strictSame(new Map(people.map(({ sender, last }) => [sender, Number(last)])), last, 'persons and events agree')
      t.strictSame(problems, [], `${when}: ${names.size} organizations and ${batches.size} batches requested`)
    },
  }
}

scenario('acknowledged writes survive kill -9', async (t) => {
  const random = seeded(SEED)
  const folder = freshFolder(t)
  const DATABASE_URL = `sqlite:${folder}`
  const ledger = createLedger()
  let key: string | null = null
  for (let round = 1; round <= KILLS; round++) {
    if (round > 1 && random() < 0.3) {
      const starting = command(['serve', '--port', '0'], { DATABASE_URL, LOG_LEVEL: 'silent' })
      const exited = once(starting, 'exit')
      await pause(random() * 800)
      starting.kill('SIGKILL')
      await exited
    }
    const server = await startProcess(t, { DATABASE_URL })
    key ??= server.api_key
    const administer = async (): Promise<void> => {
      for (;;)
        for await (const { status } of ledger.administer(server, key!, random)) {
          if (status >= 300) t.fail(`returned ${status}`)
          await killAtGoal()
        }
    }
    const send = async (writer: number): Promise<void> => {
      for (let order = 1; ; order++) {
        const { status } = await ledger.send(server, `${round}-${writer}`, order)
        if (status !== 200) t.fail(`returned ${status}`)
        await killAtGoal()
      }
    }
    const goal = ledger.acknowledged() + 1 + random() * 60
    const killAtGoal = async (): Promise<void> => {
      if (ledger.acknowledged() < goal) return
      // A random delay of the experiment, while other writes continue. No assertion depends on it.
      await pause(random() * 10)
      await server.kill()
    }
    await Promise.allSettled([administer(), administer(), send(1), send(2), send(3)])
    await assertHealthy(t, folder, `after kill ${round}`)
    await ledger.assertStored(t, folder, `kill ${round}`)
  }
  const result = `all of ${ledger.acknowledged().toLocaleString('en')} acknowledged writes stored, none incomplete; doctor found no problem`
  figure(t, { area: AREA, count: KILLS, of: 'kills', result, seed: SEED })
})

scenario('a database survives kill -9 during its first start', async (t) => {
  const random = seeded(SEED + 1)
  for (let round = 1; round <= FIRST_STARTS; round++) {
    const folder = freshFolder(t)
    const DATABASE_URL = `sqlite:${folder}`
    const starting = command(['serve', '--port', '0'], { DATABASE_URL, LOG_LEVEL: 'silent' })
    const exited = once(starting, 'exit')
    await pause(random() * 1_000)
    starting.kill('SIGKILL')
    await exited
    const server = await startProcess(t, { DATABASE_URL })
    t.equal((await request(server, null, 'GET', '/health/ready')).status, 200)
    await server.kill()
    await assertHealthy(t, folder, `after first start ${round}`)
  }
  const result = 'each next start succeeded; doctor found no problem'
  figure(t, { area: AREA, count: FIRST_STARTS, of: 'kills', result, seed: SEED + 1 })
})

/** A disk that can be filled. */
interface Disk {
  folder: string
  fill(server: ServerProcess): void
  free(server: ServerProcess): void
}

/** Undefined if this machine does not allow mounts. */
function smallDisk(t: Test): Disk | undefined {
  const folder = freshFolder(t)
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${TMPFS_BYTES},mode=700`, 'tmpfs', folder])
  if (status !== 0) return undefined
  t.teardown(() => execFileSync('umount', ['--lazy', folder]))
  const filler = join(folder, 'filler')
  return {
    folder,
    fill: () => {
      const file = openSync(filler, 'a')
      try {
        for (let bytes = 65_536; bytes >= 512; bytes /= 2)
          try {
            for (;;) writeSync(file, Buffer.alloc(bytes))
          } catch (error) {
            if ((error as { code?: string }).code !== 'ENOSPC') throw error
          }
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(filler),
  }
}

/** Limits the file size of the server to one page. Undefined if prlimit is missing. */
function limitedFiles(t: Test): Disk | undefined {
  if (spawnSync('prlimit', ['--version']).status !== 0) return undefined
  const limit = ({ child }: ServerProcess, bytes: string): void =>
    void execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:unlimited`])
  return {
    folder: freshFolder(t),
    fill: (server) => limit(server, '4096'),
    free: (server) => limit(server, 'unlimited'),
  }
}

const assertUnavailable = (t: Test, { status, headers, body }: HttpResponse): void => {
  t.equal(status, 503)
  t.equal(headers.get('retry-after'), '5')
  t.match(body, { type: 'server_error', code: 'unavailable', detail: /disk|stor/, attr: null })
}

const DISKS: [name: string, open: (t: Test) => Disk | undefined, unable: string][] = [
  ['writes to a full disk fail with 503 and nothing is lost', smallDisk, 'Mounting a small file system needs root.'],
  ['writes beyond a file size limit fail with 503 and nothing is lost', limitedFiles, 'This machine has no prlimit.'],
]
for (const [i, [name, open, unable]] of DISKS.entries())
  scenario(name, async (t) => {
    const disk = open(t)
    if (!disk) return figure(t, { area: AREA, unable })
    const { folder } = disk
    const random = seeded(SEED + 2 + i)
    const ledger = createLedger()
    const log = openSync(join(folder, 'server.log'), 'a')
    t.teardown(() => closeSync(log))
    const environment = { DATABASE_URL: `sqlite:${folder}`, LOG_LEVEL: 'info' }
    const server = await startProcess(t, environment, undefined, log)
    const key = defined(server.api_key)
    let rejected = 0
    for (let round = 1; round <= FULL_DISKS; round++) {
      for await (const { status } of ledger.administer(server, key, random))
        t.ok(status < 300, 'writes succeed with free space')
      t.equal((await ledger.send(server, `${round}-before`, 1)).status, 200)
      disk.fill(server)

      const rejections = { administration: 0, events: 0 }
      for (let i = 1; i <= MAX_WRITES && rejections.administration < MIN_REJECTIONS; i++)
        for await (const response of ledger.administer(server, key, random)) {
          if (response.status < 300) continue
          assertUnavailable(t, response)
          rejections.administration++
        }
      for (let order = 1; order <= MAX_WRITES && rejections.events < MIN_REJECTIONS; order++) {
        const response = await ledger.send(server, `${round}-full`, order)
        if (response.status === 200) continue
        assertUnavailable(t, response)
        rejections.events++
      }
      t.ok(
        rejections.administration >= MIN_REJECTIONS && rejections.events >= MIN_REJECTIONS,
        'both kinds of writes failed',
      )
      rejected += rejections.administration + rejections.events
      for (const path of ['/health/live', '/api/organizations/', '/api/projects/@current/events/'])
        t.equal((await request(server, key, 'GET', path)).status, 200, `${path} still succeeds`)
      assertUnavailable(t, await request(server, null, 'GET', '/health/ready'))

      disk.free(server)
      t.equal((await request(server, null, 'GET', '/health/ready')).status, 200, 'ready without another write')
      for await (const { status } of ledger.administer(server, key, random))
        t.ok(status < 300, 'writes succeed after space is freed')
      t.equal((await ledger.send(server, `${round}-after`, 1)).status, 200)
      await ledger.assertStored(t, folder, `round ${round}`)
    }
    // The limits also apply to the log, which may end within an error, before its code.
    const cause = /SQLITE_(FULL|IOERR)|database or disk is full|disk I\/O error/
    t.match(readFileSync(join(folder, 'server.log'), 'utf8'), cause, 'the log has the cause')
    await assertHealthy(t, folder, 'at the end')
    const result = `${rejected} writes rejected with 503, none with 500; reads succeeded; no acknowledged write lost; writes succeeded after space was freed`
    figure(t, { area: AREA, count: FULL_DISKS, of: 'rounds', result, seed: SEED + 2 + i })
  })

scenario('commands report a full disk and leave no partial files', async (t) => {
  const disk = smallDisk(t)
  if (!disk) return figure(t, { area: AREA, unable: 'Mounting a small file system needs root.' })
  const database = ['--database', `sqlite:${disk.folder}`]
  const server = await startProcess(t, { DATABASE_URL: `sqlite:${disk.folder}` })
  const backup = join(disk.folder, 'backup.tar')
  t.match(await ended(command(['backup', backup, ...database], {})), { code: 0 })
  rmSync(backup)
  disk.fill(server)
  t.match(await ended(command(['backup', backup, ...database], {})), { code: 1, stderr: /disk is full/ })
  t.strictSame(
    readdirSync(disk.folder).filter((name) => name.startsWith('backup')),
    [],
    'no partial backup',
  )
  t.match(await runDoctor(disk.folder), { code: 1, checks: { disk: { state: 'problem', remedy: /Free some space/ } } })
  const exited = once(server.child, 'exit')
  server.child.kill('SIGTERM')
  t.strictSame(await exited, [0, null], 'the server stops cleanly')
  disk.free(server)
  disk.fill(server)
  t.match(await ended(command(['serve', '--port', '0', ...database], {})), { code: 1, stderr: /disk is full/ })
  disk.free(server)
  const restarted = await startProcess(t, { DATABASE_URL: `sqlite:${disk.folder}` })
  t.equal((await request(restarted, server.api_key, 'GET', '/api/organizations/')).status, 200)
  await assertHealthy(t, disk.folder, 'afterwards')
  figure(t, { area: AREA, count: 4, of: 'commands', result: 'each reported the full disk and exited with 1' })
})

scenario('commands report missing write permissions', async (t) => {
  // Root can write everywhere, so the command runs as the user "nobody".
  const root = process.getuid?.() === 0
  const user = root ? { uid: 65_534, gid: 65_534 } : {}
  const run = (args: string[]) => ended(command(args, {}, user))
  if ((await run(['--version']).catch(() => undefined))?.code !== 0)
    return figure(t, { area: AREA, unable: 'The program cannot be read by the user "nobody" here.' })
  const place = freshFolder(t)
  chmodSync(place, 0o755)
  const cases: [name: string, prepare: (folder: string) => Promise<void>][] = [
    [
      'a read-only parent folder',
      async (folder) => {
        mkdirSync(folder)
        chmodSync(folder, 0o555)
      },
    ],
    [
      'an empty read-only folder',
      async (folder) => {
        mkdirSync(join(folder, 'data'), { recursive: true })
        chmodSync(join(folder, 'data'), 0o555)
      },
    ],
    [
      'read-only data files',
      async (folder) => {
        mkdirSync(folder)
        t.equal((await ended(command(['migrate', '--database', `sqlite:${join(folder, 'data')}`], {}))).code, 0)
        chmodSync(join(folder, 'data'), 0o555)
        for (const name of readdirSync(join(folder, 'data'))) chmodSync(join(folder, 'data', name), 0o444)
      },
    ],
    [
      'data files of another user',
      async (folder) => {
        mkdirSync(folder)
        t.equal((await ended(command(['migrate', '--database', `sqlite:${join(folder, 'data')}`], {}))).code, 0)
        if (!root) chmodSync(join(folder, 'data'), 0)
      },
    ],
  ]
  for (const [i, [name, prepare]] of cases.entries()) {
    const folder = join(place, String(i))
    await prepare(folder)
    const database = ['--database', `sqlite:${join(folder, 'data')}`]
    for (const args of [
      ['serve', '--port', '0', ...database],
      ['migrate', ...database],
    ]) {
      const { code, stdout, stderr } = await run(args)
      t.equal(code, 1, `${args[0]}: ${name}`)
      t.match(stderr, /cannot (open or )?write.*permissions/, `${args[0]}: ${name}`)
      t.notMatch(stderr, /nexpected|\n.*\n/, 'one line')
      t.equal(stdout, '')
    }
    const { code, stdout } = await run(['doctor', '--json', ...database])
    t.equal(code, 1, `doctor: ${name}`)
    const checks: Check[] = JSON.parse(stdout).checks
    t.ok(
      checks.some(({ state, remedy }) => state === 'problem' && remedy),
      `doctor: ${name}`,
    )
  }
  figure(t, { area: AREA, count: cases.length * 3, of: 'commands', result: 'each reported a remedy and exited with 1' })
})

scenario('doctor detects damaged pages', async (t) => {
  const random = seeded(SEED + 5)
  const healthy = freshFolder(t)
  const server = await startProcess(t, { DATABASE_URL: `sqlite:${healthy}` })
  const ledger = createLedger()
  for (let order = 1; order <= 10; order++) await ledger.send(server, 'sender', order)
  for (let i = 1; i <= 5; i++) for await (const _ of ledger.administer(server, defined(server.api_key), random));
  const exited = once(server.child, 'exit')
  server.child.kill('SIGTERM')
  await exited
  await assertHealthy(t, healthy, 'before')
  const files = [ADMINISTRATION.file, EVENTS.file]
  for (let round = 1; round <= DAMAGED_PAGES; round++) {
    const folder = freshFolder(t)
    for (const file of files) copyFileSync(join(healthy, file), join(folder, file))
    const file = files[round % 2]!
    const bytes = readFileSync(join(folder, file))
    const page = Math.floor(random() * (bytes.length / PAGE_BYTES))
    for (let i = page * PAGE_BYTES; i < (page + 1) * PAGE_BYTES; i++) bytes[i]! ^= 0xff
    writeFileSync(join(folder, file), bytes)
    const { code, checks } = await runDoctor(folder)
    const problems = Object.values(checks).filter(({ state }) => state === 'problem')
    t.equal(code, 1, `page ${page} of ${file}`)
    t.ok(problems.length > 0 && problems.every(({ remedy }) => remedy), 'with a remedy')
  }
  const result = 'doctor found each, reported a remedy and exited with 1'
  figure(t, { area: AREA, count: DAMAGED_PAGES, of: 'pages inverted', result, seed: SEED + 5 })
})

scenario('backups under load are consistent', async (t) => {
  const folder = freshFolder(t)
  const server = await startProcess(t, { DATABASE_URL: `sqlite:${folder}` })
  const key = defined(server.api_key)
  let stopped = false
  let links = 0
  /** A chain of a project, an event in it, the next project, and so on: each link requires all earlier ones. */
  const chain = async (name: string): Promise<void> => {
    for (let link = 1; !stopped; link++) {
      const created = await request(server, key, 'POST', '/api/projects/', { name: `${name} ${link}` })
      const event = { uuid: v7(), event: 'linked', distinct_id: name, properties: { link } }
      const sent = await request(server, null, 'POST', '/batch/', { api_key: created.body.api_token, batch: [event] })
      if (created.status !== 201 || sent.status !== 200) t.fail(`returned ${created.status} and ${sent.status}`)
      links++
    }
  }
  const writers = Promise.all(['a', 'b', 'c', 'd'].map(chain))
  let restored = 0
  for (let round = 1; round <= BACKUPS; round++) {
    const target = links + 20
    while (links < target) await pause(5)
    const file = join(freshFolder(t), 'backup.tar')
    const completed = await ended(command(['backup', file, '--database', `sqlite:${folder}`], {}))
    t.equal(completed.code, 0, completed.stderr)
    const copy = freshFolder(t)
    execFileSync('tar', ['xf', file, '-C', copy])
    await assertHealthy(t, copy, `as of backup ${round}`)
    const projects = await rowsOf<{ id: number; name: string }>(
      copy,
      ADMINISTRATION.file,
      sql`select id, name from projects where name like '_ %' order by id`,
    )
    const events = await rowsOf<{ project_id: number; name: string }>(
      copy,
      EVENTS.file,
      sql`select project_id, distinct_id || ' ' || (properties ->> 'link') as name from events order by project_id`,
    )
    const names = new Map(projects.map(({ id, name }) => [id, name]))
    const last = new Map(projects.map(({ id, name }) => [itemAt(name.split(' '), 0), id]))
    const linked = new Set(events.map(({ project_id }) => project_id))
    t.strictSame(
      events.filter(({ project_id, name }) => names.get(project_id) !== name),
      [],
      'no event without its project',
    )
    t.strictSame(
      projects.filter(({ id, name }) => !linked.has(id) && last.get(itemAt(name.split(' '), 0)) !== id),
      [],
      'only the last project of each chain may lack its event',
    )
    restored = projects.length
  }
  stopped = true
  await writers
  t.ok(restored >= BACKUPS * 10, 'the chains grew during the backups')
  const result = `each backup contained a consistent state of both databases, the last one with ${restored.toLocaleString('en')} projects; doctor found no problem`
  figure(t, { area: AREA, count: BACKUPS, of: 'backups', result })
})

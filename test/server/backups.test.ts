/** Scheduled backups: one process makes them, only complete ones count, and failures are reported. */
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { restoreArchive } from '../../src/backups/restore.ts'
import { createScheduledBackups } from '../../src/backups/schedule.ts'
import { readConfig } from '../../src/config.ts'
import { buildDeps } from '../../src/deps.ts'
import { openDatabase } from '../../src/sql/open.ts'
import { sql } from '../../src/sql/template.ts'
import { claimBackup } from '../../src/store/installation.ts'
import { openApp, type TestApp } from '../helpers/app.ts'
import { halfInQuick } from '../helpers/assertions/figures.ts'
import { defined, itemAt } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import { ingest, plainEvents } from '../helpers/seeds/exports.ts'

const scenario = halfInQuick(t)

const S3rver = createRequire(import.meta.url)('s3rver')
const DAY_MS = 86_400_000
/** How long a line of the log may take. */
const LINE_MS = 60_000
const BACKUP = /^workspace-[\da-f]{8}-\d{8}T\d{6}Z\.tar$/

interface Line {
  msg: string
  level: number
  name?: string
}

/** A log whose lines can be awaited in order. */
function openLog() {
  const stream = new PassThrough()
  const lines: Line[] = []
  const waiting: (() => void)[] = []
  stream.on('data', (chunk) => {
    for (const line of String(chunk).trim().split('\n')) lines.push(JSON.parse(line))
    for (const check of waiting.splice(0)) check()
  })
  let read = 0
  /** The next line with the text that was not returned before. */
  const next = async (text: string): Promise<Line> => {
    for (;;) {
      const at = lines.findIndex(({ msg }, i) => i >= read && msg.includes(text))
      if (at >= 0) {
        read = at + 1
        return lines[at]!
      }
      // The loops do not keep the process alive, so without a timer it would end here and not say why.
      const deadline = setTimeout(() => {
        throw new Error(`No line contains "${text}": ${JSON.stringify(lines.filter(({ level }) => level > 20))}`)
      }, LINE_MS)
      await new Promise<void>((resolve) => waiting.push(resolve))
      clearTimeout(deadline)
    }
  }
  return { stream, next, lines }
}

async function open(t: Test, environment: Record<string, string>) {
  const log = openLog()
  const app = await openApp(t, 'sqlite', { environment: { BACKUP_EVERY: '1d', ...environment }, log: log.stream })
  const backups = defined(app.deps.backups)
  return { app, log, start: () => backups.start(), wake: () => backups.wake() }
}

const status = async (app: TestApp) => (await app.call('instance.status')).body

scenario('stores a backup in a folder that restores, and keeps the newest ones', async (t) => {
  const target = join(freshFolder(t), 'made')
  const { app, log, start, wake } = await open(t, { BACKUP_TO: target, BACKUP_KEEP: '2' })
  await ingest(app, plainEvents(30))
  start()
  const { name } = await log.next('backup stored')
  t.match(name, BACKUP)
  t.equal(statSync(target).mode & 0o777, 0o700)
  t.equal(statSync(join(target, name!)).mode & 0o777, 0o600)
  t.match(await status(app), { backups_scheduled: true, last_backup_error: null, last_backup_at: /^2026/ })

  const folder = join(freshFolder(t), 'restored')
  const restore = { folder, force: false, keys: [], allow_missing_key: false }
  t.match(await restoreArchive({ ...restore, file: join(target, name!) }), { replaced: null, key_fingerprints: [] })
  const events = await openDatabase(`sqlite:${folder}`, { mode: 'read', file: 'events.db' })
  t.match(await events.get(sql`select count(*) as count from events`), { count: 30 })
  await events.close()

  // Files of a killed process and of other programs.
  const prefix = name!.slice(0, 'workspace-12345678-'.length)
  mkdirSync(join(target, `${prefix}20250101T000000Z.tar.partial-abc`))
  writeFileSync(join(target, `${prefix}20250101T000000Z.tar.partial-abc`, 'workspace.db'), 'half')
  const foreign = ['workspace-ffffffff-20200101T000000Z.tar', `${prefix}by-hand.tar`, 'notes.txt']
  for (const other of foreign) writeFileSync(join(target, other), '')
  const names = [name!]
  for (let i = 0; i < 3; i++) {
    app.advance(DAY_MS)
    wake()
    names.push((await log.next('backup stored')).name!)
  }
  t.same(readdirSync(target).sort(), [...foreign, ...names.slice(-2)].sort(), 'two remain, and nothing else is touched')

  app.advance(DAY_MS / 2)
  wake()
  await app.call('instance.status')
  t.equal(readdirSync(target).length, foreign.length + 2, 'nothing is due')
})

scenario('one of several processes makes the backup, and a lease that expired is taken over', async (t) => {
  const target = freshFolder(t)
  const { app, log, start } = await open(t, { BACKUP_TO: target })
  const { db } = app.deps
  const now = app.deps.now()
  const at = (ms: number): string => new Date(Date.parse(now) + ms).toISOString()
  const lease = { owner: 'killed', now, until: at(120_000), latest: at(240_000) }
  t.ok(await claimBackup(db, lease, at(DAY_MS)), 'another process died during its backup')
  t.notOk(await claimBackup(db, { ...lease, owner: 'second' }, at(DAY_MS)))

  let time = Date.parse(now)
  const second = await buildDeps({
    config: app.deps.config,
    log: pino({ level: 'debug' }, log.stream as never),
    clock: () => time,
  })
  t.teardown(() => second.dispose())
  start()
  defined(second.backups).start()
  await app.call('instance.status')
  t.same(readdirSync(target), [], 'the lease has not expired')
  app.advance(121_000)
  time += 121_000
  defined(app.deps.backups).wake()
  defined(second.backups).wake()
  await log.next('backup stored')
  t.equal(readdirSync(target).filter((name) => BACKUP.test(name)).length, 1)
  defined(app.deps.backups).wake()
  defined(second.backups).wake()
  await defined(second.backups).stop()
  await defined(app.deps.backups).stop()
  t.equal(log.lines.filter(({ msg }) => msg === 'backup stored').length, 1)
})

scenario('a process that loses its lease ends its backup', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  t.teardown(() => void server.close())
  await once(server, 'listening')
  const { app, log } = await open(t, {
    BACKUP_TO: 's3://backups',
    BACKUP_S3_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    BACKUP_S3_ACCESS_KEY_ID: 'S3RVER',
    BACKUP_S3_SECRET_ACCESS_KEY: 'S3RVER',
  })
  const { db } = app.deps
  const backups = createScheduledBackups({ ...app.deps, renew_ms: 50 })!
  t.teardown(() => backups.stop())
  backups.start()
  // The store accepts the connection and does not answer.
  const [socket]: Socket[] = await once(server, 'connection')
  await db.run(sql`update installation set backup_lease_owner = 'other'`)
  await once(socket!.resume(), 'close')
  t.match(await log.next('its lease was lost'), { level: 40 })
  t.match(await status(app), { last_backup_at: null, last_backup_error: null })
  t.match(await db.get(sql`select backup_lease_owner as owner from installation`), { owner: 'other' })
  t.notMatch((await app.send('GET', '/metrics', { key: null })).text, /result="failed"\} [1-9]/)
})

scenario('reports a failure, retries it and stops without losing it', async (t) => {
  const target = join(freshFolder(t), 'backups')
  writeFileSync(target, 'a file')
  const { app, log, start, wake } = await open(t, { BACKUP_TO: target })
  start()
  t.match(await log.next('a scheduled backup failed'), { level: 50 })
  while ((await status(app)).last_backup_error === null) await app.call('instance.status')
  t.match(await status(app), { last_backup_at: null, last_backup_failed_at: /^2026/, last_backup_error: /EEXIST/ })
  const { text } = await app.send('GET', '/metrics', { key: null })
  t.match(text, /^workspace_backup_failing 1$/m)
  t.match(text, /^workspace_backups_total\{result="failed"\} 1$/m)

  rmSync(target)
  app.advance(301_000)
  wake()
  await log.next('backup stored')
  t.match(await status(app), { last_backup_at: /^2026/, last_backup_failed_at: null, last_backup_error: null })

  app.advance(DAY_MS)
  wake()
  await defined(app.deps.backups).stop()
  const row = await app.deps.db.get(sql`select backup_lease_owner as owner from installation`)
  t.match(row, { owner: null }, 'a stop releases the lease')
})

scenario('stores backups in a bucket and keeps the newest ones', async (t) => {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: freshFolder(t),
    configureBuckets: [{ name: 'backups' }],
  })
  const { port } = await server.run()
  const endpoint = `http://127.0.0.1:${port}`
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
  const client = new S3Client({ region: 'us-east-1', endpoint, forcePathStyle: true, credentials })
  t.teardown(() => {
    client.destroy()
    return server.close()
  })
  const list = async (): Promise<string[]> =>
    ((await client.send(new ListObjectsV2Command({ Bucket: 'backups' }))).Contents ?? [])
      .map(({ Key }) => String(Key))
      .sort()
  const environment = {
    BACKUP_TO: 's3://backups/workspace/nightly',
    BACKUP_KEEP: '2',
    BACKUP_S3_ENDPOINT: endpoint,
    BACKUP_S3_ACCESS_KEY_ID: 'S3RVER',
    BACKUP_S3_SECRET_ACCESS_KEY: 'S3RVER',
  }
  await client.send(new PutObjectCommand({ Bucket: 'backups', Key: 'workspace/nightly/other.tar', Body: 'x' }))
  const { app, log, start, wake } = await open(t, environment)
  await ingest(app, plainEvents(30))
  const data = app.deps.config.DATABASE_URL.replace('sqlite:', '')
  mkdtempSync(join(data, '.backup-'))
  start()
  const names = [(await log.next('backup stored')).name!]
  for (let i = 0; i < 2; i++) {
    app.advance(DAY_MS)
    wake()
    names.push((await log.next('backup stored')).name!)
  }
  const kept = names.slice(-2).map((name) => `workspace/nightly/${name}`)
  t.same(await list(), ['workspace/nightly/other.tar', ...kept].sort())
  t.notOk(
    readdirSync(data).some((name) => name.startsWith('.backup-')),
    'no snapshot remains next to the data',
  )

  const { Body } = await client.send(new GetObjectCommand({ Bucket: 'backups', Key: itemAt(kept, 1) }))
  const root = freshFolder(t)
  writeFileSync(join(root, 'a.tar'), await Body!.transformToByteArray())
  const restore = {
    file: join(root, 'a.tar'),
    folder: join(root, 'r'),
    force: false,
    keys: [],
    allow_missing_key: false,
  }
  t.match(await restoreArchive(restore), { replaced: null })
  t.ok(existsSync(join(root, 'r', 'workspace.db')))

  const wrong = await open(t, {
    ...environment,
    BACKUP_TO: 's3://missing',
    BACKUP_S3_SECRET_ACCESS_KEY: 'hunter2hunter2',
  })
  wrong.start()
  await wrong.log.next('a scheduled backup failed')
  t.notMatch(JSON.stringify(wrong.log.lines), /hunter2/)
  await defined(wrong.app.deps.backups).stop()
  t.notOk(existsSync(join(wrong.app.deps.config.DATABASE_URL.replace('sqlite:', ''), '.backup-')))
})

scenario('settings that cannot work stop the start', async (t) => {
  t.throws(() => readConfig({ BACKUP_EVERY: '1d' }), /BACKUP_TO/)
  t.throws(() => readConfig({ BACKUP_EVERY: '1 day', BACKUP_TO: 'x' }), /30m, 6h or 1d/)
  t.throws(
    () => readConfig({ BACKUP_EVERY: '1d', BACKUP_TO: 'x', DATABASE_URL: 'postgres://db/work' }),
    /pg_dump.*--record/,
  )
  t.throws(() => readConfig({ BACKUP_EVERY: '1d', BACKUP_TO: 's3://' }), /BACKUP_TO/)
})

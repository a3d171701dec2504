/** Backup, restore and doctor as an operator runs them. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import Sqlite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { openDatabase } from '../../src/sql/open.ts'
import { sql } from '../../src/sql/template.ts'
import { createVault } from '../../src/store/vault.ts'
import { nextEngines } from '../helpers/app.ts'
import { freshFolder } from '../helpers/folders.ts'
import { openMailbox } from '../helpers/peers/mailbox.ts'
import { openNameserver } from '../helpers/peers/nameserver.ts'
import { migratedDatabase } from '../helpers/programs/postgres.ts'
import { command, type Ended, runCommand, startProcess } from '../helpers/programs/process.ts'

type Variables = Record<string, string>

const root = freshFolder(t)
const run = (args: string[], env: Variables = {}): Promise<Ended> => runCommand(args, env, { cwd: root })
let folders = 0
const newFolder = (): string => join(root, `data-${++folders}`)
const KEY = 'a1'.repeat(32)
const OTHER_KEY = 'b2'.repeat(32)

interface Filled {
  path: string
  flags: string[]
  /** Fills the workspace further, while a server runs. */
  server: Awaited<ReturnType<typeof startProcess>>
  post(path: string, body: object): Promise<Response>
  capture(count: number): Promise<void>
  stop(): Promise<void>
}

/** A running server. With a key it stores a secret. */
async function fill(t: Test, path = newFolder(), env: Variables = {}): Promise<Filled> {
  const server = await startProcess(t, { DATABASE_URL: `sqlite:${path}`, ...env })
  const post = (url: string, body: object): Promise<Response> =>
    fetch(server.url + url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${server.api_key}` },
      body: JSON.stringify(body),
    })
  const capture = async (count: number): Promise<void> => {
    const batch = Array.from({ length: count }, () => ({ event: 'seen', distinct_id: 'a' }))
    t.equal((await post('/batch/', { api_key: server.project_token, batch })).status, 200)
  }
  const stop = async (): Promise<void> => {
    server.child.kill('SIGTERM')
    await once(server.child, 'exit')
  }
  return { path, flags: ['--database', `sqlite:${path}`], server, post, capture, stop }
}

const storeSecret = async (t: Test, { post }: Filled): Promise<void> => {
  const config = { url: 'https://events.example.com/batch/', token: 'phc_VERY_SECRET' }
  const body = { name: 'Secret', interval: 'hour', destination: { type: 'HTTP', config } }
  t.equal((await post('/api/projects/1/batch_exports/', body)).status, 201)
}

const positions = (path: string): number[] => {
  const db = new Sqlite(join(path, 'events.db'), { readonly: true })
  const found = db.prepare('select seq from events order by seq').pluck().all() as number[]
  db.close()
  return found
}

t.test('restores a backup, and new events never get a position that was used before', async (t) => {
  const first = await fill(t)
  const { flags, path } = first
  await first.capture(3)
  const file = join(root, 'first.tar')
  const made = await run(['backup', file, ...flags])
  t.match(made, { code: 0, stdout: /does not contain the secret key.*workspace-admin restore/s })
  await first.capture(4)
  t.same(positions(path), [1, 2, 3, 4, 5, 6, 7])

  t.match(await run(['restore', file, ...flags]), { code: 6, stderr: /contains a database.*--force/ })
  t.match(await run(['restore', file, '--force', ...flags]), { code: 6, stderr: /Stop the server/ })
  t.notOk(existsSync(join(path, 'restore.unfinished')), 'nothing was changed')
  t.same(
    readdirSync(path).filter((name) => name.startsWith('.restore')),
    [],
  )
  await first.capture(1)
  await first.stop()

  const restored = await run(['restore', file, '--force', '--json', ...flags])
  t.equal(restored.code, 0)
  const report = JSON.parse(restored.stdout)
  t.match(report, { folder: path, replaced: /replaced-/, created_at: /^2/, key_fingerprints: [] })
  t.ok(report.next_position > 1_000_000_000)
  t.same(readdirSync(report.replaced).sort(), ['events.db', 'workspace.db'], 'the old files are kept')
  t.equal(statSync(report.replaced).mode & 0o777, 0o700)
  t.equal(positions(report.replaced).length, 8)
  t.equal(statSync(join(path, 'workspace.db')).mode & 0o777, 0o600)
  const again = await fill(t, path)
  t.equal(again.server.api_key, null, 'the first key still exists')
  await again.capture(1)
  t.same(positions(path), [1, 2, 3, report.next_position])
  await again.stop()

  const elsewhere = newFolder()
  t.match(await run(['restore', file, '--database', `sqlite:${elsewhere}`]), { code: 0, stdout: /Restored/ })
  t.equal(statSync(elsewhere).mode & 0o777, 0o700)
  t.same(readdirSync(elsewhere).sort(), ['events.db', 'workspace.db'])
  t.match(await run(['doctor', '--json', '--database', `sqlite:${elsewhere}`]), {
    code: 0,
    stdout: /the last one was made at/,
  })
})

t.test('refuses an archive that is not intact, and changes nothing', async (t) => {
  const { flags, path, stop, capture } = await fill(t)
  await capture(50)
  await stop()
  const good = join(root, 'good.tar')
  await run(['backup', good, ...flags])
  const target = newFolder()
  const refuse = async (file: string, reason: RegExp): Promise<void> => {
    const result = await run(['restore', file, '--database', `sqlite:${target}`])
    t.match(result, { code: 6, stderr: reason }, String(reason))
    t.notOk(existsSync(target))
  }
  const variant = (name: string): string => {
    copyFileSync(good, join(root, name))
    return join(root, name)
  }
  const short = variant('short.tar')
  truncateSync(short, statSync(good).size - 20_000)
  await refuse(short, /incomplete|missing or damaged/)
  const changed = variant('changed.tar')
  const handle = openSync(changed, 'r+')
  writeSync(handle, Buffer.from('changed'), 0, 7, statSync(good).size - 9_000)
  await refuse(changed, /damaged/)
  writeFileSync(join(root, 'text.tar'), 'x'.repeat(2_000))
  await refuse(join(root, 'text.tar'), /not a backup/)

  const unpacked = join(root, 'unpacked')
  const pack = (name: string, ...files: string[]): string => {
    execFileSync('tar', ['cf', join(root, name), '-C', unpacked, ...files])
    return join(root, name)
  }
  mkdirSync(unpacked)
  execFileSync('tar', ['xf', good, '-C', unpacked])
  await refuse(pack('partial.tar', 'manifest.json', 'workspace.db'), /events\.db.*missing/)
  await refuse(pack('bare.tar', 'workspace.db', 'events.db'), /no manifest/)
  writeFileSync(join(unpacked, 'evil'), '')
  await refuse(pack('evil.tar', 'manifest.json', 'evil'), /contains "evil"/)

  // The checksums of these archives are right: only their content is not that of a backup.
  const manifest = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'))
  const write = (value: unknown): void => writeFileSync(join(unpacked, 'manifest.json'), JSON.stringify(value))
  const all = ['manifest.json', 'workspace.db', 'events.db']
  for (const broken of [
    null,
    [],
    { ...manifest, created_at: `2026-01-01T00:00:00.000Z\u001b[2J` },
    { ...manifest, created_at: '2026-99-01T00:00:00.000Z' },
    { ...manifest, schema_version: '1\u001b[2J' },
    { ...manifest, files: [null] },
    { ...manifest, files: 5 },
  ]) {
    write(broken)
    await refuse(pack('manifest.tar', ...all), /^The manifest of the backup is not valid\. Use another backup\.\n$/)
  }
  writeFileSync(join(unpacked, 'manifest.json'), '{')
  await refuse(pack('manifest.tar', ...all), /manifest of the backup is not valid/)
  write(manifest)
  const strange = 'a\u0007\u009b31m'
  writeFileSync(join(unpacked, strange), '')
  await refuse(pack('strange.tar', 'manifest.json', strange), /contains "a[\\u\w]+31m"\.\n$/)

  const altered = (name: string, statement: string): string => {
    execFileSync('tar', ['xf', good, '-C', unpacked])
    const db = new Sqlite(join(unpacked, name))
    db.exec(statement)
    db.close()
    const files = manifest.files.map((entry: { name: string }) => {
      const bytes = readFileSync(join(unpacked, entry.name))
      return { name: entry.name, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
    })
    write({ ...manifest, files })
    return pack('altered.tar', ...all)
  }
  for (const [name, statement, object] of [
    ['workspace.db', 'create trigger t after update on installation begin delete from users; end', 'trigger t'],
    ['events.db', 'create trigger t after insert on events begin delete from events; end', 'trigger t'],
    ['workspace.db', 'create view v as select * from users', 'view v'],
    ['workspace.db', 'create table extra (a text)', 'table extra'],
    ['events.db', 'create index extra on events (event)', 'index extra'],
    ['workspace.db', 'drop table used_invites', 'table used_invites'],
    ['workspace.db', 'alter table users add column extra text', 'table users'],
    ['workspace.db', 'create view "v\u001b[2J" as select 1', 'view v\\\\u001b\\[2J'],
  ] as const)
    await refuse(altered(name, statement), new RegExp(`^${name} of the backup has another schema .*"${object}"`))
  t.match(
    await run(['restore', altered('workspace.db', 'select 1'), '--database', `sqlite:${newFolder()}`]),
    { code: 0 },
    'the archive is fine without the change',
  )
  execFileSync('tar', ['xf', good, '-C', unpacked])
  const text = Buffer.from('not a database '.repeat(1_000))
  writeFileSync(join(unpacked, 'events.db'), text)
  const described = { name: 'events.db', bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') }
  write({
    ...manifest,
    files: manifest.files.map((entry: { name: string }) => (entry.name === 'events.db' ? described : entry)),
  })
  await refuse(pack('no-database.tar', ...all), /^events\.db of the backup is not a database/)

  const newer = newFolder()
  await run(['migrate', '--database', `sqlite:${newer}`])
  const db = new Sqlite(join(newer, 'workspace.db'))
  db.exec("insert into migrations (version, applied_at) values (99, '')")
  db.close()
  await run(['backup', join(root, 'newer.tar'), '--database', `sqlite:${newer}`])
  await refuse(join(root, 'newer.tar'), /schema version 99.*newer program/)
  t.match(await run(['restore', join(root, 'none.tar')]), { code: 1, stderr: /does not exist/ })
  t.same(positions(path).length, 50)
})

t.test('requires the key of the stored secrets, which no backup contains', async (t) => {
  const workspace = await fill(t, newFolder(), { SECRET_KEY: KEY })
  await storeSecret(t, workspace)
  const file = join(root, 'secret.tar')
  const made = await run(['backup', file, ...workspace.flags], { SECRET_KEY: KEY })
  const [, fingerprint = ''] = /secret key (\w{8}) \(/.exec(made.stdout) ?? []
  t.match(fingerprint, /^[\da-f]{8}$/)
  const bytes = readFileSync(file)
  for (const secret of [KEY, Buffer.from(KEY, 'hex'), 'phc_VERY_SECRET']) t.notOk(bytes.includes(secret))

  const restore = (env: Variables, path: string, ...more: string[]) =>
    run(['restore', file, '--database', `sqlite:${path}`, ...more], env)
  const refused = await restore({}, newFolder())
  t.match(refused, { code: 6, stderr: new RegExp(`${fingerprint}.*no key.*SECRET_KEY`) })
  t.match(await restore({ SECRET_KEY: OTHER_KEY }, newFolder()), { code: 6, stderr: /would have the key/ })
  t.match(await restore({ SECRET_KEY: KEY }, newFolder()), { code: 0, stdout: new RegExp(fingerprint) })
  t.match(await restore({ SECRET_KEY: OTHER_KEY, SECRET_KEY_PREVIOUS: KEY }, newFolder()), { code: 0 })
  const copied = newFolder()
  mkdirSync(copied, { mode: 0o700 })
  writeFileSync(join(copied, 'secret.key'), `${KEY}\n`, { mode: 0o600 })
  t.match(await restore({}, copied), { code: 0 })
  const lost = newFolder()
  t.match(await restore({}, lost, '--allow-missing-key'), { code: 0 })
  t.match(await run(['serve', '--port', '0', '--database', `sqlite:${lost}`]), {
    code: 1,
    stderr: /Restore secret\.key/,
  })
  t.notOk(existsSync(join(lost, 'secret.key')), 'a start without the key creates no other')
  t.match(await doctor(lost, {}), { 'secret key': { state: 'problem', detail: new RegExp(fingerprint) } })
  t.notMatch(made.stdout + refused.stderr, KEY)
})

t.test('no server starts after a restore that was killed, until it is repeated', async (t) => {
  const { flags, path, stop } = await fill(t)
  const file = join(root, 'killed.tar')
  await run(['backup', file, ...flags])
  await stop()
  // The state between two renames.
  writeFileSync(join(path, 'restore.unfinished'), '')
  unlinkSync(join(path, 'workspace.db'))
  t.match(await run(['serve', '--port', '0', ...flags]), { code: 1, stderr: /restore .*has not finished/ })
  t.match(await run(['keys', 'list', ...flags]), { code: 1, stderr: /has not finished/ })
  t.notOk(existsSync(join(path, 'workspace.db')))
  t.match(await run(['restore', file, ...flags]), { code: 0 }, 'without --force')
  t.match(await run(['users', 'list', ...flags]), { code: 0, stdout: /owner@example\.com/ })

  const damaged = openSync(join(path, 'workspace.db'), 'r+')
  writeSync(damaged, Buffer.alloc(8192, 0xa5), 0, 8192, 0)
  t.match(await run(['restore', file, '--force', ...flags]), { code: 0 }, 'a damaged database is replaced')
  t.match(await run(['users', 'list', ...flags]), { code: 0 })
})

for (const engine of nextEngines())
  t.test(`records the backup of another program (${engine})`, async (t) => {
    const url = await databaseOf(t, engine)
    const db = ['--database', url]
    t.match((await run(['doctor', '--json', ...db])).stdout, /none yet|the installation is new/)
    const recorded = await run(['backup', '--record', '--json', ...db])
    t.equal(recorded.code, 0)
    const at = JSON.parse(recorded.stdout).last_backup_at
    t.match((await run(['doctor', '--json', ...db])).stdout, `the last one was made at ${at}`)
    t.match(await run(['backup', 'x.tar', '--record', ...db]), { code: 2 })
    t.match(await run(['backup', ...db]), { code: 2, stderr: /archive/ })
    if (engine === 'postgres') {
      const shown = await run(['restore', 'a b.dump', '--database', 'postgres://me:correct-horse@db/work'])
      t.match(shown, {
        code: 1,
        stderr: "pg_restore --no-owner --exit-on-error --dbname=postgres://me@db/work 'a b.dump'",
      })
      t.match((await run(['backup', 'x.dump', ...db])).stderr, /pg_dump .* && workspace-admin backup --record/)
    }
  })

async function databaseOf(t: Test, engine: 'sqlite' | 'postgres'): Promise<string> {
  if (engine === 'postgres') {
    const { url, drop } = await migratedDatabase()
    t.teardown(drop)
    // The template has no installation yet.
    await run(['users', 'create', '--email', 'ada@example.com', '--organization', 'Engines', '--database', url])
    await run(['migrate', '--database', url])
    return url
  }
  const url = `sqlite:${newFolder()}`
  await run(['migrate', '--database', url])
  await run(['users', 'create', '--email', 'ada@example.com', '--organization', 'Engines', '--database', url])
  return url
}

type Findings = Record<string, { state: string; detail: string; remedy: string | null }>

/** The checks by name, with the exit code as `code`. */
async function doctor(target: string, env: Variables, ...flags: string[]): Promise<Findings & { code: number | null }> {
  const url = target.includes(':') ? target : `sqlite:${target}`
  const result = await run(['doctor', '--json', '--database', url, ...flags], { DNS_SERVERS: nameserver, ...env })
  const { checks } = JSON.parse(result.stdout) as {
    checks: { name: string; state: string; detail: string; remedy: string | null }[]
  }
  return { ...Object.fromEntries(checks.map(({ name, ...check }) => [name, check])), code: result.code } as never
}

let nameserver = ''
t.before(async () => {
  nameserver = await openNameserver(t, {})
})

for (const engine of nextEngines())
  t.test(`doctor reports common mistakes of operators (${engine})`, async (t) => {
    const url = await databaseOf(t, engine)
    const mailbox = await openMailbox(t, { authOptional: true })
    const healthy = {
      SECRET_KEY: KEY,
      SITE_URL: 'https://workspace.example.com',
      TRUST_PROXY: 'true',
      SMTP_URL: mailbox.url,
    }
    const fine = await doctor(url, healthy, '--strict')
    for (const name of ['secret key', 'clock', 'backup', 'exports', 'mail', 'dns', 'site', 'limits'])
      t.match(fine[name], { state: 'ok', remedy: null }, name)

    const finds = async (env: Variables, name: string, expected: object): Promise<void> =>
      void t.match((await doctor(url, { ...healthy, ...env }))[name], expected, JSON.stringify(env))
    const withoutKey =
      engine === 'postgres' ? { state: 'warning', remedy: /openssl/ } : { state: 'ok', detail: 'no secret is stored' }
    await finds({ SECRET_KEY: '' }, 'secret key', withoutKey)
    await finds({ SECRET_KEY_PREVIOUS: OTHER_KEY }, 'secret key', { state: 'warning', remedy: /Unset/ })
    const db = await openDatabase(url)
    await db.run(sql`update users set totp_secret = ${createVault([Buffer.from(KEY, 'hex')]).encrypt('x', 'users/1')}`)
    await db.close()
    await finds({}, 'secret key', { state: 'ok' })
    await finds({ SECRET_KEY: OTHER_KEY }, 'secret key', { state: 'problem', remedy: /SECRET_KEY/ })
    await finds({ SMTP_URL: 'smtp://user:hunter2@127.0.0.1:1' }, 'mail', {
      state: 'problem',
      detail: /127\.0\.0\.1:1 cannot be used: (?!.*hunter2)/,
      remedy: /SMTP_URL/,
    })
    await finds({ DNS_SERVERS: '127.0.0.1:1', DNS_TIMEOUT_MS: '300' }, 'dns', {
      state: 'warning',
      remedy: /DNS_SERVERS/,
    })
    await finds({ SITE_URL: 'http://workspace.example.org' }, 'site', { state: 'problem', remedy: /TLS/ })
    await finds({ SITE_URL: 'http://8.8.8.8:8000' }, 'site', { state: 'problem' })
    for (const host of ['localhost:8000', '127.0.0.1', '10.0.0.7:8000', '[fd00::1]', 'server', 'server.internal'])
      await finds({ SITE_URL: `http://${host}` }, 'site', { state: 'ok' })
    await finds({ TRUST_PROXY: 'false' }, 'site', { state: 'warning', remedy: /TRUST_PROXY/ })
    await finds({ SITE_URL: '', SMTP_URL: '', HOST: '0.0.0.0' }, 'site', { state: 'warning', remedy: /SITE_URL/ })
    await finds({ RATE_LIMITS: 'false' }, 'limits', { state: 'warning' })
    // A preloaded module sets the clock of the process.
    const clock = (ms: number): Variables => ({
      NODE_OPTIONS: `--import=data:text/javascript,{const/**/now=Date.now;Date.now=()=>now()+${ms}}`,
    })
    await finds(clock(60_000), 'clock', { state: engine === 'postgres' ? 'problem' : 'ok' })
    await finds(clock(-60_000), 'clock', { state: 'problem', remedy: /NTP/ })
    if (engine === 'sqlite') {
      writeFileSync(join(url.slice('sqlite:'.length), 'secret.key'), KEY)
      await finds({ SECRET_KEY: '' }, 'secret key', {
        state: 'warning',
        detail: /next to the data/,
        remedy: /SECRET_KEY/,
      })
      await finds(clock(3 * 86_400_000), 'backup', { state: 'warning', detail: /No backup/, remedy: /BACKUP_EVERY/ })
      await finds({ BACKUP_EVERY: '1d', BACKUP_TO: root }, 'backup', { state: 'warning', detail: /same disk/ })
      await finds({ BACKUP_EVERY: '1d', BACKUP_TO: join(root, 'first.tar', 'below') }, 'backup', { state: 'problem' })
      await run(['backup', '--record', '--database', url])
      await finds(clock(9 * 86_400_000), 'backup', { state: 'warning', detail: /^The last backup/ })
      const later = Date.now() / 1000 + 3600
      utimesSync(join(url.slice('sqlite:'.length), 'workspace.db'), later, later)
      await finds({}, 'clock', { state: 'problem', remedy: /NTP/ })
    }
    t.equal((await doctor(url, { ...healthy, RATE_LIMITS: 'false' })).code, engine === 'sqlite' ? 1 : 0)
    t.equal(
      (await doctor(url, { ...healthy, RATE_LIMITS: 'false' }, '--strict')).code,
      1,
      'a warning fails with --strict',
    )
  })

t.test('serve logs the same warnings after its start', async (t) => {
  const child = command(['serve', '--port', '0', '--json', '--database', `sqlite:${newFolder()}`], {
    SITE_URL: 'http://workspace.example.org',
    SMTP_URL: 'smtp://user:hunter2@127.0.0.1:1',
    DNS_SERVERS: nameserver,
  })
  t.teardown(() => child.kill('SIGKILL'))
  const wanted = new Set(['mail', 'site'])
  let text = ''
  for await (const line of createInterface(child.stderr)) {
    text += line
    const { check, remedy, level } = JSON.parse(line)
    if (check === undefined) continue
    t.equal(level, 40)
    t.ok(remedy, `${check} has a remedy`)
    wanted.delete(check)
    if (wanted.size === 0) break
  }
  t.equal(wanted.size, 0)
  t.notMatch(text, /hunter2/)
})

/** Stored secrets: sealed, never shown, bound to their key and their place. */
import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import t from 'tap'
import { readConfig } from '../../src/config.ts'
import { buildDeps } from '../../src/deps.ts'
import { opened } from '../../src/exports/settings.ts'
import { sql } from '../../src/sql/template.ts'
import * as store from '../../src/store/batch_exports.ts'
import { createVault, KEY_FILE, readKeys } from '../../src/vault.ts'
import { ENGINES, openApp } from '../helpers/app.ts'
import { freshFolder, ingest, plainEvents } from '../helpers/exports.ts'

const hex = (): string => randomBytes(32).toString('hex')
const CONFIG = { url: 'https://events.example.com/batch/', token: 'phc_VERY_SECRET' }

t.test('a sealed text opens under its key, in its place, and unchanged', async (t) => {
  const [one, two] = [randomBytes(32), randomBytes(32)]
  const vault = createVault([one])
  const sealed = vault.seal('täxt', 'batch_exports/1')
  t.equal(vault.open(sealed, 'batch_exports/1'), 'täxt')
  t.not(sealed, vault.seal('täxt', 'batch_exports/1'), 'never the same twice')
  t.notMatch(sealed, /täxt/)
  const unreadable = { code: 'secret_unreadable' }
  t.throws(() => vault.open(sealed, 'batch_exports/2'), unreadable)
  t.throws(() => createVault([two]).open(sealed, 'batch_exports/1'), unreadable)
  for (const at of [10, 20, sealed.length - 2]) {
    const other = sealed[at] === 'A' ? 'B' : 'A'
    t.throws(() => vault.open(sealed.slice(0, at) + other + sealed.slice(at + 1), 'batch_exports/1'), unreadable)
  }
  t.throws(() => vault.open('', 'batch_exports/1'), unreadable)
  t.equal(createVault([two, one]).open(sealed, 'batch_exports/1'), 'täxt', 'the previous key still opens')
  t.throws(() => createVault([]).seal('x', 'y'), { code: 'no_secret_key' })
})

t.test('without a key one is made beside the data, once', async (t) => {
  const folder = freshFolder(t)
  const [key] = readKeys({}, folder)
  t.equal(key!.length, 32)
  t.equal(statSync(join(folder, KEY_FILE)).mode & 0o777, 0o600)
  t.same(readKeys({}, folder), [key])
  const set = hex()
  t.same(readKeys({ SECRET_KEY: set }, folder), [Buffer.from(set, 'hex'), key], 'one that is set later comes first')
  t.same(readKeys({}, null), [])
  writeFileSync(join(folder, KEY_FILE), 'short')
  t.throws(() => readKeys({}, folder), /holds no key/)
})

for (const engine of ENGINES)
  t.test(`a destination's secrets (${engine})`, async (t) => {
    const lines: string[] = []
    const log = new Writable({
      write: (chunk, _, done) => {
        lines.push(String(chunk))
        done()
      },
    })
    const key = hex()
    const environment = { SECRET_KEY: key }
    const app = await openApp(t, engine, { environment, log })
    const base = `/api/projects/${app.first.project_id}/batch_exports`
    const made = await app.send('POST', `${base}/`, {
      body: { name: 'x', interval: 'hour', destination: { type: 'HTTP', config: CONFIG } },
    })
    t.match(made, { status: 201, body: { destination: { config: { url: CONFIG.url } } } })
    t.notOk('token' in made.body.destination.config)
    const one = `${base}/${made.body.id}`
    const changed = await app.send('PATCH', `${one}/`, {
      body: { destination: { config: { url: 'https://other.example.com/batch/' } } },
    })
    t.match(changed.body.destination, { config: { url: 'https://other.example.com/batch/' } })
    const row = (await store.find(app.deps.db, made.body.id))!
    t.notMatch(JSON.stringify(row), /VERY_SECRET/)
    t.same(
      opened(app.deps.vault, row).config,
      { url: 'https://other.example.com/batch/', token: CONFIG.token },
      'kept though not sent again',
    )
    t.match(await app.send('PATCH', `${one}/`, { body: { destination: { config: { token: '' } } } }), {
      status: 400,
      body: { attr: 'destination__config__token', code: 'blank' },
    })
    await ingest(app, plainEvents(1))
    app.advance(3_600_000)
    await app.deps.exporter.drain()
    for (const path of ['/', '/runs/', '/logs/'])
      t.notMatch((await app.send('GET', `${one}${path}`)).text, /VERY_SECRET/)
    t.notMatch(lines.join(''), /VERY_SECRET/)

    const start = (more: object) =>
      buildDeps({
        config: readConfig({ ...app.deps.config, ...environment, ...more } as never),
        log: pino({ level: 'silent' }),
      })
    await t.rejects(start({ SECRET_KEY: hex() }), /under a key that this start does not have/)
    await t.rejects(start({ SECRET_KEY: undefined }), /under a key that this start does not have/)
    const next = hex()
    const rotated = await start({ SECRET_KEY: next, SECRET_KEY_PREVIOUS: key })
    const resealed = (await store.find(rotated.db, made.body.id))!
    t.not(resealed.secrets, row.secrets)
    t.equal(opened(createVault([Buffer.from(next, 'hex')]), resealed).config.token, CONFIG.token)
    await rotated.dispose()
    await (await start({ SECRET_KEY: next })).dispose()
    await t.rejects(start({}), /under a key that this start does not have/)
  })

t.test('on PostgreSQL nothing secret is stored before a key is set', async (t) => {
  const app = await openApp(t, 'postgres')
  const body = { name: 'x', interval: 'hour', destination: { type: 'HTTP', config: CONFIG } }
  const answer = await app.send('POST', `/api/projects/${app.first.project_id}/batch_exports/`, { body })
  t.match(answer, { status: 503, body: { code: 'no_secret_key', detail: /SECRET_KEY/ } })
})

t.test('a backup holds no key, and what it restores to says what is missing', async (t) => {
  const app = await openApp(t, 'sqlite')
  const folder = dirname(app.deps.db.location)
  t.match(readFileSync(join(folder, KEY_FILE), 'utf8'), /^[0-9a-f]{64}\n$/)
  const body = { name: 'x', interval: 'hour', destination: { type: 'HTTP', config: CONFIG } }
  await app.send('POST', `/api/projects/${app.first.project_id}/batch_exports/`, { body })
  const { count } = (await app.deps.db.get<{ count: number }>(
    sql`select count(*) as count from batch_exports where secrets is not null`,
  ))!
  t.equal(count, 1)
  rmSync(join(folder, KEY_FILE))
  await t.rejects(buildDeps({ config: app.deps.config, log: pino({ level: 'silent' }) }), /Put back secret.key/)
})

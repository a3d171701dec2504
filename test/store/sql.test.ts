/** The database interface on both engines. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { createPostgresReaders } from '../../src/events/readers-postgres.ts'
import { openStore } from '../../src/mirror/store.ts'
import { type Database, type Db, type DbOptions, isLostRace, isUniqueViolation } from '../../src/sql/db.ts'
import { ADMINISTRATION, migrate, SCHEMA_VERSION, version } from '../../src/sql/migrate.ts'
import siteApps from '../../src/sql/migrations/0023-site-apps.ts'
import integrationNumbers from '../../src/sql/migrations/0031-integration-numbers.ts'
import { openDatabase } from '../../src/sql/open.ts'
import { assignments, compile, type Engine, forUpdate, lookup, name, oneOf, sql } from '../../src/sql/template.ts'
import { createWriteQueue } from '../../src/sql/write-queue.ts'
import { UNRESTRICTED } from '../../src/store/key-restrictions.ts'
import * as organizations from '../../src/store/organizations.ts'
import * as pluginActivity from '../../src/store/plugin_activity.ts'
import { ENGINES, openApp } from '../helpers/app.ts'
import { itemAt, rowOf } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import { emptyDatabase } from '../helpers/programs/postgres.ts'
import { until } from '../helpers/programs/site.ts'

async function open(t: Test, engine: Engine, options: DbOptions = {}): Promise<{ db: Database; url: string }> {
  const postgres = engine === 'postgres' ? await emptyDatabase() : undefined
  const url = postgres?.url ?? `sqlite:${freshFolder(t)}`
  const db = await openDatabase(url, options)
  t.teardown(async () => {
    await db.close().catch(() => undefined)
    await postgres?.drop()
  })
  return { db, url }
}

const NOW = '2026-01-01T00:00:00.000Z'

/** A queue whose fsyncs the test completes. */
function queueWithSync(t: Test) {
  const writer = new Sqlite(':memory:')
  t.teardown(() => writer.close())
  writer.exec('create table items (id integer primary key)')
  const syncs: { resolve(): void; reject(error: Error): void }[] = []
  const sync = () => new Promise<void>((resolve, reject) => void syncs.push({ resolve, reject }))
  const queue = createWriteQueue(writer, (_, work) => work(), sync)
  const insert = writer.prepare('insert into items values (?)')
  const state: Record<number, string> = {}
  const write = async (id: number): Promise<void> => {
    state[id] = await queue
      .grouped(async () => void insert.run(id))
      .then(
        () => 'stored',
        (error) => error.message,
      )
  }
  const ids = (): unknown[] => writer.prepare('select id from items').pluck().all()
  const syncStarted = async (count: number): Promise<void> => {
    while (syncs.length < count) await nextTick()
  }
  return { queue, write, ids, syncs, syncStarted, state }
}

t.test('SQLite acknowledges a write after its fsync, and commits made during an fsync share the next', async (t) => {
  const { write, ids, syncs, syncStarted, state } = queueWithSync(t)
  const first = write(1)
  await syncStarted(1)
  const later = [write(2)]
  while (ids().length < 2) await nextTick()
  later.push(write(3))
  while (ids().length < 3) await nextTick()
  t.same(state, {}, 'the writes are committed but not acknowledged')
  syncs[0]?.resolve()
  await first
  t.same(state, { 1: 'stored' })
  await syncStarted(2)
  syncs[1]?.resolve()
  await Promise.all(later)
  t.same(state, { 1: 'stored', 2: 'stored', 3: 'stored' })
  t.equal(syncs.length, 2)
})

t.test('SQLite acknowledges no write after a failed fsync', async (t) => {
  const { queue, write, syncs, syncStarted, state } = queueWithSync(t)
  const first = write(1)
  await syncStarted(1)
  syncs[0]?.reject(new Error('EIO'))
  await first
  await write(2)
  await t.rejects(queue.sync(), /restart the server/)
  t.match(state, { 1: /restart the server/, 2: /restart the server/ })
  t.equal(syncs.length, 1)
})

t.test('a SQLite database syncs its log before it acknowledges a write', async (t) => {
  const folder = freshFolder(t)
  const db = await openDatabase(`sqlite:${folder}`)
  t.teardown(() => db.close())
  await db.exec('create table marks (id integer primary key)')
  const log = await openFile(join(folder, 'workspace.db-wal'))
  const handles = Object.getPrototypeOf(log)
  await log.close()
  const datasync = handles.datasync
  const syncs: (() => void)[] = []
  handles.datasync = async function () {
    await new Promise<void>((resolve) => void syncs.push(resolve))
    return datasync.call(this)
  }
  t.teardown(() => {
    handles.datasync = datasync
  })
  let acknowledged = false
  const write = db.run(sql`insert into marks values (1)`).then(() => {
    acknowledged = true
  })
  while (syncs.length === 0) await nextTick()
  t.same(await db.get(sql`select count(*) as count from marks`), { count: 1 }, 'the write is committed')
  t.notOk(acknowledged)
  syncs[0]?.()
  await write
  t.equal(syncs.length, 1)
})

t.test('reads run between the statements of a long SQLite transaction', async (t) => {
  const db = await openDatabase(`sqlite:${freshFolder(t)}`)
  t.teardown(() => db.close())
  await db.exec('create table marks (id integer primary key)')
  let written = 0
  const seen: number[] = []
  const writing = db.tx(async (tx) => {
    for (; written < 5_000; written++) await tx.run(sql`insert into marks values (${written})`)
  })
  let done = false
  const reading = (async () => {
    for (; !done; await nextTick()) {
      seen.push(written)
      const row = await db.get<{ count: number }>(sql`select count(*) as count from marks`)
      if (!done && row?.count !== 0 && row?.count !== 5_000) t.fail('a read saw a part of the transaction')
    }
  })()
  await writing
  done = true
  await reading
  t.ok(seen.filter((count) => count > 0 && count < 5_000).length > 5)
  t.same(await db.get(sql`select count(*) as count from marks`), { count: 5_000 })
})

t.test('compiles templates to statements', async (t) => {
  const part = sql`and b = ${2}`
  const statement = sql`select ${name('a')} from t where a = ${1} ${part} and c in ${oneOf(['x'])} ${forUpdate}`
  t.strictSame(compile(statement, 'sqlite'), {
    text: 'select a from t where a = ? and b = ? and c in (select value from json_each(?)) ',
    values: [1, 2, '["x"]'],
  })
  t.strictSame(compile(statement, 'postgres'), {
    text: 'select a from t where a = $1 and b = $2 and c in (select value from json_array_elements_text($3::json)) for update',
    values: [1, 2, '["x"]'],
  })
  t.equal(
    compile(sql`update t set ${assignments({ a: 1, b: null })} where c = ${true}`, 'sqlite').text,
    'update t set a = ?, b = ? where c = ?',
  )
  for (const invalid of ['a b', 'a;', 'A', '"a"', '', 'a--'])
    t.throws(() => name(invalid), `"${invalid}" is not a valid name`)
  t.throws(() => assignments({ 'a = 1 --': 1 }))
})

for (const engine of ENGINES) {
  t.test(`runs statements and transactions (${engine})`, async (t) => {
    const { db } = await open(t, engine)
    await db.exec(
      'create table items (id integer primary key, word text unique, flag ' +
        (engine === 'sqlite' ? 'integer)' : 'boolean)'),
    )
    t.equal(
      await db.run(
        sql`insert into items (id, word, flag) values (1, ${'one'}, ${true}), (2, ${"o'ne; drop table items"}, ${false})`,
      ),
      2,
    )
    t.same(await db.all(sql`select id, word from items where flag = ${true}`), [{ id: 1, word: 'one' }])
    t.same(await db.get(sql`select id from items where word = ${"o'ne; drop table items"}`), { id: 2 })
    t.equal(await db.get(sql`select id from items where id = ${3}`), undefined)
    if (engine === 'sqlite')
      await t.rejects(db.get(sql`delete from items`), /Use run/, '`get` rejects statements without rows')
    t.same(
      await db.get(sql`insert into items (id, word) values (3, ${null}) returning id`),
      { id: 3 },
      'a writing statement can return rows',
    )
    t.same(await db.get(sql`select count(*) as n from items where id in ${oneOf([1, 3, 99])}`), { n: 2 })
    t.same(await db.get(sql`select count(*) as n from items where word in ${oneOf(['one', "'"])}`), { n: 1 })
    await t.rejects(db.run(sql`insert into items (id, word) values (4, ${'one'})`), 'unique')
    t.ok(
      isUniqueViolation(await db.run(sql`insert into items (id, word) values (4, ${'one'})`).catch((error) => error)),
    )
    t.notOk(isUniqueViolation(new Error('other')))

    await t.rejects(
      db.tx(async (tx) => {
        await tx.run(sql`insert into items (id) values (5)`)
        throw new Error('rolled back')
      }),
      { message: 'rolled back' },
    )
    t.equal(await db.get(sql`select id from items where id = 5`), undefined, 'a failed transaction writes nothing')
    t.equal(
      await db.tx((tx) => tx.tx(async (inner) => (await inner.run(sql`insert into items (id) values (6)`)) + 1)),
      2,
      'a nested transaction joins the outer one',
    )
    t.equal(await db.run(sql`delete from items where id = 6`), 1)
    t.equal(await db.run(sql`delete from items where id = 6`), 0)
  })

  t.test(`a pending transaction does not include other writes (${engine})`, async (t) => {
    const { db } = await open(t, engine)
    await db.exec('create table notes (id integer primary key)')
    let release = (): void => undefined
    const waiting = new Promise<void>((resolve) => (release = resolve))
    const abandoned = db.tx(async (tx) => {
      await tx.run(sql`insert into notes values (1)`)
      await waiting
      throw new Error('rolled back')
    })
    const other = db.run(sql`insert into notes values (2)`)
    t.same(await db.all(sql`select id from notes where id = 1`), [], 'uncommitted rows are not read')
    release()
    await t.rejects(abandoned)
    await other
    t.same(await db.all(sql`select id from notes`), [{ id: 2 }])
  })

  t.test(`a failed statement without a response fails its transaction (${engine})`, async (t) => {
    const { db } = await open(t, engine)
    await db.exec('create table items (id integer primary key)')
    const add = (id: number) => sql`insert into items (id) values (${id})`
    await db.tx(async (tx) => {
      await tx.send(add(1))
      t.match(await tx.get(sql`select count(*) as count from items`), { count: 1 }, 'statements run in order')
      await tx.send(add(2))
    })
    const failing: ((tx: Db) => Promise<unknown>)[] = [
      async (tx) => {
        await tx.send(add(3))
        await tx.send(add(1))
      },
      async (tx) => {
        await tx.send(add(1))
        await tx.send(add(3))
      },
      async (tx) => {
        await tx.send(add(1))
        await tx.get(sql`select count(*) as count from items`)
      },
    ]
    for (const work of failing) {
      const error = await db.tx(work).catch((error) => error)
      t.ok(isUniqueViolation(error), 'with the error of the statement')
    }
    t.match(await db.all(sql`select id from items order by id`), [{ id: 1 }, { id: 2 }], 'nothing is stored')
    await db.send(add(3))
    t.equal(await db.count(sql`from items`), 3)
  })

  t.test(`a failing write of a group is rolled back alone (${engine})`, async (t) => {
    const { db } = await open(t, engine)
    await db.exec('create table notes (id integer primary key, of integer not null)')
    const ways: ((tx: Db, id: number) => Promise<unknown>)[] = [
      (tx, id) => tx.run(sql`insert into notes values (${id}, ${id})`),
      async (tx, id) => {
        await tx.run(sql`insert into notes values (${id}, ${id})`)
        throw new Error('rolled back')
      },
      (tx, id) => tx.run(sql`insert into notes values (${id}, ${id}), (${-id}, null)`),
      // Any value can be thrown.
      async (tx, id) => {
        await tx.run(sql`insert into notes values (${id}, ${id})`)
        throw undefined
      },
      async (tx, id) => {
        await tx.run(sql`insert into notes values (${id}, ${id})`)
        await new Promise((resolve) => setTimeout(resolve, 1))
        await tx.run(sql`insert into notes values (${-id}, ${id})`)
      },
    ]
    const ids = Array.from({ length: 120 }, (_, i) => i + 1)
    const indexFor = (id: number): number => ((id * 7) % 11) % ways.length
    const ended = await Promise.allSettled(ids.map((id) => db.tx((tx) => ways[indexFor(id)]!(tx, id))))
    const committed = ids.filter((_, i) => itemAt(ended, i).status === 'fulfilled')
    t.same(
      committed,
      ids.filter((id) => [0, 4].includes(indexFor(id))),
    )
    const found = await db.all<{ of: number }>(sql`select distinct of from notes order by of`)
    t.same(
      found.map(({ of }) => of),
      committed,
    )
  })

  t.test(`migrates an empty database once (${engine})`, async (t) => {
    const { db, url } = await open(t, engine)
    t.equal(await version(db), 0)
    t.same(await migrate(db, NOW), { from: 0, to: SCHEMA_VERSION })
    t.same(await migrate(db, NOW), { from: SCHEMA_VERSION, to: SCHEMA_VERSION }, 'a second migration changes nothing')
    const second = await openDatabase(url)
    t.equal(await version(second), SCHEMA_VERSION)
    await db.run(sql`insert into migrations (version, applied_at) values (${SCHEMA_VERSION + 1}, ${NOW})`)
    await t.rejects(migrate(second, NOW), { message: /newer program/ }, 'a newer database is rejected')
    await second.close()
  })

  t.test(`migrations fill new columns of existing rows (${engine})`, async (t) => {
    const { db } = await open(t, engine)
    const before = { ...ADMINISTRATION, migrations: ADMINISTRATION.migrations.slice(0, 6) }
    await migrate(db, NOW, before)
    const [older, newer] = ['2020-01-01T00:00:00.000Z', '2021-01-01T00:00:00.000Z']
    await db.run(sql`
      insert into users (uuid, distinct_id, email, email_key, first_name, last_name, is_active, created_at)
      values ('u', 'u', 'a@example.com', 'a@example.com', 'Ada', '', ${true}, ${NOW})`)
    const user = await rowOf<{ id: number }>(db, sql`select id from users`)
    for (const [id, created_at] of [
      ['a', newer],
      ['b', older],
    ] as const) {
      await db.run(sql`
        insert into organizations (id, name, slug, created_at, updated_at, plugins_access_level,
          is_member_join_email_enabled, member_count)
        values (${id}, ${id}, ${id}, ${created_at}, ${created_at}, 6, ${true}, 1)`)
      await db.run(sql`
        insert into members (id, organization_id, user_id, level, joined_at, updated_at)
        values (${id}, ${id}, ${user.id}, 15, ${NOW}, ${NOW})`)
    }
    t.same(await migrate(db, NOW), { from: 6, to: SCHEMA_VERSION })
    const { rows } = await organizations.list(db, user.id, UNRESTRICTED, 'everywhere', { limit: 10, offset: 0 })
    t.same(
      rows.map(({ id }) => id),
      ['b', 'a'],
      'the older organization comes first',
    )
  })

  t.test(`a migration marks accounts created without mail as unverified (${engine})`, async (t) => {
    const { db } = await open(t, engine)
    await migrate(db, NOW, { ...ADMINISTRATION, migrations: ADMINISTRATION.migrations.slice(0, 7) })
    const [first, second] = ['2020-01-01T00:00:00.000Z', '2020-01-01T00:00:00.001Z'] as const
    await db.run(sql`
      insert into organizations (id, name, slug, created_at, updated_at, plugins_access_level,
        is_member_join_email_enabled, member_count)
      values ('o', 'o', 'o', ${first}, ${first}, 6, ${true}, 1)`)
    for (const used_at of [first, second])
      await db.run(sql`
        insert into used_invites (id, organization_id, token_hash, used_at) values (${used_at}, 'o', 'h', ${used_at})`)
    for (const [email, verified, created_at] of [
      ['operator', null, NOW],
      ['answered', null, first],
      ['mailed', true, second],
    ] as const)
      await db.run(sql`
        insert into users (uuid, distinct_id, email, email_key, first_name, last_name, is_email_verified, is_active,
          created_at)
        values (${email}, ${email}, ${email}, ${email}, '', '', ${verified}, ${true}, ${created_at})`)
    await migrate(db, NOW)
    const rows = await db.all<{ email: string; verified: unknown }>(
      sql`select email, is_email_verified as verified from users order by id`,
    )
    t.same(
      rows.map(({ email, verified }) => [email, verified === null ? null : Boolean(verified)]),
      [
        ['operator', null],
        ['answered', false],
        ['mailed', true],
      ],
    )
  })

  t.test(`a migration gives exports UTC and counts the runs of backfills (${engine})`, async (t) => {
    const { db } = await open(t, engine)
    await migrate(db, NOW, { ...ADMINISTRATION, migrations: ADMINISTRATION.migrations.slice(0, 16) })
    await db.run(sql`
      insert into organizations (id, name, slug, created_at, updated_at, plugins_access_level,
        is_member_join_email_enabled, member_count)
      values ('o', 'o', 'o', ${NOW}, ${NOW}, 6, ${true}, 1)`)
    const project = await db.get<{ id: number }>(sql`
      insert into projects (uuid, organization_id, api_token, name, timezone, ingested_event, created_at, updated_at)
      values ('p', 'o', 'phc', 'p', 'UTC', ${false}, ${NOW}, ${NOW}) returning id`)
    await db.run(sql`
      insert into batch_exports (id, project_id, name, destination_type, destination_config, interval, paused, created_at,
        last_updated_at, resumed_at, watermark, window_start)
      values ('x', ${project!.id}, 'x', 'NoOp', '{}', 'day', ${false}, ${NOW}, ${NOW}, ${NOW}, 0, ${NOW})`)
    await db.run(sql`
      insert into batch_export_backfills (id, batch_export_id, start_at, end_at, status, created_at)
      values ('b', 'x', '2026-01-01', '2026-01-09', 'Failed', ${NOW})`)
    for (const [day, status] of [
      ['02', 'Completed'],
      ['03', 'Completed'],
      ['04', 'Failed'],
    ] as const)
      await db.run(sql`
        insert into batch_export_runs (id, batch_export_id, project_id, kind, backfill_id, status, data_interval_start,
          data_interval_end, records_completed, bytes_completed, latest_error, attempts, next_attempt_at, created_at,
          last_updated_at)
        values (${day}, 'x', ${project!.id}, 'backfill', 'b', ${status}, '2026-01-01', ${`2026-01-${day}`}, 5, 70,
          ${status === 'Failed' ? 'It failed.' : null}, 1, ${NOW}, ${NOW}, ${NOW})`)
    await migrate(db, NOW)
    t.match(await db.get(sql`select timezone, offset_day, offset_hour from batch_exports`), {
      timezone: 'UTC',
      offset_day: 0,
      offset_hour: 0,
    })
    t.match(await db.get(sql`select * from batch_export_backfills`), {
      interval: 'day',
      timezone: 'UTC',
      window_end: '2026-01-03',
      windows_completed: 2,
      records_completed: 10,
      bytes_completed: 140,
      latest_error: 'It failed.',
      last_updated_at: NOW,
    })
  })

  t.test(`a migration gives each plugin configuration its own web token (${engine})`, async (t) => {
    const { db } = await open(t, engine)
    const index = ADMINISTRATION.migrations.indexOf(siteApps)
    await migrate(db, NOW, { ...ADMINISTRATION, migrations: ADMINISTRATION.migrations.slice(0, index) })
    await db.run(sql`
      insert into organizations (id, name, slug, created_at, updated_at, plugins_access_level,
        is_member_join_email_enabled, member_count)
      values ('o', 'o', 'o', ${NOW}, ${NOW}, 6, ${true}, 1)`)
    await db.run(sql`
      insert into projects (uuid, organization_id, api_token, name, timezone, ingested_event, created_at, updated_at)
      values ('p', 'o', 't', 'p', 'UTC', ${false}, ${NOW}, ${NOW})`)
    await db.run(sql`
      insert into plugins (organization_id, family, name, config_schema, is_global, capabilities, sends_events, revision,
        created_at, updated_at)
      values ('o', 'pipeline_frontend_apps', 'Banner', '[]', ${false}, '{}', ${false}, 1, ${NOW}, ${NOW})`)
    for (let i = 0; i < 3; i++)
      await db.run(sql`
        insert into plugin_configs (plugin_id, project_id, enabled, sort_order, config, secret_keys, created_at, updated_at)
        values (1, 1, ${true}, ${i}, '{}', '[]', ${NOW}, ${NOW})`)
    await migrate(db, NOW)
    const tokens = await db.all<{ web_token: string }>(sql`select web_token from plugin_configs`)
    t.equal(new Set(tokens.map(({ web_token }) => web_token)).size, 3)
    for (const { web_token } of tokens) t.match(web_token, /^[0-9a-f]{32}$/)
  })

  t.test(`a migration numbers integrations in the order of their creation (${engine})`, async (t) => {
    const { db } = await open(t, engine)
    const index = ADMINISTRATION.migrations.indexOf(integrationNumbers)
    await migrate(db, NOW, { ...ADMINISTRATION, migrations: ADMINISTRATION.migrations.slice(0, index) })
    await db.run(sql`
      insert into organizations (id, name, slug, created_at, updated_at, plugins_access_level,
        is_member_join_email_enabled, member_count)
      values ('o', 'o', 'o', ${NOW}, ${NOW}, 6, ${true}, 1)`)
    for (const [id, created_at] of [
      ['b', '2026-01-02'],
      ['a', '2026-01-03'],
      ['c', '2026-01-01'],
    ] as const)
      await db.run(sql`
        insert into integrations (id, organization_id, name, kind, config, created_at, last_updated_at, secrets_changed_at)
        values (${id}, 'o', 'x', 'HTTP', '{}', ${created_at}, ${NOW}, ${NOW})`)
    await migrate(db, NOW)
    t.strictSame(await db.all(sql`select number, integration_id from integration_numbers order by number`), [
      { number: 1, integration_id: 'c' },
      { number: 2, integration_id: 'b' },
      { number: 3, integration_id: 'a' },
    ])
  })

  t.test(`a migration moves the activity of plugins into the activity log (${engine})`, async (t) => {
    const { db } = await open(t, engine)
    await migrate(db, NOW, { ...ADMINISTRATION, migrations: ADMINISTRATION.migrations.slice(0, 13) })
    await db.run(sql`
      insert into users (uuid, distinct_id, email, email_key, first_name, last_name, is_active, created_at)
      values ('u', 'u', 'a@example.com', 'a@example.com', 'Ada', '', ${true}, ${NOW})`)
    await db.run(sql`
      insert into organizations (id, name, slug, created_at, updated_at, plugins_access_level,
        is_member_join_email_enabled, member_count)
      values ('o', 'o', 'o', ${NOW}, ${NOW}, 6, ${true}, 1)`)
    await db.run(sql`
      insert into plugins (organization_id, family, name, config_schema, is_global, capabilities, sends_events, revision,
        created_at, updated_at)
      values ('o', 'pipeline_destinations', 'Sender', '[]', ${false}, '{}', ${false}, 1, ${NOW}, ${NOW})`)
    const [early, late] = ['2020-01-01T00:00:00.000Z', '2020-01-02T00:00:00.000Z'] as const
    const changes = '[{"type":"PluginConfig","action":"changed","field":"config__a","before":1,"after":2}]'
    for (const [scope, item, activity, email, value, created_at] of [
      ['Plugin', '1', 'installed', 'a@example.com', null, early],
      ['Plugin', '1', 'updated', 'gone@example.com', null, early],
      ['PluginConfig', '7', 'config_updated', 'a@example.com', changes, late],
    ] as const)
      await db.run(sql`
        insert into plugin_activity (organization_id, plugin_id, scope, item_id, activity, first_name, email, name, changes,
          created_at)
        values ('o', 1, ${scope}, ${item}, ${activity}, 'Ada', ${email}, '', ${value}, ${created_at})`)
    await db.run(sql`
      insert into activity_log (id, organization_id, actor, area, item_id, activity, changes, created_at)
      values ('both', 'o', 'user', 'plugin_configs', '7', 'config_updated', '["masked"]', ${late})`)
    await migrate(db, NOW)
    t.strictSame(
      await db.all(sql`select id, user_uuid, user_email, area, item_id, item_name, activity, changes, plugin_changes
        from activity_log order by created_at, id`),
      [
        {
          id: '00000000-0000-8000-8000-000000000001',
          user_uuid: 'u',
          user_email: 'a@example.com',
          area: 'plugins',
          item_id: '1',
          item_name: null,
          activity: 'installed',
          changes: '[]',
          plugin_changes: null,
        },
        {
          id: '00000000-0000-8000-8000-000000000002',
          user_uuid: null,
          user_email: 'gone@example.com',
          area: 'plugins',
          item_id: '1',
          item_name: null,
          activity: 'updated',
          changes: '[]',
          plugin_changes: null,
        },
        {
          id: 'both',
          user_uuid: null,
          user_email: null,
          area: 'plugin_configs',
          item_id: '7',
          item_name: null,
          activity: 'config_updated',
          changes: '["masked"]',
          plugin_changes: changes,
        },
      ],
    )
    const { count, rows } = await pluginActivity.list(db, 'o', 'pipeline_destinations', { limit: 10, offset: 0 })
    t.equal(count, 1)
    t.strictSame(
      rows[0]?.entries.map(({ activity }) => activity),
      ['config_updated', 'updated', 'installed'],
    )
    t.strictSame(await db.all(sql`select * from plugin_activity`), [])
  })

  t.test(`counts rows with a cache that every commit clears (${engine})`, async (t) => {
    const { db, url } = await open(t, engine)
    await db.exec('create table items (id integer primary key, word text)')
    const other = await openDatabase(url)
    const words = (): Promise<number> => db.count(sql`from items where word = ${'one'}`)
    t.equal(await words(), 0)
    await db.run(sql`insert into items values (1, 'one')`)
    t.equal(await words(), 1, 'own writes are counted')
    await other.run(sql`insert into items values (2, 'one'), (3, 'two')`)
    t.equal(await words(), 2, 'writes of another connection are counted')
    t.equal(await db.count(sql`from items where word = ${'two'}`), 1, 'the cache key includes the parameters')
    await db.tx(async (tx) => {
      await tx.run(sql`delete from items`)
      t.equal(await tx.count(sql`from items`), 0, 'a transaction counts its own writes')
      t.equal(await words(), 2, 'other connections do not count uncommitted writes')
    })
    t.equal(await words(), 0)
    await other.close()
    await db.close()
    const alone = await openDatabase(url, { mode: 'alone' })
    t.equal(await alone.count(sql`from items`), 0)
    await alone.run(sql`insert into items values (4, 'one')`)
    t.equal(await alone.count(sql`from items`), 1, 'a single connection counts its own writes')
    await alone.close()
  })

  t.test(`commits are durable (${engine})`, async (t) => {
    const { deps } = await openApp(t, engine)
    for (const database of [deps.db, deps.events])
      await database.tx(async (tx) => {
        if (engine === 'postgres')
          return t.same(await tx.get(sql`show synchronous_commit`), { synchronous_commit: 'on' })
        // 1 is NORMAL: checkpoints sync the database, and the write queue syncs the log after each commit.
        t.same(await tx.get(sql`pragma synchronous`), { synchronous: 1 })
        t.same(await tx.get(sql`pragma journal_mode`), { journal_mode: 'wal' })
        t.same(await tx.get(sql`pragma foreign_keys`), { foreign_keys: 1 })
      })
  })

  t.test(`concurrent migrations run once (${engine})`, async (t) => {
    const { url } = await open(t, engine)
    const nodes = await Promise.all(Array.from({ length: 4 }, () => openDatabase(url)))
    await Promise.all(nodes.map((node) => migrate(node, NOW)))
    t.same(
      await itemAt(nodes, 0).all(sql`select version from migrations`),
      Array.from({ length: SCHEMA_VERSION }, (_, i) => ({ version: i + 1 })),
    )
    await Promise.all(nodes.map((node) => node.close()))
  })
}

t.test('lookups that share a connection see every change that was acknowledged before them', async (t) => {
  const { db } = await open(t, 'postgres', { share_connections: true })
  await db.exec('create table items (id integer primary key, value integer); insert into items values (1, 0)')
  const value = () => db.get<{ value: number }>(lookup`select value from items where id = ${1}`)
  for (let i = 0; i < 20; i++) await value()

  const [first, second] = await Promise.all([value(), value()])
  t.same(first, { value: 0 })
  t.same(second, first)
  t.not(second, first, 'callers that share a result have their own rows')
  for (let i = 1; i <= 200; i++) {
    const before = Promise.all([value(), value()])
    await db.run(sql`update items set value = ${i} where id = ${1}`)
    const after = await Promise.all([value(), value()])
    if (after.some((row) => row?.value !== i)) t.fail(`a lookup after change ${i} returned ${JSON.stringify(after)}`)
    await before
  }
  await t.rejects(db.get(lookup`select value / 0 from items where id = ${1}`), { code: '22012' })
  t.same(await value(), { value: 200 }, 'a failed lookup does not affect others')
})

t.test('a slow lookup does not delay those that come later', async (t) => {
  const { db } = await open(t, 'postgres', { share_connections: true })
  const one = () => db.get(lookup`select 1 as one`)
  for (let i = 0; i < 20; i++) await one()
  let isSlow = true
  const slow = [0, 1].map((number) => db.get(lookup`select pg_sleep(3), ${number}::int as number`))
  const done = Promise.all(slow).then(() => {
    isSlow = false
  })
  await sleep(200)
  for (let i = 0; i < 20; i++) await one()
  t.ok(isSlow, 'the later lookups are done first')
  await done
})

t.test('recognizes a PostgreSQL deadlock as retryable', async (t) => {
  const { db } = await open(t, 'postgres')
  await db.exec('create table items (id integer primary key); insert into items values (1), (2)')
  let [arrived, both] = [0, (): void => undefined]
  const bothLocked = new Promise<void>((resolve) => (both = resolve))
  const lockRow = (tx: Db, id: number) => tx.get(sql`select id from items where id = ${id} ${forUpdate}`)
  const cross = (first: number, second: number) =>
    db.tx(async (tx) => {
      await lockRow(tx, first)
      if (++arrived === 2) both()
      await bothLocked
      await lockRow(tx, second)
    })
  const ended = await Promise.allSettled([cross(1, 2), cross(2, 1)])
  const lost = ended.filter((end) => end.status === 'rejected')
  t.same(
    lost.map(({ reason }) => isLostRace(reason)),
    [true],
  )
})

t.test('a broken connection fails only its own transaction', async (t) => {
  const { db } = await open(t, 'postgres')
  const cut = async (tx: Db, meanwhile: (tx: Db) => Promise<unknown>): Promise<void> => {
    const { pid } = await rowOf<{ pid: number }>(tx, sql`select pg_backend_pid() as pid`)
    await Promise.all([meanwhile(tx), db.get(sql`select pg_terminate_backend(${pid}::integer, 5000)`)])
    await tx.get(sql`select 1`)
  }
  const nothing = async () => undefined
  const waiting = (tx: Db) => tx.get(sql`select pg_sleep(30)`)
  for (const meanwhile of [nothing, waiting])
    await t.rejects(
      db.tx((tx) => cut(tx, meanwhile)),
      { code: 'unavailable' },
    )
  t.same(await db.get(sql`select 1 as one`), { one: 1 })
})

/** SQLSTATEs, what PostgreSQL or Citus reports with them, and the detail of the error that callers get. */
const REPORTED: [code: string, message: string, detail: RegExp | null][] = [
  ['08000', 'connection_exception', /unreachable/],
  ['08003', 'connection does not exist', /unreachable/],
  ['08006', 'connection to the remote node 10.0.0.2:5432 failed', /unreachable/],
  ['57P01', 'terminating connection due to administrator command', /unreachable/],
  ['57P02', 'terminating connection because of crash of another server process', /unreachable/],
  ['57P03', 'the database system is starting up', /unreachable/],
  ['57P05', 'terminating connection due to idle-session timeout', /unreachable/],
  ['53300', 'sorry, too many clients already', /unreachable/],
  ['55P03', 'canceling statement due to lock timeout', /busy/],
  ['25P03', 'terminating connection due to idle-in-transaction timeout', /busy/],
  ['25P04', 'terminating connection due to transaction timeout', /busy/],
  ['53100', 'could not extend file: No space left on device', /accepts no writes: its disk is full/],
  ['XX000', 'could not commit transaction for shard 102008 on at least one active node', /unreachable/],
  ['XX000', 'could not commit transaction for shard 102008 on any active node', /unreachable/],
  ['XX000', 'could not commit transaction on any active node', /unreachable/],
  ['XX000', 'failure on connection marked as essential: worker-2:5432', /unreachable/],
  ['XX000', 'cache lookup failed for relation 16384', null],
  ['XX000', 'tuple concurrently updated', null],
  ['0A000', 'recursive CTEs are not supported in distributed queries', null],
  ['42P01', 'relation "nowhere" does not exist', null],
  ['23505', 'duplicate key value violates unique constraint', null],
  ['57014', 'canceling statement due to user request', null],
]

/** The end of a response: the connection is ready for the next statement. */
const READY = Buffer.from('5a0000000549', 'hex')
/** What PostgreSQL sends when it shuts down: the length, then fields. */
const TERMINATED = Buffer.from('E\0\0\0\0SFATAL\0VFATAL\0C57P01\0Mthe server shuts down\0\0', 'latin1')
TERMINATED.writeUInt32BE(TERMINATED.length - 1, 1)

/** A proxy that, while `cuts` is set, ends each connection in the packet that ends its next response. */
async function openCutter(t: Test, url: string) {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const cutter = { url: '', cuts: false, cut: 0 }
  const server = createServer((client) => {
    const database = connect(Number(port), hostname)
    for (const socket of [client, database]) sockets.add(socket.on('error', () => undefined))
    client.on('data', (bytes) => database.write(bytes))
    client.on('close', () => database.destroy())
    database.on('data', (bytes) => {
      const isCut = cutter.cuts && bytes.subarray(-READY.length).equals(READY)
      if (!isCut) return client.write(bytes)
      cutter.cut++
      client.end(Buffer.concat([bytes, TERMINATED]))
    })
    database.on('close', () => client.destroy())
  }).listen(0, '127.0.0.1')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await once(server, 'listening')
  const through = new URL(url)
  through.port = String((server.address() as AddressInfo).port)
  return Object.assign(cutter, { url: through.href })
}

t.test('a connection that ends in the packet of a response fails only what uses it', async (t) => {
  const { url, drop } = await emptyDatabase()
  t.teardown(drop)
  const cutter = await openCutter(t, url)
  const db = await openDatabase(cutter.url, { connections: 2 })
  t.teardown(() => db.close())
  const store = await openStore(cutter.url)
  const readers = createPostgresReaders(cutter.url)
  t.teardown(() => readers.stop())
  const one = sql`select 1`
  const compiled = { ...compile(one, 'postgres'), one_plan: false }
  const { signal } = new AbortController()
  const uses: [string, () => Promise<unknown>][] = [
    ['a statement', () => db.all(one)],
    ['a transaction', () => db.tx((tx) => tx.all(one))],
    ['a reader', () => readers.run('fast', compiled, (row) => row, 5_000, signal)],
    ['the mirror', () => store.snapshot((read) => read(one))],
  ]
  for (const [name, use] of uses) {
    const before = cutter.cut
    cutter.cuts = true
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, use))
    t.ok(cutter.cut > before, name)
    if (name !== 'the mirror')
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') t.match(outcome.reason, { code: 'unavailable' })
    cutter.cuts = false
    await until(() => use().catch(() => false))
  }
})

t.test('errors of PostgreSQL that a retry may overcome are unavailable, also at commit', async (t) => {
  const { db } = await open(t, 'postgres')
  await db.exec(`
    create table reports (code text, message text);
    create function report() returns trigger language plpgsql as
      $$ begin raise exception using errcode = new.code, message = new.message; end $$;
    create constraint trigger at_commit after insert on reports deferrable initially deferred for each row
      execute function report();
    create function report_now(code text, message text) returns void language plpgsql as
      $$ begin raise exception using errcode = code, message = message; end $$`)
  for (const [code, message, detail] of REPORTED) {
    const expected = detail
      ? { code: 'unavailable', message: detail, retry_after_seconds: 5, cause: { code, message } }
      : { code, message }
    const insert = sql`insert into reports (code, message) values (${code}, ${message})`
    await t.rejects(db.all(sql`select report_now(${code}, ${message})`), expected, `${code} ${message}`)
    await t.rejects(
      db.tx((tx) => tx.run(insert)),
      expected,
      `${code} at commit`,
    )
  }
  const hidden = db.all(sql`select report_now('0A000', 'could not create distributed plan')`)
  await t.rejects(hidden, { message: /Set plan_cache_mode to auto/, cause: { code: '0A000' } })
  t.same(await db.get(sql`select 1 as one`), { one: 1 })
})

t.test('an idle transaction timeout is reported as unavailable', async (t) => {
  const { db } = await open(t, 'postgres')
  const still = new Int32Array(new SharedArrayBuffer(4))
  await t.rejects(
    db.tx(async (tx) => {
      await tx.exec('set local idle_in_transaction_session_timeout = 1')
      for (;;) {
        // Blocks like a stopped process, which sends a statement before it reads that the connection was closed.
        Atomics.wait(still, 0, 0, 100)
        await tx.get(sql`select 1`)
      }
    }),
    { code: 'unavailable' },
  )
  t.same(await db.get(sql`select 1 as one`), { one: 1 })
})

t.test('SQLite waits for the lock of another process', async (t) => {
  const folder = freshFolder(t)
  const db = await openDatabase(`sqlite:${folder}`)
  await db.exec('create table marks (id integer primary key)')
  const other = fork(new URL('../helpers/programs/hold-lock.ts', import.meta.url), [folder])
  const ended = new Promise((resolve) => other.once('exit', resolve))
  await new Promise((resolve) => other.once('message', resolve))
  const write = db.run(sql`insert into marks values (2)`)
  t.same(await db.all(sql`select id from marks`), [], 'reads do not wait')
  other.send('commit')
  t.equal(await write, 1)
  t.same(await db.all(sql`select id from marks`), [{ id: 1 }, { id: 2 }])
  await ended
  await db.close()
})

t.test('concurrent SQLite writes share one commit', async (t) => {
  const folder = freshFolder(t)
  const db = await openDatabase(`sqlite:${folder}`)
  t.teardown(() => db.close())
  await db.exec('create table marks (id integer primary key)')
  const before = commitsIn(join(folder, 'workspace.db-wal'))
  await Promise.all(Array.from({ length: 40 }, (_, i) => db.run(sql`insert into marks values (${i})`)))
  t.equal(commitsIn(join(folder, 'workspace.db-wal')) - before, 1)
  t.same(await db.get(sql`select count(*) as count from marks`), { count: 40 })
  await db.run(sql`insert into marks values (40)`)
  await db.run(sql`insert into marks values (41)`)
  t.equal(commitsIn(join(folder, 'workspace.db-wal')) - before, 3, 'sequential writes are committed separately')
})

/** Counts the WAL frames that end a transaction: their header contains the size of the database. */
function commitsIn(file: string): number {
  const log = readFileSync(file)
  const frame = log.readUInt32BE(8) + 24
  let commits = 0
  for (let at = 32; at + frame <= log.length; at += frame) if (log.readUInt32BE(at + 4)) commits++
  return commits
}

t.test('a full SQLite database rejects only the writes that do not fit', async (t) => {
  const db = await openDatabase(`sqlite:${freshFolder(t)}`)
  t.teardown(() => db.close())
  await db.exec('create table marks (id integer primary key, text text)')
  await db.exec('pragma max_page_count = 40')
  const write = (id: number): Promise<number> =>
    db.run(sql`insert into marks values (${id}, ${'x'.repeat(id % 5 === 3 ? 200_000 : 1_000)})`)
  const ids = Array.from({ length: 20 }, (_, i) => i)
  // Three writes that fit, then groups with one write that does not.
  const ended = await Promise.allSettled(ids.slice(0, 3).map(write))
  ended.push(...(await Promise.allSettled(ids.slice(3).map(write))))
  for (const [id, end] of ended.entries())
    if (id % 5 === 3) t.match(end, { status: 'rejected', reason: { code: 'unavailable', message: /disk is full/ } })
    else t.equal(end.status, 'fulfilled', 'a write that fits succeeds')
  const stored = await db.all<{ id: number }>(sql`select id from marks order by id`)
  t.same(
    stored.map(({ id }) => id),
    ids.filter((i) => itemAt(ended, i).status === 'fulfilled'),
  )
  await db.exec('pragma max_page_count = 4000')
  t.equal(await write(103), 1, 'writes succeed when there is space again')
})

t.test('a transaction writes nothing after a failure that rolled it back', async (t) => {
  const db = await openDatabase(`sqlite:${freshFolder(t)}`)
  t.teardown(() => db.close())
  await db.exec('create table marks (id integer primary key, text text)')
  await db.exec('pragma max_page_count = 20')
  const ended = await Promise.allSettled([
    db.run(sql`insert into marks values (1, '')`),
    db.tx(async (tx) => {
      await tx.run(sql`insert into marks values (2, '')`)
      await tx.run(sql`insert into marks values (3, ${'x'.repeat(200_000)})`).catch(() => undefined)
      await tx.run(sql`insert into marks values (4, '')`)
    }),
    db.tx(async (tx) => {
      await tx.run(sql`insert into marks values (5, ${'x'.repeat(200_000)})`).catch(() => {
        throw new Error('another error')
      })
    }),
    db.run(sql`insert into marks values (6, '')`),
  ])
  t.match(ended, [
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 'unavailable' } },
    { status: 'rejected', reason: { message: 'another error' } },
    { status: 'fulfilled' },
  ])
  t.same(await db.all(sql`select id from marks`), [{ id: 1 }, { id: 6 }])
})

t.test('a constraint violation at commit fails only its own write', async (t) => {
  const db = await openDatabase(`sqlite:${freshFolder(t)}`)
  t.teardown(() => db.close())
  await db.exec(
    `create table marks (id integer primary key, of integer references marks deferrable initially deferred)`,
  )
  const ended = await Promise.allSettled(
    [null, 1, 99, 2].map((of, i) => db.run(sql`insert into marks values (${i + 1}, ${of})`)),
  )
  t.match(ended, [
    { status: 'fulfilled' },
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' } },
    { status: 'fulfilled' },
  ])
  t.same(await db.all(sql`select id from marks`), [{ id: 1 }, { id: 2 }, { id: 4 }])
})

t.test('all writes behind a lock of another process time out together', async (t) => {
  const folder = freshFolder(t)
  const db = await openDatabase(`sqlite:${folder}`)
  await db.exec('create table marks (id integer primary key)')
  const other = fork(new URL('../helpers/programs/hold-lock.ts', import.meta.url), [folder])
  const ended = new Promise((resolve) => other.once('exit', resolve))
  await new Promise((resolve) => other.once('message', resolve))
  const writes = [
    db.run(sql`insert into marks values (2)`),
    db.tx((tx) => tx.run(sql`insert into marks values (3)`)),
    db.get(sql`insert into marks values (4) returning id`),
  ]
  // Early enough for a write with a separate deadline.
  itemAt(writes, 0).catch(() => setTimeout(() => other.send('commit'), 1_000))
  for (const write of await Promise.allSettled(writes))
    t.match(write, { status: 'rejected', reason: { code: 'unavailable' } })
  await ended
  t.equal(await db.run(sql`insert into marks values (5)`), 1)
  await db.close()
})

t.test('several processes open and close one SQLite database concurrently', async (t) => {
  const folder = freshFolder(t)
  const others = Array.from({ length: 3 }, () =>
    fork(new URL('../helpers/programs/reopen-database.ts', import.meta.url), [folder]),
  )
  for (const code of await Promise.all(others.map((other) => new Promise((resolve) => other.once('exit', resolve)))))
    t.equal(code, 0)
})

t.test('rejects unknown URLs and unreachable servers', async (t) => {
  await t.rejects(openDatabase('mysql://x'), { message: /sqlite:<folder> or postgres/ })
  await t.rejects(openDatabase('postgres://nobody@127.0.0.1:1/none'), { code: 'unavailable' })
})

t.test('database files are private for every umask', async (t) => {
  const root = freshFolder(t)
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
  const before = process.umask()
  t.teardown(() => process.umask(before))
  for (const umask of [0o000, 0o022, 0o077]) {
    process.umask(umask)
    const open = async (folder: string) => {
      const db = await openDatabase(`sqlite:${folder}`)
      await db.exec('create table if not exists items (id integer)')
      const modes = ['', '-wal', '-shm'].map((suffix) => modeOf(join(folder, `workspace.db${suffix}`)))
      t.strictSame(modes, ['600', '600', '600'], folder)
      await db.close()
      return modeOf(folder)
    }
    const created = join(root, `made-${umask}`, 'below')
    t.equal(await open(created), '700')
    const empty = join(root, `empty-${umask}`)
    mkdirSync(empty)
    chmodSync(empty, 0o755)
    t.equal(await open(empty), '700', 'an empty folder becomes private')
    const used = join(root, `used-${umask}`)
    mkdirSync(used)
    chmodSync(used, 0o755)
    writeFileSync(join(used, 'notes.txt'), '')
    t.equal(await open(used), '755', 'a folder with other files keeps its mode')
    chmodSync(join(used, 'workspace.db'), 0o644)
    await open(used)
    t.pass('a database file with a wider mode can be opened')
  }
})

t.test('a server moves the log of SQLite into its file in a thread', async (t) => {
  const folder = freshFolder(t)
  const db = await openDatabase(`sqlite:${folder}`, { background_checkpoints: true })
  t.teardown(() => db.close())
  await db.exec('create table pages (id integer primary key, text text)')
  const other = new Sqlite(join(folder, 'workspace.db'))
  t.teardown(() => other.close())
  const state = () => itemAt(other.pragma('wal_checkpoint(noop)') as { log: number; checkpointed: number }[], 0)
  const write = () => db.run(sql`insert into pages (text) values (${'x'.repeat(4_000)})`)
  // Fewer pages than those at which a commit makes a checkpoint of its own.
  for (let i = 0; i < 1_500; i++) await write()
  t.ok(state().log < 20_000)
  await until(async () => state().checkpointed >= 1_000 || state().log < 1_000)
  await write()
  t.match(await db.get(sql`select count(*) as count from pages`), { count: 1_501 })
})

/** `copy` from SQLite to PostgreSQL: killed, resumed, compared, and served afterwards. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import t, { type Test } from 'tap'
import { EVENT_COLUMNS, type Extract } from '../../src/events/extract.ts'
import { horizon, MOVED_COLUMNS } from '../../src/events/positions.ts'
import { openSource } from '../../src/events/source.ts'
import { boundaryAfter, boundaryBefore, inUtc } from '../../src/exports/interval.ts'
import { distributionScript, isDistributed, obstacles } from '../../src/sql/distribution.ts'
import { ADMINISTRATION, EVENTS, UNFINISHED_COPY } from '../../src/sql/migrate.ts'
import { openDatabase } from '../../src/sql/open.ts'
import { describeTables, type Table } from '../../src/sql/tables.ts'
import { sql } from '../../src/sql/template.ts'
import * as copies from '../../src/store/copies.ts'
import { openApp } from '../helpers/app.ts'
import { bySize, figure, SIZE } from '../helpers/assertions/figures.ts'
import { defined, itemAt, rowOf } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import { emptyDatabase, migratedDatabase } from '../helpers/programs/postgres.ts'
import { command, type Ended, ended } from '../helpers/programs/process.ts'
import { openSite, type Site, until } from '../helpers/programs/site.ts'
import { insertEvents, uuid } from '../helpers/seeds/events.ts'

/** The tables at which the copy is blocked and killed; all but the last in `prove`. */
const KILL_TABLES = ['events']
const SEEDED = bySize({ quick: 300, full: 2_500, prove: 20_000 })
const INTERVAL = 'every 5 minutes'
const WINDOW_MS = 300_000
/** The remaining time of a window that is enough for the steps before the copy. */
const MIN_REMAINING_MS = 200_000
/** Tables of the target itself, which are not copied. */
const NOT_COPIED = [ADMINISTRATION.table, EVENTS.table, 'request_counts']
/** Beyond the transaction ids of any test cluster, so positions must be advanced. */
const FAR = 5_000_000_000

t.setTimeout(bySize({ full: 5, prove: 30 }) * 60_000)

const run = (args: string[], environment: Record<string, string> = {}): Promise<Ended> =>
  ended(command(args, environment))

async function emptyTarget(t: Test): Promise<{ url: string; client: pg.Client }> {
  const { url, drop } = await emptyDatabase()
  const client = new pg.Client(url)
  await client.connect()
  t.teardown(async () => {
    await client.end()
    await drop()
  })
  return { url, client }
}

async function tablesOf(url: string): Promise<Table[]> {
  const db = await openDatabase(url, { mode: 'read' })
  try {
    return await describeTables(db)
  } finally {
    await db.close()
  }
}

const folderOf = (url: string): string => url.slice('sqlite:'.length)

/** Runs SQL on a SQLite file, even while a server uses it. */
function change(url: string, file: string, text: string): void {
  const db = new Sqlite(join(folderOf(url), file), { timeout: 10_000 })
  db.exec(text)
  db.close()
}

/** Adds the rows that a demo workspace lacks. */
async function fillTheRest(site: Site, organization_id: string, project_id: number): Promise<void> {
  const plugins = `/api/organizations/${organization_id}/pipeline_destinations` as const
  const config_schema = [{ key: 'secret', name: 'Secret', type: 'string', secret: true }]
  const plugin = await site.request('POST', `${plugins}/`, { plugin_type: 'source', name: 'Exporter', config_schema })
  await site.request('PATCH', `${plugins}/${plugin.id}/update_source/`, {
    source: { 'index.ts': 'export const a = "é€😀"' },
  })
  await site.request('POST', `/api/projects/${project_id}/plugin_configs/`, {
    plugin: plugin.id,
    enabled: true,
    order: 1,
    config: { secret: 'hush' },
  })
  const integration = await addIntegration(site, organization_id)
  await site.request('POST', `/api/projects/${project_id}/batch_exports/`, {
    name: 'With stored credentials',
    interval: 'week',
    paused: true,
    destination: { type: 'HTTP', integration: integration.id },
  })
  // The id of a deleted project must not be reused.
  const gone = await site.request('POST', '/api/projects/', { name: 'Gone', organization: organization_id })
  await site.request('DELETE', `/api/projects/${gone.id}/`)
  const unused = await addIntegration(site, organization_id)
  await site.request('DELETE', `/api/organizations/${organization_id}/integrations/${unused.id}/`)
}

const addIntegration = (site: Site, organization_id: string) =>
  site.request('POST', `/api/organizations/${organization_id}/integrations/`, {
    name: 'Stored',
    kind: 'HTTP',
    config: { url: 'https://8.8.8.8/batch/', token: 'hush' },
  })

let sent = 0
async function send(site: Site, count: number): Promise<void> {
  const batch = Array.from({ length: count }, () => ({
    uuid: uuid(++sent),
    event: 'seen',
    distinct_id: `person-${sent % 7} \ue000 😀`,
    properties: { sent, zebra: 1, apple: [1.0, '\u0000 "quoted"\n'], $set: { plan: 'frée' } },
  }))
  await site.request('POST', '/batch/', { api_key: site.project_token, batch })
}

const exportsOf = ({ project_id }: Site) => `/api/projects/${project_id}/batch_exports` as const

/** Waits until every window that has ended is delivered. */
async function settle(site: Site, id: string): Promise<void> {
  const planned = boundaryBefore(inUtc(INTERVAL), site.now())
  await until(async () => {
    await site.request('PATCH', `${exportsOf(site)}/${id}/`, { name: 'roused' })
    const { results } = await site.request('GET', `${exportsOf(site)}/${id}/runs/?limit=1000`)
    const done = results.every(({ status }) => status === 'Completed')
    return done && results.some((run) => run.data_interval_end >= planned)
  })
}

const delivered = (site: Site, id: string): string[] =>
  readdirSync(join(site.files, String(site.project_id), id), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .flatMap(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line).uuid)

const uuids = (): string[] => Array.from({ length: sent }, (_, i) => uuid(i + 1))

/** The response bodies of all lists. */
async function responses(site: Site, key: string, organization_id: string, project_id: number): Promise<string[]> {
  const { url } = itemAt(site.servers, 0)
  const get = async (path: string): Promise<string> => {
    const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })
    return `${path} ${response.status} ${(await response.text()).replaceAll(url, '')}`
  }
  const project = `/api/projects/${project_id}` as const
  const { results } = await site.request('GET', `${project}/batch_exports/`)
  return Promise.all(
    [
      '/api/users/@me/',
      '/api/organizations/',
      '/api/projects/',
      '/api/personal_api_keys/',
      ...[
        ...[
          'members',
          'invites',
          'domains',
          'integrations',
          'alerts',
          'batch_exports',
          'pipeline_destinations',
          'pipeline_import_apps',
        ],
        ...['activity', 'unused', 'exports_unsubscribe_configs'].map((list) => `pipeline_destinations/${list}`),
      ].map((list) => `/api/organizations/${organization_id}/${list}/?limit=1000`),
      `${project}/events/?limit=5000&after=2000-01-01`,
      `${project}/events/?limit=7&event=seen`,
      `${project}/events/values/?key=plan`,
      `${project}/events/histogram/?after=2026-01-01&before=2027-12-31&interval=week`,
      `${project}/events/names/`,
      `${project}/plugin_configs/`,
      ...results.flatMap(({ id }: { id: string }) => [
        `${project}/batch_exports/${id}/runs/?limit=1000`,
        `${project}/batch_exports/${id}/logs/?limit=1000`,
      ]),
    ].map(get),
  )
}

/** Starts a copy and waits until it blocks on a table that the test has locked. */
async function copyUpTo(client: pg.Client, table: string, args: string[], copies = 1): Promise<() => Promise<unknown>> {
  const child = command(args, {})
  const end = ended(child)
  await Promise.race([waiting(client, table, copies), end.then((early) => Promise.reject(new Error(early.stderr)))])
  return () => {
    child.kill('SIGKILL')
    return end
  }
}

const waiting = (client: pg.Client, table: string, count: number): Promise<true> =>
  until(async () => {
    const { rows } = await client.query(
      `select count(*)::integer as count from pg_locks where not granted and relation = $1::regclass
        and database = (select oid from pg_database where datname = current_database())`,
      [table],
    )
    return rows[0].count === count
  })

const lockTable = (client: pg.Client, table: string): Promise<unknown> =>
  client.query(`lock table ${table} in exclusive mode`)

t.test('copies a workspace completely despite interruptions, and the server resumes there', async (t) => {
  const site = await openSite(t, 'sqlite')
  const from = site.database_url
  const { organization: organization_id } = await site.request('GET', `/api/projects/${site.project_id}/`)

  const destination = { type: 'File', config: {} }
  const { id } = await site.request('POST', `${exportsOf(site)}/`, { name: 'Files', interval: INTERVAL, destination })
  const paused = await site.request('POST', `${exportsOf(site)}/`, { name: 'Paused', interval: INTERVAL, destination })
  await send(site, 300)
  site.advance(WINDOW_MS)
  await settle(site, id)
  t.same(delivered(site, id).sort(), uuids(), 'events are delivered before the copy')
  const remaining_ms = Date.parse(boundaryAfter(inUtc(INTERVAL), site.now())) - Date.parse(site.now())
  if (remaining_ms < MIN_REMAINING_MS) site.advance(remaining_ms + 1_000)
  await settle(site, id)
  // No more deliveries before the copy, and no export is beyond the transaction ids of the cluster.
  const environment = { DATABASE_URL: from, EXPORT_FOLDER: site.files, SECRET_KEY: 'ab'.repeat(32) }
  const seeded = await run(['seed', '--events', String(SEEDED), '--json'], environment)
  t.equal(seeded.code, 0, seeded.stderr)
  const demo = JSON.parse(seeded.stdout)
  change(from, EVENTS.file, `update sqlite_sequence set seq = ${FAR} where name = 'events'`)
  await send(site, 200)
  // Paused before the copy and unpaused after it: events in between are skipped.
  await site.request('POST', `${exportsOf(site)}/${paused.id}/pause/`)
  const paused_after = sent
  await send(site, 20)
  await fillTheRest(site, organization_id, site.project_id)

  const { url: to, client } = await emptyTarget(t)
  const args = ['copy', '--from', from, '--to', to]
  t.match(await run(args), { code: 6, stderr: /Stop the server that uses it/ }, 'a server uses the source')
  t.equal((await client.query('select 1 from pg_tables where schemaname = current_schema()')).rowCount, 0)

  const listed = async (): Promise<string[]> => [
    ...(await responses(site, site.api_key, organization_id, site.project_id)),
    ...(await responses(site, demo.api_key, demo.organization_id, demo.project_id)),
  ]
  // Inserted before the lists are read, because lists show them.
  change(
    from,
    ADMINISTRATION.file,
    `insert into identities values ('issuer', 'subject', 1, 'oidc', 'x@example.com', '2026', '2026');
     insert into alerts values ('00000000-0000-7000-8000-00000000a1e7', '${organization_id}', 'Alert', 0, 1, 1, 1, 1, 60, null,
       '${id}', 'email', null, null, null, null, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z');
     insert into alert_recipients select '00000000-0000-7000-8000-00000000a1e7', id from members
       where organization_id = '${organization_id}';
     insert into alert_incidents values ('${id}', 'runs', '00000000-0000-7000-8000-00000000a1e7', null, '2026');
     insert into alert_deliveries values ('a', '00000000-0000-7000-8000-00000000a1e7', '{}', 1, '9999', '2026')`,
  )
  // The last use of a key is stored after the response, so the lists are read until they are stable.
  let before = await listed()
  for (let last: string[] = []; last.join() !== before.join(); ) [last, before] = [before, await listed()]
  const stopped = site.now()
  await site.kill(itemAt(site.servers, 0))
  change(
    from,
    ADMINISTRATION.file,
    `insert into letters values ('a', 'invite', 'x@example.com', '{}', 'waiting', 0, '2026', '2026', 1);
     insert into alert_messages values ('a', '${organization_id}', null, '{}', '2026');
     insert into alert_digests values ('${organization_id}', '9999', 1);
     insert into used_invites values ('a', '${organization_id}', 'hash', '2026');
     insert into made_invites values ('a', '${organization_id}', 1, 'hash', '2026');
     insert into invite_mails values ('hash', 'a', '2026');
     insert into sessions values ('a', 'hash', 1, 'password', null, 0, '', '', '2026', '2026', '9999');
     insert into pending_sign_ins values ('hash', 1, 'password', '9999');
     insert into one_time_tokens values ('hash', 'sign_in', 1, 'x@example.com', '2026', '9999');
     insert into backup_codes values (1, 'hash');
     insert into sign_in_failures values ('hash', 1, '2026', '9999');
     insert into pending_identities values ('hash', 1, 'issuer', 'subject', 'oidc', 'x@example.com', '9999');
     insert into sso_requests values ('hash', 'oidc', null, 'hash', '/', null, '9999');
     insert into used_assertions values ('hash', '9999');
     insert into removed_members values ('${organization_id}', 1);
     insert into person_deletions values ('a', 1, 'a', 0, '2026');
     insert into plugin_storage values (1, 'key', '"é€😀"');
     insert into plugin_log_entries values (7, 1, 1, 1, '2026', 'CONSOLE', 'LOG', 'text');
     insert into plugin_failed_deliveries values ('a', 1, 'onEvent', 'a', 'seen', 'Error: é', 1, '2026', null);
     insert into plugin_test_events values ('a', 1, 'é', '{}', null, '2026', '2026');
     insert into plugin_metrics values (1, '2026', 'onEvent', 1, 2, 3, 4, 5, 6);
     insert into plugin_metric_values values (1, '2026', 'sent', 'sum', 1.5);
     insert into plugin_jobs values ('a', 1, 'job', '{}', '1', '9999', '2026', null, null);
     insert into plugin_schedules values (1, 'runEveryDay', '9999', null, null);`,
  )

  // Events of another project that are not counted yet.
  change(
    from,
    EVENTS.file,
    `insert into uncounted_events values (9999, 3, 3, 4, 1);
     insert into event_deletions values (9999, 'a', 1);
     insert into session_changes values (5, 9999, 'a', 1, 1);
     insert into mirrors values (9999, 'node', 1, 5, '2026', '2026');
     insert into mirror_segments values (9999, 'node', 0, 5, 'a.parquet', 1, '{}');
     insert into mirror_deletions values (9999, 'node', 3, 3);`,
  )

  t.equal((await run(['migrate', '--database', to])).code, 0, 'a migrated empty target is accepted')
  const source = await openSource(from, false)
  const everything: Extract = {
    model: 'events',
    project_id: site.project_id,
    range: { by: 'positions', from: 0, to: FAR * 2 },
    columns: [EVENT_COLUMNS.uuid],
    encoding: 'json',
    include: null,
    exclude: null,
    where: null,
  }
  const page = defined(await source.page(everything, null, 350))
  await source.close()

  const tables = await tablesOf(to)
  const moving = tables.map(({ name }) => name).filter((name) => !NOT_COPIED.includes(name))
  const last = itemAt(moving, -1)
  const places = SIZE === 'prove' ? moving.slice(0, -1) : KILL_TABLES
  for (const table of places) {
    await client.query('begin')
    await lockTable(client, table)
    const kill = await copyUpTo(client, table, args)
    t.match(await kill(), { code: null }, `killed at ${table}`)
    await client.query('rollback')
  }

  t.match(await run(['serve', '--port', '0', '--database', to]), {
    code: 1,
    stderr: /A copy into this database has not finished/,
  })
  t.match(await run(['users', 'list', '--database', to]), {
    code: 1,
    stderr: /A copy into this database has not finished/,
  })
  const partly = await run([...args, '--verify', '--json'])
  t.equal(partly.code, 1, 'the copy is incomplete')
  t.ok(JSON.parse(partly.stdout).examples.every(({ kind }: { kind: string }) => kind === 'missing'))
  const other = freshFolder(t)
  await run(['migrate', '--database', `sqlite:${other}`])
  t.match(await run(['copy', '--from', `sqlite:${other}`, '--to', to]), { code: 6, stderr: /did not come from/ })

  // The statement of a killed process still runs, concurrently with those of the next process.
  await client.query('begin')
  await lockTable(client, UNFINISHED_COPY)
  await client.query('savepoint last')
  await lockTable(client, last)
  await (await copyUpTo(client, last, args))()
  const statistics = await client.query("select reltuples from pg_class where oid = 'events'::regclass")
  t.ok(statistics.rows[0].reltuples > 0, 'a copied table has statistics before it is compared')
  const kill = await copyUpTo(client, last, args, 2)
  await client.query('rollback to last')
  await waiting(client, UNFINISHED_COPY, 1)
  t.match(await kill(), { code: null }, 'killed after all rows were copied')
  await client.query('rollback')

  const done = await run([...args, '--json'])
  t.equal(done.code, 0, done.stdout + done.stderr)
  const report = JSON.parse(done.stdout)
  t.equal(report.differences, 0)
  t.same(report.tables.map(({ table }: { table: string }) => table).sort(), moving.toSorted(), 'every table is copied')
  t.same(
    report.tables.filter(({ rows }: { rows: number }) => rows === 0).map(({ table }: { table: string }) => table),
    // Its rows are in activity_log. Only nodes of version 0.2.0 still write to it.
    ['plugin_activity'],
    'no other table is empty: add a row to each new table here',
  )

  const result = `resumed each time; ${SEEDED.toLocaleString('en')} events and every other row copied and compared`
  figure(t, { area: 'Copy to PostgreSQL', count: places.length + 3, of: 'kills', result })

  await t.test('reports differences', async (t) => {
    const {
      rows: [purge],
    } = await client.query('select * from purges')
    await client.query(`
      update events set elements_chain = 'a' where uuid = '${uuid(5)}';
      update plugin_configs set enabled = not enabled;
      delete from purges;
      insert into purges values (0, 'x'), (999999, 'x')`)
    const found = await run([...args, '--json'])
    t.equal(found.code, 1)
    const { differences, copied, examples } = JSON.parse(found.stdout)
    t.same({ differences, copied }, { differences: 5, copied: 0 }, 'a complete copy is only compared')
    const inOrder = (list: { table: string }[]) => list.toSorted((a, b) => (a.table < b.table ? -1 : 1))
    t.same(inOrder(examples), [
      {
        table: 'events',
        key: { project_id: site.project_id, uuid: uuid(5) },
        kind: 'different',
        columns: ['elements_chain'],
      },
      { table: 'plugin_configs', key: { id: 1 }, kind: 'different', columns: ['enabled'] },
      { table: 'purges', key: { project_id: purge.project_id }, kind: 'missing', columns: [] },
      { table: 'purges', key: { project_id: 0 }, kind: 'extra', columns: [] },
      { table: 'purges', key: { project_id: 999_999 }, kind: 'extra', columns: [] },
    ])
    t.match(await run([...args, '--verify']), { code: 1, stdout: /different +events .*: elements_chain\n/ })
    await client.query(`
      update events set elements_chain = '' where uuid = '${uuid(5)}';
      update plugin_configs set enabled = not enabled;
      delete from purges`)
    await client.query('insert into purges values ($1, $2)', [purge.project_id, purge.queued_at])
    t.match(await run([...args, '--verify']), { code: 0, stdout: /^All \d+ rows of \d+ tables are identical/ })
  })

  await t.test('continues a paged read after its last event', async (t) => {
    const db = await openDatabase(to, { mode: 'read' })
    t.ok((await horizon(db)) > FAR, 'new positions are larger than all copied ones')
    await db.close()
    const moved = await openSource(to, false)
    t.teardown(() => moved.close())
    const rest = defined(await moved.page(everything, page.cursor, 10_000))
    const linesOf = (text: Buffer): string[] => String(text).trimEnd().split('\n')
    t.same(
      [...linesOf(page.text), ...linesOf(rest.text)].map((line) => JSON.parse(line).uuid),
      uuids(),
    )
  })

  await t.test('a server on the target sends the same responses, and exports resume', async (t) => {
    // Set the clock back: no window may have ended during the copy.
    site.advance(Date.parse(stopped) - Date.parse(site.now()))
    await site.start({ DATABASE_URL: to })
    const after = await listed()
    for (const [i, response] of before.entries()) t.equal(after[i], response)

    await send(site, 50)
    const unpaused_after = sent
    await site.request('POST', `${exportsOf(site)}/${paused.id}/unpause/`)
    await waitForHorizon(to)
    site.advance(WINDOW_MS)
    await settle(site, id)
    await send(site, 50)
    await waitForHorizon(to)
    site.advance(WINDOW_MS)
    await settle(site, id)
    t.same(delivered(site, id).sort(), uuids(), 'each event is delivered once')
    await settle(site, paused.id)
    t.same(
      delivered(site, paused.id).sort(),
      uuids().filter((_, i) => i < paused_after || i >= unpaused_after),
      'a pause continues after the copy',
    )
    const { rows } = await client.query('select max(id) as last from projects')
    const created = await site.request('POST', '/api/projects/', { name: 'New', organization: organization_id })
    t.equal(created.id, Number(rows[0].last) + 2, 'the id of a deleted project is not reused')
    const numbers = await client.query('select max(number) as last from integration_numbers')
    const integration = await addIntegration(site, organization_id)
    t.equal(integration.number, Number(numbers.rows[0].last) + 2, 'the number of a deleted integration is not reused')
  })
})

/** Waits until no open transaction of the cluster can add an earlier event. */
async function waitForHorizon(url: string): Promise<void> {
  const db = await openDatabase(url)
  const { last } = await rowOf<{ last: number }>(db, sql`select max(position) as last from events`)
  await until(async () => (await horizon(db)) > last)
  await db.close()
}

t.test('rejects invalid sources and targets with a remedy', async (t) => {
  const { url, client } = await emptyTarget(t)
  const folder = t.testdir()
  const from = ['copy', '--from', `sqlite:${folder}`]
  t.match(await run([...from, '--to', url]), { code: 5, stderr: /There is no workspace at .*--from/ })
  await run(['migrate', '--database', `sqlite:${folder}`])
  t.match(await run(from), { code: 2, stderr: /--to postgres/ })
  t.match(await run([...from, '--to', `sqlite:${folder}`]), { code: 2, stderr: /workspace-admin backup/ })
  t.match(await run(['copy', '--from', url, '--to', url]), { code: 2, stderr: /pg_dump/ })
  t.match(await run([...from, '--to', url, '--verify']), { code: 5, stderr: /Copy without --verify first/ })
  t.equal((await client.query('select 1 from pg_tables where schemaname = current_schema()')).rowCount, 0)

  await run(['migrate', '--database', url])
  await run(['users', 'create', '--email', 'somebody@example.com', '--database', url])
  t.match(await run([...from, '--to', url]), { code: 6, stderr: /createdb/ }, 'the target has users')
  t.equal((await client.query('select email from users')).rowCount, 1)
  await client.query('delete from event_migrations where version > 1')
  t.match(await run([...from, '--to', url]), { code: 1, stderr: /schema version 1; this program needs 8/ })
  change(`sqlite:${folder}`, ADMINISTRATION.file, 'delete from migrations where version > 1')
  t.match(await run([...from, '--to', url]), { code: 1, stderr: /schema version 1.*workspace-admin migrate/ })
})

t.test('compares distributed tables project by project, with statements that a cluster can route', async (t) => {
  const source = (await openApp(t, 'sqlite')).deps
  const { url, drop } = await migratedDatabase()
  const texts: string[] = []
  const db = await openDatabase(url, { observe: (_, text) => texts.push(text) })
  t.teardown(async () => {
    await db.close()
    await drop()
  })
  for (const project_id of [1, 2]) await insertEvents(source.events, project_id, [{}, {}, {}])
  const ends = { administration: source.db, events: source.events, target: db }
  const tables = (await copies.routes(ends, MOVED_COLUMNS)).filter(isDistributed)
  for (const table of tables) await copies.fill(db, table, () => undefined)
  await insertEvents(db, 3, [{}])
  await db.run(
    sql`delete from events where project_id = 1 and uuid = (select max(uuid) from events where project_id = 1)`,
  )
  texts.length = 0
  // A transaction could force a generic plan.
  const target = { ...db, tx: () => Promise.reject(new Error('No transaction is needed.')) }
  const found: string[] = []
  let compared = 0
  for (const table of tables)
    for await (const { key, kind } of copies.compare(target, table, (rows) => (compared += rows)))
      if (table.name === 'events') found.push(`${kind} ${key.project_id}`)
  t.same(found, ['missing 1', 'extra 3'])
  t.ok(compared >= 6)
  const ranges = texts.filter((text) => /order by/.test(text))
  t.ok(ranges.length)
  for (const text of ranges) t.match(text, /project_id = \$1/)
})

t.test('migrate --print-distribution distributes the tables by project', async (t) => {
  const { url, client } = await emptyTarget(t)
  t.match(await run(['migrate', '--print-distribution', '--database', url]), { code: 1, stderr: /migrate` first/ })
  t.match(await run(['migrate', '--print-distribution']), { code: 2, stderr: /postgres:/ })
  await run(['migrate', '--database', url])
  const { code, stdout } = await run(['migrate', '--print-distribution', '--database', url])
  t.equal(code, 0)
  const { rows } = await client.query('select tablename from pg_tables where schemaname = current_schema()')
  for (const { tablename } of rows)
    t.equal(
      stdout.split('\n').filter((line) => new RegExp(`(distributed_table\\('|^-- +)${tablename}('|$)`).test(line))
        .length,
      1,
      `${tablename} is listed once`,
    )
  const distributed = [...stdout.matchAll(/create_distributed_table\('(\w+)', 'project_id'/g)].map(
    ([, name = '']) => name,
  )
  t.same(distributed.sort(), [
    'event_counts',
    'event_deletions',
    'event_sessions',
    'events',
    'mirror_deletions',
    'mirror_segments',
    'mirrors',
    'person_changes',
    'person_distinct_ids',
    'persons',
    'session_changes',
  ])

  const emptied = [...stdout.matchAll(/truncate_local_data_after_distributing_table\('(\w+)'\)/g)].map(
    ([, name = '']) => name,
  )
  t.same(emptied.sort(), distributed)

  // The requirements of Citus, checked in the catalog.
  const { rows: narrow } = await client.query(
    `select indexrelid::regclass::text from pg_index i where indisunique and indrelid = any ($1::regclass[])
      and not (select attnum from pg_attribute where attrelid = indrelid and attname = 'project_id') = any (indkey::int2[])`,
    [distributed],
  )
  t.same(narrow, [], 'every unique index contains the distribution column')
  const { rows: bound } = await client.query(
    `select conname from pg_constraint where contype = 'f' and (conrelid = any ($1::regclass[]) or confrelid = any ($1::regclass[]))`,
    [distributed],
  )
  t.same(bound, [], 'no foreign key starts or ends at a distributed table')
  const { rows: nullable } = await client.query(
    `select attrelid::regclass::text from pg_attribute where attrelid = any ($1::regclass[]) and attname = 'project_id' and not attnotnull`,
    [distributed],
  )
  t.same(nullable, [])

  await client.query(`
    create unique index conflicting_index on persons (first_distinct_id);
    create table visits (project_id bigint, id text, person_id text, primary key (project_id, id),
      foreign key (project_id, person_id) references persons (project_id, id))`)
  const tables = await tablesOf(url)
  t.ok(isDistributed(defined(tables.find(({ name }) => name === 'visits'))))
  t.same(obstacles(tables), [
    'A unique index of persons is over first_distinct_id, without project_id.',
    'A foreign key of visits points to persons.',
  ])
  t.throws(() => distributionScript(tables), { message: /cannot be distributed/ })
})

/** Metrics: names, values, bounded labels, and the dashboard and alerts that use them. */
import { readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { metricsPage } from '../../scripts/metrics-page.ts'
import type { Engine } from '../../src/sql/template.ts'
import { dueExports, exportsBehind, openRuns } from '../../src/store/gauges.ts'
import { recordBackup } from '../../src/store/installation.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { ENGINES, nextEngines, openApp, type TestApp } from '../helpers/app.ts'
import { textAt } from '../helpers/assertions/items.ts'
import { parseScrape, usageOf } from '../helpers/assertions/promql.ts'
import { freshFolder } from '../helpers/folders.ts'
import type { Json } from '../helpers/json.ts'
import { openMailbox } from '../helpers/peers/mailbox.ts'
import { passHorizon } from '../helpers/seeds/exports.ts'

const HOUR_MS = 3_600_000

t.test('docs/metrics.md lists every metric (run `tsx scripts/metrics-page.ts` after a change)', async (t) => {
  t.equal(readFileSync('docs/metrics.md', 'utf8'), await metricsPage())
})

t.test('names follow the conventions of Prometheus', async (t) => {
  for (const { name, type, help, labels } of await createMetrics().describe()) {
    t.match(name, /^(workspace|process|nodejs)_[a-z][a-z0-9_]*[a-z]$/, name)
    t.equal(type === 'counter', name.endsWith('_total'), `${name} is a ${type}`)
    if (type === 'histogram') t.match(name, /_(seconds|bytes)$/)
    t.notMatch(name, /_(ms|milliseconds|kb|mb|minutes|hours|count)(_|$)/, `${name} has a base unit`)
    t.match(help, /^[A-Z].*\.$/, `${name} has a help text`)
    for (const label of labels) t.match(label, /^[a-z][a-z_]*$/)
    t.notOk(labels.includes('le') || labels.includes('instance'), `${name} has no reserved label`)
  }
})

const scrape = async (app: TestApp): Promise<string> => (await app.send('GET', '/metrics', { key: null })).text

/** A server that has done some of everything. */
async function openBusyApp(t: Test, engine: Engine): Promise<TestApp> {
  const mailbox = await openMailbox(t)
  const log = new PassThrough()
  const lines: string[] = []
  const logged = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!lines.some((line) => line.includes(text))) return
        log.off('data', look)
        resolve()
      }
      log.on('data', look)
      look()
    })
  log.on('data', (chunk) => lines.push(String(chunk)))
  const app = await openApp(t, engine, {
    environment: {
      SMTP_URL: mailbox.url,
      SITE_URL: 'https://site.example',
      RATE_LIMITS: 'true',
      ...(engine === 'sqlite' && { BACKUP_EVERY: '1d', BACKUP_TO: freshFolder(t) }),
    },
    log,
    sessions: true,
  })
  const { deps, first, send } = app
  const capture = (batch: unknown[]) =>
    send('POST', '/batch/', { key: null, body: { api_key: first.project_token, batch } })
  const seen = { event: 'seen', distinct_id: 'a', uuid: '018f0000-0000-7000-8000-000000000001' }
  const long = { event: 'long', distinct_id: 'a', properties: { long: 'x'.repeat(1024 * 1024) } }
  t.match(await capture([seen, { ...seen, uuid: undefined }, long]), { status: 200, body: { refused: [{ index: 2 }] } })
  t.match(await capture([seen]), { status: 200 })
  t.match(await send('POST', '/batch/', { key: null, body: { api_key: 'phc_wrong', batch: [seen] } }), { status: 401 })
  for (let i = 0; i <= 60; i++) await send('GET', '/api/organizations/@current/', { key: 'phx_wrong' })

  const arriving = mailbox.next()
  await send('POST', '/api/organizations/@current/invites/', { body: { target_email: 'grace@example.com' } })
  await arriving
  await logged('email sent')

  await passHorizon(app)
  const destination = { type: 'NoOp', config: {} }
  const body = { name: 'Hourly', interval: 'hour', destination }
  t.equal((await app.call('project_batch_exports.create', { body })).status, 201)
  app.advance(2 * HOUR_MS)
  await deps.exporter.drain()
  const late = { ...body, destination: { type: 'File', config: { prefix: 'a' } } }
  const { body: made } = await app.call('project_batch_exports.create', { body: late })
  const range = { start_at: '2026-01-01T00:00:00Z', end_at: '2026-01-01T01:00:00Z' }
  t.match(await app.call('project_batch_exports.backfill', { params: { id: made.id }, body: range }), { status: 200 })
  app.advance(3 * HOUR_MS)

  if (engine === 'sqlite') {
    deps.backups?.start()
    await logged('backup stored')
  } else await recordBackup(deps.db, deps.now())
  return app
}

const scrapes = new Map<string, Set<string>>()

// The engines have different metrics.
for (const engine of ENGINES)
  t.test(`reports requests, events, exports, mail, throttling, sessions and backups (${engine})`, async (t) => {
    const app = await openBusyApp(t, engine)
    const text = await scrape(app)
    const value = (series: string): number => {
      const line = text.split('\n').find((found) => found.startsWith(`${series} `))
      return line === undefined ? Number.NaN : Number(line.slice(series.length + 1))
    }
    t.equal(value('workspace_events_ingested_total'), 2)
    t.equal(value('workspace_events_duplicate_total'), 1)
    t.equal(value('workspace_events_refused_total{code="event_too_large"}'), 1)
    t.equal(value('workspace_capture_requests_refused_total{code="authentication_failed"}'), 1)
    t.ok(value('workspace_throttled_requests_total{limit="address"}') >= 1)
    t.equal(value('workspace_throttled_requests_total{limit="user"}'), 0, 'a series exists before its first event')
    t.equal(value('workspace_mails_total{kind="invite",result="sent"}'), 1)
    t.ok(value('workspace_export_runs_total{destination="NoOp",status="Completed"}') >= 1)
    t.ok(value('workspace_export_rows_total{destination="NoOp"}') >= 2)
    t.ok(value('workspace_export_bytes_total{destination="NoOp"}') >= 0)
    t.ok(value('workspace_export_run_duration_seconds_count{destination="NoOp"}') >= 1)
    t.ok(value('workspace_export_lag_seconds{destination="File"}') > HOUR_MS / 1000, 'the File export is late')
    t.ok(value('workspace_exports_behind{destination="File"}') >= 1)
    t.ok(value('workspace_sessions') >= 1)
    t.equal(value('workspace_database_up'), 1)
    t.equal(value('workspace_mail_queue_length'), 0)
    t.ok(value('workspace_backup_last_success_timestamp_seconds') > 0)
    t.equal(value('workspace_backup_failing'), 0)
    t.ok(value(`workspace_database_size_bytes{database="${engine === 'sqlite' ? 'events' : 'all'}"}`) > 0)
    t.ok(value('workspace_disk_free_bytes{folder="temporary"}') > 0)
    t.match(text, /workspace_build_info\{version="[\d.]+",schema_version="\d+",.*role="all",engine="\w+"\} 1/)
    if (engine === 'postgres') {
      t.ok(value('workspace_database_connections{state="used"}') >= 0)
      t.equal(value('workspace_database_connections_max'), 10)
    } else {
      t.equal(value('workspace_backups_total{result="succeeded"}'), 1)
      t.ok(value('workspace_backup_last_size_bytes') > 0)
    }
    for (const [name, labels] of parseScrape(text))
      scrapes.set(name, new Set([...(scrapes.get(name) ?? []), ...labels]))
  })

t.test('reports a database that does not answer', async (t) => {
  const app = await openApp(t, 'sqlite')
  // Any statement that fails stands for a database that does not answer.
  await app.deps.db.exec('alter table letters rename to lost_letters')
  app.deps.metrics.addGauges(() => Promise.reject(new Error('a reader that fails does not fail the scrape')))
  const text = await scrape(app)
  t.match(text, /^workspace_database_up 0$/m)
  t.notMatch(text, /^workspace_mail_queue_length \d/m, 'unknown values are left out')
  t.match(text, /^workspace_build_info\{/m)
  await app.deps.db.exec('alter table lost_letters rename to letters')
  t.match(await scrape(app), /^workspace_database_up 1$/m, 'a failure is not cached')
})

for (const engine of nextEngines())
  t.test(`has one series per destination type for 12,000 exports (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    const { db } = app.deps
    const body = { name: 'x', interval: 'hour', destination: { type: 'NoOp', config: {} } }
    await app.call('project_batch_exports.create', { body })
    app.advance(3 * HOUR_MS)
    const columns = `project_id, name, destination_type, destination_config, interval, paused, created_at, last_updated_at, resumed_at, watermark, window_start, next_at`
    const numbers =
      engine === 'sqlite'
        ? '(with recursive n (i) as (select 1 union all select i + 1 from n where i < 12000) select i from n) n'
        : 'generate_series(1, 12000) n (i)'
    await db.exec(
      `insert into batch_exports (id, ${columns}) select 'copy-' || cast(i as text), ${columns} from batch_exports, ${numbers}`,
    )
    await db.exec(
      `insert into batch_export_runs (id, batch_export_id, project_id, kind, status, data_interval_start, data_interval_end, attempts, next_attempt_at, created_at, last_updated_at)
       select 'run-' || id, id, project_id, 'scheduled', 'Starting', window_start, next_at, 0, next_at, next_at, next_at from batch_exports where id like 'copy-%'`,
    )
    const now = app.deps.now()
    const runs = await openRuns(db)
    t.strictSame(
      runs.map(({ destination, status, count }) => [destination, status, count]),
      [['NoOp', 'Starting', 10_000]],
      'counts stop at the limit',
    )
    t.strictSame(
      (await dueExports(db, now)).map(({ destination }) => destination),
      ['NoOp'],
    )
    t.strictSame(await exportsBehind(db, now), [{ destination: 'NoOp', count: 10_000 }])
    const series = (await scrape(app)).split('\n').filter((line) => /^workspace_exports?_(runs|lag|behind)/.test(line))
    t.strictSame(series.map((line) => line.replace(/\}.*/, '}')).toSorted(), [
      'workspace_export_lag_seconds{destination="NoOp"}',
      'workspace_export_runs{destination="NoOp",state="waiting"}',
      'workspace_exports_behind{destination="NoOp"}',
    ])

    const rest = `'copy-1', 'copy-2'`
    await db.exec(`delete from batch_export_runs where batch_export_id not in (${rest})`)
    await db.exec(`delete from batch_exports where id not in (${rest})`)
    await db.exec(`update batch_exports set paused = true where id = 'copy-2'`)
    t.strictSame(
      await exportsBehind(db, now),
      [{ destination: 'NoOp', count: 2 }],
      'an export with a late run and a late window counts once',
    )
  })

/** Added by Prometheus. */
const TARGET_LABELS = ['job', 'instance']

/** The names in an expression and in the texts around it that no scrape contains. */
function unknownNames(expression: string, texts: readonly string[] = []): string[] {
  const { metrics, grouping } = usageOf(expression)
  const unknown: string[] = []
  const available = new Set(TARGET_LABELS)
  for (const { name, labels } of metrics) {
    const known = name === 'up' ? new Set<string>() : scrapes.get(name)
    if (!known) unknown.push(name)
    for (const label of known ?? []) available.add(label)
    for (const label of labels)
      if (!known?.has(label) && !TARGET_LABELS.includes(label)) unknown.push(`${name}{${label}}`)
  }
  if (metrics.length === 0) unknown.push('no metric')
  for (const label of grouping) if (!available.has(label)) unknown.push(label)
  for (const text of texts)
    for (const [, label = ''] of text.matchAll(/(?:\$labels\.|\{\{\s*)(?!\s|\$)(\w+)/g))
      if (!available.has(label)) unknown.push(`{{${label}}}`)
  return unknown
}

t.test('the check of expressions finds unknown metrics and labels', async (t) => {
  t.same(unknownNames('sum by (status) (rate(workspace_http_requests_total{operation="x"}[5m])) > 0.5'), [])
  t.same(unknownNames('workspace_nothing_total > 1'), ['workspace_nothing_total'])
  t.same(unknownNames('workspace_database_up{engine="sqlite"}'), ['workspace_database_up{engine}'])
  t.same(unknownNames('sum by (project) (workspace_sessions)'), ['project'])
  t.same(unknownNames('workspace_sessions', ['{{ $labels.user }} and {{instance}}']), ['{{user}}'])
  t.same(unknownNames('1 > 0'), ['no metric'])
})

t.test('the dashboard uses only metrics and labels that exist', async (t) => {
  const dashboard = JSON.parse(readFileSync('deploy/grafana-dashboard.json', 'utf8'))
  let expressions = 0
  for (const { title, targets = [] } of dashboard.panels)
    for (const { expr, legendFormat } of targets) {
      t.same(unknownNames(expr, [legendFormat]), [], title)
      expressions++
    }
  t.ok(expressions > 40)
  for (const { query } of dashboard.templating.list.slice(1))
    t.same(unknownNames(textAt(/label_values\((.*), \w+\)/, query)), [])
  const shown = JSON.stringify(dashboard)
  const own = [...scrapes.keys()].filter((name) => name.startsWith('workspace_'))
  for (const name of own) t.match(shown, name.replace(/_(bucket|sum|count)$/, ''), `${name} is on the dashboard`)
})

t.test('alerts use only metrics and labels that exist', async (t) => {
  const { groups } = parse(readFileSync('deploy/alerts.yml', 'utf8'))
  const rules = groups.flatMap(({ rules }: Json) => rules)
  t.ok(rules.length > 15)
  for (const { alert, expr, labels, annotations } of rules) {
    t.same(unknownNames(expr, Object.values(annotations)), [], alert)
    t.match(labels.severity, /^(info|warning|critical)$/)
    t.match(annotations, { summary: /\.$/, description: /\.$/ })
  }
})

import t from 'tap'
import packageJson from '../../package.json' with { type: 'json' }
import { enqueue } from '../../src/mail/outbox.ts'
import { SCHEMA_VERSION } from '../../src/sql/migrate.ts'
import { recordBackup } from '../../src/store/installation.ts'
import { nextEngines, openApp } from '../helpers/app.ts'

const HOUR_MS = 3_600_000

for (const engine of nextEngines())
  t.test(`reports the queues and the last backup to owners of the first organization on ${engine}`, async (t) => {
    const { call, deps, advance } = await openApp(t, engine)
    const first = await call('instance.status')
    t.match(first, {
      status: 200,
      body: {
        version: packageJson.version,
        role: 'all',
        database_engine: engine,
        schema_version: SCHEMA_VERSION,
        runs_waiting: 0,
        runs_running: 0,
        purges_waiting: 0,
        mails_waiting: 0,
        email_service_available: false,
        export_lag_seconds: null,
        last_backup_at: null,
      },
    })

    const body = { name: 'Hourly', interval: 'hour', destination: { type: 'File', config: { prefix: 'a' } } }
    const { body: made } = await call('project_batch_exports.create', { body })
    t.equal((await call('instance.status')).body.export_lag_seconds, null, 'no window is due yet')
    advance(3 * HOUR_MS)
    const { export_lag_seconds, uptime_seconds } = (await call('instance.status')).body
    const lag = Number(export_lag_seconds)
    t.ok(lag >= 2 * 3600 - 1 && lag < 3 * 3600, 'the oldest window ended two hours ago')
    t.ok(uptime_seconds >= first.body.uptime_seconds + 3 * 3600)
    await call('project_batch_exports.pause', { params: { id: made.id } })
    t.equal((await call('instance.status')).body.export_lag_seconds, null, 'a paused export is not late')

    await call('project_batch_exports.backfill', {
      params: { id: made.id },
      body: { start_at: '2026-01-01T00:00:00Z', end_at: '2026-01-01T02:00:00Z' },
    })
    const now = deps.now()
    const content = { name: 'Ada', email: 'ada@example.com', organization: 'Hedgerow' }
    await enqueue(deps.db, { id: 'mail', kind: 'member_joined', recipient: 'ada@example.com', content, now })
    await recordBackup(deps.db, now)
    const { body: busy } = await call('instance.status')
    t.match(busy, { mails_waiting: 1, last_backup_at: now, export_lag_seconds: null })
    t.ok(busy.runs_waiting + busy.runs_running >= 1, 'runs of backfills are in the queue but not late')
  })

for (const engine of nextEngines())
  t.test(`hides the status from everyone else on ${engine}`, async (t) => {
    const { call, send, member, stranger, key, first } = await openApp(t, engine)
    const refused = { status: 403, body: { code: 'permission_denied' } }
    const administrator = await member('admin@example.com', 8)
    t.match(await call('instance.status', { key: administrator.key }), refused)
    const { key: outsider, organization_id } = await stranger('other@example.com')
    t.match(await call('instance.status', { key: outsider }), refused, 'an owner of another organization')
    const elsewhere = await key({ restrictions: { organizations: [organization_id], projects: null } })
    t.match(await call('instance.status', { key: elsewhere }), refused, 'a key that does not reach the organization')
    t.match(await call('instance.status', { key: await key({ scopes: ['batch_export:read'] }) }), refused)
    t.match(await call('instance.status', { key: null }), { status: 401 })
    const owner = await member('second@example.com', 15)
    t.match(await call('instance.status', { key: owner.key }), { status: 200 })

    await send('DELETE', `/api/organizations/${first.organization_id}/`)
    t.match(await call('instance.status'), refused, 'after the first organization is deleted')
  })

/**
 * A year on one server with a controllable clock: traffic, exports, a plugin with schedules, a mail server that never
 * responds, and downtimes. After every step the exports are complete and the server is as small as before.
 */
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Database } from '../../src/sql/db.ts'
import { openDatabase } from '../../src/sql/open.ts'
import { sql } from '../../src/sql/template.ts'
import { bySize, figure } from '../helpers/assertions/figures.ts'
import { itemAt, textAt } from '../helpers/assertions/items.ts'
import { openReceiver } from '../helpers/peers/receiver.ts'
import { openSite, type Site, until } from '../helpers/programs/site.ts'
import { base } from '../helpers/seeds/deliveries.ts'

t.setTimeout(bySize({ full: 5, prove: 240 }) * 60_000)

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Exports by interval, and those whose destination is down. */
const EXPORTS = bySize({
  quick: { 'every 5 minutes': 1, hour: 1, day: 1, unreachable: 1 },
  full: { 'every 5 minutes': 2, hour: 4, day: 4, unreachable: 2 },
  prove: { 'every 5 minutes': 10, hour: 90, day: 400, unreachable: 20 },
})

/** Each step: how long the server runs and how long it is down before. */
const DOWNTIMES = [0, HOUR_MS, DAY_MS, 7 * DAY_MS]
const STEPS = Array.from({ length: bySize({ quick: 2, full: 4, prove: 160 }) }, (_, i) => DOWNTIMES[i % 4]!)

const EVENTS_PER_STEP = 20
/** Digests about lag, failures, pauses and recoveries of one step. */
const MAX_MESSAGES = 4
const MAX_RSS_BYTES = 600 * 1024 ** 2
const MAX_LOG_BYTES = 64 * 1024 ** 2
const MAX_DESCRIPTORS = 200

const PLUGIN = `
  export async function onEvent(event, { cache }) { await cache.incr('events') }
  export async function runEveryHour({ storage }) { await storage.set('ran', 1) }`

/** Accepts connections and never responds. */
async function openSilentServer(t: Test): Promise<number> {
  const sockets = new Set<{ destroy(): void }>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function createExports(site: Site): Promise<void> {
  for (const [interval, count] of Object.entries(EXPORTS))
    for (let i = 0; i < count; i++)
      await site.request('POST', `${base(site)}/`, {
        name: `${interval} ${i}`,
        ...(interval === 'unreachable'
          ? {
              interval: 'hour',
              destination: { type: 'HTTP', config: { url: 'http://127.0.0.1:9/', token: 'phc_x' } },
            }
          : { interval, destination: { type: 'NoOp', config: {} } }),
      })
}

/** Ends the server with SIGTERM. Its exit code is 1 when the shutdown takes too long. */
async function stop(site: Site): Promise<number> {
  const server = site.servers.pop()!
  const exited = once(server.child, 'exit')
  server.child.kill('SIGTERM')
  return (await exited)[0]
}

async function sizesOf({ servers, database_url }: Site) {
  const { pid } = itemAt(servers, 0).child
  const folder = database_url.replace('sqlite:', '')
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const logs = readdirSync(folder).filter((name) => name.endsWith('-wal'))
  return {
    rss: Number(textAt(/VmRSS:\s+(\d+)/, status)) * 1024,
    log: Math.max(0, ...logs.map((name) => statSync(join(folder, name)).size)),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  }
}

/** Records that the reachable exports have delivered, their windows that are not planned, and their runs that are not done. */
async function progressOf(db: Database, now: string): Promise<{ records: number; due: number; open: number }> {
  const row = await db.get<{ records: number; due: number; open: number }>(sql`
    select
      (select coalesce(sum(r.records_completed), 0) from batch_exports x join batch_export_runs r on r.batch_export_id = x.id
        where x.destination_type = 'NoOp') as records,
      (select count(*) from batch_exports where destination_type = 'NoOp' and next_at <= ${now}) as due,
      (select count(*) from batch_exports x join batch_export_runs r on r.batch_export_id = x.id
        where x.destination_type = 'NoOp' and r.finished_at is null) as open`)
  return { records: Number(row!.records), due: Number(row!.due), open: Number(row!.open) }
}

t.test('exports complete and the server stays small through traffic, outages and downtimes', async (t) => {
  const receiver = await openReceiver(t)
  const port = await openSilentServer(t)
  const site = await openSite(t, 'sqlite', {
    environment: { SMTP_URL: `smtp://127.0.0.1:${port}`, SITE_URL: 'http://site.example', RUN_RETENTION_DAYS: '400' },
  })
  const db = await openDatabase(site.database_url)
  t.teardown(() => db.close())
  await createExports(site)
  for (const channel of [
    { channel: 'email', emails: ['owner@example.com'] },
    { channel: 'webhook', url: receiver.url },
  ])
    await site.request('POST', '/api/organizations/@current/alerts/', {
      name: channel.channel,
      triggers: ['failure', 'recovery', 'pause', 'lag'],
      lag_minutes: 30,
      ...channel,
    })
  const plugin = await site.request('POST', '/api/organizations/@current/pipeline_destinations/', {
    source: { 'index.ts': PLUGIN, 'plugin.json': JSON.stringify({ name: 'Hourly', config: [] }) },
  })
  await site.request('POST', '/api/projects/@current/plugin_configs/', { plugin: plugin.id, enabled: true, config: {} })
  const reachable = EXPORTS['every 5 minutes'] + EXPORTS.hour + EXPORTS.day
  const simulated_from = Date.parse(site.now())
  let sent = 0
  for (const [step, downtime] of STEPS.entries()) {
    const batch = Array.from({ length: EVENTS_PER_STEP }, (_, i) => ({
      event: 'seen',
      distinct_id: `person ${i % 7}`,
      properties: { step, $session_id: `session ${step}` },
    }))
    await site.request('POST', '/batch/', { api_key: site.project_token, batch })
    sent += batch.length
    const [mails, hooks] = [await db.count(sql`from letters`), receiver.hooks.length]
    if (downtime > 0) {
      t.equal(await stop(site), 0, `stops in time in step ${step}`)
      site.advance(downtime)
      await site.start()
      // In the middle of catching up.
      t.equal(await stop(site), 0, `stops in time while it catches up in step ${step}`)
      await site.start()
    }
    site.advance(DAY_MS)
    const complete = async () => {
      const { records, due, open } = await progressOf(db, site.now())
      return due === 0 && open === 0 && records === sent * reachable
    }
    await until(complete)
    // The lag is checked every minute, and a digest follows five minutes after the last.
    site.advance(2 * 60_000)
    await until(complete)
    const sizes = await sizesOf(site)
    t.ok(sizes.rss < MAX_RSS_BYTES, `${sizes.rss} bytes of memory`)
    t.ok(sizes.log < MAX_LOG_BYTES, `${sizes.log} bytes in the log of a database`)
    t.ok(sizes.descriptors < MAX_DESCRIPTORS, `${sizes.descriptors} descriptors`)
    t.ok((await db.count(sql`from letters`)) - mails <= MAX_MESSAGES, 'few emails to each person')
    t.ok(receiver.hooks.length - hooks <= 4 * MAX_MESSAGES, 'few requests of each alert')
  }
  await site.request('POST', '/api/reset/', { email: 'owner@example.com' })
  const attempted = sql`from letters where kind = 'password_reset' and attempts > 0`
  await until(async () => (await db.count(attempted)) > 0)
  t.pass('a password reset does not wait for the notifications')
  t.equal(await stop(site), 0)
  const days = Math.round((Date.parse(site.now()) - simulated_from) / DAY_MS)
  const result = `${sent * reachable} records arrived once; every shutdown ended in time; ${receiver.hooks.length} requests of the alert`
  if (existsSync('/proc/self/fd')) figure(t, { area: 'A simulated year', count: days, of: 'days', result })
})

/** Windows in time zones: their boundaries, the rules for the fields, and the events in them. The test controls the clock. */
import fc from 'fast-check'
import t from 'tap'
import {
  boundaryAfter,
  boundaryBefore,
  type Cadence,
  countWindows,
  type Interval,
  inUtc,
  windowEnd,
} from '../../src/exports/interval.ts'
import { sql } from '../../src/sql/template.ts'
import { findTimeZone, instantOf, localTime } from '../../src/time/zones.ts'
import { onBothEngines, type TestApp } from '../helpers/app.ts'
import { ingest, plainEvents } from '../helpers/seeds/exports.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const daily = (timezone: string, offset_hour: number): Cadence => ({ ...inUtc('day'), timezone, offset_hour })
const weekly = (timezone: string, offset_day: number, offset_hour: number): Cadence => ({
  interval: 'week',
  timezone,
  offset_day,
  offset_hour,
})

/** The boundaries after a time, in UTC. */
const BOUNDARIES: [title: string, cadence: Cadence, after: string, boundaries: string[]][] = [
  ['UTC at 05:00', daily('UTC', 5), '2026-01-01T05:00', ['2026-01-02T05:00', '2026-01-03T05:00']],
  ['a zone east of UTC', daily('Asia/Tokyo', 0), '2026-01-01T00:00', ['2026-01-01T15:00', '2026-01-02T15:00']],
  ['a half hour', daily('Asia/Kolkata', 0), '2026-01-01T00:00', ['2026-01-01T18:30', '2026-01-02T18:30']],
  ['a quarter of an hour', daily('Asia/Kathmandu', 3), '2026-01-01T00:00', ['2026-01-01T21:15', '2026-01-02T21:15']],
  ['a half hour west', daily('Pacific/Marquesas', 0), '2026-01-01T00:00', ['2026-01-01T09:30', '2026-01-02T09:30']],
  [
    'the clocks of Berlin skip 02:00',
    daily('Europe/Berlin', 2),
    '2026-03-28T00:00',
    ['2026-03-28T01:00', '2026-03-29T01:00', '2026-03-30T00:00', '2026-03-31T00:00'],
  ],
  [
    'the clocks of Berlin show 02:00 twice',
    daily('Europe/Berlin', 2),
    '2026-10-24T12:00',
    ['2026-10-25T00:00', '2026-10-26T01:00', '2026-10-27T01:00'],
  ],
  [
    'a day of 23 and one of 25 hours',
    daily('America/New_York', 0),
    '2026-03-07T12:00',
    ['2026-03-08T05:00', '2026-03-09T04:00', '2026-03-10T04:00'],
  ],
  [
    'a half hour with a change in spring',
    daily('America/St_Johns', 0),
    '2026-03-07T12:00',
    ['2026-03-08T03:30', '2026-03-09T02:30'],
  ],
  [
    'a half hour with a change in autumn',
    daily('America/St_Johns', 1),
    '2026-10-31T12:00',
    ['2026-11-01T03:30', '2026-11-02T04:30'],
  ],
  [
    'the clocks of Lord Howe skip 02:00 to 02:30',
    daily('Australia/Lord_Howe', 2),
    '2026-10-02T20:00',
    ['2026-10-03T15:30', '2026-10-04T15:00', '2026-10-05T15:00'],
  ],
  [
    'the clocks of Lord Howe show 01:30 to 02:00 twice',
    daily('Australia/Lord_Howe', 2),
    '2026-04-03T20:00',
    ['2026-04-04T15:30', '2026-04-05T15:30'],
  ],
  [
    'the clocks of Cairo skip midnight',
    daily('Africa/Cairo', 0),
    '2026-04-23T00:00',
    ['2026-04-23T22:00', '2026-04-24T21:00'],
  ],
  [
    'the clocks of Havana show midnight twice',
    daily('America/Havana', 0),
    '2026-10-31T12:00',
    ['2026-11-01T04:00', '2026-11-02T05:00'],
  ],
  [
    'the calendar of Samoa skips a day',
    daily('Pacific/Apia', 0),
    '2011-12-29T00:00',
    ['2011-12-29T10:00', '2011-12-30T10:00', '2011-12-31T10:00'],
  ],
  [
    'weeks in UTC begin on Sunday at midnight',
    inUtc('week'),
    '2026-01-01T00:00',
    ['2026-01-04T00:00', '2026-01-11T00:00'],
  ],
  [
    'weeks begin on Monday in Berlin, across a change',
    weekly('Europe/Berlin', 1, 6),
    '2026-03-20T00:00',
    ['2026-03-23T05:00', '2026-03-30T04:00'],
  ],
  [
    'a skipped hour on Sunday',
    weekly('Europe/Berlin', 0, 2),
    '2026-03-23T00:00',
    ['2026-03-29T01:00', '2026-04-05T00:00'],
  ],
  [
    'hours are aligned to UTC in every zone',
    { ...inUtc('hour'), timezone: 'Asia/Kolkata' },
    '2026-01-01T00:10',
    ['2026-01-01T01:00', '2026-01-01T02:00'],
  ],
]

const full = (text: string): string => `${text}:00.000Z`

t.test('days and weeks begin at local hours', async (t) => {
  for (const [title, cadence, after, boundaries] of BOUNDARIES) {
    const found: string[] = []
    for (let moment = full(after); found.length < boundaries.length; found.push(moment))
      moment = boundaryAfter(cadence, moment)
    t.strictSame(found, boundaries.map(full), title)
    for (const boundary of found) t.equal(boundaryBefore(cadence, boundary), boundary, title)
  }
})

t.test('windows follow each other without gap or overlap', async () => {
  const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'), 'Asia/Kolkata', 'Asia/Kathmandu')
  const intervals = fc.constantFrom<Interval>('every 5 minutes', 'every 15 minutes', 'hour', 'day', 'week')
  const moments = fc.integer({ min: Date.parse('1970-02-01'), max: Date.parse('2100-01-01') })
  const cadences = fc.record({
    interval: intervals,
    timezone: zones,
    offset_day: fc.integer({ min: 0, max: 6 }),
    offset_hour: fc.integer({ min: 0, max: 23 }),
  })
  const share = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
  fc.assert(
    fc.property(cadences, moments, share, (cadence, milliseconds, inside) => {
      const moment = new Date(milliseconds).toISOString()
      const [before, after] = [boundaryBefore(cadence, moment), boundaryAfter(cadence, moment)]
      const [start, end] = [Date.parse(before), Date.parse(after)]
      const another = new Date(start + Math.floor((end - start) * inside)).toISOString()
      return (
        before <= moment &&
        moment < after &&
        boundaryBefore(cadence, another) === before &&
        boundaryAfter(cadence, another) === after &&
        boundaryBefore(cadence, after) === after &&
        boundaryAfter(cadence, after) > after &&
        countWindows(cadence, before, after) === 1
      )
    }),
    { numRuns: 1_000 },
  )
  // A boundary has the local hour, unless the clocks skip it.
  fc.assert(
    fc.property(cadences, moments, (cadence, milliseconds) => {
      if (cadence.interval !== 'day' && cadence.interval !== 'week') return
      const boundary = Date.parse(boundaryAfter(cadence, new Date(milliseconds).toISOString()))
      const local = new Date(localTime(cadence.timezone, boundary))
      const isSkipped = localTime(cadence.timezone, boundary - 1) + 1 < local.getTime()
      return (
        isSkipped ||
        (local.getUTCHours() === cadence.offset_hour &&
          local.getTime() % HOUR_MS === 0 &&
          (cadence.interval === 'day' || local.getUTCDay() === cadence.offset_day) &&
          instantOf(cadence.timezone, local.getTime()) === boundary)
      )
    }),
    { numRuns: 500 },
  )
})

t.test('windows of a backfill keep the local time of its start', async (t) => {
  const berlin = { interval: 'day', timezone: 'Europe/Berlin' } as const
  const start = '2026-03-27T23:00:00.000Z'
  const ends: string[] = []
  for (let moment = start; ends.length < 3; ends.push(moment)) moment = windowEnd(berlin, start, moment)
  t.strictSame(ends, ['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z', '2026-03-30T22:00:00.000Z'])
  t.equal(countWindows(berlin, start, '2026-03-30T22:00:00.000Z'), 3)
  t.equal(countWindows(berlin, start, '2026-03-30T22:00:00.001Z'), 4)
  t.equal(countWindows(berlin, start, start), 0)
  const skipped = '2026-03-28T01:30:00.000Z'
  t.equal(windowEnd(berlin, skipped, skipped), '2026-03-29T01:00:00.000Z', 'a skipped start time')
  t.equal(windowEnd(berlin, skipped, '2026-03-29T01:00:00.000Z'), '2026-03-30T00:30:00.000Z', 'the time returns')
  t.equal(countWindows({ ...berlin, interval: 'hour' }, start, '2026-03-28T00:30:00.000Z'), 2)
})

t.test('accepts the names of IANA time zones only', async (t) => {
  const names = ['Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Asia/Kolkata', 'Etc/GMT+5', 'EST', 'GB', 'Etc/UTC']
  for (const name of names) t.equal(findTimeZone(name), name)
  t.equal(findTimeZone('europe/berlin'), 'Europe/Berlin')
  t.equal(findTimeZone('utc'), 'UTC')
  for (const name of [
    '',
    'Mars',
    'IST',
    'pst',
    '+01:00',
    'Z',
    'UTC+1',
    ' UTC',
    'SystemV/EST5',
    '../etc',
    'x'.repeat(64),
  ])
    t.equal(findTimeZone(name), undefined, name)
})

const baseOf = (app: TestApp) => `/api/projects/${app.first.project_id}/batch_exports` as const
const newExport = (more: object) => ({ name: 'x', destination: { type: 'NoOp', config: {} }, interval: 'day', ...more })

const setClock = (app: TestApp, time: string): void => app.advance(Date.parse(time) - Date.parse(app.deps.now()))

onBothEngines(t, 'validates the time zone and the offsets', async (t, app) => {
  const base = baseOf(app)
  const created = await app.send('POST', `${base}/`, {
    body: newExport({ interval: 'week', timezone: 'europe/berlin', offset_day: 1, offset_hour: 6 }),
  })
  const set = { timezone: 'Europe/Berlin', offset_day: 1, offset_hour: 6 }
  t.match(created, { status: 201, body: { ...set, next_run_at: '2026-01-05T05:00:00.000Z' } })
  const one = `${base}/${created.body.id}/` as const
  const none = { timezone: 'UTC', offset_day: 0, offset_hour: 0 }
  t.match((await app.send('POST', `${base}/`, { body: newExport({ interval: 'week' }) })).body, {
    ...none,
    next_run_at: '2026-01-04T00:00:00.000Z',
  })
  const nulls = { timezone: null, offset_day: null, offset_hour: null }
  t.match((await app.send('POST', `${base}/`, { body: newExport({ interval: 'hour', ...nulls }) })).body, none)
  for (const [body, attr, code] of [
    [{ timezone: 'Mars' }, 'timezone', 'invalid_choice'],
    [{ timezone: 'IST' }, 'timezone', 'invalid_choice'],
    [{ timezone: '+01:00' }, 'timezone', 'invalid_choice'],
    [{ timezone: '' }, 'timezone', 'invalid_choice'],
    [{ timezone: 'x'.repeat(65) }, 'timezone'],
    [{ timezone: 5 }, 'timezone'],
    [{ offset_day: 7 }, 'offset_day'],
    [{ offset_day: -1 }, 'offset_day'],
    [{ offset_hour: 24 }, 'offset_hour'],
    [{ offset_hour: 0.5 }, 'offset_hour'],
    [{ offset_hour: '5' }, 'offset_hour'],
    [{ interval: 'day', offset_day: 2 }, 'offset_day', 'invalid_input'],
    [{ interval: 'hour', offset_hour: 2 }, 'offset_hour', 'invalid_input'],
    [{ interval: 'every 5 minutes', offset_hour: 2 }, 'offset_hour', 'invalid_input'],
    [{ interval: null }, 'interval'],
  ] as const) {
    const rejected = { status: 400, body: { type: 'validation_error', attr, ...(code && { code }) } }
    t.match(await app.send('PATCH', one, { body }), rejected, JSON.stringify(body))
    t.match(await app.send('POST', `${base}/`, { body: newExport({ interval: 'week', ...body }) }), rejected)
  }
  t.same((await app.send('GET', one)).body, created.body, 'nothing changed')

  const patch = async (body: object) => (await app.send('PATCH', one, { body })).body
  t.match(await patch({ ...set }), { last_updated_at: created.body.last_updated_at }, 'the same values change nothing')
  t.match(await patch({ interval: 'day' }), { ...set, offset_day: 0, next_run_at: '2026-01-01T05:00:00.000Z' })
  t.match(await patch({ offset_hour: 7 }), { ...set, offset_day: 0, offset_hour: 7 })
  t.match(
    await patch({ interval: 'hour' }),
    { ...none, timezone: 'Europe/Berlin' },
    'offsets are reset, the zone stays',
  )
  t.match(await patch({ interval: 'day' }), { ...none, timezone: 'Europe/Berlin' })
  t.match(await patch({ interval: 'week', offset_day: 3, offset_hour: 4 }), { offset_day: 3, offset_hour: 4 })
  t.match(await patch(nulls), { ...none, interval: 'week' }, 'null is the default')
  const { body: log } = await app.send('GET', `/api/organizations/${app.first.organization_id}/activity_log/?limit=1`)
  t.match(
    log.results[0]?.changes.find(({ field }) => field === 'offset_day'),
    { before: 3, after: 0 },
    'the activity log has the change',
  )
})

onBothEngines(t, 'delivers each event once across changes of the clocks, the zone and the offsets', async (t, app) => {
  const base = baseOf(app)
  setClock(app, '2026-03-27T12:00:00Z')
  const body = newExport({ timezone: 'Europe/Berlin', offset_hour: 2 })
  const { id } = (await app.send('POST', `${base}/`, { body })).body
  let sent = 0
  const changes: Record<number, object> = {
    24: { timezone: 'Asia/Kolkata' },
    30: { timezone: 'America/St_Johns', offset_hour: 23 },
    36: { interval: 'hour' },
    38: { interval: 'day', timezone: 'Pacific/Marquesas' },
    44: { interval: 'week', offset_day: 4 },
  }
  // Six hours per step, in the middle of an hour.
  for (let step = 0; step < 70; step++) {
    await ingest(app, plainEvents(1 + (step % 3), sent))
    sent += 1 + (step % 3)
    if (changes[step]) t.match(await app.send('PATCH', `${base}/${id}/`, { body: changes[step] }), { status: 200 })
    app.advance(6 * HOUR_MS + (step === 0 ? HOUR_MS / 2 : 0))
    if (step % 5 !== 3) await app.deps.exporter.drain()
  }
  app.advance(8 * DAY_MS)
  await app.deps.exporter.drain()
  const runs = (await app.send('GET', `${base}/${id}/runs/?ordering=data_interval_start`)).body.results
  t.same(
    runs.slice(0, 4).map((run) => run.data_interval_end),
    ['2026-03-28T01:00:00.000Z', '2026-03-29T01:00:00.000Z', '2026-03-30T00:00:00.000Z', '2026-03-31T00:00:00.000Z'],
    'days of 24, 23 and 24 hours',
  )
  for (const [i, run] of runs.slice(1).entries())
    t.equal(run.data_interval_start, runs[i]?.data_interval_end, 'windows follow each other')
  t.equal(
    runs.reduce((sum, run) => sum + Number(run.records_completed), 0),
    sent,
    'no event is lost or repeated',
  )
  const positions = await app.deps.db.all<{ from_position: number; to_position: number }>(
    sql`select from_position, to_position from batch_export_runs where batch_export_id = ${id} order by data_interval_end`,
  )
  for (const [i, { from_position }] of positions.slice(1).entries())
    t.equal(from_position, positions[i]?.to_position, 'positions follow each other')
})

onBothEngines(t, 'catches up local days after a downtime, and pauses within one', async (t, app) => {
  const base = baseOf(app)
  setClock(app, '2026-10-23T12:00:00Z')
  const body = newExport({ timezone: 'Europe/Berlin' })
  const { id } = (await app.send('POST', `${base}/`, { body })).body
  for (let day = 0; day < 4; day++) {
    await ingest(app, plainEvents(day + 1, day * 10))
    app.advance(DAY_MS)
  }
  await app.deps.exporter.drain()
  const windows = async () =>
    (await app.send('GET', `${base}/${id}/runs/?ordering=data_interval_start`)).body.results.map((run) => [
      run.data_interval_end.slice(0, 16),
      run.records_completed,
    ])
  t.same(await windows(), [
    ['2026-10-23T22:00', 1],
    ['2026-10-24T22:00', 2],
    ['2026-10-25T23:00', 3],
    ['2026-10-26T23:00', 4],
  ])
  await ingest(app, plainEvents(2, 50))
  await app.send('POST', `${base}/${id}/pause/`)
  await ingest(app, plainEvents(3, 60))
  app.advance(DAY_MS)
  await app.send('POST', `${base}/${id}/unpause/`)
  await ingest(app, plainEvents(4, 70))
  app.advance(DAY_MS)
  await app.deps.exporter.drain()
  t.same((await windows()).slice(4), [
    ['2026-10-27T12:00', 2],
    ['2026-10-28T23:00', 4],
  ])
})

/** Functions with many cases that need no server: settings, scopes, rate limit counters, times, ids, metrics. */
import fc from 'fast-check'
import { Histogram, Registry } from 'prom-client'
import t from 'tap'
import { parseIsoTime } from '../../src/api/time.ts'
import { grants } from '../../src/auth/scopes.ts'
import { describeSettings, readConfig } from '../../src/config.ts'
import { negotiate } from '../../src/contract/accept.ts'
import { createCounter, MAX_NAMES, type RateWindows } from '../../src/http/request-counter.ts'
import { makeIds } from '../../src/ids.ts'
import { encloses } from '../../src/store/key-restrictions.ts'
import { histogram } from '../../src/telemetry/metrics.ts'

t.test('reads and validates settings', async (t) => {
  t.match(readConfig({}), {
    PORT: 8000,
    HOST: '127.0.0.1',
    DATABASE_URL: 'sqlite:./data',
    RATE_LIMITS: true,
    LOG_LEVEL: 'info',
  })
  t.match(readConfig({ PORT: '0', RATE_LIMITS: 'false', TRUST_PROXY: 'true', SITE_URL: '' }), {
    PORT: 0,
    RATE_LIMITS: false,
    TRUST_PROXY: true,
    SITE_URL: undefined,
  })
  for (const [name, value] of [
    ['PORT', 'x'],
    ['PORT', '70000'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_LEVEL', 'info,debug'],
    ['LOG_LEVEL', 'info,kitchen=debug'],
    ['LOG_LEVEL', 'exports=debug=info'],
    ['LOG_FORMAT', 'xml'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
    ['SITE_URL', 'example.com'],
    ['SITE_URL', 'https://exa mple.com'],
    ['SITE_URL', 'https://example.com:99999'],
    ['SITE_URL', 'https://ada:secret@example.com'],
    ['SITE_URL', 'https://example.com/?a=b'],
    ['SITE_URL', 'https://example.com/base/'],
    ['SMTP_URL', 'smtp://'],
    ['SMTP_URL', 'smtp://host:99999'],
    ['SMTP_URL', 'smtp://ada:100%@host'],
    ['MAIL_FROM', 'nobody'],
    ['DNS_SERVERS', 'dns.example'],
    ['DNS_SERVERS', '127.0.0.1,'],
    ['DNS_SERVERS', '127.0.0.1:0'],
    ['DNS_SERVERS', '[::1]:65536'],
    ['OUTBOUND_ALLOW', '10.0.0.0/33'],
    ['OUTBOUND_ALLOW', '10.0.0'],
    ['OUTBOUND_ALLOW', '10.0.0.1:0'],
    ['OUTBOUND_ALLOW', '[db.internal]:5432'],
    ['OUTBOUND_ALLOW', 'https://db.internal'],
    ['OUTBOUND_ALLOW', 'db.internal,'],
    ['OUTBOUND_ALLOW', 'fe80::1%eth0'],
    ['S3_ENDPOINT_URL', 's3.internal'],
    ['S3_ROLE_BUCKETS', 'events'],
    ['S3_ROLE_BUCKETS', '00000000-0000-4000-8000-000000000001:Events'],
    ['METRICS_TOKEN', 'short'],
    ['RATE_LIMITS', 'perhaps'],
    ['ROLE', 'boss'],
    ['DRAIN_SECONDS', '-1'],
    ['DATABASE_CONNECTIONS', '1'],
  ])
    t.throws(
      () => readConfig({ SITE_URL: 'https://example.com', [name!]: value }),
      { message: new RegExp(`^${name} `) },
      `${name}=${value}`,
    )
  t.equal(readConfig({ SITE_URL: 'https://Example.com:443/' }).SITE_URL, 'https://example.com')
  for (const LOG_LEVEL of ['debug', 'info,exports=debug,sql=warn', 'sql=debug'])
    t.equal(readConfig({ LOG_LEVEL }).LOG_LEVEL, LOG_LEVEL)
  for (const DNS_SERVERS of ['127.0.0.1', '127.0.0.1:5353, ::1', '[::1]:53'])
    t.equal(readConfig({ DNS_SERVERS }).DNS_SERVERS, DNS_SERVERS)
  for (const OUTBOUND_ALLOW of ['127.0.0.1/32,db.internal:5432', '10.0.0.0/8:443, fd00::/8', '[::1]:9000', 'localhost'])
    t.equal(readConfig({ OUTBOUND_ALLOW }).OUTBOUND_ALLOW, OUTBOUND_ALLOW)
  t.notMatch(
    String(
      await Promise.resolve()
        .then(() => readConfig({ METRICS_TOKEN: 'sesame' }))
        .catch(String),
    ),
    /sesame/,
    'the error does not repeat the invalid value',
  )
  for (const setting of describeSettings()) t.ok(setting.description, setting.name)
})

t.test('a scope grants its actions only', async (t) => {
  t.ok(grants(['*'], 'plugin:write'))
  t.ok(grants(['plugin:write'], 'plugin:read'))
  t.notOk(grants(['plugin:read'], 'plugin:write'))
  t.notOk(grants(['organization:write'], 'organization_member:read'))
  t.notOk(grants(['organization:write', 'query:read'], '*'))
  t.notOk(grants([], 'query:read'))
})

t.test('rate limits use a sliding window', async (t) => {
  // The start of an hour, and so also of a minute.
  let now = 7_200_000
  const limit = createCounter(
    [
      { limit: 5, seconds: 60 },
      { limit: 12, seconds: 3600 },
    ],
    () => now,
  )
  const admit = (name = 'a'): boolean => {
    try {
      limit.check(name)
    } catch {
      return false
    }
    limit.count(name)
    return true
  }
  t.strictSame(
    Array.from({ length: 7 }, () => admit()),
    [true, true, true, true, true, false, false],
  )
  t.ok(admit('b'), 'each name has its own limit')
  now += 61_000
  t.equal(admit(), false, 'a decreasing share of the previous minute still counts')
  now += 30_000
  t.ok(admit())
  now += 600_000
  t.strictSame(
    Array.from({ length: 6 }, () => admit()),
    [true, true, true, true, true, false],
  )
  now += 120_000
  t.strictSame(
    Array.from({ length: 3 }, () => admit()),
    [true, false, false],
    'the hourly limit applies too',
  )
  now -= 3_600_000
  t.ok(admit(), 'a backward clock step does not lock out a name')
})

t.test('rate limits track a bounded number of names and evict the least active ones', async (t) => {
  const limit = createCounter([{ limit: 1, seconds: 60 }], () => 1_000_000)
  for (const name of ['quiet', 'busy']) limit.count(name)
  for (let i = 0; i < MAX_NAMES; i++) {
    limit.check(`name ${i}`)
    if (i % 1_000 === 0) t.throws(() => limit.check('busy'), { code: 'throttled' })
  }
  t.throws(() => limit.check('busy'), { code: 'throttled' })
  t.doesNotThrow(() => limit.check('quiet'))
})

t.test('rate limits add up across nodes', async (t) => {
  let now = 7_200_000
  const windows: RateWindows = [{ limit: 10, seconds: 60 }]
  const [a, b] = [createCounter(windows, () => now, true), createCounter(windows, () => now, true)]
  const count = (limit: typeof a, times: number): void => {
    for (let i = 0; i < times; i++) limit.count('x')
  }
  count(a, 7)
  count(b, 1)
  t.strictSame(a.takePending(), [{ name: 'x', seconds: 60, start: now, count: 7 }])
  t.strictSame(a.takePending(), [], 'each count is shared once')
  t.strictSame(b.takePending(), [{ name: 'x', seconds: 60, start: now, count: 1 }])
  count(b, 1)
  b.applyTotal({ name: 'x', seconds: 60, start: now, count: 8, previous: 0 })
  t.equal(b.count('x').remaining, 0, '7 from the other node, 1 shared, 1 not shared yet, and this one')
  t.throws(() => b.check('x'), { code: 'throttled' })
  b.applyTotal({ name: 'x', seconds: 60, start: now, count: 1, previous: 0 })
  t.throws(() => b.check('x'), { code: 'throttled' }, 'counts that were not shared are kept')
  b.applyTotal({ name: 'stranger', seconds: 60, start: now, count: 100, previous: 0 })
  t.doesNotThrow(() => b.check('stranger'), 'a total for an unknown name is ignored')

  now += 60_000
  a.check('x')
  a.applyTotal({ name: 'x', seconds: 60, start: now - 60_000, count: 10, previous: 0 })
  t.throws(() => a.check('x'), { code: 'throttled' }, 'a late total of the previous window still counts')
  const late = createCounter(windows, () => now, true)
  late.count('x')
  late.applyTotal({ name: 'x', seconds: 60, start: now, count: 1, previous: 10 })
  t.throws(() => late.check('x'), { code: 'throttled' }, 'a new node gets the totals of the previous window')
  t.strictSame(createCounter(windows, () => now).takePending(), [])
})

t.test('no window admits twice its limit', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 200 }), (steps) => {
        let now = 0
        const limit = createCounter([{ limit: 10, seconds: 60 }], () => now)
        const passed: number[] = []
        for (const step of steps) {
          now += step
          try {
            limit.check('x')
            limit.count('x')
            passed.push(now)
          } catch {}
        }
        return passed.every((start) => passed.filter((time) => time >= start && time < start + 60_000).length <= 20)
      }),
      { seed: 7 },
    ),
  )
})

t.test('parses every spelling of a time to the stored form', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1970-01-01'), max: new Date('2200-01-01'), noInvalidDate: true }),
        fc.integer({ min: -14 * 60, max: 14 * 60 }),
        (date, minutes) => {
          const iso = date.toISOString()
          const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1)
          const sign = minutes < 0 ? '-' : '+'
          const [hh, mm] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((part) =>
            String(part).padStart(2, '0'),
          )
          const spellings = [
            iso,
            iso.replace('T', ' '),
            iso.slice(0, -1),
            iso.replace('Z', '+00:00'),
            iso.replace('Z', '+0000'),
            `${local}${sign}${hh}:${mm}`,
            `${local}${sign}${hh}${mm}`,
          ]
          return spellings.every((spelling) => parseIsoTime(spelling, 'x') === iso)
        },
      ),
      { seed: 7 },
    ),
  )
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(parseIsoTime(text, 'x'))
        } catch (error) {
          return (error as { code?: string }).code === 'invalid_input'
        }
      }),
      { seed: 7 },
    ),
  )
})

t.test('a key can only create keys within its own restrictions', async (t) => {
  const limits = fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { minLength: 1 }), { nil: null })
  const restrictions = fc.record({ organizations: limits.map((list) => list?.map(String) ?? null), projects: limits })
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(
        restrictions,
        restrictions,
        restrictions,
        (a, b, c) => encloses(a, a) && (!(encloses(a, b) && encloses(b, c)) || encloses(a, c)),
      ),
      { seed: 7 },
    ),
  )
  t.notOk(encloses({ organizations: ['1'], projects: null }, { organizations: null, projects: null }))
  t.notOk(encloses({ organizations: null, projects: [1] }, { organizations: ['1'], projects: null }))
})

t.test('generates unique ids in their formats', async (t) => {
  const ids = makeIds(() => Date.parse('2026-01-01T00:00:00Z'))
  t.match(ids.uuid(), /^019b7[0-9a-f]{3}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  t.match(ids.keyValue(), /^phx_[0-9A-Za-z]{40,48}$/)
  t.match(ids.projectToken(), /^phc_[0-9A-Za-z]{36,43}$/)
  t.match(ids.slugSuffix(), /^[a-z]{4}$/)
  t.equal(new Set(Array.from({ length: 1000 }, () => ids.uuid())).size, 1000)
})

t.test('histograms print the same text as prom-client', async (t) => {
  const options = { name: 'seconds', help: 'Seconds.', buckets: [0.1, 0.5, 1, 5] }
  const value = fc.oneof(fc.constantFrom(0, 0.1, 0.5, 1, 5, 5.1), fc.double({ min: 0, max: 10, noNaN: true }))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(value, fc.constantFrom('a', 'b"\\\n', 'c'))), async (observations) => {
      const [ours, theirs] = [new Registry(), new Registry()]
      const [plain, labelled] = [histogram(ours, options), histogram(ours, { ...options, name: 'by_of', label: 'of' })]
      const expected = {
        plain: new Histogram({ ...options, registers: [theirs] }),
        labelled: new Histogram({ ...options, name: 'by_of', labelNames: ['of'], registers: [theirs] }),
      }
      for (const [value, of] of observations) {
        plain(value)
        labelled(value, of)
        expected.plain.observe(value)
        expected.labelled.observe({ of }, value)
      }
      t.equal(await ours.metrics(), await theirs.metrics())
    }),
  )
})

t.test('negotiates the content type', async (t) => {
  const JSON_TYPE = 'application/json'
  const CSV = 'text/csv'
  for (const [accept, chosen] of [
    [undefined, JSON_TYPE],
    ['', JSON_TYPE],
    [',, ,', JSON_TYPE],
    ['*/*', JSON_TYPE],
    ['application/*', JSON_TYPE],
    ['text/*', CSV],
    ['TEXT/CSV', CSV],
    ['text/csv, */*', CSV],
    ['text/csv, application/json', JSON_TYPE],
    ['text/csv;q=0.5, application/json', JSON_TYPE],
    ['text/csv;q=0.9, */*;q=0.1', CSV],
    ['text/csv;q=0.1, */*;q=0.9', JSON_TYPE],
    ['application/json; charset=utf-8; q=0.3', JSON_TYPE],
    ['application/json;q=0, */*', CSV],
    ['application/json;q=0.000, text/csv;q=0.001', CSV],
    ['*/*;q=0, application/json', JSON_TYPE],
    ['text/html', undefined],
    ['text/html, image/*;q=0.5', undefined],
    ['*/*;q=0', undefined],
    ['application/*;q=0, text/*;q=0, */*', undefined],
    ['application/xml, application/json+ld', undefined],
    // Malformed: as if it were absent.
    ['text/html;q=2', JSON_TYPE],
    ['text/html;q=', JSON_TYPE],
    ['text/html;q=0.1234', JSON_TYPE],
    ['text/html, json', JSON_TYPE],
    ['*/csv', JSON_TYPE],
    ['text/html/x', JSON_TYPE],
    ['text/ht ml', JSON_TYPE],
    ['text/html;a="b,c"', JSON_TYPE],
    [';;;', JSON_TYPE],
    ['text/html, *; q=.2, */*; q=.2', JSON_TYPE],
  ] as const)
    t.equal(negotiate(accept, [JSON_TYPE, CSV]), chosen, accept ?? 'no header')
  t.equal(negotiate('text/csv', [JSON_TYPE]), undefined)
  t.equal(negotiate(`${'a/b;q=0.1,'.repeat(100_000)}*/*`, [JSON_TYPE]), JSON_TYPE, 'a long one')
})

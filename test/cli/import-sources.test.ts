/** How rows of each source become events. */
import t from 'tap'
import { detectReader } from '../../src/cli/import/formats.ts'
import type { JsonObject } from '../../src/json/object.ts'

interface Case {
  name: string
  row: JsonObject
  event?: JsonObject
  problem?: string
}

const UUID = '0192b6f0-5a3c-7c1e-9d2a-4b7f1c9e8a10'
const TIME = '2026-01-05T10:00:00.000Z'

/** Reads each row with the reader that its content selects. */
function check(source: string, cases: Case[]): void {
  t.test(source, async (t) => {
    for (const { name, row, event, problem } of cases) {
      const reader = detectReader(row)
      t.equal(reader.name, source, `${name}: the source`)
      const before = JSON.stringify(row)
      const read = reader.read(row)
      if ('problem' in read) t.equal(read.problem, problem, name)
      else t.strictSame(withoutUndefined(read.event), event, name)
      t.equal(JSON.stringify(row), before, `${name}: the row is not changed`)
    }
  })
}

const withoutUndefined = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

check('own', [
  {
    name: 'a line',
    row: { event: 'paid', distinct_id: 'ada', timestamp: TIME, properties: { price: 5 }, $set: { plan: 'team' } },
    event: {
      event: 'paid',
      distinct_id: 'ada',
      timestamp: TIME,
      properties: { price: 5 },
      others: { $set: { plan: 'team' } },
    },
  },
  {
    name: 'a row of the events list',
    row: { id: UUID, event: 'paid', distinct_id: 'ada', properties: '{"a":1}', elements_chain: 'a:', person: {} },
    event: { event: 'paid', distinct_id: 'ada', properties: { a: 1, $elements_chain: 'a:' }, id: UUID, others: {} },
  },
  {
    name: 'an id that is no UUID',
    row: { id: 17, event: 'paid', distinct_id: 'ada' },
    event: { event: 'paid', distinct_id: 'ada', properties: {}, id: '17', others: {} },
  },
  { name: 'an invalid uuid', row: { uuid: 'x', event: 'paid' }, problem: '`uuid` must be a UUID or omitted.' },
  {
    name: 'properties',
    row: { event: 'paid', properties: '[]' },
    problem: '`properties` is not a JSON object, or is nested too deep.',
  },
])

check('posthog', [
  {
    name: 'JSON lines',
    row: {
      uuid: UUID,
      event: 'paid',
      distinct_id: 'ada',
      person_id: UUID,
      properties: { price: 5 },
      person_properties: { plan: 'team' },
      elements_chain: '',
      timestamp: TIME,
      created_at: TIME,
    },
    event: { event: 'paid', distinct_id: 'ada', timestamp: TIME, id: UUID, properties: { price: 5 }, others: {} },
  },
  {
    name: 'Parquet',
    row: {
      uuid: UUID,
      event: '$autocapture',
      distinct_id: 'ada',
      properties: '{"price":5}',
      set: '{"plan":"team"}',
      set_once: null,
      elements_chain: 'a:text="Buy"',
      timestamp: '2026-01-05 10:00:00+00',
      team_id: '1',
    },
    event: {
      event: '$autocapture',
      distinct_id: 'ada',
      timestamp: '2026-01-05 10:00:00+00',
      id: UUID,
      properties: { price: 5, $elements_chain: 'a:text="Buy"' },
      others: { $set: { plan: 'team' } },
    },
  },
  {
    name: 'a person',
    row: {
      team_id: 1,
      distinct_id: 'ada',
      person_id: UUID,
      properties: { plan: 'team' },
      version: 3,
      created_at: TIME,
    },
    event: {
      event: '$set',
      distinct_id: 'ada',
      timestamp: TIME,
      id: 'person:ada:3',
      properties: { $set: { plan: 'team' } },
    },
  },
  {
    name: 'a deleted person',
    row: { distinct_id: 'ada', person_id: UUID, properties: {}, is_deleted: true },
    problem: 'The person is deleted.',
  },
])

const call = { messageId: 'ajs-1', userId: 'ada', anonymousId: 'anon-1', timestamp: TIME }
const called = { distinct_id: 'ada', timestamp: TIME, id: 'ajs-1' }
check('segment', [
  {
    name: 'track',
    row: {
      ...call,
      type: 'track',
      event: 'paid',
      properties: { price: 5 },
      context: {
        ip: '203.0.113.7',
        userAgent: 'Mozilla/5.0',
        page: { url: 'https://shop.example/a', path: '/a', referrer: '', title: 'Shop' },
        os: { name: 'iOS', version: '19' },
        campaign: { source: 'news', name: 'spring' },
        library: { name: 'analytics.js', version: '2' },
      },
    },
    event: {
      ...called,
      event: 'paid',
      properties: {
        $ip: '203.0.113.7',
        $raw_user_agent: 'Mozilla/5.0',
        $current_url: 'https://shop.example/a',
        $pathname: '/a',
        title: 'Shop',
        $os: 'iOS',
        $os_version: '19',
        $lib: 'analytics.js',
        $lib_version: '2',
        utm_source: 'news',
        utm_campaign: 'spring',
        price: 5,
      },
    },
  },
  {
    name: 'page',
    row: { ...call, type: 'page', name: 'Home', properties: { url: 'https://shop.example/', path: '/' } },
    event: {
      ...called,
      event: '$pageview',
      properties: {
        $current_url: 'https://shop.example/',
        $pathname: '/',
        url: 'https://shop.example/',
        path: '/',
        name: 'Home',
      },
    },
  },
  {
    name: 'screen of an anonymous user',
    row: { ...call, userId: null, type: 'screen', name: 'Cart' },
    event: { ...called, distinct_id: 'anon-1', event: '$screen', properties: { $screen_name: 'Cart' } },
  },
  {
    name: 'identify',
    row: { ...call, type: 'identify', traits: { email: 'ada@example.com' } },
    event: {
      ...called,
      event: '$identify',
      properties: { $anon_distinct_id: 'anon-1', $set: { email: 'ada@example.com' } },
    },
  },
  {
    name: 'identify of an anonymous user',
    row: { ...call, userId: '', type: 'identify', traits: { plan: 'free' } },
    event: { ...called, distinct_id: 'anon-1', event: '$set', properties: { $set: { plan: 'free' } } },
  },
  {
    name: 'group',
    row: { ...call, type: 'group', groupId: 'acme', traits: { plan: 'team' } },
    event: {
      ...called,
      event: '$groupidentify',
      properties: { $group_type: 'segment_group', $group_key: 'acme', $group_set: { plan: 'team' } },
    },
  },
  {
    name: 'alias',
    row: { ...call, type: 'alias', previousId: 'anon-1' },
    event: { ...called, event: '$create_alias', properties: { alias: 'anon-1' } },
  },
  {
    name: 'no user',
    row: { messageId: 'ajs-1', type: 'track', event: 'paid' },
    problem: 'The call has neither `userId` nor `anonymousId`.',
  },
])

const mixpanelId = (event: string, time: unknown): string => JSON.stringify([event, time, 'ada', 'abc'])
const tracked = { time: 1767607200, distinct_id: 'ada', $insert_id: 'abc' }
check('mixpanel', [
  {
    name: 'seconds',
    row: { event: 'paid', properties: { ...tracked, price: 5, mp_lib: 'web', $city: 'Oslo', $browser: 'Firefox' } },
    event: {
      event: 'paid',
      distinct_id: 'ada',
      timestamp: '2026-01-05T10:00:00.000',
      id: mixpanelId('paid', 1767607200),
      properties: { price: 5, $browser: 'Firefox', $lib: 'web', $geoip_city_name: 'Oslo' },
    },
  },
  {
    name: 'milliseconds, and an id that is a UUID',
    row: { event: 'paid', properties: { ...tracked, time: 1767607200123, $insert_id: UUID } },
    event: { event: 'paid', distinct_id: 'ada', timestamp: '2026-01-05T10:00:00.123', id: UUID, properties: {} },
  },
  {
    name: 'a page view',
    row: { event: '$mp_web_page_view', properties: { ...tracked, $current_url: 'https://shop.example/' } },
    event: {
      event: '$pageview',
      distinct_id: 'ada',
      timestamp: '2026-01-05T10:00:00.000',
      id: mixpanelId('$mp_web_page_view', 1767607200),
      properties: { $current_url: 'https://shop.example/' },
    },
  },
  {
    name: 'identify',
    row: { event: '$identify', properties: { ...tracked, $identified_id: 'ada', $anon_id: 'anon-1' } },
    event: {
      event: '$identify',
      distinct_id: 'ada',
      timestamp: '2026-01-05T10:00:00.000',
      id: mixpanelId('$identify', 1767607200),
      properties: { $identified_id: 'ada', $anon_id: 'anon-1', $anon_distinct_id: 'anon-1' },
    },
  },
  {
    name: 'merge',
    row: { event: '$merge', properties: { ...tracked, $distinct_ids: ['ada', 'anon-1'] } },
    event: {
      event: '$merge_dangerously',
      distinct_id: 'ada',
      timestamp: '2026-01-05T10:00:00.000',
      id: mixpanelId('$merge', 1767607200),
      properties: { $distinct_ids: ['ada', 'anon-1'], alias: 'anon-1' },
    },
  },
  {
    name: 'a time that is no number',
    row: { event: 'paid', properties: { ...tracked, time: 'noon' } },
    problem: '`time` must be a number of seconds or milliseconds since 1970.',
  },
])

const exported = { device_id: 'phone', event_time: '2026-01-05 10:00:00.123456', uuid: UUID }
const stored = { distinct_id: 'ada', timestamp: '2026-01-05 10:00:00.123456', id: UUID }
check('amplitude', [
  {
    name: 'an event of a browser',
    row: {
      ...exported,
      user_id: 'ada',
      event_type: '[Amplitude] Page Viewed',
      platform: 'Web',
      os_name: 'Chrome',
      os_version: '120',
      device_type: 'Windows',
      ip_address: '203.0.113.7',
      session_id: 1767607200000,
      event_properties: { '[Amplitude] Page URL': 'https://shop.example/' },
      user_properties: {},
    },
    event: {
      ...stored,
      event: '$pageview',
      properties: {
        $ip: '203.0.113.7',
        $device_id: 'phone',
        platform: 'Web',
        $browser: 'Chrome',
        $browser_version: '120',
        $os: 'Windows',
        $current_url: 'https://shop.example/',
        $session_id: 'phone:1767607200000',
        '[Amplitude] Page URL': 'https://shop.example/',
      },
    },
  },
  {
    name: 'an event of an app',
    row: {
      ...exported,
      user_id: null,
      event_type: 'paid',
      platform: 'iOS',
      os_name: 'ios',
      device_type: 'Apple iPhone',
      session_id: -1,
      user_properties: { plan: 'team' },
      groups: { company: ['acme'] },
    },
    event: {
      ...stored,
      distinct_id: 'phone',
      event: 'paid',
      properties: {
        $device_id: 'phone',
        platform: 'iOS',
        $os: 'ios',
        $device_model: 'Apple iPhone',
        $groups: { company: ['acme'] },
        $set: { plan: 'team' },
      },
    },
  },
  {
    name: 'identify, with the id of the SDK',
    row: {
      ...exported,
      uuid: undefined,
      $insert_id: 'abc',
      user_id: 'ada',
      event_type: '$identify',
      user_properties: { plan: 'team' },
    },
    event: {
      ...stored,
      id: 'abc',
      event: '$identify',
      properties: { $device_id: 'phone', $anon_distinct_id: 'phone', $set: { plan: 'team' } },
    },
  },
  {
    name: 'no user',
    row: { event_type: 'paid', event_time: TIME },
    problem: 'The event has neither `user_id` nor `device_id`.',
  },
])

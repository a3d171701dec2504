import t from 'tap'
import { eventTime, isoOf, parseEventTime, parseSentAt } from '../../src/events/time.ts'

const at = (iso: string): number => parseEventTime(iso)!

t.test('parses times', async (t) => {
  for (const [text, iso] of [
    ['2021-10-30T03:02:00Z', '2021-10-30T03:02:00.000Z'],
    ['2021-10-30T03:02:00.123Z', '2021-10-30T03:02:00.123Z'],
    ['2021-10-30T03:02:00.123456Z', '2021-10-30T03:02:00.123456Z'],
    ['2021-10-30T03:02:00.123456789+00:00', '2021-10-30T03:02:00.123456Z'],
    ['2021-10-30T03:02:00.1', '2021-10-30T03:02:00.100Z'],
    ['2021-10-30 03:02:00', '2021-10-30T03:02:00.000Z'],
    ['2021-10-30T03:02', '2021-10-30T03:02:00.000Z'],
    ['2021-10-30T03:02:00+02:00', '2021-10-30T01:02:00.000Z'],
    ['2021-10-30T03:02:00-0730', '2021-10-30T10:32:00.000Z'],
    ['2021-10-30T03:02:00+02', '2021-10-30T01:02:00.000Z'],
    ['2021-10-30', '2021-10-30T00:00:00.000Z'],
    ['2021-10', '2021-10-01T00:00:00.000Z'],
    ['2021', '2021-01-01T00:00:00.000Z'],
    ['2021-W43-5', '2021-10-29T00:00:00.000Z'],
    ['2021-302', '2021-10-29T00:00:00.000Z'],
    ['2021-302T01:44:00Z', '2021-10-29T01:44:00.000Z'],
    ['2020-366', '2020-12-31T00:00:00.000Z'],
    ['2020-W53-7', '2021-01-03T00:00:00.000Z'],
    ['Fri, 29 Oct 2021 01:44:00 GMT', '2021-10-29T01:44:00.000Z'],
    ['29 Oct 2021 01:44', '2021-10-29T01:44:00.000Z'],
    ['2020-02-29T00:00:00Z', '2020-02-29T00:00:00.000Z'],
    ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
    ['0001-01-01T00:00:00.5Z', '0001-01-01T00:00:00.500Z'],
    ['1500-06-15T12:00:00.123456Z', '1500-06-15T12:00:00.123Z'],
  ] as const)
    t.equal(isoOf(at(text)), iso, text)
  for (const text of [
    'Fri, 29 Oct 2021 01:44:00 GMT',
    'October 29, 2021 01:44',
    '10/29/2021 01:44',
    '29 Oct 2021 01:44 UTC',
  ])
    t.equal(parseEventTime(text), at('2021-10-29T01:44:00Z'), text)
  t.equal(parseEventTime(1635471840000), at('2021-10-29T01:44:00Z'), 'a number is milliseconds')
})

t.test('rejects values that are not times', async (t) => {
  for (const text of [
    'notISO',
    '-1',
    '12',
    'Order 12',
    'paid in 2020',
    '',
    '2021-13-01',
    '2021-02-29',
    '2021-10-32',
    '2021-366',
    '2021-W54-1',
    '2021-10-30T24:01:00Z',
    '2021-10-30T03:60:00Z',
    null,
    {},
    true,
    Number.NaN,
    1e300,
  ])
    t.equal(parseEventTime(text), undefined, String(text))
})

t.test('parses sent_at', async (t) => {
  t.equal(parseSentAt('1635471840'), at('2021-10-29T01:44:00Z'), 'seconds')
  t.equal(parseSentAt('1635471840000'), at('2021-10-29T01:44:00Z'), 'milliseconds')
  t.equal(
    parseSentAt('1635471840.5'),
    at('1970-01-19T22:17:51.8405Z'),
    'seconds and milliseconds differ by length only',
  )
  t.equal(parseSentAt('2021-10-29T01:44:00Z'), at('2021-10-29T01:44:00Z'))
  t.equal(parseSentAt('yesterday'), undefined)
})

t.test('computes the time of an event', async (t) => {
  const now = at('2021-10-29T01:44:00Z')
  const happened = (timestamp: unknown, sent_at: string | null = null, offset?: unknown): string =>
    isoOf(eventTime({ timestamp, offset, now, sent_at: sent_at && at(sent_at) } as Parameters<typeof eventTime>[0]))
  const arrived = '2021-10-29T01:44:00.000Z'
  t.equal(happened(undefined), arrived)
  t.equal(happened(null), arrived)
  t.equal(happened('notISO'), arrived)
  t.equal(happened('2021-10-29T01:43:54Z'), '2021-10-29T01:43:54.000Z', 'as sent')
  t.equal(happened('2021-10-28T03:02:00.000001Z'), '2021-10-28T03:02:00.000001Z', 'to the microsecond')
  t.equal(happened('2021-10-30T03:02:00Z', '2021-10-30T03:12:00Z'), '2021-10-29T01:34:00.000Z', 'a clock ahead')
  t.equal(happened('2021-10-20T03:02:00+02:00', '2021-10-20T01:12:00Z'), '2021-10-29T01:34:00.000Z', 'a clock behind')
  t.equal(happened(undefined, '2021-10-30T03:12:00Z'), arrived)
  t.equal(happened(undefined, null, 6000), '2021-10-29T01:43:54.000Z', 'an age')
  t.equal(happened('2021-01-01T00:00:00Z', '2021-10-30T03:12:00Z', 6000), '2021-10-29T01:43:54.000Z', 'an age wins')
  t.equal(happened('2021-10-30T00:43:59Z'), '2021-10-30T00:43:59.000Z', 'less than 23 hours ahead')
  t.equal(happened('2021-10-30T00:44:01Z'), arrived, 'more')
  t.equal(happened('1970-01-01T00:00:00Z'), '1970-01-01T00:00:00.000Z', 'the earliest time')
  t.equal(happened('2021-10-30T03:02:00Z', null), arrived, 'without a correction it is too far ahead')
})

/** Query parameters of event lists: times and lists of values. */
import fc from 'fast-check'
import t from 'tap'
import { queryList } from '../../src/api/query-parameters.ts'
import { parseMoment } from '../../src/api/time.ts'
import { isoOf } from '../../src/events/time.ts'

const NOW = '2026-03-31T10:20:30.400Z'

t.test('parses absolute and relative times', async (t) => {
  for (const [text, wanted] of [
    ['2026-01-02T03:04:05.678901Z', '2026-01-02T03:04:05.678901Z'],
    ['2026-01-02T03:04:05.6789019Z', '2026-01-02T03:04:05.678901Z'],
    ['2026-01-02 03:04:05,5', '2026-01-02T03:04:05.500Z'],
    ['2026-01-02T03:04+0200', '2026-01-02T01:04:00.000Z'],
    ['2026-01-02T03:04:05-05', '2026-01-02T08:04:05.000Z'],
    ['2026-01-02', '2026-01-02T00:00:00.000Z'],
    ['2026-02', '2026-02-01T00:00:00.000Z'],
    ['2026', '2026-01-01T00:00:00.000Z'],
    ['Sat, 07 Jan 2012 20:00:00 +0200', '2012-01-07T18:00:00.000Z'],
    [' 7 jan 12 20:00 EST ', '2012-01-08T01:00:00.000Z'],
    ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
    ['-24h', '2026-03-30T10:20:30.400Z'],
    ['-7d', '2026-03-24T10:20:30.400Z'],
    ['7d', '2026-03-24T10:20:30.400Z'],
    ['-2w', '2026-03-17T10:20:30.400Z'],
    ['-1m', '2026-02-28T10:20:30.400Z'],
    ['-1q', '2025-12-30T10:20:30.400Z'],
    ['-1y', '2025-03-31T10:20:30.400Z'],
    ['h', NOW],
    ['hStart', '2026-03-31T10:00:00.000Z'],
    ['hEnd', '2026-03-31T10:59:59.999999Z'],
    ['dStart', '2026-03-31T00:00:00.000Z'],
    ['-1dStart', '2026-03-30T00:00:00.000Z'],
    ['dEnd', '2026-03-31T23:59:59.999999Z'],
    ['mStart', '2026-03-01T00:00:00.000Z'],
    ['-1mEnd', '2026-02-28T23:59:59.999999Z'],
    ['yStart', '2026-01-01T00:00:00.000Z'],
    ['-1yEnd', '2025-12-31T23:59:59.999999Z'],
  ] as const)
    t.equal(isoOf(parseMoment(text, 'after', NOW)), wanted, text)
  for (const text of [
    '',
    'now',
    'all',
    '-5',
    '5',
    '-7x',
    'wStart',
    'qEnd',
    'dstart',
    '2026-1-1',
    '2026-02-30',
    '2026-13-01',
    '2026-01-01T25:00',
    '2026-01-01T10',
    '2026-01-01T10:00+99:00',
    '2026-01-01T10:00Zjunk',
    '-9999999d',
    '0x10',
    'Sat, 32 Jan 2012 20:00:00 +0200',
    'Sat, 07 Jan 2012',
  ])
    t.throws(() => parseMoment(text, 'after', NOW), { code: 'invalid_input', attr: 'after' }, text)
  for (const [text, wanted] of [
    ['1550-06-01T00:00:00.001Z', '1550-06-01T00:00:00.001Z'],
    ['2300-06-01T00:00:00.001Z', '2300-06-01T00:00:00.001Z'],
    ['9999-12-31', '3940-01-02T00:00:00.000Z'],
    ['-999999d', '0000-01-01T00:00:00.000Z'],
  ] as const)
    t.equal(isoOf(parseMoment(text, 'after', NOW)), wanted, text)
})

t.test('parses formatted times back to the same value', async () => {
  const range = { min: -8e15, max: 8e15 }
  fc.assert(
    fc.property(
      fc.maxSafeInteger().map((n) => n % range.max),
      (moment) => {
        const text = isoOf(moment)
        return /^\d{4}-/.test(text) ? parseMoment(text, 'after', NOW) === moment : true
      },
    ),
  )
})

t.test('reads lists of values from query parameters', async (t) => {
  for (const [query, wanted] of [
    [{}, undefined],
    [{ a: 'x' }, ['x']],
    [{ a: ['x', 'y'] }, ['x', 'y']],
    [{ a: '["x","y"]' }, ['x', 'y']],
    [{ a: '[1,"y"]' }, ['1', 'y']],
    [{ a: '[]' }, []],
    [{ a: '["x"' }, ['["x"']],
    [{ a: '[{"x":1}]' }, ['[{"x":1}]']],
    [{ 'a[]': 'x' }, ['x']],
    [{ 'a[]': ['x', 'y'] }, ['x', 'y']],
    [{ 'a[0]': 'x', 'a[1]': 'y' }, ['x', 'y']],
    [{ a: 'x', 'a[]': '["y"]' }, ['x', 'y']],
    [{ 'a[b]': 'x', ab: 'y' }, undefined],
  ] as const)
    t.strictSame(queryList(query, 'a'), wanted, JSON.stringify(query))
})

/** HogQL: expressions return the same value on both engines, and invalid ones are rejected with a position. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { constant } from '../../src/hogql/ast.ts'
import { canonical } from '../../src/hogql/canonical.ts'
import { decode } from '../../src/hogql/convert.ts'
import { HogqlError } from '../../src/hogql/error.ts'
import { FUNCTION_NAMES } from '../../src/hogql/functions.ts'
import { splitLabel } from '../../src/hogql/lexer.ts'
import { MAX_LIST, MAX_TEXT_LENGTH } from '../../src/hogql/limits.ts'
import { parseExpression } from '../../src/hogql/parser.ts'
import { compile } from '../../src/hogql/print.ts'
import { compileQuery, partsOf } from '../../src/hogql/query.ts'
import { parseOrder, parseSelect } from '../../src/hogql/select.ts'
import { type Sql, sql, compile as statement } from '../../src/sql/template.ts'
import { bySize, figure } from '../helpers/assertions/figures.ts'
import { CORPUS } from './corpus.ts'
import { engines, evaluate, NOW, probe, type TestEngine } from './fixtures.ts'
import { generatedExpression, maliciousText, patternAndText } from './generate.ts'
import { REJECTED, REJECTED_SELECTS, type Rejected } from './rejected.ts'

const RUNS = bySize({ quick: 40, full: 150, prove: 5_000 })
const SEED = 20260401

t.setTimeout(bySize({ full: 5, prove: 60 }) * 60_000)

t.test('evaluates the corpus on both engines', async (t) => {
  t.ok(CORPUS.length >= 300, `${CORPUS.length} expressions`)
  for (const engine of await engines(t))
    await t.test(engine.name, async (t) => {
      for (const [seq, expression, expected] of CORPUS) {
        const value = await evaluate(engine, expression, seq).catch((error: Error) => `error: ${error.message}`)
        t.strictSame(value, expected, expression)
      }
    })
})

function rejects(t: Test, [text, position, ...words]: Rejected, parse: (text: string) => unknown): void {
  try {
    parse(text)
    t.fail(`${text} is not rejected`)
  } catch (error) {
    if (!(error instanceof HogqlError)) throw error
    const missing = words.filter((word) => !error.message.includes(word))
    t.strictSame([error.position, missing], [position, []], `${text}: ${error.message}`)
    t.match(error.message, /^[^\n]+[.?]$/, 'the message is one line and ends with a period or question mark')
  }
}

t.test('rejects invalid expressions with a position and a reason', async (t) => {
  for (const rejected of REJECTED) rejects(t, rejected, (text) => compile(parseExpression(text), { now: NOW }))
  for (const rejected of REJECTED_SELECTS) rejects(t, rejected, parseSelect)
})

t.test('rejects expressions over the limits', async (t) => {
  const rejectsWith = (text: string, words: string): void => {
    t.throws(
      () => compile(parseExpression(text), { now: NOW }),
      { name: 'HogqlError', message: new RegExp(words) },
      words,
    )
  }
  rejectsWith(`'${'x'.repeat(MAX_TEXT_LENGTH)}'`, 'maximum is')
  rejectsWith('('.repeat(3_000), 'nested deeper')
  rejectsWith(`${'('.repeat(100)}1${')'.repeat(100)}`, 'nested deeper')
  rejectsWith('['.repeat(3_000), 'nested deeper')
  rejectsWith('- '.repeat(3_000), 'nested deeper')
  rejectsWith('not '.repeat(2_000), 'nested deeper')
  rejectsWith('case when '.repeat(900), 'nested deeper')
  rejectsWith('true ? '.repeat(1_000), 'nested deeper')
  rejectsWith('lower('.repeat(1_000), 'nested deeper')
  rejectsWith('x -> '.repeat(1_000), 'nested deeper')
  rejectsWith(Array(200).fill('1').join(' + '), 'nested deeper')
  rejectsWith(
    `event in (${Array(MAX_LIST + 1)
      .fill('1')
      .join(',')})`,
    'more than 1000 items',
  )
  rejectsWith(
    Array(MAX_LIST + 1)
      .fill('true')
      .join(' or '),
    'more than 1000 operands',
  )
  rejectsWith('1 '.repeat(4_500), 'more than 4000 tokens')
  rejectsWith(`${'('.repeat(30)}1${' between 1 and 2) = true'.repeat(30)}`, 'nodes|complex')
  rejectsWith(`match(event, '${'('.repeat(500)}')`, 'nested deeper')
  let wide = 'event'
  for (let i = 0; i < 40; i++) wide = `toString(toDateTime(${wide}))`
  rejectsWith(wide, 'nested deeper|complex')
})

t.test('runs expressions at the limits', async (t) => {
  const wide = [
    Array(MAX_LIST).fill('true').join(' or '),
    `event in (${Array.from({ length: MAX_LIST }, (_, i) => `'${i}'`).join(',')})`,
    `concat(${Array(500).fill('event').join(', ')})`,
    Array(60).fill('1').join(' + '),
    Array(60).fill('toInt(properties.a)').join(' * '),
    `${'lower('.repeat(60)}event${')'.repeat(60)}`,
    `${'if(true, '.repeat(60)}1${', 2)'.repeat(60)}`,
    `${'substring('.repeat(60)}event${', 1, 9)'.repeat(60)}`,
    `${'replaceOne('.repeat(60)}event${", 'e', 'x')".repeat(60)}`,
    `${'addMonths('.repeat(60)}timestamp${', 1)'.repeat(60)}`,
    `${'toString(toInt('.repeat(30)}properties.a${'))'.repeat(30)}`,
    `${'toString(toDateTime('.repeat(8)}event${'))'.repeat(8)}`,
  ]
  for (const engine of await engines(t))
    for (const text of wide) await t.resolves(engine.rows(probe(text).query), text.slice(0, 40))
})

t.test('prints the canonical text', async (t) => {
  const table: [string, string][] = [
    ['a+b*2', 'plus(a, multiply(b, 2))'],
    ["event='x' AND NOT b", "and(equals(event, 'x'), not(b))"],
    ['a or b or c', 'or(a, b, c)'],
    ["a like 'x' or a not ilike 'y'", "or(like(a, 'x'), notILike(a, 'y'))"],
    ["a !~* 'x'", "not(match(a, '(?i)x'))"],
    ['a is not null', 'isNotNull(a)'],
    ['a ?? b', 'ifNull(a, b)'],
    ['a ? b : c', 'if(a, b, c)'],
    ['a between 1 and 2', 'and(greaterOrEquals(a, 1), lessOrEquals(a, 2))'],
    ['cast(a as int)', 'toInt(a)'],
    ['case a when 1 then 2 else 3 end', 'transform(a, [1], [2], 3)'],
    ['case when a then 1 when b then 2 end', 'multiIf(a, 1, b, 2, NULL)'],
    ['interval 3 day', 'toIntervalDay(3)'],
    ['a || b || 1', 'concat(a, b, 1)'],
    ["properties['x y'].1['per%cent']", "properties.`x y`.1['per%cent']"],
    ['"select".`a`', '`select`.a'],
    ['x->x+1', 'x -> plus(x, 1)'],
    ['(x,y)->1', '(x, y) -> 1'],
    ['(1,)', '(1,)'],
    ['1.0', '1.0'],
    ['-5', '-5'],
    ['-a', 'negate(a)'],
    ["'it''s\n'", "'it\\'s\\n'"],
    ['quantile(0.9)(a)', 'quantile(0.9)(a)'],
    ['count(distinct a)', 'count(DISTINCT a)'],
    ['count(*)', 'count()'],
    ['a as b', 'a AS b'],
    ["a as 'two words'", 'a AS `two words`'],
    ['TRUE and Null', 'and(true, NULL)'],
  ]
  for (const [text, expected] of table) t.equal(canonical(parseExpression(text)), expected, text)
  t.equal(
    canonical(parseSelect("select toString(uuid) as id, 'eu' as region, toInt(2+3) as n from events")),
    "SELECT toString(uuid) AS id, 'eu' AS region, toInt(plus(2, 3)) AS n FROM events",
  )
  t.equal(
    canonical(
      parseSelect(
        'select distinct event e, count() from events where a>1 group by event having count()>1 order by 1 desc, e limit 5 offset 2;',
      ),
    ),
    'SELECT DISTINCT event AS e, count() FROM events WHERE greater(a, 1) GROUP BY event HAVING greater(count(), 1) ORDER BY 1 DESC, e ASC LIMIT 5 OFFSET 2',
  )
  for (const [, expression] of CORPUS) {
    const text = canonical(parseExpression(expression))
    t.equal(canonical(parseExpression(text)), text, 'parsing the canonical text returns the same text')
  }
})

t.test('freezes the nodes of the tree', async (t) => {
  const expr = parseExpression('lower(event) as x')
  t.ok(Object.isFrozen(expr) && expr.kind === 'alias' && Object.isFrozen(expr.expr))
})

t.test('compiles and runs SELECT statements', async (t) => {
  const both = await engines(t)
  const run = async (engine: TestEngine, text: string): Promise<unknown[][]> => {
    const select = parseSelect(text)
    const query = compileQuery(partsOf(select), { now: NOW })
    const clause = (keyword: string, part: Sql | null): Sql =>
      part ? { strings: [` ${keyword} `, ''], parts: [part] } : sql``
    const rows = await engine.rows(
      sql`select ${query.select} from events e left join person p on p.id = e.person${clause('where', query.where)}${clause('group by', query.group_by)}${clause('having', query.having)}${clause('order by', query.order_by)}`,
    )
    return rows.map((row) => query.columns.map(({ type }, i) => decode(row[`c${i}`], type)))
  }
  const table: [string, unknown[][]][] = [
    ['select event from events order by event', [['$pageview'], ['empty'], ['purchase'], ['Ünïcode 😀']]],
    [
      'select distinct_id, count() as n from events group by distinct_id order by n desc, distinct_id',
      [
        ['ann', 2],
        ['nobody', 1],
        ['ζeta', 1],
      ],
    ],
    [
      "select concat(distinct_id, '!') as who, count() from events order by count() desc, who desc limit 1",
      [
        ['ann!', 2],
        ['ζeta!', 1],
        ['nobody!', 1],
      ],
    ],
    [
      'select properties.$browser as b, count() from events where count() > 1 or count() = 1 and true order by b',
      [
        ['Chrome', 1],
        ['Firefox', 1],
        [null, 2],
      ],
    ],
    [
      'select properties.$browser, count() from events where properties.$browser is not null having count() > 0 order by properties.$browser desc',
      [
        ['Firefox', 1],
        ['Chrome', 1],
      ],
    ],
    ['select distinct distinct_id from events order by distinct_id', [['ann'], ['nobody'], ['ζeta']]],
    [
      "select toDate(timestamp) as day, timestamp from events where day > '2026-01-01'",
      [['2026-03-15', '2026-03-15T14:30:45.123456Z']],
    ],
    [
      'select toYear(timestamp) as y, max(timestamp) from events group by y order by y',
      [
        [1969, '1969-12-31T23:59:59.000Z'],
        [2024, '2024-02-29T23:59:59.999999Z'],
        [2026, '2026-03-15T14:30:45.123456Z'],
      ],
    ],
    [
      "select person.properties.email, uuid from events where event = 'purchase'",
      [['ann@example.com', '0190a1b2-0000-7000-8000-000000000001']],
    ],
    [
      'select event from events order by toFloat(properties.price) desc, event',
      [['purchase'], ['Ünïcode 😀'], ['$pageview'], ['empty']],
    ],
  ]
  for (const engine of both)
    for (const [text, expected] of table) t.strictSame(await run(engine, text), expected, `${engine.name}: ${text}`)

  const compiled = (text: string) => compileQuery(partsOf(parseSelect(text)), { now: NOW })
  t.match(compiled('select event, count() + 1 as n from events').columns, [
    { name: 'event', expression: 'event', type: { kind: 'string' }, nullable: false },
    { name: 'n', expression: 'plus(count(), 1)', type: { kind: 'integer' } },
  ])
  t.equal(compiled('select event from events').usesPerson, false)
  t.equal(compiled('select event from events order by person.id').usesPerson, true)
  t.throws(() => compiled('select concat(event, toString(count())) from events'), /mixes an aggregation/)
  t.throws(() => compiled('select count() from events order by event'), /mixes an aggregation/)
  t.throws(() => compiled('select count() from events group by event'), /one of the selected/)
  t.throws(() => compiled('select event as a, uuid as a from events'), /Duplicate column name/)

  t.match(parseOrder('-timestamp'), { descending: true, expr: { kind: 'field', chain: ['timestamp'] } })
  t.match(parseOrder('count() DESC'), { descending: true })
  t.match(parseOrder('event'), { descending: false })
  for (const [source, text, label] of [
    ['properties.x -- My label', 'properties.x', 'My label'],
    [' event--x ', ' event', 'x'],
    ["'a -- b'", "'a -- b'", undefined],
    ["'a -- b' -- c -- d", "'a -- b'", 'c -- d'],
    ['event -- ', 'event', undefined],
    ['event -- a\n-- b\n', 'event', 'b'],
    ['event /* -- a */', 'event', undefined],
    ['event -- a\n + 1', 'event -- a\n + 1', undefined],
    ['-- a', '', 'a'],
  ] as const)
    t.same(splitLabel(source), { text, label }, source)
})

t.test(
  'runs every valid expression with the same result on both engines and without user input in the SQL',
  async (t) => {
    const both = await engines(t)
    let valid = 0
    await fc.assert(
      fc.asyncProperty(generatedExpression, async (text) => {
        let probed: ReturnType<typeof probe>
        try {
          probed = probe(text)
        } catch (error) {
          if (error instanceof HogqlError) return
          throw error
        }
        valid++
        const parsed = canonical(parseExpression(text))
        if (canonical(parseExpression(parsed)) !== parsed)
          throw new Error(`the canonical text is not stable: ${parsed}`)
        const results = []
        for (const engine of both) {
          const { text: printed } = statement(probed.query, engine.name)
          if (/zq/i.test(printed)) throw new Error(`the statement contains user input: ${printed}`)
          results.push((await engine.rows(probed.query)).map((row) => decode(row.c0, probed.type)))
        }
        assert.deepStrictEqual(results[0], results[1])
      }),
      { numRuns: RUNS, seed: SEED },
    )
    t.ok(valid > RUNS / 4, `${valid} of ${RUNS} expressions are valid`)
    figure(t, { area: 'HogQL', count: RUNS, of: 'expressions', result: 'both engines agree', seed: SEED })
  },
)

t.test('regular expressions match the same text on both engines', async (t) => {
  const both = await engines(t)
  let valid = 0
  const quoted = (text: string): string => canonical(constant(1, text))
  await fc.assert(
    fc.asyncProperty(patternAndText, async ([pattern, text]) => {
      for (const call of [
        `match(concat(${quoted(text)}, ''), ${quoted(pattern)})`,
        `extract(concat(${quoted(text)}, ''), ${quoted(pattern)})`,
        `replaceRegexpOne(concat(${quoted(text)}, ''), ${quoted(pattern)}, '<\\\\0>')`,
        `replaceRegexpAll(concat(${quoted(text)}, ''), ${quoted(pattern)}, '<\\\\0>')`,
      ]) {
        let probed: ReturnType<typeof probe>
        try {
          probed = probe(call)
        } catch (error) {
          if (error instanceof HogqlError) continue
          throw error
        }
        valid++
        const results = await Promise.all(both.map((engine) => engine.rows(probed.query)))
        const [a, b] = results.map(([row]) => decode(row?.c0, probed.type))
        assert.deepStrictEqual(a, b, call)
      }
    }),
    { numRuns: RUNS * 2, seed: SEED },
  )
  t.ok(valid > RUNS, `${valid} calls are valid`)
  figure(t, { area: 'HogQL', count: RUNS * 2, of: 'patterns', result: 'both engines agree', seed: SEED })
})

t.test('rejects malicious input only with a HogqlError', async (t) => {
  const both = await engines(t)
  await fc.assert(
    fc.asyncProperty(maliciousText, async (text) => {
      for (const parse of [parseExpression, parseSelect, splitLabel, parseOrder])
        try {
          parse(text)
        } catch (error) {
          if (!(error instanceof HogqlError)) throw error
        }
      try {
        const { query } = probe(text)
        for (const engine of both) await engine.prepare(query)
      } catch (error) {
        if (!(error instanceof HogqlError)) throw error
      }
    }),
    { numRuns: RUNS * 4, seed: SEED },
  )
  figure(t, { area: 'HogQL', count: RUNS * 4, of: 'malicious texts', result: 'each rejected or evaluated', seed: SEED })
})

t.test('the corpus covers every function', async (t) => {
  const all = CORPUS.map(([, expression]) => canonical(parseExpression(expression))).join('\n')
  const covered = (name: string): boolean => new RegExp(`(^|[^\\w])${name}\\(`).test(all)
  const missing = FUNCTION_NAMES.filter(
    (name) => !covered(name) && !/^(any|arg|max|min|median|group|uniqExact).*If$|^uniqExact$/.test(name),
  )
  t.strictSame(missing, [])
})

/** Generates expressions from the grammar, many of them well typed, and malicious input. */
import fc from 'fast-check'
import { FUNCTION_NAMES } from '../../src/hogql/functions.ts'
import { anyCharacter } from '../helpers/characters.ts'

/** Every string contains "zq", which appears in no statement, so the tests can search for it. */
const TEXTS = [
  "'zq'",
  "'zq''; drop table events; --'",
  "'zq%_\\\\'",
  "'zq😀'",
  "'zq$1 ? :x \"'",
  "''",
  "'2026-01-01'",
  "'5'",
]
const NAMES = [
  'properties.zq',
  "properties['zq\"x']",
  "properties['zq''; --']",
  "properties['zq\\\\']",
  'properties.zqa.zqb.1',
  'person.properties.zq',
]

/** Properties of the events in fixtures.ts: numbers, texts of numbers, and others. */
const PROPERTIES = [
  'price',
  'quantity',
  'score',
  'ok',
  'whole_text',
  'float_text',
  'bad_number',
  'big',
  'huge',
  'tiny',
  'long_whole',
  'negative',
  'zero',
  'paid',
  'nothing',
  'empty',
  'space',
  'tags',
  'nested.a.n',
  'nested.a.list.1',
].map((path) => `properties.${path}`)

interface Kinds {
  text: string
  number: string
  condition: string
  time: string
  array: string
  property: string
  any: string
}

const { text, number, condition, time, array, property, any } = fc.letrec<Kinds>((tie) => {
  const of = <Key extends keyof Kinds>(key: Key): fc.Arbitrary<string> => tie(key) as fc.Arbitrary<string>
  const make = (shape: string): fc.Arbitrary<string> => {
    const holes = [...shape.matchAll(/\b([TNCDAP])\b/g)]
    const kinds = { T: 'text', N: 'number', C: 'condition', D: 'time', A: 'array', P: 'property' } as const
    return fc.tuple(...holes.map(([, hole]) => of(kinds[hole as keyof typeof kinds]))).map((parts) => {
      let i = 0
      return shape.replace(/\b[TNCDAP]\b/g, () => parts[i++]!)
    })
  }
  const kind = (leaves: string[], shapes: string[]): fc.Arbitrary<string> =>
    fc.oneof({ maxDepth: 4, withCrossShrink: true }, fc.constantFrom(...leaves), ...shapes.map(make))
  return {
    text: kind(
      [...TEXTS, ...NAMES, 'event', 'distinct_id', 'null'],
      [
        'lower(T)',
        'upper(T)',
        'concat(T, N, D)',
        'T || T',
        'substring(T, N, N)',
        'if(C, T, T)',
        'coalesce(T, T)',
        'trim(T)',
        "extract(T, 'zq([a-z]+)')",
        "replaceRegexpAll(T, '[zq]', 'zq')",
        'replaceAll(T, T, T)',
        'replaceOne(T, T, T)',
        'toString(N)',
        'toString(C)',
        'toString(D)',
        'arrayStringConcat(A, T)',
        'A[N]',
        'domain(T)',
        'path(T)',
        "extractURLParameter(T, 'zq')",
        'left(T, N)',
        'right(T, N)',
        'reverse(T)',
        "formatDateTime(D, '%Y zq')",
        'T ?? T',
        'nullIf(T, T)',
        "transform(T, ['zq'], ['zqq'], T)",
        'toJSONString(T)',
        "JSONExtractString(properties, 'zq')",
        'toUUID(T)',
      ],
    ),
    number: kind(
      ['0', '1', '-7', '12', 'team_id', 'null'],
      [
        'N + N',
        'N - N',
        '(N * N)',
        'intDiv(N, N)',
        'N % N',
        'length(T)',
        'lengthUTF8(T)',
        'position(T, T)',
        'toInt(T)',
        'if(C, N, N)',
        'toYear(D)',
        'toHour(D)',
        "dateDiff('day', D, D)",
        "dateDiff('month', D, D)",
        'abs(N)',
        'round(N, -1)',
        'toUnixTimestamp(D)',
        'length(A)',
        'indexOf(A, T)',
        "JSONExtractInt(properties, 'zq')",
        'toInt(toFloat(T))',
        '-(N)',
        'toInt(round(N / N))',
        'toInt(floor(toFloat(T)))',
        'coalesce(N, N)',
      ],
    ),
    condition: kind(
      ['true', 'false', 'null'],
      [
        'T = T',
        'T != T',
        'N < N',
        'D >= D',
        'C and C',
        'C or C',
        'not (C)',
        "T like 'zq%'",
        "T not ilike '_zq%'",
        "T =~ 'zq+'",
        "match(T, '(?i)zq.[^a]')",
        "T in ('zq', 'zz')",
        'N in (1, 2, null)',
        'T not in (T, T)',
        'T is null',
        'N is not null',
        'startsWith(T, T)',
        'endsWith(T, T)',
        'has(A, T)',
        'arrayExists(zqx -> zqx = T, A)',
        'N between N and N',
        'P < N',
        'N >= P',
        'P > toFloat(P)',
        'P = N',
        'P != N',
        'P = P',
        'P < T',
        'P in (1, N, null)',
        'P not in (N, 3)',
        'N in (P, P)',
        'P between N and N',
        'if(C, C, C)',
        "multiSearchAny(T, ['zq', T])",
        "JSONHas(properties, 'zq')",
        'empty(T)',
        'C ? C : C',
      ],
    ),
    time: kind(
      ['timestamp', 'created_at', 'now()', 'today()', "toDateTime('2026-01-01')", 'person.created_at'],
      [
        'toDateTime(T)',
        'toDate(D)',
        'toStartOfMonth(D)',
        'toStartOfWeek(D)',
        'addDays(D, N)',
        'subtractMonths(D, N)',
        'D + INTERVAL 1 HOUR',
        'D - toIntervalMonth(N)',
        "dateTrunc('week', D)",
        'if(C, D, D)',
        'toDateTime(N)',
        'coalesce(D, D)',
        'toDateTime(toFloat(T))',
      ],
    ),
    array: kind(
      ["['zq', 'b']", '[]'],
      [
        "splitByChar(',', T)",
        "splitByString('zq', T)",
        'arrayMap(zqx -> concat(zqx, T), A)',
        'arrayFilter(zqx -> zqx != T, A)',
        '[T, T]',
        "JSONExtractArrayRaw(properties, 'zq')",
      ],
    ),
    property: fc.constantFrom(...PROPERTIES, ...NAMES, 'person.properties.age'),
    any: fc.oneof(
      of('text'),
      of('number'),
      of('condition'),
      of('time'),
      of('array'),
      make('count()'),
      make('countIf(C)'),
      make('sum(N)'),
      make('sum(toFloat(P))'),
      make('sum(N / N)'),
      make('avg(N)'),
      make('avgIf(toFloat(P), C)'),
      make('max(D)'),
      make('min(T)'),
      make('argMax(T, N)'),
      make('argMin(N, T)'),
      make('median(N)'),
      make('groupArray(T)'),
      make('groupUniqArray(N)'),
      make('uniq(T)'),
      make('substring(max(T), 1, count())'),
      make('toDateTime(max(T))'),
      make('(T, N, C, D)'),
    ),
  }
})
void [text, number, condition, time, array, property]

export const generatedExpression: fc.Arbitrary<string> = any

const WORDS = [
  ...FUNCTION_NAMES,
  ...TEXTS,
  ...NAMES,
  ...'( ) [ ] { } , . ; : ? ?? ?. + - * / % || = == != < >= =~ !~* -> -- // /* */ \' " ` \\ $ @ # \0 \n 1 0 -1 1.5 1e9 0x 017 as and or not in like is null true case when then else end between cast interval day select from events where group by order limit distinct union join with event timestamp x'.split(
    ' ',
  ),
]

export const maliciousText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.array(fc.constantFrom(...WORDS), { maxLength: 14 }).map((words) => words.join(' ')),
  fc.array(fc.constantFrom(...WORDS), { maxLength: 10 }).map((words) => words.join('')),
  fc
    .tuple(
      fc.constantFrom(...FUNCTION_NAMES),
      fc.array(
        fc.constantFrom(
          ...TEXTS,
          ...NAMES,
          'event',
          'timestamp',
          '1',
          '2.5',
          'true',
          'null',
          '[1]',
          "['a']",
          '(1, 2)',
          'x -> true',
          'count()',
          'properties',
          '[]',
          '()',
          'now()',
          'today()',
          'interval 1 day',
        ),
        { maxLength: 4 },
      ),
    )
    .map(([name, args]) => `${name}(${args.join(', ')})`),
)

/** Patterns of the supported subset over few letters, and texts that they are likely to match. */
const { pattern } = fc.letrec<{ pattern: string; atom: string }>((tie) => {
  const inner = tie('pattern') as fc.Arbitrary<string>
  const atom = fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '\\w', '\\d', 'é', '\\.', 'ab', '(?i:A)', '[b-d]', '\\s'),
    inner.map((text) => `(${text})`),
    inner.map((text) => `(?:${text})`),
    fc.tuple(inner, inner).map(([a, b]) => `(?:${a}|${b})`),
  )
  const quantified = fc
    .tuple(atom, fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,2}', '{0,1}', '*?'))
    .map(([text, sign]) => (text === 'ab' ? `(?:ab)${sign}` : text + sign))
  return { atom, pattern: fc.array(quantified, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')) }
})
export const patternAndText = fc.tuple(
  fc
    .tuple(fc.constantFrom('', '', '^', '\\b', '(?i)'), pattern, fc.constantFrom('', '', '$', '\\b', '\\B'))
    .map((parts) => parts.join('')),
  fc
    .array(fc.constantFrom('a', 'b', 'c', 'A', 'ab', 'abc', '1', '.', ' ', '\n', 'é', 'É', '😀'), { maxLength: 8 })
    .map((parts) => parts.join('')),
)

interface CountParts {
  groups: string[]
  values: string[]
  conditions: string[]
}

const COUNTS = [
  'count()',
  'count() * 2 - 1',
  'round(count() / 3, 2)',
  'if(count() > 5, count(), 0)',
  'toString(count())',
]

/** The hourly counts of events have all fields. */
const COUNTED: CountParts = {
  groups: [
    'event',
    'upper(event)',
    "event = 'paid'",
    "concat(event, '!')",
    'toStartOfHour(timestamp)',
    'toStartOfDay(timestamp)',
    'toStartOfWeek(timestamp)',
    'toDate(timestamp)',
    'toHour(timestamp)',
    'toDayOfWeek(timestamp)',
    'toYYYYMM(timestamp)',
    "if(toHour(timestamp) < 12, 'early', event)",
  ],
  values: COUNTS,
  conditions: [
    "event = 'paid'",
    "event != 'paid'",
    "event in ('paid', 'seen')",
    "event like 's%' or toHour(timestamp) = 11",
    'toDayOfWeek(timestamp) <> 2',
    "event = 'nothing'",
    'length(event) = 4',
  ],
}

/** An index has all fields. */
const INDEXED: CountParts = {
  groups: ['distinct_id', 'upper(distinct_id)', 'toStartOfMinute(timestamp)', 'toDate(timestamp)', 'timestamp'],
  values: [...COUNTS, 'uniq(distinct_id)', 'min(timestamp)', 'max(distinct_id)', "countIf(distinct_id != 'person 1')"],
  conditions: ["distinct_id != 'person 3'", "distinct_id in ('person 1', 'person 2')", 'toMinute(timestamp) < 30'],
}

const PRICE = 'toFloat(properties.price)'

/** The mirror has all fields. The properties are those of the events in mirrored.test.ts. */
const MIRRORED: CountParts = {
  groups: [
    'event',
    'properties.a',
    'properties.b',
    'properties.Foo',
    "properties['a b']",
    '$session_id',
    "coalesce(properties.foo, '(none)')",
    "concat(properties.a, '/', properties.n)",
    "properties.a = 'x' or properties.b is null",
    'lower(properties.n)',
    'domain(properties.a)',
    'path(properties.b)',
    "extractURLParameter(properties.a, 'id')",
    "extract(properties.b, '([a-c]|é)x?')",
    "replaceRegexpAll(properties.a, '[^a-z]', '<\\\\0>')",
    'substring(properties.b, 2, 3)',
    "concat(left(properties.a, 1), '…', right(properties.a, 2))",
    'toFloat(properties.a)',
    'toFloat(properties.n) * 2 + 0.5',
    'toInt(properties.b)',
    'toInt(properties.n) % 3',
    'length(properties.a)',
    "multiIf(properties.n < 3, 'few', properties.n < 10, 'some', 'many')",
    'properties.price > 5',
    'timestamp',
    'toStartOfHour(timestamp)',
    'toStartOfWeek(timestamp, 1)',
    'toStartOfMonth(timestamp)',
    'toDate(timestamp)',
    'toDayOfWeek(timestamp)',
    'toYYYYMM(timestamp)',
    "formatDateTime(timestamp, '%Y-%m-%d 100%% %H:%i:%S.%f %y %I %p %j %u %M %b %W %a')",
  ],
  values: [
    ...COUNTS,
    'count(properties.a)',
    'uniq(properties.b)',
    'count(distinct toFloat(properties.a))',
    "countIf(properties.a like '%a%')",
    "uniqIf(distinct_id, properties.n in ('1', '3', 'x'))",
    `sum(${PRICE})`,
    `sum(if(properties.n = 1, ${PRICE}, 0))`,
    `avg(coalesce(${PRICE}, toInt(properties.n)))`,
    `sum(multiIf(event = 'paid', ${PRICE}, properties.n = 2, toFloat(properties.tiny), null))`,
    `round(avg(${PRICE}), 1)`,
    'round(max(toFloat(properties.a)) / 3, -2)',
    'round(sum(toInt(properties.n)))',
    'argMax(properties.a, toFloat(properties.b))',
    `median(${PRICE})`,
    'quantile(0.9)(toFloat(properties.a))',
    'quantileIf(0.123)(toFloat(properties.tiny), properties.n > 1)',
    'median(toInt(properties.n))',
    'argMin(toInt(properties.n), properties.a)',
    'argMaxIf(timestamp, properties.n, properties.n is not null)',
    `sumIf(${PRICE}, event = 'paid')`,
    `avg(${PRICE})`,
    `avgIf(${PRICE}, properties.a is not null)`,
    `sum(${PRICE}) / count()`,
    'sum(toFloat(properties.tiny))',
    'avg(toFloat(properties.tiny))',
    'sum(toInt(properties.b))',
    'avg(toInt(properties.n))',
    'sum(length(properties.b))',
    'min(properties.a)',
    'max(properties.b)',
    'any(properties.Foo)',
    'min(toFloat(properties.a))',
    `maxIf(${PRICE}, properties.n > 4)`,
    'max(timestamp)',
    "dateDiff('hour', min(timestamp), max(timestamp))",
    'any(properties.n = 1)',
  ],
  conditions: [
    "event = 'paid'",
    "properties.a = 'x'",
    "properties.a != 'x'",
    'properties.a = properties.b',
    'properties.a > properties.b',
    "properties.a >= '5'",
    'properties.a >= 5',
    'properties.n between 2 and 7',
    "properties.foo in ('x', 'é', '5')",
    'properties.b not in (5, 19.99, null)',
    "properties.a like '_' or properties.b not like '%e%'",
    "startsWith(properties.a, 'a')",
    'properties.n is not null',
    "properties.a ilike '%k%' or properties.b ilike 'i_x%'",
    "properties.a not ilike 'a%b'",
    "match(properties.a, '^a_|%')",
    "properties.b =~ '^[^a-z]{1,3}$'",
    "properties.a =~* 'é|x$'",
    "not match(properties.b, 'a.b|\\\\d\\\\b')",
    'not (properties.price < 3 and properties.n = 1)',
    '$session_id != null',
    'toHour(timestamp) < 12',
  ],
}

const TIMES = [
  "'2025-12-01 12:10:00'",
  "'2025-12-02'",
  "toDateTime('2025-12-01 23:59:59.999')",
  'now() - interval 40 day',
]

const timeCondition = fc
  .tuple(fc.constantFrom('<', '<=', '>', '>='), fc.constantFrom(...TIMES), fc.boolean())
  .map(([operator, time, isFirst]) => (isFirst ? `timestamp ${operator} ${time}` : `${time} ${operator} timestamp`))

const countOf = ({ groups, values, conditions }: CountParts): fc.Arbitrary<string> =>
  fc
    .record({
      groups: fc.uniqueArray(fc.constantFrom(...groups), { maxLength: 3 }),
      values: fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 }),
      conditions: fc.array(fc.oneof(fc.constantFrom(...conditions), timeCondition), { maxLength: 3 }),
      having: fc.option(fc.constantFrom('count() > 2', 'count() = 1', 'count() < 0')),
      order: fc.option(fc.tuple(fc.nat(4), fc.constantFrom('asc', 'desc'))),
      page: fc.option(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.nat(3))),
      isAliased: fc.boolean(),
    })
    .map(({ groups, values, conditions, having, order, page, isAliased }) => {
      const columns = [...groups, ...values]
      const selected = columns.map((column, i) => (isAliased ? `${column} as c_${i}` : column))
      const names = columns.map((column, i) => (isAliased ? `c_${i}` : column))
      return [
        `select ${selected.join(', ')} from events`,
        conditions.length ? `where ${conditions.map((condition) => `(${condition})`).join(' and ')}` : '',
        groups.length ? `group by ${names.slice(0, groups.length).join(', ')}` : '',
        having ? `having ${having}` : '',
        order ? `order by ${names[order[0] % names.length]} ${order[1]}` : '',
        page ? `limit ${page[0]} offset ${page[1]}` : '',
      ].join(' ')
    })

/** A SELECT that counts events, which the hourly counts or an index can answer. */
export const generatedCount: fc.Arbitrary<string> = fc.oneof(countOf(COUNTED), countOf(INDEXED))

/** A SELECT that the mirror can answer. */
export const generatedMirrored: fc.Arbitrary<string> = countOf(MIRRORED)

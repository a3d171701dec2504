/**
 * Texts for which a backtracking pattern takes quadratic time or never ends. A single pass takes milliseconds, so the
 * bound allows for a busy machine and is far below the time of backtracking.
 */
import t, { type Test } from 'tap'
import { csvCell } from '../../src/api/csv.ts'
import { parseElements } from '../../src/events/elements.ts'
import { parseFilter } from '../../src/events/filters.ts'
import { openLargePayload, parsePayload } from '../../src/events/payload.ts'
import { parseEventTime, parseSentAt } from '../../src/events/time.ts'
import { parseDatetime } from '../../src/hogql/datetime.ts'
import { splitLabel } from '../../src/hogql/lexer.ts'
import { MAX_TEXT_LENGTH } from '../../src/hogql/limits.ts'
import { parseOrder } from '../../src/hogql/select.ts'
import { slugOf } from '../../src/organizations/slug.ts'
import { parseUrl } from '../../src/plugins/url.ts'
import { withoutCredentials, withoutPassword } from '../../src/sql/db.ts'
import { itemAt } from '../helpers/assertions/items.ts'

const LENGTH = 1_000_000
const BOUND_MS = 5_000

const repeated = (unit: string, length = LENGTH): string => unit.repeat(Math.ceil(length / unit.length))

async function assertFast<Result>(t: Test, name: string, work: () => Result): Promise<Awaited<Result>> {
  const start = performance.now()
  const result = await work()
  t.ok(performance.now() - start < BOUND_MS, `${name} took ${Math.round(performance.now() - start)} ms`)
  return result
}

t.test('parses JSON with NaN in linear time', async (t) => {
  const read = async (text: string) => {
    const request = {
      method: 'POST',
      content_type: 'application/json',
      content_encoding: undefined,
      query: {},
      bytes: Buffer.from(text),
    }
    return parsePayload(request, await openLargePayload(request))
  }
  const inside = (text: string): string => `{"api_key":"phc_x","event":[NaN,${text}]}`
  for (const [name, text] of [
    ['an unclosed string of escaped quotes', `{"x":NaN,"y":"${repeated('\\"')}`],
    ['an unclosed string of backslashes', `{"x":NaN,"y":"${repeated('\\')}`],
    ['quotes', `{"x":NaN,${repeated('"')}`],
    ['incomplete keywords', inside(repeated('Na'))],
    ['signs', inside(repeated('-'))],
    ['incomplete Infinity', inside(repeated('-Infinit'))],
  ] as const)
    await assertFast(t, name, () => t.rejects(read(text), { code: 'invalid_payload' }, name))

  const api_key = 'phc_x'
  const long = `{"api_key":"${api_key}","event":"e","properties":{"y":"${repeated('\\"NaN')}","z":[${repeated('NaN,-Infinity,')}Infinity]}}`
  const { data } = await assertFast(t, 'a valid text', () => read(long))
  const { y, z } = (data as { properties: { y: string; z: null[] } }).properties
  t.ok(y.startsWith('"NaN"NaN'), 'strings are unchanged')
  t.ok(z.length > 2 && z.every((item) => item === null), 'NaN and infinities become null')
})

/** Parses each text. Fails with the text if that takes too long or throws an unexpected error. */
async function reads(t: Test, parse: (text: string) => unknown, texts: readonly string[], refusals: string[] = []) {
  for (const text of texts) {
    const name = `${parse.name} of ${JSON.stringify(text.slice(0, 20))}…, ${text.length} characters,`
    await assertFast(t, name, () => {
      try {
        parse(text)
      } catch (error) {
        if (!refusals.includes((error as Error).name)) throw error
      }
    })
  }
}

t.test('parses times in linear time', async (t) => {
  const texts = [
    repeated('Z('),
    repeated('Z ('),
    `Z${repeated(' ')}(`,
    `2021-10-30T03:02:00${repeated(' ')}x`,
    `2021-10-30T03:02:00.${repeated('1')}x`,
    repeated('1'),
    `${repeated('1')}.${repeated('1')}x`,
    repeated('('),
  ]
  for (const parse of [parseEventTime, parseSentAt, parseDatetime]) await reads(t, parse, texts)
  for (const parse of [parseEventTime, parseSentAt]) for (const text of texts) t.equal(parse(text), undefined)
  for (const text of texts) t.equal(parseDatetime(text), null)
  const named = 'Sat Jan 07 2012 20:00:00 GMT+0200 (Central European Standard Time)'
  t.equal(parseEventTime(named), Date.UTC(2012, 0, 7, 18) * 1000, 'a comment after the zone is ignored')
  t.equal(parseEventTime('Sat Jan 07 2012 20:00:00 (Central (European) Time)'), Date.UTC(2012, 0, 7, 20) * 1000)
})

t.test('parses page elements in linear time', async (t) => {
  const texts = [
    `a"${repeated('\\"')}`,
    `a:x="${repeated('\\"')}`,
    repeated('"'),
    repeated('\\'),
    repeated(':'),
    repeated('=":'),
    `a:${repeated('b="')}`,
    `a:${repeated('b=""')}`,
    `a:${repeated('b')}`,
    repeated(';'),
    repeated('a;'),
    `a${repeated('.')}`,
  ]
  await reads(t, parseElements, texts)
  t.equal(parseElements(repeated('a;')).length, 512, 'at most as many elements as a page can nest')
  const attributes = Array.from({ length: 20_000 }, (_, i) => `k${i}="1"`).join('')
  t.equal(
    Object.keys(itemAt(parseElements(`a:${attributes}`), 0).attributes).length,
    5_000,
    'at most as many attributes',
  )
  t.equal(itemAt(parseElements(`a${'.b'.repeat(20_000)}`), 0).attr_class?.length, 5_000, 'at most as many classes')
  t.match(parseElements('a:x="1;2";b:text="x'), [{ attributes: { x: '1;2' } }, { tag_name: 'b', text: null }])
})

t.test('escapes CSV cells in linear time', async (t) => {
  const texts = [`-${repeated('1')}x`, `-${repeated('1')}`, `-1e${repeated('1')}x`, repeated('"'), repeated('-')]
  await reads(t, csvCell, texts)
  t.equal(csvCell(`-${'1'.repeat(300)}`), `-${'1'.repeat(300)}`)
  t.equal(csvCell(`-${'1'.repeat(500)}`), `'-${'1'.repeat(500)}`)
})

t.test('splits HogQL labels in linear time', async (t) => {
  const fill = (unit: string, around = 1): string => repeated(unit, MAX_TEXT_LENGTH - around)
  const texts = [
    fill('\t'),
    fill('--'),
    `${fill('\t', 10)}desc`,
    fill('/*'),
    fill('-\n'),
    `event ${fill('--\n', 9)}`,
    fill("'"),
  ]
  for (const parse of [splitLabel, parseOrder]) await reads(t, parse, texts, ['HogqlError'])
  for (const parse of [splitLabel, parseOrder])
    for (const unit of ['\t', '--', '-- \n', '/*', ' desc']) await reads(t, parse, [repeated(unit)], ['HogqlError'])
  const legacy = (key: string) => parseFilter([JSON.stringify({ [key]: 1 })], 0)
  await reads(t, legacy, ['x__'.repeat(3_000), '_'.repeat(9_000), `${'_'.repeat(9_000)}0`], ['AppError'])
})

t.test('parses names and addresses in linear time', async (t) => {
  await reads(t, slugOf, [repeated('-'), `a${repeated('-')}a`, `a${repeated('_')}é`, repeated(' -')])
  for (const parse of [withoutCredentials, withoutPassword])
    await reads(t, parse, [repeated('//:'), repeated('//'), repeated('@'), repeated('?password=')])
  const hosts = { github: 'https://github.com', gitlab: 'https://gitlab.com' } as never
  const plugin = (path: string) => parseUrl(`https://gitlab.com/${path}`, hosts)
  await reads(t, plugin, [repeated('/'), `${repeated('/')}x`, `${repeated('a/')}-`, repeated('-/')], ['AppError'])
  for (const [url, plain, named] of [
    ['postgres://me:p@ss:w@host/db?password=x&a=1', 'postgres://host/db', 'postgres://me@host/db?a=1'],
    ['postgres://host/db', 'postgres://host/db', 'postgres://host/db'],
    ['sqlite:./data', 'sqlite:./data', 'sqlite:./data'],
  ] as const)
    t.strictSame([withoutCredentials(url), withoutPassword(url)], [plain, named])
})

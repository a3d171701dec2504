/** Malicious files for `import`: it takes linear time, and a server on the same database keeps responding. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { ENGINES } from '../helpers/app.ts'
import { bySize, figure, inTurn, sampled } from '../helpers/assertions/figures.ts'
import { freshFolder } from '../helpers/folders.ts'
import { zipOf } from '../helpers/peers/archives.ts'
import { command, ended } from '../helpers/programs/process.ts'
import { type MakeText, TEXTS } from './malicious-texts.ts'
import { openTarget } from './target.ts'

/** Characters per line. */
const SIZES = bySize({ quick: [2_000], full: [20_000], prove: [1_000, 100_000, 900_000] })
const LONG_LINE = bySize({ quick: 4_000_000, full: 20_000_000 })
/** A file may take this many times as long as a harmless file of the same length, plus a margin for busy machines. */
const FACTOR = 10
const MARGIN_MS = 10_000
t.setTimeout(bySize({ full: 15, prove: 60 }) * 60_000)

const event = (more: object): string => JSON.stringify({ event: 'seen', distinct_id: 'somebody', ...more })

/** The text in each field of an event, and as a whole line. */
const lines = (text: string): string[] => [
  text.replace(/[\r\n]/g, ' '),
  event({ properties: { text } }),
  event({ properties: { $elements_chain: text } }),
  event({ properties: text }),
  event({ timestamp: text }),
  event({ uuid: text }),
  event({ event: text }),
  event({ distinct_id: text }),
]

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
const HEAD = 'event,distinct_id,timestamp,properties,elements_chain,more'
const rows = (text: string): string[] => [
  `${quoted(text)},somebody,,,,`,
  `seen,${quoted(text)},,,,`,
  `seen,somebody,${quoted(text)},,,`,
  `seen,somebody,,${quoted(text)},,`,
  `seen,somebody,,,${quoted(text)},`,
  `seen,somebody,,,,${quoted(text)}`,
]

const withoutNul = (text: string): string => text.replaceAll('\0', ' ').toWellFormed()

function files(linesOf: (name: string) => string[]): Record<string, string | Buffer> {
  const all = Object.keys(TEXTS)
  return {
    'texts.ndjson': all.flatMap(linesOf).join('\n'),
    'texts.csv': `${HEAD}\n${SIZES.flatMap((size) => Object.values(TEXTS).flatMap((text) => rows(withoutNul(text(size))))).join('\n')}\n`,
    'long.ndjson': '['.repeat(LONG_LINE),
    'spaces.ndjson': `${' '.repeat(LONG_LINE)}x`,
    'packed.ndjson.gz': gzipSync('"'.repeat(LONG_LINE)),
    'open.csv': `${HEAD}\nseen,"${'a""'.repeat(LONG_LINE / 4)}`,
    'columns.csv': `${'a,'.repeat(200_000)}a\n${'b,'.repeat(200_000)}b\n`,
    'quotes.csv': `${HEAD}\n${'"'.repeat(2_000_000)}`,
    'array.json': `[${'[{"a":'.repeat(LONG_LINE / 8)}`,
    'elements.json': `[${'0,'.repeat(200_000)}0]`,
    'zip.zip': zipOf({ 'a.json': `${' '.repeat(LONG_LINE)}x`, 'b.json.gz': gzipSync('"'.repeat(LONG_LINE)) }),
    'invalid.parquet': `PAR1${'x'.repeat(LONG_LINE)}PAR1`,
  }
}

for (const engine of inTurn(ENGINES))
  t.test(`import reads malicious files in linear time (${engine})`, async (t) => {
    const target = await openTarget(t, engine)
    const folder = freshFolder(t)
    const environment = { DATABASE_URL: target.world.database_url }
    const runImport = async (name: string, content: string | Buffer): Promise<number> => {
      const file = join(folder, name)
      writeFileSync(file, content)
      const started = performance.now()
      const { code, stderr } = await ended(
        command(['import', file, '--project', String(target.world.project_id)], environment),
      )
      t.ok(code !== null && code <= 6, `${name} exited with ${code}: ${stderr.slice(0, 300)}`)
      t.notMatch(stderr, /^\s+at \S+ \(/m, `${name} prints no stack trace`)
      t.ok(stderr.length < 20_000, `${name} prints ${stderr.length} characters`)
      return performance.now() - started
    }
    const text: MakeText = (size) => 'word '.repeat(size / 5)
    const plain = Array.from({ length: bySize({ quick: 5, full: 20 }) }, () =>
      event({ properties: { text: text(500_000) } }),
    ).join('\n')
    const harmless_ms = (await runImport('harmless.ndjson', plain)) / (plain.length / 1_000_000)
    const all = Object.entries(files((name) => SIZES.flatMap((size) => lines(TEXTS[name]!(size)))))
    const malicious = sampled(all, 4)
    for (const [name, content] of malicious) {
      let took_ms = 0
      await target.attack([
        {
          name: `import of ${name}`,
          run: async () => {
            took_ms = await runImport(name, content)
          },
        },
      ])
      const limit_ms = MARGIN_MS + FACTOR * harmless_ms * (content.length / 1_000_000)
      t.ok(took_ms <= limit_ms, `${name} took ${Math.round(took_ms)} ms (limit ${Math.round(limit_ms)} ms)`)
    }
    t.strictSame(target.failures, [])
    figure(t, {
      area: 'Malicious input',
      count: malicious.length,
      of: 'import files with lines of up to 20 MB',
      result: `each imported in linear time; slowest health check of a server on the same database ${Math.round(target.slowest_ms)} ms (limit ${Math.round(target.limit_ms)} ms)`,
    })
  })

const MEGABYTE = 1024 * 1024
const zeros = gzipSync(Buffer.alloc(128 * MEGABYTE))
const row = event({ timestamp: '2026-01-05T10:00:00Z' })
const deep = `{"event":"seen","distinct_id":"a","properties":${'{"a":'.repeat(100)}1${'}'.repeat(101)}`
const line = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from(`${row}\n`), bytes, Buffer.from(`\n${row}\n`)])

/** The exit code, and what the command prints. */
const HOSTILE: [name: string, content: Buffer, code: number, message: RegExp][] = [
  ['bomb.gz', zeros, 6, /bomb\.gz unpacks to more than 250 times its size/],
  ['bomb.zip', zipOf({ 'a.json': Buffer.alloc(128 * MEGABYTE) }), 6, /bomb\.zip unpacks to more than 250 times/],
  ['nested.zip', zipOf({ 'a.json.gz': zeros }), 6, /nested\.zip.* unpacks to more than 250 times/],
  ['claim.zip', zipOf({ 'a.json': row.repeat(9) }, { claim: 9 }), 6, /The zip archive claim\.zip is corrupt/],
  ['slip.zip', zipOf({ '../../slip.json': row }), 6, /paths outside of itself \(invalid relative path/],
  ['absolute.zip', zipOf({ '/slip.json': row }), 6, /paths outside of itself \(absolute path/],
  ['zip.zip', zipOf({ 'a.zip': zipOf({ 'a.json': row }) }), 6, /zip\.zip\/a\.zip is a zip archive inside/],
  [
    'parquet.zip',
    zipOf({ 'a.parquet': 'PAR1xxxxPAR1' }),
    6,
    /a\.parquet is a Parquet file, which can only be read from/,
  ],
  ['broken.zip', Buffer.from('PK\x03\x04xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'), 6, /The zip archive broken\.zip is corrupt/],
  [
    'names.zip',
    zipOf({ 'a\x1b[31m.json': 'x' }),
    0,
    /names\.zip\/a\\u001b\[31m\.json:1: The line is not a JSON object/,
  ],
  ['truncated.gz', gzipSync(row.repeat(999)).subarray(0, 99), 6, /gzip data of truncated\.gz is corrupt or incomplete/],
  ['broken.parquet', Buffer.from('PAR1xxxxPAR1'), 6, /broken\.parquet is not a valid Parquet file/],
  ['long.json', line(Buffer.alloc(5 * MEGABYTE, '"')), 0, /long\.json:2: The line has more than 4194304 bytes/],
  ['deep.json', line(Buffer.from(deep)), 0, /deep\.json:2: The line is nested too deep/],
  [
    'utf8.json',
    line(Buffer.from(row.replace('seen', 'caf\xe9'), 'latin1')),
    0,
    /utf8\.json:2: The line is not valid UTF-8/,
  ],
  ['utf8.csv', Buffer.from('event,distinct_id\ncaf\xe9,a\n', 'latin1'), 6, /utf8\.csv is not valid UTF-8/],
  ['end.json', Buffer.from(`[${row},`), 0, /end\.json:2: The file ends inside the array/],
  ['proto.json', Buffer.from('{"__proto__":{"event":"x"},"distinct_id":"a"}'), 0, /`event` is required/],
]

t.test('import refuses hostile files with a sentence', async (t) => {
  const hostile = sampled(HOSTILE, 6)
  const target = await openTarget(t, 'sqlite')
  const folder = freshFolder(t)
  const [DATABASE_URL, project] = [target.world.database_url, String(target.world.project_id)]
  for (const [name, content, code, message] of hostile) {
    const file = join(folder, name)
    writeFileSync(file, content)
    const result = await ended(command(['import', file, '--project', project], { DATABASE_URL }))
    t.equal(result.code, code, `${name}: ${result.stderr}`)
    t.match(result.stderr, message, name)
    t.notOk(result.stderr.includes('\x1b'), `${name} prints no control character`)
    t.notMatch(result.stderr, /^\s+at \S+ \(/m, `${name} prints no stack trace`)
  }
  t.strictSame(readdirSync(folder).toSorted(), hostile.map(([name]) => name).toSorted(), 'nothing is unpacked')
})

/** `plugins test`: runs plugins from files, without a server. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runCommand } from '../helpers/programs/process.ts'

t.setTimeout(120_000)

const run = (words: string[], input = '') => runCommand(['plugins', ...words], {}, { input })

const SOURCE = `export function processEvent(event, { config, attachments }) {
  if (event.event === 'drop') return null
  if (event.event === 'throw') throw new Error('bad event')
  console.log('saw', event.event, attachments.list?.contents.toString(), config.token)
  return { ...event, properties: { ...event.properties, word: config.word } }
}
export async function onEvent() { await posthog.capture('made', { a: 1 }) }`

t.test('a file imports the files beside it', async (t) => {
  const folder = t.testdir({
    'my-plugin.ts':
      "import { name } from './lib/name'\nexport const processEvent = (event) => ({ ...event, event: name })",
    lib: { 'name.ts': "export const name: string = 'renamed'", 'broken.ts': 'let a =' },
  })
  const { code, stdout } = await run(['test', '--file', join(folder, 'my-plugin.ts'), '--json'])
  t.equal(code, 0)
  t.match(JSON.parse(stdout), { error: null, results: [{ function: 'processEvent', output: { event: 'renamed' } }] })
})

t.test('a folder or a file runs on sample events, and a failure is exit code 1', async (t) => {
  const folder = join(t.testdir({}), 'plugin')
  mkdirSync(join(folder, 'bare'), { recursive: true })
  const manifest = {
    name: 'Words',
    config: [
      { key: 'word', type: 'string', default: 'default word' },
      { key: 'token', type: 'string', secret: true },
      { key: 'list', type: 'attachment' },
    ],
  }
  writeFileSync(join(folder, 'plugin.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'index.ts'), SOURCE)
  const list = { file_name: 'list.csv', content_type: 'text/csv', contents: Buffer.from('a,b').toString('base64') }
  const config = JSON.stringify({ token: 'hunter22', list })
  const { code, stdout } = await run(['test', '--file', folder, '--config', config])
  t.equal(code, 0)
  t.match(stdout, /^processEvent: changed, \d+ ms\n {2}input\n/)
  t.match(stdout, /"word": "default word"/)
  t.match(stdout, /\nonEvent: done, \d+ ms\n[\s\S]*\n\nlog\n {2}LOG {3}saw \$pageview a,b \*\*REDACTED\*\*\n/)
  t.match(stdout, /\ncaptured events\n[\s\S]*\n2 calls in \d+ ms\n$/)
  const long = JSON.stringify({ event: 'page', properties: { text: 'x'.repeat(300) } })
  const wide = await run(['test', '--file', folder, '--event', long])
  t.equal(Math.max(...wide.stdout.split('\n').map((line) => line.length)), 80)

  const events = join(folder, 'events.json')
  writeFileSync(events, JSON.stringify([{ event: 'drop' }, { event: 'throw', distinct_id: 'ada' }]))
  const failed = await run(
    ['test', '--file', join(folder, 'index.ts'), '--event', events, '--event', '-', '--json'],
    long,
  )
  t.equal(failed.code, 1)
  const { results } = JSON.parse(failed.stdout)
  t.match(
    results.map((result: Record<string, unknown>) => [result.function, result.output === null, result.error]),
    [
      ['processEvent', true, null],
      ['processEvent', true, 'Error: bad event'],
      ['onEvent', true, null],
      ['processEvent', false, null],
      ['onEvent', true, null],
    ],
  )
  t.match(results[1].input, { event: 'throw', distinct_id: 'ada' })

  const bare = join(folder, 'bare/plugin.js')
  writeFileSync(bare, 'exports.processEvent = (event, { config }) => ({ ...event, event: config.name })')
  const free = await run(['test', '--file', bare, '--config', '{"name":"renamed"}', '--json'])
  t.match(JSON.parse(free.stdout).results[0].output, { event: 'renamed' })
  writeFileSync(bare, 'export function {')
  t.match(await run(['test', '--file', bare]), { code: 1, stdout: /^The plugin failed\.\n {2}Line 1/ })
})

t.test('usage errors say what to do', async (t) => {
  const folder = t.testdir({ 'plugin.ts': SOURCE, 'plugin.json': '{"config": [{"key": "a", "type": "number"}]}' })
  const file = join(folder, 'plugin.ts')
  for (const [words, code, stderr] of [
    [['test'], 2, /--file/],
    [['test', '--file', join(folder, 'missing.ts')], 1, /missing\.ts/],
    [['test', '--file', file, '--event', '{"name":"x"}'], 2, /An event must be an object with an "event"/],
    [['test', '--file', file, '--event', '{'], 2, /not valid JSON/],
    [['test', '--file', file, '--config', '[]'], 2, /must be a JSON object/],
    [['test', '--file', file, '--config', '{"a":"x"}'], 1, /"config\.a" must be a number/],
    [['list'], 2, /Did you mean pipeline_destinations\?/],
  ] as const)
    t.match(await run([...words]), { code, stderr }, words.join(' '))
  t.match((await run(['test', '--help'])).stdout, /--event <json>/)
})

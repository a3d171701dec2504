/** URLs, archives, code inspection and the catalog of plugins, without a server. */
import { Value } from '@sinclair/typebox/value'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { AppError } from '../../src/errors.ts'
import { unpack } from '../../src/plugins/archive.ts'
import { CatalogEntry, catalog } from '../../src/plugins/catalog.ts'
import { diffFields } from '../../src/plugins/changes.ts'
import { type CodeInspector, createSandbox } from '../../src/plugins/runtime/sandbox.ts'
import { parseUrl } from '../../src/plugins/url.ts'
import { bySize, figure } from '../helpers/assertions/figures.ts'
import { tarOf, zipOf } from '../helpers/peers/archives.ts'

const URLS = bySize({ quick: 125, full: 1_000, prove: 20_000 })
const ARCHIVES = bySize({ quick: 60, full: 500, prove: 20_000 })

const HOSTS = {
  github: 'https://github.com',
  github_api: 'https://api.github.com',
  gitlab: 'https://gitlab.com',
  npm_registry: 'https://registry.npmjs.org',
}
const SHA = '5b1f0c7d2e9a4863b7c05d1e8f2a6b394c7d0e15'

function openInspector(t: Test): CodeInspector {
  const inspector = createSandbox({ max_processes: 2 })
  t.teardown(() => inspector.stop())
  return inspector
}

t.test('parses every form of plugin URL and rejects all others', async (t) => {
  const github = { host: 'github', user: 'ada', repo: 'my.plugin', branch: null, folder: null, tag: null }
  for (const [url, origin] of [
    ['https://github.com/ada/my.plugin', github],
    ['http://www.github.com/ada/my.plugin//', github],
    ['https://github.com/ada/my.plugin.git', github],
    ['https://github.com/ada/my.plugin/tree/main', { ...github, branch: 'main' }],
    ['https://github.com/ada/my.plugin/tree/main/a/b-c', { ...github, branch: 'main', folder: 'a/b-c' }],
    [`https://github.com/ada/my.plugin/tree/${SHA}`, { ...github, tag: SHA }],
    [`https://github.com/ada/my.plugin/tree/${SHA}/a`, { ...github, tag: SHA, folder: 'a' }],
    [`https://github.com/ada/my.plugin/commit/${SHA}`, { ...github, tag: SHA }],
    ['https://github.com/ada/my.plugin/releases/tag/v1.0', { ...github, tag: 'refs/tags/v1.0' }],
    [`https://github.com/ada/my.plugin/archive/${SHA}.zip`, { ...github, tag: SHA }],
    ['https://github.com/ada/my.plugin/archive/v2.tar.gz', { ...github, tag: 'v2' }],
    ['https://github.com/ada/my.plugin/archive/refs/tags/v2.zip', { ...github, tag: 'refs/tags/v2' }],
    ['https://www.npmjs.com/package/name', { host: 'npm', name: 'name', tag: null }],
    ['https://npmjs.com/package/@scope/name/', { host: 'npm', name: '@scope/name', tag: null }],
    [
      'https://www.npmjs.com/package/@scope/name/v/1.2.3-beta.1',
      { host: 'npm', name: '@scope/name', tag: '1.2.3-beta.1' },
    ],
    ['https://gitlab.com/a/b/c/project', { host: 'gitlab', project: 'a/b/c/project', tag: null }],
    ['https://gitlab.com/a/project/-/tree/v1', { host: 'gitlab', project: 'a/project', tag: 'v1' }],
    [`https://gitlab.com/a/project/-/commit/${SHA}`, { host: 'gitlab', project: 'a/project', tag: SHA }],
    ['https://gitlab.com/a/project/-/archive/v1/project-v1.zip', { host: 'gitlab', project: 'a/project', tag: 'v1' }],
    ['file:/srv/plugins/mine', { host: 'file', folder: '/srv/plugins/mine', tag: null }],
    ['file:///srv/plugins/mine', { host: 'file', folder: '/srv/plugins/mine', tag: null }],
  ] as const)
    t.strictSame(parseUrl(url, HOSTS).origin, origin, url)

  t.match(parseUrl('https://github.com/ada/p/?private_token=T&x=1', HOSTS), {
    url: 'https://github.com/ada/p',
    token: 'T',
  })
  t.equal(parseUrl('http://www.github.com/ada/p/?x', HOSTS).key, parseUrl('https://github.com/ada/p#y', HOSTS).key)
  t.not(parseUrl('https://github.com/ada/pp', HOSTS).key, parseUrl('https://github.com/ada/p', HOSTS).key)

  for (const url of [
    'github.com/ada/p',
    'ftp://github.com/ada/p',
    'https://github.com/ada',
    'https://github.com/ada/p/blob/main/a',
    'https://github.com/ada/p/tree/main/../../x',
    'https://github.com/ada/p/tree/main/a%2f..%2fb',
    'https://github.com/ada/..',
    'https://github.com/a%00b/p',
    'https://ada:secret@github.com/ada/p',
    'https://github.com.evil.example/ada/p',
    'https://evil.example/github.com/ada/p',
    'https://gitlab.com/alone',
    'https://www.npmjs.com/~ada',
    'https://www.npmjs.com/package/@scope',
    'https://github.com:444/ada/p',
  ])
    t.throws(() => parseUrl(url, HOSTS), { code: 'invalid_input', attr: 'url' }, url)
})

t.test('unpacks zip and tar.gz archives and rejects corrupt, oversized and escaping ones', async (t) => {
  const all = () => true
  for (const bytes of [
    zipOf({ 'a/b.txt': 'one', 'c.txt': 'two' }),
    await tarOf({ 'a/b.txt': 'one', './c.txt': 'two' }),
  ])
    t.strictSame(
      [...(await unpack(bytes, all))].map(([path, content]) => [path, String(content)]),
      [
        ['a/b.txt', 'one'],
        ['c.txt', 'two'],
      ],
    )
  t.equal((await unpack(await tarOf({ 'x@': '/etc/passwd', y: '1' }), all)).has('x'), false, 'ignores links')

  const large = Buffer.alloc(2 * 1024 * 1024)
  const many = Object.fromEntries(Array.from({ length: 5001 }, (_, i) => [`f${i}`, '']))
  const huge = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}`, large]))
  for (const [archive, bytes] of [
    ['an empty file', Buffer.alloc(0)],
    ['an HTML page', Buffer.from('<html>not found</html>')],
    ['a truncated zip', zipOf({ a: 'b'.repeat(1000) }).subarray(0, 40)],
    ['a truncated tar', (await tarOf({ a: 'b'.repeat(5000) })).subarray(0, 40)],
    ['a zip with a parent path', zipOf({ '../../etc/cron.d/x': 'a' })],
    ['a zip with an absolute path', zipOf({ '/etc/x': 'a' })],
    ['a zip with backslashes', zipOf({ 'a\\..\\..\\x': 'a' })],
    ['a tar with a parent path', await tarOf({ 'a/../../x': 'a' })],
    ['a tar with an absolute path', await tarOf({ '/etc/x': 'a' })],
    ['a large file in a zip', zipOf({ a: large })],
    ['a large file in a tar', await tarOf({ a: large })],
    ['a file longer than its header says', zipOf({ a: large }, { claim: 10 })],
    ['many files in a zip', zipOf(many)],
    ['many files in a tar', await tarOf(many)],
    ['a zip that unpacks to 80 MB', zipOf(huge)],
    ['a tar that unpacks to 80 MB', await tarOf(huge)],
  ] as const)
    t.match(await unpack(bytes, (path) => path === 'a').catch((error) => error), { attr: 'url' }, archive)
})

t.test('parses or rejects random URLs and archives', async (t) => {
  const seed = 20240601
  const parts = [
    'https://github.com',
    'https://gitlab.com',
    'https://npmjs.com',
    '/package',
    '/ada',
    '/tree',
    '/-',
    '/..',
    '%2e',
    '?private_token=',
    '@',
    'file:',
    '\0',
    '🦔',
    '//',
  ]
  const expectAppError = (error: unknown): void => {
    if (!(error instanceof AppError)) throw error
  }
  await fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...parts), fc.string()), { maxLength: 8 }), (words) => {
      try {
        parseUrl(words.join(''), HOSTS)
      } catch (error) {
        expectAppError(error)
      }
    }),
    { seed, numRuns: URLS },
  )
  const intact = [
    zipOf({ 'a/plugin.json': '{}', 'a/b': 'x'.repeat(500) }),
    await tarOf({ 'a/plugin.json': '{}', b: 'y'.repeat(900) }),
  ]
  const edits = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...intact), edits, fc.nat(), async (bytes, changes, length) => {
      const broken = Buffer.from(bytes.subarray(0, length % 3 === 0 ? length % bytes.length : bytes.length))
      for (const [at, byte] of changes) if (broken.length) broken[at % broken.length] = byte
      await unpack(broken, () => true).catch(expectAppError)
    }),
    { seed, numRuns: ARCHIVES },
  )
  t.pass()
  const result = 'each parsed or rejected with a reason'
  figure(t, { area: 'Plugins', count: URLS + ARCHIVES, of: 'random URLs and archives', result, seed })
})

t.test('finds the exports of code by loading it in the sandbox', async (t) => {
  const { inspect } = openInspector(t)
  const offers = (methods: string[], jobs: string[] = [], scheduled_tasks: string[] = []) => ({
    methods,
    jobs,
    scheduled_tasks,
  })
  for (const [code, expected] of [
    ['export function onEvent(event: PluginEvent): void {}', offers(['onEvent'])],
    ['export const processEvent = async (e) => e; export const other = 1', offers(['processEvent'])],
    ['function a() {}\nexport { a as setupPlugin }', offers(['setupPlugin'])],
    [
      'export async function runEveryHour() {}\nconst f = () => 1\nexport const jobs = { b: f, "a c"() {}, no: 1 } as const',
      offers([], ['b', 'a c'], ['runEveryHour']),
    ],
    ['const jobs = { one() {} } satisfies Jobs\nexport { jobs }', offers([], ['one'])],
    ['export default { composeWebhook(event) {} }', offers(['composeWebhook'])],
    [
      'const f = () => 1; module.exports = { onEvent: f, teardownPlugin: f, jobs: { x() {} } }',
      offers(['teardownPlugin', 'onEvent'], ['x']),
    ],
    ['exports = { exportEvents() {}, onEvent() {}, runEvery: 1 }', offers(['exportEvents', 'onEvent'])],
    ['function processEventBatch(events) {}', offers(['processEvent'])],
    ['const onEvent = () => 1; let composeWebhook = async () => 1', offers(['onEvent', 'composeWebhook'])],
    [
      'exports.onEvent = exports.getSettings = void 0; exports.onEvent = onEvent; function onEvent() {}',
      offers(['onEvent']),
    ],
    [
      'Object.defineProperty(exports, "__esModule", { value: true }); const m = { onEvent() {} }; Object.defineProperty(exports, "onEvent", { enumerable: true, get: function () { return m.onEvent } })',
      offers(['onEvent']),
    ],
    [
      'var s = {}; for (const [k, get] of Object.entries({ onEvent: () => onEvent, jobs: () => jobs })) Object.defineProperty(s, k, { get, enumerable: true }); module.exports = s; var jobs = { z() {} }; async function onEvent() {}',
      offers(['onEvent'], ['z']),
    ],
    ['export type onEvent = string; export interface jobs { a: 1 }', offers([])],
    ['export const onEvent = 5', offers([])],
    ['export const setupPlugin = () => 1, onEvent = () => 2', offers(['setupPlugin', 'onEvent'])],
    ['const x = { onEvent() {} }\nexport const { onEvent } = x\nconst a = 1, b = 2', offers(['onEvent'])],
    [
      'const x = { onEvent() {} }\nexport const { onEvent, other = (1, 2) } = x; export const setupPlugin = () => 1, a = 1',
      offers(['setupPlugin', 'onEvent']),
    ],
    ['export const [onEvent] = [() => 1]\nlet c\nc = 1, c = 2', offers(['onEvent'])],
    ['const view = () => <div>hello</div>; export function onEvent() {}', offers(['onEvent'])],
  ] as const) {
    const { capabilities, errors } = await inspect({ 'index.ts': code })
    t.strictSame(capabilities, expected, code)
    t.strictSame(errors, {}, code)
  }
  for (const [code, error] of [
    [
      "let a\nexport { onEvent } from './elsewhere'",
      /^Line 2: Cannot import "\.\/elsewhere": the plugin has no such file\./,
    ],
    ["const pg = require('pg')", /^Line 1: Cannot import "pg"\. Create a batch export to Postgres or Redshift instead/],
    ["import { S3 } from 'aws-sdk'; S3()", /^Line 1: Cannot import "aws-sdk"\. Create a batch export to S3/],
    ["import x from '@google-cloud/bigquery'; x()", /a batch export to BigQuery instead/],
    ["import x from 'snowflake-sdk'; x()", /a batch export to Snowflake instead/],
    ['\n\nprocess.exit(1)', /^Line 3: ReferenceError: /],
    ['export function onEvent() {}\nwhile (true) {}', 'The call took too long and was stopped.'],
    ['const x = {}\nexport const a = 1, { b } = x', /^Line 2: Export one variable/],
    ['const x = {}\nexport const { a } = x, b = 1', /^Line 2: Export one variable/],
    ['const x = {}\nexport let [a] = [x],\n  b', /^Line 2: Export one variable/],
    ['const x = {}\nexport const { a } = x,\n  [b] = [1]', /^Line 2: Export one variable/],
    ['export const metrics = { a: "average" }', /"a" must be "sum", "max" or "min"/],
  ] as const)
    t.match(await inspect({ 'index.ts': code }), { capabilities: {}, errors: { 'index.ts': { detail: error } } }, code)
  const { transpiled, ...inspection } = await inspect({ 'plugin.json': '{}', 'site.ts': 'export const a = 1' })
  t.strictSame(inspection, { capabilities: {}, errors: {} })
  t.match(transpiled, { 'site.ts': /exports\.a = a/ })
  t.match(await inspect({ 'index.ts': 'let a = ', 'frontend.tsx': 'const a =\n  <div>', 'notes.md': '(' }), {
    capabilities: {},
    errors: {
      'index.ts': { detail: 'Line 1, column 9: Unexpected token', position: { line: 1, column: 9 } },
      'frontend.tsx': { detail: /^Line 2, column \d+: / },
    },
  })
  t.match(await inspect({ 'index.ts': '['.repeat(200_000) }), {
    errors: { 'index.ts': { detail: /nested too deeply/ } },
  })
})

t.test('a plugin imports its own files', async (t) => {
  const { inspect } = openInspector(t)
  const main = "import { work } from './lib/work'\nexport const onEvent = work"
  for (const [name, files] of [
    ['TypeScript', { 'lib/work.ts': 'export const work = (): number => 1' }],
    ['a folder', { 'lib/work/index.ts': 'export const work = () => 1' }],
    ['JavaScript', { 'lib/work.js': 'module.exports = { work() {} }' }],
    ['another form of exports', { 'lib/work.js': 'exports = { work() {} }' }],
    [
      'a file that imports others',
      {
        'lib/work.ts':
          "import rates from '../data/rates.json'; export * from './inner.js'; if (rates.eur !== 2) throw 1",
        'lib/inner.ts': "import { crypto } from 'crypto'; export const work = () => crypto",
        'data/rates.json': '{"eur": 2}',
      },
    ],
    [
      'files that import each other',
      {
        'lib/work.ts': "import { other } from './other'; export const work = () => other()",
        'lib/other.ts': "import { work } from './work'; export const other = () => work",
      },
    ],
    ['a broken file that nothing imports', { 'lib/work.ts': 'export const work = () => 1', 'other.txt': '(' }],
  ] as const) {
    const { capabilities, errors } = await inspect({ 'index.ts': main, ...files })
    t.strictSame(errors, {}, name)
    t.match(capabilities, { methods: ['onEvent'] }, name)
  }
  for (const [code, error] of [
    ['let a =', 'lib/work.ts: Line 1, column 8: Unexpected token'],
    ['let a\nthrow new TypeError("bad")', 'lib/work.ts: Line 2: TypeError: bad'],
    [
      "import x from './missing'; x()",
      /^lib\/work\.ts: Line 1: Cannot import "\.\/missing": the plugin has no such file\./,
    ],
    ["import x from '../../outside'; x()", /Cannot import "\.\.\/\.\.\/outside": the plugin has no such file/],
    ['import "fs"', /Cannot import "fs"/],
  ] as const)
    t.match(
      await inspect({ 'index.ts': main, 'lib/work.ts': code }),
      { errors: { 'index.ts': { detail: error } } },
      code,
    )
})

t.test('gives up on code that hangs and inspects other code at the same time', async (t) => {
  const { inspect } = openInspector(t)
  const slow = 'new Array(4294967295).join("x")'
  const [busy, quick] = await Promise.all([
    inspect({ 'index.ts': slow }),
    inspect({ 'index.ts': 'export function onEvent() {}' }),
  ])
  t.match(busy, { capabilities: {}, errors: { 'index.ts': { detail: /took too long/ } } })
  t.match(quick, { capabilities: { methods: ['onEvent'] } })
})

t.test('every catalog entry matches the schema and has an installable URL', async (t) => {
  t.ok(catalog.length > 20)
  for (const entry of catalog) {
    t.strictSame([...Value.Errors(CatalogEntry, entry)], [], entry.name)
    t.ok(parseUrl(entry.url, HOSTS))
  }
  t.equal(new Set(catalog.map(({ url }) => url)).size, catalog.length)
})

t.test('lists changed fields and truncates long values', async (t) => {
  t.strictSame(diffFields('Plugin', { a: 1, b: [1], c: 'x' }, { a: 2, b: [1], d: null }), [
    { type: 'Plugin', action: 'changed', field: 'a', before: 1, after: 2 },
    { type: 'Plugin', action: 'deleted', field: 'c', before: 'x', after: null },
    { type: 'Plugin', action: 'created', field: 'd', before: null, after: null },
  ])
  t.strictSame(diffFields('Plugin', { a: 1 }, { a: 1 }), [])
  const [change] = diffFields('Plugin', { a: 'x' }, { a: ['y'.repeat(5000)] })
  t.equal((change!.after as string).length, 201)
})

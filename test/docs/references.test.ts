/** Everything that the pages refer to exists: links, commands, flags, settings, keys of destinations, floors, libraries. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { transform } from 'esbuild'
import t from 'tap'
import { parse as parseYaml } from 'yaml'
import { areaCommand, areas } from '../../src/cli/area.ts'
import { describeClientSettings, describeSettings } from '../../src/config.ts'
import type { OpenApiSchema } from '../../src/contract/document.ts'
import { PUBLIC_AREAS } from '../../src/contract/operations.ts'
import { contract, resolve } from '../../src/contract/table.ts'
import { DESTINATION_TYPES } from '../../src/exports/catalog.ts'
import { codeBlocks, PAGES, proseOf } from '../helpers/assertions/pages.ts'
import { runCommand } from '../helpers/programs/process.ts'

/** The changelog also describes commands and settings of the past. */
const CURRENT_PAGES = PAGES.filter((page) => page !== 'CHANGELOG.md')

const codeSpans = (page: string): string[] =>
  [...proseOf(page).matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replace(/\s+/g, ' '))

/** The anchors of a page, as GitHub derives them from headings. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of proseOf(page).matchAll(/^#+ +(.+)$/gm)) {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const plain = words.replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')
    let anchor = plain
    for (let i = 1; anchors.has(anchor); i++) anchor = `${plain}-${i}`
    anchors.add(anchor)
  }
  return anchors
}

t.test('every link leads to a file and a heading that exist', async (t) => {
  for (const page of PAGES)
    for (const [, target = ''] of proseOf(page)
      .replace(/`[^`]*`/g, '')
      .matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : normalize(join(dirname(page), path))
      t.ok(existsSync(file), `${page} links to ${target}`)
      if (anchor !== undefined && file.endsWith('.md') && existsSync(file))
        t.ok(anchorsOf(file).has(anchor), `${page} links to the heading ${target}`)
    }
})

t.test('every page is in the index', async (t) => {
  const index = readFileSync('docs/README.md', 'utf8')
  for (const page of PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md'))
    t.match(index, `(${page.slice('docs/'.length)})`, page)
})

t.test('JSON, YAML and JavaScript blocks can be parsed', async (t) => {
  for (const page of PAGES)
    for (const { line, language, code } of codeBlocks(page)) {
      const name = `${page}:${line}`
      if (language === 'json') t.doesNotThrow(() => JSON.parse(code), name)
      if (language === 'yaml') t.doesNotThrow(() => parseYaml(code), name)
      if (language === 'js' || language === 'ts') await t.resolves(transform(code, { loader: language }), name)
    }
})

t.test('examples can be pasted into any shell', async (t) => {
  for (const page of PAGES)
    for (const { line, marks, code } of codeBlocks(page).filter(({ marks }) => marks.includes('run'))) {
      t.notMatch(code, /^(.* )?# /m, `${page}:${line} has no comments, which an interactive zsh does not accept`)
      if (!marks.includes('background')) t.notMatch(code, /…/, `${page}:${line} has no placeholders`)
    }
})

interface Mention {
  page: string
  words: string[]
  flags: string[]
}

/** The program at the start of a command, also after `npx`, a variable or a folder. Elsewhere it is a user or an image. */
const COMMAND = /(?:^ *|[|;&(] *|\bnpx |[A-Z_]+=\S+ |\/\.bin\/)workspace-admin +([^|;&()<>\n]+)/gm

/** The commands in a shell text: the words and flags of each up to a pipe, a redirection or the end of the line. */
function commandsIn(page: string, text: string): Mention[] {
  const lines = text.replace(/\\\n/g, ' ').replace(/'[^'\n]*'|"(?:\\"|[^"\n])*"/g, 'text')
  return [...lines.matchAll(COMMAND)].map(([, rest = '']) => {
    const tokens = rest.split(/\s+/).filter(Boolean)
    const end = tokens.findIndex((token) => !/^[a-z][a-z_-]*$/.test(token))
    return {
      page,
      words: (end === -1 ? tokens : tokens.slice(0, end)).slice(0, 2),
      flags: tokens.flatMap((token) => /^--[a-z][a-z0-9-]*/.exec(token)?.[0] ?? []),
    }
  })
}

const help = new Map<string, Promise<string>>()

function helpOf(words: readonly string[]): Promise<string> {
  const key = words.join(' ')
  const found = help.get(key) ?? runCommand([...words, '--help'], {}).then(({ stdout }) => stdout)
  help.set(key, found)
  return found
}

t.test('every command and flag exists', async (t) => {
  const mentions = CURRENT_PAGES.flatMap((page) => [
    ...codeBlocks(page)
      .filter(({ language }) => language === 'sh' || language === '')
      .flatMap(({ code }) => commandsIn(page, code)),
    ...codeSpans(page).flatMap((span) => commandsIn(page, span)),
  ])
  t.ok(mentions.length > 50, 'the pages name commands')
  for (const { page, words, flags } of mentions) {
    const [word, verb] = words
    if (word === undefined) continue
    const label = `${page}: workspace-admin ${words.join(' ')}`
    const overview = await helpOf([word])
    // The usage of an alias has the full name.
    t.match(overview, /^Usage: workspace-admin [a-z]/, label)
    const isGroup = /^Usage: .*\[command\]/.test(overview)
    if (isGroup && verb) t.match(overview, new RegExp(`^  ${verb}( |$)`, 'm'), label)
    const text = isGroup && verb ? await helpOf([word, verb]) : overview
    for (const flag of flags) t.match(text, new RegExp(`${flag}\\b`), `${label} ${flag}`)
  }
})

/** Programs whose flags the pages mention. */
const OTHER_PROGRAMS =
  /^(npm|npx|node|docker|createdb|apt-get|citusctl|curl|kubectl|systemctl|systemd\S*|sudo|unshare|psql|pg_\S+|nginx|caddy|git|tc|NODE_OPTIONS\S*)( |$)/
/** Flags of these programs without their name, and of the scripts in `scripts/`. */
const OTHER_FLAGS = [
  '--permission',
  '--cpu-prof',
  '--import',
  '--omit',
  '--enable-source-maps',
  '--database-url',
  '--events',
]

/** The verbs and flags of every command. */
async function commandTable(): Promise<{ verbs: Map<string, string[]>; flags: Set<string> }> {
  const verbs = new Map<string, string[]>()
  const flags = new Set<string>(['--version', '--help'])
  const addFlags = (text: string): void => {
    for (const [flag] of text.matchAll(/--[a-z][a-z0-9-]*/g)) flags.add(flag)
  }
  const words = (text: string): string[] => [...text.matchAll(/^ {2}([a-z][a-z_-]*)/gm)].map(([, word = '']) => word)
  for (const { name } of areas)
    for (const command of areaCommand(name, [], {}).commands) addFlags(command.helpInformation())
  for (const word of words(await helpOf([]))) {
    const text = await helpOf([word])
    addFlags(text)
    if (!/^Usage: .*\[command\]/.test(text)) continue
    verbs.set(word, words(text))
    // These areas also have commands on the database.
    if (areas.some(({ name }) => name === word) && !['users', 'organizations'].includes(word)) continue
    for (const verb of verbs.get(word) ?? []) addFlags(await helpOf([word, verb]))
  }
  return { verbs, flags }
}

t.test('every flag and verb that a sentence names exists', async (t) => {
  const { verbs, flags } = await commandTable()
  for (const page of CURRENT_PAGES)
    for (const span of codeSpans(page).filter((text) => !OTHER_PROGRAMS.test(text))) {
      for (const [, flag = ''] of span.matchAll(/(?:^| )(--[a-z][a-z0-9-]*)/g))
        t.ok(flags.has(flag) || OTHER_FLAGS.includes(flag), `${page}: ${flag} in \`${span}\``)
      const [, word = '', verb = ''] = /^([a-z_]+) ([a-z][a-z_-]*)(?: |$)/.exec(span) ?? []
      const known = verbs.get(word)
      if (known) t.ok(known.includes(verb), `${page}: ${word} ${verb}`)
    }
})

t.test('exports of different examples have different names', async (t) => {
  const named = new Map<string, string>()
  for (const { page, code } of PAGES.flatMap(codeBlocks).filter(({ marks }) => marks.includes('run')))
    for (const [, flag, key] of code.matchAll(/exports create --name '([^']+)'|^ {2}"name": "([^"]+)"/gm)) {
      const name = flag ?? key ?? ''
      t.equal(named.get(name), undefined, `${page} creates ${name}`)
      named.set(name, page)
    }
  t.ok(named.size > 5, 'the pages create exports')
})

t.test('openapi/README.md names the public areas', async (t) => {
  const [, sentence = ''] = /Those are the areas (.*?), and the operations/s.exec(proseOf('openapi/README.md')) ?? []
  t.strictSame(namesIn(sentence).toSorted(), PUBLIC_AREAS.toSorted())
})

const namesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

/** A list of names in scripts/floors.ts, which runs its checks when it is imported. */
const floorsOf = (list: string): string[] => {
  const [, names = ''] =
    new RegExp(`const ${list}\\b[^=]*= \\[(.*?)\\n?\\]\n`, 's').exec(readFileSync('scripts/floors.ts', 'utf8')) ?? []
  return [...names.matchAll(/'([\w.-]+)'/g)].map(([, name = '']) => name)
}

t.test('the pages name the floors and the folders with SQL of scripts/floors.ts', async (t) => {
  const folders = floorsOf('SQL_FLOORS').toSorted()
  t.ok(folders.length > 3)
  const [, rule = ''] =
    /SQL is written as SQL next to its row type, in (.*?) only/s.exec(proseOf('CONTRIBUTING.md')) ?? []
  t.strictSame(
    namesIn(rule).toSorted(),
    folders.map((name) => `src/${name}`),
  )
  const architecture = readFileSync('docs/architecture.md', 'utf8')
  const [, floors = ''] = /The SQL floors are (.*?)\./s.exec(architecture) ?? []
  t.strictSame(namesIn(floors).toSorted(), folders)
  const [, house = ''] = /```\n(.*?)```/s.exec(architecture) ?? []
  const drawn = house
    .split('\n')
    .flatMap((line) => [...line.slice(0, 42).matchAll(/[\w.-]+(?:\.ts|(?=\/))/g)].map(([name]) => name))
  t.strictSame(drawn.toSorted(), floorsOf('FLOORS').toSorted())
})

t.test('docs/architecture.md fits on a page', async (t) => {
  t.ok(readFileSync('docs/architecture.md', 'utf8').split(/\s+/).length <= 1_500)
})

t.test('the list of libraries has every dependency that is used, and no other', async (t) => {
  const dependencies = ['package.json', 'console/package.json', 'client/package.json'].flatMap((file) => {
    const manifest: Record<string, Record<string, string> | undefined> = JSON.parse(readFileSync(file, 'utf8'))
    return ['dependencies', 'devDependencies', 'peerDependencies'].flatMap((kind) => Object.keys(manifest[kind] ?? {}))
  })
  const [, list = ''] = readFileSync('docs/architecture/package.md', 'utf8').split('\n## Libraries\n')
  const listed = [...list.matchAll(/^\| ((?:@?[\w./*-]+(?: \([^)]*\))?(?:, )?)+) \|/gm)]
    .flatMap(([, cell = '']) => cell.replace(/ \([^)]*\)/g, '').split(', '))
    .filter((name) => name !== 'library' && name !== '---')
  const isListed = (name: string): boolean =>
    listed.includes(name) || listed.includes(`${name.split('/')[0]}/*`) || name.startsWith('@types/')
  for (const name of dependencies) t.ok(isListed(name), `${name} is listed`)

  const folders = ['src', 'scripts', 'test', 'bench', 'console/src', 'client/src']
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  const sources = [...files, 'console/vite.config.ts'].filter(
    (file) => /\.(ts|tsx|js|cjs)$/.test(file) && !file.includes('node_modules'),
  )
  const text = sources.map((file) => readFileSync(file, 'utf8')).join('\n')
  const isUsed = (name: string): boolean =>
    NOT_IMPORTED.includes(name) || text.includes(`'${name}'`) || text.includes(`'${name}/`)
  for (const name of listed) {
    const covered = dependencies.filter(
      (one) => one === name || (name.endsWith('/*') && one.startsWith(name.slice(0, -1))),
    )
    t.ok(covered.some(isUsed), `${name} is used`)
  }
})

/** Programs, and a library that @mantine/dates imports. */
const NOT_IMPORTED = ['node', 'tsx', '@biomejs/biome', 'dayjs']

/** Variables of Node, of the tests and of other programs. */
const OTHER_VARIABLES = [
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'NODE_COMPILE_CACHE',
  'NODE_OPTIONS',
  'NODE_DISABLE_COMPILE_CACHE',
  'NODE_V8_COVERAGE',
  'NO_COLOR',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TIMEOUT',
  'OTEL_RESOURCE_ATTRIBUTES',
  'NOTIFY_SOCKET',
  'WATCHDOG_USEC',
  'LISTEN_FDS',
  'TEST_CITUS_URL',
  'TEST_POSTGRES_URL',
  'TEST_SIZE',
  'BENCH_SIZE',
  'FUZZ_SEED',
  'FUZZ_REQUESTS',
]

t.test('every setting exists', async (t) => {
  const settings = [...describeSettings(), ...describeClientSettings()].map(({ name }) => name)
  for (const page of CURRENT_PAGES) {
    const own = codeBlocks(page).flatMap(({ code }) =>
      [...code.matchAll(/\b([A-Z][A-Z0-9_]+)=|\$([A-Z][A-Z0-9_]+)/g)].map(([, assigned, used]) => assigned ?? used),
    )
    const known = new Set([...settings, ...OTHER_VARIABLES, ...own])
    for (const span of codeSpans(page)) {
      const [, name] = /^([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=.*)?$/.exec(span) ?? []
      if (name !== undefined) t.ok(known.has(name), `${page}: ${name}`)
    }
  }
})

t.test('a setting of the next release is in the unreleased part of the changelog', async (t) => {
  const isNew = describeSettings().some(({ since }) => since === undefined)
  if (isNew) t.match(readFileSync('CHANGELOG.md', 'utf8'), '## Unreleased', 'else add the release to src/config.ts')
})

t.test('docs/destinations.md lists every type and every key of its config', async (t) => {
  const page = proseOf('docs/destinations.md')
  const section = (title: string): string => page.split(/^## /m).find((text) => text.startsWith(`${title}\n`)) ?? ''
  const keysIn = (text: string): string[] =>
    [...text.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? [])
  const common = keysIn(section('File'))
  for (const type of DESTINATION_TYPES) {
    t.match(page, `\`${type}\``, type)
    if (type === 'NoOp') continue
    const config: OpenApiSchema = contract.components.schemas[`${type}Config`]!
    const parts: OpenApiSchema[] = [config, ...(config.allOf ?? []).map((part) => resolve(part))]
    const expected = [...new Set(parts.flatMap(({ properties = {} }) => Object.keys(properties)))]
    const documented = [...new Set([...keysIn(section(type)), ...common])].filter((key) => expected.includes(key))
    t.strictSame(documented.toSorted(), expected.toSorted(), type)
    const unknown = keysIn(section(type)).filter((key) => !expected.includes(key))
    t.strictSame(unknown, [], `${type} has no other keys`)
  }
})

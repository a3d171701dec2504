/**
 * `npm run bench:before -- <commit> [word]` compares this version with that of another commit, on SQLite. Builds the
 * commit in a temporary folder, measures both in turn, and exits with 1 if something takes more than 5 % longer than before.
 * With a word, it measures only the trials whose name contains the word.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { EVENTS as EVENT_TRACK } from '../src/sql/migrate.ts'
import { bodyFor, sendBatches } from './benchmarks/events-in.ts'
import { exportTo } from './benchmarks/export.ts'
import { firstPage, newestEvent } from './benchmarks/postgres.ts'
import { load, type RequestSpec } from './load.ts'
import { installPeers } from './peers.ts'
import { insertEvents, percentile, postJson, startServer, tempFolder, timed, type Workspace } from './workspace.ts'

const LIMIT = 1.05
const ROUNDS = 9
/** A new server takes this long until its code is compiled and its caches are filled. */
const WARM_UP_ROUNDS = 3
const EVENTS = 200_000
const PROJECTS = 100

const [commit, word = ''] = process.argv.slice(2)
if (!commit || commit.startsWith('-')) {
  console.error('Usage: npm run bench:before -- <commit> [word]')
  process.exit(2)
}

/** Measures one workspace, in milliseconds. */
type Trial = (workspace: Workspace) => Promise<number>

const requests =
  (amount: number, request: (workspace: Workspace) => RequestSpec): Trial =>
  (workspace) =>
    load(workspace, request(workspace), amount)

const tokens = new WeakMap<Workspace, string[]>()

const TRIALS: Record<string, Trial> = {
  'retrieve an organization': requests(8_000, ({ organization_id }) => ({
    path: `/api/organizations/${organization_id}/`,
  })),
  'list members': requests(4_000, ({ organization_id }) => ({
    path: `/api/organizations/${organization_id}/members/`,
  })),
  'rename an organization': requests(1_000, ({ organization_id }) => ({
    method: 'PATCH',
    path: `/api/organizations/${organization_id}/`,
    body: '{"name":"Renamed"}',
  })),
  'retrieve an event': async (workspace) => load(workspace, { path: await newestEvent(workspace) }, 3_000),
  'first page of events': firstPage,
  'ingest batches of 500 events': (workspace) =>
    ingest(
      workspace,
      Array.from({ length: 40 }, () => bodyFor(workspace, 500)),
    ),
  'ingest single events of 100 projects': async (workspace) => {
    const tokens = await projectTokens(workspace)
    const oneEach = () => tokens.map((project_token) => bodyFor({ ...workspace, project_token }, 1))
    return ingest(workspace, Array.from({ length: 20 }, oneEach).flat())
  },
  'export JSON lines': exportTo({}),
  'export gzip': exportTo({ compression: 'gzip' }),
  'export Parquet': exportTo({ file_format: 'Parquet', compression: 'zstd' }),
}

const trials = Object.entries(TRIALS).filter(([name]) => name.includes(word))
if (trials.length === 0) {
  console.error(`No trial has "${word}" in its name. The trials are: ${Object.keys(TRIALS).join(', ')}.`)
  process.exit(2)
}

installPeers()
const [now, before] = [await open('dist/workspace-admin.js'), await open(buildOf(commit))]
console.log(`\nMedians of ${ROUNDS} rounds on SQLite, ${commit} and this version\n`)
let failed = 0
for (const [name, trial] of trials) {
  const results: Record<'now' | 'before', number[]> = { now: [], before: [] }
  // The order alternates, so that neither version always follows the other.
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const [first, second] = [await measured(trial, round % 2 === 0), await measured(trial, round % 2 !== 0)]
    if (round >= 0) for (const { version, ms } of [first, second]) results[version].push(ms)
  }
  const [after, earlier] = [percentile(results.now, 0.5), percentile(results.before, 0.5)]
  const ratio = after / earlier
  if (ratio > LIMIT) failed++
  console.log(
    `${ratio > LIMIT ? 'FAIL' : 'ok  '} ${name.padEnd(38)} ${earlier.toFixed(1).padStart(8)} ms ${after.toFixed(1).padStart(8)} ms  ${ratio.toFixed(2)}`,
  )
}
console.log(`\n${trials.length - failed} passed, ${failed} failed`)
// The servers and their connections are still open.
process.exit(failed ? 1 : 0)

async function measured(trial: Trial, isNow: boolean): Promise<{ version: 'now' | 'before'; ms: number }> {
  return { version: isNow ? 'now' : 'before', ms: await trial(isNow ? now : before) }
}

function ingest(workspace: Workspace, bodies: Buffer[]): Promise<number> {
  const next = bodies.values()
  return timed(() => sendBatches(workspace, bodies.length, () => next.next().value ?? bodyFor(workspace)))
}

async function projectTokens(workspace: Workspace): Promise<string[]> {
  const known = tokens.get(workspace) ?? []
  tokens.set(workspace, known)
  while (known.length < PROJECTS)
    known.push(JSON.parse(await postJson(workspace, '/api/projects/', { name: `Project ${known.length}` })).api_token)
  return known
}

/** Builds another commit, and returns its program. */
function buildOf(commit: string): string {
  const folder = join(tempFolder(), 'before')
  mkdirSync(folder)
  const archive = execFileSync('git', ['archive', commit], { maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  const run = (...args: string[]) => execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  console.error(`Installing and building ${commit}`)
  run('ci', '--no-audit', '--no-fund')
  run('run', 'build')
  return join(folder, 'dist/workspace-admin.js')
}

/** Starts a program on a new database with events. */
async function open(program: string): Promise<Workspace> {
  const folder = tempFolder()
  const file = join(folder, EVENT_TRACK.file)
  const workspace = { ...(await startServer(`sqlite:${folder}`, {}, undefined, program)), file }
  insertEvents(workspace, [workspace.project_id], EVENTS, { days: 6 })
  return workspace
}

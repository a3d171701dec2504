/**
 * Checks the floors of src/ (docs/architecture.md). A file imports its own folder and lower floors: never a higher floor,
 * a sibling on the same floor, or itself through a cycle. Only some floors contain SQL, and only cli/ reads process.env.
 */
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'

/** From the bottom up: files and folders of src/. Names in one list are siblings. */
const FLOORS: string[][] = [
  ['../package.json', 'errors.ts', 'ids.ts', 'node-version.ts'],
  ['config.ts', 'contract', 'form.ts', 'json', 'time'],
  ['telemetry'],
  ['sql'],
  ['hogql', 'background'],
  ['store', 'mail', 'dns', 'outbound'],
  ['auth', 'events'],
  ['mirror'],
  ['organizations', 'exports', 'plugins'],
  ['signin', 'backups'],
  ['gauges.ts'],
  ['deps.ts'],
  ['api'],
  ['http'],
  ['main.ts'],
  ['cli'],
]
const SQL_FLOORS = ['sql', 'hogql', 'store', 'events', 'mirror', 'mail']
/** Contain SQL for the databases of export destinations and for DuckDB, and HogQL in help texts, but no SQL for our tables. */
const FOREIGN_SQL = [
  'exports/destinations/',
  'exports/formats/parquet.ts',
  'cli/query.ts',
  'cli/program.ts',
  'cli/import/parquet.ts',
  'cli/import/remote.ts',
]
/** Read the machine's clock: for peers that compare it with their own, and for the code of plugins. */
const FOREIGN_CLOCK = ['exports/guarded-requests.ts', 'plugins/runtime/library/']

interface Place {
  floor: number
  member: string
}

function placeOf(file: string): Place | undefined {
  for (const exact of [true, false])
    for (const [floor, names] of FLOORS.entries())
      for (const member of names) if (exact ? file === member : file.startsWith(`${member}/`)) return { floor, member }
  return undefined
}

const problems: string[] = []
const imports = new Map<string, string[]>()

for (const path of ts.sys.readDirectory('src', ['.ts'])) {
  const file = path.slice('src/'.length)
  const text = readFileSync(path, 'utf8')
  const here = placeOf(file)
  if (!here) {
    problems.push(`${file} has no floor. Move it to a folder that has one, or add it to scripts/floors.ts.`)
    continue
  }
  const targets: string[] = []
  for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
    if (!fileName.startsWith('.')) continue
    const target = normalize(join(dirname(file), fileName))
    targets.push(target)
    const targetPlace = placeOf(target)
    if (!targetPlace) problems.push(`${file} imports ${target}, which has no floor.`)
    else if (targetPlace.floor > here.floor) problems.push(`${file} imports ${target} from a higher floor.`)
    else if (targetPlace.floor === here.floor && here.member !== targetPlace.member)
      problems.push(`${file} imports ${target}, a sibling on the same floor.`)
  }
  imports.set(file, targets)
  if (
    !SQL_FLOORS.includes(here.member) &&
    !FOREIGN_SQL.some((path) => file.startsWith(path)) &&
    /\bsql`|\b(select|insert into|delete from|update) .*\b(from|values|where|set)\b/.test(text)
  )
    problems.push(`${file} contains SQL. Move it to one of: ${SQL_FLOORS.join(', ')}.`)
  if (/process\.env\b/.test(text) && here.member !== 'cli') problems.push(`${file} reads process.env. Use config.ts.`)
  if (
    /Date\.now\(|new Date\(\)/.test(text) &&
    !['sql', 'deps.ts'].includes(here.member) &&
    !FOREIGN_CLOCK.some((path) => file.startsWith(path))
  )
    problems.push(`${file} reads the system clock. Use deps.now.`)
}

/** Finds a cycle of imports, including type imports. */
function findCycle(from: string, trail: string[]): string[] | undefined {
  if (trail.includes(from)) return [...trail.slice(trail.indexOf(from)), from]
  if (done.has(from)) return undefined
  for (const target of imports.get(from) ?? []) {
    const found = findCycle(target, [...trail, from])
    if (found) return found
  }
  done.add(from)
  return undefined
}
const done = new Set<string>()
for (const file of imports.keys()) {
  const found = findCycle(file, [])
  if (found) {
    problems.push(`Import cycle: ${found.join(' → ')}`)
    break
  }
}

for (const problem of problems) console.error(`error ${problem}`)
console.log(`floors: ${imports.size} files, ${problems.length || 'no'} problems`)
process.exitCode = problems.length ? 1 : 0

/**
 * The floors of the house (docs/architecture.md). A file imports its own folder and lower floors: never upward, never a
 * sibling folder on the same floor, never in a circle. SQL is written on its own floors, process.env read in one place.
 */
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'

/** From the bottom up. A name is a file of src/ or a folder; names on one line are siblings. */
const FLOORS: string[][] = [
  ['../package.json', 'errors.ts', 'ids.ts', 'node-version.ts'],
  ['config.ts', 'contract', 'json', 'metrics.ts', 'time'],
  ['sql'],
  ['hogql', 'background'],
  ['store', 'mail', 'dns', 'outbound'],
  ['auth', 'events'],
  ['organizations', 'exports', 'plugins'],
  ['signin'],
  ['deps.ts'],
  ['api'],
  ['http'],
  ['main.ts'],
  ['cli'],
]
const SQL_FLOORS = ['sql', 'hogql', 'store', 'events', 'mail']
/** Speaks to somebody else's database, in its words: nothing of our own tables is in it. */
const FOREIGN_SQL = 'exports/destinations/postgres.ts'

interface Place {
  floor: number
  room: string
}

function placeOf(file: string): Place | undefined {
  for (const exact of [true, false])
    for (const [floor, names] of FLOORS.entries())
      for (const room of names) if (exact ? file === room : file.startsWith(`${room}/`)) return { floor, room }
  return undefined
}

const problems: string[] = []
const imports = new Map<string, string[]>()

for (const path of ts.sys.readDirectory('src', ['.ts'])) {
  const file = path.slice('src/'.length)
  const text = readFileSync(path, 'utf8')
  const here = placeOf(file)
  if (!here) {
    problems.push(`${file} is on no floor: put it into a folder that has one, or give it a place in scripts/floors.ts`)
    continue
  }
  const targets: string[] = []
  for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
    if (!fileName.startsWith('.')) continue
    const target = normalize(join(dirname(file), fileName))
    targets.push(target)
    const there = placeOf(target)
    if (!there) problems.push(`${file} imports ${target}, which is on no floor`)
    else if (there.floor > here.floor) problems.push(`${file} imports ${target}, which is a floor above`)
    else if (there.floor === here.floor && here.room !== there.room)
      problems.push(`${file} imports ${target}, a sibling on its own floor`)
  }
  imports.set(file, targets)
  if (
    !SQL_FLOORS.includes(here.room) &&
    file !== FOREIGN_SQL &&
    /\bsql`|\b(select|insert into|delete from|update) .*\b(from|values|where|set)\b/.test(text)
  )
    problems.push(`${file} holds SQL, which belongs into ${SQL_FLOORS.join(', ')}`)
  if (/process\.env\b/.test(text) && here.room !== 'cli')
    problems.push(`${file} reads process.env, which config.ts is given`)
  if (/Date\.now\(|new Date\(\)/.test(text) && !['sql', 'deps.ts'].includes(here.room))
    problems.push(`${file} asks the machine for the time, which deps.now tells`)
}

/** A circle of imports, types apart or not: such files are one file in disguise. */
function circle(from: string, trail: string[]): string[] | undefined {
  if (trail.includes(from)) return [...trail.slice(trail.indexOf(from)), from]
  if (done.has(from)) return undefined
  for (const target of imports.get(from) ?? []) {
    const found = circle(target, [...trail, from])
    if (found) return found
  }
  done.add(from)
  return undefined
}
const done = new Set<string>()
for (const file of imports.keys()) {
  const found = circle(file, [])
  if (found) {
    problems.push(`imports go round in a circle: ${found.join(' → ')}`)
    break
  }
}

for (const problem of problems) console.error(`error ${problem}`)
console.log(`floors: ${imports.size} files, ${problems.length || 'no'} problems`)
process.exitCode = problems.length ? 1 : 0

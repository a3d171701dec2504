/** Builds dist/ if something that it is made of has changed since the last build. Loading the bundlers takes a second. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const SOURCES = ['client', 'console', 'openapi', 'package-lock.json', 'package.json', 'scripts', 'src']
/** The build writes this file last. */
const BUILT = 'dist/main.js'

/** The time of the last change below a path. A deleted or renamed file changes the time of its folder. */
function changedAt(path: string): number {
  const entry = statSync(path)
  if (!entry.isDirectory()) return entry.mtimeMs
  const names = readdirSync(path).filter((name) => name !== 'node_modules' && name !== 'dist')
  return Math.max(entry.mtimeMs, ...names.map((name) => changedAt(join(path, name))))
}

const built_at = existsSync(BUILT) ? statSync(BUILT).mtimeMs : 0
if (Math.max(...SOURCES.map(changedAt)) > built_at) {
  console.error('The sources have changed since the last build. Building…')
  await import('./build.ts')
}

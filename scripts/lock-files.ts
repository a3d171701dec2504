/**
 * Checks that each lock file contains every optional platform package. npm leaves out those that the registry does not
 * have, and then `npm ci` fails on every platform.
 */
import { readFileSync } from 'node:fs'

const LOCK_FILES = ['package-lock.json', 'bench/package-lock.json', 'test/clients/package/package-lock.json']

interface Lock {
  packages: Record<string, { optionalDependencies?: Record<string, string> }>
}

/** Whether the package at `path` finds `name`, looking upwards as Node does. */
function finds({ packages }: Lock, path: string, name: string): boolean {
  if (packages[`${path && `${path}/`}node_modules/${name}`]) return true
  return path !== '' && finds({ packages }, path.slice(0, Math.max(path.lastIndexOf('/node_modules/'), 0)), name)
}

for (const file of LOCK_FILES) {
  const lock: Lock = JSON.parse(readFileSync(file, 'utf8'))
  for (const [path, { optionalDependencies = {} }] of Object.entries(lock.packages))
    for (const name of Object.keys(optionalDependencies))
      if (!finds(lock, path, name)) {
        console.error(`${file}: ${path} has an optional dependency on ${name}, which the lock file lacks.`)
        process.exitCode = 1
      }
}

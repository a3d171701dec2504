/**
 * Checks that each lock file contains every optional platform package. npm leaves out those that the registry does not
 * have, and then `npm ci` fails on every platform. Also checks that `npm install` would not change the lock file: it marks
 * each package with a `binding.gyp`, even if the package turns its compilation off with `gypfile`.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const LOCK_FILES = ['package-lock.json', 'bench/package-lock.json', 'test/clients/package/package-lock.json']

interface Lock {
  packages: Record<string, { hasInstallScript?: boolean; optionalDependencies?: Record<string, string> }>
}

/** Whether the package at `path` finds `name`, looking upwards as Node does. */
function finds({ packages }: Lock, path: string, name: string): boolean {
  if (packages[`${path && `${path}/`}node_modules/${name}`]) return true
  return path !== '' && finds({ packages }, path.slice(0, Math.max(path.lastIndexOf('/node_modules/'), 0)), name)
}

for (const file of LOCK_FILES) {
  const lock: Lock = JSON.parse(readFileSync(file, 'utf8'))
  for (const [path, { hasInstallScript = false, optionalDependencies = {} }] of Object.entries(lock.packages)) {
    if (!hasInstallScript && existsSync(join(dirname(file), path, 'binding.gyp'))) {
      console.error(`${file}: npm install adds "hasInstallScript": true to ${path}. Commit this line.`)
      process.exitCode = 1
    }
    for (const name of Object.keys(optionalDependencies))
      if (!finds(lock, path, name)) {
        console.error(`${file}: ${path} has an optional dependency on ${name}, which the lock file lacks.`)
        process.exitCode = 1
      }
  }
}
